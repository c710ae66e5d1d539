"""Count a corpus: plan its units, hand them to workers, store what comes back, make the result."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from subitize.captions import rule, sources
from subitize.captions.pool import Processes
from subitize.captions.progress import Progress
from subitize.captions.reading import Layout, find_layout
from subitize.captions.result import make_result
from subitize.captions.sources import Damaged, Source, find_sources, units
from subitize.captions.store import ROWS, Store, folder_name, read_info
from subitize.captions.taggers import DEFAULT, tagger_identity
from subitize.captions.workers import Done, OwnProcess, Task, Workers
from subitize.errors import BadInput

WorkersMaker = Callable[[str], Workers]
"""makes the workers, given the tagger's name"""
PAYS = 4 << 20
"""bytes of files that are worth a process of their own: with fewer it would start in vain"""


@dataclass(frozen=True)
class Counting:
    """How a corpus is counted."""

    name: str = ""
    """what the corpus is called in reports; else after its first file"""
    column: str | None = None
    """the captions' column; found out where it is not given"""
    tagger: str = DEFAULT
    shard: tuple[int, int] = (1, 1)
    """which part of how many"""
    per_caption: bool = False
    """whether the number of every caption is kept"""
    skip_damaged: bool = False
    """go on without what can't be read"""
    workers: int = 1
    """processes; 0: as many as there are cores, and fewer where there is little to count"""
    engine: WorkersMaker | None = None
    """other workers than processes of this machine"""


def count_captions(
    given: Sequence[str], out: Path, how: Counting, progress: Progress
) -> tuple[Path, dict[str, Any]]:
    """Count a corpus into a folder under `out`, going on where an earlier call stopped.

    The result is the same whatever the workers, the order and the interruptions.
    """
    found = find_sources(given)
    tagger = tagger_identity(how.tagger)
    with ExitStack() as stack:
        # processes start while the files are looked at
        workers = _workers(how, sum(source.bytes for source in found), stack)
        name = how.name or Path(found[0].path).name.partition(".")[0]
        layouts, damage = _layouts(found, how)
        identity = {
            "files": [source.as_json() for source in found],
            "columns": [layout.as_json() if layout else None for layout in layouts],
            "tagger": tagger,
            "rule": rule.VERSION,
            "block": sources.BLOCK,
            "slices": [sources.SLICE, sources.SLICES, sources.ENOUGH, sources.MOST],
            "shard": list(how.shard),
            "per_caption": how.per_caption,
        }
        folder = out / folder_name(name, identity)
        with Store.opened(folder, identity, name) as store:
            store.damage = damage
            for source in found:
                source.check()
            with progress:
                progress.begin(name, sum(source.bytes for source in found) / how.shard[1])
                tasks = _tasks(found, layouts, how, store, progress)
                _count(workers.run(tasks), how, store, progress)
            result = make_result(store)
            store.finish(result)
            return folder, result


def _count(counted: Iterator[Done], how: Counting, store: Store, progress: Progress) -> None:
    for done in counted:
        if done.damage:
            _damaged(store, done.unit.file, done.damage, how)
        else:
            store.write(done.unit.key, done.line, done.rows)
        progress.advance(done.unit.size, store.tally)


def _workers(how: Counting, size: int, stack: ExitStack) -> Workers:
    """Those that count so many bytes; the stack ends them."""
    if how.engine is not None:
        return how.engine(how.tagger)
    worth = max(1, size // how.shard[1] // PAYS)
    many = how.workers or min(os.cpu_count() or 1, worth)
    if many == 1:
        return OwnProcess(how.tagger)
    workers = Processes(how.tagger, many, ahead=worth)
    stack.callback(workers.close)
    return workers


def _layouts(
    files: Sequence[Source], how: Counting
) -> tuple[list[Layout | None], dict[int, list[str]]]:
    """Where the captions of each file stand; a damaged file is told before anything is counted."""
    found: list[Layout | None] = []
    damage: dict[int, list[str]] = {}
    for place, source in enumerate(files):
        try:
            found.append(find_layout(source, how.column))
        except Damaged as problem:
            if not how.skip_damaged:
                raise
            found.append(None)
            damage[place] = [str(problem)]
    return found, damage


def _tasks(
    files: Sequence[Source],
    layouts: Sequence[Layout | None],
    how: Counting,
    store: Store,
    progress: Progress,
) -> Iterator[Task]:
    """The units that are still to be counted, of this shard."""
    part, parts = how.shard
    for place, (source, layout) in enumerate(zip(files, layouts, strict=True)):
        if layout is None:
            continue
        try:
            for unit in units(place, source, layout.header, len(files)):
                if (place + unit.index) % parts != part - 1:
                    continue
                if unit.key in store.done:
                    progress.skip(unit.size)
                    continue
                yield Task(source, layout, unit, how.per_caption)
        except Damaged as problem:
            _damaged(store, place, str(problem), how)


def _damaged(store: Store, place: int, message: str, how: Counting) -> None:
    if not how.skip_damaged:
        raise Damaged(message)
    told = store.damage.setdefault(place, [])
    if message not in told:  # by another slice of the row group
        told.append(message)


def write_rows(folder: Path, out: Path) -> None:
    """One Parquet file of all captions with their numbers, in the order of the corpus."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not read_info(folder)["identity"]["per_caption"]:
        raise BadInput(f"{folder} was counted without --per-caption: count again with it.")
    sources.check_rows_file(out, [one["path"] for one in read_info(folder)["identity"]["files"]])
    schema = pa.schema([("caption", pa.large_string()), ("number", pa.int64())])
    temporary = out.with_name(f".{out.name}.part")
    try:
        with pq.ParquetWriter(temporary, schema, compression="zstd") as writer:
            for part in sorted((folder / ROWS).glob("*.parquet")):
                with pq.ParquetFile(part, **sources.FRUGAL) as file:
                    for batch in file.iter_batches():
                        writer.write_batch(batch.cast(schema))
        temporary.replace(out)
    except OSError as problem:
        raise BadInput(
            f"Can't write {out}: {problem.strerror or problem}. Give another --per-caption and "
            "run again; nothing is counted twice."
        ) from None
    finally:
        temporary.unlink(missing_ok=True)
