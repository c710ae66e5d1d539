"""What runs are called where several stand side by side: the model, and what tells them apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from subitize.runs.stored import StoredRun

LONGEST = 60
"""characters of what stands behind a model's name; what is longer is told by the folder"""


def labels(models: Sequence[str], runs: Sequence[StoredRun]) -> list[str]:
    """The models' names; equal ones are told apart by settings, else by their folders."""
    alike = {
        model: [run for own, run in zip(models, runs, strict=True) if own == model]
        for model in dict.fromkeys(models)
    }
    own = [
        _own(run, alike[model]) if len(alike[model]) > 1 else ""
        for model, run in zip(models, runs, strict=True)
    ]
    found = [_label(model, told) for model, told in zip(models, own, strict=True)]
    many = Counter(found)
    return [
        label if many[label] == 1 else _label(model, run.told_from(alike[model]))
        for label, model, run in zip(found, models, runs, strict=True)
    ]


def _label(model: str, told: str) -> str:
    return f"{model} ({told})" if told else model


def _own(run: StoredRun, alike: Sequence[StoredRun]) -> str:
    """The settings a run does not share with all others of its model; empty where they are long."""
    settings = [other.info.get("settings") or {} for other in alike]
    own = run.info.get("settings") or {}
    differ = {name: own[name] for name in own if any(o.get(name) != own[name] for o in settings)}
    words = run.benchmark.WORDS
    told = ", ".join(in_words(name, value, words) for name, value in differ.items())
    return told if len(told) <= LONGEST else ""


def in_words(name: str, value: Any, words: Mapping[str, Mapping[str, str]]) -> str:
    """A setting as a table says it.

    >>> in_words("task", "mlm", {"task": {"mlm": "masks"}})
    'masks'
    >>> [in_words("per_cell", 5, {}), in_words("seed", 0, {}), in_words("hold", "", {})]
    ['per cell 5', 'seed 0', 'no hold']
    >>> [in_words("control", one, {}) for one in (True, False)]
    ['control', 'no control']
    >>> in_words("categories", ["apples", "dots"], {})
    'categories apples and dots'
    >>> in_words("file", "data/probe/hard_test.json", {})
    'file hard_test.json'
    """
    if known := words.get(name, {}).get(str(value)):
        return known
    told = name.replace("_", " ")
    if value is True:
        return told
    if value is False or value is None or value == "":
        return f"no {told}"
    if isinstance(value, list | tuple):
        return f"{told} {' and '.join(map(str, value))}" if value else f"no {told}"
    if isinstance(value, str) and "/" in value:
        return f"{told} {PurePath(value).name}"
    return f"{told} {value}"
