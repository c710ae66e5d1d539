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

import orjson

from subitize.benchmark import (
    Benchmark,
    Decisions,
    Helper,
    Paper,
    Reader,
    Stage,
    states_of,
    with_states,
)
from subitize.benchmarks.catalog import get_part
from subitize.benchmarks.geckonum import questioning, wording
from subitize.benchmarks.production import read_pending
from subitize.datasets.geckonum.prompts import Prompt
from subitize.errors import BadInput
from subitize.measures.accuracy import share_interval
from subitize.models.base import Kind
from subitize.readers.annotators import MORE_THAN_TEN
from subitize.readers.boxes import BoxesReader
from subitize.records import (
    Reading,
    Response,
    Row,
    Score,
    Stimulus,
    Trial,
    make_follower,
    make_trial,
)

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
        **wording.PROMPT, "picture": 0, **wording.ASKED, "thing": "", "questions": "",
    }  # fmt: skip
    READERS: ClassVar[Mapping[str, Reader]] = {"pending": read_pending}
    HELPERS: ClassVar[Mapping[str, Helper]] = {
        "counter": Helper(("counter", "namer"), usual="counter/blobs"),
        questioning.ROLE: Helper(("namer",), setting="questioner"),
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
        "scene-graph generator. The released questions, other ones in a file, or a language model "
        "that writes them in the style of DSG, TIFA or Gecko can be given instead; the words in "
        "which it is asked are ours.",
        "A picture that a painter refuses to make enters no accuracy; beside it stands the "
        "accuracy with refusals counted wrong, by which painters are ranked.",
    )
    PROFILES: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "paper": {},
        "quick": {"tasks": ("1",), "types": ("numeric_simple",), "seeds": 1},
    }
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

    def helpers(self, settings: PaintSettings, kind: Kind) -> Mapping[str, str]:
        return {questioning.ROLE: settings.questioner} if settings.questioner else {}

    def stages(self, settings: PaintSettings, kind: Kind) -> Iterator[Stage]:
        if settings.questioner and "3" in settings.tasks:
            yield Stage(questioning.STAGE, (questioning.STAGE,), role=questioning.ROLE)
        yield Stage("paint")
        yield Stage("read", role="counter", follows=("paint",))

    def trials(self, stage: str, settings: PaintSettings, decisions: Decisions) -> Iterator[Trial]:
        prompts = wording.chosen(settings).prompts
        if stage == questioning.STAGE:
            for prompt in prompts:
                if wording.task_of(prompt.prompt_type) == 3:
                    head = (self.NAME, self.VERSION)
                    yield questioning.questions_trial(head, prompt, settings.style)
            return
        # The seed goes slowest, so that a part of the trials is a small copy of the whole.
        for picture in range(settings.seeds):
            for prompt in prompts:
                yield make_trial(
                    (self.NAME, self.VERSION, stage),
                    Stimulus("prompt", {"text": prompt.prompt, "seed": settings.seed}),
                    prompt.prompt,
                    target=prompt.entities,
                    condition=_about(prompt, picture, decisions),
                )

    def size(self, stage: str, settings: PaintSettings, decisions: Decisions) -> int | None:
        prompts = wording.chosen(settings).prompts
        if stage == questioning.STAGE:
            return sum(wording.task_of(one.prompt_type) == 3 for one in prompts)
        return settings.seeds * len(prompts)

    def decide(
        self, name: str, settings: PaintSettings, answers: pl.DataFrame, decisions: Decisions
    ) -> Any:
        return wording.written_questions(answers, settings)

    def follow(
        self, stage: str, trial: Trial, response: Response, settings: PaintSettings, kind: Kind
    ) -> Iterator[Trial]:
        if read_pending(trial, response).state == "pending":
            written, chosen = str(trial.condition.get("questions", "")), wording.chosen(settings)
            asked: Sequence[wording.Asked] = chosen.questions[str(trial.condition["dataset_id"])]
            if written:
                asked = wording.as_questions(trial, questioning.claims_from(orjson.loads(written)))
            for one in asked:
                if one.condition["thing"] or kind == "namer":
                    yield make_follower(
                        (self.NAME, self.VERSION, stage), response, one.text,
                        options=one.options, condition=one.condition,
                    )  # fmt: skip

    def helper_reader(self, stage: str) -> Reader:
        if stage == questioning.STAGE:
            return questioning.read_reply
        return BoxesReader(wording.read_by_task)

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

    def comparable(
        self, answers: pl.DataFrame, settings: PaintSettings, decisions: Decisions
    ) -> pl.DataFrame:
        """Painters are compared prompt by prompt: the pictures of one prompt count as one."""
        import polars as pl

        right = (pl.col("choice") == RIGHT).cast(pl.Float64)
        return answers.filter(stage="paint").select(
            picture="dataset_id",
            stratum="prompt_type",
            target=pl.lit(1.0),
            answer=pl.when(state="read").then(right).otherwise(float("nan")),
            kind=pl.lit("choice"),
        )

    def score(
        self, answers: pl.DataFrame, settings: PaintSettings, decisions: Decisions
    ) -> dict[str, Any]:
        painted = answers.filter(answers["counts"])
        read = painted.filter(painted["state"] == "read")
        by_type: dict[str, Counter[str]] = {}
        for kind, state in painted.select("prompt_type", "state").iter_rows():
            by_type.setdefault(f"task{wording.task_of(kind)} {kind}", Counter())[state] += 1
        right = _right(read)
        both = _refusals_wrong(painted)
        unread = "no picture has been read: name a reader with --counter, or let people read"
        readings = get_part("geckonum scores")(answers, settings.seed)
        return {
            "asked": painted.height,
            "trials": read.height,
            "states": states_of(painted),
            "states_by_type": by_type,
            **with_states({"accuracy": right, "accuracy_refusals_wrong": both}, painted),
            "pictures_by_task": _by_task(painted),
            "undefined": {
                name: unread
                for name, share in (("accuracy", right), ("accuracy_refusals_wrong", both))
                if share is None
            },
            **({"readings": readings} if readings else {}),
        }


