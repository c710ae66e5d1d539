"""`subitize run production` from prompt to report, in processes of its own."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import orjson
import pytest
from aiohttp import web

from subitize.cli import main
from tests.image_server import REFUSAL, ImageServer
from tests.new_process import subitize

SMALL = ["--per-cell", "2", "--max", "3", "--categories", "dots,apples"]
TRIALS = 12


@pytest.mark.budget(40)
def test_several_painters_in_one_command_and_a_report(tmp_path: Path) -> None:
    models = ["--model", "painter/shapes?size=64", "--model", "painter/shapes?size=64&w=0.3"]
    done = subitize("run", "production", *models, *SMALL, "--json", cwd=tmp_path)
    first, second = orjson.loads(done.stdout)
    assert first["accuracy"]["value"] == 1
    assert [scores["trials"] for scores in (first, second)] == [TRIALS, TRIALS]
    needed = {
        "benchmark", "version", "model", "asked", "trials", "states", "accuracy", "nae",
        "counting_level", "human_correlation", "category_consistency", "bias",
        "scalar_variability", "weber_fraction", "subitizing_limit", "confusion", "prompt",
        "prompts", "control_question", "flagged_cells", "undefined",
    }  # fmt: skip
    assert needed <= set(first)
    assert not done.stderr
    done = subitize("report", "runs", "--out", "report.html", cwd=tmp_path)
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "counter/blobs" in page
    assert "Pictures, right and wrong" in page
    assert "FLUX" in page


@pytest.mark.budget(40)
def test_against_a_server_from_prompt_to_report(tmp_path: Path) -> None:
    def answer(body: dict[str, Any], picture: bytes) -> Any:
        if "2 apples" in body["prompt"]:
            return web.json_response(REFUSAL, status=400)
        return {"data": [{"url": server.address_of(picture)}]} if "dot" in body["prompt"] else None

    with ImageServer(answer) as server:
        model = ["--model", "openai/painter?size=64x64", "--base-url", server.url]
        done = subitize("run", "production", *model, *SMALL, "--json", cwd=tmp_path)
        assert "knows simple pictures only" in done.stderr
        assert len(server.prompts) == TRIALS
    (scores,) = orjson.loads(done.stdout)
    assert scores["states"] == {"read": 10, "refused": 2}
    assert scores["accuracy"]["value"] == 1
    (run,) = (tmp_path / "runs").iterdir()
    again = subitize("score", str(run), "--json", cwd=tmp_path)
    assert orjson.loads(again.stdout) == scores
    done = subitize("report", str(run), "--out", "report.html", cwd=tmp_path)
    assert "the model refused" in (tmp_path / "report.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--model", "sim/perfect"], "production needs a painter"),
        (["--model", "painter/shape"], "did you mean 'painter/shapes'"),
        (["--model", "painter/shapes", "--counter", "blob"], "did you mean 'counter/blobs'"),
        (["--model", "painter/shapes", "--counter", "painter/shapes"], "needs a counter or a"),
        (["--model", "painter/shapes", "--size", "64"], "no setting of production 'size'"),
        (["--model", "painter/shapes", "--prompt", "best"], "no prompt form 'best'"),
        (["--model", "painter/shapes", "--set", "reasks=many"], "give a whole number"),
        (
            ["--model", "painter/shapes", "--calibration", "c.json"],
            "Can't read the calibration c.json",
        ),
        (
            ["--model", "painter/shapes", "--calibration", "c.json", "--counter", "none"],
            "mistakes of a counter, but none is named",
        ),
    ],
)
def test_bad_usage_is_exit_2_before_anything_is_made(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(["run", "production", *arguments])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_without_a_counter_everything_waits_and_says_so(tmp_path: Path) -> None:
    model = ["--model", "painter/shapes?size=64", "--counter", "none"]
    done = subitize("run", "production", *model, *SMALL, cwd=tmp_path)
    assert f"{TRIALS} pending" in done.stdout


@pytest.mark.budget(40)
def test_a_calibration_is_used_from_the_first_picture(tmp_path: Path) -> None:
    """Calibrated on the counter's own naming run, then painted, counted and corrected at once."""
    naming = ["--model", "counter/blobs", "--size", "64", "--per-cell", "6", "--categories", "dots"]
    done = subitize("run", "naming", *naming, "--out", "named", cwd=tmp_path)
    (named,) = (tmp_path / "named").iterdir()
    made = subitize("calibrate", "--run", str(named), "--out", "c.json", "--json", cwd=tmp_path)
    threshold = orjson.loads(made.stdout)["threshold"]
    model = ["--model", "painter/shapes?size=64", "--calibration", "c.json"]
    for _ in range(2):  # the second time everything is there already
        done = subitize("run", "production", *model, *SMALL, "--json", cwd=tmp_path)
        (scores,) = orjson.loads(done.stdout)
        assert scores["reader"].endswith(f"?group=0.9&nms=0.95&threshold={threshold}")
        assert scores["corrected"]["identifiable"], scores["corrected"]["reason"]
        assert scores["corrected"]["accuracy"]["value"] == 1
    other = [*model, "--counter", "blobs?split=false"]
    done = subitize("run", "production", *other, *SMALL, code=2, cwd=tmp_path)
    assert "is the calibration of counter/blobs" in done.stderr


def test_what_made_pictures_fail_is_told(tmp_path: Path) -> None:
    def answer(body: dict[str, Any], picture: bytes) -> Any:
        broken = web.json_response({"error": {"message": "no such colour"}}, status=400)
        return broken if "2 apples" in body["prompt"] else None

    with ImageServer(answer) as server:
        model = ["--model", "openai/painter", "--base-url", server.url]
        done = subitize("run", "production", *model, *SMALL, code=1, cwd=tmp_path)
    assert re.search("2 trials failed, last with: .*no such colour", done.stderr)


def test_three_trials_that_always_fail_do_not_hold_up_a_resumed_run(tmp_path: Path) -> None:
    def answer(body: dict[str, Any], picture: bytes) -> Any:
        broken = web.json_response({"error": {"message": "no such colour"}}, status=400)
        return broken if body["prompt"].split()[3] in "234" else None

    with ImageServer(answer) as server:
        model = ["--model", "openai/painter", "--base-url", server.url, "--concurrency", "1"]
        command = ["run", "production", *model, "--categories", "apples", "--per-cell", "1"]
        done = subitize(*command, "--budget-calls", "5", code=1, cwd=tmp_path)
        assert "2 read, 3 failed" in done.stdout
        done = subitize(*command, code=1, cwd=tmp_path)
    assert "7 read, 3 failed" in done.stdout
    assert re.search("3 trials failed, last with: .*no such colour", done.stderr)
