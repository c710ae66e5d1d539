"""Run folders as tests look at them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from subitize.opening import load_stored
from subitize.runs import stored
from subitize.runs.stored import StoredRun

__all__ = ["load_run", "score_run"]


def load_run(folder: Path, reader: str | None = None) -> StoredRun:
    """A run folder, its benchmark found by name."""
    return load_stored(folder, reader)


def score_run(folder: Path, reader: str | None = None) -> dict[str, Any]:
    """Score a run folder anew."""
    return stored.score_run(load_stored(folder, reader))