def _about(prompt: Prompt, picture: int, decisions: Decisions) -> dict[str, Any]:
    """What a picture is asked for, and what will be asked about it where somebody wrote that."""
    written = decisions.get(questioning.STAGE, {}).get(prompt.dataset_id)
    kept = {} if written is None else {"questions": orjson.dumps(written).decode()}
    return {**asdict(prompt), "picture": picture, **kept}


def _right(pictures: pl.DataFrame) -> Score | None:
    """The share of pictures that are right, with its interval over prompts."""
    if not pictures.height:
        return None
    return share_interval(pictures["choice"] == RIGHT, pictures["dataset_id"])


def _refusals_wrong(painted: pl.DataFrame) -> Score | None:
    """The share of pictures that are right among those read and those that were refused.

    None where nothing but refusals is known: then nobody has looked yet.
    """
    known = painted.filter(painted["state"].is_in(["read", "refused"]))
    if "pending" in painted["state"] and "read" not in painted["state"]:
        return None
    return _right(known.with_columns(choice=known["choice"].fill_null(WRONG)))


def _by_task(painted: pl.DataFrame) -> dict[str, Any]:
    """Per task: pictures asked for, refused and not read, and both accuracies."""
    found: dict[str, Any] = {}
    for task in (1, 2, 3):
        kinds = [kind for kind in painted["prompt_type"].unique() if wording.task_of(kind) == task]
        own = painted.filter(painted["prompt_type"].is_in(kinds))
        if not own.height:
            continue
        states = Counter(own["state"])
        right = _right(own.filter(own["state"] == "read"))
        shares = with_states(
            {"accuracy": right, "accuracy_refusals_wrong": _refusals_wrong(own)}, own
        )
        refused = states.pop("refused", 0)
        found[f"task{task}"] = {
            "asked": own.height,
            "refused": refused,
            "not_read": own.height - refused - states["read"],
            **{name: share and share.as_json() for name, share in shares.items()},
        }
    return found
