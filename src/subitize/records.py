"""The four records that everything is made of; together they are the file format.

stimuli and data → Trial → model → Response → reader → Reading → measure → Score → report
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import orjson

__all__ = [
    "STATES",
    "UNREADABLE",
    "Reading",
    "Response",
    "Row",
    "Score",
    "State",
    "Stimulus",
    "Trial",
    "fingerprint",
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


def fingerprint(value: object, length: int = 20) -> str:
    """A short hash of anything JSON can hold; equal values give equal hashes."""
    packed = orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_SERIALIZE_NUMPY)
    return hashlib.sha256(packed).hexdigest()[:length]


@dataclass(frozen=True, slots=True)
class Stimulus:
    """A picture or a prompt with known facts."""

    kind: Literal["drawn", "file", "prompt"]
    """drawn by a recipe, read from a file, or words only"""
    recipe: Mapping[str, Any]
    """drawn: `drawer`, `version` and its arguments; file: `sha256` and edits; prompt: `text`"""
    path: str | None = None
    """where a file lies (not part of its identity: its bytes are); in a run's plan a relative path
    is relative to the run's folder, so that the folder can be moved"""


@dataclass(frozen=True, slots=True)
class Trial:
    """One question about one stimulus."""

    id: str
    """hash of everything but id and target"""
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
    target: Any = None
    """the right answer; never shown to a model"""
    condition: Mapping[str, Any] = field(default_factory=dict)
    """what scores are broken down by: category, n, form, thing, …"""

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> Trial:
        known = dict(line)
        known["stimulus"] = Stimulus(**known["stimulus"])
        known["options"] = tuple(known.get("options") or ())
        return cls(**known)

    def without_target(self) -> Trial:
        return replace(self, target=None)


def make_trial(
    benchmark: tuple[str, str, str],
    stimulus: Stimulus,
    question: str,
    *,
    target: Any = None,
    options: tuple[str, ...] = (),
    condition: Mapping[str, Any] | None = None,
) -> Trial:
    """Build a trial and its id; `benchmark` is (name, version, stage)."""
    name, version, stage = benchmark
    condition = condition or {}
    identity = [name, version, stage, stimulus.kind, stimulus.recipe, question, options, condition]
    return Trial(
        fingerprint(identity), name, version, stage, stimulus, question, options, target, condition
    )


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
    value: Any
    """text, picture hash, scores, ranking, boxes or choice; null when the call failed"""
    stop: str
    """why it ended: stop, length, refused, too-long, failed, …"""
    usage: Mapping[str, Any] = field(default_factory=dict)
    """tokens and the like, as the respondent reported them"""
    seconds: float = 0.0
    """how long the call took"""
    sha256: str = ""
    """hash of the picture that was sent, empty without one"""
    note: str = ""
    """the error of a failed call, or the annotator's remark"""

    @property
    def key(self) -> tuple[str, str, str, int, int]:
        """What makes a response one of its kind."""
        return (self.trial, self.respondent, self.settings_hash, self.sample, self.attempt)

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> Response:
        return cls(**line)


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
    """how many of those trials ended in which state"""

    def as_json(self) -> dict[str, Any]:
        """As scores.json has it: `states` stands there only where some were counted."""
        plain = {"value": self.value, "low": self.low, "high": self.high, "trials": self.trials}
        return {**plain, "states": dict(self.states)} if self.states else plain


class Row(NamedTuple):
    """A trial with the response and the reading that count for one of its samples."""

    trial: Trial
    response: Response
    reading: Reading
