"""Statements: the released ones to the letter, and our own in good English."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner

from subitize.cli import root
from subitize.datasets.probe.released import check_statements, read_split
from subitize.datasets.probe.statements import MASK, question_and_answer, statement
from subitize.errors import BadInput

SPLITS = {
    "hard_split.test": (1352, 4040),
    "interpolation_split.test": (2013, 5998),
    "interpolation_split.train": (3303, 9840),
    "standard_split.test": (3622, 10800),
}


@pytest.mark.parametrize("split", SPLITS)
def test_every_released_statement_comes_out_exactly(
    probe_split: Callable[[str], Path], split: str
) -> None:
    path = probe_split(split)
    found = CliRunner().invoke(
        root, ["probe", "statements", str(path), "--mode", "published", "--check", "--json"]
    )
    told = orjson.loads(found.stdout)
    items, foils = SPLITS[split]
    assert (told["items"], told["exact"]) == (items, items)
    assert (told["foils"], told["foils_exact"]) == (foils, foils)
    assert told["broken"]["fewer-than-three-foils"]
    assert not told["differing"]


FLUENT = {
    ("How many people are in the picture?", 1): "There is 1 person in the picture.",
    ("How many people are in the picture?", 3): "There are 3 people in the picture.",
    ("How many benches are there?", 1): "There is 1 bench.",
    ("How many red cars can you see?", 3): "You see 3 red cars.",
    ("How many CPU towers are there?", 1): "There is 1 CPU tower.",
    ("How many bottles have blue caps?", 1): "1 bottle has a blue cap.",
    ("How many ties does the man have on?", 1): "The man has 1 tie on.",
    ("How many tusks do the elephants have?", 2): "The elephants have 2 tusks.",
    ("How many elephants do not have a hat?", 1): "1 elephant does not have a hat.",
    ("How many men are there that are wearing hats?", 1): "There is 1 man that is wearing a hat.",
    ("How many players wear red shorts?", 1): "1 player wears red shorts.",
    ("How many slices of pizza have been eaten?", 1): "1 slice of pizza has been eaten.",
    ("How many of the men are tall?", 1): "1 of the men is tall.",
    ("How many wine glasses do you see?", 1): "There is 1 wine glass.",
    ("How many leaves?", 1): "There is 1 leaf.",
    ("How many sheep are black?", 1): "1 sheep is black.",
    ("How many sheep are black?", 2): "2 sheep are black.",
    ("How many are in the water?", 2): "There are 2 in the water.",
    ("How many get awards?", 4): "4 get awards.",
    ("How many hold kites?", 1): "1 holds kites.",
    ("How many dogs have collars?", 1): "1 dog has a collar.",
    ("How many can you see?", 1): "You see 1.",
    ("How many have hats?", 1): "1 has a hat.",
    ("How many wear goggles?", 3): "3 wear goggles.",
    ("How many are still young?", 1): "1 is still young.",
    ("How many cars make up the train?", 1): "1 car makes up the train.",
    ("How many wires pass over the clock?", 1): "1 wire passes over the clock.",
    ("How many signs on the pole face the camera?", 1): "1 sign on the pole faces the camera.",
    ("How many people riding the horses?", 1): "There is 1 person riding the horses.",
    ("How many parking meters are shown?", 1): "There is 1 parking meter shown.",
    ("How many do not enter signs are there?", 1): "There is 1 do not enter sign.",
    ("How many tires can we see on the plane?", 3): "We can see 3 tires on the plane.",
    ("How many hours can someone park here?", 2): "Someone can park 2 hours here.",
    ("How many surfboards are the men holding?", 2): "The men are holding 2 surfboards.",
    ("How many legs are the bear walking on?", 1): "The bear is walking on 1 leg.",
    ("How many stories are these buildings?", 3): "These buildings are 3 stories.",
    ("How many of the people are children?", 1): "1 of the people is a child.",
    ("How many numbers are not roman numerals?", 1): "1 number is not a roman numeral.",
    ("How many boys are not wearing shirts?", 1): "1 boy is not wearing a shirt.",
    (
        "How many letters and numbers are on the sign?",
        1,
    ): "There is 1 letter or number on the sign.",
    ("How many red and gold flags are there?", 1): "There is 1 red and gold flag.",
    ("How many men who have hats?", 1): "There is 1 man who has a hat.",
    ("How many photos were taken?", 1): "1 photo was taken.",
    ("How many people do you count?", 1): "There is 1 person.",
    ("How many glasses of wine are there?", 1): "There is 1 glass of wine.",
    ("How many pink pants are there?", 1): "There is 1 pair of pink pants.",
    ("How many pairs of skis are there?", 1): "There is 1 pair of skis.",
    ("How many yellow busses are there?", 1): "There is 1 yellow bus.",
    ("How many tv's are there?", 1): "There is 1 tv.",
    ("How many Men are here?", 1): "There is 1 man here.",
    ("How many drawers are under the t.v.?", 2): "There are 2 drawers under the t.v.",
}
INVENTED = {
    "How many dogs are there ??": ("There are 3 dogs.", "There is 1 dog."),
    "how many dogs are there": ("There are 3 dogs.", "There is 1 dog."),
    "HOW MANY DOGS ARE THERE?": ("There are 3 dogs.", "There is 1 dog."),
    "How many dogs were there?": ("There were 3 dogs.", "There was 1 dog."),
    "How many dogs were there in the yard?": (
        "There were 3 dogs in the yard.", "There was 1 dog in the yard."),
    "How many policemen are there?": ("There are 3 policemen.", "There is 1 policeman."),
    "How many horses aren't moving?": ("3 horses aren't moving.", "1 horse isn't moving."),
    "How many men don’t have a hat?": ("3 men don't have a hat.", "1 man doesn't have a hat."),
    "How many dogs, if any, are eating?": ("There are 3 dogs eating.", "There is 1 dog eating."),
    "How many cats, excluding the black one, are there?": (
        "There are 3 cats, excluding the black one.", "There is 1 cat, excluding the black one."),
    "How many forks, knives, and spoons are there?": (
        "There are 3 forks, knives, and spoons.", "There is 1 fork, knife, or spoon."),
    "How many people do you think are here?": (
        "There are 3 people here.", "There is 1 person here."),
    "How many traffic lights are red?": ("3 traffic lights are red.", "1 traffic light is red."),
    "How many men that are sitting have cups?": (
        "3 men that are sitting have cups.", "1 man that is sitting has cups."),
    "How many people near the cows that have horns?": (
        "There are 3 people near the cows that have horns.",
        "There is 1 person near the cows that have horns."),
    "How many zebras have their heads down?": (
        "3 zebras have their heads down.", "1 zebra has its head down."),
    "How many bowls have soup in them?": ("3 bowls have soup in them.", "1 bowl has soup in it."),
    "How many women have their hands up?": (
        "3 women have their hands up.", "1 woman has her hands up."),
    "How many men are carrying their surfboards?": (
        "There are 3 men carrying their surfboards.", "There is 1 man carrying his surfboard."),
    "How many surfers are carrying their boards?": (
        "There are 3 surfers carrying their boards.", "There is 1 surfer carrying their board."),
    "How many men are holding her bags?": (
        "There are 3 men holding her bags.", "There is 1 man holding her bags."),
    "How many humans have dogs with them?": (
        "3 humans have dogs with them.", "1 human has dogs with them."),
    "How many flags are raised on their poles?": (
        "There are 3 flags raised on their poles.", "There is 1 flag raised on its pole."),
    "How many men with beards and hats are there?": (
        "There are 3 men with beards and hats.", "There is 1 man with a beard and a hat."),
    "How many different kinds of birds are there?": (
        "There are 3 different kinds of birds.", "There is 1 kind of bird."),
    "How many people's hands are up?": ("There are 3 people's hands up.",
        "There is 1 person's hand up."),
    "How many luggage are there?": ("There are 3 pieces of luggage.",
        "There is 1 piece of luggage."),
    "How many brown cattle are there?": ("There are 3 brown cattle.",
        "There is 1 head of brown cattle."),
    "How many cows graze in the field?": (
        "3 cows graze in the field.", "1 cow grazes in the field."),
    "How many slices of cake remain?": ("3 slices of cake remain.", "1 slice of cake remains."),
    "How many minutes until noon?": ("There are 3 minutes until noon.",
        "There is 1 minute until noon."),
    "How many animals face left and have horns?": (
        "3 animals face left and have horns.", "1 animal faces left and has horns."),
    "How many animals are facing left and have horns?": (
        "3 animals are facing left and have horns.", "1 animal is facing left and has horns."),
    "How many pieces are the pizzas cut into?": (
        "The pizzas are cut into 3 pieces.", "The pizzas are cut into 1 piece."),
    "How many are kids?": ("3 are kids.", "1 is a kid."),
    "How many horns do each of the goats have?": (
        "Each of the goats has 3 horns.", "Each of the goats has 1 horn."),
    "How many vases are the same color?": (
        "3 vases are the same color.", "1 vase is the same color."),
    "How many sheep are there that are lying down?": (
        "There are 3 sheep that are lying down.", "There is 1 sheep that is lying down."),
    "How many scissors are there?": (
        "There are 3 pairs of scissors.", "There is 1 pair of scissors."),
    "How many zebras' heads can be seen?": (
        "3 zebras' heads can be seen.", "1 zebra's head can be seen."),
    "How many men in dark suits are there?": (
        "There are 3 men in dark suits.", "There is 1 man in a dark suit."),
    "How many runways, and how many planes are visible?": (None, None),
    "How many cows are there, and are they brown?": (None, None),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "told"), FLUENT.items())
def test_fluent_statements_are_good_english(asked: tuple[str, int], told: str) -> None:
    assert statement(*asked) == told


@pytest.mark.parametrize(("asked", "told"), INVENTED.items())
def test_wordings_of_other_data_sets_are_good_english(
    asked: str, told: tuple[str | None, str | None]
) -> None:
    assert (statement(asked, 3), statement(asked, 1)) == told


def test_only_a_sentence_that_begins_with_there_are_becomes_there_is() -> None:
    asked = "How many signs can you see that say There are bears?"
    assert statement(asked, 1, "published") == "You see 1 sign that say There are bears."
    assert statement("How many cars are there?", 1, "published") == "There is 1 car."


def test_published_statements_begin_behind_how_many() -> None:
    assert statement("In this room, How many cats are there?", 1, "published") == "There is 1 cat."


def test_a_mask_stands_for_the_number() -> None:
    assert statement("How many cars are parked?", MASK) == "There are [MASK] cars parked."
    assert question_and_answer("How many cars?", 2) == "How many cars? [SEP] 2"


@pytest.mark.parametrize(
    "question",
    [
        "How many eggs did she use?",
        "How many people are the picture?",
        "How many years have they been open?",
        "How many pieces was the cake cut into?",
        "How many people are there and what are they doing?",
    ],
)
def test_words_in_the_order_of_a_question_are_no_statement(question: str) -> None:
    assert statement(question, 2) is None
    assert statement(question, 2, "published")


@pytest.mark.parametrize("question", ["What is this?", "How many legs is he using?", "", "?"])
def test_a_question_that_fits_no_template_has_no_statement(question: str) -> None:
    assert statement(question, 2) is None
    assert statement(question, 2, "published") is None


GOOD = {"image_file": "a.jpg", "caption": "How many cats?", "answer": 2, "foils": [1, 3, 4]}


def write(folder: Path, **changes: object) -> Path:
    path = folder / "split.json"
    path.write_bytes(orjson.dumps({"one": GOOD | changes}))
    return path


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"answer": "two"}, "'two' is no whole number"),
        ({"answer": True}, "True is no whole number"),
        ({"foils": [1, 2.5]}, "2.5 is no whole number"),
        ({"foils": "1,2"}, "the foils are no list"),
        ({"image_file": "../a.jpg"}, "outside the folder of pictures"),
    ],
)
def test_a_wrong_entry_is_named_with_its_place(
    tmp_path: Path, changes: dict[str, object], said: str
) -> None:
    with pytest.raises(BadInput, match=said):
        read_split(write(tmp_path, **changes))


def test_wrong_entries_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "split.json"
    path.write_bytes(orjson.dumps({"a": GOOD, "b": GOOD | {"answer": "two"}, "c": {}}))
    with pytest.raises(BadInput, match=r"^2 of 3 items can't be used; the first: .*: b: 'two' is"):
        read_split(path)


def test_faults_are_counted_and_named(tmp_path: Path) -> None:
    (item,) = read_split(write(tmp_path, foils=[2, 3, 3]))
    assert item.faults == ("foil-equals-answer", "repeated-foil")
    assert item.wrong_numbers == (3,)
    told = check_statements([item], "fluent")
    assert told["broken"] == {"foil-equals-answer": 1, "repeated-foil": 1}
    assert told["broken_first"]["repeated-foil"] == "one"


def test_what_is_no_split_is_said(tmp_path: Path) -> None:
    path = tmp_path / "list.json"
    path.write_text("[]")
    with pytest.raises(BadInput, match="holds no items"):
        read_split(path)
    path.write_text('{"a": {"caption": "x"}}')
    with pytest.raises(BadInput, match="lacks image_file, answer, foils"):
        read_split(path)


@pytest.mark.parametrize("split", ["hard_split.test", "interpolation_split.test"])
def test_a_mask_stands_where_the_released_statement_has_its_number(
    probe_split: Callable[[str], Path], split: str
) -> None:
    for one in read_split(probe_split(split)):
        masked = statement(one.question, one.answer, "published", shown=MASK)
        assert masked is not None
        assert masked.count(MASK) == 1
        assert masked.replace(MASK, str(one.answer)) == one.statement
