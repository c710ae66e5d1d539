"""Words that a page uses as headings, each explained in one sentence where it stands."""

from __future__ import annotations

from collections.abc import Mapping

from subitize.measures import MEASURES, Measure

TERMS: Mapping[str, str] = {
    "a": "Scale of the fitted observer: the mean answer is a times n to the power β; 1: no bias.",
    "beta": "Bend of the fitted observer: below 1 large numbers are compressed.",
    "w": "Weber fraction of the fitted observer: the spread as a share of the mean answer.",
    "limit": "Up to which number the fitted observer is exact.",
    "subitizing_limit": "Up to which number the fitted observer is exact; people: about four.",
    "lapse": "Share of answers that have nothing to do with the picture.",
    "bias_p": "Probability of a bias as large by chance: likelihood ratio test of a = β = 1.",
    "fit_p": "Probability of a fit as bad by chance; below .05 the model does not fit.",
    "phi": "φ, the size of a difference between two shares: .1 is small, .3 medium, .5 large.",
    "chi2": MEASURES["chi_square"].says,
    "p_holm": "p corrected for all comparisons of the table by Holm's rule.",
    "permutation_p": "p from shuffling numbers, or whole prompts: pictures of one are alike.",
    "per_cell": "Trials for each cell of target and category, as the settings ask.",
    "trials": "Trials that the scores stand on.",
    "not_read": "Share of the replies that are unreadable, refused, cut off or failed.",
    "skipped": "Share of the replies without a single final number: they score 100.",
    "price": "How much worse the same configuration is with a black box on it, in points of sMAPE.",
    "exact": "Share of totals that are exactly right.",
    "posterior": "Probability of that level, given the answers.",
    "null_mean": "What the consistency would be, at this number of trials, if all were alike.",
    "mae": MEASURES["mean_error"].says,
    "f1": "2 p / (points + things), p the things with a point: a second point on one is wrong.",
    "SEM": "Standard error of the mean.",
    "exponent": "α of the power law, n to the power −α: the larger, the rarer are large numbers.",
    "anchoring_answer": "The number that was said most often, whatever was shown.",
    "anchoring_excess": MEASURES["anchoring"].says,
    "weber_fraction_note": "Why the Weber fraction should be read with care.",
    "accuracy_refusals_wrong": "Share of all pictures asked for that are right in every question.",
    "recall_correct": "Share of right sentences recognised.",
    "recall_foil": "Share of foils recognised.",
    "precision_correct": "Share of right ones among those held right.",
    "precision_foil": "Share of foils among those held to be foils.",
    "acc": MEASURES["foil_scores"].says,
    "acc_r": MEASURES["pairwise_accuracy"].says,
}
"""name of a score or of its last part: what it means"""


def known_measure(name: str) -> Measure | None:
    """What is known of a measure, or of the one that its name begins with."""
    return next((MEASURES[one] for one in MEASURES if f"{name}_".startswith(f"{one}_")), None)


def explained(path: tuple[str, ...]) -> str:
    """What a column shows: a measure with formula and reference, or a word of ours."""
    for name in ("_".join(path), path[-1]):
        if name in TERMS:
            return TERMS[name]
    if known := known_measure(path[0]):
        return f"{known.says} {known.formula} ({known.unit}; best: {known.best}; {known.source})."
    return TERMS.get(path[0], "")
