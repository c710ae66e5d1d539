"""counter/http against the example server and against servers that misbehave; entry points."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from subitize.errors import BadInput, Hopeless, ModelError, Retryable, UnknownName
from subitize.models.base import Answers, Item, Model, ModelOptions, Reply
from subitize.models.catalog import known_names, open_model
from subitize.models.names import ModelName

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def example() -> Iterator[str]:
    """The example server, started as its first lines say."""
    with subprocess.Popen(
        [sys.executable, str(ROOT / "examples" / "counter_server.py"), "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()


def three_bars() -> bytes:
    from io import BytesIO

    pixels = np.full((40, 90, 3), 255, dtype=np.uint8)
    for left in (10, 40, 70):
        pixels[5:30, left : left + 10] = 0
    buffer = BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()


def ask(url: str, picture: bytes | None = None, options: ModelOptions | None = None) -> Reply:
    model: Any = open_model(f"counter/http?url={url}", options)

    async def once() -> Reply:
        try:
            item = Item("t", "?", three_bars() if picture is None else picture, thing="bars")
            return (await model.count([item]))[0]
        finally:
            await model.close()

    return asyncio.run(once())


def test_the_example_server_counts(example: str) -> None:
    reply = ask(example)
    assert reply.kind == "boxes"
    assert reply.value["size"] == [90, 40]
    assert [box[:4] for box in reply.value["boxes"]] == [
        [10, 5, 20, 30], [40, 5, 50, 30], [70, 5, 80, 30],
    ]  # fmt: skip


def test_the_example_server_runs_naming(example: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "subitize", "run", "naming",
               "--model", f"counter/http?url={example}", "--per-cell", "2", "--max", "1",
               "--size", "64", "--prompt", "things", "--out", str(tmp_path), "--json"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    scores = json.loads(done.stdout)[0]
    assert scores["states"] == {"read": 10}
    assert scores["accuracy"]["value"] >= 0.5


def test_what_the_example_server_refuses_fails_alone(example: str) -> None:
    with pytest.raises(ModelError, match="refused this picture"):
        ask(example, b"\x89PNG nothing")
    with pytest.raises(Hopeless, match="only /count"):
        ask(example.replace("/count", "/other"))


@contextmanager
def answering(status: int, body: bytes) -> Iterator[tuple[str, list[dict[str, str]]]]:
    seen: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            seen.append(dict(self.headers))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/count", seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize(("status", "body", "error", "words"), [
    (200, b"<html>", Retryable, "no JSON"),
    (200, b"[]", Retryable, "not an object"),
    (200, b'{"boxes": 3}', ModelError, "no list 'boxes'"),
    (200, b'{"boxes": [[1, 2, 3]]}', ModelError, "five numbers"),
    (200, b'{"boxes": [[5, 0, 1, 1, 0.5]]}', ModelError, "ends before it begins"),
    (200, b'{"boxes": [], "size": "large"}', ModelError, "size is"),
    (200, b'{"boxes": [], "threshold": "x"}', ModelError, "threshold and nms"),
    (429, b"busy", Retryable, "429"),
    (500, b"oh", Retryable, "500"),
    (401, b"who", Hopeless, "api-key-env"),
])  # fmt: skip
def test_a_server_that_misbehaves(
    status: int, body: bytes, error: type[ModelError], words: str
) -> None:
    with answering(status, body) as (url, _), pytest.raises(error, match=words):
        ask(url)


def test_a_key_is_sent_but_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COUNTER_KEY", "s3cret")
    options = ModelOptions(api_key_env="COUNTER_KEY")
    with answering(200, b'{"boxes": []}') as (url, seen):
        ask(url, options=options)
        assert seen[0]["Authorization"] == "Bearer s3cret"
    with (
        answering(403, b"wrong key s3cret") as (url, _),
        pytest.raises(Hopeless, match=r"wrong key \[key\]"),
    ):
        ask(url, options=options)
    with pytest.raises(BadInput, match="secrets go into an environment variable") as refused:
        open_model("counter/http?url=http://me:pass@host.example/count?token=t")
    assert "pass@" not in str(refused.value)


def test_an_address_is_needed() -> None:
    with pytest.raises(BadInput, match="needs an address"):
        open_model("counter/http")
    with pytest.raises(BadInput, match="not an address"):
        open_model("counter/http?url=elsewhere")


class Seven(Model):
    """A counter as another package would bring it."""

    kinds = ("counter",)

    def count(self, items: Any) -> Answers:
        return [Reply("boxes", {"boxes": [[i, 0, i + 1, 1, 1] for i in range(7)]}) for _ in items]


def open_seven(name: ModelName, options: ModelOptions) -> Seven:
    return Seven(name.full, name.settings)


def test_counters_of_other_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    group = "subitize.counters"
    points = EntryPoints((
        EntryPoint("seven", f"{__name__}:open_seven", group),
        EntryPoint("gone", "no_such_package:open", group),
        EntryPoint("blobs", f"{__name__}:open_seven", group),
    ))  # fmt: skip

    def installed(**which: str) -> EntryPoints:
        return points.select(**which)

    monkeypatch.setattr("subitize.models.catalog.entry_points", installed)
    assert isinstance(open_model("counter/seven?x=1"), Seven)
    assert "counter/seven" in known_names()
    assert not isinstance(open_model("counter/blobs"), Seven)
    with pytest.raises(BadInput, match=r"adds counter/gone is broken.*Mend or uninstall"):
        open_model("counter/gone")
    with pytest.raises(UnknownName, match="did you mean 'counter/seven'"):
        open_model("counter/sevn")
