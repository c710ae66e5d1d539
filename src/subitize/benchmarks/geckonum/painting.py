"""GeckoNum as a benchmark of painters: five pictures of every prompt, read by a model or people.

A counter reads Task 1 (how many apples?); a namer reads all three tasks: it counts, chooses the
line that describes the picture, and answers yes or no. Without either the pictures are `pending`:
left for people. A picture is right if all its questions are right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from subitize.benchmark import Benchmark, Decisions, Paper, Question, Reader, Settings, Stage
from subitize.benchmarks.geckonum.choosing import (
    PromptSettings,
    check_choice,
    chosen_prompts,
    chosen_questions,
    chosen_recipe,
)
from subitize.benchmarks.geckonum.wording import answer_value, as_question, reader_of_answers
from subitize.benchmarks.production import read_pending
from subitize.datasets.geckonum.questions import TASK_OF_TYPE
from subitize.errors import BadInput
from subitize.measures.accuracy import clustered_share
from subitize.models.base import Kind
from subitize.published import geckonum as published
from subitize.records import Reading, Response, Row, Stimulus, Trial, make_trial

__all__ = ["GeckoNum", "GeckoNumSettings"]

RIGHT, WRONG = "right", "wrong"
TABLES = "subitize.benchmarks.geckonum.answered:answer_scores"
"""loaded when a run is scored: tables need Polars, asking does not"""


@dataclass(frozen=True)
class GeckoNumSettings(PromptSettings):
    """What a run of GeckoNum is."""

    seeds: int = 5
    """pictures per prompt"""


class GeckoNum(Benchmark):
    """1,386 prompts of twelve types in three tasks, five pictures each."""

    NAME: ClassVar[str] = "geckonum"
    VERSION: ClassVar[str] = "1"
    TITLE: ClassVar[str] = "GeckoNum: numbers in generated pictures"
    PAPER: ClassVar[Paper] = Paper(published.CITATION, "10.48550/arXiv.2406.14774", published.URL)
    KINDS: ClassVar[tuple[Kind, ...]] = ("painter",)
    SETTINGS: ClassVar[type[Settings]] = GeckoNumSettings
    READERS: ClassVar[Mapping[str, Reader]] = {"pending": read_pending}
    READING_KINDS: ClassVar[tuple[Kind, ...]] = ("counter", "namer")
    READING_MODEL: ClassVar[str] = "counter/blobs"
    MEASURES: ClassVar[tuple[str, ...]] = ("accuracy",)
    DEVIATIONS: ClassVar[tuple[str, ...]] = (
        "The paper's pictures are judged by five people each. Here a counter or a namer reads "
        "them unless they are left for people (--counter none); who read them stands beside every "
        "score.",
        "A counter answers the questions of Task 1 that name a thing in the image; questions about "
        "what is above or beside something, and Tasks 2 and 3, need a namer or people.",
        "Eight prompts of the release ask about the last word of `cinnamon sticks` only; here the "
        "question names the whole thing.",
        "Task 3 is asked with questions made from the prompt's structure; the paper's came from a "
        "scene-graph generator. A file of questions can be given instead.",
        "A picture that a painter refuses to make enters no accuracy; it is counted among the "
        "states.",
    )
    DEMO: ClassVar[Mapping[str, Any]] = {
        "models": ("painter/shapes?size=256", "painter/shapes?size=256&w=0.25"),
        "settings": {
            "tasks": ("1",),
            "types": ("numeric_simple", "numeric_sentence"),
            "things": ("apple", "fish", "flower"),
            "seeds": 2,
        },
        "fast": {"tasks": ("1",), "types": ("numeric_simple",), "things": ("apple",), "seeds": 1},
    }

    def check(self, settings: Settings) -> None:
        assert isinstance(settings, GeckoNumSettings)
        check_choice(settings)
        if settings.seeds < 1:
            raise BadInput(f"seeds is {settings.seeds}: give at least 1 picture per prompt.")

    def stages(self, settings: Settings, kind: Kind) -> Iterator[Stage]:
        yield Stage("paint")

    def trials(self, stage: str, settings: Settings, decisions: Decisions) -> Iterator[Trial]:
        assert isinstance(settings, GeckoNumSettings)
        # The seed goes slowest, so that a part of the trials is a small copy of the whole.
        for seed in range(settings.seeds):
            for prompt in chosen_prompts(settings):
                yield make_trial(
                    (self.NAME, self.VERSION, stage),
                    Stimulus("prompt", {"text": prompt.prompt, "seed": settings.seed}),
                    prompt.prompt,
                    target=prompt.entities,
                    condition={**asdict(prompt), "picture": seed},
                )

    def size(self, stage: str, settings: Settings, decisions: Decisions) -> int | None:
        assert isinstance(settings, GeckoNumSettings)
        return settings.seeds * len(chosen_prompts(settings))

    def questions(self, trial: Trial, response: Response, settings: Settings) -> Sequence[Question]:
        assert isinstance(settings, GeckoNumSettings)
        if read_pending(trial, response).state != "pending":
            return ()
        recipe = chosen_recipe(settings)
        every = chosen_questions(settings)[str(trial.condition["dataset_id"])]
        return [as_question(one, recipe) for one in every]

    def answer_reader(self) -> Reader:
        return reader_of_answers()

    def combine(self, trial: Trial, response: Response, answers: Sequence[Row]) -> Reading:
        without = read_pending(trial, response)
        if without.state != "pending":
            return without
        if not answers:
            return Reading("pending", note="no question about it can be answered by this reader")
        unread = next((row.reading for row in answers if row.reading.state != "read"), None)
        if unread is not None:
            return unread
        said = [answer_value(row) for row in answers]
        wanted = [row.trial.condition["asked"] for row in answers]
        note = "; ".join(
            f"{row.trial.condition['question']} {row.reading.value}" for row in answers
        )
        return Reading("read", choice=RIGHT if said == wanted else WRONG, note=note)

    def score(
        self, rows: Sequence[Row], settings: Settings, decisions: Decisions
    ) -> dict[str, Any]:
        states = dict(Counter(row.reading.state for row in rows))
        scores: dict[str, Any] = {
            "asked": len(rows),
            "trials": states.get("read", 0),
            "states": states,
            "states_by_type": _states_by_type(rows),
            "accuracy": None,
            "undefined": {},
        }
        read = [row for row in rows if row.reading.state == "read"]
        if not read:
            reason = "no picture has been read: name a reader with --counter, or let people read"
            scores["undefined"]["accuracy"] = reason
            return scores
        rng = np.random.default_rng([settings.seed, 20240621])
        found = clustered_share(
            [row.reading.choice == RIGHT for row in read],
            [row.trial.condition["dataset_id"] for row in read],
            rng,
        )
        scores["accuracy"] = found.as_json()
        return scores

    def score_answers(
        self, rows: Sequence[Row], answers: Mapping[str, Sequence[Row]], settings: Settings
    ) -> dict[str, Any]:
        module, _, function = TABLES.partition(":")
        make: Callable[..., dict[str, Any]] = getattr(import_module(module), function)
        painter = rows[0].response.respondent if rows else ""
        rng = np.random.default_rng([settings.seed, 20240622])
        return {
            "readings": {name: make(painter, rows, said, rng) for name, said in answers.items()}
        }


def _states_by_type(rows: Sequence[Row]) -> dict[str, dict[str, int]]:
    found: dict[str, Counter[str]] = {}
    for row in rows:
        kind = str(row.trial.condition["prompt_type"])
        found.setdefault(f"task{TASK_OF_TYPE[kind]} {kind}", Counter())[row.reading.state] += 1
    return {kind: dict(states) for kind, states in found.items()}
