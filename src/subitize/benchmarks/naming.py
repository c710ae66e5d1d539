"""Numerosity naming: how many things does a model say there are in a picture?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any, ClassVar

from subitize.benchmark import Benchmark, Decisions, Paper, Reader, Settings, Stage
from subitize.benchmarks.numerosity import (
    check_categories,
    comparable_cells,
    numerosity_scores,
    readable,
    thin_cells,
)
from subitize.errors import BadInput, UnknownName
from subitize.measures.accuracy import accuracy
from subitize.measures.error_size import nae
from subitize.models.base import Kind
from subitize.readers.boxes import reading_boxes
from subitize.readers.text import read_final, read_strict
from subitize.readers.wrappings import without_thinking
from subitize.records import Stimulus, Trial, make_trial
from subitize.stimuli.naming import CATEGORIES, recipe
from subitize.stimuli.scenes import scene_of

if TYPE_CHECKING:
    import polars as pl

QUESTION = "How many {} are there in the picture?"  # PLOS ONE 2025, §2.1.1
FORMS = ("category", "objects", "things")
NOUNS: Mapping[str, str] = {
    "apples": "apples",
    "people": "people",
    "butterflies": "butterflies",
    "dots": "dots",
    "fast cards": "shapes",
}
CONTROL = "What does the image represent?"  # PLOS ONE 2025, §2.1.1
CONTROL_RIGHT = re.compile(r"\b(?:apples?|fruits?)\b", re.IGNORECASE)
CONTROL_NEEDED = 0.95
"""share of right answers from which a model understands the pictures; the paper's had all right"""
PROMPTS = ("best", "pilot", *FORMS)
HOLDS = ("", "area", "hull", "density")
TOP_UPS = 3
"""rounds of further trials for cells with too few readable ones"""


@dataclass(frozen=True)
class NamingSettings(Settings):
    """What a naming run is."""

    per_cell: int = 50
    max: int = 10
    size: int = 1024
    categories: tuple[str, ...] = CATEGORIES
    hold: str = ""
    prompt: str = "best"
    top_up: bool = False
    control: bool = True


