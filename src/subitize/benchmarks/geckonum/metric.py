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
from typing import Any, ClassVar

import numpy as np

from subitize.benchmark import Benchmark, Decisions, Paper, Reader, Settings, Stage
from subitize.benchmarks.geckonum.choosing import (
    PromptSettings,
    check_choice,
    chosen_prompts,
    chosen_questions,
    chosen_recipe,
)
from subitize.benchmarks.geckonum.painting import GeckoNum
from subitize.benchmarks.geckonum.wording import YES_OR_NO, answer_value, as_question
from subitize.datasets.geckonum.claims import claims_of
from subitize.datasets.geckonum.pictures import PictureFile, find_pictures, picture_sha256
from subitize.datasets.geckonum.prompts import Prompt
from subitize.errors import BadInput
from subitize.measures.accuracy import clustered_share
from subitize.measures.resampling import bootstrap_mean
from subitize.models.base import Kind
from subitize.models.clip import clipscore
from subitize.readers.boxes import reading_boxes
from subitize.readers.choices import read_yes_no
from subitize.readers.text import ended_early
from subitize.records import Reading, Response, Row, Score, Stimulus, Trial, make_trial

__all__ = ["GeckoNumMetric", "GeckoNumMetricSettings", "picture_scores"]

MATCH, ASK, COUNT = "match", "ask", "count"
STAGES: Mapping[str, str] = {"matcher": MATCH, "namer": ASK, "counter": COUNT}
METRICS: Mapping[str, tuple[str, ...]] = {
    MATCH: ("clipscore",),
    ASK: ("qa", "qa-premises"),
    COUNT: ("count", "count-distance"),
}
"""stage: the metrics that come of it"""
SHARES = frozenset({"qa", "qa-premises", "count"})
"""metrics that are shares: a mean of 0 or 1 has an interval too"""


@dataclass(frozen=True)
class GeckoNumMetricSettings(PromptSettings):
    """What a run of a metric is."""

    pictures: str = ""
    """folder with PAINTER/PROMPT_SEED.png"""
    prefix: str = "A photo depicts "
    """what stands before a prompt when it is matched; Hessel et al. 2021"""


def read_metric(trial: Trial, response: Response) -> Reading:
    """Match scores as CLIPScore, boxes as a count, words as yes or no."""
    if response.kind != "scores":
        return _words_or_boxes(trial, response)
    ended = ended_early(response)
    if ended is not None:
        return ended
    found: Sequence[float] = response.value["scores"]
    if not found:
        return Reading("failed", note="no score came back")
    return Reading("read", number=clipscore(float(found[0])), note=f"cosine {found[0]}")


_words_or_boxes = reading_boxes(read_yes_no)


