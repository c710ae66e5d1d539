"""A large row group is counted in slices, so that it has work for several processes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from subitize.captions import sources
from subitize.captions.counting import Counting, count_captions, write_rows
from subitize.captions.progress import Progress
from subitize.captions.reading import find_layout, read_beside, read_unit
from subitize.captions.sources import find_sources, units

CAPTIONS = [*(f"{n} tall trees by a road" for n in range(1, 90)), None, "sky", "", "5 km"]


def write(path: Path, row_group_size: int) -> Path:
    broken = b"3 caf\xe9s"
    texts = [None if one is None else one.encode() for one in CAPTIONS]
    table = pa.table({"caption": pa.array([*texts, broken], pa.binary()), "image": range(94)})
    pq.write_table(table, path, row_group_size=row_group_size)
    return path


def count(file: Path, out: Path, rows: Path) -> dict[str, Any]:
    how = Counting(per_caption=True)
    folder, result = count_captions([str(file)], out, how, Progress(show=False))
    write_rows(folder, rows)
    (result["files"][0]).pop("path")
    return {key: value for key, value in result.items() if key not in ("name", "cache")}


def test_slices_of_a_row_group_are_the_row_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "SLICE", 10)
    monkeypatch.setattr("subitize.captions.reading.BATCH", 16 * 7)
    one, many = write(tmp_path / "one.parquet", 1000), write(tmp_path / "many.parquet", 9)
    (source,) = find_sources([str(one)])
    cut = [(unit.start, unit.first, unit.last) for unit in units(0, source, header=False)]
    assert cut == [(0, 0, 23), (0, 23, 47), (0, 47, 70), (0, 70, 94)]
    sliced = count(one, tmp_path, tmp_path / "a.parquet")
    whole = count(many, tmp_path, tmp_path / "b.parquet")
    assert [found["files"][0].pop("odd") for found in (sliced, whole)] == [
        ["row group 0: 1 not UTF-8"], ["row group 10: 1 not UTF-8"]
    ]  # fmt: skip
    assert sliced == whole
    assert (sliced["rows"], sliced["broken"], sliced["null"]) == (94, 1, 2)
    rows = pl.read_parquet(tmp_path / "a.parquet")
    assert rows.equals(pl.read_parquet(tmp_path / "b.parquet"))
    layout = find_layout(source, None)
    assert layout is not None
    beside = [
        picture.as_py()
        for unit in units(0, source, header=False)
        for _, pictures in read_beside(source, layout, unit, "image")
        for picture in pictures
    ]
    assert beside == list(range(94))


def test_many_files_need_no_slices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "SLICE", 10)
    (source,) = find_sources([str(write(tmp_path / "one.parquet", 1000))])
    (unit,) = units(0, source, header=False, files=8)
    assert (unit.first, unit.last) == (0, 94)


def test_units_have_an_end_where_files_are_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "MOST", 40)
    (source,) = find_sources([str(write(tmp_path / "one.parquet", 1000))])
    cut = [(unit.first, unit.last) for unit in units(0, source, header=False, files=99)]
    assert cut == [(0, 31), (31, 62), (62, 94)]


def test_a_row_group_is_never_held_whole(tmp_path: Path) -> None:
    """Some writers make one of each file, however large."""
    rows, letters = 600_000, 60
    drawn = np.random.default_rng(0).integers(97, 123, rows * letters, dtype=np.uint8)
    ends = np.arange(0, rows * letters + 1, letters, dtype=np.int32)
    texts = pa.StringArray.from_buffers(rows, pa.py_buffer(ends), pa.py_buffer(drawn))
    file = tmp_path / "one.parquet"
    pq.write_table(pa.table({"caption": texts}), file, row_group_size=rows, use_dictionary=False)
    (source,) = find_sources([str(file)])
    layout = find_layout(source, None)
    assert layout is not None
    unit = next(units(0, source, header=False, files=99))
    before, held, seen = pa.total_allocated_bytes(), 0, 0
    for batch in read_unit(source, layout, unit):
        held = max(held, pa.total_allocated_bytes() - before)
        seen += len(batch.captions)
    assert seen == rows
    assert held < file.stat().st_size / 2


def test_damage_in_a_sliced_row_group_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "SLICE", 10)
    file = write(tmp_path / "one.parquet", 1000)
    content = bytearray(file.read_bytes())
    content[4:60] = bytes(56)  # the header of the first page
    file.write_bytes(content)
    how = Counting(skip_damaged=True)
    _, result = count_captions([str(file)], tmp_path, how, Progress(show=False))
    (one,) = result["files"]
    assert len(one["damage"]) == 1
    assert "row group 0" in one["damage"][0]
    assert one["rows"] == 0
