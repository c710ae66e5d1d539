"""Whether every picture of a set can be placed, told before the first is drawn."""

from __future__ import annotations

import io
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from scipy import ndimage

from subitize.benchmarks.catalog import get_benchmark
from subitize.errors import BadInput
from subitize.stimuli import art, naming
from subitize.stimuli import orderly as orderly_layouts
from subitize.stimuli.checking import refuse_impossible
from subitize.stimuli.holding import hull_target
from subitize.stimuli.orderly import orderly
from subitize.stimuli.scenes import KINDS, scene_of, tiles_of
from subitize.stimuli.writing import NamingSet

HOLDS = st.sampled_from(["area", "hull", "density"])


def cell(category: str, n: int, many: int, **more: Any) -> Sequence[dict[str, Any]]:
    return [naming.recipe(category, n, index, **more) for index in range(many)]


@pytest.mark.parametrize("category", naming.CATEGORIES)
def test_two_things_hold_their_hull_whatever_they_are(category: str) -> None:
    """Two flat cars side by side never have the hull: they then stand on a diagonal."""
    for index in range(45 if category == "fast cards" else 5):
        picture = naming.draw(naming.recipe(category, 2, index, size=256, hold="hull"))
        assert picture.facts["hull"] == pytest.approx(0.25 * 256**2, rel=0.03)
        with Image.open(io.BytesIO(picture.png)) as image:
            painted = (np.asarray(image.convert("RGB")) != 255).any(axis=2)
        assert ndimage.label(painted, np.ones((3, 3), int))[1] == 2


def test_numbers_that_fail_alike_are_told_together() -> None:
    cells = [cell("dots", n, 2, size=128, hold="hull") for n in (16, 40, 41, 42, 44)]
    with pytest.raises(BadInput, match=r"for 40 to 42 dots \(2 of 2 each\), 44 dots \(2 of 2\):"):
        refuse_impossible(cells)


def test_a_cell_is_given_up_after_a_few_pictures() -> None:
    """Each that can't be placed takes all its darts: 50 of them in 200 cells took half a minute."""
    with pytest.raises(BadInput, match=r"for 40 dots \(5 or more of 20\):"):
        refuse_impossible([cell("dots", 40, 20, size=128, hold="hull")])


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(naming.CATEGORIES), st.integers(1, 40), st.integers(90, 700), HOLDS,
       st.integers(0, 2000))  # fmt: skip
def test_what_passed_can_be_placed(category: str, n: int, size: int, hold: str, index: int) -> None:
    """Arithmetic that says yes is kept by any picture of the cell, not just the first."""
    first = naming.recipe(category, n, 0, size=size, hold=hold, largest=40)
    try:
        refuse_impossible([[first]])
    except BadInput:
        return
    one = naming.recipe(category, n, index, size=size, hold=hold, largest=40)
    try:
        refuse_impossible([[one]])
    except BadInput:
        return
    scene = scene_of(one)
    assert len(scene.centres) == n
    assert (scene.diameters >= 8).all()


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(art.KINDS), st.integers(1, 60), st.integers(100, 900), st.floats(0.02, 0.5))
def test_an_orderly_layout_keeps_its_promise(kind: str, n: int, size: int, share: float) -> None:
    """The painted pixels of an orderly layout take the hull that the outline promised."""
    from subitize.stimuli import holding

    target = share * size * size
    order = orderly(kind, n, size, target)
    if order is None:
        return
    diameters = np.full(n, order.diameter)
    tiles = tiles_of(kind, (art.looks(kind)[-1],) * n, diameters)
    if n == 1:
        assert holding.hull_area(order.points, tiles) == pytest.approx(
            target, rel=0.03 + 2.5 / order.diameter
        )
        return
    places, _ = holding.spread(order.points, diameters, tiles, size, target)
    assert places is not None
    assert holding.hull_area(places, tiles) == pytest.approx(target, rel=0.01)


def test_all_cells_that_cannot_be_are_told_at_once(tmp_path: Path) -> None:
    wanted = NamingSet(3, 9, 64, ("dots", "fast cards"), "hull")
    told = r"for 6 to 9 dots \(3 of 3 each\), 7 to 9 fast cards \(3 of 3 each\): use a la"
    with pytest.raises(BadInput, match=told):
        wanted.write(tmp_path / "out", processes=1)
    assert not (tmp_path / "out").exists()
    run = get_benchmark("naming")
    with pytest.raises(BadInput, match=r"64 x 64 pixels for .*6 to 9 dots"):
        run.settings_from({"hold": "hull", "size": 64, "per_cell": 3, "max": 9})


@pytest.mark.parametrize("hold", ["", "hull", "density", "area"])
def test_a_whole_run_is_checked_without_placing(hold: str) -> None:
    """2,500 pictures: their kinds are looked at, not each picture."""
    run = get_benchmark("naming")
    run.settings_from({"hold": hold, "per_cell": 2})
    begun = time.process_time()
    run.settings_from({"hold": hold, "per_cell": 50})
    few = time.process_time() - begun
    begun = time.process_time()
    for index in range(25):
        scene_of(naming.recipe("people", 10, index, hold=hold or "hull"))
    assert few < 100 * (time.process_time() - begun), "as dear as placing every picture"


def test_every_category_names_its_kinds() -> None:
    assert set(KINDS) == set(naming.CATEGORIES)
    assert {kind for kinds in KINDS.values() for kind in kinds} < set(art.KINDS)
    assert hull_target(naming.recipe("dots", 3, 0, size=100, hold="hull")) == 2500


def test_distances_of_a_pattern_are_taken_once_whatever_stands_on_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Sets up to 200 things were looked at for minutes before the first picture."""
    taken: list[int] = []
    true = orderly_layouts.nearest
    monkeypatch.setattr(
        orderly_layouts, "nearest", lambda points: taken.append(len(points)) or true(points)
    )
    orderly_layouts._patterns.cache_clear()
    for kind in (kind for kinds in KINDS.values() for kind in kinds):
        orderly(kind, 173, 1024, 0.25 * 1021**2)
    assert len(taken) <= len(orderly_layouts._patterns(173))
