"""Points that models write: their forms, their number, and whether they lie on things."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from scipy import ndimage

import subitize
from subitize.errors import BadInput, UnknownName
from subitize.readers.points import Pointing, PointsReader, noted, pointed, told
from subitize.records import Response, Stimulus, make_trial
from subitize.stimuli.naming import draw, recipe

TRIAL = make_trial(
    ("naming", "1", "ask"), Stimulus("drawn", recipe("dots", 3, 0, size=256)), "How many dots?",
    target=3, condition={},
)  # fmt: skip
SMALL = {"per_cell": 2, "max": 6, "size": 256, "categories": ("dots",), "prompt": "things"}


def read(
    value: str, unit: str = "", stop: str = "stop", model: str = "function/x"
) -> subitize.Reading:
    response = Response(
        trial=TRIAL.id, respondent=model, settings_hash="", sample=0, attempt=0, kind="text",
        value=value, stop=stop,
    )  # fmt: skip
    return PointsReader(unit)(TRIAL, response)


@pytest.mark.parametrize(
    ("reply", "number", "said"),
    [
        # Molmo, as in github.com/abhaybd/GraspMolmo/issues/2, and its way of counting
        ('<point x="52.9" y="43.9" alt="Where to grasp">Where to grasp</point>', 1, None),
        (
            'Counting the <points x1="9.1" y1="11.7" x2="17.2" y2="41.3" x3="19.6" y3="3.4" '
            'alt="the boats">the boats</points> shows a total of 3.', 3, 3,
        ),
        # Molmo 2: the first number is the picture's, as in its model card
        ('<points coords="1 1 308 305 2 752 377">curb ramp</points>', 2, None),
        (
            'Counting the <points coords="1 1 073 160 2 173 600 3 258 725 4 323 735 5 353 160" '
            'alt="boats">the boats</points> shows a total of 5.', 5, 5,
        ),
        ('<points coords="1 1 55 16;2 3 649 154 4 709 162">dog</points>', 3, None),
        # what stands in quotes is no point, nor what lies beyond the picture
        (
            '<points x1="10" y1="20" x2="30" y2="40" alt="2 of 7 dogs at x=3 y=4">2 dogs</points>',
            2, None,
        ),
        ("<points x1='10.0' y1='20.5' x2=30.0 y2=40.0 x3='130.0' y3='4'>dogs</points>", 2, None),
        ('<points alt="1 1 2 3" coords="1 1 308 305,2 1 752 377 2 1752 3">d</points>', 2, None),
        # a box of two corners is one thing, as in github.com/modelscope/ms-swift/issues/2535
        (
            '<|object_ref_start|>Apple<|object_ref_end|><|box_start|>(475,318),(492,337)<|box_end|>'
            '<|box_start|>(620,279),(631,301)<|box_end|> There are 2.', 2, 2,
        ),
        ("<ref>sheep</ref><box>[[101, 201, 150, 266]]</box>", 1, None),
        # Qwen's JSON, whole and cut off
        (
            '```json\n[\n\t{"point_2d": [394, 105], "label": "dot"},\n\t{"point_2d": [60, 12], '
            '"label": "dot"}\n]\n```', 2, None,
        ),
        ('[{"bbox_2d": [74, 361, 324, 808], "label": "cat"}, {"bbox_2d": [1, 2, 3', 1, None),
        ('[{"bbox_2d": [1, 2, 30, 40], "label": "3 cats"}]\nThere is 1 cat.', 1, 1),
        # Qwen's other form: whole numbers, beyond 100 too
        (
            '<points x1="115" y1="150" x2="885" y2="104" alt="background">background</points>',
            2, None,
        ),
        ('<points x1="745" y1="312"></points>', 1, None),
        # PaliGemma, as in its authors' paligemma_parse.py, and Florence-2
        (
            "<loc0000><loc0000><loc0930><loc1012> wall ; <loc0722><loc0047><loc0895><loc0378> cat",
            2, None,
        ),
        ("car<loc_54><loc_374><loc_898><loc_640>door<loc_511><loc_3><loc_600><loc_40>", 2, None),
        # Gemini
        ('[{"point": [281, 703], "label": "dot"}, {"point": [10, 20], "label": "dot"}]', 2, None),
        # plain pairs
        ("The dots are at (10, 20), (30.5, 40) and [5, 6], so there are three.", 3, 3),
        ("<think>(1, 2) (3, 4) maybe (5, 6)</think>(7, 8), (9, 10)", 2, None),
        ("At (12%, 34%) and (50.5%, 60%).", 2, None),
        ("x: 12.5, y: 33\nx=50, y=20\nTotal: 2", 2, 2),
        ('[{"x": 12, "y": 30}, {"x": 40, "y": 55}] There are 3.', 2, 3),
        ("1. (10, 20)\n2. (30, 40)\nTotal: 2", 2, 2),
        ("There are none.", 0, 0),
        ("```json\n[]\n```", 0, None),
    ],
)  # fmt: skip
def test_every_form_of_points_is_counted(reply: str, number: int, said: int | None) -> None:
    found = read(reply)
    assert (found.state, found.number) == ("read", number)
    pointing = told(found.note)
    assert pointing is not None
    assert pointing.said == said


@pytest.mark.parametrize("indent", [None, 0, 1, 2, 4, 8])
@pytest.mark.parametrize(("key", "wide"), [("point_2d", 2), ("bbox_2d", 4), ("point", 2)])
def test_json_is_read_however_it_is_set(key: str, wide: int, indent: int | None) -> None:
    """On one line or with each number on its own, as `json.dumps(…, indent=4)` writes it."""
    listed = [{key: [120 + 40 * n] * wide, "label": f"dot {n + 3}"} for n in range(4)]
    plain = pointed(json.dumps(listed))
    found = pointed(f"```json\n{json.dumps({'found': listed}, indent=indent)}\n```\nSo 5.")
    assert found.places.tolist() == plain.places.tolist() == [[120 + 40 * n] * 2 for n in range(4)]
    assert found.unit == plain.unit
    assert found.rest.split() == ["So", "5."]


def test_what_points_at_nothing_is_no_number() -> None:
    assert read("There are 7 dots.").state == "no-number"
    assert told(read("There are 7 dots.").note) == Pointing(0, 7, 0, 0, 3)
    assert read("I'm sorry, I can't help with that.").state == "refused"
    assert read('<points x1="1" y1="2"', stop="length").state == "truncated"


def test_units_say_where_a_point_lies() -> None:
    """One point in the middle of the first dot, written in every unit."""
    facts = draw(TRIAL.stimulus.recipe).facts
    x, y = facts["positions"][0]
    for unit, side in (("share", 1), ("percent", 100), ("mille", 1000), ("pixels", 256)):
        note = read(f"({x / 256 * side:.4f}, {y / 256 * side:.4f})", unit).note
        assert told(note) == Pointing(1, None, 1, 1, 3), unit
    far = read("(0.001, 0.001)", "share").note
    assert told(far) == Pointing(1, None, 0, 0, 3)
    # Gemini writes y first
    assert told(read(f'{{"point": [{y / 0.256:.0f}, {x / 0.256:.0f}]}}').note) == told(note)


QWENS = (("hf/Qwen/Qwen2.5-VL-7B-Instruct", 252), ("openai/qwen2_5-vl", 252),
         ("hf/Qwen/Qwen3-VL-8B-Instruct?batch=2", 1000), ("function/x", 1000))  # fmt: skip


@pytest.mark.parametrize(("model", "side"), QWENS)
def test_qwens_unit_is_told_by_its_name(model: str, side: int) -> None:
    """Qwen2.5-VL's pixels are those of the picture it sees: 252 of our 256."""
    x, y = (place / 256 * side for place in draw(TRIAL.stimulus.recipe).facts["positions"][0])
    written = f'[{{"point_2d": [{x:.0f}, {y:.0f}], "label": "dot"}}]'
    assert told(read(written, model=model).note) == Pointing(1, None, 1, 1, 3)
    if model != "function/x":
        xml = f'<points x1="{x:.0f}" y1="{y:.0f}" alt="dot">dot</points>'
        assert told(read(xml, model=model).note) == Pointing(1, None, 1, 1, 3)


