"""CAPTURE: counting a pattern of objects of which a black box hides some."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from subitize.benchmark import (
    Attempt,
    Benchmark,
    Decisions,
    Paper,
    Question,
    Reader,
    Settings,
    Stage,
)
from subitize.benchmarks.capture import extracting
from subitize.benchmarks.capture.answers import read_with_boxes
from subitize.benchmarks.capture.help import visible_counts
from subitize.benchmarks.capture.prompts import PROMPTS, prompt_names
from subitize.benchmarks.capture.scenes import check_data, scenes
from subitize.benchmarks.capture.scoring import best_prompts, scores_of
from subitize.benchmarks.capture.settings import CaptureSettings, check
from subitize.benchmarks.capture.tasks import possible_tasks, trials_of, tried_variants
from subitize.errors import BadInput
from subitize.models.base import Kind
from subitize.records import Reading, Response, Row, Trial

__all__ = ["Capture", "CaptureSettings"]

COOLER = 0.1
"""by how much backoff lowers the temperature each time, from 1.0 down to 0.0"""


class Capture(Benchmark):
    """Totals with and without an occluder, the hidden ones alone, and the pattern's name."""

    NAME: ClassVar[str] = "capture"
    VERSION: ClassVar[str] = "1"
    TITLE: ClassVar[str] = "Counting behind an occluder (CAPTURE)"
    PAPER: ClassVar[Paper] = Paper(
        "Pothiraj A, Stengel-Eskin E, Cho J, Bansal M. CAPTURE: Evaluating Spatial Reasoning in "
        "Vision Language Models via Occluded Object Counting (2025).",
        "10.48550/arXiv.2504.15485",
        "https://github.com/atinpothiraj/CAPTURE",
    )
    KINDS: ClassVar[tuple[Kind, ...]] = ("namer", "counter")
    SETTINGS: ClassVar[type[Settings]] = CaptureSettings
    READERS: ClassVar[Mapping[str, Reader]] = {"final": read_with_boxes}
    READING_KINDS: ClassVar[tuple[Kind, ...]] = ("namer",)
    MAX_TOKENS: ClassVar[int | None] = 4096
    MEASURES: ClassVar[tuple[str, ...]] = (
        "smape",
        "exact",
        "price_of_occlusion",
        "hidden",
        "pattern",
        "help",
        "breakdowns",
        "confusion",
        "over_predicted",
        "confidence",
    )
    DEVIATIONS: ClassVar[tuple[str, ...]] = (
        "The layout 'fair' (default) keeps every object and the occluder inside the picture, hides "
        "1 to 6 whole objects and leaves one possible completion; in the published pictures "
        "shifted lines leave the frame and occluders can hide nearly everything. The layout "
        "'published' has the published geometry, with occluders drawn anew.",
        "The paper prints six prompts of the ten tried per split: the other twelve are ours. So "
        "are the words of the hidden task, the pattern question, the help and the worked examples.",
        "Replies are read by rules; the paper used a language model, which a reading run can do "
        "too, with the agreement of both reported.",
        "Failed calls and replies left out by hand are not replies and enter no score; every other "
        "reply without a single final number scores 100, as in the paper.",
        "A number of objects that is prime stands in one line and counts as a rectangle, as in the "
        "paper's file names.",
        "An inpainted picture shows no box, so it is asked with the prompt chosen for unoccluded "
        "pictures; the paper does not say.",
        "Counters are asked for totals only, with one prompt: they read no words. A counter with "
        "help gets the inpainted picture alone.",
        "Intervals are ours: 10,000 bootstrap samples of configurations; all differences are "
        "paired by configuration.",
    )
    DEMO: ClassVar[Mapping[str, Any]] = {
        "models": ("sim/observer", "counter/blobs", "counter/pattern"),
        "settings": {"items": 150, "validation": 10, "size": 256, "help": ("inpainted",)},
        "fast": {"items": 50, "validation": 4, "size": 256, "help": ("inpainted",)},
    }

    def check(self, settings: Settings) -> None:
        assert isinstance(settings, CaptureSettings)
        check(settings)

    def stages(self, settings: Settings, kind: Kind) -> Iterator[Stage]:
        assert isinstance(settings, CaptureSettings)
        tasks, names = possible_tasks(settings), kind == "namer"
        chooses = names and settings.prompt == "best" and not settings.question
        chooses = chooses and "total" in tasks
        check_data(settings, tasks, chooses=chooses)
        if "total" in tasks:
            if chooses:
                yield Stage("prompts", ("prompt",))
            counted = names and "visible-count" in settings.help
            yield Stage("total", ("visible_counts",) if counted else ())
            if "inpainted" in settings.help:
                yield Stage("inpainted")
            if names and set(settings.help) - {"inpainted"}:
                yield Stage("help")
        elif not names:
            raise BadInput(
                f"A counter finds things, it can't answer the task {' or '.join(tasks)}: add the "
                "task total, or ask a model that reads questions."
            )
        # Counters find things; what is hidden or what a pattern is called they can't say.
        for task in ("hidden", "pattern"):
            if task in tasks and names:
                yield Stage(task)

    def trials(self, stage: str, settings: Settings, decisions: Decisions) -> Iterator[Trial]:
        assert isinstance(settings, CaptureSettings)
        return trials_of((self.NAME, self.VERSION, stage), settings, decisions)

    def size(self, stage: str, settings: Settings, decisions: Decisions) -> int | None:
        assert isinstance(settings, CaptureSettings)
        if stage == "prompts":
            tried = sum(len(prompt_names(variant)) for variant in tried_variants(settings))
            return len(scenes(settings, "validation")) * tried
        each = {"total": len(settings.variants), "pattern": len(settings.variants)}
        each["help"] = len(set(settings.help) - {"inpainted"})
        return len(scenes(settings, "test")) * each.get(stage, 1)

    def decide(
        self, name: str, settings: Settings, rows: Sequence[Row], decisions: Decisions
    ) -> Any:
        assert isinstance(settings, CaptureSettings)
        if name == "visible_counts":
            return visible_counts(scenes(settings, "test"), settings.counter, settings.counts)
        return best_prompts([row for row in rows if row.trial.stage == "prompts"], list(PROMPTS))

    def samples(self, trial: Trial, settings: Settings) -> int:
        assert isinstance(settings, CaptureSettings)
        sampled = settings.confidence == "samples" and trial.condition["task"] != "pattern"
        return settings.samples if sampled and trial.stage != "prompts" else 1

    def first_overrides(self, trial: Trial, settings: Settings) -> Mapping[str, Any]:
        assert isinstance(settings, CaptureSettings)
        hot = settings.backoff or self.samples(trial, settings) > 1
        return {"temperature": 1.0} if hot else {}

    def next_attempt(
        self, trial: Trial, settings: Settings, attempts: Sequence[tuple[Response, Reading]]
    ) -> Attempt | None:
        assert isinstance(settings, CaptureSettings)
        # A counter answers the same at any temperature, and a long prompt stays long.
        last, reading = attempts[-1]
        if not settings.backoff or last.kind == "boxes":
            return None
        if reading.state in ("read", "too-long", "pending", "excluded"):
            return None
        temperature = round(1.0 - COOLER * len(attempts), 1)
        return Attempt({"temperature": temperature}) if temperature >= 0 else None

    def score(
        self, rows: Sequence[Row], settings: Settings, decisions: Decisions
    ) -> dict[str, Any]:
        assert isinstance(settings, CaptureSettings)
        return scores_of(rows, settings, decisions)

    def questions(self, trial: Trial, response: Response, settings: Settings) -> Sequence[Question]:
        return extracting.questions(trial, response)

    def answer_reader(self) -> Reader:
        return extracting.read_extracted

    def combine(self, trial: Trial, response: Response, answers: Sequence[Row]) -> Reading:
        return extracting.combine(trial, response, answers)

    def score_answers(
        self, rows: Sequence[Row], answers: Mapping[str, Sequence[Row]], settings: Settings
    ) -> dict[str, Any]:
        return {"reader_agreement": extracting.agreement(rows, answers)}
