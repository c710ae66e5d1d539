"""Which patterns can lie behind a square? Geometry alone: visible centres in, completions out.

The solver may assume that all objects form one pattern of a known family, that a pattern's steps
are equal, the objects' radius, and that every object not seen lies under the square. It does not
know the count, the pattern's size, its place or, for circles, where the first object stands.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, pairwise, product
from typing import NamedTuple

import numpy as np

from subitize.errors import UnknownName
from subitize.stimuli.capture.arrangements import (
    PUBLISHED,
    centred_hexagon,
    ring_in_ring,
    staggered_rows,
)
from subitize.stimuli.geometry import Points, nearest

Square = Sequence[float]
_SQRT3 = math.sqrt(3)
_LARGEST = 120
"""objects of the largest pattern thought of"""
_UNSEEN = 15
"""templates with more objects than the visible ones and these are not tried"""
_TEMPLATES: Mapping[str, Sequence[Points]] = {
    "hexagon": [centred_hexagon(shells) for shells in (1, 2, 3, 4)],
    "staggered": [
        staggered_rows(columns, rows)
        for columns in range(2, 9)
        for rows in range(max(columns, 3), min(15, 61 // columns) + 1)
    ],
    "rings": [ring_in_ring(inner) for inner in range(4, 21)],
}
"""patterns of one fixed shape, known up to size and place, with up to 61 objects"""


class Completions(NamedTuple):
    """Everything that can lie behind the square."""

    found: tuple[Points, ...]
    """of each completion the (k, 2) centres under the square; k may be 0"""
    unlimited: bool
    """whether there are infinitely many others: too little is visible"""

    @property
    def only(self) -> Points | None:
        """The one completion, where there is exactly one."""
        return self.found[0] if len(self.found) == 1 and not self.unlimited else None


class Behind(NamedTuple):
    """What a solver knows."""

    visible: Points
    square: Square
    """x0, y0, x1, y1"""
    radius: float
    tolerance: float
    """how far a visible centre may lie from its place in a pattern"""
    touching: bool = False
    """whether an object that the square only touches counts as unseen"""

    def span(self, axis: int) -> tuple[float, float]:
        """Between which coordinates an unseen centre lies."""
        inset = (-self.radius if self.touching else self.radius) - self.tolerance
        return self.square[axis] + inset, self.square[axis + 2] - inset

    def covers(self, points: Points) -> bool:
        (left, right), (top, bottom) = self.span(0), self.span(1)
        x, y = points[:, 0], points[:, 1]
        return bool(((x >= left) & (x <= right) & (y >= top) & (y <= bottom)).all())

    def hidden(self, pattern: Points) -> Points | None:
        """A pattern's objects under the square; None unless its others are the visible ones."""
        if not len(self.visible) <= len(pattern) <= _LARGEST:
            return None
        apart = np.abs(pattern[None, :, :] - self.visible[:, None, :]).max(axis=2)
        mine = apart.argmin(axis=1)
        near = apart.min(axis=1) <= self.tolerance
        if not near.all() or len(set(mine.tolist())) < len(mine):
            return None
        unseen = np.ones(len(pattern), bool)
        unseen[mine] = False
        return pattern[unseen] if self.covers(pattern[unseen]) else None


def completions(
    visible: Points,
    square: Square,
    radius: float,
    families: Sequence[str] = PUBLISHED,
    **how: float,
) -> Completions:
    """All completions over some families, equal ones once.

    `how` may give `tolerance` (default: a fifth of the radius) and `touching`.
    """
    behind = Behind(
        np.asarray(visible, np.float64).reshape(-1, 2),
        square,
        radius,
        how.get("tolerance", radius / 5),
        bool(how.get("touching", False)),
    )
    if len(behind.visible) < 3:
        return Completions((), True)
    found: list[Points] = []
    unlimited = False
    for family in families:
        if family not in FAMILIES:
            raise UnknownName("arrangement", family, FAMILIES)
        unlimited |= family == "rectangle" and _lone_line_beside(behind)
        for pattern in FAMILIES[family](behind):
            hidden = behind.hidden(pattern)
            if hidden is not None and not any(_same(hidden, old, radius) for old in found):
                found.append(hidden)
    return Completions(tuple(found), unlimited)


def _same(one: Points, other: Points, radius: float) -> bool:
    """Whether two completions put the same number of objects at the same places."""
    if len(one) != len(other) or not len(one):
        return len(one) == len(other)
    apart = np.abs(one[:, None] - other[None, :]).max(axis=2)
    return bool((apart.min(axis=1) <= radius).all())


