"""Placing occluders by hand: what is drawn is what a CAPTURE run takes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from subitize.api import run
from subitize.datasets.capture_real import load_real
from subitize.errors import BadInput
from subitize.humans.kinds.material import dots
from subitize.humans.placing import placing_app, placing_from
from subitize.humans.web import in_thread
from subitize.stimuli import render
from tests.browsing import unhurried
from tests.humans.served import Visitor


@pytest.fixture
def selection(tmp_path: Path) -> Path:
    """Three pictures, of which a model's sure yes kept two."""
    listed = []
    for n in (5, 6, 7):
        (tmp_path / f"{n}.png").write_bytes(render(dots("dots", n, n, side=200)).png)
        listed.append({"image_file": f"{n}.png", "object": "dots", "p_yes": 1.0, "log_prob": -0.1,
                       "kept": n != 6, "reply": "Yes"})  # fmt: skip
    (tmp_path / "selection.json").write_bytes(orjson.dumps(listed))
    return tmp_path


def test_a_box_a_name_and_a_count_are_written_as_the_paper_writes_them(selection: Path) -> None:
    out = selection / "own.json"
    app, site = placing_app(placing_from(selection / "selection.json", selection, out))
    good = {"verdict": "keep", "object": "dots", "count": "5", "x": "20", "y": "30", "w": "50",
            "h": "60"}  # fmt: skip
    with in_thread(app) as base:
        visitor = Visitor(base)
        assert visitor.get("/place/0").status == 403
        assert visitor.get(f"/?token={site.token}").url.endswith("/place/0")
        for wrong in ({"w": "500"}, {"x": "-1"}, {"x": "nan"}, {"w": "1"}, {"count": "0"},
                      {"count": "many"}, {"object": " "}, {"y": ""}):  # fmt: skip
            assert visitor.post("/place/0", {**good, **wrong}).status == 422
        # What is wrong is said on the same page, which keeps what was drawn and typed.
        text = visitor.post("/place/0", {**good, "count": "many"}).text
        assert 'role="alert">Give the number of things' in text
        assert all(f'name="{name}" value="{good[name]}"' in text for name in "xywh")
        assert not out.exists()
        assert visitor.get("/place/2").status == 404
        visitor.post("/place/0", good)
        assert "1 kept, 1 dropped" in visitor.post("/place/1", {"verdict": "drop"}).text
    asked = run("capture", "sim/perfect", out=selection / "runs", set="real", metadata=str(out),
                pictures=str(selection), prompt="as-if-no-box")  # fmt: skip
    assert asked.scores["smape"]["occluded"]["value"] == 0
    found = load_real([out], selection)
    assert [(one.file, one.thing, one.count, one.box) for one in found] == [
        ("5.png", "dots", 5, (20.0, 30.0, 70.0, 90.0))
    ]
    again = placing_from(selection / "selection.json", selection, out)
    assert again.done.keys() == {"5.png", "7.png"}  # what was said is gone on with


def test_a_selection_that_leads_elsewhere_is_refused(selection: Path) -> None:
    for name in ("../5.png", "none.png"):
        odd = [{"image_file": name, "kept": True}]
        (selection / "odd.json").write_bytes(orjson.dumps(odd))
        with pytest.raises(BadInput, match="which is not in"):
            placing_from(selection / "odd.json", selection, selection / "own.json")


@pytest.mark.budget(20)
def test_the_box_is_drawn_in_a_browser(browser: Any, selection: Path) -> None:
    out = selection / "own.json"
    app, site = placing_app(placing_from(selection / "selection.json", selection, out))
    with in_thread(app) as base:
        page = unhurried(browser.new_page(viewport={"width": 1280, "height": 800}))
        complaints: list[str] = []
        page.on("console", lambda one: complaints.append(one.text))
        page.goto(f"{base}/?token={site.token}")
        place = page.locator("#canvas image").bounding_box()
        scale = place["width"] / 200
        page.mouse.move(place["x"] + 40 * scale, place["y"] + 50 * scale)
        page.mouse.down()
        page.mouse.move(place["x"] + 100 * scale, place["y"] + 90 * scale, steps=4)
        page.mouse.up()
        page.fill("#count", "5")
        with page.expect_navigation():
            page.click("text=Keep")
        page.focus("#canvas")
        page.keyboard.press("Shift")  # whose keys show where they go
        assert page.evaluate("getComputedStyle(document.activeElement).outlineWidth") == "3px"
        for key in ("ArrowRight", "ArrowRight", "Shift+ArrowDown"):
            page.keyboard.press(key)
        page.fill("#count", "7")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        page.close()
    boxes = [one["bbox"] for one in orjson.loads(out.read_bytes())]
    assert boxes[0] == {"x": 40, "y": 50, "width": 60, "height": 40}
    assert boxes[1] == {"x": 84, "y": 80, "width": 40, "height": 42}
    assert not complaints
