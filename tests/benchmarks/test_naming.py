"""Numerosity naming: prompt forms, decisions, control, eligibility, recovery."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from itertools import product
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any

import numpy as np
import orjson
import polars as pl
import pytest
from aiohttp import web

from subitize.benchmarks.catalog import get_benchmark
from subitize.benchmarks.naming_forms import FORMS, best_form, held_out
from subitize.measures.error_size import nae
from subitize.models.base import ModelOptions
from subitize.models.catalog import open_model
from subitize.runs.plan import read_trials
from subitize.runs.run import Outcome, RunOptions, run_benchmark
from subitize.runs.stored import stored_run
from subitize.stimuli.naming import CATEGORIES
from tests.chat_server import ChatServer, completion
from tests.scored import score_run
from tests.speed import within

SMALL: dict[str, Any] = {"per_cell": 10, "max": 3, "size": 64, "categories": ("apples", "dots")}
CELLS = 6


def run(out: Path, model: str, url: str | None = None, **settings: Any) -> tuple[Outcome, Any]:
    naming = get_benchmark("naming")
    opened = open_model(model, ModelOptions(url))
    outcome = run_benchmark(
        naming,
        naming.settings_from({**SMALL, **settings}),
        opened,
        out,
        RunOptions(progress=False, concurrency=4),
    )
    return outcome, score_run(outcome.folder)


def asked(body: dict[str, Any]) -> str:
    return str(body["messages"][-1]["content"][0]["text"])


def test_the_published_questions_and_numbers_of_trials() -> None:
    naming = get_benchmark("naming")
    settings = naming.settings_from({})
    trials = list(naming.trials("ask", settings, {}))
    assert len(trials) == 2500 * 3 == naming.size("ask", settings, {})
    assert len(list(naming.trials("control", settings, {}))) == 500
    category = {
        t.condition["category"]: t.question for t in trials if t.condition["form"] == "category"
    }
    assert category == {
        "apples": "How many apples are there in the picture?",
        "people": "How many people are there in the picture?",
        "butterflies": "How many butterflies are there in the picture?",
        "dots": "How many dots are there in the picture?",
        "fast cards": "How many shapes are there in the picture?",
    }
    cells = Counter((t.condition["category"], t.target, t.condition["form"]) for t in trials)
    assert set(cells.values()) == {50}
    # A part of the trials is a small copy of the whole.
    assert Counter(t.target for t in trials[:150]) == dict.fromkeys(range(1, 11), 15)


def test_best_keeps_the_form_with_the_smallest_error(tmp_path: Path) -> None:
    """The server is right for objects, one too many for things, silent for the category."""

    def by_form(_n: int, _request: web.Request, body: dict[str, Any]) -> web.Response:
        if "represent" in asked(body):
            return web.json_response(completion("A fruit."))
        if "objects" in asked(body):
            return web.json_response(completion("2"))
        return web.json_response(completion("3" if "things" in asked(body) else "many"))

    with ChatServer(by_form) as server:
        outcome, scores = run(tmp_path, "openai/x", server.url, max=2)
    assert scores["prompt"] == "objects"
    assert scores["prompts"]["objects"]["mean_error"] == 0.5
    assert scores["prompts"]["things"]["mean_error"] == 1.5
    assert scores["prompts"]["category"] == {
        "mean_error": None,
        "accuracy": None,
        "nae": None,
        "eligible": False,
        "trials": 40,
        "readable": 0,
    }
    assert scores["asked"] == 3 * 40 + 20
    assert scores["trials"] == 40
    assert scores["control_question"] == {"asked": 20, "right": 20, "understood": True}
    info = orjson.loads((outcome.folder / "run.json").read_bytes())
    assert info["decisions"] == {"form": "objects"}


def test_the_held_out_scores_do_not_flatter() -> None:
    """Of three forms that are alike the best has an error below the truth, the held-out one not."""
    settings = get_benchmark("naming").settings_from({"per_cell": 4})
    cells = list(product(FORMS, settings.categories, range(1, 11), range(4)))
    columns = dict(zip(("form", "category", "n", "index"), zip(*cells, strict=True), strict=True))
    columns["trial"] = tuple(map(str, range(len(cells))))
    targets = np.array(columns["n"])
    truth = 0.3 * np.mean(1 / np.arange(1, 11))
    flattered, honest = [], []
    for seed in range(60):
        off = np.random.default_rng(seed).random(targets.size) < 0.3
        answers = pl.DataFrame(
            {**columns, "target": targets, "number": targets + off, "state": ["read"] * off.size}
        ).with_columns(pl.col("target", "number").cast(pl.Float64))
        best = answers.filter(pl.col("form") == best_form(answers, settings))
        flattered.append(nae(best["target"].to_numpy(), best["number"].to_numpy()))
        found = held_out(answers, settings)
        assert found is not None
        honest.append(found["nae"].value)
    error = np.std(honest) / np.sqrt(len(honest))
    assert np.mean(flattered) < truth - 2 * error
    assert np.mean(honest) == pytest.approx(truth, abs=3 * error)


def test_one_form_has_no_held_out_scores(tmp_path: Path) -> None:
    _, best = run(tmp_path, "sim/observer")
    assert best["prompt_held_out"]["nae"]["trials"] == best["trials"]
    _, one = run(tmp_path, "sim/observer", prompt="things")
    assert one["prompt_held_out"] is None


def test_a_decision_is_never_taken_again(tmp_path: Path) -> None:
    outcome, scores = run(tmp_path, "sim/observer")
    path = outcome.folder / "run.json"
    info = orjson.loads(path.read_bytes())
    info["decisions"]["form"] = "things" if scores["prompt"] != "things" else "objects"
    path.write_bytes(orjson.dumps(info))
    _, again = run(tmp_path, "sim/observer")
    assert again["prompt"] == info["decisions"]["form"]


def test_ties_go_to_the_category(tmp_path: Path) -> None:
    _, scores = run(tmp_path, "sim/perfect")
    assert scores["prompt"] == "category"


def test_pilot_decides_on_a_tenth(tmp_path: Path) -> None:
    outcome, scores = run(tmp_path, "sim/observer", prompt="pilot")
    stages = Counter(trial.stage for trial in read_trials(outcome.folder))
    assert stages == {"pilot": CELLS * 3, "ask": CELLS * 9, "control": 30}
    assert scores["trials"] == CELLS * 10
    assert scores["prompt"] in FORMS


def test_one_form_asks_only_that(tmp_path: Path) -> None:
    outcome, scores = run(tmp_path, "sim/perfect", prompt="things", control=False)
    assert {t.question for t in read_trials(outcome.folder)} == {
        "How many things are there in the picture?"
    }
    assert scores["asked"] == scores["trials"] == CELLS * 10
    assert scores["control_question"] is None


def test_top_up_asks_further_pictures_in_thin_cells(tmp_path: Path) -> None:
    """Nine of the first ten replies to each cell can't be read: more are asked, boundedly."""
    counts: Counter[str] = Counter()

    def shy(_n: int, _request: web.Request, body: dict[str, Any]) -> web.Response:
        counts[asked(body)] += 1
        readable = counts[asked(body)] > 50
        return web.json_response(completion("2" if readable else "some"))

    with ChatServer(shy) as server:
        outcome, scores = run(
            tmp_path, "openai/x", server.url, prompt="things", top_up=True, control=False
        )
    stages = Counter(trial.stage for trial in read_trials(outcome.folder))
    assert stages["ask"] == CELLS * 10
    assert 0 < sum(n for stage, n in stages.items() if stage.startswith("top-up")) <= CELLS * 4 * 3
    new = [t for t in read_trials(outcome.folder) if t.stage.startswith("top-up")]
    assert min(t.condition["index"] for t in new) >= 10
    assert len({t.id for t in read_trials(outcome.folder)}) == sum(stages.values())
    assert scores["flagged_cells"] == []


