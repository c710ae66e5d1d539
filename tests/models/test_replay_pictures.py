"""Pictures painted elsewhere, scored as production and GeckoNum runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from subitize.benchmark import Benchmark
from subitize.benchmarks.geckonum.painting import GeckoNum
from subitize.benchmarks.production import Production, prompt_for
from subitize.errors import BadInput
from subitize.models.catalog import open_model
from subitize.models.replay_pictures import PictureReplay
from subitize.opening import open_helpers, run_and_score
from subitize.runs.run import RunOptions
from subitize.stimuli.scattered import draw_scattered
from tests.benchmarks.geckonum_data import BY_TEXT

SETTINGS = {"per_cell": 2, "max": 3, "categories": ("apples",)}


def go(benchmark: Benchmark[Any], folder: Path, out: Path, **given: Any) -> Any:
    model, settings = open_model(f"replay/{folder}"), benchmark.settings_from(given)
    helpers = open_helpers(benchmark, settings, model, None, lambda _: None)  # type: ignore[arg-type,return-value]
    return run_and_score(benchmark, settings, model, out, RunOptions(progress=False), helpers)


def painted(folder: Path, by: str) -> list[dict[str, Any]]:
    """Two pictures of 1, 2 and 3 apples; the second of 3 shows 2."""
    folder.mkdir()
    rows, rng = [], np.random.default_rng(0)
    for n in (1, 2, 3):
        for seed in (7, 8):
            many = n - (n == 3 and seed == 8)
            name = f"picture-{n}-{seed}.png"
            (folder / name).write_bytes(draw_scattered("apple", many, 128, rng))
            asked = {"prompt": prompt_for("apples", n)} if by == "prompt" else {
                by: n, "category": "apples",
            }  # fmt: skip
            rows.append({"file": name, "seed": seed, **asked})
    (folder / "manifest.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return rows


@pytest.mark.parametrize("by", ["prompt", "target", "n"])
def test_a_folder_with_a_manifest_is_a_production_run(tmp_path: Path, by: str) -> None:
    painted(tmp_path / "pictures", by)
    outcome, run = go(Production(), tmp_path / "pictures", tmp_path / "runs", **SETTINGS)
    assert outcome.complete
    assert run.scores["states"] == {"read": 6}
    assert run.scores["accuracy"]["value"] == pytest.approx(5 / 6)
    wrong = run.answers.filter(
        (run.answers["stage"] == "paint") & (run.answers["target"] != run.answers["number"])
    )
    assert wrong.select("n", "index").rows() == [(3, 1)]


def test_a_missing_picture_is_failed(tmp_path: Path) -> None:
    rows = painted(tmp_path / "pictures", "prompt")
    kept = "".join(f"{json.dumps(row)}\n" for row in rows[:-1])
    (tmp_path / "pictures" / "manifest.jsonl").write_text(kept)
    outcome, run = go(Production(), tmp_path / "pictures", tmp_path / "runs", **SETTINGS)
    assert (outcome.complete, outcome.failed) == (False, 1)
    assert run.scores["states"] == {"read": 5, "failed": 1}
    assert "number 1" in outcome.problem


def test_a_listed_picture_without_its_file_is_failed(tmp_path: Path) -> None:
    rows = painted(tmp_path / "pictures", "prompt")
    (tmp_path / "pictures" / rows[0]["file"]).unlink()
    outcome, run = go(Production(), tmp_path / "pictures", tmp_path / "runs", **SETTINGS)
    assert (outcome.complete, outcome.failed) == (False, 1)
    assert run.scores["states"] == {"read": 5, "failed": 1}
    assert f"no file {rows[0]['file']}" in outcome.problem


def test_the_folder_above_a_painters(tmp_path: Path) -> None:
    """GeckoNum's archive has a folder per painter; of several one has to be named."""
    for painter in ("dalle_3", "muse_a"):
        (tmp_path / painter).mkdir()
        (tmp_path / painter / "geckonum_00150_0.png").write_bytes(b"a picture")
        if painter == "dalle_3":
            model = open_model(f"replay/{tmp_path}")
            assert isinstance(model, PictureReplay)
            assert list(model.pictures) == [("geckonum_00150",)]
    with pytest.raises(BadInput, match=r"2 painters \(dalle_3, muse_a\): give one of them"):
        open_model(f"replay/{tmp_path}")


def test_geckonums_names(tmp_path: Path) -> None:
    folder = tmp_path / "dalle_3"
    folder.mkdir()
    for n in (1, 2, 3):
        prompt = BY_TEXT[f"{n} apple{'s' * (n > 1)}."].dataset_id
        for seed in range(2):
            picture = draw_scattered("apple", n + seed, 128, np.random.default_rng(n))
            (folder / f"{prompt}_{seed}.png").write_bytes(picture)
    _, run = go(
        GeckoNum(), folder, tmp_path / "runs", types="numeric_simple", things="apple", seeds=2
    )
    states = run.scores["states"]
    assert states["read"] == 6
    assert states["failed"] == 2 * 15 - 6  # ten numbers in digits, five in words
    assert run.scores["accuracy"]["value"] == 0.5


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "holds no picture"),
        ('{"file": "lost.png", "prompt": "a"}', "holds no picture"),
        ('{"file": "../x.png", "prompt": "a"}', "leaves the folder"),
        ('{"file": "here.png", "category": "apples"}', "does not say what"),
    ],
)
def test_folders_that_tell_nothing(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "here.png").write_bytes(b"a picture")
    (tmp_path / "manifest.jsonl").write_text(content)
    with pytest.raises(BadInput, match=message):
        open_model(f"replay/{tmp_path}")


def test_other_pictures_of_the_same_size_are_another_model(tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    first, second = (row["file"] for row in painted(folder, "n")[:2])
    before = open_model(f"replay/{folder}").revision
    assert open_model(f"replay/{folder}").revision == before
    content = (folder / first).read_bytes()
    changed = content[:-20] + bytes([content[-20] ^ 1]) + content[-19:]
    (folder / first).write_bytes(changed)
    assert open_model(f"replay/{folder}").revision != before
    (folder / first).write_bytes(content)
    assert open_model(f"replay/{folder}").revision == before
    (folder / second).unlink()
    assert open_model(f"replay/{folder}").revision != before
