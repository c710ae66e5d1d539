"""Every page of people and researchers for all eyes and hands: axe finds nothing serious."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from subitize.api import run
from subitize.benchmarks.catalog import get_benchmark
from subitize.captions.images import Pair, write_study
from subitize.humans.kinds.material import dots
from subitize.humans.placing import placing_app, placing_from
from subitize.humans.study import KINDS, Panel, Study
from subitize.humans.taking import experiment
from subitize.humans.taking import make_site as taking_site
from subitize.humans.taking_session import Display, open_session, practice_of
from subitize.humans.taking_session import Person as Participant
from subitize.humans.viewing import make_site, viewer
from subitize.humans.viewing_table import RunsTable
from subitize.humans.web import in_thread
from subitize.stimuli import render
from tests.browsing import DESKTOP, PHONE, Visit, serious
from tests.humans.conftest import Serve
from tests.humans.test_in_chromium import WIDTHS, Person
from tests.humans.viewed import make_runs

pytestmark = pytest.mark.budget(40)
QUERIES = (
    "", "?wanted=5&said=4", "?search=zzz", "?right=no&sort=error",
    "?model=sim/chatty&model=sim/observer?w=0.3&pair=only-first",
)  # fmt: skip


def test_every_page_is_for_all_eyes_and_hands(
    browser: Any, axe: str, painted: Path, files: tuple[str, str], serve: Serve
) -> None:
    base, here = serve(Study("geckonum-task1", "apples", run=str(painted), per_person=2,
                             break_every=1))  # fmt: skip
    seen: dict[str, list[str]] = {}
    for size in WIDTHS:
        one = Person(browser, base, here, size)
        one.go()

        def look(name: str, page: Any = one.page, wide: int = size[0]) -> None:
            seen[f"{name} at {wide}"] = serious(page, axe)

        look("consent")
        one.press("Enter")
        look("instructions")
        one.press("Enter")
        for _ in range(3):
            one.ready()
            look("question")
            one.page.keyboard.type("2")
            one.press("Enter")
            look("feedback")
            one.press("Enter")
        one.ready()
        one.page.keyboard.type("2")
        one.press("Enter")
        look("break")
        one.press("Enter")
        one.ready()
        one.page.keyboard.type("3")
        one.press("Enter")
        look("end")
        for path in (f"/desk?token={here.site.token}", "/desk/screen", "/desk/items", "/",
                     "/p/nobody"):  # fmt: skip
            one.page.goto(base + path)
            look(path.partition("?")[0])
        one.context.close()
    base, here = serve(Study("geckonum-task2", "lines", pictures=files[0], prompts=files[1],
                             training=False))  # fmt: skip
    one = Person(browser, base, here, WIDTHS[0])
    one.go()
    one.press("Enter")
    one.press("Enter")
    one.ready()
    seen["lines"] = serious(one.page, axe)
    one.context.close()
    assert {name: found for name, found in seen.items() if found} == {}


def test_every_way_out_is_for_all_eyes(browser: Any, axe: str, painted: Path, serve: Serve) -> None:
    """A panel's people who do not agree, fail the checks or are done; and one who comes late."""
    panel = Panel(complete="https://panel.example/done", screened="https://panel.example/out",
                  no_consent="https://panel.example/no")  # fmt: skip
    base, here = serve(
        Study(
            "geckonum-task1",
            "apples",
            run=str(painted),
            training=False,
            checks=1,
            max_failed_checks=0,
            per_person=2,
            entry="panel",
            panel=panel,
        )
    )
    ends = {"no": "You chose not to take part", "9": "The study ends here for you"}
    for wide in (DESKTOP, PHONE):
        for said, ending in ends.items():
            with Visit(browser, wide) as visit:
                page = visit.page
                page.goto(f"{base}/enter?PROLIFIC_PID={said}{wide}")
                with page.expect_navigation():
                    page.click(f"button[value={'no' if said == 'no' else 'yes'}]")
                if said == "9":
                    with page.expect_navigation():
                        page.keyboard.press("Enter")
                    page.wait_for_selector("#answer[data-asked]")
                    while page.query_selector("#answer"):
                        page.wait_for_selector("#answer[data-asked]")
                        page.keyboard.type("9")
                        with page.expect_navigation():
                            page.keyboard.press("Enter")
                page.wait_for_selector(f"text={ending}")
                assert page.get_by_text("Back to the panel").count() == 1
                assert serious(page, axe) == []
                assert visit.fits()
    with Visit(browser, PHONE) as visit:
        visit.page.goto(f"{base}/enter")
        assert serious(visit.page, axe) == []
        visit.page.goto(f"{base}/desk?token={here.site.token}")
        assert serious(visit.page, axe) == []


@pytest.fixture
def counted(tmp_path: Path) -> Path:
    """Pictures, their counts, captions about them, and a run whose replies can be read."""
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    for n in (1, 2, 3):
        (pictures / f"{n}.png").write_bytes(render(dots("apples", n, n, side=200)).png)
    rows = "".join(f"{n}.png,apples,{n}\n" for n in (1, 2, 3))
    (tmp_path / "counts.csv").write_text(f"image,category,count\n{rows}")
    pairs = [Pair(n, f"a photo of {n} apples", 11, 12, n, "apples", str(pictures / f"{n}.png"))
             for n in (1, 2, 3)]  # fmt: skip
    (tmp_path / "captions").mkdir()
    write_study(pairs, tmp_path / "captions")
    run("naming", "sim/chatty", out=tmp_path / "runs", per_cell=1, max=2, size=96,
        prompt="things", control=False)  # fmt: skip
    return tmp_path


