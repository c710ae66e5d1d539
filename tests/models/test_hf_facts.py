"""What is known of a checkpoint before it is loaded, and what is said where it is not there."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from subitize.errors import BadInput
from subitize.models.hf.facts import look


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


@pytest.mark.parametrize("endpoint", ["http://127.0.0.1:9", "https://no-such-host.invalid"])
def test_a_hub_that_is_not_there_is_told_within_seconds(tmp_path: Path, endpoint: str) -> None:
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "subitize", "run", "naming", "--model", "hf/made/here",
         "--out", str(tmp_path)],
        capture_output=True, text=True, check=False,
        env={**os.environ, "HF_HUB_CACHE": str(tmp_path / "hub"), "HF_ENDPOINT": endpoint},
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert "hf download made/here --local-dir FOLDER" in done.stderr
    assert "Traceback" not in done.stderr
    assert time.monotonic() - begun < 30  # the 10 s on an idle machine