def _circles(behind: Behind) -> Iterator[Points]:
    """Rings of any number and phase through all visible objects."""
    x, y = behind.visible[:, 0], behind.visible[:, 1]
    fit = _ring_through(behind.visible)
    if fit is None:
        return
    middle, ring = fit
    offsets = np.hypot(x - middle[0], y - middle[1]) - ring
    if ring <= 2 * behind.radius or np.abs(offsets).max() > behind.tolerance:
        return
    turns = np.arctan2(y - middle[1], x - middle[0])
    most = min(int(math.pi / math.asin(behind.radius / ring)), _LARGEST)
    gap = float(np.diff(np.sort(turns), append=turns.min() + 2 * math.pi).min())
    slack = 2 * behind.tolerance / ring
    for count in range(max(5, len(x)), most + 1):
        step = 2 * math.pi / count
        if abs(gap / step - round(gap / step)) * step > slack:
            continue
        phase = float(np.angle(np.exp(1j * turns * count).mean())) / count
        angles = phase + np.arange(count) * step
        yield middle + ring * np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _ring_through(points: Points) -> tuple[Points, float] | None:
    """Centre and radius of the least-squares circle; None for points in a line.

    In closed form: linear algebra libraries differ in their last digits between machines.
    """
    mean = points.mean(axis=0)
    u, v = (points - mean).T
    square = u * u + v * v
    uu, vv, uv = float((u * u).sum()), float((v * v).sum()), float((u * v).sum())
    across, down = float((u * square).sum()) / 2, float((v * square).sum()) / 2
    determinant = uu * vv - uv * uv
    if determinant <= 1e-9 * (uu + vv) ** 2:
        return None
    x = (across * vv - down * uv) / determinant
    y = (down * uu - across * uv) / determinant
    return mean + np.array([x, y]), math.sqrt(x * x + y * y + (uu + vv) / len(points))


def _triangles(behind: Behind) -> Iterator[Points]:
    """Equilateral triangles that stand on a side, any number of rows."""
    first = behind.visible[0]
    apart = behind.visible[1:] - first
    near = apart[np.abs(apart).max(axis=1).argmin()]
    level = abs(near[1]) <= behind.tolerance
    whole = abs(near[0]) if level else abs(near[1]) / (_SQRT3 / 2)
    for parts in range(1, _LARGEST):
        step = whole / parts
        if step < 2 * behind.radius:
            return
        rows = (behind.visible[:, 1] - first[1]) / (step * _SQRT3 / 2)
        columns = (behind.visible[:, 0] - first[0]) / step + rows / 2
        lattice = np.rint(np.stack([rows, columns], axis=1))
        off = np.abs(np.stack([rows, columns], axis=1) - lattice).max() * step
        if off <= 2 * behind.tolerance:
            yield from _triangles_around(behind, lattice, step)


def _triangles_around(behind: Behind, lattice: Points, step: float) -> Iterator[Points]:
    """Triangles around lattice places (row, column), whose outer sides may all be unseen."""
    rows, columns = lattice[:, 0], lattice[:, 1]
    # least squares place of the lattice's origin: noise of single centres averages out
    origin = (behind.visible - _lattice_places(rows, columns, step)).mean(axis=0)
    left, right, bottom = (int(v) for v in (columns.min(), (rows - columns).min(), rows.max()))
    reach = 1 + int(math.sqrt(2) * (behind.square[2] - behind.square[0]) / (step * _SQRT3 / 2))
    (low_x, high_x), (low_y, high_y) = behind.span(0), behind.span(1)
    seen = set(map(tuple, lattice.tolist()))

    def may_be(row: int, column: int) -> bool:
        """Whether a lattice place is visible or under the square."""
        if (row, column) in seen:
            return True
        x = origin[0] + (column - row / 2) * step
        y = origin[1] + row * step * _SQRT3 / 2
        return bool(low_x <= x <= high_x and low_y <= y <= high_y)

    # the corners are looked at first: nearly all triangles fail there
    for start, other in product(range(left, left - reach, -1), range(right, right - reach, -1)):
        top = start + other
        if not may_be(top, start):
            continue
        for last in range(bottom, bottom + reach):
            if may_be(last, start) and may_be(last, last - other):
                r, c = np.add(np.tril_indices(last - top + 1), [[top], [start]])
                yield origin + _lattice_places(r, c, step)


def _lattice_places(rows: Points, columns: Points, step: float) -> Points:
    return np.stack([(columns - rows / 2) * step, rows * step * _SQRT3 / 2], axis=-1)


def _rectangles(behind: Behind) -> Iterator[Points]:
    """Grids with steps of their own on each axis, single lines among them.

    A whole unseen column stands under the square with all its rows, and so can't be unless every
    visible row passes under the square; then no row is wholly unseen.
    """
    lines = [_merged(behind.visible[:, axis], behind.tolerance) for axis in (0, 1)]
    plain = [[line] if _even(line, behind.tolerance) else [] for line in lines]
    choices = [plain]
    if _inside(lines[1], behind.span(1)):
        choices.append([[*_extended(lines[0], behind, 0)], plain[1]])
    if _inside(lines[0], behind.span(0)):
        choices.append([plain[0], [*_extended(lines[1], behind, 1)]])
    for across, down in chain.from_iterable(product(*choice) for choice in choices):
        yield np.stack([np.tile(across, len(down)), np.repeat(down, len(across))], axis=1)


