"""The tables of the CAPTURE page: ours, with the paper's rows beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from subitize.benchmarks.capture.prompts import PROMPTS
from subitize.benchmarks.capture.scoring import BREAKDOWNS
from subitize.published import capture as paper
from subitize.records import Score
from subitize.reports.cells import COUNT, Line, as_score, columns, model_table, words
from subitize.reports.leaderboard import COUNTED, Ranking, leaderboard, ranking, run_line
from subitize.reports.page import Cell, Column, Table
from subitize.reports.respondents import Respondent, unfolded

NAME = "capture"
BOTH = ("unoccluded", "occluded")
Lines = Callable[[str, Sequence[Respondent]], list[Line]]
PLACES = ("centre", "top left", "top right", "bottom left", "bottom right")
(OCCLUDED,) = columns("smape.occluded:sMAPE, occluded:.2f±")


def _ours(label: str, values: Mapping[str, Any]) -> Line:
    return Line(label, values, missing="not asked")


def _printed(label: str, values: Mapping[str, Any], badge: str = "published") -> Line:
    return Line(label, values, badge, "not printed")


def _minus(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else round(first - second, 2)


def _skipped(score: Mapping[str, Any] | None) -> float | None:
    return score["skipped"] / score["trials"] if score and score["trials"] else None


def _share(percent: Mapping[str, Any] | None) -> Score | None:
    """Of 1, as all shares are shown."""
    known = as_score(percent)
    value, low, high = (
        None if end is None else end / 100 for end in (known.value, known.low, known.high)
    )
    return None if value is None else Score(value, low, high)


def leaderboard_lines(set_: str, respondents: Sequence[Respondent]) -> Ranking:
    """Runs and the paper's models, smallest sMAPE of occluded pictures first."""
    lines = list(_paper_lines(set_))
    for one in respondents:
        more: dict[str, Any] = {"prompt": one.at("prompt", "occluded") or ""}
        more["skipped"] = _skipped(one.at("smape", "occluded"))
        more["exact"] = {"occluded": _share(one.at("exact", "occluded"))}
        line = run_line(one, **more)
        lines.append(line._replace(missing="not asked"))
    return ranking(lines, OCCLUDED)


def leaderboard_table(set_: str, found: Ranking) -> Table:
    """The lines as a table."""
    comparable = (
        f"CountGD: {paper.COUNTGD}."
        if set_ == "real"
        else "The paper's models saw the published pictures, in which lines leave the frame and "
        "occluders may hide nearly everything; runs with the layout 'fair' did not."
    )
    unoccluded, exact, skipped, prompt = columns(
        "smape.unoccluded:sMAPE, unoccluded:.2f±; exact.occluded:Exactly right:.1%±; "
        "skipped::.1%; prompt"
    )
    price = Column("price", "Price of occlusion", "+.2f", interval=True, at=("price_of_occlusion",))
    return leaderboard(
        f"{NAME}-{set_}-leaderboard",
        f"Leaderboard of the {set_} set, sorted by the sMAPE of occluded pictures (percent; 0 is "
        "best). Brackets hold 95 % intervals.",
        found,
        [OCCLUDED, unoccluded, price, exact, skipped, *COUNTED, prompt],
        [
            "The price of occlusion is paired by configuration; skipped replies have no final "
            "number and score 100.",
            "Rows marked published are Table 2 of the paper"
            + ("; people and CountGD are marked as such. " if set_ == "real" else ". ")
            + "People (Table 3) saw 100 occluded pictures of each set.",
            comparable,
        ],
    )


def _paper_lines(set_: str) -> Iterator[Line]:
    for table, badge in (
        ("Table 2", "published"),
        ("Table 3", "people, published"),
        ("Figure 5", "counter, published"),
    ):
        rows = [row for row in paper.rows(table) if row.set == set_]
        for model in dict.fromkeys(row.model for row in rows):
            if table != "Table 3" or model == "Human":
                values = {row.variant: row.value for row in rows if row.model == model}
                price = _minus(values.get("occluded"), values.get("unoccluded"))
                known = {"smape": values, "price_of_occlusion": price, "prompt": Cell()}
                yield _printed(model, known, badge)


