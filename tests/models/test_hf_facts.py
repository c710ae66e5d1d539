"""What is known of a checkpoint before it is loaded, and what is said where it is not there."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from subitize.errors import BadInput
from subitize.models.hf.facts import look
from tests.conftest import cpu_seconds


def test_a_folder_tells_its_config_and_size(namers: dict[str, Path], tmp_path: Path) -> None:
    facts = look(str(namers["llava"]))
    assert (facts.where, facts.config["model_type"]) == ("folder", "llava")
    assert facts.weights is not None
    assert facts.size is not None
    assert 4 * facts.weights <= facts.size <= 4 * facts.weights + 50_000
    with pytest.raises(BadInput, match="There is no folder"):
        look(str(tmp_path / "none"))
    (tmp_path / "config.json").write_text("[]")
    with pytest.raises(BadInput, match="no JSON object"):
        look(str(tmp_path))
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "model.safetensors").write_bytes(b"\xff" * 9)
    assert look(str(tmp_path)).weights is None


@contextmanager
def hub(kind: str) -> Iterator[str]:
    """The address of a hub that refuses, does not exist, or takes a call and never answers."""
    if kind != "silent":
        yield {"refusing": "http://127.0.0.1:9", "nowhere": "https://no-such-host.invalid"}[kind]
        return
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(50)
        yield f"http://127.0.0.1:{silent.getsockname()[1]}"


@pytest.mark.parametrize(
    ("kind", "command"),
    [
        ("refusing", "run naming --model hf/made/here"),
        ("nowhere", "run naming --model hf/made/here"),
        ("silent", "doctor --model hf/made/here"),
        ("silent", "run production --model diffusers/made/here"),
        ("silent", "run production --model painter/shapes --counter owl?checkpoint=made/here"),
    ],
)
def test_a_hub_that_is_not_there_is_told_within_seconds(
    tmp_path: Path, kind: str, command: str
) -> None:
    begun = cpu_seconds(), time.monotonic()
    with hub(kind) as endpoint:
        done = subprocess.run(
            [sys.executable, "-m", "subitize", *command.split()],
            capture_output=True, text=True, check=False, cwd=tmp_path,
            env={**os.environ, "HF_HUB_CACHE": str(tmp_path / "hub"), "HF_ENDPOINT": endpoint},
        )  # fmt: skip
    waited = time.monotonic() - begun[1]
    assert done.returncode == 2, done.stderr
    assert "hf download made/here --local-dir FOLDER" in done.stderr
    assert "Traceback" not in done.stderr
    # A call may take 4 s, and only one is made: 10 s with the imports, where nobody else computes.
    assert waited < 30
    assert cpu_seconds() - begun[0] < 10
