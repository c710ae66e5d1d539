"""Automatic metrics on GeckoNum's pictures: how well does a picture fit its prompt?

A matcher says how well the prompt fits (a cosine gives CLIPScore); a namer answers what the prompt
claims (share of yes, in the manner of TIFA and DSG); a counter counts what can be counted. Whether
such a metric is any good, people decide: `subitize geckonum metrics --scores RUN`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from subitize.benchmark import Benchmark, Decisions, Helper, Paper, Reader, Stage, states_of
from subitize.benchmarks.geckonum import questioning, wording
from subitize.datasets.geckonum.pictures import find_pictures
from subitize.datasets.geckonum.prompts import Prompt
from subitize.datasets.geckonum.questions import claims_of
from subitize.errors import BadInput
from subitize.measures.accuracy import share_interval
from subitize.measures.resampling import bootstrap_mean
from subitize.models.base import Kind
from subitize.pictures.media import picture_sha256
from subitize.readers.annotators import MORE_THAN_TEN
from subitize.readers.boxes import BoxesReader
from subitize.readers.choices import read_yes_no
from subitize.readers.matches import COSINE, read_match
from subitize.records import Reading, Response, Stimulus, Trial, make_trial

if TYPE_CHECKING:
    import polars as pl

MATCH, ASK, COUNT = "match", "ask", "count"
STAGES: Mapping[str, str] = {"matcher": MATCH, "namer": ASK, "counter": COUNT}
UNITS: Mapping[str, str] = {COSINE: "clipscore", "yes": "p-yes"}
"""unit of a matcher's scores: what its metric is called; all others are `match`"""
NO_PREMISE = -1
"""in the place of a premise where a question rests on none"""
SHARES = frozenset({"qa", "qa-premises", "count", *questioning.STYLES})
"""metrics that are shares: a mean of 0 or 1 has an interval too"""


@dataclass(frozen=True)
class MetricSettings(wording.PromptSettings):
    """What a run of a metric is."""

    pictures: str = ""
    """folder with PAINTER/PROMPT_SEED.png"""
    prefix: str = "A photo depicts "
    """what stands before a prompt when it is matched; Hessel et al. 2021"""


def read_metric(trial: Trial, response: Response) -> Reading:
    """Match scores as they are (cosines as CLIPScore), words as yes or no."""
    return (read_match if response.kind == "scores" else read_yes_no)(trial, response)


class GeckoNumMetric(Benchmark[MetricSettings]):
    """One metric on the pictures of a folder."""

    NAME: ClassVar[str] = "geckonum-metric"
    VERSION: ClassVar[str] = "1"
    TITLE: ClassVar[str] = "GeckoNum: automatic metrics on generated pictures"
    PAPER: ClassVar[Paper] = wording.PAPER
    KINDS: ClassVar[tuple[Kind, ...]] = ("matcher", "counter", "namer")
    SETTINGS = MetricSettings
    CONDITION: ClassVar[Mapping[str, str | int | float]] = {
        "painter": "", "dataset_id": "", "picture": 0, "prompt_type": "",
        "place": 0, "premise": NO_PREMISE, **wording.ASKED, "thing": "", "style": "",
    }  # fmt: skip
    READERS: ClassVar[Mapping[str, Reader]] = {"metric": BoxesReader(read_metric)}
    HELPERS: ClassVar[Mapping[str, Helper]] = {
        questioning.ROLE: Helper(("namer",), setting="questioner")
    }
    MEASURES: ClassVar[tuple[str, ...]] = ("means",)
    DEVIATIONS: ClassVar[tuple[str, ...]] = (
        "The paper does not say which CLIP model its CLIPScore used, nor whether the prompt got "
        "the prefix of Hessel et al. (2021); here it does, and the model is named.",
        "The questions are made from the prompt's structure, unless a language model writes them "
        "as in TIFA, DSG and Gecko; the words in which it is asked are ours, and Gecko's score is "
        "the share of yes, not of their probabilities.",
    )
    DEMO: ClassVar[Mapping[str, Any]] = {
        "models": (),
        "settings": {"pictures": "pictures"},
        "fast": {"pictures": "pictures"},
    }
    """needs pictures that people have judged, so the demo runs no model on it"""

    def check(self, settings: MetricSettings) -> None:
        wording.check_choice(settings)
        if not settings.pictures:
            raise BadInput(
                "geckonum-metric needs pictures: give --set pictures=FOLDER, with pictures named "
                "PAINTER/PROMPT_SEED.png (`subitize geckonum pictures RUN` makes one of a run)."
            )

    def helpers(self, settings: MetricSettings, kind: Kind) -> Mapping[str, str]:
        writes = settings.questioner and kind == "namer"
        return {questioning.ROLE: settings.questioner} if writes else {}

    def stages(self, settings: MetricSettings, kind: Kind) -> Iterator[Stage]:
        if self.helpers(settings, kind):
            yield Stage(questioning.STAGE, (questioning.STAGE,), role=questioning.ROLE)
        yield Stage(STAGES[kind])

    def trials(self, stage: str, settings: MetricSettings, decisions: Decisions) -> Iterator[Trial]:
        prompts = {one.dataset_id: one for one in wording.chosen(settings).prompts}
        pictures = find_pictures(Path(settings.pictures), prompts)
        if stage == questioning.STAGE:
            for name in dict.fromkeys(one.dataset_id for one in pictures):
                head = (self.NAME, self.VERSION)
                yield questioning.questions_trial(head, prompts[name], settings.style)
            return
        written = decisions.get(questioning.STAGE, {})
        for picture in pictures:
            prompt, path = prompts[picture.dataset_id], picture.path.resolve()
            stimulus = Stimulus("file", {"sha256": picture_sha256(path)}, str(path))
            about = {
                "painter": picture.painter,
                "dataset_id": prompt.dataset_id,
                "picture": picture.number,
                "prompt_type": prompt.prompt_type,
            }
            for words, options, more in _asked(stage, prompt, settings, written):
                whose, condition = (self.NAME, self.VERSION, stage), about | more
                yield make_trial(whose, stimulus, words, options=options, condition=condition)

    def decide(
        self, name: str, settings: MetricSettings, answers: pl.DataFrame, decisions: Decisions
    ) -> Any:
        return wording.written_questions(answers, settings)

    def helper_reader(self, stage: str) -> Reader:
        return questioning.read_reply

    def score(
        self, answers: pl.DataFrame, settings: MetricSettings, decisions: Decisions
    ) -> dict[str, Any]:
        counted = answers.filter(answers["counts"])
        states = states_of(counted)
        rng = np.random.default_rng([settings.seed, 20240623])
        means: dict[str, dict[str, dict[str, Any]]] = {}
        scored = picture_scores(counted).group_by("metric", "painter", maintain_order=True)
        for (metric, painter), own in scored:
            values, prompts = own["score"].to_numpy(), own["dataset_id"].to_numpy()
            if metric in SHARES:
                found = share_interval(values, prompts)
            else:
                found = bootstrap_mean(values, rng, clusters=prompts)
            of = states_of(counted.filter(counted["painter"] == painter))
            means.setdefault(str(metric), {})[str(painter)] = replace(found, states=of).as_json()
        return {
            "asked": counted.height,
            "trials": states.get("read", 0),
            "states": states,
            "means": means,
            "undefined": {} if means else {"means": "no picture has a readable score"},
        }


