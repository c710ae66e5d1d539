"""Vector shapes: paths in a few letters, made into polygons.

A path is written like in SVG with absolute coordinates, y pointing down: `M x y` starts, `L x y`
is a line, `Q` and `C` are Bézier curves with one and two handles. Shapes are always closed.
Only additions, multiplications and the C library's sine and cosine are used, so polygons do not
depend on NumPy's vector instructions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from operator import mul

import numpy as np

from subitize.stimuli.geometry import Points, signed_area

_STEPS = 14
"""pieces per curve: at 500 px the largest error is far below a tenth of a pixel"""
_CIRCLE = 4 / 3 * (math.sqrt(2) - 1)
"""handle length with which four cubic curves make a circle"""


def shape(text: str) -> Points:
    """The polygon of a path; of an ellipse, `E x y rx [ry [angle]]`; of a line of some width,
    `S width PATH`; of a star, `star spikes outer inner`; of one moved, `T x y angle SHAPE`."""
    word, *words = text.split()
    if word == "T":
        x, y, angle = map(float, words[:3])
        return moved(shape(" ".join(words[3:])), x, y, angle)
    if word == "S":
        return stroke(path(" ".join(words[1:])), float(words[0]))
    if word == "M":
        return path(text)
    numbers = map(float, words)
    return ellipse(*numbers) if word == "E" else star(*numbers)


@lru_cache(maxsize=512)
def path(text: str) -> Points:
    """The polygon of a path such as `M 0 0 L 10 0 Q 10 10 0 10`."""
    words = text.replace(",", " ").split()
    points: list[tuple[float, float]] = []
    command, at = "", 0
    while at < len(words):
        if words[at].isalpha():
            command, at = words[at], at + 1
        count = {"M": 1, "L": 1, "Q": 2, "C": 3}[command]
        numbers = [float(word) for word in words[at : at + 2 * count]]
        handles = list(zip(numbers[::2], numbers[1::2], strict=True))
        at += 2 * count
        if count == 1:
            points += handles
        else:
            points += _curve([points[-1], *handles])
    polygon = np.array(points)
    polygon.flags.writeable = False
    return polygon


def _curve(handles: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Points on a Bézier curve, without its first one."""
    degree = len(handles) - 1
    points = []
    for step in range(1, _STEPS + 1):
        t = step / _STEPS
        weights = [math.comb(degree, k) * t**k * (1 - t) ** (degree - k) for k in range(degree + 1)]
        x, y = (sum(map(mul, weights, along)) for along in zip(*handles, strict=True))
        points.append((x, y))
    return points


def ellipse(x: float, y: float, rx: float, ry: float | None = None, angle: float = 0.0) -> Points:
    """An ellipse (or circle) around (x, y), turned clockwise by `angle` degrees."""
    k = _CIRCLE
    unit = path(
        f"M 1 0 C 1 {k} {k} 1 0 1 C {-k} 1 -1 {k} -1 0 C -1 {-k} {-k} -1 0 -1 C {k} -1 1 {-k} 1 0"
    )
    return moved(unit * (rx, rx if ry is None else ry), x, y, angle)


def moved(points: Points, x: float, y: float, angle: float) -> Points:
    """Turned clockwise around the origin by `angle` degrees, then shifted."""
    if angle:
        turn = math.radians(angle)
        c, s = math.cos(turn), math.sin(turn)
        points = np.stack(
            [points[:, 0] * c - points[:, 1] * s, points[:, 0] * s + points[:, 1] * c], 1
        )
    return np.add(points, (x, y))


def mirrored(points: Points) -> Points:
    """The same shape on the other side of the vertical axis."""
    return points * (-1.0, 1.0)


def star(spikes: float, outer: float, inner: float) -> Points:
    """A star around the origin with one spike upwards."""
    corners = []
    for k in range(2 * int(spikes)):
        turn = math.pi * k / spikes
        radius = inner if k % 2 else outer
        corners.append((radius * math.sin(turn), -radius * math.cos(turn)))
    return np.array(corners)


def grown(points: Points, width: float) -> Points:
    """The shape with its outline moved outwards by `width`; corners are mitred, within limits."""
    keep = np.any(points != np.roll(points, 1, axis=0), axis=1)
    points = points[keep]
    if signed_area(points) < 0:
        points = points[::-1]
    normals = _normals(np.roll(points, -1, axis=0) - points)
    before = np.roll(normals, 1, axis=0)
    middle = normals + before
    # |middle|² is 4 cos² of half the turn: the mitre's length is 1 / cos of it
    long = np.maximum(np.sum(middle * middle, axis=1), 0.8)
    return np.asarray(points + middle * (2 * width / long)[:, None])


def stroke(points: Points, width: float) -> Points:
    """An open line as a shape of this width; the first and last piece end bluntly."""
    keep = np.append(True, np.any(points[1:] != points[:-1], axis=1))
    points = points[keep]
    normals = _normals(points[1:] - points[:-1])
    middle = np.concatenate([normals[:1], normals[1:] + normals[:-1], normals[-1:]])
    long = np.sqrt(np.sum(middle * middle, axis=1))
    side = middle * (width / 2 / np.maximum(long, 1e-9))[:, None]
    return np.concatenate([points + side, (points - side)[::-1]])


def _normals(steps: Points) -> Points:
    """Unit vectors to the left of each step on a page whose y points down."""
    long = np.sqrt(np.sum(steps * steps, axis=1))
    left = np.stack([steps[:, 1], -steps[:, 0]], 1)
    return np.asarray(left / np.maximum(long, 1e-12)[:, None])
