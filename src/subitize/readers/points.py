"""Points and boxes that a model wrote → a number: it is how many there are.

Some models count by pointing. What they write is read as it is documented:

- Molmo: `<point x="52.9" y="43.9">`, `<points x1="9.1" y1="11.7" x2=…>`, in percent of the picture
  with one decimal (https://github.com/abhaybd/GraspMolmo/issues/2); one beyond 100 is none
  (https://huggingface.co/allenai/Molmo-7B-O-0924/discussions/1)
- Qwen: the same in whole numbers, `<points x1="115" y1="150" x2=…>`, in its own unit
- Molmo 2: `<points coords="1 1 308 305 2 752 377">`: the picture's number, then id, x, y, in
  thousandths (its model card)
- Qwen: `"point_2d": [x, y]`, `"bbox_2d": [x0, y0, x1, y1]`: thousandths, but in Qwen2.5-VL pixels
  of the picture as it sees it, whose sides are multiples of 28
  (https://github.com/QwenLM/Qwen3-VL/issues/1741, /issues/940)
- Qwen2-VL: `<|box_start|>(x0,y0),(x1,y1)<|box_end|>`, Qwen-VL and InternVL: `<box>…</box>`, a box
  each, in thousandths (https://github.com/modelscope/ms-swift/issues/5008)
- Gemini: `"point": [y, x]`, `"box_2d": [y0, x0, y1, x1]`, in thousandths
- PaliGemma: `<loc0722><loc0047><loc0895><loc0378> cat ; <loc…`: y0, x0, y1, x1 of 1024 (its
  authors' paligemma_parse.py); Florence-2: `cat<loc_54><loc_374><loc_898><loc_640>`: x0, y0, x1,
  y1 of 1000
- plain pairs `(x, y)`, `[x, y]` or `x: 1, y: 2`

`points?unit=percent|mille|pixels|share` says the unit where the form does not. Without it a model
that is named as a Qwen has Qwen's unit, and that of others is told from the largest number in the
reply. The note holds how many
points there are, which number is said beside them, and on drawn pictures, whose things have known
places, how many points lie on a thing and how many things are pointed at. A point lies on a thing
within half its diameter of its centre.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from subitize.errors import BadInput, UnknownName
from subitize.readers.boxes import read_boxes
from subitize.readers.text import ended_early, final
from subitize.readers.wrappings import without_thinking
from subitize.records import Reading, Response, Trial
from subitize.stimuli.scenes import scene_of

_NUMBER = r"-?\d{1,5}(?:\.\d{1,9})?"
_GAP = r"\s{0,40}"
"""between numbers: JSON may have each in a line of its own, indented"""
_PAIR = rf"({_NUMBER})%?{_GAP},{_GAP}({_NUMBER})%?"
_TAG = re.compile(r"<points?\b([^<>]{0,100000})>(?:[^<]{0,1000}</points?>)?", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"\b([a-z]{1,20})(\d{0,4})\s{0,3}=\s{0,3}(?:\"([^\"]{0,100000})\"?|'([^']{0,100000})'?|([^\s\"']+))",
    re.IGNORECASE,
)
_EMPTY = re.compile(r"\s{0,40}(?:```(?:json)?)?\s{0,40}\[\s{0,40}\]\s{0,40}(?:```)?\s{0,40}")
"""a list in which there is nothing"""
_BOX = re.compile(
    r"(?:<\|box_start\|>|<box>)[\s(\[]{0,9}"
    rf"{_PAIR}[\s)\](,\[]{{1,9}}{_PAIR}[\s)\]]{{0,9}}(?:<\|box_end\|>|</box>)?"
)
_NAMED = re.compile(
    rf"[\"'](point_2d|bbox_2d|point|box_2d)[\"']{_GAP}:{_GAP}"
    rf"\[{_GAP}{_PAIR}(?:{_GAP},{_GAP}{_PAIR})?{_GAP}\]"
)
_LOC = re.compile(r"<loc(_?)(\d{1,4})>" + r"\s?<loc_?(\d{1,4})>" * 3)
_PLAIN = re.compile(
    rf"[(\[]{_GAP}{_PAIR}{_GAP}[)\]]"
    rf"|\bx[\"']?{_GAP}[:=]{_GAP}({_NUMBER})%?{_GAP},{_GAP}[\"']?y[\"']?{_GAP}[:=]{_GAP}({_NUMBER})%?",
    re.IGNORECASE,
)
_JSON = re.compile(r"```(?:json)?|[\[{]\s{0,40}[\"'{\[][^`]{0,100000}[\]}]", re.IGNORECASE)
UNITS = {"share": 1.0, "percent": 100.0, "mille": 1000.0}
"""what a whole side is; pixels depend on the picture"""
PIXELS = "pixels"
QWEN = "Qwen's"
PALIGEMMA, MILLE = 1024, 1000
"""what PaliGemma and the others with whole numbers count to"""
_IN_PIXELS = re.compile(r"qwen[-_]?2[._]5", re.IGNORECASE)
GRAIN = 28
"""pixels: Qwen2.5-VL makes the sides of a picture multiples of it (its smart_resize)"""


class Pointed(NamedTuple):
    """What a reply points at."""

    places: NDArray[np.float64]
    """x and y of each point, boxes by their middle"""
    unit: str
    """one of UNITS, Qwen's, or empty where the form does not say"""
    rest: str
    """the reply without them, where a number may be said"""


