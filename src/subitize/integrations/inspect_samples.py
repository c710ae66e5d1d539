"""A benchmark's trials as samples of Inspect, and back.

A sample holds its whole trial, so that a log can be read where the benchmark's data are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from subitize.benchmark import Benchmark, Settings
from subitize.errors import BadInput
from subitize.models.base import Kind
from subitize.models.inspecting import message_of, picture_uri
from subitize.records import Trial
from subitize.runs.checked import Damaged, trial_of
from subitize.stimuli import render

if TYPE_CHECKING:
    from inspect_ai.dataset import Sample

ASKED: Kind = "namer"
"""as what a model is asked by Inspect"""
TRIAL, SHA256, PLACE, PART, OVERRIDES = "trial", "sha256", "place", "part", "overrides"
"""keys of a sample's metadata: the trial, the hash of its picture, where it stands among the
others, what it is grouped by, and settings that the benchmark wants for it"""
PARTS = ("form", "task", "variant", "help")
"""conditions that tell apart what Inspect's accuracies are given for"""
ELSEWHERE = "run it with `subitize run {0} --model inspect/PROVIDER/NAME`, which asks all of it."


class Asked(NamedTuple):
    """What a task asks."""

    samples: list[Sample]
    decisions: Mapping[str, Any]
    """what was found before anything was asked"""
    stages: Mapping[str, int]
    """how many trials each stage has"""
    epochs: int
    """how often each trial is asked"""


class _Undecided(dict[str, Any]):
    """Decisions so far; one that only answers can bring must not be looked at."""

    def __init__(self, found: Mapping[str, Any], open_: frozenset[str], name: str) -> None:
        super().__init__(found)
        self._open, self._name = open_, name

    def __getitem__(self, key: str) -> Any:
        self._check(key)
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        self._check(key)
        return super().get(key, default)

    def _check(self, key: str) -> None:
        if key in self._open:
            raise BadInput(
                f"{self._name} decides on {key!r} by the answers to earlier questions, and Inspect "
                f"asks all questions at once: choose it yourself ({self._name}'s settings), or "
                + ELSEWHERE.format(self._name)
            )


def asked_of(benchmark: Benchmark[Any], settings: Settings) -> Asked:
    """All that Inspect is to ask; settings that need more than questions are refused."""
    if ASKED not in benchmark.kinds(settings):
        raise BadInput(
            f"These settings of {benchmark.NAME} are asked of a "
            f"{' or a '.join(benchmark.kinds(settings))}, and Inspect's models answer in words: "
            "choose others (probe: task=vqa, counting or alignment)."
        )
    helping = benchmark.helpers(settings, ASKED)
    if helping or getattr(settings, "backoff", False):
        what = f"a helper ({', '.join(helping)})" if helping else "asking again (backoff)"
        raise BadInput(
            f"These settings of {benchmark.NAME} need {what}, which a task of Inspect has not: "
            "leave them out, or " + ELSEWHERE.format(benchmark.NAME)
        )
    found = benchmark.ready(settings, ASKED)
    samples: list[Sample] = []
    stages: dict[str, int] = {}
    pictures: dict[str, tuple[str, str]] = {}
    times = set()
    for trial in _trials(benchmark, settings, found):
        stages[trial.stage] = stages.get(trial.stage, 0) + 1
        times.add(benchmark.samples(trial, settings))
        overrides = benchmark.first_overrides(trial, settings)
        samples.append(_sample(benchmark, trial, (len(samples), overrides), pictures))
    if len(times) != 1:
        raise BadInput(
            f"These settings of {benchmark.NAME} ask some questions once and others "
            f"{max(times, default=0)} times, which epochs can't: ask fewer tasks, or "
            + ELSEWHERE.format(benchmark.NAME)
        )
    return Asked(samples, found, stages, times.pop())


def _trials(
    benchmark: Benchmark[Any], settings: Settings, found: Mapping[str, Any]
) -> Iterator[Trial]:
    open_: frozenset[str] = frozenset()
    for stage in benchmark.stages(settings, ASKED):
        if not stage.role and not stage.follows:
            yield from benchmark.trials(
                stage.name, settings, _Undecided(found, open_, benchmark.NAME)
            )
        open_ |= set(stage.decides)


def _sample(
    benchmark: Benchmark[Any],
    trial: Trial,
    how: tuple[int, Mapping[str, Any]],
    pictures: dict[str, tuple[str, str]],
) -> Sample:
    """One trial; the forms of a question share one picture in memory."""
    from inspect_ai.dataset import Sample

    place, overrides = how
    key = f"{trial.stimulus.kind} {trial.stimulus.recipe}"
    if key not in pictures:
        drawn = render(trial.stimulus)
        pictures[key] = picture_uri(drawn.png), drawn.sha256
    picture, sha256 = pictures[key]
    packed = orjson.dumps(trial.as_json(benchmark.CONDITION), option=orjson.OPT_SERIALIZE_NUMPY)
    told = [str(trial.condition[name]) for name in PARTS if trial.condition.get(name)]
    return Sample(
        id=trial.id,
        input=[message_of(trial.question, picture)],
        target=trial.target_choice if trial.target is None else str(trial.target),
        metadata={
            PART: " ".join(told) or trial.stage, PLACE: place, SHA256: sha256,
            OVERRIDES: dict(overrides), TRIAL: orjson.loads(packed),
        },
    )  # fmt: skip


def trial_in(metadata: Mapping[str, Any], identity: object) -> Trial:
    """The trial of a sample, if it is the one that the sample's id names."""
    trial = trial_of(orjson.dumps(metadata.get(TRIAL)))
    if trial.id != identity:
        raise Damaged
    return trial
