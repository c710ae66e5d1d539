"""Grounding DINO on a small random-weight model, saved here and loaded by the normal code."""

from __future__ import annotations

import json
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from subitize.errors import BadInput, Hopeless, MissingExtra, ModelError
from subitize.models.base import Item, ModelOptions
from subitize.models.catalog import open_model
from subitize.nouns import singular
from subitize.readers.boxes import count_boxes
from subitize.stimuli.naming import draw, recipe
from tests.models.counters.tiny_grounding_dino import QUERIES, save_tiny_grounding_dino

pytest.importorskip("torch", reason="Grounding DINO needs subitize[hf]")
pytest.importorskip("transformers", reason="Grounding DINO needs subitize[hf]")


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_grounding_dino(tmp_path_factory.mktemp("grounding-dino"))


@pytest.fixture(scope="module")
def picture() -> bytes:
    return draw(recipe("apples", 3, 0, size=256)).png


def boxes_of(name: str, picture: bytes | None, thing: str = "apples") -> Any:
    model: Any = open_model(name)
    return model.count([Item("t", "?", picture, thing=thing)])[0]


def test_torchvision_is_absent() -> None:
    assert find_spec("torchvision") is None


def test_raw_boxes_are_stored_before_any_threshold(checkpoint: Path, picture: bytes) -> None:
    name = f"counter/grounding-dino?checkpoint={checkpoint}"
    low = boxes_of(f"{name}&box_threshold=0&text_threshold=0", picture)
    assert low.kind == "boxes"
    value = low.value
    assert len(value["boxes"]) == QUERIES
    assert value["size"] == [256, 256]
    assert (value["threshold"], value["nms"]) == (0.4, 0.95)
    scores = [box[4] for box in value["boxes"]]
    high = boxes_of(f"{name}&box_threshold=0.7&text_threshold=0", picture).value["boxes"]
    assert len(high) == sum(score >= 0.7 for score in scores)
    assert count_boxes(value).state == "read"
    json.dumps(value)  # plain numbers: it goes into the journal as it is


def test_boxes_are_those_of_the_library(checkpoint: Path, picture: bytes) -> None:
    """The same numbers as transformers' own post-processing, which is not used here."""
    import torch
    from PIL import Image
    from transformers import AutoTokenizer, GroundingDinoForObjectDetection, GroundingDinoProcessor
    from transformers.models.grounding_dino.image_processing_pil_grounding_dino import (
        GroundingDinoImageProcessorPil,
    )

    from subitize.pictures.decode import decode

    pixels = Image.fromarray(decode(picture))
    images = GroundingDinoImageProcessorPil.from_pretrained(checkpoint)
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    words = tokenizer(["apple."], return_tensors="pt")
    model = GroundingDinoForObjectDetection.from_pretrained(checkpoint)
    with torch.inference_mode():
        output = model(**images(images=pixels, return_tensors="pt"), **words)
    theirs = GroundingDinoProcessor.post_process_grounded_object_detection(
        _Shell(tokenizer), output, words["input_ids"], threshold=0.05, target_sizes=[(256, 256)]
    )[0]
    name = f"counter/grounding-dino?checkpoint={checkpoint}&text_threshold=0"
    ours = np.array(boxes_of(name, picture).value["boxes"])
    assert np.allclose(ours[:, 4], theirs["scores"].numpy(), atol=1e-3)
    assert np.allclose(ours[:, :4], theirs["boxes"].numpy(), atol=0.05)


class _Shell:
    """Just enough of a processor for the library's method: building one wants torchvision."""

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer

    def batch_decode(self, *given: Any, **options: Any) -> Any:
        return self.tokenizer.batch_decode(*given, **options)


def test_the_same_answer_alone_and_in_company(checkpoint: Path, picture: bytes) -> None:
    model: Any = open_model(f"counter/grounding-dino?checkpoint={checkpoint}")
    other = draw(recipe("dots", 2, 0, size=128)).png
    items = [Item("a", "?", picture, thing="apples"), Item("b", "?", b"broken", thing="apples"),
             Item("c", "?", other, thing="dots"), Item("d", "?", picture, thing="")]  # fmt: skip
    first, broken, third, unnamed = model.count(items)
    assert first == model.count(items[:1])[0]
    assert third == model.count(items[2:3])[0]
    assert isinstance(broken, ModelError)
    assert "name of the thing" in str(unnamed)


