"""What is in a naming picture, measured from its pixels."""

from __future__ import annotations

import hashlib
import io
import json
import struct
import time
import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from PIL import Image
from scipy import ndimage, stats
from scipy.spatial import ConvexHull

from subitize.errors import BadInput, UnknownName
from subitize.stimuli import Picture, art, naming, patterns, placing
from subitize.stimuli.art.choosing import all_palettes
from tests.speed import within

EIGHT_NEIGHBOURS = np.ones((3, 3), int)


def pixels(picture: Picture) -> np.ndarray:
    with Image.open(io.BytesIO(picture.png)) as image:
        return np.asarray(image.convert("RGB"))


def painted(picture: Picture) -> np.ndarray:
    return (pixels(picture) != 255).any(axis=2)


def made(category: str, n: int, index: int = 0, **more: Any) -> Picture:
    return naming.draw(naming.recipe(category, n, index, **more))


CATEGORIES = st.sampled_from(naming.CATEGORIES)


@settings(max_examples=60, deadline=None)
@example("dots", 34, 461, 256)
@given(CATEGORIES, st.integers(0, 40), st.integers(0, 1000), st.sampled_from([120, 256, 500]))
def test_n_separate_items(category: str, n: int, index: int, size: int) -> None:
    """Components are counted after growing each to one side: two white pixels lie between items."""
    mask = painted(made(category, n, index, size=size))
    near = ndimage.binary_dilation(mask, np.ones((2, 2), int))
    assert ndimage.label(near, EIGHT_NEIGHBOURS)[1] == n
    assert not mask[[0, 1, -2, -1]].any()
    assert not mask[:, [0, 1, -2, -1]].any()


@settings(max_examples=20, deadline=None)
@given(CATEGORIES, st.integers(1, 12), st.integers(0, 50))
def test_facts_are_what_the_pixels_say(category: str, n: int, index: int) -> None:
    picture = made(category, n, index, size=300)
    facts, mask = picture.facts, painted(picture)
    assert facts["area"] == mask.sum()
    y, x = np.nonzero(mask)
    corners = np.concatenate([np.stack([x + a, y + b], 1) for a in (0, 1) for b in (0, 1)])
    hull = ConvexHull(corners).volume  # an area, in two dimensions
    assert facts["hull"] == pytest.approx(hull)
    assert facts["density"] == pytest.approx(n / hull)
    labels, _ = ndimage.label(mask, EIGHT_NEIGHBOURS)
    boxes = [[b.start, a.start, b.stop, a.stop] for a, b in ndimage.find_objects(labels)]
    assert sorted(boxes) == sorted(facts["boxes"])
    for (cx, cy), size, box in zip(facts["positions"], facts["sizes"], facts["boxes"], strict=True):
        assert cx - size / 2 - 1 <= box[0] < box[2] <= cx + size / 2 + 1
        assert cy - size / 2 - 1 <= box[1] < box[3] <= cy + size / 2 + 1
    assert len(facts["colours"]) == n


@pytest.mark.parametrize("category", naming.CATEGORIES)
def test_several_hundred_items(category: str) -> None:
    assert ndimage.label(painted(made(category, 400)), EIGHT_NEIGHBOURS)[1] == 400


@pytest.mark.parametrize("category", naming.CATEGORIES)
def test_as_many_as_fit_and_one_more(category: str) -> None:
    size = 150
    most = patterns.card_capacity(size) if category == "fast cards" else placing.capacity(size)
    assert ndimage.label(painted(made(category, most, size=size)), EIGHT_NEIGHBOURS)[1] == most
    with pytest.raises(BadInput, match=f"largest n is about {most}; use a larger --size"):
        made(category, most + 1, size=size)


def test_too_small_is_known_at_once() -> None:
    begun = time.process_time()
    with pytest.raises(BadInput, match="100000 items do not fit in a 64 x 64 picture"):
        made("apples", 100_000, size=64)
    assert within(time.process_time() - begun, 0.5)


@pytest.mark.parametrize("category", naming.CATEGORIES)
def test_smallest_picture(category: str) -> None:
    assert painted(made(category, 1, size=naming.SMALLEST_SIZE)).any()


def test_recipes_are_plain_and_checked() -> None:
    recipe = naming.recipe("people", 3, 7, size=256, hold="area", seed=5)
    assert json.loads(json.dumps(recipe)) == recipe
    with pytest.raises(UnknownName, match="did you mean 'apples'"):
        naming.recipe("aples", 3, 0)
    with pytest.raises(UnknownName, match="cue to hold"):
        naming.recipe("apples", 3, 0, hold="colour")
    with pytest.raises(BadInput, match="too small"):
        naming.recipe("apples", 3, 0, size=15)
    with pytest.raises(BadInput, match="n starts at 0"):
        naming.recipe("apples", -1, 0)
    with pytest.raises(BadInput, match="largest n is 10"):
        naming.recipe("apples", 11, 0, hold="density")