def _help_lines(set_: str, respondents: Sequence[Respondent]) -> list[Line]:
    """What each help does to the error on occluded pictures."""
    lines = []
    for one in respondents:
        for line in unfolded([one], "help", "help"):
            with_ = line.values["smape"]
            more = {"without": one.at("smape", "occluded"), "with": with_}
            lines.append(_ours(one.label, {**line.values, **more, "skipped": _skipped(with_)}))
    for row in [*paper.rows("Table 5"), *paper.rows("Table 6")] if lines else ():
        if row.set == set_ and row.help:
            before = paper.value(row.table, row.model, set_, "occluded")
            values = {"help": row.help, "without": before, "with": row.value}
            lines.append(_printed(row.model, {**values, "effect": _minus(row.value, before)}))
    return lines


def _task_lines(set_: str, respondents: Sequence[Respondent]) -> list[Line]:
    """Only the hidden objects, and the pattern's name."""
    every = [_ours(one.label, one.scores) for one in respondents]
    lines = [
        line for line in every if any(line.cell(c).value is not None for c in TABLES["tasks"][1])
    ]
    table = "Table 4" if set_ == "synthetic" else "Table 8"
    for model in dict.fromkeys(row.model for row in paper.rows(table)) if lines else ():
        pattern = {v: paper.value(table, model, set_, v, task="pattern") for v in BOTH}
        hidden = paper.value(table, model, set_, "occluded", task="hidden")
        values = {
            "hidden": hidden,
            "hidden_minus_total": _minus(hidden, paper.value(table, model, set_, "occluded")),
            "pattern": pattern,
            "pattern_price": _minus(pattern["occluded"], pattern["unoccluded"]),
        }
        lines.append(_printed(model, values))
    return lines


def _prompt_lines(set_: str, respondents: Sequence[Respondent]) -> list[Line]:
    """Every prompt tried on the validation part, the best first; the chosen one is marked."""
    lines = []
    for one in respondents:
        tried = unfolded([one], "prompts", "variant", "prompt")
        tried.sort(key=lambda line: (line.values["variant"] == "occluded", line.values["smape"]))
        for line in tried:
            name, chosen = line.values["prompt"], one.at("prompt_decision", line.values["variant"])
            source = PROMPTS[name].source if name in PROMPTS else ""
            more = {"prompt": words(name, badge="chosen" if chosen == name else "")}
            more["source"] = words(source if source in ("", "ours") else "paper")
            lines.append(_ours(one.label, {**line.values, **more}))
    return lines


def _backoff_lines(set_: str, respondents: Sequence[Respondent]) -> list[Line]:
    """What asking skipped questions again at lower temperatures does; Table 7 beside."""
    ours = unfolded(respondents, "backoff", "variant")
    lines = [_ours(line.label, line.values) for line in ours]
    for row in paper.rows("Table 7") if lines else ():
        if row.set == set_ and row.help:
            before = paper.value(row.table, row.model, set_, row.variant)
            values = {"variant": row.variant, "first": before, "with_backoff": row.value}
            lines.append(_printed(row.model, {**values, "effect": _minus(row.value, before)}))
    return lines


TABLES: Mapping[str, tuple[str, Sequence[Column], Lines]] = {
    "help": (
        "sMAPE of occluded pictures without and with each help; the effect is paired by "
        "configuration, and negative is better. Published: Tables 5 and 6.",
        columns(
            "help; without::.2f±; with::.2f±; effect::+.2f±; with.trials:Trials:n; skipped::.1%"
        ),
        _help_lines,
    ),
    "backoff": (
        "sMAPE of first attempts and with temperature backoff; the effect is paired by "
        "configuration, rescued is the share of skipped first attempts that got a number. "
        "Published: Table 7.",
        columns(
            "variant:Pictures; first:First attempts:.2f±; with_backoff:With backoff:.2f±; "
            "effect::+.2f±; rescued::.1%±"
        ),
        _backoff_lines,
    ),
    "tasks": (
        "Left: sMAPE of the hidden objects alone, and how much worse that is than the total. "
        "Right: percent of patterns named rightly. Published: Tables 8 (real) and 4 (synthetic).",
        columns(
            "hidden:Hidden only:.2f±; hidden.trials:Trials:n; hidden_minus_total:− total:+.2f±; "
            "pattern.unoccluded:Pattern:.2f±; pattern.occluded:Pattern, occluded:.2f±; "
            "pattern.occluded.trials:Trials:n; "
            "pattern_price:Difference:+.2f±"
        ),
        _task_lines,
    ),
    "over-predicted": (
        "The numbers that each model says more often than they are true (up to five).",
        columns("variant:Pictures; number::n; said::n; true::n; excess:Too often:n"),
        lambda set_, respondents: unfolded(respondents, "over_predicted", "variant"),
    ),
    "prompts": (
        "sMAPE of every prompt on the validation part; the best of each variant is kept.",
        columns("variant:Pictures; prompt; smape:sMAPE:.2f; skipped::n; trials::n; source:Words"),
        _prompt_lines,
    ),
    "confidence": (
        "Calibration error: mean |confidence − (1 − sMAPE / 100)| over ten bins, weighted by "
        "their answers; 0 is best. The correlation of confidence and error should be negative.",
        columns(
            "variant:Pictures; source:Confidence; calibration_error::.3f; correlation::.2f; "
            "trials:Answers:n; without:Without confidence:n"
        ),
        lambda set_, respondents: unfolded(respondents, "confidence", "variant"),
    ),
    "agreement": (
        "How often a language model reads the same final number as the rules do, and replies "
        "where it does not (rules / model).",
        columns("reader:Read by; share:Alike:.1%; replies::n; unlike::wide"),
        lambda set_, respondents: unfolded(respondents, "reader_agreement", "reader"),
    ),
}
"""what a table shows, its columns and where its lines come from"""


