"""What each measure tells, in one sentence, and who brought it up; by module and function."""

from __future__ import annotations

from collections.abc import Mapping

PAPER = "Testolin, Hou and Zorzi 2025"
PROBE = "Parcalabescu, Gatt, Frank and Calixto 2021"
MEANINGS: Mapping[str, tuple[str, str]] = {
    "accuracy:accuracy": (
        "Accuracy is the share of readable answers that are exactly right.",
        PAPER,
    ),
    "error_size:nae": (
        "NAE, the normalised absolute error, is how far off answers are on average, as a "
        "share of the right number.",
        PAPER,
    ),
    "error_size:mean_error": (
        "MAE is how many things answers are off on average.",
        "Willmott and Matsuura 2005",
    ),
    "error_size:rmse": (
        "RMSE is the root of the mean squared error: large misses weigh most.",
        "Willmott and Matsuura 2005",
    ),
    "error_size:mape": (
        "MAPE is NAE in percent, as the literature on forecasts writes it.",
        "Hyndman and Koehler 2006",
    ),
    "error_size:smape": (
        "sMAPE is the error as a share of answer and truth together, from 0 (right) to 100 "
        "(no answer).",
        "Pothiraj, Stengel-Eskin, Cho and Bansal 2025",
    ),
    "bias:bias": (
        "Bias says whether answers lean to one side: over or under, with the effect size r of "
        "a signed rank test.",
        f"Wilcoxon 1945; {PAPER}",
    ),
    "anchoring:anchoring": (
        "Anchoring is how much more often the most common answer is given than it is right to "
        "give it.",
        "ours, after Tversky and Kahneman 1974",
    ),
    "variability:scalar_variability": (
        "Scalar variability holds where the spread of answers grows in proportion to number: "
        "a slope of 1.",
        f"Gibbon 1977; {PAPER}",
    ),
    "counting_level:counting_level": (
        "The counting level n is how far a responder counts: an n-knower says each number "
        "word up to n where it belongs, and not elsewhere.",
        f"Wynn 1992; {PAPER}",
    ),
    "knower_level:knower_level": (
        "The knower level is the most likely n of an n-knower who guesses where they do not know.",
        "Lee and Sarnecka 2011",
    ),
    "likeness:human_correlation": (
        "Likeness to people is the correlation of the confusion matrix with that of an ideal "
        "human observer, who is exact up to four and estimates above.",
        PAPER,
    ),
    "likeness:random_correlation": (
        "Likeness to guesses is the correlation of the confusion matrix with that of random "
        "answers.",
        PAPER,
    ),
    "weber:fit_observer": (
        "The Weber fraction w is the spread of estimates as a share of the number; that of "
        "adults is about 0.15.",
        f"Piazza et al. 2010; {PAPER}",
    ),
    "likeness:category_consistency": (
        "Consistency is the smallest correlation between the confusion matrices of two "
        "categories: 1 where all are answered alike.",
        PAPER,
    ),
    "agreement:krippendorff_alpha": (
        "Krippendorff's α is agreement beyond chance between people: 1 is perfect, 0 is chance.",
        "Hayes and Krippendorff 2007",
    ),
    "agreement:largest_agreement": (
        "The largest agreement is how many people gave the most common answer to a question.",
        "Kajić et al. 2024",
    ),
    "foils:foil_scores": (
        "acc is the share of sentences judged rightly, right ones and foils, at a match "
        "probability of one half.",
        PROBE,
    ),
    "foils:pairwise_accuracy": (
        "acc_r is the share of pairs in which the right sentence scores at least as high as "
        "its foil; chance is 50 %.",
        PROBE,
    ),
    "masked:recall_at": (
        "Recall@k is the share of masked numbers that are among the first k a model would fill in.",
        PROBE,
    ),
    "masked:mean_rank": (
        "The mean rank is the place of the right number among those a model would fill in.",
        PROBE,
    ),
    "ranks:mann_whitney": (
        "AUC is the probability that a right picture scores higher than a wrong one.",
        "Mann and Whitney 1947; Obuchowski 1997",
    ),
    "ranks:chi_square": (
        "χ² tests whether two groups of prompts come out right equally often.",
        "Yates 1934; Kajić et al. 2024",
    ),
    "reliability:reliability": (
        "The calibration error is how far confidence lies from being right, on average over "
        "ten bins of confidence.",
        "Naeini, Cooper and Hauskrecht 2015",
    ),
}
