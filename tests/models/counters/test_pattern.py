"""The counter that completes a pattern, from pictures alone."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from PIL import Image

from subitize.errors import ModelError
from subitize.models.base import Item, Reply
from subitize.models.catalog import open_model
from subitize.models.counters.blobs import find_blobs
from subitize.models.counters.pattern import Pattern
from subitize.pictures.decode import decode
from subitize.stimuli import Picture, capture
from subitize.stimuli.capture import Configuration, configurations
from subitize.stimuli.capture.continued import continue_pattern


def draw(configuration: Configuration, variant: str, **how: Any) -> Picture:
    return capture.draw(capture.recipe(configuration, variant=variant, **how))


@lru_cache(maxsize=1)
def model() -> Pattern:
    opened = open_model("counter/pattern")
    assert isinstance(opened, Pattern)
    return opened


def reply(png: bytes) -> Reply:
    answer = model().count([Item("t", "How many?", png)])[0]
    assert isinstance(answer, Reply), answer
    return answer


def counted(png: bytes) -> int:
    return len(reply(png).value["boxes"])


@pytest.mark.budget(60)
def test_all_fair_pictures_at_the_command_s_size() -> None:
    wrong = [
        (variant, configuration.name)
        for variant in capture.VARIANTS
        for configuration in configurations()
        if counted(draw(configuration, variant, size=200).png) != configuration.count
    ]
    assert not wrong


@pytest.mark.parametrize("size", [120, 333, 512])
def test_other_sizes(size: int) -> None:
    for configuration in configurations()[::37]:
        for variant in capture.VARIANTS:
            assert counted(draw(configuration, variant, size=size, seed=3).png) == (
                configuration.count
            ), configuration.name


def test_boxes_lie_where_the_objects_are() -> None:
    for configuration in configurations()[::53]:
        picture = draw(configuration, "occluded", size=400)
        boxes = np.array(reply(picture.png).value["boxes"])
        middles = (boxes[:, :2] + boxes[:, 2:4]) / 2
        places = np.array(picture.facts["positions"])
        away = np.abs(middles[:, None] - places[None]).max(axis=2)
        assert away.min(axis=0).max() < 2
        assert (boxes[:, 4] == 1).all()


def test_the_published_layout_where_it_can_be_told() -> None:
    """Objects outside the picture, and patterns with hidden ends, can't be told by anyone."""
    cells = configurations()[::3]
    right = dict.fromkeys(capture.VARIANTS, 0)
    for configuration in cells:
        for variant in capture.VARIANTS:
            picture = draw(configuration, variant, layout="published", size=200)
            same = counted(picture.png) == configuration.count
            right[variant] += same
            if variant == "unoccluded":
                places = np.array(picture.facts["positions"])
                r = picture.facts["radius"]
                visible = ((places > -r) & (places < 200 + r)).all()
                assert same == visible, configuration.name
    assert right["occluded"] / len(cells) > 0.8


@pytest.mark.parametrize(("arrangement", "count"), [("hexagon", 19), ("rings", 15), ("circle", 22)])
def test_more_arrangements(arrangement: str, count: int) -> None:
    for place in capture.PLACES:
        cell = Configuration(arrangement, count, place, "purple", "dots")
        assert counted(draw(cell, "occluded", size=512).png) == count


def test_visible_things_are_counted_without_a_pattern() -> None:
    cell = configurations()[0]
    assert counted(draw(cell, "unoccluded", size=200).png) == cell.count
    white = np.full((60, 60, 3), 255, np.uint8)
    assert counted(encoded(white)) == 0
    white[20:40, 20:40] = 0
    assert counted(encoded(white)) == 0  # the square alone


def test_scattered_dots_beside_a_square_are_counted_as_seen() -> None:
    canvas = np.full((200, 200, 3), 255, np.uint8)
    for x, y in [(20, 30), (90, 12), (47, 110), (150, 160), (171, 60)]:
        canvas[y : y + 8, x : x + 8] = (255, 0, 0)
    canvas[90:130, 90:130] = 0
    assert counted(encoded(canvas)) == 5


def test_the_inpainter_draws_the_hidden_objects() -> None:
    for configuration in configurations()[::41]:
        plain = draw(configuration, "unoccluded", size=256)
        covered = draw(configuration, "occluded", size=256)
        filled = continue_pattern(decode(covered.png))
        assert len(find_blobs(filled)) == configuration.count
        difference = np.abs(filled.astype(int) - decode(plain.png)).max(axis=2) > 128
        # a copy stands on whole pixels, so its edge may differ by one
        assert difference.sum() <= 20 * len(covered.facts["hidden"])
        assert not (filled.max(axis=2) < 50).any()


def test_the_inpainter_leaves_other_pictures_alone() -> None:
    plain = decode(draw(configurations()[5], "unoccluded", size=128).png)
    assert (continue_pattern(plain) == plain).all()


def test_bad_pictures_fail_alone() -> None:
    good = Item("a", "", draw(configurations()[5], "occluded", size=128).png)
    answers = model().count([Item("b", "", b"junk"), good, Item("c", "")])
    assert isinstance(answers[0], ModelError)
    assert isinstance(answers[1], Reply)
    assert isinstance(answers[2], ModelError)


def encoded(pixels: np.ndarray[Any, Any]) -> bytes:
    from io import BytesIO

    out = BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()
