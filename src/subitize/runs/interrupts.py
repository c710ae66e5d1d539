"""Ctrl-C and SIGTERM while a run asks: gentle at first, at once when they come again."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

from subitize.runs.limits import Halt
from subitize.runs.patience import Say

INTERRUPTED = "interrupted"


@contextmanager
def gentle_interrupts(halt: Halt, say: Say) -> Iterator[None]:
    """The first Ctrl-C finishes what is in flight; the second ends at once."""
    loop = asyncio.get_running_loop()
    main = asyncio.current_task()

    def interrupted() -> None:
        if halt and main is not None:
            main.cancel()
            return
        say("Finishing what is in flight; Ctrl-C again ends it at once.")
        halt.set(INTERRUPTED)

    restore = _handle(loop, interrupted)
    try:
        yield
    finally:
        restore()


def _handle(loop: asyncio.AbstractEventLoop, interrupted: Callable[[], None]) -> Callable[[], None]:
    """Have Ctrl-C and SIGTERM call a function inside the loop; gives back how to undo that.

    Where the loop takes no signals (Windows) Python's own handlers call it from outside.
    """
    undo: list[Callable[[], object]] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, interrupted)
            undo.append(partial(loop.remove_signal_handler, number))
        except (NotImplementedError, AttributeError):
            before = signal.getsignal(number)

            def from_outside(*_: object) -> None:
                loop.call_soon_threadsafe(interrupted)

            with suppress(ValueError):  # not in the main thread
                signal.signal(number, from_outside)
                undo.append(partial(signal.signal, number, before))
        except (ValueError, RuntimeError):  # not in the main thread: the caller handles signals
            break

    def restore() -> None:
        for one in undo:
            one()

    return restore
