"""The sections that naming and production share; each page says the rest in its own words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from matplotlib.figure import Figure as Drawing

from subitize.benchmarks import numerosity_tables as tables
from subitize.benchmarks.responder_tables import responder_section
from subitize.published import plos2025
from subitize.reports import grids
from subitize.reports.cells import data_table
from subitize.reports.grids import Matrix, matrix_from
from subitize.reports.methods import citations, methods
from subitize.reports.page import Block, Figure, Fold, Prose, Section
from subitize.reports.respondents import Respondent, respondents_from
from subitize.runs.stored import StoredRun

MODELS_PER_FIGURE = 6
ALIKE = " Models that answered alike in everything share a row."
FAST_CARDS = " Fast cards are cards with one kind of clip art in one colour, regularly placed."
WITHIN_CELLS = (
    "with trials drawn within cells of target and category: those of means are gamma intervals "
    "(after Fay and Kim 2017), those of likenesses come from the influence of each trial, those of "
    "fitted observers from the profile likelihood"
)


class Grid(NamedTuple):
    """A section around small multiples: a row per model, a panel per category."""

    id: str
    title: str
    lead: str
    figure: str
    caption: str
    draw: Callable[[grids.Rows], Drawing]
    heads: tuple[str, ...]
    data: Callable[[Matrix], Iterable[Sequence[float]]]
    """the numbers behind a panel"""


GRIDS = (
    Grid(
        "matrices",
        "Confusion matrices",
        "Counting gives a clean diagonal. Estimation gives a band that widens with number. A "
        "horizontal stripe is an anchor: one response given to many targets.",
        "confusion",
        "Share of each response (up) to each target (right), per category and over all. The dotted "
        "line is where right responses lie. Unreadable replies are left out.",
        grids.confusion_figure,
        ("target", "response", "replies"),
        lambda matrix: (
            (column + 1, row, int(many))
            for (row, column), many in np.ndenumerate(matrix.counts)
            if many
        ),
    ),
    Grid(
        "responses",
        "Mean and spread",
        "Below the dashed line are too few, above it too many.",
        "means",
        "Mean response to each target; the band is one standard deviation to each side, the "
        "dashed line is a perfect responder.",
        grids.mean_figure,
        ("target", "mean", "sd"),
        lambda matrix: zip(
            matrix.columns.astype(int).tolist(),
            matrix.means().tolist(),
            matrix.sds().tolist(),
            strict=True,
        ),
    ),
    Grid(
        "error-distributions",
        "Errors",
        "How far off the responses are, and to which side.",
        "errors",
        "Response minus target: too few in blue, right in grey, too many in orange. Errors beyond "
        "the axis are counted in its last bar.",
        grids.error_figure,
        ("error", "share"),
        lambda matrix: (
            (int(error), float(share))
            for error, share in zip(*matrix.errors(), strict=True)
            if share
        ),
    ),
)


def numerosity_respondents(runs: Sequence[StoredRun]) -> list[Respondent]:
    """The runs, lowest NAE first; answers of the chosen prompt form, not the control question."""
    return respondents_from(
        runs, lambda scores: (scores.get("nae") or {}).get("value"), _of_chosen_form
    )


def _of_chosen_form(scores: Mapping[str, Any]) -> pl.Expr:
    chosen = pl.col("stage") != "control"
    form = scores.get("prompt")
    return chosen if form is None else chosen & (pl.col("form") == form)


def _matrices(one: Respondent) -> dict[str, Matrix]:
    """By category, where there are any."""
    categories = (one.scores.get("categories") or {}).items()
    found = ((name, matrix_from(scores)) for name, scores in categories)
    return {
        name: matrix._replace(chosen={**_chosen(one), "category": name})
        for name, matrix in found
        if matrix is not None
    }


def _overall(one: Respondent) -> Matrix | None:
    """Over all categories."""
    found = matrix_from(one.scores)
    return found and found._replace(chosen=_chosen(one))


def _chosen(one: Respondent) -> dict[str, str]:
    """By what the viewer chooses the answers that the scores stand on."""
    form = one.scores.get("prompt")
    return {"run": one.run.folder.name} | ({"form": str(form)} if form else {})


def categories_of(respondents: Sequence[Respondent]) -> list[str]:
    """All categories, in the order in which the runs name them."""
    return list(dict.fromkeys(name for one in respondents for name in _matrices(one)))


def _merged(respondents: Sequence[Respondent]) -> list[list[Respondent]]:
    """Those of whom anything was read; who answered alike in everything stand together."""
    found: dict[bytes, list[Respondent]] = {}
    for one in respondents:
        if any(matrix.counts.any() for matrix in _matrices(one).values()):
            key = b"|".join(
                f"{name}{matrix.counts.shape}".encode() + matrix.counts.tobytes()
                for name, matrix in _matrices(one).items()
            )
            found.setdefault(key, []).append(one)
    return list(found.values())


def _named(alike: Sequence[Respondent]) -> str:
    return " = ".join(one.label for one in alike)


def measured_sections(name: str, respondents: Sequence[Respondent]) -> Iterator[Section]:
    """What was measured, from the leaderboard to the baselines."""
    categories, published = categories_of(respondents), plos2025.rows(name)
    yield tables.leaderboard_section(name, respondents, published)
    for grid in GRIDS:
        figures = list(_figures(name, grid, respondents, categories))
        blocks: list[Block] = [*figures[:1]]
        if figures[1:]:  # with many models the page would be nothing but these
            blocks.append(Fold(f"{grid.title}: the other models", figures[1:]))
        if grid.id == "matrices":
            drawn = [one for alike in _merged(respondents) for one in alike]
            if left_out := [one.label for one in respondents if one not in drawn]:
                why = "Not drawn, since nothing they said could be read: "
                blocks.append(Prose(f"{why}{', '.join(left_out)}.", "note"))
            by_category = tables.category_tables(name, respondents, categories)
            blocks.append(Fold("NAE and accuracy per category", by_category))
        cards = grid.id == "matrices" and "fast cards" in categories
        yield Section(f"{name}-{grid.id}", grid.title, grid.lead + FAST_CARDS * cards, blocks)
    yield Section(
        f"{name}-biases",
        "Bias",
        "Whether a model leans to one side within a category.",
        tables.bias_tables(name, respondents, categories, published),
    )
    yield _scalar_section(name, respondents)
    yield responder_section(name, respondents)
    yield _baselines_section(name, tables.highest_target(respondents))


def _figures(
    name: str, grid: Grid, respondents: Sequence[Respondent], categories: Sequence[str]
) -> Iterator[Figure]:
    """A figure takes so many rows; more models make more figures."""
    by_range: dict[int, list[list[Respondent]]] = {}
    for alike in _merged(respondents):  # panels of 10 and of 30 numbers fit no one figure
        by_range.setdefault(tables.highest_target(alike), []).append(alike)
    parts = [
        own[start : start + MODELS_PER_FIGURE]
        for own in by_range.values()
        for start in range(0, len(own), MODELS_PER_FIGURE)
    ]
    for nth, part in enumerate(parts, 1):
        number = f"-{nth}" if len(parts) > 1 else ""
        found = {one.label: _matrices(one) for alike in part for one in alike}
        rows: dict[str, dict[str, Matrix | None]] = {
            _named(alike): {
                category: found[alike[0].label].get(category) for category in categories
            }
            | ({"all": _overall(alike[0])} if len(categories) > 1 else {})
            for alike in part
        }
        every = (matrix for own in rows.values() for matrix in own.values())
        marked = grids.keys(every) if grid.figure == "confusion" else ""
        yield Figure(
            f"{name}-{grid.figure}{number}",
            grid.caption + marked + ALIKE * any(len(alike) > 1 for alike in part),
            f"{grid.title} of {', '.join(found)}.",
            partial(grid.draw, rows),
            data_table(
                f"{name}{number}-{grid.figure}",
                ("model", "category", *grid.heads),
                (
                    [label, category, *values]
                    for label, own in found.items()
                    for category, matrix in own.items()
                    for values in grid.data(matrix)
                ),
            ),
        )


def _scalar_section(name: str, respondents: Sequence[Respondent]) -> Section:
    overall = {_named(alike): _overall(alike[0]) for alike in _merged(respondents)}
    # who never errs has no spread to show
    drawn = {label: one for label, one in overall.items() if one and (one.sds() > 0).any()}
    figure = Figure(
        f"{name}-variability",
        "Standard error of the responses to each target against their mean, both on logarithmic "
        "axes. The dashed line has slope 1.",
        "Log–log plots of standard error against mean response, one per model.",
        partial(grids.variability, drawn),
    )
    return Section(
        f"{name}-scalar-variability",
        "Scalar variability",
        "In people who can't count, spread grows in proportion to number: a slope of 1.",
        [*([figure] if drawn else []), tables.scalar_table(name, respondents)],
    )


def _baselines_section(name: str, highest: int) -> Section:
    """The reference respondents of S1."""
    figure = Figure(
        f"{name}-baseline-matrices",
        "Exact response shares of the two reference respondents (S1 Fig of the paper shows a "
        "sample of them).",
        "Confusion matrices of random choice (flat) and of the ideal human observer (a diagonal "
        "that widens above four).",
        lambda: grids.side_by_side(tables.baselines(highest), ("target", "response")),
    )
    return Section(
        f"{name}-baselines",
        "Baselines",
        f"Random choice says any number from 1 to {2 * highest}. The ideal human observer is "
        "exact up to four and estimates above with a Weber fraction of 0.15.",
        [Fold("How the two answer", [figure])],
    )


def closing_sections(name: str, respondents: Sequence[Respondent]) -> list[Section]:
    """Methods and what to cite."""
    return [
        methods(name, respondents, WITHIN_CELLS),
        citations(name, plos2025.BIBTEX, plos2025.sources(name)),
    ]
