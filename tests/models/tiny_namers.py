"""Generative models with random weights in the shape of published families, made in a moment.

Each is written as the hub has it (config, weights, tokenizer, processor) and needs no download.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

SIZES = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
         "num_attention_heads": 2}  # fmt: skip
EYES = {**SIZES, "image_size": 32, "patch_size": 8}
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


def clip_eyes() -> dict[str, Any]:
    return {"model_type": "clip_vision_model", **EYES, "projection_dim": 32}


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


def llava(folder: Path) -> Path:
    from transformers import LlavaConfig, LlavaForConditionalGeneration, LlavaProcessor
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

    tokenizer = bytes_tokenizer("<image>")
    config = LlavaConfig(
        text_config=llama(tokenizer), vision_config=clip_eyes(),
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"), vision_feature_layer=-1,
    )  # fmt: skip
    processor = LlavaProcessor(
        CLIPImageProcessorPil(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}),
        tokenizer, patch_size=8, vision_feature_select_strategy="default",
        num_additional_image_tokens=1, chat_template=TURN.replace("IMAGE", "<image>"),
    )  # fmt: skip
    return keep(folder, LlavaForConditionalGeneration(config), processor)


def llava_next(folder: Path) -> Path:
    from transformers import (
        LlavaNextConfig,
        LlavaNextForConditionalGeneration,
        LlavaNextProcessor,
    )
    from transformers.models.llava_next.image_processing_pil_llava_next import (
        LlavaNextImageProcessorPil,
    )

    tokenizer = bytes_tokenizer("<image>")
    grid = [[32, 64], [64, 32], [64, 64]]
    config = LlavaNextConfig(
        text_config=llama(tokenizer), vision_config=clip_eyes(), vision_feature_layer=-1,
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"), image_grid_pinpoints=grid,
    )  # fmt: skip
    processor = LlavaNextProcessor(
        LlavaNextImageProcessorPil(
            size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32},
            image_grid_pinpoints=grid,
        ),
        tokenizer, patch_size=8, vision_feature_select_strategy="default",
        num_additional_image_tokens=1, chat_template=TURN.replace("IMAGE", "<image>"),
    )  # fmt: skip
    return keep(folder, LlavaNextForConditionalGeneration(config), processor)


def blip2(folder: Path) -> Path:
    from transformers import Blip2Config, Blip2ForConditionalGeneration, Blip2Processor
    from transformers.models.blip.image_processing_pil_blip import BlipImageProcessorPil

    tokenizer = bytes_tokenizer("<image>")
    config = Blip2Config(
        vision_config=EYES,
        qformer_config={**SIZES, "encoder_hidden_size": 32, "vocab_size": len(tokenizer)},
        text_config={
            "model_type": "opt", "hidden_size": 32, "ffn_dim": 64, "num_hidden_layers": 2,
            "num_attention_heads": 2, "word_embed_proj_dim": 32, "vocab_size": len(tokenizer),
            "max_position_embeddings": 512, "pad_token_id": 0, "bos_token_id": 1,
            "eos_token_id": 2,
        },
        num_query_tokens=4, image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
    )  # fmt: skip
    processor = Blip2Processor(
        BlipImageProcessorPil(size={"height": 32, "width": 32}), tokenizer, num_query_tokens=4
    )
    return keep(folder, Blip2ForConditionalGeneration(config), processor)


def paligemma(folder: Path) -> Path:
    from transformers import (
        PaliGemmaConfig,
        PaliGemmaForConditionalGeneration,
        PaliGemmaProcessor,
    )
    from transformers.models.siglip.image_processing_pil_siglip import SiglipImageProcessorPil

    tokenizer = bytes_tokenizer("<image>")
    config = PaliGemmaConfig(
        text_config={
            "model_type": "gemma", **SIZES, "num_key_value_heads": 1, "head_dim": 16,
            "vocab_size": len(tokenizer) + 2000, "pad_token_id": 0, "bos_token_id": 1,
            "eos_token_id": 2,
        },
        vision_config={"model_type": "siglip_vision_model", **EYES, "projection_dim": 32,
                       "vision_use_head": False},
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"), projection_dim=32,
        hidden_size=32,
    )  # fmt: skip
    eyes = SiglipImageProcessorPil(size={"height": 32, "width": 32})
    eyes.image_seq_length = 16
    return keep(
        folder, PaliGemmaForConditionalGeneration(config), PaliGemmaProcessor(eyes, tokenizer)
    )


def idefics3(folder: Path) -> Path:
    from transformers import Idefics3Config, Idefics3ForConditionalGeneration, Idefics3Processor
    from transformers.models.idefics3.image_processing_pil_idefics3 import (
        Idefics3ImageProcessorPil,
    )

    tokenizer = bytes_tokenizer(
        "<image>", "<fake_token_around_image>", "<end_of_utterance>", "<global-img>"
    )
    config = Idefics3Config(
        text_config=llama(tokenizer), vision_config={**EYES, "model_type": "idefics3_vision"},
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"), scale_factor=2,
        pad_token_id=0,
    )  # fmt: skip
    eyes = Idefics3ImageProcessorPil(size={"longest_edge": 64}, max_image_size={"longest_edge": 32})
    processor = Idefics3Processor(
        eyes, tokenizer, image_seq_len=4, chat_template=TURN.replace("IMAGE", "<image>")
    )
    return keep(folder, Idefics3ForConditionalGeneration(config), processor)


def _qwen(folder: Path, family: str, eyes: dict[str, Any]) -> Path:
    """As published checkpoints are: whose usual processor wants torchvision, for its videos."""
    import transformers
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    tokenizer = bytes_tokenizer(
        "<|image_pad|>", "<|video_pad|>", "<|vision_start|>", "<|vision_end|>", "<think>"
    )
    numbers = {
        f"{name}_token_id": tokenizer.convert_tokens_to_ids(f"<|{word}|>")
        for name, word in [("image", "image_pad"), ("video", "video_pad"),
                           ("vision_start", "vision_start"), ("vision_end", "vision_end")]
    }  # fmt: skip
    config = getattr(transformers, f"{family}Config")(
        text_config={
            **{k: v for k, v in llama(tokenizer).items() if k != "model_type"},
            "rope_parameters": {"rope_type": "default", "mrope_section": [2, 3, 3],
                                "rope_theta": 10000.0},
        },
        vision_config={"depth": 2, "hidden_size": 32, "num_heads": 2, "patch_size": 8,
                       "spatial_merge_size": 2, **eyes},
        **numbers,
    )  # fmt: skip
    tokenizer.chat_template = TURN.replace("IMAGE", "<|vision_start|><|image_pad|><|vision_end|>")
    keep(folder, getattr(transformers, f"{family}ForConditionalGeneration")(config), tokenizer)
    Qwen2VLImageProcessorPil(
        patch_size=8, merge_size=2, size={"shortest_edge": 256, "longest_edge": 4096}
    ).save_pretrained(folder)
    return folder


def qwen2_vl(folder: Path) -> Path:
    return _qwen(folder, "Qwen2VL", {"embed_dim": 32, "mlp_ratio": 2})


def qwen2_5_vl(folder: Path) -> Path:
    eyes = {"out_hidden_size": 32, "intermediate_size": 64, "window_size": 32,
            "fullatt_block_indexes": [1]}  # fmt: skip
    return _qwen(folder, "Qwen2_5_VL", eyes)


def gemma3(folder: Path) -> Path:
    from transformers import Gemma3Config, Gemma3ForConditionalGeneration, Gemma3Processor
    from transformers.models.gemma3.image_processing_pil_gemma3 import Gemma3ImageProcessorPil

    named = {"image_token": "<image>", "boi_token": "<boi>", "eoi_token": "<eoi>"}
    tokenizer = bytes_tokenizer(*named.values(), model_specific_special_tokens=named)
    config = Gemma3Config(
        text_config={
            **{k: v for k, v in llama(tokenizer).items() if k != "model_type"}, "head_dim": 16,
            "sliding_window": 64,
        },
        vision_config={"model_type": "siglip_vision_model", **EYES, "vision_use_head": False},
        mm_tokens_per_image=4, image_token_index=tokenizer.image_token_id,
        boi_token_index=tokenizer.boi_token_id, eoi_token_index=tokenizer.eoi_token_id,
    )  # fmt: skip
    processor = Gemma3Processor(
        Gemma3ImageProcessorPil(size={"height": 32, "width": 32}), tokenizer, image_seq_length=4,
        chat_template=TURN.replace("IMAGE", "<boi>"),
    )  # fmt: skip
    return keep(folder, Gemma3ForConditionalGeneration(config), processor)


FAMILIES: dict[str, Callable[[Path], Path]] = {
    "llava": llava,
    "llava_next": llava_next,
    "blip-2": blip2,
    "paligemma": paligemma,
    "idefics3": idefics3,
    "qwen2_vl": qwen2_vl,
    "qwen2_5_vl": qwen2_5_vl,
    "gemma3": gemma3,
}
"""by the model_type of config.json"""
