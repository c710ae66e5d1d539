"""The page of a benchmark that has none of its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest
from markupsafe import escape

from subitize.benchmark import Benchmark, Paper
from subitize.benchmarks.naming import Naming
from subitize.measures import MEASURES
from subitize.reports.build import build_report
from subitize.reports.default import sections
from subitize.reports.page import Cards, Cite, Figure, Gallery, Points, Table, every_block
from subitize.runs.stored import StoredRun
from tests.reports.embedded import rows_of
from tests.reports.made_up_runs import changed, estimate, guess, make_run, simulate


class MadeUp(Naming):
    """Naming's pictures under another name, with measures nobody has heard of."""

    NAME: ClassVar[str] = "made-up"
    TITLE: ClassVar[str] = "A benchmark made up"
    PAPER: ClassVar[Paper] = Paper("Nobody N. Nothing at all (2025).", "10.0/none")
    MEASURES: ClassVar[tuple[str, ...]] = ("nae", "accuracy", "counting_level", "hope", "by", "no")
    DEVIATIONS: ClassVar[tuple[str, ...]] = ("This is not a benchmark, whatever it may say.",)


def score(value: float) -> dict[str, Any]:
    return {"value": value, "low": value - 0.1, "high": value + 0.1, "trials": 20}


def made_up(name: str, benchmark: Benchmark[Any], answer: Any, **changes: Any) -> StoredRun:
    run = make_run(name, simulate(answer, per_cell=1, highest=4), highest=4, **changes)
    return changed(run, benchmark=benchmark)


@pytest.fixture(scope="module")
def runs() -> list[StoredRun]:
    return [
        made_up("mine/wild", MadeUp(), guess, hope=-0.5, by={"red": score(0.5), "note": "words"}),
        made_up("mine/good", MadeUp(), estimate, hope=0.25, by={"red": score(0.7), "blue": 0.1}),
        made_up("mine/<lost>", MadeUp(), guess, nae=None, undefined={"nae": "nothing was read"}),
    ]


def table_of(report: Path, name: str) -> dict[str, Mapping[str, str]]:
    return {row["model"]: row for row in rows_of(report, f"{name}.csv")}


def nobody(name: str) -> None:
    """No benchmark has a page of its own."""


def test_every_measure_is_a_column_with_its_interval(runs: list[StoredRun], tmp_path: Path) -> None:
    report = build_report(runs, tmp_path / "r.html", nobody)
    lines = table_of(report, "made-up-leaderboard")
    assert list(lines) == ["mine/good", "mine/wild", "mine/<lost>"]  # by NAE; unknown last
    good, wild = lines["mine/good"], lines["mine/wild"]
    found = runs[1].scores["nae"]
    assert [float(good[f"nae{end}"]) for end in ("", "_low", "_high")] == [
        found["value"], found["low"], found["high"],
    ]  # fmt: skip
    assert (good["counting_level"], good["hope"], good["hope_low"]) == ("4", "0.25", "")
    assert (float(good["by_red"]), float(good["by_red_high"])) == pytest.approx((0.7, 0.8))
    assert (good["by_blue"], wild["by_blue"], wild["hope"]) == ("0.1", "", "-0.5")
    assert not {"no", "by", "by_note"} & good.keys()
    page = report.read_text("utf-8")
    assert "A benchmark made up" in page
    assert "In words" not in page  # a page that says nothing in words leaves no empty column
    assert "mine/&lt;lost&gt; · NAE: nothing was read" in page
    told = MEASURES["nae"]
    assert "|G − T| / T" in told.formula
    facts = f"({told.unit}; best: {told.best}; {told.source})"
    assert escape(f"{told.says} {told.formula} {facts}") in page


def test_units_and_best_values_come_from_the_measures(runs: list[StoredRun]) -> None:
    (board,) = (b for b in sections(runs)[0].blocks if isinstance(b, Table))
    by_name = {column.name: column for column in board.columns}
    assert by_name["accuracy"].form.endswith("%")
    assert by_name["counting_level"].form == ",.0f"
    assert "best: 1.0" in by_name["accuracy"].help
    assert (by_name["hope"].help, by_name["hope"].form) == ("", ".3f")
    (cards,) = (b for b in sections(runs)[0].blocks if isinstance(b, Cards))
    assert [card.value for card in cards.cards] == ["3", "60", "mine/good"]


def test_it_shows_replies_methods_and_what_to_cite(runs: list[StoredRun]) -> None:
    leaderboard, unread, pictures, methods, cited = sections(runs)
    assert any(isinstance(block, Figure) for block in leaderboard.blocks)
    assert unread.id == "made-up-not-read"
    galleries = [block for block in pictures.blocks if isinstance(block, Gallery)]
    assert [gallery.opened for gallery in galleries] == [True, False, False]
    wild = next(gallery for gallery in galleries if gallery.title == "mine/wild")
    assert [picture.verdict for picture in wild.pictures][-1] in ("right", "wrong")
    assert "category" in wild.pictures[0].detail
    (points,) = (block for block in every_block([methods]) if isinstance(block, Points))
    assert points.points == MadeUp.DEVIATIONS
    assert "benchmark made-up (version 1; Nobody N 2025)" in methods.blocks[0].text  # type: ignore[union-attr]
    assert cited.blocks == [Cite(["Nobody N. Nothing at all (2025).\ndoi:10.0/none"])]


def test_scores_without_any_measure_make_a_page_too(tmp_path: Path) -> None:
    run = made_up("m", MadeUp(), guess, **dict.fromkeys(MadeUp.MEASURES))
    page = build_report([run], tmp_path / "r.html", nobody).read_text("utf-8")
    assert table_of(tmp_path / "r.html", "made-up-leaderboard").keys() == {"m"}
    assert "made-up-standing" not in page
