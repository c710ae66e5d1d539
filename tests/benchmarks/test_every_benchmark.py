"""What every benchmark must have, whoever wrote it."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from itertools import islice

import pytest

from subitize.benchmark import Benchmark, Settings
from subitize.benchmarks.catalog import BENCHMARKS, get_benchmark, page_of
from subitize.errors import UnknownName
from subitize.models.base import METHODS
from subitize.models.catalog import open_model
from subitize.records import Response
from subitize.runs.run import choose_kind

DEMONSTRATED = [name for name in BENCHMARKS if get_benchmark(name).DEMO.get("models")]


@pytest.fixture(params=BENCHMARKS)
def benchmark_(request: pytest.FixtureRequest) -> Benchmark:
    return get_benchmark(request.param)


def test_it_says_what_it_is(benchmark_: Benchmark) -> None:
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
    assert callable(page_of(benchmark_.NAME))


def test_its_settings_are_declared(benchmark_: Benchmark) -> None:
    assert issubclass(benchmark_.SETTINGS, Settings)
    assert is_dataclass(benchmark_.SETTINGS)
    assert all(field.default is not None for field in fields(benchmark_.SETTINGS))
    with pytest.raises(UnknownName):
        benchmark_.settings_from({"no_such_setting": 1})


def test_readers_never_raise_on_failures(benchmark_: Benchmark) -> None:
    if benchmark_.NAME not in DEMONSTRATED:
        pytest.skip("needs the user's own data: there is no trial to try a reader on")
    settings = benchmark_.settings_from(benchmark_.DEMO["fast"])
    model = open_model(benchmark_.DEMO["models"][0])
    stage = next(iter(benchmark_.stages(settings, choose_kind(benchmark_, model))))
    trial = next(benchmark_.trials(stage.name, settings, {}))
    for reader in benchmark_.READERS.values():
        failed = Response(trial.id, "m", "s", 0, 0, "text", None, "failed", note="no")
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