class Pointing(NamedTuple):
    """How points fit the number said and the things shown."""

    points: int
    said: int | None
    """the number said beside the points; None where there is none"""
    on_things: int | None = None
    """points that lie on a thing; None where places are not known"""
    pointed_at: int | None = None
    """things with a point on them"""
    things: int | None = None


def pointed(reply: str) -> Pointed:
    """The points of a reply, of the first form that is there.

    >>> found = pointed('Counting the <points x1="9.1" y1="11.7" x2="17" y2="4">boats</points>: 2.')
    >>> found.places.tolist(), found.unit, found.rest
    ([[9.1, 11.7], [17.0, 4.0]], 'percent', 'Counting the : 2.')
    >>> pointed('<points coords="1 1 308 305 2 752 377">ramp</points>').places.tolist()
    [[308.0, 305.0], [752.0, 377.0]]
    """
    text = without_thinking(reply)
    if tags := [tag[1] for tag in _TAG.finditer(text)]:
        rest = _TAG.sub("", text)
        listed = [place for tag in tags for place in _numbered(tag)]
        if listed:
            return _found(listed, "mille", rest)
        written = [pair for tag in tags for pair in _attributes(tag)]
        places = [(float(x), float(y)) for x, y in written]
        if any("." in value for pair in written for value in pair):
            return _found(_inside(places, "percent"), "percent", rest)
        return _found(places, "", rest)
    if boxes := list(_BOX.finditer(text)):
        return _found([_middle(one.groups()) for one in boxes], "mille", _BOX.sub(" ", text))
    if locs := list(_LOC.finditer(text)):
        return _found([_located(*one.groups()) for one in locs], "mille", _LOC.sub(" ", text))
    if named := list(_NAMED.finditer(text)):
        gemini = named[0][1] in ("point", "box_2d")
        places = [_middle(one.groups()[1:]) for one in named]
        turned = [(x, y) for y, x in places] if gemini else places
        return _found(turned, "mille" if gemini else QWEN, _JSON.sub(" ", text))
    plain = list(_PLAIN.finditer(text))
    unit = "percent" if any("%" in one[0] for one in plain) else ""
    # a word in their place, so that the items of a list stay items
    rest = _PLAIN.sub(" point ", text)
    places = [(float(one[1] or one[3]), float(one[2] or one[4])) for one in plain]
    return _found(places, unit, rest)


def _found(places: list[tuple[float, float]], unit: str, rest: str) -> Pointed:
    return Pointed(np.array(places, dtype=np.float64).reshape(-1, 2), unit, rest)


def _named(tag: str) -> Iterator[tuple[str, str, str]]:
    """Name, number and value of each attribute; numbers inside a quoted text are no points."""
    for one in _ATTRIBUTE.finditer(tag):
        yield one[1].lower(), one[2], one[3] or one[4] or one[5] or ""


def _attributes(tag: str) -> list[tuple[str, str]]:
    """x and y as they are written: those of the same number belong together."""
    found: dict[str, dict[str, str]] = {}
    for axis, number, value in _named(tag):
        if axis in ("x", "y") and (read := re.match(rf"\s*({_NUMBER})", value)):
            found.setdefault(number, {})[axis] = read[1]
    return [(one["x"], one["y"]) for one in found.values() if len(one) == 2]


def _numbered(tag: str) -> list[tuple[float, float]]:
    """Molmo 2: groups of a picture's number and then id, x, y."""
    places = []
    coords = "".join(value for name, _, value in _named(tag) if name == "coords")
    for group in re.split(r"[;:,\t]", coords):
        values = [float(one) for one in re.findall(r"\d+(?:\.\d+)?", group)]
        triples = values[len(values) % 3 :]
        places += [(triples[at + 1], triples[at + 2]) for at in range(0, len(triples), 3)]
    return _inside(places, "mille")


def _inside(places: list[tuple[float, float]], unit: str) -> list[tuple[float, float]]:
    """As Molmo's authors read it: a place beyond the picture is none."""
    return [place for place in places if min(place) >= 0 and max(place) <= UNITS[unit]]


