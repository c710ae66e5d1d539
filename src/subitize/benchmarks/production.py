"""Numerosity production: how many things are in the picture that a model makes of a prompt?

The response is a picture. Who reads it is a matter of its own: a counter (a stage that follows the
painting), a namer in the counter's place, or people; until then it is `pending`. A picture in which
nothing countable is found is discarded and asked for again, up to `reasks` times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from subitize.benchmark import (
    Attempt,
    Benchmark,
    Decisions,
    Helper,
    Paper,
    Reader,
    Settings,
    Stage,
    later,
)
from subitize.benchmarks.naming import QUESTION, Naming
from subitize.benchmarks.numerosity import (
    check_categories,
    comparable_cells,
    numerosity_scores,
    thin_cells,
)
from subitize.benchmarks.prompt_files import HIGHEST, OBJECTS, numgen_entries
from subitize.errors import BadInput, UnknownName
from subitize.models.base import Kind
from subitize.models.counters.classical import NOT_PLAIN
from subitize.nouns import singular
from subitize.readers.text import ended_early
from subitize.records import Reading, Response, Row, Stimulus, Trial, make_follower, make_trial
from subitize.stimuli.writing import refuse_too_many

if TYPE_CHECKING:
    import polars as pl

CATEGORIES = ("apples", "people", "butterflies", "dots")
PLAIN = "An image with {} {}"  # PLOS ONE 2025, §2.1.2
# PLOS ONE 2025, §2.1.2: wordings with which models drew better, for two categories
BETTER: Mapping[str, tuple[str, str]] = {
    "people": ("An image with {} person", "An image with {} persons"),
    "dots": ("{} filled dot in white background", "{} filled dots in white background"),
}
PROMPTS = ("better", "plain")
NUMGEN = "numgen"


def prompt_for(category: str, n: int, form: str = "better") -> str:
    """The words that ask for n things.

    >>> prompt_for("dots", 1), prompt_for("people", 3), prompt_for("people", 3, "plain")
    ('1 filled dot in white background', 'An image with 3 persons', 'An image with 3 people')
    """
    if form == "better" and category in BETTER:
        return BETTER[category][n != 1].format(n)
    return PLAIN.format(n, singular(category) if n == 1 else category)


@dataclass(frozen=True)
class ProductionSettings(Settings):
    """What a production run is."""

    per_cell: int = 100
    """pictures per category and number"""
    max: int = 10
    """highest number: each from 1 up to it is asked for"""
    categories: tuple[str, ...] = CATEGORIES
    """what is to be painted, separated by commas"""
    prompt: str = "better"
    """better (for people and dots the wordings with which models drew better), or plain"""
    reasks: int = 3
    """how often a picture in which nothing is found is asked for again"""
    prompts: str = later("")
    """numgen: NumGen's prompts, per_cell of each number, instead of categories × numbers"""


def read_pending(trial: Trial, response: Response) -> Reading:
    """No counter: pictures are left for people to read."""
    return without_picture(response) or Reading("pending")


def without_picture(response: Response) -> Reading | None:
    """The reading of a response that holds no picture to count in."""
    ended = ended_early(response)
    if ended is not None:
        return ended
    if response.stop == "unreadable":
        return Reading("empty", note=response.note)
    if response.kind != "picture":
        return Reading("refused", note="the painter answered with words")
    return None


