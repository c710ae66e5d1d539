"""A run as evaluation results of the Hugging Face Hub: `.eval_results/*.yaml` of a model's repo.

See https://huggingface.co/docs/hub/eval-results. A result is one number, so the interval, the
number of trials and what could not be read stand in its notes; the answers lie beside as Parquet,
for the place that `source` points to.
"""

from __future__ import annotations

from typing import Any

import orjson

from subitize.integrations.score_rows import ScoreRow, score_rows
from subitize.integrations.tables import as_parquet
from subitize.runs.stored import StoredRun


def as_hub_results(run: StoredRun, dataset: str, source: str) -> dict[str, bytes]:
    """The YAML file of a model's repository, and the tables it was made of."""
    rows = [row for row in score_rows(run.scores) if row.value is not None and row.measure]
    lines = [line for row in rows for line in _entry(run, row, dataset, source)]
    name = f".eval_results/subitize-{run.benchmark.NAME}.yaml"
    traces = {f"traces/{file}": content for file, content in as_parquet(run).items()}
    return {name: "\n".join([*lines, ""]).encode(), **traces}


def _entry(run: StoredRun, row: ScoreRow, dataset: str, source: str) -> list[str]:
    lines = [
        "- dataset:",
        f"    id: {_quoted(dataset)}",
        f"    task_id: {_quoted(row.score)}",
        f"  value: {orjson.dumps(row.value).decode()}",
    ]
    if date := run.started:
        lines.append(f"  date: {_quoted(date)}")
    if source:
        lines += ["  source:", f"    url: {_quoted(source)}", '    name: "subitize run"']
    return [*lines, f"  notes: {_quoted(_notes(run, row))}"]


def _notes(run: StoredRun, row: ScoreRow) -> str:
    parts = [f"subitize {run.benchmark.NAME} {run.benchmark.VERSION}"]
    if row.low is not None and row.high is not None:
        parts.append(f"95 % interval {row.low:.4f} to {row.high:.4f}")
    if row.trials:
        parts.append(f"{row.trials:,} trials")
    if states := run.scores.get("states"):
        parts.append(", ".join(f"{many} {state}" for state, many in states.items()))
    if prompt := run.scores.get("prompt"):
        parts.append(f"prompt {prompt}")
    return "; ".join([*parts, f"read by {run.reader}"])


def _quoted(value: Any) -> str:
    """A string as YAML: JSON's quotation is a part of it."""
    return orjson.dumps(str(value)).decode()
