"""A person's session as a run: the same trials, journal and lock as a model's, respondent
human/NAME.

A trial whose picture was not shown as it should be, or that was not looked at, is written as
failed, with the reason, and comes again at the end of its block: as after any failed call, the
answer that worked is the one that counts.
"""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from subitize.benchmark import Benchmark, Settings
from subitize.errors import BadInput
from subitize.models.base import Model
from subitize.records import Response, Trial
from subitize.runs.folder import RunFolder, identity
from subitize.runs.journal import Journal
from subitize.runs.lock import locked
from subitize.runs.plan import Plan
from subitize.stimuli import Picture, generator, render

BLOCK = 40
"""trials between two breaks"""
AHEAD = 4
"""pictures that the browser decodes before they are due"""
TRIES = 3
"""how often a trial comes in one session until it was shown as it should be"""
QUICKEST = 150.0
"""milliseconds: a key that comes sooner after the picture is no answer to it"""
CONSENT_VERSION = "1"
CONSENT = (
    "I take part of my own free will and can stop at any time. My answers, and when I gave them, "
    "are stored under the name shown here."
)
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")
NUMBERS = (
    "shown", "frame", "frames", "dropped", "first_key", "answered", "corrections", "side", "width",
    "height", "ratio",
)  # fmt: skip
"""what a browser tells of a trial, in milliseconds, frames and pixels"""


@dataclass(frozen=True)
class Display:
    """How a picture is shown, in milliseconds; a part of what the run is."""

    duration: int = 200
    fixation: int = 500
    mask: int = 300

    def __post_init__(self) -> None:
        if not 10 <= self.duration <= 10_000:
            raise BadInput(f"--duration is {self.duration}: give 10 to 10000 milliseconds.")


class Person(Model):
    """Somebody who looks and answers; asked by a page, not by the driver."""

    kinds = ("namer",)

    def __init__(self, name: str, display: Display) -> None:
        if not NAME.fullmatch(name):
            raise BadInput(
                f"--name {name!r} can't be a name here: give letters, digits, dots and dashes, at "
                "most 40, and nothing that says who it is."
            )
        shown = {"duration": display.duration, "mask": display.mask}
        super().__init__(f"human/{name}", shown)


def flaws(facts: Mapping[str, Any], duration: float) -> list[str]:
    """Why a trial is to be repeated; none where it was shown and looked at as it should be."""
    found = []
    frame = facts["frame"]
    if abs(facts["shown"] - duration) > 1.05 * frame:
        found.append(f"the picture was shown for {facts['shown']:.0f} ms instead of {duration:.0f}")
    if facts["focus_lost"]:
        found.append("the page lost the focus")
    if facts["first_key"] < QUICKEST:
        found.append(f"the answer began {facts['first_key']:.0f} ms after the picture")
    return found


def checked_facts(given: Any) -> dict[str, Any]:
    """What the browser told of a trial: all of it, of the right type, and nothing else."""
    if not isinstance(given, dict):
        raise BadInput("A trial came without what the display did.")
    made: dict[str, Any] = {}
    for name in NUMBERS:
        value = given.get(name)
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
        ):
            raise BadInput(f"A trial came without {name!r}.")
        if not -1e7 < value < 1e7:
            raise BadInput(f"A trial came with {name!r} of {value}.")
        made[name] = round(value, 3)
    if made["frame"] <= 0:
        raise BadInput("A trial came without a refresh rate.")
    made["focus_lost"] = bool(given.get("focus_lost"))
    return made


