"""Tiny random checkpoints of further families that write, told by what each has of its own.

Classes are looked up by the family's name, as the Auto classes of transformers do. A text that
begins with @ stands for the number of a token, # for how many there are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.models.tiny_parts import TURN, bytes_tokenizer, keep_parts, plain


@dataclass(frozen=True)
class Shape:
    """What a family has of its own."""

    named: dict[str, str]
    """tokens that its tokenizer knows by a name"""
    config: dict[str, Any]
    pictures: dict[str, Any] = field(default_factory=dict)
    """settings of what prepares its pictures"""
    place: str | None = None
    """the picture in a conversation: its image token; "" where there is no chat template"""
    processor: dict[str, Any] = field(default_factory=dict)
    marks: tuple[str, ...] = ()
    """other special tokens"""
    eyes: str = ""
    """the class that prepares its pictures, where transformers leaves that to the checkpoint"""
    whole: str = ""
    """the same for its processor"""
    words: dict[str, str] = field(default_factory=dict)
    """further arguments of its tokenizer"""
    text: str = "text_config"
    """the part of its config with the sizes of the text model; "" for the whole"""


def build(folder: Path, family: str, shape: Shape) -> Path:
    import transformers
    from transformers.models.auto import (
        configuration_auto,
        image_processing_auto,
        modeling_auto,
        processing_auto,
    )

    tokenizer = bytes_tokenizer(
        *dict.fromkeys([*shape.named.values(), *shape.marks]),
        model_specific_special_tokens=shape.named, **shape.words,
    )  # fmt: skip
    told = numbered(shape.config, tokenizer)
    if shape.text:
        told[shape.text] = {**plain(tokenizer), **told.get(shape.text, {})}
    else:
        told = {**plain(tokenizer), **told}
    config = configuration_auto.CONFIG_MAPPING[family](**told)
    model = getattr(
        transformers, vars(modeling_auto)["MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES"][family]
    )
    known = vars(image_processing_auto)["IMAGE_PROCESSOR_MAPPING_NAMES"].get(family) or {}
    pictures = eyes_class(shape.eyes or known["pil"])(**shape.pictures)
    whole = shape.whole or vars(processing_auto)["PROCESSOR_MAPPING_NAMES"][family]
    place = shape.named.get("image_token", "") if shape.place is None else shape.place
    return keep_parts(
        folder, model(config), tokenizer, pictures, place and TURN.replace("IMAGE", place),
        processor_class=whole, **shape.processor,
    )  # fmt: skip


def eyes_class(name: str) -> Any:
    from transformers.models.auto.image_processing_auto import get_image_processor_class_from_name

    return get_image_processor_class_from_name(name)


def numbered(told: Any, tokenizer: Any) -> Any:
    if isinstance(told, dict):
        return {key: numbered(value, tokenizer) for key, value in told.items()}
    if told == "#":
        return len(tokenizer)
    if isinstance(told, str) and told.startswith("@"):
        return tokenizer.convert_tokens_to_ids(told[1:])
    return told
