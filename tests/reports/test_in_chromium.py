"""The report in a real browser: nothing runs, nothing is fetched, nothing sticks out."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from subitize.benchmarks.catalog import page_of
from subitize.reports.build import build_report
from subitize.reports.page import plain
from subitize.runs.stored import StoredRun
from tests.browsing import serious, unhurried
from tests.reports.embedded import files_of, rows_of
from tests.reports.made_up_runs import NASTY, changed, rescored

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [pytest.mark.budget(90)]


TOO_WIDE = """() => {
  for (const one of document.querySelectorAll("main > article")) one.removeAttribute("hidden");
  for (const one of document.querySelectorAll("details")) one.open = true;
  return [...document.querySelectorAll("figure.table")].filter((one) => {
    const box = one.querySelector(".scroll");
    return one.querySelector("table").scrollWidth > box.clientWidth + 1;
  }).map((one) => one.id);
}"""
"""tables that stick out of their place"""


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
        size = {"width": width, "height": 900}
        self.page = unhurried(browser.new_page(viewport=size, **options))
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
        if route.request.url.partition("#")[0] == self.report.as_uri():
            route.continue_()
        else:
            route.abort()

    def open_everything(self) -> None:
        """Every page and everything that is folded, in sight."""
        self.page.evaluate("document.querySelectorAll('[hidden]').forEach(e => e.hidden = false)")
        self.page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")

    def clean(self) -> bool:
        assert self.messages == []
        assert {url.partition("#")[0] for url in self.requests} == {self.report.as_uri()}
        return True


@pytest.fixture(params=[1280, 390])
def visit(request: pytest.FixtureRequest, browser: Any, report: Path) -> Iterator[Visit]:
    found = Visit(browser, report, request.param)
    yield found
    found.page.close()


def test_no_error_no_request_no_sideways_scroll(visit: Visit) -> None:
    page = visit.page
    visit.open_everything()
    page.mouse.wheel(0, 100_000)
    page.wait_for_timeout(200)
    width = page.viewport_size["width"]
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate("document.images.length") > 20
    assert page.evaluate("[...document.images].every(i => i.complete && i.naturalWidth > 0)")
    assert page.locator("figure.drawing").count() == 7
    assert visit.clean()


def test_every_table_fits_a_desk(browser: Any, good_runs: list[StoredRun], tmp_path: Path) -> None:
    report = build_report(good_runs, tmp_path / "report.html", page_of)
    page = Visit(browser, report, 1280).page
    assert not page.evaluate(TOO_WIDE)
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 1032, "height": 700})  # A4 landscape within its margins
    assert not page.evaluate(TOO_WIDE)
    page.close()


def test_replies_are_text_and_do_not_run(visit: Visit) -> None:
    page = visit.page
    visit.open_everything()
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
    page.evaluate("location.hash = 'naming-leaderboard'")
    table = page.locator("#naming-leaderboard table")
    column = table.locator("thead th", has_text="Accuracy")
    place = column.evaluate("e => e.cellIndex")
    for order in ("ascending", "descending"):
        column.locator("button").click()
        assert column.get_attribute("aria-sort") == order
        keys = table.evaluate(
            "(t, place) => [...t.tBodies[0].rows].filter(r => r.className !== 'group')"
            ".map(r => r.cells[place].dataset.key)",
            place,
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
    assert len(files) > 20
    assert all(link.startswith(("data:text/csv;", "data:image/svg+xml;")) for link in files)


def test_a_link_saves_its_file(browser: Any, report: Path, tmp_path: Path) -> None:
    visit = Visit(browser, report, 1280)
    visit.page.locator(".tabs a", has_text="Numerosity naming").click()
    with visit.page.expect_download() as waiting:
        visit.page.locator("#naming-leaderboard a.file", has_text="CSV").click()
    waiting.value.save_as(tmp_path / "saved.csv")
    visit.page.close()
    assert waiting.value.suggested_filename == "naming-leaderboard.csv"
    assert (tmp_path / "saved.csv").read_bytes() == files_of(report)["naming-leaderboard.csv"]


def test_one_page_at_a_time_and_all_of_them_without_scripts(browser: Any, report: Path) -> None:
    visit = Visit(browser, report, 1280)
    page, tabs = visit.page, visit.page.locator(".tabs a")
    names = [tab.get_attribute("href")[1:] for tab in tabs.all()]

    def shown(page: Any) -> list[str]:
        return [name for name in names if page.locator(f"#{name} h2").is_visible()]

    assert names[0] == "overview"
    assert names[-1] == "citations"
    assert shown(page) == ["overview"]
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert shown(page) == [names[1]]
    assert tabs.nth(1).get_attribute("aria-current") == "page"
    page.goto(f"{report.as_uri()}#naming-methods")
    assert shown(page) == ["naming"]
    page.emulate_media(media="print")
    assert shown(page) == names
    assert visit.clean()
    page.close()
    scriptless = Visit(browser, report, 390, java_script_enabled=False)
    assert shown(scriptless.page) == names
    assert scriptless.page.locator("button.copy:visible").count() == 0
    scriptless.page.close()


COPIED = """async () => {
  const found = {};
  let last = "";
  navigator.clipboard.writeText = async (text) => { last = text; };
  for (const button of document.querySelectorAll("button[data-copy=latex]")) {
    button.click();
    await new Promise((done) => setTimeout(done));
    found[button.closest("figure").id] = last;
  }
  return found;
}"""
"""every table as LaTeX, by the table's name"""
OWN_LETTERS = set("“”‘’„–—°§éäöüß")
"""letters beyond ASCII that LaTeX has by itself"""


