"""Counting questions with people's answers, for models that see: GeckoNum's own and TallyQA's.

The questions come from a file (`subitize geckonum vqa` makes GeckoNum's), the pictures from the
user's folder. A namer is asked in words; a counter, asked for the thing, is so compared with
people: by number, by prompt type, by painter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from subitize.benchmark import (
    Benchmark,
    Decisions,
    Paper,
    Reader,
    Settings,
    Stage,
    states_of,
    with_states,
)
from subitize.benchmarks.geckonum.wording import NUMBER_ONLY, PAPER
from subitize.datasets.vqa_files import VqaEntry, read_vqa
from subitize.errors import BadInput, UnknownName
from subitize.measures.accuracy import share_interval
from subitize.models.base import Kind
from subitize.pictures.media import find_picture, picture_sha256
from subitize.readers.boxes import BoxesReader
from subitize.readers.text import read_final, read_strict
from subitize.records import Score, Stimulus, Trial, make_trial

if TYPE_CHECKING:
    import polars as pl

MISSING = "missing"
HIGHEST = 10
"""numbers above are one group in the breakdown"""
VERBS = {"are", "is", "can", "do", "does", "have", "has", "in", "on", "were"}
"""words that end the name of a thing"""
NAMED = 5
"""missing pictures that a message names"""


@dataclass(frozen=True)
class VqaSettings(Settings):
    """What a run of counting questions is."""

    file: str = ""
    """questions with answers (JSONL or JSON)"""
    pictures: str = ""
    """folder that the questions' pictures lie in"""
    missing: str = "stop"
    """what to do when pictures are missing: stop, or skip their questions"""


class GeckoNumVqa(Benchmark[VqaSettings]):
    """How many are there? with people's answers."""

    NAME: ClassVar[str] = "geckonum-vqa"
    VERSION: ClassVar[str] = "1"
    TITLE: ClassVar[str] = "GeckoNum: counting questions with people's answers"
    PAPER: ClassVar[Paper] = PAPER
    KINDS: ClassVar[tuple[Kind, ...]] = ("namer", "counter")
    SETTINGS = VqaSettings
    CONDITION: ClassVar[Mapping[str, str | int | float]] = {
        "image": "", "question": "", "at_least": 0, "painter": "", "prompt_type": "",
        "frequency": "", "complexity": "", "thing": "",
    }  # fmt: skip
    READERS: ClassVar[Mapping[str, Reader]] = {
        "strict": BoxesReader(read_strict),
        "final": BoxesReader(read_final),
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

    def check(self, settings: VqaSettings) -> None:
        for name in ("file", "pictures"):
            if not getattr(settings, name):
                raise BadInput(
                    f"geckonum-vqa needs the setting {name}: give --set file=QUESTIONS.jsonl --set "
                    "pictures=FOLDER (`subitize geckonum vqa` makes the file from annotations)."
                )
        if settings.missing not in ("stop", "skip"):
            raise UnknownName("setting missing", settings.missing, ("stop", "skip"))

    def ready(self, settings: VqaSettings, kind: Kind) -> Decisions:
        # Which pictures are there is kept, so that a resumed run asks the same questions.
        folder = Path(settings.pictures)
        images = dict.fromkeys(entry.image for entry in read_vqa(Path(settings.file)))
        missing = [image for image in images if find_picture(folder, image) is None]
        if missing and (settings.missing == "stop" or len(missing) == len(images)):
            shown = ", ".join(missing[:NAMED]) + (", …" if len(missing) > NAMED else "")
            more = "" if len(missing) == len(images) else ", or go on without: --set missing=skip"
            raise BadInput(
                f"{len(missing):,} of {len(images):,} pictures are not in {folder}: {shown}. Put "
                f"them there{more}."
            )
        return {MISSING: missing}

    def stages(self, settings: VqaSettings, kind: Kind) -> Iterator[Stage]:
        yield Stage("ask")

    def trials(self, stage: str, settings: VqaSettings, decisions: Decisions) -> Iterator[Trial]:
        folder, missing = Path(settings.pictures), set(decisions[MISSING])
        stimuli: dict[str, Stimulus] = {}
        once: dict[tuple[str, str], VqaEntry] = {}
        for entry in read_vqa(Path(settings.file)):
            once.setdefault((entry.image, entry.question), entry)
        for entry in once.values():
            path = None if entry.image in missing else find_picture(folder, entry.image)
            if path is None:
                continue
            if entry.image not in stimuli:
                recipe = {"sha256": picture_sha256(path)}
                stimuli[entry.image] = Stimulus("file", recipe, str(path))
            about = {name: value for name, value in asdict(entry).items() if name != "answer"}
            yield make_trial(
                (self.NAME, self.VERSION, stage),
                stimuli[entry.image],
                NUMBER_ONLY.format(entry.question),
                target=entry.answer,
                condition=about | {"thing": _thing(entry.question)},
            )

    def score(
        self, answers: pl.DataFrame, settings: VqaSettings, decisions: Decisions
    ) -> dict[str, Any]:
        counted = answers.filter(answers["counts"])
        read = counted.filter(counted["state"] == "read")
        missing = list(decisions.get(MISSING, ()))
        scores: dict[str, Any] = {
            "asked": counted.height,
            "trials": read.height,
            "states": states_of(counted),
            "accuracy": None,
            "missing_pictures": {"count": len(missing), "first": missing[:NAMED]},
            "undefined": {},
        }
        if not read.height:
            scores["undefined"]["accuracy"] = "no reply holds a number that can be read"
            return scores
        number, answer = read["number"].to_numpy(), read["target"].to_numpy()
        right = np.where(read["at_least"] == 1, number >= answer, number == answer)
        pictures = read["image"].to_numpy()

        def share(hit: NDArray[np.bool_], chosen: Any = slice(None)) -> Score:
            # Questions about one picture are not independent: they stand or fall together.
            return share_interval(hit[chosen], pictures[chosen])

        scores["accuracy"] = share(right)
        scores["within_one"] = share(right | (np.abs(number - answer) <= 1))
        for name, column in GROUPS.items():
            group, asked = _group(read, column), _group(counted, column)
            ordered = dict.fromkeys(group[read[column].arg_sort().to_numpy()])
            shares = {
                str(part): replace(
                    share(right, group == part), states=states_of(counted.filter(asked == part))
                )
                for part in ordered
                if part
            }
            scores |= {name: shares} if shares else {}
        return with_states(scores, counted)


def _group(answers: pl.DataFrame, column: str) -> NDArray[np.str_]:
    """What an answer counts to in a breakdown; high numbers together."""
    if column != "target":
        return answers[column].to_numpy().astype(str)
    return np.array([f"{n:g}" if n <= HIGHEST else f"{HIGHEST}+" for n in answers[column]])


def _thing(question: str) -> str:
    """What a counter looks for: what stands between `How many` and the next verb.

    >>> _thing("How many red apples are in the image?"), _thing("Count them.")
    ('red apples', 'Count them.')
    """
    words = question.strip().rstrip("?").split()
    if [word.lower() for word in words[:2]] != ["how", "many"]:
        return question
    thing = takewhile(lambda word: word.lower() not in VERBS, words[2:])
    return " ".join(thing) or question


GROUPS: Mapping[str, str] = {
    "by_number": "target",
    "by_type": "prompt_type",
    "by_complexity": "complexity",
    "by_frequency": "frequency",
    "by_painter": "painter",
}
"""score: the column it is broken down by; an empty word belongs to no group"""
