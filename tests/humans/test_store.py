"""The database under a study: durable, one writer, one bad statement harms no other."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from subitize.errors import BadInput, RunLocked, StorageFull, SubitizeError
from subitize.humans.store import UPSERT, PostgreSQL, Reader, Store, open_database

INSERT = "INSERT INTO screened VALUES (?, ?, ?, ?)"


def test_what_is_saved_is_there_for_others(tmp_path: Path, database: str) -> None:
    place = open_database(tmp_path, database, f"store {tmp_path.name}")
    store = Store(place)
    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(lambda n: store.write([(INSERT, (f"{n}", "keep", "ü%?'", 0))]),
                             range(300)))  # fmt: skip
    for one in done:
        one.result()
    reader = Reader(place)
    assert reader.read("SELECT count(*), min(reason) FROM screened") == [(300, "ü%?'")]
    store.write([(UPSERT, ("a", "1")), (UPSERT, ("a", "2"))]).result()
    assert store.read("SELECT value FROM meta WHERE key = ?", "a") == [("2",)]
    reader.close()
    store.close()
    again = Store(place)
    assert again.read("SELECT count(*) FROM screened") == [(300,)]
    again.close()


def test_a_panel_s_ids_are_forgotten(tmp_path: Path, database: str) -> None:
    store = Store(open_database(tmp_path, database, f"forget {tmp_path.name}"))
    store.write([("INSERT INTO panel_ids VALUES (?, ?)", ("hash", "person-77"))]).result()
    assert store.read("SELECT count(*) FROM panel_ids") == [(1,)]
    store.forget()
    assert store.read("SELECT count(*) FROM panel_ids") == [(0,)]
    assert not [one for one in tmp_path.iterdir() if b"person-77" in one.read_bytes()]
    store.close()


def test_one_that_cannot_be_written_takes_no_other_with_it(tmp_path: Path, database: str) -> None:
    store = Store(open_database(tmp_path, database, f"bad {tmp_path.name}"))
    rows = [[(INSERT, (name, "keep", "", 0))] for name in ("a", "b", "a", "c")]
    rows[3].append((INSERT, ("b", "keep", "", 0)))  # a group is written whole or not at all
    done = [store.write(one) for one in rows]
    failed = [one.exception() for one in done]
    assert [problem is None for problem in failed] == [True, True, False, False]
    assert all(isinstance(problem, StorageFull) for problem in failed[2:])
    assert store.read("SELECT item FROM screened ORDER BY item") == [("a",), ("b",)]
    store.close()


def test_a_second_server_on_one_database_is_refused(tmp_path: Path, postgres: str) -> None:
    first = Store(PostgreSQL(postgres, "locked"))
    with pytest.raises(RunLocked):
        Store(PostgreSQL(postgres, "locked"))
    first.close()
    Store(PostgreSQL(postgres, "locked")).close()


@pytest.mark.parametrize("url", ["mysql://a/b", "postgresql://", "postgresql://u:secret@h:1/x"])
def test_a_database_that_is_none_is_told_without_its_password(tmp_path: Path, url: str) -> None:
    with pytest.raises(SubitizeError) as told:
        Store(open_database(tmp_path, url, "study"))
    assert isinstance(told.value, BadInput)
    assert "secret" not in str(told.value)


def test_a_database_that_was_started_again_is_found_again(postgres: str) -> None:
    store = Store(PostgreSQL(postgres, "restarted"))
    store.write([(INSERT, ("a", "keep", "", 0))]).result()
    other = PostgreSQL(postgres, "other").connect(writes=False)
    for name in ("b", "c"):
        # what becomes of every connection when the server goes down
        other.cursor().execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
            " AND datname = current_database()"
        )
        other.commit()
        store.write([(INSERT, (name, "keep", "", 0))]).result()
    assert store.read("SELECT item FROM screened ORDER BY item") == [("a",), ("b",), ("c",)]
    with pytest.raises(RunLocked):  # the new connection keeps others from writing, too
        Store(PostgreSQL(postgres, "restarted"))
    store.close()
    other.close()


@contextmanager
def losing_the_word_of_a_commit(url: str) -> Iterator[tuple[str, threading.Event]]:
    """An address of the same server; once told, it keeps the word of one commit to itself."""
    parts, armed = urlsplit(url), threading.Event()
    listening = socket.create_server(("127.0.0.1", 0))

    def pass_on(given: socket.socket, taken: socket.socket) -> None:
        with suppress(OSError):
            while data := given.recv(1 << 16):
                if armed.is_set() and b"COMMIT\0" in data:  # done, says the server
                    armed.clear()
                    break
                taken.sendall(data)
        for one in (given, taken):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def accept() -> None:
        with suppress(OSError):
            while True:
                client = listening.accept()[0]
                server = socket.create_connection((parts.hostname, parts.port))
                for pair in ((client, server), (server, client)):
                    threading.Thread(target=pass_on, args=pair, daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    port = listening.getsockname()[1]
    yield f"postgresql://{parts.username}@127.0.0.1:{port}{parts.path}", armed
    listening.shutdown(socket.SHUT_RDWR)
    listening.close()


def test_an_answer_that_was_saved_without_a_word_is_saved_once(postgres: str) -> None:
    with losing_the_word_of_a_commit(postgres) as (url, armed):
        store = Store(PostgreSQL(url, "silent"))
        store.write([(INSERT, ("a", "keep", "", 0))]).result()
        armed.set()
        store.write([(INSERT, ("b", "keep", "", 0))]).result()
        assert not armed.is_set(), "the word of a commit was lost"
        store.write([(INSERT, ("c", "keep", "", 0))]).result()
        assert isinstance(store.write([(INSERT, ("c", "drop", "", 0))]).exception(), StorageFull)
        assert store.read("SELECT item FROM screened ORDER BY item") == [("a",), ("b",), ("c",)]
        store.close()
