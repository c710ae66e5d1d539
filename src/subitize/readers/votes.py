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

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from subitize.errors import UnknownName
from subitize.records import Reading, Votes

if TYPE_CHECKING:
    import polars as pl

RULES = ("first-met mode", "majority", "share", "last")

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def vote(group: Ints, value: Floats, rule: str = RULES[0]) -> tuple[Floats, Ints, Ints]:
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


def vote_frame(
    frame: pl.DataFrame, by: Sequence[str], value: str, rule: str = RULES[0]
) -> pl.DataFrame:
    """The votes of a frame's groups: `by`, the value (null for nothing), `agreeing`, `answers`.

    Groups come in the order they were met in; values may be numbers or words.
    """
    import polars as pl

    groups = frame.select(by).unique(maintain_order=True).with_row_index("group")
    group = frame.select(by).join(
        groups, on=list(by), how="left", maintain_order="left", nulls_equal=True
    )["group"]
    column, words = frame[value], frame[value].drop_nulls().unique(maintain_order=True)
    if words.dtype == pl.String:
        column = column.cast(pl.Enum(words)).to_physical()
    codes = column.cast(pl.Float64).to_numpy()
    said, agreeing, answers = vote(group.to_numpy().astype(np.int64), codes, rule)
    voted = pl.Series(value, said).fill_nan(None)
    if words.dtype == pl.String and rule != "share":
        voted = words.gather(voted.cast(pl.UInt32))
    counts = pl.Series("agreeing", agreeing), pl.Series("answers", answers)
    return groups.drop("group").with_columns(voted, *counts)


def vote_readings(readings: Sequence[Reading]) -> tuple[Reading, Votes]:
    """The reading that most of several are, the first met of equals, and how many agree on it.

    Where none could be read it is the first one.

    >>> vote_readings([Reading("vague"), Reading("read", 4), Reading("read", 4)])[1]
    Votes(value=4, agreeing=2, answers=3)
    """
    said = [one for one in readings if one.state == "read"]
    if not said:
        return readings[0], Votes(None, 0, len(readings))
    value, times = Counter(one.value for one in said).most_common(1)[0]
    chosen = next(one for one in said if one.value == value)
    return chosen, Votes(value, times, len(readings))
