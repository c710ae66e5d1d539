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
    assert [article(noun) for noun in ("egg", "Olive", "pizza")] == [
        "an egg",
        "an Olive",
        "a pizza",
    ]
