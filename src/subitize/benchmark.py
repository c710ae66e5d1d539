"""What a benchmark is: stages of trials, readers, helpers, measures and deviations.

The trials of a stage are a pure function of the settings and of the decisions taken before it;
a decision is a pure function of the settings and of the answers so far, or was found by `ready`.
The runner writes each decision to run.json once and never takes it again. Nothing in here asks a
model: a stage is asked of the model under test or, by the name of its role, of a helper.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar

from subitize.errors import BadInput, UnknownName, in_words
from subitize.models.base import Kind, Model
from subitize.readers.boxes import BoxesReader
from subitize.readers.text import read_strict
from subitize.records import Reading, Response, Row, Score, Trial

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "Attempt",
    "Benchmark",
    "Decisions",
    "Helper",
    "Paper",
    "Reader",
    "Settings",
    "Stage",
    "later",
    "meanings",
    "states_of",
    "with_states",
]

Decisions = Mapping[str, Any]
Reader = Callable[[Trial, Response], Reading]


D = TypeVar("D")


def later(default: D) -> D:
    """The default of a setting that joined when runs without it were there.

    At its default it is no part of what a run is: those runs are gone on with.
    """
    found: D = field(default=default, metadata={"later": True})
    return found


class Paper(NamedTuple):
    """Where a benchmark comes from."""

    citation: str
    doi: str
    url: str = ""


@dataclass(frozen=True)
class Settings:
    """Base of a benchmark's settings: a frozen dataclass whose fields are the declared settings.

    Every field is part of what the run is. `seed` is common to all. A field that joined later (see
    `later`) is left out of that while it has its default, so that older runs stay what they are.
    The line under a field says what it means: `meanings` reads it, help and docs show it.
    """

    seed: int = 0
    """of stimuli and draws"""

    def identity(self) -> dict[str, Any]:
        """What decides which run it is: all of them but later ones at their default."""
        usual = {one.name: one.default for one in fields(self) if one.metadata.get("later")}
        return {name: value for name, value in asdict(self).items()
                if name not in usual or value != usual[name]}  # fmt: skip


def meanings(settings: type[Settings]) -> dict[str, str]:
    """What each setting means: the line under its field. Empty where no source is at hand.

    >>> meanings(Settings)
    {'seed': 'of stimuli and draws'}
    """
    import ast
    import inspect

    found = dict.fromkeys((one.name for one in fields(settings)), "")
    for cls in reversed(settings.__mro__[:-1]):
        try:
            [body] = ast.parse(inspect.cleandoc("\n" + inspect.getsource(cls))).body
        except (OSError, TypeError, SyntaxError, ValueError):
            continue
        lines = body.body if isinstance(body, ast.ClassDef) else []
        for one, below in itertools.pairwise(lines):
            if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
                said = below.value if isinstance(below, ast.Expr) else None
                if isinstance(said, ast.Constant) and isinstance(said.value, str):
                    found[one.target.id] = " ".join(said.value.split())
    return found


class Stage(NamedTuple):
    """One round of trials."""

    name: str
    """part of its trials' identity"""
    decides: tuple[str, ...] = ()
    """decisions to be taken when it is complete"""
    role: str = ""
    """the helper it is asked of; empty: the model under test"""
    follows: tuple[str, ...] = ()
    """stages whose responses it is about: `follow` makes its trials as those come in"""
    counts: bool = True
    """False for questions that no number answers, such as what a picture shows: a reply without
    one is then no unreadable reply"""


class Helper(NamedTuple):
    """A role beside the model under test."""

    kinds: tuple[Kind, ...]
    """kinds of model that can play it, the best fitting first"""
    usual: str = ""
    """the model that plays it unless the user names another; empty for none"""
    setting: str = ""
    """the setting that names its model, where its answers enter questions: then it is a part of
    what the run is. Empty: it only reads responses, and another can be added later"""
    told: bool = False
    """whether its trials have a target: only then a simulated observer can play it"""


class Attempt(NamedTuple):
    """Ask the same trial again, with these settings changed for that attempt."""

    overrides: Mapping[str, Any]


S = TypeVar("S", bound=Settings)
MOST = 1_000_000
"""of whatever a setting counts: more is a slip of the hand"""
SWITCH = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}


