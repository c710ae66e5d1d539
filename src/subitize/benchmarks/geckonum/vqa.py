"""Counting questions with people's answers, for models that see: GeckoNum's own and TallyQA's.

The questions come from a file (`subitize geckonum vqa` makes GeckoNum's), the pictures from the
user's folder. A namer is asked in words; a counter, asked for the thing, is so compared with
people: by number, by prompt type, by painter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from subitize.benchmark import Benchmark, Decisions, Paper, Reader, Settings, Stage
from subitize.benchmarks.geckonum.painting import GeckoNum
from subitize.benchmarks.geckonum.wording import NUMBER_ONLY
from subitize.datasets.geckonum.pictures import ENDINGS, picture_sha256
from subitize.datasets.vqa_files import VqaEntry, read_vqa
from subitize.errors import BadInput, UnknownName
from subitize.measures.accuracy import clustered_share
from subitize.models.base import Kind
from subitize.readers.boxes import reading_boxes
from subitize.readers.text import read_final, read_strict
from subitize.records import Row, Stimulus, Trial, make_trial

__all__ = ["GeckoNumVqa", "GeckoNumVqaSettings"]

MISSING = "missing"
HIGHEST = 10
"""numbers above are one group in the breakdown"""
NAMED = 5
"""missing pictures that a message names"""


@dataclass(frozen=True)
class GeckoNumVqaSettings(Settings):
    """What a run of counting questions is."""

    file: str = ""
    """questions with answers (JSONL or JSON)"""
    pictures: str = ""
    """folder that the questions' pictures lie in"""
    missing: str = "stop"
    """what to do when pictures are missing: stop, or skip their questions"""


class GeckoNumVqa(Benchmark):
    """How many are there? with people's answers."""

    NAME: ClassVar[str] = "geckonum-vqa"
    VERSION: ClassVar[str] = "1"
    TITLE: ClassVar[str] = "GeckoNum: counting questions with people's answers"
    PAPER: ClassVar[Paper] = GeckoNum.PAPER
    KINDS: ClassVar[tuple[Kind, ...]] = ("namer", "counter")
    SETTINGS: ClassVar[type[Settings]] = GeckoNumVqaSettings
    READERS: ClassVar[Mapping[str, Reader]] = {
        "strict": reading_boxes(read_strict),
        "final": reading_boxes(read_final),
    }
    MEASURES: ClassVar[tuple[str, ...]] = ("accuracy",)
    DEVIATIONS: ClassVar[tuple[str, ...]] = (
        "Models are asked for a number only; the paper fine-tuned a model on the bare question.",
        "People could only say `10+` of many things, so every number above 10 is right there.",
        "The released annotations do not give the paper's 59,582 pairs (appendix D): pictures "
        "with faces are not in the release, and two painters' files may be missing.",
    )
    DEMO: ClassVar[Mapping[str, Any]] = {
        "models": (),
        "settings": {"file": "questions.jsonl", "pictures": "pictures"},
        "fast": {"file": "questions.jsonl", "pictures": "pictures"},
    }
    """needs pictures that people have counted, so the demo runs no model on it"""

    def check(self, settings: Settings) -> None:
        assert isinstance(settings, GeckoNumVqaSettings)
        for name in ("file", "pictures"):
            if not getattr(settings, name):
                raise BadInput(
                    f"geckonum-vqa needs the setting {name}: give --set file=QUESTIONS.jsonl --set "
                    "pictures=FOLDER (`subitize geckonum vqa` makes the file from annotations)."
                )
        if settings.missing not in ("stop", "skip"):
            raise UnknownName("setting missing", settings.missing, ("stop", "skip"))

    def stages(self, settings: Settings, kind: Kind) -> Iterator[Stage]:
        # Looks which pictures are there, once, so that a resumed run asks the same questions.
        yield Stage("look", (MISSING,))
        yield Stage("ask")

    def decide(
        self, name: str, settings: Settings, rows: Sequence[Row], decisions: Decisions
    ) -> Any:
        assert isinstance(settings, GeckoNumVqaSettings)
        folder = Path(settings.pictures)
        images = dict.fromkeys(entry.image for entry in read_vqa(Path(settings.file)))
        missing = [image for image in images if _find(folder, image) is None]
        if missing and (settings.missing == "stop" or len(missing) == len(images)):
            shown = ", ".join(missing[:NAMED]) + (", …" if len(missing) > NAMED else "")
            more = "" if len(missing) == len(images) else ", or go on without: --set missing=skip"
            raise BadInput(
                f"{len(missing)} of {len(images)} pictures are not in {folder}: {shown}. Put them "
                f"there{more}."
            )
        return missing

    def trials(self, stage: str, settings: Settings, decisions: Decisions) -> Iterator[Trial]:
        assert isinstance(settings, GeckoNumVqaSettings)
        if stage == "look":
            return
        folder, missing = Path(settings.pictures), set(decisions[MISSING])
        hashes: dict[str, str] = {}
        asked: set[tuple[str, str]] = set()
        for entry in read_vqa(Path(settings.file)):
            path = None if entry.image in missing else _find(folder, entry.image)
            if path is None or (entry.image, entry.question) in asked:
                continue
            asked.add((entry.image, entry.question))
            if entry.image not in hashes:
                hashes[entry.image] = picture_sha256(path)
            yield self._trial(entry, path, hashes[entry.image])

    def _trial(self, entry: VqaEntry, path: Path, sha256: str) -> Trial:
        about = {name: value for name, value in asdict(entry).items() if name != "answer"}
        return make_trial(
            (self.NAME, self.VERSION, "ask"),
            Stimulus("file", {"sha256": sha256}, str(path)),
            NUMBER_ONLY.format(entry.question),
            target=entry.answer,
            condition=about | {"thing": _thing(entry.question)},
        )

    def score(
        self, rows: Sequence[Row], settings: Settings, decisions: Decisions
    ) -> dict[str, Any]:
        read = [row for row in rows if row.reading.state == "read"]
        missing = list(decisions.get(MISSING, ()))
        scores: dict[str, Any] = {
            "asked": len(rows),
            "trials": len(read),
            "states": dict(Counter(row.reading.state for row in rows)),
            "accuracy": None,
            "missing_pictures": {"count": len(missing), "first": missing[:NAMED]},
            "undefined": {},
        }
        if not read:
            scores["undefined"]["accuracy"] = "no reply holds a number that can be read"
            return scores
        rng = np.random.default_rng([settings.seed, 20240624])
        scores["accuracy"] = _accuracy(read, rng)
        scores["within_one"] = _within_one(read, rng)
        for name, group in GROUPS.items():
            parts: dict[str, list[Row]] = {}
            for row in read:
                if group(row):
                    parts.setdefault(group(row), []).append(row)
            if parts:
                scores[name] = {part: _accuracy(own, rng) for part, own in sorted_parts(parts)}
        return scores


