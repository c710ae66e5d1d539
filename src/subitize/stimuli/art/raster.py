"""From polygons to anti-aliased pixels: exact area coverage, no supersampling.

Every edge is cut where it crosses a pixel border; each piece then lies in one pixel and adds to
it the area between itself and the pixel's right side. A running sum along each row turns these
into the share of every pixel that the shape covers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from subitize.stimuli.geometry import Points

Layer = tuple[Points, tuple[int, int, int]]
"""a shape and its colour; later layers cover earlier ones"""

Cuts = tuple[NDArray[np.intp], NDArray[np.float64]]


def paint(layers: Sequence[Layer], side: int) -> NDArray[np.uint8]:
    """The layers on a white square; coordinates are pixels and must lie inside."""
    pixels = np.full((side, side, 3), 255.0, np.float32)
    for points, colour in layers:
        left, top = np.floor(points.min(axis=0)).astype(int)
        right, bottom = np.ceil(points.max(axis=0)).astype(int)
        if right <= left or bottom <= top:
            continue
        share = _coverage(points - (left, top), right - left, bottom - top)
        part = pixels[top:bottom, left:right]
        part += share[:, :, None] * (np.array(colour, np.float32) - part)
    return np.rint(pixels).astype(np.uint8)


def _coverage(points: Points, width: int, height: int) -> NDArray[np.float32]:
    """Share of each pixel that the closed polygon covers."""
    start, step = points, np.roll(points, -1, axis=0) - points
    edges = np.arange(len(points))
    cuts = [(edges, np.zeros(len(points))), _cuts(start[:, 0], step[:, 0])]
    cuts.append(_cuts(start[:, 1], step[:, 1]))
    edge = np.concatenate([cut[0] for cut in cuts])
    t = np.concatenate([cut[1] for cut in cuts])
    order = np.lexsort((t, edge))
    edge, t = edge[order], t[order]
    last = np.append(edge[1:] != edge[:-1], True)
    until = np.where(last, 1.0, np.append(t[1:], 1.0))
    middle = start[edge] + step[edge] * ((t + until) / 2)[:, None]
    rise = step[edge, 1] * (until - t)
    column = np.clip(np.floor(middle[:, 0]).astype(np.intp), 0, width - 1)
    row = np.clip(np.floor(middle[:, 1]).astype(np.intp), 0, height - 1)
    beyond = rise * (middle[:, 0] - column)
    at = row * (width + 1) + column
    cells = (width + 1) * height
    sums = np.bincount(at, rise - beyond, cells) + np.bincount(at + 1, beyond, cells)
    area = np.cumsum(sums.reshape(height, width + 1)[:, :width], axis=1)
    return np.minimum(np.abs(area), 1.0).astype(np.float32)


def _cuts(start: NDArray[np.float64], step: NDArray[np.float64]) -> Cuts:
    """Where each edge crosses whole numbers on one axis: edge and share of the way."""
    end = start + step
    first = np.floor(np.minimum(start, end)) + 1
    count = np.maximum(np.ceil(np.maximum(start, end)) - first, 0).astype(np.intp)
    edge = np.repeat(np.arange(len(start)), count)
    nth = np.arange(len(edge)) - np.repeat(np.cumsum(count) - count, count)
    return edge, (first[edge] + nth - start[edge]) / step[edge]
