"""A person's session is a run like a model's: planned, durable, resumed, scored alike."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import polars as pl
import pytest

from subitize.api import load, report
from subitize.benchmarks.catalog import get_benchmark
from subitize.errors import BadInput, RunLocked, WrongRun
from subitize.humans.grouping import group_people
from subitize.humans.taking_session import (
    BLOCK,
    TRIES,
    Display,
    Person,
    Session,
    checked_facts,
    flaws,
    open_session,
    practice_of,
)
from subitize.measures.units import mean_over_units
from subitize.models.simulated import estimate
from subitize.stimuli import render
from tests.scored import load_run, score_run

BENCHMARK = get_benchmark("naming")
SETTINGS = BENCHMARK.settings_from(
    {"per_cell": 2, "max": 6, "size": 64, "prompt": "things", "control": False}
)
TRIALS = 2 * 6 * 5
GOOD = {
    "shown": 200.0, "frame": 16.667, "frames": 12, "dropped": 0, "first_key": 640.0,
    "answered": 900.0, "corrections": 0, "side": 600, "width": 1280, "height": 900, "ratio": 1,
    "focus_lost": False,
}  # fmt: skip


def opened(out: Path, name: str = "anna") -> Any:
    return open_session(BENCHMARK, SETTINGS, Person(name, Display()), out)


def go_on(session: Session, many: int, w: float = 0.0, seed: int = 0) -> list[str]:
    """Answer so many trials; their ids."""
    rng = np.random.default_rng(seed)
    asked = []
    session.consent()
    for _ in range(many):
        trial = session.upcoming()["trial"]
        target = int(session._trials[trial].target or 0)
        said = estimate(target, {"w": w, "limit": 3, "lapse": 0.0}, rng)
        session.answer(trial, str(said), GOOD)
        asked.append(trial)
    return asked


def lines(session: Session) -> list[dict[str, Any]]:
    path = session.folder.path / "responses.jsonl"
    return [orjson.loads(line) for line in path.read_bytes().splitlines()]


def test_a_whole_session_scores_like_a_model(tmp_path: Path) -> None:
    with opened(tmp_path) as session:
        asked = go_on(session, TRIALS)
        assert session.complete
        assert session.upcoming() == {
            "saved": TRIALS, "total": TRIALS, "blocks": -(-TRIALS // BLOCK), "complete": True
        }  # fmt: skip
        folder = session.folder.path
    planned = [trial.id for trial in BENCHMARK.trials("ask", SETTINGS, {})]
    assert sorted(asked) == sorted(planned)
    assert asked != planned
    scores = score_run(folder)
    assert (scores["model"], scores["asked"]) == ("human/anna", TRIALS)
    assert scores["accuracy"]["value"] == 1
    assert scores["states"] == {"read": TRIALS}
    first = load_run(folder).answers.row(0, named=True)
    assert first["seconds"] == pytest.approx(0.64)


def test_every_answer_is_stored_before_the_next_begins(tmp_path: Path) -> None:
    with opened(tmp_path) as session:
        for done in range(1, 6):
            (trial,) = go_on(session, 1)
            stored = lines(session)
            assert len(stored) == done
            assert stored[-1]["trial"] == trial
            facts = orjson.loads(stored[-1]["facts"])
            assert facts == {
                **GOOD,
                "duration": 200,
                "mask": 300,
                "block": 1,
                "time": 1,
                "flaws": [],
            }
            assert len(stored[-1]["sha256"]) == 64


def test_a_session_goes_on_where_it_stopped(tmp_path: Path) -> None:
    with opened(tmp_path) as session:
        before = go_on(session, 7)
        coming = session.upcoming()
        with pytest.raises(RunLocked), opened(tmp_path):
            pass
    with opened(tmp_path) as session:
        assert session.consented
        assert session.upcoming() == coming
        after = go_on(session, TRIALS - 7)
        assert session.complete
        assert len(lines(session)) == TRIALS
        assert not set(before) & set(after)


def test_another_duration_is_another_run(tmp_path: Path) -> None:
    with opened(tmp_path) as one:
        pass
    with open_session(BENCHMARK, SETTINGS, Person("anna", Display(100)), tmp_path) as other:
        assert other.folder.path != one.folder.path


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"shown": 233.4}, "233 ms instead of 200"),
        ({"shown": 166.0}, "166 ms instead of 200"),
        ({"focus_lost": True}, "lost the focus"),
        ({"first_key": 90.0}, "90 ms after"),
    ],
)
def test_a_bad_trial_is_flagged_and_comes_again(
    tmp_path: Path, changes: dict[str, Any], word: str
) -> None:
    with opened(tmp_path) as session:
        session.consent()
        bad = session.upcoming()["trial"]
        session.answer(bad, "99", {**GOOD, **changes})
        assert session.saved == 0
        rest = go_on(session, BLOCK - 1)
        assert bad not in rest
        assert session.upcoming()["trial"] == bad  # at the end of its block
        assert session.upcoming()["block"] == 1
        assert go_on(session, 1) == [bad]
        assert session.upcoming()["block"] == 2
        stored = [line for line in lines(session) if line["trial"] == bad]
        assert [line["stop"] for line in stored] == ["failed", "stop"]
        assert word in stored[0]["note"]
        folder = session.folder.path
    counted = load_run(folder).counted.filter(pl.col("trial") == bad)
    assert counted["state"].to_list() == ["read"]
    assert counted["value"].to_list() != ["99"]


def test_one_frame_more_or_less_is_no_flaw() -> None:
    for shown in (183.3, 200.0, 216.7):
        assert flaws({**GOOD, "shown": shown}, 200.0) == []
    assert flaws({**GOOD, "shown": 250.0, "dropped": 3}, 200.0)


def test_what_never_shows_right_ends_after_some_tries(tmp_path: Path) -> None:
    with opened(tmp_path) as session:
        session.consent()
        seen = []
        while not session.complete:
            trial = session.upcoming()["trial"]
            seen.append(trial)
            session.answer(trial, "3", {**GOOD, "shown": 400.0})
        assert len(seen) == TRIES * TRIALS
        folder = session.folder.path
    assert score_run(folder)["states"] == {"failed": TRIALS}
    with opened(tmp_path) as session:
        assert not session.complete  # the next session asks them again


def test_an_answer_sent_twice_is_stored_once(tmp_path: Path) -> None:
    with opened(tmp_path) as session:
        (trial,) = go_on(session, 1)
        coming = session.upcoming()
        assert session.answer(trial, "5", GOOD) == coming
        assert session.answer(coming["ahead"][0], "5", GOOD) == coming  # not its turn
        assert len(lines(session)) == 1


def test_what_can_not_be_an_answer_is_refused(tmp_path: Path) -> None:
    with opened(tmp_path) as session:
        trial = session.upcoming()["trial"]
        with pytest.raises(BadInput, match="agreed"):
            session.answer(trial, "3", GOOD)
        session.consent()
        for value in ("", "three", "-1", "3.5", "12345", "3\n", "<script>"):
            with pytest.raises(BadInput, match="whole number"):
                session.answer(trial, value, GOOD)
        with pytest.raises(BadInput, match="no such trial"):
            session.answer("../../etc/passwd", "3", GOOD)
        assert session.picture("../../etc/passwd") is None
        wrong = (
            {"shown": "200"}, {"frame": float("nan")}, {"frame": 0}, {"shown": 1e9},
            {"frames": True},
        )  # fmt: skip
        for facts in (None, [], {}, *({**GOOD, **one} for one in wrong)):
            with pytest.raises(BadInput):
                session.answer(trial, "3", facts)
        assert session.saved == 0
    assert checked_facts({**GOOD, "name": "Anna", "email": "x"}) == GOOD
    for name in ("", "anna maria", "../x", "a" * 41, "é"):
        with pytest.raises(BadInput, match="--name"):
            Person(name, Display())
    with pytest.raises(BadInput, match="--duration"):
        Display(0)


def test_practice_shows_pictures_of_no_trial() -> None:
    practice = practice_of(BENCHMARK, SETTINGS)
    assert len(practice.pictures) == len(practice.answers) == 5
    assert all(1 <= right <= 6 for right in practice.answers)
    asked = {render(trial.stimulus).sha256 for trial in BENCHMARK.trials("ask", SETTINGS, {})}
    assert not asked & {picture.sha256 for picture in practice.pictures}


def sessions(out: Path, widths: list[float]) -> list[Path]:
    folders = []
    for place, w in enumerate(widths):
        with opened(out, f"p{place}") as session:
            go_on(session, TRIALS, w, place)
            folders.append(session.folder.path)
    return folders


@pytest.mark.budget(20)
def test_people_are_one_group_with_intervals_over_people(tmp_path: Path) -> None:
    folders = sessions(tmp_path, [0.1, 0.25, 0.5])
    alone = [score_run(folder) for folder in folders]
    group = group_people(folders, "lab", tmp_path / "groups")
    scores = score_run(group)
    assert scores["model"] == "human/lab"
    assert scores["trials"] == 3 * TRIALS
    people = scores["people"]
    assert people["number"] == 3
    for name in ("accuracy", "nae"):
        own = [one[name]["value"] for one in alone]
        assert [one[name] for one in people["each"].values()] == pytest.approx(own)
        expected = mean_over_units(own)
        assert expected is not None
        assert people[name]["value"] == pytest.approx(expected.value)
        # by hand: t(.975, 2) = 4.3027
        reach = 4.302653 * np.std(own, ddof=1) / np.sqrt(3)
        assert people[name]["high"] - people[name]["value"] == pytest.approx(
            min(reach, (1 if name == "accuracy" else 9) - people[name]["value"])
        )
        assert scores[name]["low"] <= people[name]["low"] + 1e-9
    assert group_people(folders, "lab", tmp_path / "groups") == group
    assert score_run(group) == scores
    page = report([load(one) for one in [*folders, group]], tmp_path / "report.html")
    text = page.read_text("utf-8")
    assert "People as a group" in text
    assert "human/lab" in text
    assert "human/p1" in text


def test_the_interval_over_people_holds_the_truth_as_often_as_it_says() -> None:
    """People differ: intervals over trials would hold the mean of all people far too seldom."""
    rng = np.random.default_rng(7)
    held = 0
    rounds = 2000
    for _ in range(rounds):
        found = mean_over_units(rng.normal(0.6, 0.1, size=8).tolist())
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 0.6 <= found.high
    assert abs(held / rounds - 0.95) < 3 * np.sqrt(0.95 * 0.05 / rounds)
    assert mean_over_units([]) is None
    alone = mean_over_units([0.5])
    assert alone is not None
    assert alone.low is None


def test_a_model_alone_is_no_group(tmp_path: Path) -> None:
    (folder,) = sessions(tmp_path, [0.2])
    assert "people" not in score_run(folder)
    with pytest.raises(BadInput, match="twice"):
        group_people([folder, folder], "lab", tmp_path / "groups")
    with open_session(BENCHMARK, SETTINGS, Person("other", Display(100)), tmp_path) as other:
        pass
    with pytest.raises(WrongRun, match="different times"):
        group_people([folder, other.folder.path], "lab", tmp_path / "groups")


def test_the_command_keeps_stdout_for_its_json(tmp_path: Path) -> None:
    """The address of the pages came first there."""
    command = [sys.executable, "-m", "subitize", "take", "naming", "--name", "p", "--json"]
    with subprocess.Popen(
        command, cwd=tmp_path, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:  # fmt: skip
        try:
            assert running.stderr is not None
            assert running.stderr.readline().startswith("http://")
            assert "Open this address" in running.stderr.readline()
            running.send_signal(signal.SIGINT)
            assert running.communicate(timeout=900)[0] == ""
        finally:
            running.kill()
