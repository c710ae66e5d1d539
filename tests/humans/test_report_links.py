"""From a report into the viewer: every linked mark of a figure opens exactly its trials."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from typer.testing import CliRunner

from subitize.api import run
from subitize.cli import main, root
from subitize.humans.viewing_query import fitting, query_from, scope, trials_page
from subitize.humans.viewing_table import RunsTable
from tests.browsing import DESKTOP, Visit, serious
from tests.humans.viewed import make_runs
from tests.reports.embedded import rows_of
from tests.scored import load_run
from tests.serving import files_of

pytestmark = [pytest.mark.xdist_group("browser"), pytest.mark.budget(40)]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return make_runs(tmp_path_factory.mktemp("linked"))


@pytest.fixture(scope="module")
def site(folders: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report and the viewer's copy beside it, as commands write them."""
    place = tmp_path_factory.mktemp("site")
    runs = list(map(str, folders))
    under = place / "some" / "where"
    for words in (
        ["view", *runs, "--bundle", str(under / "view")],
        ["report", *runs, "--out", str(under / "report.html"), "--viewer", "view/index.html"],
        ["report", *runs, "--out", str(under / "plain.html")],
    ):
        assert CliRunner().invoke(root, words).exit_code == 0
    return place


@pytest.fixture(scope="module")
def base(site: Path) -> Iterator[str]:
    """A plain file server, whose root is further up."""
    with files_of(site) as address:
        yield f"{address}/some/where"


def links_of(site: Path, name: str) -> list[dict[str, str]]:
    text = (site / "some" / "where" / name).read_text("utf-8")
    found = re.findall(r'<a href="([^"]+)" tabindex="-1" aria-label="Trials', text)
    return [dict(parse_qsl(urlsplit(unescape(one)).query)) for one in found]


def test_every_link_opens_the_trials_that_the_mark_counts(site: Path, folders: list[Path]) -> None:
    table = RunsTable(folders)
    links = links_of(site, "report.html")
    told = {
        (row["model"], row["category"], row["target"], row["response"]): int(row["replies"])
        for row in rows_of(site / "some" / "where" / "report.html", "naming-confusion.csv")
    }
    models = {run.folder.name: str(run.info["model"]["name"]) for run in table.runs}
    cells: dict[tuple[str, ...], int] = {}
    for one in links:
        query = query_from(table, one, ())
        every = scope(table, query)
        many = int(fitting(every, query).sum())
        assert many > 0, one
        assert trials_page(table, query)["trials"] > 0
        if "said" in one and "category" in one:
            key = (models[one["run"]], one["category"], one["wanted"], one["said"])
            cells[key] = many
    assert len(cells) > 50
    assert {key: told[key] for key in cells} == cells
    names = {"run", "wanted", "said", "off", "category", "state"}  # state: of means and spreads
    assert {name for one in links for name in one} >= names


def test_capture_s_marks_open_their_trials(tmp_path: Path) -> None:
    made = run("capture", "sim/observer", out=tmp_path, items=60, prompt="as-if-no-box",
               tasks=("total",)).folder  # fmt: skip
    words = ["report", str(made), "--out", str(tmp_path / "some" / "where" / "report.html")]
    assert CliRunner().invoke(root, [*words, "--viewer", "view/index.html"]).exit_code == 0
    table, cells, points = RunsTable([made]), 0, Counter[str]()
    # A figure may stand in two places: each address once.
    for one in map(
        dict, dict.fromkeys(tuple(x.items()) for x in links_of(tmp_path, "report.html"))
    ):
        query = query_from(table, one, ())
        every = scope(table, query)
        assert set(every["variant"]) == {"occluded"}, one
        assert fitting(every, query).sum() > 0, one
        if "said" in one:
            cells += int(fitting(every, query).sum())
        elif "off" not in one:
            (fact,) = one.keys() - {"run", "stage", "variant"}
            points[fact] += every.height
    # Every picture is in one cell (or in the row of what is above all), and at one mark per fact.
    assert 0 < cells <= 60
    assert points == {"hidden": 60, "wanted": 60, "arrangement": 60}


@pytest.mark.parametrize("task", ["counting", "mlm", "vqa"])
def test_the_probe_s_marks_open_their_trials(task: str, tmp_path: Path) -> None:
    made = run("probe", "sim/perfect", out=tmp_path, task=task, items=40).folder
    words = ["report", str(made), "--out", str(tmp_path / "some" / "where" / "report.html")]
    assert CliRunner().invoke(root, [*words, "--viewer", "view/index.html"]).exit_code == 0
    table = RunsTable([made])
    shown = {one["n"]: scope(table, query_from(table, one, ())).height
             for one in links_of(tmp_path, "report.html")}  # fmt: skip
    own = load_run(made)
    asked = Counter(map(str, own.counted["n"]))
    assert shown == {n: asked[n] for n in own.scores["numbers"]}
    assert len(shown) > 3


def test_without_a_viewer_nothing_leads_anywhere(site: Path) -> None:
    assert links_of(site, "plain.html") == []
    text = (site / "some" / "where" / "plain.html").read_text("utf-8")
    assert 'xlink:href="view' not in text
    assert "in the viewer" not in text
    with pytest.raises(SystemExit) as ended:
        main(["report", str(site), "--viewer", "javascript:alert(1)"])
    assert ended.value.code == 2


def test_a_cell_is_pressed_and_its_trials_are_there(
    browser: Any, axe: str, base: str, folders: list[Path]
) -> None:
    table = RunsTable(folders)
    with Visit(browser, DESKTOP) as visit:
        page = visit.page
        page.goto(f"{base}/report.html#naming-matrices")
        page.eval_on_selector_all("details", "all => all.forEach(e => { e.open = true; })")
        assert serious(page, axe) == []
        for mark in ("said=5", "state=read"):  # a cell, and a point
            link = page.locator(f"svg a[href*='{mark}']").first
            chosen = dict(parse_qsl(urlsplit(link.get_attribute("href")).query))
            link.scroll_into_view_if_needed()
            box = link.bounding_box()
            with visit.context.expect_page() as opened:
                page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            there = opened.value
            there.wait_for_selector("#trials[aria-busy=false]")
            shown = there.eval_on_selector_all(".trial", "all => all.map(e => e.dataset.trial)")
            wanted = trials_page(table, query_from(table, chosen, ()))
            assert shown == [one["trial"] for one in wanted["items"]]
            assert shown
        for query in ("off=-1", "off=>=1", "off=<=-1&category=dots", f"run={folders[1].name}"):
            there.goto(f"{base}/view/index.html?{query}")
            there.wait_for_selector("#trials[aria-busy=false]")
            shown = there.eval_on_selector_all(".trial", "all => all.map(e => e.dataset.trial)")
            wanted = trials_page(table, query_from(table, dict(parse_qsl(query)), ()))
            assert shown == [one["trial"] for one in wanted["items"]], query