def _lone_line_beside(behind: Behind) -> bool:
    """Whether one visible line stands beside the square: more lines at any distance may follow."""
    lines = [_merged(behind.visible[:, axis], behind.tolerance) for axis in (0, 1)]
    for axis in (0, 1):
        low, high = behind.span(axis)
        room = max(high - lines[axis][0], lines[axis][0] - low) >= 2 * behind.radius
        if len(lines[axis]) == 1 and room and _inside(lines[1 - axis], behind.span(1 - axis)):
            return True
    return False


def _merged(values: Points, tolerance: float) -> list[float]:
    """Distinct coordinates, ascending; those nearer than the tolerance are one."""
    groups: list[list[float]] = []
    for value in sorted(values.tolist()):
        if groups and value - groups[-1][0] <= 2 * tolerance:
            groups[-1].append(value)
        else:
            groups.append([value])
    return [sum(group) / len(group) for group in groups]


def _even(line: list[float], tolerance: float) -> bool:
    steps = [after - before for before, after in pairwise(line)]
    return not steps or max(steps) - min(steps) <= 2 * tolerance


def _inside(line: list[float], span: tuple[float, float]) -> bool:
    return span[0] <= line[0] and line[-1] <= span[1]


def _extended(line: list[float], behind: Behind, axis: int) -> Iterator[list[float]]:
    """Evenly spaced lines through all of `line`, the added ones under the square."""
    low, high = behind.span(axis)
    if len(line) < 2:
        return
    smallest = min(after - before for before, after in pairwise(line))
    for parts in range(1, _LARGEST):
        wished = smallest / parts
        if wished < 2 * behind.radius - behind.tolerance:
            return
        slots = round((line[-1] - line[0]) / wished)
        step = (line[-1] - line[0]) / slots
        filled = [line[0] + step * slot for slot in range(slots + 1)]
        taken = {round((value - line[0]) / step): value for value in line}
        off = max(abs(line[0] + step * slot - value) for slot, value in taken.items())
        added = [value for slot, value in enumerate(filled) if slot not in taken]
        if off > behind.tolerance or len(taken) < len(line):
            continue
        if any(not low <= value <= high for value in added):
            continue
        before = _outwards(line[0], -step, low, high)
        for head, tail in product(before, _outwards(line[-1], step, low, high)):
            yield head[::-1] + filled + tail


def _outwards(start: float, step: float, low: float, high: float) -> list[list[float]]:
    """No, one, two … further lines from `start` on, as long as they are under the square."""
    lines: list[list[float]] = [[]]
    while low <= start + step <= high:
        start += step
        lines.append([*lines[-1], start])
    return lines


def _of_template(family: str, behind: Behind) -> Iterator[Points]:
    """Every template of a family, at every size and place that puts it on two visible objects.

    The two are the most distant ones, so that their noise hardly matters; objects do not overlap.
    """
    visible, tolerance = behind.visible, behind.tolerance
    distances = np.hypot(*(visible[:, None] - visible[None, :]).transpose(2, 0, 1))
    one, other = np.unravel_index(int(distances.argmax()), distances.shape)
    across = visible[other] - visible[one]
    length = float(np.hypot(*across))
    low, high = visible.min(axis=0) + tolerance, visible.max(axis=0) - tolerance
    for template in _TEMPLATES[family]:
        if not len(visible) <= len(template) <= len(visible) + _UNSEEN:
            continue
        steps = template[None, :] - template[:, None]
        lengths = np.hypot(steps[..., 0], steps[..., 1])
        scales = length / np.where(lengths > 0, lengths, np.inf)
        off = np.abs(across - scales[..., None] * steps).max(axis=2)
        free = scales * nearest(template) >= 2 * behind.radius
        for start, end in np.argwhere((lengths > 0) & (off <= 2 * tolerance) & free):
            middle = (template[start] + template[end]) / 2
            pattern = (visible[one] + visible[other]) / 2 + scales[start, end] * (template - middle)
            reaches = (pattern.min(axis=0) <= low).all() and (pattern.max(axis=0) >= high).all()
            if reaches:  # most fail this cheap test
                yield pattern


FAMILIES: Mapping[str, Callable[[Behind], Iterator[Points]]] = {
    "circle": _circles,
    "triangle": _triangles,
    "rectangle": _rectangles,
    **{family: partial(_of_template, family) for family in _TEMPLATES},
}
"""Patterns of each family through the visible objects; the paper's three first."""
