"""Files as they are found: nulls, broken bytes, huge captions, damage; no row lost or doubled."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.captions.caption_files import (
    adds_up,
    count,
    parquet,
    tsv,
)
from typer.testing import CliRunner

from subitize.captions import sources
from subitize.captions.counting import Counting, count_captions, write_rows
from subitize.captions.progress import Progress
from subitize.captions.reading import _captions
from subitize.captions.sources import Damaged, Unit, find_sources
from subitize.cli import root
from subitize.errors import BadInput
from subitize.files import csv_text


def test_nulls_numbers_and_broken_bytes_are_counted(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(
        b'{"caption": "two dogs"}\n{"caption": null}\n{"caption": 3}\n{"other": 1}\n'
        b'{"caption": ["x"]}\n{"caption": ""}\n\n{"caption": "three c\xffts"}\n'
    )
    result = count(file, tmp_path / "out")
    assert [result[name] for name in ("rows", "null", "not_text", "broken")] == [7, 3, 2, 1]
    assert adds_up(result)
    text = tmp_path / "b.tsv"
    text.write_bytes(b"caption\turl\n4 b\xffrds\tu\n\na single cell\ntwo dogs\tu\tmore\n")
    result = count(text, tmp_path / "out")
    assert (result["broken"], result["with_number"]) == (1, 2)
    assert adds_up(result)


def test_where_captions_are_odd_is_said(tmp_path: Path) -> None:
    """By file and row group, or block; the same after a stop, and of shards put together."""
    broken = [b"two dogs", b"3 c\xffts"]
    column = pa.array([b"one cat"] * 2 + broken * 2, pa.binary()).view(pa.string())
    pq.write_table(pa.table({"caption": column}), tmp_path / "a.parquet", row_group_size=2)
    (tmp_path / "b.jsonl").write_bytes(
        b'{"caption": "two dogs"}\n{"caption": 3}\n{"caption": []}\n'
    )
    call = ["captions", str(tmp_path / "a.parquet"), str(tmp_path / "b.jsonl"), "--name", "both"]
    for out in ("whole", "whole", "shards"):
        parts = ("1/2", "2/2") if out == "shards" else ("1/1",)
        told = ""
        for part in parts:
            to = ["--out", str(tmp_path / out), "--shard", part]
            done = CliRunner().invoke(root, [*call, *to])
            assert done.exit_code == 0, done.output
            told += done.output
        for line in ("a.parquet, row group 1: 1 not UTF-8", "a.parquet, row group 2: 1 not UTF-8",
                     "b.jsonl, the block from byte 0: 2 no text"):  # fmt: skip
            assert line in told
    assert "row group 0" not in told
    shards = [str(one) for one in (tmp_path / "shards").glob("*of2*")]
    merged = CliRunner().invoke(root, ["merge", *shards, "--out", str(tmp_path / "m"), "--json"])
    files = json.loads(merged.stdout)["files"]
    assert [one["odd"] for one in files] == [
        ["row group 1: 1 not UTF-8", "row group 2: 1 not UTF-8"],
        ["the block from byte 0: 2 no text"],
    ]


def test_only_the_first_odd_places_of_a_file_are_told(tmp_path: Path) -> None:
    column = pa.array([b"c\xffts"] * 13, pa.binary())
    pq.write_table(pa.table({"caption": column}), tmp_path / "a.parquet", row_group_size=1)
    (file,) = count(tmp_path / "a.parquet", tmp_path / "out")["files"]
    assert [line.partition(":")[0] for line in file["odd"]] == [
        *(f"row group {place}" for place in range(10)), "3 more such places",
    ]  # fmt: skip


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary(), pa.string_view()])
def test_parquet_with_broken_utf8_and_nulls(tmp_path: Path, kind: pa.DataType) -> None:
    raw = [b"two dogs", b"3 c\xffts", None]
    column = pa.array(raw, pa.large_binary() if kind == pa.large_string() else pa.binary())
    if kind == pa.string_view():
        column = pa.array([b"two dogs", b"3 c\xffts", None], pa.binary_view())
    if kind != pa.binary():
        column = column.view(kind)
    pq.write_table(pa.table({"caption": column}), tmp_path / "a.parquet")
    result = count(tmp_path / "a.parquet", tmp_path / "out")
    assert [result[name] for name in ("rows", "null", "broken")] == [3, 1, 1]
    assert adds_up(result)


def test_what_python_writes_as_json_is_read(tmp_path: Path) -> None:
    """NaN among the scores, and captions cut in the middle of an emoji."""
    file = tmp_path / "a.jsonl"
    file.write_text(
        json.dumps({"caption": "two dogs", "similarity": float("nan")})
        + "\n"
        + json.dumps({"caption": "3 cats \ud83d"})
        + "\n"
    )
    result = count(file, tmp_path / "out")
    assert result["frequencies"] == {"2": 1, "3": 1}
    assert result["broken"] == 1
    assert adds_up(result)


def test_a_sum_that_no_number_can_say_is_none(tmp_path: Path) -> None:
    most = "999,999,999,999,999,999 stars"
    file = tmp_path / "a.csv"
    file.write_text(f'caption\n"{most} and {most}"\n"{most}"\nthree cats\n')
    folder, result = count_captions(
        [str(file)], tmp_path / "out", Counting(per_caption=True), Progress(show=False)
    )
    write_rows(folder, tmp_path / "rows.parquet")
    rows = pl.read_parquet(tmp_path / "rows.parquet")
    assert rows["number"].to_list() == [None, 10**18 - 1, 3]
    assert result["frequencies"] == {"3": 1, str(10**18 - 1): 1}
    assert adds_up(result)


def test_two_columns_of_one_name_are_said(tmp_path: Path) -> None:
    both = pa.Table.from_arrays([pa.array(["two dogs"]), pa.array(["3 cats"])], ["TEXT", "TEXT"])
    pq.write_table(both, tmp_path / "a.parquet")
    with pytest.raises(BadInput, match="two columns 'TEXT'"):
        count(tmp_path / "a.parquet", tmp_path / "out")


def test_a_list_of_objects_is_told_how_to_be_lines(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('[{"caption": "two dogs"}]')
    with pytest.raises(Damaged, match="an object in each line"):
        count(tmp_path / "a.json", tmp_path / "out")


def test_words_of_a_dictionary_and_empty_files(tmp_path: Path) -> None:
    column = pa.array(["two dogs", "two dogs", None]).dictionary_encode()
    pq.write_table(pa.table({"caption": column}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"caption": pa.nulls(4)}), tmp_path / "b.parquet")
    pq.write_table(pa.table({"caption": pa.array([], pa.string())}), tmp_path / "c.parquet")
    (tmp_path / "d.csv").write_text("")
    (tmp_path / "e.csv").write_text("caption,id\n")
    (tmp_path / "g.jsonl.gz").write_bytes(gzip.compress(b""))
    result = count(tmp_path, tmp_path.parent / "out-empty")
    assert [one["rows"] for one in result["files"]] == [3, 4, 0, 0, 0, 0]
    assert result["frequencies"] == {"2": 2}
    assert adds_up(result)


def test_windows_line_ends_and_a_mark_at_the_start(tmp_path: Path) -> None:
    file = tmp_path / "a.tsv"
    file.write_bytes(b"\xef\xbb\xbfurl\tcaption\r\nu\ttwo dogs\r\nu\tthree cats\r\n")
    result = count(file, tmp_path / "out")
    assert result["frequencies"] == {"2": 1, "3": 1}
    assert result["samples"]["2"][0]["caption"] == "two dogs"
    lines = tmp_path / "b.jsonl"
    lines.write_bytes(b'\xef\xbb\xbf{"caption": "two dogs"}\r\n{"caption": "4 cats"}\r\n')
    assert count(lines, tmp_path / "out")["frequencies"] == {"2": 1, "4": 1}


@pytest.mark.parametrize("ending", ["jsonl", "csv", "tsv", "parquet"])
def test_a_caption_of_a_megabyte(
    tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "BLOCK", 1 << 16)  # so that it is longer than a block
    caption = "Word " * 100_000 + "two dogs " + 'Paris 3" ' * 60_000
    file = tmp_path / f"a.{ending}"
    texts = [caption, "4 cats"]
    if ending == "parquet":
        pq.write_table(pa.table({"caption": texts}), file)
    elif ending == "jsonl":
        file.write_text("".join(json.dumps({"caption": one}) + "\n" for one in texts))
    elif ending == "csv":
        file.write_text(csv_text(("caption", "id"), zip(texts, "ab", strict=True)))
    else:
        file.write_text("caption\tid\n" + "".join(f"{one}\tx\n" for one in texts))
    result = count(file, tmp_path / "out")
    assert result["frequencies"] == {"2": 1, "4": 1}
    assert adds_up(result)
    assert len(result["samples"]["2"][0]["caption"]) < 300


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text('a3" ,\n\t\u00e9\u2028dogs', max_size=12), min_size=1, max_size=30))
def test_rows_of_csv_are_those_that_were_written(texts: list[str]) -> None:
    """Whatever stands in quotation marks, and wherever a block ends."""
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "BLOCK", 48)
        file = Path(folder) / "a.csv"
        file.write_text(csv_text(("caption", "id"), ((one, "x") for one in texts)), "utf-8")
        how = Counting(per_caption=True)
        out, result = count_captions([str(file)], Path(folder), how, Progress(show=False))
        write_rows(out, Path(folder) / "rows.parquet")
        assert [
            one or "" for one in pl.read_parquet(Path(folder) / "rows.parquet")["caption"]
        ] == texts
        assert adds_up(result)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200) | st.text('{}"caption: 3dogs[],\n\t\\').map(str.encode))
def test_whatever_a_file_holds_is_counted_or_named(content: bytes) -> None:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "BLOCK", 48)
        for ending in ("csv", "tsv", "jsonl", "parquet", "csv.gz", "jsonl.zst"):
            head = {"csv": b"caption,id\n", "tsv": b"caption\tid\n"}.get(ending, b"")
            file = Path(folder) / f"a.{ending}"
            file.write_bytes(head + content)
            said = file.name
            try:
                right = adds_up(count(file, Path(folder)))
            except BadInput as problem:
                right, said = True, str(problem)
            assert right
            assert file.name in said


@pytest.mark.parametrize(
    ("name", "content", "rows"),
    [
        ("short end.csv", b"caption,id\n3 dogs,1\n4 cats", 2),
        ("short end.tsv", b"caption\tid\n3 dogs\t1\n4 cats", 2),
        ("empty first.csv", b"caption,id\n\n3 dogs,1\n4 cats,2\n", 3),
        ("empty before.csv", b"\n\ncaption,id\n3 dogs,1\n4 cats,2\n", 2),
        ("empty before.jsonl", b'\n \n{"caption": "3 dogs"}\n{"caption": "4 cats"}\n', 2),
        ("late.jsonl", b'{"id": 1}\n{"caption": "3 dogs"}\n{"caption": "4 cats"}\n', 3),
        ("broken.jsonl", b'{"caption": "3 dogs \xff"}\n{"caption": "4 cats"}\n', 2),
    ],
)  # fmt: skip
def test_no_row_is_lost_at_the_ends_of_a_file(
    tmp_path: Path, name: str, content: bytes, rows: int
) -> None:
    (tmp_path / name).write_bytes(content)
    result = count(tmp_path / name, tmp_path / "out")
    assert result["rows"] == rows
    assert result["frequencies"] == {"3": 1, "4": 1}
    assert adds_up(result)


def test_a_file_is_counted_once_and_hidden_ones_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    file = tsv(tmp_path / "in" / "a.tsv")
    (tmp_path / "in" / "._a.tsv").write_bytes(b"\x00\x05\x16\x07")
    (tmp_path / "in" / ".checkpoints").mkdir()
    tsv(tmp_path / "in" / ".checkpoints" / "a.tsv")
    (tmp_path / "link.tsv").symlink_to(file)
    given = [str(file), str(tmp_path / "link.tsv"), str(tmp_path / "in" / ".." / "in")]
    result = count(given, tmp_path / "out")
    assert [one["path"] for one in result["files"]] == [str(file)]
    assert result["rows"] == 5


def test_what_the_command_makes_is_no_part_of_the_corpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Called twice in the corpus's own folder; and no file of it is written over."""
    (tmp_path / "in" / "elsewhere").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "in")
    parquet(tmp_path / "in" / "a.parquet")
    before = Path("a.parquet").read_bytes()
    words = ["captions", ".", "--workers", "1", "--per-caption", "../rows.parquet", "--json"]
    first = CliRunner().invoke(root, words)
    assert first.exit_code == 0, first.output
    again = CliRunner().invoke(root, words)
    assert again.exit_code == 0, again.output
    assert again.stdout == first.stdout
    assert [one.path for one in find_sources(["**/*.parquet"])] == ["a.parquet"]
    for corpus, out, said in (
        ("a.parquet", "a.parquet", "would be counted itself"),
        (".", "elsewhere/rows.parquet", "would be counted itself"),
        ("*.parquet", "rows.parquet", "would be counted itself"),
        ("**/*.parquet", "rows.parquet", "would be counted itself"),
        ("a.parquet", "elsewhere", "is a folder"),
        ("a.parquet", "gone/rows.parquet", "not there"),
    ):
        wrong = CliRunner().invoke(root, ["captions", corpus, "--per-caption", out])
        assert said in str(wrong.exception)
    assert Path("a.parquet").read_bytes() == before