def test_sizes_vary_and_do_not_depend_on_n() -> None:
    means = {}
    for n in (1, 3, 10):
        sizes = [s for i in range(60) for s in made("dots", n, i, size=256).facts["sizes"]]
        assert max(sizes) / min(sizes) > 1.6
        means[n] = np.mean(sizes)
    assert max(means.values()) / min(means.values()) < 1.08


def test_45_cards_show_every_kind_in_every_colour_regularly() -> None:
    cards = [made("fast cards", 6, index, size=128).facts for index in range(45)]
    assert len({(card["kind"], *set(card["colours"])) for card in cards}) == 45
    assert {card["pattern"] for card in cards} == {"rows", "dice", "ring"}
    for card in cards:
        assert len(set(card["sizes"])) == 1
        middle = np.mean(card["positions"], axis=0)
        assert np.abs(middle - 64).max() < 12


HELD = [(hold, category) for hold in ("area", "hull", "density") for category in naming.CATEGORIES]


@pytest.mark.parametrize(("hold", "category"), HELD)
def test_a_held_cue_is_the_same_for_every_n(hold: str, category: str) -> None:
    values = []
    for n in (1, 2, 3, 5, 8, 10):
        picture = made(category, n, 1, size=400, hold=hold)
        assert ndimage.label(painted(picture), EIGHT_NEIGHBOURS)[1] == n
        values.append(picture.facts[hold])
    assert max(values) / min(values) < 1.03


def test_holding_what_cannot_be_held_is_refused() -> None:
    with pytest.raises(BadInput, match="Use a larger --size"):
        made("dots", 60, size=128, hold="area")
    begun = time.process_time()
    with pytest.raises(BadInput, match="The hull can't be held for 80 dots"):
        made("dots", 80, size=150, hold="hull")
    assert within(time.process_time() - begun, 20)


GOLDEN = {
    "apples": ("43682a8b23c7c2dc", "744fdcf195da671c"),
    "people": ("b2fab6b985c1074a", "4687084cbae97b9b"),
    "butterflies": ("4562dc6fd350b3ac", "e9f4fdf51a945536"),
    "dots": ("95ff96d82dcea0b3", "d9e431e563f74caf"),
    "fast cards": ("90a6f9438edbdd95", "8cdce4c36b8a7f77"),
}


@pytest.mark.parametrize("category", naming.CATEGORIES)
def test_golden_pictures(category: str) -> None:
    """A change here needs a new DRAWING_VERSION. Neither hash depends on a compressor."""
    picture = made(category, 7, 3)
    found = hashlib.sha256(pixels(picture).tobytes()).hexdigest()[:16], picture.sha256[:16]
    assert found == GOLDEN[category]


def test_other_arguments_other_pictures() -> None:
    base: dict[str, Any] = {"category": "dots", "n": 5, "index": 0, "size": 200, "seed": 0}
    changes: list[dict[str, Any]] = [
        {},
        {"seed": 1},
        {"index": 1},
        {"n": 6},
        {"category": "apples"},
    ]
    hashes = {naming.draw(naming.recipe(**(base | change))).sha256 for change in changes}
    assert len(hashes) == len(changes)


def test_a_picture_does_not_depend_on_those_drawn_before() -> None:
    recipes = [naming.recipe(one, n, 0, size=256) for one in naming.CATEGORIES for n in (9, 2)]
    first = [naming.draw(one) for one in recipes]
    again = [naming.draw(one) for one in reversed(recipes)][::-1]
    assert [one.sha256 for one in first] == [one.sha256 for one in again]
    assert [one.png for one in first] == [one.png for one in again]


