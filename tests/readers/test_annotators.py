"""Typed counts become the numbers the release has for them."""

from __future__ import annotations

import csv
import io
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from subitize.readers.annotators import MORE_THAN_TEN, counted


@pytest.mark.parametrize(
    ("raw", "number"),
    [
        ("3", 3), (" 3 ", 3), ("o", 0), ("O", 0), ("1o", 10), ("10+", 11), ("1, 10+", 1),
        ("2,3-4", 2), ("2-3", 2.5), ("3-2", 2.5), ("1--3", 2), ("6=7", 6.5), ("10=", 10),
        ("2.5-5", 3.75), ("2.5", 2.5), ("2`", 2), ("2q", 2), ("0~+", 0), ("0-", 0), ("12", 11),
        ("10.5", 11), ("9-10", 9.5), ("2–4", 3), ("8-10+", 9.5), ("", None), ("  ", None),
        ("?", None), (",3", None), ("many", None), ("two", None), ("none", None), ("9" * 200, None),
    ],
)  # fmt: skip
def test_cleaning(raw: str, number: float | None) -> None:
    assert counted(raw) == number


def test_every_released_answer(data_dir: Path) -> None:
    pairs = set()
    with zipfile.ZipFile(data_dir / "geckonum" / "geckonum_annotations.zip") as archive:
        for name in archive.namelist():
            if name.startswith("task_1"):
                for row in csv.DictReader(io.StringIO(archive.read(name).decode(), newline="")):
                    pairs.add((row["raw_answer"], row["answer"]))
    assert len(pairs) > 100
    for raw, cleaned in pairs:
        assert counted(raw) == float(cleaned), raw


@given(st.text(max_size=60))
def test_any_text_is_a_count_or_nothing(text: str) -> None:
    found = counted(text)
    assert found is None or 0 <= found <= MORE_THAN_TEN
