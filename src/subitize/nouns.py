"""Singular, plural and article of the names of things: the only table of them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

PLURALS: Mapping[str, str] = MappingProxyType({
    "person": "people", "man": "men", "woman": "women", "child": "children", "mouse": "mice",
    "goose": "geese", "foot": "feet", "tooth": "teeth", "fish": "fish", "sheep": "sheep",
    "deer": "deer", "knife": "knives", "leaf": "leaves", "loaf": "loaves", "wolf": "wolves",
    "shelf": "shelves", "shoe": "shoes", "cookie": "cookies", "bus": "buses", "series": "series",
    "glasses": "glasses", "scissors": "scissors", "bonsai": "bonsais", "taxi": "taxis",
    "toe": "toes", "necktie": "neckties", "ski": "skis",
    "veggie": "veggies", "hoodie": "hoodies", "brownie": "brownies", "movie": "movies",
    "half": "halves", "scarf": "scarves",
})  # fmt: skip
"""small on purpose: what the rules below get wrong, in either direction, among things people
count"""
_SINGULARS = {several: one for one, several in PLURALS.items()} | {"busses": "bus"}
_HISSING = ("ch", "sh", "x", "ss", "zz")


def plural(noun: str, more: Mapping[str, str] = MappingProxyType({})) -> str:
    """More than one of it; only the last word changes, or the one before "of".

    `more` are further plurals that no rule gives.

    >>> plural("dog"), plural("black leaf"), plural("loaf of bread"), plural("fly"), plural("box")
    ('dogs', 'black leaves', 'loaves of bread', 'flies', 'boxes')
    """
    for one, several in (*more.items(), *PLURALS.items()):
        if noun == one or noun.endswith(f" {one}"):
            return noun.removesuffix(one) + several
    head, of, rest = noun.partition(" of ")
    if of:
        return plural(head, more) + of + rest
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(_HISSING) else f"{noun}s"


def singular(thing: str) -> str:
    """One of these things, in lower case; only the last word changes, or the one before "of".

    >>> [singular(word) for word in ("Apples", "butterflies", "human faces", "boxes", "people")]
    ['apple', 'butterfly', 'human face', 'box', 'person']
    """
    head, of, rest = " ".join(thing.lower().split()).partition(" of ")
    before, space, last = head.rpartition(" ")
    if last in _SINGULARS:
        last = _SINGULARS[last]
    elif last.endswith("ies") and len(last) > 4:
        last = last[:-3] + "y"
    elif last.endswith(("oes", *(f"{end}es" for end in _HISSING))):
        last = last[:-2]
    elif last.endswith("s") and not last.endswith(("ss", "us", "is")):
        last = last[:-1]
    return before + space + last + of + rest


def article(noun: str) -> str:
    """The noun with a or an before it.

    >>> article("apple"), article("loaf of bread")
    ('an apple', 'a loaf of bread')
    """
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"
