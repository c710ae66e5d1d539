"""Painters that refuse, break or send odd pictures: states, asked again where it makes sense."""

from __future__ import annotations

import base64
import re
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from aiohttp import web
from PIL import Image

from subitize.api import load, report
from subitize.stimuli.scattered import draw_scattered
from tests.image_server import REFUSAL, ImageServer
from tests.runs.conftest import responses_of
from tests.runs.production_runs import TRIALS, produce
from tests.scored import load_run


def test_refusals_are_a_state_and_never_asked_again(tmp_path: Path) -> None:
    def refuse(body: dict[str, Any], _picture: bytes) -> Any:
        return web.json_response(REFUSAL, status=400) if "apples" in body["prompt"] else None

    with ImageServer(refuse) as server:
        outcome, scores = produce(tmp_path, "openai/x", url=server.url)
        seen = len(server.prompts)
        assert outcome.complete
        assert scores["states"] == {"read": 8, "refused": 4}
        produce(tmp_path, "openai/x", url=server.url)
        assert len(server.prompts) == seen == TRIALS


def test_prompts_that_cannot_be_drawn_are_refused(tmp_path: Path) -> None:
    settings = {"max": 21, "per_cell": 1, "categories": ("dots",)}
    _, scores = produce(tmp_path, "painter/shapes?size=64", settings=settings)
    assert scores["states"] == {"read": 16, "refused": 5}


def test_broken_pictures_are_a_state_and_asked_for_again(tmp_path: Path) -> None:
    """Cut off in the middle: kept as it came, read as empty, asked for again."""
    broken: set[str] = set()

    def cut(body: dict[str, Any], picture: bytes) -> Any:
        if body["prompt"] in broken or "dot" not in body["prompt"]:
            return None
        broken.add(body["prompt"])
        return {"data": [{"b64_json": base64.b64encode(picture[: len(picture) // 2]).decode()}]}

    with ImageServer(cut) as server:
        outcome, scores = produce(tmp_path, "openai/x", url=server.url)
    assert outcome.complete
    assert scores["states"] == {"read": TRIALS}
    unreadable = [line for line in responses_of(outcome.folder) if line["stop"] == "unreadable"]
    assert len(unreadable) == 3
    assert all("can't be read" in line["note"] for line in unreadable)
    assert all((outcome.folder / "images" / line["value"]).exists() for line in unreadable)


def odd_pictures(png: bytes) -> dict[str, bytes]:
    """One drawing in every form a painter may send, and a bomb."""
    rgb = Image.open(BytesIO(png)).convert("RGB")
    wide = Image.fromarray(np.asarray(rgb.convert("L")).astype(np.uint16) * 257)
    clear = rgb.convert("RGBA")
    clear.putalpha(Image.fromarray((np.asarray(rgb.convert("L")) < 250).astype(np.uint8) * 255))
    white = Image.new("RGB", rgb.size, "white")
    return {
        "grey": encoded(rgb.convert("L"), "PNG"),
        "sixteen bits": encoded(wide, "PNG"),
        "transparent": encoded(clear, "PNG"),
        "cmyk": encoded(rgb.convert("CMYK"), "JPEG", quality=95),
        "webp": encoded(rgb, "WEBP", lossless=True),
        "animated": encoded(rgb, "GIF", save_all=True, append_images=[white, white]),
        "bomb": encoded(Image.new("1", (12_000, 12_000), 1), "PNG"),
    }


def encoded(picture: Image.Image, format_: str, **options: Any) -> bytes:
    written = BytesIO()
    picture.save(written, format_, **options)
    return written.getvalue()


@pytest.mark.budget(30)
def test_odd_pictures_are_counted_and_a_bomb_is_a_state(tmp_path: Path) -> None:
    names = list(odd_pictures(draw_scattered("dot", 1, 128, np.random.default_rng(0))))

    def odd(body: dict[str, Any], picture: bytes) -> Any:
        n = int(re.findall(r"\d+", body["prompt"])[0])
        sent = odd_pictures(picture)[names[n - 1]]
        return {"data": [{"b64_json": base64.b64encode(sent).decode()}]}

    settings = {"per_cell": 1, "max": 7, "categories": ("dots",), "reasks": 1}
    with ImageServer(odd) as server:
        outcome, scores = produce(tmp_path, "openai/x", settings=settings, url=server.url)
    assert outcome.complete
    rows = {row["target"]: row for row in load_run(outcome.folder).counted.to_dicts()}
    assert {n: rows[n]["number"] for n in range(1, 7)} == {n: n for n in range(1, 7)}
    assert rows[7]["state"] == "empty"
    assert "too large" in rows[7]["note"]
    assert rows[7]["attempt"] == 1
    assert scores["states"] == {"read": 6, "empty": 1}


NO_PICTURES = {
    "a page": b"<html>no</html>",
    "a document": b"%PDF-1.7\n%...",
    "one byte": b"\x00",
    "half a head": b"\x89PN",
    "a bitmap": encoded(Image.new("RGB", (8, 8)), "BMP"),
}


@pytest.mark.parametrize("what", NO_PICTURES)
def test_what_is_no_picture_is_kept_and_never_paid_again(tmp_path: Path, what: str) -> None:
    """It was made and paid for, and counts as received before anybody looks at it."""

    def page(body: dict[str, Any], _picture: bytes) -> Any:
        if "3 apples" not in body["prompt"]:
            return None
        return {"data": [{"b64_json": base64.b64encode(NO_PICTURES[what]).decode()}]}

    with ImageServer(page) as server:
        outcome, scores = produce(tmp_path, "openai/x", settings={"reasks": 0}, url=server.url)
        assert outcome.complete
        assert scores["states"] == {"read": TRIALS - 2, "empty": 2}
        (line,) = {
            (one["value"], one["note"])
            for one in responses_of(outcome.folder)
            if one["stop"] == "unreadable"
        }
        assert (outcome.folder / "images" / line[0]).read_bytes() == NO_PICTURES[what]
        assert "neither PNG, JPEG, WebP nor GIF" in line[1]
        again, same = produce(tmp_path, "openai/x", settings={"reasks": 0}, url=server.url)
        assert len(server.prompts) == TRIALS
        assert (again.complete, same["states"]) == (True, scores["states"])
        report([load(outcome.folder)], tmp_path / "report.html")


def test_an_empty_picture_fails_alone_and_is_asked_for_by_the_next_run(tmp_path: Path) -> None:
    def nothing(body: dict[str, Any], _picture: bytes) -> Any:
        return {"data": [{"b64_json": ""}]} if "3 apples" in body["prompt"] else None

    painter = "painter/shapes?blank=0.5"
    with ImageServer(nothing, painter=painter) as server:
        outcome, scores = produce(tmp_path, "openai/x?seed=1", url=server.url)
        assert not outcome.complete
        assert outcome.failed == 2
        assert scores["states"]["failed"] == 2
        # Blank pictures made it take several turns; the empty ones were tried a few times.
        assert len(server.prompts) > TRIALS
        server.answer = None
        outcome, scores = produce(tmp_path, "openai/x?seed=1", url=server.url)
        assert outcome.complete
        assert "failed" not in scores["states"]
