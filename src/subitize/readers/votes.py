"""Several readings → one, by a named rule.

| rule | what the group says |
|---|---|
| `first-met mode` | the most common value; of several, the one met first |
| `majority` | the value of more than half of all answers; without one, nothing |
| `share` | not which value is the most common but how large its share of all answers is |
| `last` | the last value given |

Rows come in the order they were given in. A row without a value (unread, but not to be left out)
is an answer that agrees with nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from subitize.errors import UnknownName
from subitize.records import Reading, Votes

if TYPE_CHECKING:
    import polars as pl

__all__ = ["RULES", "Voted", "vote", "vote_frame", "vote_readings"]

FIRST_MET = "first-met mode"

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Voted(NamedTuple):
    """What groups 0, 1, … came to, an element each."""

    value: Floats
    """by the rule; NaN for nothing"""
    agreeing: Ints
    """how many gave the value (of `share`: the most common one)"""
    answers: Ints
    """how many answered"""


def vote(group: Ints, value: Floats, rule: str = FIRST_MET) -> Voted:
    """The votes of each group from group numbers and values (NaN for none), a row per answer.

    >>> found = vote(np.array([0, 0, 0, 1, 1]), np.array([2.0, 3, 3, 5, 4]))
    >>> found.value.tolist(), found.agreeing.tolist(), found.answers.tolist()
    ([3.0, 5.0], [2, 1], [3, 2])
    """
    if rule not in RULES:
        raise UnknownName("rule of votes", rule, RULES)
    answers = np.bincount(group)
    given = np.flatnonzero(~np.isnan(value))
    found = Voted(np.full(answers.size, np.nan), np.zeros(answers.size, np.int64), answers)
    if given.size:
        _count(group[given], value[given], found, last=rule == "last")
    return RULES[rule](found)


def _count(group: Ints, value: Floats, found: Voted, *, last: bool) -> None:
    """Fill in each group's most common value, or its last one, and how often it was given."""
    distinct, code = np.unique(value, return_inverse=True)
    pair = group * distinct.size + code.ravel()
    pairs, met, times = np.unique(pair, return_index=True, return_counts=True)
    owner = pairs // distinct.size
    if last:
        newest = np.zeros(found.answers.size, np.int64)
        newest[group] = pair  # of several the last one stays
        chosen = np.searchsorted(pairs, newest[np.unique(group)])
    else:
        order = np.lexsort((met, -times, owner))
        chosen = order[np.unique(owner[order], return_index=True)[1]]
    found.value[owner[chosen]] = distinct[pairs[chosen] % distinct.size]
    found.agreeing[owner[chosen]] = times[chosen]


RULES: Mapping[str, Callable[[Voted], Voted]] = {
    FIRST_MET: lambda found: found,
    "majority": lambda found: found._replace(
        value=np.where(2 * found.agreeing > found.answers, found.value, np.nan)
    ),
    "share": lambda found: found._replace(value=found.agreeing / np.maximum(found.answers, 1)),
    "last": lambda found: found,
}


def vote_frame(
    frame: pl.DataFrame, by: Sequence[str], value: str, rule: str = FIRST_MET
) -> pl.DataFrame:
    """The votes of each group of a frame: `by`, the value's column (null for nothing), `agreeing`
    and `answers`, groups in the order they were met in. Values may be numbers or words."""
    import polars as pl

    groups = frame.select(by).unique(maintain_order=True).with_row_index("group")
    group = frame.select(by).join(
        groups, on=list(by), how="left", maintain_order="left", nulls_equal=True
    )["group"]
    words = frame[value].drop_nulls().unique(maintain_order=True)
    coded = frame[value]
    if words.dtype == pl.String:
        coded = coded.cast(pl.Enum(words)).to_physical()
    found = vote(
        group.to_numpy().astype(np.int64), coded.cast(pl.Float64).to_numpy().astype(float), rule
    )
    column = pl.Series(value, found.value).fill_nan(None)
    if words.dtype == pl.String and rule != "share":
        column = words.gather(column.cast(pl.UInt32)).alias(value)
    return groups.drop("group").with_columns(
        column, pl.Series("agreeing", found.agreeing), pl.Series("answers", found.answers)
    )


def vote_readings(readings: Sequence[Reading]) -> tuple[Reading, Votes]:
    """The reading that most of several are, the first met of equals, and how many agree on it.

    Where none could be read it is the first one.

    >>> vote_readings([Reading("vague"), Reading("read", 4), Reading("read", 4)])[1]
    Votes(value=4, agreeing=2, answers=3)
    """
    times: dict[Any, int] = {}
    for one in readings:
        if one.state == "read":
            times[one.value] = times.get(one.value, 0) + 1
    if not times:
        return readings[0], Votes(None, 0, len(readings))
    value = max(times, key=times.__getitem__)
    chosen = next(one for one in readings if one.state == "read" and one.value == value)
    return chosen, Votes(value, times[value], len(readings))
