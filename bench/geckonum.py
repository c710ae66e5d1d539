"""CPU and memory of GeckoNum's tables and import, beside a plain pandas script on the same archive.

Each runs in a process of its own, its start included. The pandas script does what one writes at
first: a group-by with a function for the mode, one for the agreement, and masks for every table.
It leaves out α at other levels than nominal.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGETS = {"import": 6.0, "tables from files": 2.5, "tables from a folder": 1.5}
"""CPU seconds"""
MEGABYTES = 600

MEASURED = """
import resource, sys
{work}
used = resource.getrusage(resource.RUSAGE_SELF)
status = open("/proc/self/status").read()
print(used.ru_utime + used.ru_stime, int(status.split("VmHWM:")[1].split()[0]) / 1024,
      file=sys.stderr)
"""
OURS = MEASURED.format(
    work="""
from subitize.cli import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
"""
)
NAIVE = MEASURED.format(
    work="from bench import geckonum_naive\ngeckonum_naive.tables(*sys.argv[1:])"
)


def measured(code: str, *words: object) -> tuple[float, float]:
    """CPU seconds and megabytes of one run."""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, words)],
        capture_output=True, text=True, check=True, cwd=ROOT,
    )  # fmt: skip
    seconds, megabytes = done.stderr.split()[-2:]
    return float(seconds), float(megabytes)


def best_of(turns: int, annotations: Path, prompts: Path) -> dict[str, tuple[float, float]]:
    """The best of a few runs of each command."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in TARGETS}
    given = ("--annotations", annotations, "--prompts", prompts)
    for _ in range(turns):
        with tempfile.TemporaryDirectory() as out:
            found["import"].append(measured(OURS, "import", "geckonum", *given, "--out", out))
            [folder] = Path(out).iterdir()
            tables = ("geckonum", "tables", "--json")
            found["tables from files"].append(measured(OURS, *tables, *given))
            found["tables from a folder"].append(measured(OURS, *tables, "--run", folder))
    return {name: min(turns_of_it) for name, turns_of_it in found.items()}


def main() -> None:
    """Print CPU, memory and the ratio to the pandas script."""
    folder = Path(os.environ.get("SUBITIZE_DATA", ROOT.parent / "shared" / "data")) / "geckonum"
    annotations, prompts = folder / "geckonum_annotations.zip", folder / "prompts.csv"
    if not annotations.exists():
        print(f"no annotations at {annotations}: set SUBITIZE_DATA")
        return
    found = best_of(5, annotations, prompts)
    for name, (seconds, megabytes) in found.items():
        met = seconds <= TARGETS[name] and megabytes <= MEGABYTES
        print(
            f"{name}: {seconds:.2f} s CPU, {megabytes:.0f} MB "
            f"(targets {TARGETS[name]} s, {MEGABYTES} MB: {'met' if met else 'MISSED'})"
        )
    try:
        import pandas  # noqa: F401
    except ModuleNotFoundError:
        print("pandas is not installed: no comparison (pip install 'subitize[bench]')")
        return
    slow, heavy = measured(NAIVE, annotations, prompts)
    ratio = slow / found["tables from files"][0]
    print(f"plain pandas: {slow:.2f} s CPU, {heavy:.0f} MB; ratio {ratio:.1f}")


if __name__ == "__main__":
    main()