class Production(Benchmark[ProductionSettings]):
    """Four categories, 1..10 things, 100 pictures each."""

    NAME: ClassVar[str] = "production"
    VERSION: ClassVar[str] = "1"
    TITLE: ClassVar[str] = "Numerosity production"
    PAPER: ClassVar[Paper] = Naming.PAPER
    KINDS: ClassVar[tuple[Kind, ...]] = ("painter",)
    SETTINGS = ProductionSettings
    CONDITION: ClassVar[Mapping[str, str | int | float]] = Naming.CONDITION
    READERS: ClassVar[Mapping[str, Reader]] = {"pending": read_pending}
    HELPERS: ClassVar[Mapping[str, Helper]] = {
        "counter": Helper(("counter", "namer"), usual="counter/blobs")
    }
    MEASURES: ClassVar[tuple[str, ...]] = Naming.MEASURES
    DEVIATIONS: ClassVar[tuple[str, ...]] = (
        "The paper counts with Grounding DINO; the counter is chosen by --counter and stands "
        "beside every score. The usual one, counter/blobs, is for simple pictures only.",
        "A picture in which nothing countable is found is asked for again three times at most; "
        "the paper does not say how often.",
        "A picture that can't be decoded is treated as one in which nothing was found.",
        "The threshold of the effect size r is .3: the symbol is lost in the published text.",
    )
    PROFILES: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "paper": {},
        "quick": {"per_cell": 5},
    }
    DEMO: ClassVar[Mapping[str, Any]] = {
        "models": ("painter/shapes?size=256", "painter/shapes?size=256&w=0.15"),
        "settings": {"per_cell": 6},
        "fast": {"per_cell": 2},
    }

    def check(self, settings: ProductionSettings) -> None:
        if settings.prompts not in ("", NUMGEN):
            raise UnknownName("set of prompts", settings.prompts, [NUMGEN])
        if settings.prompts and (settings.max, settings.categories) != (HIGHEST, CATEGORIES):
            raise BadInput(
                "NumGen's prompts have 11 things and the numbers 1 to 10: leave out max and "
                "categories."
            )
        check_categories(settings.categories, CATEGORIES)
        if settings.prompt not in PROMPTS:
            raise UnknownName("prompt form", settings.prompt, PROMPTS)
        if settings.per_cell < 1 or settings.max < 1 or settings.reasks < 0:
            raise BadInput(
                f"per-cell is {settings.per_cell}, max is {settings.max} and reasks is "
                f"{settings.reasks}: the first two must be at least 1, the last at least 0."
            )
        refuse_too_many(settings.per_cell, settings.max, len(settings.categories))

    def stages(self, settings: ProductionSettings, kind: Kind) -> Iterator[Stage]:
        yield Stage("paint")
        yield Stage("count", role="counter", follows=("paint",))

    def trials(
        self, stage: str, settings: ProductionSettings, decisions: Decisions
    ) -> Iterator[Trial]:
        if settings.prompts:
            yield from self._numgen(stage, settings)
            return
        # The index goes slowest, so that a part of the trials is a small copy of the whole.
        for index in range(settings.per_cell):
            for n in range(1, settings.max + 1):
                for category in settings.categories:
                    words = prompt_for(category, n, settings.prompt)
                    yield make_trial(
                        (self.NAME, self.VERSION, stage),
                        Stimulus("prompt", {"text": words, "seed": settings.seed}),
                        words,
                        target=n,
                        condition={
                            "category": category,
                            "n": n,
                            "index": index,
                            "form": settings.prompt,
                            "thing": category,
                        },
                    )

    def _numgen(self, stage: str, settings: ProductionSettings) -> Iterator[Trial]:
        entries = numgen_entries(settings.per_cell * HIGHEST, np.random.default_rng(settings.seed))
        for index, entry in enumerate(entries):
            words, n, thing = entry["prompt"], entry["n"], entry["object"]
            yield make_trial(
                (self.NAME, self.VERSION, stage),
                Stimulus("prompt", {"text": words, "seed": settings.seed}), words, target=n,
                condition={"category": thing, "n": n, "index": index, "form": NUMGEN,
                           "thing": thing},
            )  # fmt: skip

    def size(self, stage: str, settings: ProductionSettings, decisions: Decisions) -> int | None:
        if settings.prompts:
            return settings.per_cell * HIGHEST
        return settings.per_cell * settings.max * len(settings.categories)

    def next_attempt(
        self,
        trial: Trial,
        settings: ProductionSettings,
        attempts: Sequence[tuple[Response, Reading]],
    ) -> Attempt | None:
        again = attempts[-1][1].state == "empty" and len(attempts) <= settings.reasks
        return Attempt({}) if again else None

    def follow(
        self, stage: str, trial: Trial, response: Response, settings: ProductionSettings, kind: Kind
    ) -> Iterator[Trial]:
        if without_picture(response) is None:
            question = QUESTION.format(trial.condition["thing"])
            # What was asked for is no target: how many there really are nobody knows.
            whose = (self.NAME, self.VERSION, stage)
            yield make_follower(whose, response, question, condition=trial.condition)

    def combine(self, trial: Trial, response: Response, answers: Sequence[Row]) -> Reading:
        without = without_picture(response)
        if without is not None:
            return without
        if not answers:
            return Reading("pending")
        found = answers[-1].reading
        if found.state == "read" and not found.number:
            return Reading("empty", note=found.note)
        return found

    def comparable(
        self, answers: pl.DataFrame, settings: ProductionSettings, decisions: Decisions
    ) -> pl.DataFrame:
        return comparable_cells(answers)

    def score(
        self, answers: pl.DataFrame, settings: ProductionSettings, decisions: Decisions
    ) -> dict[str, Any]:
        counted = answers.filter(answers["counts"])
        categories = OBJECTS if settings.prompts else settings.categories
        known = [one for one in categories if one in set(counted["category"])] or categories
        scores = numerosity_scores(counted, settings.max, tuple(known), settings.seed)
        scores["asked"] = counted["trial"].n_unique()
        scores["prompt"] = settings.prompts or settings.prompt
        scores["prompts"] = {}
        scores["control_question"] = None
        scores["attempts"] = {
            str(attempt + 1): times
            for attempt, times in sorted(Counter(counted["attempt"]).items())
        }
        doubted = counted.filter(
            counted["note"].fill_null("").str.contains(NOT_PLAIN, literal=True)
        )
        if doubted.height:
            scores["counter_doubts"] = {"pictures": doubted.height, "why": NOT_PLAIN}
        # NumGen draws things at random: its cells are numbers alone
        scores["flagged_cells"] = (
            []
            if settings.prompts
            else thin_cells(counted, settings.per_cell, settings.max, settings.categories)
        )
        return scores
