"""The probe's items to learn from and to be judged by: right sentences and foils with pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import orjson

from subitize.benchmarks.probe import MATCH, Probe
from subitize.benchmarks.probe.items import ProbeSettings
from subitize.datasets.probe.questions import PARTS
from subitize.errors import BadInput
from subitize.measures.foils import foil_scores
from subitize.records import Stimulus, Trial
from subitize.stimuli import render

MEASURES = (
    "acc", "recall_correct", "recall_foil", "precision_correct", "precision_foil", "acc_r",
)  # fmt: skip


class Pair(NamedTuple):
    """A picture with a sentence."""

    stimulus: Stimulus
    sentence: str
    right: bool


class Data(NamedTuple):
    """What a training is made of: pairs to learn, items to be judged by."""

    train: list[Pair]
    judged: dict[str, list[Trial]]
    """valid, test and alignment"""
    leaks: int = 0
    """pictures that training shares with validation or test"""

    def told(self) -> dict[str, int]:
        """How much of everything there is."""
        right = sum(pair.right for pair in self.train)
        learnt = {"right": right, "foils": len(self.train) - right, "leaks": self.leaks}
        return {**learnt, **{name: len(trials) for name, trials in self.judged.items()}}


def load_data(
    settings: ProbeSettings, files: Mapping[str, str], judged: int, *, leak: bool = False
) -> Data:
    """All parts of a split: of files where they are given, else of generated scenes.

    A picture of training that comes again in validation or test stops it, unless `leak` allows it.
    """
    if files and (lacking := [part for part in PARTS if not files.get(part)]):
        raise BadInput(f"Give --{' and --'.join(lacking)} too: a training needs all three parts.")
    found = {}
    for part in PARTS:
        many = settings.items if part == "train" else judged
        own = replace(settings, part=part, file=files.get(part, ""), items=many)
        found[part] = _trials(own)
        if not found[part]:
            raise BadInput(f"The part {part} has no item that can be asked: see `probe build`.")
    leaks = _leaks(found)
    if leaks and not leak:
        raise BadInput(
            f"{len(leaks)} pictures of training occur in validation or test, the first is "
            f"{leaks[0]}: what is learnt by heart would count as counting. Build parts without a "
            "leak with `subitize probe build`, or give --allow-leak to train all the same."
        )
    aligned = replace(settings, task="alignment", items=judged, file="", pictures="")
    train = [pair for trial in found.pop("train") for pair in pairs_of(trial)]
    return Data(train, {**found, "alignment": _trials(aligned)}, len(leaks))


def with_alignment(data: Data, file: str, pictures: str, judged: int) -> Data:
    """The same with another alignment task than that of our scenes."""
    settings = ProbeSettings(task="alignment", file=file, pictures=pictures, items=judged)
    return data._replace(judged={**data.judged, "alignment": _trials(settings)})


def _trials(settings: ProbeSettings) -> list[Trial]:
    probe = Probe()
    probe.check(settings)
    return list(probe.trials(MATCH, settings, probe.ready(settings, "matcher")))


def _leaks(found: Mapping[str, Sequence[Trial]]) -> list[str]:
    """The pictures that training shares with validation or test."""
    seen = {str(trial.condition["picture"]) for trial in found["train"]}
    others = [str(trial.condition["picture"]) for part in PARTS[1:] for trial in found[part]]
    return [picture for picture in dict.fromkeys(others) if picture in seen]


def pairs_of(trial: Trial) -> Iterator[Pair]:
    """Every sentence of an item."""
    for sentence in trial.options:
        yield Pair(trial.stimulus, sentence, sentence == trial.target_choice)


def shown(pair: Pair) -> tuple[bytes, str]:
    """The picture's bytes with the sentence."""
    whose = pair.stimulus
    return picture_of(whose.kind, orjson.dumps(dict(whose.recipe)), whose.path), pair.sentence


@lru_cache(maxsize=4096)
def picture_of(kind: Any, recipe: bytes, path: Any) -> bytes:
    """Pictures are drawn or read once as long as they fit: every epoch shows them again."""
    return render(Stimulus(kind, orjson.loads(recipe), path)).png


def measured(trials: Sequence[Trial], scores: Sequence[Sequence[float]]) -> dict[str, Any]:
    """The probe's measures of match probabilities."""
    right, foils, items = [], [], []
    for place, (trial, own) in enumerate(zip(trials, scores, strict=True)):
        for sentence, score in zip(trial.options, own, strict=True):
            if sentence == trial.target_choice:
                right.append(score)
            else:
                foils.append(score)
                items.append(place)
    found = foil_scores(right, foils, items)
    return {name: getattr(found, name) for name in MEASURES}
