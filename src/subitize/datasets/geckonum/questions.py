"""The questions people are asked about a picture of each prompt, with their true answers.

Task 1 and 2 are word for word those of the release. Task 3 there came from a scene-graph
generator whose wording varies; ours come from the prompt's structure: is the thing there, are
there as many as asked, is the part there, does it have its attribute. Questions that have nothing
to do with number (is this an image, is there a table, is it on the table) are left out, as the
paper left them out of its analyses.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from subitize.datasets.archives import members
from subitize.datasets.geckonum.prompts import Prompt
from subitize.datasets.geckonum.recipe import TASK_OF_TYPE, Recipe
from subitize.errors import BadInput
from subitize.files import csv_text, decoded, read_entries
from subitize.nouns import article
from subitize.numerals import from_words, to_words

TASK_3_FILE = re.compile(r"task_3_.+\.csv", re.IGNORECASE)
COLOURED = frozenset({"attribute-color", "2-additive-color"})
LINE_QUESTION = "Which line describes the image the best?"
ONE_ENTITY_CODES = {"no": 0, "few": 2, "many": 3}
"""the paper's appendix gives many the code 4; the release writes 3 for prompts and answers"""
TWO_ENTITY_CODES = {"fewer": 2, "as many": 3, "more": 4}
NO_TRUTH = ("geckonum_01209", "Two black cats and 2 red cats.", "How many cats are in the image?")
"""the one question of the release that the paper had no true answer for"""
MISWORDED = {
    "geckonum_01294": "There are three cinnamon sticks above three burgers.",
    "geckonum_01302": "There are four pizzas below one cinnamon stick.",
    "geckonum_01334": "There are two books below 2 cinnamon sticks.",
    "geckonum_01345": "There are 4 trowels to the right of five cinnamon sticks.",
    "geckonum_01351": "There are five mushrooms above 4 cinnamon sticks.",
    "geckonum_01353": "There are 2 cinnamon sticks to the right of 5 mushrooms.",
    "geckonum_01379": "There is three fish to the right of four cinnamon sticks.",
    "geckonum_01382": "There are five flutes to the left of 3 cinnamon sticks.",
}
"""prompts whose placed questions the release words wrongly: it took `cinnamon sticks` apart"""
CUT = re.compile(
    r"^An? (?P<noun>.+?) (?:is )?(?P<how>cut|broken) into (?P<into>[^.]+)\.(?P<more>.*)"
)
ANOTHER = re.compile(r"^There (?:is|are) (?P<number>\w+) .+ and (?P<part>half|quarter) of another ")
BROKEN = re.compile(r"^There (?:is|are) (?P<number>\w+) .+, but .+ is broken into (?P<into>.+)\.$")
HALVES = re.compile(r"one half of it is (?P<one>.+?) and the other half is (?P<other>.+)\.$")
THERE_ARE = re.compile(r"There are (?P<rest>(?:only a few|many|no) [^.]+)\.")


class Question(NamedTuple):
    """One question about pictures of one prompt."""

    dataset_id: str
    """the prompt"""
    task: int
    """1 count, 2 choose a line, 3 yes or no"""
    question_id: int
    """place among the prompt's questions of this task, from 0"""
    question: str
    """the words shown"""
    truth: float | None
    """number (task 1), code of the line (task 2), 1 for yes (task 3); None if there is none"""
    noun: str = ""
    """task 1: the thing asked about, singular, without colour"""
    lines: tuple[tuple[int, str], ...] = ()
    """task 2: code and words of each line, in the order shown"""


class Claim(NamedTuple):
    """One thing a prompt says."""

    question: str
    """yes, if the picture fits"""
    premise: int | None = None
    """place of the question without whose yes this one makes no sense"""


def make_questions(
    prompts: Sequence[Prompt], recipe: Recipe | None = None, *, mended: bool = False
) -> list[Question]:
    """All questions of all prompts, the prompts in their order.

    `mended` asks what the release meant where it worded a question wrongly (eight prompts).
    """
    recipe = recipe or Recipe()
    return [one for prompt in prompts for one in _of_prompt(prompt, recipe, mended)]


