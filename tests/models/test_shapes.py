"""painter/shapes: what a prompt asks for is what a counter finds."""

from __future__ import annotations

import numpy as np
import pytest

from subitize.benchmarks.production import CATEGORIES, prompt_for
from subitize.errors import BadInput, UnknownName
from subitize.models.base import Item, Reply
from subitize.models.catalog import open_model
from subitize.models.counters.blobs import find_blobs
from subitize.models.shapes import THINGS, parse_prompt
from subitize.nouns import plural, singular
from subitize.pictures.decode import decode


def painted(prompt: str, model: str = "painter/shapes?size=256", seed: int = 1) -> Reply:
    (reply,) = open_model(model).paint([Item("t", prompt, seed=seed)])  # type: ignore[attr-defined]
    assert isinstance(reply, Reply)
    return reply


def counted(reply: Reply) -> int:
    return len(find_blobs(decode(reply.value)))


@pytest.mark.parametrize("thing", sorted({*THINGS, *map(plural, THINGS), "persons", "fishes"}))
@pytest.mark.parametrize("n", [0, 1, 2, 7, 20])
def test_every_thing_is_drawn_as_often_as_asked(thing: str, n: int) -> None:
    assert counted(painted(f"An image with {n} {thing}")) == n


@pytest.mark.parametrize(
    ("prompt", "n", "kind"),
    [
        ("An image with 3 apples", 3, "apple"),
        ("An image with 1 person", 1, "person"),
        ("seven filled dots in white background", 7, "dot"),
        ("A drawing of twenty-one red stars.", 21, "clip star"),
        ("a dozen butterflies", 12, "butterfly"),
        ("A pair of fish", 2, "clip fish"),
        ("An image with 2 cars, just two cars", 2, "clip car"),
        ("An image with 5 People", 5, "person"),
    ],
)
def test_prompts_are_understood(prompt: str, n: int, kind: str) -> None:
    assert parse_prompt(prompt) == (n, kind)


@pytest.mark.parametrize("form", ["better", "plain"])
@pytest.mark.parametrize("category", CATEGORIES)
def test_every_production_prompt_is_understood(category: str, form: str) -> None:
    kinds = {parse_prompt(prompt_for(category, n, form))[1] for n in range(1, 21)}
    assert kinds == {THINGS[singular(category)]}
    assert [parse_prompt(prompt_for(category, n, form))[0] for n in range(1, 21)] == [*range(1, 21)]


@pytest.mark.parametrize(
    ("prompt", "why"),
    [
        ("An image with apples", "no number"),
        ("An image with 3 zebras", "nothing that can be drawn"),
        ("An image with 3 or 4 apples", "2 different numbers"),
        ("An image with 3.5 apples", "no number"),
        ("An image with -3 apples", "no number"),
        ("", "no number"),
        ("apples 3", "nothing that can be drawn"),
        ("An image with 100000 dots", "do not fit"),
        ("An image with 999999999999999 dots", "do not fit"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_words(prompt: str, why: str) -> None:
    reply = painted(prompt)
    assert (reply.kind, reply.stop) == ("text", "refused")
    assert why in reply.value


def test_the_same_seed_gives_the_same_bytes_and_another_another() -> None:
    prompt = "An image with 6 apples"
    assert painted(prompt).value == painted(prompt).value
    assert painted(prompt).value != painted(prompt, seed=2).value


def test_weber_noise_has_its_size() -> None:
    model = "painter/shapes?size=128&w=0.15"
    exact = [counted(painted("3 dots", model, seed)) for seed in range(20)]
    noisy = [counted(painted("10 dots", model, seed)) for seed in range(150)]
    assert set(exact) == {3}
    # 150 draws: the spread is known to a seventeenth, here taken thrice
    assert np.std(noisy, ddof=1) == pytest.approx(np.hypot(1.5, 12**-0.5), rel=0.18)
    assert np.mean(noisy) == pytest.approx(10, abs=3 * 1.5 / 150**0.5)


def test_blank_pictures_hold_nothing() -> None:
    assert counted(painted("5 apples", "painter/shapes?blank=1")) == 0


@pytest.mark.parametrize("name", ["w=-1", "lapse=2", "blank=1.5", "size=4", "size=100000"])
def test_settings_out_of_range_are_refused(name: str) -> None:
    with pytest.raises(BadInput, match=r"must lie in"):
        open_model(f"painter/shapes?{name}")


def test_unknown_settings_are_refused() -> None:
    with pytest.raises(UnknownName, match="did you mean 'size'"):
        open_model("painter/shapes?sizes=12")
