"""CAPTURE's scores against plain loops over the same answers, and in time."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from subitize.benchmarks.capture.answers import one_per_trial
from subitize.benchmarks.capture.scoring import scores_of
from subitize.benchmarks.capture.settings import CaptureSettings
from subitize.benchmarks.catalog import get_benchmark
from subitize.records import Reading, Response, Row, Trial
from tests.scored import as_answers
from tests.speed import within

CAPTURE = get_benchmark("capture")

SETTINGS = CaptureSettings(
    items=60, size=96, prompt="as-if-no-box", help=("all-coordinates",), seed=3
)


def rows_for(settings: CaptureSettings, seed: int = 0, skips: float = 0.1) -> list[Row]:
    """Every trial of a run, answered with errors and skips."""
    rng = np.random.default_rng(seed)
    rows = []
    for stage in ("total", "help", "hidden", "pattern"):
        if stage == "help" and not settings.help:
            continue
        for trial in CAPTURE.trials(stage, settings, {}):
            response = Response(trial.id, "x", "h", 0, 0, "text", "…", "stop")
            rows.append(Row(trial, response, _reading(trial, rng, skips)))
    return rows


def _reading(trial: Trial, rng: np.random.Generator, skips: float) -> Reading:
    if rng.random() < skips:
        return Reading("vague" if rng.random() < 0.5 else "truncated")
    if trial.options:
        return Reading("read", choice=trial.options[int(rng.integers(3))])
    return Reading("read", max(0, int(trial.target + rng.integers(-3, 4))))


def scored(rows: list[Row], settings: CaptureSettings = SETTINGS) -> dict[str, Any]:
    return scores_of(as_answers(rows, CAPTURE), settings, {})


def plain_error(row: Row) -> float:
    if row.reading.number is None:
        return 100.0
    given, right = row.reading.number, row.trial.target
    return 0.0 if given == right == 0 else 100 * abs(given - right) / (given + right)


def of(rows: list[Row], task: str, variant: str, help_: str = "") -> dict[str, Row]:
    return {
        row.trial.condition["configuration"]: row
        for row in rows
        if (row.trial.condition["task"], row.trial.condition["variant"]) == (task, variant)
        and row.trial.condition["help"] == help_
    }


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return rows_for(SETTINGS)


@pytest.fixture(scope="module")
def scores(rows: list[Row]) -> dict[str, Any]:
    return scored(rows)


def test_values_are_those_of_plain_loops(rows: list[Row], scores: dict[str, Any]) -> None:
    covered, seen = of(rows, "total", "occluded"), of(rows, "total", "unoccluded")
    mean = np.mean([plain_error(row) for row in covered.values()])
    assert scores["smape"]["occluded"]["value"] == pytest.approx(mean)
    skipped = sum(row.reading.state != "read" for row in covered.values())
    assert scores["smape"]["occluded"]["skipped"] == skipped > 0
    pairs = [plain_error(covered[name]) - plain_error(seen[name]) for name in covered]
    assert scores["price_of_occlusion"]["value"] == pytest.approx(np.mean(pairs))
    hidden = of(rows, "hidden", "occluded")
    assert scores["hidden"]["value"] == pytest.approx(
        np.mean([plain_error(row) for row in hidden.values()])
    )
    more = [plain_error(hidden[name]) - plain_error(covered[name]) for name in hidden]
    assert scores["hidden_minus_total"]["value"] == pytest.approx(np.mean(more))
    helped = of(rows, "total", "occluded", "all-coordinates")
    effect = [plain_error(helped[name]) - plain_error(covered[name]) for name in helped]
    assert scores["help"]["all-coordinates"]["effect"]["value"] == pytest.approx(np.mean(effect))
    named = of(rows, "pattern", "occluded")
    right = [row.reading.choice == row.trial.target_choice for row in named.values()]
    assert scores["pattern"]["occluded"]["value"] == pytest.approx(100 * np.mean(right))


def test_breakdowns_are_those_of_plain_loops(rows: list[Row], scores: dict[str, Any]) -> None:
    covered = list(of(rows, "total", "occluded").values())
    for fact in ("total", "hidden", "arrangement", "place", "colour", "object"):
        lines = scores["breakdowns"]["occluded"][fact]
        assert sum(line["trials"] for line in lines) == len(covered)
        for line in lines:
            inside = [r for r in covered if r.trial.condition[fact] == line["level"]]
            assert line["trials"] == len(inside)
            assert line["value"] == pytest.approx(np.mean([plain_error(r) for r in inside]))
            assert line["low"] <= line["value"] <= line["high"]


def test_confusion_and_over_predicted_numbers(rows: list[Row], scores: dict[str, Any]) -> None:
    covered = list(of(rows, "total", "occluded").values())
    said = Counter(r.reading.number for r in covered if r.reading.state == "read")
    true = Counter(r.trial.target for r in covered)
    pairs = scores["confusion"]["occluded"]["pairs"]
    assert sum(times for _, _, times in pairs) == sum(said.values())
    skipped = scores["confusion"]["occluded"]["skipped"]
    assert sum(times for _, times in skipped) == len(covered) - sum(said.values())
    worst = max(n for n in said if said[n] - true[n] == max(said[m] - true[m] for m in said))
    listed = scores["over_predicted"]["occluded"]
    assert worst in {one["number"] for one in listed}
    assert all(one["excess"] == said[one["number"]] - true[one["number"]] > 0 for one in listed)


def test_intervals_are_those_of_a_plain_bootstrap_over_configurations(
    rows: list[Row], scores: dict[str, Any]
) -> None:
    covered, seen = of(rows, "total", "occluded"), of(rows, "total", "unoccluded")
    terms = np.array([[plain_error(covered[n]), plain_error(seen[n])] for n in covered])
    rng = np.random.default_rng(1)
    drawn = terms[rng.integers(0, len(terms), (4000, len(terms)))].mean(axis=1)
    for values, score in (
        (drawn[:, 0], scores["smape"]["occluded"]),
        (drawn[:, 0] - drawn[:, 1], scores["price_of_occlusion"]),
    ):
        low, high = np.quantile(values, [0.025, 0.975])
        wide = high - low
        # ours is skewed as the errors are: a bootstrap of so few pictures is not
        assert abs(score["low"] - low) < 0.08 * wide
        assert abs(score["high"] - high) < 0.08 * wide


def test_pairing_narrows_the_price(rows: list[Row], scores: dict[str, Any]) -> None:
    """Both variants answered alike: the price is 0, whatever the errors are, and its interval
    leaves room only for skips on one side that so many pictures would not have shown."""
    covered, seen = of(rows, "total", "occluded"), of(rows, "total", "unoccluded")
    alike = [Row(covered[n].trial, covered[n].response, seen[n].reading) for n in covered]
    found = scored([*seen.values(), *alike], replace(SETTINGS, help=()))
    price, smape = found["price_of_occlusion"], found["smape"]["occluded"]
    assert price["value"] == 0.0
    assert price["low"] == pytest.approx(-price["high"])
    assert price["high"] == pytest.approx(100 * 3.118 / price["trials"], abs=0.01)
    assert price["high"] - price["low"] < 0.6 * (smape["high"] - smape["low"])


def test_order_changes_no_score(rows: list[Row], scores: dict[str, Any]) -> None:
    mixed = [rows[i] for i in np.random.default_rng(9).permutation(len(rows))]
    again = scored(mixed)
    assert again["smape"]["occluded"]["value"] == pytest.approx(
        scores["smape"]["occluded"]["value"]
    )
    assert again["confusion"] == scores["confusion"]


def test_failed_and_excluded_replies_are_no_skips(rows: list[Row]) -> None:
    state = {0: "failed", 1: "excluded", 2: "pending"}
    changed = [
        Row(r.trial, r.response, Reading(state[i])) if i in state else r  # type: ignore[arg-type]
        for i, r in enumerate(rows)
    ]
    found = scored(changed)
    assert found["trials"] == len(rows) - 3
    assert found["asked"] == len(rows)


def test_nothing_answered_is_null_with_a_reason() -> None:
    found = scored([])
    assert found["smape"] == {"unoccluded": None, "occluded": None}
    assert set(found["undefined"]) >= {"smape.occluded", "price_of_occlusion", "hidden"}


def test_a_run_of_skips_has_an_smape_and_the_reason_why_it_has_no_mean_error() -> None:
    settings = replace(SETTINGS, backoff=True)
    found = scored(rows_for(settings, skips=1.0), settings)
    calm = scored(rows_for(settings, skips=0.0), settings)
    for variant in settings.variants:
        assert found["smape"][variant]["value"] == 100
        for name in ("mae", "rmse", "mape"):
            assert found[name][variant] is None
            assert "a skip" in found["undefined"][f"{name}.{variant}"]
            assert f"{name}.{variant}" not in calm["undefined"]
        assert found["backoff"][variant]["rescued"]["value"] == 0
        assert calm["backoff"][variant]["rescued"] is None
        assert "no first attempt" in calm["undefined"][f"backoff.{variant}.rescued"]


def test_most_common_of_samples() -> None:
    trial = next(CAPTURE.trials("total", SETTINGS, {}))

    def sample(number: int, said: int | None) -> Row:
        response = Response(trial.id, "x", "h", number, 0, "text", "", "stop")
        reading = Reading("vague") if said is None else Reading("read", said)
        return Row(trial, response, reading)

    def one(*said: int | None) -> dict[str, Any]:
        frame = as_answers([sample(i, n) for i, n in enumerate(said)], CAPTURE)
        (found,) = one_per_trial(frame, "samples").to_dicts()
        return found

    found = one(7, 9, 9, None, 7)
    assert (found["number"], found["confidence"]) == (7, pytest.approx(0.4))
    assert not found["skipped"]
    lost = one(None, None, None)
    assert lost["skipped"]
    assert lost["error"] == 100.0
    assert lost["confidence"] is None


def test_the_full_set_is_scored_in_two_seconds(tmp_path: Path) -> None:
    """1,150 configurations, all tasks, 10,000 bootstrap samples."""
    settings = CaptureSettings(size=96, prompt="as-if-no-box", help=("all-coordinates",))
    rows = rows_for(settings)
    assert len(rows) == 1150 * 6
    answers = as_answers(rows, CAPTURE)
    begun = time.process_time()
    scores_of(answers, settings, {})
    assert within(time.process_time() - begun, 2)
