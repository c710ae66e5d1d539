"""Tiny checkpoints for trainings, saved once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.models import tiny_matchers, tiny_namers
from tests.models.tiny_clip import save_tiny_clip

KINDS = (
    "ViltForImageAndTextRetrieval", "BlipForImageTextRetrieval", "Blip2ForImageTextRetrieval",
    "BridgeTowerForImageAndTextRetrieval", "FlavaForPreTraining", "LxmertForPreTraining",
    "VisualBertForPreTraining", "SiglipModel",
)  # fmt: skip


@pytest.fixture(scope="session")
def backbones(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A matcher of every family, by class."""
    pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("backbones")
    found = tiny_matchers.save(folder, KINDS)
    found["CLIPModel"] = folder / "CLIPModel"
    found["CLIPModel"].mkdir()
    save_tiny_clip(found["CLIPModel"])
    return found


@pytest.fixture(scope="session")
def writers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Models that write their answer, by family."""
    pytest.importorskip("transformers")
    families = ("llava", "paligemma", "qwen2_vl", "gemma3", "llava_next", "idefics3", "blip-2")
    return {name: tiny_namers.FAMILIES[name](tmp_path_factory.mktemp(name)) for name in families}
