"""What the viewer is asked for: the same as the answers tables and the scores have."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from subitize.api import read_number
from subitize.api import run as ask_model
from subitize.benchmarks.catalog import get_benchmark
from subitize.errors import BadInput, UnknownName
from subitize.humans.viewing_pictures import Pictures
from subitize.humans.viewing_query import (
    NOT_READ,
    PAGE,
    PAIRS,
    disagreement,
    figures,
    query_from,
    trials_page,
)
from subitize.humans.viewing_table import MOST_VALUES, RunsTable
from tests.humans.viewed import TRIALS, make_painting, make_runs
from tests.scored import load_run, score_run


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return make_runs(tmp_path_factory.mktemp("viewed"))


@pytest.fixture(scope="module")
def table(folders: list[Path]) -> RunsTable:
    return RunsTable(folders)


def ask(table: RunsTable, *models: str, **given: str) -> dict[str, Any]:
    return trials_page(table, query_from(table, given, models))


def every_item(table: RunsTable, *models: str, **given: str) -> list[dict[str, Any]]:
    pages = ask(table, *models, **given)["pages"]
    return [
        item
        for page in range(pages)
        for item in ask(table, *models, **given, page=str(page))["items"]
    ]


def test_every_answer_stands_once_beside_its_question(table: RunsTable) -> None:
    items = every_item(table)
    assert [one["item"] for one in items] == list(range(TRIALS))
    assert all(len(one["answers"]) == 3 for one in items)
    for one in items[:5]:
        trial = table.trial(one["item"])
        assert (one["question"], one["wanted"]) == (trial.question, str(trial.target))
    shown = {(one["trial"], a["model"]): a for one in items for a in one["answers"]}
    for run in table.runs:
        for row in load_run(run.folder).counted.iter_rows(named=True):
            found = shown[row["trial"], row["respondent"]]
            assert (found["value"], found["state"]) == (row["value"], row["state"])
            assert found["note"] == row["note"]


@pytest.mark.parametrize("name", ["naming", "production", "capture", "probe", "geckonum"])
def test_a_run_of_any_benchmark_is_looked_at_beside_others(
    name: str, folders: list[Path], tmp_path: Path
) -> None:
    """A benchmark's condition may be called as one of the viewer's own columns is."""
    kinds, quick = get_benchmark(name).KINDS, get_benchmark(name).PROFILES["quick"]
    model = "painter/shapes" if "painter" in kinds else "sim/observer"
    made = ask_model(name, model, out=tmp_path, limit=12, **quick).folder
    for chosen in ([made], [folders[0], made]):
        table = RunsTable(chosen)
        items = every_item(table, benchmark=name)
        assert items
        trials = {one.id: one for run in table.runs for one in run.trials.values()}
        for one in items:
            known = trials[one["trial"]].condition
            assert one["condition"].items() <= known.items()
        for column in table.filters:
            value = str(table.own[column].drop_nulls().cast(pl.String).first())
            assert ask(table, **{column: value})["trials"] > 0, column
        assert figures(table, query_from(table, {}, ()))["states"]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"category": "dots"}, pl.col("category") == "dots"),
        ({"wanted": "5"}, pl.col("target") == 5),
        ({"state": "no-number"}, pl.col("state") == "no-number"),
        ({"wanted": "5", "said": "4"}, (pl.col("target") == 5) & (pl.col("number") == 4)),
        ({"said": NOT_READ}, pl.col("state") != "read"),
        ({"right": "yes"}, (pl.col("state") == "read") & (pl.col("number") == pl.col("target"))),
        ({"search": "<SCRIPT> pwned"}, pl.col("value").str.contains("<script>window.pwned")),
        ({"search": "(7*7"}, pl.lit(False)),
        ({"search": "{{ 7*7 }}"}, pl.col("value").str.contains("{{ 7*7 }}", literal=True)),
    ],
)
def test_filters_keep_what_the_tables_have(
    table: RunsTable, given: dict[str, str], kept: pl.Expr
) -> None:
    rows = pl.concat(
        [load_run(run.folder).counted.filter(kept).select("trial") for run in table.runs]
    )
    expected = set(rows["trial"])
    items = every_item(table, **given)
    assert {one["trial"] for one in items} == expected
    assert len(items) == ask(table, **given)["trials"]
    fitting = Counter(a["fits"] for one in items for a in one["answers"])
    assert fitting[True] == rows.height


def test_the_matrix_is_that_of_the_scores(table: RunsTable, folders: list[Path]) -> None:
    for folder in folders:
        scores = score_run(folder)
        found = figures(table, query_from(table, {}, (scores["model"],)))["matrix"]
        confusion = scores["confusion"]
        assert found["columns"] == [str(n) for n in confusion["columns"]]
        for place, row in enumerate(found["rows"]):
            theirs = (
                confusion["unreadable"]
                if row == NOT_READ
                else confusion["counts"][confusion["rows"].index(int(row))]
            )
            assert found["counts"][place] == theirs
        assert sum(map(sum, found["counts"])) == TRIALS
        assert found["left_out"] == 0


def test_a_cell_of_the_matrix_opens_its_trials(table: RunsTable) -> None:
    model = table.models[0]
    found = figures(table, query_from(table, {}, (model,)))["matrix"]
    for row, counts in zip(found["rows"], found["counts"], strict=True):
        for column, many in zip(found["columns"], counts, strict=True):
            assert ask(table, model, wanted=column, said=row)["trials"] == many


def test_cells_open_where_there_are_many_targets(folders: list[Path], tmp_path: Path) -> None:
    """The probe's targets are sentences: more than a list to choose from has room for."""
    probed = ask_model("probe", "sim/matcher", out=tmp_path, items=150).folder
    both = RunsTable([folders[0], probed])
    assert both.own["wanted"].n_unique() > MOST_VALUES >= len(both.facets["wanted"])
    assert {"1", "2"} <= {value for value, _ in both.facets["wanted"]}
    for chosen in (both, RunsTable([probed])):
        made = figures(chosen, query_from(chosen, {}, ()))["matrix"]
        for place, row in enumerate(made["rows"]):
            for column, many in zip(made["columns"], made["counts"][place], strict=True):
                if many:
                    assert ask(chosen, wanted=column, said=row)["trials"] > 0


