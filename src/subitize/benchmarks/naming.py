"""Numerosity naming: how many things does a model say there are in a picture?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from subitize.benchmark import Benchmark, Decisions, Paper, Reader, Settings, Stage, later
from subitize.benchmarks.naming_forms import (
    FORMS,
    best_form,
    control_right,
    control_summary,
    flagged_cells,
    form_summary,
    held_out,
    weights_of_cues,
)
from subitize.benchmarks.numerosity import (
    check_categories,
    comparable_cells,
    needed_readable,
    numerosity_scores,
)
from subitize.benchmarks.numerosity_people import over_people
from subitize.benchmarks.pointing import pointing_scores
from subitize.datasets.naming_pictures import OwnPicture, chosen_pictures
from subitize.errors import BadInput, UnknownName
from subitize.models.base import Kind
from subitize.readers.boxes import BoxesReader
from subitize.readers.points import PointsReader
from subitize.readers.text import read_final, read_strict
from subitize.records import Reading, Response, Stimulus, Trial, make_trial
from subitize.stimuli.checking import refuse_impossible
from subitize.stimuli.naming import CATEGORIES
from subitize.stimuli.writing import naming_cells, naming_recipe

if TYPE_CHECKING:
    import polars as pl

QUESTION = "How many {} are there in the picture?"  # PLOS ONE 2025, §2.1.1
STEPS = "step-by-step"
STEPS_END = " Count them one after the other, and then give the total."
"""ours, for the paper's open question whether counting in sequence helps (§4)"""
OWN = "own"
"""the form of a question in the user's own words"""
NOUNS: Mapping[str, str] = {
    "apples": "apples",
    "people": "people",
    "butterflies": "butterflies",
    "dots": "dots",
    "fast cards": "shapes",
}
CONTROL = "What does the image represent?"  # PLOS ONE 2025, §2.1.1
PROMPTS = ("best", "pilot", *FORMS, STEPS)
HOLDS = ("", "area", "hull", "density")
TOP_UPS = 3
"""rounds of further trials for cells with too few readable ones"""


