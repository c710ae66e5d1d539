"""Run all benchmarks, or those named: `python -m bench [NAME …]`."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

NOT_ALONE = ("answering", "asking", "geckonum_naive")
"""parts that other benchmarks start"""
LONG = ("coverage", "coverage_probe", "numbernet", "sizes")
"""simulations and trainings of a quarter of an hour and more: only by name, see the Makefile"""


def main(names: list[str]) -> None:
    here = Path(__file__).parent
    known = sorted(
        p.stem for p in here.glob("*.py") if not p.stem.startswith("_") and p.stem not in NOT_ALONE
    )
    missed = []
    for name in names or [one for one in known if one not in LONG]:
        if name not in known:
            sys.exit(f"there is no benchmark {name!r}: {', '.join(known)}")
        print(f"== {name}", flush=True)
        try:
            if found := import_module(f"bench.{name}").main():
                missed.append(f"{name}: exit {found}")
        except SystemExit as problem:  # the others are measured all the same
            missed.append(f"{name}: {problem}")
    if missed:
        sys.exit("\n".join(["missed:", *missed]))


main(sys.argv[1:])
