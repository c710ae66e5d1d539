"""People are respondents like models: several in one journal, each with an answer that counts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import orjson
import polars as pl
import pytest

from subitize.api import load, report, run
from subitize.benchmarks.catalog import get_benchmark
from subitize.models.simulated import estimate
from subitize.readers.votes import vote
from subitize.records import Response
from subitize.runs.folder import RunFolder
from subitize.runs.journal import Journal
from subitize.runs.plan import Plan
from tests.reports.embedded import files_of
from tests.scored import load_run, score_run

SETTINGS = {
    "per_cell": 2, "max": 6, "size": 64, "prompt": "things", "categories": ("dots", "apples"),
    "control": False,
}  # fmt: skip
TRIALS = 2 * 6 * 2


def answers_of(person: str, w: float, seed: int) -> list[Response]:
    """A simulated person's answers to every trial, each with what the display did."""
    benchmark = get_benchmark("naming")
    settings = benchmark.settings_from(SETTINGS)
    rng = np.random.default_rng(seed)
    found = []
    for trial in benchmark.trials("ask", settings, {}):
        said = estimate(int(trial.target or 0), {"w": w, "limit": 4, "lapse": 0.0}, rng)
        facts = orjson.dumps({"frames": 12, "shown": 0.2}).decode()
        found.append(
            Response(trial.id, person, "screen", 0, 0, "text", str(said), "stop", facts=facts)
        )
    return found


def add(folder: Path, responses: list[Response]) -> None:
    journal = Journal(folder)
    for response in responses:
        journal.write(response)
    journal.close()


def listed(*names: str) -> list[dict[str, str]]:
    return [{"name": name, "settings_hash": "screen"} for name in names]


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A run folder of two people, as a study leaves it."""
    benchmark = get_benchmark("naming")
    settings = benchmark.settings_from(SETTINGS)
    parts = {
        "benchmark": "naming", "version": benchmark.VERSION, "kind": "namer",
        "settings": SETTINGS | {"categories": ["dots", "apples"]},
        "model": {"name": "human/group", "settings": {}, "revision": None},
    }  # fmt: skip
    made = RunFolder.open(tmp_path, parts, {"respondents": listed("human/a", "human/b")})
    plan = Plan(made.path, benchmark.CONDITION)
    for _ in plan.chunks(benchmark.trials("ask", settings, {})):
        pass
    plan.close()
    add(made.path, answers_of("human/a", 0.0, 1) + answers_of("human/b", 0.3, 2))
    return made.path


def test_several_people_do_not_collapse_into_one(session: Path) -> None:
    scores = score_run(session)
    assert scores["trials"] == 2 * TRIALS
    assert scores["asked"] == TRIALS
    counted = load_run(session).counted
    assert counted.group_by("respondent").len().sort("respondent").rows() == [
        ("human/a", TRIALS), ("human/b", TRIALS),
    ]  # fmt: skip
    assert counted.select("trial", "respondent", "sample").is_unique().all()
    exact = counted.filter(pl.col("respondent") == "human/a")
    assert (exact["number"] == exact["target"]).all()


def test_a_person_who_comes_later_joins_and_a_stranger_does_not(session: Path) -> None:
    before = score_run(session)
    add(session, answers_of("human/c", 0.1, 3) + answers_of("human/stranger", 0.5, 4))
    assert score_run(session)["accuracy"] == before["accuracy"]
    RunFolder.at(session).update(respondents=listed("human/a", "human/b", "human/c"))
    after = score_run(session)
    assert after["trials"] == 3 * TRIALS
    answers = load_run(session).answers
    assert answers.height == 4 * TRIALS
    by_person = answers.group_by("respondent").agg(pl.col("counts").sum()).sort("respondent")
    assert by_person["counts"].to_list() == [TRIALS, TRIALS, TRIALS, 0]


def test_a_person_who_stopped_goes_on_where_it_was(session: Path) -> None:
    """The journal was torn in the middle of an answer: that one and the rest are asked again."""
    every = answers_of("human/b", 0.3, 2)
    whole = score_run(session)
    path = session / "responses.jsonl"
    kept = path.read_bytes().splitlines(keepends=True)[: TRIALS + 7]
    path.write_bytes(b"".join(kept) + b'{"trial":"' + every[7].trial.encode()[:3])
    assert score_run(session)["trials"] == TRIALS + 7
    journal = Journal(session)
    missing = [one for one in every if not journal.holds(one.key)]
    journal.close()
    assert missing == every[7:]
    add(session, missing)
    assert score_run(session) == whole


def test_what_the_display_did_is_kept(session: Path) -> None:
    lines = [orjson.loads(line) for line in (session / "responses.jsonl").read_bytes().splitlines()]
    assert all(orjson.loads(line["facts"]) == {"frames": 12, "shown": 0.2} for line in lines)


def test_their_votes_are_taken_by_a_named_rule(session: Path) -> None:
    add(session, answers_of("human/c", 0.0, 5))
    RunFolder.at(session).update(respondents=listed("human/a", "human/b", "human/c"))
    counted = load_run(session).counted
    trials = counted["trial"].rank("dense").to_numpy().astype(np.int64) - 1
    said, agreeing, answers = vote(trials, counted["number"].to_numpy(), "first-met mode")
    targets = counted.group_by("trial").agg(pl.col("target").first()).sort("trial")
    # Two of the three are exact: whatever the third says, the mode is right.
    assert said.tolist() == targets["target"].to_list()
    assert answers.tolist() == [3] * TRIALS
    assert set(agreeing.tolist()) <= {2, 3}


def test_people_are_reported_like_a_model_and_each_beside_their_vote(
    session: Path, tmp_path: Path
) -> None:
    add(session, answers_of("human/c", 0.0, 5))
    RunFolder.at(session).update(respondents=listed("human/a", "human/b", "human/c"))
    out = report([load(session)], tmp_path / "report.html")
    page = out.read_text("utf-8")
    assert "human/group" in page
    assert "their vote" in page
    table = pl.read_csv(files_of(out)["naming-people.csv"])
    assert table["respondent"].to_list() == ["human/a", "human/b", "human/c", "their vote"]
    rows = {row["respondent"]: row for row in table.to_dicts()}
    # Two of three are exact, so the vote is, and they agree with it.
    assert (
        rows["human/a"]["right"] == rows["human/a"]["agreeing"] == rows["their vote"]["right"] == 1
    )
    assert rows["human/b"]["right"] == rows["human/b"]["agreeing"] < 1
    assert rows["human/b"]["answers"] == rows["their vote"]["answers"] == TRIALS


def test_a_model_alone_has_no_table_of_people(tmp_path: Path) -> None:
    made = run("naming", "sim/observer", out=tmp_path, per_cell=1, max=3, control=False)
    assert "their vote" not in report([made], tmp_path / "report.html").read_text("utf-8")


def test_an_interval_over_people_stays_a_share(session: Path) -> None:
    """One answered everything rightly, another little and badly: who answers much weighs more."""
    path = session / "responses.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    wrong = [line.replace(b'"value":"1"', b'"value":"9"') for line in lines[TRIALS : TRIALS + 2]]
    path.write_bytes(b"".join([*lines[:TRIALS], *wrong]))
    scores = score_run(session)
    assert scores["accuracy"]["value"] > scores["people"]["accuracy"]["value"]
    assert 0 <= scores["accuracy"]["low"] < scores["accuracy"]["value"]
    assert scores["accuracy"]["high"] <= 1
    assert scores["nae"]["low"] >= 0
