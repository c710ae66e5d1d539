"""A process that counts: units in, counts out, as JSON and bytes over its pipes.

Parts of a message are bytes behind a line with their sizes. The first message says that the
tagger is loaded, or what is wrong with it.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from typing import IO

from subitize.captions.workers import Counter, warm_up
from subitize.errors import SubitizeError

MEANT_FOR = 64
"""bytes of the longest line with sizes"""


def send(pipe: IO[bytes], parts: Sequence[bytes]) -> None:
    """A message of some parts."""
    pipe.write(b" ".join(b"%d" % len(part) for part in parts) + b"\n")
    for part in parts:
        pipe.write(part)
    pipe.flush()


def receive(pipe: IO[bytes]) -> list[bytes]:
    """The parts of a message; EOFError where the other side is gone."""
    sizes = pipe.readline(MEANT_FOR)
    if not sizes.endswith(b"\n"):
        raise EOFError
    parts = [pipe.read(int(size)) for size in sizes.split()]
    if sum(map(len, parts)) != sum(map(int, sizes.split())):
        raise EOFError
    return parts


def main(tagger: str) -> None:
    """Count until the driver closes the pipe, or is gone."""
    # Ctrl-C is the driver's to hear: what is counted is stored
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever else is printed is no answer
    try:
        try:
            counter = Counter(tagger)
            warm_up()
        except SubitizeError as problem:
            send(answers, [str(problem).encode()])
            return
        send(answers, [b""])
        while True:
            parts, text = receive(sys.stdin.buffer)
            line, rows, damage = counter.count_packed((parts, text))
            send(answers, [line, rows, damage.encode()])
    except (EOFError, BrokenPipeError):
        os._exit(0)  # taking down caches and lexicon would take longer than a unit
