"""CAPTURE: counting a pattern of objects of which a black box hides some."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from subitize.benchmark import Attempt, Benchmark, Decisions, Helper, Paper, Reader, Stage
from subitize.benchmarks.capture import extracting
from subitize.benchmarks.capture.answers import read_picture, read_with_boxes
from subitize.benchmarks.capture.prompts import PROMPTS, prompt_names
from subitize.benchmarks.capture.scenes import (
    DrawnScenes,
    check_data,
    missing_pictures,
    paints,
    scenes,
)
from subitize.benchmarks.capture.scoring import best_prompts, scores_of, visible_counts
from subitize.benchmarks.capture.settings import CaptureSettings, as_published, check
from subitize.benchmarks.capture.tasks import (
    CONDITION,
    MISSING,
    Asking,
    possible_tasks,
    tried_variants,
    variants_there,
)
from subitize.errors import BadInput
from subitize.models.base import Kind
from subitize.records import Reading, Response, Row, Trial

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Capture", "CaptureSettings"]

NAMED = 10
"""missing pictures that scores name; run.json has them all"""
COOLER = 0.1
"""by how much backoff lowers the temperature each time, from 1.0 down to 0.0"""


class Capture(Benchmark[CaptureSettings]):
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
    SETTINGS = CaptureSettings
    CONDITION: ClassVar[Mapping[str, str | int | float]] = CONDITION
    READERS: ClassVar[Mapping[str, Reader]] = {"final": read_with_boxes}
    HELPERS: ClassVar[Mapping[str, Helper]] = {
        "llm": Helper(("namer",), told=True),
        "visible": Helper(("counter",), setting="counter"),
        "inpainter": Helper(("painter",), setting="inpainter"),
    }
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
        "1 to 6 whole objects but never more than half nor all but three, and leaves one possible "
        "completion; in the published pictures shifted lines leave the frame and occluders can "
        "hide nearly everything. The layout 'published' has the published geometry, with occluders "
        "drawn anew.",
        "The paper prints six prompts of the ten tried per split: the other twelve are ours. So "
        "are the words of the hidden task, the pattern question, the help and the worked examples.",
        "Replies are read by rules; the paper used a language model, which --reading-model can be "
        "too, with the agreement of both reported.",
        "Failed calls and replies left out by hand are not replies and enter no score; every other "
        "reply without a single final number scores 100, as in the paper.",
        "A number of objects that is prime stands in one line and counts as a rectangle, as in the "
        "paper's file names.",
        "An inpainted picture shows no box, so it is asked with the prompt chosen for unoccluded "
        "pictures; the paper does not say.",
        "Counters are asked for totals only, with one prompt: they read no words. A counter with "
        "help gets the inpainted picture alone.",
        "Intervals are ours, over configurations; all differences are paired by configuration.",
    )
    PROFILES: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "paper": {"layout": "published"},
        "quick": {"items": 100, "validation": 10},
    }
    DEMO: ClassVar[Mapping[str, Any]] = {
        "models": ("sim/observer", "counter/blobs", "counter/pattern"),
        "settings": {"items": 150, "validation": 10, "size": 256, "help": ("inpainted",)},
        "fast": {"items": 50, "validation": 4, "size": 256, "help": ("inpainted",)},
    }

    def check(self, settings: CaptureSettings) -> None:
        check(settings)

    def helpers(self, settings: CaptureSettings, kind: Kind) -> Mapping[str, str]:
        named = {}
        if kind == "namer" and "visible-count" in settings.help and not settings.counts:
            named["visible"] = settings.counter
        if "inpainted" in settings.help and paints(settings):
            named["inpainter"] = settings.inpainter
        return named

    def ready(self, settings: CaptureSettings, kind: Kind) -> Decisions:
        if settings.results:
            raise BadInput("An imported run of CAPTURE asks nobody: it holds the authors' results.")
        tasks = possible_tasks(settings)
        check_data(settings, tasks, chooses=self._chooses(settings, kind))
        if "total" not in tasks and kind != "namer":
            raise BadInput(
                f"A counter finds things, it can't answer the task {' or '.join(tasks)}: add the "
                "task total, or ask a model that reads questions."
            )
        gone = missing_pictures(settings) if settings.missing == "skip" else []
        return {MISSING: gone} if gone else {}

    def foreseen(self, settings: CaptureSettings) -> Decisions:
        if "visible-count" not in settings.help:
            return {}
        return {"visible_counts": {scene.name: scene.total for scene in scenes(settings, "test")}}

    def settings_from(self, given: Mapping[str, Any]) -> CaptureSettings:
        return super().settings_from(as_published(given))

    def _chooses(self, settings: CaptureSettings, kind: Kind) -> bool:
        """Whether prompts are tried on the validation part."""
        fixed = settings.prompt != "best" or settings.question
        return kind == "namer" and not fixed and "total" in possible_tasks(settings)

    def stages(self, settings: CaptureSettings, kind: Kind) -> Iterator[Stage]:
        tasks, names = possible_tasks(settings), kind == "namer"
        helped = self.helpers(settings, kind)
        if "total" in tasks:
            if self._chooses(settings, kind):
                yield Stage("prompts", ("prompt",))
            told = ("visible_counts",) if names and "visible-count" in settings.help else ()
            yield Stage("total", told if "visible" not in helped else ())
            if "visible" in helped:
                yield Stage("visible", told, role="visible")
            if "inpainter" in helped:
                yield Stage("inpaint", role="inpainter")
                yield Stage("inpainted", follows=("inpaint",))
            elif "inpainted" in settings.help:
                yield Stage("inpainted")
            if names and set(settings.help) - {"inpainted"}:
                yield Stage("help")
        # Counters find things; what is hidden or what a pattern is called they can't say.
        yield from (Stage(task) for task in ("hidden", "pattern") if task in tasks and names)
        read = ("prompts", "total", "inpainted", "help", "hidden")
        yield Stage("extract", role="llm", follows=read)

    def trials(
        self, stage: str, settings: CaptureSettings, decisions: Decisions
    ) -> Iterator[Trial]:
        return Asking((self.NAME, self.VERSION, stage), settings, decisions).trials()

    def size(self, stage: str, settings: CaptureSettings, decisions: Decisions) -> int | None:
        if settings.results:  # an imported run has what the authors asked
            return None
        tries, gone = stage == "prompts", set(decisions.get(MISSING, ()))
        every = scenes(settings, "validation" if tries else "test")
        # drawn scenes have every variant and all are there: none need be made to be counted
        alike = isinstance(every, DrawnScenes) and len(every) > 0
        kept = every[:1] if alike else [one for one in every if one.name not in gone]
        times = len(every) if alike else 1
        if stage in ("prompts", "total", "pattern"):
            wanted = tried_variants(settings) if tries else settings.variants
            shown = [variant for one in kept for variant in variants_there(one, wanted)]
            each = sum(len(prompt_names(one)) for one in shown) if tries else len(shown)
            return times * each
        return (
            times * len(kept) * (len(set(settings.help) - {"inpainted"}) if stage == "help" else 1)
        )

    def decide(
        self, name: str, settings: CaptureSettings, answers: pl.DataFrame, decisions: Decisions
    ) -> Any:
        if name == "visible_counts":
            return visible_counts(scenes(settings, "test"), answers, settings.counts)
        return best_prompts(answers, list(PROMPTS))

    def samples(self, trial: Trial, settings: CaptureSettings) -> int:
        sampled = settings.confidence == "samples" and trial.condition["task"] != "pattern"
        return settings.samples if sampled and trial.stage != "prompts" else 1

    def first_overrides(self, trial: Trial, settings: CaptureSettings) -> Mapping[str, Any]:
        hot = settings.backoff or self.samples(trial, settings) > 1
        return {"temperature": 1.0} if hot else {}

    def next_attempt(
        self, trial: Trial, settings: CaptureSettings, attempts: Sequence[tuple[Response, Reading]]
    ) -> Attempt | None:
        # A counter answers the same at any temperature, and a long prompt stays long.
        last, reading = attempts[-1]
        if not settings.backoff or last.kind == "boxes":
            return None
        if reading.state in ("read", "too-long", "pending", "excluded"):
            return None
        temperature = round(1.0 - COOLER * len(attempts), 1)
        return Attempt({"temperature": temperature}) if temperature >= 0 else None

    def follow(
        self, stage: str, trial: Trial, response: Response, settings: CaptureSettings, kind: Kind
    ) -> Iterator[Trial]:
        whose = (self.NAME, self.VERSION, stage)
        if stage == "inpainted":
            return Asking(whose, settings, {}).filled(trial, response)
        return extracting.follow(whose, trial, response)

    def helper_reader(self, stage: str) -> Reader:
        readers = {"extract": extracting.read_extracted, "inpaint": read_picture}
        return readers.get(stage) or super().helper_reader(stage)

    def combine(self, trial: Trial, response: Response, answers: Sequence[Row]) -> Reading:
        return extracting.combine(trial, response, answers)

    def comparable(
        self, answers: pl.DataFrame, settings: CaptureSettings, decisions: Decisions
    ) -> pl.DataFrame:
        """Totals behind the occluder, without help, whatever the prompt; a picture is a
        configuration."""
        import polars as pl

        read = pl.col("state") == "read"
        variant = "occluded" if "occluded" in settings.variants else settings.variants[0]
        drawn = settings.set == "synthetic" and not settings.results
        # a layout, a size and a seed draw their own pictures of a configuration
        shown = (settings.layout, settings.layout_version, settings.size, settings.seed)
        set_ = " ".join(map(str, shown)) if drawn else ""
        return answers.filter(stage="total", variant=variant, help="").select(
            picture=pl.format("{}/{}/{}", pl.lit(set_), "variant", "configuration"),
            stratum=pl.lit(""),
            target="target",
            answer=pl.when(read).then("number").otherwise(float("nan")),
            kind=pl.lit("number"),
        )

    def score(
        self, answers: pl.DataFrame, settings: CaptureSettings, decisions: Decisions
    ) -> dict[str, Any]:
        scores = scores_of(answers, settings, decisions)
        agreement = extracting.agreement(answers)
        gone = list(decisions.get(MISSING, ()))
        if gone:
            scores["missing_pictures"] = {"count": len(gone), "first": gone[:NAMED]}
        return scores | ({"reader_agreement": agreement} if agreement else {})
