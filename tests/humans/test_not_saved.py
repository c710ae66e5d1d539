"""A database that can't be written for a moment: nobody is thanked, nothing else is forgotten."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from subitize.humans.serving import Opened
from subitize.humans.study import Study
from tests.humans.conftest import Serve
from tests.humans.taking import taker


@contextmanager
def held(here: Opened, refused: str, patch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """The writer waits until it is let go; then it can't write what has this word in it.

    It holds a write of nothing by then, so that all that comes next goes out together.
    """
    go, began, run = threading.Event(), threading.Event(), here.desk.store._run

    def late(statements: Any) -> None:
        began.set()
        go.wait()
        if any(refused in sql or refused in values for sql, values in statements):
            raise OSError("no space left on device")
        run(statements)

    with patch.context() as patched:
        patched.setattr(here.desk.store, "_run", late)
        here.desk.store.write([])
        began.wait()
        try:
            yield go
        finally:
            go.set()


def waiting(here: Opened, many: int) -> None:
    """Until so many wait for the writer."""
    while here.desk.store._waiting.qsize() < many:
        time.sleep(0.005)


def study(painted: Path, many: int) -> Study:
    return Study("geckonum-task1", "apples", run=str(painted), training=False, per_person=many)


def test_nobody_is_thanked_for_an_answer_that_was_lost(
    painted: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    base, here = serve(study(painted, 1))
    one = taker(base, here)
    one.begin()
    with ThreadPoolExecutor(2) as pool, held(here, "INSERT INTO answers", monkeypatch) as go:
        said = pool.submit(one.send, "/answer", value="2")
        waiting(here, 1)
        other = pool.submit(one.get, one.path)
        waiting(here, 2)
        go.set()
        assert said.result().status == 503
        assert "Thank you" not in other.result().text
    one.send("/answer", value="3")
    assert "All your answers are saved" in one.get(one.path).text
    rows = here.desk.store.read("SELECT value FROM answers")
    assert rows == [("3",)]


def test_what_waits_while_another_fails_is_not_asked_again(
    painted: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    base, here = serve(study(painted, 2))
    one, other = taker(base, here), taker(base, here)
    for each in (one, other):
        each.begin()
    with ThreadPoolExecutor(2) as pool, held(here, "p001", monkeypatch) as go:
        lost = pool.submit(one.send, "/answer", value="2")
        waiting(here, 1)
        kept = pool.submit(other.send, "/answer", value="7")
        waiting(here, 2)
        go.set()
        assert (lost.result().status, kept.result().status) == (503, 200)
    for each, value in ((one, "4"), (other, "5"), (one, "6")):
        each.send("/answer", value=value)
    for each in (one, other):
        assert "You looked at 2 pictures" in each.get(each.path).text
    rows = here.desk.store.read("SELECT person, value FROM answers ORDER BY number")
    assert sorted(rows) == [("p001", "4"), ("p001", "6"), ("p002", "5"), ("p002", "7")]


def test_all_that_waits_is_written_before_it_is_read_anew(
    painted: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    base, here = serve(study(painted, 2))
    taker(base, here).begin()
    person = here.desk.people["p001"]
    given = person.current
    assert given is not None
    with held(here, "nothing", monkeypatch) as go:
        here.desk.store.write(here.desk.answer(person, (given.number, 0), "8", 1.0, {}))
        threading.Timer(0.2, go.set).start()
        here.desk.reload()
    last = here.desk.people["p001"].last
    assert last is not None
    assert [one.value for one in last.answers] == ["8"]


def test_an_answer_that_was_given_while_the_database_was_away_is_taken_when_it_is_back(
    painted: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even what is saved can be read then: that it was answered must not be believed."""
    base, here = serve(study(painted, 2))
    one = taker(base, here)
    one.begin()
    told = one.look().form("/answer")
    assert told is not None
    fields = {**told[1], "value": "2"}

    def away(_: Any) -> None:
        raise OSError("the connection is refused")

    with monkeypatch.context() as patched:
        patched.setattr(here.desk.store, "_run", away)
        assert one.post(told[0], fields).status == 503
        assert one.post(told[0], fields).status == 503  # as our page does, which sends it again
        assert one.get(one.path).status == 503
    assert one.post(told[0], fields).status == 200
    assert here.desk.store.read("SELECT value, void FROM answers") == [("2", "")]
