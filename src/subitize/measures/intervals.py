"""Intervals of means that also hold where errors are rare, alike, or were never seen.

A mean is its *usual* part (each stratum's most common value) plus what the exceptions add minus
what they take away. Exceptions are counted things, so their sum is like a weighted sum of Poisson
counts, whose interval is nearly the mid-p gamma interval of Fay and Kim (2017): with y the sum and
v its variance within strata, its ends are quantiles of

    c Gamma(mean y, variance v) + (1 − c) Gamma(mean y + w, variance v + w²)

where w is what one more exception would add, c = .565 for the lower end and .435 for the upper one.
With mid-p's ½ a Poisson mean of 3 is held in .917 of runs and one of 5 in .928; so every mean from
½ on is held in .939 or more. Where no exception was seen the lower end is y and the upper one
3.1 w, a sum that would stay unseen in one run of twenty. What exceptions
add and take away is put together by MOVER (Zou and Donner 2008). With many exceptions all of it
is the usual interval of a stratified mean.

What one more exception would add is taken from those seen and one more of one step (`steps`: what
an answer that is off by one thing adds), as if they could happen everywhere alike; of m exceptions
the largest counts 1 / (1 + (m / 10)⁴) by itself, all together the rest. Where none was
seen nothing tells how large one is: with `worst` it is taken as the largest that the bounds allow,
and a mean without bounds has no interval from fewer than five trials per stratum. A few exceptions
do not tell where others would happen either: with m of them v is mixed with what it would be if
they happened everywhere alike, which has the weight exp(−(z / 2)⁴ / 2) / (1 + (m / 10)²), with z
how far the steps at the exceptions are from those of all trials, in standard errors. With the rest
of the weight v is widened by (t / z)²: few trials in a stratum do not tell its variance well.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subitize.measures.trials import Counts, Floats, numbers, one_for_each
from subitize.records import Score

TAIL = 0.025
NORMAL = 1.959963984540054
"""z of both tails together"""
SEEN = 0.565
"""how much of the chance of what was seen counts as beyond it; mid-p takes ½, exact intervals 1"""
HALVINGS = 26
"""of a bracket around a quantile"""
KINDS = 50
"""sizes of exceptions looked at; of more, as many quantiles"""
FEWEST = 5
"""trials per stratum from which a mean without bounds has an interval without any exception"""
FEW = 10
"""so many exceptions say as much of where they happen as was believed before"""


class Part(NamedTuple):
    """A sum of what exceptions add (or take away), as its interval needs it."""

    total: float
    """the sum over all trials"""
    variance: float
    """of the sum, within strata"""
    one_more: float
    """what one more exception would add"""
    one_more_square: float
    """mean square of that"""


def gamma_interval(part: Part) -> tuple[float, float]:
    """The gamma interval of a sum of exceptions, a little wider than the mid-p one.

    F = c Gamma(y, v) + (1 − c) Gamma(y + w, v + w²) at .025 (c = .565) and .975 (c = .435)

    >>> [round(end, 3) for end in gamma_interval(Part(0.0, 0.0, 1.0, 1.0))]
    [0.0, 3.118]
    >>> [round(end, 2) for end in gamma_interval(Part(10.0, 10.0, 1.0, 1.0))]
    [5.04, 17.91]
    """
    from scipy.special import gammainc, gammaincinv

    means = np.array([part.total, part.total + part.one_more])
    variances = np.array([part.variance, part.variance + part.one_more_square])
    means = means[known := (means > 0) & (variances > 0)]
    if not means.size:
        return part.total, part.total
    shapes, scales = means**2 / variances[known], variances[known] / means
    chances = np.array([TAIL, 1 - TAIL])
    if means.size == 1:  # the rest lies at the sum itself
        high = float(scales[0] * gammaincinv(shapes[0], 1 - TAIL / SEEN))
        return part.total, max(part.total, high)
    # [tail, component]: the quantile of the mixture lies between those of its parts
    weights = np.array([[SEEN, 1 - SEEN], [1 - SEEN, SEEN]])
    low, high = np.sort(scales * gammaincinv(shapes, chances[:, None]), axis=1).T
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        below = (weights * gammainc(shapes, middle[:, None] / scales)).sum(axis=1) < chances
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    ends = ((low + high) / 2).tolist()
    return ends[0], ends[1]


class _Table(NamedTuple):
    """Trials that are alike, in rising order of their stratum."""

    value: Floats
    stratum: Counts
    step: Floats
    least: Floats
    most: Floats
    times: Floats


def mean_interval(
    values: ArrayLike,
    *,
    times: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    steps: ArrayLike = 1.0,
    bounds: tuple[ArrayLike, ArrayLike] = (-math.inf, math.inf),
    worst: bool = False,
) -> Score:
    """A mean with its 95 % interval, trials drawn within strata; without one where none holds.

    mean = Σ values / n; how the interval is made stands at the top of this module
    `steps` is what one step of an answer is worth and `bounds` what a value can be, each one for
    all or one per trial; `times` is how many alike trials stand in each place. With `clusters`
    (several answers about one picture) whole ones are drawn. With `worst` an exception is taken as
    the largest there can be as long as none was seen. Unit: that of the values.

    >>> perfect = mean_interval([0.0] * 100, steps=0.5, bounds=(0.0, 1.0))
    >>> perfect.value, perfect.low, round(perfect.high, 4)
    (0.0, 0.0, 0.0156)
    """
    table = _table(numbers(values, "values"), times, strata, clusters, (steps, *bounds))
    size, mean = float(table.times.sum()), float(table.value @ table.times / table.times.sum())
    trials = np.size(values) if times is None else int(size)
    usual = _usual(table)[table.stratum]
    unseen = bool((table.value == usual).all())
    endless = not np.isfinite(table.most - table.least).all()
    cells = 1 if strata is None else np.unique(np.asarray(strata)).size
    if size < 2 or (unseen and endless and size < FEWEST * cells):
        return Score(mean, trials=trials)
    if unseen and worst and not endless:
        table = table._replace(step=table.most - table.least)
    low, high = (mean + away / size for away in _reach(*_parts(table, usual)))
    ends = max(float(table.least.min()), low), min(float(table.most.max()), high)
    return Score(mean, *ends, trials)


def _reach(added: Part, taken: Part) -> tuple[float, float]:
    """How far the sum of both parts reaches down and up: MOVER."""
    (added_low, added_high), (taken_low, taken_high) = gamma_interval(added), gamma_interval(taken)
    return (
        -math.hypot(added.total - added_low, taken_high - taken.total),
        math.hypot(added_high - added.total, taken.total - taken_low),
    )


def _table(
    values: Floats,
    times: ArrayLike | None,
    strata: ArrayLike | None,
    clusters: ArrayLike | None,
    facts: tuple[ArrayLike, ArrayLike, ArrayLike],
) -> _Table:
    """Trials that are alike, together; `facts` are the steps and both bounds."""
    stratum = _labels(values, strata, "strata")
    columns = [np.broadcast_to(np.asarray(fact, dtype=np.float64), values.shape) for fact in facts]
    if clusters is not None:
        cluster = _labels(values, clusters, "clusters")
        values, first, size = _by_cluster(values, cluster)
        stratum = stratum[first]
        columns = [np.bincount(cluster, column) / size for column in columns]
    many = np.ones(values.size) if times is None else numbers(times, "times")
    one_for_each(values, "values", many, "times")
    columns = [values, *columns]
    order = np.lexsort((columns[1], values, stratum))
    columns, stratum = [column[order] for column in columns], stratum[order]
    moved = [np.diff(column) != 0 for column in (stratum, *columns[:2])]
    new = np.append(True, np.any(moved, axis=0))
    first = np.flatnonzero(new)
    value, step, least, most = (column[first] for column in columns)
    many = np.add.reduceat(many[order], first)
    return _Table(value, _joined(stratum[first], many), step, least, most, many)


def _labels(array: Floats, labels: ArrayLike | None, what: str) -> Counts:
    """Labels as numbers from 0; all 0 where there are none."""
    if labels is None:
        return np.zeros(array.size, dtype=np.int64)
    given = np.asarray(labels).ravel()
    one_for_each(array, "values", given, what)
    return np.unique(given, return_inverse=True)[1]


def _by_cluster(values: Floats, clusters: Counts) -> tuple[Floats, Counts, Counts]:
    """One value per cluster, with the same mean over all: how far its sum is from what it would be.

    With it the first value of each, in whose stratum it lies, and its size.
    """
    sizes, mean = np.bincount(clusters), values.mean()
    first = np.unique(clusters, return_index=True)[1]
    return mean + np.bincount(clusters, values - mean) / sizes.mean(), first, sizes


def _joined(strata: Counts, times: Floats) -> Counts:
    """Strata of one trial say nothing of their spread: they are put together, or to the last."""
    sizes = np.bincount(strata, times)
    alone = sizes[strata] == 1
    if alone.sum() == 1 and not alone.all():
        return np.where(alone, strata[~alone].max(), strata)
    return np.where(alone, sizes.size, strata)


def _parts(table: _Table, usual: Floats) -> tuple[Part, Part]:
    """What exceptions add to the usual value of their stratum, and what they take away."""
    above, below = np.maximum(table.value - usual, 0.0), np.maximum(usual - table.value, 0.0)
    spreads = [_variance(away, table) for away in (above, below)]
    # In one stratum what adds and what takes away exclude each other, so they are not independent
    wider = max(1.0, _variance(table.value, table) / sum(spreads)) if sum(spreads) > 0 else 1.0
    unsure = _unsure(table)
    # an exception's size in steps: those seen, and one of a single step
    odd = table.value != usual
    sizes = np.append((above + below)[odd] / table.step[odd], 1.0)
    often = np.append(table.times[odd], 1.0)
    parts = []
    for away, spread, room in (
        (above, spreads[0] * wider, table.most - usual),
        (below, spreads[1] * wider, usual - table.least),
    ):
        seen = float(table.times[away > 0].sum())
        mean, square = _one_more(sizes, often, table, room)
        belief = _belief(away > 0, table, room > 0)
        more = belief * max(0.0, seen * square - spread) + (1 - belief) * unsure * spread
        parts.append(Part(float(away @ table.times), spread + more, mean, square))
    return parts[0], parts[1]


def _unsure(table: _Table) -> float:
    """What a variance known from few trials lacks: (t / z)² − 1, t with Satterthwaite's freedom."""
    from scipy.special import stdtrit

    each, freedom = _variances(table.value, table)
    if not each.any():
        return 0.0
    return float((stdtrit(each.sum() ** 2 / (each**2 / freedom).sum(), 1 - TAIL) / NORMAL) ** 2) - 1