class Session:
    """One person's way through the trials; every answer is on the disk before the next begins."""

    def __init__(
        self, folder: RunFolder, trials: list[Trial], journal: Journal, person: Person
    ) -> None:
        self.folder = folder
        self.person = person
        self._journal = journal
        self._trials = {trial.id: trial for trial in trials}
        self._hashes: dict[str, str] = {}
        self._tried: dict[str, int] = {}
        order = generator("take", person.respondent, folder.info["settings"]["seed"])
        shuffled = [trials[place] for place in order.permutation(len(trials))]
        blocks = [shuffled[first : first + BLOCK] for first in range(0, len(shuffled), BLOCK)]
        self.blocks = len(blocks)
        self._blocks = deque(
            (number, deque(one.id for one in block if not self._held(one.id)))
            for number, block in enumerate(blocks, 1)
        )
        self._forget_empty()

    @property
    def total(self) -> int:
        return len(self._trials)

    @property
    def saved(self) -> int:
        """Trials with an answer that counts."""
        return sum(self._held(one) for one in self._trials)

    @property
    def consented(self) -> bool:
        return "consent" in self.folder.info

    @property
    def complete(self) -> bool:
        return not self._blocks

    def consent(self) -> None:
        """Written once, with its version and when it was given."""
        if not self.consented:
            now = datetime.now(UTC).isoformat(timespec="seconds")
            self.folder.update(consent={"version": CONSENT_VERSION, "text": CONSENT, "at": now})

    def _key(self, trial: str) -> tuple[str, str, str, int, int]:
        return trial, self.person.respondent, self.person.settings_hash, 0, 0

    def _held(self, trial: str) -> bool:
        return self._journal.holds(self._key(trial))

    def _forget_empty(self) -> None:
        while self._blocks and not self._blocks[0][1]:
            self._blocks.popleft()

    def upcoming(self) -> dict[str, Any]:
        """The next trial, and those behind it whose pictures can be fetched already."""
        known = {"saved": self.saved, "total": self.total, "blocks": self.blocks}
        if self.complete:
            return {**known, "complete": True}
        number, queue = self._blocks[0]
        following = [one for _, other in self._blocks for one in other][1 : AHEAD + 1]
        trial = self._trials[queue[0]]
        return {
            **known, "complete": False, "block": number, "trial": trial.id,
            "question": trial.question, "ahead": following,
        }  # fmt: skip

    def picture(self, trial: str) -> Picture | None:
        """What is shown in a trial of this session; None for anything else."""
        if trial not in self._trials:
            return None
        found = render(self._trials[trial].stimulus)
        self._hashes[trial] = found.sha256
        return found

    def answer(self, trial: str, value: str, given: Any) -> dict[str, Any]:
        """Store an answer and make it last; sent twice, it is stored once."""
        if not self.consented:
            raise BadInput("Nothing is stored before you have agreed to take part.")
        if trial not in self._trials:
            raise BadInput("There is no such trial.")
        if self._held(trial) or self.complete or self._blocks[0][1][0] != trial:
            return self.upcoming()
        if not re.fullmatch(r"[0-9]{1,4}", value):
            raise BadInput("An answer is a whole number.")
        facts = checked_facts(given)
        found = flaws(facts, float(self.person.settings["duration"]))
        block, queue = self._blocks[0]
        times = self._tried[trial] = self._tried.get(trial, 0) + 1
        told = {**self.person.settings, **facts, "block": block, "time": times, "flaws": found}
        self._write(trial, value, found, told)
        queue.popleft()
        if found and times < TRIES:
            queue.append(trial)
        self._forget_empty()
        return self.upcoming()

    def _write(self, trial: str, value: str, found: list[str], told: Mapping[str, Any]) -> None:
        if trial not in self._hashes:
            self.picture(trial)
        respondent = self.person.respondent, self.person.settings_hash
        self._journal.write(
            Response(
                trial,
                *respondent,
                0,
                0,
                "text",
                value,
                "failed" if found else "stop",
                seconds=told["first_key"] / 1000,
                sha256=self._hashes[trial],
                note="; ".join(found),
                facts=orjson.dumps(told).decode(),
            )
        )
        self._journal.sync()


@contextmanager
def open_session(
    benchmark: Benchmark[Any], settings: Settings, person: Person, out: Path
) -> Iterator[Session]:
    """A new session, or one to go on with; nobody else writes it meanwhile."""
    parts = identity(benchmark, settings, person, "namer", {})
    folder = RunFolder.open(out, parts, {"parameters": None, "endpoint": None})
    with locked(folder.path):
        trials = list(benchmark.trials("ask", settings, {}))
        with Plan(folder.path, benchmark.CONDITION) as plan:
            plan.add(trials)
            plan.sync()
        with Journal(folder.path) as journal:
            yield Session(folder, trials, journal, person)


@dataclass(frozen=True)
class Practice:
    """Pictures to learn the task on: those of no trial, told apart by their number."""

    pictures: tuple[Picture, ...]
    answers: tuple[int, ...]


def practice_of(benchmark: Benchmark[Any], settings: Any, many: int = 5) -> Practice:
    """A few pictures of the same kind that are not asked about."""
    beyond = benchmark.settings_from(
        {**settings.identity(), "per_cell": settings.per_cell + 1, "prompt": "things"}
    )
    known = {trial.id for trial in benchmark.trials("ask", settings, {})}
    fresh = [one for one in benchmark.trials("ask", beyond, {}) if one.id not in known]
    rng = np.random.default_rng(settings.seed)
    chosen = [fresh[place] for place in rng.permutation(len(fresh))[:many]]
    return Practice(
        tuple(render(one.stimulus) for one in chosen), tuple(int(one.target or 0) for one in chosen)
    )