def latex_faults(table: str) -> list[str]:
    """What would stop LaTeX at a copied table, or print other words than the page has."""
    first, *inner, last, end = table.splitlines()
    heads = re.fullmatch(r"\\begin\{tabular\}\{([lr]+)\}", first)
    if not heads or (last, end) != ("\\bottomrule", "\\end{tabular}"):
        return [first, last, end]
    found = []
    for line in inner:
        if line in ("\\toprule", "\\midrule"):
            continue
        words = re.sub(
            r"\\[&%$#_{}]|\\(textbackslash|textasciitilde|textasciicircum|dots)\{\}|\\,", "", line
        )
        words = re.sub(r"\$(-|<|>|\||\\[a-z]+|[\^_]\d)\$", "", words.removesuffix(" \\\\"))
        if part := re.fullmatch(r"\\multicolumn\{(\d+)\}\{l\}\{([^{}]*)\}", words):
            columns, words = int(part[1]), part[2]
        else:
            columns = words.count("&") + 1
        wrong = set(re.findall(r"[\\%$#_^<>|]|[^\x00-\x7f]", words)) - OWN_LETTERS
        if columns != len(heads[1]) or wrong or line.startswith(("[", "*")):
            found.append(f"{sorted(wrong)}: {line}")
    return found


def test_every_table_can_be_copied_as_latex(browser: Any, report: Path) -> None:
    visit = Visit(browser, report, 1280)
    visit.page.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
    visit.page.evaluate(
        "for (const a of document.querySelectorAll('main > article')) a.hidden = false"
    )
    tables = visit.page.evaluate(COPIED)
    visit.page.close()
    assert len(tables) > 10
    assert not {name: wrong for name, table in tables.items() if (wrong := latex_faults(table))}


def test_buttons_copy_bibtex_latex_and_the_methods(browser: Any, report: Path) -> None:
    visit = Visit(browser, report, 1280)
    page = visit.page
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text }")

    def copied(place: str) -> str:
        page.evaluate(f"location.hash = '{place}'")
        page.locator(f"#{place} button.copy:visible").first.click()
        page.wait_for_function("window.copied")
        return str(page.evaluate("[window.copied, window.copied = ''][0]"))

    assert copied("citations-section").startswith("@article{testolin2025visual,")
    latex = copied("naming-leaderboard")
    assert latex.startswith("\\begin{tabular}{")
    assert latex.count(" \\\\\n") >= len(rows_of(report, "naming-leaderboard.csv"))
    assert "\\%" in latex
    assert not latex_faults(latex)
    assert copied("naming-methods").startswith("We ran the benchmark naming")
    page.close()


