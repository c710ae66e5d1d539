"""Studies in a real browser: by keyboard, two at once, reloads, lost networks, and for all eyes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from subitize.api import run
from subitize.humans.answers import read_answers
from subitize.humans.serving import Opened
from subitize.humans.study import Study
from tests.browsing import unhurried
from tests.humans.conftest import Serve
from tests.humans.taking import taker

pytestmark = pytest.mark.budget(40)
WIDTHS = ((1280, 800), (390, 844))


class Person:
    """Somebody at a keyboard; everything that the browser complains about is kept."""

    def __init__(self, browser: Any, base: str, here: Opened, size: tuple[int, int]) -> None:
        touch = min(size) < 500
        self.context = browser.new_context(
            viewport={"width": size[0], "height": size[1]}, has_touch=touch, is_mobile=touch
        )
        self.page = unhurried(self.context.new_page())
        self.complaints: list[str] = []
        self.page.on("console", lambda one: self.complaints.append(one.text))
        self.page.on("pageerror", lambda one: self.complaints.append(str(one)))
        self.link = base + taker(base, here).path

    def go(self) -> None:
        self.page.goto(self.link)

    def press(self, *keys: str) -> None:
        """Keys, and the page that comes after them."""
        with self.page.expect_navigation():
            for key in keys:
                self.page.keyboard.press(key)

    def ready(self) -> str:
        """Wait until the question is asked: its picture is there, and the clock runs."""
        self.page.wait_for_selector("#answer[data-asked]")
        return str(self.page.input_value("[name=given]"))

    def overflow(self) -> int:
        return int(self.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        ))  # fmt: skip


@pytest.mark.parametrize("size", WIDTHS, ids=["desktop", "phone"])
def test_a_whole_study_by_keyboard(
    size: tuple[int, int], browser: Any, painted: Path, serve: Serve, tmp_path: Path
) -> None:
    study = Study("geckonum-task1", "apples", run=str(painted), per_person=3, break_every=2)
    base, here = serve(study)
    one = Person(browser, base, here, size)
    one.go()
    assert one.overflow() <= 0
    one.press("Enter")
    assert one.page.locator(".examples img").count() == 3
    assert one.overflow() <= 0
    one.press("Enter")
    for right in ("3.5", "2, 10+", "10+"):
        one.ready()
        assert one.overflow() <= 0
        one.page.keyboard.type(right)
        one.press("Enter")
        assert one.page.locator(".tag.good").count() == 1
        one.press("Enter")
    one.ready()
    one.page.keyboard.type("many")
    one.page.keyboard.press("Enter")
    one.page.wait_for_function("() => document.getElementById('problem').textContent !== ''")
    one.page.keyboard.press("Control+a")
    one.page.keyboard.press("Delete")
    one.page.keyboard.type("4")
    one.press("Enter")
    one.ready()
    one.press("u")  # undo
    one.ready()
    one.page.keyboard.type("5")
    one.press("Enter")
    one.ready()
    one.page.keyboard.type("2-3")
    one.press("Enter")
    assert "short break" in one.page.content()
    one.press("Enter")
    one.ready()
    one.page.keyboard.type("7")
    one.press("Enter")
    assert "All your answers are saved" in one.page.content()
    one.press("u")  # the last of all, too
    one.ready()
    one.page.keyboard.type("1")
    one.press("Enter")
    assert "All your answers are saved" in one.page.content()
    assert not [one_ for one_ in one.complaints if "422" not in one_]
    answers = read_answers(tmp_path / "studies" / "apples")
    assert [row.value for row in answers.holding] == ["5", "2-3", "1"]
    assert all(row.facts["clock"] == "page" for row in answers.holding)
    assert {row.facts["page"]["width"] for row in answers.holding} == {size[0]}
    one.context.close()


def test_two_at_once_a_reload_and_a_lost_network(
    browser: Any, painted: Path, serve: Serve, tmp_path: Path
) -> None:
    study = Study("geckonum-task1", "apples", run=str(painted), per_person=3, training=False,
                  annotators=1)  # fmt: skip
    base, here = serve(study)
    both = [Person(browser, base, here, WIDTHS[0]) for _ in range(2)]
    for one in both:
        one.go()
        one.press("Enter")
        one.press("Enter")
    for turn in range(2):
        for place, one in enumerate(both):
            before = one.ready()
            one.page.reload()
            assert one.ready() == before
            one.page.keyboard.type(str(10 * turn + place + 1))
            one.press("Enter")
    one = both[0]
    one.ready()
    one.context.set_offline(True)
    one.page.keyboard.type("7")
    one.page.keyboard.press("Enter")
    one.page.wait_for_function(
        "() => document.getElementById('problem').textContent.includes('No connection')"
    )
    with one.page.expect_navigation():
        one.context.set_offline(False)
    assert "All your answers are saved" in one.page.content()
    answers = read_answers(tmp_path / "studies" / "apples")
    own = {name: [row.value for row in answers.holding if row.person.name == name]
           for name in answers.people}  # fmt: skip
    assert own == {"p001": ["1", "11", "7"], "p002": ["2", "12"]}
    items = [row.item.id for row in answers.holding]
    assert len(set(items)) == len(items)  # one annotator each: nobody got the other's
    for one in both:
        one.context.close()


def test_lines_and_claims_are_chosen_by_one_key(
    browser: Any, files: tuple[str, str], serve: Serve, tmp_path: Path
) -> None:
    for task, keys, expected in ((2, "bc", {"1", "2"}), (3, "ny", {"0", "1"})):
        study = Study(f"geckonum-task{task}", f"task{task}", pictures=files[0], prompts=files[1],
                      per_person=1, training=True)  # fmt: skip
        base, here = serve(study)
        one = Person(browser, base, here, WIDTHS[1])
        one.go()
        one.press("Enter")
        one.press("Enter")
        for key in keys:
            one.ready()
            assert one.overflow() <= 0
            one.press(key)
            one.press("Enter")
        while one.page.locator("#answer").count():
            one.ready()
            one.press(keys[0])
        rows = read_answers(tmp_path / "studies" / f"task{task}").rows
        assert {row.value for row in rows} <= expected
        assert not one.complaints
        one.context.close()


@pytest.mark.parametrize("size", [*WIDTHS, (375, 667), (1024, 640), (844, 390)])
def test_five_lines_are_in_sight_with_their_picture(
    size: tuple[int, int], browser: Any, files: tuple[str, str], serve: Serve
) -> None:
    base, here = serve(Study("geckonum-task2", "lines", pictures=files[0], prompts=files[1]))
    one = Person(browser, base, here, size)
    one.go()
    one.press("Enter")
    one.press("Enter")
    one.ready()
    assert one.page.locator(".choice").count() == 5
    assert one.page.evaluate("scrollY + innerHeight - document.body.scrollHeight") >= 0
    least = 0.5 if size[0] > size[1] else 0.17
    assert one.page.locator("#picture").bounding_box()["height"] >= least * size[1]
    one.context.close()


@pytest.mark.parametrize("kind", ["verify", "reader-check"])
def test_what_is_typed_beside_choices_is_what_is_stored(
    kind: str, browser: Any, painted: Path, serve: Serve, tmp_path: Path
) -> None:
    """Enter in the field sends the field, not the first of the choices that stand with it."""
    picture = next((painted / "images").iterdir())
    (tmp_path / "counts.csv").write_text(f"image,category,count\n{picture.name},apples,9\n")
    if kind == "verify":
        study = Study(kind, pictures=str(painted / "images"), verify=str(tmp_path / "counts.csv"))
        choice = "9"
    else:
        model = run("naming", "sim/chatty", out=str(tmp_path), per_cell=1, max=2, size=64,
                    control=False, prompt="things", categories=("dots",))  # fmt: skip
        study, choice = Study(kind, run=str(model.folder)), "no-number"
    base, here = serve(replace(study, name="typed", training=False, annotators=2))
    items = sum(one.role == "main" for one in here.desk.items.values())
    for keys in (("4", "Enter"), ("a",)):
        one = Person(browser, base, here, WIDTHS[0])
        one.go()
        one.press("Enter")
        one.press("Enter")
        for _ in range(items):
            one.ready()
            one.press(*keys)
        assert "All your answers are saved" in one.page.content()
        one.context.close()
    answers = read_answers(tmp_path / "studies" / "typed")
    said = {name: {row.value for row in answers.holding if row.person.name == name}
            for name in answers.people}  # fmt: skip
    assert said == {"p001": {"4"}, "p002": {choice}}
