"""What the sections of GeckoNum's page show: a list of blocks each."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import polars as pl

from subitize.benchmarks.geckonum import breakdowns
from subitize.benchmarks.geckonum import page_figures as figures
from subitize.benchmarks.geckonum import page_tables as tables
from subitize.benchmarks.geckonum.comparisons import COMPARISONS, PHRASES
from subitize.benchmarks.geckonum.page_found import NAME, Found
from subitize.benchmarks.geckonum.tables import Cell
from subitize.datasets.geckonum.questions import ONE_ENTITY_CODES
from subitize.datasets.geckonum.recipe import TYPES
from subitize.errors import MissingExtra
from subitize.reports.grids import keys, side_by_side
from subitize.reports.page import (
    Block,
    Figure,
    Fold,
    Prose,
    plain,
)

WORDS = {
    "said": ("A16", "the line chosen for the picture"),
    "asked": ("A17", "the word in its prompt"),
}
DIAMONDS = " Open diamonds are the published values."
NO_WORDS = Prose(
    "Nobody counted the things in pictures of “no, a few, many” prompts, so how these words go "
    "with numbers (Figures A16 and A17) can't be told here. The release lacks those counts too.",
    "note",
)


def dotted(
    found: Found, table: str, rows: Mapping[str, str], name: str, caption: str
) -> list[Block]:
    """Dots of a table's cells; `rows` says which cell of a painter stands in which row."""
    cells = found.tables[table]
    places = {one: {row: at.format(one) for row, at in rows.items()} for one in found.painters}
    known = [row for row in rows if any(own[row] in cells for own in places.values())]
    ours, theirs = _shares(cells, places)
    printed = any(one.value is not None for own in theirs.values() for one in own.values())
    draw = partial(figures.dots, known, ours, theirs if printed else {})
    alt = f"Dots per painter: {', '.join(known)}."
    return [Figure(f"{NAME}-{name}", caption + DIAMONDS * printed, alt, draw)] if known else []


def _shares(
    cells: Mapping[str, Cell], places: Mapping[str, Mapping[str, str]]
) -> tuple[figures.Scores, figures.Scores]:
    """Our shares and the printed ones, from the names of the cells they stand in."""
    ours, theirs = (
        {one: {row: make(cells.get(at)) for row, at in own.items()} for one, own in places.items()}
        for make in (tables.score, tables.printed)
    )
    return ours, theirs


def numbers(found: Found) -> list[Block]:
    shares = breakdowns.by_number(found.labels)
    if not shares:
        return []
    numbers = [n for n in figures.NUMBERS if any(n in own for own in shares.values())]
    return [
        Figure(
            f"{NAME}-by-number",
            "Task 1: right labels by the number asked for, with 95 % intervals over prompts.",
            "Lines of accuracy against number, one per painter.",
            partial(figures.by_number, shares, "number asked for"),
        ),
        Fold(
            "As a table",
            [
                tables.share_table(
                    f"{NAME}-numbers", "Right labels by number.", numbers, shares, "Number"
                )
            ],
        ),
    ]


def types(found: Found) -> list[Block]:
    shares = breakdowns.by_type(found.labels)
    kinds = [kind for kind in TYPES if any(kind in own for own in shares.values())]
    if not kinds:
        return []
    caption = "Right labels by prompt type, with 95 % intervals over prompts."
    alt, draw = "Dots of accuracy per prompt type.", partial(figures.dots, kinds, shares, {})
    return [
        Figure(f"{NAME}-by-type", caption, alt, draw),
        Fold(
            "As tables",
            [
                tables.share_table(
                    f"{NAME}-types", "Right labels by prompt type.", kinds, shares, "Type"
                ),
                *([tables.drops_table(found)] if found.tables["a5"] else []),
            ],
        ),
    ]


