"""GeckoNum as a benchmark of painters: from prompt to tables, read by counter, namer or nobody."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from PIL import Image

from subitize.benchmarks.geckonum.painting import GeckoNum
from subitize.errors import BadInput, UnknownName
from subitize.models.base import Model, ModelOptions
from subitize.models.catalog import open_model
from subitize.opening import load_stored, open_helpers, run_and_score
from subitize.runs.run import RunOptions
from tests.chat_server import completion
from tests.image_server import ImageServer

QUIET = RunOptions(progress=False)
BENCHMARK = GeckoNum()


def go(
    out: Path, model: Model, counter: str | None = None, base_url: str | None = None, **given: Any
) -> tuple[Path, Mapping[str, Any]]:
    settings = BENCHMARK.settings_from(given)
    options = ModelOptions(base_url=base_url)
    helpers = open_helpers(BENCHMARK, settings, model, counter, lambda _: options)
    outcome, stored = run_and_score(BENCHMARK, settings, model, out, QUIET, helpers)
    assert outcome.complete, outcome.problem
    return outcome.folder, stored.scores


def test_an_exact_painter_is_always_right_and_says_what_it_cannot_draw(tmp_path: Path) -> None:
    _, scores = go(
        tmp_path,
        open_model("painter/shapes?size=192"),
        tasks="1",
        types="numeric_simple,attribute-color",
        things="apple,egg,koala",
        seeds=1,
    )
    # eggs and koalas are none of its things; coloured apples are drawn in any colour
    assert scores["states"]["refused"] == 2 * 15 + 32
    assert scores["states"]["read"] == 15 + 32
    assert scores["accuracy"]["value"] == 1.0
    assert 0.9 < scores["accuracy"]["low"] < 1.0
    drawn, wanted = 15 + 32, 3 * 15 + 2 * 32
    assert scores["accuracy_refusals_wrong"]["value"] == pytest.approx(drawn / wanted)
    own = scores["pictures_by_task"]["task1"]
    assert (own["asked"], own["refused"], own["not_read"]) == (wanted, wanted - drawn, 0)
    assert own["accuracy_refusals_wrong"] == scores["accuracy_refusals_wrong"]
    [read] = scores["readings"].values()
    assert read["tables"]["table2"]["task1|painter/shapes?size=192|accuracy"]["value"] == 100
    assert read["by_number"]["10"]["trials"] == 1
    assert set(read["by_type"]) == {"numeric_simple", "attribute-color"}
    assert read["failures"]["right"]["value"] == 1.0
    assert scores["states_by_type"]["task1 numeric_simple"] == {"refused": 30, "read": 15}


def test_a_counter_is_not_asked_what_it_cannot_know(tmp_path: Path) -> None:
    """Where a thing is, Tasks 2 and 3: left for a namer or for people."""
    png = base64.b64encode(plain_picture()).decode()
    with ImageServer(lambda body, _: {"data": [{"b64_json": png}]}) as server:
        folder, scores = go(
            tmp_path,
            painter(server),
            types="attribute-spatial,approx-1-entity,fractional-complex",
            things="apple,cat,dog,fish,book,pencil,banana,vase,flower,shelf,page",
            seeds=1,
        )
    run = load_stored(folder)
    assert set(run.counted["prompt_type"]) > {"approx-1-entity"}
    for kind, state in run.counted.select("prompt_type", "state").iter_rows():
        assert state == ("read" if kind == "attribute-spatial" else "pending")
    [read] = scores["readings"].values()
    assert set(read["states"]) == {"task1"}
    asked = [one.question for one in run.trials.values() if one.stage == "read"]
    assert asked
    assert not any(" above " in one or "to the left of" in one for one in asked)


def plain_picture() -> bytes:
    kept = BytesIO()
    Image.new("RGB", (64, 64), "white").save(kept, "PNG")
    return kept.getvalue()


def painter(server: ImageServer) -> Model:
    return open_model("openai/pictures", ModelOptions(base_url=server.url))


class Observer(ImageServer):
    """Makes any picture, and answers questions of all three tasks by rule."""

    def __init__(self) -> None:
        png = base64.b64encode(plain_picture()).decode()
        super().__init__(lambda body, _: {"data": [{"b64_json": png}]})

    async def _count(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        question = str(body["messages"][-1]["content"][0]["text"])
        self.questions.append(question)
        if question.startswith("How many"):
            answer = "2"
        elif question.startswith("Which line"):
            answer = "B"
        else:
            answer = "No." if " exactly " in question or "three" in question else "Yes, it is."
        return web.json_response(completion(answer))


@pytest.mark.budget(30)
def test_a_namer_reads_all_three_tasks(tmp_path: Path) -> None:
    with Observer() as server:
        folder, scores = go(
            tmp_path,
            painter(server),
            "openai/eyes",
            server.url,
            types="numeric_sentence,approx-2-entity,approx-1-entity,part-whole",
            things="apple,kangaroo,crib,book,cat,shelf,pencil",
            seeds=2,
        )
        kinds = Counter(question.split()[0] for question in server.questions)
    [read] = scores["readings"].values()
    assert set(read["states"]) == {"task1", "task2", "task3"}
    assert all(set(states) == {"read"} for states in read["states"].values())
    cells = read["tables"]["table2"]
    name = "openai/pictures"
    # 20 sentences about apples, 4 of each number: "2" is right for a fifth
    assert cells[f"task1|{name}|accuracy"]["value"] == pytest.approx(20)
    # line B is `only one of the two` for two entities, `only a few` for one
    assert read["tables"]["figure5"][f"a few X|{name}"]["value"] == 100
    assert read["tables"]["figure5"][f"many X|{name}"]["value"] == 0
    assert read["tables"]["figure5"][f"fewer X than Y|{name}"]["value"] == 0
    # part-whole: "Are there three pencils?" is denied, everything else granted
    assert 50 < cells[f"task3|{name}|accuracy"]["value"] < 100
    assert kinds["Which"] == 2 * (6 + 3)
    listed = next(one for one in server.questions if one.startswith("Which line"))
    assert listed.splitlines()[1].startswith("A. An image")
    assert Counter(load_stored(folder).counted["choice"])["right"] == 2 * (4 + 1 + 4)


def test_without_a_reader_pictures_wait_for_people(tmp_path: Path) -> None:
    _, scores = go(
        tmp_path, open_model("painter/shapes?size=128"), "none",
        types="numeric_sentence", things="fish", seeds=1,
    )  # fmt: skip
    assert scores["states"] == {"pending": 20}
    assert scores["accuracy"] is None
    assert "--counter" in scores["undefined"]["accuracy"]


def test_prompts_from_a_file_and_by_rule_are_the_same_where_they_should(data_dir: Path) -> None:
    made = BENCHMARK.settings_from({"types": "numeric_simple", "seeds": "1"})
    read = BENCHMARK.settings_from(
        {"types": "numeric_simple", "seeds": "1", "prompts": str(data_dir / "geckonum/prompts.csv")}
    )
    assert BENCHMARK.size("paint", made, {}) == 600
    assert [one.id for one in BENCHMARK.trials("paint", made, {})] == [
        one.id for one in BENCHMARK.trials("paint", read, {})
    ]
    whole = BENCHMARK.settings_from({})
    assert BENCHMARK.size("paint", whole, {}) == 5 * 1386


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"tasks": "4"}, UnknownName),
        ({"types": "numeric_simpel"}, UnknownName),
        ({"seeds": "0"}, BadInput),
        ({"prompts": "a.csv", "recipe": "b.toml"}, BadInput),
        ({"tasks": ","}, BadInput),
    ],
)
def test_settings_that_cannot_be_run(settings: dict[str, str], problem: type[Exception]) -> None:
    with pytest.raises(problem):
        BENCHMARK.settings_from(settings)


@pytest.mark.parametrize("reader", ["sim/perfect", "sim/observer", "sim/refuser"])
def test_who_sees_nothing_can_read_no_picture(tmp_path: Path, reader: str) -> None:
    with pytest.raises(BadInput, match="sees nothing"):
        go(tmp_path, open_model("painter/shapes"), reader, types="numeric_simple", things="apple")
    assert not list(tmp_path.iterdir())


def test_a_choice_without_prompts_is_named() -> None:
    settings = BENCHMARK.settings_from({"things": "unicorn"})
    with pytest.raises(BadInput, match="unicorn"):
        list(BENCHMARK.trials("paint", settings, {}))
