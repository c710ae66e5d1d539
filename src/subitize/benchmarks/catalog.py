"""The lazy table of benchmarks: a line each; other packages add theirs by entry point.

A line names the class and the page; a benchmark without a page gets the default one. An entry
point of the group `subitize.benchmarks` names the class, whose `sections`, if it has one, is its
page. A name that is taken can't be taken over.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from subitize.benchmark import Benchmark
from subitize.errors import BadInput, UnknownName

if TYPE_CHECKING:
    from subitize.reports.page import Sections

__all__ = ["BENCHMARKS", "get_benchmark", "get_part", "known_benchmarks", "page_of"]

GROUP = "subitize.benchmarks"
BENCHMARKS: dict[str, tuple[str, str]] = {
    "naming": (
        "subitize.benchmarks.naming:Naming",
        "subitize.benchmarks.naming_page:sections",
    ),
    "production": (
        "subitize.benchmarks.production:Production",
        "subitize.benchmarks.production_page:sections",
    ),
    "capture": (
        "subitize.benchmarks.capture:Capture",
        "subitize.benchmarks.capture.page:sections",
    ),
    "geckonum": (
        "subitize.benchmarks.geckonum.painting:GeckoNum",
        "subitize.benchmarks.geckonum.page:sections",
    ),
    "geckonum-metric": (
        "subitize.benchmarks.geckonum.metric_run:GeckoNumMetric",
        "subitize.benchmarks.geckonum.page_models:metric_sections",
    ),
    "geckonum-people": (
        "subitize.benchmarks.geckonum.people:GeckoNumPeople",
        "subitize.benchmarks.geckonum.page:people_sections",
    ),
    "geckonum-vqa": (
        "subitize.benchmarks.geckonum.vqa:GeckoNumVqa",
        "subitize.benchmarks.geckonum.page_models:vqa_sections",
    ),
}
PARTS: dict[str, str] = {
    "geckonum scores": "subitize.benchmarks.geckonum.answered:answer_scores",
    "geckonum-people scores": "subitize.benchmarks.geckonum.answered:people_scores",
    "geckonum-people report": "subitize.benchmarks.geckonum.page:report_people",
}
"""what needs more than asking does: tables need Polars, pages Matplotlib"""


def known_benchmarks() -> list[str]:
    """Every benchmark's name, ours first."""
    return list(dict.fromkeys([*BENCHMARKS, *(point.name for point in entry_points(group=GROUP))]))


def _load(where: str) -> Any:
    module, _, name = where.partition(":")
    return getattr(import_module(module), name)


def get_part(name: str) -> Callable[..., Any]:
    """A function that is loaded when it is called for."""
    found: Callable[..., Any] = _load(PARTS[name])
    return found


@cache
def get_benchmark(name: str) -> Benchmark[Any]:
    """A benchmark by its name."""
    if name in BENCHMARKS:
        benchmark: Benchmark[Any] = _load(BENCHMARKS[name][0])()
        return benchmark
    values = {point.value for point in entry_points(group=GROUP, name=name)}
    if not values:
        raise UnknownName("benchmark", name, known_benchmarks())
    if len(values) > 1:
        raise BadInput(
            f"Two packages add the benchmark {name!r} ({', '.join(sorted(values))}): uninstall one."
        )
    (where,) = values
    try:
        return _checked(_load(where)(), name)
    # Whatever goes wrong in a stranger's module, its name is what the user needs to know.
    except Exception as problem:
        raise BadInput(
            f"The package that adds the benchmark {name!r} is broken: its entry point {where!r} "
            f"can't be opened ({problem}). Mend or uninstall it."
        ) from None


def _checked(found: Any, name: str) -> Benchmark[Any]:
    if not isinstance(found, Benchmark):
        raise TypeError("it is not a subclass of subitize.benchmark.Benchmark")
    missing = [part for part in Benchmark.__annotations__ if not hasattr(found, part)]
    if missing:
        raise TypeError(f"it lacks {', '.join(missing)}")
    if name != found.NAME:
        raise ValueError(f"it calls itself {found.NAME!r}")
    return found


def page_of(name: str) -> Sections | None:
    """The function that makes a benchmark's page; None where the default page does."""
    if name in BENCHMARKS:
        page: Sections = _load(BENCHMARKS[name][1])
        return page
    return getattr(get_benchmark(name), "sections", None)
