"""README's commands, as they stand there, one after the other in a fresh folder.

What needs an outside server or an installation is left out by name; a local server plays the one
at http://127.0.0.1:8000/v1.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import orjson
import pytest

from tests.chat_server import ChatServer

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.M | re.S)
SERVER = "http://127.0.0.1:8000/v1"
OUTSIDE = {
    "git clone": "brings the repository",
    "make demo": "installs; the demo is tested of itself",
    ". .venv/bin/activate": "the environment is that of the test",
    "xdg-open": "opens a window",
    "export OPENAI_API_KEY": "a key",
    "subitize run naming --model openai/gpt-4o": "a hosted model",
    "subitize run production --model 'openai/dall-e-3": "a hosted model",
    "subitize datasets fetch": "the network",
    "subitize run probe --model hf/openai": "weights and pictures from the network",
}
"""beginnings of lines that are not run, and why"""
SERVE = ("subitize annotate", "subitize take", "subitize view")
"""what goes on until Ctrl-C"""
CAPTIONS = "two cats\thttp://example.org/1\nthree dogs on a lawn\thttp://example.org/2\n"
"""of a corpus of one's own"""


def commands() -> list[str]:
    lines = [line for kind, block in BLOCKS if kind == "sh" for line in block.splitlines()]
    return [line for line in lines if line.strip() and not line.startswith(tuple(OUTSIDE))]


def test_every_block_says_what_it_is_and_every_exception_is_there() -> None:
    assert {kind for kind, _ in BLOCKS} == {"sh", "python"}
    lines = [line for kind, block in BLOCKS if kind == "sh" for line in block.splitlines()]
    for start in OUTSIDE:
        assert any(line.startswith(start) for line in lines), f"README has no more {start!r}"
    assert all(line.startswith("subitize ") for line in commands())


def serves(line: str, folder: Path, environment: dict[str, str]) -> None:
    """It prints an address that answers, and Ctrl-C ends it well."""
    with subprocess.Popen(
        ["bash", "-euc", f"exec {line} --port 0"], cwd=folder, text=True, env=environment,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as running:  # fmt: skip
        try:
            assert running.stdout is not None
            address = running.stdout.readline().split()[-1]
            keeping = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            with keeping.open(address, timeout=900) as page:
                assert page.status == 200
            running.send_signal(signal.SIGINT)
            error = running.communicate(timeout=900)[1]
        finally:
            running.kill()
        stopped = 1 if "the session waits in" in error else 0  # a person may come back
        assert running.returncode == stopped, f"{line}\n{error}"
        assert "Traceback" not in error


@pytest.mark.budget(95)
def test_its_commands_work_as_written(tmp_path: Path, data_dir: Path) -> None:
    """One shell after another, as a reader would type them; the shell expands what stands there."""
    released = data_dir / "geckonum"
    if released.is_dir():
        shutil.copytree(released, tmp_path / "data" / "geckonum")
    (tmp_path / "cc3m.tsv").write_text(CAPTIONS)
    path = tmp_path / "bin"
    path.mkdir()
    (path / "subitize").write_text(f'#!/bin/sh\nexec {sys.executable} -m subitize "$@"\n')
    (path / "subitize").chmod(0o755)
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("OPENAI")},
        "PATH": f"{path}:{os.environ['PATH']}",
    }
    with ChatServer() as server:
        for line in commands():
            if "data/geckonum" in line and not released.is_dir():
                continue
            if line.startswith(SERVE):
                serves(line, tmp_path, environment)
                continue
            done = subprocess.run(
                ["bash", "-euc", line.replace(SERVER, server.url)], cwd=tmp_path, text=True,
                env=environment, capture_output=True, check=False,
            )  # fmt: skip
            assert done.returncode == 0, f"{line}\n{done.stderr}"
            assert "Traceback" not in done.stderr
    models = {
        orjson.loads(one.read_bytes())["model"]["name"] for one in tmp_path.glob("runs/*/run.json")
    }
    assert {"openai/llava", "painter/shapes", "counter/blobs", "numbernet/base"} <= models
    assert (tmp_path / "captions.html").stat().st_size > 10_000
    assert (tmp_path / "report.html").stat().st_size > 10_000
    first, again = (next(tmp_path.glob(f"{one}/naming-openai-*")) for one in ("runs", "again"))
    assert first.name == again.name


@pytest.mark.budget(20)
def test_its_python_works_as_written(tmp_path: Path) -> None:
    [program] = [block for kind, block in BLOCKS if kind == "python"]
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, text=True, capture_output=True, check=False,
        env={**os.environ, "OPENAI_API_KEY": "sk-none"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "observer.html").exists()
