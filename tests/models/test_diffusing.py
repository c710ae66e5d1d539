"""Painters by diffusers: a tiny Stable Diffusion, saved and loaded as any other.

Needs the package diffusers, which is no part of the usual test environment.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from subitize.errors import BadInput, MissingExtra
from subitize.models.base import Item, Reply
from subitize.models.catalog import open_model
from subitize.pictures.decode import decode, with_hole
from subitize.pictures.encode import encode
from tests.models.tiny_clip import save_tiny_clip

# diffusers compiles a part of one of its pipelines in the old way
pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script:DeprecationWarning")
ITEMS = [Item(str(seed), words, seed=seed) for seed, words in enumerate(["2 cats", "an apple", ""])]


def test_without_diffusers_the_install_command_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("transformers")
    monkeypatch.setattr("subitize.models.diffusing.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"subitize\[diffusers\]"):
        open_model("diffusers/made/here")


def test_a_hole_is_where_a_picture_is_transparent() -> None:
    pixels = np.full((4, 6, 4), 255, np.uint8)
    pixels[1:3, 2:5] = 0
    shown, hole = with_hole(encode(pixels))
    assert shown.shape == (4, 6, 3)
    assert (hole == 255).sum() == 6
    assert set(np.unique(hole)) == {0, 255}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    diffusers: Any = pytest.importorskip("diffusers")
    import torch
    from transformers import CLIPTextConfig, CLIPTextModel, CLIPTokenizer

    torch.manual_seed(0)
    made = tmp_path_factory.mktemp("diffusion")
    tokenizer = CLIPTokenizer.from_pretrained(save_tiny_clip(made / "clip"))
    tokenizer.model_max_length = 77
    words = CLIPTextModel(
        CLIPTextConfig(
            hidden_size=32, intermediate_size=37, num_hidden_layers=2, num_attention_heads=4,
            vocab_size=len(tokenizer), max_position_embeddings=77, bos_token_id=188,
            eos_token_id=189, pad_token_id=189,
        )
    )  # fmt: skip
    unet = diffusers.UNet2DConditionModel(
        block_out_channels=(32, 64), layers_per_block=1, sample_size=32, in_channels=4,
        out_channels=4, down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"), cross_attention_dim=32,
    )  # fmt: skip
    vae = diffusers.AutoencoderKL(
        block_out_channels=(32, 64), in_channels=3, out_channels=3, latent_channels=4,
        down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2,
    )  # fmt: skip
    schedule = diffusers.DDIMScheduler(steps_offset=1, clip_sample=False)
    pipeline = diffusers.StableDiffusionPipeline(
        vae, words, tokenizer, unet, schedule, None, None, requires_safety_checker=False
    )
    pipeline.save_pretrained(made / "whole")
    return made / "whole"


def pixels(reply: Any) -> np.ndarray:
    assert isinstance(reply, Reply)
    assert reply.kind == "picture", reply
    return decode(reply.value).astype(int)


def test_neither_batch_nor_order_changes_a_picture(folder: Path) -> None:
    model: Any = open_model(f"diffusers/{folder}?steps=2&batch=3&width=64&height=64")
    assert model.parameters > 0
    assert model.inpaints
    alone = [pixels(model.paint([item])[0]) for item in ITEMS]
    assert alone[0].shape == (64, 64, 3)
    assert np.abs(alone[0] - alone[1]).max() > 0
    for order in (ITEMS, ITEMS[::-1]):
        for item, reply in zip(order, model.paint(order), strict=True):
            # a step of eight bits, where rounding may fall either way
            assert np.abs(pixels(reply) - alone[int(item.trial)]).max() <= 1
    other = pixels(model.paint([replace(ITEMS[0], seed=9)])[0])
    assert np.abs(other - alone[0]).max() > 1


def test_floats_of_a_batch_are_those_of_single_pictures(folder: Path) -> None:
    import torch

    model: Any = open_model(f"diffusers/{folder}")
    pipeline = model.parts["paint"]

    def floats(seeds: list[int]) -> Any:
        return pipeline(
            prompt=["2 cats"] * len(seeds), num_inference_steps=2, width=64, height=64,
            generator=[torch.Generator("cpu").manual_seed(seed) for seed in seeds],
            output_type="np",
        ).images  # fmt: skip

    together = floats([0, 1, 2])
    for seed in range(3):
        assert np.abs(floats([seed])[0] - together[seed]).max() < 1e-4


def test_a_hole_is_filled(folder: Path) -> None:
    model: Any = open_model(f"diffusers/{folder}?steps=2&width=64&height=64")
    shown = np.full((64, 64, 4), 200, np.uint8)
    shown[..., 3] = 255
    shown[16:48, 16:48] = 0
    [reply] = model.paint([replace(ITEMS[0], picture=encode(shown))])
    assert pixels(reply).shape == (64, 64, 3)


def test_a_hidden_picture_is_a_refusal(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model: Any = open_model(f"diffusers/{folder}?steps=1&width=64&height=64")
    hidden = type("Out", (), {"images": np.zeros((1, 8, 8, 3)), "nsfw_content_detected": [True]})
    model.parts["paint"] = lambda **_how: hidden
    [reply] = model.paint(ITEMS[:1])
    assert (reply.kind, reply.stop) == ("text", "refused")


def test_wrong_settings_are_told(folder: Path) -> None:
    for wrong in ("dtype=half", "offload=disk", "steps=-1"):
        with pytest.raises(BadInput):
            open_model(f"diffusers/{folder}?{wrong}")
