"""Painters by diffusers: tiny Stable Diffusion of all shapes, FLUX, and those that fill holes."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import subitize
from subitize.errors import BadInput, Hopeless, MissingExtra, ModelError
from subitize.models.base import Item, ModelOptions, Reply
from subitize.models.catalog import open_model
from subitize.models.diffusing import TESTED_PIPELINES
from subitize.pictures.decode import decode, with_hole
from subitize.pictures.encode import encode
from tests.models.tiny_painters import FILLERS, PAINTERS, stable_diffusion

# diffusers compiles a part of one of its pipelines in the old way
pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script:DeprecationWarning")
ITEMS = [Item(str(seed), words, seed=seed) for seed, words in enumerate(["2 cats", "an apple", ""])]


def test_without_diffusers_the_install_command_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("transformers")
    monkeypatch.setattr("subitize.models.diffusing.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"subitize\[diffusers\]"):
        open_model("diffusers/made/here")
    monkeypatch.setattr("subitize.models.checkpoints.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"'torch'.*subitize\[diffusers\]"):
        open_model("diffusers/made/here")


def test_a_pipeline_is_said_to_be_tested_only_if_it_is_here(painters: dict[str, Path]) -> None:
    told = [open_model(f"diffusers/{path}").told() for path in painters.values()]  # type: ignore[attr-defined]
    assert {one["architecture"] for one in told} == set(TESTED_PIPELINES)
    assert {one["class"] for one in told} == {"tested"}


def test_a_hole_is_where_a_picture_is_transparent() -> None:
    pixels = np.full((4, 6, 4), 255, np.uint8)
    pixels[1:3, 2:5] = 0
    shown, hole = with_hole(encode(pixels))
    assert shown.shape == (4, 6, 3)
    assert (hole == 255).sum() == 6
    assert set(np.unique(hole)) == {0, 255}


@pytest.fixture(scope="module")
def folder(painters: dict[str, Path]) -> Path:
    return painters["stable-diffusion"]


def pixels(reply: Any) -> np.ndarray:
    assert isinstance(reply, Reply)
    assert reply.kind == "picture", reply
    return decode(reply.value).astype(int)


@pytest.mark.parametrize("name", PAINTERS)
def test_neither_batch_nor_order_changes_a_picture(painters: dict[str, Path], name: str) -> None:
    model: Any = open_model(f"diffusers/{painters[name]}?steps=2&batch=3&width=64&height=64")
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


@pytest.mark.parametrize("name", PAINTERS)
def test_floats_of_a_batch_are_those_of_single_pictures(
    painters: dict[str, Path], name: str
) -> None:
    import torch

    model: Any = open_model(f"diffusers/{painters[name]}")
    pipeline = model.parts["paint"]

    def floats(seeds: list[int]) -> Any:
        with torch.inference_mode():
            return pipeline(
                prompt=[ITEMS[seed].question for seed in seeds], num_inference_steps=2,
                width=64, height=64,
                generator=[torch.Generator("cpu").manual_seed(seed) for seed in seeds],
                output_type="np",
            ).images  # fmt: skip

    together = floats([0, 1, 2])
    for order in ([2, 0, 1], [0]):
        for seed, image in zip(order, floats(order), strict=True):
            assert np.abs(image - together[seed]).max() < 1e-4
    assert np.abs(together[0] - together[1]).max() > 1e-2


def test_a_prompt_that_no_reader_takes_whole_is_told(painters: dict[str, Path]) -> None:
    """CLIP ends after 77 tokens; FLUX has a second reader, which goes on."""
    long = replace(ITEMS[0], question="an image with " + "very " * 80 + "red apples, three of them")
    for name, facts in (("stable-diffusion", {"cut_at": 77}), ("flux", {})):
        model: Any = open_model(f"diffusers/{painters[name]}?steps=1&width=64&height=64")
        told = [one.facts for one in model.paint([ITEMS[0]]) + model.paint([long])]
        assert told == [{}, facts], name


def test_what_is_no_number_is_no_black_picture(folder: Path) -> None:
    """As where Stable Diffusion's decoder overflows in half precision."""
    model: Any = open_model(f"diffusers/{folder}?steps=1&batch=3&width=64&height=64")
    vae = model.parts["paint"].vae
    whole, decode_ = model.paint(ITEMS), vae.decode

    def overflown(latents: Any, *args: Any, **how: Any) -> Any:
        found = decode_(latents, *args, **how)
        found[0][1] = float("nan")
        return found

    vae.decode = overflown
    answers = model.paint(ITEMS)
    assert [type(one) for one in answers] == [Reply, ModelError, Reply]
    assert "no numbers" in str(answers[1])
    assert answers[2] == whole[2]


def holed() -> bytes:
    shown = np.full((64, 64, 4), 200, np.uint8)
    shown[..., 3] = 255
    shown[16:48, 16:48] = 0
    return encode(shown)


