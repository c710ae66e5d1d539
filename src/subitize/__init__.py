"""Measure the number sense of multimodal AI.

    import subitize
    run = subitize.run("naming", model="openai/gpt-4o", per_cell=5)
    run.scores["nae"], run.answers
    subitize.report([run], "report.html")

Everything here is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from subitize.api import Run, compare, draw, load, plan, read_number, report, run
    from subitize.models.catalog import open_model
    from subitize.opening import Plan
    from subitize.records import Reading, Response, Score, Stimulus, Trial, Votes

__version__ = "0.1.0"
__all__ = [
    "Plan",
    "Reading",
    "Response",
    "Run",
    "Score",
    "Stimulus",
    "Trial",
    "Votes",
    "__version__",
    "compare",
    "draw",
    "load",
    "open_model",
    "plan",
    "read_number",
    "report",
    "run",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = ".api" if name in ("Plan", "Run") or name.islower() else ".records"
    return getattr(import_module(home, __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
