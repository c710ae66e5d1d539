"""Automatic metrics judged by people: tell right pictures from wrong ones, rank painters (Table 3).

A picture is right if all its questions are right. Its score by a metric should then be higher:
Mann–Whitney U, AUC. Two painters are compared on pictures of the same prompt and seed by a
Wilcoxon signed rank test. Painters are ranked by their means over the pictures that all of them
have, and only where that test decides (p < .05 by Holm over the pairs), by the metric and by people
alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from functools import reduce
from itertools import combinations, pairwise
from typing import Any

import polars as pl

from subitize.benchmarks.geckonum.breakdowns import number_name
from subitize.benchmarks.geckonum.labels import PICTURE, painters_of, parts
from subitize.datasets.geckonum.scores import ScoreTable
from subitize.errors import BadInput
from subitize.measures.accuracy import share_interval
from subitize.measures.bias import signed_rank
from subitize.measures.ranks import holm, mann_whitney
from subitize.published.geckonum import RANKING_METRICS, TABLE_3
from subitize.readers.annotators import MORE_THAN_TEN
from subitize.records import Score
from subitize.reports.cells import text, told

ALPHA = 0.05
RIGHT = pl.col("right")
NOT_JUDGED = "no answers of people"
GROUPS = {
    "by_number": ("number", "label"),
    "by_type": ("prompt_type", "prompt_type"),
    "by_painter": ("painter", "painter"),
}
"""agreement: the column it is broken down by, and the one that orders the groups"""


def judged_pictures(labels: pl.DataFrame, task: int = 1) -> pl.DataFrame:
    """Every picture of a task's prompts with `right`: all its questions are right.

    In Task 3 a question is right if most people said yes.
    """
    chosen = labels.filter(pl.col("task") == task)
    if chosen.is_empty():
        raise BadInput(f"There are no annotations of task {task}: metrics need people's answers.")
    right = pl.col("label") > 0.5 if task == 3 else pl.col("right")
    pictures = chosen.filter("own_task").group_by(PICTURE, maintain_order=True)
    return pictures.agg(right.all().alias("right"))


def judge_metrics(labels: pl.DataFrame, scores: ScoreTable, task: int = 1) -> dict[str, Any]:
    """Every metric of the table: per painter and over all, and its ranking beside people's."""
    people = judged_pictures(labels, task)
    joined = scores.frame.join(people, PICTURE, "inner", maintain_order="left")
    if joined.is_empty():
        known = ", ".join(painters_of(people))
        given = ", ".join(painters_of(scores.frame)[:10]) or "none"
        raise BadInput(
            f"No scored picture has people's answers in task {task}: the scores are about {given}, "
            f"the annotations about {known}. The model names and PROMPT_SEED must be the same."
        )
    others = scores.frame.join(people, PICTURE, "anti", maintain_order="left")
    unknown = others.select(pl.format("{} {} {}_{}", "metric", *PICTURE)).to_series().to_list()
    used = ScoreTable(joined, scores.dropped | ({NOT_JUDGED: unknown} if unknown else {}))
    metrics = {name: _judge(name, part) for (name,), part in parts(joined, "metric")}
    tested = [one for m in metrics.values() for one in m["models"].values() if one["p"] is not None]
    for cell, p in zip(tested, holm([cell["p"] for cell in tested]) if tested else (), strict=True):
        cell["p_holm"] = float(p)  # adjusted over all metrics and painters of the table
    return {"task": task, "metrics": metrics, "rows": used.rows()}


