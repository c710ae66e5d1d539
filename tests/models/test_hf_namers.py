"""Models that write, choose or fill in a number: tiny real ones, saved and loaded as any other."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import subitize
from subitize.errors import BadInput, Hopeless, ModelError, SubitizeError
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


MOVING = ("blip2_t5", "emu3", "florence2", "git", "instructblip", "kosmos-2.5")
"""families whose answers move with their neighbours: asked one at a time"""
UNSHOWN = (*MOVING, "hunyuan_vl", "kosmos-2", "t5gemma2")
"""of the others one moves by nearly 1e-4, two pad on one side only, whatever they are told"""


def moved(model: Generating, **how: Any) -> tuple[float, list[Any]]:
    """How far the batch's next-token logits are from those of single items, and the latter."""
    import torch

    pairs = [(item, model.opened(item)) for item in ITEMS]
    network = model.parts[0]
    with torch.inference_mode():
        alone = [network(**model.prepared([pair]), **begun(network, 1)) for pair in pairs]
        inputs = model.prepared(pairs, **how)
        logits = network(**inputs, **begun(network, len(pairs))).logits
    mask = inputs["attention_mask"]
    left = how.get("padding_side", "left") == "left"
    assert mask[:, -1 if left else 0].all(), "the padding is on the other side"
    assert not mask.all(), "the prompts are equally long"
    single = [found.logits[0, -1] for found in alone]
    ends = [-1 if begun(network, 1) else int(row.nonzero()[-1]) for row in mask]
    worst = max(
        float((logits[place, end] - single[place]).abs().max()) for place, end in enumerate(ends)
    )
    return worst, single


def begun(network: Any, items: int) -> dict[str, Any]:
    """What a decoder of its own begins with; nothing for models that go on with the prompt."""
    import torch

    if not getattr(network.config, "is_encoder_decoder", False):
        return {}
    text = network.config.get_text_config(decoder=True)
    first = getattr(text, "decoder_start_token_id", None)
    return {
        "decoder_input_ids": torch.full((items, 1), text.bos_token_id if first is None else first)
    }


@pytest.mark.parametrize("family", [one for one in FAMILIES if one not in UNSHOWN])
def test_a_batch_has_the_logits_of_single_items(namers: dict[str, Path], family: str) -> None:
    """Unequal prompts and pictures, padded left or right: nothing moves by more than 1e-4."""
    model = opened(namers[family])
    assert model.batch_size == 8
    worst, alone = moved(model)
    assert worst < 1e-4
    assert moved(model, padding_side="right")[0] < 1e-4
    assert (alone[0] - alone[1]).abs().max() > 0.1, "the questions must matter"
    together = texts(model.name(ITEMS))
    assert together == [texts(model.name([item]))[0] for item in ITEMS]
    other = replace(ITEMS[0], picture=picture(60, 40, seed=1))
    changed = model.parts[0](**model.prepared([(other, model.opened(other))])).logits[0, -1]
    assert (changed - alone[0]).abs().max() > 1e-3, "the picture must matter"
    assert silent_when_broken(model)


def test_padding_is_no_repetition(namers: dict[str, Path]) -> None:
    """Qwen2.5-VL's files ask for a penalty, and its padding may end an answer."""
    import torch

    model = opened(namers["qwen2_5_vl"])
    network, processor = model.parts
    pad, pairs = processor.tokenizer.pad_token_id, [(ITEMS[2], model.opened(ITEMS[2]))]
    with torch.inference_mode():
        first = int(network(**model.prepared(pairs)).logits[0, -1].argmax())
        network.lm_head.weight[pad] = 1.03 * network.lm_head.weight[first]
    network.generation_config.update(repetition_penalty=1.05, eos_token_id=[pad, 2])
    alone = [model.name([item])[0] for item in ITEMS]
    assert alone[2].value == "", "it ends at once"
    assert list(model.name(ITEMS)) == alone