def _of_prompt(prompt: Prompt, recipe: Recipe, mended: bool) -> list[Question]:
    if not mended and MISWORDED.get(prompt.dataset_id) == prompt.prompt:
        return _misworded(prompt, recipe)
    task = TASK_OF_TYPE.get(prompt.prompt_type)
    if task is None:
        known = ", ".join(TASK_OF_TYPE)
        raise prompt.wrong(f"has the unknown type {prompt.prompt_type!r}: known are {known}.")
    if task == 1:
        return _counting(prompt, recipe)
    if task == 2:
        return _line_choice(prompt, recipe)
    return [
        Question(prompt.dataset_id, 3, place, text, 1.0)
        for place, text in enumerate(yes_no_questions(prompt, recipe))
    ]


# Task 1


def colourless(thing: str, prompt_type: str) -> str:
    """The noun of an entity: in the coloured types its first word is the colour.

    >>> colourless("red cat", "attribute-color"), colourless("cinnamon stick", "2-additive")
    ('cat', 'cinnamon stick')
    """
    return thing.partition(" ")[2] if prompt_type in COLOURED else thing


def _counting(prompt: Prompt, recipe: Recipe) -> list[Question]:
    asked: dict[str, tuple[float | None, str]] = {}
    things = [(thing, _number(prompt, number)) for thing, number in prompt.things()]
    for thing, number in things:
        noun = colourless(thing, prompt.prompt_type)
        total = sum(n for one, n in things if colourless(one, prompt.prompt_type) == noun)
        asked.setdefault(_how_many(noun, recipe), (total, noun))
        if thing != noun:
            asked.setdefault(_how_many(thing, recipe), (number, noun))
    if prompt.prompt_type == "attribute-spatial":
        asked |= _placed(prompt, recipe)
    if prompt.dataset_id == NO_TRUTH[0] and prompt.prompt == NO_TRUTH[1]:
        asked[NO_TRUTH[2]] = (None, "cat")
    return [
        Question(prompt.dataset_id, 1, place, text, truth, noun)
        for place, (text, (truth, noun)) in enumerate(asked.items())
    ]


def _number(prompt: Prompt, number: str) -> int:
    if not number.isdecimal():
        raise prompt.wrong(f"has the number {number!r}, which is no whole number.")
    return int(number)


def _how_many(thing: str, recipe: Recipe) -> str:
    return f"How many {recipe.plural(thing)} are in the image?"


def _placed(prompt: Prompt, recipe: Recipe) -> dict[str, tuple[float | None, str]]:
    """Questions for the first thing in the prompt's relation, and for the second in its reverse."""
    (one, first), (other, second) = prompt.things()
    ones, others = recipe.plural(one), recipe.plural(other)
    relation = recipe.relation_in(prompt.prompt)
    if not relation:
        known = ", ".join(recipe.relations)
        raise prompt.wrong(f"names no known relation: known are {known}.")
    return {
        f"How many {ones} are {relation} {others}?": (float(first), one),
        f"How many {others} are {recipe.relations[relation]} {ones}?": (float(second), other),
    }


def _misworded(prompt: Prompt, recipe: Recipe) -> list[Question]:
    """The release's three questions where one thing has a name of two words.

    The placed question names that thing's last word alone, and where it is the first thing, asks
    for the reverse relation: by the paper's rule its truth is then the second thing's number.
    """
    ours = _counting(prompt, recipe)
    placed = ours[2] if " " in prompt.things()[1][0] else ours[3]
    two_words = ours[1].noun if placed is ours[2] else ours[0].noun
    named = recipe.plural(two_words)
    relation = placed.question.partition(" are ")[2].removesuffix(f" {named}?")
    text = f"How many {recipe.plural(ours[0].noun)} are {relation} {named.split()[-1]}?"
    ids = (0, 2, 3) if placed is ours[2] else (1, 2, 4)
    asked = (ours[0], ours[1], placed._replace(question=text))
    return [one._replace(question_id=place) for one, place in zip(asked, ids, strict=True)]


# Task 2


def _line_choice(prompt: Prompt, recipe: Recipe) -> list[Question]:
    quantity = prompt.things()[0][1]
    if prompt.prompt_type == "approx-1-entity":
        codes, lines = ONE_ENTITY_CODES, _three_lines(prompt)
    else:
        codes, lines = TWO_ENTITY_CODES, _five_lines(prompt, recipe)
    if quantity not in codes:
        raise prompt.wrong(f"has the quantity {quantity!r}: known are {', '.join(codes)}.")
    truth = float(codes[quantity])
    return [Question(prompt.dataset_id, 2, 0, LINE_QUESTION, truth, lines=lines)]


