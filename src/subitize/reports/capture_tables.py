"""The tables of the CAPTURE page: ours, with the paper's rows beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from subitize.benchmarks.capture.prompts import PROMPTS
from subitize.published import capture as paper
from subitize.reports import cells
from subitize.reports.page import Cell, Column, Table
from subitize.reports.respondents import Respondent

__all__ = [
    "breakdown_tables",
    "found",
    "help_table",
    "in_order",
    "leaderboard",
    "over_table",
    "prompt_table",
    "task_table",
    "variants_of",
]

NAME = "capture"
NOT_PRINTED = "not printed"
FACTS = {
    "total": "total",
    "hidden": "number hidden",
    "arrangement": "arrangement",
    "place": "place",
    "colour": "colour",
    "object": "object",
}
PLACES = ("centre", "top left", "top right", "bottom left", "bottom right")


def variants_of(respondents: Sequence[Respondent]) -> list[str]:
    """Occluded first: it is what the benchmark is about."""
    known = {v for one in respondents for v, s in (one.scores.get("smape") or {}).items() if s}
    return [variant for variant in ("occluded", "unoccluded") if variant in known]


def found(scores: Mapping[str, Any], *path: str) -> Mapping[str, Any] | None:
    """A score with its interval by its path; None where it was not measured."""
    value: Any = scores
    for step in path:
        value = (value or {}).get(step)
    return value if isinstance(value, Mapping) else None


def scored(
    score: Mapping[str, Any] | None, *, reason: str = "not asked", sign: bool = False
) -> Cell:
    """A score in percent with its interval."""
    if score is None:
        return Cell(reason=reason)
    mark = "+" if sign else ""
    text = f"{score['value']:{mark}.2f}".replace("-", "−")
    low, high = score["low"], score["high"]
    shown = f"[{low:.2f}, {high:.2f}]".replace("-", "−")
    return Cell(score["value"], text, low, high, shown)


def _printed(value: float | None, *, sign: bool = False) -> Cell:
    if value is None:
        return Cell(reason=NOT_PRINTED)
    return Cell(value, f"{value:{'+' if sign else ''}.2f}".replace("-", "−"))


def _skipped(score: Mapping[str, Any] | None) -> Cell:
    if score is None or not score["trials"]:
        return Cell(reason="not asked")
    return cells.percent(score["skipped"] / score["trials"])


def leaderboard(set_: str, respondents: Sequence[Respondent]) -> Table:
    """Runs and the paper's models, sorted by the sMAPE of occluded pictures."""
    lines: list[list[Cell]] = []
    for one in respondents:
        scores = one.scores
        lines.append(
            [
                cells.words(one.label),
                scored(found(scores, "smape", "occluded")),
                scored(found(scores, "smape", "unoccluded")),
                scored(found(scores, "price_of_occlusion"), sign=True),
                scored(found(scores, "exact", "occluded")),
                _skipped(found(scores, "smape", "occluded")),
                cells.words((scores.get("prompt") or {}).get("occluded", "")),
            ]
        )
    lines += _paper_lines(set_)
    lines.sort(key=lambda line: (line[1].value is None, line[1].value or 0.0, line[0].shown))
    notes = [
        "Rows marked published are Table 2 of the paper; people and CountGD are marked as such.",
        "People (Table 3) saw 100 occluded pictures of each set.",
    ]
    if set_ == "real":
        notes.append(f"CountGD: {paper.COUNTGD}.")
    else:
        notes.append(
            "The paper's models saw the published pictures, in which lines leave the frame and "
            "occluders may hide nearly everything; runs with the layout 'fair' did not."
        )
    return Table(
        f"{NAME}-{set_}-leaderboard",
        f"Leaderboard of the {set_} set, sorted by the sMAPE of occluded pictures (percent; 0 is "
        "best). Brackets hold 95 % intervals.",
        [
            Column("model", "Model"),
            Column("smape_occluded", "Occluded", numeric=True, interval=True,
                   help="sMAPE of the total behind the box, in percent"),
            Column("smape_unoccluded", "Unoccluded", numeric=True, interval=True),
            Column("price", "Price of occlusion", numeric=True, interval=True,
                   help="occluded − unoccluded, paired by configuration"),
            Column("exact", "Exactly right", numeric=True, interval=True,
                   help="percent of occluded pictures"),
            Column("skipped", "Skipped", numeric=True, help="without a final number; scored 100"),
            Column("prompt", "Prompt"),
        ],
        lines,
        notes,
        sorted_by="smape_occluded",
    )  # fmt: skip


