"""Number, size and spacing that don't hang together, measured from pictures."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from scipy import ndimage
from scipy.stats import spearmanr

from subitize.errors import BadInput, UnknownName
from subitize.stimuli import naming
from subitize.stimuli.cues import ALL, CUES, cue_correlations, cues_of
from subitize.stimuli.orthogonal import LARGEST_R, LEVELS, Cues, cues_at, is_sure
from subitize.stimuli.picture_sets import MANIFEST
from subitize.stimuli.scenes import KINDS, scene_of
from subitize.stimuli.writing import NamingSet, naming_recipe

SMALL = NamingSet(per_cell=2, max=6, size=256, cues="orthogonal")


def test_the_manifest_of_a_small_set_has_no_correlations(tmp_path: Path) -> None:
    """Of what was painted, not of what was asked for; and all things are there."""
    SMALL.write(tmp_path, processes=1)
    lines = [orjson.loads(line) for line in (tmp_path / MANIFEST).read_bytes().splitlines()]
    assert len(lines) == 2 * 6 * 5
    columns = [np.log2([line[name] for line in lines]) for name in ("n", "size", "spacing")]
    r = np.corrcoef(columns)
    assert np.abs(r[np.triu_indices(3, 1)]).max() < LARGEST_R
    for line in lines:
        with Image.open(tmp_path / line["file"]) as image:
            painted = (np.asarray(image.convert("RGB")) != 255).any(axis=2)
        assert ndimage.label(painted, np.ones((3, 3), int))[1] == line["n"]
        assert painted.sum() == line["area"]
        wanted = Cues(**line["recipe"]["cues"])
        assert line["size"] == pytest.approx(line["area"] ** 2 / line["n"])
        assert line["size"] == pytest.approx(wanted.size, rel=0.25), "a pixel more or less"
        middle = np.mean([np.min(line["boxes"], axis=0)[:2], np.max(line["boxes"], axis=0)[2:]], 0)
        far = np.linalg.norm(np.array(line["positions"]) - middle, axis=1)
        assert far.max() <= 2 * wanted.radius(line["n"])


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(naming.CATEGORIES),
    st.integers(1, 40),
    st.integers(90, 900),
    st.tuples(st.integers(0, LEVELS - 1), st.integers(0, LEVELS - 1)),
    st.integers(0, 99),
)
def test_what_arithmetic_allows_can_be_placed(
    category: str, n: int, size: int, level: tuple[int, int], index: int
) -> None:
    cues = cues_at(level, 40, size)
    recipe = {**naming.recipe(category, n, index, size=size), "cues": cues._asdict()}
    if not all(is_sure(kind, n, cues) for kind in KINDS[category]):
        return
    scene = scene_of(recipe)
    centres, radii = scene.centres, scene.diameters / 2
    away = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    apart = radii[:, None] + radii[None] + 4
    assert (away >= apart)[~np.eye(n, dtype=bool)].all()
    assert (centres - radii[:, None] >= 0).all()
    assert (centres + radii[:, None] <= size).all()
    # all of them in one circle of the field's radius
    assert away.max(initial=0.0) <= 2 * cues.radius(n)


def test_whole_grids_have_no_correlation_at_all() -> None:
    wanted = NamingSet(per_cell=5, cues="orthogonal")
    shown = [recipe["cues"] | {"n": recipe["n"]} for _, recipe in wanted.recipes()]
    columns = [np.log2([one[name] for one in shown]) for name in ("n", "size", "spacing")]
    assert np.abs(np.corrcoef(columns) - np.eye(3)).max() < 1e-6


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"cues": "skew"}, UnknownName, "way to vary cues 'skew'"),
        ({"hold": "hull"}, BadInput, "--cues orthogonal varies every cue and --hold hull holds"),
        ({"per_cell": 1, "categories": ("dots",)}, BadInput, "6 pictures are too few"),
        ({"size": 64}, BadInput, r"size and spacing can't be held in pictures of 64 x 64 pixels"),
        ({"max": 60}, BadInput, r"60 dots \("),
    ],
)
def test_what_cannot_be_is_refused_before_the_first_picture(
    tmp_path: Path, change: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        replace(SMALL, **change).write(tmp_path / "out", processes=1)
    assert not (tmp_path / "out").exists()


def test_a_recipe_without_cues_is_as_it_was() -> None:
    plain = naming_recipe(replace(SMALL, cues=""), "dots", 3, 1)
    assert plain == naming.recipe("dots", 3, 1, size=256, largest=6)


@pytest.mark.parametrize("category", naming.CATEGORIES)
def test_cues_are_what_the_pixels_say(category: str) -> None:
    recipe = naming.recipe(category, 4, 2, size=256)
    picture, cues = naming.draw(recipe), cues_of(recipe)
    with Image.open(io.BytesIO(picture.png)) as image:
        painted = (np.asarray(image.convert("RGB")) != 255).any(axis=2)
    assert set(cues) == set(CUES)
    assert cues["total_area"] == painted.sum() == 4 * cues["item_area"]
    assert cues["hull"] == picture.facts["hull"]
    sides = sum(np.count_nonzero(np.diff(painted, axis=axis)) for axis in (0, 1))
    assert cues["perimeter"] == pytest.approx(sides * np.pi / 4)
    places = np.array(picture.facts["positions"], float)
    away = np.linalg.norm(places[:, None] - places[None], axis=2) + np.diag([np.inf] * 4)
    assert cues["nearest"] == pytest.approx(away.min(axis=1).mean())


def test_correlations_are_spearmans_and_tell_what_holding_does() -> None:
    sets = {hold: NamingSet(4, 8, 160, hold=hold) for hold in ("", "area", "hull")}
    found = {
        hold: cue_correlations(one for _, one in wanted.recipes()) for hold, wanted in sets.items()
    }
    recipes = [one for _, one in sets[""].recipes()]
    pairs = [(one["n"], cues_of(one)["perimeter"]) for one in recipes]
    assert found[""]["perimeter"][ALL] == pytest.approx(spearmanr(pairs).statistic)
    by_area, by_hull = found["area"]["item_area"][ALL], found["hull"]["density"][ALL]
    assert by_area is not None
    assert by_hull is not None
    assert by_area < -0.97, "the size of one item gives the number away"
    assert by_hull > 0.97, "so does the density"
    assert set(found[""]["hull"]) == {ALL, *naming.CATEGORIES}
    one = cue_correlations([naming.recipe("dots", 1, 0, size=64)])
    assert set(one["nearest"].values()) == {None}
