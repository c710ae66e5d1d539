"""The name of a thing as a detector is asked for it."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["singular"]

IRREGULAR: Mapping[str, str] = {
    "people": "person",
    "men": "man",
    "women": "woman",
    "children": "child",
    "mice": "mouse",
    "geese": "goose",
    "feet": "foot",
    "teeth": "tooth",
    "fish": "fish",
    "sheep": "sheep",
    "deer": "deer",
    "knives": "knife",
    "leaves": "leaf",
    "wolves": "wolf",
    "shelves": "shelf",
    "shoes": "shoe",
    "glasses": "glasses",
    "scissors": "scissors",
    "series": "series",
    "buses": "bus",
}
"""small on purpose: what the rules below get wrong among things people count"""


def singular(thing: str) -> str:
    """One of these things, in lower case; only the last word changes.

    >>> [singular(word) for word in ("Apples", "butterflies", "human faces", "boxes", "people")]
    ['apple', 'butterfly', 'human face', 'box', 'person']
    """
    words = thing.lower().split()
    if not words:
        return ""
    last = words[-1]
    if last in IRREGULAR:
        last = IRREGULAR[last]
    elif last.endswith("ies") and len(last) > 4:
        last = last[:-3] + "y"
    elif last.endswith(("ches", "shes", "xes", "sses", "zzes", "oes")):
        last = last[:-2]
    elif last.endswith("s") and not last.endswith(("ss", "us", "is")):
        last = last[:-1]
    return " ".join([*words[:-1], last])