def test_boxes_lie_where_their_models_say() -> None:
    """PaliGemma's y stands first, in parts of 1024; Florence-2's x, of 1000."""
    x, y = (place / 256 for place in draw(TRIAL.stimulus.recipe).facts["positions"][0])
    corners = [(y - 0.01) * 1024, (x - 0.01) * 1024, (y + 0.01) * 1024, (x + 0.01) * 1024]
    paligemma = "".join(f"<loc{round(one):04}>" for one in corners) + " dot"
    corners = [(x - 0.01) * 1000, (y - 0.01) * 1000, (x + 0.01) * 1000, (y + 0.01) * 1000]
    florence = "dot" + "".join(f"<loc_{round(one)}>" for one in corners)
    for reply in (paligemma, florence):
        assert told(read(reply).note) == Pointing(1, None, 1, 1, 3)


def test_two_points_on_one_thing_count_twice_and_hit_it_once() -> None:
    x, y = draw(TRIAL.stimulus.recipe).facts["positions"][0]
    pairs = f"({x}, {y}), ({x + 1}, {y})"
    assert told(read(pairs, "pixels").note) == Pointing(2, None, 2, 1, 3)


def test_a_long_reply_is_read_in_linear_time() -> None:
    assert len(pointed("(1, 2) " * 100_000).places) == 100_000
    assert len(pointed("<points " * 50_000).places) == 0
    assert len(pointed('{"point_2d": [' * 50_000).places) == 0