@settings(max_examples=60, deadline=None)
@example("people", 60, 3, 500, "")
@example("dots", 0, 0, 120, "")
@given(
    CATEGORIES, st.integers(0, 12), st.integers(0, 1000), st.sampled_from([256, 500]),
    st.sampled_from(["", "area", "hull", "density"]),
)  # fmt: skip
def test_the_hash_of_the_things_is_that_of_what_the_file_shows(
    category: str, n: int, index: int, size: int, hold: str
) -> None:
    """White with each thing in its box is the file pixel by pixel; the hash is made of these."""
    try:
        picture = made(category, n, index, size=size, hold=hold, largest=max(n, 10))
    except BadInput:  # what can't be held is refused
        assert hold
        return
    facts = picture.facts
    kind = f"clip {facts['kind']}" if category == "fast cards" else facts["kind"]
    composed = np.full((size, size, 3), 255, np.uint8)
    things = []
    for look, diameter, (left, top, right, bottom) in zip(
        facts["colours"], facts["sizes"], facts["boxes"], strict=True
    ):
        shown = art.palette(kind)[art.tile(kind, look, diameter).numbers]
        painted = (shown < 255).any(axis=2)
        composed[top:bottom, left:right][painted] = shown[painted]
        opaque = np.dstack([shown, np.full(shown.shape[:2], 255, np.uint8)])
        own = hashlib.sha256(struct.pack("<qq", *shown.shape[:2]) + opaque.tobytes()).digest()
        things.append(struct.pack("<qq", top, left) + own)
    assert np.array_equal(composed, pixels(picture))
    places = sorted(things, key=lambda one: struct.unpack_from("<qq", one))
    whole = hashlib.sha256(struct.pack("<qq", size, size) + b"".join(places)).hexdigest()
    assert picture.sha256 == whole


@settings(max_examples=30, deadline=None)
@example("dots", 0, 300)
@given(CATEGORIES, st.integers(0, 30), st.sampled_from([120, 257, 900]))
def test_the_file_s_checksum_is_that_of_its_pixels(category: str, n: int, size: int) -> None:
    """It is worked out from what is known of the things; zlib reads every byte."""
    png = made(category, n, size=size).png
    at, stream = 8, b""
    while at < len(png):
        (long,) = struct.unpack_from(">I", png, at)
        stream += png[at + 8 : at + 8 + long] if png[at + 4 : at + 8] == b"IDAT" else b""
        at += 12 + long
    raw = zlib.decompress(stream[2:-4], -15)
    assert len(raw) == size * (size + 1)
    assert struct.unpack(">I", stream[-4:]) == (zlib.adler32(raw),)
    assert zlib.decompress(stream) == raw


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(8, 90), min_size=1, max_size=60), st.integers(64, 700), st.integers(0))
def test_darts_keep_circles_apart_and_inside(diameters: list[int], size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    found = placing.throw_darts(np.array(diameters), size, rng)
    if found is None:
        return
    wide = np.array(diameters)
    radii = (wide + 1) // 2
    assert ((found - radii[:, None]) >= placing.MARGIN).all()
    assert ((found + radii[:, None]) <= size - placing.MARGIN).all()
    away = found[:, None] - found[None]
    least = (wide[:, None] + wide[None] + 2 * placing.GAP) ** 2
    apart = 4 * (away**2).sum(axis=2) >= least
    assert (apart | np.eye(len(wide), dtype=bool)).all()


def test_darts_are_found_where_there_is_room_and_not_where_there_is_none() -> None:
    roomy = [placing.throw_darts(np.full(10, 60), 512, np.random.default_rng(k)) for k in range(99)]
    assert all(found is not None for found in roomy)
    assert placing.throw_darts(np.array([80]), 64, np.random.default_rng(0)) is None
    assert placing.throw_darts(np.full(60, 80), 300, np.random.default_rng(0)) is None


@pytest.mark.parametrize("others", [0, 20])
def test_every_free_place_is_as_likely(others: int) -> None:
    """The first ones are looked at one by one, those after many others together."""
    diameters = np.array([8] * (others + 1))
    found = [placing.throw_darts(diameters, 400, np.random.default_rng(k)) for k in range(2000)]
    places = np.array([one[-1] for one in found if one is not None])
    near, far = placing.MARGIN + 4, 400 - placing.MARGIN - 4
    assert len(places) == 2000
    assert places.min() >= near
    assert places.max() <= far
    for axis in (0, 1):
        uniform = stats.uniform(near - 0.5, far - near + 1)
        assert stats.kstest(places[:, axis], uniform.cdf).pvalue > 0.001


@pytest.mark.parametrize("n", [1, 2, 7, 60, 300])
def test_crowding_circles_are_made_smaller_until_they_fill_their_share(n: int) -> None:
    wished = np.random.default_rng(n).uniform(50, 100, n)
    fitted = placing._fitted(wished, 512)
    inner = 512 - 2 * placing.MARGIN
    taken = float(np.sum((fitted + placing.GAP) ** 2)) * np.pi / 4
    assert np.allclose(fitted / wished, fitted[0] / wished[0])
    assert fitted[0] <= wished[0]
    if fitted[0] < wished[0]:
        assert taken == pytest.approx(placing.FILL * inner**2)
    else:
        assert taken <= placing.FILL * inner**2


def test_stored_palettes_are_those_that_would_be_chosen() -> None:
    """After a change of drawings: python -m subitize.stimuli.art.choosing, and a new version."""
    assert art.STORED.read_bytes() == all_palettes()
