"""What every benchmark must have, whoever wrote it."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from itertools import islice
from typing import Any

import pytest

from subitize.benchmark import Benchmark, Settings, meanings
from subitize.benchmarks import catalog
from subitize.benchmarks.catalog import BENCHMARKS, get_benchmark
from subitize.errors import UnknownName
from subitize.models.base import METHODS
from subitize.models.catalog import open_model
from subitize.records import Response, Trial
from subitize.runs.answers import COLUMNS
from subitize.runs.run import choose_helper_kind, choose_kind
from tests.guards.test_recorded_runs import DEMO

DEMONSTRATED = [name for name in BENCHMARKS if get_benchmark(name).DEMO.get("models")]


@pytest.fixture(params=BENCHMARKS)
def benchmark_(request: pytest.FixtureRequest) -> Benchmark[Any]:
    return get_benchmark(request.param)


def test_it_says_what_it_is(benchmark_: Benchmark[Any]) -> None:
    assert BENCHMARKS[benchmark_.NAME]
    assert benchmark_.VERSION.isdigit()
    assert benchmark_.TITLE
    assert benchmark_.PAPER.citation
    assert benchmark_.PAPER.doi
    assert benchmark_.KINDS
    assert set(benchmark_.KINDS) <= set(METHODS)
    assert benchmark_.READERS
    assert benchmark_.MEASURES
    assert benchmark_.DEVIATIONS
    assert all(len(reason.split()) > 5 for reason in benchmark_.DEVIATIONS)
    assert catalog.page_of(benchmark_.NAME) is not None


def test_its_settings_are_declared(benchmark_: Benchmark[Any]) -> None:
    assert issubclass(benchmark_.SETTINGS, Settings)
    assert is_dataclass(benchmark_.SETTINGS)
    assert all(field.default is not None for field in fields(benchmark_.SETTINGS))
    with pytest.raises(UnknownName):
        benchmark_.settings_from({"no_such_setting": 1})


def test_every_setting_says_what_it_means(benchmark_: Benchmark[Any]) -> None:
    said = meanings(benchmark_.SETTINGS)
    assert list(said) == [field.name for field in fields(benchmark_.SETTINGS)]
    assert [name for name, line in said.items() if len(line.split()) < 2] == []


def test_its_profiles_can_be_run(benchmark_: Benchmark[Any]) -> None:
    assert set(benchmark_.PROFILES) == {"paper", "quick"}
    for given in benchmark_.PROFILES.values():
        # what a benchmark of the user's own data needs beside, as its demo names it
        benchmark_.settings_from({**benchmark_.DEMO.get("fast", {}), **given})


def test_its_conditions_and_helpers_are_declared(benchmark_: Benchmark[Any]) -> None:
    assert benchmark_.CONDITION
    for name, fill in benchmark_.CONDITION.items():
        assert name.isidentifier()
        assert name not in COLUMNS, "it would be lost in the answers table"
        assert type(fill) in (str, int, float)
    for role, helper in benchmark_.HELPERS.items():
        assert role.isidentifier(), "--base-url ROLE=URL"
        assert helper.kinds
        assert set(helper.kinds) <= set(METHODS)
        if helper.setting:
            assert helper.setting in {field.name for field in fields(benchmark_.SETTINGS)}
        if helper.usual:
            choose_helper_kind(benchmark_, role, open_model(helper.usual))
    # One helper reads responses, or none does.
    assert sum(not helper.setting for helper in benchmark_.HELPERS.values()) <= 1


def test_stages_are_asked_of_known_roles_and_follow_earlier_ones(
    benchmark_: Benchmark[Any],
) -> None:
    settings = benchmark_.settings_from(benchmark_.DEMO.get("fast", {}))
    for kind in benchmark_.KINDS:
        seen: list[str] = []
        for stage in benchmark_.stages(settings, kind):
            assert stage.name not in seen
            assert not stage.role or stage.role in benchmark_.HELPERS
            assert stage.name not in stage.follows
            seen.append(stage.name)
        assert seen


def test_readers_never_raise_on_failures(benchmark_: Benchmark[Any]) -> None:
    if benchmark_.NAME not in DEMONSTRATED:
        pytest.skip("needs the user's own data: there is no trial to try a reader on")
    settings = benchmark_.settings_from(benchmark_.DEMO["fast"])
    model = open_model(benchmark_.DEMO["models"][0])
    stage = next(iter(benchmark_.stages(settings, choose_kind(benchmark_, model))))
    trial = next(benchmark_.trials(stage.name, settings, {}))
    for reader in benchmark_.READERS.values():
        failed = Response(trial.id, "m", "s", 0, 0, "text", "", "failed", note="no")
        assert reader(trial, failed).state == "failed"


@pytest.mark.parametrize("name", DEMONSTRATED)
def test_trials_are_pure_and_unique(name: str) -> None:
    benchmark = get_benchmark(name)
    settings = benchmark.settings_from(benchmark.DEMO["fast"])
    for model_name in benchmark.DEMO["models"]:
        kind = choose_kind(benchmark, open_model(model_name))
        stage = next(iter(benchmark.stages(settings, kind)))
        first = list(islice(benchmark.trials(stage.name, settings, {}), 500))
        again = list(islice(benchmark.trials(stage.name, settings, {}), 500))
        assert first
        assert first == again
        assert len({trial.id for trial in first}) == len(first)
        size = benchmark.size(stage.name, settings, {})
        assert size is None or size == sum(1 for _ in benchmark.trials(stage.name, settings, {}))
        assert {trial.stage for trial in first} == {stage.name}


def check_condition(trial: Trial, benchmark: Benchmark[Any]) -> None:
    """Every key is declared, and its value is of the declared type or null."""
    assert trial.condition.keys() <= benchmark.CONDITION.keys()
    for name, value in trial.condition.items():
        fill = benchmark.CONDITION[name]
        whole = isinstance(fill, float) and isinstance(value, int)
        assert value is None or type(value) is type(fill) or whole, (name, value)


@pytest.mark.parametrize("name", DEMO)
def test_the_demos_plan_has_declared_conditions_only(name: str) -> None:
    """All stages of a whole run, what follows and what helpers are asked included."""
    benchmark = get_benchmark(DEMO[name]["benchmark"])
    settings = benchmark.settings_from(DEMO[name]["settings"])
    kind = choose_kind(benchmark, open_model(DEMO[name]["model"]))
    planned: dict[str, list[Trial]] = {}
    for stage in benchmark.stages(settings, kind):
        if not stage.follows:
            made = benchmark.trials(stage.name, settings, DEMO[name]["decisions"])
            planned[stage.name] = list(made)
        asked = benchmark.HELPERS[stage.role].kinds if stage.role else (kind,)
        planned[stage.name] = planned.get(stage.name, []) + [
            one
            for followed in stage.follows
            for trial in planned.get(followed, ())[:20]
            for response in responses_to(trial)
            for helper in asked
            for one in benchmark.follow(stage.name, trial, response, settings, helper)
        ]
    for stage_name, trials in planned.items():
        for trial in trials:
            assert (trial.benchmark, trial.stage) == (benchmark.NAME, stage_name)
            check_condition(trial, benchmark)
            written = trial.as_json(benchmark.CONDITION)["condition"]
            assert written.keys() == benchmark.CONDITION.keys()
    assert sum(map(len, planned.values())) >= DEMO[name]["responses"]


def responses_to(trial: Trial) -> list[Response]:
    """Whatever may come back, as far as a stage that follows may tell it apart."""
    return [
        Response(trial.id, "m", "s", 0, 0, "picture", "a.png", "stop"),
        Response(trial.id, "m", "s", 0, 0, "text", "There are 3.", "stop"),
        Response(trial.id, "m", "s", 0, 0, "text", "", "refused"),
    ]