def comparisons(found: Found) -> list[Block]:
    shown: dict[tuple[str, str], tuple[figures.Scores, figures.Scores]] = {}
    known = []
    for table, (one, other, *_) in COMPARISONS.items():
        first, second = ({p: f"{p}|accuracy_{nth}" for p in found.painters} for nth in (1, 2))
        ours, theirs = _shares(found.tables[table], {one: first, other: second})
        values = [(ours[one][p].value, ours[other][p].value) for p in found.painters]
        if any(None not in pair for pair in values):
            known.append(table)
            shown[one, other] = ours, theirs
    if not known:
        return []
    printed = any(
        one.value is not None
        for _, theirs in shown.values()
        for own in theirs.values()
        for one in own.values()
    )
    if not printed:
        shown = {names: (ours, {}) for names, (ours, _) in shown.items()}
    return [
        Figure(
            f"{NAME}-comparisons",
            "Two groups of prompts that differ in one thing, true numbers 1 to 4: the first open, "
            "the second filled, with 95 % intervals over prompts." + DIAMONDS * printed,
            "Pairs of dots per painter, a panel per comparison.",
            partial(figures.pairs, shown),
        ),
        Fold("As tables", [tables.comparison_table(found, table) for table in known]),
    ]


def quantifiers(found: Found) -> list[Block]:
    cells = found.tables["figure5"]
    phrases = [one for one in PHRASES if any(cell.startswith(f"{one}|") for cell in cells)]
    dots = dotted(
        found, "figure5", {phrase: f"{phrase}|{{}}" for phrase in phrases}, "quantifiers",
        "Task 2: pictures described as the prompt asks, with 95 % intervals over prompts (Figure "
        "5 of the paper).",
    )  # fmt: skip
    return [*dots, tables.quantifier_table(found, phrases)] if dots else []


def words(found: Found) -> list[Block]:
    blocks: list[Block] = []
    for name, rows in breakdowns.quantifiers_by_count(found.labels).items():
        number, what = WORDS[name]
        bars = {
            f"{count} counted (n = {sum(row.values())})": {
                word: n / sum(row.values()) for word, n in row.items()
            }
            for count, row in rows.items()
        }
        blocks.append(
            Figure(
                f"{NAME}-words-{name}",
                f"No, few and many by how many things were counted: {what} (Figure {number}).",
                f"Stacked bars of no, few and many by count: {what}.",
                partial(figures.stacked, bars, list(ONE_ENTITY_CODES), "share of pictures"),
            )
        )
    return blocks or ([NO_WORDS] if (found.labels["task"] == 2).any() else [])


def asked(found: Found) -> list[Block]:
    counts = breakdowns.asked_and_counted(found.labels)
    figure = Figure(
        f"{NAME}-asked-counted",
        "Task 1: numbers asked for (line) and numbers counted (bars), as shares of all questions "
        "(Figure A12).",
        "Histograms of numbers asked and counted, one panel per painter.",
        partial(figures.histograms, counts),
    )
    shown = figures.matrices(found.labels.filter(breakdowns.COUNTED))
    matrices = Figure(
        f"{NAME}-confusion",
        "Task 1: share of each number counted (up) where each number was asked for (right); the "
        f"dotted line is where right pictures lie.{keys(shown.values())}",
        f"Confusion matrices of {', '.join(shown)}.",
        partial(side_by_side, shown, ("number asked for", "number counted")),
    )
    return [*([matrices] if shown else []), *([figure] if counts else [])]


def nouns(found: Found) -> list[Block]:
    """Every noun that was asked for, with how frequent it is in English."""
    nouns = found.labels.filter((pl.col("task") == 1) & (pl.col("noun") != ""))
    try:
        table = tables.noun_table(nouns) if nouns.height else None
    except MissingExtra as problem:
        return [Prose(plain(problem), "note")]
    return [Fold("Every noun with its frequency", [table])] if table else []


def failures(found: Found) -> list[Block]:
    kinds, names = breakdowns.failures(found.labels), breakdowns.FAILURES
    if not kinds:
        return []
    bars = {one: {kind: own[kind].value or 0.0 for kind in own} for one, own in kinds.items()}
    caption, name = "Kinds of failure per question.", f"{NAME}-failure-kinds"
    outcomes = breakdowns.picture_outcomes(found.labels)
    return [
        Figure(
            f"{NAME}-failures",
            "Task 1: labels that are right, and how the others fail, in per cent.",
            f"Stacked bars of {', '.join(names)}, one per painter.",
            partial(figures.stacked, bars, names, "share of labels"),
        ),
        Fold(
            "As tables",
            [
                tables.share_table(name, caption, names, kinds, "Kind"),
                *([tables.outcome_table(outcomes)] if outcomes else []),
            ],
        ),
    ]
