"""The page of trainings: learning curves, mean and deviation over seeds, what was forgotten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from subitize.published import geckonum, probe
from subitize.records import Score
from subitize.reports.cells import Line, column, columns, data_table, model_table, text
from subitize.reports.charts import Series, legend, lines, panels, percent_axis
from subitize.reports.methods import citations
from subitize.reports.page import Block, Card, Cards, Chapter, Column, Figure, Prose, Section, Table
from subitize.training.mixtures import MIXTURES

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

NAME = "finetune"
WAYS = {
    "best": "chosen on validation", "last": "last evaluation",
    "highest": "each measure at its highest over all evaluations",
}  # fmt: skip
DATA = Column("data", "Data")
Result = Mapping[str, Any]


def chapter(results: Sequence[Result]) -> Chapter:
    """The page of one or several trainings."""
    sections = [
        section for at, one in enumerate(results, 1) for section in _sections(one, f"{NAME}-{at}")
    ]
    tables = citations(NAME, f"{probe.BIBTEX}\n\n{geckonum.BIBTEX}")
    return Chapter(NAME, "Fine-tuning", [*sections, tables])


def _sections(result: Result, name: str) -> list[Section]:
    model, task = result["model"]["name"], result["task"]
    measure = result["judged_by"][1]
    return [
        Section(
            f"{name}-curves-section",
            f"{model} · {task}",
            "How the loss falls, and what every evaluation says, seed by seed.",
            [_cards(result, measure), _loss(result, name), _curves(result, name, measure)],
        ),
        Section(
            f"{name}-scores-section",
            "Mean and standard deviation over seeds",
            f"The evaluation is chosen by {measure} on {result['judged_by'][0]}.",
            [_seeds(result, name), *_scores(result, name)],
        ),
        Section(
            f"{name}-forgetting-section",
            "Before and after",
            "What training changed"
            + ("; below 0 on the alignment task is forgetting." if task == "foils" else "."),
            [_before_after(result, name)],
        ),
        Section(f"{name}-how-section", "How it was trained", "", [_how(result)]),
    ]


def _test_sets(result: Result) -> list[str]:
    return list(result["before"])


def _cards(result: Result, measure: str) -> Cards:
    cards = []
    for data, measures in result["summary"]["best"].items():
        found = measures[measure]
        if found["mean"] is None or data == "valid+test":
            continue
        spread = "" if found["std"] is None else f" ({text(found['std'], '.1%')})"
        before = result["before"][data][measure]
        told = "" if before is None else f"before {text(before, '.1%')}"
        cards.append(Card(f"{text(found['mean'], '.1%')}{spread}", f"{measure} on {data}", told))
    return Cards(cards)


def _loss(result: Result, name: str) -> Figure:
    curves: dict[str, dict[float, Score]] = {}
    for seed, history in result["histories"].items():
        own: dict[float, Score] = {}
        first = 0
        for entry in history:
            width = (entry["step"] - first) / len(entry["losses"])
            for place, loss in enumerate(entry["losses"], 1):
                own[first + width * place] = Score(loss)
            first = entry["step"]
        curves[f"seed {seed}"] = own
    rows = [(s, step, loss.value) for s, own in curves.items() for step, loss in own.items()]
    return Figure(
        f"{name}-loss", "Loss by step, a line per seed.",
        "A line per seed: the training loss against the step; the table behind it has the values.",
        partial(_draw, {"training": curves}, ("step", "loss"), percent=False, marked=False),
        data_table(f"{name}-loss", ("seed", "step", "loss"), rows),
    )  # fmt: skip


def _curves(result: Result, name: str, measure: str) -> Figure:
    found: dict[str, dict[str, dict[float, Score]]] = {}
    for data in _test_sets(result):
        for seed, history in result["histories"].items():
            points = {
                entry["epoch"]: Score(entry["metrics"][data][measure])
                for entry in history
                if entry["metrics"][data][measure] is not None
            }
            before = result["before"][data][measure]
            if points:
                start = {} if before is None else {0.0: Score(before)}
                found.setdefault(data, {})[f"seed {seed}"] = {**start, **points}
    rows = [
        (data, seed, epoch, point.value)
        for data, curves in found.items()
        for seed, points in curves.items()
        for epoch, point in points.items()
    ]
    return Figure(
        f"{name}-curves", f"{measure} at every evaluation; epoch 0 is the model as it came.",
        f"A panel per data set, a line per seed: {measure} against the epoch.",
        partial(_draw, found, ("epoch", measure), percent=True, marked=True),
        data_table(f"{name}-curves", ("data", "seed", "epoch", measure), rows),
    )  # fmt: skip


def _draw(
    found: Mapping[str, Mapping[str, Mapping[float, Score]]], labels: tuple[str, str], *,
    percent: bool, marked: bool,
) -> Drawing:  # fmt: skip
    figure, drawn = panels(len(found), 2, (3.6, 2.1))
    for axes, (title, curves) in zip(drawn, found.items(), strict=True):
        series = [Series.at(n, seed, points) for n, (seed, points) in enumerate(curves.items())]
        lines(axes, [one if marked else one._replace(mark="") for one in series])
        axes.set(xlabel=labels[0], ylabel=labels[1], title=title)
        if percent:
            percent_axis(axes.yaxis)
    legend(figure, drawn[0])
    return figure


def _seeds(result: Result, name: str) -> Table:
    """Which evaluation of every seed was chosen, and what it says."""
    measure = result["judged_by"][1]
    told = [
        Line(seed, {**one, **{data: own[measure] for data, own in one["best"].items()}})
        for seed, one in result["seeds"].items()
    ]
    shown = columns("best_epoch:Best epoch:g; last_epoch:Epochs trained:g; evaluations::n")
    return model_table(
        f"{name}-seeds", f"{measure} of every seed at its best epoch.", told,
        [*shown, *(column([data], f"{measure} on {data}", ".1%") for data in result["before"])],
        first=Column("seed", "Seed"),
    )  # fmt: skip


def _scores(result: Result, name: str) -> list[Block]:
    blocks: list[Block] = []
    for way, about in WAYS.items():
        found = result["summary"][way]
        told = [
            Line(data, {measure: _mean(value) for measure, value in measures.items()})
            for data, measures in found.items()
        ]
        shown = "; ".join(f"{m}:{m.replace('_', ' ')}" for m in next(iter(found.values())))
        blocks.append(
            model_table(f"{name}-{way}", f"Mean (standard deviation): {about}.", told,
                        columns(shown), first=DATA)
        )  # fmt: skip
    return [*blocks, *_printed(result, name)]


def _mean(value: Mapping[str, float | None]) -> str | None:
    if value["mean"] is None:
        return None
    spread = "" if value["std"] is None else f" ({100 * value['std']:.1f})"
    return f"{text(100 * value['mean'], '.1f')}{spread}"


def _printed(result: Result, name: str) -> list[Block]:
    """What the paper printed of trainings like this one; other models, other pictures."""
    if result["task"] != "foils":
        shares = MIXTURES[result["recipe"]].printed
        values = {name: f"{share}" for name, share in shares.items()}
        told = [Line("PaliGemma 3B", values, "published", "not in the paper")]
    else:
        settings = result["settings"]
        told = [
            Line(
                row.model,
                {
                    m: f"{getattr(row, m)[0]} ({getattr(row, m)[1]})"
                    for m in ("acc", "precision_correct", "precision_foil", "acc_r")
                },
                "published",
                "not in the paper",
            )
            for row in probe.TABLE_3
            if (row.split, row.form) == (settings["split"], settings["format"])
        ]
    if not told:
        return []
    shown = "; ".join(f"{m}:{m.replace('_', ' ')}" for m in told[0].values)
    table: Table = model_table(
        f"{name}-printed", "What the paper printed: other models, and its own pictures.", told,
        columns(shown),
    )  # fmt: skip
    return [table]


def _before_after(result: Result, name: str) -> Table:
    measure = result["judged_by"][1]
    told = []
    for data in _test_sets(result):
        change = result["summary"]["forgetting"][data][measure]
        before, after = result["before"][data][measure], result["summary"]["best"][data][measure]
        shown = None if before is None else f"{100 * before:.1f}"
        values = {"before": shown, "after": _mean(after), "change": _mean(change)}
        told.append(Line(data, values))
    return model_table(
        f"{name}-forgetting", f"{measure} in per cent, mean (standard deviation) over seeds.", told,
        columns("before:Before; after:After; change:Change"), first=DATA,
    )  # fmt: skip


def _how(result: Result) -> Prose:
    plan = result["plan"]
    on, measure = result["judged_by"]
    stop = "No patience: it does not stop early"
    if patience := plan["patience"]:
        waited = f"{patience} evaluation{'s' * (patience > 1)}"
        stop = f"Patience {patience}: it stops after {waited} without a better {measure} on {on}"
    data = ", ".join(f"{many} {name}" for name, many in result["data"].items())
    return Prose(
        f"AdamW, learning rate {plan['lr']:g} after a linear warm-up over "
        f"{text(plan['warmup'], '.0%')} of the steps and falling linearly after it, weight "
        f"decay {plan['weight_decay']:g}, batch "
        f"{plan['batch']}, epochs: up to {plan['epochs']}, evaluations in each: "
        f"{plan['evaluations']}, mixed precision {plan['precision']}. {stop}. "
        f"Weights: {result['model']['revision'] or 'unknown'}. Data: {data}. {_what(result)}"
    )


def _what(result: Result) -> str:
    """The recipe; or, of foils, what a model without any insight gets."""
    data = result["data"]
    if result["task"] != "foils":
        held = result["held_out_nouns"]
        return (
            f"Recipe {result['recipe']}, after the row “{result['row']}” of Table "
            f"{result['table']}, {text(result['scale'], '.0%')} of its numbers."
            + (f" Held out, and so in the test only: questions about {held} nouns." if held else "")
        )
    share = data["foils"] / (data["right"] + data["foils"])
    return (
        f"Whoever calls every sentence a foil has an acc of about {text(share, '.0%')} here and an "
        "acc_r by chance of 50 %: compare acc_r."
    )
