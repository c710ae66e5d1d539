"""The page of the counting probe: heads and foils, and who is ranked among whom."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
from typer.testing import CliRunner

from subitize.benchmarks.catalog import get_benchmark, page_of
from subitize.benchmarks.geckonum.page_figures import by_number
from subitize.benchmarks.probe.heads import CELLS, FAMILY
from subitize.benchmarks.probe.page import FEW
from subitize.cli import root
from subitize.models.catalog import open_model
from subitize.opening import load_stored, run_and_score
from subitize.published import probe as printed
from subitize.records import Score
from subitize.reports.page import Figure, Fold, Prose, Table, every_block
from subitize.runs.run import RunOptions, run_benchmark

PROBE = get_benchmark("probe")


def test_the_page_shows_heads_and_foils_where_all_four_were_run(tmp_path: Path) -> None:
    settings = PROBE.settings_from({"items": 30, "answers": "flat"})
    runs = []
    for cell in CELLS:
        model = open_model(f"{FAMILY}/{cell}")
        outcome = run_benchmark(PROBE, settings, model, tmp_path, RunOptions())
        runs.append(load_stored(outcome.folder))
    sections = {one.title: one for one in page_of("probe")(runs)}
    figure, table, _ = sections["Foils and heads"].blocks
    assert isinstance(figure, Figure)
    drawn = figure.draw()
    titles = [axes.get_title() for axes in drawn.axes]
    assert titles == [f"{head}, {foils}" for foils, head in CELLS.values()]
    assert isinstance(table, Table)
    assert [row[0].value for row in table.rows] == [f"{FAMILY}/{cell}" for cell in CELLS]
    for row, run in zip(table.rows, runs, strict=True):
        assert row[-2].value == run.scores["parity"]["odd"]["value"]
        assert row[-1].value == run.scores["parity"]["odd"]["trials"]
    assert "Foils and heads" not in {one.title for one in page_of("probe")(runs[:3])}
    other = PROBE.settings_from({"items": 12, "answers": "flat"})
    outcome = run_benchmark(PROBE, other, model, tmp_path, RunOptions())
    mixed = [*runs[:3], load_stored(outcome.folder)]
    assert "Foils and heads" not in {one.title for one in page_of("probe")(mixed)}


def ranked(runs: list[Any], title: str) -> dict[str, list[tuple[str, str]]]:
    """Heading: models with their ranks, in the order of the table."""
    section = next(one for one in page_of("probe")(runs) if one.title == title)
    table = next(one for one in section.blocks if isinstance(one, Table))
    return {
        heading: [(row[0].shown, row[1].shown) for row in rows] for heading, rows in table.grouped
    }


def test_runs_are_ranked_among_those_that_were_asked_the_same(tmp_path: Path) -> None:
    asked = [
        ("sim/random", {}), ("sim/perfect", {}), ("sim/perfect?seed=2", {}),
        ("sim/perfect", {"format": "qa"}),
    ]  # fmt: skip
    runs = []
    for model, changes in asked:
        settings = PROBE.settings_from({"items": 12, **changes})
        done, _ = run_and_score(PROBE, settings, open_model(model), tmp_path, RunOptions(), {})
        runs.append(load_stored(done.folder))
    found = ranked(runs, "Right numbers against foils")
    first, *_, last = found["drawn scenes, standard split, statements"]
    assert {rank for _, rank in found["drawn scenes, standard split, statements"][:2]} == {"1 ="}
    assert (first[0].startswith("sim/perfect"), last) == (True, ("sim/random", "3"))
    assert [
        rank for _, rank in found["drawn scenes, standard split, questions with their answers"]
    ] == ["1"]
    assert {rank for _, rank in found["Visual7W, hard split, questions with their answers"]} == {
        "–"
    }  # the paper's are not ranked


def test_runs_asked_otherwise_are_ranked_apart_and_called_in_words(tmp_path: Path) -> None:
    asked: list[dict[str, Any]] = [
        {}, {"answers": "flat"}, {"seed": 1}, {"task": "vqa"}, {"task": "mlm"},
    ]  # fmt: skip
    runs = []
    for changes in asked:
        settings, model = PROBE.settings_from({"items": 12, **changes}), open_model("sim/observer")
        done, _ = run_and_score(PROBE, settings, model, tmp_path, RunOptions(), {})
        runs.append(load_stored(done.folder))
    found = ranked(runs, "Right numbers against foils")
    usual = "drawn scenes, standard split, statements"
    for heading in (usual, f"{usual}, all answers as frequent", f"{usual}, seed 1"):
        assert [rank for _, rank in found[heading]] == ["1"], heading
    [(alone, _)] = ranked(runs, "Masked numbers")[usual]
    assert alone == "sim/observer", "within a task its name tells nothing"
    assert "drawn scenes, standard split" in ranked(runs, "Answers to the questions")
    page = [*every_block(page_of("probe")(runs))]
    wrong = next(one for one in page if isinstance(one, Table) and one.name == "probe-mlm-wrong")
    own = runs[-1].scores["recall_at_1"]
    assert wrong.rows[0][-1].value == own["trials"] - round(own["value"] * own["trials"])


def test_many_models_with_ties_share_a_warning(tmp_path: Path) -> None:
    settings = PROBE.settings_from({"items": 2})
    words = ["probe", "sentences", "--out", str(tmp_path / "asked"), "--set", "items=2"]
    assert CliRunner().invoke(root, words).exit_code == 0
    asked = pl.read_ndjson(tmp_path / "asked/sentences.jsonl")
    runs = []
    for nth in range(FEW + 1):
        scores = tmp_path / f"scores_{nth}.csv"
        asked.with_columns(score=nth / 10).write_csv(scores)
        model = open_model(f"matcher/scores?file={scores}")
        done, _ = run_and_score(PROBE, settings, model, tmp_path, RunOptions(), {})
        runs.append(load_stored(done.folder))
    for shown in (runs[1:], runs):
        blocks = page_of("probe")(shown)[0].blocks
        warned = [one for one in blocks if isinstance(one, Prose) and one.tone == "warning"]
        assert len(warned) == (FEW if shown is not runs else 1)
    assert warned[0].text.startswith("4 models give some pairs equal scores")
    folded = next(one for one in blocks if isinstance(one, Fold))
    assert sum("of 6 pairs" in getattr(one, "text", "") for one in folded.blocks) == FEW + 1


def test_a_matcher_that_says_one_constant_is_marked(tmp_path: Path) -> None:
    """By the paper's rule its acc_r is 1."""
    settings = PROBE.settings_from({"items": 12})
    words = ["probe", "sentences", "--out", str(tmp_path / "asked"), "--set", "items=12"]
    assert CliRunner().invoke(root, words).exit_code == 0
    asked = pl.read_ndjson(tmp_path / "asked/sentences.jsonl")
    scores = tmp_path / "scores.csv"
    asked.with_columns(score=0.5).write_csv(scores)
    runs = []
    for model in (f"matcher/scores?file={scores}", "sim/matcher"):
        done, _ = run_and_score(PROBE, settings, open_model(model), tmp_path, RunOptions(), {})
        runs.append(load_stored(done.folder))
    constant, plain = (run.scores for run in runs)
    assert constant["acc_r"]["value"] == 1
    assert constant["tied_pairs"] == constant["acc_r"]["trials"] == 36
    assert (plain["ties"], plain["tied_pairs"]) == (0, 0)
    section = page_of("probe")(runs)[0]
    warned = [one.text for one in section.blocks if isinstance(one, Prose)]
    assert len(warned) == 1
    assert "36 of 36 pairs have equal scores" in warned[0]
    assert warned[0].endswith("; in 0 the right sentence scores higher.")
    table = next(one for one in section.blocks if isinstance(one, Table))
    marks = [cell.badge for row in table.rows for cell in row[1:] if cell.badge]
    assert marks == ["36 tied"]
    tied, apart = (one.said for one in section.standings)
    assert (
        tied
        == "scores the right number at least as high as a foil, ties included, in 100 % of pairs"
    )
    assert apart.startswith("prefers the right number")


