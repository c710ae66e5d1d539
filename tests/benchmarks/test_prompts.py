"""Prompts of production and NumGen."""

from __future__ import annotations

import csv
import json
import pickletools
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from subitize.benchmarks.catalog import get_benchmark
from subitize.benchmarks.production import CATEGORIES, prompt_for
from subitize.benchmarks.prompt_files import numgen_entries
from subitize.errors import BadInput, UnknownName
from subitize.numgen import generate_prompt


def test_production_prompts_are_the_papers() -> None:
    assert [prompt_for(category, 4, "plain") for category in CATEGORIES] == [
        "An image with 4 apples",
        "An image with 4 people",
        "An image with 4 butterflies",
        "An image with 4 dots",
    ]
    assert [prompt_for(category, 4) for category in CATEGORIES] == [
        "An image with 4 apples",
        "An image with 4 persons",
        "An image with 4 butterflies",
        "4 filled dots in white background",
    ]
    assert [prompt_for(category, 1) for category in CATEGORIES] == [
        "An image with 1 apple",
        "An image with 1 person",
        "An image with 1 butterfly",
        "1 filled dot in white background",
    ]
    assert prompt_for("people", 1, "plain") == "An image with 1 person"
    assert prompt_for("dots", 1, "plain") == "An image with 1 dot"


def test_a_production_run_has_a_hundred_pictures_per_cell() -> None:
    benchmark = get_benchmark("production")
    settings = benchmark.settings_from({})
    assert benchmark.size("paint", settings, {}) == 4000
    trials = list(benchmark.trials("paint", benchmark.settings_from({"per_cell": 2}), {}))
    assert len({trial.id for trial in trials}) == len(trials) == 80
    assert {(t.condition["category"], t.target) for t in trials[:40]} == {
        (category, n) for category in CATEGORIES for n in range(1, 11)
    }


def test_another_seed_asks_for_other_pictures() -> None:
    benchmark = get_benchmark("production")
    first, second = (
        next(benchmark.trials("paint", benchmark.settings_from({"seed": seed}), {}))
        for seed in (0, 1)
    )
    assert first.question == second.question
    assert first.id != second.id


@pytest.mark.parametrize(
    "settings",
    [
        {"per_cell": 0},
        {"max": 0},
        {"reasks": -1},
        {"categories": ()},
        {"categories": ("dots",) * 2},
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(BadInput):
        get_benchmark("production").settings_from(settings)


@pytest.mark.parametrize("settings", [{"categories": ("pears",)}, {"prompt": "best"}, {"size": 9}])
def test_unknown_settings_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(UnknownName):
        get_benchmark("production").settings_from(settings)


ONE_OF = {
    "apples": "apple", "people": "person", "human faces": "human face", "dots": "dot",
    "butterflies": "butterfly", "triangles": "triangle", "dogs": "dog", "cars": "car",
    "pencils": "pencil", "shoes": "shoe", "guitars": "guitar",
}  # fmt: skip


@given(st.integers(0, 200), st.integers(0, 10**6))
def test_every_number_has_an_equal_share(count: int, seed: int) -> None:
    entries = numgen_entries(count, np.random.default_rng(seed))
    assert len(entries) == count
    shares = Counter(dict.fromkeys(range(1, 11), 0))
    shares.update(entry["n"] for entry in entries)
    assert set(shares) == set(range(1, 11))
    assert max(shares.values()) - min(shares.values()) <= 1
    for entry in entries:
        noun = ONE_OF[entry["object"]] if entry["n"] == 1 else entry["object"]
        assert entry["prompt"] == f"An image with {entry['n']} {noun}"


def test_order_and_objects_follow_the_seed() -> None:
    def prompts(seed: int) -> list[str]:
        return generate_prompt(seed=seed)

    assert prompts(1) == prompts(1)
    assert prompts(1) != prompts(2)
    numbers = [entry["n"] for entry in numgen_entries(100, np.random.default_rng(1))]
    assert numbers != sorted(numbers)
    seen = {entry["object"] for entry in numgen_entries(500, np.random.default_rng(1))}
    assert seen == set(ONE_OF)


def subitize(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )


def test_the_command_writes_every_format(tmp_path: Path) -> None:
    expected = generate_prompt(30, seed=3)
    for ending in ("json", "txt", "csv", "pkl"):
        done = subitize(
            "subitize", "prompts", "numgen", "--count", "30", "--seed", "3", "--out",
            f"p.{ending}", cwd=tmp_path,
        )  # fmt: skip
        assert (done.returncode, done.stdout) == (0, "")
        assert f"30 prompts in p.{ending}" in done.stderr
    assert json.loads((tmp_path / "p.json").read_text()) == expected
    assert (tmp_path / "p.txt").read_text().splitlines() == expected
    with (tmp_path / "p.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["prompt"] for row in rows] == expected
    assert all(row["prompt"].startswith(f"An image with {row['n']} ") for row in rows)
    # Written for others; looked at without unpickling.
    words = [found for _, found, _ in pickletools.genops((tmp_path / "p.pkl").read_bytes())]
    assert set(expected) <= {word for word in words if isinstance(word, str)}


def test_without_a_format_prompts_are_printed_and_no_file_is_written(tmp_path: Path) -> None:
    for arguments in (
        ("subitize", "prompts", "numgen", "--count", "12", "--seed", "3"),
        ("subitize.numgen", "--num-strings", "12", "--seed", "3"),
    ):
        done = subitize(*arguments, cwd=tmp_path)
        assert done.stdout.splitlines() == generate_prompt(12, seed=3)
    assert not list(tmp_path.iterdir())


def test_numgens_own_options_write_files(tmp_path: Path) -> None:
    subitize("subitize.numgen", "--num-strings", "7", "--format", "json", cwd=tmp_path)
    assert len(json.loads((tmp_path / "numgen_prompts.json").read_text())) == 7
    done = subitize("subitize.numgen", "--format", "txt", "--filename", "mine.txt", cwd=tmp_path)
    assert done.returncode == 0
    assert len((tmp_path / "mine.txt").read_text().splitlines()) == 100


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--out", "p.xlsx"], "does not tell a format"),
        (["--format", "yaml"], "There is no format 'yaml'"),
        (["--out", "missing/p.json"], "Can't write missing"),
        (["--seed", "-1"], "--seed"),
    ],
)
def test_bad_files_and_formats_are_exit_2(arguments: list[str], said: str, tmp_path: Path) -> None:
    done = subitize("subitize", "prompts", "numgen", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_seed_below_zero_is_refused_in_words() -> None:
    with pytest.raises(BadInput, match="The seed is -1"):
        generate_prompt(3, seed=-1)
