"""Captions counted per second of CPU, against spaCy's tagger over every caption.

1 M captions of about nine words, 7 % of them with a number, nouns and adjectives drawn by Zipf's
law from 6,000 each. spaCy: a blank English pipeline with tok2vec and tagger of the small model's
sizes and random weights (speed only: the trained model can't be had offline), over a part of the
same captions. Then: two processes against one, memory, and how time grows with the rows
(`ROWS=50000000 python -m bench captions` for the large one).
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import orjson

AIM = 150
ROWS = 1_000_000
WIDE = 5_000_000
"""rows for two processes: starting them takes as long as a million"""
GROUP = 100_000
WORDS = 6_000
NUMBERS = (
    "one",
    "two",
    "three",
    "four",
    "five",
    "seven",
    *map(str, (1, 2, 3, 4, 5, 6, 10, 12, 20)),
)
SMALL = ("the", "a", "with", "in", "on", "of", "and", "at", "near", "under")


def words_of(tags: Sequence[str], rng: np.random.Generator) -> np.ndarray:
    """Words that TextBlob's lexicon has under these tags, none of them a number."""
    from textblob.en import lexicon

    from subitize.numerals import find_numbers

    lexicon.load()
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


def write(path: Path, rows: int) -> list[str]:
    """A Parquet file of so many captions; the first million is written again and again."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    made = captions(min(rows, ROWS), np.random.default_rng(0))
    table = pa.table({"TEXT": made})
    with pq.ParquetWriter(path, table.schema) as writer:
        for _ in range(max(1, rows // ROWS)):
            writer.write_table(table, row_group_size=GROUP)
    return made


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
    return tally.rows / seconds, 1 - tally.tagged / tally.asked


def memory_of(root: int) -> float:
    """MB that a process and all below it hold, what they share counted once."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parent = int(path.read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(path.parent.name))
    total, todo = 0, [root]
    while todo:
        process = todo.pop()
        todo += children.get(process, [])
        with suppress(OSError):
            found = Path(f"/proc/{process}/smaps_rollup").read_text()
            total += next(int(line.split()[1]) for line in found.splitlines() if "Pss:" in line)
    return total / 1024


def command(file: Path, workers: int, *, watch: bool = False) -> tuple[float, float]:
    """Seconds of the whole command in a process of its own, and its peak memory if watched."""
    peak = 0.0
    with tempfile.TemporaryDirectory() as out:
        call = [sys.executable, "-m", "subitize", "captions", str(file), "--out", out]
        begun = time.perf_counter()
        quiet = subprocess.DEVNULL
        process = subprocess.Popen([*call, "--workers", str(workers)], stdout=quiet, stderr=quiet)
        while watch and process.poll() is None:
            peak = max(peak, memory_of(process.pid))
            time.sleep(0.2)
        assert process.wait() == 0
        seconds = time.perf_counter() - begun
    return seconds, peak


def main() -> None:
    os.environ["POLARS_MAX_THREADS"] = "1"  # one core: before Polars is loaded
    rows = int(os.environ.get("ROWS", ROWS))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "made.parquet"
        made = write(file, min(rows, ROWS))
        try:
            nlp = spacy_pipeline()
        except ImportError:
            nlp = None
            print("spaCy is not installed: pip install spacy, for the comparison")
        rates, peers = [], []
        for turn in range(3):
            rate, hits = ours(file)
            rates.append(rate)
            if nlp is not None:
                part = made[turn * 3000 : turn * 3000 + 3000]
                begun = time.process_time()
                for _ in nlp.pipe(part, batch_size=256):
                    pass
                peers.append(len(part) / (time.process_time() - begun))
        rate = statistics.median(rates)
        print(f"{rate:,.0f} captions per CPU second; windows known: {hits:.0%} (aim 60 %)")
        if peers:
            peer = statistics.median(peers)
            print(f"spaCy's sizes: {peer:,.0f}; ours is {rate / peer:.0f} times that (aim {AIM})")
        write(file, WIDE)
        ratios = [command(file, 1)[0] / command(file, 2)[0] for _ in range(5)]
        print(f"two processes: {statistics.median(ratios):.2f} times one (aim 1.6), {WIDE:,} rows")
        if rows > WIDE:
            small, _ = command(file, 2)
            write(file, rows)
            large, memory = command(file, 2, watch=True)
            print(f"{rows:,} rows: {large:.0f} s, {large / small / (rows / WIDE):.2f} of linear")
            print(f"peak of all three processes together {memory:.0f} MB (aim 500)")


if __name__ == "__main__":
    main()
