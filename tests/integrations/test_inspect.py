"""Our benchmarks as tasks of Inspect, its logs as run folders, its providers as namers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zlib
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import ModelOutput, ModelUsage, modelapi
from inspect_ai.model._providers.mockllm import MockLLM
from inspect_ai.solver import chain_of_thought, generate

from subitize.cli import main
from subitize.errors import UsageError
from subitize.integrations import inspect_tasks
from subitize.integrations.inspect_logs import import_log
from subitize.opening import load_stored
from subitize.runs.stored import score_run
from tests.chat_server import ChatServer

SMALL: dict[str, Any] = {"per_cell": 2, "max": 3, "size": 96}
USED = ModelUsage(input_tokens=30, output_tokens=2, total_tokens=32)
WORDS = ("There are {}.", "About {}.", "**{}**", "I see {} of them.", "I can't tell.")


def said(question: str, picture: str) -> str:
    """A reply that depends on what is asked only, of every sort that the reader knows."""
    number = zlib.crc32(f"{question} {picture}".encode())
    if "represent" in question:
        return "Three apples." if number % 3 else "A dog."
    return WORDS[number % len(WORDS)].format(1 + number % 7)


def answered(messages: Any, *_: Any) -> ModelOutput:
    """Inspect's own mock model with this answer and its usage."""
    text, image = messages[-1].content
    head, _, data = image.image.partition(",")
    assert head == "data:image/png;base64"
    assert data
    output = ModelOutput.from_content("played", said(text.text, image.image))
    output.usage = USED
    return output


@modelapi(name="played")
def played() -> type[MockLLM]:
    class Played(MockLLM):
        def __init__(self, model_name: str, *args: Any, **model_args: Any) -> None:
            super().__init__(model_name, *args, custom_outputs=answered, **model_args)

    return Played


def evaluated(task: Task, folder: Path, **how: Any) -> EvalLog:
    (log,) = inspect_eval(
        task, model=how.pop("model", "played/one"), log_dir=str(folder), display="none", **how
    )
    return log


def scores_in(folder: Path) -> bytes:
    return (folder / "scores.json").read_bytes()


def imported(log: EvalLog, out: Path) -> Path:
    folder = import_log(Path(log.location), out).folder
    score_run(load_stored(folder))
    return folder


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("naming", SMALL),
        ("naming", {**SMALL, "prompt": "things", "control": False, "reader": "final"}),
        ("capture", {"items": 6, "size": 96, "prompt": "as-if-no-box"}),
        ("probe", {"task": "vqa", "items": 12, "size": 96}),
        ("probe", {"task": "counting", "items": 6, "size": 96}),
    ],
)
@pytest.mark.budget(15)
def test_a_log_scores_as_our_own_run_does(
    name: str, settings: dict[str, Any], tmp_path: Path
) -> None:
    log = evaluated(getattr(inspect_tasks, name)(**settings), tmp_path / "logs")
    assert log.status == "success", log.error
    brought = imported(log, tmp_path / "brought")

    reader = settings.pop("reader", None)
    more = ["--reader", reader] if reader else []
    assert run(name, settings, tmp_path / "own", *more) == 0
    own = tmp_path / "own" / brought.name
    assert scores_in(own) == scores_in(brought)
    left, right = (json.loads((one / "run.json").read_text()) for one in (own, brought))
    assert left["decisions"] == right["decisions"]
    assert lines(own / "trials.jsonl") == lines(brought / "trials.jsonl")
    assert replies(own) == replies(brought)


def run(name: str, settings: dict[str, Any], out: Path, *more: str) -> int:
    """`subitize run` of the same model; its exit code."""
    given = [f"--set={key}={value}" for key, value in settings.items()]
    model = () if "--model" in more else ("--model", "inspect/played/one")
    with pytest.raises(SystemExit) as end:
        main(["run", name, "--out", str(out), *model, *given, *more])
    return int(end.value.code or 0)


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines()


