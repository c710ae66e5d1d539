"""The command line, with a note of every unit whose counting begins, in whatever process.

Started by a test as `noting_units.py NOTES captions …`; processes of the pool import it again.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from subitize.captions.workers import Counter, Done, Task

count = Counter.count


def noting(self: Counter, task: Task) -> Done:
    with Path(os.environ["NOTES"]).open("ab", buffering=0) as notes:
        notes.write(b"%d\n" % task.unit.index)
    return count(self, task)


Counter.count = noting  # type: ignore[method-assign]

if __name__ == "__main__":
    from subitize.cli import main

    os.environ["NOTES"] = sys.argv.pop(1)
    main()
