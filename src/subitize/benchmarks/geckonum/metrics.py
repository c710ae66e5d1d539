"""Automatic metrics judged by people: tell right pictures from wrong ones, rank painters (Table 3).

A picture is right if all its questions are right. Its score by a metric should then be higher:
Mann–Whitney U, AUC. Two painters are compared on pictures of the same prompt and seed by a
Wilcoxon signed rank test and ranked by their means if p < .05, by the metric and by people alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from subitize.benchmarks.geckonum.labels import Labelled, Labels
from subitize.benchmarks.geckonum.tables import counted_labels
from subitize.datasets.geckonum.scores import MOST_EXAMPLES, ScoreTable
from subitize.errors import BadInput
from subitize.measures.bias import signed_rank
from subitize.measures.ranks import holm, mann_whitney
from subitize.published.geckonum_metrics import RANKING_METRICS, TABLE_3

__all__ = ["ALPHA", "PEOPLE", "judge_metrics", "judged_pictures", "table3_text"]

ALPHA = 0.05
PEOPLE = "people"
PICTURE = ("model", "dataset_id", "seed")


def judged_pictures(labelled: Labelled, task: int = 1) -> pl.DataFrame:
    """Every picture of a task's prompts with `right`: all its questions are right.

    In Task 3 a question is right if most people said yes.
    """
    labels = {1: labelled.task1, 2: labelled.task2, 3: labelled.task3}.get(task)
    if labels is None:
        raise BadInput(f"There are no annotations of task {task}: metrics need people's answers.")
    right = labels.label > 0.5 if task == 3 else labels.right()
    frame = _pictures(labels).with_columns(pl.Series("right", right))
    if task == 1:
        frame = frame.filter(pl.Series(counted_labels(labels)))
    return frame.group_by(PICTURE, maintain_order=True).agg(pl.col("right").all())


def _pictures(labels: Labels) -> pl.DataFrame:
    ids = np.array([one.dataset_id for one in labels.prompts])
    return pl.DataFrame(
        {
            "model": np.array(labels.models)[labels.model],
            "dataset_id": ids[labels.prompt],
            "seed": labels.seed,
        }
    )


def judge_metrics(labelled: Labelled, scores: ScoreTable, task: int = 1) -> dict[str, Any]:
    """Every metric of the table: per painter and over all, and its ranking beside people's."""
    people = judged_pictures(labelled, task)
    joined = scores.frame.join(people, on=list(PICTURE), how="inner", maintain_order="left")
    if joined.is_empty():
        known = ", ".join(sorted(set(people["model"].to_list())))
        given = ", ".join(sorted(set(scores.frame["model"].to_list()))[:10]) or "none"
        raise BadInput(
            f"No scored picture has people's answers in task {task}: the scores are about {given}, "
            f"the annotations about {known}. The model names and PROMPT_SEED must be the same."
        )
    rows = scores.rows()
    unanswered = scores.frame.height - joined.height
    if unanswered:
        rows["used"] = joined.height
        reason = "no answers of people"
        rows["dropped"] = {**rows["dropped"], reason: unanswered}
        others = scores.frame.join(people, on=list(PICTURE), how="anti", maintain_order="left")
        rows["examples"][reason] = [
            f"{one['metric']} {one['model']} {one['dataset_id']}_{one['seed']}"
            for one in others.head(MOST_EXAMPLES).iter_rows(named=True)
        ]
    metrics = {
        str(name): _judge(str(name), part.drop("metric"))
        for (name,), part in joined.group_by("metric", maintain_order=True)
    }
    _correct(metrics)
    return {"task": task, "metrics": metrics, "rows": rows}


def _judge(metric: str, frame: pl.DataFrame) -> dict[str, Any]:
    """One metric: frame has model, dataset_id, seed, score, right."""
    painters = sorted(set(frame["model"].to_list()))
    name = _paper_name(metric)
    printed = TABLE_3.get(name, {})
    told = {
        model: _told_apart(frame.filter(pl.col("model") == model), printed.get(model))
        for model in painters
    }
    by_metric = _ranked(frame, "score", painters)
    by_people = _ranked(frame.with_columns(pl.col("right").cast(pl.Float64)), "right", painters)
    agree = {
        pair: by_metric["pairs"][pair]["higher"] == by_people["pairs"][pair]["higher"]
        for pair in by_metric["pairs"]
    }
    return {
        "models": told,
        "all": _told_apart(frame, None),
        "ranking": by_metric | {"agrees_with_people": all(agree.values()) if agree else None,
                                "pairs_agreeing": sum(agree.values()), "pairs_all": len(agree)},
        "people": by_people,
        "published_ranks_as_people": name in RANKING_METRICS if printed else None,
    }  # fmt: skip


