"""What the pages say is so: what is kept of a person, what can be exported, what was replied."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from subitize.api import run
from subitize.errors import BadInput
from subitize.humans.kinds.catalog import material_of
from subitize.humans.simulating import simulate
from subitize.humans.study import Panel, Study, study_from
from tests.humans.conftest import Serve
from tests.humans.served import Visitor
from tests.humans.taking import Taker, taker

COMPLETE = "https://panel.example/done"


def test_who_comes_from_a_panel_is_told_that_its_id_is_kept(painted: Path, serve: Serve) -> None:
    panel = Panel(complete=COMPLETE)
    base, _ = serve(Study("geckonum-task1", run=str(painted), entry="panel", panel=panel))
    got = Visitor(base).get("/enter?PROLIFIC_PID=person-77")
    assert "nothing that identifies you" not in got.text
    assert "is kept apart from your answers" in got.text
    one = Taker(base, got.url)
    one.send("/consent", agree="no")
    assert "this choice and the id by which the panel knows you" in one.get(one.path).text
    base, here = serve(Study("geckonum-task1", "links", run=str(painted)))
    one = taker(base, here)
    assert "nothing that identifies you" in one.get(one.path).text
    one.send("/consent", agree="no")
    assert "Nothing was stored but this choice." in one.get(one.path).text


@pytest.mark.parametrize(
    ("kind", "own"), [("naming", "run|"), ("geckonum-task1", "geckonum|run|"), ("count", "counts|")]
)
def test_the_desk_names_the_forms_that_its_study_has(
    kind: str, own: str, painted: Path, serve: Serve
) -> None:
    where = {"naming": {"sample": 2}, "geckonum-task1": {"run": str(painted)},
             "count": {"pictures": str(painted / "images")}}  # fmt: skip
    base, here = serve(Study(kind, annotators=1, **where[kind]))  # type: ignore[arg-type]
    text = Visitor(base).get(f"/desk?token={here.site.token}").text
    assert f"--to {own}parquet|csv|jspsych|bids<" in text
    assert ", 1 person each" in text


def test_a_reason_is_given_to_drop_and_what_is_dropped_is_no_longer_wanted(
    painted: Path, serve: Serve
) -> None:
    base, here = serve(Study("geckonum-task1", run=str(painted), annotators=1, screening=True))
    desk = Visitor(base)
    desk.get(f"/desk?token={here.site.token}")
    first = re.findall(r'id="(\w+)" class="framed">.*?<button[^>]*value="(\w+)"',
                       desk.get("/desk/screen").text, re.DOTALL)  # fmt: skip
    assert {pressed for _, pressed in first} == {"drop"}  # what Enter in the reason does
    desk.post("/desk/screen", {"item": first[0][0], "verdict": "drop", "reason": "dark"})
    text = desk.get("/desk").text
    assert "0 of 14 wanted answers" in text
    assert '<td>0 of 1</td><td class="number">14</td>' in text


def test_who_lets_people_be_simulated_is_told_that_the_study_is_not_open(serve: Serve) -> None:
    _, here = serve(Study("naming", sample=2, screening=True))
    with pytest.raises(BadInput, match="not open"):
        simulate(here, 1)
    assert here.desk.people == {}


def test_the_end_of_a_long_reply_is_shown_to_who_checks_the_reader(tmp_path: Path) -> None:
    def rambling(picture: bytes, question: str) -> str:
        return "Let me look again. " * 4_000 + "So: three."

    made = run("naming", rambling, out=str(tmp_path), per_cell=1, max=2, size=64, control=False,
               prompt="things", categories=("dots",))  # fmt: skip
    items = material_of(Study("reader-check", run=str(made.folder))).items
    quotes = [one.questions[0].quote for one in items if one.role == "main"]
    assert quotes
    assert all(quote.startswith("Let me") and quote.endswith("So: three.") for quote in quotes)
    assert all(len(quote) < 50_000 for quote in quotes)


@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf"])
@pytest.mark.parametrize("name", ["max_age_hours", "idle_minutes"])
def test_a_study_that_would_close_every_second_page_is_refused(name: str, value: str) -> None:
    with pytest.raises(BadInput, match=f"{name} is .* above 0"):
        study_from({"kind": "naming", "returning": {name: value}}, "the command")
