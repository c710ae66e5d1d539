"""Five captions in every format, and how they are counted."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from subitize.captions.counting import Counting, count_captions
from subitize.captions.progress import Progress

CAPTIONS = ["two dogs and 3 cats", "a Porsche 911 on a road", "5 km run", "seven tall trees", "sky"]
Result = dict[str, Any]


def count(given: Path | str | list[str], out: Path, **how: Any) -> Result:
    files = given if isinstance(given, list) else [str(given)]
    return count_captions(files, out, Counting(**how), Progress(show=False))[1]


def adds_up(result: Result) -> bool:
    parts = ("with_number", "without_number", "null", "not_text")
    everything = [result, *result["files"]]
    files = sum(one["rows"] for one in result["files"])
    return files == result["rows"] and all(
        one["rows"] == sum(one[part] for part in parts) for one in everything
    )


def parquet(path: Path) -> Path:
    pq.write_table(pa.table({"url": ["u"] * 5, "TEXT": CAPTIONS}), path, row_group_size=2)
    return path


def tsv(path: Path) -> Path:
    path.write_text("".join(f"{one}\thttp://x/{n}\n" for n, one in enumerate(CAPTIONS)))
    return path


def csv(path: Path) -> Path:
    path.write_text("id,caption\n" + "".join(f'{n},"{one}"\n' for n, one in enumerate(CAPTIONS)))
    return path


def jsonl(path: Path) -> Path:
    path.write_text("".join(json.dumps({"caption": one, "n": 1}) + "\n" for one in CAPTIONS))
    return path


def packed(make: Callable[[Path], Path], pack: Callable[[bytes], bytes]) -> Callable[[Path], Path]:
    def write(path: Path) -> Path:
        plain = make(path.with_name("plain"))
        path.write_bytes(pack(plain.read_bytes()))
        return path

    return write


def zstd(content: bytes) -> bytes:
    return pa.compress(content, codec="zstd", asbytes=True)


FILES: dict[str, Callable[[Path], Path]] = {
    "a.parquet": parquet,
    "cc3m.tsv": tsv,
    "a.csv": csv,
    "a.jsonl": jsonl,
    "a.tsv.gz": packed(tsv, gzip.compress),
    "a.csv.bz2": packed(csv, bz2.compress),
    "a.jsonl.xz": packed(jsonl, lzma.compress),
    "a.jsonl.zst": packed(jsonl, zstd),
}
