"""The published numbers are those printed, and nothing is filled in."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from subitize.published import plos2025
from subitize.published.plos2025 import PublishedRow

BY_MODEL = {(row.benchmark, row.model): row for row in plos2025.ROWS}


@pytest.mark.parametrize(
    ("model", "accuracy", "nae", "level", "correlation"),
    [
        ("DALL-E 3", 0.319, 0.470, 1, 0.841),
        ("Stable Diffusion 3.5", 0.411, 0.258, 3, 0.912),
        ("FLUX", 0.442, 0.250, 2, 0.891),
        ("Random (as printed)", 0.04, 2.293, 0, -0.019),
    ],
)
def test_numgen_leaderboard(
    model: str, accuracy: float, nae: float, level: int, correlation: float
) -> None:
    row = BY_MODEL["production", model]
    found = (row.accuracy, row.nae, row.counting_level, row.human_correlation)
    assert found == (accuracy, nae, level, correlation)


@pytest.mark.parametrize(
    ("model", "size", "accuracy", "level", "consistency", "discarded"),
    [
        ("Qwen2.5-VL 72B", 72, 0.89, 4, 0.85, 0),
        ("Qwen2.5-VL 7B", 7, 0.82, None, None, None),
        ("GPT-4V", None, 0.74, 4, 0.87, 0),
        ("Gemini Pro Vision", None, 0.60, 4, 0.70, 20),
        ("LLaVA-1.6 34B", 34, 0.37, 2, 0.52, 0),
        ("BLIP-2 flan-t5-xl", 4.1, None, 1, 0.27, 6),
        ("ViLT-b32", 0.0874, None, 1, 0.04, 0),
    ],
)
def test_naming_text(
    model: str,
    size: float | None,
    accuracy: float | None,
    level: int | None,
    consistency: float | None,
    discarded: int | None,
) -> None:
    row = BY_MODEL["naming", model]
    assert (row.parameters, row.accuracy, row.counting_level) == (size, accuracy, level)
    assert (row.category_consistency, row.discarded) == (consistency, discarded)


def test_only_one_nae_is_printed_in_the_naming_text() -> None:
    naming = [row for row in plos2025.rows("naming") if not row.baseline]
    assert [(row.model, row.nae) for row in naming if row.nae is not None] == [
        ("Qwen2.5-VL 72B", 0.01)
    ]


def test_what_the_text_says_of_all_is_no_ones_value() -> None:
    for model in ("DALL-E 2", "Stable Diffusion 2.1"):
        row = BY_MODEL["production", model]
        assert (row.accuracy, row.accuracy_bound, row.nae) == (None, "", None)
        assert (row.counting_level, row.level_bound) == (None, "< 3")
    said = " ".join(plos2025.STATEMENTS["production"])
    for words in ("0.28 and 0.44", "0.25 (FLUX)", "0.47 (DALL-E 3)", "overestimate"):
        assert words in said
    assert "underestimate" in " ".join(plos2025.STATEMENTS["naming"])
    assert "above 8" in BY_MODEL["production", "Stable Diffusion 3.5"].note
    assert "72B" in BY_MODEL["naming", "Qwen2.5-VL 7B"].note


def test_bounds_stay_words() -> None:
    bounds = {row.model: row.accuracy_bound for row in plos2025.ROWS if row.accuracy_bound}
    assert bounds["ViLT-b32"] == bounds["BLIP-2 flan-t5-xl"] == "< 30 %"
    assert all(row.accuracy is None for row in plos2025.ROWS if row.accuracy_bound)


def test_prompts_and_biases() -> None:
    by_category = {row.model for row in plos2025.ROWS if row.prompt == "category"}
    assert by_category == {"BLIP-2 flan-t5-xl", "LLaVA-1.6 34B"}
    assert BY_MODEL["naming", "Qwen2.5-VL 72B"].bias["dots"] == "under"
    assert BY_MODEL["naming", "GPT-4V"].bias["dots"] == "over"


def test_every_row_says_where_it_is_printed() -> None:
    for row in plos2025.ROWS:
        assert re.search(r"§|section", row.source)
    assert len(plos2025.sources("production")) == len(plos2025.rows("production"))


def test_every_field_is_explained() -> None:
    text = Path(plos2025.__file__).read_text("utf-8")
    for field in fields(PublishedRow):
        assert re.search(rf'\n    {field.name}: .*\n    """', text), field.name


@pytest.mark.parametrize(
    ("benchmark", "classes", "each"), [("naming", 5, 50), ("production", 4, 100)]
)
def test_models_were_asked_about_all_pictures_of_the_paper(
    benchmark: str, classes: int, each: int
) -> None:
    for row in plos2025.rows(benchmark):
        expected = (None, None) if row.baseline else (classes * 10 * each, each)
        assert (row.trials, row.per_cell) == expected
