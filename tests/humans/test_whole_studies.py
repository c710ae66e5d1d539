"""A run of people is whole when as many as it wants answered what their own study planned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from subitize.api import load, report
from subitize.errors import WrongRun
from subitize.humans.answers import read_answers
from subitize.humans.grouping import group_people
from subitize.humans.run_folder import make_run
from subitize.humans.serving import opened, study_folder
from subitize.humans.simulated import Manner
from subitize.humans.simulating import simulate
from subitize.humans.study import Study
from subitize.reports.respondents import respondents_from
from subitize.runs.how_far import how_far
from tests.humans.test_taking_session import TRIALS, sessions
from tests.humans.test_taking_session import opened as taking
from tests.reports.embedded import rows_of
from tests.scored import load_run

EXACT = Manner(0, 0, 0, 0, 0, 0)


def study_of(kind: str, painted: Path, **more: Any) -> Study:
    given: dict[str, Any] = {
        "capture": {"sample": 6, "settings": {"items": 20}},
        "naming": {"settings": {"per_cell": 1, "max": 3, "size": 64, "categories": ["dots"]}},
        "geckonum-task1": {"run": str(painted)},
    }[kind]
    return Study(kind, "lab", training=False, annotators=2, pilot=2, **given, **more)


@pytest.mark.parametrize("kind", ["capture", "naming", "geckonum-task1"])
def test_it_is_whole_when_each_item_that_was_kept_has_its_people(
    kind: str, painted: Path, tmp_path: Path
) -> None:
    folder = study_folder(tmp_path, study_of(kind, painted), "")
    for people in (1, 2):
        with opened(folder) as here:
            main = [one for one in here.desk.items.values() if one.role == "main"]
            here.desk.store.write(here.desk.screen(main[0].id, "drop", "odd", False)).result()
            kept = [one for one in main if one.id not in here.desk.showing(main[0].id)]
            wanted = sum(len(one.questions) for one in kept)
            simulate(here, 1, EXACT, lambda seen: "3")
        run = load_run(make_run(read_answers(folder), tmp_path / f"of {people}"))
        assert how_far(run) == (wanted, wanted if people == 2 else 0, 0)
        (one,) = respondents_from([run])
        assert one.unranked == ("" if people == 2 else f"partial: 0 of {wanted} trials")


def test_a_study_whose_people_ran_out_stays_partial(painted: Path, tmp_path: Path) -> None:
    folder = study_folder(tmp_path, study_of("naming", painted, per_person=1), "")
    with opened(folder) as here:
        items = sum(one.role == "main" for one in here.desk.items.values())
        simulate(here, items + 1, EXACT)
    far = how_far(load_run(make_run(read_answers(folder), tmp_path / "runs")))
    assert far == (items, 1, 0)  # the items that the fewest have first: one has its two people


def test_people_of_a_whole_study_have_a_rank(painted: Path, tmp_path: Path) -> None:
    folder = study_folder(tmp_path, study_of("capture", painted), "")
    with opened(folder) as here:
        simulate(here, 2, EXACT, lambda seen: "9")
    made = make_run(read_answers(folder), tmp_path / "runs")
    page = report([load(made)], tmp_path / "report.html")
    own = [row for row in rows_of(page, "capture-synthetic-leaderboard.csv")
           if row["model"] == "human/lab"]  # fmt: skip
    assert [row["rank"] for row in own] == ["1"]


def test_a_group_is_whole_when_everybody_in_it_has_ended(tmp_path: Path) -> None:
    folders = sessions(tmp_path, [0.1, 0.3])
    whole = group_people(folders, "both", tmp_path / "groups")
    assert how_far(load_run(whole)) == (TRIALS, TRIALS, 0)
    with taking(tmp_path, "late") as session:
        session.consent()
        begun = session.folder.path
    far = how_far(load_run(group_people([*folders, begun], "three", tmp_path / "groups")))
    assert (far.wanted, far.answered) == (TRIALS, 0)


def test_a_study_in_run_json_that_can_not_be_one_is_told(painted: Path, tmp_path: Path) -> None:
    folder = study_folder(tmp_path, study_of("naming", painted), "")
    with opened(folder) as here:
        simulate(here, 1, EXACT)
    made = make_run(read_answers(folder), tmp_path / "runs")
    info = orjson.loads((made / "run.json").read_bytes())
    for study in ("all", {"trials": "3", "annotators": 2}, {"trials": 3}):
        (made / "run.json").write_bytes(orjson.dumps({**info, "study": study}))
        with pytest.raises(WrongRun, match="study"):
            load_run(made)
