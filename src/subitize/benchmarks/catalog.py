"""The lazy table of benchmarks: a line each; other packages add theirs by entry point.

A line names the class and the page; a benchmark without a page gets the default one. An entry
point of the group `subitize.benchmarks` names the class, whose `sections`, if it has one, is its
page. A name that is taken can't be taken over.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from subitize.benchmark import Benchmark
from subitize.errors import BadInput, UnknownName

if TYPE_CHECKING:
    from subitize.reports.page import Sections

GROUP = "subitize.benchmarks"
BENCHMARKS: dict[str, tuple[str, str]] = {
    "naming": (".naming:Naming", ".naming_page:sections"),
    "production": (".production:Production", ".production_page:sections"),
    "capture": (".capture:Capture", ".capture.page:sections"),
    "probe": (".probe:Probe", ".probe.page:sections"),
    "geckonum": (".geckonum.painting:GeckoNum", ".geckonum.page:sections"),
    "geckonum-metric": (
        ".geckonum.metric_run:GeckoNumMetric", ".geckonum.page_models:metric_sections",
    ),
    "geckonum-people": (
        ".geckonum.people:GeckoNumPeople", ".geckonum.page:people_sections",
    ),
    "geckonum-vqa": (".geckonum.vqa:GeckoNumVqa", ".geckonum.page_models:vqa_sections"),
}  # fmt: skip
"""class and page, as module:name; a dot at the start is this package"""
PARTS: dict[str, str] = {
    "geckonum scores": ".geckonum.breakdowns:answer_scores",
    "geckonum-people scores": ".geckonum.breakdowns:people_scores",
    "geckonum-people table": ".geckonum.answers:stored_table",
    "geckonum-people report": ".geckonum.page:report_people",
}
"""what needs more than asking does: tables need Polars, pages Matplotlib"""


def known_benchmarks() -> list[str]:
    """Every benchmark's name, ours first."""
    return list(dict.fromkeys([*BENCHMARKS, *(point.name for point in entry_points(group=GROUP))]))


def _load(where: str) -> Any:
    module, _, name = where.partition(":")
    return getattr(import_module(module, "subitize.benchmarks"), name)


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
    if not re.fullmatch(r"[A-Za-z0-9_-]+", name):
        # Folders, files and parts of a page are called after it.
        raise ValueError("its name may hold letters, digits, - and _ only")
    return found


def page_of(name: str) -> Sections | None:
    """The function that makes a benchmark's page; None where the default page does."""
    if name in BENCHMARKS:
        page: Sections = _load(BENCHMARKS[name][1])
        return page
    return getattr(get_benchmark(name), "sections", None)