class Naming(Benchmark[NamingSettings]):
    """Five categories, 1..10 things, 50 pictures each, three ways to ask."""

    NAME: ClassVar[str] = "naming"
    VERSION: ClassVar[str] = "1"
    TITLE: ClassVar[str] = "Numerosity naming"
    PAPER: ClassVar[Paper] = Paper(
        "Testolin A, Hou K, Zorzi M. Visual enumeration remains challenging for multimodal "
        "generative AI. PLOS ONE (2025).",
        "10.1371/journal.pone.0331566",
        "https://github.com/CCNL-UniPD/Numbersense-AI",
    )
    KINDS: ClassVar[tuple[Kind, ...]] = ("namer", "counter")
    SETTINGS = NamingSettings
    CONDITION: ClassVar[Mapping[str, str | int | float]] = {
        "category": "", "n": 0, "index": 0, "form": "", "thing": ""
    }  # fmt: skip
    READERS: ClassVar[Mapping[str, Reader]] = {
        "strict": reading_boxes(read_strict),
        "final": reading_boxes(read_final),
    }
    MEASURES: ClassVar[tuple[str, ...]] = (
        "accuracy",
        "nae",
        "counting_level",
        "human_correlation",
        "random_correlation",
        "category_consistency",
        "bias",
        "scalar_variability",
        "weber_fraction",
    )
    DEVIATIONS: ClassVar[tuple[str, ...]] = (
        "The pictures are drawn anew with our own art by the paper's rules; the published picture "
        "set itself is not shipped.",
        "A reply such as 'There are two things in the image: an apple and a white background' was "
        "discarded by hand in the paper; the reader takes its number, 2.",
        "A vague quantifier voids a reply only where no exact number stands beside it for the same "
        "things: 'Many apples: I count 12' is 12.",
        "A hedged number ('about 7') is vague and discarded; the paper names only vague "
        "quantifiers and several numbers.",
        "A model understands the pictures if 95 % of its control answers are right, so that one "
        "slip in 500 does not discredit it; the paper's models had all right.",
        "The threshold of the effect size r is .3: the symbol is lost in the published text.",
    )
    DEMO: ClassVar[Mapping[str, Any]] = {
        "models": (
            "sim/perfect",
            "sim/observer",
            "sim/random",
            "sim/chatty",
            "sim/refuser",
            "counter/blobs",
        ),
        "settings": {"per_cell": 20, "size": 512, "prompt": "things"},
        "fast": {"per_cell": 5, "size": 256, "prompt": "things"},
    }

    def check(self, settings: NamingSettings) -> None:
        check_categories(settings.categories, CATEGORIES)
        if settings.prompt not in PROMPTS:
            raise UnknownName("prompt form", settings.prompt, PROMPTS)
        if settings.hold not in HOLDS:
            raise UnknownName("cue to hold", settings.hold, HOLDS[1:])
        if settings.per_cell < 1 or settings.max < 1:
            raise BadInput(
                f"per-cell is {settings.per_cell} and max is {settings.max}: both must be at "
                "least 1."
            )
        for category in settings.categories:
            # Placing the fullest picture tells whether n items fit; nothing is drawn.
            scene_of(self._recipe(settings, category, settings.max, 0))

    def stages(self, settings: NamingSettings, kind: Kind) -> Iterator[Stage]:
        following = ("top-up-1",) if settings.top_up else ()
        if settings.prompt == "pilot":
            yield Stage("pilot", ("form",))
            yield Stage("ask", following)
        else:
            yield Stage("ask", (("form",) if settings.prompt == "best" else ()) + following)
        for round_ in range(1, TOP_UPS + 1) if settings.top_up else ():
            more = (f"top-up-{round_ + 1}",) if round_ < TOP_UPS else ()
            yield Stage(f"top-up-{round_}", more)
        # A counter names no things: the control question is for namers.
        if settings.control and "apples" in settings.categories and kind == "namer":
            yield Stage("control")

    def trials(self, stage: str, settings: NamingSettings, decisions: Decisions) -> Iterator[Trial]:
        if stage.startswith("top-up"):
            form = decisions.get("form", settings.prompt)
            for category, n, first, count in decisions[stage]:
                for index in range(first, first + count):
                    yield self._trial(stage, settings, (category, n, index), form)
            return
        # The index goes slowest, so that a part of the trials is a small copy of the whole.
        for index in self._indices(stage, settings):
            for n in range(1, settings.max + 1):
                for category in settings.categories:
                    for form in self._forms(stage, settings, decisions, category):
                        yield self._trial(stage, settings, (category, n, index), form)

    def _indices(self, stage: str, settings: NamingSettings) -> range:
        pilot = ceil(settings.per_cell / 10) if settings.prompt == "pilot" else 0
        if stage == "pilot":
            return range(pilot)
        return range(pilot if stage == "ask" else 0, settings.per_cell)

    def _forms(
        self, stage: str, settings: NamingSettings, decisions: Decisions, category: str
    ) -> tuple[str, ...]:
        if stage == "control":
            return ("control",) if category == "apples" else ()
        if stage == "pilot" or settings.prompt == "best":
            return FORMS
        return (decisions["form"] if settings.prompt == "pilot" else settings.prompt,)

    def _trial(
        self, stage: str, settings: NamingSettings, cell: tuple[str, int, int], form: str
    ) -> Trial:
        category, n, index = cell
        condition: dict[str, Any] = {"category": category, "n": n, "index": index, "form": form}
        target: int | str = n
        if form == "control":
            question, target = CONTROL, "an apple" if n == 1 else "apples"
        else:
            condition["thing"] = NOUNS[category] if form == "category" else form
            question = QUESTION.format(condition["thing"])
        return make_trial(
            (self.NAME, self.VERSION, stage),
            Stimulus("drawn", self._recipe(settings, category, n, index)),
            question,
            target=target,
            condition=condition,
        )

    def _recipe(
        self, settings: NamingSettings, category: str, n: int, index: int
    ) -> dict[str, Any]:
        return recipe(
            category,
            n,
            index,
            size=settings.size,
            hold=settings.hold,
            seed=settings.seed,
            largest=settings.max,
        )

    def size(self, stage: str, settings: NamingSettings, decisions: Decisions) -> int | None:
        if stage.startswith("top-up"):
            return sum(int(count) for _, _, _, count in decisions[stage])
        pictures = len(self._indices(stage, settings)) * settings.max
        return pictures * sum(
            len(self._forms(stage, settings, decisions, category))
            for category in settings.categories
        )

    def decide(
        self, name: str, settings: NamingSettings, answers: pl.DataFrame, decisions: Decisions
    ) -> Any:
        counted = answers.filter(answers["counts"])
        if name == "form":
            return best_form(counted, settings)
        form = decisions.get("form", settings.prompt)
        plan = []
        for cell in flagged_cells(counted.filter(counted["form"] == form), settings):
            inside = (counted["category"] == cell["category"]) & (counted["n"] == cell["n"])
            used = counted.filter(inside)["index"]
            first = max([settings.per_cell - 1, *used]) + 1
            plan.append([cell["category"], cell["n"], first, cell["needed"] - cell["eligible"]])
        return plan

    def comparable(
        self, answers: pl.DataFrame, settings: NamingSettings, decisions: Decisions
    ) -> pl.DataFrame:
        asked = answers.filter(answers["stage"] != "control")
        form = decisions["prompt_of_scores"] or settings.prompt
        return comparable_cells(asked.filter(asked["form"] == form))

    def score(
        self, answers: pl.DataFrame, settings: NamingSettings, decisions: Decisions
    ) -> dict[str, Any]:
        counted = answers.filter(answers["counts"])
        asked = counted.filter(counted["stage"] != "control")
        if settings.prompt in FORMS:
            form = settings.prompt
        else:
            form = decisions.get("form") or best_form(asked, settings)
        chosen = asked.filter(asked["form"] == form)
        scores = numerosity_scores(chosen, settings.max, settings.categories, settings.seed)
        scores["asked"] = counted["trial"].n_unique()
        scores["prompt"] = form
        seen = set(asked["form"])
        scores["prompts"] = {
            name: form_summary(asked.filter(asked["form"] == name), settings)
            for name in FORMS
            if name in seen
        }
        scores["control_question"] = control_summary(counted.filter(counted["stage"] == "control"))
        scores["flagged_cells"] = flagged_cells(chosen, settings)
        return scores


