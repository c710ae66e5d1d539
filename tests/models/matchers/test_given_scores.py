"""Matchers that nothing here can load: scores in a file, a server, the way from end to end."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from subitize.errors import BadInput, Hopeless, ModelError, Retryable
from subitize.models.base import Item, ModelOptions, Reply
from subitize.models.catalog import open_model
from subitize.runs.plan import read_trials
from tests.models.counters.test_http import answering
from tests.models.test_hf_namers import picture

ROOT = Path(__file__).parents[3]
SENTENCES = ("two dogs", "three dogs")


def subitize(*words: str | Path, fails: int = 0) -> Any:
    """What a command prints, as JSON; or its message where it must fail."""
    done = subprocess.run(
        [sys.executable, "-m", "subitize", *map(str, words)],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == fails, done.stderr
    return done.stderr if fails else json.loads(done.stdout)


def write_scores(folder: Path, ending: str = "csv") -> Path:
    """The probe's sentences of twelve items, scored by the length of their words."""
    subitize("probe", "sentences", "--out", folder, "--set", "items=12", "--json")
    table = pl.read_ndjson(folder / "sentences.jsonl")
    scored = table.with_columns(score=1 / (1 + pl.col("sentence").str.len_bytes()))
    path = folder / f"scores.{ending}"
    {"csv": scored.write_csv, "parquet": scored.write_parquet, "jsonl": scored.write_ndjson}[
        ending
    ](path)
    return path


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_scores_made_elsewhere_answer_a_run(tmp_path: Path, ending: str) -> None:
    path = write_scores(tmp_path / "given", ending)
    shown = list((tmp_path / "given" / "pictures").iterdir())
    assert len(shown) == 12
    assert all(one.read_bytes().startswith(b"\x89PNG") for one in shown)
    [scores] = subitize(
        "run", "probe", "--model", f"matcher/scores?file={path}", "--set", "items=12", "--out",
        tmp_path / "runs", "--json",
    )  # fmt: skip
    assert scores["states"] == {"read": 12}
    assert scores["calibrated"] is True
    [folder] = (tmp_path / "runs").iterdir()
    trials = {one.id: one for one in read_trials(folder)}
    for line in (folder / "responses.jsonl").read_text().splitlines():
        # every sentence got its own score, whatever its place
        entry = json.loads(line)
        wanted = [1 / (1 + len(one)) for one in trials[entry["trial"]].options]
        assert json.loads(entry["value"])["scores"] == pytest.approx(wanted)


def test_what_the_file_lacks_is_told_and_asked_again_later(tmp_path: Path) -> None:
    path = write_scores(tmp_path / "given")
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:-1]))
    command = ("run", "probe", "--model", f"matcher/scores?file={path}", "--set", "items=12",
               "--out", tmp_path / "runs")  # fmt: skip
    said = subitize(*command, fails=1)
    assert "no score for 1 of 4 sentences" in said
    assert "1 trials failed" in said


@pytest.mark.parametrize(("text", "words"), [
    ("sha256,sentence,score\nab,two,1.5\nab,three,x\n", "2 lines .*1.5 lies outside .*'x' is no"),
    ("sha256,sentence,score\nab,two,.5\nab,two,.6\n", "another score .* stands above"),
    ("sha256,sentence\nab,two\n", "lacks the column score"),
    ("sha256,sentence,score\n", "holds no score"),
    ("sha256,sentence,score\nab,two,\n", "'' is no finite number"),
])  # fmt: skip
def test_a_file_that_can_t_be_used(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(text)
    with pytest.raises(BadInput, match=words):
        open_model(f"matcher/scores?file={path}")


def test_no_file_and_uncalibrated_scores(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="needs a file"):
        open_model("matcher/scores")
    with pytest.raises(BadInput, match="Can't read the scores"):
        open_model("matcher/scores?file=nowhere.csv")
    path = tmp_path / "s.csv"
    path.write_text("sha256,sentence,score\nab,two,7.5\n")
    model = open_model(f"matcher/scores?file={path}&calibrated=false&unit=cosine")
    assert model.settings == {"calibrated": False, "unit": "cosine"}
    path.write_text("sha256,sentence,score\nab,two,7.6\n")
    again = open_model(f"matcher/scores?file={path}&calibrated=false&unit=cosine")
    assert again.settings_hash != model.settings_hash


@pytest.fixture(scope="module")
def example() -> Iterator[str]:
    """The example server, started as its first lines say."""
    with subprocess.Popen(
        [sys.executable, str(ROOT / "examples" / "matcher_server.py"), "--port", "0"],
        stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()


def test_the_example_server_answers_a_run(example: str, tmp_path: Path) -> None:
    [scores] = subitize(
        "run", "probe", "--model", f"matcher/http?url={example}&trained_on=coco", "--set",
        "items=8", "--set", "task=alignment", "--out", tmp_path, "--json",
    )  # fmt: skip
    assert scores["states"] == {"read": 8}
    assert scores["zero_shot"] is True  # trained on COCO, asked about our scenes
    assert scores["acc_r"]["value"] is not None


def ask(url: str) -> Reply:
    model: Any = open_model(f"matcher/http?url={url}", ModelOptions(timeout=900))

    async def once() -> Any:
        try:
            return (await model.match([Item("t", "?", picture(20, 20), SENTENCES)]))[0]
        finally:
            await model.close()

    found: Reply = asyncio.run(once())
    return found


@pytest.mark.parametrize(("status", "body", "error", "words"), [
    (200, b"<html>", Retryable, "no JSON"),
    (200, b'{"scores": [0.5]}', ModelError, "1 scores for 2 sentences"),
    (200, b'{"score": 1}', ModelError, "no scores for 2 sentences"),
    (200, b'{"scores": [0.5, 1.5], "calibrated": true}', ModelError, "1.5 lies outside"),
    (200, b'{"scores": [0.5, "a"]}', ModelError, "'a' is no finite number"),
    (200, b'{"scores": [1, 2], "calibrated": "yes"}', ModelError, "must say `calibrated`"),
    (422, b'{"error": "too dark"}', ModelError, "matcher refused this picture: .*too dark"),
    (503, b"later", Retryable, "503"),
    (404, b"nothing here", Hopeless, "Check url="),
])  # fmt: skip
def test_servers_that_misbehave(
    status: int, body: bytes, error: type[Exception], words: str
) -> None:
    with answering(status, body) as (url, _), pytest.raises(error, match=words):
        ask(url)


def test_scores_that_are_no_probabilities_stay_so() -> None:
    with answering(200, b'{"scores": [-3, 8.5]}') as (url, _):
        assert ask(url).value == {"scores": [-3.0, 8.5], "calibrated": False, "unit": "score"}
    with pytest.raises(BadInput, match="needs an address: matcher/http"):
        open_model("matcher/http")
