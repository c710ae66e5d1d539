"""What a model is to this house: one class, one method, list in and list out.

| kind    | method  | gets                            | gives (Reply.kind)                       |
|---------|---------|---------------------------------|------------------------------------------|
| namer   | `name`  | picture + question              | text                                     |
| matcher | `match` | picture + sentences (`options`) | scores: {"scores": [..], "calibrated": …} |
| filler  | `fill`  | picture + sentence with a mask  | ranking: [[word, score], …]              |
| painter | `paint` | prompt + seed                   | picture (PNG, JPEG or WebP bytes)        |
| counter | `count` | picture + name of thing         | boxes (see `Boxes`)                      |

A method is `async def` when it waits on a network and plain `def` when it computes here; that
alone tells the engine how to call it. An item that fails gives a `ModelError` in its place of the
list (or raises, when the list has one item), so it never fails its batch.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, TypedDict, TypeVar

from subitize.errors import BadInput, Hopeless, ModelError, SubitizeError
from subitize.records import ResponseKind, Trial, fingerprint

__all__ = [
    "METHODS",
    "Answers",
    "Boxes",
    "Item",
    "Kind",
    "Model",
    "ModelOptions",
    "Reply",
    "Surroundings",
    "compute",
    "opened",
    "picture_of",
    "singly",
]

Kind = Literal["namer", "matcher", "filler", "painter", "counter"]
METHODS: Mapping[str, str] = {
    "namer": "name",
    "matcher": "match",
    "filler": "fill",
    "painter": "paint",
    "counter": "count",
}
GIVES: Mapping[str, tuple[ResponseKind, ...]] = {
    "namer": ("text", "choice", "boxes"),
    "matcher": ("scores",),
    "filler": ("ranking",),
    "painter": ("picture",),
    "counter": ("boxes",),
}
"""what each kind may give beside text, which may always come: a refusal"""


@dataclass(frozen=True, slots=True)
class Item:
    """What a model gets of a trial: never the target, never the recipe."""

    trial: str
    """id of the trial"""
    question: str
    """the exact words: a question, a sentence with a mask or a prompt"""
    picture: bytes | None = None
    """an encoded picture file (PNG, JPEG, …)"""
    options: tuple[str, ...] = ()
    """choices or sentences"""
    thing: str = ""
    """name of what is to be counted, for counters"""
    sample: int = 0
    """which of several independent samples"""
    attempt: int = 0
    """0, then 1, 2 … when the benchmark asks again"""
    seed: int = 0
    """for whoever draws random numbers: a function of settings, trial, sample and attempt"""
    overrides: Mapping[str, Any] = field(default_factory=dict)
    """settings for this attempt only, such as temperature"""
    facts: Trial | None = None
    """the whole trial with its target: given to `sim/*` only"""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model gives back for one item."""

    kind: ResponseKind
    """what `value` is"""
    value: Any
    """text, picture bytes, scores, ranking or boxes"""
    stop: str = "stop"
    """stop, length (cut off), refused, too-long, or the server's own word"""
    usage: Mapping[str, Any] = field(default_factory=dict)
    """tokens and the like"""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """what else is to be kept: thinking, log-probabilities, the server's own words"""


def unreadable(picture: Reply, why: str) -> Reply:
    """A picture that came and was paid for, but can't be looked at: kept, never asked for again."""
    return replace(picture, stop="unreadable", facts={**picture.facts, "unreadable": why})


class Boxes(TypedDict, total=False):
    """The value of a counter's reply: everything it found, before any threshold.

    Threshold, merging and the rule on group boxes are applied by the reader, so that counting
    again costs no call. `boxes` must be there; the rest may be left out.
    """

    boxes: list[list[float]]
    """[x0, y0, x1, y1, score] in pixels from the top left corner, score in 0..1"""
    size: list[int]
    """width and height of the picture in pixels"""
    threshold: float
    """the counter's own least score of a box that counts; 0 when absent"""
    nms: float
    """the counter's own largest overlap (IoU) of two boxes that both count; .95 when absent"""
    saturated: bool
    """it gave as many boxes as it can, so that there may be more things"""
    note: str
    """what was done to the picture, such as 'first of 3 frames'"""


