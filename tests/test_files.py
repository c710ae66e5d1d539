"""Files are written whole or not at all, and files of others are read with their faults named."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from subitize.errors import BadInput, StorageFull
from subitize.files import csv_text, read_bytes, read_entries, read_json, write_whole


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    for content in (b"old", b"new and longer", b""):
        write_whole(path, content)
        assert path.read_bytes() == content
        assert os.listdir(tmp_path) == ["a.json"]


@pytest.fixture
def full_disk() -> Iterator[None]:
    """Files of more than 1,000 bytes can't be written: the nearest thing to a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    old = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    signal.signal(signal.SIGXFSZ, old)


@pytest.mark.parametrize("option", ["", "--out"])
def test_a_full_disk_leaves_the_old_file(tmp_path: Path, full_disk: None, option: str) -> None:
    path = tmp_path / "a.json"
    write_whole(path, b"old", option=option)
    with pytest.raises(StorageFull, match=r"Can't write .*Make room"):
        write_whole(path, b"x" * 2000, option=option)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.json"]


def test_a_place_that_cannot_be_written_is_the_users_to_change(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "none" / "a", tmp_path / "file" / "a", tmp_path / "folder"):
        with pytest.raises(BadInput, match=r"Can't write .*: .*\. Give another --out\."):
            write_whole(path, b"x", option="--out")
        with pytest.raises(StorageFull, match="Can't write"):
            write_whole(path, b"x")
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]


ROWS = [{"image": "a.png", "count": 3}, {"image": "b\u2028c.png", "count": 4}]


def entries(path: Path, **options: Any) -> list[tuple[str, dict[str, Any]]]:
    return read_entries(path, "the counts", ("image", "count"), **options)


def test_one_table_in_four_formats(tmp_path: Path) -> None:
    written = {
        "a.json": json.dumps(ROWS, indent=1).encode(),
        "a.jsonl": "\n\n".join(json.dumps(row, ensure_ascii=False) for row in ROWS).encode(),
        "a.csv": csv_text(("image", "count"), (row.values() for row in ROWS)).encode("utf-16"),
    }
    for name, content in written.items():
        (tmp_path / name).write_bytes(content)
    pl.DataFrame(ROWS).write_parquet(tmp_path / "a.parquet")
    places = {
        "a.json": ("a.json: entry 1", "a.json: entry 2"), "a.jsonl": ("a.jsonl:1", "a.jsonl:3"),
        "a.csv": ("a.csv:2", "a.csv:3"), "a.parquet": ("a.parquet, row 1", "a.parquet, row 2"),
    }  # fmt: skip
    for name, where in places.items():
        found = entries(tmp_path / name)
        assert [place.removeprefix(f"{tmp_path}/") for place, _ in found] == list(where)
        assert [(row["image"], int(row["count"])) for _, row in found] == [
            (row["image"], row["count"]) for row in ROWS
        ]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"image": "a", "count": 1}\n{"image": "b"}', ":2 lacks count. Count again."),
        (b'{"image": "", "count": 1}', ":1 lacks image."),
        (b'[{"image": "a", "count": null}]', ": entry 1 lacks count."),
        (b'{"image": "a", "count": 1}\n3', ":2 is no object"),
        (b'{"image": "a"', ":1 is not JSON"),
        (b"[1", " is not JSON"),
        (b"image,number\na,1", " lacks the column count: it has image, number"),
        (b"image,count\na\n", ":2 lacks count."),
        (b"image,count\n" + b"a" * 200_000, ":2: this is not CSV"),
        ("image,count\ncaf\xe9,1".encode("latin-1"), ":2 is not UTF-8: found the byte 0xe9"),
        (b"PAR1", " can't be read as Parquet"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "counts"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=re.escape(f"{path}{words}")):
        entries(path, repair="Count again.")


def test_nothing_and_blank_fields_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(" \n")
    assert entries(path) == []
    path.write_text('{"image": "a", "count": null}\n{"image": "b"}\n')
    with pytest.raises(BadInput, match=r":2 lacks count"):
        entries(path, blank=("count",))


def test_missing_files_and_numbers_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(
        BadInput, match=r"Can't read the counts .*none: No such file.*\. Make one\."
    ):
        read_bytes(tmp_path / "none", "the counts", "Make one.")
    path = tmp_path / "a.json"
    path.write_text('{"score": NaN, "other": -Infinity}')
    found = read_json(path, "scores")
    assert found["score"] != found["score"]
    path.write_text("[" * 100_000)
    with pytest.raises(BadInput, match="is not JSON"):
        read_json(path, "scores")
