"""Tables on the responder behind the answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

import subitize
from subitize.benchmarks.numerosity_models import BIASED
from subitize.benchmarks.responder_tables import responder_section
from subitize.reports.cells import open_ended
from subitize.reports.page import Table
from subitize.reports.respondents import respondents_from
from tests.scored import load_run


def test_care_has_a_column_where_there_is_something_to_say(tmp_path: Path) -> None:
    done = subitize.run("naming", "sim/observer?w=0.15", out=tmp_path, per_cell=2, size=64)
    path = done.folder / "scores.json"
    scores = orjson.loads(path.read_bytes())
    for note in (None, BIASED):
        path.write_bytes(orjson.dumps({**scores, "weber_fraction_note": note}))
        respondents = respondents_from([load_run(done.folder)])
        table = responder_section("naming", respondents).blocks[0]
        assert isinstance(table, Table)
        labels = [column.label for column in table.columns]
        assert labels[-2:] == (["p (fit)", "With care"] if note else ["p (no bias)", "p (fit)"])
        assert all(len(row) == len(labels) for row in table.rows)
    assert "observer_with_bias" not in BIASED


def test_an_interval_that_reaches_the_end_of_the_search_says_so() -> None:
    score, ends = {"value": 2.5, "low": 2.0, "high": 3.0}, (0.005, 3.0)
    found, reached = open_ended(score, ".1f", ends)
    assert (found.interval, found.high, reached) == ("[2.0, ≥ 3.0]", 3.0, True)
    found, reached = open_ended({"value": 0.1, "low": 0.005, "high": 0.2}, ".3f", ends)
    assert (found.interval, reached) == ("[≤ 0.005, 0.200]", True)
    found, reached = open_ended({"value": 0.1, "low": 0.05, "high": 0.2}, ".2f", ends)
    assert (found.interval, reached) == ("[0.05, 0.20]", False)
    assert open_ended({"value": 0.1}, ".1f", ends)[1] is False


def four(picture: bytes, question: str) -> str:
    return "4"


@pytest.mark.parametrize(("model", "stands_out"), [("sim/perfect", False), (four, True)])
def test_an_anchor_is_named_where_one_stands_out(
    tmp_path: Path, model: Any, stands_out: bool
) -> None:
    """All answers of a perfect responder are as common as they are right: 1 is not its anchor."""
    small: dict[str, Any] = {"per_cell": 2, "max": 4, "size": 64, "categories": ("dots",)}
    done = subitize.run("naming", model, out=tmp_path / "runs", **small)
    page = subitize.report([done.folder], tmp_path / "report.html").read_text()
    assert ("none stands out" in page) is not stands_out
