"""What each kind of thing looks like: layers written down from back to front.

A line is `fill : shape`, or `fill edge width : shape` with an outline of that width behind it; `-`
is no fill, and `::` means the shape and its mirror image. A tone is a name, lighter (`base+.4`) or
darker (`base-.4`), or a colour such as #141418. Indented lines continue the one before. Shapes are
those of `paths.shape`. Nothing inside an item may be white: the background is, and an item has to
stay one piece; so the first layers are a dark silhouette that shows as an outline.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from subitize.stimuli.art.paths import grown, mirrored, shape
from subitize.stimuli.art.raster import Layer
from subitize.stimuli.geometry import Points

Colour = tuple[int, int, int]
_PALEST = 236

NAMED: Mapping[str, Colour] = {
    "black": (42, 42, 46),
    "blue": (38, 98, 200),
    "green": (46, 150, 62),
    "orange": (240, 130, 22),
    "red": (212, 38, 42),
    "yellow": (246, 200, 40),
    "purple": (136, 66, 168),
    "pink": (236, 110, 160),
    "brown": (124, 78, 42),
    "teal": (22, 148, 152),
    "crimson": (166, 22, 44),
    "lime": (136, 190, 48),
}
CARD_COLOURS = ("black", "blue", "green", "orange", "red")

_BODY = (
    "M 0 -44 C 14 -60 44 -64 64 -48 C 92 -26 88 30 62 66 C 46 90 22 94 0 84"
    " C -22 94 -46 90 -62 66 C -88 30 -92 -26 -64 -48 C -44 -64 -14 -60 0 -44"
)
_LEAF = "M 4 -62 C 10 -92 40 -104 72 -96 C 66 -68 36 -52 4 -62"
_APPLE = f"""
- base-.5 5 : {_BODY}
- #184a1e 4 : {_LEAF}
base : {_BODY}
base-.16 : M 64 -46 C 92 -24 88 30 62 66 C 46 90 22 94 0 84 C 46 74 70 20 64 -46
base+.55 : E -42 -14 12 27 18
base-.5 : M -22 -42 Q 0 -24 22 -42 Q 0 -34 -22 -42
#4aa042 : {_LEAF}
#246228 : S 3 M 8 -64 Q 36 -72 62 -90
- #5c3a1e 1 : M -6 -36 C -4 -60 -10 -78 -20 -92 L -8 -98 C 4 -80 6 -60 4 -36
"""
_UPPER = "M 4 -12 C 16 -58 62 -92 92 -78 C 106 -66 96 -16 70 2 C 48 14 20 10 4 2"
_LOWER = "M 4 2 C 26 8 58 6 68 28 C 76 52 56 84 38 80 C 20 74 8 40 4 10"
_BUTTERFLY = f"""
- base-.72 6 :: {_LOWER}
- base-.72 6 :: {_UPPER}
base+.22 :: {_LOWER}
base :: {_UPPER}
base+.7 :: E 70 -54 13 10 -40
base-.72 :: E 44 -26 9 7 -40
base+.7 :: E 80 -26 7
base-.72 :: E 44 40 12
base+.7 :: E 44 40 6
#3a281e :: S 5 M 2 -38 C 6 -62 14 -78 28 -90
#3a281e :: E 28 -90 6
#3a281e : E 0 10 8 48
#3a281e : E 0 -40 10
#756862 : T -2 8 0 E 0 0 2.5 30
"""
_LONG_HAIR = "hair hair-.4 2 : M 0 -98 C 26 -98 28 -70 25 -44 L -25 -44 C -28 -70 -26 -98 0 -98"
_DRESS = (
    "M 0 -44 L 14 -43 C 20 -42 22 -38 21 -30 L 15 -6 L 30 46 Q 0 54 -30 46"
    " L -15 -6 L -21 -30 C -22 -38 -20 -42 -14 -43"
)
_SHIRT = (
    "M 0 -44 L 16 -43 C 22 -42 24 -38 24 -30 L 21 24 L -21 24 L -24 -30 C -24 -38 -22 -42 -16 -43"
)
_PERSON = """
legs legs-.45 2 :: M 1 20 L 17 20 L 16 84 L 3 84
#302624 #141010 2 :: M 2 82 L 16 82 C 24 84 26 92 24 94 L 2 94
skin skin-.45 2 :: S 11 M 18 -34 C 30 -22 32 -8 33 10
skin skin-.45 2 :: E 33 12 7
shirt shirt-.45 2 :: S 14 M 17 -36 C 26 -28 29 -18 31 -6
shirt shirt-.45 2 : {top}
skin skin-.45 1.5 : M -7 -56 L 7 -56 L 8 -40 Q 0 -34 -8 -40
skin skin-.45 2 : E 0 -72 18 21
hair hair-.4 2 : M -20 -70 C -24 -102 24 -102 20 -70 C 16 -82 8 -86 -4 -85 C -12 -84 -17 -80 -20 -70
#241c1a : E -7 -72 2.4 3
#241c1a : E 7 -72 2.4 3
skin-.6 : S 2.4 M -7 -62 Q 0 -56 7 -62
"""
_PEOPLE = {  # skin, hair, shirt and legs
    "red shirt": "#f0c2a0 #462c1a #ce3434 #344a78",
    "blue shirt": "#966240 #1c1818 #3474c4 #585450",
    "green dress": "#ecb894 #965422 #38985c #ecb894",
    "yellow shirt": "#6e462e #161416 #ecb22c #3e5c48",
    "purple dress": "#ce966e #261c1a #8e4eac #ce966e",
    "orange shirt": "#f4caaa #c48a36 #e87830 #463c5c",
    "teal shirt": "#deaa82 #5c5c62 #269296 #705236",
    "pink dress": "#845438 #1e181a #e26492 #845438",
}
_TREE = """
#6e4a2c : M -13 96 L -8 10 L 8 10 L 13 96
base-.25 : E -38 -8 40
base-.25 : E 38 -8 40
base : E 0 -20 46
base : E 0 -58 38
base+.3 : E -14 -66 12 9
"""
_PETALS = "\n".join(
    f"{look} : T 0 -34 {60 * k} E 0 -34 22 28" for look in ("- ink 6", "base") for k in range(6)
)
_SWIRL = "M 0 0 C 8 -20 28 -26 44 -18 C 46 -8 46 0 45 6 C 30 -8 14 -8 0 0"

CLIPS: Mapping[str, str] = {
    "apple": f"""
