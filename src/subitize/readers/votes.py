"""Several readings → one, by a named rule.

| rule | what a group says |
|---|---|
| `first-met mode` | the most common value; of several, the one met first |
| `majority` | the value of more than half of all answers; without one, nothing |
| `share` | not which value is the most common but how large its share of all answers is |
| `last` | the last value given |

Answers come in the order they were given in. One without a value (unread, but not to be left out)
agrees with nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from subitize.errors import UnknownName
from subitize.measures.trials import Counts, Floats
from subitize.records import Votes

if TYPE_CHECKING:
    import polars as pl

RULES = ("first-met mode", "majority", "share", "last")


def vote(group: Counts, value: Floats, rule: str = RULES[0]) -> tuple[Floats, Counts, Counts]:
    """What groups 0, 1, … say (NaN for nothing), how many agree, and how many answered.

    `group` and `value` (NaN for none) have an element per answer; of `share` those agree who gave
    the most common value.

    >>> value, agreeing, answers = vote(np.array([0, 0, 0, 1, 1]), np.array([2.0, 3, 3, 5, 4]))
    >>> value.tolist(), agreeing.tolist(), answers.tolist()
    ([3.0, 5.0], [2, 1], [3, 2])
    """
    if rule not in RULES:
        raise UnknownName("rule of votes", rule, RULES)
    answers = np.bincount(group)
    said, agreeing = np.full(answers.size, np.nan), np.zeros(answers.size, np.int64)
    given = ~np.isnan(value)
    distinct, code = np.unique(value[given], return_inverse=True)
    pair = group[given] * max(1, distinct.size) + code.ravel()
    pairs, met, times = np.unique(pair, return_index=True, return_counts=True)
    owner = pairs // max(1, distinct.size)
    if rule == "last":
        order = np.lexsort((np.unique(pair[::-1], return_index=True)[1], owner))
    else:
        order = np.lexsort((met, -times, owner))
    owners, best = np.unique(owner[order], return_index=True)
    said[owners] = distinct[pairs[order[best]] % max(1, distinct.size)]
    agreeing[owners] = times[order[best]]
    if rule == "majority":
        said[2 * agreeing <= answers] = np.nan
    return (agreeing / np.maximum(answers, 1) if rule == "share" else said), agreeing, answers


def votes(values: Sequence[float | None], rule: str = RULES[0]) -> Votes:
    """What one group says.

    >>> votes([7, 8, 7, None])
    Votes(value=7.0, agreeing=2, answers=4)
    """
    given = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    (said,), (agreeing,), (answers,) = vote(np.zeros(given.size, dtype=np.int64), given, rule)
    return Votes(None if np.isnan(said) else float(said), int(agreeing), int(answers))


def most_common(frame: pl.DataFrame, by: str, value: str) -> pl.DataFrame:
    """The first-met mode of words: `by`, the value (null for nothing), `agreeing`, `answers`.

    Both columns hold words; groups come in the order they were met in.
    """
    import polars as pl

    groups, words = (frame[name].drop_nulls().unique(maintain_order=True) for name in (by, value))
    group = frame[by].cast(pl.Enum(groups)).to_physical().cast(pl.Int64).to_numpy()
    codes = frame[value].cast(pl.Enum(words)).to_physical().cast(pl.Float64).to_numpy()
    said, agreeing, answers = vote(group, codes)
    voted = words.gather(pl.Series(said).fill_nan(None).cast(pl.UInt32))
    return pl.DataFrame({by: groups, value: voted, "agreeing": agreeing, "answers": answers})
