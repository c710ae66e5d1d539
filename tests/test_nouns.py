"""One table of singulars and plurals, right in both directions."""

from __future__ import annotations

import pytest

from subitize.datasets.geckonum.recipe import NOUNS
from subitize.nouns import PLURALS, article, plural, singular

COUNTED = [
    ("apple", "apples"), ("butterfly", "butterflies"), ("box", "boxes"), ("brush", "brushes"),
    ("church", "churches"), ("dress", "dresses"), ("toy", "toys"), ("lychee", "lychees"),
    ("pistachio", "pistachios"), ("keyboard key", "keyboard keys"), ("cookie", "cookies"),
    ("red leaf", "red leaves"), ("loaf of bread", "loaves of bread"), ("bus", "buses"),
    ("grain of rice", "grains of rice"), ("jelly fish", "jelly fish"), ("taxi", "taxis"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "several"), [*COUNTED, *PLURALS.items()])
def test_there_and_back(one: str, several: str) -> None:
    assert plural(one) == several
    assert singular(several) == one
    assert singular(several.title()) == one


ONES = {
    "policemen": "policeman", "women": "woman", "salespeople": "salesperson",
    "grandchildren": "grandchild", "mustaches": "mustache", "bookshelves": "bookshelf",
    "calves": "calf", "thieves": "thief",
    "housewives": "housewife", "olives": "olive", "sleeves": "sleeve", "valves": "valve",
    "octopuses": "octopus", "blouses": "blouse", "fuses": "fuse", "horseshoes": "horseshoe",
    "canoes": "canoe", "potatoes": "potato", "selfies": "selfie", "pennies": "penny", "oxen": "ox",
    "species": "species", "passers-by": "passer-by", "kiwis": "kiwi", "lenses": "lens",
    "specimen": "specimen", "lens": "lens", "bow-ties": "bow-tie", "quizzes": "quiz",
}  # fmt: skip


@pytest.mark.parametrize(("several", "one"), ONES.items())
def test_one_of_what_no_rule_takes_back(several: str, one: str) -> None:
    assert singular(several) == one


def test_geckonums_nouns_come_back() -> None:
    for noun in (noun for nouns in NOUNS.values() for noun in nouns):
        assert singular(plural(noun)) == noun


def test_what_is_one_already_stays() -> None:
    for noun in ("apple", "cactus", "glass", "person", "", "iris"):
        assert singular(noun) == noun


def test_further_plurals_go_first() -> None:
    assert plural("black mouse", {"mouse": "mouses"}) == "black mouses"
    assert plural("jelly fish", {"jelly fish": "jellies"}) == "jellies"


def test_articles() -> None:
    nouns = ("egg", "Olive", "pizza", "uniform", "unicorn", "umbrella", "hour")
    assert [article(noun).split()[0] for noun in nouns] == ["an", "an", "a", "a", "a", "an", "an"]
