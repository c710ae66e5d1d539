"""CPU and memory of GeckoNum's tables, against a plain pandas script on the same archive.

Each runs in a process of its own; what importing the libraries costs is not counted. The pandas
script does what one writes at first: a group-by with a function for the mode, one for the
agreement, and masks for every table. It leaves out α at other levels than nominal.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET_SECONDS, TARGET_MEGABYTES = 1.5, 600

MEASURED = """
import resource, sys
{imports}
before = resource.getrusage(resource.RUSAGE_SELF)
{work}
after = resource.getrusage(resource.RUSAGE_SELF)
print(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, after.ru_maxrss / 1024)
"""
OURS = MEASURED.format(
    imports="""
from pathlib import Path
from subitize.benchmarks.geckonum.labels import label_annotations
from subitize.benchmarks.geckonum.tables import geckonum_tables
from subitize.datasets.geckonum.annotations import read_annotations
from subitize.datasets.geckonum.prompts import read_prompts
""",
    work="""
read = read_annotations(Path(sys.argv[1]))
geckonum_tables(label_annotations(read, read_prompts(Path(sys.argv[2]))))
""",
)
NAIVE = MEASURED.format(
    imports="from bench import geckonum_naive", work="geckonum_naive.tables(*sys.argv[1:])"
)


def measured(code: str, annotations: Path, prompts: Path, repeats: int) -> tuple[float, float]:
    """CPU seconds and megabytes of the best of a few runs."""
    found = []
    for _ in range(repeats):
        done = subprocess.run(
            [sys.executable, "-c", code, str(annotations), str(prompts)],
            capture_output=True, text=True, check=True, cwd=ROOT,
        )  # fmt: skip
        seconds, megabytes = done.stdout.split()[-2:]
        found.append((float(seconds), float(megabytes)))
    return min(found)


def main() -> None:
    """Print CPU, memory and the ratio to the pandas script."""
    folder = Path(os.environ.get("SUBITIZE_DATA", ROOT.parent / "shared" / "data")) / "geckonum"
    annotations, prompts = folder / "geckonum_annotations.zip", folder / "prompts.csv"
    if not annotations.exists():
        print(f"no annotations at {annotations}: set SUBITIZE_DATA")
        return
    seconds, megabytes = measured(OURS, annotations, prompts, 5)
    verdict = seconds < TARGET_SECONDS and megabytes < TARGET_MEGABYTES
    print(
        f"all tables: {seconds:.2f} s CPU, {megabytes:.0f} MB "
        f"(targets {TARGET_SECONDS} s, {TARGET_MEGABYTES} MB: {'met' if verdict else 'MISSED'})"
    )
    try:
        import pandas  # noqa: F401
    except ModuleNotFoundError:
        print("pandas is not installed: no comparison (pip install 'subitize[bench]')")
        return
    slow, heavy = measured(NAIVE, annotations, prompts, 1)
    print(f"plain pandas: {slow:.2f} s CPU, {heavy:.0f} MB; ratio {slow / seconds:.1f}")


if __name__ == "__main__":
    main()
