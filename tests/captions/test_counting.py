"""Counting files: formats, columns, counts that add up, damage, samples, workers."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import re
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from subitize.captions import progress, sources
from subitize.captions.counting import Counting, count_captions, write_rows
from subitize.captions.progress import Progress
from subitize.captions.reading import Batch
from subitize.captions.result import KEYS
from subitize.captions.rule import Rule
from subitize.captions.taggers import open_tagger
from subitize.captions.tally import Tally, sample_key
from subitize.captions.words import CLOCK, MONEY, MONTHS, TAKES_NUMBER
from subitize.cli import root
from subitize.errors import BadInput, UsageError, WrongRun
from subitize.files import csv_text

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


@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_the_same_counts(tmp_path: Path, name: str) -> None:
    result = count(FILES[name](tmp_path / name), tmp_path / "out")
    assert result["rows"] == 5
    assert result["frequencies"] == {"5": 1, "7": 1}
    assert result["rejected"] == {"identifier": 1, "unit": 1}
    assert result["samples"]["7"][0] == {"caption": "seven tall trees", "start": 0, "end": 5}
    assert adds_up(result)
    assert result.keys() <= KEYS.keys()


def test_every_key_of_the_result_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "captions.md").read_text("utf-8")
    assert [key for key in KEYS if f"`{key}`" not in page] == []


def test_directories_and_patterns(tmp_path: Path) -> None:
    (tmp_path / "in" / "deep").mkdir(parents=True)
    tsv(tmp_path / "in" / "b.tsv")
    parquet(tmp_path / "in" / "deep" / "a.parquet")
    (tmp_path / "in" / "readme.md").write_text("no captions")
    whole = count(tmp_path / "in", tmp_path / "out")
    assert [Path(one["path"]).name for one in whole["files"]] == ["b.tsv", "a.parquet"]
    assert whole["frequencies"] == {"5": 2, "7": 2}
    assert count(str(tmp_path / "in" / "**" / "*.parquet"), tmp_path / "out")["rows"] == 5


@pytest.mark.parametrize("name", ["a.parquet", "a.csv", "a.jsonl.zst"])
def test_each_caption_with_its_number(tmp_path: Path, name: str) -> None:
    how = Counting(per_caption=True)
    made = [str(FILES[name](tmp_path / name))]
    folder, _ = count_captions(made, tmp_path / "out", how, Progress(show=False))
    write_rows(folder, tmp_path / "rows.parquet")
    rows = pl.read_parquet(tmp_path / "rows.parquet")
    assert rows.to_dict(as_series=False) == {
        "caption": CAPTIONS, "number": [5, None, None, 7, None],
    }  # fmt: skip


def test_small_blocks_and_more_processes_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quoted = tmp_path / "q.csv"
    rows = [f'{n},"{n % 9 + 1} red\nor ""blue"" dogs and {n % 4 + 1} cats"' for n in range(400)]
    quoted.write_text("id,caption\n" + "\n".join(rows))
    whole = count(quoted, tmp_path / "one")
    assert whole["rows"] == 400
    monkeypatch.setattr(sources, "BLOCK", 256)
    parts = count(quoted, tmp_path / "two")
    both = count(quoted, tmp_path / "three", workers=2)
    assert parts["cache"]["asked"] == both["cache"]["asked"]
    for other in (parts, both):
        assert {**other, "cache": 0} == {**whole, "cache": 0}


def test_shards_read_every_row_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "BLOCK", 64)
    file = tmp_path / "a.jsonl"
    file.write_text("".join(json.dumps({"caption": f"{n} cats"}) + "\n" for n in range(1, 90)))
    found = [count(file, tmp_path / "out", shard=(part, 3)) for part in (1, 2, 3)]
    numbers = [int(number) for one in found for number in one["frequencies"]]
    assert sorted(numbers) == list(range(1, 90))
    assert all(one["rows"] > 20 for one in found)


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


def test_the_command_speaks_plainly(tmp_path: Path) -> None:
    file = tsv(tmp_path / "cc3m.tsv")
    out = ["--out", str(tmp_path / "out"), "--workers", "1"]
    done = CliRunner().invoke(root, ["captions", str(file), *out])
    assert done.exit_code == 0
    assert "cc3m: 5 captions, 2 count something" in done.stdout
    assert "identifier" in done.stdout
    for wrong, said in (
        (["--workers", "-1"], "--workers is -1"),
        (["--check-images", "-1"], "--check-images is -1"),
        (["--check-images", "1"], "has no column known for pictures"),
        (["--engine", "spark"], "There is no engine 'spark'"),
        (["--ray-address", "x:1"], "--engine ray as well"),
        (["--tagger", "nltk"], "There is no tagger 'nltk'"),
        (["--column", "nine"], "no column 'nine'"),
    ):
        done = CliRunner().invoke(root, ["captions", str(file), *out, *wrong])
        assert isinstance(done.exception, UsageError), wrong
        assert said in str(done.exception)


def test_how_far_and_how_fast_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bar on a terminal; elsewhere a line now and then."""
    monkeypatch.setattr(sources, "BLOCK", 64)
    monkeypatch.setattr(progress, "SPOKEN", -1.0)
    file = [str(tsv(tmp_path / "a.tsv"))]
    for show, said in ((True, r"100\.0%.*5 captions, [\d,]+/s"), (None, r"/s, about 0 min left")):
        count_captions(file, tmp_path / str(show), Counting(), Progress(show=show))
        assert re.search(said, capsys.readouterr().err, re.DOTALL)
    count_captions(file, tmp_path / "silent", Counting(), Progress(show=False))
    assert capsys.readouterr().err == ""


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
    "line.jsonl": b'{"caption": "two dogs"}\n{"caption": \n',
    "list.jsonl": b'{"caption": "two dogs"}\n[1]\n',
    "not.jsonl.xz": b"this is no xz",
    "open.csv": b'caption,id\n4 cats,a\n"5 cats,b\n6 hens,c\n',
    "stray.csv": b'caption,id\n4 "cats,a\n5 cats,b\n',
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
    assert ("carriage return" in by_name[name]["damage"][0]) == name.startswith("mac")
    assert by_name["good.tsv"]["rows"] == 5
    assert adds_up(result)


