"""The lazy table of what can be learnt: nothing of torch is imported until a training begins."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from subitize.errors import MissingExtra
from subitize.models.checkpoints import needs_torch

TASKS: Mapping[str, str] = {
    "foils": "subitize.training.foil_task:FoilTask",
    "answers": "subitize.training.answer_task:AnswerTask",
}


def get_task(name: str) -> Any:
    """The class of a task; what it needs beside the core is told first."""
    needs_torch("Fine-tuning")
    if find_spec("accelerate") is None:
        raise MissingExtra("Fine-tuning", "accelerate", "train")
    from transformers.utils import logging

    # its bars for every file would drown the loss
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    module, _, found = TASKS[name].partition(":")
    return getattr(import_module(module), found)