@pytest.mark.parametrize("family", UNSHOWN)
def test_a_family_whose_answers_move_is_asked_alone(namers: dict[str, Path], family: str) -> None:
    model = opened(namers[family])
    assert model.batch_size == 1
    assert model.told()["shown"] is False
    assert opened(namers[family], "max_tokens=6&batch=4").batch_size == 4
    if family in MOVING:
        alone = [texts(model.name([item]))[0] for item in ITEMS]
        together = moved(model, padding_side="left")[0] < 1e-4 and texts(model.name(ITEMS)) == alone
        assert not together, "then it may be asked in batches"
    assert silent_when_broken(model)


def silent_when_broken(model: Generating) -> bool:
    """Whether weights that are no numbers give no answer: every family's writing is looked at."""
    for weight in model.parts[0].parameters():
        weight.data.fill_(float("nan"))
    return ["no numbers" in str(one) for one in model.name(ITEMS[:1])] == [True]


def test_a_family_is_batched_only_if_it_is_shown_here() -> None:
    shown = {one for one in FAMILIES if one not in UNSHOWN} - {"paligemma2"}
    assert set(Generating.SHOWN) == shown


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
    families = ("blip-2", "paligemma", "llava", "qwen2_vl", "internvl")
    asked = {name: opened(namers[name]).prompt(ITEMS[0]) for name in families}
    assert asked["blip-2"] == "Question: How many? Answer:"
    assert asked["paligemma"] == "<image>answer en How many?"
    assert asked["llava"] == "<|user|><image>How many?<end><|assistant|>"
    pad = "<|vision_start|><|image_pad|><|vision_end|>"
    assert asked["qwen2_vl"] == f"<|user|>{pad}How many?<end><|assistant|>", "of its tokenizer"
    assert asked["internvl"].startswith("<|user|><IMG_CONTEXT>"), "of a file of its own"
    assert "<|system|>Be short.<end>" in opened(namers["llava"], "system=Be short.").prompt(
        ITEMS[0]
    )
    own = opened(namers["llava"], "prompt=USER: {question} ASSISTANT:")
    assert own.prompt(ITEMS[0]) == "<image>\nUSER: How many? ASSISTANT:"


BOX = "<|box_start|>(475,318),(492,337)<|box_end|>"


@pytest.mark.parametrize(
    ("written", "value", "facts"),
    [
        ("<think>3 and 4</think> 7<end>", "7", {"thinking": "3 and 4"}),
        # a box of two corners without its marks would be two points
        (f"<bos>{BOX} and more<end>", f"{BOX} and more", {}),
    ],
)
def test_thinking_is_kept_beside_the_answer_and_marks_stay(
    namers: dict[str, Path], monkeypatch: pytest.MonkeyPatch, written: str, value: str,
    facts: dict[str, str],
) -> None:  # fmt: skip
    model = opened(namers["qwen2_vl"], "max_tokens=100")
    network, processor = model.parts
    marks = ["<|box_start|>", "<|box_end|>"]
    processor.tokenizer.add_special_tokens({"extra_special_tokens": marks})
    plain = processor.tokenizer(written, return_tensors="pt")["input_ids"]

    def generate(**given: Any) -> Any:
        import torch

        rows = [torch.cat([row, plain[0]]) for row in given["input_ids"]]
        return type("Out", (), {"sequences": torch.stack(rows), "logits": None})

    monkeypatch.setattr(network, "generate", generate)
    [reply] = model.name(ITEMS[:1])
    assert isinstance(reply, Reply)
    assert (reply.value, reply.facts, reply.stop) == (value, facts, "stop")


def test_the_checkpoint_says_how_many_tokens_a_picture_takes(namers: dict[str, Path]) -> None:
    """Without torchvision a processor is put together of its parts: its own file still holds."""
    for family, setting in (
        ("internvl", "image_seq_length"), ("smolvlm", "image_seq_len"),
        ("llava_onevision", "num_image_tokens"), ("gemma4", "image_seq_length"),
    ):  # fmt: skip
        said = json.loads((namers[family] / "processor_config.json").read_text())
        assert getattr(opened(namers[family]).parts[1], setting) == said[setting]


