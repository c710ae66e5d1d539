"""A score says how all answers that it could have been made of ended, not only how many counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import subitize

SMALL: dict[str, tuple[str, str, dict[str, Any]]] = {
    "naming": ("sim/chatty", "nae", {"per_cell": 2, "max": 3, "control": False}),
    "production": ("painter/shapes", "accuracy", {"per_cell": 1, "max": 3}),
    "geckonum": ("painter/shapes", "accuracy", {"types": ("numeric_simple",)}),
    "probe": ("sim/chatty", "accuracy", {"task": "vqa", "items": 30}),
}


@pytest.mark.parametrize("benchmark", SMALL)
def test_a_score_counts_the_states_of_its_answers(benchmark: str, tmp_path: Path) -> None:
    model, name, settings = SMALL[benchmark]
    run = subitize.run(benchmark, model, out=tmp_path, limit=60, **settings)
    score = run.scores[name]
    assert score.states == run.scores["states"]
    assert sum(score.states.values()) >= score.trials
    assert score.states["read"] == score.trials


def test_a_score_of_a_part_has_the_states_of_that_part(tmp_path: Path) -> None:
    run = subitize.run("capture", "sim/chatty", out=tmp_path, items=20, validation=5)
    found = {variant: score for variant, score in run.scores["smape"].items() if score}
    assert found
    for variant, score in found.items():
        own = run.answers.filter("counts", variant=variant, task="total", help="")
        asked = own.filter(own["stage"] != "prompts")
        assert sum(score["states"].values()) == asked.height == 20
    naming = subitize.run("naming", "sim/chatty", out=tmp_path, per_cell=2, max=3, control=False)
    for own in naming.scores["categories"].values():
        assert own["accuracy"]["states"] == own["states"]
