"""OWL, MM-Grounding-DINO, SAM with CLIP: tiny real models, saved and loaded by the normal code."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import subitize
from subitize.errors import BadInput, Hopeless, ModelError
from subitize.models.base import Item
from subitize.models.catalog import open_model
from subitize.pictures.decode import decode
from subitize.readers.boxes import count_boxes
from subitize.stimuli.naming import draw, recipe
from tests.models.counters.tiny_detectors import (
    PATCHES,
    save_tiny_mm_grounding_dino,
    save_tiny_owl,
    save_tiny_sam,
)
from tests.models.counters.tiny_grounding_dino import QUERIES
from tests.models.tiny_clip import save_tiny_clip

pytest.importorskip("torch", reason="detectors need subitize[hf]")
pytest.importorskip("transformers", reason="detectors need subitize[hf]")


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("detectors")
    for family in ("owlv2", "owlvit"):
        save_tiny_owl(folder / family, family)
    save_tiny_mm_grounding_dino(folder / "mm")
    save_tiny_sam(folder / "sam")
    save_tiny_clip(folder / "clip")
    return folder


@pytest.fixture(scope="module")
def wide() -> bytes:
    """Twice as wide as high: what fills it up to a square is not the picture."""
    square = Image.fromarray(decode(draw(recipe("apples", 3, 0, size=256)).png))
    file = io.BytesIO()
    square.crop((0, 64, 256, 192)).save(file, "PNG")
    return file.getvalue()


def counted(name: str, picture: bytes, thing: str = "apples") -> Any:
    model: Any = open_model(name)
    found = model.count([Item("t", "?", picture, thing=thing)])[0]
    if isinstance(found, ModelError):
        raise found
    json.dumps(found.value)  # plain numbers: it goes into the journal as it is
    return found.value


@pytest.mark.parametrize("family", ["owlv2", "owlvit"])
def test_owl_gives_the_boxes_of_the_library(saved: Path, wide: bytes, family: str) -> None:
    import torch
    from transformers import AutoImageProcessor, AutoModelForZeroShotObjectDetection, AutoTokenizer

    folder = saved / family
    pixels = Image.fromarray(decode(wide))
    processor = AutoImageProcessor.from_pretrained(folder, backend="pil")
    words = AutoTokenizer.from_pretrained(folder)(
        ["a photo of a apple"], padding="max_length", max_length=16, truncation=True,
        return_tensors="pt",
    )  # fmt: skip
    model = AutoModelForZeroShotObjectDetection.from_pretrained(folder)
    with torch.inference_mode():
        output = model(**processor(images=pixels, return_tensors="pt"), **words)
    theirs = processor.post_process_object_detection(output, 0.0, [(128, 256)])[0]
    value = counted(f"counter/owl?checkpoint={folder}&box_threshold=0", wide)
    ours = np.array(value["boxes"])
    assert len(ours) == PATCHES
    assert value["size"] == [256, 128]
    assert np.allclose(ours[:, 4], theirs["scores"].numpy(), atol=1e-3)
    assert np.allclose(ours[:, :4], theirs["boxes"].numpy(), atol=0.05)


def test_the_name_of_the_thing_and_the_prompt_change_scores(saved: Path, wide: bytes) -> None:
    name = f"counter/owl?checkpoint={saved / 'owlv2'}&box_threshold=0"
    apples = counted(name, wide)
    assert counted(name, wide, "apple") == apples
    assert counted(f"{name}&plural=true", wide) != apples
    assert counted(name, wide, "dots") != apples
    assert counted(f"{name}&prompt={{thing}}", wide) != apples
    with pytest.raises(BadInput, match=r"has no \{thing\}"):
        open_model(f"counter/owl?checkpoint={saved / 'owlv2'}&prompt=fruit")


def test_mm_grounding_dino_is_loaded_by_its_own_class(saved: Path, wide: bytes) -> None:
    name = f"counter/grounding-dino?checkpoint={saved / 'mm'}&box_threshold=0&text_threshold=0"
    model: Any = open_model(name)
    assert type(model.parts[0]).__name__ == "MMGroundingDinoForObjectDetection"
    value = counted(name, wide)
    assert len(value["boxes"]) == QUERIES
    assert count_boxes(value).state == "read"


def test_who_asks_a_checkpoint_that_another_counter_was_given(saved: Path) -> None:
    """One of another family computed nothing, or nonsense; a namer was told to be served."""
    for name, family, right in (
        ("counter/grounding-dino?checkpoint=", "owlvit", "counter/owl"),
        ("counter/owl?checkpoint=", "mm", "counter/grounding-dino"),
        ("counter/owl?checkpoint=", "sam", "counter/sam-clip"),
    ):
        with pytest.raises(BadInput, match=rf"of the family .*: ask it by {right}\?checkpoint=/"):
            open_model(f"{name}{saved / family}")
    told: Any = open_model(f"hf/{saved / 'owlv2'}")
    assert told.told()["class"] == "not loadable"
    assert "counter/owl?checkpoint=… asks it" in told.repair


def sam(saved: Path, more: str = "") -> str:
    loose = "grid=5&quality=0&largest=1&box_threshold=0"
    return f"counter/sam-clip?checkpoint={saved / 'sam'}&clip={saved / 'clip'}&{loose}{more}"


def test_the_pieces_of_sam_are_judged_by_clip(saved: Path, wide: bytes) -> None:
    """Every piece is cut out as it is stored and asked of CLIP by transformers itself."""
    import torch
    from transformers import AutoImageProcessor, AutoModel, AutoTokenizer

    value = counted(sam(saved, "&overlap=1"), wide)
    assert 1 < len(value["boxes"]) <= 25
    clip = AutoModel.from_pretrained(saved / "clip")
    processor = AutoImageProcessor.from_pretrained(saved / "clip", backend="pil")
    sentences = ["a photo of a apple", "a photo of the background", "a photo of a texture",
                 "a photo of a shadow", "a photo of a part of something"]  # fmt: skip
    words = AutoTokenizer.from_pretrained(saved / "clip")(
        sentences, padding=True, return_tensors="pt"
    )
    whole = Image.fromarray(decode(wide))
    for x0, y0, x1, y1, score in value["boxes"][:4]:
        room = 0.1 * (x1 - x0), 0.1 * (y1 - y0)
        cut = (max(0, x0 - room[0]), max(0, y0 - room[1]), min(256, x1 + room[0]),
               min(128, y1 + room[1]))  # fmt: skip
        picture = processor(images=whole.crop(cut), return_tensors="pt")
        with torch.inference_mode():
            logits = clip(**picture, **words).logits_per_image[0]
        assert score == pytest.approx(float(logits.softmax(0)[0]), abs=1e-3)


def test_like_pieces_are_one_and_weak_ones_are_left_out(saved: Path, wide: bytes) -> None:
    every = counted(sam(saved, "&overlap=1"), wide)["boxes"]
    merged = counted(sam(saved, "&overlap=0.3"), wide)["boxes"]
    assert 0 < len(merged) < len(every)
    assert counted(sam(saved, "&overlap=1").replace("quality=0", "quality=1"), wide)["boxes"] == []
    small = counted(sam(saved, "&overlap=1").replace("largest=1", "largest=0.2"), wide)["boxes"]
    assert all((b[2] - b[0]) * (b[3] - b[1]) <= 0.2 * 256 * 128 for b in small)


def test_other_weights_of_either_part_are_another_counter(saved: Path, tmp_path: Path) -> None:
    one = open_model(sam(saved))
    save_tiny_clip(tmp_path / "clip")
    (tmp_path / "clip" / "more.txt").write_text("other")
    other = open_model(f"counter/sam-clip?checkpoint={saved / 'sam'}&clip={tmp_path / 'clip'}")
    assert one.revision != other.revision


def test_a_checkpoint_of_another_kind_is_refused(saved: Path, wide: bytes) -> None:
    with pytest.raises(Hopeless, match=r"can't be loaded|lacks"):
        counted(f"counter/owl?checkpoint={saved / 'clip'}", wide)
    with pytest.raises(Hopeless, match=r"can't be loaded|lacks"):
        counted(f"counter/sam-clip?checkpoint={saved / 'clip'}&clip={saved / 'clip'}", wide)


@pytest.mark.parametrize("kind", ["owl", "sam-clip"])
def test_naming_from_end_to_end(saved: Path, tmp_path: Path, kind: str) -> None:
    name = f"counter/owl?checkpoint={saved / 'owlv2'}" if kind == "owl" else sam(saved)
    run = subitize.run("naming", name, out=tmp_path, per_cell=1, max=2, size=128,
                       categories=("dots",), prompt="things")  # fmt: skip
    assert run.answers["state"].to_list() == ["read", "read"]
    assert run.scores["trials"] == 2


@pytest.mark.parametrize("part", ["mm", "owlv2", "sam", "clip"])
def test_scores_that_are_no_numbers_are_not_counted_as_nothing(
    saved: Path, tmp_path: Path, wide: bytes, part: str
) -> None:
    from safetensors.torch import load_file, save_file

    folder = shutil.copytree(saved / part, tmp_path / part)
    broken = {
        name: held * float("nan") if held.is_floating_point() else held
        for name, held in load_file(folder / "model.safetensors").items()
    }
    save_file(broken, folder / "model.safetensors", {"format": "pt"})
    names = {
        "mm": f"counter/grounding-dino?checkpoint={folder}",
        "owlv2": f"counter/owl?checkpoint={folder}",
        "sam": f"counter/sam-clip?checkpoint={folder}&clip={saved / 'clip'}&grid=2&quality=0",
        "clip": f"counter/sam-clip?checkpoint={saved / 'sam'}&clip={folder}&grid=2"
        "&quality=0&largest=1",
    }
    with pytest.raises(ModelError, match="no numbers"):
        counted(names[part], wide)
