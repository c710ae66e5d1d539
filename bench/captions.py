"""Captions counted per second of CPU, against spaCy's tagger over every caption.

1 M captions of about nine words, 7 % of them with a number, nouns and adjectives drawn by Zipf's
law from 6,000 each. spaCy: a blank English pipeline with tok2vec and tagger of the small model's
sizes and random weights (speed only: the trained model can't be had offline), over a part of the
same captions. Then: what a caption costs by what it holds, two processes against one (of many rows,
and of a million; from the moment that all are ready to the last unit stored, medians of five, with
those of the whole command beside them, of which start and fit are a large part at a million),
memory, and how CPU time grows with the rows (a million of them written once and listed again and
again).

`WIDE` are the rows for two processes, `ROWS` those of the large corpus, `ONLY` names parts. What
was measured is kept in docs/captions_bench.json, of which docs/captions-measured.md is made.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import orjson

if TYPE_CHECKING:
    from subitize.captions.workers import Workers

AIM = 150
MADE = 1_000_000
"""rows that are written once"""
GROUP = 100_000
WORDS = 6_000
NUMBERS = (
    "one", "two", "three", "four", "five", "seven", *map(str, (1, 2, 3, 4, 5, 6, 10, 12, 20)),
)  # fmt: skip
SMALL = ("the", "a", "with", "in", "on", "of", "and", "at", "near", "under")
KINDS = {
    "scan": "the old house by a quiet river",
    "window": "with two dogs in the quiet garden",
    "look": "A Photo of 3 Tall Trees, 5 km From Town",
}
"""captions by what is needed: no number in it, a small window decides, all of it is looked at"""
RECORD = Path(__file__).parents[1] / "docs" / "captions_bench.json"


def rows_wanted(name: str, usual: int) -> int:
    """How many rows, in whole millions; from the environment where it says so."""
    return max(1, int(os.environ.get(name, usual)) // MADE) * MADE


def record(part: str, found: dict[str, Any]) -> None:
    """Keep what was measured, with how busy the machine was."""
    before = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    load = round(os.getloadavg()[0], 1)
    RECORD.write_text(json.dumps({**before, part: {**found, "load": load}}, indent=1) + "\n")
    print(f"{part}: {json.dumps(found)}", flush=True)


def words_of(tags: Sequence[str], rng: np.random.Generator) -> np.ndarray:
    """Words that TextBlob's lexicon has under these tags, none of them a number."""
    from subitize.captions.taggers import bundled_tagger
    from subitize.numerals import find_numbers

    _, lexicon = bundled_tagger()
    found = sorted(
        word
        for word, tag in lexicon.items()
        if tag in tags and word.isalpha() and word.islower() and not find_numbers(word)
    )
    return np.array(rng.permutation(found)[:WORDS], dtype=object)


def captions(rows: int, rng: np.random.Generator) -> list[str]:
    """Three times a small word, an adjective and a noun; a number in place of some small words."""
    nouns, adjectives = words_of(("NN", "NNS"), rng), words_of(("JJ",), rng)
    share = 1 / np.arange(1, WORDS + 1)
    share /= share.sum()
    columns = []
    for _ in range(3):
        columns.append(np.array(SMALL, dtype=object)[rng.integers(0, len(SMALL), rows)])
        columns += [kind[rng.choice(WORDS, rows, p=share)] for kind in (adjectives, nouns)]
    numbered, place = rng.random(rows) < 0.07, rng.integers(0, 3, rows)
    drawn = np.array(NUMBERS, dtype=object)[rng.integers(0, len(NUMBERS), rows)]
    for nth in range(3):
        here = numbered & (place == nth)
        columns[3 * nth][here] = drawn[here]
    return [" ".join(row) for row in zip(*columns, strict=True)]