def test_disagreement_is_the_share_beside_the_most_common(table: RunsTable) -> None:
    items = every_item(table, sort="disagreement")
    shares = []
    for one in items:
        said = Counter(
            a["said"] if a["state"] == "read" else f"({a['state']})" for a in one["answers"]
        )
        shares.append(1 - max(said.values()) / 3)
    assert shares == sorted(shares, reverse=True)
    assert len(set(shares)) > 1
    found = dict(disagreement(table.own).select("item", "disagreement").iter_rows())
    assert [found[one["item"]] for one in items] == pytest.approx(shares)


def test_two_models_on_the_same_trials(table: RunsTable) -> None:
    first, second = table.models[:2]
    counts = figures(table, query_from(table, {}, (first, second)))["pairs"]
    assert sum(counts.values()) == TRIALS
    for pair in PAIRS:
        found = every_item(table, first, second, pair=pair)
        assert len(found) == counts[pair]
        for one in found:
            right = {a["model"]: bool(a["right"]) for a in one["answers"]}
            wanted = {
                "both-right": (True, True), "only-first": (True, False),
                "only-second": (False, True), "both-wrong": (False, False),
            }[pair]  # fmt: skip
            assert (right[first], right[second]) == wanted


def test_another_reader_reads_without_writing(folders: list[Path], table: RunsTable) -> None:
    before = {
        path: path.read_bytes() for one in folders for path in one.iterdir() if path.is_file()
    }
    every = every_item(table, reader="final")
    assert [one["item"] for one in every] == list(range(TRIALS))
    assert all(len(one["answers"]) == 3 for one in every)
    changed = every_item(table, reader="final", changed="yes")
    expected = set()
    for run in table.runs:
        for trial, model, reply in (
            load_run(run.folder).counted.select("trial", "respondent", "value").iter_rows()
        ):
            question = run.trials[trial].question
            strictly, finally_ = (read_number(reply, one, question) for one in ("strict", "final"))
            if (strictly.state, strictly.value) != (finally_.state, finally_.value):
                expected.add((trial, model))
    found = {(one["trial"], a["model"]) for one in changed for a in one["answers"] if a["fits"]}
    assert found == expected
    assert expected
    answers = [a for one in changed for a in one["answers"] if "before" in a]
    for answer in answers:
        assert answer["before"] != (
            answer["said"] if answer["state"] == "read" else answer["state"]
        )
    assert {path: path.read_bytes() for path in before} == before


def test_what_is_not_there_is_told(table: RunsTable) -> None:
    with pytest.raises(UnknownName, match="sim/nobody"):
        ask(table, "sim/nobody")
    with pytest.raises(UnknownName, match="colour"):
        ask(table, colour="red")
    with pytest.raises(UnknownName, match="order"):
        ask(table, sort="beauty")
    with pytest.raises(UnknownName, match="reader"):
        ask(table, reader="nobody")
    with pytest.raises(BadInput, match="Two models"):
        ask(table, pair="both-right")
    assert ask(table, page="99999")["page"] == ask(table)["pages"] - 1
    assert ask(table, page="-1")["page"] == 0
    assert len(ask(table)["items"]) == PAGE


def test_pictures_come_by_known_ids_only(table: RunsTable, tmp_path: Path) -> None:
    pictures = Pictures(table)
    assert (pictures.shown(0) or b"").startswith(b"\x89PNG")
    assert pictures.shown(TRIALS) is None
    assert pictures.shown(-1) is None
    assert pictures.painted(0) is None  # its answer is text
    painting = RunsTable([make_painting(tmp_path)])
    painted = Pictures(painting)
    rows = painting.own.filter(pl.col("kind") == "picture")["row"].to_list()
    assert rows
    assert all((painted.painted(row) or b"").startswith(b"\x89PNG") for row in rows)
    assert painted.shown(0) is None  # words alone were shown
    others = set(range(painting.own.height)) - set(rows)
    assert all(painted.painted(row) is None for row in others)


@pytest.mark.parametrize("value", ["../run.json", "/etc/passwd", "a" * 64, f"{'a' * 64}.png/../x"])
def test_a_journal_that_names_another_file_opens_none(
    table: RunsTable, value: str, tmp_path: Path
) -> None:
    painting = RunsTable([make_painting(tmp_path)])
    painting.own = painting.own.with_columns(value=pl.lit(value))
    assert all(Pictures(painting).painted(row) is None for row in range(painting.own.height))
