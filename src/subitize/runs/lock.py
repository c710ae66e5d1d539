"""One writer per run: an OS lock that dies with its process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from subitize.disk import APPENDING
from subitize.errors import RunLocked, StorageFull


def _take(descriptor: int) -> None:
    """Lock an open file or raise an OSError at once; closing it, or dying, gives it back.

    Where Python has no locks of files at all (WebAssembly), nobody else can be there.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        try:
            import msvcrt
        except ImportError:
            return
        os.lseek(descriptor, 0, os.SEEK_SET)
        # By name, because the types of other systems do not know them.
        getattr(msvcrt, "locking")(descriptor, getattr(msvcrt, "LK_NBLCK"), 1)  # noqa: B009
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the run's lock; another holder is an error, a dead one is not."""
    try:
        descriptor = os.open(folder / ".lock", APPENDING, 0o644)
    except OSError as problem:
        raise StorageFull(
            f"Can't write to {folder}: {problem.strerror}. Make it writable, or give a copy of it."
        ) from None
    try:
        try:
            _take(descriptor)
        except OSError:
            raise RunLocked(
                f"Another process writes {folder}: wait until it ends, or stop it."
            ) from None
        yield
    finally:
        os.close(descriptor)
