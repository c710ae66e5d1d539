"""Runs whose questions are handed in as batches (`--batch`)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from subitize.errors import BadInput
from subitize.models.base import Kind, Model, Surroundings
from subitize.runs.patience import Say


def check_batch(model: Model, kind: Kind) -> None:
    """Raise where the model under test can't hand its questions in, before a folder is made."""
    if kind != "namer" or getattr(model, "hand_in", None) is None:
        raise BadInput(
            "--batch is for namers behind OpenAI's batch endpoint (openai/NAME), but "
            f"{model.respondent} is asked as a {kind}: leave it out."
        )


def hand_in(
    folder: Path,
    asked: Mapping[str, tuple[Model, Kind]],
    say: Say,
    stopping: Callable[[], Awaitable[None]],
) -> None:
    """Have the models that can hand their questions in; see `check_batch` for the one asked."""
    for role, (model, kind) in asked.items():
        take = getattr(model, "hand_in", None)
        if take is not None and kind == "namer":
            name = f"batches-{role}.jsonl" if role else "batches.jsonl"
            take(Surroundings(folder / name, say, stopping))
