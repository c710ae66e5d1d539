"""`subitize finetune foils`: seeds, best and last, forgetting, early stop, and a real SIGKILL."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from subitize.cli import root
from subitize.datasets.probe.alignment import Pair, write_pairs
from subitize.datasets.probe.released import ProbeItem, write_split
from subitize.reports.page import Table
from subitize.stimuli.scattered import draw_scattered
from subitize.training.page import chapter

pytest.importorskip("torch")

SMALL = ("--set", "items=10", "--judged", "6", "--lr", "1e-3", "--batch", "8")


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "subitize", "finetune", *map(str, words)]


def finetune(*words: object, code: int = 0) -> Any:
    done = subprocess.run(
        command(*words, *(("--json",) if code == 0 else ())), capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr if code else json.loads(done.stdout)


def history(folder: Path, seed: int = 0) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / f"seed-{seed}/history.json").read_text())
    return found


def numbers(value: Any) -> list[float]:
    """Every number inside a value, in its order."""
    if isinstance(value, dict):
        return [one for key in sorted(value) for one in numbers(value[key])]
    if isinstance(value, list):
        return [one for inner in value for one in numbers(inner)]
    return [value] if isinstance(value, int | float) and not isinstance(value, bool) else []


@pytest.mark.budget(90)
def test_killed_in_epoch_3_it_ends_as_if_it_had_not_been(
    backbones: dict[str, Path], tmp_path: Path
) -> None:
    words = ("foils", "--model", f"hf/{backbones['BlipForImageTextRetrieval']}", "--epochs", "4",
             "--seeds", "2", *SMALL)  # fmt: skip
    whole = finetune(*words, "--out", tmp_path / "whole")
    with subprocess.Popen(
        command(*words, "--out", tmp_path / "killed"), stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "epoch 2 " in line:  # so epoch 3 is under way, or about to be
                os.kill(process.pid, signal.SIGKILL)
                break
    assert process.returncode == -signal.SIGKILL
    [folder] = (tmp_path / "killed").iterdir()
    assert not (folder / "results.json").exists()
    assert list((folder / "seed-0").glob("state-*"))
    resumed = finetune(*words, "--out", tmp_path / "killed")
    assert Path(resumed["folder"]) == folder
    for part in ("before", "seeds", "summary"):
        assert numbers(resumed[part]) == pytest.approx(numbers(whole[part]), abs=1e-6)
    for seed in (0, 1):
        ours, theirs = history(folder, seed), history(Path(whole["folder"]), seed)
        assert numbers(ours) == pytest.approx(numbers(theirs), abs=1e-6)
        assert len(ours) == 4
    # nothing but what is needed stays
    left = {path.name for path in (folder / "seed-0").iterdir()}
    assert left == {"best", "last", "history.json"}
    # a finished training is not done again
    again = finetune(*words, "--out", tmp_path / "killed")
    assert numbers(again["summary"]) == numbers(resumed["summary"])


@pytest.mark.budget(60)
def test_what_is_reported_follows_from_every_evaluation(
    backbones: dict[str, Path], tmp_path: Path
) -> None:
    found = finetune(
        "foils", "--model", f"hf/{backbones['CLIPModel']}", "--epochs", "3", "--seeds", "3",
        "--judged-by", "acc_r", *SMALL, "--out", tmp_path,
    )  # fmt: skip
    folder = Path(found["folder"])
    histories = [history(folder, seed) for seed in range(3)]
    best, last, highest = [], [], []
    for seed, entries in enumerate(histories):
        chosen = max(entries, key=lambda one: one["metrics"]["valid"]["acc_r"])
        assert found["seeds"][str(seed)]["best_epoch"] == chosen["epoch"]
        best.append(chosen["metrics"]["test"]["acc_r"])
        last.append(entries[-1]["metrics"]["test"]["acc_r"])
        highest.append(max(one["metrics"]["valid+test"]["acc_r"] for one in entries))
    for way, data, values in (("best", "test", best), ("last", "test", last),
                              ("highest", "valid+test", highest)):  # fmt: skip
        told = found["summary"][way][data]["acc_r"]
        assert told["mean"] == pytest.approx(mean(values))
        assert told["std"] == pytest.approx(stdev(values))
    change = found["summary"]["forgetting"]["alignment"]["acc_r"]["mean"]
    after = found["summary"]["best"]["alignment"]["acc_r"]["mean"]
    assert change == pytest.approx(after - found["before"]["alignment"]["acc_r"])
    # seeds differ: another order, other noise
    assert histories[0] != histories[1]
    page = Path(found["report"]).read_text()
    assert "finetune-1-loss" in page
    assert "seed 2" in page
    assert "0 trials" not in page
    assert "No patience: it does not stop early." in page
    table = chapter([json.loads((folder / "results.json").read_text())]).sections[1].blocks[0]
    assert isinstance(table, Table)
    assert [head.label for head in table.columns][:3] == ["Seed", "Best epoch", "Epochs trained"]
    for row, own in zip(table.rows, found["seeds"].values(), strict=True):
        assert [one.value for one in row[1:4]] == [own["best_epoch"], 3, 3]
        assert row[5].value == own["best"]["test"]["acc_r"]
    # the best checkpoint says in `run probe` what its evaluation said
    probe = subprocess.run(
        [sys.executable, "-m", "subitize", "run", "probe", "--model",
         f"hf/{folder}/seed-1/best?isolated=false", "--set", "items=6", "--out",
         str(tmp_path / "runs"), "--json"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    [scores] = json.loads(probe.stdout)
    for name in ("acc", "acc_r", "recall_foil"):
        wanted = found["seeds"]["1"]["best"]["test"][name]
        assert scores[name]["value"] == pytest.approx(wanted)
    assert scores["calibrated"]


@pytest.mark.budget(40)
def test_files_with_pictures_and_captions(backbones: dict[str, Path], tmp_path: Path) -> None:
    """Three split files and a file of captions, as people have them."""
    rng = np.random.default_rng(0)
    shown = tmp_path / "shown"
    shown.mkdir()
    files: dict[str, Path] = {}
    for part, first in (("train", 0), ("valid", 10), ("test", 20)):
        items = [
            ProbeItem(f"{part}_{n}", f"{n}.png", "How many apples are there?", n % 4 + 1, (6, 7, 8))
            for n in range(first, first + 6)
        ]
        for one in items:
            picture = draw_scattered("apple", one.answer, 64, rng)
            (shown / one.picture).write_bytes(picture)
        files[part] = tmp_path / f"{part}.json"
        write_split(files[part], items, "fluent")
    captions = tmp_path / "captions.json"
    write_pairs(captions, [Pair(str(n), f"{n}.png", "apples", "two cats", "own") for n in range(4)])
    words = [
        "finetune", "foils", "--model", f"hf/{backbones['SiglipModel']}", "--train",
        files["train"], "--valid", files["valid"], "--test", files["test"], "--pictures", shown,
        "--alignment", captions, "--alignment-pictures", shown, "--epochs", 1, "--seeds", 1,
        "--batch", 8, "--set", "format=qa", "--out", tmp_path / "out", "--json",
    ]  # fmt: skip
    done = CliRunner().invoke(root, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["data"] == {
        "right": 6, "foils": 18, "leaks": 0, "valid": 6, "test": 6, "alignment": 4
    }  # fmt: skip
    assert found["summary"]["best"]["test"]["acc_r"]["std"] is None  # of one seed
    # a process that was killed while it copied the best checkpoint leaves half of it behind
    seed = Path(found["folder"]) / "seed-0"
    (seed / "best").rename(seed / "best.part")
    (seed / "history.json").unlink()
    again = CliRunner().invoke(root, [str(word) for word in words])
    assert again.exit_code == 0, again.output
    assert json.loads(again.stdout)["summary"] == found["summary"]
    assert {path.name for path in seed.iterdir()} == {"best", "last", "history.json"}


@pytest.mark.budget(60)
def test_early_stop_and_mixed_precision(backbones: dict[str, Path], tmp_path: Path) -> None:
    """With a rate of 0 nothing gets better: the first evaluation is the best."""
    words = ("foils", "--model", f"hf/{backbones['BlipForImageTextRetrieval']}", "--epochs", "9",
             "--patience", "2", "--seeds", "1", "--precision", "bf16", *SMALL)  # fmt: skip
    found = finetune(*words, "--lr", "0", "--weight-decay", "0", "--out", tmp_path)
    assert found["seeds"]["0"]["evaluations"] == 3
    assert found["seeds"]["0"]["best_epoch"] == 1
    before = found["before"]["test"]
    assert found["seeds"]["0"]["last"]["test"] == pytest.approx(before)


@pytest.mark.budget(90)
def test_two_processes_learn_what_one_learns(backbones: dict[str, Path], tmp_path: Path) -> None:
    """In SigLIP, which has no dropout, the gradients of two halves are that of the batch."""
    words = ("foils", "--model", f"hf/{backbones['SiglipModel']}?device=cpu", "--epochs", "2",
             "--seeds", "1", *SMALL)  # fmt: skip
    alone = finetune(*words, "--out", tmp_path / "alone")
    done = subprocess.run(
        [sys.executable, "-m", "accelerate.commands.launch", "--cpu", "--num_processes", "2",
         "--num_machines", "1", "--mixed_precision", "no", "--dynamo_backend", "no",
         "--main_process_port", "0", "-m", "subitize", "finetune", *map(str, words), "--out",
         str(tmp_path / "both"), "--json"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    both = json.loads(done.stdout)  # one of them prints
    assert numbers(both["seeds"]) == pytest.approx(numbers(alone["seeds"]), abs=1e-4)
    ours, theirs = history(Path(both["folder"])), history(Path(alone["folder"]))
    assert [one["loss"] for one in ours] == pytest.approx([one["loss"] for one in theirs], abs=1e-4)
