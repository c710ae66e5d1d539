"""GeckoNum's printed numbers, compared with a second reading of the paper's tables."""

from __future__ import annotations

import pytest

from subitize.published.geckonum import BASELINES, MODELS, PUBLISHED, SOURCES, VQA, Printed


@pytest.mark.parametrize(
    ("table", "cell", "text"),
    [
        ("table2", "task1|dalle_3|accuracy", "45.2"), ("table2", "task2|imagen_d|sem", "2.4"),
        ("table2", "task3|imagen_c|difference", "0.6"), ("table2", "task3|muse_b|accuracy", "46.2"),
        ("figure5", "many X|dalle_3", "98"), ("figure5", "as many X as Y|imagen_d", "9.5"),
        ("a3", "imagen_d|chi2", "31.09"), ("a4", "imagen_d|p", "0.621"),
        ("a5", "imagen_c|2-additive->3-additive|1", "1.3"),
        ("a5", "muse_b|numeric_simple->3-additive|3", "-18.1"), ("a6", "muse_a|accuracy_2", "72"),
        ("a7", "muse_b|n", "2015"), ("a8", "imagen_a|chi2", "74.82"), ("a10", "muse_b|5", "74.5"),
        ("agreement", "task2|4+", "92"), ("alpha", "task3|nominal", "0.903"),
        ("counts", "images", "52721"),
    ],
)  # fmt: skip
def test_cells(table: str, cell: str, text: str) -> None:
    assert PUBLISHED[table][cell].text == text


def test_all_painters_are_there() -> None:
    sizes = {table: len(cells) for table, cells in PUBLISHED.items()}
    assert sizes == {
        "table2": 63, "figure5": 42, "a3": 35, "a4": 35, "a5": 27, "a6": 35, "a7": 35, "a8": 35,
        "a10": 35, "agreement": 8, "alpha": 3, "counts": 8,
    }  # fmt: skip
    assert set(SOURCES) == set(PUBLISHED)
    assert len(MODELS) == 7


def test_printed_parts_fit_together() -> None:
    table = PUBLISHED["table2"]
    for model in MODELS:
        for task in (1, 2, 3):
            accuracy = table[f"task{task}|{model}|accuracy"].value
            difference = table[f"task{task}|{model}|difference"].value
            assert accuracy - difference == pytest.approx(BASELINES[task], abs=0.11)
        assert sum(PUBLISHED["a10"][f"{model}|{k}"].value for k in range(1, 6)) == pytest.approx(
            100, abs=0.3
        )
    for table_name in ("a3", "a4", "a6", "a7", "a8"):
        cells = PUBLISHED[table_name]
        for model in MODELS:
            significant = cells[f"{model}|p"].value < 0.05
            assert significant == (cells[f"{model}|chi2"].value > 3.841)
    steps = PUBLISHED["a5"]
    for model in ("dalle_3", "imagen_c", "muse_b"):
        for n in (1, 2, 3):
            both = sum(
                steps[f"{model}|{step}|{n}"].value
                for step in ("numeric_simple->2-additive", "2-additive->3-additive")
            )
            whole = steps[f"{model}|numeric_simple->3-additive|{n}"].value
            assert both == pytest.approx(whole, abs=0.16)


def test_agreeing_means_rounding_to_what_is_printed() -> None:
    assert Printed("45.2").agrees(45.249)
    assert not Printed("45.2").agrees(45.26)
    assert Printed("98").agrees(97.5)
    assert Printed("0.000").agrees(0.0004)


def test_fine_tuned_models_of_all_three_tables() -> None:
    """Tables A11 (2 checkpoints), A12 (8 more) and A13 (5 more)."""
    assert len(VQA) == 2 + 8 + 5
    assert sum(len(values) for values in VQA.values()) == 6 + 3 + 8 * 5 + 5 * 5
    tuned = "PaliGemma, fine-tuned on"
    assert VQA["PaliGemma, base"]["Muse-B rare"] == 62.4
    assert VQA[f"{tuned} TallyQA"] == {
        "TallyQA simple": 84.9, "TallyQA complex": 72.1, "GeckoNum": 73.3,
    }  # fmt: skip
    assert VQA[f"{tuned} TallyQA (53k) + Imagen (only frequent, 28k)"]["Muse-B frequent"] == 89.5
    assert VQA[f"{tuned} Imagen (only frequent, 28k)"]["TallyQA complex"] == 44.7
    assert VQA[f"{tuned} TallyQA (all, longer training)"]["Muse-B"] == 69.8
    for values in VQA.values():
        if "Muse-B" in values:
            assert values["Muse-B rare"] < values["Muse-B"] < values["Muse-B frequent"]
