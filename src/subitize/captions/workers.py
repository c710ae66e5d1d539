"""Who counts. A worker gets units and gives counts as JSON."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from typing import Any, NamedTuple, Protocol

import orjson

from subitize.captions.reading import Batch, Layout, read_unit
from subitize.captions.rule import Rule
from subitize.captions.sources import Damaged, Source, Unit
from subitize.captions.taggers import DEFAULT, open_tagger
from subitize.captions.tally import Tally


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
        tally, rows = Tally(), Rows() if task.rows else None
        try:
            for batch in read_unit(task.source, task.layout, task.unit):
                places, numbers = tally.add(batch, self._rule)
                if rows is not None:
                    rows.add(batch.captions, places, numbers)
        except Damaged as problem:
            return Done(task.unit, b"", damage=str(problem))
        line = tally.as_json()
        if tally.not_text or tally.broken:
            line["where"] = task.source.where(task.unit)
        return Done(task.unit, orjson.dumps(line), b"" if rows is None else rows.parquet())

    def count_packed(self, packed: tuple[bytes, bytes]) -> tuple[bytes, bytes, str]:
        """The same with plain values in and out, for other processes."""
        return self.count(Task.unpack(packed))[1:]


def warm_up() -> None:
    """Load what the first unit would: a process that counts for others does so as it starts."""
    import polars as pl
    import pyarrow.parquet  # noqa: F401

    Tally().add(Batch(pl.Series(["two dogs"])), Rule(open_tagger(DEFAULT)))


class Rows:
    """Captions with their numbers, packed as they come."""

    def __init__(self) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._buffer = io.BytesIO()
        self._schema = pa.schema([("caption", pa.large_string()), ("number", pa.int64())])
        self._writer = pq.ParquetWriter(self._buffer, self._schema, compression="zstd")

    def add(self, captions: Any, places: list[int], numbers: list[int | None]) -> None:
        import pyarrow as pa

        column: list[int | None] = [None] * len(captions)
        for place, number in zip(places, numbers, strict=True):
            column[place] = number
        table = pa.table({"caption": captions.to_arrow(), "number": pa.array(column, pa.int64())})
        self._writer.write_table(table.cast(self._schema))

    def parquet(self) -> bytes:
        self._writer.close()
        return self._buffer.getvalue()


class OwnProcess:
    """Counts in this process."""

    def __init__(self, tagger: str) -> None:
        self._tagger = tagger

    def run(self, tasks: Iterable[Task]) -> Iterator[Done]:
        yield from map(Counter(self._tagger).count, tasks)