def _paper_lines(set_: str) -> list[list[Cell]]:
    lines = []
    for table, badge in (
        ("Table 2", "published"),
        ("Table 3", "people, published"),
        ("Figure 5", "counter, published"),
    ):
        rows = [row for row in paper.rows(table) if row.set == set_]
        for model in dict.fromkeys(row.model for row in rows):
            if table == "Table 3" and model != "Human":
                continue
            values = {row.variant: row.value for row in rows if row.model == model}
            both = len(values) == 2
            price = round(values["occluded"] - values["unoccluded"], 2) if both else None
            lines.append(
                [
                    cells.words(model, badge=badge),
                    _printed(values.get("occluded")),
                    _printed(values.get("unoccluded")),
                    _printed(price, sign=True),
                    Cell(reason=NOT_PRINTED),
                    Cell(reason=NOT_PRINTED),
                    Cell(),
                ]
            )
    return lines


def help_table(set_: str, respondents: Sequence[Respondent]) -> Table:
    """What each help does to the error on occluded pictures."""
    lines = []
    for one in respondents:
        plain = found(one.scores, "smape", "occluded")
        for name, helped in (one.scores.get("help") or {}).items():
            lines.append(
                [
                    cells.words(one.label),
                    cells.words(name),
                    scored(plain),
                    scored(helped["smape"]),
                    scored(helped["effect"], sign=True),
                    _skipped(helped["smape"]),
                ]
            )
    own = bool(lines)
    for table in ("Table 5", "Table 6"):
        for row in paper.rows(table):
            if row.set == set_ and row.help:
                before = paper.value(table, row.model, set_, "occluded")
                effect = None if before is None else round(row.value - before, 2)
                lines.append(
                    [
                        cells.words(row.model, badge="published"),
                        cells.words(row.help),
                        _printed(before),
                        _printed(row.value),
                        _printed(effect, sign=True),
                        Cell(reason=NOT_PRINTED),
                    ]
                )
    return Table(
        f"{NAME}-{set_}-help",
        "sMAPE of occluded pictures without and with each help; the effect is paired by "
        "configuration, and negative is better. Published: Tables 5 and 6.",
        [
            Column("model", "Model"),
            Column("help", "Help"),
            Column("without", "Without", numeric=True, interval=True),
            Column("with", "With", numeric=True, interval=True),
            Column("effect", "Effect", numeric=True, interval=True),
            Column("skipped", "Skipped", numeric=True),
        ],
        lines if own else [],
    )


def task_table(set_: str, respondents: Sequence[Respondent]) -> Table:
    """Only the hidden objects, and the pattern's name."""
    lines = []
    for one in respondents:
        scores = one.scores
        cells_of = [
            scored(found(scores, "hidden")),
            scored(found(scores, "hidden_minus_total"), sign=True),
            scored(found(scores, "pattern", "unoccluded")),
            scored(found(scores, "pattern", "occluded")),
            scored(found(scores, "pattern_price"), sign=True),
        ]
        if any(cell.value is not None for cell in cells_of):
            lines.append([cells.words(one.label), *cells_of])
    if lines:
        lines += _paper_tasks(set_)
    return Table(
        f"{NAME}-{set_}-tasks",
        "Left: sMAPE of the hidden objects alone, and how much worse that is than the total. "
        "Right: percent of patterns named rightly. Published: Tables 8 (real) and 4 (synthetic).",
        [
            Column("model", "Model"),
            Column("hidden", "Hidden only", numeric=True, interval=True),
            Column("hidden_minus_total", "− total", numeric=True, interval=True),
            Column("pattern_unoccluded", "Pattern", numeric=True, interval=True),
            Column("pattern_occluded", "Pattern, occluded", numeric=True, interval=True),
            Column("pattern_price", "Difference", numeric=True, interval=True),
        ],
        lines,
    )


