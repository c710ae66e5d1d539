"""numbernet's training, as much of it as a minute allows."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from bench.numbernet import trained  # noqa: E402

from subitize.models.catalog import FAMILIES  # noqa: E402
from subitize.training import numbernet as lessons  # noqa: E402
from subitize.training.numbernet import CONFIGURATIONS, Amount  # noqa: E402


@pytest.mark.budget(60)
def test_the_loss_falls_in_every_configuration() -> None:
    tensors, told = trained(5, Amount(scenes=300, eye_steps=60, steps=60))
    assert told["configurations"].keys() == FAMILIES["numbernet"].names.keys()
    for losses in [told["eye_losses"], *(c["losses"] for c in told["configurations"].values())]:
        assert losses[-1] < 0.9 * losses[0]
    assert all(bool(torch.isfinite(value).all()) for value in tensors.values())


def test_training_on_even_numbers_shows_no_odd_one_as_right() -> None:
    for name, made in CONFIGURATIONS.items():
        parts = lessons.items_of(name, 0, 300)
        train, *tests = parts.values()
        assert not {one.picture for one in train} & {one.picture for part in tests for one in part}
        odd = {one.answer % 2 for one in train}
        foils = {foil % 2 for one in train for foil in one.foils}
        if made.split == "interpolated":
            assert odd == {0}
            assert foils == ({0} if made.foils == "even" else {0, 1})
        else:
            assert odd == {0, 1}


def test_the_same_seed_gives_the_same_weights() -> None:
    items = lessons.items_of("base", 3, 80)["train"]
    scenes = lessons.drawn_scenes(items)
    first, again = (lessons.train_eye(scenes, 10, 3).weights for _ in range(2))
    assert all(np.array_equal(first[name].numpy(), again[name].numpy()) for name in first)
