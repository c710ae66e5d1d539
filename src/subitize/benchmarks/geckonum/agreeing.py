"""How far a counter or a namer agrees with people about the same pictures and questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from subitize.benchmarks.geckonum.breakdowns import number_name, share_of
from subitize.benchmarks.geckonum.labels import Labelled
from subitize.benchmarks.geckonum.wording import answer_value
from subitize.records import Row

__all__ = ["agreement_text", "agreement_with_people"]


def agreement_with_people(
    rows: Sequence[Row], labelled: Labelled, rng: np.random.Generator
) -> dict[str, Any]:
    """Shares of counts that are the label, by the number people counted, prompt type and painter.

    Rows are those of a counter's run of geckonum-metric. Empty where none is about a picture and
    question that people answered.
    """
    labels = labelled.task1
    if labels is None:
        return {}
    people: dict[tuple[str, str, int, str], int] = {}
    for place in range(labels.label.size):
        prompt = labels.prompts[labels.prompt[place]].dataset_id
        words = labels.questions[labels.question[place]]
        key = (labels.models[labels.model[place]], prompt, int(labels.seed[place]), words)
        people[key] = place
    found: list[tuple[bool, float, int, str, str, str]] = []
    for row in rows:
        about, said = row.trial.condition, answer_value(row)
        key = (str(about["painter"]), str(about["dataset_id"]), int(about["picture"]),
               str(about["question"]))  # fmt: skip
        if said is None or key not in people:
            continue
        label = float(labels.label[people[key]])
        found.append(
            (said == label, abs(said - label), int(labels.prompt[people[key]]),
             number_name(label), str(about["prompt_type"]), key[0])
        )  # fmt: skip
    if not found:
        return {}
    columns = [np.array(column) for column in zip(*found, strict=True)]
    same, gap, prompts, number, kind, painter = columns
    return {
        "all": share_of(same, prompts, rng),
        "mean_distance": float(gap.mean()),
        "by_number": _by(number, same, prompts, rng),
        "by_type": _by(kind, same, prompts, rng),
        "by_painter": _by(painter, same, prompts, rng),
    }


def _by(groups: Any, same: Any, prompts: Any, rng: np.random.Generator) -> dict[str, Any]:
    names = sorted(set(groups.tolist()), key=_order)
    return {name: share_of(same[groups == name], prompts[groups == name], rng) for name in names}


def _order(name: str) -> tuple[float, str]:
    """Numbers by size, names by letters."""
    bare = name.rstrip("+")
    return (float(bare) + name.endswith("+"), "") if bare.isdecimal() else (0.0, name)


def agreement_text(model: str, found: dict[str, Any]) -> str:
    """A line per group."""
    lines = [f"{model} and people give the same number"]
    lines.append(f"  {'of all':20} {_shown(found['all'])}")
    for part in ("by_number", "by_type", "by_painter"):
        for name, share in found[part].items():
            lines.append(f"  {part.replace('_', ' ')[3:] + ' ' + name:20} {_shown(share)}")
    return "\n".join(lines)


def _shown(share: dict[str, Any]) -> str:
    return (
        f"{100 * share['value']:5.1f} % [{100 * share['low']:.1f}, {100 * share['high']:.1f}]  "
        f"n {share['trials']}"
    )
