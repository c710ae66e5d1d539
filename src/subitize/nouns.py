"""Singular, plural and article of the names of things: the only table of them."""

from __future__ import annotations

import re
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
_SINGULARS = {several: one for one, several in PLURALS.items()} | {
    "busses": "bus", "oxen": "ox", "cacti": "cactus", "dice": "die", "lice": "louse",
    "fungi": "fungus", "octopi": "octopus", "species": "species", "means": "means", "lives": "life",
    "canoes": "canoe", "oboes": "oboe", "hoes": "hoe", "axes": "axe", "pickaxes": "pickaxe",
    "quizzes": "quiz", "lenses": "lens", "gases": "gas", "canvases": "canvas", "irises": "iris",
    "atlases": "atlas", "passersby": "passerby", "lens": "lens", "gas": "gas", "canvas": "canvas",
    "atlas": "atlas",
    **{f"{one}s": one for one in (
        "mustache", "moustache", "headache", "quiche", "brioche", "niche", "cache", "kiwi",
        "bikini", "zucchini", "panini", "martini", "sari", "safari", "emoji",
    )},
}  # fmt: skip
"""also what no rule takes back, and what ends like several but is one"""
_ENDINGS = tuple(
    (re.compile(ending), one)
    for ending, one in {
        r"(?!(?:speci|regi|acu|abdo|ra|o|hy|sta)men)(\w*)men": "man", r"(\w*)people": "person",
        r"(\w*)children": "child", r"(\w+)mice": "mouse", r"(\w+)teeth": "tooth",
        r"(\w+)feet": "foot", r"(\w*kni|\w*wi)ves": "fe", r"(|\w*[^sc])leaves": "leaf",
        r"(\w*(?:shel|sel|wol|cal|hal|thie|hoo|loa|dwar|scar|shea)|el)ves": "f",
        r"(\w*shoe)s": "", r"(?!(?:f|m|exc|acc|recl)uses)(\w*[^aeo]us)es": "",
        r"(\w+)s-by": "-by", r"(\w+)s-up": "-up", r"(\w+)s-in-law": "-in-law",
    }.items()
)  # fmt: skip
"""of compounds (policemen, bookshelves, octopuses, passers-by): what goes, what comes instead"""
_IN_IE = re.compile(
    r"(?:.*[a-z]-|bow|pot|mag)?(?:zomb|smooth|self|bean|goal|rook|budg|hipp|pix|calor|gen|bird|bog|"
    r"talk|ones|coll|prair|newb|mount|hoag|food|group|cut|sweet|aunt|lass|barb|road|freeb|t|p|dogg|"
    r"kidd|eer)ies"
)
_VOWEL = re.compile(r"hour|honest|heir|(?!uni(?!n)|eu|one\b|use|ukulele)[aeiou]", re.IGNORECASE)
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
    >>> [singular(word) for word in ("policemen", "bookshelves", "octopuses", "selfies")]
    ['policeman', 'bookshelf', 'octopus', 'selfie']
    """
    head, of, rest = " ".join(thing.lower().split()).partition(" of ")
    before, space, last = head.rpartition(" ")
    if last in _SINGULARS:
        last = _SINGULARS[last]
    elif (one := _by_ending(last)) != last:
        last = one
    elif _IN_IE.fullmatch(last):
        last = last[:-1]
    elif last.endswith("ies") and len(last) > 4:
        last = last[:-3] + "y"
    elif last.endswith(("oes", *(f"{end}es" for end in _HISSING))):
        last = last[:-2]
    elif last.endswith("s") and not last.endswith(("ss", "us", "is")):
        last = last[:-1]
    return before + space + last + of + rest


def _by_ending(last: str) -> str:
    for ending, one in _ENDINGS:
        if found := ending.fullmatch(last):
            return found[1] + one
    return last


def article(noun: str) -> str:
    """The noun with a or an before it, as it is spoken.

    >>> article("apple"), article("loaf of bread"), article("uniform"), article("hourglass")
    ('an apple', 'a loaf of bread', 'a uniform', 'an hourglass')
    """
    vowel = bool(_VOWEL.match(noun))
    return f"{'an' if vowel else 'a'} {noun}"
