"""How often a test rejects a null that is true: `python -m bench sizes` writes docs/sizes.json.

Observers whose null is true answer runs of five categories, targets 1..10 and a few trials per
cell; of each test stands the share of runs with p < .05, which should be .05. SUBITIZE_RUNS says
how many runs (2,000); a hundred at a time join those that are there.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

from bench.coverage import TARGETS, Entries, drawn, responders
from subitize.benchmarks.numerosity_models import observers
from subitize.measures.bias import bias
from subitize.measures.confusion import confusion_matrix
from subitize.measures.error_size import nae_terms
from subitize.measures.naming import naming_intervals
from subitize.measures.paired import paired_difference
from subitize.measures.trials import Floats

FILE = Path(__file__).parents[1] / "docs" / "sizes.json"
RUNS = 2000
PER_CELL = (5, 20, 50)
ALPHA = 0.05
TOGETHER = 100
"""runs between two writes"""
NULLS = ("observer w .15", "observer w .25")
TESTS = (
    "category consistency", "no bias (likelihood ratio)", "fit of the observer",
    "rounded observer", "bias (signed rank)", "McNemar", "sign flips of NAE",
)  # fmt: skip


def _trials(entries: Entries) -> tuple[Floats, Floats, Any]:
    target, response, stratum = (np.repeat(part, entries[3]) for part in entries[:3])
    return target.astype(float), response.astype(float), stratum // TARGETS.size


def p_values(name: str, per_cell: int, rng: np.random.Generator) -> dict[str, float | None]:
    """One run of the tests of one run, and of the comparisons of two."""
    matrices = responders()[name]
    (target, first, kind), (_, second, _) = (
        _trials(drawn(matrices, np.ones((5, 10)), per_cell, rng)) for _ in range(2)
    )
    # within a cell the order of trials is that of the answers: a picture is any of the cell
    cell = kind * TARGETS.size + target
    second = second[np.lexsort((rng.random(second.size), cell))]
    found = naming_intervals(target, first, kind.astype(str), rng, samples=10)
    fitted = observers(confusion_matrix(target, first).counts, (target, first), rng, {})
    rounded = (fitted["scalar_variability"] or {}).get("rounded_observer") or {}
    own = fitted["observer_with_bias"] or {}
    rights = paired_difference(first == target, second == target, rng, strata=cell)
    errors = paired_difference(nae_terms(target, first), nae_terms(target, second), rng)
    values = (
        found.category_null and found.category_null.p, own.get("bias_p"), own.get("fit_p"),
        rounded.get("p"), bias(target, first).p, rights.p, errors.p,
    )  # fmt: skip
    return dict(zip(TESTS, values, strict=True))


def sizes(name: str, per_cell: int, runs: int, seed: int = 0) -> dict[str, float]:
    """The share of runs in which each test rejects its true null."""
    rng = np.random.default_rng([seed, per_cell])
    found = [p_values(name, per_cell, rng) for _ in range(runs)]
    return {
        test: round(float(np.mean([p[test] is not None and p[test] < ALPHA for p in found])), 4)
        for test in TESTS
    }


def main() -> int:
    """Write the table; lines with fewer runs go on where they stopped."""
    runs = int(os.environ.get("SUBITIZE_RUNS", RUNS))
    table: dict[str, Any] = json.loads(FILE.read_text()) if FILE.exists() else {}
    for name in NULLS:
        for per_cell in PER_CELL:
            row = table.setdefault(name, {}).setdefault(str(per_cell), {"runs": 0})
            while (done := row["runs"]) < runs:
                more = sizes(name, per_cell, TOGETHER, seed=done)
                row["runs"] += TOGETHER
                for test, share in more.items():
                    rejected = row.get(test, 0.0) * done + share * TOGETHER
                    row[test] = round(rejected / row["runs"], 4)
                FILE.write_text(json.dumps(table, indent=1, ensure_ascii=False) + "\n")
                print(name, per_cell, row, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
