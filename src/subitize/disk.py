"""What disks are asked for, on any system: calls that some systems lack have a second best here.

Windows has no `fdatasync`, no `fcntl` and opens no folders; macOS has no `fdatasync` and no
`posix_fallocate`.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
APPENDING = (
    os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
)  # fmt: skip
"""flags for a file that is read and added to; O_BINARY keeps Windows from changing line ends"""
CHUNK = 1 << 20


def sync_data(descriptor: int) -> None:
    """Make what was written survive a power cut."""
    getattr(os, "fdatasync", os.fsync)(descriptor)


def sync_folder(folder: Path) -> None:
    """Make names that were added or changed in a folder survive a power cut, where that can be."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def take_room(path: Path, size: int) -> None:
    """A file that holds so many bytes of the disk; an OSError where there are not so many."""
    with path.open("wb") as file:
        try:
            allocate = getattr(os, "posix_fallocate", None)
            if allocate is not None:
                with suppress(OSError):  # some file systems can't, or say so only when written to
                    allocate(file.fileno(), 0, size)
                    return
            for start in range(0, size, CHUNK):
                file.write(bytes(min(CHUNK, size - start)))
            file.flush()
        except OSError:
            file.close()
            path.unlink(missing_ok=True)
            raise


def is_there(path: Path, descriptor: int) -> bool:
    """Whether a path still leads to the file that was opened there."""
    try:
        found, opened = path.stat(), os.fstat(descriptor)
    except OSError:
        return False
    return (found.st_dev, found.st_ino) == (opened.st_dev, opened.st_ino)