@pytest.mark.parametrize("name", [*PAINTERS, *FILLERS])
def test_a_hole_is_filled(painters: dict[str, Path], name: str) -> None:
    model: Any = open_model(f"diffusers/{painters[name]}?steps=2&width=64&height=64")
    items = [replace(item, picture=holed()) for item in ITEMS]
    filled = [pixels(reply) for reply in model.paint(items)]
    assert filled[0].shape == (64, 64, 3)
    again = [pixels(reply) for reply in model.paint(items[::-1])][::-1]
    assert np.array_equal(filled, again)
    inside = np.s_[16:48, 16:48]
    assert np.abs(filled[0][inside] - filled[1][inside]).max() > 1


@pytest.mark.parametrize("name", FILLERS)
def test_a_pipeline_that_only_fills_says_so(painters: dict[str, Path], name: str) -> None:
    model: Any = open_model(f"diffusers/{painters[name]}?steps=1&width=64&height=64")
    with pytest.raises(Hopeless, match="only fills holes"):
        model.paint(ITEMS[:1])


def test_a_picture_that_the_safety_checker_hides_is_a_refusal(tmp_path: Path) -> None:
    """By diffusers' own checker, whose concepts are set so that every picture has them."""
    made = stable_diffusion(tmp_path / "made", checker=True)
    model: Any = open_model(f"diffusers/{made}?steps=1&width=64&height=64&batch=2")
    replies = model.paint(ITEMS[:2])
    assert [(one.kind, one.stop) for one in replies] == [("text", "refused")] * 2
    run = subitize.run(
        "production", f"diffusers/{made}?steps=1&width=64&height=64&isolated=false",
        out=tmp_path / "runs", per_cell=1, max=2, categories="apples",
    )  # fmt: skip
    assert run.scores["states"] == {"refused": run.scores["trials"]}


def test_too_little_memory_halves_the_batch(folder: Path) -> None:
    import torch

    model: Any = open_model(f"diffusers/{folder}?steps=1&batch=3&width=64&height=64")
    whole = model.paint(ITEMS)
    pipeline, asked = model.parts["paint"], []

    def small(**how: Any) -> Any:
        asked.append(len(how["prompt"]))
        if asked[-1] > 1:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return pipeline(**how)

    model.parts["paint"] = small
    for reply, before in zip(model.paint(ITEMS), whole, strict=True):
        assert np.abs(pixels(reply) - pixels(before)).max() <= 1
        assert reply.facts["out_of_memory"] == "1 at once"
    assert asked == [3, 1, 1, 1]


@pytest.mark.budget(30)
def test_a_pipeline_that_fills_helps_in_capture(painters: dict[str, Path], tmp_path: Path) -> None:
    inpainter = f"diffusers/{painters['flux-fill']}?steps=1&width=64&height=64&isolated=false"
    run = subitize.run(
        "capture", "sim/observer", out=tmp_path, items=2, size=64, help=("inpainted",),
        tasks=("total",), prompt="as-if-no-box", inpainter=inpainter,
    )  # fmt: skip
    helped = run.answers.filter(run.answers["stage"] == "inpainted")
    assert helped.height == 2
    assert set(helped["state"]) == {"read"}


def test_foreign_code_runs_only_where_it_is_trusted(folder: Path, tmp_path: Path) -> None:
    own = shutil.copytree(folder, tmp_path / "copy")
    index = json.loads((own / "model_index.json").read_text())
    (own / "model_index.json").write_text(json.dumps(index | {"_class_name": ["own", "Own"]}))
    (own / "own.py").write_text(
        "from diffusers import StableDiffusionPipeline\nclass Own(StableDiffusionPipeline): pass\n"
    )
    with pytest.raises(BadInput, match="--trust-remote-code"):
        open_model(f"diffusers/{own}")
    how = "steps=1&width=32&height=32"
    model: Any = open_model(f"diffusers/{own}?{how}", ModelOptions(trust_remote_code=True))
    assert (model.told()["class"], model.told()["remote_code"]) == ("untested", True)
    item = Item("a", "three apples", seed=3)
    usual: Any = open_model(f"diffusers/{folder}?{how}")
    assert model.paint([item])[0].value == usual.paint([item])[0].value


def test_wrong_settings_are_told(folder: Path) -> None:
    for wrong in ("dtype=half", "offload=disk", "steps=-1"):
        with pytest.raises(BadInput):
            open_model(f"diffusers/{folder}?{wrong}")


def test_offloading_without_a_graphics_card_is_told(folder: Path) -> None:
    torch = pytest.importorskip("torch")
    if torch.accelerator.is_available():
        pytest.skip("there is a graphics card here")
    model = open_model(f"diffusers/{folder}?offload=model&isolated=false")
    with pytest.raises(Hopeless, match="there is no card here: leave it out"):
        model.paint(ITEMS[:1])
