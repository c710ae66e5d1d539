"""Captions checked against their pictures."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from subitize.captions.images import examples
from subitize.captions.rule import Rule
from subitize.captions.taggers import open_tagger
from subitize.cli import root
from subitize.errors import BadInput
from subitize.files import csv_text


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pictures of 1 … 5 things on white, by our own drawing."""
    folder = tmp_path_factory.mktemp("pictures")
    done = CliRunner().invoke(
        root,
        ["stimuli", "naming", "--out", str(folder), "--per-cell", "1", "--categories", "apples"],
    )
    assert done.exit_code == 0, done.output
    return folder


def drawn(folder: Path) -> dict[int, Path]:
    lines = [json.loads(line) for line in (folder / "manifest.jsonl").read_text().splitlines()]
    return {one["n"]: folder / one["file"] for one in lines}


def captions(*arguments: str) -> dict[str, Any]:
    done = CliRunner().invoke(root, ["captions", *arguments, "--workers", "1", "--json"])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("kind", ["path", "bytes", "jsonl", "csv", "tsv", "bare.tsv", "csv.gz"])
def test_numbers_that_do_not_fit_are_found(pictures: Path, tmp_path: Path, kind: str) -> None:
    by_number = drawn(pictures)
    said = {1: "one apple", 2: "two apples", 3: "four red apples", 4: "4 apples", 5: "five apples"}
    texts = [*said.values(), "two apples and 3 pears", "an apple", "9 apples"]
    paths = [*(by_number[n] for n in said), by_number[1], by_number[1], tmp_path / "gone.png"]
    held: list[Any] = [str(path) for path in paths]
    if kind == "bytes":
        held = [{"bytes": path.read_bytes() if path.exists() else b"x"} for path in paths]
    file = tmp_path / f"a.{'parquet' if kind in ('path', 'bytes') else kind}"
    wanted = ["--check-images", "50"]
    if file.suffix == ".parquet":
        pq.write_table(pa.table({"text": texts, "image": held}), file)
    elif kind == "jsonl":
        both = zip(texts, held, strict=True)
        file.write_text("".join(json.dumps({"text": t, "image": p}) + "\n" for t, p in both))
    elif kind == "bare.tsv":
        lines = (f"x\t{path}\t{text}\n" for text, path in zip(texts, held, strict=True))
        file.write_text("".join(lines))
        wanted += ["--column", "3", "--image-column", "2"]
    else:
        content = csv_text(("image", "text"), zip(held, texts, strict=True)).encode()
        content = content.replace(b",", b"\t") if kind == "tsv" else content
        file.write_bytes(gzip.compress(content) if kind.endswith("gz") else content)
    result = captions(str(file), "--out", str(tmp_path / "runs"), *wanted)
    images = result["images"]
    assert (images["sample"], images["checked"], images["failed"]) == (6, 5, 1)
    assert images["misaligned"]["value"] == pytest.approx(0.2)
    assert images["misaligned"]["low"] < 0.2 < images["misaligned"]["high"]
    (wrong,) = examples(images)
    assert (wrong["number"], wrong["found"], wrong["thing"]) == (4, 3, "apples")
    assert wrong["caption"][wrong["start"] : wrong["end"]] == "four"
    folder = next((tmp_path / "runs").iterdir())
    study = [json.loads(line) for line in (folder / "study.jsonl").read_text().splitlines()]
    assert len(study) == 5  # what has no picture is no question
    assert study[0]["options"] == ["fits", "does not fit", "can't tell"]
    out = tmp_path / "report.html"
    done = CliRunner().invoke(root, ["report", str(folder), "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "[four] red apples" in out.read_text("utf-8")


def test_a_missing_column_is_said(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": ["two dogs"], "url": ["x"]}), tmp_path / "a.parquet")
    with pytest.raises(BadInput, match="--image-column"):
        captions(str(tmp_path / "a.parquet"), "--out", str(tmp_path), "--check-images", "5")


def test_addresses_and_damage_are_said(tmp_path: Path) -> None:
    out = ("--out", str(tmp_path / "runs"), "--check-images", "5")
    (tmp_path / "cc3m.tsv").write_text("two dogs\thttp://x/1.jpg\n")
    with pytest.raises(BadInput, match=r"cc3m.tsv: its pictures are addresses .*img2dataset"):
        captions(str(tmp_path / "cc3m.tsv"), *out, "--image-column", "2")
    both = tmp_path / "both"
    both.mkdir()
    (both / "bad.jsonl").write_text('{"text": "two dogs", "image": "x.png"}\n{"text": \n')
    (both / "good.jsonl").write_text('{"text": "3 dogs", "image": "y.png"}\n')
    with pytest.raises(BadInput, match=r"bad.jsonl.*--skip-damaged"):
        captions(str(both), *out)
    found = captions(str(both), *out, "--skip-damaged")["images"]
    assert (found["checked"], found["misaligned"]) == (0, None)
    assert "good.jsonl" not in found["captions"][0]["note"]
    assert "y.png" in found["captions"][-1]["note"] + found["captions"][0]["note"]


def test_things_are_named() -> None:
    rule = Rule(open_tagger())
    for caption, thing in {
        "two dogs": "dogs",
        "3 tall trees here": "trees",
        "two fire trucks": "fire trucks",
        "4 dogs in a park": "dogs",
        "5&nbsp;cats &amp; more": "cats",
    }.items():
        assert rule.thing(caption, rule.judge(caption)[0]) == thing
