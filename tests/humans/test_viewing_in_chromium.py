"""The viewer in a real browser: replies stay text, marks open trials, the copy says the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

import orjson
import pytest

from subitize.api import run
from subitize.humans.viewing import make_site, viewer
from subitize.humans.viewing_bundle import write_bundle
from subitize.humans.viewing_query import PAGE, figures, query_from, trials_page
from subitize.humans.viewing_table import RunsTable
from subitize.humans.web import in_thread
from tests.browsing import DESKTOP, PHONE, Visit
from tests.humans.viewed import TRIALS, make_painting, make_runs
from tests.reports.made_up_runs import NASTY
from tests.serving import files_of

pytestmark = [pytest.mark.xdist_group("browser"), pytest.mark.budget(20)]
QUERIES = (
    {}, {"sort": "disagreement"}, {"sort": "error", "category": "dots"}, {"page": "2"},
    {"search": "<script> PWNED"}, {"search": "about"}, {"state": "vague"}, {"said": "–"},
    {"wanted": "5", "said": "4"}, {"right": "no", "wanted": "6"},
)  # fmt: skip


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return make_runs(tmp_path_factory.mktemp("viewed"))


@pytest.fixture(scope="module")
def table(folders: list[Path]) -> RunsTable:
    return RunsTable(folders)


@pytest.fixture(scope="module")
def served(table: RunsTable) -> Iterator[tuple[str, str]]:
    """Where the viewer is, and the way in."""
    site = make_site()
    with in_thread(viewer(table, site)) as base:
        yield base, f"{base}/?token={site.token}"


@pytest.fixture(scope="module")
def bundled(table: RunsTable, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where any file server shows the copy."""
    folder = write_bundle(table, tmp_path_factory.mktemp("copy") / "bundle").parent
    with files_of(folder) as address:
        yield address


@pytest.fixture(params=[DESKTOP, PHONE])
def visit(request: pytest.FixtureRequest, browser: Any, served: tuple[str, str]) -> Iterator[Visit]:
    with Visit(browser, request.param) as found:
        found.page.goto(served[1])
        settled(found.page)
        yield found


def settled(page: Any) -> None:
    page.wait_for_selector("#trials[aria-busy=false]")


def shown(page: Any) -> list[str]:
    found: list[str] = page.eval_on_selector_all(".trial", "all => all.map(e => e.dataset.trial)")
    return found


def expected(table: RunsTable, models: tuple[str, ...] = (), **given: str) -> list[str]:
    page = trials_page(table, query_from(table, given, models))
    return [one["trial"] for one in page["items"]]


def test_pictures_are_there_and_nothing_sticks_out(visit: Visit, served: tuple[str, str]) -> None:
    page = visit.page
    assert page.locator(".trial").count() == 20
    for image in page.locator(".trial img").all():
        image.scroll_into_view_if_needed()
        image.evaluate("e => e.decode()")
    assert page.evaluate(
        "[...document.images].every(i => i.getAttribute('src') === null || i.naturalWidth > 0)"
    )
    assert visit.fits()
    page.locator(".trial .picture").first.click()
    page.locator("#large img").evaluate("e => e.decode()")
    assert page.locator("#large").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("#large").is_visible()
    assert "token" not in page.url
    assert visit.clean(served[0])


