"""Which pictures show a pattern? As the authors chose theirs (appendix B).

A namer is asked whether the objects form a pattern, and its log-probabilities tell how sure its
yes is. It is asked like a benchmark, so a selection can be stopped and resumed; it has no scores.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import orjson

from subitize.benchmark import Benchmark, Decisions, Paper, Reader, Settings, Stage
from subitize.benchmarks.capture.prompts import worded
from subitize.errors import BadInput
from subitize.files import decoded, read_bytes
from subitize.models.base import Kind
from subitize.pictures.media import ENDINGS, picture_sha256
from subitize.readers.choices import read_yes_no
from subitize.records import Response, Stimulus, Trial, make_trial

THRESHOLD = 0.9999
"""the authors' own"""
QUESTION = (
    "Are the [object] in this image arranged in a regular pattern, such as a grid, a circle or a "
    "triangle? Answer with yes or no."
)
"""the paper does not print its question"""
ANYTHING = "objects"


@dataclass(frozen=True)
class SelectingSettings(Settings):
    """What a selection is; the threshold is applied afterwards and may change."""

    pictures: str = ""
    """folder of pictures"""
    things: str = ""
    """FSC-147's ImageClasses_FSC147.txt: file, tab, name of the things in it"""


class Selecting(Benchmark[SelectingSettings]):
    """One question about each picture of a folder."""

    NAME: ClassVar[str] = "capture-select"
    VERSION: ClassVar[str] = "1"
    TITLE: ClassVar[str] = "Pictures with a pattern"
    PAPER: ClassVar[Paper] = Paper(
        "Pothiraj et al. (2025), appendix B", "10.48550/arXiv.2504.15485"
    )
    KINDS: ClassVar[tuple[Kind, ...]] = ("namer",)
    SETTINGS = SelectingSettings
    CONDITION: ClassVar[Mapping[str, str | int | float]] = {"file": "", "thing": ""}
    READERS: ClassVar[Mapping[str, Reader]] = {"yes-no": read_yes_no}
    MEASURES: ClassVar[tuple[str, ...]] = ()
    DEVIATIONS: ClassVar[tuple[str, ...]] = ("The words of the question are ours.",)

    def check(self, settings: SelectingSettings) -> None:
        if not _files(settings):
            raise BadInput(
                f"There are no pictures ({', '.join(ENDINGS)}) in {settings.pictures}: give the "
                "folder that holds them."
            )

    def stages(self, settings: SelectingSettings, kind: Kind) -> Iterator[Stage]:
        yield Stage("select")

    def trials(
        self, stage: str, settings: SelectingSettings, decisions: Decisions
    ) -> Iterator[Trial]:
        things = _things(settings.things)
        for path in _files(settings):
            sha256 = picture_sha256(path)
            thing = things.get(path.name, ANYTHING)
            yield make_trial(
                (self.NAME, self.VERSION, stage),
                Stimulus("file", {"sha256": sha256}, str(path.resolve())),
                worded(QUESTION, thing),
                condition={"file": path.name, "thing": thing},
            )

    def size(self, stage: str, settings: SelectingSettings, decisions: Decisions) -> int | None:
        return len(_files(settings))

    def first_overrides(self, trial: Trial, settings: SelectingSettings) -> Mapping[str, Any]:
        return {"logprobs": True}


def _files(settings: SelectingSettings) -> list[Path]:
    folder = Path(settings.pictures)
    if not folder.is_dir():
        raise BadInput(f"There is no folder {folder}: give that of the pictures.")
    return sorted(path for path in folder.iterdir() if path.suffix.lower() in ENDINGS)


def _things(file: str) -> dict[str, str]:
    if not file:
        return {}
    lines = decoded(read_bytes(Path(file), "the names of things in"), file).splitlines()
    pairs = [line.partition("\t") for line in lines if line.strip()]
    if any(not tab for _, tab, _ in pairs):
        raise BadInput(f"{file}: each line must be a picture's file, a tab and a name of things.")
    return {name.strip(): thing.strip() for name, _, thing in pairs}


def probability_of_yes(tokens: Sequence[Sequence[Any]]) -> float | None:
    """How likely the answer's own yes was; 0 when it said no; None when it said neither.

    >>> round(probability_of_yes([["Yes", -0.01], [".", -0.5]]), 4)
    0.99
    >>> probability_of_yes([["No", 0.0]])
    0.0
    """
    for token, logprob in tokens:
        word = "".join(letter for letter in str(token).lower() if letter.isalpha())
        if word == "yes":
            return math.exp(min(0.0, float(logprob)))
        if word == "no":
            return 0.0
    return None


def selected(
    trials: Mapping[str, Trial], responses: Iterable[Response], threshold: float
) -> list[dict[str, Any]]:
    """Every picture with its P(yes) and whether it is kept, the surest first."""
    last = {response.trial: response for response in responses}
    found = []
    for response in last.values():
        tokens = orjson.loads(response.facts or "{}").get("logprobs")
        if response.stop != "failed" and not tokens:
            raise BadInput(
                f"{response.respondent} gives no log-probabilities, so how sure its yes is can't "
                "be told: use an OpenAI-compatible server that returns them (`logprobs`)."
            )
        sure = probability_of_yes(tokens or ())
        about = trials[response.trial].condition
        found.append(
            {
                "image_file": about["file"],
                "object": about["thing"],
                "p_yes": sure,
                "log_prob": math.log(sure) if sure else None,
                "kept": sure is not None and sure >= threshold,
                "reply": (response.value or response.note)[:200],
            }
        )
    return sorted(found, key=lambda one: (-(one["p_yes"] or 0.0), one["image_file"]))
