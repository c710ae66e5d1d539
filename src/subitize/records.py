"""The records that everything is made of; together they are the file format.

stimuli and data → Trial → model → Response → reader → Reading → measure → Score → report
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import orjson

__all__ = [
    "STATES",
    "UNREADABLE",
    "USAGE",
    "Key",
    "Reading",
    "Response",
    "Row",
    "Score",
    "State",
    "Stimulus",
    "Trial",
    "Votes",
    "fingerprint",
    "make_follower",
    "make_trial",
]

State = Literal[
    "read",
    "no-number",
    "several-numbers",
    "vague",
    "not-a-count",
    "refused",
    "truncated",
    "too-long",
    "empty",
    "excluded",
    "pending",
    "failed",
]
STATES: tuple[State, ...] = State.__args__  # type: ignore[attr-defined]
UNREADABLE: frozenset[str] = frozenset({"no-number", "several-numbers", "vague", "not-a-count"})

ResponseKind = Literal["text", "picture", "scores", "ranking", "boxes", "choice"]
Key = tuple[str, str, str, int, int]
"""trial, respondent, settings_hash, sample, attempt: what makes a response one of its kind"""
USAGE = ("prompt_tokens", "completion_tokens", "reasoning_tokens", "total_tokens")
"""the declared numbers of a response's usage; what else a server tells stands in `facts`"""


def key_from(entry: Mapping[str, Any]) -> Key:
    """The key of a response by its parts."""
    return (
        entry["trial"], entry["respondent"], entry["settings_hash"], entry["sample"],
        entry["attempt"],
    )  # fmt: skip


def fingerprint(value: object, length: int = 20) -> str:
    """A short hash of anything JSON can hold; equal values give equal hashes."""
    packed = orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_SERIALIZE_NUMPY)
    return hashlib.sha256(packed).hexdigest()[:length]


@dataclass(frozen=True, slots=True)
class Stimulus:
    """A picture or a prompt with known facts."""

    kind: Literal["drawn", "file", "prompt", "response", "named"]
    """drawn by a recipe, read from a file, words only, an earlier response (a picture to count,
    a reply to read), or known by its name alone (people's data without bytes)"""
    recipe: Mapping[str, Any]
    """drawn: `drawer`, `version` and its arguments; file: `sha256` and edits; prompt: `text`;
    response: its full key; named: what names it"""
    path: str | None = None
    """where a file lies (not part of its identity: its bytes are); in a run's plan a relative path
    is relative to the run's folder, so that the folder can be moved"""


@dataclass(frozen=True, slots=True)
class Trial:
    """One question about one stimulus."""

    id: str
    """hash of everything but id and targets"""
    benchmark: str
    """name of the benchmark"""
    version: str
    """version of the benchmark's rules"""
    stage: str
    """which stage of the benchmark asks it"""
    stimulus: Stimulus
    """what is shown"""
    question: str
    """the exact words asked"""
    options: tuple[str, ...] = ()
    """the choices, captions or foils, where there are any"""
    target: int | float | None = None
    """the right number, where there is one; never shown to a model"""
    target_choice: str = ""
    """the right option or words, where the answer is no number; never shown to a model"""
    condition: Mapping[str, Any] = field(default_factory=dict)
    """what scores are broken down by: category, n, form, thing, …"""

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> Trial:
        known = dict(line)
        known["stimulus"] = Stimulus(
            known["stimulus"]["kind"],
            _unpacked(known["stimulus"]["recipe"]),
            known["stimulus"].get("path") or None,
        )
        known["options"] = tuple(_unpacked(known.get("options") or ()))
        known["target"] = _whole(known.get("target"))
        return cls(**known)

    def as_json(self, fill: Mapping[str, str | int | float]) -> dict[str, Any]:
        """The trial as a line of trials.jsonl: every field, each of one type on all lines.

        `fill` names every key of a condition with the value for lines where it is none. Recipes and
        options are JSON text: a reader that infers columns from the first lines would lose keys
        that come later.
        """
        condition = {
            name: _as_type(self.condition.get(name), empty) for name, empty in fill.items()
        }
        where = self.stimulus
        return {
            "id": self.id,
            "benchmark": self.benchmark,
            "version": self.version,
            "stage": self.stage,
            "stimulus": {
                "kind": where.kind,
                "recipe": orjson.dumps(where.recipe).decode(),
                "path": where.path or "",
            },
            "question": self.question,
            "options": orjson.dumps(self.options).decode(),
            "target": None if self.target is None else float(self.target),
            "target_choice": self.target_choice,
            "condition": condition,
        }


def _unpacked(value: Any) -> Any:
    return orjson.loads(value) if isinstance(value, str) else value