def test_a_failed_control_is_reported(tmp_path: Path) -> None:
    _, scores = run(tmp_path, "sim/random", prompt="things")
    assert scores["control_question"] == {"asked": 30, "right": 0, "understood": False}


@pytest.mark.parametrize(
    ("reply", "right"),
    [
        ("A red APPLE.", 30),
        ("Some fruits on a table", 30),
        ("Two pineapples", 0),
        ("<think>Is it an apple? No.</think>A balloon.", 0),
    ],
)
def test_what_answers_the_control(tmp_path: Path, reply: str, right: int) -> None:
    def behave(number: int, request: web.Request, body: dict[str, Any]) -> web.Response | None:
        return web.json_response(completion(reply)) if "represent" in asked(body) else None

    with ChatServer(behave) as server:
        _, scores = run(tmp_path, "openai/x", server.url, prompt="things", categories=("apples",))
    assert scores["control_question"] == {"asked": 30, "right": right, "understood": right >= 28.5}


def test_counters_are_not_asked_the_control(tmp_path: Path) -> None:
    outcome, scores = run(tmp_path, "counter/blobs", prompt="things", size=128)
    assert scores["accuracy"]["value"] > 0.9
    assert scores["control_question"] is None
    assert {t.stage for t in read_trials(outcome.folder)} == {"ask"}


def test_a_replayed_run_scores_the_same(tmp_path: Path) -> None:
    outcome, scores = run(tmp_path / "a", "sim/observer", prompt="things")
    _, again = run(tmp_path / "b", f"replay/{outcome.folder}/responses.jsonl", prompt="things")
    same = ("accuracy", "nae", "confusion", "bias", "weber_fraction")
    assert {key: scores[key] for key in same} == {key: again[key] for key in same}


