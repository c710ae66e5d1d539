"""The paper's numbers: averages and differences that it prints can be computed again."""

from __future__ import annotations

import pytest

from subitize.published import capture as paper


def mean(table: str, set_: str, variant: str, **rest: str) -> float:
    rows = [
        row.value
        for row in paper.rows(table)
        if (row.set, row.variant) == (set_, variant)
        and not row.model.startswith("Avg.")
        and row.model not in ("Human", "CountGD")
        and all(getattr(row, key) == value for key, value in rest.items())
    ]
    return sum(rows) / len(rows)


@pytest.mark.parametrize(
    ("table", "model", "rest"),
    [
        ("Table 2", "Avg. of 6 VLMs", {}),
        ("Table 3", "Avg. of 4 VLMs", {}),
        ("Table 4", "Avg. of 4 VLMs", {"task": "pattern"}),
        ("Table 5", "Avg. of 3 VLMs", {"help": "all-coordinates"}),
        ("Table 5", "Avg. of 3 VLMs", {"help": "visible-coordinates"}),
        ("Table 5", "Avg. of 3 VLMs", {"help": "inpainted"}),
        ("Table 7", "Avg. of 4 VLMs", {"help": ""}),
        ("Table 7", "Avg. of 4 VLMs", {"help": "backoff"}),
        ("Table 8", "Avg. of 4 VLMs", {"task": "hidden"}),
    ],
)
def test_printed_averages_are_those_of_the_rows(table: str, model: str, rest: dict) -> None:
    printed = [
        row
        for row in paper.rows(table)
        if row.model == model and all(getattr(row, key) == value for key, value in rest.items())
    ]
    assert printed
    for row in printed:
        computed = mean(table, row.set, row.variant, **{"task": row.task, "help": row.help})
        assert computed == pytest.approx(row.value, abs=0.011)


def test_tables_agree_with_each_other() -> None:
    """Tables 3, 5, 6, 7 and 8 repeat numbers of Table 2."""
    names = {"Qwen2": "Qwen2VL"}
    for row in paper.ROWS:
        if row.table in ("Table 2", "Figure 5", "Table 4") or row.model.startswith(
            ("Avg.", "Human")
        ):
            continue
        if row.help or row.task != "total":
            continue
        model = names.get(row.model, row.model)
        assert row.value == paper.value("Table 2", model, row.set, row.variant), row


def test_reference_results() -> None:
    assert paper.value("Table 2", "GPT-4o", "real", "occluded") == 14.75
    assert paper.value("Table 3", "Human", "synthetic", "occluded") == 0.92
    assert paper.value("Table 5", "GPT-4o", "real", "occluded", help_="all-coordinates") == 2.93
    assert (
        paper.value("Table 6", "Qwen2", "synthetic", "occluded", help_="chain-of-thought") == 37.81
    )
    assert paper.value("Table 9", "GPT-4o", "real", "occluded") is None


def test_what_is_not_comparable_says_so() -> None:
    counter = [row for row in paper.ROWS if row.model == "CountGD"]
    assert [row.value for row in counter] == [3.15, 10.34]
    assert all("149" in row.note and "not comparable" in row.note for row in counter)


def test_every_row_names_a_table_with_a_page() -> None:
    for row in paper.ROWS:
        assert "page" in paper.TABLES[row.table]
    assert len(paper.sources()) == len(paper.TABLES)
