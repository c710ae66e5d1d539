"""Responders as samples: what tests of measures draw from a matrix of probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from subitize.measures.confusion import column_shares
from subitize.measures.trials import Counts


def sample_matrix(matrix: ArrayLike, per_target: int, rng: np.random.Generator) -> Counts:
    """Counts of `per_target` responses to each target, drawn from a responder's matrix."""
    return rng.multinomial(per_target, column_shares(matrix).T).T.astype(np.int64)
