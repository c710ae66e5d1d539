"""Pictures filled by a model behind an HTTP endpoint, then used as help."""

from __future__ import annotations

import base64
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from aiohttp import web
from PIL import Image

from subitize.cli import main
from subitize.pictures.decode import decode
from subitize.pictures.encode import encode
from subitize.stimuli import render
from subitize.stimuli.capture.continued import continue_pattern
from tests.benchmarks.capture_runs import ask
from tests.chat_server import ChatServer


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


def inpaint(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["capture", "inpaint", *arguments])
    return int(ended.value.code or 0)


def test_a_folder_of_inpainted_pictures_helps_a_counter(tmp_path: Path) -> None:
    out = tmp_path / "filled"
    settings = ["--set", "items=4", "--set", "size=256", "--set", "prompt=as-if-no-box"]
    with InpaintingServer() as server:
        given = ["--model", "openai/flux", "--base-url", server.url, "--out", str(out), *settings]
        assert inpaint(*given) == 0
        assert inpaint(*given) == 0
        assert len(server.seen) == 4  # nothing is paid twice
    assert len(list(out.glob("*.png"))) == 4
    assert all("pattern of" in prompt for prompt in server.seen)
    help_ = {"help": ("inpainted",), "inpainter": str(out), "items": 4, "size": 256}
    _, scores = ask(
        tmp_path / "runs", model="counter/blobs", settings={**help_, "tasks": ("total",)}
    )
    assert scores["help"]["inpainted"]["smape"]["value"] == 0.0
    assert scores["help"]["inpainted"]["effect"]["high"] < 0


def test_only_the_box_is_painted(tmp_path: Path) -> None:
    from subitize.benchmarks.capture.scenes import scenes
    from subitize.benchmarks.capture.settings import CaptureSettings
    from subitize.pictures.editing import filled

    (scene,) = scenes(CaptureSettings(items=1, size=200), "test")
    covered = render(scene.pictures["occluded"]).png
    red = encode(np.full((64, 64, 3), (250, 10, 10), np.uint8))
    before, after = decode(covered), decode(filled(covered, red, scene.box))
    changed = (before != after).any(axis=2)
    x0, y0, x1, y1 = scene.box
    rows, columns = np.nonzero(changed)
    assert y0 - 1 <= rows.min() <= rows.max() <= y1
    assert x0 - 1 <= columns.min() <= columns.max() <= x1
    assert tuple(after[int((y0 + y1) / 2), int((x0 + x1) / 2)]) == (250, 10, 10)


def test_a_painter_that_fills_nothing_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = inpaint("--model", "painter/shapes", "--out", str(tmp_path), "--set", "items=2")
    assert code == 2
    assert "can't fill a part of a picture" in capsys.readouterr().err