class Benchmark(Generic[S]):
    """Base of all benchmarks. A subclass is one file that a newcomer can read in one sitting."""

    NAME: ClassVar[str]
    VERSION: ClassVar[str]
    TITLE: ClassVar[str]
    PAPER: ClassVar[Paper]
    KINDS: ClassVar[tuple[Kind, ...]]
    """kinds of model it can ask, the best fitting first"""
    SETTINGS: type[S]
    CONDITION: ClassVar[Mapping[str, str | int | float]]
    """every key of its trials' conditions, with the value for trials that lack it: so every line
    of trials.jsonl has every key, each with one type"""
    READERS: ClassVar[Mapping[str, Reader]]
    """by name, the paper's own first"""
    HELPERS: ClassVar[Mapping[str, Helper]] = {}
    """by role"""
    MEASURES: ClassVar[tuple[str, ...]]
    """names of the scores it reports"""
    SCORES: ClassVar[Mapping[str, str]] = {}
    """further keys of its scores.json, each with its meaning; the usual ones are in `score_keys`"""
    DEVIATIONS: ClassVar[tuple[str, ...]] = ()
    """what we do otherwise than the paper, and why"""
    MAX_TOKENS: ClassVar[int | None] = None
    """how long a reply may be unless the user says otherwise; None leaves it to the model"""
    PROFILES: ClassVar[Mapping[str, Mapping[str, Any]]] = {"paper": {}, "quick": {}}
    """`--profile`: settings as the paper has them, and those of a first look"""
    WORDS: ClassVar[Mapping[str, Mapping[str, str]]] = {}
    """setting: its values in words, for tables and figures in which runs stand side by side"""
    DEMO: ClassVar[Mapping[str, Any]] = {"models": (), "settings": {}, "fast": {}}
    """`models`: built-in models for the demo; `settings`: small settings; `fast`: smaller ones;
    `also`: further (settings, models)"""

    def check(self, settings: S) -> None:
        """Raise `BadInput` for settings that can't be run."""

    def kinds(self, settings: S) -> tuple[Kind, ...]:
        """Kinds of model that these settings can be asked of, the best fitting first."""
        return self.KINDS

    def check_model(self, settings: S, model: Model, kind: Kind) -> None:
        """Raise `BadInput` for a model of the right kind that can't answer all the same."""

    def usual_reader(self, settings: Mapping[str, Any]) -> str:
        """Who reads unless another is chosen, by the settings as run.json has them."""
        return next(iter(self.READERS))

    def helpers(self, settings: S, kind: Kind) -> Mapping[str, str]:
        """Models that the settings name for roles whose answers enter questions, by role."""
        named = {role: one.setting for role, one in self.HELPERS.items() if one.setting}
        return {role: getattr(settings, setting) for role, setting in named.items()}

    def ready(self, settings: S, kind: Kind) -> Decisions:
        """Look at the data that a run needs and raise where they are missing.

        What is found there once and for all is given as decisions. Not called when it is scored.
        """
        return {}

    def foreseen(self, settings: S) -> Decisions:
        """Stand-ins for decisions that are yet to be taken, so that a plan can count its trials."""
        return {}

    def stages(self, settings: S, kind: Kind) -> Iterator[Stage]:
        raise NotImplementedError

    def trials(self, stage: str, settings: S, decisions: Decisions) -> Iterator[Trial]:
        """The trials of one stage, lazily: nothing is drawn here."""
        raise NotImplementedError

    def size(self, stage: str, settings: S, decisions: Decisions) -> int | None:
        """How many trials a stage has, where a formula tells; for the progress bar."""
        return None

    def decide(self, name: str, settings: S, answers: pl.DataFrame, decisions: Decisions) -> Any:
        """Take the decision `name` from the answers of all stages so far."""
        raise NotImplementedError

    def samples(self, trial: Trial, settings: S) -> int:
        """How many independent samples of each trial are asked for."""
        return 1

    def first_overrides(self, trial: Trial, settings: S) -> Mapping[str, Any]:
        """Settings of the very first attempt that differ from the model's own."""
        return {}

    def next_attempt(
        self, trial: Trial, settings: S, attempts: Sequence[tuple[Response, Reading]]
    ) -> Attempt | None:
        """Whether and how to ask again after these attempts; None is the end."""
        return None

    def follow(
        self, stage: str, trial: Trial, response: Response, settings: S, kind: Kind
    ) -> Iterable[Trial]:
        """The trials of a following stage about one response, for a helper of this kind.

        None where there is nothing to ask (a refusal). About a picture the question comes with
        that picture; about text it stands alone, so the text belongs into its words.
        """
        return ()

    def helper_reader(self, stage: str) -> Reader:
        """How a helper's answers are read: boxes are counted, text is read strictly."""
        return BoxesReader(read_strict)

    def combine(self, trial: Trial, response: Response, answers: Sequence[Row]) -> Reading:
        """One reading of a response from a helper's answers about it; none: not asked yet."""
        raise NotImplementedError

    def is_right(self, trial: Trial, response: Response, reading: Reading) -> bool:
        """Whether one answer is the right one, for whoever shows answers one by one."""
        if trial.target is not None:
            return reading.number == trial.target
        return bool(trial.target_choice) and reading.choice == trial.target_choice

    def table(self, folder: Path) -> pl.DataFrame | None:
        """The answers table of a run folder made at once; None: response by response, as mostly."""
        return None

    def score(self, answers: pl.DataFrame, settings: S, decisions: Decisions) -> dict[str, Any]:
        """From the answers table to the scores object, as far as this benchmark knows it.

        The rows with `counts` are those of the respondents under test; helpers' rows are there
        too.
        """
        raise NotImplementedError

    def comparable(self, answers: pl.DataFrame, settings: S, decisions: Decisions) -> pl.DataFrame:
        """What models are compared on: `picture` (the same in all runs that show it), `stratum`,
        `target`, `answer` (NaN where none was read) and `kind` (number or choice).

        `answers` are those that count; several about one picture count as one, by their mean. The
        usual picture is a trial, its answer a number, or 1 for the right choice.
        """
        import polars as pl

        number = pl.col("target").is_not_null()
        chosen = pl.col("target_choice") != ""
        right = (pl.col("choice") == pl.col("target_choice")).cast(pl.Float64)
        read = pl.col("state") == "read"
        answer = pl.when(number).then(pl.col("number")).otherwise(right)
        return answers.filter(number | chosen).select(
            picture="trial",
            stratum=pl.when(number).then(pl.col("target").cast(pl.String)).otherwise(pl.lit("")),
            target=pl.when(number).then(pl.col("target")).otherwise(1.0),
            answer=pl.when(read).then(answer).otherwise(float("nan")).fill_null(float("nan")),
            kind=pl.when(number).then(pl.lit("number")).otherwise(pl.lit("choice")),
        )

    def settings_from(self, given: Mapping[str, Any]) -> S:
        """Settings from names and values (text or typed); an undeclared name is an error."""
        known = {one.name: one for one in fields(self.SETTINGS)}
        for name in given:
            if name not in known:
                raise UnknownName(f"setting of {self.NAME}", name, known)
        values = {name: _typed(name, value, known[name].default) for name, value in given.items()}
        settings = self.SETTINGS(**values)
        if not 0 <= settings.seed < 2**63:
            raise BadInput(f"The seed is {settings.seed}: give a whole number from 0 to 2⁶³ − 1.")
        for name, value in vars(settings).items():
            if name != "seed" and isinstance(value, int) and value > MOST:
                raise BadInput(f"The setting {name} is {value}: give at most {MOST:,}.")
        self.check(settings)
        return settings

    def reading_role(self) -> str:
        """The role of whoever reads its responses; empty where a reader alone does."""
        return next((role for role, one in self.HELPERS.items() if not one.setting), "")