@pytest.mark.parametrize("family", ["llava", "llava_next"])
def test_a_processor_of_older_files_learns_the_size_of_a_patch(
    namers: dict[str, Path], tmp_path: Path, family: str
) -> None:
    """LLaVA's did not say it, for its model took the picture in by itself."""
    shutil.copytree(namers[family], tmp_path, dirs_exist_ok=True)
    said = json.loads((tmp_path / "processor_config.json").read_text())
    for name in ("patch_size", "vision_feature_select_strategy", "num_additional_image_tokens"):
        del said[name]
    (tmp_path / "processor_config.json").write_text(json.dumps(said))
    assert texts(opened(tmp_path).name(ITEMS)) == texts(opened(namers[family]).name(ITEMS))


def test_a_processor_without_videos_can_be_saved(namers: dict[str, Path], tmp_path: Path) -> None:
    """As fine-tuning does; what the checkpoint says of videos is kept for those who have them."""
    for path in namers["internvl"].iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    said = json.loads((tmp_path / "processor_config.json").read_text())
    said["video_processor"] = {"video_processor_type": "InternVLVideoProcessor", "num_frames": 8}
    (tmp_path / "processor_config.json").write_text(json.dumps(said))
    model = opened(tmp_path)
    before = texts(model.name(ITEMS))
    model.save_inputs(tmp_path)
    again = json.loads((tmp_path / "processor_config.json").read_text())
    assert again["video_processor"] == said["video_processor"]
    assert again["image_seq_length"] == said["image_seq_length"]
    assert texts(opened(tmp_path).name(ITEMS)) == before


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


def broken(source: Path, folder: Path, *names: str) -> dict[str, Any]:
    """A copy of a checkpoint in which weights of these names (or all) are no numbers."""
    from safetensors.torch import load_file, save_file

    shutil.copytree(source, folder)
    weights = load_file(folder / "model.safetensors")
    for name, held in weights.items():
        if held.is_floating_point() and (not names or name in names):
            held.fill_(float("nan"))
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    return weights


@pytest.mark.parametrize(
    "settings", ["max_tokens=3", "max_tokens=3&temperature=1", "max_tokens=3&batch=1"]
)
def test_what_is_no_number_is_no_answer(
    namers: dict[str, Path], tmp_path: Path, settings: str
) -> None:
    broken(namers["llava"], tmp_path / "copy")
    answers = opened(tmp_path / "copy", settings).name(ITEMS)
    assert ["no numbers" in str(one) for one in answers] == [True] * 3
    assert {type(one) for one in answers} == {ModelError}


def test_a_row_that_overflows_fails_alone(namers: dict[str, Path], tmp_path: Path) -> None:
    """The word that only one of three questions has is no number, and so is what follows it."""
    from safetensors.torch import load_file, save_file

    shutil.copytree(namers["llava"], tmp_path / "copy")
    file = tmp_path / "copy" / "model.safetensors"
    weights = load_file(file)
    model = opened(tmp_path / "copy", "max_tokens=3")
    [token] = model.parts[1].tokenizer("m", add_special_tokens=False)["input_ids"]
    [name] = [one for one in weights if "embed_tokens" in one]
    weights[name][token] = float("inf")
    save_file(weights, file, {"format": "pt"})
    answers = opened(tmp_path / "copy", "max_tokens=3").name(ITEMS)
    assert [type(one) for one in answers] == [ModelError, ModelError, Reply]
    whole = opened(namers["llava"], "max_tokens=3").name(ITEMS)
    assert answers[2] == whole[2]


@pytest.mark.parametrize(
    "kind", ["ViltForQuestionAnswering", "ViltForMaskedLM", "BlipForQuestionAnswering",
             "ViltForImageAndTextRetrieval", "SiglipModel"],
)  # fmt: skip
def test_no_head_answers_with_what_is_no_number(
    matchers: dict[str, Path], tmp_path: Path, kind: str
) -> None:
    broken(matchers[kind], tmp_path / "copy")
    settings = "?max_tokens=3" if "Blip" in kind else ""
    model: Any = open_model(f"hf/{tmp_path / 'copy'}{settings}")
    ask = model.name if "namer" in model.kinds else model.match
    [answer] = ask([replace(ITEMS[0], options=("one cat", "two cats"))])
    assert isinstance(answer, ModelError)
    assert "no numbers" in str(answer)


class Harmful:
    """A pickle that would run a program."""

    def __reduce__(self) -> Any:
        return (Path.touch, (Path("touched"),))