def _belief(odd: NDArray[np.bool_], table: _Table, free: NDArray[np.bool_]) -> float:
    """How far one may believe that exceptions happen everywhere alike."""
    if not odd.any():
        return 1.0
    seen, many = float(table.times[odd].sum()), table.times[free]
    usual = float(np.average(table.step[free], weights=many))
    spread = math.sqrt(float(np.average((table.step[free] - usual) ** 2, weights=many)))
    there = float(np.average(table.step[odd], weights=table.times[odd]))
    away = (there - usual) / spread * math.sqrt(seen) if spread > 0 else 0.0
    return math.exp(-min(700.0, (away / 2) ** 4 / 2)) / (1 + (seen / FEW) ** 2)


def _one_more(sizes: Floats, often: Floats, table: _Table, room: Floats) -> tuple[float, float]:
    """Mean and mean square of what an exception adds, were it to happen everywhere alike."""
    free = room > 0
    if not free.any():
        return 0.0, 0.0
    seen = float(often.sum()) - 1
    if sizes.size > KINDS:
        order = np.argsort(sizes)
        at = (np.cumsum(often[order]) - often[order] / 2) / often.sum() * KINDS
        sizes = np.interp(np.arange(KINDS) + 0.5, at, sizes[order])
        often = np.ones(KINDS)
    # of a few one does not know how large the next will be: the largest may well come again
    largest = sizes == sizes.max()
    doubt = 1 / (1 + (seen / FEW) ** 4)
    often = (1 - doubt) * often / often.sum() + doubt * largest / largest.sum()
    weights = np.outer(often, table.times[free] / table.times[free].sum())
    added = np.minimum(np.outer(sizes, table.step[free]), room[free])
    return float((weights * added).sum()), float((weights * added**2).sum())


