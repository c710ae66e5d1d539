"""What tiny generative models of all families are made of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SIZES = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
         "num_attention_heads": 2}  # fmt: skip
EYES = {**SIZES, "image_size": 32, "patch_size": 8}
SIGLIP: dict[str, Any] = {
    "model_type": "siglip_vision_model", **EYES, "vision_use_head": False
}  # fmt: skip
TURN = (
    "{% for message in messages %}<|{{ message['role'] }}|>"
    "{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}IMAGE{% else %}{{ part['text'] }}{% endif %}"
    "{% endfor %}<end>{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def bytes_tokenizer(*special: str, **options: Any) -> Any:
    """A byte-level tokenizer without merges: every text can be written in it."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = ["<pad>", "<bos>", "<end>", *special, *letters]
    made = Tokenizer(
        models.BPE(vocab={word: place for place, word in enumerate(vocabulary)}, merges=[])
    )
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="<pad>", bos_token="<bos>", eos_token="<end>",
        extra_special_tokens=list(special), **options,
    )  # fmt: skip


def llama(tokenizer: Any) -> dict[str, Any]:
    return {
        "model_type": "llama", **SIZES, "num_key_value_heads": 2, "vocab_size": len(tokenizer),
        "max_position_embeddings": 2048, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
    }  # fmt: skip


def plain(tokenizer: Any) -> dict[str, Any]:
    """The same numbers, for families that name their text model themselves."""
    return {key: value for key, value in llama(tokenizer).items() if key != "model_type"}


def clip_eyes() -> dict[str, Any]:
    return {"model_type": "clip_vision_model", **EYES, "projection_dim": 32}


MROPE = {"rope_parameters": {"rope_type": "default", "mrope_section": [2, 3, 3],
                             "rope_theta": 10000.0}}  # fmt: skip
LINEAR: dict[str, Any] = {
    "head_dim": 16, "linear_key_head_dim": 8, "linear_value_head_dim": 8,
    "linear_num_key_heads": 2, "linear_num_value_heads": 2,
    "layer_types": ["linear_attention", "full_attention"],
    "rope_parameters": {"rope_type": "default", "mrope_section": [1, 0, 1],
                        "rope_theta": 10000.0, "partial_rotary_factor": 0.25},
}  # fmt: skip
"""Qwen 3.5's text: every other layer without a softmax"""


def keep(folder: Path, model: Any, processor: Any) -> Path:
    # Weights drawn with the usual spread of 0.02 let every prompt end alike: these tell apart.
    import torch

    torch.manual_seed(0)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() > 1:
                torch.nn.init.normal_(weight, std=0.2)
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


def keep_parts(
    folder: Path, model: Any, tokenizer: Any, pictures: Any, template: str, **processor: Any
) -> Path:
    """The files of a checkpoint whose processor can't be made here as a whole."""
    keep(folder, model, tokenizer)
    pictures.save_pretrained(folder)
    (folder / "chat_template.jinja").write_text(template)
    (folder / "processor_config.json").write_text(json.dumps(processor))
    return folder