pale ink 5 : {_LEAF}
base ink 6 : {_BODY}
ink : S 12 M 0 -38 C 0 -60 -6 -78 -16 -94
pale : E -42 -10 11 28 18
""",
    "bell": """
pale ink 5 : E 0 -80 13
ink ink 5 : E 0 72 19
base ink 6 : M 0 -72 C 34 -72 46 -44 48 -10 C 50 24 58 40 76 54 L -76 54
    C -58 40 -50 24 -48 -10 C -46 -44 -34 -72 0 -72
pale : M -55 30 L 55 30 L 60 38 L -60 38
pale : S 9 M -26 -42 C -34 -26 -34 -8 -36 12
""",
    "butterfly": """
base ink 6 :: M 2 2 C 26 8 58 6 68 28 C 76 52 56 84 38 80 C 20 74 8 40 2 10
base ink 6 :: M 2 -12 C 16 -58 62 -92 92 -78 C 106 -66 96 -16 70 2 C 48 14 20 10 2 2
pale :: E 66 -46 15 12 -40
pale :: E 42 42 12
ink :: S 6 M 2 -38 C 6 -62 14 -78 28 -90
ink :: E 28 -90 7
ink : E 0 8 9 50
ink : E 0 -42 11
""",
    "candy": f"""
pale ink 5 :: M 30 0 L 86 -40 Q 80 -26 92 -14 Q 82 0 92 14 Q 80 26 86 40
ink :: S 4 M 46 0 L 78 0
base ink 6 : E 0 0 48
pale : T 0 0 0 {_SWIRL}
pale : T 0 0 120 {_SWIRL}
pale : T 0 0 240 {_SWIRL}
""",
    "car": """
base ink 5 : M -96 34 L -96 8 C -96 -4 -88 -8 -62 -10 C -48 -36 -36 -46 -18 -46 L 22 -46
    C 40 -46 52 -30 64 -10 C 84 -8 96 -2 96 14 L 96 34
pale : M -48 -10 C -38 -30 -30 -36 -18 -36 L -4 -36 L -4 -10
pale : M 6 -10 L 6 -36 L 20 -36 C 32 -36 40 -26 50 -10
ink : S 4 M 1 -4 L 1 28
ink : S 5 M 10 4 L 24 4
pale : E 86 8 8 7
ink : E -54 34 25
pale : E -54 34 11
ink : E 54 34 25
pale : E 54 34 11
""",
    "fish": """