def _usual(table: _Table) -> Floats:
    """The most common value of each stratum; of several the one most common everywhere."""
    _, kind = np.unique(table.value, return_inverse=True)
    everywhere = np.bincount(kind, table.times)[kind]
    pair = table.stratum * (int(kind.max()) + 1) + kind
    _, first, place = np.unique(pair, return_index=True, return_inverse=True)
    there = np.bincount(place, table.times)
    order = np.lexsort((-kind[first], everywhere[first], there, table.stratum[first]))
    found = np.empty(int(table.stratum.max()) + 1)
    found[table.stratum[first][order]] = table.value[first][order]
    return found


def _variance(values: Floats, table: _Table) -> float:
    """Of the sum of values drawn within strata: Σ n s², s² with n − 1."""
    return float(_variances(values, table)[0].sum())


def _variances(values: Floats, table: _Table) -> tuple[Floats, Floats]:
    """n s² of each stratum with several trials, and the freedom of s²."""
    sizes = np.bincount(table.stratum, table.times)
    means = np.bincount(table.stratum, values * table.times) / np.maximum(sizes, 1)
    squares = np.bincount(table.stratum, (values - means[table.stratum]) ** 2 * table.times)
    several = sizes > 1
    freedom = np.asarray(sizes[several] - 1, dtype=np.float64)
    return squares[several] * sizes[several] / freedom, freedom