def replies(folder: Path) -> list[dict[str, Any]]:
    """Every response but how long it took, in the order of their keys."""
    found = [json.loads(line) for line in lines(folder / "responses.jsonl")]
    return sorted(
        ({**one, "seconds": 0} for one in found), key=lambda one: (one["trial"], one["sample"])
    )


@pytest.mark.budget(60)
def test_the_command_of_inspect_and_ours_ask_a_real_server_the_same(tmp_path: Path) -> None:
    assert "subitize" in {one.name for one in entry_points(group="inspect_ai")}
    with ChatServer() as server:
        env = {**os.environ, "PLAYED_API_KEY": "none", "PLAYED_BASE_URL": server.url}
        given = [word for key, value in SMALL.items() for word in ("-T", f"{key}={value}")]
        model, where = "openai-api/played/tiny", tmp_path / "logs"
        command = ["inspect", "eval", "subitize/naming", "--model", model, *given]
        command += ["--temperature", "0", "--log-dir", str(where), "--display", "none"]
        done = subprocess.run(
            [str(Path(sys.executable).with_name(command[0])), *command[1:]],
            env=env, cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        (log,) = where.glob("*.eval")
        asked = len(server.seen)
        assert asked == len(set(server.seen)) == 3 * 2 * 3 * 5 + 2 * 3
        brought = subitize_command(
            env, "import", "inspect", str(log), "--out", "brought", "--json", cwd=tmp_path
        )
        folder = tmp_path / json.loads(brought)["folder"]

        own = ["run", "naming", "--model", f"inspect/{model}", "--temperature", "0", "--json"]
        own += [f"--set={key}={value}" for key, value in SMALL.items()]
        # the imported run is complete: nobody is asked
        again = subitize_command(env, *own, "--out", "brought", cwd=tmp_path)
        assert len(server.seen) == asked
        fresh = subitize_command(env, *own, "--out", "own", cwd=tmp_path)
        assert len(server.seen) == 2 * asked
        assert server.pictures_ok
    assert json.loads(again) == json.loads(fresh) == [json.loads(brought)["scores"]]
    assert scores_in(tmp_path / "own" / folder.name) == scores_in(folder)


def subitize_command(env: dict[str, str], *words: str, cwd: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "subitize", *words],
        env=env, cwd=cwd, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.budget(20)
def test_what_a_log_lacks_is_asked_by_run(tmp_path: Path) -> None:
    task = inspect_tasks.naming(**SMALL)
    part = evaluated(task, tmp_path / "logs", limit=10)
    brought = import_log(Path(part.location), tmp_path / "out")
    assert (brought.replies, brought.failed, brought.left_out) == (10, 0, 0)
    assert "form" not in json.loads((brought.folder / "run.json").read_text())["decisions"]
    again = import_log(Path(part.location), tmp_path / "out")
    assert (again.folder, again.replies) == (brought.folder, 0)
    rest = evaluated(task, tmp_path / "logs", limit=(10, 60))
    assert import_log(Path(rest.location), tmp_path / "out").replies == 50
    before = lines(brought.folder / "responses.jsonl")
    assert run("naming", SMALL, tmp_path / "out") == 0
    assert lines(brought.folder / "responses.jsonl")[: len(before)] == before
    assert run("naming", SMALL, tmp_path / "own") == 0
    assert replies(tmp_path / "own" / brought.folder.name) == replies(brought.folder)
    assert scores_in(tmp_path / "own" / brought.folder.name) == scores_in(brought.folder)


def test_a_sample_that_failed_is_asked_again(tmp_path: Path) -> None:
    task = inspect_tasks.naming(**SMALL, prompt="things", control=False)
    wrong = task.dataset[3]

    def failing(messages: Any, *_: Any) -> ModelOutput:
        if messages[-1].content == wrong.input[-1].content:
            raise RuntimeError("the provider is gone")
        return answered(messages)

    log = evaluated(
        task, tmp_path, model="mockllm/m", model_args={"custom_outputs": failing},
        fail_on_error=False,
    )  # fmt: skip
    brought = import_log(Path(log.location), tmp_path / "out")
    assert (brought.replies, brought.failed) == (29, 1)
    failed = [json.loads(line) for line in lines(brought.folder / "responses.jsonl")]
    (one,) = [entry for entry in failed if entry["stop"] == "failed"]
    assert one["trial"] == wrong.id
    assert "the provider is gone" in one["note"]
    scores = score_run(load_stored(brought.folder))
    assert (scores["failed"], scores["states"]["failed"]) == (1, 1)


def test_further_epochs_and_another_solver_are_told_apart(tmp_path: Path) -> None:
    task = inspect_tasks.naming(**SMALL, prompt="things", control=False)
    twice = import_log(Path(evaluated(task, tmp_path, epochs=2).location), tmp_path / "out")
    assert (twice.replies, twice.left_out) == (30, 30)
    steps = [chain_of_thought(), generate()]
    thought = import_log(Path(evaluated(task, tmp_path, solver=steps).location), tmp_path / "out")
    assert thought.folder != twice.folder
    told = json.loads((thought.folder / "run.json").read_text())["model"]
    assert told["settings"] == {"solver": "chain_of_thought,generate"}


@pytest.mark.parametrize(
    ("name", "settings", "words"),
    [
        ("naming", {"prompt": "pilot"}, "decides on 'form'"),
        ("naming", {"prompt": "things", "top_up": True}, "decides on 'top-up-1'"),
        ("naming", {"per_sell": 2}, "no setting of naming 'per_sell'"),
        ("capture", {"prompt": "best"}, "decides on 'prompt'"),
        ("capture", {"help": "visible-count"}, "need a helper"),
        ("capture", {"backoff": True}, "need asking again"),
        ("capture", {"confidence": "samples", "items": 3}, "some questions once"),
        ("probe", {"task": "mlm"}, "asked of a filler"),
    ],
)
def test_what_a_task_of_inspect_cannot_do_is_told(
    name: str, settings: dict[str, Any], words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        getattr(inspect_tasks, name)(**settings, **({} if "per_sell" in settings else {"size": 96}))


def test_samples_ask_for_several_answers_by_epochs(tmp_path: Path) -> None:
    task = inspect_tasks.capture(
        items=3, size=96, tasks=["total", "hidden"], confidence="samples", samples=3
    )
    assert task.epochs == 3
    warm = evaluated(task, tmp_path)
    brought = imported(warm, tmp_path / "brought")
    more = {"items": 3, "size": 96, "tasks": "total,hidden", "confidence": "samples", "samples": 3}
    assert run("capture", {**more, "prompt": "as-if-no-box"}, tmp_path / "own") == 0
    assert scores_in(tmp_path / "own" / brought.name) == scores_in(brought)
    assert len(replies(brought)) == 3 * 3 * 3


def test_files_that_are_no_log_of_ours_are_told(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "a.eval").write_bytes(b"PK no zip")
    (tmp_path / "a.json").write_text("[]")
    other = Task(dataset=[Sample("How many?")], solver=generate(), name="other")
    silent = ModelOutput.from_content("m", "7")
    silent.usage = USED
    log = evaluated(other, tmp_path, model="mockllm/m", model_args={"custom_outputs": [silent]})
    for path, words in (
        (tmp_path / "a.eval", "no log of Inspect"),
        (tmp_path / "a.json", "no log of Inspect"),
        (tmp_path / "nothing.eval", "There is no log"),
        (Path(log.location), "no task of ours"),
    ):
        with pytest.raises(SystemExit) as end:
            main(["import", "inspect", str(path), "--out", str(tmp_path / "out")])
        assert end.value.code == 2
        assert words in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
