"""GeckoNum as a benchmark of painters: five pictures of every prompt, read by a model or people.

A counter reads Task 1 (how many apples?); a namer reads all three tasks: it counts, chooses the
line that describes the picture, and answers yes or no. Without either the pictures are `pending`:
left for people. A picture is right if all its questions are right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from subitize.benchmark import Benchmark, Decisions, Helper, Paper, Reader, Stage
from subitize.benchmarks.catalog import get_part
from subitize.benchmarks.geckonum import wording
from subitize.benchmarks.production import read_pending
from subitize.datasets.geckonum.recipe import TASK_OF_TYPE
from subitize.errors import BadInput
from subitize.measures.accuracy import clustered_share
from subitize.models.base import Kind
from subitize.readers.annotators import MORE_THAN_TEN
from subitize.readers.boxes import reading_boxes
from subitize.records import Reading, Response, Row, Stimulus, Trial, make_follower, make_trial

if TYPE_CHECKING:
    import polars as pl

RIGHT, WRONG = "right", "wrong"


@dataclass(frozen=True)
class PaintSettings(wording.PromptSettings):
    """What a run of GeckoNum is."""

    seeds: int = 5
    """pictures per prompt"""


class GeckoNum(Benchmark[PaintSettings]):
    """1,386 prompts of twelve types in three tasks, five pictures each."""

    NAME: ClassVar[str] = "geckonum"
    VERSION: ClassVar[str] = "1"
    TITLE: ClassVar[str] = "GeckoNum: numbers in generated pictures"
    PAPER: ClassVar[Paper] = wording.PAPER
    KINDS: ClassVar[tuple[Kind, ...]] = ("painter",)
    SETTINGS = PaintSettings
    CONDITION: ClassVar[Mapping[str, str | int | float]] = {
        **wording.PROMPT, "picture": 0, **wording.ASKED, "thing": "",
    }  # fmt: skip
    READERS: ClassVar[Mapping[str, Reader]] = {"pending": read_pending}
    HELPERS: ClassVar[Mapping[str, Helper]] = {
        "counter": Helper(("counter", "namer"), usual="counter/blobs")
    }
    MEASURES: ClassVar[tuple[str, ...]] = ("accuracy",)
    DEVIATIONS: ClassVar[tuple[str, ...]] = (
        "The paper's pictures are judged by five people each. Here a counter or a namer reads "
        "them unless they are left for people (--counter none); who read them stands beside every "
        "score.",
        "A counter answers the questions of Task 1 that name a thing in the image; questions about "
        "what is above or beside something, and Tasks 2 and 3, need a namer or people.",
        "Eight prompts of the release ask about the last word of `cinnamon sticks` only; here the "
        "question names the whole thing.",
        "Task 3 is asked with questions made from the prompt's structure; the paper's came from a "
        "scene-graph generator. A file of questions can be given instead.",
        "A picture that a painter refuses to make enters no accuracy; it is counted among the "
        "states.",
    )
    DEMO: ClassVar[Mapping[str, Any]] = {
        "models": ("painter/shapes?size=256", "painter/shapes?size=256&w=0.25"),
        "settings": {
            "tasks": ("1",),
            "types": ("numeric_simple", "numeric_sentence"),
            "things": ("apple", "fish", "flower"),
            "seeds": 2,
        },
        "fast": {"tasks": ("1",), "types": ("numeric_simple",), "things": ("apple",), "seeds": 1},
    }

    def check(self, settings: PaintSettings) -> None:
        wording.check_choice(settings)
        if settings.seeds < 1:
            raise BadInput(f"seeds is {settings.seeds}: give at least 1 picture per prompt.")

    def stages(self, settings: PaintSettings, kind: Kind) -> Iterator[Stage]:
        yield Stage("paint")
        yield Stage("read", role="counter", follows=("paint",))

    def trials(self, stage: str, settings: PaintSettings, decisions: Decisions) -> Iterator[Trial]:
        # The seed goes slowest, so that a part of the trials is a small copy of the whole.
        for picture in range(settings.seeds):
            for prompt in wording.chosen(settings).prompts:
                yield make_trial(
                    (self.NAME, self.VERSION, stage),
                    Stimulus("prompt", {"text": prompt.prompt, "seed": settings.seed}),
                    prompt.prompt,
                    target=prompt.entities,
                    condition={**asdict(prompt), "picture": picture},
                )

    def size(self, stage: str, settings: PaintSettings, decisions: Decisions) -> int | None:
        return settings.seeds * len(wording.chosen(settings).prompts)

    def follow(
        self, stage: str, trial: Trial, response: Response, settings: PaintSettings, kind: Kind
    ) -> Iterator[Trial]:
        if read_pending(trial, response).state == "pending":
            for one in wording.chosen(settings).questions[str(trial.condition["dataset_id"])]:
                if one.condition["thing"] or kind == "namer":
                    yield make_follower(
                        (self.NAME, self.VERSION, stage), response, one.text,
                        options=one.options, condition=one.condition,
                    )  # fmt: skip

    def helper_reader(self, stage: str) -> Reader:
        return reading_boxes(wording.read_by_task)

    def combine(self, trial: Trial, response: Response, answers: Sequence[Row]) -> Reading:
        without = read_pending(trial, response)
        if without.state != "pending":
            return without
        if not answers:
            return Reading("pending", note="no question about it can be answered by this reader")
        unread = next((row.reading for row in answers if row.reading.state != "read"), None)
        if unread is not None:
            return unread
        about = [(row.trial.condition, row.reading) for row in answers]
        right = all(min(said.number or 0, MORE_THAN_TEN) == one["asked"] for one, said in about)
        note = "; ".join(f"{one['question']} {said.choice or said.number}" for one, said in about)
        return Reading("read", choice=RIGHT if right else WRONG, note=note)

    def score(
        self, answers: pl.DataFrame, settings: PaintSettings, decisions: Decisions
    ) -> dict[str, Any]:
        painted = answers.filter(answers["counts"])
        read = painted.filter(painted["state"] == "read")
        by_type: dict[str, Counter[str]] = {}
        for kind, state in painted.select("prompt_type", "state").iter_rows():
            by_type.setdefault(f"task{TASK_OF_TYPE[kind]} {kind}", Counter())[state] += 1
        rng = np.random.default_rng([settings.seed, 20240621])
        hits, prompts = read["choice"] == RIGHT, read["dataset_id"]
        right = clustered_share(hits, prompts, rng) if read.height else None
        unread = "no picture has been read: name a reader with --counter, or let people read"
        readings = get_part("geckonum scores")(answers, settings.seed)
        return {
            "asked": painted.height,
            "trials": read.height,
            "states": dict(Counter(painted["state"])),
            "states_by_type": by_type,
            "accuracy": right and right.as_json(),
            "undefined": {} if right else {"accuracy": unread},
            **({"readings": readings} if readings else {}),
        }
