"""What a benchmark is: stages of trials, a reader of its own, measures and deviations.

The trials of a stage are a pure function of the settings and of the decisions taken before it;
a decision is a pure function of the settings and of the rows (readings) of earlier stages. The
runner writes each decision to run.json once and never takes it again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from subitize.errors import BadInput, UnknownName
from subitize.models.base import Kind
from subitize.readers.boxes import reading_boxes
from subitize.readers.text import read_strict
from subitize.records import Reading, Response, Row, Trial

__all__ = [
    "Attempt",
    "Benchmark",
    "Decisions",
    "Paper",
    "Question",
    "Reader",
    "Settings",
    "Stage",
]

Decisions = Mapping[str, Any]
Reader = Callable[[Trial, Response], Reading]


@dataclass(frozen=True, slots=True)
class Paper:
    """Where a benchmark comes from."""

    citation: str
    doi: str
    url: str = ""


@dataclass(frozen=True)
class Settings:
    """Base of a benchmark's settings: a frozen dataclass whose fields are the declared settings.

    Every field is part of what the run is. `seed` is common to all.
    """

    seed: int = 0


@dataclass(frozen=True, slots=True)
class Stage:
    """One round of trials; `decides` names the decisions to be taken when it is complete."""

    name: str
    decides: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Attempt:
    """Ask the same trial again, with these settings changed for that attempt."""

    overrides: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Question:
    """What a reading model is asked about one response (see `runs/reading.py`)."""

    text: str
    """the exact words"""
    thing: str = ""
    """name of what is to be counted, for counters"""
    options: tuple[str, ...] = ()
    """the choices, where there are any"""
    target: Any = None
    """the right answer, where it is known; never shown to a model"""
    condition: Mapping[str, Any] = field(default_factory=dict)
    """tells several questions about one response apart, and what scores are broken down by"""
    kinds: tuple[Kind, ...] = ()
    """kinds of reading model that can answer it; empty for all of the benchmark's"""


class Benchmark:
    """Base of all benchmarks. A subclass is one file that a newcomer can read in one sitting."""

    NAME: ClassVar[str]
    VERSION: ClassVar[str]
    TITLE: ClassVar[str]
    PAPER: ClassVar[Paper]
    KINDS: ClassVar[tuple[Kind, ...]]
    """kinds of model it can ask, the best fitting first"""
    SETTINGS: ClassVar[type[Settings]]
    READERS: ClassVar[Mapping[str, Reader]]
    """by name, the paper's own first"""
    MEASURES: ClassVar[tuple[str, ...]]
    """names of the scores it reports"""
    DEVIATIONS: ClassVar[tuple[str, ...]]
    """what we do otherwise than the paper, and why"""
    READING_KINDS: ClassVar[tuple[Kind, ...]] = ()
    """kinds of model that can read its responses; none where a reader alone does"""
    READING_MODEL: ClassVar[str] = ""
    """the model that reads them unless the user names another; empty for none"""
    MAX_TOKENS: ClassVar[int | None] = None
    """how long a reply may be unless the user says otherwise; None leaves it to the model"""
    DEMO: ClassVar[Mapping[str, Any]]
    """`models`: built-in models for the demo; `settings`: small settings; `fast`: smaller ones"""

    def check(self, settings: Settings) -> None:
        """Raise `BadInput` for settings that can't be run."""

    def stages(self, settings: Settings, kind: Kind) -> Iterator[Stage]:
        raise NotImplementedError

    def trials(self, stage: str, settings: Settings, decisions: Decisions) -> Iterator[Trial]:
        """The trials of one stage, lazily: nothing is drawn here."""
        raise NotImplementedError

    def size(self, stage: str, settings: Settings, decisions: Decisions) -> int | None:
        """How many trials a stage has, where a formula tells; for the progress bar."""
        return None

    def decide(
        self, name: str, settings: Settings, rows: Sequence[Row], decisions: Decisions
    ) -> Any:
        """Take the decision `name` from the rows of all stages so far."""
        raise NotImplementedError

    def samples(self, trial: Trial, settings: Settings) -> int:
        """How many independent samples of each trial are asked for."""
        return 1

    def first_overrides(self, trial: Trial, settings: Settings) -> Mapping[str, Any]:
        """Settings of the very first attempt that differ from the model's own."""
        return {}

    def next_attempt(
        self, trial: Trial, settings: Settings, attempts: Sequence[tuple[Response, Reading]]
    ) -> Attempt | None:
        """Whether and how to ask again after these attempts; None is the end."""
        return None

    def score(
        self, rows: Sequence[Row], settings: Settings, decisions: Decisions
    ) -> dict[str, Any]:
        """From rows to the scores object, as far as this benchmark knows it."""
        raise NotImplementedError

    def questions(self, trial: Trial, response: Response, settings: Settings) -> Sequence[Question]:
        """What a reading model is asked about a response; nothing where there is nothing to ask."""
        return ()

    def answer_reader(self) -> Reader:
        """How a reading model's answers are read: boxes are counted, text is read strictly."""
        return reading_boxes(read_strict)

    def combine(self, trial: Trial, response: Response, answers: Sequence[Row]) -> Reading:
        """One reading of a response from all answers about it; none means not asked yet."""
        raise NotImplementedError

    def score_answers(
        self, rows: Sequence[Row], answers: Mapping[str, Sequence[Row]], settings: Settings
    ) -> dict[str, Any]:
        """Further scores from all answers of all reading models, by the name of their run."""
        return {}

    def settings_from(self, given: Mapping[str, Any]) -> Settings:
        """Settings from names and values (text or typed); an undeclared name is an error."""
        known = {one.name: one for one in fields(self.SETTINGS)}
        for name in given:
            if name not in known:
                raise UnknownName(f"setting of {self.NAME}", name, known)
        values = {name: _typed(name, value, known[name].default) for name, value in given.items()}
        settings = self.SETTINGS(**values)
        if not 0 <= settings.seed < 2**63:
            raise BadInput(f"The seed is {settings.seed}: give a whole number of 0 or more.")
        self.check(settings)
        return settings


def _typed(name: str, value: Any, default: Any) -> Any:
    """A value from the command line as the type of the setting's default."""
    if not isinstance(value, str) or isinstance(default, str):
        return tuple(value) if isinstance(value, list) else value
    try:
        if isinstance(default, bool):
            return {"true": True, "false": False, "1": True, "0": False}[value.lower()]
        if isinstance(default, int):
            return int(value)
        if isinstance(default, float):
            return float(value)
        if isinstance(default, tuple):
            return tuple(part.strip() for part in value.split(",") if part.strip())
    except (ValueError, KeyError):
        what = type(default).__name__
        raise BadInput(f"The setting {name} is {value!r}: give a value of type {what}.") from None
    return value
