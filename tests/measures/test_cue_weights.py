"""The regression on cues, against statsmodels, and on a responder that is known."""

from __future__ import annotations

import numpy as np
import pytest

from subitize.errors import BadInput
from subitize.measures.cue_weights import NAMES, cue_weights


def made(seed: int, weights: tuple[float, float, float], samples: int = 3) -> tuple:
    """Answers about 60 pictures, several about each, with an error of the picture's own."""
    rng = np.random.default_rng(seed)
    cues = [np.repeat(2 ** rng.uniform(0, 4, 60), samples) for _ in NAMES]
    own = np.repeat(rng.normal(0, 0.2, 60), samples)
    slopes = sum(w * np.log2(cue) for w, cue in zip(weights, cues, strict=True))
    said = 2 ** (3 + slopes + own + rng.normal(0, 0.1, 60 * samples))
    return said, tuple(cues), np.repeat(np.arange(60), samples)


def test_errors_are_clustered_as_statsmodels_does() -> None:
    regression = pytest.importorskip("statsmodels.api")
    said, cues, pictures = made(1, (0.5, 0.5, 0.0))
    found = cue_weights(said, cues, pictures)
    design = regression.add_constant(np.stack([np.log2(cue) for cue in cues], axis=1))
    fitted = regression.OLS(np.log2(said), design).fit(
        cov_type="cluster", cov_kwds={"groups": pictures}, use_t=True
    )
    for k, name in enumerate(NAMES, 1):
        one = getattr(found, name)
        assert one.value == pytest.approx(fitted.params[k])
        assert (one.low, one.high) == pytest.approx(tuple(fitted.conf_int()[k]))
    assert found.intercept == pytest.approx(fitted.params[0])
    assert (found.pictures, found.left_out) == (60, 0)


def test_intervals_cover_what_was_put_in() -> None:
    truth = (0.5, 0.5, 0.0)
    held = np.zeros(3)
    for seed in range(300):
        found = cue_weights(*made(seed, truth))
        held += [
            getattr(found, name).low <= one <= getattr(found, name).high
            for name, one in zip(NAMES, truth, strict=True)
        ]
    assert (held >= 0.9 * 300).all(), held
    assert (held <= 0.99 * 300).all(), held


def test_angles() -> None:
    noiseless = [cue_weights(*made(0, w)).angle for w in ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0))]
    assert noiseless[0] < 4
    assert noiseless[1] == pytest.approx(90, abs=4)


def test_zeros_are_left_out_and_too_little_is_told() -> None:
    said, cues, pictures = made(2, (1.0, 0.0, 0.0))
    said[:3] = 0
    assert cue_weights(said, cues, pictures).left_out == 3
    with pytest.raises(BadInput, match=r"4 pictures .* ask about more"):
        cue_weights(said[3:15], tuple(cue[3:15] for cue in cues), pictures[3:15])
    flat = (cues[0], cues[1], np.ones(len(said)))
    with pytest.raises(BadInput, match="can't tell number, size and spacing apart"):
        cue_weights(said, flat, pictures)
