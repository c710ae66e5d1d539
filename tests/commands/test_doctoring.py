"""`subitize doctor --model`: the facts first, then what the model says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from subitize.cli import root
from tests.models import tiny_matchers, tiny_namers


def doctored(*words: str, code: int = 0) -> dict[str, Any]:
    result = CliRunner().invoke(root, ["doctor", "--json", *words])
    assert result.exit_code == code, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_a_local_checkpoint_is_described_and_asked(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    tiny_namers.llava(tmp_path)
    found = doctored("--model", f"hf/{tmp_path}?max_tokens=4")["model"]
    assert found["kinds"] == ["namer"]
    assert found["architecture"] == "LlavaForConditionalGeneration"
    assert (found["where"], found["shown"], found["fits"]) == ("folder", True, True)
    assert found["needs"] == pytest.approx(found["parameters"] * 1e9 * 4 * 1.2, rel=1e-3)
    assert found["device"] in ("cpu", "cuda", "mps")
    assert isinstance(found["reply"], str)


def test_a_matcher_is_tried_on_obvious_pairs(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    tiny_matchers.vilt(tmp_path, "ViltForImageAndTextRetrieval")
    found = doctored("--model", f"hf/{tmp_path}")["model"]
    assert found["reply"]["of"] == 20
    assert 0 <= found["reply"]["right"] <= 20


def test_others_are_not_asked_unless_wished() -> None:
    assert "reply" not in doctored("--model", "counter/blobs")["model"]
    assert doctored("--model", "counter/blobs", "--ask")["model"]["reply"]["boxes"]
    assert "reply" not in doctored("--model", "sim/perfect", "--ask")["model"]
