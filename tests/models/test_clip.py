"""CLIP as a matcher: a tiny real model, saved and loaded as any other."""

from __future__ import annotations

import json
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from subitize.errors import BadInput, Hopeless, MissingExtra, ModelError
from subitize.models.base import Item, Reply
from subitize.models.catalog import open_model
from subitize.models.hf import twins
from subitize.models.hf.twins import Twins
from subitize.readers.matches import clipscore, read_match
from subitize.records import Response, Stimulus, make_trial
from tests.models.tiny_clip import save_tiny_clip

SENTENCES = ("A photo depicts 3 apples.", "A photo depicts 2 cats.")


def picture(colour: tuple[int, int, int], size: tuple[int, int] = (40, 50)) -> bytes:
    kept = BytesIO()
    Image.new("RGB", size, colour).save(kept, "PNG")
    return kept.getvalue()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_clip(tmp_path_factory.mktemp("clip"))


@pytest.fixture(scope="module")
def model(folder: Path) -> Twins:
    found = open_model(f"clip/{folder}")
    assert isinstance(found, Twins)
    return found


def scores(reply: Reply | ModelError) -> list[float]:
    assert isinstance(reply, Reply)
    assert reply.kind == "scores"
    assert reply.value["calibrated"] is False
    found: list[float] = reply.value["scores"]
    return found


def test_cosines_are_those_of_transformers(model: Twins, folder: Path) -> None:
    import torch
    from transformers import CLIPModel, CLIPTokenizer
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

    reference = CLIPModel.from_pretrained(folder)
    tokens = CLIPTokenizer.from_pretrained(folder)(
        list(SENTENCES), padding=True, return_tensors="pt"
    )
    pixels = CLIPImageProcessorPil.from_pretrained(folder)(
        images=Image.open(BytesIO(picture((200, 30, 30)))), return_tensors="pt"
    )
    with torch.inference_mode():
        logits = reference(**tokens, **pixels).logits_per_image[0] / reference.logit_scale.exp()
    [reply] = model.match([Item("t", "", picture((200, 30, 30)), SENTENCES)])
    assert scores(reply) == pytest.approx(logits.tolist(), abs=1e-5)
    assert scores(reply)[0] != scores(reply)[1]


def test_a_batch_says_what_single_items_say(model: Twins) -> None:
    rng = np.random.default_rng(0)
    items = [
        Item(str(place), "", picture(tuple(rng.integers(0, 255, 3).tolist())), SENTENCES)
        for place in range(4)
    ]
    assert [scores(one) for one in model.match(items)] == [
        scores(model.match([one])[0]) for one in items
    ]


def test_what_is_kept_of_sentences_does_not_grow(
    model: Twins, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = Item("t", "", picture((200, 30, 30)), tuple(f"{many} apples" for many in range(7)))
    [usual] = model.match([item])
    model._sentences.clear()
    monkeypatch.setattr(twins, "SENTENCES", 3)
    [reply] = model.match([replace(item, options=item.options[::-1])])
    assert scores(reply)[::-1] == scores(usual)
    assert len(model._sentences) <= 3


def test_a_bad_picture_fails_alone(model: Twins) -> None:
    good = Item("a", "", picture((1, 2, 3)), SENTENCES)
    answers = model.match([replace(good, picture=b"no picture"), good, replace(good, picture=None)])
    assert isinstance(answers[0], ModelError)
    assert isinstance(answers[1], Reply)
    assert isinstance(answers[2], ModelError)


def test_long_prompts_are_cut(model: Twins) -> None:
    [reply] = model.match([Item("a", "", picture((9, 9, 9)), ("many apples " * 60,))])
    assert -1 <= scores(reply)[0] <= 1


def test_other_weights_are_another_model(model: Twins, folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in folder.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    assert open_model(f"clip/{copy}").revision == model.revision
    weights = copy / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\x01")
    assert open_model(f"clip/{copy}").revision != model.revision


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"holds no config\.json"):
        open_model(f"clip/{tmp_path}")
    (tmp_path / "config.json").write_text('{"architectures": ["CLIPModel"], "model_type": "clip"}')
    found = open_model(f"clip/{tmp_path}")
    assert isinstance(found, Twins)
    with pytest.raises(Hopeless, match=r"lacks 1 of its files of weights .*model\.safetensors"):
        found.match([Item("a", "", picture((1, 1, 1)), SENTENCES)])


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("subitize.models.checkpoints.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"subitize\[hf\]"):
        open_model("clip/openai/clip-vit-base-patch32")


def test_clipscore() -> None:
    assert clipscore(0.2) == pytest.approx(0.5)
    assert clipscore(-0.2) == 0
    trial = make_trial(("b", "1", "match"), Stimulus("prompt", {}), "?", options=("one", "two"))

    def read(value: object, stop: str = "stop") -> tuple[str, float | None]:
        packed = json.dumps(value) if value else ""
        found = read_match(trial, Response("t", "m", "s", 0, 0, "scores", packed, stop))
        return found.state, found.number

    given = {"scores": [0.25, 0.9], "calibrated": False}
    assert read({**given, "unit": "cosine"}) == ("read", 0.625)
    # the formula is that of cosines: a logit, a probability or a share of yes stays what it is
    for unit in ("logit", "probability", "yes"):
        assert read({**given, "unit": unit}) == ("read", 0.25)
    assert read({**given, "scores": [-2.0, 1.0], "unit": "logit"}) == ("read", -2.0)
    assert read({"scores": [1.5, 0], "calibrated": True}) == ("failed", None)
    assert read({"scores": []}) == ("failed", None)
    assert read(None, "failed") == ("failed", None)