def test_notes_come_back_and_foreign_ones_do_not() -> None:
    for one in (Pointing(3, None), Pointing(0, 4, 0, 0, 5), Pointing(1, 1, 1, 1, 1)):
        assert told(noted(one)) == one
    assert told("hedged: about 7") is None


def pointing(picture: bytes, question: str) -> str:
    """A model that finds dots by their colour and writes Molmo's points, one too many from 5 on."""
    pixels = np.asarray(Image.open(io.BytesIO(picture)).convert("RGB")).astype(int)
    things, many = ndimage.label(np.abs(pixels - pixels[0, 0]).sum(axis=2) > 60)
    centres = ndimage.center_of_mass(things > 0, things, range(1, many + 1))
    size = len(pixels) / 100
    written = [f'x{i}="{x / size:.1f}" y{i}="{y / size:.1f}"' for i, (y, x) in enumerate(centres)]
    if many >= 5:
        written.append(f'x{many}="0.1" y{many}="0.1"')
    return f"Counting the <points {' '.join(written)}>dots</points> shows a total of {many}."


def test_a_model_that_points_is_scored_by_its_points(tmp_path: Path) -> None:
    run = subitize.run("naming", pointing, out=tmp_path, control=False, reader="points", **SMALL)
    scores = run.scores
    # 5 and 6 get a point in the corner: a third of the pictures
    assert scores["accuracy"].value == pytest.approx(4 / 6)
    found = scores["pointing"]
    assert found["agreement"]["value"] == pytest.approx(4 / 6)
    expected = (4 + 10 / 11 + 12 / 13) / 6
    assert found["f1"]["value"] == pytest.approx(expected)
    assert found["on_things"]["value"] == pytest.approx((4 + 5 / 6 + 6 / 7) / 6)
    page = subitize.report([run], tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Points on a thing" in page
    # the same replies by another reader: the number said
    again = subitize.run("naming", pointing, out=tmp_path, control=False, reader="final", **SMALL)
    assert again.scores["accuracy"].value == 1
    assert again.scores["pointing"] is None


def test_a_wrong_unit_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="unit of points"):
        PointsReader().configured({"unit": "inches"})
    with pytest.raises(BadInput, match="no setting 'scale'"):
        PointsReader().configured({"scale": 2})
    run = subitize.run("naming", "sim/perfect", out=tmp_path, control=False,
                       reader="points?unit=mille", **SMALL)  # fmt: skip
    assert run.answers["state"].unique().to_list() == ["no-number"]