def score_tables(set_: str, respondents: Sequence[Respondent]) -> dict[str, Table]:
    """The tables that have a line, by what they are about."""
    return {
        about: model_table(f"{NAME}-{set_}-{about}", caption, lines, shown)
        for about, (caption, shown, lines_of) in TABLES.items()
        if (lines := lines_of(set_, respondents))
    }


def in_order(found: Iterable[Any]) -> list[Any]:
    """Numbers by size; words and ranges as they come."""
    return sorted(found, key=lambda level: 0 if isinstance(level, str) else level)


def levels(one: Respondent, fact: str) -> dict[Any, Mapping[str, Any]]:
    """The error on occluded pictures by the levels of a fact."""
    return {line["level"]: line for line in one.at("breakdowns", "occluded", fact) or ()}


def breakdown_tables(set_: str, respondents: Sequence[Respondent]) -> list[Table]:
    """sMAPE by each fact, a table each, a column per model; of how many occluded pictures."""
    found = []
    for fact in BREAKDOWNS["synthetic"]:
        said = "number hidden" if fact == "hidden" else fact
        by_model = {one.label: levels(one, fact) for one in respondents}
        lines = []
        for level in in_order(dict.fromkeys(v for known in by_model.values() for v in known)):
            values: dict[str, Any] = {label: own.get(level) for label, own in by_model.items()}
            values["pictures"] = max(one["trials"] for one in values.values() if one)
            lines.append(_ours(PLACES[level] if fact == "place" else level, values))
        heads = [
            Column("pictures", "Pictures", COUNT),
            *(
                Column(f"smape_{place}", label, ".2f", interval=True, at=(label,))
                for place, label in enumerate(by_model, 1)
            ),
        ]
        first = Column(fact, said.capitalize(), "d" if fact in ("total", "hidden") else "")
        caption = f"sMAPE of occluded pictures by {said}."
        if lines:
            table = model_table(f"{NAME}-{set_}-by-{fact}", caption, lines, heads, first=first)
            found.append(table)
    return found


def paper_table() -> Table:
    """Every number of Tables 2 to 8, a line per table, model, task and help."""
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    notes: dict[str, None] = {}
    for row in paper.ROWS:
        values = {"model": row.model, "task": row.task, "help": row.help}
        line = found.setdefault((row.table, *values.values()), values)
        line[f"{row.set}_{row.variant}"] = row.value
        if row.note:
            notes[f"{row.model}: {row.note}."] = None
    splits = [
        f"{set_}_{variant}:{set_.capitalize()}, {variant}:.2f"
        for set_ in ("real", "synthetic")
        for variant in BOTH
    ]
    return model_table(
        f"{NAME}-published",
        "Tables 2 to 8 and Figure 5 of the paper: sMAPE in percent; patterns: percent right.",
        [Line(table, values, missing="") for (table, *_), values in found.items()],
        columns("; ".join(["model; task; help:With", *splits])),
        notes=list(notes),
        first=Column("table", "Printed in"),
    )