def _whole(value: Any) -> Any:
    """A float without a fraction as the whole number it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _as_type(value: Any, empty: str | int | float) -> Any:
    """A value of a condition as its column has it."""
    if value is None:
        return empty
    return float(value) if isinstance(empty, float) else value


def make_trial(
    benchmark: tuple[str, str, str],
    stimulus: Stimulus,
    question: str,
    *,
    target: float | str | None = None,
    options: tuple[str, ...] = (),
    condition: Mapping[str, Any] | None = None,
) -> Trial:
    """Build a trial and its id; `benchmark` is (name, version, stage), a target number or words."""
    name, version, stage = benchmark
    condition = condition or {}
    identity = [name, version, stage, stimulus.kind, stimulus.recipe, question, options, condition]
    words = target if isinstance(target, str) else ""
    number = None if isinstance(target, str) else target
    return Trial(
        fingerprint(identity),
        name,
        version,
        stage,
        stimulus,
        question,
        options,
        number,
        words,
        condition,
    )


def make_follower(
    benchmark: tuple[str, str, str],
    response: Response,
    question: str,
    *,
    over: Stimulus | None = None,
    box: Sequence[float] = (),
    **facts: Any,
) -> Trial:
    """A trial about an earlier response; `facts` as of `make_trial`.

    With `over` the response's picture is shown inside the `box` of that stimulus only.
    """
    names = ("trial", "respondent", "settings_hash", "sample", "attempt")
    recipe: dict[str, Any] = dict(zip(names, response.key, strict=True))
    if over is None:
        return make_trial(benchmark, Stimulus("response", recipe), question, **facts)
    recipe |= {"over": {"kind": over.kind, "recipe": over.recipe}, "box": list(box)}
    return make_trial(benchmark, Stimulus("response", recipe, over.path), question, **facts)


@dataclass(frozen=True, slots=True)
class Response:
    """What came back, raw, never edited."""

    trial: str
    """id of the trial"""
    respondent: str
    """a model's full name or a person"""
    settings_hash: str
    """hash of the respondent's settings"""
    sample: int
    """which of several independent samples"""
    attempt: int
    """0, then 1, 2 … when the benchmark asks again"""
    kind: ResponseKind
    """what `value` is"""
    value: str
    """text, the name of a picture's file, a choice; JSON text for scores, rankings and boxes;
    empty when the call failed"""
    stop: str
    """why it ended: stop, length, refused, too-long, failed, …"""
    usage: Mapping[str, int] = field(default_factory=dict)
    """tokens, by the names in USAGE"""
    seconds: float = 0.0
    """how long the call took"""
    sha256: str = ""
    """hash of what was sent: of the pixels of a drawn picture, of a file's bytes; empty without"""
    note: str = ""
    """the error of a failed call, or the annotator's remark"""
    facts: str = ""
    """what the display or the model did beside answering, as JSON text"""

    @property
    def key(self) -> Key:
        """What makes a response one of its kind."""
        return (self.trial, self.respondent, self.settings_hash, self.sample, self.attempt)

    @property
    def data(self) -> Any:
        """The value of boxes, scores or a ranking, unpacked."""
        return orjson.loads(self.value)

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> Response:
        return cls(**line)

    def as_json(self) -> dict[str, Any]:
        """The response as a line of responses.jsonl: every field, each of one type."""
        entry = {name: getattr(self, name) for name in self.__slots__}
        entry["usage"] = {name: self.usage.get(name, 0) for name in USAGE}
        entry["seconds"] = round(float(self.seconds), 3)
        return entry


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader takes from a response."""

    state: State
    """`read`, or why not"""
    number: int | float | None = None
    """int for counts, float for other quantities"""
    choice: str | None = None
    """the option chosen"""
    note: str = ""
    """what the reader saw, or the reason of an exclusion"""

    @property
    def value(self) -> int | float | str | None:
        return self.number if self.number is not None else self.choice


@dataclass(frozen=True, slots=True)
class Votes:
    """What several readings come to, by a rule of `readers.votes`."""

    value: int | float | str | None
    """the number or option that counts; null when there is none"""
    agreeing: int
    """how many of the readings say so"""
    answers: int
    """how many there are"""


@dataclass(frozen=True, slots=True)
class Score:
    """A value, its interval, and what it stands on."""

    value: float | None
    """null when it can't be computed on this run"""
    low: float | None = None
    """lower end of the 95 % interval"""
    high: float | None = None
    """upper end of the 95 % interval"""
    trials: int = 0
    """how many trials it stands on"""
    states: Mapping[str, int] = field(default_factory=dict)
    """how many of the answers that it could have been made of ended in which state; empty where it
    is no score of one set of answers (a difference of two), or they stand once beside several"""

    def as_json(self) -> dict[str, Any]:
        """As scores.json has it: `states` stands there only where some were counted."""
        plain = {"value": self.value, "low": self.low, "high": self.high, "trials": self.trials}
        return {**plain, "states": dict(self.states)} if self.states else plain


class Row(NamedTuple):
    """A trial with a response to it and what a reader takes from that."""

    trial: Trial
    response: Response
    reading: Reading
