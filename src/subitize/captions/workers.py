"""Who counts: this process, or several of them. A worker gets units and gives counts as JSON."""

from __future__ import annotations

import io
import multiprocessing
import os
import signal
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, replace
from functools import cache
from typing import Any, NamedTuple, Protocol

import orjson

from subitize.captions.reading import Layout, read_unit
from subitize.captions.rule import Rule
from subitize.captions.sources import Damaged, Source, Unit
from subitize.captions.taggers import DEFAULT, open_tagger
from subitize.captions.tally import Tally
from subitize.errors import SubitizeError


class Task(NamedTuple):
    """What a worker gets: plain values and bytes."""

    source: Source
    layout: Layout
    unit: Unit
    rows: bool
    """whether a number for each caption is wanted"""

    def pack(self) -> tuple[bytes, bytes]:
        """As JSON, and the text of a block where it goes along."""
        unit = replace(self.unit, text=None)
        parts = {"source": asdict(self.source), "layout": asdict(self.layout), "unit": asdict(unit)}
        return orjson.dumps({**parts, "rows": self.rows}), self.unit.text or b""

    @classmethod
    def unpack(cls, packed: tuple[bytes, bytes]) -> Task:
        parts, text = orjson.loads(packed[0]), packed[1]
        unit = Unit(**{**parts["unit"], "text": text or None})
        return cls(Source(**parts["source"]), Layout(**parts["layout"]), unit, parts["rows"])


class Done(NamedTuple):
    """What it gives back."""

    unit: Unit
    line: bytes
    """the counts as JSON; empty where the unit can't be read"""
    rows: bytes = b""
    """the captions with their numbers, as Parquet"""
    damage: str = ""
    """why the unit can't be read"""


class Workers(Protocol):
    """Several counters; see the module's text."""

    def run(self, tasks: Iterable[Task]) -> Iterator[Done]:
        """Count units, in any order; tasks are taken only as fast as they are counted."""


class Counter:
    """Counts units, one after another."""

    def __init__(self, tagger: str) -> None:
        # another tagger is compared with the usual one
        second = open_tagger(DEFAULT) if tagger != DEFAULT else None
        self._rule = Rule(open_tagger(tagger), second)

    def count(self, task: Task) -> Done:
        """Count one unit; damage is told, not raised."""
        tally, tables = Tally(), []
        try:
            for batch in read_unit(task.source, task.layout, task.unit):
                places, numbers = tally.add(batch, self._rule)
                if task.rows:
                    tables.append(_table(batch.captions, places, numbers))
        except Damaged as problem:
            return Done(task.unit, b"", damage=str(problem))
        return Done(
            task.unit, orjson.dumps(tally.as_json()), _parquet(tables) if task.rows else b""
        )

    def count_packed(self, packed: tuple[bytes, bytes]) -> tuple[bytes, bytes, str]:
        """The same with plain values in and out, for other processes."""
        return self.count(Task.unpack(packed))[1:]


def _table(captions: Any, places: list[int], numbers: list[int | None]) -> Any:
    import polars as pl

    column: list[int | None] = [None] * len(captions)
    for place, number in zip(places, numbers, strict=True):
        column[place] = number
    return pl.DataFrame({"caption": captions, "number": pl.Series(column, dtype=pl.Int64)})


def _parquet(tables: list[Any]) -> bytes:
    import polars as pl

    buffer = io.BytesIO()
    schema = {"caption": pl.String, "number": pl.Int64}
    (pl.concat(tables) if tables else pl.DataFrame(schema=schema)).write_parquet(buffer)
    return buffer.getvalue()


class OwnProcess:
    """Counts in this process."""

    def __init__(self, tagger: str) -> None:
        self._counter = Counter(tagger)

    def run(self, tasks: Iterable[Task]) -> Iterator[Done]:
        return map(self._counter.count, tasks)


@cache
def _counter(tagger: str) -> Counter:
    """One per process of the pool."""
    return Counter(tagger)


def _begin(tagger: str) -> None:
    # Ctrl-C is the driver's to hear: what is counted is stored
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _counter(tagger)


def _count(tagger: str, packed: tuple[bytes, bytes]) -> tuple[bytes, bytes, str]:
    return _counter(tagger).count_packed(packed)


class Processes:
    """Counts in several processes of this machine."""

    def __init__(self, tagger: str, many: int) -> None:
        self._tagger, self._many = tagger, many

    def run(self, tasks: Iterable[Task]) -> Iterator[Done]:
        # a process has one core: threads of its own would only take others' turns
        before = os.environ.get("POLARS_MAX_THREADS")
        os.environ["POLARS_MAX_THREADS"] = "1"
        context = multiprocessing.get_context("spawn")
        try:
            with ProcessPoolExecutor(self._many, context, _begin, (self._tagger,)) as pool:
                try:
                    yield from self._results(pool, iter(tasks))
                except BaseException:
                    pool.shutdown(wait=False, cancel_futures=True)
                    raise
        except BrokenProcessPool:
            raise SubitizeError(
                "A process that counted captions died, perhaps for want of memory: run the same "
                "command again with fewer --workers; it goes on where it stopped."
            ) from None
        finally:
            if before is None:
                del os.environ["POLARS_MAX_THREADS"]
            else:
                os.environ["POLARS_MAX_THREADS"] = before

    def _results(self, pool: ProcessPoolExecutor, tasks: Iterator[Task]) -> Iterator[Done]:
        under_way: dict[Future[tuple[bytes, bytes, str]], Unit] = {}
        more = True
        while more or under_way:
            # None waits at a worker: a kill loses no more units than there are workers.
            while more and len(under_way) < self._many:
                task = next(tasks, None)
                more = task is not None
                if task is not None:
                    unit = replace(task.unit, text=None)
                    under_way[pool.submit(_count, self._tagger, task.pack())] = unit
            if under_way:
                ended, _ = wait(under_way, return_when=FIRST_COMPLETED)
                yield from (Done(under_way.pop(one), *one.result()) for one in ended)
