"""What happens to one who takes part: undo, coming back, checks, the pilot, panels, screening."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest

from subitize.humans.answers import read_answers
from subitize.humans.serving import opened, study_folder
from subitize.humans.study import Consent, Panel, Return, Study
from subitize.humans.web import in_thread
from tests.humans.conftest import Serve
from tests.humans.served import Visitor
from tests.humans.taking import Taker, taker


def apples(painted: Path, **more: Any) -> Study:
    return Study("geckonum-task1", "apples", run=str(painted), **{"training": False, **more})


def folder_of(serve_folder: Path) -> Path:
    return serve_folder / "studies" / "apples"


def test_a_person_agrees_reads_practises_answers_and_is_thanked(
    painted: Path, serve: Serve, tmp_path: Path
) -> None:
    study = apples(painted, training=True, per_person=2, consent=Consent("Do you?\n\nSay.", "7b"))
    base, here = serve(study)
    one = taker(base, here)
    assert "<p>Do you?</p>" in one.get(one.path).text
    page = one.begin()
    assert page.typed
    for value in ("2", "3-4"):
        one.send("/answer", value=value, seconds="0.5")
    assert "All your answers are saved" in one.get(one.path).text
    rows = read_answers(folder_of(tmp_path)).rows
    assert [row.value for row in rows if row.role == "main"] == ["2", "3-4"]
    assert {row.person.consent for row in rows} == {"7b"}
    assert sum(row.role == "training" for row in rows) == 3


def test_who_does_not_agree_gets_no_question(painted: Path, serve: Serve) -> None:
    base, here = serve(apples(painted))
    one = taker(base, here)
    one.send("/consent", agree="no")
    page = one.look()
    assert not page.forms
    assert one.post(f"{one.path}/begin", {}).status == 200
    assert "chose not to take part" in one.get(one.path).text
    assert not here.desk.people["p001"].given


def test_an_answer_that_cannot_be_read_is_asked_again(painted: Path, serve: Serve) -> None:
    base, here = serve(apples(painted))
    one = taker(base, here)
    one.begin()
    for bad in ("", "?", "lots", "x" * 300, "3\0", "3\x1b[2J"):
        assert one.send("/answer", value=bad).status == 422
    assert one.send("/answer", value="o").status == 200  # a zero, as people type it
    assert [len(given.answers) for given in here.desk.people["p001"].given][:1] == [1]


def test_undo_takes_back_the_last_answer_and_keeps_it(
    painted: Path, serve: Serve, tmp_path: Path
) -> None:
    base, here = serve(apples(painted, per_person=2))
    one = taker(base, here)
    first = one.begin().form("/answer")
    assert first is not None
    one.send("/answer", value="5")
    one.send("/undo")
    again = one.look().form("/answer")
    assert again is not None
    assert again[1]["given"] == first[1]["given"]
    one.send("/answer", value="6")
    one.send("/answer", value="7")
    one.send("/undo")  # also from the last page
    one.send("/answer", value="8")
    answers = read_answers(folder_of(tmp_path))
    assert [row.value for row in answers.holding] == ["6", "8"]
    assert [(row.value, row.void) for row in answers.rows if row.void] == [
        ("5", "undone"), ("7", "undone"),
    ]  # fmt: skip


def test_an_answer_sent_twice_is_one_answer(painted: Path, serve: Serve) -> None:
    base, here = serve(apples(painted))
    one = taker(base, here)
    found = one.begin().form("/answer")
    assert found is not None
    for _ in range(2):
        assert one.post(found[0], {**found[1], "value": "4"}).status == 200
    person = here.desk.people["p001"]
    assert [len(given.answers) for given in person.given] == [1, 0, 0][: len(person.given)]


def test_a_restart_of_the_server_forgets_nothing(painted: Path, tmp_path: Path) -> None:
    from subitize.humans.serving import opened, study_folder
    from subitize.humans.web import in_thread

    folder = study_folder(tmp_path, apples(painted), "")
    with opened(folder) as here, in_thread(here.app) as base:
        one = taker(base, here)
        one.begin()
        one.send("/answer", value="3")
        page = one.look()
        one.send("/undo")
        one.send("/answer", value="2")
        before = page.form("/answer")
    with opened(folder) as here, in_thread(here.app) as base:
        back = Taker(base, f"{base}{one.path}")
        back.jar = one.jar
        after = back.look().form("/answer")
        assert before is not None
        assert after is not None
        assert after[1]["given"] == before[1]["given"]
        assert here.desk.people["p001"].given[0].answers[0].value == "2"
        item = here.desk.people["p001"].given[0].item.id
        assert here.desk.pools["main"][0].taken[item] == 1


@pytest.mark.parametrize("rule", ["resume", "restart", "block"])
def test_coming_back_on_another_device(
    rule: str, painted: Path, serve: Serve, tmp_path: Path
) -> None:
    base, here = serve(apples(painted, returning=Return(rule)))
    one = taker(base, here)
    one.begin()
    one.send("/answer", value="3")
    assert one.look().form("/answer")  # a reload is no return
    other = Taker(base, base + one.path)
    got = other.get(other.path)
    if rule == "block":
        assert got.status == 403
        assert one.get(one.path).status == 200
        return
    assert got.status == 200
    page = other.look()
    assert bool(page.form("/consent")) == (rule == "restart")
    answers = read_answers(folder_of(tmp_path))
    assert [row.void for row in answers.rows] == ["" if rule == "resume" else "restart"]


def test_a_link_that_is_too_old_is_closed(painted: Path, serve: Serve) -> None:
    base, here = serve(apples(painted, returning=Return(max_age_hours=1.0)))
    one = taker(base, here)
    one.begin()
    here.desk.people["p001"].entered = time.time() - 3700
    assert one.get(one.path).status == 403


def test_what_somebody_left_is_given_to_others(painted: Path, serve: Serve) -> None:
    base, here = serve(apples(painted, annotators=1, per_person=15))
    gone = taker(base, here)
    gone.begin()
    here.desk.people["p001"].seen = time.time() - 2 * 3600
    other = taker(base, here)
    other.begin()
    while other.look().form("/answer"):
        other.send("/answer", value="1")
    assert len(here.desk.people["p002"].done("main")) == 15


def test_failed_checks_end_the_session_and_its_answers_do_not_count(
    painted: Path, serve: Serve, tmp_path: Path
) -> None:
    base, here = serve(apples(painted, checks=3, max_failed_checks=0, per_person=15))
    one = taker(base, here)
    one.begin()
    while one.look().form("/answer"):
        one.send("/answer", value="9")
    assert "not answered as expected" in one.get(one.path).text
    answers = read_answers(folder_of(tmp_path))
    assert answers.people["p001"].status == "screened"
    assert [row.role for row in answers.rows].count("check") == 1
    assert not answers.holding
    assert set(here.desk.pools["main"][0].taken.values()) == {0}  # others get them


def test_the_pilot_is_apart(painted: Path, serve: Serve, tmp_path: Path) -> None:
    base, here = serve(apples(painted, pilot=4, annotators=1))
    one = taker(base, here, "pilot")
    one.begin()
    while one.look().form("/answer"):
        one.send("/answer", value="1")
    answers = read_answers(folder_of(tmp_path))
    assert [row.role for row in answers.rows] == ["pilot"] * 4
    assert not answers.holding
    assert set(here.desk.pools["main"][0].taken.values()) == {0}


PANEL = Panel(complete="https://panel.example/done?cc=1", screened="https://panel.example/out",
              no_consent="https://panel.example/no")  # fmt: skip


def test_a_panel_s_people_come_once_and_leave_by_the_link_of_their_end(
    painted: Path, serve: Serve
) -> None:
    base, here = serve(apples(painted, entry="panel", panel=PANEL, per_person=1))
    visitor = Visitor(base)
    assert visitor.get("/enter").status == 400
    got = visitor.get("/enter?PROLIFIC_PID=person-77&STUDY_ID=s&SESSION_ID=t")
    path = got.url.removeprefix(base)
    one = Taker(base, got.url)
    one.jar, one.opener = visitor.jar, visitor.opener
    assert "panel.example" not in one.get(path).text
    one.begin()
    assert "panel.example" not in one.get(path).text  # not before the last answer
    one.send("/answer", value="1")
    assert 'href="https://panel.example/done?cc=1"' in one.get(path).text
    again = Visitor(base).get("/enter?PROLIFIC_PID=person-77&STUDY_ID=x&SESSION_ID=y")
    assert again.url.removeprefix(base) == path  # one session per id
    other = Visitor(base).get("/enter?PROLIFIC_PID=person-78")
    assert other.url.removeprefix(base) != path
    two = Taker(base, other.url)
    two.send("/consent", agree="no")
    assert 'href="https://panel.example/no"' in two.get(two.path).text
    # The raw id stands in one table, which can be deleted.
    store = here.desk.store
    assert "person-77" in store.read("SELECT raw FROM panel_ids ORDER BY raw")[0][0]
    everything = str([store.read(f"SELECT * FROM {name}") for name in
                      ("people", "given", "answers", "meta")])  # fmt: skip
    assert "person-77" not in everything
    desk = researcher(base, here)
    assert "2 ids of the panel are kept" in desk.get("/desk").text
    assert Visitor(base).post("/desk/forget", {}).status == 403  # nobody else deletes them
    desk.post("/desk/forget", {})
    assert "of the panel" not in desk.get("/desk").text
    assert store.read("SELECT * FROM panel_ids") == []
    assert Visitor(base).get("/enter?PROLIFIC_PID=person-77").url.removeprefix(base) == path


def researcher(base: str, here: Any) -> Visitor:
    visitor = Visitor(base)
    assert visitor.get(f"/desk?token={here.site.token}").status == 200
    return visitor


def test_pictures_are_screened_before_a_study_opens(
    painted: Path, serve: Serve, tmp_path: Path
) -> None:
    flags = tmp_path / "flags.csv"
    flags.write_text("image,flag\ngeckonum_00150_0,too dark\n")
    base, here = serve(apples(painted, screening=True, flags=str(flags), annotators=1))
    one, desk = taker(base, here), researcher(base, here)
    assert one.get(one.path).status == 403  # not open yet
    page = desk.get("/desk/screen").text
    assert "filter: too dark" in page
    items = re.findall(r'<form method="post" action="/desk/screen" id="(\w+)"', page)
    assert len(items) == 15
    assert desk.post("/desk/screen", {"item": items[0], "verdict": "drop"}).status == 422
    drop = {"item": items[0], "verdict": "drop", "reason": "blurred"}
    assert "dropped: blurred" in desk.post("/desk/screen", drop).text
    desk.post("/desk/screen", {"item": items[1], "verdict": "drop", "reason": "x"})
    desk.post("/desk/screen", {"item": items[1], "verdict": "keep", "face": "on"})
    desk.post("/desk/state", {"state": "open"})
    one.begin()
    while one.look().form("/answer"):
        one.send("/answer", value="1")
    answers = read_answers(folder_of(tmp_path))
    assert answers.dropped == {items[0]: "blurred"}
    assert {row.item.id for row in answers.holding} == set(items[1:])
    assert desk.post("/desk/screen", {**drop, "item": items[2]}).status == 409  # it was seen
    keep = {"item": items[2], "verdict": "keep", "face": "on"}
    assert desk.post("/desk/screen", keep).status == 200  # but a face is a face at any time
    assert set(read_answers(folder_of(tmp_path)).faces) == {items[1], items[2]}


def test_what_is_dropped_is_dropped_from_the_pilot_too(
    painted: Path, serve: Serve, tmp_path: Path
) -> None:
    base, here = serve(apples(painted, pilot=14, annotators=1, screening=True))
    desk = researcher(base, here)
    dropped = [one.id for one in here.desk.items.values() if one.role == "main"][:6]
    for item in dropped:
        desk.post("/desk/screen", {"item": item, "verdict": "drop", "reason": "blurred"})
    desk.post("/desk/state", {"state": "open"})
    left = {"main": 15 - 6, "pilot": len(here.desk.pools["pilot"][0].taken) - sum(
        f"pilot-{one}" in here.desk.items for one in dropped)}  # fmt: skip
    assert left["pilot"] < 14
    for part, many in left.items():
        one = taker(base, here, part)
        one.begin()
        assert f"1 of {many}" in one.get(one.path).text  # nobody waits for what never comes
        while one.look().form("/answer"):
            one.send("/answer", value="1")
        assert f"You looked at {many} pictures" in one.get(one.path).text
    gone = {*dropped, *(f"pilot-{one}" for one in dropped)}
    assert not {row.item.id for row in read_answers(folder_of(tmp_path)).rows} & gone


def test_a_deleted_id_is_in_no_file(painted: Path, tmp_path: Path) -> None:
    study = apples(painted, entry="panel", panel=PANEL)
    folder = study_folder(tmp_path, study, "")
    with opened(folder) as here, in_thread(here.app) as base:
        Visitor(base).get("/enter?PROLIFIC_PID=person-77&STUDY_ID=s&SESSION_ID=t")
        researcher(base, here).post("/desk/forget", {})
        kept = [one for one in folder.rglob("*") if one.is_file()]  # while it is open already
        assert not [one.name for one in kept if b"person-77" in one.read_bytes()]


def test_the_dashboard_shows_progress_agreement_and_who_is_odd(painted: Path, serve: Serve) -> None:
    base, here = serve(apples(painted, annotators=3, checks=1, max_failed_checks=5))
    for place in range(3):
        one = taker(base, here)
        one.begin()
        while found := one.look().form("/answer"):
            same = {"0": "2", "1": "2", "2": str(int(found[1]["given"]) % 9 + 1)}[str(place)]
            one.send("/answer", value=same, seconds="0.01" if place == 2 else "0.02")
    taker(base, here)
    text = researcher(base, here).get("/desk").text
    assert "100 %" in text
    assert "45 of 45" in text
    assert "agrees with the others in" in text
    assert re.search(r"<b>-?0\.\d{3}</b><span>α so far", text)
    assert "p004" in text
    assert "invited" in text
    assert text.count("checks failed") >= 1
    seen = here.desk.people["p001"].given[0].item.id
    refused = researcher(base, here)
    refused.get("/desk")
    told = refused.post("/desk/screen", {"item": seen, "verdict": "drop", "reason": "dark"})
    assert told.status == 409
    assert 'href="/desk"' in told.text  # and a way back
    rows = re.findall(r"<tr>.*?</tr>", researcher(base, here).get("/desk/items").text, re.DOTALL)
    assert len(rows) == 1 + 15
    assert all("3 of 3" in row and re.search(r">0\.0<", row) for row in rows[1:])


def test_personal_links_are_made_and_shown_once(painted: Path, serve: Serve) -> None:
    base, here = serve(apples(painted))
    desk = researcher(base, here)
    text = desk.post("/desk/links", {"many": "3"}).text
    links = re.findall(rf"{re.escape(base)}/p/[\w-]+", text)
    assert len(set(links)) == 3
    assert all(Visitor(base).get(link).status == 200 for link in links)
    assert "/p/" not in desk.get("/desk").text
    stored = str(here.desk.store.read("SELECT * FROM people"))
    assert not any(link.rpartition("/")[2] in stored for link in links)


def test_an_open_study_makes_one_person_of_a_browser_when_it_answers_the_consent(
    painted: Path, serve: Serve
) -> None:
    base, here = serve(apples(painted, entry="open"))
    for _ in range(3):
        assert Visitor(base).get("/enter").status == 200  # a link's preview, a robot
    one = Taker(base, "/enter")
    one.get("/enter")
    one.get("/enter")
    assert not here.desk.people
    assert Visitor(base).post("/enter", {"agree": "yes"}).status == 403  # no page of ours
    first = one.send("/enter", agree="yes").url
    assert "/p/" in first
    again = one.post("/enter", {"agree": "yes"}).url  # the consent again, by the back button
    assert {first, again, one.get("/enter").url} == {first}
    assert list(here.desk.people) == ["p001"]
    assert here.desk.people["p001"].consent == "1"
    one.path = first.removeprefix(base)
    one.send("/begin")
    assert one.send("/answer", value="3").status == 200
    two = Taker(base, "/enter")
    assert "chose not to take part" in two.send("/enter", agree="no").text
    assert [person.status for person in here.desk.people.values()] == ["working", "refused"]


def test_only_an_open_study_is_entered_by_its_consent(painted: Path, serve: Serve) -> None:
    base, here = serve(apples(painted))
    one = Visitor(base)
    one.get("/")
    assert one.get("/enter").status == 403
    assert one.post("/enter", {"agree": "yes"}).status == 403
    assert not here.desk.people


def test_a_preview_of_a_personal_link_blocks_nobody(painted: Path, serve: Serve) -> None:
    base, here = serve(apples(painted, returning=Return("block")))
    one = taker(base, here)
    assert Visitor(base).get(one.path).status == 200  # a mail program looks at it
    one.begin()
    assert one.send("/answer", value="3").status == 200
    assert Visitor(base).get(one.path).status == 403  # but who has begun has begun


def test_a_break_is_offered(painted: Path, serve: Serve) -> None:
    base, here = serve(apples(painted, break_every=2))
    one = taker(base, here)
    one.begin()
    one.send("/answer", value="1")
    one.send("/answer", value="1")
    assert "short break" in one.get(one.path).text
    one.send("/on")
    assert one.look().form("/answer")
