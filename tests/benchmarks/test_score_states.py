"""A score says how all answers that it could have been made of ended, not only how many counted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

import subitize

SMALL: dict[str, tuple[str, str, dict[str, Any]]] = {
    "naming": ("sim/chatty", "nae", {"per_cell": 2, "max": 3, "control": False}),
    "production": ("painter/shapes", "accuracy", {"per_cell": 1, "max": 3}),
    "geckonum": ("painter/shapes", "accuracy", {"types": ("numeric_simple",)}),
    "probe": ("sim/chatty", "accuracy", {"task": "vqa", "items": 30}),
}


ELSEWHERE = {"price_of_occlusion", "hidden_minus_total", "pattern_price", "change", "readings"}
"""differences of two sets of answers, which no one set tells of; and what helpers' answers make of
GeckoNum's pictures: their states stand once beside them, by task"""


def scores_in(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every number with an interval, and where it stands."""
    if isinstance(value, list):
        value = dict(enumerate(value))
    if isinstance(value, dict):
        if {"value", "low", "high"} <= value.keys():
            yield path, value
        for key, inner in value.items():
            yield from scores_in(inner, (*path, str(key)))


def lacking(folder: Path) -> list[str]:
    """Scores of scores.json that do not tell how their answers ended."""
    found = list(scores_in(orjson.loads((folder / "scores.json").read_bytes())))
    assert found
    return [
        ".".join(path)
        for path, one in found
        if not ELSEWHERE & set(path) and not sum(one.get("states", {}).values())
    ]


@pytest.mark.parametrize("benchmark", SMALL)
def test_a_score_counts_the_states_of_its_answers(benchmark: str, tmp_path: Path) -> None:
    model, name, settings = SMALL[benchmark]
    run = subitize.run(benchmark, model, out=tmp_path, limit=60, **settings)
    score = run.scores[name]
    assert score.states == run.scores["states"]
    assert sum(score.states.values()) >= score.trials
    assert score.states["read"] == score.trials
    assert not lacking(run.folder)


@pytest.mark.parametrize("task", ["counting", "mlm"])
def test_a_number_of_the_probe_has_the_states_of_its_own_items(task: str, tmp_path: Path) -> None:
    run = subitize.run("probe", "sim/chatty", out=tmp_path, task=task, items=20)
    assert not lacking(run.folder)
    for n, own in run.scores["numbers"].items():
        for score in filter(None, own.values()):
            own_items = run.answers.filter("counts", n=int(n)).height
            assert sum(score["states"].values()) == own_items


def test_a_score_of_a_part_has_the_states_of_that_part(tmp_path: Path) -> None:
    run = subitize.run("capture", "sim/chatty", out=tmp_path, items=20, validation=5)
    assert not lacking(run.folder)
    found = {variant: score for variant, score in run.scores["smape"].items() if score}
    assert found
    for variant, score in found.items():
        own = run.answers.filter("counts", variant=variant, task="total", help="")
        asked = own.filter(own["stage"] != "prompts")
        assert sum(score["states"].values()) == asked.height == 20
    naming = subitize.run("naming", "sim/chatty", out=tmp_path, per_cell=2, max=3, control=False)
    for own in naming.scores["categories"].values():
        assert own["accuracy"]["states"] == own["states"]