def flagged_cells(answers: pl.DataFrame, settings: NamingSettings) -> list[dict[str, Any]]:
    """Cells (category × n) with fewer readable trials than needed."""
    return thin_cells(answers, settings.per_cell, settings.max, settings.categories)


def best_form(answers: pl.DataFrame, settings: NamingSettings) -> str:
    """The form with the lowest mean error; one with an ineligible cell ranks last."""

    def rank(form: str) -> tuple[bool, bool, float, int]:
        own = answers.filter(answers["form"] == form)
        error = mean_error(own)
        # A pilot is too small for the rule on cells: there only the error counts.
        short = settings.prompt != "pilot" and bool(flagged_cells(own, settings))
        return error is None, short, error or 0.0, FORMS.index(form)

    return min(FORMS, key=rank)


def mean_error(answers: pl.DataFrame) -> float | None:
    """Mean |response − target| over readable trials."""
    targets, responses = readable(answers)
    return float(abs(responses - targets).mean()) if targets.size else None


def form_summary(answers: pl.DataFrame, settings: NamingSettings) -> dict[str, Any]:
    """One line of the table of prompt forms."""
    targets, responses = readable(answers)
    return {
        "mean_error": mean_error(answers),
        "accuracy": accuracy(targets, responses) if targets.size else None,
        "nae": nae(targets, responses) if targets.size else None,
        "eligible": not flagged_cells(answers, settings),
        "trials": answers.height,
        "readable": targets.size,
    }


def control_summary(answers: pl.DataFrame) -> dict[str, Any] | None:
    """How often the control question was answered rightly; calls that failed are no answers."""
    replies = answers.filter(answers["state"] != "failed")["value"].to_list()
    if not replies:
        return None
    right = sum(bool(CONTROL_RIGHT.search(without_thinking(reply))) for reply in replies)
    return {
        "asked": len(replies),
        "right": right,
        "understood": right >= CONTROL_NEEDED * len(replies),
    }