def test_replies_are_text_and_do_not_run(visit: Visit, served: tuple[str, str]) -> None:
    page = visit.page
    said = []
    for place in range(TRIALS // 20):
        page.goto(f"{served[0]}/?page={place}")
        settled(page)
        said += page.locator(".reply").all_text_contents()
    for reply in NASTY[:4]:
        assert any(one.startswith(reply) for one in said), reply
    assert page.evaluate("window.pwned") is None
    assert page.locator("main script, iframe, object, embed, svg[onload]").count() == 0
    assert page.evaluate(
        "[...document.querySelectorAll('*')].every("
        "e => ![...e.attributes].some(a => a.name.startsWith('on')))"
    )
    assert visit.fits()
    assert visit.clean(served[0])


def test_no_script_runs_even_if_it_got_in(browser: Any, served: tuple[str, str]) -> None:
    with Visit(browser, DESKTOP) as visit:
        visit.page.goto(served[1])
        settled(visit.page)
        visit.page.evaluate(
            "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=window.pwned=1>');"
            "const made = document.createElement('script'); made.textContent = 'window.pwned = 2';"
            "document.body.append(made)"
        )
        visit.page.wait_for_timeout(200)
        assert visit.page.evaluate("window.pwned") is None
        assert any("Content Security Policy" in one for one in visit.messages)


def test_choices_lead_to_their_trials(visit: Visit, table: RunsTable) -> None:
    page = visit.page
    page.select_option("select[name=category]", "dots")
    page.wait_for_url("**/?*category=dots*")
    settled(page)
    page.wait_for_selector(".trial:nth-child(12):last-child")
    assert shown(page) == expected(table, category="dots")
    page.fill("input[name=search]", "pwned")
    page.wait_for_url("**search=pwned*")
    settled(page)
    assert shown(page) == expected(table, category="dots", search="pwned")
    page.reload()
    settled(page)
    assert page.input_value("input[name=search]") == "pwned"
    assert shown(page) == expected(table, category="dots", search="pwned")
    page.go_back()
    settled(page)
    page.click("#reset")
    page.wait_for_url("**/?")
    settled(page)
    assert shown(page) == expected(table)
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**page=1")
    settled(page)
    assert shown(page) == expected(table, page="1")


def test_cells_and_marks_open_their_trials(visit: Visit, table: RunsTable) -> None:
    page = visit.page
    page.evaluate("document.getElementById('figures').open = true")
    off = page.locator(".matrix td:not(.right) a").first
    many = int(off.inner_text())
    address = off.get_attribute("href")
    given = dict(parse_qsl(str(address).removeprefix("?")))
    off.click()
    page.wait_for_url(f"**{address}")
    settled(page)
    assert shown(page) == expected(table, **given)
    assert trials_page(table, query_from(table, given, ()))["answers"] >= many
    page.click("#reset")
    settled(page)
    mark = page.locator(".figures svg a").nth(3)
    address = str(mark.get_attribute("href"))
    mark.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: url.endswith(address))
    settled(page)
    given = dict(parse_qsl(address.removeprefix("?")))
    assert shown(page) == expected(table, (given.pop("model"),), **given)


def test_two_models_side_by_side(visit: Visit, table: RunsTable) -> None:
    page = visit.page
    page.evaluate("document.getElementById('figures').open = true")
    for place in (0, 1):
        page.locator("#models label").nth(place).click()
        settled(page)
    row = page.locator(".pairs tr").nth(2)
    page.wait_for_selector(".pairs")
    row.locator("a").click()
    page.wait_for_url("**pair=only-second*")
    settled(page)
    models = tuple(table.models[:2])
    assert shown(page) == expected(table, models, pair="only-second")
    names = page.locator(".trial").first.locator(".who b").all_text_contents()
    assert set(names) == set(models)


def test_another_reader_tells_what_changed(visit: Visit, table: RunsTable) -> None:
    page = visit.page
    page.select_option("select[name=reader]", "final")
    page.wait_for_url("**reader=final*")
    settled(page)
    page.fill("input[name=search]", "about")
    page.wait_for_url("**search=about*")
    settled(page)
    assert shown(page) == expected(table, reader="final", search="about")
    assert "the run's reader: vague" in "\n".join(page.locator(".why").all_text_contents())


