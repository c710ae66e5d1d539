"""Automatic metrics on GeckoNum's pictures: how well does a picture fit its prompt?

A matcher gives CLIPScore; a namer answers what the prompt claims (share of yes, in the manner of
TIFA and DSG); a counter counts what can be counted. Whether such a metric is any good, people
decide: `subitize geckonum metrics --scores RUN`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from subitize.benchmark import Benchmark, Decisions, Paper, Reader, Stage
from subitize.benchmarks.geckonum.choosing import PromptSettings, check_choice, chosen
from subitize.benchmarks.geckonum.wording import ASKED, PAPER, YES_OR_NO, as_question
from subitize.datasets.geckonum.claims import claims_of
from subitize.datasets.geckonum.pictures import find_pictures, picture_sha256
from subitize.datasets.geckonum.prompts import Prompt
from subitize.errors import BadInput
from subitize.measures.accuracy import clustered_share
from subitize.measures.resampling import bootstrap_mean
from subitize.models.base import Kind
from subitize.readers.annotators import MORE_THAN_TEN
from subitize.readers.boxes import reading_boxes
from subitize.readers.choices import read_yes_no
from subitize.readers.matches import read_clipscore
from subitize.records import Reading, Response, Score, Stimulus, Trial, make_trial

if TYPE_CHECKING:
    import polars as pl

MATCH, ASK, COUNT = "match", "ask", "count"
STAGES: Mapping[str, str] = {"matcher": MATCH, "namer": ASK, "counter": COUNT}
ALL_METRICS = ("clipscore", "qa", "qa-premises", "count", "count-distance")
SHARES = frozenset({"qa", "qa-premises", "count"})
"""metrics that are shares: a mean of 0 or 1 has an interval too"""
Scored = tuple[str, str, str, int, float]
"""metric, painter, dataset_id, picture, score"""


@dataclass(frozen=True)
class GeckoNumMetricSettings(PromptSettings):
    """What a run of a metric is."""

    pictures: str = ""
    """folder with PAINTER/PROMPT_SEED.png"""
    prefix: str = "A photo depicts "
    """what stands before a prompt when it is matched; Hessel et al. 2021"""


def read_metric(trial: Trial, response: Response) -> Reading:
    """Match scores as CLIPScore, boxes as a count, words as yes or no."""
    read = read_clipscore if response.kind == "scores" else _words_or_boxes
    return read(trial, response)


_words_or_boxes = reading_boxes(read_yes_no)


class GeckoNumMetric(Benchmark[GeckoNumMetricSettings]):
    """One metric on the pictures of a folder."""

    NAME: ClassVar[str] = "geckonum-metric"
    VERSION: ClassVar[str] = "1"
    TITLE: ClassVar[str] = "GeckoNum: automatic metrics on generated pictures"
    PAPER: ClassVar[Paper] = PAPER
    KINDS: ClassVar[tuple[Kind, ...]] = ("matcher", "counter", "namer")
    SETTINGS = GeckoNumMetricSettings
    CONDITION: ClassVar[Mapping[str, str | int | float]] = {
        "painter": "", "dataset_id": "", "picture": 0, "prompt_type": "",
        "place": 0, "premise": -1, **ASKED, "thing": "",
    }  # fmt: skip
    READERS: ClassVar[Mapping[str, Reader]] = {"metric": read_metric}
    MEASURES: ClassVar[tuple[str, ...]] = ("means",)
    DEVIATIONS: ClassVar[tuple[str, ...]] = (
        "The paper does not say which CLIP model its CLIPScore used, nor whether the prompt got "
        "the prefix of Hessel et al. (2021); here it does, and the model is named.",
        "The questions are made from the prompt's structure, not by a language model as in TIFA "
        "and DSG.",
    )
    DEMO: ClassVar[Mapping[str, Any]] = {
        "models": (),
        "settings": {"pictures": "pictures"},
        "fast": {"pictures": "pictures"},
    }
    """needs pictures that people have judged, so the demo runs no model on it"""

    def check(self, settings: GeckoNumMetricSettings) -> None:
        check_choice(settings)
        if not settings.pictures:
            raise BadInput(
                "geckonum-metric needs pictures: give --set pictures=FOLDER, with pictures named "
                "PAINTER/PROMPT_SEED.png (`subitize geckonum pictures RUN` makes one of a run)."
            )

    def stages(self, settings: GeckoNumMetricSettings, kind: Kind) -> Iterator[Stage]:
        yield Stage(STAGES[kind])

    def trials(
        self, stage: str, settings: GeckoNumMetricSettings, decisions: Decisions
    ) -> Iterator[Trial]:
        prompts = {one.dataset_id: one for one in chosen(settings).prompts}
        for picture in find_pictures(Path(settings.pictures), prompts):
            prompt, path = prompts[picture.dataset_id], picture.path.resolve()
            stimulus = Stimulus("file", {"sha256": picture_sha256(path)}, str(path))
            about = {
                "painter": picture.painter,
                "dataset_id": prompt.dataset_id,
                "picture": picture.number,
                "prompt_type": prompt.prompt_type,
            }
            for words, options, more in _asked(stage, prompt, settings):
                whose, condition = (self.NAME, self.VERSION, stage), about | more
                yield make_trial(whose, stimulus, words, options=options, condition=condition)

    def score(
        self, answers: pl.DataFrame, settings: GeckoNumMetricSettings, decisions: Decisions
    ) -> dict[str, Any]:
        counted = answers.filter(answers["counts"])
        states = dict(Counter(counted["state"]))
        rng = np.random.default_rng([settings.seed, 20240623])
        scored: dict[tuple[str, str], list[tuple[float, str]]] = {}
        for metric, painter, prompt, _, score in sorted(picture_scores(counted), key=_order):
            scored.setdefault((metric, painter), []).append((score, prompt))
        means: dict[str, dict[str, dict[str, Any]]] = {}
        for (metric, painter), own in scored.items():
            mean = clustered_share if metric in SHARES else _mean
            scores, prompts = zip(*own, strict=True)
            found = mean(scores, prompts, rng)
            means.setdefault(metric, {})[painter] = found.as_json()
        return {
            "asked": counted.height,
            "trials": states.get("read", 0),
            "states": states,
            "means": means,
            "undefined": {} if means else {"means": "no picture has a readable score"},
        }


def _asked(
    stage: str, prompt: Prompt, settings: GeckoNumMetricSettings
) -> Iterator[tuple[str, tuple[str, ...], dict[str, Any]]]:
    """Words, options and condition of everything that is asked about a picture of a prompt."""
    recipe, _, questions = chosen(settings)
    if stage == MATCH:
        words = settings.prefix + prompt.prompt
        yield words, (words,), {}
    elif stage == ASK:
        for place, claim in enumerate(claims_of(prompt, recipe)):
            about = {"place": place, "premise": claim.premise}
            yield YES_OR_NO.format(claim.question), (), about
    else:
        for one in questions[prompt.dataset_id]:
            text, thing, _, asked = as_question(one, recipe)
            if thing and one.truth is not None:
                yield text, (), asked | {"thing": thing}


def _mean(values: Sequence[float], clusters: Sequence[str], rng: np.random.Generator) -> Score:
    return bootstrap_mean(values, rng, clusters=clusters)


def _order(scored: Scored) -> tuple[int, str]:
    """Metrics as they are listed, painters by name."""
    return ALL_METRICS.index(scored[0]), scored[1]


def picture_scores(answers: pl.DataFrame) -> list[Scored]:
    """A score per picture and metric, as a table of scores has them.

    A picture with an answer that could not be read has no score: it would be a score of another
    set of questions.
    """
    found: list[Scored] = []
    for name, own in answers.group_by("painter", "dataset_id", "picture", maintain_order=True):
        if (own["state"] == "read").all():
            painter, prompt, picture = (str(name[0]), str(name[1]), int(str(name[2])))
            for metric, score in _scores(own).items():
                found.append((metric, painter, prompt, picture, float(score)))
    return found


def _scores(answers: pl.DataFrame) -> dict[str, float]:
    """The metrics of one picture."""
    stage = answers["stage"][0]
    if stage == MATCH:
        return {"clipscore": answers["number"][0]}
    if stage == ASK:
        yes = dict(zip(answers["place"], answers["choice"] == "yes", strict=True))
        premises = dict(zip(answers["place"], answers["premise"], strict=True))
        granted = [
            said and (premises[place] is None or yes.get(premises[place], False))
            for place, said in yes.items()
        ]
        return {"qa": sum(yes.values()) / len(yes), "qa-premises": sum(granted) / len(granted)}
    gaps = np.abs(np.minimum(answers["number"], MORE_THAN_TEN) - answers["asked"].to_numpy())
    return {"count": (gaps == 0).mean(), "count-distance": -gaps.mean()}