def test_as_many_boxes_as_queries_is_flagged(checkpoint: Path, picture: bytes) -> None:
    name = f"counter/grounding-dino?checkpoint={checkpoint}&threshold=0&box_threshold=0"
    value = boxes_of(f"{name}&text_threshold=0", picture).value
    assert value["saturated"]
    assert "may be more things" in count_boxes(value).note


def test_singular_and_plural_are_different_queries(checkpoint: Path, picture: bytes) -> None:
    name = f"counter/grounding-dino?checkpoint={checkpoint}&box_threshold=0&text_threshold=0"
    assert boxes_of(name, picture) == boxes_of(name, picture, "apple")
    assert boxes_of(f"{name}&plural=true", picture) != boxes_of(name, picture)


def test_a_checkpoint_without_all_its_weights_is_refused(
    checkpoint: Path, picture: bytes, tmp_path: Path
) -> None:
    from safetensors.torch import load_file, save_file

    shutil.copytree(checkpoint, tmp_path / "cut")
    weights = tmp_path / "cut" / "model.safetensors"
    tensors = load_file(weights)
    lost = next(name for name in tensors if "decoder.layers.0" in name)
    save_file({k: v for k, v in tensors.items() if k != lost}, weights, {"format": "pt"})
    with pytest.raises(Hopeless, match=r"lacks 1 of the model's weights.*decoder\.layers\.0"):
        boxes_of(f"counter/grounding-dino?checkpoint={tmp_path / 'cut'}", picture)


def test_foreign_code_runs_only_where_it_is_trusted(
    checkpoint: Path, picture: bytes, tmp_path: Path
) -> None:
    """Transformers would ask at the keyboard."""
    folder = shutil.copytree(checkpoint, tmp_path / "copy")
    config = json.loads((folder / "config.json").read_text())
    kind = "AutoModelForZeroShotObjectDetection"
    config |= {"model_type": "own", "auto_map": {"AutoConfig": "own.OwnConfig", kind: "own.Own"}}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "own.py").write_text(
        "from transformers import GroundingDinoConfig, GroundingDinoForObjectDetection\n"
        "class OwnConfig(GroundingDinoConfig):\n    model_type = 'own'\n"
        "class Own(GroundingDinoForObjectDetection):\n    config_class = OwnConfig\n"
    )
    name = "counter/grounding-dino?checkpoint="
    with pytest.raises(BadInput, match="--trust-remote-code"):
        open_model(f"{name}{folder}")
    model: Any = open_model(f"{name}{folder}", ModelOptions(trust_remote_code=True))
    [reply] = model.count([Item("a", "?", picture, thing="apples")])
    assert reply.value == boxes_of(f"{name}{checkpoint}", picture).value


def test_other_weights_are_another_model(checkpoint: Path, tmp_path: Path) -> None:
    shutil.copytree(checkpoint, tmp_path / "other")
    first = open_model(f"counter/grounding-dino?checkpoint={checkpoint}")
    config = tmp_path / "other" / "config.json"
    config.write_text(config.read_text().replace('"dropout": 0.1', '"dropout": 0.2'))
    other = open_model(f"counter/grounding-dino?checkpoint={tmp_path / 'other'}")
    assert first.revision
    assert first.revision != other.revision


@pytest.mark.parametrize("content", ["{}", '{"model_type": "clip"}'])
def test_a_wrong_checkpoint_is_a_clear_error(
    content: str, picture: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    folder = tmp_path / "wrong"
    with pytest.raises(BadInput, match="There is no folder"):
        open_model(f"counter/grounding-dino?checkpoint={folder}")
    folder.mkdir()
    (folder / "config.json").write_text(content)
    with pytest.raises(Hopeless, match=r"wrong.*(can't be loaded|lacks)"):
        boxes_of(f"counter/grounding-dino?checkpoint={folder}", picture)


def test_bad_settings_are_refused() -> None:
    for setting in ("box_threshold=2", "text_threshold=-1", "threshold=high"):
        with pytest.raises(BadInput):
            open_model(f"counter/grounding-dino?{setting}")


def test_without_torch_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("subitize.models.checkpoints.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'subitize\[hf\]'"):
        open_model("counter/grounding-dino")


def test_things_in_the_singular() -> None:
    plurals = {"dogs": "dog", "cars": "car", "pencils": "pencil", "shoes": "shoe",
               "guitars": "guitar", "triangles": "triangle", "dots": "dot", "glass": "glass",
               "buses": "bus", "fish": "fish", "": ""}  # fmt: skip
    assert {word: singular(word) for word in plurals} == plurals