def test_every_number_is_drawn_and_many_models_get_a_panel_each() -> None:
    own = {str(n): Score(0.5, 0.4, 0.6) for n in (0, 2, 10, 13, 40)}
    (together,) = by_number({"a": own}, "right number").axes
    assert [one.get_text() for one in together.get_xticklabels()] == ["0", "2", "10", "13", "40"]
    many = by_number({f"model {nth}": own for nth in range(9)}, "right number")
    assert [one.get_title(loc="left") for one in many.axes] == [f"model {n}" for n in range(9)]
    assert not many.legends


def test_the_papers_masks_and_answers_stand_beside_ours_overall_and_by_number(
    tmp_path: Path,
) -> None:
    runs = []
    for task in ("mlm", "vqa"):
        settings, model = (
            PROBE.settings_from({"items": 12, "task": task}),
            open_model("sim/observer"),
        )
        done, _ = run_and_score(PROBE, settings, model, tmp_path, RunOptions(), {})
        runs.append(load_stored(done.folder))
    for split in ("standard", "hard"):
        assert ranked(runs, "Masked numbers")[f"Visual7W, {split} split, statements"]
        assert ranked(runs, "Answers to the questions")[f"Visual7W, {split} split"]
    tables = {
        one.name: one for one in every_block(page_of("probe")(runs)) if isinstance(one, Table)
    }
    for task, values in (
        (
            "mlm",
            {n: (row[1], row[3], round(row[5] * 100, 6)) for n, row in printed.TABLE_4.items()},
        ),
        ("vqa", {n: (row[1],) for n, row in printed.TABLE_5.items()}),
    ):
        shown = {
            row[1].value: tuple(round(cell.value * 100, 6) for cell in row[2:])
            for row in tables[f"probe-{task}-numbers"].rows
            if str(row[0].value) == "LXMERT, hard split"
        }
        assert shown == {n: row for n, row in values.items() if n != "overall"}
