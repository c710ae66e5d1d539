"""Tiny random checkpoints of families whose processor has a part for videos.

That part wants torchvision, so what the hub has of the others is written file by file.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.models.tiny_parts import (
    EYES,
    LINEAR,
    SIGLIP,
    SIZES,
    TURN,
    bytes_tokenizer,
    clip_eyes,
    keep_parts,
    llama,
    plain,
)


def gemma4(folder: Path) -> Path:
    from transformers import Gemma4Config, Gemma4ForConditionalGeneration
    from transformers.models.gemma4.feature_extraction_gemma4 import Gemma4AudioFeatureExtractor
    from transformers.models.gemma4.image_processing_pil_gemma4 import Gemma4ImageProcessorPil

    named = {
        f"{prefix}{letter}{suffix}_token": word.replace("WHAT", what)
        for letter, what in (("i", "image"), ("a", "audio"))
        for prefix, suffix, word in (("bo", "", "<|WHAT>"), ("eo", "", "<WHAT|>"))
    } | {"image_token": "<|image|>", "audio_token": "<|audio|>"}
    tokenizer = bytes_tokenizer(*named.values(), "<|video|>", model_specific_special_tokens=named)
    config = Gemma4Config(
        text_config={**plain(tokenizer), "head_dim": 16, "global_head_dim": 16,
                     "sliding_window": 64, "hidden_size_per_layer_input": 8,
                     "layer_types": ["sliding_attention", "full_attention"],
                     "vocab_size_per_layer_input": len(tokenizer)},
        vision_config={**SIZES, "num_key_value_heads": 2, "head_dim": 16, "patch_size": 8,
                       "pooling_kernel_size": 2, "position_embedding_size": 64},
        audio_config=None, image_token_id=tokenizer.image_token_id,
        boi_token_id=tokenizer.boi_token_id, eoi_token_id=tokenizer.eoi_token_id,
        video_token_id=tokenizer.convert_tokens_to_ids("<|video|>"),
        audio_token_id=tokenizer.audio_token_id,
    )  # fmt: skip
    pictures = Gemma4ImageProcessorPil(patch_size=8, pooling_kernel_size=2, max_soft_tokens=70)
    keep_parts(
        folder, Gemma4ForConditionalGeneration(config), tokenizer, pictures,
        TURN.replace("IMAGE", "<|image|>"), processor_class="Gemma4Processor",
        feature_extractor=json.loads(Gemma4AudioFeatureExtractor().to_json_string()),
        image_seq_length=70,
    )  # fmt: skip
    return folder


def internvl(folder: Path) -> Path:
    from transformers import InternVLConfig, InternVLForConditionalGeneration
    from transformers.models.got_ocr2.image_processing_pil_got_ocr2 import GotOcr2ImageProcessorPil

    named = {"start_image_token": "<img>", "end_image_token": "</img>",
             "context_image_token": "<IMG_CONTEXT>", "video_token": "<video>"}  # fmt: skip
    tokenizer = bytes_tokenizer(*named.values(), model_specific_special_tokens=named)
    config = InternVLConfig(
        text_config={**llama(tokenizer), "model_type": "qwen2"},
        vision_config={**EYES, "use_qk_norm": False}, image_seq_length=4,
        image_token_id=tokenizer.convert_tokens_to_ids("<IMG_CONTEXT>"),
    )  # fmt: skip
    pictures = GotOcr2ImageProcessorPil(
        size={"height": 32, "width": 32}, crop_to_patches=True, min_patches=1, max_patches=4
    )
    return keep_parts(
        folder, InternVLForConditionalGeneration(config), tokenizer, pictures,
        TURN.replace("IMAGE", "<IMG_CONTEXT>\n"), processor_class="InternVLProcessor",
        image_seq_length=4,
    )  # fmt: skip


def llava_onevision(folder: Path) -> Path:
    from transformers import LlavaOnevisionConfig, LlavaOnevisionForConditionalGeneration
    from transformers.models.llava_onevision.image_processing_pil_llava_onevision import (
        LlavaOnevisionImageProcessorPil,
    )

    tokenizer = bytes_tokenizer("<image>", "<video>")
    grid = [[32, 32], [32, 64], [64, 32], [64, 64]]
    config = LlavaOnevisionConfig(
        text_config={**llama(tokenizer), "model_type": "qwen2"}, vision_config=SIGLIP,
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        video_token_index=tokenizer.convert_tokens_to_ids("<video>"), image_grid_pinpoints=grid,
    )  # fmt: skip
    return keep_parts(
        folder, LlavaOnevisionForConditionalGeneration(config), tokenizer,
        LlavaOnevisionImageProcessorPil(
            size={"height": 32, "width": 32}, image_grid_pinpoints=grid
        ),
        TURN.replace("IMAGE", "<image>"), processor_class="LlavaOnevisionProcessor",
        num_image_tokens=16, vision_feature_select_strategy="full",
    )  # fmt: skip


def minicpmv4_6(folder: Path) -> Path:
    from transformers import MiniCPMV4_6Config, MiniCPMV4_6ForConditionalGeneration
    from transformers.models.minicpmv4_6.image_processing_pil_minicpmv4_6 import (
        MiniCPMV4_6ImageProcessorPil,
    )

    named = {"image_token": "<|image_pad|>", "video_token": "<|video_pad|>",
             **{f"{what}_{end}_token": f"<{what}_{end}>" for what in ("image", "slice", "image_id")
                for end in ("start", "end")}}  # fmt: skip
    tokenizer = bytes_tokenizer(*named.values(), model_specific_special_tokens=named)
    config = MiniCPMV4_6Config(
        text_config={**llama(tokenizer), "model_type": "qwen3_5_text", **LINEAR},
        vision_config={**EYES}, insert_layer_id=0,
        image_token_id=tokenizer.image_token_id, video_token_id=tokenizer.video_token_id,
    )  # fmt: skip
    pictures = MiniCPMV4_6ImageProcessorPil(scale_resolution=32, patch_size=8)
    return keep_parts(
        folder, MiniCPMV4_6ForConditionalGeneration(config), tokenizer, pictures,
        TURN.replace("IMAGE", "<|image_pad|>"), processor_class="MiniCPMV4_6Processor",
    )  # fmt: skip


def smolvlm(folder: Path) -> Path:
    from transformers import SmolVLMConfig, SmolVLMForConditionalGeneration
    from transformers.models.smolvlm.image_processing_pil_smolvlm import SmolVLMImageProcessorPil

    tokenizer = bytes_tokenizer(
        "<image>", "<fake_token_around_image>", "<end_of_utterance>", "<global-img>", "<video>"
    )
    config = SmolVLMConfig(
        text_config=llama(tokenizer), vision_config=EYES, scale_factor=2, pad_token_id=0,
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
    )  # fmt: skip
    pictures = SmolVLMImageProcessorPil(
        size={"longest_edge": 64}, max_image_size={"longest_edge": 32}
    )
    return keep_parts(
        folder, SmolVLMForConditionalGeneration(config), tokenizer, pictures,
        TURN.replace("IMAGE", "<image>"), processor_class="SmolVLMProcessor", image_seq_len=4,
    )  # fmt: skip


def glm4v(folder: Path) -> Path:
    from transformers import Glm4vConfig, Glm4vForConditionalGeneration
    from transformers.models.glm4v.image_processing_pil_glm4v import Glm4vImageProcessorPil

    named = {"image_token": "<|image|>", "video_token": "<|video|>"}
    tokenizer = bytes_tokenizer(
        *named.values(),
        "<|begin_of_image|>",
        "<|end_of_image|>",
        "<|begin_of_video|>",
        "<|end_of_video|>",
        model_specific_special_tokens=named,
    )
    ids = tokenizer.convert_tokens_to_ids
    config = Glm4vConfig(
        text_config={
            **plain(tokenizer),
            "rope_parameters": {
                "rope_type": "default",
                "rope_theta": 10000.0,
                "mrope_section": [2, 3, 3],
            },
        },
        vision_config={
            "depth": 2,
            "hidden_size": 32,
            "num_heads": 2,
            "patch_size": 8,
            "image_size": 32,
            "spatial_merge_size": 2,
            "out_hidden_size": 32,
            "intermediate_size": 64,
        },
        image_token_id=ids("<|image|>"),
        video_token_id=ids("<|video|>"),
        image_start_token_id=ids("<|begin_of_image|>"),
        image_end_token_id=ids("<|end_of_image|>"),
        video_start_token_id=ids("<|begin_of_video|>"),
        video_end_token_id=ids("<|end_of_video|>"),
    )
    pictures = Glm4vImageProcessorPil(
        patch_size=8, merge_size=2, size={"shortest_edge": 256, "longest_edge": 8192}
    )
    return keep_parts(
        folder,
        Glm4vForConditionalGeneration(config),
        tokenizer,
        pictures,
        TURN.replace("IMAGE", "<|begin_of_image|><|image|><|end_of_image|>"),
        processor_class="Glm4vProcessor",
    )


def video_llama_3(folder: Path) -> Path:
    from transformers import VideoLlama3Config, VideoLlama3ForConditionalGeneration
    from transformers.models.video_llama_3.image_processing_pil_video_llama_3 import (
        VideoLlama3ImageProcessorPil,
    )

    tokenizer = bytes_tokenizer("<|image_pad|>", "<|video_pad|>")
    ids = tokenizer.convert_tokens_to_ids
    config = VideoLlama3Config(
        text_config={**llama(tokenizer), "model_type": "qwen2"},
        vision_config={**SIZES, "patch_size": 8},
        image_token_id=ids("<|image_pad|>"),
        video_token_id=ids("<|video_pad|>"),
    )
    pictures = VideoLlama3ImageProcessorPil(
        patch_size=8, merge_size=1, size={"shortest_edge": 256, "longest_edge": 4096}
    )
    return keep_parts(
        folder,
        VideoLlama3ForConditionalGeneration(config),
        tokenizer,
        pictures,
        TURN.replace("IMAGE", "<|image_pad|>"),
        processor_class="VideoLlama3Processor",
    )


def llava_next_video(folder: Path) -> Path:
    from transformers import LlavaNextVideoConfig, LlavaNextVideoForConditionalGeneration
    from transformers.models.llava_next.image_processing_pil_llava_next import (
        LlavaNextImageProcessorPil,
    )

    tokenizer = bytes_tokenizer("<image>", "<video>")
    grid = [[32, 64], [64, 32], [64, 64]]
    ids = tokenizer.convert_tokens_to_ids
    config = LlavaNextVideoConfig(
        text_config=llama(tokenizer),
        vision_config=clip_eyes(),
        vision_feature_layer=-1,
        image_token_index=ids("<image>"),
        video_token_index=ids("<video>"),
        image_grid_pinpoints=grid,
    )
    pictures = LlavaNextImageProcessorPil(
        size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}, image_grid_pinpoints=grid
    )
    return keep_parts(
        folder,
        LlavaNextVideoForConditionalGeneration(config),
        tokenizer,
        pictures,
        TURN.replace("IMAGE", "<image>"),
        processor_class="LlavaNextVideoProcessor",
        patch_size=8,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
    )


WITH_VIDEOS = (
    gemma4,
    internvl,
    llava_onevision,
    minicpmv4_6,
    smolvlm,
    glm4v,
    video_llama_3,
    llava_next_video,
)
