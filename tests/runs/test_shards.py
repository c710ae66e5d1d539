"""Shards of a run: disjoint, resumable, and merged as if there had been one run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from subitize.cli import root
from subitize.errors import BadInput, UsageError, WrongRun

NAMING = (
    "run", "naming", "--model", "sim/observer?w=0.3", "--per-cell", "2", "--max", "4",
    "--categories", "dots,apples", "--size", "128",
)  # fmt: skip
FIXED = (*NAMING, "--prompt", "things", "--set", "control=false")
PRODUCTION = (
    "run", "production", "--model", "painter/shapes", "--per-cell", "2", "--max", "3",
    "--categories", "dots,apples", "--prompt", "plain",
)  # fmt: skip


def invoke(*arguments: str, expect: int = 0) -> Result:
    done = CliRunner().invoke(root, arguments)
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == expect, done.output
    return done


def only(folder: Path) -> Path:
    (found,) = folder.iterdir()
    return found


def shards_of(command: tuple[str, ...], out: Path, parts: int, expect: int = 0) -> list[str]:
    for part in range(1, parts + 1):
        invoke(*command, "--out", str(out), "--shard", f"{part}/{parts}", expect=expect)
    return [str(one) for one in sorted(out.glob(f"*-?of{parts}"))]


def information(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "run.json").read_text())
    return found


def asked(folder: str | Path, stage: str = "") -> list[str]:
    trials = [json.loads(line) for line in (Path(folder) / "trials.jsonl").read_text().splitlines()]
    return [one["id"] for one in trials if one["stage"] == stage or not stage]


def merge(shards: list[str], out: Path, expect: int = 0) -> Result:
    return invoke("merge", *shards, "--out", str(out), expect=expect)


@pytest.mark.parametrize("command", [FIXED, PRODUCTION], ids=["naming", "production"])
def test_shards_merge_to_the_whole(tmp_path: Path, command: tuple[str, ...]) -> None:
    invoke(*command, "--out", str(tmp_path / "whole"))
    shards = shards_of(command, tmp_path / "shards", 3)
    parts = [set(asked(one)) for one in shards]
    assert all(parts)
    assert sum(map(len, parts)) == len(set.union(*parts)), "a trial was asked in two shards"
    merge(shards, tmp_path / "merged")
    whole, merged = only(tmp_path / "whole"), only(tmp_path / "merged")
    assert whole.name == merged.name
    assert (merged / "scores.json").read_bytes() == (whole / "scores.json").read_bytes()
    assert set(asked(merged)) == set(asked(whole))
    before = (merged / "responses.jsonl").read_bytes()
    merge(shards, tmp_path / "merged")
    invoke(*command, "--out", str(tmp_path / "merged"))
    assert (merged / "responses.jsonl").read_bytes() == before, "something was asked or taken twice"
    assert (merged / "scores.json").read_bytes() == (whole / "scores.json").read_bytes()


def test_a_picture_that_changed_or_is_gone_is_named(tmp_path: Path) -> None:
    shards = shards_of(PRODUCTION, tmp_path / "shards", 2)
    picture = next((Path(shards[1]) / "images").iterdir())
    before = picture.read_bytes()
    picture.write_bytes(before + b"x")
    with pytest.raises(WrongRun, match="is not the picture that was received"):
        merge(shards, tmp_path / "merged")
    picture.unlink()
    with pytest.raises(BadInput, match=f"{picture.name}: No such file.*Put it back"):
        merge(shards, tmp_path / "merged")
    picture.write_bytes(before)
    merge(shards, tmp_path / "merged")


def test_a_shard_that_lags_behind_is_named_and_taken_in_later(tmp_path: Path) -> None:
    invoke(*FIXED, "--out", str(tmp_path / "whole"))
    shards = shards_of(FIXED, tmp_path / "shards", 3)
    late = next(Path(one) for one in shards if information(Path(one))["shard"] == [2, 3])
    lines = (late / "responses.jsonl").read_bytes().splitlines(keepends=True)
    (late / "responses.jsonl").write_bytes(b"".join(lines[:2]))  # as a kill leaves it
    information_ = information(late)
    del information_["ended"]
    (late / "run.json").write_text(json.dumps(information_))
    said = merge(shards, tmp_path / "merged", expect=1)
    assert "shard 2/3 has not come to its end" in said.stderr
    assert f"in the shards' own folder: --out {tmp_path / 'shards'}." in said.stderr
    invoke(*FIXED, "--out", str(tmp_path / "shards"), "--shard", "2/3")
    again = (late / "responses.jsonl").read_bytes().splitlines(keepends=True)
    assert again[:2] == lines[:2]
    assert len(again) == len(lines)
    merge(shards, tmp_path / "merged")
    scores = [only(tmp_path / one) / "scores.json" for one in ("merged", "whole")]
    assert scores[0].read_bytes() == scores[1].read_bytes()


def test_decisions_wait_for_all_shards(tmp_path: Path) -> None:
    """The best prompt is chosen on all pictures of the pilot: merge, then go on."""
    invoke(*NAMING, "--out", str(tmp_path / "whole"))
    out = tmp_path / "shards"
    shards = shards_of(NAMING, out, 2, expect=1)
    assert not any(information(Path(one))["decisions"] for one in shards)
    said = merge(shards, out, expect=1)
    assert "has not come to its end" in said.stderr
    assert shards_of(NAMING, out, 2) == shards
    merge(shards, out)
    whole = only(tmp_path / "whole")
    assert (out / whole.name / "scores.json").read_bytes() == (whole / "scores.json").read_bytes()


def test_what_cant_be_merged_is_named(tmp_path: Path) -> None:
    shards = shards_of(FIXED, tmp_path / "three", 3)
    other = shards_of(FIXED, tmp_path / "two", 2)
    strange = shards_of((*FIXED, "--seed", "5"), tmp_path / "strange", 3)
    invoke(*FIXED, "--out", str(tmp_path / "whole"))
    out = tmp_path / "out"
    by_part = {information(Path(one))["shard"][0]: one for one in shards}
    strange_second = next(one for one in strange if information(Path(one))["shard"] == [2, 3])
    with pytest.raises(BadInput, match=r"Shards 2/3 are missing: found 1/3, 3/3"):
        merge([by_part[1], by_part[3]], out)
    with pytest.raises(BadInput, match="given twice"):
        merge([*shards, shards[0]], out)
    with pytest.raises(BadInput, match="different divisions overlap"):
        merge([*shards, other[0]], out)
    with pytest.raises(WrongRun, match="their settings differ"):
        merge([by_part[1], strange_second, by_part[3]], out)
    with pytest.raises(WrongRun, match="is a whole run"):
        merge([str(only(tmp_path / "whole")), *shards], out)
    with pytest.raises(WrongRun, match="not a run folder"):
        merge([str(tmp_path)], out)
    with pytest.raises(UsageError, match="--per-caption is for shards of captions"):
        invoke("merge", *shards, "--out", str(out), "--per-caption", str(tmp_path / "x.parquet"))
    for key, value, said in (("ended", 3, "it lacks ended"), ("shard", "x", "is a whole run")):
        kept = (Path(by_part[2]) / "run.json").read_text()
        (Path(by_part[2]) / "run.json").write_text(json.dumps({**json.loads(kept), key: value}))
        with pytest.raises(WrongRun, match=said):
            merge(shards, out)
        (Path(by_part[2]) / "run.json").write_text(kept)
    assert not out.exists(), "nothing is made of what can't be merged"


@pytest.mark.parametrize("shard", ["0/3", "4/3", "x", "1/0", "٣/٤"])
def test_a_wrong_shard_is_said(tmp_path: Path, shard: str) -> None:
    for command in (("captions", str(tmp_path)), FIXED):
        with pytest.raises(BadInput, match="such as 2/10"):
            invoke(*command, "--shard", shard)