def write(path: Path, made: Sequence[str]) -> Path:
    """A Parquet file of these captions."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"TEXT": list(made)}), path, row_group_size=GROUP)
    return path


def listed(file: Path, rows: int) -> Path:
    """A folder in which the file of a million rows stands as often as is needed."""
    folder = file.with_name(f"rows{rows}")
    folder.mkdir(exist_ok=True)
    for place in range(rows // MADE):
        if not (folder / f"{place:04d}.parquet").exists():
            os.link(file, folder / f"{place:04d}.parquet")
    return folder


def spacy_pipeline() -> Any:
    """Blank English with the sizes of en_core_web_sm's tok2vec and tagger."""
    import spacy

    nlp = spacy.blank("en")
    model = {
        "@architectures": "spacy.Tok2Vec.v2",
        "embed": {
            "@architectures": "spacy.MultiHashEmbed.v2", "width": 96,
            "attrs": ["NORM", "PREFIX", "SUFFIX", "SHAPE", "SPACY", "IS_SPACE"],
            "rows": [5000, 1000, 2500, 2500, 50, 50], "include_static_vectors": False,
        },
        "encode": {
            "@architectures": "spacy.MaxoutWindowEncoder.v2", "width": 96, "depth": 4,
            "window_size": 1, "maxout_pieces": 3,
        },
    }  # fmt: skip
    nlp.add_pipe("tok2vec", config={"model": model})
    tagger = nlp.add_pipe("tagger", config={"model": {
        "@architectures": "spacy.Tagger.v2", "nO": None, "normalize": False,
        "tok2vec": {"@architectures": "spacy.Tok2VecListener.v1", "width": 96},
    }})  # fmt: skip
    for number in range(50):
        tagger.add_label(f"T{number}")
    nlp.initialize()
    return nlp


def ours(file: Path) -> tuple[float, float]:
    """Captions per CPU second of one process from its first to its last row group, and hits."""
    from subitize.captions.reading import find_layout
    from subitize.captions.sources import find_sources, units
    from subitize.captions.tally import Tally
    from subitize.captions.workers import Counter, Task

    (source,) = find_sources([str(file)])
    layout = find_layout(source, None)
    assert layout is not None
    counter, tally = Counter("textblob"), Tally()
    begun = time.process_time()
    for unit in units(0, source, header=False):
        tally.merge(orjson.loads(counter.count(Task(source, layout, unit, False)).line))
    seconds = time.process_time() - begun
    return tally.rows / seconds, 1 - tally.tagged / tally.asked if tally.asked else 0.0


