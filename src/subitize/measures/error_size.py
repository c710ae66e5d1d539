"""How far the answers are from the truth."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from subitize.errors import BadInput
from subitize.measures.trials import Floats, readable_trials, skippable_trials


def mean_error(targets: ArrayLike, responses: ArrayLike) -> float:
    """Mean absolute error, by which naming chooses among prompts.

    mean over trials of |G − T|
    Unit: things, 0 upwards. Best: 0.

    >>> mean_error([1, 2, 4], [1, 3, 6])
    1.0
    """
    asked, given = readable_trials(targets, responses)
    return float(np.abs(given - asked).mean())


def rmse(targets: ArrayLike, responses: ArrayLike) -> float:
    """Root of the mean squared error, which the literature on counting crowds uses.

    RMSE = √(mean over trials of (G − T)²)
    One answer far off outweighs all others: it stands beside NAE and ranks nobody.
    Unit: things, 0 upwards. Best: 0.

    >>> rmse([1, 2, 4], [1, 3, 6])
    1.2909944487358056
    """
    asked, given = readable_trials(targets, responses)
    return float(np.sqrt(((given - asked) ** 2).mean()))


def mape(targets: ArrayLike, responses: ArrayLike) -> float:
    """Mean absolute percentage error: NAE in percent, as the literature on counting has it.

    MAPE = 100 · mean over trials of |G − T| / T
    Unit: percent, 0 upwards. Best: 0.

    >>> mape([1, 2, 4, 4], [1, 3, 4, 6])
    25.0
    """
    return 100 * nae(targets, responses)


def nae_terms(targets: ArrayLike, responses: ArrayLike) -> Floats:
    """The NAE of each trial, |G − T| / T; NaN for a skip (a response of NaN or None).

    >>> nae_terms([10, 5], [12, None]).tolist()
    [0.2, nan]
    """
    asked, given = skippable_trials(targets, responses)
    if (asked <= 0).any():
        raise BadInput(f"A target is {asked.min():g}: targets are numbers above 0.")
    return np.abs(given - asked) / asked


def nae(
    targets: ArrayLike, responses: ArrayLike, *, over: Literal["trials", "targets"] = "trials"
) -> float:
    """Normalised absolute error, which NumGen calls MWE; responses are not clipped.

    NAE = mean over trials of |G − T| / T, or of the targets' means
    Unit: share of the target, 0 upwards. Best: 0.

    >>> nae([1, 2, 4, 4], [1, 3, 4, 6])
    0.25
    >>> round(nae([1, 2, 4, 4], [1, 3, 4, 6], over="targets"), 4)
    0.25
    """
    asked, given = readable_trials(targets, responses)
    errors = nae_terms(asked, given)
    if over == "trials":
        return float(errors.mean())
    if over != "targets":
        raise BadInput(f"The mean over {over!r} is not known: choose trials or targets.")
    _, group = np.unique(asked, return_inverse=True)
    return float(np.mean(np.bincount(group, errors) / np.bincount(group)))


def smape_terms(targets: ArrayLike, responses: ArrayLike) -> Floats:
    """The sMAPE of each trial in percent; a response of NaN or None is a skip.

    100 · |y − ŷ| / (|y| + |ŷ|); 0 if both are 0; 100 for a skip
    Unit: percent, 0 to 100. Best: 0.

    >>> smape_terms([10, 0, 5], [30, 0, None]).tolist()
    [50.0, 0.0, 100.0]
    """
    asked, given = skippable_trials(targets, responses)
    size = np.abs(asked) + np.abs(given)
    terms = np.where(size == 0, 0.0, np.abs(asked - given) / np.where(size == 0, 1.0, size))
    return np.where(np.isnan(given), 100.0, 100.0 * terms)


def smape(targets: ArrayLike, responses: ArrayLike) -> float:
    """Symmetric mean absolute percentage error, CAPTURE's measure.

    sMAPE = 100/n · Σ |y − ŷ| / (|y| + |ŷ|); a term is 0 if both are 0, and 1 for a skip (NaN)
    Unit: percent, 0 to 100. Best: 0.

    >>> smape([10, 0, 5], [30, 0, float("nan")])
    50.0
    """
    return float(smape_terms(targets, responses).mean())
