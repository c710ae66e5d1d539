"""What a model that writes is given, beside what transformers itself makes of a conversation."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.models.test_hf_namers import ITEMS, opened, texts
from tests.models.tiny_namers import FAMILIES
from tests.models.tiny_parts import TURN


def differing(model: Any) -> list[str]:
    """Names of inputs that are not those of transformers' own chat template."""
    item, processor = ITEMS[0], model.parts[1]
    picture = model.opened(item)
    said = [{"type": "image", "image": picture}, {"type": "text", "text": item.question}]
    wanted = processor.apply_chat_template(
        [[{"role": "user", "content": said}]], add_generation_prompt=True, tokenize=True,
        return_dict=True, return_tensors="pt",
    )  # fmt: skip
    given = model.prepared([(item, picture)])
    return [
        name for name, value in wanted.items()
        if name not in given or value.tolist() != given[name].tolist()
    ]  # fmt: skip


WITHOUT_TEMPLATE = (
    "blip-2", "blip2_t5", "chameleon", "florence2", "git", "idefics", "instructblip", "kosmos-2",
    "kosmos-2.5", "paligemma", "paligemma2",
)  # fmt: skip


@pytest.mark.parametrize(
    "family",
    # GOT-OCR takes a picture in a conversation for one of several pages
    [one for one in FAMILIES if one not in (*WITHOUT_TEMPLATE, "got_ocr2")],
)
def test_inputs_are_those_of_transformers(namers: dict[str, Path], family: str) -> None:
    assert differing(opened(namers[family])) == []


@pytest.mark.parametrize("by_template", [True, False])
@pytest.mark.parametrize("by_tokenizer", [True, False])
def test_a_prompt_begins_once(
    namers: dict[str, Path], tmp_path: Path, by_template: bool, by_tokenizer: bool
) -> None:
    """Templates (Gemma 3, Llama 3.2 Vision) write the beginning that tokenizers add, too."""
    from tokenizers.processors import TemplateProcessing

    folder = tmp_path / "begun"
    shutil.copytree(namers["llava"], folder)
    if by_template:
        (folder / "chat_template.jinja").write_text(
            "{{ bos_token }}" + TURN.replace("IMAGE", "<image>")
        )
    model = opened(folder)
    tokenizer = model.parts[1].tokenizer
    begins = tokenizer.bos_token_id
    if by_tokenizer:
        tokenizer._tokenizer.post_processor = TemplateProcessing(
            single="<bos> $A", special_tokens=[("<bos>", begins)]
        )
    pairs = [(item, model.opened(item)) for item in ITEMS]
    for row in model.prepared(pairs)["input_ids"].tolist():
        assert row.count(begins) == int(by_template or by_tokenizer)
    assert differing(model) == []


@pytest.mark.parametrize("numbered", [True, False])
def test_an_older_blip2_sees_its_picture(
    namers: dict[str, Path], tmp_path: Path, numbered: bool
) -> None:
    """Saved before its processor set the picture's place: it wrote blindly, or nothing."""
    folder = tmp_path / "older"
    shutil.copytree(namers["blip-2"], folder)
    eyes = json.loads((folder / "processor_config.json").read_text())["image_processor"]
    (folder / "processor_config.json").unlink()
    (folder / "preprocessor_config.json").write_text(json.dumps(eyes))
    if not numbered:
        config = json.loads((folder / "config.json").read_text())
        del config["image_token_index"]
        (folder / "config.json").write_text(json.dumps(config))
    older, whole = opened(folder), opened(namers["blip-2"])
    assert texts(older.name(ITEMS)) == texts(whole.name(ITEMS))
