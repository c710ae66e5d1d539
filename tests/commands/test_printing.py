"""What the terminal says of a run's scores."""

from __future__ import annotations

import re
from pathlib import Path

import subitize
from subitize.commands.printing import scores_text
from subitize.reports.cells import OUTSIDE


def test_verdicts_and_reasons_stand_in_the_text(tmp_path: Path) -> None:
    settings = {"prompt": "things", "control": False, "size": 64}
    run = subitize.run("naming", "sim/observer", out=tmp_path, per_cell=5, **settings)
    said = scores_text(run.stored.scores)
    null = run.stored.scores["category_null"]
    assert f"{null['verdict']} (alike ones have {null['null_mean']:.4f}" in said
    assert "as a rounded observer (expected" in said
    assert "knower level             4 (posterior" in said
    assert "0.000," not in said.split("scalar variability")[1].splitlines()[0]


def test_one_reason_for_many_scores_is_said_once(tmp_path: Path) -> None:
    settings = {"prompt": "things", "control": False, "size": 64, "max": 6}
    run = subitize.run("naming", "sim/perfect", out=tmp_path, per_cell=2, **settings)
    said = scores_text(run.stored.scores)
    assert said.count("nothing tells how far off another answer would be") == 1
    assert "nae.interval, mae.interval, rmse.interval, mape.interval" in said
    undefined = run.stored.scores["undefined"]
    assert run.stored.scores["nae"] == {"value": 0.0, "low": None, "high": None, "trials": 60,
                                        "states": {"read": 60}}  # fmt: skip
    assert {f"categories.{name}.nae.interval" for name in run.stored.scores["categories"]} <= set(
        undefined
    )


def test_a_likeness_outside_its_interval_is_explained() -> None:
    scores = {
        "benchmark": "naming",
        "model": "x",
        "human_correlation": {"value": 0.9512, "low": 0.9544, "high": 1.0},
    }
    said = scores_text(scores)
    assert "0.9512 [0.9544, 1.0000] †" in said
    assert said.splitlines()[-1] == f"  † {OUTSIDE}"
    scores["human_correlation"]["low"] = 0.9512  # type: ignore[index]
    assert "†" not in scores_text(scores)


def test_thousands_have_commas_wherever_they_stand() -> None:
    scores = {
        "benchmark": "naming", "model": "m", "trials": 5000, "states": {"read": 5000},
        "control_question": {"right": 999, "asked": 1000, "understood": True},
    }  # fmt: skip
    said = scores_text(scores)
    assert re.findall(r"\d[\d,]{3,}", said) == ["5,000", "5,000", "1,000"]
    source = Path(subitize.__file__).parent
    spaces = re.compile(r"\\u2009|\\u202f|THIN SPACE|[\u2009\u202f]")
    texts = [one for kind in ("py", "js", "html") for one in source.rglob(f"*.{kind}")]
    spaced = [one for one in texts if spaces.search(one.read_text())]
    assert {one.parent.name for one in spaced} == {"numerals"}, "they are read there, not written"