def _three_lines(prompt: Prompt) -> tuple[tuple[int, str], ...]:
    found = re.fullmatch(r"(.*There are )(?:only a few|many|no)( .*)", prompt.prompt)
    if found is None:
        raise prompt.wrong("lacks `There are only a few, many or no`: it has no lines.")
    phrases = ((0, "no"), (2, "only a few"), (3, "many"))
    return tuple((code, found[1] + phrase + found[2]) for code, phrase in phrases)


def _five_lines(prompt: Prompt, recipe: Recipe) -> tuple[tuple[int, str], ...]:
    x, y = (recipe.plural(thing) for thing, _ in prompt.things())
    both = f"An image with some {x} and some {y}. There are"
    return (
        (0, f"An image with no {x} and with no {y}."),
        (1, f"An image with some {x} or some {y}, but not with both {x} and {y}."),
        (2, f"{both} fewer {x} than {y}."),
        (3, f"{both} as many {x} as {y}."),
        (4, f"{both} more {x} than {y}."),
    )


def scene_count_questions(prompts: Sequence[Prompt]) -> list[Question]:
    """How many things are in a picture of approx-1-entity: asked for Figures A16 and A17 only.

    There is no true number, so these count in no accuracy.
    """
    scene = re.compile(r"There are (?:only a few|many|no) (.+) \w+ the [^.]+\.")
    return [
        Question(one.dataset_id, 1, 0, f"How many {said[1]} are in the image?", None, said[1])
        for one in prompts
        if one.prompt_type == "approx-1-entity" and (said := scene.search(one.prompt))
    ]


# Task 3, and what metrics ask: a prompt's claims as questions, all yes of a picture that fits, in
# the manner of TIFA (share of yes) and DSG (a question whose premise is denied counts as no).
# Wording and structure are ours.


def claims_of(prompt: Prompt, recipe: Recipe) -> list[Claim]:
    """The questions of one prompt.

    >>> one = Prompt(0, "3 red cats.", 0, -1, "red cat:3", "attribute-color", "x_0")
    >>> [claim.question for claim in claims_of(one, Recipe())]
    ['Are there red cats?', 'Are there exactly three red cats?']
    """
    task = TASK_OF_TYPE[prompt.prompt_type]
    if task == 3:
        first, *rest = yes_no_questions(prompt, recipe)
        return [Claim(first), *(Claim(question, 0) for question in rest)]
    if task == 1:
        return _numbers(prompt, recipe)
    return _quantities(prompt, recipe)


def _numbers(prompt: Prompt, recipe: Recipe) -> list[Claim]:
    found: list[Claim] = []
    for thing, number in prompt.things():
        one, exactly = _how_many_there(thing, number, recipe, "exactly ")
        found += [Claim(one), Claim(exactly, len(found))]
    if prompt.prompt_type == "attribute-spatial":
        (one, first), (other, second) = prompt.things()
        relation = recipe.relation_in(prompt.prompt)
        verb, ones = ("Is", one) if first == "1" else ("Are", recipe.plural(one))
        others = other if second == "1" else recipe.plural(other)
        found.append(Claim(f"{verb} the {ones} {relation} the {others}?", 0))
    return found


def _quantities(prompt: Prompt, recipe: Recipe) -> list[Claim]:
    if prompt.prompt_type == "approx-1-entity":
        said = THERE_ARE.search(prompt.prompt)
        rest = said["rest"] if said else prompt.prompt
        return [Claim(f"Are there {rest}?")]
    (one, quantity), (other, _) = prompt.things()
    x, y = recipe.plural(one), recipe.plural(other)
    than = "as" if quantity == "as many" else "than"
    return [
        Claim(f"Are there {x}?"),
        Claim(f"Are there {y}?"),
        Claim(f"Are there {quantity} {x} {than} {y}?", 0),
    ]