def test_a_changed_file_or_rule_is_another_counting(tmp_path: Path) -> None:
    file = tsv(tmp_path / "a.tsv")
    how = Counting()
    folder, _ = count_captions([str(file)], tmp_path / "out", how, Progress(show=False))
    info = json.loads((folder / "captions.json").read_text())
    info["identity"]["rule"] = 99
    (folder / "captions.json").write_text(json.dumps(info))
    with pytest.raises(WrongRun, match="another counting"):
        count_captions([str(file)], tmp_path / "out", how, Progress(show=False))
    file.write_text("caption\tu\nnine cats\thttp://x\n")
    assert count(file, tmp_path / "out")["frequencies"] == {"9": 1}


WORDS = st.sampled_from(
    [
        "two", "Two", "one", "twelve", "3", "12", "911", "2019", "0", "dozen", "hundred", "half",
        "third", "pair", "dogs", "dog", "red", "smiling", "were", "walks", "of", "a", "the", "with",
        "Porsche", "lumia", "no", "minus", "per", "percent", "point", "square", "and", "or", "in",
        "by", "x", "m", "km", "years", "days", "pm", "won", "Street", "dog's", "long", "zürich",
        *sorted(CLOCK)[:3], *sorted(MONEY)[:5], *sorted(MONTHS)[:5], *sorted(TAKES_NUMBER)[:9],
    ]
)  # fmt: skip
JOINTS = st.sampled_from([" "] * 12 + [", ", "-", ". ", "\t", " (", "$", "  "])


@settings(max_examples=400, deadline=None)
@given(st.lists(st.tuples(WORDS, JOINTS), min_size=1, max_size=8))
def test_the_quick_way_says_what_the_rule_says(parts: list[tuple[str, str]]) -> None:
    caption = "".join(word + joint for word, joint in parts).strip()
    rule = Rule(open_tagger())
    quick, whole = Tally(), Tally()
    for one in (quick, whole):
        # for a sample the whole caption is looked at
        one.samples.most = one.rejected_samples.most = 0
    _, numbers = quick.add(Batch(pl.Series([caption], dtype=pl.String)), rule)
    assert (numbers or [None]) == [rule.number(caption)]
    if numbers:
        whole._judge(caption, rule)
    assert quick.rejected == whole.rejected
    assert quick.frequencies == whole.frequencies


def test_large_numbers_share_their_samples() -> None:
    assert [sample_key(number) for number in (7, 101, 1001)] == ["7", "101-1000", "1001+"]
