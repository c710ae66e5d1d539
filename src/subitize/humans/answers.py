"""The answers of a study as rows, read from its database whether it is open or closed."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

import orjson

from subitize.errors import BadInput
from subitize.humans.items import Item, Question
from subitize.humans.kinds.catalog import material_of
from subitize.humans.kinds.material import Material
from subitize.humans.people import PEOPLE, Person
from subitize.humans.serving import read_folder
from subitize.humans.store import Reader, open_database
from subitize.humans.study import Study


class Row(NamedTuple):
    """One answer with all that is known about it."""

    number: int
    """in the order in which they were saved"""
    person: Person
    item: Item
    question: Question
    place: int
    """of the question among the item's"""
    role: str
    value: str
    seconds: float
    given: float
    """when the item was handed out, seconds since 1970"""
    at: float
    """when the answer was saved"""
    facts: dict[str, Any]
    void: str
    """why it does not hold (undone, restart); empty: it does"""


class Answers(NamedTuple):
    """Everything of a study that an export needs."""

    study: Study
    material: Material
    people: dict[str, Person]
    rows: list[Row]
    dropped: dict[str, str]
    """items that the researcher dropped, with the reason"""
    faces: tuple[str, ...] = ()
    """items whose pictures show a face"""

    @property
    def holding(self) -> list[Row]:
        """What counts: the main part, not taken back, of people who were not screened out."""
        return [
            row for row in self.rows
            if row.role == "main" and not row.void and row.person.status != "screened"
            and row.item.id not in self.dropped
        ]  # fmt: skip


def read_answers(folder: Path) -> Answers:
    """The answers of a study's folder."""
    study, kept = read_folder(folder)
    if not kept and not (folder / "study.db").exists():
        command = f"subitize annotate {quote(str(folder))}"
        raise BadInput(f"{folder} has no answers yet: serve it with `{command}`.")
    material = material_of(study)
    items = {one.id: one for one in material.items}
    reader = Reader(open_database(folder, kept, study.name))
    try:
        listed = reader.read(f"SELECT {', '.join(PEOPLE)}, facts FROM people ORDER BY made, name")
        people = {row[0]: Person.from_row(row) for row in listed}
        found = reader.read(
            "SELECT answers.number, answers.person, given.item, answers.question, given.role, "
            "answers.value, answers.seconds, given.at, answers.at, answers.facts, answers.void "
            "FROM answers JOIN given ON given.number = answers.given ORDER BY answers.number"
        )
        screened = reader.read("SELECT item, reason FROM screened WHERE verdict = ?", "drop")
        faces = reader.read("SELECT item FROM screened WHERE face = ?", 1)
    finally:
        reader.close()
    rows = [
        Row(number, people[person], items[item], items[item].questions[place], place, role, value,
            seconds, given, at, orjson.loads(facts), void)
        for number, person, item, place, role, value, seconds, given, at, facts, void in found
        if item in items
    ]  # fmt: skip
    shown = tuple(str(row[0]) for row in faces)
    return Answers(study, material, people, rows, dict(screened), shown)