def test_an_empty_file_is_said(tmp_path: Path) -> None:
    tsv(tmp_path / "a.tsv")
    (tmp_path / "b.csv").write_text("")
    words = ["captions", str(tmp_path), "--out", str(tmp_path / "out"), "--workers", "1"]
    done = CliRunner().invoke(root, words)
    assert done.exit_code == 0
    assert "b.csv holds no captions: it is empty." in done.stderr


def test_wrong_columns_are_named(tmp_path: Path) -> None:
    file = parquet(tmp_path / "a.parquet")
    with pytest.raises(BadInput, match=r"a.parquet has no column 'captoin': it has url, TEXT"):
        count(file, tmp_path / "out", column="captoin")
    pq.write_table(pa.table({"caption": [1, 2]}), file)
    with pytest.raises(BadInput, match="holds int64, not text"):
        count(file, tmp_path / "out")
    (tmp_path / "b.csv").write_text("one,two\nthree,four\n")
    with pytest.raises(BadInput, match=r"b.csv has no column known .* its place \(1, 2"):
        count(tmp_path / "b.csv", tmp_path / "out")
    assert count(tmp_path / "b.csv", tmp_path / "out", column="2")["rows"] == 2
    with pytest.raises(BadInput, match="There is no file"):
        count(tmp_path / "nothing.tsv", tmp_path / "out")
    (tmp_path / "c.xyz").write_text("two dogs")
    with pytest.raises(BadInput, match="can't be told from its name"):
        count(tmp_path / "c.xyz", tmp_path / "out")


