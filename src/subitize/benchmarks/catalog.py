"""The lazy table of benchmarks: a line each."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from subitize.benchmark import Benchmark
from subitize.errors import UnknownName

__all__ = ["BENCHMARKS", "get_benchmark"]

BENCHMARKS: dict[str, str] = {
    "naming": "subitize.benchmarks.naming:Naming",
    "production": "subitize.benchmarks.production:Production",
    "capture": "subitize.benchmarks.capture:Capture",
    "geckonum": "subitize.benchmarks.geckonum.painting:GeckoNum",
    "geckonum-metric": "subitize.benchmarks.geckonum.metric:GeckoNumMetric",
    "geckonum-vqa": "subitize.benchmarks.geckonum.vqa:GeckoNumVqa",
}


@cache
def get_benchmark(name: str) -> Benchmark[Any]:
    """A benchmark by its name."""
    if name not in BENCHMARKS:
        raise UnknownName("benchmark", name, BENCHMARKS)
    module, _, cls = BENCHMARKS[name].partition(":")
    benchmark: Benchmark[Any] = getattr(import_module(module), cls)()
    return benchmark
