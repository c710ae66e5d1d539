"""The production page of a real run: counters named, boxes drawn, right and wrong pictures."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from subitize.benchmarks.catalog import get_benchmark, page_of
from subitize.benchmarks.production_page import sections, with_boxes
from subitize.models.catalog import open_model
from subitize.reports.build import build_report
from subitize.reports.page import Gallery, Table
from subitize.runs.reading import run_with_reading
from subitize.runs.run import RunOptions
from subitize.runs.stored import StoredRun, load_run
from tests.scored import score_run

RED = (214, 40, 57)


def run_of(out: Path, painter: str, counter: str | None) -> StoredRun:
    benchmark = get_benchmark("production")
    settings = benchmark.settings_from({"per_cell": 3, "max": 6, "categories": ("dots", "apples")})
    outcome = run_with_reading(
        benchmark,
        settings,
        open_model(painter),
        out,
        RunOptions(progress=False),
        open_model(counter) if counter else None,
    )
    score_run(outcome.folder)
    return load_run(outcome.folder)


@pytest.fixture(scope="module")
def noisy(tmp_path_factory: pytest.TempPathFactory) -> StoredRun:
    painter = "painter/shapes?blank=0.5&limit=0&size=128&w=0.4"
    return run_of(tmp_path_factory.mktemp("noisy"), painter, "counter/blobs")


def red_pixels(png: bytes) -> int:
    with Image.open(BytesIO(png)) as picture:
        return int((np.asarray(picture.convert("RGB")) == RED).all(axis=2).sum())


def test_every_target_has_a_right_and_a_wrong_picture_with_boxes(noisy: StoredRun) -> None:
    pages = sections([noisy])
    (gallery,) = (b for s in pages for b in s.blocks if isinstance(b, Gallery))
    titles = [picture.title for picture in gallery.pictures if picture.verdict != "unreadable"]
    read = [row for row in noisy.rows if row.reading.state == "read"]
    for target in range(1, 7):
        numbers = {row.reading.number for row in read if row.trial.target == target}
        shown = {title for title in titles if title.startswith(f"{target} → ")}
        assert (f"{target} → {target}" in shown) == (target in numbers)
        assert len(shown) == (target in numbers) + bool(numbers - {target})
    for picture in gallery.pictures:
        assert (red_pixels(picture.png) > 0) == (picture.verdict != "unreadable")
    with Image.open(BytesIO(gallery.pictures[0].png)) as first:
        assert first.size == (128, 128)


def test_the_counter_and_what_was_asked_again_are_told(noisy: StoredRun) -> None:
    (table,) = (
        b for s in sections([noisy]) for b in s.blocks
        if isinstance(b, Table) and b.name == "production-reading"
    )  # fmt: skip
    ((_, counter, prompts, again, empty, excluded),) = table.rows
    assert counter.value == "counter/blobs"
    assert prompts.value == 36
    assert again.value == sum(row.response.attempt > 0 for row in noisy.rows) > 0
    assert empty.value == sum(row.reading.state == "empty" for row in noisy.rows)
    assert excluded.value == 0


def test_corrected_scores_stand_beside_the_counted_ones(noisy: StoredRun) -> None:
    interval = {"value": 0.5, "low": 0.4, "high": 0.6}
    found = {"identifiable": True, "accuracy": interval, "nae": interval, "reason": ""}
    found |= {"calibrated_pictures": 4000, "assumed_exact": 0.02}
    given = replace(noisy, scores={**noisy.scores, "corrected": found})
    lost = {"identifiable": False, "accuracy": None, "nae": None, "reason": "too much confusion"}
    confused = replace(noisy, scores={**noisy.scores, "corrected": lost, "model": "painter/two"})
    (table,) = (
        b for s in sections([given, confused]) for b in s.blocks
        if isinstance(b, Table) and b.name == "production-corrected"
    )  # fmt: skip
    by_model = {str(line[0].value): line for line in table.rows}
    counted, corrected = by_model[given.scores["model"]][1:3]
    assert counted.value == noisy.scores["accuracy"]["value"]
    assert (corrected.value, corrected.low, corrected.high) == (0.5, 0.4, 0.6)
    assert by_model["painter/two"][2].reason == "too much confusion"


def test_pictures_nobody_counted_and_broken_ones_do_not_stop_a_report(tmp_path: Path) -> None:
    run = run_of(tmp_path / "runs", "painter/shapes?size=64", None)
    picture = next((run.folder / "images").iterdir())
    picture.write_bytes(picture.read_bytes()[:100])
    text = build_report([run], tmp_path / "report.html", page_of).read_text("utf-8")
    assert "nobody yet" in text
    assert "left for people to read" in text


def test_boxes_are_drawn_where_they_are() -> None:
    white = BytesIO()
    Image.new("RGB", (640, 320), "white").save(white, "PNG")
    with Image.open(BytesIO(with_boxes(white.getvalue(), [[100, 100, 300, 200, 0.9]]))) as drawn:
        marked = (np.asarray(drawn) == RED).all(axis=2)
    assert marked.shape == (160, 320)
    rows, columns = np.nonzero(marked)
    assert (columns.min(), rows.min()) == (50, 50)
    assert (columns.max(), rows.max()) == (149, 99)
    assert not marked[60:90, 60:140].any()
