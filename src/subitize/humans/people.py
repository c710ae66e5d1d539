"""Who takes part, and what they have been given and said: as the server holds it in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from subitize.humans.items import Item
from subitize.humans.store import Statement

INVITED, READING, WORKING = "invited", "reading", "working"
DONE, SCREENED, REFUSED = "done", "screened", "refused"
OVER = (DONE, SCREENED, REFUSED)
PEOPLE = (
    "name", "link", "part", "status", "consent", "panel", "made", "entered", "seen", "session",
)  # fmt: skip


@dataclass
class Answer:
    """What somebody said to one question."""

    number: int
    question: int
    """place among the item's questions"""
    value: str
    seconds: float
    at: float


@dataclass
class Given:
    """An item in somebody's hands."""

    number: int
    item: Item
    role: str
    at: float
    answers: list[Answer] = field(default_factory=list)
    """those that hold, in the order of the questions"""
    released: bool = False
    """given to others, because its owner went away"""

    @property
    def done(self) -> bool:
        return len(self.answers) == len(self.item.questions)


@dataclass
class Person:
    """One who takes part."""

    name: str
    link: str
    """hash of the personal link's secret"""
    part: str
    """main or pilot"""
    status: str
    consent: str
    """version of the text agreed to"""
    panel: str | None
    """hash of the panel's id"""
    made: float
    entered: float | None
    seen: float | None
    session: str
    """hash of the browser's cookie, to tell a reload from a return"""
    facts: dict[str, Any] = field(default_factory=dict)
    """told: training items explained; breaks: taken; agreed: when; returns: how often"""
    given: list[Given] = field(default_factory=list)

    @property
    def current(self) -> Given | None:
        """What is to be answered now."""
        return next((one for one in self.given if not one.done), None)

    @property
    def last(self) -> Given | None:
        """What was answered last, wholly or in part."""
        return next((one for one in reversed(self.given) if one.answers), None)

    def done(self, *roles: str) -> list[Given]:
        """What is answered of these roles."""
        return [one for one in self.given if one.done and one.role in roles]

    def row(self) -> tuple[Any, ...]:
        return (*(getattr(self, name) for name in PEOPLE), orjson.dumps(self.facts).decode())

    def insert(self) -> Statement:
        marks = ", ".join("?" * (len(PEOPLE) + 1))
        return f"INSERT INTO people VALUES ({marks})", self.row()

    def update(self) -> Statement:
        sets = ", ".join(f"{name} = ?" for name in (*PEOPLE[1:], "facts"))
        return f"UPDATE people SET {sets} WHERE name = ?", (*self.row()[1:], self.name)

    @classmethod
    def from_row(cls, row: tuple[Any, ...]) -> Person:
        return cls(**dict(zip(PEOPLE, row, strict=False)), facts=orjson.loads(row[-1]))


def insert_given(person: str, one: Given) -> Statement:
    values = (one.number, person, one.item.id, one.role, one.at)
    return "INSERT INTO given VALUES (?, ?, ?, ?, ?)", values


def insert_answer(person: str, given: Given, one: Answer, facts: Mapping[str, Any]) -> Statement:
    trial = given.item.questions[one.question].trial_id
    values = (one.number, person, given.number, one.question, trial, one.value, one.seconds, one.at,
              orjson.dumps(facts).decode(), "")  # fmt: skip
    return "INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values


def void_answer(number: int, why: str) -> Statement:
    """Answers are never deleted: one that no longer holds says why."""
    return "UPDATE answers SET void = ? WHERE number = ?", (why, number)
