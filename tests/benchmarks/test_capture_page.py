"""The page of CAPTURE, from real runs of built-in models and a server."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from subitize.benchmarks.capture import page_figures as figures
from subitize.benchmarks.catalog import page_of
from subitize.published import capture as paper
from subitize.reports.build import build_report
from subitize.reports.charts import row_name
from subitize.reports.narrow import narrowed
from subitize.reports.respondents import respondents_from
from subitize.reports.style import styled
from tests.benchmarks.capture_runs import ask, question_of, replying
from tests.chat_server import ChatServer
from tests.reports.embedded import files_of, rows_of
from tests.scored import load_run

NASTY = "<script>alert(1)</script> I count 9 in all.\nConfidence: 80%"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("capture")
    given: dict[str, Any] = {"items": 25, "size": 256, "help": ("inpainted", "visible-count")}
    folders = [
        ask(out, model=model, settings=given)[0].folder
        for model in ("counter/blobs", "counter/pattern", "sim/observer", "sim/refuser")
    ]

    def answer(body: dict[str, Any]) -> str:
        return "(A)" if "(A)" in question_of(body) else NASTY

    asked = {**given, "items": 5, "confidence": "asked", "prompt": "best"}
    with ChatServer(replying(answer)) as server:
        folders.append(ask(out, url=server.url, settings=asked)[0].folder)
    return build_report([load_run(folder) for folder in folders], out / "report.html", page_of)


def table(report: Path, name: str) -> list[dict[str, str]]:
    return rows_of(report, f"{name}.csv")


def test_the_leaderboard_holds_runs_and_the_paper_sorted_by_occluded_error(report: Path) -> None:
    lines = table(report, "capture-synthetic-leaderboard")
    errors = [float(line["smape_occluded"]) for line in lines]
    assert errors == sorted(errors)
    by_model = {line["model"]: line for line in lines}
    assert lines[0]["model"] == "counter/pattern"
    assert by_model["GPT-4o"]["smape_occluded"] == "9.71"
    assert by_model["GPT-4o"]["mark"] == "published"
    assert float(by_model["GPT-4o"]["price"]) == pytest.approx(3.81)
    assert by_model["Human"]["smape_occluded"] == "0.92"
    assert "CountGD" not in by_model  # real pictures only
    assert by_model["sim/refuser"]["smape_occluded"] == "100.0"
    assert by_model["sim/refuser"]["skipped"] == "1.0"
    shares = [by_model["sim/observer"][f"exact_occluded{end}"] for end in ("_low", "", "_high")]
    low, exact, high = map(float, shares)
    assert 0.1 < low < exact < high < 1  # a share, as not_read and skipped are
    page = report.read_text()
    assert ">Exactly right<" in page
    assert f">{100 * exact:.1f} %<" in page


def test_help_and_breakdowns_are_files_too(report: Path) -> None:
    helps = {
        (line["model"], line["help"]): line for line in table(report, "capture-synthetic-help")
    }
    assert float(helps["counter/blobs", "inpainted"]["effect_high"]) < 0
    assert helps["counter/blobs", "inpainted"]["with_trials"] == "25"
    assert helps["Qwen2", "chain-of-thought"]["with"] == "37.81"
    by_hidden = table(report, "capture-synthetic-by-hidden")
    levels = [int(line["hidden"]) for line in by_hidden]
    assert levels == sorted(levels)
    assert {1, 6} <= set(levels) <= set(range(1, 7))
    assert sum(float(line["pictures"]) for line in by_hidden) == 25


def test_every_published_number_is_in_the_page(report: Path) -> None:
    printed = {
        value
        for line in table(report, "capture-published")
        for key, value in line.items()
        if "occluded" in key
    }
    assert {str(row.value) for row in paper.ROWS} <= printed


def test_figures_and_pictures_are_there(report: Path) -> None:
    page = report.read_text("utf-8")
    for name in ("price", "by-facts", "hybrid", "confusion", "reliability"):
        assert len(files_of(report)[f"capture-synthetic-{name}.svg"]) > 1000
    assert page.count("data:image/png;base64,") >= 20
    assert "unoccluded" in page
    assert "not comparable" in page


def test_a_reply_can_not_run(report: Path) -> None:
    page = report.read_text("utf-8")
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert not re.search(r"<script>alert", page)


def test_the_key_figure_says_who_fails_with_the_number_hidden(report: Path) -> None:
    page = report.read_text("utf-8")
    told = re.search(r"counter/pattern: sMAPE ([\d.]+) with 1 hidden, ([\d.]+) with 6", page)
    assert told is not None
    assert told.groups() == ("0.0", "0.0")
    blobs = re.search(r"counter/blobs: sMAPE ([\d.]+) with 1 hidden, ([\d.]+) with 6", page)
    assert blobs is not None
    assert float(blobs[2]) > 2 * float(blobs[1]) > 0


def test_a_run_of_one_task_has_a_page_too(tmp_path: Path) -> None:
    outcome, _ = ask(tmp_path, model="sim/chatty", settings={"tasks": ("pattern",)})
    runs = [load_run(outcome.folder)]
    page = build_report(runs, tmp_path / "one.html", page_of).read_text("utf-8")
    assert "Only the hidden ones" in page
    tasks = {
        line["model"]: line for line in table(tmp_path / "one.html", "capture-synthetic-tasks")
    }
    scored = runs[0].scores["pattern"]["occluded"]["trials"]
    assert tasks["sim/chatty"]["pattern_occluded_trials"] == str(scored)
    assert "100.00" in page


@pytest.mark.parametrize("models", [figures.MOST_OVERLAID, figures.MOST_OVERLAID + 1])
def test_many_models_do_not_share_a_panel(tmp_path: Path, models: int) -> None:
    labels = [f"sim/observer?w={n / 20}" for n in range(1, models + 1)]
    runs = [load_run(ask(tmp_path, model=label)[0].folder) for label in labels]
    respondents = respondents_from(runs, lambda scores: scores["smape"]["occluded"]["value"])
    with styled():
        figure = figures.by_facts("synthetic", respondents)
        assert figure is not None
        drawn = figure.draw()
        every = [len(axes.containers) for axes in drawn.axes]
        named = [name for axes in drawn.axes if (name := row_name(axes))]
        wide = drawn.get_figwidth()
        assert narrowed(drawn)
    facts = len(figures.DRAWN)
    if models > figures.MOST_OVERLAID:
        assert every == [1] * models * facts
        assert sorted(named) == sorted(labels)
    else:
        assert every == [models] * facts
        assert not named
    assert drawn.get_figwidth() < wide
