"""A whole session in a real browser, by keyboard and by touch; what is recorded was shown."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import orjson
import pytest

from subitize.benchmarks.catalog import get_benchmark
from subitize.humans.taking import experiment, make_site
from subitize.humans.taking_session import (
    Display,
    Person,
    Session,
    open_session,
    practice_of,
)
from subitize.humans.web import in_thread
from tests.browsing import DESKTOP, PHONE, Visit
from tests.humans.served import Visitor
from tests.scored import score_run

pytestmark = [pytest.mark.xdist_group("browser"), pytest.mark.budget(30)]
BENCHMARK = get_benchmark("naming")
SETTINGS = BENCHMARK.settings_from({
    "per_cell": 1, "max": 3, "size": 256, "prompt": "things", "control": False,
    "categories": ("dots", "apples"),
})  # fmt: skip
TRIALS = 6
WATCH = """() => {
  // What stood on the field in every frame, told by its pixels: a mask is full of
  // colours at its rim, a fixation cross is dark in the middle, a picture is neither.
  const field = document.getElementById("field");
  const pen = field.getContext("2d", { alpha: false });
  window.frames_seen = [];
  const look = (when) => {
    const { data } = pen.getImageData(0, 0, field.width, 8);
    let coloured = 0;
    for (let at = 0; at < data.length; at += 4)
      if (data[at] < 250 || data[at + 1] < 250 || data[at + 2] < 250) coloured += 1;
    const phase = field.dataset.phase;
    window.frames_seen.push([when, phase, coloured / (data.length / 4)]);
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""

EVEN = """
// A screen that never misses a frame, however busy the machine is: its clock takes one frame after
// the other and is never ahead of the real one. What a trial that was shown well does is looked at
// with it; what a busy screen does, without.
{
  const real = window.requestAnimationFrame.bind(window), frame = 1000 / 60;
  let shown = 0;
  window.requestAnimationFrame = (call) => real((now) => {
    shown = shown ? Math.min(shown + frame, now) : now;
    call(shown);
  });
}
"""


@contextmanager
def taking(out: Path, name: str = "anna") -> Iterator[tuple[Session, str]]:
    """A session, and the way in."""
    person = Person(name, Display())
    with open_session(BENCHMARK, SETTINGS, person, out) as session:
        site = make_site()
        practice = practice_of(BENCHMARK, SETTINGS, 2)
        with in_thread(experiment(session, practice, Display(), site)) as base:
            yield session, f"{base}/?token={site.token}"


def even(visit: Visit) -> Any:
    """The visit's page, on a screen that misses no frame."""
    visit.page.add_init_script(EVEN)
    return visit.page


def enter(page: Any, address: str) -> None:
    page.goto(address)
    page.wait_for_selector("body[data-now=ready]")
    if page.locator(".consent input").count():
        page.check(".consent input")
    page.click("#agree button")


def now(page: Any) -> str:
    page.wait_for_selector("body:is([data-now=answer], [data-now=break], [data-now=complete])")
    return str(page.evaluate("document.body.dataset.now"))


def answer(page: Any, said: str, touch: bool = False) -> None:
    """Type or tap one number, after the time that nobody is quicker than."""
    page.wait_for_timeout(20)
    for key in [*said, "Enter"]:
        if touch:
            page.click(f"#pad button[value='{key}']")
        else:
            page.keyboard.press(key)
    page.wait_for_selector("body:not([data-now=answer])")


def past_breaks(page: Any) -> None:
    while now(page) == "break":
        page.keyboard.press("Space")
        page.wait_for_selector("body:not([data-now=break])")


def go_on(page: Any, many: int, touch: bool = False) -> list[str]:
    """Answer so many trials, breaks and practice in between; what was said."""
    said: list[str] = []
    while len(said) < many:
        past_breaks(page)
        if now(page) == "complete":
            break
        said.append(str(len(said) % 9 + 1))
        answer(page, said[-1], touch)
    return said


def stored(session: Session) -> list[dict[str, Any]]:
    path = session.folder.path / "responses.jsonl"
    return [orjson.loads(line) for line in path.read_bytes().splitlines()]


@pytest.mark.parametrize("width", [DESKTOP, PHONE])
def test_a_whole_session(browser: Any, tmp_path: Path, width: int) -> None:
    touch = width == PHONE
    with taking(tmp_path) as (session, address), Visit(browser, width, has_touch=touch) as visit:
        page = even(visit)
        page.goto(address)
        page.wait_for_selector("body[data-now=ready]")
        assert visit.fits()
        page.click("#agree button")  # not without consent
        assert page.locator("#welcome").is_visible()
        assert not session.consented
        enter(page, address)
        said = go_on(page, 99, touch)
        assert now(page) == "complete"
        assert page.locator("#between h1").inner_text() == "Thank you"
        assert visit.fits()
        assert session.complete
        lines = stored(session)
        counted = [line for line in lines if line["stop"] == "stop"]
        assert len({line["trial"] for line in counted}) == len(counted) == TRIALS
        # two for practice, which are stored nowhere, then as typed
        assert [line["value"] for line in lines] == said[2:]
        for line in lines:
            facts = orjson.loads(line["facts"])
            assert facts["width"] == width
            assert facts["first_key"] <= facts["answered"]
            assert line["seconds"] == pytest.approx(facts["first_key"] / 1000, abs=0.001)
        assert visit.clean(address.partition("/?")[0])
        folder = session.folder.path
    scores = score_run(folder)
    assert (scores["model"], scores["trials"]) == ("human/anna", TRIALS)


def test_recorded_is_shown(browser: Any, tmp_path: Path) -> None:
    """Somebody else looks at the field in every frame, and sees what is recorded.

    Whoever asked for frames first is called first: the onlooker, who began before the flash, sees
    in each frame what was drawn in the one before, so that one's time is when it was drawn.
    """
    with taking(tmp_path) as (session, address), Visit(browser, DESKTOP) as visit:
        page = visit.page
        enter(page, address)
        go_on(page, 2)
        assert now(page) == "break"
        page.evaluate(WATCH)
        go_on(page, 99)
        seen = page.evaluate("window.frames_seen")
        flashes: list[list[float]] = []
        for (drawn, before, _), (_, phase, coloured) in pairwise(seen):
            if phase == "picture":
                if before != "picture":
                    flashes.append([])
                flashes[-1].append(drawn)
                assert coloured < 0.5
            elif before == "picture":
                assert phase == "mask"
                assert coloured > 0.5
                flashes[-1].append(drawn)
        told = [orjson.loads(line["facts"]) for line in stored(session)]
        assert len(flashes) == len(told) >= TRIALS
        for times, facts in zip(flashes, told, strict=True):
            # its last entry is the frame of the mask
            assert len(times) - 1 == facts["frames"]
            assert times[-1] - times[0] == pytest.approx(facts["shown"], abs=0.2)


def test_a_reload_in_the_middle_loses_nothing(browser: Any, tmp_path: Path) -> None:
    with taking(tmp_path) as (session, address), Visit(browser, DESKTOP) as visit:
        enter(even(visit), address)
        go_on(visit.page, 2 + 2)
        before = session.saved
        assert before >= 1
        visit.page.reload()
        visit.page.wait_for_selector("body[data-now=ready]")
        assert "Welcome back" in visit.page.inner_text("h1")
        visit.page.click("#agree button")
        assert session.saved >= before
    with taking(tmp_path) as (session, address), Visit(browser, DESKTOP) as visit:
        enter(even(visit), address)  # another server, another browser
        go_on(visit.page, 99)
        assert session.complete
        counted = [line["trial"] for line in stored(session) if line["stop"] == "stop"]
        assert len(set(counted)) == len(counted) == TRIALS


def test_a_lost_connection_costs_patience_not_the_answer(browser: Any, tmp_path: Path) -> None:
    with taking(tmp_path) as (session, address), Visit(browser, DESKTOP) as visit:
        page = even(visit)
        enter(page, address)
        go_on(page, 2)
        past_breaks(page)
        page.route("**/answers", lambda route: route.abort())
        answer(page, "2")
        page.wait_for_selector("#trouble:not([hidden])")
        assert "Not saved yet" in page.inner_text("#trouble")
        assert stored(session) == []
        page.unroute("**/answers")
        go_on(page, 99)
        assert session.complete
        assert stored(session)[0]["value"] == "2"


def test_a_window_behind_others_is_noticed(browser: Any, tmp_path: Path) -> None:
    with taking(tmp_path) as (session, address), Visit(browser, DESKTOP) as visit:
        page = even(visit)
        enter(page, address)
        go_on(page, 2)
        past_breaks(page)
        page.evaluate("window.dispatchEvent(new Event('blur'))")
        answer(page, "3")
        now(page)
        (line,) = stored(session)
        assert line["stop"] == "failed"
        assert "focus" in line["note"]
        go_on(page, 99)
        assert session.complete
        again = [one["stop"] for one in stored(session) if one["trial"] == line["trial"]]
        assert again[0] == "failed"
        assert again[-1] == "stop"


def test_nobody_else_takes_part(tmp_path: Path) -> None:
    with taking(tmp_path) as (session, address):
        base = address.partition("/?")[0]
        stranger = Visitor(base)
        trial = session.upcoming()["trial"]
        for place in ("/", "/next", f"/pictures/{trial}", "/practice/0"):
            assert stranger.get(place).status == 403
        inside = Visitor(base)
        assert inside.get(address).status == 200
        assert inside.get("/pictures/..%2f..%2frun.json").status == 404
        assert inside.get("/practice/99").status == 404
        assert "target" not in inside.get("/next").text
        assert stranger.post("/consent", {}).status == 403
        elsewhere = inside.post("/consent", {"csrf": "guessed"})
        assert elsewhere.status == 403
        assert not session.consented
        assert inside.post("/answers", {}).status == 400
