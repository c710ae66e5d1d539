"""One writer per run: an OS lock that dies with its process."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from subitize.errors import RunLocked


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the run's lock; another holder is an error, a dead one is not."""
    descriptor = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RunLocked(
                f"Another process writes {folder}: wait until it ends, or stop it."
            ) from None
        yield
    finally:
        os.close(descriptor)
