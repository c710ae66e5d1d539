"""The blocks of a page and the files made of them."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from matplotlib.figure import Figure as Drawing
from PIL import Image

from subitize.measures import MEASURES, Measure
from subitize.records import Score
from subitize.reports import cells, style
from subitize.reports.build import About, write_chapters
from subitize.reports.files import csv_bytes, figure_files, inline_svg, thumbnail_uri
from subitize.reports.overview import with_overview
from subitize.reports.page import (
    Cell,
    Chapter,
    Column,
    Figure,
    Section,
    Standing,
    Table,
    plain,
)
from subitize.reports.style import FORMATS, new_figure


def read_csv(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8"))))


def drawing() -> Drawing:
    figure = new_figure(2, 1)
    figure.subplots().set_title("</svg><script>alert(1)</script> $x^{ -->")
    return figure


FIGURE = Figure("nasty", "caption", "alt", drawing)


def test_a_score_takes_three_columns_of_the_csv() -> None:
    scores = {"nae": {"value": 0.125, "low": 0.1, "high": 0.2}}
    columns = [Column("model", "Model"), Column("nae", "NAE", ".3f", interval=True)]
    table = Table("t", "", columns, [[cells.words("m"), cells.cell(scores["nae"], ".3f")]])
    assert read_csv(csv_bytes(table)) == [
        {"model": "m", "nae": "0.125", "nae_low": "0.1", "nae_high": "0.2"}
    ]


def test_a_missing_score_is_a_dash_with_its_reason() -> None:
    (nae,) = cells.columns("nae")
    cell = cells.Line("x", {"nae": None, "undefined": {"nae": "no readable trials"}}).cell(nae)
    assert (cell.shown, cell.value, cell.reason) == ("–", None, "no readable trials")
    table = Table("t", "", [Column("m", "M"), Column("nae", "NAE")], [[cells.words("x"), cell]])
    assert table.reasons() == ["x · NAE: no readable trials"]


@pytest.mark.parametrize("reply", ["=1+1", "+1", "-1", "@x", "\t=1"])
def test_a_reply_is_no_formula_in_a_spreadsheet(reply: str) -> None:
    table = Table("t", "", [Column("reply", "Reply")], [[cells.words(reply)]])
    assert read_csv(csv_bytes(table))[0]["reply"] == f"'{reply}"


def test_negative_numbers_stay_numbers_in_the_csv() -> None:
    table = Table("t", "", [Column("r", "r", ".3f")], [[cells.cell(-0.5, ".3f")]])
    assert float(read_csv(csv_bytes(table))[0]["r"]) == -0.5


def test_plain_text_can_be_written_anywhere() -> None:
    assert (
        plain("a\x00b\ud800c\u202ed") == "a\N{REPLACEMENT CHARACTER}"
        "b\N{REPLACEMENT CHARACTER}"
        "c\N{REPLACEMENT CHARACTER}"
        "d"
    )
    assert plain("one\ntwo") == "one\ntwo"
    assert plain("x" * 50, 10) == "x" * 10 + "…"
    plain("\ud800").encode("utf-8")


def test_a_figure_has_three_files_and_the_same_bytes_again() -> None:
    first, again = figure_files(FIGURE, FORMATS), figure_files(FIGURE, FORMATS)
    assert sorted(first) == ["nasty.pdf", "nasty.png", "nasty.svg"]
    assert first == again
    assert first["nasty.pdf"].startswith(b"%PDF")
    assert Image.open(io.BytesIO(first["nasty.png"])).size == (400, 200)


def test_words_in_a_figure_cannot_leave_it() -> None:
    text = inline_svg(figure_files(FIGURE, ["svg"])["nasty.svg"], FIGURE.name)
    assert text.count("</svg>") == 1
    assert "<script" not in text
    assert "<!--" not in text
    assert "<?xml" not in text
    assert 'id="nasty-' in text


def test_pictures_are_made_small() -> None:
    import base64

    buffer = io.BytesIO()
    Image.new("RGBA", (1024, 512), (255, 0, 0, 128)).save(buffer, "PNG")
    uri = thumbnail_uri(buffer.getvalue())
    assert uri.startswith("data:image/png;base64,")
    small = Image.open(io.BytesIO(base64.b64decode(uri.partition(",")[2])))
    assert small.size == (256, 128)
    assert small.convert("RGB").getpixel((5, 5)) == (255, 127, 127)


def test_sort_keys_put_nothing_last() -> None:
    assert Cell().sort_key == ""
    assert float(Cell(3).sort_key) == 3.0
    assert Cell("b").sort_key == "b"


@pytest.mark.parametrize(
    ("value", "form", "shown"),
    [
        (0.0004, "p", "< .001"),
        (0.001, "p", ".001"),
        (0.05, "p", ".050"),
        (0.0497, "p", ".0497"),
        (-0.0004, ".2f", "0.00"),
        (-0.0004, "+.1%", "+0.0 %"),
        (1.0, "p", "1.000"),
        (1234567, cells.COUNT, "1,234,567"),
        (12.0, cells.COUNT, "12"),
        (0.1234, ".1%", "12.3 %"),
        (-0.5, ".2f", "−0.50"),
        (3.807, "+.2f", "+3.81"),
        (0.0874, ".3g", "0.0874"),
    ],
)
def test_numbers_have_one_form(value: float, form: str, shown: str) -> None:
    assert cells.text(value, form) == shown


@pytest.mark.parametrize(
    "found",
    [
        {"value": -0.25, "low": -0.5, "high": 0.125, "trials": 7},
        Score(-0.25, -0.5, 0.125),
        Cell(-0.25, "whatever", -0.5, 0.125),
    ],
)
def test_a_score_looks_the_same_wherever_it_comes_from(found: object) -> None:
    assert cells.told(found, "+.2f") == "−0.25 [−0.50, 0.12]"
    assert cells.told(found, ".0%") == "−25 % [−50, 13]"
    if not isinstance(found, Cell):
        cell = cells.cell(found, "+.2f")
        assert f"{cell.shown} {cell.interval}" == cells.told(found, "+.2f")


def test_a_score_without_an_interval_has_no_brackets() -> None:
    assert cells.told(0.5, ".2f") == cells.told({"value": 0.5, "low": None}, ".2f") == "0.50"
    assert cells.told({"value": None}) == cells.told(None) == "–"


def test_columns_in_short() -> None:
    name, share, path = cells.columns("reason; skipped::.1%; smape.occluded:Occluded:.2f±")
    assert (name.name, name.label, name.form, name.aligned) == ("reason", "Reason", "", "")
    assert (share.label, share.form, share.interval, share.aligned) == (
        "Skipped", ".1%", False, "num",
    )  # fmt: skip
    assert (path.name, path.at, path.interval) == ("smape_occluded", ("smape", "occluded"), True)
    assert "(percent; best: 0.0; Pothiraj" in path.help


def test_a_line_says_why_it_has_no_value() -> None:
    (accuracy, nae, level) = cells.columns("accuracy::.1%±; nae::.3f; counting_level::n")
    undefined = {"nae": "no <b>readable</b> trial"}
    values = {"accuracy": {"value": 0.5, "low": 0.4, "high": 0.6}, "undefined": undefined}
    line = cells.Line("m", values, "published", "not printed")
    table = cells.model_table("t", "", [line], [accuracy, nae, level])
    assert table.rows[0][0].badge == "published"
    assert [cell.shown for cell in table.rows[0]] == ["m", "50.0 %", "–", "–"]
    assert table.reasons() == [
        "m · NAE: no <b>readable</b> trial",
        "m · Counting level: not printed",
    ]


def test_rows_with_the_same_gaps_share_a_line() -> None:
    one, other = Column("a", "A", ".2f"), Column("b", "B", ".2f")
    gap, known = cells.cell(None, ".2f", "not run"), cells.cell(0.5, ".2f")
    rows = [[cells.words(name), gap, last] for name, last in (("x", gap), ("y", gap), ("z", known))]
    table = Table("t", "", [cells.MODEL, one, other], rows)
    assert table.reasons() == ["x, y · A, B: not run", "z · A: not run"]


def test_the_overview_says_a_thing_once_for_several_runs() -> None:
    said = ["prefers it in 97 % of pairs", "prefers it in 96 % of pairs"]
    standings = [Standing("m", "acc_r", cells.cell(0.9, ".1%"), one) for one in said]
    section = Section("s", "S", "", [], standings)
    (overview, *_) = with_overview([Chapter("probe", "Probe", [section])])
    table = overview.sections[0].blocks[0]
    assert isinstance(table, Table)
    words = table.rows[0][1].shown.replace("\N{NO-BREAK SPACE}", " ")
    assert words == "Prefers it in 97 % and 96 % of pairs."


def test_the_overview_puts_an_unfinished_run_behind_the_others_and_says_so() -> None:
    half = cells.cell(0.0, ".3f")._replace(badge="partial: 40 of 320 trials")
    standings = [
        Standing("half", "NAE", half, "counts to 3"),
        Standing("m", "NAE", half, "counts to 3"),
        Standing("m", "NAE", cells.cell(0.063, ".3f"), "counts to 6", "what NAE is"),
    ]
    section = Section("s", "S", "", [], standings)
    (overview, *_) = with_overview([Chapter("naming", "Naming", [section])])
    table = overview.sections[0].blocks[0]
    assert isinstance(table, Table)
    assert [row[0].shown for row in table.rows] == ["m", "half"]
    first, second = (row[1].shown for row in table.rows)
    assert first == "Counts to 6; counts to 3 (partial: 40 of 320 trials)."
    assert second == "Counts to 3 (partial: 40 of 320 trials)."
    assert table.rows[0][2].shown == "0.063 · 0.000 (partial: 40 of 320 trials)"
    assert [one.help for one in table.terms] == ["what NAE is"]


@pytest.mark.parametrize(
    ("values", "order"),
    [([0.1, 0.2, None], "ascending"), ([0.9, 0.2, None], "descending"), ([1.0, 3.0, 0.0], "")],
)
def test_a_table_says_which_way_it_is_sorted(values: list[float | None], order: str) -> None:
    rows = [[cells.words("m"), cells.cell(one, ".1f")] for one in values]
    shown = [cells.MODEL, *cells.columns("x::.1f")]
    assert Table("t", "", shown, rows, sorted_by="x").order == order


def test_a_reply_that_scrolls_is_within_reach_of_the_keyboard(tmp_path: Path) -> None:
    rows = [[cells.words("m"), cells.quotes(["seven", "I count seven of them. " * 9])]]
    table = Table("t", "", [cells.MODEL, *cells.columns("said::wide")], rows)
    chapter = Chapter("c", "C", [Section("s", "S", "", [table])])
    page = write_chapters([chapter], About([], 0), tmp_path / "r.html").read_text("utf-8")
    assert '<q class="reply">seven</q>' in page
    assert '<q class="reply" tabindex="0">I count' in page


def test_columns_that_share_a_last_name_are_explained_each_by_itself() -> None:
    anchored, cautious, refused = cells.columns(
        "anchoring.excess; weber_fraction_note; accuracy_refusals_wrong"
    )
    assert anchored.help == MEASURES["anchoring"].says
    assert "read with care" in cautious.help
    assert "all pictures asked for" in refused.help


@pytest.mark.parametrize("one", MEASURES.values(), ids=lambda one: one.where)
def test_a_formula_is_whole(one: Measure) -> None:
    """What goes on in the next line of the docstring is missing in report and docs."""
    assert one.formula.count("(") == one.formula.count(")")
    assert one.formula.split()[-1] not in {"a", "is", "k", "of", "the", "with"}, one.formula
    assert "None" not in one.formula


@pytest.mark.parametrize("span", [(7.5, 12.5), (1, 1000), (2, 9), (0.02, 0.05), (80, 130)])
def test_a_logarithmic_axis_has_three_ticks(span: tuple[float, float]) -> None:
    with style.styled():
        axes = style.new_figure(3, 2).subplots()
        axes.set(xscale="log", xlim=span)
        style.log_ticks(axes.xaxis)
        assert len([tick for tick in axes.get_xticks() if span[0] <= tick <= span[1]]) >= 3
