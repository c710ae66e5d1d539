"""The rule: which numbers of a caption count things, and why the others do not."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from subitize.captions.counting import Counting, count_captions
from subitize.captions.progress import Progress
from subitize.captions.reading import Batch
from subitize.captions.rule import REASONS, Rule
from subitize.captions.taggers import open_tagger
from subitize.captions.tally import HAS_NUMBER, Tally
from subitize.captions.words import UNITS
from subitize.errors import BadInput, UnknownName
from subitize.numerals import find_numbers


@pytest.fixture(scope="module")
def rule() -> Rule:
    return Rule(open_tagger())


COUNTED = {
    "1 apple": 1,
    "3 tall trees": 3,
    "An image of 3 bananas and 2 apples": 5,
    "a dozen eggs": 12,
    "half a dozen eggs": 6,
    "3 dozen eggs": 36,
    "twenty one ships": 21,
    "Twenty-One Ships": 21,
    "1,000 paper cranes": 1000,
    "one hundred and five bricks": 105,
    "TWO DOGS AND THREE CATS": 5,
    "３ cats": 3,
    "３\u3000cats": 3,
    "at his feet 3 dogs": 3,
    "٤ birds": 4,
    "3 women's shoes": 3,
    "six coffee cups on a shelf": 6,
    "two pairs of socks": 2,
    "in 2016 20 people moved": 20,
    "in the year 1492 3 ships set sail": 3,
    "On 3rd May 3 swimmers drown": 3,
    "31 of December 4 rockets": 4,
    "$20 for 2 shirts": 2,
    "the first of three bridges": 3,
    "1 empty street": 1,
    "2 main street lamps": 2,
    "3 cars on a road": 3,
    "Paris, 3 women": 3,
    "9 AM meeting with 3 managers": 3,
    "2 USB cables": 2,
    "team won 3 medals": 3,
    "five hundred million stars": 500_000_000,
    "twenty - one guns": 21,
    "Photo 12 - two foxes in snow": 2,
    "2 t-shirts": 2,
    "six flip-flops": 6,
    "4 Wheel Drive Toy Car": 4,
    "Last Week 3 Men Arrested": 3,
    "approx. 10 people": 10,
    "Download 20 free vector icons": 20,
    "half of 2 apples": 2,
    "two thirds of 9 apples": 9,
    "Recipe: whisk 3 eggs": 3,
    "Beckham's three sons": 3,
    "Men's 3 Button Blazer": 3,
    "Pair of 2 Ceramic Lamps": 2,
    "Two Hundred And Five Bricks": 205,
    "10000 fans": 10_000,
    "１００００ fans": 10_000,
    "with 3 gold rings": 3,
    "Group of Three women": 3,
    "5&nbsp;cats": 5,
    "MEN&#39;S 3 BUTTON BLAZER &amp; 2 SHIRTS": 5,
    "men&#39;s 3 button blazer": 3,
}


@pytest.mark.parametrize("caption", COUNTED)
def test_numbers_before_a_noun_are_added_up(rule: Rule, caption: str) -> None:
    assert rule.number(caption) == COUNTED[caption]


REJECTED = {
    "unit": (
        "5 km run", "5kg bag", "70°F weather", "3 square meters", "three long days", "5'10 man",
        "12 megapixels camera", "a 5\" screen", "a 5&quot; screen", "two years", "20 second timer",
        "2 cups flour", "nine microseconds", "100 kPa gauge", "6 foot 2 man",
    ),
    "identifier": (
        "Porsche 911 turbo", "Windows 10 laptop", "Route 66 sign", "nokia lumia 920 phone",
        "a Dodge Ram 1500 truck", "Title 42 rally", "10 main street", "12 ELM ROAD",
        "chapter 3 summary", "10 Downing Street door", "a Ford F 150 truck", "#5 shirt",
        "Formula One driver", "Ocean's Eleven poster", "at Wembley 3 fans",
        "Day 5 photos", "Lot 14 auction", "p. 45 drawings", "no . 1 fan", "World War 2 Soldiers",
        "Maroon 5 singer", "Toy Story 3 Characters", "ocean 's 8 actresses",
        "Levi's 501 jeans", "Cover for nokia 3310 phone", "The Magnificent Seven film poster",
    ),
    "ordinal": ("35th anniversary", "35TH Anniversary", "twenty-first century", "1st place"),
    "year": (
        "2019 calendar", "1950s diner", "80's party", "a 1965 car", "'68 Camaro",
        "79 AD coin", "AD 79 ash",
    ),
    "date": ("July 4 fireworks", "25 December market", "2015-06-01 photos", "on march 8 women"),
    "time": (
        "3 pm sun", "9:30 train", "five o'clock tea", "7 a.m. traffic", "12 noon lunch",
        "quarter past 6 clock face", "half past ten bells",
    ),
    "currency": ("$20 bill", "€50 card", "50 euro note", "50 € note", "USD 20 ticket", "US$ 5 tea"),
    "percentage": ("50% discount", "20 % off", "ten percent cream", "100 Percent Wool Rug"),
    "decimal": ("3.5 stars", "2.5 million people", "12,34 apples", ".45 caliber pistol"),
    "ratio": ("3 of 5 doctors", "1 on 1 meeting", "9 / 11 memorial", "2 for 1 cocktails"),
    "fraction": ("1/2 apple", "two thirds majority", "½ lemon"),
    "range": (
        "5-7 people", "2 or 3 dogs", "50+ ideas", "a 3-1 win", "between 5 and 7 apples",
        "5 To 7 Guests",
    ),
    "size": ("8 x 10 frame", "640x480 image", "3 by 5 card"),
    "code": (
        "MP3 player", "4K monitor", "007 film", "12345678901234567890 items",
        "twenty twenty vision", "two quintillion ants", "seventeen nonillion cats",
        "60139 police truck", "with 925 sterling silver", "316 Stainless Steel Ring",
    ),
    "modifier": ("3-bedroom house", "two-story house"),
    "of": ("one of the dogs", "two of them"),
    "negative": ("-5 apples",),
    "indefinite": ("several hundred people", "dozens of boats", "a pair of shoes"),
    "zero": ("0 people",),
    "no-noun": (
        "table for two", "the four sing together", "no one here", "two large brown dogs",
        "Two is better than one", "the two share a laugh", "family of four enjoying dinner",
        "two young Asian women", "three new Japanese cars",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("reason", "caption"), [(reason, one) for reason, many in REJECTED.items() for one in many]
)
def test_other_numbers_are_rejected_with_their_reason(
    rule: Rule, reason: str, caption: str
) -> None:
    judged = rule.judge(caption)
    assert rule.number(caption) is None
    assert reason in {one.reason for one in judged}, judged
    assert {one.reason for one in judged} <= REASONS.keys()


def test_a_ratio_counts_nobody(rule: Rule) -> None:
    assert [one.reason for one in rule.judge("1 in 5 children")] == ["no-noun", "ratio"]
    assert [one.reason for one in rule.judge("16:9 screen")] == ["ratio", "ratio"]


@pytest.mark.parametrize("word", ["kilometres", "milligram", "gigabytes", "feet", "ml", "hertz"])
def test_prefixes_and_plurals_make_units(word: str) -> None:
    assert word in UNITS


def test_places_are_those_of_the_caption_as_given(rule: Rule) -> None:
    """Lower-casing must not shift them: the small form of İ is two characters."""
    caption = "İSTANBUL: 2 CATS"
    (judged,) = rule.judge(caption)
    assert caption[judged.start : judged.end] == "2"


def test_entities_are_no_numbers(rule: Rule) -> None:
    caption = "Kid&#39;s 3 toys"
    (judged,) = rule.judge(caption)
    assert caption[judged.start : judged.end] == "3"


def test_the_scan_lets_every_number_through() -> None:
    """Else a number would be neither counted nor rejected: ½, ①, 三, 🔟."""
    signs = [chr(code) for code in range(0x80, sys.maxunicode) if chr(code).isnumeric()] + ["🔟"]
    numbers = [sign for sign in signs if find_numbers(f"{sign} cats")]
    assert len(numbers) > 100
    assert pl.Series(numbers).str.contains(HAS_NUMBER).all()


def test_repeated_windows_are_tagged_once() -> None:
    rule = Rule(open_tagger())
    for number in (2, 3, 5, 7):
        assert rule.number(f"{number} tall trees") == number
    assert (rule.asked, rule.tagged) == (4, 1)


def labelled(name: str, part: str) -> list[tuple[str, int | None]]:
    path = Path(__file__).with_name(f"{name}.jsonl")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert sum(row["trap"] for row in rows) >= len(rows) / 2
    return [(row["caption"], row["number"]) for row in rows if row.get("part", "final") == part]


@pytest.mark.parametrize(
    ("name", "part", "least"),
    [
        ("labelled", "build", 281),
        ("labelled", "final", 278),
        ("labelled_second", "build", 364),
        ("labelled_second", "final", 363),
        ("labelled_third", "final", 212),
        ("labelled_fourth", "final", 293),
        ("labelled_fifth", "final", 433),
        ("labelled_sixth", "final", 227),
        ("labelled_seventh", "final", 246),
        ("labelled_eighth", "final", 250),
    ],
)
def test_labelled_captions(rule: Rule, name: str, part: str, least: int) -> None:
    rows = labelled(name, part)
    wrong = [caption for caption, number in rows if rule.number(caption) != number]
    assert len(rows) - len(wrong) >= least, wrong


@pytest.mark.parametrize("written", [str, str.lower, str.upper, str.title])
def test_windows_say_what_whole_captions_do(rule: Rule, written: Callable[[str], str]) -> None:
    """The quick way and the thorough one are one rule."""
    sets = (("labelled", "build"), ("labelled_second", "build"), ("labelled_fifth", "final"))
    captions = [written(caption) for one in sets for caption, _ in labelled(*one)]
    tally = Tally()
    tally.add(Batch(pl.Series(captions)), rule)  # after which no sample is wanted
    places, numbers = tally.add(Batch(pl.Series(captions)), rule)
    found = dict(zip(places, numbers, strict=True))
    assert [found.get(place) for place in range(len(captions))] == [*map(rule.number, captions)]


def test_an_unknown_tagger_is_said() -> None:
    with pytest.raises(UnknownName, match="textblob"):
        open_tagger("texblob")
    with pytest.raises(BadInput, match="spaCy"):
        open_tagger("spacy:no_such_pipeline")


def test_the_tagger_comes_without_nltk() -> None:
    """Which would be most of a worker's start; and leaves TextBlob whole for others."""
    code = (
        "import sys; from subitize.captions.taggers import open_tagger; open_tagger()\n"
        "assert not {'nltk', 'scipy'} & sys.modules.keys(), 'loaded'\n"
        "from textblob import TextBlob; assert 'nltk' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_spacy_pipeline_by_its_path_and_its_agreement(tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy", reason="spaCy is for those who have it")
    nlp = spacy.blank("en")
    tagger = nlp.add_pipe("tagger")
    for label in ("CD", "NNS", "JJ", "IN"):
        tagger.add_label(label)
    nlp.initialize()
    nlp.to_disk(tmp_path / "pipeline")
    file = tmp_path / "a.jsonl"
    file.write_text('{"caption": "two dogs"}\n{"caption": "3 tall trees"}\n')
    how = Counting(tagger=f"spacy:{tmp_path / 'pipeline'}")
    _, result = count_captions([str(file)], tmp_path / "out", how, Progress(show=False))
    assert result["tagger"][0] == how.tagger
    assert result["agreement"]["trials"] == 2
    assert 0 <= result["agreement"]["value"] <= 1