class GeckoNumMetric(Benchmark):
    """One metric on the pictures of a folder."""

    NAME: ClassVar[str] = "geckonum-metric"
    VERSION: ClassVar[str] = "1"
    TITLE: ClassVar[str] = "GeckoNum: automatic metrics on generated pictures"
    PAPER: ClassVar[Paper] = GeckoNum.PAPER
    KINDS: ClassVar[tuple[Kind, ...]] = ("matcher", "counter", "namer")
    SETTINGS: ClassVar[type[Settings]] = GeckoNumMetricSettings
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

    def check(self, settings: Settings) -> None:
        assert isinstance(settings, GeckoNumMetricSettings)
        check_choice(settings)
        if not settings.pictures:
            raise BadInput(
                "geckonum-metric needs pictures: give --set pictures=FOLDER, with pictures named "
                "PAINTER/PROMPT_SEED.png (`subitize geckonum pictures RUN` makes one of a run)."
            )

    def stages(self, settings: Settings, kind: Kind) -> Iterator[Stage]:
        yield Stage(STAGES[kind])

    def trials(self, stage: str, settings: Settings, decisions: Decisions) -> Iterator[Trial]:
        assert isinstance(settings, GeckoNumMetricSettings)
        prompts = {one.dataset_id: one for one in chosen_prompts(settings)}
        for picture in find_pictures(Path(settings.pictures), prompts):
            path = picture.path.resolve()
            stimulus = Stimulus("file", {"sha256": picture_sha256(path)}, str(path))
            yield from self._about(stage, stimulus, picture, prompts[picture.dataset_id], settings)

    def _about(
        self,
        stage: str,
        stimulus: Stimulus,
        picture: PictureFile,
        prompt: Prompt,
        settings: GeckoNumMetricSettings,
    ) -> Iterator[Trial]:
        """All trials about one picture."""
        whose = (self.NAME, self.VERSION, stage)
        about = {
            "painter": picture.painter,
            "dataset_id": prompt.dataset_id,
            "picture": picture.seed,
            "prompt_type": prompt.prompt_type,
        }
        recipe = chosen_recipe(settings)
        if stage == MATCH:
            words = settings.prefix + prompt.prompt
            yield make_trial(whose, stimulus, words, options=(words,), condition=about)
        elif stage == ASK:
            for place, claim in enumerate(claims_of(prompt, recipe)):
                where = about | {"place": place, "premise": claim.premise}
                yield make_trial(whose, stimulus, YES_OR_NO.format(claim.question), condition=where)
        else:
            for one in chosen_questions(settings)[prompt.dataset_id]:
                question = as_question(one, recipe)
                if question.thing and one.truth is not None:
                    where = about | dict(question.condition) | {"thing": question.thing}
                    yield make_trial(whose, stimulus, question.text, condition=where)

    def score(
        self, rows: Sequence[Row], settings: Settings, decisions: Decisions
    ) -> dict[str, Any]:
        states = dict(Counter(row.reading.state for row in rows))
        rng = np.random.default_rng([settings.seed, 20240623])
        means: dict[str, dict[str, dict[str, Any]]] = {}
        undefined: dict[str, str] = {}
        scored = picture_scores(rows)
        for metric in dict.fromkeys(str(one["metric"]) for one in scored):
            for painter in sorted({str(one["model"]) for one in scored}):
                own = [o for o in scored if (o["metric"], o["model"]) == (metric, painter)]
                if own:
                    mean = clustered_share if metric in SHARES else _mean
                    found = mean([o["score"] for o in own], [o["dataset_id"] for o in own], rng)
                    means.setdefault(metric, {})[painter] = found.as_json()
        if not means:
            undefined["means"] = "no picture has a readable score"
        return {
            "asked": len(rows),
            "trials": states.get("read", 0),
            "states": states,
            "means": means,
            "undefined": undefined,
        }


def _mean(values: Sequence[float], clusters: Sequence[str], rng: np.random.Generator) -> Score:
    return bootstrap_mean(values, rng, clusters=clusters)


def picture_scores(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """A score per picture and metric, as a table of scores has them.

    A picture with an answer that could not be read has no score: it would be a score of another
    set of questions.
    """
    by_picture: dict[tuple[str, str, int], list[Row]] = {}
    for row in rows:
        about = row.trial.condition
        key = (str(about["painter"]), str(about["dataset_id"]), int(about["picture"]))
        by_picture.setdefault(key, []).append(row)
    found = []
    for (painter, prompt, seed), own in by_picture.items():
        if any(row.reading.state != "read" for row in own):
            continue
        for metric, score in _scores(own).items():
            found.append(
                {"metric": metric, "model": painter, "dataset_id": prompt, "seed": seed,
                 "score": score}
            )  # fmt: skip
    return found


def _scores(rows: Sequence[Row]) -> dict[str, float]:
    stage = rows[0].trial.stage
    if stage == MATCH:
        return {"clipscore": float(rows[0].reading.number or 0.0)}
    if stage == ASK:
        yes = {int(row.trial.condition["place"]): row.reading.choice == "yes" for row in rows}
        premises = {int(r.trial.condition["place"]): r.trial.condition["premise"] for r in rows}
        granted = [
            said and (premises[place] is None or yes.get(premises[place], False))
            for place, said in yes.items()
        ]
        return {"qa": sum(yes.values()) / len(yes), "qa-premises": sum(granted) / len(granted)}
    gaps = [abs((answer_value(row) or 0.0) - float(row.trial.condition["asked"])) for row in rows]
    return {
        "count": sum(gap == 0 for gap in gaps) / len(gaps),
        "count-distance": -sum(gaps) / len(gaps),
    }