def damaged(folder: Path, damage: str) -> None:
    import torch

    weights, config = folder / "model.safetensors", folder / "config.json"
    if damage == "cut":
        weights.write_bytes(weights.read_bytes()[:-5000])
    elif damage == "config":
        config.write_text(json.dumps({**json.loads(config.read_text()), "text_config": 7}))
    elif damage == "program":
        weights.unlink()
        torch.save({"lm_head.weight": Harmful()}, folder / "pytorch_model.bin")
    else:
        (folder / "tokenizer.json").unlink()


@pytest.mark.parametrize(
    ("damage", "told"),
    [("cut", "not fully covered"), ("config", "text_config"), ("program", "more than weights"),
     ("tokenizer", "tokenizer.*serialization file")],
)  # fmt: skip
def test_a_damaged_checkpoint_is_told_in_a_sentence(
    namers: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = shutil.copytree(namers["llava"], tmp_path / "copy")
    damaged(folder, damage)
    with pytest.raises(Hopeless, match=rf"can't be loaded \(.*{told}.*\): give"):
        opened(folder).name(ITEMS[:1])
    assert not Path("touched").exists()


def test_what_no_class_answers_for_is_to_be_served(namers: dict[str, Path], tmp_path: Path) -> None:
    folder = shutil.copytree(namers["llava"], tmp_path / "copy")
    (folder / "config.json").write_text(json.dumps({"model_type": "mistral"}))
    with pytest.raises(Hopeless, match=r"can't be loaded .*'mistral': serve it .*--base-url URL"):
        opened(folder).name(ITEMS[:1])


def test_weights_in_torchs_own_format_are_counted_and_asked(
    namers: dict[str, Path], tmp_path: Path
) -> None:
    import torch
    from safetensors.torch import load_file

    folder = shutil.copytree(namers["llava"], tmp_path / "copy")
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    model, whole = opened(folder), opened(namers["llava"])
    assert model.parameters == whole.parameters
    assert model.told()["fits"] is True
    assert texts(model.name(ITEMS)) == texts(whole.name(ITEMS))
    (folder / "pytorch_model.bin").write_bytes(b"no archive")
    assert opened(folder).parameters is None


@pytest.mark.parametrize("called", ["ImageTextToText", "CausalLM", ""])
def test_foreign_code_runs_only_where_it_is_trusted(
    namers: dict[str, Path], tmp_path: Path, called: str
) -> None:
    """Under whichever of the usual names its model goes: most know AutoModelForCausalLM only."""
    from safetensors.torch import save_file
    from transformers import LlavaForConditionalGeneration

    for path in namers["llava"].iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    # weights by the names that the class itself has
    whole = LlavaForConditionalGeneration.from_pretrained(namers["llava"])
    save_file(whole.state_dict(), tmp_path / "model.safetensors", {"format": "pt"})
    config = json.loads((tmp_path / "config.json").read_text())
    config["auto_map"] = {f"AutoModel{called and 'For'}{called}": "own.Own"}
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


def test_code_beside_a_family_that_transformers_has_is_not_needed(
    namers: dict[str, Path], tmp_path: Path
) -> None:
    """Such as PaddleOCR-VL's: `from_pretrained` takes the class of transformers."""
    shutil.copytree(namers["llava"], tmp_path, dirs_exist_ok=True)
    (tmp_path / "own.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    config = json.loads((tmp_path / "config.json").read_text())
    config["auto_map"] = {"AutoConfig": "own.C", "AutoModelForImageTextToText": "own.Own"}
    (tmp_path / "config.json").write_text(json.dumps(config))
    model = opened(tmp_path, "max_tokens=6")
    assert texts(model.name(ITEMS)) == texts(opened(namers["llava"], "max_tokens=6").name(ITEMS))
    assert (model.told()["class"], model.told()["remote_code"]) == ("tested", False)
    assert not (tmp_path / "ran").exists()
    trusting = open_model(f"hf/{tmp_path}", ModelOptions(trust_remote_code=True))
    assert isinstance(trusting, Generating)
    assert (trusting.told()["class"], trusting.batch_size) == ("untested", 1)


@pytest.mark.parametrize("listed", [True, False])
def test_a_file_of_weights_that_is_not_there_is_named(
    namers: dict[str, Path], tmp_path: Path, listed: bool
) -> None:
    shutil.copytree(namers["llava"], tmp_path, dirs_exist_ok=True)
    (tmp_path / "model.safetensors").unlink()
    if listed:
        list_ = {"weight_map": {"a": "model-00001-of-00002.safetensors"}}
        (tmp_path / "model.safetensors.index.json").write_text(json.dumps(list_))
    name = "model-00001-of-00002" if listed else "model"
    with pytest.raises(Hopeless, match=rf"lacks 1 of its files of weights .*{name}\.safetensors"):
        asyncio.run(opened(tmp_path).open())


def test_code_of_a_part_is_told_as_such_and_not_run(
    namers: dict[str, Path], tmp_path: Path
) -> None:
    """The model's own configuration brings none: what prepares its pictures does."""
    shutil.copytree(namers["llava"], tmp_path, dirs_exist_ok=True)
    (tmp_path / "own.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    names = ("preprocessor_config.json", "processor_config.json")
    for path in (tmp_path / name for name in names if (tmp_path / name).exists()):
        parts = json.loads(path.read_text())
        for part in (parts, parts.get("image_processor", {})):
            part |= {"auto_map": {"AutoImageProcessor": "own.Own"}, "image_processor_type": "Own"}
        path.write_text(json.dumps(parts))
    with pytest.raises(Hopeless, match=r"program code of its own.*--trust-remote-code"):
        asyncio.run(opened(tmp_path).open())
    assert not (tmp_path / "ran").exists()


def ask(model: Model, items: Sequence[Item] = ITEMS) -> list[Any]:
    return list(model.name(items))  # type: ignore[attr-defined]


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


def test_a_question_is_no_part_of_blips_answer(matchers: dict[str, Path]) -> None:
    """Its captioner repeats the words that it goes on from: a number in them is not its own."""
    from transformers import AutoProcessor, BlipForConditionalGeneration

    folder = matchers["BlipForConditionalGeneration"]
    assert ITEMS[0].picture
    question = "how many cats are there ? 1 2 3 or 10 ?"
    [reply] = ask(open_model(f"hf/{folder}?max_tokens=5"), [replace(ITEMS[0], question=question)])
    assert reply.usage["completion_tokens"] <= 5
    reference = BlipForConditionalGeneration.from_pretrained(folder)
    processor = AutoProcessor.from_pretrained(folder)
    seen = processor(Image.open(BytesIO(ITEMS[0].picture)), question, return_tensors="pt")
    asked = seen["input_ids"].shape[1] - 1  # all but the end
    written = reference.generate(**seen, max_new_tokens=5, max_length=None, do_sample=False)[0]
    expected = processor.decode(written[asked:], skip_special_tokens=True)
    assert reply.value == expected.strip()


@pytest.mark.parametrize("kind", ["ViltForMaskedLM", "BridgeTowerForMaskedLM"])
def test_a_mask_is_answered_by_the_best_number_word(matchers: dict[str, Path], kind: str) -> None:
    model = open_model(f"hf/{matchers[kind]}")
    assert {"filler", "namer"} <= set(model.kinds)
    for reply in ask(model):
        assert subitize.read_number(reply.value).state == "read"
        assert reply.facts["ranking"][0][0] == reply.value


def test_a_run_goes_on_on_another_device(namers: dict[str, Path], tmp_path: Path) -> None:
    """In the child too, which is told where to compute: a device that is not there is no device."""
    folder = namers["llava"]
    small = {"per_cell": 1, "max": 2, "categories": ("apples",), "control": False, "size": 64}
    first = subitize.run("naming", f"hf/{folder}?max_tokens=4", out=tmp_path, limit=1, **small)
    again = subitize.run("naming", f"hf/{folder}?max_tokens=4&device=cpu", out=tmp_path, **small)
    assert again.folder == first.folder
    assert again.answers["trial"].n_unique() == again.answers.height == again.scores["asked"]
    assert set(again.answers["respondent"]) == {f"hf/{folder}?max_tokens=4"}
    with pytest.raises(SubitizeError, match="device=nowhere can't be used"):
        subitize.run(
            "naming", f"hf/{folder}?max_tokens=4&device=nowhere", out=tmp_path / "x", **small
        )