def _asked(
    stage: str, prompt: Prompt, settings: MetricSettings, written: Mapping[str, Any]
) -> Iterator[tuple[str, tuple[str, ...], dict[str, Any]]]:
    """Words, options and condition of everything that is asked about a picture of a prompt."""
    recipe, _, questions = wording.chosen(settings)
    if stage == MATCH:
        words = settings.prefix + prompt.prompt
        yield words, (words,), {}
    elif stage == ASK:
        kept = written.get(prompt.dataset_id)
        style = {} if kept is None else {"style": settings.style}
        claims = claims_of(prompt, recipe) if kept is None else questioning.claims_from(kept)
        for place, claim in enumerate(claims):
            about = {"place": place, "premise": claim.premise, **style}
            yield wording.YES_OR_NO.format(claim.question), (), about
    else:
        for one in questions[prompt.dataset_id]:
            if one.condition["thing"] and one.condition["asked"] is not None:
                yield one.text, (), one.condition


def _match_metric(answers: pl.DataFrame) -> str:
    """What a matcher's metric is called, by the unit of its scores; tables add the model's name."""
    units = {str(note).partition(" ")[0] for note in answers["note"] if note}
    return UNITS.get(units.pop(), "match") if len(units) == 1 else "match"


def picture_scores(answers: pl.DataFrame) -> pl.DataFrame:
    """A score per picture and metric, as a table of scores has them: painters by name.

    A picture with an answer that could not be read has no score: it would be a score of another
    set of questions.
    """
    import polars as pl

    picture = ["painter", "dataset_id", "picture"]
    yes, granted = pl.col("choice") == "yes", pl.col("granted")
    gap = (pl.col("number").clip(upper_bound=MORE_THAN_TEN) - pl.col("asked")).abs()
    metrics = {
        MATCH: {_match_metric(answers): pl.col("number").first()},
        ASK: {"qa": yes.mean(), "qa-premises": granted.mean()},
        COUNT: {"count": (gap == 0).mean(), "count-distance": -gap.mean()},
    }
    # written in the style of a published metric, the questions give that metric's score
    if style := next(iter(answers["style"]), ""):
        metrics[ASK] = {style: (granted if style == "dsg" else yes).mean()}
    read = answers.filter((pl.col("state") == "read").all().over(picture))
    stage = next(iter(answers["stage"]), MATCH)
    if stage == ASK:
        read = read.with_columns(granted=pl.Series(_granted(read, picture), dtype=pl.Boolean))
    each = read.group_by(picture, maintain_order=True).agg(**metrics[stage])
    scores = each.sort("painter", maintain_order=True).unpivot(
        index=picture, variable_name="metric", value_name="score"
    )
    return scores.select("metric", *picture, "score")


def _granted(read: pl.DataFrame, picture: list[str]) -> list[bool]:
    """Whether each answer is yes and so are all that it rests on, its premise's premise too."""
    found: dict[tuple[Any, ...], bool] = {}
    rows = read.select(*picture, "place", "premise", "choice").rows()
    # a premise stands before what rests on it
    for *own, place, premise, said in sorted(rows, key=lambda row: row[len(picture)]):
        rests = premise is None or premise == NO_PREMISE or found.get((*own, premise), False)
        found[*own, place] = said == "yes" and rests
    return [found[row[: len(picture) + 1]] for row in rows]
