"""Boxes as a reading: what counts, what is empty, and what is no box at all."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from subitize.readers.boxes import BoxesReader, count_boxes, read_boxes
from subitize.readers.text import read_strict
from subitize.records import Response, Stimulus, make_trial


@pytest.mark.parametrize(("boxes", "words"), [
    ([[0, 0, 1, 1, math.nan]], "score of box 1"),
    ([[0, 0, 1, 1, 0.5], [0, math.inf, 1, 1, 0.5]], "place of box 2"),
    ([[5, 0, 1, 1, 0.5]], "ends before it begins"),
    ([[0, 0, 1, 1]], "five numbers"),
    ([["a", 0, 1, 1, 0.5]], "five numbers"),
    ([[None, 0, 1, 1, 0.5]], "not a finite number"),
    ("boxes", "five numbers"),
])  # fmt: skip
def test_odd_boxes_are_a_failed_reading(boxes: Any, words: str) -> None:
    reading = count_boxes({"boxes": boxes, "size": [10, 10]})
    assert reading.state == "failed"
    assert reading.number is None
    assert words in reading.note


def test_nothing_found_is_zero_when_shown_and_empty_when_generated() -> None:
    nothing = {"boxes": [[0, 0, 5, 5, 0.1]], "size": [10, 10], "threshold": 0.4}
    assert count_boxes(nothing).number == 0
    assert count_boxes(nothing).state == "read"
    assert count_boxes(nothing, generated=True).state == "empty"
    reader = BoxesReader(read_strict)
    for kind, state in (("drawn", "read"), ("prompt", "empty")):
        stimulus = Stimulus(kind, {"text": "x"})  # type: ignore[arg-type]
        trial = make_trial(("naming", "1", "ask"), stimulus, "How many?")
        response = Response(trial.id, "counter/x", "", 0, 0, "boxes", json.dumps(nothing), "stop")
        assert reader(trial, response).state == state
        assert reader.configured({"threshold": 0.05})(trial, response).number == 1


def test_saturation_and_the_counters_note_are_told() -> None:
    value = {"boxes": [[0, 0, 5, 5, 0.9]], "saturated": True, "note": "first of 3 frames"}
    note = count_boxes(value).note
    assert "there may be more things" in note
    assert "first of 3 frames" in note


@pytest.mark.parametrize(
    "value",
    ["", "x", "[]", "[[0, 0, 1, 1, 0.5]]", "7", '{"boxes": 3}', '{"boxes": [], "size": "x"}',
     '{"boxes": [[0, 0, 1, 1, 0.5]], "threshold": "much"}'],
)  # fmt: skip
def test_a_value_that_holds_no_boxes_is_a_failed_reply(value: str) -> None:
    response = Response("t" * 16, "counter/x", "", 0, 0, "boxes", value, "stop")
    assert read_boxes(response).state == "failed"
