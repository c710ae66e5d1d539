"""The front door: `import subitize`, in a script, a notebook or a thread."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import polars as pl
import pytest

import subitize
from subitize.errors import BadInput, UnknownName
from subitize.models.base import Item, Model, Reply
from subitize.models.function import function_model
from subitize.readers import text
from subitize.records import USAGE, Response, Score, Trial

SMALL = {"per_cell": 2, "max": 3, "size": 64, "prompt": "things", "categories": ("dots",)}


def says_two(picture: bytes, question: str) -> str:
    assert picture.startswith(b"\x89PNG")
    assert question == "How many things are there in the picture?"
    return "I see 2 of them."


def test_all_names_are_there_and_nothing_else() -> None:
    assert sorted(subitize.__all__) == [
        "Plan", "Reading", "Response", "Run", "Score", "Stimulus", "Trial", "Votes", "__version__",
        "compare", "draw", "load", "open_model", "plan", "read_number", "report", "run",
    ]  # fmt: skip
    for name in subitize.__all__:
        assert getattr(subitize, name) is not None
    assert dir(subitize) == sorted(subitize.__all__)
    with pytest.raises(AttributeError, match="no attribute 'plans'"):
        _ = subitize.plans  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("program", "heavy"),
    [("import subitize; subitize.__all__", {"numpy", "aiohttp", "PIL"}),
     ("from subitize import *", set())],
)  # fmt: skip
def test_importing_loads_nothing_heavy(program: str, heavy: set[str]) -> None:
    program += "; import sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert not loaded & {"polars", "scipy", "matplotlib", *heavy}


def test_a_function_is_measured_and_loaded_again(tmp_path: Path) -> None:
    run = subitize.run("naming", model=says_two, out=tmp_path, control=False, **SMALL)
    found = run.scores["accuracy"]
    assert isinstance(found, Score)
    assert found.value == pytest.approx(1 / 3)
    assert found.low is not None
    assert found.trials == 6
    assert run.info["model"]["name"] == "function/says_two"
    assert run.answers.filter(pl.col("counts"))["number"].to_list() == [2.0] * 6
    again = subitize.load(run.folder)
    assert dict(again.scores) == dict(run.scores)
    assert again.answers.equals(run.answers)
    page = subitize.report([again.folder], tmp_path / "report.html")
    assert "function/says_two" in page.read_text()
    # A run that is given twice is one run.
    twice = subitize.report([run, again], tmp_path / "twice.html")
    assert twice.read_bytes() == page.read_bytes()
    with pytest.raises(BadInput, match="There is 1 run to compare"):
        subitize.compare([run, again])


def test_the_same_run_made_twice_is_told_apart_by_where_it_lies(tmp_path: Path) -> None:
    runs = [
        subitize.run("naming", model=says_two, out=tmp_path / name, control=False, **SMALL)
        for name in ("here", "there")
    ]
    name = runs[0].folder.name
    assert runs[1].folder.name == name
    found = subitize.compare(runs)[0]
    told = [f"function/says_two ({place}/{name})" for place in ("here", "there")]
    assert [found.first, found.second] == told
    page = subitize.report(runs, tmp_path / "report.html").read_text()
    assert all(label in page for label in told)


def test_an_edited_function_is_another_run(tmp_path: Path) -> None:
    folders = []
    for answer in ("2", "3"):
        code = f"def mine(picture, question):\n    return {answer!r}\n"
        place: dict[str, object] = {}
        exec(compile(code, "<cell>", "exec"), place)
        run = subitize.run("naming", place["mine"], out=tmp_path, control=False, **SMALL)  # type: ignore[arg-type]
        folders.append(run.folder)
    assert folders[0] != folders[1]


def always(answer: str) -> Callable[[bytes, str], str]:
    return lambda picture, question: answer


class Asker:
    def __init__(self, answer: str) -> None:
        self.answer = answer
        self.calls = 0

    def __call__(self, picture: bytes, question: str) -> str:
        self.calls += 1
        return self.answer

    def ask(self, picture: bytes, question: str) -> str:
        return self(picture, question)


class WaitingAsker:
    async def __call__(self, picture: bytes, question: str) -> str:
        return "2"


PAIRS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "a factory's": (always("2"), always("3")),
    "on one line": (lambda picture, question: "2", lambda picture, question: "3"),
    "defaults": (lambda p, q, a="2": a, lambda p, q, a="3": a),
    "partial": (partial(says_two), partial(says_two, question="x")),
    "objects": (Asker("2"), Asker("3")),
    "methods": (Asker("2").ask, Asker("3").ask),
}


@pytest.mark.parametrize("kind", PAIRS)
def test_functions_that_differ_in_what_they_hold_are_different_models(kind: str) -> None:
    first, second = (function_model(one) for one in PAIRS[kind])
    assert first.respondent == second.respondent
    assert first.revision != second.revision
    assert function_model(PAIRS[kind][0]).revision == first.revision


def test_an_object_that_is_called_is_the_same_model_in_another_process(tmp_path: Path) -> None:
    asker = Asker("2")
    run = subitize.run("naming", asker, out=tmp_path, control=False, **SMALL)
    assert run.info["model"]["name"] == "function/Asker"
    assert asker.calls == 6
    program = (
        "from tests.test_api import *\n"
        "import sys; asker = Asker('2'); asker.calls = 5\n"
        "subitize.run('naming', asker, out=sys.argv[1], control=False, **SMALL)\n"
        "print(asker.calls)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[1],
    )
    assert done.stdout.split() == ["5"]


def test_functions_that_wait_are_awaited(tmp_path: Path) -> None:
    run = subitize.run("naming", WaitingAsker(), out=tmp_path, control=False, **SMALL)
    assert set(run.answers["value"]) == {"2"}

    async def paint(prompt: str) -> bytes:
        return subitize.draw("apples", int(prompt.split()[3]), size=128).png

    run = subitize.run(
        "production", paint, kind="painter", out=tmp_path, per_cell=1, max=2,
        categories=("apples",), counter="counter/blobs",
    )  # fmt: skip
    assert run.scores["accuracy"].value == 1.0


class Wordless(Exception):
    def __str__(self) -> str:
        raise RuntimeError("it has no words")


def wordless(picture: bytes, question: str) -> str:
    raise Wordless


@pytest.mark.parametrize(
    ("model", "told"),
    [(wordless, "Wordless"),
     (lambda picture, question: None, "its text is of the type NoneType"),
     (lambda picture, question: b"3", "its text is of the type bytes")],
)  # fmt: skip
def test_a_function_that_gives_no_text_fails_and_is_not_read(
    tmp_path: Path, model: Any, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run = subitize.run("naming", model=model, out=tmp_path, control=False, **SMALL)
    assert run.scores["states"] == {"failed": 6}
    assert set(run.answers["note"]) == {told}
    assert f"; 6 trials failed, last with: {told})" in repr(run)
    assert repr(run) in capsys.readouterr().err  # a script hears it without looking


def test_a_number_is_as_good_as_its_digits(tmp_path: Path) -> None:
    run = subitize.run("naming", model=lambda p, q: np.int64(2), out=tmp_path, **SMALL)
    assert set(run.answers["value"]) == {"2"}


def test_a_function_that_paints(tmp_path: Path) -> None:
    def paint(prompt: str) -> bytes:
        n = int(prompt.split()[3])
        return subitize.draw("apples", n, size=128).png

    run = subitize.run(
        "production", paint, kind="painter", out=tmp_path, per_cell=1, max=3,
        categories=("apples",), counter="counter/blobs",
    )  # fmt: skip
    assert run.scores["accuracy"].value == 1.0
    assert set(run.answers["respondent"]) == {"function/paint", "counter/blobs"}


def test_it_works_where_a_loop_runs_and_from_a_thread(tmp_path: Path) -> None:
    async def cell() -> float:
        run = subitize.run("naming", "sim/perfect", out=tmp_path / "loop", **SMALL)
        return run.scores["accuracy"].value

    assert asyncio.run(cell()) == 1.0
    found: list[float] = []

    def beside() -> None:
        run = subitize.run("naming", "sim/perfect", out=tmp_path / "thread", **SMALL)
        found.append(run.scores["accuracy"].value)

    thread = threading.Thread(target=beside)
    thread.start()
    thread.join()
    assert found == [1.0]


def test_mistakes_are_told(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="setting of naming 'per_sell': did you mean 'per_cell'"):
        subitize.run("naming", "sim/perfect", out=tmp_path, per_sell=3)
    with pytest.raises(UnknownName, match="no engine 'rai'"):
        subitize.run("naming", "sim/perfect", out=tmp_path, engine="rai")
    with pytest.raises(UnknownName, match="reader of numbers"):
        subitize.read_number("7", reader="lax")
    with pytest.raises(BadInput, match="can be a namer or a painter"):
        subitize.run("naming", says_two, out=tmp_path, kind="counter")
    with pytest.raises(UnknownName, match="no kind of model 'paintr': did you mean 'painter'"):
        subitize.run("naming", says_two, out=tmp_path, kind="paintr")  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="The reply is None: give its text"):
        subitize.read_number(None)  # type: ignore[arg-type]
    for wrong in (3, None, Asker):
        with pytest.raises(BadInput, match="give a name such as"):
            subitize.run("naming", wrong, out=tmp_path)  # type: ignore[arg-type]
    for setting in ({"per_cell": 2.5}, {"per_cell": None}, {"control": 1}, {"categories": 3}):
        with pytest.raises(BadInput, match=f"setting {next(iter(setting))} is .*: give "):
            subitize.run("naming", "sim/perfect", out=tmp_path, **setting)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


def test_settings_of_a_program_are_those_of_the_command_line(tmp_path: Path) -> None:
    typed = {**SMALL, "per_cell": np.int64(2), "categories": ["dots"], "size": "64"}
    one, two = (subitize.run("naming", "sim/perfect", out=tmp_path, **x) for x in (SMALL, typed))
    assert one.folder == two.folder
    page = subitize.report(str(one.folder), tmp_path / "report.html")
    assert "sim/perfect" in page.read_text()


def test_numbers_are_read_and_pictures_drawn() -> None:
    assert subitize.read_number("So there are 12 in total.", reader="final").number == 12
    assert subitize.read_number("a few").state == "vague"
    picture = subitize.draw("dots", 5, size=128)
    assert picture.png.startswith(b"\x89PNG")
    assert picture.facts["n"] == 5
    assert len(repr(picture)) < 100  # a notebook shows the picture, a terminal its hash
    assert picture._repr_png_() == picture.png


def test_what_stays_public() -> None:
    """Other packages stand on these names."""
    reply = Reply("text", "7")
    assert (reply.kind, reply.value, reply.stop) == ("text", "7", "stop")
    assert {"trial", "question", "picture", "options", "thing", "seed"} <= {
        one.name for one in fields(Item)
    }
    assert {"kinds", "batch_size", "concurrency", "paid", "isolated"} <= set(Model.__annotations__)
    assert text.strict("7").number == text.final("7").number == 7
    assert {one.name for one in fields(Response)} == {
        "trial", "respondent", "settings_hash", "sample", "attempt", "kind", "value", "stop",
        "usage", "seconds", "sha256", "note", "facts",
    }  # fmt: skip
    assert {one.name for one in fields(Trial)} == {
        "id", "benchmark", "version", "stage", "stimulus", "question", "options", "target",
        "target_choice", "condition",
    }  # fmt: skip


def test_the_lines_of_a_run_have_the_public_fields(tmp_path: Path) -> None:
    run = subitize.run("naming", says_two, out=tmp_path, control=False, **SMALL)
    response = orjson.loads((run.folder / "responses.jsonl").read_bytes().splitlines()[0])
    assert set(response) == {one.name for one in fields(Response)}
    assert response["value"] == "I see 2 of them."
    assert set(response["usage"]) == set(USAGE)
    trial = orjson.loads((run.folder / "trials.jsonl").read_bytes().splitlines()[0])
    assert set(trial) == {one.name for one in fields(Trial)}
    assert isinstance(trial["condition"], dict)
