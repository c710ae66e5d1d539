"""Every key of scores.json, declared once, with what it means; docs/scores.md is made from it.

A number with an interval is {value, low, high, trials, states}, see `records.Score`; a key that
can't be computed on a run is null, with the reason under `undefined`. A benchmark of another
package declares its further keys in `Benchmark.SCORES`.
"""

from __future__ import annotations

from collections.abc import Mapping

FORMAT = 2
"""of scores.json: one of another format is made again"""

KEYS: Mapping[str, str] = {
    # of every run
    "format": "of this file",
    "package": "version of subitize that made it; another one makes it again",
    "code": "hash of the program that made it; another one of the same version makes it again, too",
    "benchmark": "name of the benchmark",
    "version": "of the benchmark's rules",
    "model": "who was asked",
    "parameters": "size of the model in billions, where known",
    "reader": "by whom or by which rules the responses were read",
    "run": "the run's folder",
    "asked": "trials with a response, all stages",
    "trials": "trials that the headline scores stand on",
    "states": "how many of them ended in which state",
    "failed": "trials whose call failed; the next run asks them again",
    "partial": "true where trials stayed unasked or failed; printed by `run`, not in the file",
    "undefined": "key: why it is null or has no interval",
    "reader_check": "where people read a sample of the replies: how many, the reader's error, and "
    "the share of right replies as read and as people would have read them",
    "corrected": "accuracy and NAE without a counter's known mistakes",
    # naming and production
    "accuracy": "share of right answers",
    "nae": "normalised absolute error: mean of |response − target| / target",
    "mae": "mean absolute error in things (CAPTURE: by variant, answers alone); not for ranking",
    "rmse": "root of the mean squared error (CAPTURE: by variant); not for ranking",
    "mape": "mean absolute percentage error (CAPTURE: by variant); not for ranking",
    "smape": "symmetric mean absolute percentage error (CAPTURE: by variant, a skip being 100; "
    "elsewhere of readable answers)",
    "nae_over_targets": "the same as a mean of the targets' means",
    "counting_level": "n-knower level by the paper's rule",
    "counting_levels": "the level by each rule",
    "counting_level_shares": "share of bootstrap samples with each level",
    "human_correlation": "likeness to the ideal human observer",
    "random_correlation": "likeness to random answers",
    "category_consistency": "smallest correlation between two categories",
    "category_null": "what categories answered alike would give at this n: null_mean, p, verdict",
    "bias": "category: over- or underestimation with its test",
    "scalar_variability": "does the spread grow with the mean, by the paper's test and, under "
    "`rounded_observer`, against the fitted observer who says whole numbers",
    "weber_fraction": "w of the fitted observer without bias",
    "weber_fraction_note": "why that w needs care: bias, or a model that does not fit",
    "observer_with_bias": "a, beta, w, lapse, limit of the observer with bias, the test of no bias "
    "and the goodness of fit",
    "knower_level": "Lee and Sarnecka's model: most likely level and the posterior over levels",
    "anchoring": "the modal answer and its share beyond its base rate",
    "effort": "tokens of a reply by number shown, and the cost of one thing more",
    "subitizing_limit": "up to which number the fitted observer is exact",
    "subitizing_limit_interval": "which limits the answers allow",
    "people": "several people as one group: how many, each one's accuracy, NAE, bias (mean of "
    "(response − target) / target) and w, and their means with intervals over people",
    "lapse_rate": "share of random answers of the fitted observer",
    "confusion": "how often which number was said to which target",
    "categories": "category: accuracy, NAE, matrix, means and spreads by target",
    "prompt": "the form of the question that the scores stand on",
    "prompts": "every form that was tried, with its scores",
    "prompt_held_out": "accuracy and NAE with the form chosen on one half of the pictures (even "
    "or odd index) and scored on the other; null where one form was asked",
    "pointing": "with the reader points: agreement of the points with the number said, share of "
    "points on a thing, and F1 of points and things",
    "control_question": "whether the model understands the pictures",
    "flagged_cells": "cells of category and number with too few readable trials",
    "cue_weights": "with cues=orthogonal: slopes of log₂ answer on log₂ number, size and spacing, "
    "and their angle to number alone in degrees",
    "counter_doubts": "pictures that the simple counter is not made for, and why",
    "attempts": "how many answers came at which attempt",
    # CAPTURE
    "set": "synthetic or real",
    "layout": "of the synthetic set",
    "exact": "variant: share of exact totals in percent",
    "price_of_occlusion": "sMAPE with the occluder minus without, paired",
    "hidden": "sMAPE of the hidden objects alone",
    "hidden_minus_total": "that minus the totals', paired",
    "pattern": "variant: share of patterns named rightly in percent",
    "pattern_price": "pattern with the occluder minus without, paired",
    "help": "help: sMAPE with it, and its effect",
    "backoff": "variant: sMAPE of first attempts and with backoff, their paired difference, and "
    "the share of skipped first attempts that it rescued",
    "breakdowns": "variant: fact: sMAPE by level",
    "over_predicted": "variant: numbers said more often than right",
    "confidence": "variant: reliability of stated or sampled confidence",
    "prompt_decision": "the prompts chosen on the validation part",
    "reader_agreement": "language model: how often it reads a reply as the rules do",
    # GeckoNum, its metrics and its counting questions
    "accuracy_refusals_wrong": "share of right pictures with refused ones counted wrong",
    "pictures_by_task": "task: pictures asked, refused, not read, and both accuracies",
    "states_by_type": "prompt type: states",
    "readings": "reader: the paper's tables, statistics and breakdowns from its answers",
    "tables": "the paper's tables from people's answers",
    "statistics": "table: painter: differences, effect sizes and corrected p-values",
    "means": "metric: painter: mean score",
    "missing_pictures": "pictures that were not there",
    "within_one": "share of answers off by at most one",
    "by_number": "accuracy by the right number",
    "by_type": "accuracy by prompt type",
    "by_complexity": "accuracy of simple and complex questions",
    "by_frequency": "accuracy of frequent and rare nouns",
    "by_painter": "accuracy by painter",
    # the counting probe
    "task": "alignment, counting, mlm or vqa",
    "split": "standard, hard or interpolated; of a file what the setting says",
    "form": "of sentences: qa or declarative",
    "source": "data set the items come from",
    "items": "items (pictures with their sentences) that the scores stand on",
    "zero_shot": "whether the model was not trained on that data set; null where it was not said",
    "acc": "share of sentences judged rightly at the match probability .5",
    "recall_correct": "share of right sentences recognised (p_c of the paper's Tables 1 and 2)",
    "recall_foil": "share of foils recognised (p_f of Tables 1 and 2)",
    "precision_correct": "share of right ones among those held right (p_c of Table 3)",
    "precision_foil": "share of foils among those held to be foils (p_f of Table 3)",
    "acc_r": "share of pairs in which the right sentence scores at least as high as the foil",
    "ties": "share of those pairs with equal scores",
    "tied_pairs": "how many pairs that is; each counts as right in acc_r, whatever was answered",
    "calibrated": "whether the scores are match probabilities",
    "best_match": "share of items whose right sentence scores highest of all",
    "recall_at_1": "share of masked numbers ranked first among distinct numbers",
    "recall_at_2": "share of masked numbers among the first two",
    "mean_rank": "mean rank of the right number among distinct numbers",
    "without_word": "items whose right number has no word in the vocabulary: missed, without rank",
    "numbers": "right number: the task's scores",
    "parity": "the task's headline (acc_r, recall_at_1, accuracy) on even right numbers and on odd "
    "ones",
    "predicted_when_wrong": "number: share of it among wrong predictions",
    "broken": "items with faults in their foils, by fault",
    "unusable": "items that could not be asked, by reason",
    "unusable_first": "the first of them, by reason",
}
