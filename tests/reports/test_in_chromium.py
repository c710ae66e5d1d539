"""The report in a real browser: nothing runs, nothing is fetched, nothing sticks out."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from subitize.benchmarks.catalog import page_of
from subitize.reports.build import build_report
from subitize.reports.page import plain
from subitize.runs.stored import StoredRun
from tests.reports.made_up_runs import NASTY

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [pytest.mark.budget(90), pytest.mark.timeout(240)]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    path = os.environ.get("SUBITIZE_CHROMIUM") or shutil.which("chromium")
    if not path:
        pytest.skip("no Chromium found: install it, or set SUBITIZE_CHROMIUM to its path")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def report(
    good_runs: list[StoredRun], nasty_run: StoredRun, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    runs = [*good_runs[:2], nasty_run]
    return build_report(runs, tmp_path_factory.mktemp("report") / "report.html", page_of)


class Visit:
    """One look at the page, with everything the browser complained about or asked for."""

    def __init__(self, browser: Any, report: Path, width: int, **options: Any) -> None:
        self.page = browser.new_page(viewport={"width": width, "height": 900}, **options)
        self.requests: list[str] = []
        self.messages: list[str] = []
        self.page.route("**/*", self._only_the_file)
        self.page.on("console", lambda message: self.messages.append(message.text))
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))
        self.page.on("dialog", lambda dialog: self.messages.append(dialog.message))
        self.report = report
        self.page.goto(report.as_uri())

    def _only_the_file(self, route: Any) -> None:
        if route.request.url.startswith("data:"):
            route.continue_()
            return
        self.requests.append(route.request.url)
        if route.request.url == self.report.as_uri():
            route.continue_()
        else:
            route.abort()

    def clean(self) -> bool:
        assert self.messages == []
        assert self.requests == [self.report.as_uri()]
        return True


@pytest.fixture(params=[1280, 390])
def visit(request: pytest.FixtureRequest, browser: Any, report: Path) -> Iterator[Visit]:
    found = Visit(browser, report, request.param)
    yield found
    found.page.close()


def test_no_error_no_request_no_sideways_scroll(visit: Visit) -> None:
    page = visit.page
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    page.mouse.wheel(0, 100_000)
    page.wait_for_timeout(200)
    width = page.viewport_size["width"]
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate("document.images.length") > 20
    assert page.evaluate("[...document.images].every(i => i.complete && i.naturalWidth > 0)")
    assert page.locator("figure.drawing svg").count() == 6
    assert visit.clean()


def test_replies_are_text_and_do_not_run(visit: Visit) -> None:
    page = visit.page
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    for element in page.locator(".reply").all()[:40]:
        element.click()
    assert page.evaluate("window.pwned") is None
    shown = "\n".join(page.locator("main").all_text_contents())
    for reply in NASTY[:5]:
        assert plain(reply) in shown, reply
    assert page.locator("h1 ~ script, main script, iframe, object, embed, base, form").count() == 0
    assert page.locator("a[href^='javascript']").count() == 0
    assert page.locator("main img:not([src^='data:image/png'])").count() == 0
    assert page.evaluate(
        "[...document.querySelectorAll('*')].every("
        "e => ![...e.attributes].some(a => a.name.startsWith('on')))"
    )
    assert visit.clean()


def test_no_script_runs_even_if_it_got_in(browser: Any, report: Path) -> None:
    """The page's policy is a second wall: a script put in by force is refused."""
    broken = report.with_name("broken.html")
    text = report.read_text("utf-8")
    broken.write_text(text.replace("<main>", "<main><script>window.pwned=1</script>"), "utf-8")
    visit = Visit(browser, broken, 800)
    assert visit.page.evaluate("window.pwned") is None
    assert any("Content Security Policy" in message for message in visit.messages)
    visit.page.close()


def test_a_click_on_a_heading_sorts(visit: Visit) -> None:
    page = visit.page
    table = page.locator("#naming-leaderboard table")
    column = table.locator("thead th", has_text="Accuracy")
    place = column.evaluate("e => e.cellIndex")
    for order in ("ascending", "descending"):
        column.locator("button").click()
        assert column.get_attribute("aria-sort") == order
        keys = table.evaluate(
            "(t, place) => [...t.tBodies[0].rows].map(r => r.cells[place].dataset.key)", place
        )
        values = [float(key) for key in keys if key]
        assert len(values) > 5
        assert values == sorted(values, reverse=order == "descending")
        assert keys[len(values) :] == [""] * (len(keys) - len(values))


def test_links_lead_to_files_and_sections(browser: Any, report: Path) -> None:
    visit = Visit(browser, report, 1280)
    links = visit.page.evaluate("[...document.links].map(a => a.getAttribute('href'))")
    visit.page.close()
    ids = {link[1:] for link in links if link.startswith("#")}
    text = report.read_text("utf-8")
    assert ids
    assert all(f'id="{name}"' in text for name in ids)
    files = [link for link in links if not link.startswith("#")]
    assert files
    assert all((report.parent / link).is_file() for link in files)


def test_dark_and_print_stay_readable(browser: Any, report: Path) -> None:
    visit = Visit(browser, report, 1280, color_scheme="dark")
    card = visit.page.locator("figure.drawing .card").first
    assert card.evaluate("e => getComputedStyle(e).backgroundColor") == "rgb(255, 255, 255)"
    assert (
        visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
        != "rgb(255, 255, 255)"
    )
    visit.page.emulate_media(media="print")
    assert not visit.page.locator("nav").is_visible()
    visit.page.close()
