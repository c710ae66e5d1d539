"""The counting probe: does a model tell the right number from a wrong one, fill it in, or say it?

Four tasks on one set of items: `alignment` (is this the picture's caption?), `counting` (the same
with a right and wrong numbers), `mlm` (which number stands at the mask?), `vqa` (how many?).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import orjson

from subitize.benchmark import Benchmark, Decisions, Paper, Reader, Stage
from subitize.benchmarks.probe import items as probe_items
from subitize.benchmarks.probe.cells import CELLS, FAMILY
from subitize.benchmarks.probe.items import ProbeSettings, asked_about, hash_of
from subitize.benchmarks.probe.scoring import comparable_items, probe_scores
from subitize.datasets.probe.alignment import Pair
from subitize.datasets.probe.released import ProbeItem
from subitize.errors import BadInput
from subitize.files import stamp
from subitize.models.base import Kind, Model
from subitize.pictures.media import picture_sha256
from subitize.published.probe import CITATION, DOI
from subitize.readers.choices import read_yes_no
from subitize.readers.matches import read_best_match
from subitize.readers.rankings import read_ranking
from subitize.readers.text import read_final, read_strict
from subitize.records import Reading, Response, Stimulus, Trial, make_trial
from subitize.stimuli.probe import check_room

if TYPE_CHECKING:
    import polars as pl

MATCH, JUDGE, FILL, ANSWER = "match", "judge", "fill", "answer"
KINDS: Mapping[str, tuple[Kind, ...]] = {
    "alignment": ("matcher", "namer"),
    "counting": ("matcher", "namer"),
    "mlm": ("filler",),
    "vqa": ("namer",),
}
"""who can be asked each task"""
JUDGED = "Does this sentence match the picture? “{}” Answer with yes or no."
"""for models that answer in words"""
WHICH = "Which sentence matches the picture?"
MISSING, TRIALS = "missing", "trials"
"""decisions: pictures that are not there, and how many trials there are"""
NAMED, NONE = 5, -1
"""how many a message names; the number of a sentence without one"""


def _read(of_text: Reader) -> Reader:
    """Scores, rankings and yes or no by their own rules, other words by `of_text`."""

    def read(trial: Trial, response: Response) -> Reading:
        if response.kind == "scores":
            return read_best_match(trial, response)
        if response.kind == "ranking":
            return read_ranking(trial, response)
        return (read_yes_no if trial.stage == JUDGE else of_text)(trial, response)

    return read


class Probe(Benchmark[ProbeSettings]):
    """Right numbers against foils, masked numbers and answers."""

    NAME: ClassVar[str] = "probe"
    VERSION: ClassVar[str] = "1"
    TITLE: ClassVar[str] = "The counting probe: foils, masked numbers and answers"
    PAPER: ClassVar[Paper] = Paper(CITATION, DOI, "https://arxiv.org/abs/2012.12352")
    KINDS: ClassVar[tuple[Kind, ...]] = ("matcher", "filler", "namer")
    SETTINGS = ProbeSettings
    CONDITION: ClassVar[Mapping[str, str | int | float]] = {
        "item": "", "picture": "", "source": "", "numbers": "", "place": 0, "n": -1, "claimed": -1,
    }  # fmt: skip
    READERS: ClassVar[Mapping[str, Reader]] = {
        "strict": _read(read_strict),
        "final": _read(read_final),
    }
    MEASURES: ClassVar[tuple[str, ...]] = (
        "acc", "recall_correct", "recall_foil", "precision_correct", "precision_foil", "acc_r",
        "recall_at_1", "recall_at_2", "mean_rank", "accuracy",
    )  # fmt: skip
    DEVIATIONS: ClassVar[tuple[str, ...]] = (
        "Recall and precision of right items and of foils are both given: the paper's formula is "
        "a precision, but its Tables 1 and 2 print recalls and Table 3 precisions.",
        "Foils that repeat or equal the answer are not asked, and items with them are counted; the "
        "paper used them as they were.",
        "Generated scenes stand in where no file is given: the photographs of Visual7W are not "
        "ours to ship.",
        "Our splits keep one item per picture before the cap; in the release the cap came first, "
        "so its classes peak below 200, and a picture may carry another question in another split.",
        "A model that only says yes or no has no acc_r: ties would count as right.",
        "An answer that is no number (“yes” to How many …?) enters no accuracy, and how many there "
        "were stands beside it; the paper counts them as wrong.",
        "A masked statement is in the plural whatever its number, so that no grammar tells the "
        "one; mode=published masks the released statement (“There is [MASK] car.”), as the paper "
        "says it did.",
        "Statements for new data are in correct English; mode=published gives the released ones.",
    )
    MAX_TOKENS: ClassVar[int | None] = 256
    PROFILES: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "paper": {},
        "quick": {"items": 100},
    }
    WORDS: ClassVar[Mapping[str, Mapping[str, str]]] = probe_items.WORDS
    DEMO: ClassVar[Mapping[str, Any]] = {
        "models": ("sim/perfect", "sim/observer", "sim/random", "numbernet/base"),
        "settings": {"items": 200},
        "fast": {"items": 60},
        "also": (
            ({"task": "counting", "split": "interpolated"}, ("sim/observer",)),
            ({"task": "counting", "answers": "flat"}, tuple(f"{FAMILY}/{cell}" for cell in CELLS)),
            ({"task": "alignment"}, ("sim/matcher", "numbernet/base")),
            ({"task": "mlm"}, ("sim/observer", "sim/filler")),
            ({"task": "vqa"}, ("sim/observer", "numbernet/base")),
        ),
    }

    def check(self, settings: ProbeSettings) -> None:
        probe_items.check(settings)

    def kinds(self, settings: ProbeSettings) -> tuple[Kind, ...]:
        return KINDS[settings.task]

    def check_model(self, settings: ProbeSettings, model: Model, kind: Kind) -> None:
        if kind == "namer" and "matcher" in KINDS[settings.task] and model.numbers_only:
            raise BadInput(
                f"{model.respondent} has no head for matching, and as a namer it says numbers "
                f"only, never yes or no: ask it --set task=mlm or --set task=vqa, or give "
                f"task={settings.task} a checkpoint with a head for matching."
            )

    def ready(self, settings: ProbeSettings, kind: Kind) -> Decisions:
        found = probe_items.unusable(settings)
        listed: tuple[ProbeItem, ...] | tuple[Pair, ...] = (
            probe_items.alignment_pairs(settings)
            if settings.task == "alignment"
            else probe_items.counting_items(settings)
        )
        check_room(one.recipe for one in listed)
        names = dict.fromkeys(one.picture for one in listed if not one.recipe)
        if names and not settings.pictures:
            raise BadInput(
                f"The items of {settings.file} are about {len(names):,} pictures that are yours to "
                "bring: give --set pictures=FOLDER."
            )
        folder = Path(settings.pictures)
        missing = [name for name in names if not (folder / name).is_file()]
        if missing and (settings.missing == "stop" or len(missing) == len(names)):
            shown = ", ".join(missing[:NAMED]) + (", …" if len(missing) > NAMED else "")
            more = "" if len(missing) == len(names) else ", or go on without: --set missing=skip"
            raise BadInput(
                f"{len(missing):,} of {len(names):,} pictures are not in {folder}: {shown}. Put "
                f"them there{more}."
            )
        lacking = set(missing)
        told = [self._about(one, settings) for one in listed if one.picture not in lacking]
        each = KINDS[settings.task] != ("namer",) and kind == "namer"
        many = sum(len(one) if each else bool(one) for one in told)
        return {**found, MISSING: missing, TRIALS: many}

    @staticmethod
    def _about(one: ProbeItem | Pair, settings: ProbeSettings) -> Mapping[str, int]:
        """What is asked about an item or a pair, with the number that it says."""
        if isinstance(one, Pair):
            return {one.caption: NONE, one.foil: NONE}
        return asked_about(one, settings)

    def size(self, stage: str, settings: ProbeSettings, decisions: Decisions) -> int | None:
        return decisions.get(TRIALS)

    def stages(self, settings: ProbeSettings, kind: Kind) -> Iterator[Stage]:
        names = {"mlm": FILL, "vqa": ANSWER}
        yield Stage(names.get(settings.task) or (JUDGE if kind == "namer" else MATCH))

    def trials(self, stage: str, settings: ProbeSettings, decisions: Decisions) -> Iterator[Trial]:
        missing = set(decisions.get(MISSING, ()))
        if settings.task == "alignment":
            for pair in probe_items.alignment_pairs(settings):
                if pair.picture not in missing:
                    yield from self._judged(stage, pair, self._about(pair, settings), settings)
            return
        for item in probe_items.counting_items(settings):
            told = {} if item.picture in missing else asked_about(item, settings)
            if stage in (FILL, ANSWER):
                for asked in told:
                    yield self._trial(stage, (item, settings), asked, item.answer)
            elif told:
                yield from self._judged(stage, item, told, settings)

    def _judged(
        self, stage: str, item: ProbeItem | Pair, told: Mapping[str, int], settings: ProbeSettings
    ) -> Iterator[Trial]:
        """All sentences of an item in one trial, or one each; `told` has the right one first."""
        right, *_ = sentences = tuple(told)
        if stage == MATCH:
            # Where the right one stands tells nothing.
            turn = hash_of(item.id, settings.seed) % len(sentences)
            shown = sentences[turn:] + sentences[:turn]
            numbers = orjson.dumps([told[one] for one in shown]).decode()
            more = {"place": shown.index(right), "numbers": numbers}
            yield self._trial(stage, (item, settings), WHICH, right, shown, more)
            return
        for place, one in enumerate(sentences):
            claim = {"claimed": told[one], "place": place}
            words = JUDGED.format(one)
            yield self._trial(stage, (item, settings), words, "no" if place else "yes", (), claim)

    def _trial(
        self,
        stage: str,
        about: tuple[ProbeItem | Pair, ProbeSettings],
        words: str,
        target: int | str,
        options: tuple[str, ...] = (),
        more: Mapping[str, Any] | None = None,
    ) -> Trial:
        item, settings = about
        n = item.answer if isinstance(item, ProbeItem) else NONE
        known = {"item": item.id, "picture": item.picture, "source": item.source, "n": n}
        if item.recipe:
            stimulus = Stimulus("drawn", item.recipe)
        else:
            path = (Path(settings.pictures) / item.picture).resolve()
            stimulus = Stimulus("file", {"sha256": _sha256(path, stamp(path))}, str(path))
        whose = (self.NAME, self.VERSION, stage)
        condition = {**known, **(more or {})}
        return make_trial(
            whose, stimulus, words, target=target, options=options, condition=condition
        )

    def comparable(
        self, answers: pl.DataFrame, settings: ProbeSettings, decisions: Decisions
    ) -> pl.DataFrame:
        return comparable_items(answers, settings)

    def score(
        self, answers: pl.DataFrame, settings: ProbeSettings, decisions: Decisions
    ) -> dict[str, Any]:
        scores = probe_scores(answers.filter(answers["counts"]), settings)
        missing = list(decisions.get(MISSING, ()))
        scores["missing_pictures"] = {"count": len(missing), "first": missing[:NAMED]}
        scores["broken"] = decisions.get("broken", {})
        for name in ("unusable", "unusable_first"):
            scores[name] = decisions.get(name, {})
        return scores


@lru_cache(maxsize=65536)
def _sha256(path: Path, _stamp: tuple[int, int]) -> str:
    return picture_sha256(path)