Answers = Sequence["Reply | ModelError"]
T = TypeVar("T")
CUT = "cut_at"
"""the fact of a reply that its text was longer than the so many tokens that the model takes"""


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """What the command line says about the model beside its name."""

    base_url: str | None = None
    api_key_env: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    timeout: float = 120.0
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    load_timeout: float = 1800.0
    """seconds that loading a model in a process of its own may take"""
    headers: tuple[str, ...] = ()
    """headers of the user's own for every request to a server, each as 'NAME: VALUE'"""
    trust_remote_code: bool = False
    """whether program code that comes with a checkpoint may run"""
    asks: bool = True
    """False where the model is opened for a plan only, which needs no key"""

    def __post_init__(self) -> None:
        # `not … >=` refuses NaN too.
        if self.temperature is not None and not self.temperature >= 0:
            raise BadInput(f"--temperature is {self.temperature}: it must be 0 or more.")
        if self.max_tokens is not None and self.max_tokens < 1:
            raise BadInput(f"--max-tokens is {self.max_tokens}: it must be at least 1.")
        for name in ("timeout", "load_timeout"):
            if not getattr(self, name) > 0:
                option = name.replace("_", "-")
                raise BadInput(f"--{option} is {getattr(self, name)}: it must be above 0.")


class Model:
    """Base of all models; a subclass sets the class attributes and writes its method."""

    kinds: ClassVar[tuple[Kind, ...]] = ()
    """what it can be asked for"""
    batch_size: int = 1
    """how many items one call takes"""
    concurrency: int = 1
    """how many calls may be under way at once, unless the user says otherwise"""
    numbers_only: ClassVar[bool] = False
    """whether, as a namer, it says a number whatever it is asked"""
    inpaints: ClassVar[bool] = False
    """whether, as a painter, it fills the transparent part of a picture it is given"""
    paid: ClassVar[bool] = False
    """whether calls cost money and count against `--budget-calls`"""
    isolated: bool = False
    """whether it computes in a child process, so that a crash costs its batch, not the run"""
    needs_picture: ClassVar[bool] = True
    """whether a trial's picture is drawn for it"""
    sees_facts: ClassVar[bool] = False
    """whether it gets the target: simulated observers only"""
    parameters: float | None = None
    """size in billions of parameters, where known"""
    revision: str | None = None
    """version of the weights or of the drawing rules, where known"""

    opened_by: str = ""
    """the name it was opened by, which also says where it computes"""
    options: ModelOptions | None = None
    """what it was opened with beside its name, by whom it can be opened again"""

    def __init__(self, respondent: str, settings: Mapping[str, Any] | None = None) -> None:
        self.respondent = respondent
        self.settings: dict[str, Any] = dict(settings or {})

    @property
    def settings_hash(self) -> str:
        return fingerprint([self.settings, self.revision], 12)

    def requests(self, item: Item) -> int:
        """How many calls one item costs, for `--budget-calls`."""
        return 1

    async def open(self) -> None:
        """Called before the first item, inside the event loop; again after `close` if need be."""

    def check_kind(self, kind: Kind) -> None:
        """Called after `open`: what it can never do is an `Unable` before anything is asked."""

    async def close(self) -> None:
        """Called once after the last item."""


def singly(ask: Callable[[T], Reply | ModelError], items: Sequence[T]) -> Answers:
    """Ask about one item after another; one that fails gives its error in its place."""
    answers: list[Reply | ModelError] = []
    for item in items:
        try:
            answers.append(ask(item))
        except Hopeless:
            raise
        except ModelError as problem:
            answers.append(problem)
    return answers


def picture_of(item: Item) -> bytes:
    """The picture of an item that is about one."""
    if item.picture is None:
        raise ModelError("it needs a picture, and there is none")
    return item.picture