pale ink 5 : M 44 0 C 62 -14 80 -40 96 -44 C 88 -16 88 16 96 44 C 80 40 62 14 44 0
pale ink 5 : M -20 -34 C -6 -66 26 -70 42 -58 C 34 -46 34 -34 36 -24
pale ink 5 : M -10 36 C 0 60 18 62 28 56 C 22 46 22 38 22 30
base ink 6 : M -94 2 C -72 -44 -10 -56 54 -4 L 54 4 C -10 58 -72 46 -94 2
ink : S 6 M -42 -32 C -28 -12 -28 14 -42 34
pale : S 5 M -12 -18 C -2 -6 -2 6 -12 18
pale : S 5 M 10 -18 C 20 -6 20 6 10 18
pale : E -62 -8 10
#141418 : E -64 -8 5.5
""",
    "flower": f"""
ink : S 12 M 0 0 C 4 40 2 70 -4 98
base ink 5 : M 0 74 C 14 44 40 38 58 44 C 54 66 30 82 0 74
base ink 5 : M 0 86 C -14 58 -38 52 -54 58 C -50 78 -28 92 0 86
{_PETALS}
pale ink 5 : E 0 -34 20
""",
    "plane": """
base ink 5 :: M 8 -24 L 92 26 Q 96 34 92 42 L 8 22
base ink 5 :: M 4 58 L 38 78 Q 42 86 38 90 L 4 82
base ink 5 : M 0 -98 C 14 -92 17 -70 17 -48 L 15 30 L 7 92
    L -7 92 L -15 30 L -17 -48 C -17 -70 -14 -92 0 -98
pale : M -11 -66 C -8 -82 8 -82 11 -66 Q 0 -72 -11 -66
pale : E 0 -42 5
pale : E 0 -22 5
pale : E 0 -2 5
pale : E 0 18 5
""",
    "star": """
base ink 6 : star 5 92 38
pale : star 5 52 22
base : star 5 40 17
""",
}
"""clip art for the fast cards: each in one colour with its lighter and darker tones"""
LOOKS: Mapping[str, tuple[str, ...]] = {
    "apple": ("red", "crimson", "green", "lime", "yellow"),
    "person": tuple(_PEOPLE),
    "butterfly": ("orange", "blue", "purple", "yellow", "teal", "red"),
    "dot": ("red", "blue", "green", "orange", "purple", "teal", "pink", "brown", "black"),
    "tree": ("green",),
    **{f"clip {name}": CARD_COLOURS for name in CLIPS},
}
"""kinds of things, and the colours or clothes each comes in"""


def drawing(kind: str, look: str) -> list[Layer]:
    """The layers of a kind of thing in one of its looks, around the origin, about 200 wide."""
    if kind == "person":
        names = ("skin", "hair", "shirt", "legs")
        tones = {
            name: _tone(hue, {}) for name, hue in zip(names, _PEOPLE[look].split(), strict=True)
        }
        dressed = look.endswith("dress")
        text = _PERSON.format(top=_DRESS if dressed else _SHIRT)
        return _layers(_LONG_HAIR + text if dressed or look == "orange shirt" else text, tones)
    tones = {"base": NAMED[look]}
    clip = kind.removeprefix("clip ")
    if clip == kind:
        plain = {"apple": _APPLE, "butterfly": _BUTTERFLY, "dot": "base : E 0 0 100", "tree": _TREE}
        return _layers(plain[kind], tones)
    tones |= {"pale": _tone("base+.62", tones), "ink": _tone("base-.6", tones)}
    return _layers(CLIPS[clip], tones)


def _layers(text: str, tones: Mapping[str, Colour]) -> list[Layer]:
    layers: list[Layer] = []
    for line in text.replace("\n    ", " ").strip().splitlines():
        look, _, rest = line.partition(" :")
        fill, *edge = look.split()
        for side, around in _sides(rest, float(edge[1]) if edge else 0.0):
            if edge:
                layers.append((around, _tone(edge[0], tones)))
            if fill != "-":
                layers.append((side, _tone(fill, tones)))
    return layers


@lru_cache(maxsize=512)
def _sides(text: str, edge: float) -> list[tuple[Points, Points]]:
    """A shape, or it and its mirror image, each with its edge; all colours share them."""
    one = shape(text.removeprefix(":"))
    sides = (one, mirrored(one)) if text.startswith(":") else (one,)
    return [(side, grown(side, edge) if edge else side) for side in sides]


def _tone(word: str, tones: Mapping[str, Colour]) -> Colour:
    if word.startswith("#"):
        r, g, b = bytes.fromhex(word[1:])
    elif "+" in word:  # towards white, but never white
        name, _, share = word.partition("+")
        r, g, b = (min(round(c + (255 - c) * float(share)), _PALEST) for c in tones[name])
    else:  # towards black
        name, _, share = word.partition("-")
        r, g, b = (round(c * (1 - float(share or 0))) for c in tones[name])
    return r, g, b
