"""The page of caption corpora: how numbers fall off, the decades, what was rejected, samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from subitize.captions.page_checks import CORPUS, NAME, Result, beside, images, marked
from subitize.captions.result import DECADES
from subitize.captions.rule import REASONS
from subitize.measures.power_law import power_law_shares
from subitize.published.plos2025 import BIBTEX
from subitize.reports.cells import (
    COUNT,
    Line,
    cell,
    columns,
    data_table,
    model_table,
    quotes,
    text,
    told,
    words,
)
from subitize.reports.charts import panels
from subitize.reports.methods import citations
from subitize.reports.page import (
    Block,
    Card,
    Cards,
    Chapter,
    Figure,
    Fold,
    Marked,
    Points,
    Prose,
    Section,
    Table,
    plain,
)
from subitize.reports.style import FAINT, INK, MUTED, OVER, OWN, log_ticks, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

HIGHEST = 100
"""numbers that the bars show"""
HEAD = 5
"""numbers whose bars may need an axis of their own"""
SAMPLED = 30
"""numbers whose samples are shown"""


def chapter(results: Sequence[Result]) -> Chapter:
    """The page of one or several corpora, side by side."""
    return Chapter(NAME, "Numbers in caption corpora", sections(results))


def sections(results: Sequence[Result]) -> list[Section]:
    """Frequencies with their fit, decades, rejected numbers, samples, how it was done."""
    return [
        _frequencies(results),
        _decades(results),
        *beside(results),
        *images(results),
        _rejected(results),
        _samples(results),
        _methods(results),
        citations(NAME, BIBTEX),
    ]


def _numbers(result: Result) -> dict[int, int]:
    return {int(number): many for number, many in result["frequencies"].items()}


def _frequencies(results: Sequence[Result]) -> Section:
    cards = []
    for one in results:
        cards.append(
            Card(
                told(one["share"], ".2%"),
                f"of {one['name']}'s captions count something",
                f"{text(one['with_number'], COUNT)} of {text(one['rows'], COUNT)}",
            )
        )
        if one["fit"]:
            exponent = one["fit"]["exponent"]
            cards.append(Card(told(exponent, ".3f"), f"exponent α of {one['name']}", "power law"))
    blocks: list[Block] = [Cards(cards)]
    shown = [one for one in results if one["frequencies"]]
    if shown:
        blocks += [_bars_figure(shown), _laws_figure(shown)]
    blocks.append(_fit_table(results))
    return Section(
        f"{NAME}-frequencies-section",
        "How often which number stands in a caption",
        "Large numbers are rare, and rarer the larger they are; round ones less so.",
        blocks,
    )


def _bars_figure(results: Sequence[Result]) -> Figure:
    """Bars for 1 … 100, a panel per corpus, decades in another colour, the axis broken."""

    def draw() -> Drawing:
        figure = new_figure(7.6, 2.4 * len(results) + 0.3)
        rows = figure.add_gridspec(len(results), 1)
        for nth, one in enumerate(results):
            _bars(figure, rows[nth, 0], one)
        return figure

    rows = [
        (one["name"], number, _numbers(one).get(number, 0), number % 10 == 0)
        for one in results
        for number in range(1, HIGHEST + 1)
    ]
    alt = "; ".join(
        f"{one['name']}: "
        + ", ".join(f"{n}: {_numbers(one).get(n, 0)}" for n in (1, 2, 3, 5, 10, 20))
        for one in results
    )
    return Figure(
        f"{NAME}-frequencies",
        "Of the captions that count something, those that count each number. Decades are orange; "
        "the line is the fitted power law. "
        "Where the first bars are far taller than the others, the axis is broken (as in Figure 6 "
        "of the paper).",
        alt,
        draw,
        data_table(f"{NAME}-frequencies-data", ("corpus", "number", "captions", "decade"), rows),
    )


def _bars(figure: Drawing, place: Any, one: Result) -> None:
    """One corpus; in two axes, one above the other, where its bars differ too much."""
    found = _numbers(one)
    numbers = np.arange(1, HIGHEST + 1)
    every = sum(found.values())
    many = np.array([found.get(int(number), 0) / every for number in numbers])
    cut = 1.2 * max(1 / every, many[HEAD:].max())
    tall = many[many > cut]
    if many.max() > 2 * cut:
        halves = place.subgridspec(2, 1, height_ratios=(1, 1.4))
        upper, lower = halves.subplots(sharex=True)
        upper.set_ylim(0.75 * tall.min() if tall.min() > 1.5 * cut else cut, 1.08 * tall.max())
        lower.set_ylim(0, cut)
        upper.spines["bottom"].set_visible(False)
        upper.tick_params(bottom=False)
        slash: Any = {
            "marker": [(-1, -0.6), (1, 0.6)], "markersize": 6, "linestyle": "none", "color": MUTED,
            "clip_on": False,
        }  # fmt: skip
        upper.plot([0], [0], transform=upper.transAxes, **slash)
        lower.plot([0], [1], transform=lower.transAxes, **slash)
        both = [upper, lower]
    else:
        both = [figure.add_subplot(place)]
    for axes in both:
        colours = [OVER if number % 10 == 0 else OWN for number in numbers]
        axes.bar(numbers, many, color=colours, width=0.8)
        _law(axes, one, numbers, 1)
        axes.set_xlim(0.2, HIGHEST + 0.8)
        axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.3g} %")
    both[0].set_title(plain(one["name"], 60), loc="left", fontweight="bold")
    both[-1].set(xlabel="number", xticks=[1, *range(10, HIGHEST + 1, 10)], ylabel="share")


def _law(axes: Axes, one: Result, numbers: Any, total: int) -> None:
    """What the fitted law gives of so many captions."""
    if one["fit"]:
        expected = total * power_law_shares(
            np.asarray(numbers, dtype=np.float64), one["fit"]["exponent"]["value"]
        )
        axes.plot(numbers, expected, color=INK, linewidth=0.9)


def _laws_figure(results: Sequence[Result]) -> Figure:
    """All numbers on logarithmic axes with the power law."""

    def draw() -> Drawing:
        figure, every = panels(len(results), 2, (3.7, 2.8))
        for axes, one in zip(every, results, strict=True):
            found = _numbers(one)
            for decade, colour in ((False, OWN), (True, OVER)):
                own = [number for number in found if (number % 10 == 0) is decade]
                axes.plot(
                    own, [found[n] for n in own], linestyle="none", marker="o", markersize=2.5,
                    color=colour, label="decades and other multiples of 10" if decade else "others",
                )  # fmt: skip
            _law(axes, one, np.geomspace(1, max(found), 50), sum(found.values()))
            axes.set(xscale="log", yscale="log", xlabel="number", ylabel="captions")
            axes.set_ylim(0.7, None)
            for axis in (axes.xaxis, axes.yaxis):
                log_ticks(axis)
            axes.grid(color=FAINT, linewidth=0.5)
            axes.set_title(plain(one["name"], 40), loc="left", fontweight="bold")
        return figure

    return Figure(
        f"{NAME}-law",
        "Every number on logarithmic axes, multiples of ten in orange; the line is the fitted "
        "power law.",
        "; ".join(
            f"{one['name']}: exponent {told(one['fit']['exponent'], '.2f') if one['fit'] else '–'}"
            for one in results
        ),
        draw,
    )


def _fit_table(results: Sequence[Result]) -> Table:
    lines = [
        Line(
            plain(one["name"], 60),
            {
                **{name: one[name] for name in ("rows", "with_number", "share")},
                **(one["fit"] or {}),
                "undefined": {
                    name: one["undefined"].get("fit", "") for name in ("exponent", "distance", "p")
                },
            },
        )
        for one in results
    ]
    against = "alternatives.{0}.z:Against the {1}:+.1f"
    shown = columns(
        "rows:Captions:n; with_number:With a number:n; share:Share:.2%±; exponent:Exponent α:.3f±; "
        "distance:Distance:.4f; p:Goodness p:p; "
        + against.format("log_normal", "log-normal, z")
        + "; "
        + against.format("exponential", "exponential, z")
    )
    return model_table(
        f"{NAME}-fit",
        "The power law by exact maximum likelihood on all numbers from 1.",
        lines,
        shown,
        first=CORPUS,
        notes=[
            "Goodness p: share of samples from the fitted law that lie as far from their own fit; "
            "below .05 the counts follow no exact power law (with millions of captions the "
            "smallest bump, such as the decades, is enough for that).",
            "z above 0: the power law explains more than the other (Vuong's test).",
        ],
    )


def _decades(results: Sequence[Result]) -> Section:
    lines = [
        [
            words(plain(one["name"], 60)),
            cell(int(number), ",.0f"),
            cell(entry["counted"], ",.0f"),
            cell(entry["expected"], ",.1f"),
            cell(entry["excess"], ".2f"),
        ]
        for one in results
        for number, entry in (one["decades"] or {}).items()
    ]
    table = Table(
        f"{NAME}-decades",
        "Decades, and how many times as often as the law says they stand in captions.",
        (CORPUS, *columns("number:Number:n; counted:Counted:n; expected:Expected:,.1f; "
                          "excess:Excess:.2f±")),
        lines,
        ["Excess: counted / expected by the fit, with the exact Poisson interval of the count."],
    )  # fmt: skip
    lead = "Round numbers are preferred: an excess above 1 is more than the law gives them."
    shown = [one for one in results if any(e["counted"] for e in (one["decades"] or {}).values())]
    blocks: list[Block] = [_decades_figure(shown)] if shown else []
    blocks.append(Fold("Every decade", [table]))
    return Section(f"{NAME}-decades-section", "Decades", lead, blocks)


def _decades_figure(results: Sequence[Result]) -> Figure:
    """The excess of each decade with its interval; one that was never counted has no dot."""

    def draw() -> Drawing:
        figure, every = panels(len(results), 2, (3.7, 2.2))
        for axes, one in zip(every, results, strict=True):
            axes.axhline(1, color=INK, linewidth=0.9)
            for number, entry in one["decades"].items():
                excess = entry["excess"]
                value, low, high = (excess[part] for part in ("value", "low", "high"))
                if value:
                    ends = [[value - low], [high - value]]
                    axes.errorbar(
                        int(number), value, yerr=ends, marker="o", markersize=3.5, color=OVER,
                        elinewidth=0.9,
                    )  # fmt: skip
            axes.set(yscale="log", xlabel="number", ylabel="times the law")
            axes.set(xticks=DECADES, xlim=(DECADES[0] - 4, DECADES[-1] + 4))
            log_ticks(axes.yaxis)
            axes.grid(axis="y", color=FAINT, linewidth=0.5)
            axes.set_title(plain(one["name"], 40), loc="left", fontweight="bold")
        return figure

    alt = "; ".join(
        f"{one['name']}: "
        + ", ".join(f"{n}: {told(entry['excess'], '.2f')}" for n, entry in one["decades"].items())
        for one in results
    )
    caption = (
        "How many times as often as the fitted law says each decade is counted, with its interval; "
        "one that is never counted has no dot."
    )
    return Figure(f"{NAME}-decades-excess", caption, alt, draw)


def _marked(samples: Sequence[Mapping[str, Any]]) -> list[Marked]:
    return [marked(one) for one in samples]


def _rejected(results: Sequence[Result]) -> Section:
    def rows() -> Iterator[list[Any]]:
        for one in results:
            every = sum(one["rejected"].values())
            for reason, many in one["rejected"].items():
                shown = _marked(one["rejected_samples"].get(reason, ())[:5])
                yield [
                    words(plain(one["name"], 60)), words(reason), cell(many, ",.0f"),
                    cell(many / every, ".1%"), words(REASONS.get(reason, "")), quotes(shown),
                ]  # fmt: skip

    table = Table(
        f"{NAME}-rejected",
        "Numbers in captions that count no things, by reason.",
        (CORPUS, *columns("reason; numbers::n; share::.1%; such_as:Such as:wide; captions::wide")),
        list(rows()),
    )
    lead = "The number in question is red: judge the rule by these."
    return Section(f"{NAME}-rejected-section", "What was rejected", lead, [table])


def _samples(results: Sequence[Result]) -> Section:
    rows = [
        [
            words(plain(one["name"], 60)), words(number),
            cell(one["frequencies"].get(number), ",.0f"), quotes(_marked(shown)),
        ]
        for one in results
        for number, shown in list(one["samples"].items())[:SAMPLED]
    ]  # fmt: skip
    table = Table(
        f"{NAME}-samples",
        "Captions that count, drawn by a hash of their text; the (first) number is red.",
        (CORPUS, *columns("number; captions::n; samples::wide")),
        rows,
    )
    folded = Fold("Captions of every number", [table])
    return Section(f"{NAME}-samples-section", "Samples", "What the counts stand on.", [folded])


def _methods(results: Sequence[Result]) -> Section:
    blocks: list[Block] = []
    for one in results:
        tagger, release = one["tagger"]
        counts = ("rows", "null", "not_text", "broken")
        many = {name: text(one[name], COUNT) for name in counts}
        blocks.append(
            Prose(
                f"{plain(one['name'], 60)}: {many['rows']} captions, files: {len(one['files'])}; "
                f"{many['null']} empty, {many['not_text']} with something else than text, "
                f"{many['broken']} with broken UTF-8. Parts of speech by {plain(tagger)} "
                f"{plain(release)}, rule {one['rule']}."
            )
        )
        damage = [plain(said, 300) for file in one["files"] for said in file["damage"]]
        if damage:
            blocks.append(Points(f"Left out of {plain(one['name'], 60)}", damage))
    lead = "A number counts where a noun follows it, or one adjective and a noun."
    return Section(f"{NAME}-methods", "Methods", lead, blocks)