def test_the_copy_without_a_server_says_the_same(
    browser: Any, bundled: str, table: RunsTable
) -> None:
    first, second = table.models[:2]
    with Visit(browser, DESKTOP) as visit:
        page = visit.page
        asked: list[tuple[tuple[str, ...], dict[str, str]]] = [((), one) for one in QUERIES]
        asked += [((first, second), {"pair": "only-first"}), ((second,), {"right": "yes"})]
        for models, given in asked:
            query = query_from(table, given, models)
            wanted = trials_page(table, query)
            address = urlencode([*(("model", one) for one in models), *given.items()])
            page.goto(f"{bundled}/index.html?{address}")
            settled(page)
            assert shown(page) == [one["trial"] for one in wanted["items"]], address
            about = page.inner_text("#about")
            assert f"{wanted['trials']} trial" in about
            assert f"{wanted['answers']} answers" in about
            fits = page.eval_on_selector_all(
                ".answer:not(.beside)", "all => all.map(e => +e.dataset.row)"
            )
            assert fits == [
                a["row"] for one in wanted["items"] for a in one["answers"] if a["fits"]
            ]
            marks = figures(table, query)
            cells = page.locator(".matrix a").all_text_contents()
            counts = [n for row in reversed(marks["matrix"]["counts"]) for n in row if n]
            assert [int(one) for one in cells] == counts
            assert page.locator(".figures svg a").count() == len(marks["means"])
            ended = page.locator(".states td.number").all_text_contents()
            assert [int(one) for one in ended] == [one["answers"] for one in marks["states"]]
        for image in page.locator(".trial img").all()[:3]:
            image.scroll_into_view_if_needed()
            image.evaluate("e => e.decode()")
        assert visit.clean(bundled)


def test_a_copy_opened_as_a_file_says_what_it_needs(
    browser: Any, table: RunsTable, tmp_path: Path
) -> None:
    copy = write_bundle(table, tmp_path / "copy")
    with Visit(browser, PHONE) as visit:
        visit.page.goto(copy.as_uri())
        visit.page.wait_for_selector("text=python -m http.server", state="visible")
        assert visit.fits()
    with files_of(copy.parent) as base, Visit(browser, PHONE) as visit:
        visit.page.goto(f"{base}/index.html")
        settled(visit.page)
        assert visit.page.locator("text=http.server").count() == 0


def test_sentences_make_no_matrix_and_what_has_no_picture_no_frame(
    browser: Any, tmp_path: Path
) -> None:
    probed = run("probe", "sim/matcher", out=tmp_path, items=20).folder
    prompted = run("geckonum", "painter/shapes", out=tmp_path, counter="none", limit=20,
                   types=("approx-1-entity",), tasks=("2",), seeds=1).folder  # fmt: skip
    site = make_site()
    with (
        in_thread(viewer(RunsTable([probed, prompted]), site)) as base,
        Visit(browser, DESKTOP) as visit,
    ):
        page = visit.page
        page.goto(f"{base}/?token={site.token}&benchmark=probe")
        settled(page)
        assert page.locator("#figures table").count() == 1
        assert page.locator(".matrix").count() == 0
        assert page.locator(".trial > .picture img").count() == PAGE
        page.goto(f"{base}/?benchmark=geckonum")
        settled(page)
        refused = page.locator(".trial:not(:has(.picture))")
        assert refused.count() > 0
        assert "no picture" in refused.first.inner_text()
        assert visit.clean(base)


def test_painted_pictures_are_shown_and_hidden_ones_stay_out(browser: Any, tmp_path: Path) -> None:
    folder = make_painting(tmp_path)
    table = RunsTable([folder])
    site = make_site()
    with in_thread(viewer(table, site)) as base, Visit(browser, DESKTOP) as visit:
        visit.page.goto(f"{base}/?token={site.token}")
        settled(visit.page)
        assert visit.page.locator(".picture.made img").count() >= 2
        visit.page.locator(".picture.made img").first.evaluate("e => e.decode()")
        assert visit.clean(base)
    painted = [v for k, v in table.own.select("kind", "value").iter_rows() if k == "picture"]
    whole = write_bundle(table, tmp_path / "whole").parent
    assert {one.name for one in (whole / "pictures").iterdir()} == set(painted)
    (folder / "excluded.json").write_bytes(orjson.dumps({painted[0]: "shows nothing"}))
    (folder / "faces.json").write_bytes(orjson.dumps([painted[1]]))
    part = write_bundle(RunsTable([folder]), tmp_path / "part").parent
    left = {one.name for one in (part / "pictures").iterdir()}
    assert left == set(painted) - {painted[0], painted[1]}
