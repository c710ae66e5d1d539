"""Tiny shapes of families that see as Qwen-VL or GLM-V do: patches in a grid, merged by four."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.models.tiny_parts import LINEAR, MROPE, SIZES
from tests.models.tiny_shape import Shape

MERGED = {"patch_size": 8, "merge_size": 2, "size": {"shortest_edge": 256, "longest_edge": 4096}}
VIT = {"depth": 2, "hidden_size": 32, "num_heads": 2, "patch_size": 8, "spatial_merge_size": 2,
       "out_hidden_size": 32, "intermediate_size": 64}  # fmt: skip
EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32}
ROUTED = {"n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32,
          "n_shared_experts": 1}  # fmt: skip

QWEN_NAMED = {"image_token": "<|image_pad|>", "video_token": "<|video_pad|>"}
QWEN_IDS = {"image_token_id": "@<|image_pad|>", "video_token_id": "@<|video_pad|>"}
QWEN_MARKS = ("<|vision_start|>", "<|vision_end|>")
QWEN_ENDS = {"vision_start_token_id": "@<|vision_start|>", "vision_end_token_id": "@<|vision_end|>"}
QWEN_PLACE = "<|vision_start|><|image_pad|><|vision_end|>"


def qwen(text: dict[str, Any], seeing: dict[str, Any], **others: Any) -> Shape:
    told = {"text_config": text, "vision_config": {**VIT, **seeing}, **QWEN_IDS, **QWEN_ENDS}
    return Shape(QWEN_NAMED, told, **{
        "pictures": MERGED, "place": QWEN_PLACE, "marks": QWEN_MARKS, **others,
    })  # fmt: skip


GLM_NAMED = {"image_token": "<|image|>", "video_token": "<|video|>"}
GLM_MARKS = ("<|begin_of_image|>", "<|end_of_image|>", "<|begin_of_video|>", "<|end_of_video|>")
GLM_IDS = {
    "image_token_id": "@<|image|>", "video_token_id": "@<|video|>",
    **{f"{what}_{word}_token_id": f"@<|{name}_of_{what}|>" for what in ("image", "video")
       for word, name in (("start", "begin"), ("end", "end"))},
}  # fmt: skip
GLM_PICTURES = {**MERGED, "size": {"shortest_edge": 256, "longest_edge": 8192}}


def glm(text: dict[str, Any], seeing: dict[str, Any], **others: Any) -> Shape:
    told = {"text_config": text, "vision_config": {**VIT, "image_size": 32, **seeing}, **GLM_IDS}
    return Shape(GLM_NAMED, told, **{
        "pictures": GLM_PICTURES, "place": "<|begin_of_image|><|image|><|end_of_image|>",
        "marks": GLM_MARKS, **others,
    })  # fmt: skip


THREE = {"num_position_embeddings": 64}
SHARED = {**EXPERTS, "shared_expert_intermediate_size": 32}
WINDOWS = {"window_size": 32, "fullatt_block_indexes": [1]}
GLM4V = glm({"model_type": "glm4v_text", **MROPE}, {"model_type": "glm4v_vision"})
HALF = {"rope_parameters": {"rope_type": "default", "mrope_section": [1, 1, 2],
                            "rope_theta": 10000.0, "partial_rotary_factor": 0.5}}  # fmt: skip
GRIDS: dict[str, Shape] = {
    "qwen3_vl_moe": qwen(
        {**MROPE, "head_dim": 16, **EXPERTS},
        {**THREE, "deepstack_visual_indexes": [0]},
        eyes="Qwen2VLImageProcessorPil",
    ),
    "qwen3_5_moe": qwen({**LINEAR, **SHARED}, THREE),
    "qwen4_exp": qwen(
        {
            **LINEAR,
            **SHARED,
            "hc_count": 2,
            "hc_lowrank": 8,
            "indexer_n_heads": 2,
            "indexer_kv_heads": 1,
            "indexer_head_dim": 16,
            "indexer_budget": 32,
            "indexer_compress_ratio": 4,
        },
        THREE,
    ),
    "exaone4_5": qwen(
        {"model_type": "exaone4", "sliding_window": 64}, {**WINDOWS, "num_key_value_heads": 2}
    ),
    "hyperclovax_vision_v2": qwen(
        {"model_type": "hyperclovax"}, {"model_type": "qwen2_5_vl_vision", **WINDOWS}
    ),
    "cosmos3_omni": qwen(
        {"model_type": "qwen3_vl_text", **MROPE, "head_dim": 16},
        {"model_type": "qwen3_vl_vision", **THREE, "deepstack_visual_indexes": [0]},
        whole="Qwen3VLProcessor",
    ),
    "cosmos3_edge": qwen(
        {"head_dim": 16, **MROPE},
        {**SIZES, "num_patches": 64},
    ),
    "cohere_compass": Shape(
        {"image_token": "<|IMAGE_PAD|>", "video_token": "<|VIDEO_PAD|>"},
        {
            "text_config": {
                "sliding_window": 64,
                "layer_types": ["sliding_attention", "full_attention"],
                "rope_parameters": {
                    "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
                    "full_attention": None,
                },
            },
            "vision_config": {**VIT, **THREE, "deepstack_visual_indexes": [0]},
            "image_token_id": "@<|IMAGE_PAD|>",
            "video_token_id": "@<|VIDEO_PAD|>",
            "vision_start_token_id": "@<|VISION_START|>",
            "vision_end_token_id": "@<|VISION_END|>",
        },
        MERGED,
        "<|VISION_START|><|IMAGE_PAD|><|VISION_END|>",
        marks=("<|VISION_START|>", "<|VISION_END|>"),
    ),
    "glm46v": GLM4V,
    "glmga": replace(GLM4V, whole="Glm46VProcessor"),
    "glm4v_moe": glm({**HALF, **ROUTED}, {}, eyes="Glm4vImageProcessorPil"),
    "glm_ocr": glm(
        {**MROPE, "head_dim": 16}, {}, eyes="Glm46VImageProcessorPil", whole="Glm46VProcessor"
    ),
    "glm5_next": glm(
        {
            **ROUTED,
            "kv_lora_rank": 16,
            "q_lora_rank": 16,
            "v_head_dim": 16,
            "qk_nope_head_dim": 16,
            "index_topk": 32,
            "index_head_dim": 16,
            "index_n_heads": 2,
            "linear_head_dim": 16,
            "linear_num_heads": 2,
            "hc_mult": 2,
            "hc_sinkhorn_iters": 3,
            "index_kpool": 4,
            "layer_types": ["linear_attention", "full_attention"],
        },
        {"projection_intermediate_size": 64},
    ),
}