def _middle(values: tuple[str | None, ...]) -> tuple[float, float]:
    first, second, *others = (None if one is None else float(one) for one in values)
    third, fourth = others
    if third is None or fourth is None:
        return first or 0.0, second or 0.0
    return ((first or 0.0) + third) / 2, ((second or 0.0) + fourth) / 2


def _located(bar: str, *values: str) -> tuple[float, float]:
    """The middle of a box of PaliGemma or, with a bar, of Florence-2, in thousandths."""
    first, second, third, fourth = (float(value) for value in values)
    middle = (first + third) / 2, (second + fourth) / 2
    return middle if bar else (middle[1] * MILLE / PALIGEMMA, middle[0] * MILLE / PALIGEMMA)


def _shares(found: Pointed, unit: str, size: float, model: str) -> NDArray[np.float64]:
    """Places as shares of the sides."""
    largest = float(found.places.max(initial=0.0))
    unit = unit or found.unit or (QWEN if "qwen" in model.lower() else "")
    if unit == QWEN and _IN_PIXELS.search(model):
        return found.places / max(GRAIN, GRAIN * round(size / GRAIN))
    if unit in ("", QWEN):
        sides = {name: side for name, side in UNITS.items() if unit != QWEN or name != "percent"}
        unit = next((name for name, side in sides.items() if largest <= side), PIXELS)
    return found.places / UNITS.get(unit, size)


def _placed(trial: Trial, found: Pointed, unit: str, model: str) -> tuple[int, int, int] | None:
    """Points on a thing, things pointed at and things; None where places are not known."""
    recipe = trial.stimulus.recipe
    if trial.stimulus.kind != "drawn" or recipe.get("drawer") != "naming":
        return None
    scene, size = scene_of(recipe), float(recipe["size"])
    places = _shares(found, unit, size, model) * size
    centres = np.asarray(scene.centres, dtype=float)
    if not len(places) or not len(centres):
        return 0, 0, len(centres)
    away = np.hypot(*np.moveaxis(places[:, None] - centres[None], -1, 0))
    on = away <= np.asarray(scene.diameters)[None] / 2
    return int(on.any(axis=1).sum()), int(on.any(axis=0).sum()), len(centres)


@dataclass(frozen=True)
class PointsReader:
    """Counts the points of a reply."""

    unit: str = ""
    """of coordinates whose form does not say it"""

    def __call__(self, trial: Trial, response: Response) -> Reading:
        if (early := ended_early(response)) is not None:
            return early
        if response.kind == "boxes":
            return read_boxes(response)
        found = pointed(str(response.value))
        said = final(found.rest, trial.question)
        pointing = Pointing(
            len(found.places), int(said.number or 0) if said.state == "read" else None,
            *(_placed(trial, found, self.unit, response.respondent) or ()),
        )  # fmt: skip
        if pointing.points:
            return Reading("read", number=pointing.points, note=noted(pointing))
        # "There are none." points at nothing, and rightly; so does an empty list
        if pointing.said == 0 or _EMPTY.fullmatch(found.rest):
            return Reading("read", number=0, note=noted(pointing))
        if said.state == "refused":
            return said
        return Reading("no-number", note=noted(pointing))

    def configured(self, settings: Mapping[str, Any]) -> PointsReader:
        """The same reader with a unit, from the settings in its name."""
        for name, value in settings.items():
            if name != "unit":
                raise BadInput(f"the reader has no setting {name!r}: known is unit.")
            if value not in (*UNITS, PIXELS):
                raise UnknownName("unit of points", str(value), (*UNITS, PIXELS))
        return replace(self, unit=str(settings.get("unit", self.unit)))


_NOTE = re.compile(
    r"(\d+) points?; (\d+|nothing) said(?:; (\d+) on a thing, (\d+) of (\d+) things)?"
)


def noted(pointing: Pointing) -> str:
    """A pointing as the note of a reading.

    >>> noted(Pointing(3, 4, 2, 2, 5)), told(noted(Pointing(3, 4, 2, 2, 5)))[:3]
    ('3 points; 4 said; 2 on a thing, 2 of 5 things', (3, 4, 2))
    """
    said = "nothing" if pointing.said is None else pointing.said
    text = f"{pointing.points} point{'' if pointing.points == 1 else 's'}; {said} said"
    if pointing.things is None:
        return text
    on = f"{pointing.on_things} on a thing, {pointing.pointed_at} of {pointing.things} things"
    return f"{text}; {on}"


def told(note: str) -> Pointing | None:
    """The pointing that a note holds; None where it is another's."""
    match = _NOTE.fullmatch(note)
    if match is None:
        return None
    points, said, *placed = match.groups()
    known = [None if one is None else int(one) for one in placed]
    return Pointing(int(points), None if said == "nothing" else int(said), *known)