def below(root: int) -> list[int]:
    """A process and all that descend from it."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parent = int(path.read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(path.parent.name))
    found = [root]
    for process in found:  # which grows meanwhile
        found += children.get(process, [])
    return found


def memory_of(root: int) -> float:
    """MB that a process and all below it hold, what they share counted once."""
    total = 0
    for process in below(root):
        with suppress(OSError):
            found = Path(f"/proc/{process}/smaps_rollup").read_text()
            total += next(int(line.split()[1]) for line in found.splitlines() if "Pss:" in line)
    return total / 1024


class Ran(NamedTuple):
    """The whole command in a process of its own."""

    seconds: float
    cpu: float
    """CPU seconds of it and its children"""
    peak: float
    """MB of all its processes together, where it was watched"""


def command(corpus: Path, workers: int, *, watch: bool = False) -> Ran:
    """Count a corpus as users do."""
    peak = 0.0
    with tempfile.TemporaryDirectory() as out:
        call = [sys.executable, "-m", "subitize", "captions", str(corpus), "--out", out]
        begun, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        quiet = subprocess.DEVNULL
        process = subprocess.Popen([*call, "--workers", str(workers)], stdout=quiet, stderr=quiet)
        while watch and process.poll() is None:
            peak = max(peak, memory_of(process.pid))
            time.sleep(0.2)
        assert process.wait() == 0
        seconds, now = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
    return Ran(seconds, cpu, peak)


def against_spacy(file: Path, made: Sequence[str]) -> dict[str, Any]:
    """One core, with the tagger on."""
    nlp = spacy_pipeline()
    rates, peers, hits = [], [], 0.0
    for turn in range(3):
        rate, hits = ours(file)
        rates.append(rate)
        part = made[turn * 3000 : turn * 3000 + 3000]
        begun = time.process_time()
        for _ in nlp.pipe(part, batch_size=256):
            pass
        peers.append(len(part) / (time.process_time() - begun))
    rate, peer = statistics.median(rates), statistics.median(peers)
    found = {"rows": len(made), "per_cpu_second": round(rate), "hits": round(hits, 3)}
    return {**found, "spacy": round(peer), "times": round(rate / peer), "aim": AIM}


def letters(number: int) -> str:
    """A number as letters, which no rule takes for one.

    >>> letters(203)
    'cad'
    """
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


def costs(folder: Path) -> dict[str, float]:
    """Microseconds of CPU for a caption of each kind, with words of its own in each."""
    found = {}
    for kind, text in KINDS.items():
        made = [f"{text} {letters(place)}" for place in range(200_000)]
        rates = [ours(write(folder / f"{kind}.parquet", made))[0] for _ in range(3)]
        found[kind] = round(1e6 / statistics.median(rates), 2)
    return found


class Steady(NamedTuple):
    """Counting up to the last unit, from the first one or from when all workers are ready."""

    seconds: float
    cpu: float
    """CPU seconds of the driver and its workers"""
    waited: float
    """seconds until the workers were ready, or the first unit was there"""


def cpu_of(name: bytes) -> float:
    """CPU seconds so far of this process and of those below it whose command begins so."""
    ticks = 0
    for process in below(os.getpid()):
        path = Path(f"/proc/{process}")
        with suppress(OSError):
            if process == os.getpid() or (path / "cmdline").read_bytes().startswith(name):
                fields = (path / "stat").read_text().rpartition(")")[2].split()
                ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def steady(
    corpus: Path, workers: Workers, name: bytes = b"", ready: Callable[[], None] | None = None
) -> Steady:
    """Count with these workers, whose processes are called so, storing as the command does."""
    from subitize.captions.counting import Counting, _tasks
    from subitize.captions.progress import Progress
    from subitize.captions.reading import find_layout
    from subitize.captions.sources import find_sources
    from subitize.captions.store import Store

    files = find_sources([str(corpus)])
    layouts = [find_layout(one, None) for one in files]
    rows = len(files) * MADE
    begun = first = ended = last = 0.0
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as out, Store.opened(Path(out), {}, "made") as store:
        if ready is not None:
            ready()
            begun, first = time.perf_counter(), cpu_of(name)
        for done in workers.run(_tasks(files, layouts, Counting(), store, Progress(show=False))):
            store.write(done.unit.key, done.line)
            if not begun:
                begun, first = time.perf_counter(), cpu_of(name)
            if store.tally.rows == rows:  # while the workers are still there
                ended, last = time.perf_counter(), cpu_of(name)
    return Steady(ended - begun, last - first, begun - started)


def processes(corpus: Path, many: int) -> Steady:
    """Count with so many processes, timed from when all of them can."""
    from subitize.captions.pool import Processes

    workers = Processes("textblob", many, ahead=many)
    try:
        return steady(corpus, workers, sys.executable.encode(), workers.ready)
    finally:
        workers.close()


def two_processes(corpus: Path, rows: int) -> dict[str, Any]:
    """Two against one: by the clock and by CPU without their start, and the whole command."""
    turns = range(5)
    pairs = [(processes(corpus, 1), processes(corpus, 2)) for _ in turns]
    ratios = [round(one.seconds / two.seconds, 2) for one, two in pairs]
    more = statistics.median(two.cpu / one.cpu for one, two in pairs)
    whole = [(command(corpus, 1).seconds, command(corpus, 2).seconds) for _ in turns]
    return {
        "rows": rows, "ratios": ratios, "median": statistics.median(ratios), "aim": 1.6,
        "cpu": round(more, 3),
        "whole": [round(statistics.median(own), 1) for own in zip(*whole, strict=True)],
        "whole_median": round(statistics.median(one / two for one, two in whole), 2),
    }  # fmt: skip


def large(file: Path, rows: int) -> dict[str, Any]:
    """CPU time of many rows against a million's, and the most memory."""
    sizes = (5 * MADE, rows)
    ran = [command(listed(file, size), 2, watch=True) for size in sizes]
    cpu = [round(one.cpu, 1) for one in ran]
    return {
        "rows": rows, "sizes": sizes, "cpu": cpu, "of_linear": growth(sizes, cpu, ours(file)[0]),
        "peak_mb": round(ran[-1].peak), "aim_mb": 500,
    }  # fmt: skip


def growth(sizes: Sequence[int], cpu: Sequence[float], rate: float) -> float:
    """CPU per row beyond the smaller size, so that starting is left out, over that of a million.

    >>> growth((5_000_000, 50_000_000), (12.0, 102.0), 500_000)
    1.0
    """
    return round((cpu[1] - cpu[0]) / (sizes[1] - sizes[0]) * rate, 3)


def main() -> None:
    os.environ["POLARS_MAX_THREADS"] = "1"  # one core: before Polars is loaded
    wide, rows = rows_wanted("WIDE", 5 * MADE), rows_wanted("ROWS", 20 * MADE)
    only = os.environ.get("ONLY", "speed,costs,two_processes,two_at_a_million,large").split(",")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = captions(MADE, np.random.default_rng(0))
        file = write(folder / "made.parquet", made)
        parts: dict[str, Callable[[], dict[str, Any]]] = {
            "speed": lambda: against_spacy(file, made),
            "costs": lambda: costs(folder),
            "two_processes": lambda: two_processes(listed(file, wide), wide),
            "two_at_a_million": lambda: two_processes(listed(file, MADE), MADE),
            "large": lambda: large(file, rows),
        }
        for part in only:
            record(part, parts[part]())


if __name__ == "__main__":
    main()
