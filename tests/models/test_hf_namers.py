"""Models that write, choose or fill in a number: tiny real ones, saved and loaded as any other."""

from __future__ import annotations

import json
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import subitize
from subitize.errors import BadInput, Hopeless, ModelError
from subitize.models.base import Item, Model, ModelOptions, Reply
from subitize.models.catalog import open_model
from subitize.models.hf.generating import Generating
from tests.models.tiny_matchers import ANSWERS
from tests.models.tiny_namers import FAMILIES


def picture(wide: int, high: int, seed: int = 0) -> bytes:
    kept = BytesIO()
    pixels = np.random.default_rng([wide, high, seed]).integers(0, 255, (high, wide, 3), np.uint8)
    Image.fromarray(pixels).save(kept, "PNG")
    return kept.getvalue()


ITEMS = [
    Item("a", "How many?", picture(60, 40)),
    Item("b", "How many apples are there in this picture, please?", picture(33, 90)),
    Item("c", "?", picture(64, 64)),
]


def texts(answers: Any) -> list[str]:
    assert all(isinstance(one, Reply) and one.kind == "text" for one in answers), answers
    return [one.value for one in answers]


def opened(folder: Path, settings: str = "max_tokens=6") -> Generating:
    found = open_model(f"hf/{folder}?{settings}")
    assert isinstance(found, Generating)
    return found


@pytest.mark.parametrize("family", FAMILIES)
def test_a_batch_has_the_logits_of_single_items(namers: dict[str, Path], family: str) -> None:
    """Unequal prompts and pictures, padded left or right: nothing moves by more than 1e-4."""
    import torch

    model = opened(namers[family])
    assert model.batch_size == 8
    assert set(Generating.SHOWN) == set(FAMILIES), "a family is batched only if it is shown here"
    pairs = [(item, model.opened(item)) for item in ITEMS]
    network, processor = model.parts
    with torch.inference_mode():
        alone = [network(**model.prepared([pair])).logits[0, -1] for pair in pairs]
        for side in ("left", "right"):
            processor.tokenizer.padding_side = side
            inputs = model.prepared(pairs)
            logits = network(**inputs).logits
            for place, row in enumerate(inputs["attention_mask"]):
                last = int(row.nonzero()[-1])
                assert (logits[place, last] - alone[place]).abs().max() < 1e-4
    processor.tokenizer.padding_side = "left"
    assert (alone[0] - alone[1]).abs().max() > 0.1, "the questions must matter"
    together = texts(model.name(ITEMS))
    assert together == [texts(model.name([item]))[0] for item in ITEMS]
    other = replace(ITEMS[0], picture=picture(60, 40, seed=1))
    changed = network(**model.prepared([(other, model.opened(other))])).logits[0, -1]
    assert (changed - alone[0]).abs().max() > 1e-3, "the picture must matter"


def test_the_reply_tells_how_it_ended_and_what_it_cost(namers: dict[str, Path]) -> None:
    [reply] = opened(namers["blip-2"], "max_tokens=3&logprobs=true").name(ITEMS[:1])
    assert isinstance(reply, Reply)
    assert reply.stop == "length"
    assert reply.usage["completion_tokens"] == 3
    assert reply.usage["total_tokens"] == reply.usage["prompt_tokens"] + 3
    assert [len(entry) for entry in reply.facts["logprobs"]] == [2, 2, 2]
    assert all(chance < 0 for _, chance in reply.facts["logprobs"])


def test_chances_are_drawn_from_each_items_own_seed(namers: dict[str, Path]) -> None:
    model = opened(namers["llava"], "max_tokens=6&temperature=2")
    items = [replace(item, seed=place) for place, item in enumerate(ITEMS)]
    forward = texts(model.name(items))
    assert forward == texts(model.name(items[::-1]))[::-1]
    assert forward == [texts(model.name([item]))[0] for item in items]
    assert forward[0] != texts(model.name([replace(items[0], seed=99)]))[0]


def test_settings_are_what_a_model_is_but_the_device_is_not(namers: dict[str, Path]) -> None:
    folder = namers["llava"]
    plain = opened(folder)
    assert opened(folder, "max_tokens=6&device=cpu").settings_hash == plain.settings_hash
    for other in ("dtype=bfloat16", "batch=2", "temperature=1", "max_tokens=7", "seed=1"):
        settings = other if "max" in other else f"max_tokens=6&{other}"
        assert opened(folder, settings).settings_hash != plain.settings_hash
    model = open_model(f"hf/{folder}", ModelOptions(max_tokens=9, temperature=0.5))
    assert (model.settings["max_tokens"], model.settings["temperature"]) == (9, 0.5)
    assert opened(folder, "max_tokens=6&dtype=bfloat16").name(ITEMS[:1])
    with pytest.raises(BadInput, match="dtype is 'half'"):
        opened(folder, "dtype=half")
    with pytest.raises(BadInput, match=r"no \{question\}"):
        opened(folder, "prompt=Hello")


def test_parameters_are_counted_without_loading(namers: dict[str, Path]) -> None:
    from transformers import LlavaForConditionalGeneration

    model = opened(namers["llava"])
    whole = LlavaForConditionalGeneration.from_pretrained(namers["llava"])
    counted = sum(weight.numel() for weight in whole.parameters())
    assert model.parameters == pytest.approx(counted / 1e9, rel=1e-3)


