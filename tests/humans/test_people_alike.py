"""People who do not differ: no interval of no width, but why there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from subitize.api import load, report, run
from subitize.benchmarks.numerosity_people import ALONE, NOBODY, OF_A_PERSON, UNLIKE_NOBODY
from subitize.humans.answers import read_answers
from subitize.humans.grouping import group_people
from subitize.humans.run_folder import make_run
from subitize.humans.serving import opened, study_folder
from subitize.humans.simulated import Manner
from subitize.humans.simulating import simulate
from subitize.humans.study import Study
from subitize.measures.units import mean_over_units
from tests.humans.test_taking_session import GOOD
from tests.humans.test_taking_session import opened as taking
from tests.reports.embedded import rows_of
from tests.scored import score_run

Says = Callable[[int], int]


def group(out: Path, *people: Says) -> Path:
    folders = []
    for place, says in enumerate(people):
        with taking(out, f"p{place}") as session:
            session.consent()
            while trial := session.upcoming().get("trial"):
                target = int(session._trials[trial].target or 0)
                session.answer(trial, str(says(target)), GOOD)
            folders.append(session.folder.path)
    return group_people(folders, "lab", out / "groups")


def intervals(found: Any, at: str = "") -> Iterator[tuple[str, float, float]]:
    if isinstance(found, dict):
        if found.get("low") is not None and found.get("high") is not None:
            yield at, found["low"], found["high"]
        for name, one in found.items():
            yield from intervals(one, f"{at}.{name}")


@pytest.mark.parametrize("says", [lambda n: 3, lambda n: n], ids=["always 3", "always right"])
def test_a_group_of_people_who_say_the_same_has_no_interval_over_people(
    says: Says, tmp_path: Path
) -> None:
    made = group(tmp_path, says, says)
    scores = score_run(made)
    for name in OF_A_PERSON:
        over, why = scores["people"][name], scores["undefined"]
        if over is None:
            assert why[f"people.{name}"] == NOBODY
            assert all(why[f"people.each.{one}.{name}"] for one in scores["people"]["each"])
        else:
            assert (over["low"], over["high"]) == (None, None)
            assert why[f"people.{name}.interval"] == UNLIKE_NOBODY
    # Nobody can know so well what the next person, or trial, would give.
    held = {at: (low, high) for at, low, high in intervals(scores)}
    assert held
    assert {at: ends for at, ends in held.items() if ends[0] == ends[1]} == {}
    page = report([load(made)], tmp_path / "report.html")
    (row,) = rows_of(page, "naming-groups.csv")
    assert row["accuracy_low"] == row["accuracy_high"] == ""
    assert UNLIKE_NOBODY in page.read_text("utf-8")


def test_a_score_that_one_person_has_says_so(tmp_path: Path) -> None:
    scores = score_run(group(tmp_path, lambda n: n, lambda n: 3))
    known = [one["weber_fraction"] for one in scores["people"]["each"].values()]
    assert sum(one is not None for one in known) == 1
    assert scores["people"]["weber_fraction"]["low"] is None
    assert scores["undefined"]["people.weber_fraction.interval"] == ALONE
    assert scores["people"]["accuracy"]["low"] < scores["people"]["accuracy"]["high"]
    assert "people.accuracy.interval" not in scores["undefined"]


def test_values_that_differ_by_rounding_alone_do_not_differ() -> None:
    found = mean_over_units([0.1 + 0.2, 0.3], (0.0, 1.0))
    assert found is not None
    assert (found.low, found.high) == (None, None)


def test_beside_people_who_are_always_right_an_error_stays_possible(tmp_path: Path) -> None:
    study = Study("capture", "lab", sample=6, annotators=2, training=False, settings={"items": 20})
    folder = study_folder(tmp_path, study, "")
    with opened(folder) as here:
        right = {(one.picture().content, q.words): str(int(q.trial.target))
                 for one in here.desk.items.values() for q in one.questions if q.trial}  # fmt: skip
        simulate(here, 2, Manner(0, 0, 0, 0, 0, 0), lambda seen: right[seen.picture, seen.words])
    people = load(make_run(read_answers(folder), tmp_path / "runs"))
    model = run("capture", "sim/perfect", out=str(tmp_path), items=20, prompt="as-if-no-box",
                tasks=("total",), variants=("occluded",))  # fmt: skip
    page = report([people, model], tmp_path / "report.html")
    rows = {row["model"]: row for row in rows_of(page, "capture-synthetic-people.csv")}
    for name in ("human/lab", "sim/perfect"):
        low, high = (float(rows[name][f"smape_{end}"]) for end in ("low", "high"))
        assert low == float(rows[name]["smape"]) == 0 < high < 100