def _find(folder: Path, image: str) -> Path | None:
    path = folder / image
    if path.suffix.lower() in ENDINGS:
        return path.resolve() if path.is_file() else None
    named = (path.with_name(path.name + ending) for ending in ENDINGS)
    return next((one.resolve() for one in named if one.is_file()), None)


def _thing(question: str) -> str:
    """What a counter looks for: what stands between `How many` and the next verb."""
    words = question.strip().rstrip("?").split()
    if [word.lower() for word in words[:2]] != ["how", "many"]:
        return question
    thing = []
    for word in words[2:]:
        if word.lower() in {"are", "is", "can", "do", "does", "have", "has", "in", "on", "were"}:
            break
        thing.append(word)
    return " ".join(thing) or question


def _right(row: Row) -> bool:
    number, answer = row.reading.number, row.trial.target
    if number is None:
        return False
    return bool(number >= answer if row.trial.condition["at_least"] else number == answer)


def _accuracy(rows: Sequence[Row], rng: np.random.Generator) -> dict[str, Any]:
    return _mean(rows, [_right(row) for row in rows], rng)


def _within_one(rows: Sequence[Row], rng: np.random.Generator) -> dict[str, Any]:
    near = [_right(row) or abs((row.reading.number or 0) - row.trial.target) <= 1 for row in rows]
    return _mean(rows, near, rng)


def _mean(rows: Sequence[Row], hit: Sequence[bool], rng: np.random.Generator) -> dict[str, Any]:
    """Questions about one picture are not independent: whole pictures are drawn."""
    pictures = [row.trial.stimulus.recipe["sha256"] for row in rows]
    return clustered_share(hit, pictures, rng).as_json()


def _number(row: Row) -> str:
    return str(row.trial.target) if row.trial.target <= HIGHEST else f"{HIGHEST}+"


GROUPS: Mapping[str, Callable[[Row], str]] = {
    "by_number": _number,
    "by_type": lambda row: str(row.trial.condition["prompt_type"]),
    "by_complexity": lambda row: str(row.trial.condition["complexity"]),
    "by_frequency": lambda row: str(row.trial.condition["frequency"]),
    "by_painter": lambda row: str(row.trial.condition["painter"]),
}
"""score: the group a row belongs to; empty for none"""


def sorted_parts(parts: Mapping[str, list[Row]]) -> list[tuple[str, list[Row]]]:
    """Numbers by size, names by letters."""

    def key(item: tuple[str, list[Row]]) -> tuple[float, str]:
        bare = item[0].rstrip("+")
        size = float(bare) + item[0].endswith("+") if bare.isdecimal() else 0.0
        return (size, item[0])

    return sorted(parts.items(), key=key)
