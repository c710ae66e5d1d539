"""Patterns behind a square: the published geometry, and what the fair layout promises."""

from __future__ import annotations

import io
import json
import math
from collections import Counter
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from scipy import ndimage

from subitize.errors import BadInput, SubitizeError, UnknownName
from subitize.records import Stimulus
from subitize.stimuli import capture, render
from subitize.stimuli.capture import Configuration, configurations, facts, recipe
from subitize.stimuli.capture.arrangements import PUBLISHED
from subitize.stimuli.capture.completing import completions

Facts = dict[str, Any]


@lru_cache(maxsize=8)
def all_facts(variant: str, layout: str, size: int, seed: int) -> tuple[Facts, ...]:
    return tuple(
        facts(recipe(c, variant=variant, layout=layout, size=size, seed=seed))
        for c in configurations()
    )


def pixels(png: bytes) -> np.ndarray[Any, Any]:
    with Image.open(io.BytesIO(png)) as picture:
        return np.asarray(picture.convert("RGB")).astype(int)


def released(data_dir: Path) -> list[dict[str, Any]]:
    path = data_dir / "capture" / "synthetic_metadata.json"
    return list(json.loads(path.read_text()))


def test_the_design() -> None:
    cells = configurations()
    assert len(cells) == len(set(cells)) == 1250
    assert Counter(c.arrangement for c in cells) == {
        "circle": 550,
        "triangle": 150,
        "rectangle": 550,
    }
    assert {c.count for c in cells if c.arrangement == "triangle"} == {6, 10, 15}
    assert {c.count for c in cells} == set(range(5, 16))
    assert cells[0].name == "circle_5_dots_0_blue_dots.png"
    assert cells[-1].name == "rectangle_15_dots_4_purple_boxes.png"
    assert Counter(c.nth for c in cells) == dict.fromkeys(range(50), 25)


def test_positions_equal_the_released_ones(data_dir: Path) -> None:
    rows = released(data_dir)
    assert len(rows) == 1150
    ours = {c.name: c for c in configurations()}
    for row in rows:
        made = recipe(ours[row["image_file"]], variant="unoccluded", layout="published", size=200)
        found = facts(made)
        assert np.abs(np.array(found["positions"]) - row["positions"]).max() <= 0.01 + 1e-9
        assert found["count"] == row["ground_truth"]
        assert found["radius"] == 5
        for size in (100, 336, 512, 2000):
            scaled = np.array(facts(made | {"size": size})["positions"])
            off = np.abs(scaled - np.array(row["positions"]) * size / 200).max()
            assert off <= 0.01 + 1e-9, (row["image_file"], size)


def test_order_and_the_hundred_cells_left_out(data_dir: Path) -> None:
    names = [row["image_file"] for row in released(data_dir)]
    ours = [c.name for c in configurations()]
    assert [name for name in ours if name in set(names)] == names
    assert len(set(ours) - set(names)) == 100


def test_the_validation_part_is_what_the_released_test_part_leaves_out(data_dir: Path) -> None:
    tested = {c.name for c in configurations() if capture.part(c) == "test"}
    assert tested == {row["image_file"] for row in released(data_dir)}


def test_validation_part() -> None:
    chosen = [c for c in configurations() if capture.part(c) == "validation"]
    assert len(chosen) == 100
    assert len({(c.arrangement, c.count) for c in chosen}) == 25
    assert len({c.place for c in chosen}) == len({c.colour for c in chosen}) == 5
    assert capture.part(Configuration("circle", 20, 0, "red", "dots")) == "test"


def test_published_occluders() -> None:
    known = all_facts("occluded", "published", 200, 0)
    sides = []
    for one in known:
        x0, y0, x1, y1 = one["occluder"]
        sides.append(x1 - x0)
        assert y1 - y0 == pytest.approx(x1 - x0, abs=0.011)
        centre = np.array([(x0 + x1) / 2, (y0 + y1) / 2])
        away = np.hypot(*(np.array(one["positions"]) - centre).T)
        assert away.min() < 0.02
        assert int(away.argmin()) in one["hidden"]
    assert min(sides) >= 30 - 0.01
    assert max(sides) <= 60 + 0.01
    assert np.mean(sides) == pytest.approx(45, abs=1)
    # the release's mean is 2.73; ours draws its own squares by the same rule
    assert np.mean([len(one["hidden"]) for one in known]) == pytest.approx(2.73, abs=0.2)


