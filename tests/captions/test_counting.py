"""Counting files: formats, columns, samples, workers, and what is told."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.captions.caption_files import (
    CAPTIONS,
    FILES,
    adds_up,
    count,
    parquet,
    tsv,
)
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
from subitize.errors import UsageError, WrongRun


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


def test_the_command_that_is_named_runs_as_it_stands(tmp_path: Path) -> None:
    file, out = str(tsv(tmp_path / "a.tsv")), str(tmp_path / "two words")
    told = CliRunner().invoke(root, ["captions", file, "--out", out]).stderr
    (command,) = re.findall("`subitize (.+)`", told)
    page = tmp_path / "page.html"
    done = CliRunner().invoke(root, [*shlex.split(command), "--out", str(page)])
    assert (done.exit_code, page.exists()) == (0, True), done.stderr


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