def test_how_families_are_asked(namers: dict[str, Path]) -> None:
    asked = {name: opened(folder).prompt(ITEMS[0]) for name, folder in namers.items()}
    assert asked["blip-2"] == "Question: How many? Answer:"
    assert asked["paligemma"] == "<image>answer en How many?"
    assert asked["llava"] == "<|user|><image>How many?<end><|assistant|>"
    assert "<|system|>Be short.<end>" in opened(namers["llava"], "system=Be short.").prompt(
        ITEMS[0]
    )
    own = opened(namers["llava"], "prompt=USER: {question} ASSISTANT:")
    assert own.prompt(ITEMS[0]) == "<image>\nUSER: How many? ASSISTANT:"


def test_thinking_is_kept_beside_the_answer(
    namers: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = opened(namers["qwen2_vl"], "max_tokens=100")
    network, processor = model.parts
    plain = processor.tokenizer("<think>3 and 4</think> 7<end>", return_tensors="pt")["input_ids"]

    def generate(**given: Any) -> Any:
        import torch

        rows = [torch.cat([row, plain[0]]) for row in given["input_ids"]]
        return type("Out", (), {"sequences": torch.stack(rows), "logits": None})

    monkeypatch.setattr(network, "generate", generate)
    [reply] = model.name(ITEMS[:1])
    assert isinstance(reply, Reply)
    assert (reply.value, reply.facts, reply.stop) == ("7", {"thinking": "3 and 4"}, "stop")


def test_a_bad_picture_fails_alone(namers: dict[str, Path]) -> None:
    bad = replace(ITEMS[0], picture=b"no picture")
    answers = opened(namers["llava"]).name([bad, ITEMS[1], replace(bad, picture=None)])
    assert [type(one) for one in answers] == [ModelError, Reply, ModelError]


def test_lacking_weights_are_refused(namers: dict[str, Path], tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    for path in namers["llava"].iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    weights = load_file(tmp_path / "model.safetensors")
    weights.pop(next(name for name in weights if "lm_head" in name))
    save_file(weights, tmp_path / "model.safetensors", {"format": "pt"})
    with pytest.raises(Hopeless, match=r"lacks 1 of the model's weights.*lm_head"):
        opened(tmp_path).name(ITEMS[:1])


def test_foreign_code_runs_only_where_it_is_trusted(
    namers: dict[str, Path], tmp_path: Path
) -> None:
    from safetensors.torch import save_file
    from transformers import LlavaForConditionalGeneration

    for path in namers["llava"].iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    # weights by the names that the class itself has
    whole = LlavaForConditionalGeneration.from_pretrained(namers["llava"])
    save_file(whole.state_dict(), tmp_path / "model.safetensors", {"format": "pt"})
    config = json.loads((tmp_path / "config.json").read_text())
    config["auto_map"] = {"AutoModelForImageTextToText": "own.Own"}
    config["model_type"] = "own"
    config["auto_map"]["AutoConfig"] = "own.OwnConfig"
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "own.py").write_text(
        "from transformers import LlavaConfig, LlavaForConditionalGeneration\n"
        "class OwnConfig(LlavaConfig):\n    model_type = 'own'\n"
        "class Own(LlavaForConditionalGeneration):\n    config_class = OwnConfig\n"
    )
    with pytest.raises(BadInput, match="--trust-remote-code"):
        opened(tmp_path)
    trusting = ModelOptions(max_tokens=6, trust_remote_code=True)
    model = open_model(f"hf/{tmp_path}", trusting)
    assert isinstance(model, Generating)
    assert model.batch_size == 1, "its batches were not shown to be harmless"
    assert texts(model.name(ITEMS)) == texts(opened(namers["llava"], "max_tokens=6").name(ITEMS))


def ask(model: Model) -> list[Any]:
    return list(model.name(ITEMS))  # type: ignore[attr-defined]


def test_vilt_chooses_out_of_its_list(matchers: dict[str, Path]) -> None:
    import torch
    from transformers import ViltForQuestionAnswering, ViltProcessor

    folder = matchers["ViltForQuestionAnswering"]
    model = open_model(f"hf/{folder}")
    assert model.kinds == ("namer",)
    reference = ViltForQuestionAnswering.from_pretrained(folder)
    processor = ViltProcessor.from_pretrained(folder)
    for item, reply in zip(ITEMS, ask(model), strict=True):
        assert item.picture
        seen = processor(Image.open(BytesIO(item.picture)), item.question, return_tensors="pt")
        with torch.inference_mode():
            best = int(reference(**seen).logits.argmax())
        assert reply.value == ANSWERS[best]
        assert reply.facts["answers"][0][0] == reply.value


def test_blip_answers_questions(matchers: dict[str, Path]) -> None:
    model = open_model(f"hf/{matchers['BlipForQuestionAnswering']}?max_tokens=5")
    assert model.batch_size == 1
    replies = ask(model)
    assert [one.kind for one in replies] == ["text"] * 3
    assert all(0 < one.usage["completion_tokens"] <= 5 for one in replies)


@pytest.mark.parametrize("kind", ["ViltForMaskedLM", "BridgeTowerForMaskedLM"])
def test_a_mask_is_answered_by_the_best_number_word(matchers: dict[str, Path], kind: str) -> None:
    model = open_model(f"hf/{matchers[kind]}")
    assert {"filler", "namer"} <= set(model.kinds)
    for reply in ask(model):
        assert subitize.read_number(reply.value).state == "read"
        assert reply.facts["ranking"][0][0] == reply.value
