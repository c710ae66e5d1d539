"""From polygons to anti-aliased pixels: exact area coverage, no supersampling.

Every edge is cut where it crosses a pixel border; each piece then lies in one pixel and adds to
it the area between itself and the pixel's right side. A running sum along each row turns these
into the share of every pixel that the shape covers.

Things that differ in colour alone are cut once: `cut` finds which pixels are covered by what, and
`blended` gives them colours. Only pixels on an edge are blended, all others have the colour of the
topmost layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from subitize.stimuli.geometry import Points

Colour = tuple[int, int, int]
Layer = tuple[Points, Colour]
"""a shape and its colour; later layers cover earlier ones"""

_NOTHING = 1e-12
"""a share below this is a rounding error: no colour would change by it"""


class Outlines(NamedTuple):
    """Closed polygons, from back to front, one after another."""

    points: Points
    first: NDArray[np.intp]
    """of each polygon"""
    owner: NDArray[np.intp]
    """of each point"""
    following: NDArray[np.intp]
    """the next point of the same polygon"""

    @classmethod
    def of(cls, shapes: Sequence[Points]) -> Outlines:
        many = np.array([len(points) for points in shapes])
        first = np.cumsum(many) - many
        following = np.arange(1, int(many.sum()) + 1)
        following[first + many - 1] = first
        return cls(np.concatenate(shapes), first, np.repeat(np.arange(len(many)), many), following)


class _Covers(NamedTuple):
    """What each shape covers of the pixels around it, one shape after another."""

    left: NDArray[np.intp]
    top: NDArray[np.intp]
    width: NDArray[np.intp]
    """one more than the shape's, since its last column is no pixel"""
    height: NDArray[np.intp]
    begin: NDArray[np.intp]
    share: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Cut:
    """Layers as pixels of a square, before they have colours."""

    topmost: NDArray[np.int32]
    """for each pixel the number of its class: 0 for white, k for what lies wholly under layer
    k - 1 as its topmost, then one for each pixel on an edge, in reading order"""
    edges: int
    """how many pixels lie on an edge"""
    shares: Sequence[tuple[slice, NDArray[np.float32]]]
    """for each layer the edge pixels of its rows, and how much of each it covers"""

    def blended(self, colours: Sequence[Colour]) -> NDArray[np.uint8]:
        """RGB of each class."""
        flat = np.array(((255, 255, 255), *colours), np.float32)
        pixels = np.full((3, self.edges), 255.0, np.float32)
        for (rows, share), colour in zip(self.shares, flat[1:, :, None], strict=True):
            mine = pixels[:, rows]
            mine += share * (colour - mine)
        return np.concatenate([flat, np.rint(pixels, out=pixels).T]).astype(np.uint8)


def cut(shapes: Outlines, side: int) -> Cut:
    """The shapes in a square; coordinates are pixels and must lie inside."""
    covers = _covers(shapes)
    whole = covers.share == 1
    partly = (covers.share > 0) & ~whole
    on_edge = np.zeros((side, side + 1), bool)
    topmost = np.zeros((side, side + 1), np.int32)
    parts = []
    for number, (left, top, width, height, begin) in enumerate(
        np.stack(covers[:5], axis=1).tolist(), 1
    ):
        part = slice(top, top + height), slice(left, left + width)
        cells = slice(begin, begin + height * width)
        on_edge[part] |= partly[cells].reshape(height, width)
        np.copyto(topmost[part], number, where=whole[cells].reshape(height, width))
        parts.append((part, covers.share[cells].reshape(height, width)))
    at = np.flatnonzero(on_edge)
    first, last = np.searchsorted(
        at, (side + 1) * np.stack([covers.top, covers.top + covers.height])
    )
    shares, covered = [], np.zeros((side, side + 1), np.float32)
    for (part, share), rows in zip(parts, map(slice, first.tolist(), last.tolist()), strict=True):
        covered[part] = share
        shares.append((rows, covered.reshape(-1).take(at[rows])))
        covered[part] = 0
    topmost.reshape(-1)[at] = np.arange(len(parts) + 1, len(parts) + 1 + len(at))
    return Cut(topmost[:, :side], len(at), shares)


def _covers(shapes: Outlines) -> _Covers:
    """Share of each pixel that each polygon covers; all edges are cut at once."""
    near = np.floor(np.minimum.reduceat(shapes.points, shapes.first)).astype(np.intp)
    far = np.ceil(np.maximum.reduceat(shapes.points, shapes.first)).astype(np.intp)
    width, height = np.maximum(far - near, 1).T
    width = width + 1
    cells = width * height
    begin = np.cumsum(cells) - cells
    moved = shapes.points - near[shapes.owner]
    edge, middle, rise = _pieces(moved, moved[shapes.following] - moved)
    own = shapes.owner[edge]
    column = np.clip(np.floor(middle[:, 0]).astype(np.intp), 0, width[own] - 2)
    row = np.clip(np.floor(middle[:, 1]).astype(np.intp), 0, height[own] - 1)
    beyond = rise * (middle[:, 0] - column)
    at = begin[own] + row * width[own] + column
    total = int(cells.sum())
    sums = np.bincount(at, rise - beyond, total) + np.bincount(at + 1, beyond, total)
    for start, wide, high in zip(begin.tolist(), width.tolist(), height.tolist(), strict=True):
        mine = sums[start : start + wide * high].reshape(high, wide)
        np.cumsum(mine[:, :-1], axis=1, out=mine[:, :-1])
        mine[:, -1] = 0
    area = np.abs(sums)
    area[area < _NOTHING] = 0
    share = np.minimum(area, 1.0).astype(np.float32)
    return _Covers(near[:, 0], near[:, 1], width, height, begin, share)


def _pieces(start: Points, step: Points) -> tuple[NDArray[np.intp], Points, NDArray[np.float64]]:
    """The edges cut at pixel borders: whose piece it is, its middle and how far it goes down."""
    edges = np.arange(len(start))
    cuts = [(edges, np.zeros(len(start))), _cuts(start[:, 0], step[:, 0])]
    cuts.append(_cuts(start[:, 1], step[:, 1]))
    edge = np.concatenate([cut[0] for cut in cuts])
    t = np.concatenate([cut[1] for cut in cuts])
    # by edge, then along it; numbers of 16 bits are put in order without comparing them
    order = np.argsort(t)
    short = edge.astype(np.uint16) if len(start) <= 1 << 16 else edge
    order = order[np.argsort(short[order], kind="stable")]
    edge, t = edge[order], t[order]
    last = np.append(edge[1:] != edge[:-1], True)
    until = np.where(last, 1.0, np.append(t[1:], 1.0))
    middle = start[edge] + step[edge] * ((t + until) / 2)[:, None]
    return edge, middle, step[edge, 1] * (until - t)


def _cuts(
    start: NDArray[np.float64], step: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Where each edge crosses whole numbers on one axis: edge and share of the way."""
    end = start + step
    first = np.floor(np.minimum(start, end)) + 1
    count = np.maximum(np.ceil(np.maximum(start, end)) - first, 0).astype(np.intp)
    edge = np.repeat(np.arange(len(start)), count)
    nth = np.arange(len(edge)) - np.repeat(np.cumsum(count) - count, count)
    return edge, (first[edge] + nth - start[edge]) / step[edge]