def _paper_tasks(set_: str) -> list[list[Cell]]:
    lines = []
    table = "Table 4" if set_ == "synthetic" else "Table 8"
    for model in dict.fromkeys(row.model for row in paper.rows(table)):
        seen, covered = (
            paper.value(table, model, set_, variant, task="pattern")
            for variant in ("unoccluded", "occluded")
        )
        hidden = paper.value(table, model, set_, "occluded", task="hidden")
        total = paper.value(table, model, set_, "occluded")
        more = round(hidden - total, 2) if hidden is not None and total is not None else None
        drop = round(covered - seen, 2) if covered is not None and seen is not None else None
        lines.append(
            [
                cells.words(model, badge="published"),
                _printed(hidden),
                _printed(more, sign=True),
                _printed(seen),
                _printed(covered),
                _printed(drop, sign=True),
            ]
        )
    return lines


def in_order(levels: Iterable[Any]) -> list[Any]:
    """Numbers by size; words and ranges as they come."""
    return sorted(levels, key=lambda level: 0 if isinstance(level, str) else level)


def breakdown_tables(set_: str, respondents: Sequence[Respondent]) -> list[Table]:
    """sMAPE by each fact, a table each, a column per model; occluded pictures."""
    tables = []
    for fact, words in FACTS.items():
        by_level: dict[Any, dict[str, Mapping[str, Any]]] = {}
        for one in respondents:
            for line in ((one.scores.get("breakdowns") or {}).get("occluded") or {}).get(fact, ()):
                by_level.setdefault(line["level"], {})[one.label] = line
        if not by_level:
            continue
        lines = [
            [
                cells.words(PLACES[level]) if fact == "place" else Cell(level, str(level)),
                *(scored(known.get(one.label)) for one in respondents),
            ]
            for level in in_order(by_level)
            for known in (by_level[level],)
        ]
        columns = [Column(fact, words.capitalize(), numeric=fact in ("total", "hidden"))]
        columns += [
            Column(f"smape_{place}", one.label, numeric=True, interval=True)
            for place, one in enumerate(respondents, 1)
        ]
        tables.append(
            Table(
                f"{NAME}-{set_}-by-{fact}",
                f"sMAPE of occluded pictures by {words}.",
                columns,
                lines,
            )
        )
    return tables


def over_table(set_: str, respondents: Sequence[Respondent]) -> Table:
    """Numbers said more often than they were true."""
    lines = [
        [
            cells.words(one.label),
            cells.words(variant),
            *(cells.count(int(entry[key])) for key in ("number", "said", "true", "excess")),
        ]
        for one in respondents
        for variant, entries in (one.scores.get("over_predicted") or {}).items()
        for entry in entries
    ]
    return Table(
        f"{NAME}-{set_}-over-predicted",
        "The numbers that each model says more often than they are true (up to five).",
        [
            Column("model", "Model"),
            Column("variant", "Pictures"),
            Column("number", "Number", numeric=True),
            Column("said", "Said", numeric=True),
            Column("true", "True", numeric=True),
            Column("excess", "Too often", numeric=True),
        ],
        lines,
    )


def prompt_table(set_: str, respondents: Sequence[Respondent]) -> Table:
    """Every prompt tried on the validation part."""
    lines = []
    for one in respondents:
        chosen = one.scores.get("prompt_decision") or {}
        for variant, prompts in (one.scores.get("prompts") or {}).items():
            for name, tried in sorted(prompts.items(), key=lambda item: item[1]["smape"]):
                lines.append(
                    [
                        cells.words(one.label),
                        cells.words(variant),
                        cells.words(name, badge="chosen" if chosen.get(variant) == name else ""),
                        cells.number(tried["smape"], 2),
                        cells.count(tried["skipped"]),
                        cells.count(tried["trials"]),
                        cells.words("paper" if PROMPTS[name].source != "ours" else "ours")
                        if name in PROMPTS
                        else Cell(),
                    ]
                )
    return Table(
        f"{NAME}-{set_}-prompts",
        "sMAPE of every prompt on the validation part; the best of each variant is kept.",
        [
            Column("model", "Model"),
            Column("variant", "Pictures"),
            Column("prompt", "Prompt"),
            Column("smape", "sMAPE", numeric=True),
            Column("skipped", "Skipped", numeric=True),
            Column("trials", "Trials", numeric=True),
            Column("source", "Words"),
        ],
        lines,
    )