PLAIN: Mapping[str, tuple[type, ...]] = {
    "text": (str, int, float),
    "choice": (str,),
    "picture": (bytes, bytearray),
    "scores": (object,),
    "ranking": (object,),
    "boxes": (object,),
}
"""what the value of a reply of each kind can be"""


def replies_from(given: Answers, many: int) -> list[Reply | ModelError]:
    """What a model gave for so many items, if it is what it should be; what is not is a problem of
    its own item."""
    answers = list(given)
    if len(answers) != many:
        raise ModelError(f"{many} items gave {len(answers)} replies")
    return [_checked(one) for one in answers]


def _checked(one: Any) -> Reply | ModelError:
    if isinstance(one, ModelError):
        return one
    if not isinstance(one, Reply):
        return ModelError(f"it gave {type(one).__name__} where a Reply belongs")
    if not isinstance(one.kind, str) or one.kind not in PLAIN:
        return ModelError(f"its reply is of the kind {one.kind!r}: known are {', '.join(PLAIN)}")
    if not isinstance(one.value, PLAIN[one.kind]):
        return ModelError(f"its {one.kind} is of the type {type(one.value).__name__}")
    for name, kind in (("stop", str), ("usage", Mapping), ("facts", Mapping)):
        if not isinstance(getattr(one, name), kind):
            found = type(getattr(one, name)).__name__
            return ModelError(f"the {name} of its reply is of the type {found}")
    return one


def fitting(answer: Reply | ModelError, kind: Kind) -> Reply | ModelError:
    """The answer, if whoever is asked as this kind can give such a reply: the file name of a
    picture that a namer gave must not be read as its words."""
    if isinstance(answer, ModelError) or answer.kind in ("text", *GIVES[kind]):
        return answer
    return ModelError(f"it gave {answer.kind} where a {kind} gives {' or '.join(GIVES[kind])}")


def words_of(problem: BaseException) -> str:
    """What a model of somebody else's raised; its words may raise too."""
    try:
        return f"{type(problem).__name__}: {problem}"
    except Exception:
        return type(problem).__name__


async def opened(model: Model) -> None:
    """Open a model; whatever it raises there is told as a model that can't be opened."""
    try:
        await model.open()
    except (SubitizeError, KeyboardInterrupt, asyncio.CancelledError):
        raise
    # its code may raise anything, sys.exit too
    except BaseException as problem:
        raise Hopeless(f"{model.respondent} can't be opened: {words_of(problem)}") from None


def compute(
    ask: Callable[[Sequence[Item]], Answers], items: Sequence[Item]
) -> list[Reply | ModelError]:
    """A batch of a model that computes; when it fails as a whole, its items are tried singly."""
    try:
        return replies_from(ask(items), len(items))
    except (Hopeless, KeyboardInterrupt):
        raise
    # a model may raise anything, sys.exit too: it costs its batch, not the run
    except BaseException as problem:
        if len(items) > 1:
            return [answer for item in items for answer in compute(ask, [item])]
        return [problem if isinstance(problem, ModelError) else ModelError(words_of(problem))]


async def asked_once(model: Model, kind: str, items: Sequence[Item]) -> list[Reply | ModelError]:
    """A batch outside of any run: whatever the model raises is each item's error."""
    try:
        found = getattr(model, METHODS[kind])(items)
        return replies_from(await found if inspect.isawaitable(found) else found, len(items))
    except (Hopeless, KeyboardInterrupt, asyncio.CancelledError):
        raise
    except BaseException as problem:  # whichever its libraries have
        told = problem if isinstance(problem, ModelError) else ModelError(words_of(problem))
        return [told] * len(items)


@dataclass(frozen=True)
class Surroundings:
    """What a model that hands its questions in needs to know of the run."""

    path: Path
    """where it is written down what was handed in"""
    say: Callable[[str], None]
    stopping: Callable[[], Awaitable[None]]
    """waits until the run is to stop"""
