"""The command line, with a note of every unit whose counting begins, or that is given away.

Started by a test as `noting_units.py NOTES captions …`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from subitize.captions.workers import Counter, Done, Task

count, pack = Counter.count, Task.pack


def note(task: Task) -> None:
    with Path(os.environ["NOTES"]).open("ab", buffering=0) as notes:
        notes.write(b"%d\n" % task.unit.index)


def noting(self: Counter, task: Task) -> Done:
    note(task)
    return count(self, task)


def giving(self: Task) -> tuple[bytes, bytes]:
    note(self)
    return pack(self)


Counter.count = noting  # type: ignore[method-assign]
Task.pack = giving  # type: ignore[method-assign]

if __name__ == "__main__":
    from subitize.cli import main

    os.environ["NOTES"] = sys.argv.pop(1)
    main()
