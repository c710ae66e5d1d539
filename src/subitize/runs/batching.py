"""Runs whose questions are handed in as batches (`--batch`)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from subitize.errors import BadInput
from subitize.models.base import Kind, Model, Surroundings
from subitize.runs.patience import Say


def hand_in(
    folder: Path,
    asked: Mapping[str, tuple[Model, Kind]],
    say: Say,
    stopping: Callable[[], Awaitable[None]],
) -> None:
    """Have the models that can hand their questions in; the one under test must be able to."""
    for role, (model, kind) in asked.items():
        take = getattr(model, "hand_in", None)
        if take is not None and kind == "namer":
            name = f"batches-{role}.jsonl" if role else "batches.jsonl"
            take(Surroundings(folder / name, say, stopping))
        elif not role:
            raise BadInput(
                "--batch is for namers behind OpenAI's batch endpoint (openai/NAME), but "
                f"{model.respondent} is asked as a {kind}: leave it out."
            )
