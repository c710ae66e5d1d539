"""Where a study's answers are kept: one small interface over SQLite and PostgreSQL.

One thread writes. What waits for it goes out in one transaction, synced by the database, and only
then is told to be saved: fifty answers a second cost a handful of syncs. Reads have a connection
of their own. The SQL is the same for both, with ? for a value.
"""

from __future__ import annotations

import asyncio
import queue
import re
import sqlite3
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

from subitize.errors import BadInput, MissingExtra, RunLocked, StorageFull

Statement = tuple[str, tuple[Any, ...]]
MOST = 500
"""statements' groups that go out in one transaction"""
TAKEN = "23505"
"""how PostgreSQL says that there is a row with this number"""

TABLES = (
    "CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    """CREATE TABLE IF NOT EXISTS people (name TEXT PRIMARY KEY, link TEXT NOT NULL UNIQUE,
    part TEXT NOT NULL, status TEXT NOT NULL, consent TEXT NOT NULL, panel TEXT,
    made DOUBLE PRECISION NOT NULL, entered DOUBLE PRECISION, seen DOUBLE PRECISION,
    session TEXT NOT NULL, facts TEXT NOT NULL)""",
    "CREATE UNIQUE INDEX IF NOT EXISTS people_panel ON people (panel)",
    """CREATE TABLE IF NOT EXISTS panel_ids (panel TEXT PRIMARY KEY, raw TEXT NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS given (number BIGINT PRIMARY KEY, person TEXT NOT NULL,
    item TEXT NOT NULL, role TEXT NOT NULL, at DOUBLE PRECISION NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS answers (number BIGINT PRIMARY KEY, person TEXT NOT NULL,
    given BIGINT NOT NULL, question BIGINT NOT NULL, trial TEXT NOT NULL, value TEXT NOT NULL,
    seconds DOUBLE PRECISION NOT NULL, at DOUBLE PRECISION NOT NULL, facts TEXT NOT NULL,
    void TEXT NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS screened (item TEXT PRIMARY KEY, verdict TEXT NOT NULL,
    reason TEXT NOT NULL, face BIGINT NOT NULL)""",
)
UPSERT = "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"


class Database(Protocol):
    """What the two have to offer."""

    def connect(self, *, writes: bool) -> Any:
        """A connection of the DB-API; the one that writes keeps others from writing."""

    def words(self, sql: str) -> str:
        """The SQL with this database's own sign for a value."""

    @property
    def shown(self) -> str:
        """Where it is, without a password."""

    @property
    def forget(self) -> str:
        """SQL that deletes a panel's ids from the database's files, not only from sight."""


class SQLite:
    """A file in the study's folder."""

    forget = "DELETE FROM panel_ids"
    """overwritten by secure_delete, and then no longer in the log: `Store.forget`"""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.shown = str(file)

    def connect(self, *, writes: bool) -> Any:
        try:
            made = sqlite3.connect(self.file, isolation_level=None, check_same_thread=False)
            made.execute("PRAGMA busy_timeout = 10000")
            made.execute("PRAGMA journal_mode = WAL")
            made.execute("PRAGMA synchronous = FULL")
            # What is deleted, such as a panel's ids, is no longer to be found in the file.
            made.execute("PRAGMA secure_delete = ON")
        except sqlite3.Error as problem:
            raise BadInput(
                f"The study's database {self.file} can't be opened: {problem}."
            ) from None
        return made

    def words(self, sql: str) -> str:
        return sql


class PostgreSQL:
    """A server by its address; every study has a schema of its own."""

    forget = "TRUNCATE panel_ids"

    def __init__(self, url: str, study: str) -> None:
        parts = urlsplit(url)
        if not parts.hostname or not parts.path.strip("/"):
            raise BadInput(
                f"{url.partition('@')[2] or url!r} is no address of a database: give "
                "postgresql://USER@HOST:PORT/NAME, with the password in PGPASSWORD."
            )
        self.parts = parts
        self.schema = "subitize_" + re.sub(r"[^a-z0-9]+", "_", study.lower()).strip("_")
        host = parts.netloc.rpartition("@")[2]
        user = f"{parts.username}@" if parts.username else ""
        self.shown = f"postgresql://{user}{host}{parts.path}"

    def connect(self, *, writes: bool) -> Any:
        try:
            from pg8000 import dbapi
        except ImportError:
            raise MissingExtra("A study in PostgreSQL", "pg8000", "people") from None
        import os

        parts = self.parts
        password = unquote(parts.password) if parts.password else os.environ.get("PGPASSWORD")
        try:
            made = dbapi.connect(
                unquote(parts.username or "postgres"), parts.hostname, parts.path.strip("/"),
                parts.port or 5432, password,
            )  # fmt: skip
            cursor = made.cursor()
            if writes:
                cursor.execute(f"CREATE SCHEMA IF NOT EXISTS {self.schema}")
            cursor.execute(f"SET search_path TO {self.schema}")
            cursor.execute("SET synchronous_commit TO on")
            if writes:
                cursor.execute("SELECT pg_try_advisory_lock(hashtext(%s))", (self.schema,))
                if not cursor.fetchone()[0]:
                    made.close()
                    raise RunLocked(f"Another process serves this study in {self.shown}.")
            made.commit()
        except (dbapi.Error, OSError) as problem:
            raise BadInput(f"{self.shown} can't be opened: {problem}.") from None
        return made

    def words(self, sql: str) -> str:
        return sql.replace("?", "%s")


def open_database(folder: Path, url: str, study: str) -> Database:
    """SQLite in the folder, or the PostgreSQL of an address."""
    if not url:
        return SQLite(folder / "study.db")
    if urlsplit(url).scheme not in {"postgresql", "postgres"}:
        raise BadInput(f"--database {url!r} is no PostgreSQL: give postgresql://USER@HOST/NAME.")
    return PostgreSQL(url, study)


class Store:
    """A study's database while it is served: one writer, and a reader beside it."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._waiting: queue.SimpleQueue[tuple[Sequence[Statement], Future[None]] | None] = (
            queue.SimpleQueue()
        )
        self._connection = database.connect(writes=True)
        self._run([(table, ()) for table in TABLES])
        self._reader = Reader(database)
        self._thread = threading.Thread(target=self._write_on, name="study writer", daemon=True)
        self._thread.start()

    def read(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Rows that are saved."""
        return self._reader.read(sql, *values)

    def write(self, statements: Iterable[Statement]) -> Future[None]:
        """Write them all or none; done when they are durable."""
        done: Future[None] = Future()
        self._waiting.put((list(statements), done))
        return done

    async def save(self, statements: Iterable[Statement]) -> None:
        """`write`, awaited."""
        await asyncio.wrap_future(self.write(statements))

    def forget(self) -> None:
        """Delete the ids by which a panel knows people."""
        self.write([(self.database.forget, ())]).result()
        if isinstance(self.database, SQLite):
            self.read("PRAGMA wal_checkpoint(TRUNCATE)")  # else the log still has them

    def close(self) -> None:
        """Write what waits, then end."""
        self._waiting.put(None)
        self._thread.join()
        self._reader.close()
        self._connection.close()

    def _write_on(self) -> None:
        ended = False
        while not ended:
            group = [self._waiting.get()]
            while len(group) < MOST and not self._waiting.empty():
                group.append(self._waiting.get())
            ended = None in group
            self._commit([one for one in group if one is not None])

    def _commit(self, group: Sequence[tuple[Sequence[Statement], Future[None]]]) -> None:
        if not group:
            return
        try:
            self._run([one for statements, _ in group for one in statements])
        except Exception as problem:
            if len(group) > 1:  # one that can't be written must not take the others with it
                for one in group:
                    self._commit([one])
                return
            told = StorageFull(f"{self.database.shown} can't be written: {problem}")
            group[0][1].set_exception(told)
            return
        for _, done in group:
            done.set_result(None)

    def _run(self, statements: Sequence[Statement]) -> None:
        committing = False
        try:
            self._send(statements)
            committing = True
            self._connection.commit()
        except Exception:
            if _alive(self._connection):
                raise
            # A server that was started again: nothing is saved before a commit, so send all anew.
            self._connection = self.database.connect(writes=True)
            self._send_again(statements, committing)

    def _send_again(self, statements: Sequence[Statement], committing: bool) -> None:
        """On a new connection; the commit may have been heard, and only its word lost."""
        try:
            self._send(statements)
            self._connection.commit()
        except Exception as problem:
            self._connection.rollback()
            if not (committing and TAKEN in str(problem)):
                raise

    def _send(self, statements: Sequence[Statement]) -> None:
        cursor = self._connection.cursor()
        if isinstance(self.database, SQLite):
            cursor.execute("BEGIN IMMEDIATE")
        for sql, values in statements:
            cursor.execute(self.database.words(sql), values)
        cursor.close()


def _alive(connection: Any) -> bool:
    """End what is under way; whether the database still hears this connection, or it is closed."""
    try:
        connection.rollback()
        connection.cursor().execute("SELECT 1")
        connection.rollback()
    except Exception:
        with suppress(Exception):
            connection.close()
        return False
    return True


class Reader:
    """Reads what is saved, while somebody else may be writing."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._connection = database.connect(writes=False)
        self._lock = threading.Lock()

    def read(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        with self._lock:
            try:
                return self._rows(sql, values)
            except Exception:
                if _alive(self._connection):
                    raise
                self._connection = self.database.connect(writes=False)
                return self._rows(sql, values)

    def _rows(self, sql: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        cursor = self._connection.cursor()
        cursor.execute(self.database.words(sql), values)
        found = [tuple(row) for row in cursor.fetchall()]
        cursor.close()
        if not isinstance(self.database, SQLite):
            self._connection.rollback()  # ends its transaction: the next sees newer rows
        return found

    def close(self) -> None:
        self._connection.close()