def states_of(answers: pl.DataFrame) -> dict[str, int]:
    """How many answers ended in which state, in the order in which those are met."""
    states = answers["state"]
    return dict(zip(states.unique(maintain_order=True), states.unique_counts(), strict=True))


PLAIN_SCORE = Score(None).as_json().keys()
"""of a score as scores.json has it"""


def with_states(scores: Mapping[str, Any], answers: pl.DataFrame) -> dict[str, Any]:
    """The scores of these answers, each with how they ended; one of a part keeps its own."""
    states = states_of(answers)

    def filled(one: Any) -> Any:
        if isinstance(one, Score):
            return one if one.states else replace(one, states=states)
        if not isinstance(one, Mapping):
            return one
        if one.keys() == PLAIN_SCORE:
            return {**one, "states": states}
        return {name: filled(part) for name, part in one.items()}

    return {name: filled(one) for name, one in scores.items()}


def _typed(name: str, value: Any, default: Any) -> Any:
    """A value from the command line or a program as the type of the setting's default."""
    try:
        if not isinstance(value, str) or isinstance(default, str):
            return _as_given(value, default)
        if isinstance(default, bool):
            return SWITCH[value.lower()]
        if isinstance(default, int):
            return int(value)
        if isinstance(default, float):
            return float(value)
        if isinstance(default, tuple):
            return tuple(part.strip() for part in value.split(",") if part.strip())
    except (ValueError, KeyError):
        wanted = in_words(type(default))
        raise BadInput(f"The setting {name} is {value!r}: give {wanted}.") from None
    return value


def _as_given(value: Any, default: Any) -> Any:
    """A value that has a type already; one that is not the setting's raises a ValueError."""
    if isinstance(value, list):
        value = tuple(value)
    if isinstance(value, Path):
        value = str(value)
    if isinstance(default, bool | str | tuple):
        fits = isinstance(value, type(default))
    else:
        fits = isinstance(value, Integral if isinstance(default, int) else Real)
        fits = fits and not isinstance(value, bool)
        value = type(default)(value) if fits else value
    if not fits:
        raise ValueError
    return value