DAMAGE: dict[str, bytes] = {
    "none.parquet": b"",
    "cut.parquet": b"",
    "page.parquet": b"",
    "cut.jsonl.gz": gzip.compress(b'{"caption": "two dogs"}\n' * 99)[:-20],
    "hurt.jsonl.gz": gzip.compress(b"")[:10] + b"\xff" * 40,
    "line.jsonl": b'{"caption": "two dogs"}\n{"caption": \n',
    "list.jsonl": b'{"caption": "two dogs"}\n[1]\n',
    "not.jsonl.xz": b"this is no xz",
    "open.csv": b'caption,id\n4 cats,a\n"5 cats,b\n6 hens,c\n',
    "stray.csv": b'caption,id\n4 "cats,a\n5 cats,b\n',
    "behind.csv": b'caption,id\n"4 cats,a\n5 cats,b\n"6 hens,c\n',
    "wide.csv": "caption,id\n4 cats,a\n".encode("utf-16"),
    "mac.csv": b"caption,id\r4 cats,a\r",
    "mac.tsv": b"caption\tid\r4 cats\ta\r",
}


def damaged(path: Path) -> Path:
    content = DAMAGE[path.name]
    if path.suffix == ".parquet" and not path.name.startswith("none"):
        whole = parquet(path).read_bytes()
        content = whole[:-30] if path.name.startswith("cut") else bytearray(whole)
        if path.name.startswith("page"):
            place = whole.index(b"5 km run")
            content[place - 30 : place] = b"\xff" * 30  # type: ignore[index]
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_named_and_skipped_only_on_request(tmp_path: Path, name: str) -> None:
    (tmp_path / "in").mkdir()
    damaged(tmp_path / "in" / name)
    tsv(tmp_path / "in" / "good.tsv")
    where = ", row group 1," if name == "page.parquet" else ""
    with pytest.raises(BadInput, match=rf"{name}{where}.*--skip-damaged"):
        count(tmp_path / "in", tmp_path / "out")
    result = count(tmp_path / "in", tmp_path / "out", skip_damaged=True)
    by_name = {Path(one["path"]).name: one for one in result["files"]}
    assert name in by_name[name]["damage"][0]
    marks = name in ("open.csv", "stray.csv", "behind.csv")
    assert ("quotation mark" in by_name[name]["damage"][0]) == marks
    assert ("carriage return" in by_name[name]["damage"][0]) == name.startswith("mac")
    assert by_name["good.tsv"]["rows"] == 5
    assert adds_up(result)


def test_an_index_that_leads_nowhere_is_damage(tmp_path: Path) -> None:
    """Bytes that Arrow reads without a word, but can make no captions of."""
    names = pa.array(["two dogs", "3 cats"])
    strange = pa.DictionaryArray.from_arrays(pa.array([0, 9], pa.int32()), names, safe=False)
    source, unit = find_sources([str(parquet(tmp_path / "a.parquet"))])[0], Unit(0, 0, 3, 9)
    with pytest.raises(Damaged, match=r"a\.parquet, row group 3,.*--skip-damaged"):
        _captions(source, unit, strange)