@dataclass(frozen=True)
class NamingSettings(Settings):
    """What a naming run is."""

    per_cell: int = 50
    """pictures per category and number"""
    max: int = 10
    """highest number: each from 1 up to it is shown"""
    size: int = 1024
    """side of the pictures in pixels"""
    categories: tuple[str, ...] = CATEGORIES
    """what is shown, separated by commas"""
    hold: str = ""
    """a cue that does not grow with the number: area, hull or density; empty: none is held"""
    prompt: str = "best"
    """best (all forms are asked, the best scored), pilot (the best on one picture in ten is asked
    further), or one form: things, objects, category, step-by-step"""
    top_up: bool = False
    """ask further trials in cells with too few readable replies"""
    control: bool = True
    """also ask what the pictures of apples show"""
    cues: str = later("")
    """orthogonal: number, size and spacing vary independently; empty: as published"""
    pictures: str = later("")
    """a folder of your own pictures, {n}_{category}_{index}.png or with a manifest"""
    question: str = later("")
    """your own words instead of a form, with [things] for what is to be counted"""


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
        "strict": BoxesReader(read_strict),
        "final": BoxesReader(read_final),
        "points": PointsReader(),
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
    PROFILES: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "paper": {},
        "quick": {"per_cell": 5, "prompt": "things"},
    }
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
        if not settings.pictures:
            check_categories(settings.categories, CATEGORIES)
        if settings.prompt not in PROMPTS:
            raise UnknownName("prompt form", settings.prompt, PROMPTS)
        if settings.question and "[things]" not in settings.question:
            raise BadInput(
                f"The question {settings.question!r} does not name what is to be counted: write "
                "[things] in its place."
            )
        if settings.pictures and (settings.hold or settings.top_up):
            raise BadInput("Your own pictures are as they are: leave out hold and top_up.")
        if settings.hold not in HOLDS:
            raise UnknownName("cue to hold", settings.hold, HOLDS[1:])
        if settings.per_cell < 1 or settings.max < 1:
            raise BadInput(
                f"per-cell is {settings.per_cell} and max is {settings.max}: both must be at "
                "least 1."
            )
        if settings.pictures and settings.cues:
            raise BadInput(
                "cues are those of pictures that are drawn here: leave out cues, or pictures."
            )
        if not settings.pictures:
            more = TOP_UPS * needed_readable(settings.per_cell) if settings.top_up else 0
            refuse_impossible(naming_cells(settings, settings.per_cell + more))

    def usual_reader(self, settings: Mapping[str, Any]) -> str:
        """Strict; of replies that count step by step what they conclude."""
        return "final" if settings.get("prompt") == STEPS else "strict"

    def ready(self, settings: NamingSettings, kind: Kind) -> Decisions:
        if not settings.pictures:
            return {}
        found = _own(settings)
        return {PICTURES: {"categories": list(dict.fromkeys(one.category for one in found)),
                           "max": max(one.n for one in found)}}  # fmt: skip

    def foreseen(self, settings: NamingSettings) -> Decisions:
        return {"form": FORMS[0]}

    def stages(self, settings: NamingSettings, kind: Kind) -> Iterator[Stage]:
        following = ("top-up-1",) if settings.top_up else ()
        if settings.prompt == "pilot" and not settings.question:
            yield Stage("pilot", ("form",))
            yield Stage("ask", following)
        else:
            tries = settings.prompt == "best" and not settings.question
            yield Stage("ask", (("form",) if tries else ()) + following)
        for round_ in range(1, TOP_UPS + 1) if settings.top_up else ():
            more = (f"top-up-{round_ + 1}",) if round_ < TOP_UPS else ()
            yield Stage(f"top-up-{round_}", more)
        # A counter names no things: the control question is for namers.
        if settings.control and "apples" in settings.categories and kind == "namer":
            yield Stage("control", counts=False)

    def trials(self, stage: str, settings: NamingSettings, decisions: Decisions) -> Iterator[Trial]:
        if stage.startswith("top-up"):
            form = decisions.get("form", settings.prompt)
            for category, n, first, count in decisions[stage]:
                for index in range(first, first + count):
                    yield self._trial(stage, settings, (category, n, index), form)
            return
        if settings.pictures:
            indices = self._indices(stage, settings)
            for one in _own(settings):
                if one.index in indices:
                    for form in self._forms(stage, settings, decisions, one.category):
                        yield self._trial(stage, settings, one.cell, form, one)
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
        if settings.question:
            return (OWN,)
        if stage == "pilot" or settings.prompt == "best":
            return FORMS
        return (decisions["form"] if settings.prompt == "pilot" else settings.prompt,)

    def _trial(
        self,
        stage: str,
        settings: NamingSettings,
        cell: tuple[str, int, int],
        form: str,
        own: OwnPicture | None = None,
    ) -> Trial:
        category, n, index = cell
        condition: dict[str, Any] = {"category": category, "n": n, "index": index, "form": form}
        target: int | str = n
        if form == "control":
            question, target = CONTROL, "an apple" if n == 1 else "apples"
        else:
            said = NOUNS.get(category, category)
            condition["thing"] = form if form in ("objects", "things") else said
            question = QUESTION.format(condition["thing"]) + STEPS_END * (form == STEPS)
            if form == OWN:
                question = settings.question.replace("[things]", said)
        picture = (
            Stimulus("drawn", naming_recipe(settings, category, n, index))
            if own is None
            else Stimulus("file", {"sha256": own.sha256}, str(own.path.resolve()))
        )
        return make_trial(
            (self.NAME, self.VERSION, stage),
            picture,
            question,
            target=target,
            condition=condition,
        )

    def size(self, stage: str, settings: NamingSettings, decisions: Decisions) -> int | None:
        if stage.startswith("top-up"):
            return sum(int(count) for _, _, _, count in decisions[stage])
        if settings.pictures:
            return None
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

    def is_right(self, trial: Trial, response: Response, reading: Reading) -> bool:
        if trial.stage == "control":
            return control_right(response.value)
        return super().is_right(trial, response, reading)

    def comparable(
        self, answers: pl.DataFrame, settings: NamingSettings, decisions: Decisions
    ) -> pl.DataFrame:
        asked = answers.filter(answers["stage"] != "control")
        form = decisions["prompt_of_scores"] or settings.prompt
        return comparable_cells(asked.filter(asked["form"] == form), _shown(settings))

    def score(
        self, answers: pl.DataFrame, settings: NamingSettings, decisions: Decisions
    ) -> dict[str, Any]:
        counted = answers.filter(answers["counts"])
        asked = counted.filter(counted["stage"] != "control")
        settings = _as_found(settings, decisions)
        if settings.question:
            form = OWN
        elif settings.prompt in (*FORMS, STEPS):
            form = settings.prompt
        else:
            form = decisions.get("form") or best_form(asked, settings)
        chosen = asked.filter(asked["form"] == form)
        scores = numerosity_scores(chosen, settings.max, settings.categories, settings.seed)
        scores |= over_people(chosen, settings.max, scores)
        scores["asked"] = counted["trial"].n_unique()
        scores["prompt"] = form
        seen = set(asked["form"].unique())
        scores["prompts"] = {
            name: form_summary(asked.filter(asked["form"] == name), settings)
            for name in (*FORMS, STEPS, OWN)
            if name in seen
        }
        scores["prompt_held_out"] = held_out(asked, settings)
        scores["pointing"] = pointing_scores(chosen)
        scores["control_question"] = control_summary(counted.filter(counted["stage"] == "control"))
        scores["flagged_cells"] = flagged_cells(chosen, settings)
        if settings.cues:
            scores |= weights_of_cues(chosen, settings, scores["undefined"])
        return scores


PICTURES = "pictures"
"""decision: which categories and numbers the user's pictures have"""


def _shown(settings: NamingSettings) -> str:
    """What makes pictures of a category, number and index the same ones in two runs."""
    if settings.pictures:
        return str(Path(settings.pictures).resolve())
    parts = [settings.seed, settings.size, settings.hold, settings.cues]
    if settings.hold == "density":
        parts.append(settings.max)
    if settings.cues:
        parts += [settings.max, settings.per_cell, *settings.categories]
    return " ".join(map(str, parts))


def _own(settings: NamingSettings) -> list[OwnPicture]:
    """The user's pictures, of all their categories unless some are chosen."""
    chosen = None if settings.categories == CATEGORIES else settings.categories
    return chosen_pictures(Path(settings.pictures), chosen, settings.max)


def _as_found(settings: NamingSettings, decisions: Decisions) -> NamingSettings:
    """The settings with the categories and numbers that the user's pictures have."""
    if PICTURES not in decisions:
        return settings
    seen = decisions[PICTURES]
    return replace(settings, categories=tuple(seen["categories"]), max=int(seen["max"]))
