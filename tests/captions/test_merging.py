"""Shards put together give what one counting gives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from subitize.captions import sources
from subitize.captions.made import made_captions
from subitize.cli import root
from subitize.errors import BadInput, WrongRun


def invoke(*arguments: str) -> dict[str, Any]:
    done = CliRunner().invoke(root, [*arguments, "--json"])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_shards_merge_to_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "BLOCK", 4096)
    texts, _ = made_captions(3000, np.random.default_rng(4))
    for name, part in (("a", texts[:2000]), ("b", texts[2000:])):
        lines = "".join(json.dumps({"caption": one}) + "\n" for one in part)
        (tmp_path / f"{name}.jsonl").write_text(lines)
    files = [str(tmp_path / f"{name}.jsonl") for name in "ab"]
    both, rows = ("--workers", "1", "--name", "all"), str(tmp_path / "rows.parquet")
    whole = invoke("captions", *files, *both, "--out", str(tmp_path / "whole"))
    for part in (1, 2, 3):
        shard = ("--shard", f"{part}/3", "--per-caption", str(tmp_path / f"{part}.parquet"))
        invoke("captions", *files, *both, "--out", str(tmp_path / str(part)), *shard)
    shards = sorted(str(path) for path in tmp_path.glob("[123]/*"))
    merged = invoke("merge", *shards, "--out", str(tmp_path / "merged"), "--per-caption", rows)
    assert {**merged, "cache": 0} == {**whole, "cache": 0}
    assert pl.read_parquet(rows)["caption"].to_list() == texts

    with pytest.raises(BadInput, match=r"Shards 2/3 are missing: found 1/3, 3/3"):
        invoke("merge", shards[0], shards[2], "--out", str(tmp_path / "less"))
    with pytest.raises(BadInput, match="given twice"):
        invoke("merge", *shards, shards[0], "--out", str(tmp_path / "twice"))
    other = invoke("captions", files[0], *both, "--out", str(tmp_path / "4"), "--shard", "2/3")
    assert other["rows"] > 0
    strange = str(next((tmp_path / "4").glob("*")))
    with pytest.raises(WrongRun, match="their files differ"):
        invoke("merge", shards[0], strange, shards[2], "--out", str(tmp_path / "strange"))
