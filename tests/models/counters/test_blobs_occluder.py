"""A black box laid over coloured things is no thing; black things are."""

from __future__ import annotations

import numpy as np
import pytest

from subitize.models.counters.blobs import find_blobs


def scene(colour: tuple[int, int, int]) -> np.ndarray:
    pixels = np.full((120, 120, 3), 255, np.uint8)
    for x in (10, 40, 70, 100):
        pixels[20:30, x : x + 10] = colour
    return pixels


@pytest.mark.parametrize("side", [12, 40])
def test_a_black_box_among_coloured_things_is_left_out(side: int) -> None:
    pixels = scene((200, 30, 30))
    pixels[60 : 60 + side, 30 : 30 + side] = 0
    assert len(find_blobs(pixels)) == 4


def test_an_object_cut_by_the_box_counts_as_hidden() -> None:
    pixels = scene((200, 30, 30))
    pixels[25:60, 35:65] = 0
    assert len(find_blobs(pixels)) == 3


def test_black_things_count() -> None:
    assert len(find_blobs(scene((0, 0, 0)))) == 4


def test_a_single_black_box_counts_where_there_is_nothing_else() -> None:
    pixels = np.full((120, 120, 3), 255, np.uint8)
    pixels[40:60, 40:60] = 0
    assert len(find_blobs(pixels)) == 1


def test_two_black_boxes_are_things() -> None:
    pixels = scene((200, 30, 30))
    pixels[60:70, 30:40] = pixels[60:70, 60:70] = 0
    assert len(find_blobs(pixels)) == 6
