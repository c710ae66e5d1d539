"""More of the page: models beside the frequencies, and captions checked against pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from subitize.captions.images import examples
from subitize.captions.tally import SHOWN
from subitize.reports.cells import Line, cell, columns, model_table, quotes, told, words
from subitize.reports.charts import panels
from subitize.reports.page import Column, Figure, Marked, Section, Table, plain
from subitize.reports.style import OWN, SMALLEST, log_ticks

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

Result = Mapping[str, Any]
NAME = "captions"
CORPUS = Column("corpus", "Corpus")


def marked(sample: Mapping[str, Any]) -> Marked:
    """A caption, or what of a long one stands around its number, which is marked."""
    text, start, end = sample["caption"], sample["start"], sample["end"]
    begin, stop = max(0, start - SHOWN), end + SHOWN
    before, after = plain(text[begin:start]), plain(text[end:stop])
    return Marked(
        f"…{before}" if begin else before,
        plain(text[start:end]),
        f"{after}…" if stop < len(text) else after,
    )


def beside(results: Sequence[Result]) -> Iterator[Section]:
    """Models whose accuracy was set beside the frequencies."""
    lines = [
        Line(f"{plain(model['model'], 60)} · {plain(one['name'], 40)}", model)
        for one in results
        for model in one.get("beside", ())
    ]
    if not lines:
        return
    shown = columns(
        "benchmark; numbers:Numbers with both:n; correlation:Correlation r:.2f±; "
        "permutation_p:Permutation p:p; partial:Partial r (ln n out):.2f±"
    )
    table = model_table(
        f"{NAME}-beside",
        "Accuracy on each number and ln of the captions that count it.",
        lines,
        shown,
        notes=[
            "Accuracy and frequency both fall with n, so nearly any model correlates: the partial "
            "correlation, with ln n taken out of both, is what speaks of frequency itself."
        ],
    )
    lead = "Does a model name the numbers better that captions speak of more often?"
    yield Section(
        f"{NAME}-beside-section", "Accuracy and frequency", lead, [_beside_figure(lines), table]
    )


def _beside_figure(lines: Sequence[Line]) -> Figure:
    def draw() -> Drawing:
        figure, grid = panels(len(lines), 3, (2.5, 2.2))
        for axes, line in zip(grid, lines, strict=True):
            for entry in line.values["by_number"]:
                if entry["captions"]:
                    share = entry["right"] / entry["trials"]
                    axes.plot(entry["captions"], share, ".", color=OWN)
                    # above and below in turn: neighbours are often as frequent as each other
                    up = 1 if entry["number"] % 2 else -1
                    axes.annotate(
                        str(entry["number"]), (entry["captions"], share), (0, 6 * up), color=OWN,
                        textcoords="offset points", ha="center", va="center",
                    )  # fmt: skip
            often = [entry["captions"] for entry in line.values["by_number"] if entry["captions"]]
            axes.set(xscale="log", xlabel="captions", ylabel="accuracy", ylim=(-0.1, 1.1))
            axes.set_xlim(0.5 * min(often, default=1), 2 * max(often, default=10))
            log_ticks(axes.xaxis)
            axes.set_title(line.label, loc="left", fontsize=SMALLEST)
        return figure

    alt = "; ".join(f"{line.label}: r {told(line.values['correlation'], '.2f')}" for line in lines)
    caption = "Each number at how often captions count it and how often the model gets it right."
    return Figure(f"{NAME}-beside-numbers", caption, alt, draw)


def images(results: Sequence[Result]) -> Iterator[Section]:
    """Captions that were checked against their pictures."""
    shown = [one for one in results if one.get("images")]
    if not shown:
        return
    lines = [Line(plain(one["name"], 60), one["images"]) for one in shown]
    table = model_table(
        f"{NAME}-images",
        "Captions whose number is not what the counter finds in the picture.",
        lines,
        columns("counter; sample::n; checked::n; failed::n; misaligned:Does not fit:.1%±"),
        first=CORPUS,
        notes=["A counter errs too: its own mistakes are among these."],
    )
    rows = [
        [
            words(plain(one["name"], 60)), quotes([marked(entry)]), words(entry["thing"]),
            cell(entry["number"], ",.0f"), cell(entry["found"], ",.0f"),
            words(plain(entry["image"] or "", 120)),
        ]
        for one in shown
        for entry in examples(one["images"])
    ]  # fmt: skip
    examples_table = Table(
        f"{NAME}-images-examples",
        "Examples; the number in question is red.",
        (CORPUS, *columns("caption::wide; thing; number:Said:n; found:Found:n; image")),
        rows,
    )
    lead = "Captions speak of numbers that are not in the picture (S3 Fig of the paper)."
    blocks = [table, *_people(shown), examples_table]
    yield Section(f"{NAME}-images-section", "Numbers and pictures", lead, blocks)


def _people(results: Sequence[Result]) -> Iterator[Table]:
    """People's rate beside the counter's, on the captions that people judged."""
    judged = [one for one in results if one["images"]["people"]]
    lines = [Line(plain(one["name"], 60), one["images"]["people"]) for one in judged]
    if lines:
        yield model_table(
            f"{NAME}-people",
            "The same captions judged by people: fits, does not fit, can't tell.",
            lines,
            columns(
                "judges:People:n; captions:Captions:n; judgements:Judgements:n; "
                "misaligned:Does not fit (people):.1%±; counter:Does not fit (counter):.1%±; "
                "agreement:Agree with the counter:.1%±; alpha:α with the counter:.2f; "
                "among:α among people:.2f"
            ),
            first=CORPUS,
            notes=[
                "“Can't tell” is left out of the rates. Intervals are over captions where several "
                "people judged one. The counter's rate and its α are on the captions on which most "
                "people say the same; α is Krippendorff's."
            ],
        )