@pytest.mark.parametrize("seed", [0, 1])
def test_fair_promises(seed: int) -> None:
    known = all_facts("occluded", "fair", 200, seed)
    hidden = [len(one["hidden"]) for one in known]
    assert set(hidden) == {1, 2, 3, 4, 5, 6}
    assert np.mean(hidden) == pytest.approx(2.73, abs=0.1)
    for one in known:
        # at least half of the objects and four of them can be seen
        assert len(one["hidden"]) <= min(6, one["count"] - 4, one["count"] // 2)
        places, r = np.array(one["positions"]), one["radius"]
        x0, y0, x1, y1 = one["occluder"]
        assert (places - r > 0).all()
        assert (places + r < 200).all()
        assert 0 < x0 < x1 < 200
        assert 0 < y0 < y1 < 200
        assert x1 - x0 == pytest.approx(y1 - y0, abs=0.011)
        inside = np.maximum(abs(places[:, 0] - (x0 + x1) / 2), abs(places[:, 1] - (y0 + y1) / 2))
        half = (x1 - x0) / 2
        assert (np.flatnonzero(inside < half - r) == one["hidden"]).all()
        assert ((inside < half - r) | (inside > half + r)).all(), "an object is half hidden"
        if np.ptp(places[:, 0]) == 0:
            assert not {0, one["count"] - 1} & set(one["hidden"]), "a line shows both ends"


@pytest.mark.parametrize("seed", [0, 7])
def test_exactly_one_completion_and_it_is_the_truth(seed: int) -> None:
    for one in all_facts("occluded", "fair", 200, seed):
        places = np.array(one["positions"])
        shown = np.ones(len(places), bool)
        shown[one["hidden"]] = False
        only = completions(places[shown], one["occluder"], one["radius"]).only
        assert only is not None, one
        assert len(only) == len(one["hidden"])
        away = np.abs(places[~shown][:, None] - only[None]).max(axis=2).min(axis=1)
        assert away.max() < one["radius"] / 4


def test_pictures_show_the_facts() -> None:
    """Pixels against facts, by Pillow and SciPy: the count, and what the square changes."""
    for configuration in configurations()[::7]:
        plain, covered = (
            capture.draw(recipe(configuration, variant=variant, size=200))
            for variant in capture.VARIANTS
        )
        assert plain.facts["occluder"] is None
        assert plain.facts["hidden"] == []
        first, second = pixels(plain.png), pixels(covered.png)
        labels, found = ndimage.label((first < 200).any(axis=2))
        assert found == configuration.count
        centres = np.array(
            ndimage.center_of_mass(first.min(axis=2) < 128, labels, range(1, found + 1))
        )
        away = np.abs(
            np.array(plain.facts["positions"])[:, None] - (centres[:, ::-1] + 0.5)[None]
        ).max(axis=2)
        assert away.min(axis=1).max() < 0.6
        assert (
            tuple(first[first.sum(axis=2) < 700].min(axis=0))
            <= capture.COLOURS[configuration.colour]
        )
        changed = [
            k
            for k, (x, y) in enumerate(plain.facts["positions"])
            if (first[int(y), int(x)] != second[int(y), int(x)]).any()
        ]
        assert changed == covered.facts["hidden"]
        x0, y0, x1, y1 = covered.facts["occluder"]
        assert (second[math.ceil(y0) : int(y1), math.ceil(x0) : int(x1)] == 0).all()
        outside = np.ones((200, 200), bool)
        outside[int(y0) : math.ceil(y1), int(x0) : math.ceil(x1)] = False
        assert (first[outside] == second[outside]).all()


def test_a_recipe_is_json_and_gives_the_same_bytes() -> None:
    made = recipe(configurations()[321], variant="occluded", size=333, seed=5)
    again = json.loads(json.dumps(made))
    assert again == made
    assert render(Stimulus("drawn", again)).png == capture.draw(made).png
    assert capture.draw(made | {"seed": 6}).png != capture.draw(made).png


EXTENSIONS = [
    ("circle", 24),
    ("rectangle", 23),
    ("rectangle", 36),
    ("triangle", 28),
    ("hexagon", 7),
    ("hexagon", 19),
    ("staggered", 12),
    ("staggered", 20),
    ("rings", 12),
    ("rings", 18),
]


@pytest.mark.parametrize(("arrangement", "count"), EXTENSIONS)
def test_more_counts_and_arrangements(arrangement: str, count: int) -> None:
    families = (*PUBLISHED, arrangement) if arrangement not in PUBLISHED else PUBLISHED
    for place in capture.PLACES:
        one = facts(
            recipe(Configuration(arrangement, count, place, "red", "dots"), variant="occluded")
        )
        places = np.array(one["positions"])
        assert len(places) == count
        assert (places - one["radius"] > 0).all()
        assert (places + one["radius"] < 512).all()
        assert 1 <= len(one["hidden"]) <= 6
        shown = np.delete(places, one["hidden"], axis=0)
        only = completions(shown, one["occluder"], one["radius"], families).only
        assert only is not None
        assert len(only) + len(shown) == count


@given(
    st.sampled_from(configurations()), st.integers(64, 900), st.integers(0, 2**31), st.booleans()
)
@settings(max_examples=25, deadline=None)
def test_any_size_scales(configuration: Configuration, size: int, seed: int, fair: bool) -> None:
    layout = "fair" if fair else "published"
    small, large = (
        facts(recipe(configuration, variant="occluded", layout=layout, size=side, seed=seed))
        for side in (size, 10 * size)
    )
    assert np.array(small["positions"]) * 10 == pytest.approx(
        np.array(large["positions"]), abs=0.06
    )
    assert np.array(small["occluder"]) * 10 == pytest.approx(np.array(large["occluder"]), abs=0.06)


def test_a_square_of_a_given_side() -> None:
    made = recipe(configurations()[3], variant="occluded", size=200, occluder=0.1)
    x0, _, x1, _ = facts(made)["occluder"]
    assert x1 - x0 == pytest.approx(20, abs=0.02)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"arrangement": "triangle", "count": 7}, BadInput, "no triangle of 7 objects"),
        ({"arrangement": "circle", "count": 2}, BadInput, "no circle of 2 objects"),
        ({"arrangement": "hexagon", "count": 8}, BadInput, "no hexagon of 8 objects"),
        ({"arrangement": "staggered", "count": 7}, BadInput, "no staggered of 7 objects"),
        ({"arrangement": "rings", "count": 13}, BadInput, "no rings of 13 objects"),
        ({"arrangement": "cricle"}, UnknownName, "did you mean 'circle'"),
        ({"colour": "pink"}, UnknownName, "no colour 'pink'"),
        ({"object": "cats"}, UnknownName, "no object 'cats'"),
        ({"place": 5}, BadInput, "no place 5"),
        ({"variant": "hidden"}, UnknownName, "no variant 'hidden'"),
        ({"layout": "free"}, UnknownName, "no layout 'free'"),
        ({"occluder": 1.2}, BadInput, "larger than the picture"),
        ({"occluder": 0.9}, BadInput, "when its side is 0.9"),
        ({"size": 10}, BadInput, "use a larger size"),
        ({"size": -5}, BadInput, "use a larger size"),
        ({"arrangement": "hexagon", "count": 7, "layout": "published"}, BadInput, "no hexagon"),
    ],
)
def test_bad_input(change: dict[str, Any], error: type[SubitizeError], words: str) -> None:
    cell = asdict(configurations()[0])
    cell |= {key: value for key, value in change.items() if key in cell}
    options = {"variant": "occluded"} | {k: v for k, v in change.items() if k not in cell}
    with pytest.raises(error, match=words):
        facts(recipe(Configuration(**cell), **options))
