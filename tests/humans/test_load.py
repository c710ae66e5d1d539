"""Many at once, and a server that is killed: nothing that was acknowledged is lost."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from subitize.humans.answers import read_answers
from subitize.humans.desk import hashed
from subitize.humans.serving import read_folder
from subitize.humans.simulated import Annotator, Manner, Seen
from subitize.humans.simulating import in_own_loop
from subitize.humans.store import Reader, open_database

ROOT = Path(__file__).resolve().parents[2]
STUDY = """
kind = "naming"
name = "{name}"
annotators = 500
per_person = 2000
training = false
break_every = 0
settings = {{ per_cell = {per_cell}, size = 64, categories = ["dots", "apples"] }}
"""


@contextmanager
def served(folder: Path, name: str, database: str, links: int, per_cell: int) -> Iterator[Any]:
    """The command in a process of its own: it, and the links that it printed."""
    (folder / "study.toml").write_text(STUDY.format(name=name, per_cell=per_cell))
    words = ["annotate", folder / "study.toml", "--out", folder, "--port", "0", "--links", links]
    words += ["--database", database] if database else []
    process = subprocess.Popen(
        [sys.executable, "-m", "subitize", *map(str, words)], stdout=subprocess.PIPE, text=True,
        stderr=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )  # fmt: skip
    assert process.stdout is not None
    try:
        found = []
        for line in process.stdout:
            if line.startswith("researcher:"):
                break
            found.append(line.strip())
        assert len(found) == links
        yield process, found
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


class Timed(Annotator):
    """One who notes how long the server takes to say thank you."""

    times: list[float]

    async def _post(self, session: Any, path: str, fields: dict[str, str]) -> None:
        begun = time.perf_counter()
        await super()._post(session, path, fields)
        if path.endswith("/answer"):
            self.times.append(time.perf_counter() - begun)


def people(links: list[str], pause: float) -> list[Timed]:
    def eye(_: Seen) -> str:
        return "3"

    made = []
    for place, link in enumerate(links):
        one = Timed(link, eye, Manner(pause=pause), np.random.default_rng(place))
        one.times = []
        made.append(one)
    return made


async def work_until(everybody: list[Timed], enough: Any) -> list[Exception]:
    """All work until enough is done, then stop wherever they are; what stopped some earlier."""
    tasks = [asyncio.ensure_future(one.work(100_000)) for one in everybody]
    while not enough() and not any(task.done() for task in tasks):
        await asyncio.sleep(0.01)
    for task in tasks:
        task.cancel()
    ends = await asyncio.gather(*tasks, return_exceptions=True)
    return [one for one in ends if isinstance(one, Exception)]


def stored(folder: Path, database: str) -> dict[str, int]:
    """How many answers each link's person has in the database."""
    study, kept = read_folder(folder)
    reader = Reader(open_database(folder, database or kept, study.name))
    rows = reader.read("SELECT people.link, count(answers.number) FROM people LEFT JOIN answers "
                       "ON answers.person = people.name GROUP BY people.link")  # fmt: skip
    reader.close()
    return dict(rows)


@pytest.mark.budget(20)
def test_a_killed_server_loses_nothing_acknowledged(tmp_path: Path, database: str) -> None:
    name = f"kill-{tmp_path.name[-3:]}-{'pg' if database else 'file'}"
    with served(tmp_path, name, database, 8, 10) as (process, links):
        everybody = people(links, 0.0)

        def kill() -> bool:
            if sum(one.answered for one in everybody) >= 60:
                os.kill(process.pid, signal.SIGKILL)
                return True
            return False

        in_own_loop(work_until(everybody, kill))
    found = stored(tmp_path / name, database)
    for one in everybody:
        kept = found[hashed(one.link.rpartition("/")[2])]
        assert one.answered <= kept <= one.answered + 1
    with served(tmp_path, name, database, 0, 10):
        pass  # it opens again
    assert stored(tmp_path / name, database) == found


@pytest.mark.budget(20)
def test_many_at_once_lose_nothing(tmp_path: Path, database: str) -> None:
    name = f"many-{'pg' if database else 'file'}"
    with served(tmp_path, name, database, 30, 20) as (_, links):
        everybody = people(links, 0.1)
        enough = work_until(everybody, lambda: sum(one.answered for one in everybody) >= 300)
        assert not in_own_loop(enough)
    found = stored(tmp_path / name, database)
    for one in everybody:
        kept = found[hashed(one.link.rpartition("/")[2])]
        assert one.answered <= kept <= one.answered + 1
    answers = read_answers(tmp_path / name) if not database else None
    if answers is not None:
        keys = [(row.person.name, row.question.trial_id) for row in answers.holding]
        assert len(set(keys)) == len(keys)


async def bare(address: str, seconds: float, times: list[float]) -> None:
    """A route that touches no database, asked ten times a second."""
    import aiohttp

    ended = time.monotonic() + seconds
    async with aiohttp.ClientSession() as session:
        while time.monotonic() < ended:
            begun = time.perf_counter()
            async with session.get(f"{address}/static/icon.svg") as reply:
                await reply.read()
            times.append(time.perf_counter() - begun)
            await asyncio.sleep(0.1)


@pytest.mark.long
def test_two_hundred_annotators_for_a_minute(tmp_path: Path, database: str) -> None:
    """50 answers a second; the p95 of an answer stands beside that of a bare route."""
    seconds, many, kind = 60.0, 200, "postgresql" if database else "sqlite"
    with served(tmp_path, f"load-{kind}", database, many, 50) as (_, links):
        everybody, others = people(links, many / 50), list[float]()

        async def both() -> None:
            ended = time.monotonic() + seconds
            stopped, _ = await asyncio.gather(
                work_until(everybody, lambda: time.monotonic() > ended),
                bare(links[0].partition("/p/")[0], seconds, others),
            )
            assert not stopped

        in_own_loop(both())
    found = stored(tmp_path / f"load-{kind}", database)
    for one in everybody:
        kept = found[hashed(one.link.rpartition("/")[2])]
        assert one.answered <= kept <= one.answered + 1
    times = np.array([time_ for one in everybody for time_ in one.times])
    p95, reference = (1000 * float(np.percentile(some, 95)) for some in (times, others))
    path = ROOT / "docs" / "people_load.json"
    known = orjson.loads(path.read_bytes()) if path.exists() else {}
    known[kind] = {
        "annotators": many, "seconds": seconds, "answers": len(times),
        "answers_per_second": round(len(times) / seconds, 1),
        "median_ms": round(1000 * float(np.median(times)), 1), "p95_ms": round(p95, 1),
        "bare_p95_ms": round(reference, 1), "lost": 0,
    }  # fmt: skip
    path.write_bytes(orjson.dumps(known, option=orjson.OPT_INDENT_2) + b"\n")
    assert len(times) / seconds > 40
    assert p95 < max(100, 3 * reference)