@pytest.mark.parametrize("w", [0.10, 0.15, 0.25])
def test_the_observer_is_recovered_from_a_run(tmp_path: Path, w: float) -> None:
    """One run per w through the whole house; the coverage simulation is among the measures."""
    _, scores = run(
        tmp_path, f"sim/observer?w={w}", max=10, per_cell=40, prompt="things", control=False
    )
    found = scores["weber_fraction"]
    assert found["low"] <= w <= found["high"]
    assert scores["subitizing_limit"] == 4
    assert scores["counting_level"] >= 4
    assert set(scores) >= {
        "benchmark", "version", "model", "asked", "trials", "states", "accuracy", "nae",
        "counting_level", "human_correlation", "category_consistency", "bias",
        "scalar_variability", "weber_fraction", "subitizing_limit", "confusion", "prompt",
        "prompts", "control_question", "flagged_cells", "undefined",
    }  # fmt: skip


def test_one_trial_per_cell_has_no_interval_of_a_likeness(tmp_path: Path) -> None:
    """A cell of one trial has no spread of its own; means are then drawn from all cells."""
    _, scores = run(tmp_path, "sim/observer", max=10, per_cell=1, prompt="things", control=False)
    for name in ("human_correlation", "random_correlation"):
        assert scores[name]["value"] is not None
        assert scores[name]["low"] is None
        assert "one readable trial" in scores["undefined"][f"{name}.interval"]
    for name in ("accuracy", "nae", "mae", "rmse", "mape", "smape"):
        assert scores[name]["low"] < scores[name]["value"] < scores[name]["high"]


def test_who_answers_alike_to_all_numbers_has_a_likeness_and_the_reason_why_no_interval(
    tmp_path: Path,
) -> None:
    _, scores = run(
        tmp_path, "sim/random", max=10, per_cell=2, prompt="things", control=False, seed=2
    )
    for name in ("human_correlation", "random_correlation"):
        assert scores[name]["value"] is not None
        assert scores[name]["low"] is None
        assert "no more than chance" in scores["undefined"][f"{name}.interval"]


def test_smape_is_that_of_the_readable_answers(tmp_path: Path) -> None:
    outcome, scores = run(tmp_path, "sim/observer", max=8, per_cell=3, prompt="things")
    pairs = stored_run(outcome.folder, get_benchmark("naming")).answers.filter(
        stage="ask", state="read", counts=True
    )
    off = [
        100 * abs(said - target) / (said + target)
        for said, target in pairs.select("number", "target").iter_rows()
    ]
    assert scores["smape"]["value"] == pytest.approx(sum(off) / len(off))


def test_every_score_that_can_have_an_interval_has_one(tmp_path: Path) -> None:
    _, scores = run(tmp_path, "sim/observer", max=10, per_cell=10, prompt="things", control=False)
    for name in (
        "accuracy", "nae", "mae", "rmse", "mape", "smape", "human_correlation",
        "random_correlation", "weber_fraction", "lapse_rate",
    ):  # fmt: skip
        found = scores[name]
        # noise pulls a correlation down: its interval lies around what it is without
        if not name.endswith("correlation"):
            assert found["low"] <= found["value"] <= found["high"], name
        assert found["low"] < found["high"], name
    assert scores["category_consistency"]["low"] is None
    assert "category_null" in scores["undefined"]["category_consistency.interval"]
    assert scores["category_null"]["verdict"] == "no difference between categories"
    assert scores["observer_with_bias"]["fits"] is not None
    assert scores["scalar_variability"]["rounded_observer"]["p"] > 0.001
    assert scores["knower_level"]["level"] >= 4
    assert sum(scores["knower_level"]["posterior"]) == pytest.approx(1)
    assert scores["anchoring"]["excess"]["low"] < scores["anchoring"]["excess"]["high"]
    assert scores["effort"] is None, "a simulated observer uses no tokens"
    for category in ("apples", "dots"):
        of_it = scores["categories"][category]
        assert of_it["nae"]["low"] < of_it["nae"]["value"] < of_it["nae"]["high"]
        assert of_it["accuracy"]["low"] < of_it["accuracy"]["high"]
        effect = scores["bias"][category]["effect"]
        assert effect["low"] <= effect["value"] <= effect["high"]
        assert abs(abs(effect["value"]) - scores["bias"][category]["r"]) < 1e-12
    slope = scores["scalar_variability"]
    assert slope["slope_low"] < slope["slope"] < slope["slope_high"]
    low, high = scores["subitizing_limit_interval"]
    assert low <= scores["subitizing_limit"] <= high
    assert sum(scores["counting_level_shares"].values()) == pytest.approx(1)


def test_scoring_a_whole_run_costs_little(tmp_path: Path) -> None:
    """2,500 trials, from the start of a process; at most twice the 2.5 CPU seconds aimed at."""
    whole = {"per_cell": 50, "max": 10, "categories": CATEGORIES, "prompt": "things"}
    outcome, _ = run(tmp_path, "sim/observer", control=False, **whole)
    assert (outcome.folder / "answers.parquet").is_file()
    before = getrusage(RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "subitize", "score", str(outcome.folder), "--json"]
    scored = subprocess.run(command, check=True, capture_output=True)
    after = getrusage(RUSAGE_CHILDREN)
    assert orjson.loads(scored.stdout)["trials"] == 2500
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert within(spent, 2 * 2.5)
