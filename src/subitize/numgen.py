"""NumGen's public names, as thin aliases: generate_prompt, eval_image, eval_CM.

`python -m subitize.numgen --num-strings 100 --format json --filename prompts.json` writes prompts;
without a format they are printed and no file is written.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from subitize.benchmarks.prompt_files import FORMATS, numgen_entries, write_prompts
from subitize.errors import BadInput, SubitizeError
from subitize.integrations.own_generator import count_picture, score_table, thing_in

NUMGEN_SHAPE = (20, 10)
"""of NumGen's matrix: it has no row for 0, since such pictures are made anew"""

__all__ = ["eval_CM", "eval_image", "generate_prompt", "main"]


def generate_prompt(
    num_strings: int = 100,
    save_format: str | None = None,
    filename: str | Path | None = None,
    *,
    seed: int | None = None,
) -> list[str]:
    """Prompts "An image with {n} {object}"; also written to a file when a format is given."""
    if seed is not None and seed < 0:
        raise BadInput(f"The seed is {seed}: give a whole number of 0 or more.")
    entries = numgen_entries(num_strings, np.random.default_rng(seed))
    if save_format is not None:
        write_prompts(entries, save_format, Path(filename or f"numgen_prompts.{save_format}"))
    return [entry["prompt"] for entry in entries]


def eval_image(image: Any, prompt: str, *, counter: str = "counter/blobs") -> int:
    """How many of the things that a prompt names (or of the named things) are in a picture."""
    return count_picture(image, thing_in(prompt), counter=counter)


def eval_CM(confusion: ArrayLike) -> Any:  # noqa: N802  NumGen's own name
    """One row of measures from a confusion matrix: rows are responses, columns targets 1..10.

    Rows are 0..20, or 1..20 as in NumGen's own matrix of 20 × 10. The row is a pandas frame where
    pandas is installed (`pip install pandas`), else a Polars one, which has the same columns.
    """
    matrix = np.asarray(confusion)
    if matrix.dtype.kind not in "biuf":
        raise BadInput("A confusion matrix holds counts: some of its cells are no numbers.")
    if matrix.shape == NUMGEN_SHAPE:
        matrix = np.vstack([np.zeros((1, NUMGEN_SHAPE[1]), matrix.dtype), matrix])
    try:
        import pandas as pd  # type: ignore[import-untyped]  # no stubs among our extras
    except ImportError:
        return score_table(matrix)
    return pd.DataFrame(score_table(matrix).to_dicts())


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m subitize.numgen", description="NumGen's prompts.")
    parser.add_argument("--num-strings", type=int, default=100, help="how many prompts")
    parser.add_argument("--format", choices=FORMATS, help="format of the file; none: print them")
    parser.add_argument("--filename", help="name of the file")
    parser.add_argument("--seed", type=int, help="same seed, same prompts")
    given = parser.parse_args(arguments)
    try:
        prompts = generate_prompt(given.num_strings, given.format, given.filename, seed=given.seed)
    except SubitizeError as problem:
        print(f"numgen: {problem}", file=sys.stderr)
        return problem.exit_code
    if given.format is None:
        print("\n".join(prompts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