def _judge(metric: str, frame: pl.DataFrame) -> dict[str, Any]:
    """One metric: frame has painter, dataset_id, picture, score, right."""
    name = _paper_name(metric)
    printed = TABLE_3.get(name, {})
    by_painter = {one: own for (one,), own in parts(frame.sort("painter"), "painter")}
    told = {one: _told_apart(own, printed.get(one)) for one, own in by_painter.items()}
    by_metric, by_people = _ranked(by_painter, "score"), _ranked(by_painter, "right")
    agree = [
        cell["higher"] == by_people["pairs"][pair]["higher"]
        for pair, cell in by_metric["pairs"].items()
    ]
    return {
        "models": told,
        "all": _told_apart(frame, None),
        "ranking": by_metric | {"agrees_with_people": all(agree) if agree else None,
                                "pairs_agreeing": sum(agree), "pairs_all": len(agree)},
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
    right, wrong = (frame.filter(chosen)["score"].to_numpy() for chosen in (RIGHT, ~RIGHT))
    found: dict[str, Any] = {
        "n_right": int(right.size),
        "n_wrong": int(wrong.size),
        "mean_right": float(right.mean()) if right.size else None,
        "mean_wrong": float(wrong.mean()) if wrong.size else None,
        "published": printed,
        **dict.fromkeys(("auc", "low", "high", "u", "z", "p", "tells_apart", "why")),
    }
    if not right.size or not wrong.size:
        return found | {"why": f"no picture is {'wrong' if right.size else 'right'}"}
    prompts = [frame.filter(chosen)["dataset_id"].to_numpy() for chosen in (RIGHT, ~RIGHT)]
    test = mann_whitney(right, wrong, clusters=(prompts[0], prompts[1]))
    auc = test.auc
    found |= {"auc": auc.value, "low": auc.low, "high": auc.high}
    found |= {name: getattr(test, name) for name in ("u", "z", "p")}
    # U takes pictures of one prompt as independent: the interval over prompts has to say it too
    shown = test.p < ALPHA
    better = shown and auc.low is not None and auc.low > 0.5
    worse = shown and auc.high is not None and auc.high < 0.5
    return found | {"tells_apart": better, "why": "wrong pictures score higher" if worse else None}


def _ranked(by_painter: Mapping[str, pl.DataFrame], column: str) -> dict[str, Any]:
    """Pairs of painters on the same prompts and seeds, and means of what all of them painted.

    `higher` is None if no difference is shown; `said` has `>` only where one is.
    """
    key = PICTURE[1:]
    matched = reduce(lambda one, other: one.join(other, key, "semi"), by_painter.values())
    means = {
        one: _mean(own.join(matched, key, "semi")[column]) if matched.height else None
        for one, own in by_painter.items()
    }
    pairs: dict[str, dict[str, Any]] = {}
    for (one, first), (other, second) in combinations(by_painter.items(), 2):
        both = first.join(second, key, suffix="_other")
        pair = pairs[f"{one}|{other}"] = {"n": both.height}
        pair |= dict.fromkeys(("difference", "z", "p", "p_holm", "higher"))
        if both.is_empty():
            pair["why"] = "no prompt and seed in common"
            continue
        gap = both[column].cast(pl.Float64).to_numpy() - both[f"{column}_other"].to_numpy()
        test = signed_rank(gap)
        pair |= {"difference": float(gap.mean()), "z": test.z, "p": test.p}
    tested = {name: pair for name, pair in pairs.items() if pair["p"] is not None}
    adjusted = holm([pair["p"] for pair in tested.values()]) if tested else ()
    for (name, pair), p in zip(tested.items(), adjusted, strict=True):
        pair["p_holm"] = float(p)
        if p < ALPHA and pair["difference"] != 0:
            pair["higher"] = name.split("|")[pair["difference"] < 0]
    order = sorted(by_painter, key=lambda one: -(means[one] or 0.0))
    decided = {(pair["higher"], name) for name, pair in pairs.items() if pair["higher"]}
    return {"matched": matched.height, "means": means, "order": order,
            "said": _said(order, decided), "pairs": pairs}  # fmt: skip


def _mean(values: pl.Series) -> float:
    return float(values.cast(pl.Float64).to_numpy().mean())


def _said(order: Sequence[str], decided: Set[tuple[str, str]]) -> str:
    """A ranking in words: `=` where the test does not decide, and what it decides further apart.

    >>> _said(["a", "b", "c"], {("a", "a|c")})
    'a = b = c (a > c)'
    """

    def above(one: str, other: str) -> bool:
        return bool({(one, f"{one}|{other}"), (one, f"{other}|{one}")} & decided)

    signs = [" > " if above(*pair) else " = " for pair in pairwise(order)]
    told = "".join(name + sign for name, sign in zip(order, [*signs, ""], strict=True))
    further = [
        f"{order[i]} > {order[j]}"
        for i, j in combinations(range(len(order)), 2)
        if above(order[i], order[j]) and " > " not in signs[i:j]
    ]
    return f"{told} ({', '.join(further)})" if further else told


def table3_text(found: Mapping[str, Any]) -> str:
    """Table 3 with AUC and interval over prompts; ✓ tells apart, = does not, ✗ the wrong way."""
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
            mark = "✓" if cell["tells_apart"] else "✗" if cell["why"] else "="
            auc = told(Score(cell["auc"], cell["low"], cell["high"]))
            lines.append(
                f"  {model:16} {mark}  AUC {auc}  p {text(cell['p'], 'p')}  {cell['n_right']} "
                f"right, {cell['n_wrong']} wrong{printed[cell['published']]}"
            )
        ranking, people = one["ranking"], one["people"]
        lines.append(f"  ranks painters   {ranking['said']}")
        lines.append(
            f"  people           {people['said']}  ({ranking['pairs_agreeing']} of "
            f"{ranking['pairs_all']} pairs alike; {ranking['matched']:,} pictures of each)"
        )
    return "\n".join(lines)


def agreement_with_people(answers: pl.DataFrame, labels: pl.DataFrame) -> dict[str, Any]:
    """Shares of counts that are the label, by the number people counted, prompt type and painter.

    Answers are those of a counter's run of geckonum-metric. Empty where none is about a picture
    and question that people answered.
    """
    key = [*PICTURE, "question"]
    said = pl.col("number").clip(upper_bound=MORE_THAN_TEN)
    both = answers.filter(pl.col("state") == "read").select(*key, said.alias("said")).join(
        labels.filter(pl.col("task") == 1), key, maintain_order="left"
    ).with_columns((pl.col("said") - pl.col("label")).abs().alias("gap"))  # fmt: skip
    if both.is_empty():
        return {}

    def share(own: pl.DataFrame) -> Score:
        return share_interval(own["gap"] == 0, own["prompt"])

    found: dict[str, Any] = {"all": share(both), "mean_distance": both["gap"].mean()}
    both = both.with_columns(number_name("label").alias("number"))
    for name, (column, order) in GROUPS.items():
        ordered = both.sort(order, maintain_order=True)
        found[name] = {one: share(own) for (one,), own in parts(ordered, column)}
    return found


def agreement_text(model: str, found: dict[str, Any]) -> str:
    """A line per group."""
    shares: dict[str, Score] = {"of all": found["all"]} | {
        f"{part.removeprefix('by_')} {name}": one
        for part in GROUPS
        for name, one in found[part].items()
    }
    lines = [f"  {name:20} {told(one, '.1%')}  n {one.trials}" for name, one in shares.items()]
    return "\n".join([f"{model} and people give the same number", *lines])
