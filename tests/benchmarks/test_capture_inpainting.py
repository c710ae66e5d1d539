"""Pictures filled by a model behind an HTTP endpoint, then used as help."""

from __future__ import annotations

import base64
from collections import Counter
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from aiohttp import web
from PIL import Image

from subitize.benchmarks.capture.scenes import holed, scenes
from subitize.benchmarks.capture.settings import CaptureSettings
from subitize.cli import main
from subitize.pictures.decode import decode
from subitize.pictures.editing import filled
from subitize.pictures.encode import encode
from subitize.stimuli import render
from subitize.stimuli.capture.continued import continue_pattern
from tests.benchmarks.capture_runs import ask, responses_of, trials_of
from tests.chat_server import ChatServer
from tests.scored import load_run


class InpaintingServer(ChatServer):
    """Fills the transparent part of a picture by continuing the pattern, at twice the size."""

    async def _start(self) -> None:
        app = web.Application(client_max_size=64 << 20)
        app.router.add_post("/v1/images/edits", self._edit)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.port = self._runner.addresses[0][1]

    async def _edit(self, request: web.Request) -> web.Response:
        form = await request.post()
        self.seen.append(str(form["prompt"]))
        image, mask = form["image"], form["mask"]
        assert isinstance(image, web.FileField)
        assert isinstance(mask, web.FileField)
        data = image.file.read()
        assert mask.file.read() == data
        pixels = np.asarray(Image.open(BytesIO(data)))
        hole = pixels[..., 3] == 0
        assert hole.any()
        assert (pixels[hole][:, :3] == 0).all()  # what was hidden is not sent
        covered = pixels[..., :3].copy()
        covered[hole] = 0
        whole = Image.fromarray(continue_pattern(covered))
        large = whole.resize((2 * whole.width, 2 * whole.height))
        buffer = BytesIO()
        large.save(buffer, "PNG")
        encoded = base64.b64encode(buffer.getvalue()).decode()
        return web.json_response({"data": [{"b64_json": encoded}]})


SMALL = {"tasks": ("total",), "help": ("inpainted",), "items": 4, "size": 256}
MORE = [
    "--set", "help=inpainted", "--set", "inpainter=openai/flux", "--set", "items=4", "--set",
    "tasks=total", "--set", "size=256", "--set", "prompt=as-if-no-box",
]  # fmt: skip


def command(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["run", "capture", *arguments])
    return int(ended.value.code or 0)


def test_a_model_fills_the_box_and_a_counter_sees_what_it_filled(tmp_path: Path) -> None:
    """Painting is a stage of the same run; its server is its own, and nothing is paid twice."""
    with InpaintingServer() as server:
        given = ["--model", "counter/blobs", "--out", str(tmp_path), *MORE]
        given += ["--base-url", f"inpainter={server.url}"]
        assert command(*given) == 0
        assert command(*given) == 0
        assert len(server.seen) == 4
    assert all("pattern of" in prompt for prompt in server.seen)
    (folder,) = tmp_path.iterdir()
    stored = load_run(folder)
    by_stage = stored.answers.partition_by("stage", as_dict=True)
    painted, asked = by_stage["inpaint",], by_stage["inpainted",]
    assert set(painted["respondent"]) == {"openai/flux"}
    assert not painted["counts"].any()
    assert (painted.height, asked.height) == (4, 4)
    assert len(list((folder / "images").iterdir())) == 4
    assert sorted(asked["of_trial"]) == sorted(painted["trial"])
    assert asked["counts"].all()
    assert stored.info["helpers"]["inpainter"]["name"] == "openai/flux"
    help_ = stored.scores["help"]["inpainted"]
    assert help_["smape"]["value"] == 0.0
    assert help_["smape"]["trials"] == 4
    assert help_["effect"]["value"] < 0  # four pictures show its sign, no more


def test_inpainting_stopped_by_its_budget_goes_on(tmp_path: Path) -> None:
    with InpaintingServer() as server:
        given = ["--model", "counter/blobs", "--out", str(tmp_path), *MORE]
        given += ["--base-url", f"inpainter={server.url}"]
        assert command(*given, "--budget-calls", "3") == 1
        assert len(server.seen) == 3
        (folder,) = tmp_path.iterdir()
        stages = Counter(load_run(folder).answers["stage"])
        assert (stages["inpaint"], stages["inpainted"]) == (3, 3)
        assert command(*given) == 0
        assert len(server.seen) == 4
    stages = Counter(load_run(folder).answers["stage"])
    assert (stages["inpaint"], stages["inpainted"]) == (4, 4)
    assert load_run(folder).scores["help"]["inpainted"]["smape"]["trials"] == 4


def test_samples_are_those_of_the_model_under_test(tmp_path: Path) -> None:
    """Several answers about one filled picture: the inpainter is asked once, as it is set."""
    with InpaintingServer() as server:
        given = {**SMALL, "items": 2, "inpainter": "openai/flux"}
        given |= {"confidence": "samples", "samples": 3}
        outcome, _ = ask(tmp_path, url=server.url, model="sim/observer", settings=given)
        assert outcome.complete
        assert len(server.seen) == 2
    answers = load_run(outcome.folder).answers
    asked = answers.filter(answers["stage"] == "inpainted")
    assert sorted(asked["sample"]) == [0, 0, 1, 1, 2, 2]


def test_only_the_box_is_painted() -> None:
    (scene,) = scenes(CaptureSettings(items=1, size=200), "test")
    covered = render(scene.pictures["occluded"]).png
    red = encode(np.full((64, 64, 3), (250, 10, 10), np.uint8))
    before, after = decode(covered), decode(filled(covered, red, scene.box).png)
    changed = (before != after).any(axis=2)
    x0, y0, x1, y1 = scene.box
    rows, columns = np.nonzero(changed)
    assert y0 - 1 <= rows.min() <= rows.max() <= y1
    assert x0 - 1 <= columns.min() <= columns.max() <= x1
    assert tuple(after[int((y0 + y1) / 2), int((x0 + x1) / 2)]) == (250, 10, 10)


def test_the_picture_asked_about_is_the_occluded_one_with_the_painted_box(tmp_path: Path) -> None:
    """What the model sees is known by its hash: the box from the painter, the rest untouched."""
    with InpaintingServer() as server:
        given = {**SMALL, "items": 1, "inpainter": "openai/flux"}
        outcome, _ = ask(tmp_path, url=server.url, model="counter/blobs", settings=given)
    lines = responses_of(outcome.folder)
    trials = {trial.id: trial for trial in trials_of(outcome.folder)}
    (painted,) = [line for line in lines if trials[line["trial"]].stage == "inpaint"]
    (asked,) = [line for line in lines if trials[line["trial"]].stage == "inpainted"]
    (scene,) = scenes(CaptureSettings(items=1, size=256, tasks=("total",)), "test")
    covered = render(scene.pictures["occluded"]).png
    made = (outcome.folder / "images" / painted["value"]).read_bytes()
    assert asked["sha256"] == filled(covered, made, scene.box).sha256
    shown = trials[asked["trial"]].stimulus
    assert (shown.kind, shown.recipe["trial"]) == ("response", painted["trial"])
    assert painted["sha256"] == render(holed(scene)).sha256


def test_a_painter_that_fills_nothing_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--set", "help=inpainted", "--set", "inpainter=painter/shapes", "--set", "items=2"]
    assert command("--model", "counter/blobs", "--out", str(tmp_path / "runs"), *given) == 2
    assert "can't fill a part of a picture" in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()