def _paper_name(metric: str) -> str:
    """The paper's name of a metric; in brackets may stand the model that computed it.

    >>> _paper_name("clipscore (clip/some-model)"), _paper_name("VNLI")
    ('clip', 'vnli')
    """
    name = metric.lower().partition(" (")[0]
    return "clip" if name == "clipscore" else name


def _told_apart(frame: pl.DataFrame, printed: bool | None) -> dict[str, Any]:
    right = frame.filter(pl.col("right"))["score"].to_numpy()
    wrong = frame.filter(~pl.col("right"))["score"].to_numpy()
    found: dict[str, Any] = {
        "n_right": int(right.size),
        "n_wrong": int(wrong.size),
        "mean_right": float(right.mean()) if right.size else None,
        "mean_wrong": float(wrong.mean()) if wrong.size else None,
        "published": printed,
    }
    if not right.size or not wrong.size:
        what = "right" if not right.size else "wrong"
        nothing = dict.fromkeys(("auc", "low", "high", "u", "z", "p", "tells_apart"))
        return found | nothing | {"why": f"no picture is {what}"}
    test = mann_whitney(right, wrong)
    auc = test.auc.value or 0.0
    return found | {
        "auc": auc,
        "low": test.auc.low,
        "high": test.auc.high,
        "u": test.u,
        "z": test.z,
        "p": test.p,
        "tells_apart": test.p < ALPHA and auc > 0.5,
        "why": "wrong pictures score higher" if test.p < ALPHA and auc < 0.5 else None,
    }


def _ranked(frame: pl.DataFrame, column: str, painters: Sequence[str]) -> dict[str, Any]:
    means = {
        model: float(frame.filter(pl.col("model") == model)[column].to_numpy().mean())
        for model in painters
    }
    pairs = {
        f"{one}|{other}": _pair(frame, column, one, other)
        for one, other in combinations(painters, 2)
    }
    order = sorted(painters, key=lambda model: -means[model])
    return {"means": means, "order": order, "pairs": pairs}


def _pair(frame: pl.DataFrame, column: str, one: str, other: str) -> dict[str, Any]:
    """Two painters on the same prompts and seeds; `higher` is None if no difference is shown."""
    first = frame.filter(pl.col("model") == one).select("dataset_id", "seed", column)
    second = frame.filter(pl.col("model") == other).select("dataset_id", "seed", column)
    both = first.join(second, on=["dataset_id", "seed"], how="inner", suffix="_other")
    if both.is_empty():
        return {"n": 0, "difference": None, "z": None, "p": None, "higher": None,
                "why": "no prompt and seed in common"}  # fmt: skip
    gap = (both[column] - both[f"{column}_other"]).to_numpy()
    test = signed_rank(gap)
    mean = float(gap.mean())
    higher = (one if mean > 0 else other) if test.p < ALPHA and mean != 0 else None
    return {"n": both.height, "difference": mean, "z": test.z, "p": test.p, "higher": higher}


def _correct(metrics: Mapping[str, Mapping[str, Any]]) -> None:
    """p-values adjusted over all metrics and painters of the table (Holm)."""
    tested = [
        cell for one in metrics.values() for cell in one["models"].values() if cell["p"] is not None
    ]
    if tested:
        adjusted = holm([cell["p"] for cell in tested])
        for cell, p in zip(tested, adjusted, strict=True):
            cell["p_holm"] = float(p)


def table3_text(found: Mapping[str, Any]) -> str:
    """Table 3 with AUC and interval; ✓ tells apart, = does not, ✗ the wrong way round."""
    painters = list(dict.fromkeys(m for one in found["metrics"].values() for m in one["models"]))
    lines = []
    for name, one in found["metrics"].items():
        lines.append(f"{name}")
        for model in painters:
            cell = one["models"].get(model)
            if cell is None or cell["p"] is None:
                lines.append(f"  {model:16} –  {(cell or {}).get('why') or 'not scored'}")
                continue
            printed = {None: "", True: "  (published ✓)", False: "  (published =)"}
            lines.append(
                f"  {model:16} {_mark(cell)}  AUC {cell['auc']:.3f} "
                f"[{cell['low']:.3f}, {cell['high']:.3f}]  p {cell['p']:.3g}  "
                f"{cell['n_right']} right, {cell['n_wrong']} wrong{printed[cell['published']]}"
            )
        ranking, people = one["ranking"], one["people"]
        lines.append(f"  ranks painters   {' > '.join(ranking['order'])}")
        lines.append(
            f"  people           {' > '.join(people['order'])}  "
            f"({ranking['pairs_agreeing']} of {ranking['pairs_all']} pairs alike)"
        )
    return "\n".join(lines)


def _mark(cell: Mapping[str, Any]) -> str:
    if cell["tells_apart"]:
        return "✓"
    return "✗" if cell["why"] else "="
