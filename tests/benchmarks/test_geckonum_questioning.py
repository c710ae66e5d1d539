"""Questions that a language model writes, and those that the release asked."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import orjson
import polars as pl
import pytest
from aiohttp import web
from PIL import Image

from subitize.benchmark import Benchmark
from subitize.benchmarks.geckonum.metric_run import GeckoNumMetric, picture_scores
from subitize.benchmarks.geckonum.painting import GeckoNum
from subitize.benchmarks.geckonum.questioning import STYLES, read_claims
from subitize.datasets.geckonum.prompts import read_prompts
from subitize.datasets.geckonum.questions import read_questions
from subitize.errors import BadInput, UnknownName
from subitize.models.base import ModelOptions
from subitize.models.catalog import open_model
from subitize.opening import load_stored, open_helpers, run_and_score
from subitize.runs.run import RunOptions
from tests.benchmarks.geckonum_data import zipped
from tests.chat_server import completion
from tests.image_server import ImageServer

WRITTEN = """Here are the questions:
1 | 0 | Is this an image?
2 | 0 | Is there a fork?
3 | 2 | Is there one fork?
4 | 2 | Is the fork on the table?
5 | 2,3 | Is the fork broken into two pieces?
6 | 2 | How long is the fork?"""
ASKED = ["Is there a fork?", "Is there one fork?", "Is the fork broken into two pieces?"]


def test_questions_and_premises_of_a_reply() -> None:
    claims = read_claims(WRITTEN)
    assert [one.question for one in claims] == ASKED
    assert [one.premise for one in claims] == [None, 0, 1]
    assert read_claims("<think>1 | 0 | Is there a cat?</think>\n1. Is there a dog?") == [
        ("Is there a dog?", None)
    ]
    assert read_claims("**1** | 0 | Are there any tables?\n2 | 1 | Are there 2 cups?") == [
        ("Are there 2 cups?", None)
    ]
    assert read_claims("I can't help with that.") == []


def test_a_table_is_beside_the_point_in_any_words_and_a_number_on_it_is_not() -> None:
    dropped = (
        "Is there a table in the image?", "Are there any tables in this photo?",
        "Are the forks on the table in the picture?", "Is there an image?", "Is it a drawing?",
    )  # fmt: skip
    kept = ("Are three forks on the table?", "Is half a cake on the table?", "Is the table broken?")
    written = [f"{at} | 0 | {words}" for at, words in enumerate((*dropped, *kept), 1)]
    assert [one.question for one in read_claims("\n".join(written))] == list(kept)


def white() -> bytes:
    buffer = BytesIO()
    Image.new("RGB", (64, 64), "white").save(buffer, "PNG")
    return buffer.getvalue()


class Studio(ImageServer):
    """A server that paints, writes questions and says no to everything about pieces."""

    def __init__(self, written: str = WRITTEN) -> None:
        super().__init__()
        self.written = written
        self.orders: list[str] = []

    async def _make(self, request: web.Request) -> web.StreamResponse:
        return web.json_response({"data": [{"b64_json": base64.b64encode(white()).decode()}]})

    async def _count(self, request: web.Request) -> web.StreamResponse:
        content = (await request.json())["messages"][-1]["content"]
        words = content if isinstance(content, str) else content[0]["text"]
        if "Description:" in words:
            self.orders.append(words)
            return web.json_response(completion(self.written))
        self.questions.append(words)
        return web.json_response(completion("no" if "pieces" in words else "yes"))


def go(
    benchmark: Benchmark[Any], model: str, out: Path, url: str, counter: str | None, **given: Any
) -> tuple[Path, Mapping[str, Any]]:
    options = ModelOptions(base_url=url)
    settings, opened = benchmark.settings_from(given), open_model(model, options)
    helpers = open_helpers(benchmark, settings, opened, counter, lambda _: options)
    quiet = RunOptions(progress=False)
    outcome, stored = run_and_score(benchmark, settings, opened, out, quiet, helpers)
    assert outcome.complete, outcome.problem
    return outcome.folder, stored.scores


def test_task_3_with_written_questions(tmp_path: Path) -> None:
    studio, given = Studio(), {"tasks": "3", "types": "part-whole", "things": "fork", "seeds": 2}
    with studio as server:
        folder, scores = go(
            GeckoNum(), "openai/painter", tmp_path, server.url, "openai/eyes", **given,
            questioner="openai/writer", style="dsg",
        )  # fmt: skip
        asked = len(studio.orders), len(studio.questions)
        # run again: nobody is asked anything
        go(GeckoNum(), "openai/painter", tmp_path, server.url, "openai/eyes", **given,
           questioner="openai/writer")  # fmt: skip
        assert (len(studio.orders), len(studio.questions)) == asked
    assert asked == (5, 2 * 5 * len(ASKED))
    assert {words.removesuffix(" Answer yes or no.") for words in studio.questions} == set(ASKED)
    assert all(words.startswith(STYLES["dsg"]) for words in studio.orders)
    assert scores["accuracy"]["value"] == 0  # nothing is in pieces
    reading = scores["readings"]["openai/eyes"]
    assert reading["tables"]["table2"]["task3|openai/painter|accuracy"]["value"] == pytest.approx(
        100 * 2 / 3
    )
    answers = load_stored(folder).answers
    assert answers.filter(answers["stage"] == "questions")["respondent"].unique().to_list() == [
        "openai/writer"
    ]
    info = orjson.loads((folder / "run.json").read_bytes())
    assert info["helpers"]["questioner"]["name"] == "openai/writer"
    assert all(len(own) == 3 for own in info["decisions"]["questions"].values())


def test_a_reply_without_questions_leaves_those_by_rule(tmp_path: Path) -> None:
    studio = Studio("I can't help with that.")
    with studio as server:
        go(GeckoNum(), "openai/painter", tmp_path, server.url, "openai/eyes", tasks="3",
           types="part-whole", things="fork", seeds=1, questioner="openai/writer")  # fmt: skip
    assert "Is the fork broken? Answer yes or no." in studio.questions


@pytest.mark.parametrize(("style", "score"), [("dsg", 1 / 3), ("tifa", 2 / 3), ("gecko", 2 / 3)])
def test_metrics_with_written_questions(tmp_path: Path, style: str, score: float) -> None:
    """Only the first of three questions is yes, so what rests on the second has no premise."""
    written = WRITTEN.replace("Is there one fork?", "Is the fork in pieces?").replace(
        "Is the fork broken into two pieces?", "Is the fork old?"
    )
    pictures = tmp_path / "pictures" / "mine"
    pictures.mkdir(parents=True)
    (pictures / "geckonum_01005_0.png").write_bytes(white())
    studio = Studio(written)
    with studio as server:
        folder, scores = go(
            GeckoNumMetric(), "openai/eyes", tmp_path / "runs", server.url, None,
            pictures=str(pictures.parent), questioner="openai/writer", style=style,
        )  # fmt: skip
    assert len(studio.orders) == 1  # only prompts that have a picture
    assert scores["means"][style]["mine"]["value"] == pytest.approx(score)
    assert picture_scores(load_stored(folder).counted)["metric"].to_list() == [style]


def test_a_yes_counts_only_if_all_that_it_rests_on_is_yes() -> None:
    """Of a chain of four the second is no; the fifth rests on nothing."""
    said = ["yes", "no", "yes", "yes", "yes"]
    rests = [None, 0, 1, 2, None]
    answers = pl.DataFrame({
        "painter": "mine", "dataset_id": "a", "picture": 0, "style": "dsg", "stage": "ask",
        "state": "read", "place": range(5), "premise": rests, "choice": said,
        "number": pl.Series([None] * 5, dtype=pl.Float64),
        "asked": pl.Series([None] * 5, dtype=pl.Int64), "note": "",
    })  # fmt: skip
    for table in (answers, answers.reverse()):
        assert picture_scores(table)["score"].to_list() == [2 / 5]


def test_prompts_of_other_types(tmp_path: Path) -> None:
    """With a questioner any prompt can be asked about."""
    prompts = tmp_path / "prompts.csv"
    prompts.write_text(
        "index,prompt,has_numeral,is_frequent,entities,prompt_type,dataset_id\n"
        "0,A broken fork under a bridge.,0,-1,fork:1,free,mine_0\n"
    )
    studio = Studio()
    with studio as server:
        _, scores = go(
            GeckoNum(), "openai/painter", tmp_path, server.url, "openai/eyes", seeds=1,
            prompts=str(prompts), questioner="openai/writer",
        )  # fmt: skip
    assert scores["states_by_type"] == {"task3 free": {"read": 1}}
    assert studio.orders[0].endswith("Description: A broken fork under a bridge.")


def test_settings_that_contradict() -> None:
    with pytest.raises(UnknownName):
        GeckoNum().settings_from({"style": "vqa2"})
    with pytest.raises(BadInput, match="Both questions and questioner"):
        GeckoNum().settings_from({"questions": "a.csv", "questioner": "openai/x"})


def test_a_setting_nobody_uses_is_no_part_of_a_run() -> None:
    usual = GeckoNum().settings_from({})
    assert not {"questioner", "style"} & usual.identity().keys()
    written = GeckoNum().settings_from({"questioner": "openai/x"})
    assert written.identity() == {**usual.identity(), "questioner": "openai/x"}


def test_the_released_questions(data_dir: Path) -> None:
    folder = data_dir / "geckonum"
    prompts = [one for one in read_prompts(folder / "prompts.csv") if ":" in one.entities]
    found = read_questions(folder / "geckonum_annotations.zip", prompts)
    asked = [one for one in found if one.task == 3]
    assert (len({one.dataset_id for one in asked}), len(asked)) == (57, 208)
    assert asked[0].question == "Is there a loaf of bread?"
    settings = {"tasks": "3", "seeds": "1", "prompts": str(folder / "prompts.csv"),
                "questions": str(folder / "geckonum_annotations.zip")}  # fmt: skip
    chosen = GeckoNum().settings_from(settings)
    assert GeckoNum().size("paint", chosen, {}) == 57


def test_an_archive_without_questions(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"task_1_mine.csv": "image_id,question\nx_0,How many?\n"})
    with pytest.raises(BadInput, match="holds no yes/no questions"):
        read_questions(path, [])