def test_every_figure_fits_the_screen_in_one_layout(visit: Visit) -> None:
    visit.open_everything()
    drawings = visit.page.locator("figure.drawing")
    for place in range(drawings.count()):
        one = drawings.nth(place)
        shown = [svg for svg in one.locator("svg").all() if svg.is_visible()]
        assert len(shown) == 1
        assert one.evaluate("f => f.querySelector('.card').scrollWidth <= f.clientWidth"), place


def test_no_letters_of_a_figure_are_smaller_than_ten_pixels(visit: Visit) -> None:
    visit.open_everything()
    sizes = visit.page.evaluate(
        "[...document.querySelectorAll('figure.drawing svg text')]"
        ".filter(t => t.getClientRects().length).map(t => {"
        "const matrix = t.getScreenCTM();"
        "return parseFloat(getComputedStyle(t).fontSize) * Math.hypot(matrix.a, matrix.b)})"
    )
    assert len(sizes) > 100
    assert min(sizes) >= 9.95


def test_axe_finds_nothing_serious(visit: Visit, axe: str) -> None:
    visit.open_everything()
    assert serious(visit.page, axe) == []


def test_dark_and_print_stay_readable(browser: Any, report: Path) -> None:
    visit = Visit(browser, report, 1280, color_scheme="dark")
    card = visit.page.locator("figure.drawing .card").first
    assert card.evaluate("e => getComputedStyle(e).backgroundColor") == "rgb(255, 255, 255)"
    assert (
        visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
        != "rgb(255, 255, 255)"
    )
    visit.page.emulate_media(media="print")
    assert visit.page.locator("nav:visible").count() == 0
    visit.page.close()


@pytest.mark.parametrize("bad", [NASTY[0], NASTY[2], NASTY[4], "</script><script>window.pwned=1"])
def test_names_and_notes_from_outside_are_text_and_do_not_run(
    browser: Any, good_runs: list[StoredRun], tmp_path: Path, bad: str
) -> None:
    """Whatever a run's files say of model, server, packages, prompts and reasons; category too."""
    first = good_runs[0]
    info = {
        **first.info, "model": {"name": bad, "settings": {bad: bad}, "revision": bad},
        "endpoint": bad, "packages": {bad: bad}, "created": bad, "decisions": {"form": bad},
    }  # fmt: skip
    whole = dict(first.scores["categories"])
    whole[bad] = whole.pop("dots")
    bias = dict(first.scores["bias"])
    bias[bad] = bias.pop("dots")
    forms = {bad: first.scores["prompts"]["things"], "objects": first.scores["prompts"]["objects"]}
    said = {
        "weber_fraction": None,
        "undefined": {"weber_fraction": bad},
        "weber_fraction_note": bad,
    }
    run = rescored(
        changed(first, info=info, folder=tmp_path / bad.replace("/", "-")), model=bad, prompt=bad,
        prompts=forms, categories=whole, bias=bias, **said,
    )  # fmt: skip
    page = build_report([run, good_runs[1]], tmp_path / "report.html", page_of)
    visit = Visit(browser, page, 1280)
    visit.open_everything()
    assert visit.page.evaluate("window.pwned") is None
    shown = visit.page.locator("main").text_content()
    assert plain(bad) in shown
    assert visit.page.locator("main script, main svg[onload], main iframe, form").count() == 0
    embedded = visit.page.locator("script[type='application/json']").all_text_contents()
    assert all(isinstance(orjson.loads(one), dict | list) for one in embedded)
    assert visit.clean()
    visit.page.close()
