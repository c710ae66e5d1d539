"""The front door: what `import subitize` gives, and what the command line calls.

>>> read_number("So there are 12 in total.", reader="final").number
12
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from subitize.benchmarks.catalog import get_benchmark, page_of
from subitize.errors import BadInput, UnknownName
from subitize.models.base import Kind, Model, ModelOptions
from subitize.models.catalog import open_model
from subitize.models.function import function_model
from subitize.opening import Plan, load_stored, open_helpers, plan_of, run_and_score
from subitize.readers.text import final, strict
from subitize.records import Reading, Score, Stimulus
from subitize.reports.build import build_report
from subitize.runs.comparing import Comparison, compare_runs
from subitize.runs.estimating import How
from subitize.runs.limits import Prices
from subitize.runs.ray_engine import Cluster, check_engine
from subitize.runs.run import Outcome, RunOptions
from subitize.runs.stored import StoredRun
from subitize.stimuli import Picture, render
from subitize.stimuli.naming import recipe

if TYPE_CHECKING:
    import polars as pl

READERS: Mapping[str, Callable[[str, str], Reading]] = {"strict": strict, "final": final}


@dataclass(frozen=True)
class Run:
    """A run that was made or loaded."""

    stored: StoredRun
    outcome: Outcome | None = None
    """how it ended; None where it was loaded"""

    @property
    def folder(self) -> Path:
        return self.stored.folder

    @property
    def info(self) -> Mapping[str, Any]:
        """run.json"""
        return self.stored.info

    @property
    def answers(self) -> pl.DataFrame:
        """One row per response."""
        return self.stored.answers

    @cached_property
    def scores(self) -> dict[str, Any]:
        """scores.json; a number with an interval is a `Score`."""
        return {name: _as_score(found) for name, found in self.stored.scores.items()}

    def __repr__(self) -> str:
        name = f"{self.info['benchmark']}, {self.info['model']['name']}, {self.folder}"
        ended = self.outcome
        if ended is None or ended.complete:
            return f"Run({name})"
        failed = f"{ended.failed:,} trials failed, last with: {ended.problem}"
        return f"Run({name}; {f'stopped: {ended.stopped}' if ended.stopped else failed})"


def _as_score(found: Any) -> Any:
    if not isinstance(found, Mapping) or "value" not in found:
        return found
    return Score(**{key: found[key] for key in Score.__slots__ if key in found})


def run(  # noqa: PLR0913  what a run can be told, one keyword each
    benchmark: str,
    model: str | Model | Callable[..., Any],
    *,
    out: str | Path = "runs",
    seed: int = 0,
    limit: int | None = None,
    concurrency: int | None = None,
    budget_calls: int | None = None,
    reader: str | None = None,
    counter: str | None = None,
    engine: str = "local",
    base_url: str | None = None,
    api_key_env: str | None = None,
    kind: Kind = "namer",
    **settings: Any,
) -> Run:
    """Ask each trial of a benchmark once, and score; called again it resumes.

    `model` is a name, a model, or a function of (picture bytes, question) that gives text; with
    kind="painter" the function gets the prompt and gives bytes or a PIL image. `settings` are the
    benchmark's own, by their declared names.
    """
    check_engine(engine)
    chosen = get_benchmark(benchmark)
    wanted = chosen.settings_from({"seed": seed, **settings})
    given = ModelOptions(base_url, api_key_env, max_tokens=chosen.MAX_TOKENS)
    opened = _opened(model, kind, given)
    options = RunOptions(concurrency, budget_calls, limit, reader)
    if engine == "ray":
        options = replace(options, engine=Cluster().engine())
    helpers = open_helpers(chosen, wanted, opened, counter, lambda _: given)
    outcome, stored = run_and_score(chosen, wanted, opened, Path(out), options, helpers)
    if outcome.error is not None:
        raise outcome.error
    made = Run(stored, outcome)
    if not outcome.complete:
        print(made, file=sys.stderr)
    return made


def plan(
    benchmark: str,
    model: str | Model | Callable[..., Any],
    *,
    concurrency: int | None = None,
    limit: int | None = None,
    counter: str | None = None,
    prices: tuple[float, float] | None = None,
    **settings: Any,
) -> Plan:
    """What `run` with the same words would ask and cost, and how sure it would be; asks nobody.

    `prices` are US dollars for a million tokens sent and received.
    """
    chosen = get_benchmark(benchmark)
    kind = settings.pop("kind", "namer")
    reached = {name: settings.pop(name, None) for name in ("base_url", "api_key_env")}
    wanted = chosen.settings_from(settings)
    options = ModelOptions(**reached, max_tokens=chosen.MAX_TOKENS, asks=False)
    opened = _opened(model, kind, options)
    helpers = open_helpers(chosen, wanted, opened, counter, lambda _: options)
    given = Prices(*prices) if prices else None
    return plan_of(chosen, wanted, opened, helpers, How(concurrency, limit, given))


def _opened(model: str | Model | Callable[..., Any], kind: Kind, options: ModelOptions) -> Model:
    if isinstance(model, str):
        return open_model(model, options)
    return model if isinstance(model, Model) else function_model(model, kind)


def load(folder: str | Path, reader: str | None = None) -> Run:
    """A run that lies on disk; nobody is asked."""
    return Run(load_stored(folder, reader))


Runs = Run | str | Path | Sequence[Run | str | Path]
"""one run or several, made, loaded or by their folders"""


def _stored(runs: Runs) -> list[StoredRun]:
    several = [runs] if isinstance(runs, Run | str | Path) else runs
    return [(one if isinstance(one, Run) else load(one)).stored for one in several]


def report(runs: Runs, out: str | Path = "report.html") -> Path:
    """One HTML file from one or more runs."""
    return build_report(_stored(runs), Path(out), page_of)


def compare(runs: Sequence[Run | str | Path]) -> list[Comparison]:
    """Paired differences of runs of one benchmark on the same pictures, all pairs × measures."""
    return compare_runs(_stored(runs)).found


def read_number(reply: str, reader: str = "strict", question: str = "") -> Reading:
    """What a reply says, by the reader `strict` (one number) or `final` (what it concludes)."""
    if not isinstance(reply, str):
        raise BadInput(f"The reply is {reply!r}: give its text.")
    if reader not in READERS:
        raise UnknownName("reader of numbers", reader, READERS)
    return READERS[reader](reply, question)


def draw(
    category: str, n: int, index: int = 0, *, size: int = 1024, hold: str = "", seed: int = 0
) -> Picture:
    """A picture of n things as naming draws it: `.png` and the exact `.facts`."""
    made = recipe(category, n, index, size=size, hold=hold, seed=seed, largest=max(10, n))
    return render(Stimulus("drawn", made))
