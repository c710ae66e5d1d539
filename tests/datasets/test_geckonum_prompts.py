"""GeckoNum's prompts are the published ones, and new ones follow the same rules."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from subitize.benchmarks.prompt_files import packed_prompts
from subitize.datasets.geckonum.prompts import (
    COLUMNS,
    Prompt,
    make_prompts,
    read_prompts,
)
from subitize.datasets.geckonum.recipe import DRAWN_TYPES, NOUNS, Recipe, load_recipe
from subitize.errors import BadInput, UnknownName
from subitize.numerals import from_words

SIZES = {
    "numeric_simple": 600, "attribute-color": 160, "numeric_sentence": 100, "2-additive": 100,
    "2-additive-color": 100, "3-additive": 100, "attribute-spatial": 100, "approx-1-entity": 24,
    "approx-2-entity": 45, "fractional-simple": 36, "part-whole": 15, "fractional-complex": 6,
}  # fmt: skip


def made(seed: int = 0, recipe: Recipe | None = None) -> list[Prompt]:
    return make_prompts(recipe or Recipe(), np.random.default_rng(seed))


def test_sizes_of_table_a2() -> None:
    assert Counter(prompt.prompt_type for prompt in made()) == SIZES


def test_ruled_prompts_are_the_published_ones(data_dir: Path) -> None:
    released = read_prompts(data_dir / "geckonum" / "prompts.csv")
    ours = made()
    ruled = [
        (a, b) for a, b in zip(ours, released, strict=True) if b.prompt_type not in DRAWN_TYPES
    ]
    assert len(ruled) == 986
    assert [a for a, _ in ruled] == [b for _, b in ruled]
    assert [p.prompt_type for p in ours] == [p.prompt_type for p in released]


def test_released_file_comes_back_byte_by_byte(data_dir: Path) -> None:
    path = data_dir / "geckonum" / "prompts.csv"
    entries = [asdict(prompt) for prompt in read_prompts(path)]
    assert packed_prompts(entries, "csv") == path.read_bytes()


def test_released_draws_follow_the_rule_that_ours_follow(data_dir: Path) -> None:
    released = read_prompts(data_dir / "geckonum" / "prompts.csv")
    for prompts in (released, made()):
        for prompt in prompts:
            if prompt.prompt_type in DRAWN_TYPES:
                assert_follows_rule(prompt)


def assert_follows_rule(prompt: Prompt) -> None:
    things = prompt.things()
    names = [name for name, _ in things]
    assert len(set(names)) == len(names) == (3 if prompt.prompt_type == "3-additive" else 2)
    highest = 4 if prompt.prompt_type == "2-additive-color" else 5
    numerals = re.findall(r"\d+|\b(?:one|two|three|four|five)\b", prompt.prompt.lower())
    values = [int(n) if n.isdigit() else from_words(n) for n in numerals]
    assert values == [int(number) for _, number in things]
    assert all(1 <= int(number) <= highest for _, number in things)
    assert prompt.has_numeral == int(any(not n.isdigit() for n in numerals))
    assert prompt.is_frequent == -1
    if prompt.prompt_type == "attribute-spatial":
        assert re.match(r"There (is|are) .* (above|below|to the (left|right) of) ", prompt.prompt)
    assert prompt.prompt[0] == prompt.prompt[0].upper()
    assert prompt.prompt.endswith(".")


def test_seed_decides_the_draws_alone() -> None:
    one, same, other = made(1), made(1), made(2)
    assert one == same
    differ = {a.prompt_type for a, b in zip(one, other, strict=True) if a != b}
    assert differ == DRAWN_TYPES
    for kind in DRAWN_TYPES:
        texts = [prompt.prompt for prompt in one if prompt.prompt_type == kind]
        assert len(set(texts)) == 100


def test_grammar_counts_the_fish() -> None:
    for seed in range(3):
        for prompt in made(seed):
            if prompt.prompt_type == "attribute-spatial":
                verb = "is" if prompt.things()[0][1] == "1" else "are"
                assert prompt.prompt.startswith(f"There {verb} ")


def test_threshold_parts_the_papers_nouns() -> None:
    pytest.importorskip("wordfreq")
    blank = Recipe(frequent=frozenset(), rare=frozenset())
    for nouns in NOUNS.values():
        for noun in nouns:
            assert blank.is_frequent(noun) == (noun in Recipe().frequent), noun


RECIPE = """
name = "tools"
types = ["numeric_simple", "2-additive", "attribute-color", "attribute-spatial"]
simple_digits = [1, 12]
simple_words = [12]
colours = ["purple"]
colour_nouns = ["mouse"]
colour_numbers = [2]
drawn = 3
[nouns]
workshop = ["hammer", "awl", "house"]
[plurals]
mouse = "mice"
[relations]
behind = "in front of"
"in front of" = "behind"
"""


def test_a_recipe_for_other_things(tmp_path: Path) -> None:
    pytest.importorskip("wordfreq")
    path = tmp_path / "tools.toml"
    path.write_text(RECIPE)
    found = made(0, load_recipe(path))
    simple = [p for p in found if p.prompt_type == "numeric_simple"]
    assert [p.prompt for p in simple] == [
        "1 hammer.", "1 awl.", "1 house.", "12 hammers.", "12 awls.", "12 houses.",
        "Twelve hammers.", "Twelve awls.", "Twelve houses.",
    ]  # fmt: skip
    assert {p.prompt: p.is_frequent for p in simple}["1 awl."] == 0
    assert {p.prompt: p.is_frequent for p in simple}["1 house."] == 1
    assert "2 purple mice." in [p.prompt for p in found]
    assert all(re.search("behind|in front of", p.prompt) for p in found[-3:])
    assert found[0].dataset_id == "tools_00000"


@pytest.mark.parametrize(
    ("content", "problem", "words"),
    [
        ("colors = ['red']", UnknownName, "colours"),
        ("types = ['numeric-simple']", UnknownName, "numeric_simple"),
        ("simple_digits = ['one']", BadInput, "whole number from 1"),
        ("drawn = -1", BadInput, "whole number"),
        ("colours = 'red'", BadInput, "list of words"),
        ("[relations]\nbehind = 'in front of'", BadInput, "list both"),
        ("[nouns]\nodd = ['a,b']", BadInput, "comma"),
        ("pairs = [['a']]", BadInput, "2 words"),
        ("x = ", BadInput, "not TOML"),
    ],
)
def test_bad_recipes_are_named(
    tmp_path: Path, content: str, problem: type[Exception], words: str
) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(content)
    with pytest.raises(problem, match=re.escape(words)):
        load_recipe(path)


def test_too_small_a_recipe_is_named() -> None:
    few = Recipe(types=("2-additive",), nouns={"a": ("cup", "box")}, additive_numbers=(1,))
    with pytest.raises(BadInput, match="Only 8 different 2-additive"):
        made(0, few)
    with pytest.raises(BadInput, match="3 different things: found 2"):
        made(0, Recipe(types=("3-additive",), nouns={"a": ("cup", "box")}))


def test_formats() -> None:
    prompts = made()[:2]
    entries = [asdict(prompt) for prompt in prompts]
    assert packed_prompts(entries, "txt") == b"1 dog.\n1 fish.\n"
    assert packed_prompts(entries, "csv").splitlines()[1] == (
        b"0,1 dog.,0,1,dog:1,numeric_simple,geckonum_00000"
    )
    assert b'"entities": "fish:1"' in packed_prompts(entries, "json", whole=True)
    with pytest.raises(UnknownName, match="csv"):
        packed_prompts(entries, "cvs")


HEADER = ",".join(COLUMNS) + "\n"
LINE = "0,1 dog.,0,1,dog:1,numeric_simple,geckonum_00000\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"index,prompt\n", "lacks the column has_numeral"),
        (HEADER.encode(), "holds no prompts"),
        (HEADER.encode() + b"x" + LINE.encode()[1:], "prompts.csv:2: index is 'x'"),
        (
            HEADER.encode() + 2 * LINE.encode(),
            ":3: the id geckonum_00000 stands there twice",
        ),
        (HEADER.encode() + LINE.replace("dog:1", "").encode(), "prompts.csv:2 lacks entities"),
        (HEADER.encode() + "0,1 café.".encode("latin-1"), "prompts.csv:2 is not UTF-8"),
    ],
)
def test_bad_prompt_files_are_named(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "prompts.csv"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=re.escape(words)):
        read_prompts(path)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_marked_encodings_are_read(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "prompts.csv"
    path.write_bytes((HEADER + LINE).encode(encoding))
    assert read_prompts(path)[0].prompt == "1 dog."
