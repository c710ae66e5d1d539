"""counter/blobs: right on simple pictures, touching discs included, wings and heads not split."""

from __future__ import annotations

import numpy as np
import pytest

from subitize.errors import ModelError
from subitize.models.base import Item
from subitize.models.catalog import open_model
from subitize.models.counters.blobs import find_blobs
from subitize.pictures.decode import decode
from subitize.stimuli.naming import CATEGORIES, draw, recipe


def discs(places: list[tuple[float, float, float]], size: int = 256) -> np.ndarray:
    y, x = np.mgrid[:size, :size]
    mask = np.zeros((size, size), dtype=bool)
    for across, down, radius in places:
        mask |= (x - across) ** 2 + (y - down) ** 2 <= radius**2
    return np.where(mask[..., None], 0, 255).repeat(3, axis=2).astype(np.uint8)


@pytest.mark.parametrize("size", [128, 256, 512])
def test_naming_pictures_are_counted_rightly(size: int) -> None:
    wrong = [
        (category, n)
        for category in CATEGORIES
        for n in range(1, 11)
        for index in range(3)
        if len(find_blobs(decode(draw(recipe(category, n, index, size=size)).png))) != n
    ]
    assert len(wrong) <= 1, wrong


@pytest.mark.parametrize("category", ["butterflies", "people"])
def test_large_drawings_stay_whole(category: str) -> None:
    for n in (1, 2, 5):
        for index in range(3):
            picture = decode(draw(recipe(category, n, index, size=1024)).png)
            assert len(find_blobs(picture)) == n


def test_touching_discs_are_split() -> None:
    rng = np.random.default_rng(0)
    right = 0
    for _ in range(60):
        one, other = rng.uniform(10, 30, 2)
        angle, apart = rng.uniform(0, 2 * np.pi), (one + other) * rng.uniform(0.92, 1.0)
        place = (128 + apart * np.cos(angle), 128 + apart * np.sin(angle), other)
        right += len(find_blobs(discs([(128, 128, one), place]))) == 2
    assert right >= 54
    chain = [(50 + 34 * place, 128, 17.5) for place in range(4)]
    boxes = find_blobs(discs(chain))
    assert len(boxes) == 4
    assert len(find_blobs(discs(chain), split=False)) == 1
    lefts = sorted(box[0] for box in boxes)
    assert np.allclose(lefts, [32.5, 66.5, 100.5, 134.5], atol=4)


@pytest.mark.parametrize("radius", [2, 3, 5, 9, 20, 60])
def test_one_disc_is_one(radius: float) -> None:
    assert len(find_blobs(discs([(128.3, 127.8, radius)]))) == 1


def test_an_empty_picture_has_nothing() -> None:
    assert find_blobs(np.full((40, 40, 3), 128, dtype=np.uint8)) == []


def test_a_bad_picture_fails_alone() -> None:
    counter = open_model("counter/blobs")
    good = draw(recipe("dots", 3, 0, size=128)).png
    items = [
        Item("a", "?", good),
        Item("b", "?", b"no"),
        Item("c", "?", None),
        Item("d", "?", good),
    ]
    found = counter.count(items)  # type: ignore[attr-defined]
    assert [isinstance(answer, ModelError) for answer in found] == [False, True, True, False]
    assert len(found[3].value["boxes"]) == 3