def study_of(kind: str, counted: Path, painted: Path, files: tuple[str, str]) -> Study:
    given: dict[str, Any] = {"pictures": str(counted / "pictures")}
    if kind == "geckonum-task1":
        given = {"run": str(painted)}
    elif kind.startswith("geckonum"):
        given = {"pictures": files[0], "prompts": files[1]}
    elif kind in ("naming", "capture"):
        given = {"sample": 3}
    elif kind == "verify":
        given["verify"] = str(counted / "counts.csv")
    elif kind == "caption-fit":
        given = {"captions": str(counted / "captions")}
    elif kind == "reader-check":
        given = {"run": str(next((counted / "runs").iterdir()))}
    return Study(kind, kind, per_person=2, **given)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_practises_and_is_answered_by_keys_alone(
    kind: str, browser: Any, axe: str, counted: Path, painted: Path, files: tuple[str, str],
    serve: Serve,
) -> None:  # fmt: skip
    base, here = serve(study_of(kind, counted, painted, files))
    one = Person(browser, base, here, WIDTHS[KINDS.index(kind) % 2])
    one.go()
    one.press("Enter")
    assert "Practise" in one.page.inner_text("[data-enter]")
    one.press("Enter")
    seen: dict[str, list[str]] = {}
    while not one.page.get_by_text("All your answers are saved").count():
        if one.page.query_selector("#answer"):
            one.ready()
            key = one.page.query_selector("[data-key]")
            seen["question"] = serious(one.page, axe)
            one.press("3", "Enter") if one.page.query_selector("#value") else one.press(
                key.get_attribute("data-key").lower()
            )
        else:
            seen["feedback"] = serious(one.page, axe)
            assert one.page.query_selector(".tag.good, .tag.bad")
            one.press("Enter")
        assert one.overflow() <= 0
    one.page.goto(f"{base}/desk?token={here.site.token}")
    one.page.goto(f"{base}/desk/items")
    seen["items"] = serious(one.page, axe)
    assert one.overflow() <= 0
    assert seen == {"question": [], "feedback": [], "items": []}
    assert not one.complaints
    one.context.close()


def test_the_viewer_is_for_all_eyes(browser: Any, axe: str, tmp_path: Path) -> None:
    site = make_site()
    with in_thread(viewer(RunsTable(make_runs(tmp_path)), site)) as base:
        for width in (DESKTOP, PHONE):
            with Visit(browser, width) as visit:
                page = visit.page
                page.goto(f"{base}/?token={site.token}")
                for query in QUERIES:
                    page.goto(f"{base}/{query}")
                    page.wait_for_selector("#trials[aria-busy=false]")
                    page.eval_on_selector_all(
                        "details", "all => all.forEach(e => { e.open = true; })"
                    )
                    assert serious(page, axe) == [], query
                page.goto(base)
                page.wait_for_selector("#trials[aria-busy=false]")
                page.click(".trial .picture")
                assert serious(page, axe) == []


def test_the_experiment_is_for_all_eyes(browser: Any, axe: str, tmp_path: Path) -> None:
    benchmark = get_benchmark("naming")
    settings = benchmark.settings_from(
        {"per_cell": 1, "max": 2, "size": 96, "categories": ("dots",), "prompt": "things",
         "control": False}
    )  # fmt: skip
    seen: dict[str, list[str]] = {}
    for width in (DESKTOP, PHONE):
        person = Participant(f"eyes{width}", Display())
        with open_session(benchmark, settings, person, tmp_path) as session:
            site = taking_site()
            app = experiment(session, practice_of(benchmark, settings), Display(), site)
            with in_thread(app) as base, Visit(browser, width, has_touch=width == PHONE) as visit:
                page = visit.page
                page.goto(f"{base}/?token={site.token}")
                page.wait_for_selector("body[data-now=ready]")
                seen[f"welcome {width}"] = serious(page, axe)
                page.check(".consent input")
                page.click("#agree button")
                page.wait_for_selector("body[data-now=answer]")
                page.keyboard.press("1")
                seen[f"answer {width}"] = serious(page, axe)
                page.keyboard.press("Enter")
                page.wait_for_selector("body[data-now=break]")
                seen[f"between {width}"] = serious(page, axe)
    assert {name: found for name, found in seen.items() if found} == {}


def test_placing_is_for_all_eyes(browser: Any, axe: str, counted: Path) -> None:
    (counted / "selection.json").write_text(
        '[{"image_file": "2.png", "object": "apples", "kept": true}]'
    )
    placing = placing_from(counted / "selection.json", counted / "pictures", counted / "own.json")
    app, site = placing_app(placing)
    with in_thread(app) as base:
        for width in (DESKTOP, PHONE):
            with Visit(browser, width) as visit:
                visit.page.goto(f"{base}/?token={site.token}")
                assert serious(visit.page, axe) == []
                assert visit.fits()
        with Visit(browser, DESKTOP) as visit:
            visit.page.goto(f"{base}/?token={site.token}")
            visit.page.click("button[value=drop]")
            visit.page.wait_for_selector("text=All pictures are done")
            assert serious(visit.page, axe) == []