def yes_no_questions(prompt: Prompt, recipe: Recipe) -> Iterator[str]:
    """Is the thing there, are there as many, is the part there, has it its attribute."""
    noun = prompt.things()[0][0]
    text = prompt.prompt
    if found := ANOTHER.match(text):
        yield from _how_many_there(noun, found["number"], recipe)
        part = "half" if found["part"] == "half" else "a quarter of"
        yield f"Is there {part} {article(noun)}?"
    elif found := BROKEN.match(text):
        yield from _how_many_there(noun, found["number"], recipe)
        if from_words(found["number"]) == 1:
            yield f"Is the {noun} broken?"
            yield f"Is the {noun} broken into {found['into']}?"
        else:
            yield f"Is one {noun} broken?"
            yield f"Is the broken {noun} in {found['into']}?"
    elif found := HALVES.search(text):
        yield f"Is there {article(noun)}?"
        yield f"Is one half of the {noun} {found['one']}?"
        yield f"Is the other half of the {noun} {found['other']}?"
    elif found := CUT.match(text):
        yield from _cut(noun, found)
    else:
        raise prompt.wrong(
            "has a structure no yes/no questions are known for: give them in a file."
        )


def _cut(noun: str, found: re.Match[str]) -> Iterator[str]:
    yield f"Is there {article(noun)}?"
    pieces = found["into"].partition(" ")[2]
    if pieces:
        whole = found["how"] if found["more"] else f"{found['how']} into {pieces}"
        yield f"Is the {noun} {whole}?"
    yield f"Is the {noun} {found['how']} into {found['into']}?"
    if found["more"]:
        yield "Is one piece twice the size of the other?"


def _how_many_there(noun: str, number: str, recipe: Recipe, how: str = "") -> Iterator[str]:
    """Is it there, and as often: exactly so often, or at least, as `how` says."""
    value = int(number) if number.isdecimal() else from_words(number)
    if value == 1:
        yield f"Is there {article(noun)}?"
        yield f"Is there {how}one {noun}?"
    else:
        several = recipe.plural(noun)
        yield f"Are there {several}?"
        yield f"Are there {how}{number if value is None else to_words(value)} {several}?"


# Files


def questions_csv(questions: Sequence[Question]) -> str:
    """Questions as a table; the lines of task 2 stand one below the other in their cell."""
    rows = (
        (
            one.dataset_id, one.task, one.question_id, one.question,
            "" if one.truth is None else f"{one.truth:g}",
            "\n".join(f"{code} {line}" for code, line in one.lines),
        )
        for one in questions
    )  # fmt: skip
    return csv_text(("dataset_id", "task", "question_id", "question", "truth", "lines"), rows)


def released_questions(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """Every yes/no question of annotations, once per prompt, with the file it stands in."""
    files, _ = members(path, lambda name: TASK_3_FILE.fullmatch(name) is not None)
    found: dict[tuple[str, str], str] = {}
    for file in files:
        for row in csv.DictReader(io.StringIO(decoded(file.content, file.where))):
            prompt, _, seed = (row.get("image_id") or "").strip().rpartition("_")
            question = (row.get("question") or "").strip()
            if prompt and seed.isdecimal() and question:
                found.setdefault((prompt, question), file.where)
    if not found:
        raise BadInput(f"{path} holds no yes/no questions: it needs a file task_3_MODEL.csv.")
    return [
        (where, {"dataset_id": prompt, "question": question})
        for (prompt, question), where in found.items()
    ]


def read_questions(
    path: Path, prompts: Sequence[Prompt], recipe: Recipe | None = None
) -> list[Question]:
    """Yes/no questions from elsewhere in place of ours, those of task 1 and 2 as always.

    The file has the columns (or objects with the keys) dataset_id and question; question_id is
    optional. A folder or archive of annotations gives the questions that its people were asked.
    Prompts without a line keep our questions.
    """
    known = {prompt.dataset_id: prompt for prompt in prompts}
    read: dict[str, list[Question]] = {}
    if path.is_dir() or zipfile.is_zipfile(path):
        entries = [one for one in released_questions(path) if one[1]["dataset_id"] in known]
    else:
        entries = read_entries(path, "the questions", ("dataset_id", "question"))
    for where, row in entries:
        identity = str(row["dataset_id"])
        if identity not in known:
            raise BadInput(f"{where}: there is no prompt {identity!r} in the prompts file.")
        if TASK_OF_TYPE[known[identity].prompt_type] != 3:
            raise BadInput(
                f"{where}: prompt {identity} is {known[identity].prompt_type}: only questions of "
                "the three types of task 3 can be replaced."
            )
        own = read.setdefault(identity, [])
        number = row.get("question_id")
        place = len(own) if number in (None, "") else _number(known[identity], str(number))
        own.append(Question(identity, 3, place, str(row["question"]), 1.0))
    kept = [one for one in make_questions(prompts, recipe) if one.dataset_id not in read]
    return kept + [question for own in read.values() for question in own]
