"""Generative models with random weights in the shape of published families, made in a moment.

Each is written as the hub has it (config, weights, tokenizer, processor) and needs no download.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tests.models.tiny_namers_others import WITHOUT_VIDEOS
from tests.models.tiny_namers_seeing import WITH_VIDEOS
from tests.models.tiny_parts import (
    EYES,
    LINEAR,
    MROPE,
    SIZES,
    TURN,
    bytes_tokenizer,
    clip_eyes,
    keep,
    llama,
    plain,
)
from tests.models.tiny_shape import build
from tests.models.tiny_shapes_grid import GRIDS
from tests.models.tiny_shapes_other import OTHERS


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


WRITERS: dict[str, dict[str, Any]] = {
    "opt": {"hidden_size": 32, "ffn_dim": 64, "num_hidden_layers": 2, "num_attention_heads": 2,
            "word_embed_proj_dim": 32, "max_position_embeddings": 512},
    "t5": {"d_model": 32, "d_kv": 16, "d_ff": 64, "num_layers": 2, "num_heads": 2,
           "decoder_start_token_id": 0, "feed_forward_proj": "gated-gelu"},
}  # fmt: skip
"""BLIP-2's language models: the second one reads the whole question before it writes"""


def blip2(folder: Path, text: str = "opt") -> Path:
    from transformers import Blip2Config, Blip2ForConditionalGeneration, Blip2Processor
    from transformers.models.blip.image_processing_pil_blip import BlipImageProcessorPil

    tokenizer = bytes_tokenizer("<image>")
    config = Blip2Config(
        vision_config=EYES,
        qformer_config={**SIZES, "encoder_hidden_size": 32, "vocab_size": len(tokenizer)},
        text_config={
            **WRITERS[text], "model_type": text, "vocab_size": len(tokenizer), "pad_token_id": 0,
            "bos_token_id": 1, "eos_token_id": 2,
        },
        num_query_tokens=4, image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
    )  # fmt: skip
    processor = Blip2Processor(
        BlipImageProcessorPil(size={"height": 32, "width": 32}), tokenizer, num_query_tokens=4
    )
    return keep(folder, Blip2ForConditionalGeneration(config), processor)


def paligemma(folder: Path, text: str = "gemma") -> Path:
    from transformers import (
        PaliGemmaConfig,
        PaliGemmaForConditionalGeneration,
        PaliGemmaProcessor,
    )
    from transformers.models.siglip.image_processing_pil_siglip import SiglipImageProcessorPil

    tokenizer = bytes_tokenizer("<image>")
    config = PaliGemmaConfig(
        text_config={
            "model_type": text, **SIZES, "num_key_value_heads": 1, "head_dim": 16,
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


def paligemma2(folder: Path) -> Path:
    return paligemma(folder, "gemma2")


def blip2_t5(folder: Path) -> Path:
    return blip2(folder, "t5")


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


def _qwen(folder: Path, family: str, text: dict[str, Any], eyes: dict[str, Any]) -> Path:
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
        text_config={**plain(tokenizer), **text},
        vision_config={"depth": 2, "hidden_size": 32, "num_heads": 2, "patch_size": 8,
                       "spatial_merge_size": 2, **eyes},
        **numbers,
    )  # fmt: skip
    # beside the tokenizer alone, as older checkpoints have it
    tokenizer.chat_template = TURN.replace("IMAGE", "<|vision_start|><|image_pad|><|vision_end|>")
    keep(folder, getattr(transformers, f"{family}ForConditionalGeneration")(config), tokenizer)
    Qwen2VLImageProcessorPil(
        patch_size=8, merge_size=2, size={"shortest_edge": 256, "longest_edge": 4096}
    ).save_pretrained(folder)
    return folder


def qwen2_vl(folder: Path) -> Path:
    return _qwen(folder, "Qwen2VL", MROPE, {"embed_dim": 32, "mlp_ratio": 2})


def qwen2_5_vl(folder: Path) -> Path:
    eyes = {"out_hidden_size": 32, "intermediate_size": 64, "window_size": 32,
            "fullatt_block_indexes": [1]}  # fmt: skip
    return _qwen(folder, "Qwen2_5_VL", MROPE, eyes)


QWEN3 = {"out_hidden_size": 32, "intermediate_size": 64, "num_position_embeddings": 64}


def qwen3_vl(folder: Path) -> Path:
    eyes = {**QWEN3, "deepstack_visual_indexes": [0]}
    return _qwen(folder, "Qwen3VL", {**MROPE, "head_dim": 16}, eyes)


def qwen3_5(folder: Path) -> Path:
    return _qwen(folder, "Qwen3_5", LINEAR, QWEN3)


def gemma3(folder: Path) -> Path:
    from transformers import Gemma3Config, Gemma3ForConditionalGeneration, Gemma3Processor
    from transformers.models.gemma3.image_processing_pil_gemma3 import Gemma3ImageProcessorPil

    named = {"image_token": "<image>", "boi_token": "<boi>", "eoi_token": "<eoi>"}
    tokenizer = bytes_tokenizer(*named.values(), model_specific_special_tokens=named)
    config = Gemma3Config(
        text_config={
            **plain(tokenizer), "head_dim": 16,
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


FIRST: dict[str, Callable[[Path], Path]] = {
    "llava": llava,
    "llava_next": llava_next,
    "blip-2": blip2,
    "paligemma": paligemma,
    "idefics3": idefics3,
    "qwen2_vl": qwen2_vl,
    "qwen2_5_vl": qwen2_5_vl,
    "gemma3": gemma3,
}
FAMILIES = {
    **FIRST,
    **{made.__name__: made for made in (blip2_t5, paligemma2, qwen3_vl, qwen3_5)},
    **{made.__name__: made for made in (*WITH_VIDEOS, *WITHOUT_VIDEOS)},
    **{
        family: partial(build, family=family, shape=shape)
        for family, shape in {**GRIDS, **OTHERS}.items()
    },
}
"""by the model_type of config.json; BLIP-2 and PaliGemma a second time, with another writer"""
