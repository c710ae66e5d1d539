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


class _Cover(NamedTuple):
    """What a layer covers."""

    left: int
    top: int
    share: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Cut:
    """Layers as pixels of a square, before they have colours."""

    topmost: NDArray[np.intp]
    """for each pixel the number of its class: 0 for white, k for what lies wholly under layer
    k - 1 as its topmost, then one for each pixel on an edge"""
    shares: NDArray[np.float32]
    """layers x classes: how much of it a layer covers"""

    def blended(self, colours: Sequence[Colour]) -> NDArray[np.uint8]:
        """RGB of each class."""
        pixels = np.full((3, self.shares.shape[1]), 255.0, np.float32)
        for share, colour in zip(self.shares, colours, strict=True):
            pixels += share * (np.array(colour, np.float32)[:, None] - pixels)
        return np.rint(pixels).astype(np.uint8).T


def cut(shapes: Sequence[Points], side: int) -> Cut:
    """The shapes, from back to front, in a square; coordinates are pixels and must lie inside."""
    covers = _covers(shapes)
    on_edge = np.zeros((side, side), bool)
    topmost = np.zeros((side, side), np.intp)
    for number, (left, top, share) in enumerate(covers, 1):
        part = slice(top, top + share.shape[0]), slice(left, left + share.shape[1])
        whole = share == 1
        on_edge[part] |= (share > 0) & ~whole
        topmost[part][whole] = number
    rows, columns = np.nonzero(on_edge)
    first = 1 + len(covers)
    shares = np.zeros((len(covers), first + len(rows)), np.float32)
    shares[np.arange(len(covers)), np.arange(1, first)] = 1
    for number, (left, top, share) in enumerate(covers):
        height, width = share.shape
        # rows are in order: only those of the layer need be looked at
        begin, end = np.searchsorted(rows, (top, top + height))
        x, y = columns[begin:end] - left, rows[begin:end] - top
        inside = np.flatnonzero((x >= 0) & (x < width))
        shares[number, first + begin + inside] = share[y[inside], x[inside]]
    topmost[rows, columns] = np.arange(first, first + len(rows))
    return Cut(topmost, shares)


def _covers(shapes: Sequence[Points]) -> list[_Cover]:
    """Share of each pixel that each closed polygon covers; all edges are cut at once."""
    near = np.array([np.floor(points.min(axis=0)) for points in shapes]).astype(np.intp)
    far = np.array([np.ceil(points.max(axis=0)) for points in shapes]).astype(np.intp)
    width, height = np.maximum(far - near, 1).T
    cells = (width + 1) * height
    begin = np.cumsum(cells) - cells
    moved = [points - corner for points, corner in zip(shapes, near, strict=True)]
    steps = [np.roll(points, -1, axis=0) - points for points in moved]
    edge, middle, rise = _pieces(np.concatenate(moved), np.concatenate(steps))
    own = np.repeat(np.arange(len(shapes)), [len(points) for points in shapes])[edge]
    column = np.clip(np.floor(middle[:, 0]).astype(np.intp), 0, width[own] - 1)
    row = np.clip(np.floor(middle[:, 1]).astype(np.intp), 0, height[own] - 1)
    beyond = rise * (middle[:, 0] - column)
    at = begin[own] + row * (width[own] + 1) + column
    total = int(cells.sum())
    sums = np.bincount(at, rise - beyond, total) + np.bincount(at + 1, beyond, total)
    covers = []
    for k, (left, top) in enumerate(near.tolist()):
        mine = sums[begin[k] : begin[k] + cells[k]].reshape(height[k], width[k] + 1)
        area = np.abs(np.cumsum(mine[:, :-1], axis=1))
        area[area < _NOTHING] = 0
        covers.append(_Cover(left, top, np.minimum(area, 1.0).astype(np.float32)))
    return covers


def _pieces(start: Points, step: Points) -> tuple[NDArray[np.intp], Points, NDArray[np.float64]]:
    """The edges cut at pixel borders: whose piece it is, its middle and how far it goes down."""
    edges = np.arange(len(start))
    cuts = [(edges, np.zeros(len(start))), _cuts(start[:, 0], step[:, 0])]
    cuts.append(_cuts(start[:, 1], step[:, 1]))
    edge = np.concatenate([cut[0] for cut in cuts])
    t = np.concatenate([cut[1] for cut in cuts])
    order = np.lexsort((t, edge))
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
