"""Tiny shapes of further families that write, each with what it has of its own."""

from __future__ import annotations

from tests.models.tiny_parts import EYES, LINEAR, MROPE, SIGLIP, SIZES, clip_eyes
from tests.models.tiny_shape import Shape
from tests.models.tiny_shapes_grid import MERGED, ROUTED, VIT

IMAGE = {"image_token": "<image>"}
SAM = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "patch_size": 8,
       "output_channels": 16, "window_size": 4, "global_attn_indexes": [1],
       "mlp_dim": 64}  # fmt: skip
FINE = {**SAM, "image_size": 128, "patch_size": 2, "global_attn_indexes": []}
SQUARE = {"size": {"shortest_edge": 32}, "crop_size": {"height": 32, "width": 32}}
GRID = [[32, 64], [64, 32], [64, 64]]
OTHERS: dict[str, Shape] = {
    "granite4_vision": Shape(
        IMAGE,
        {
            "vision_config": {"model_type": "siglip_vision_model", **EYES, "hidden_size": 64},
            "image_token_index": "@<image>",
            "image_grid_pinpoints": GRID,
            "downsample_rate": "1/2",
            "deepstack_layer_map": [[-1, 0]],
            "vision_feature_select_strategy": "full",
            "spatial_target_layers": [1],
            "qformer_config": {"model_type": "blip_2_qformer", **SIZES, "encoder_hidden_size": 32},
        },
        {
            **SQUARE,
            "image_grid_pinpoints": GRID,
        },
        processor={
            "patch_size": 8,
            "vision_feature_select_strategy": "full",
            "downsample_rate": "1/2",
        },
    ),
    "hunyuan_vl": Shape(
        {
            "image_token": "<image>",
            "image_start_token": "<im_start>",
            "image_end_token": "<im_end>",
        },
        {
            "text_config": {
                "head_dim": 16,
                "rope_parameters": {
                    "rope_type": "xdrope",
                    "rope_theta": 10000.0,
                    "xdrope_section": [2, 2, 2, 2],
                    "alpha": 1000.0,
                    "factor": 1.0,
                },
            },
            "vision_config": {
                **SIZES,
                "patch_size": 8,
                "out_hidden_size": 32,
                "text_hidden_size": 32,
                "max_image_size": 128,
                "min_image_size": 16,
            },
            "image_token_id": "@<image>",
            "im_start_id": "@<im_start>",
            "im_end_id": "@<im_end>",
            "im_newline_id": "@<newline>",
        },
        {"patch_size": 8, "merge_size": 2, "size": {"shortest_edge": 256, "longest_edge": 4096}},
        "<im_start><image><im_end>",
        marks=("<newline>",),
    ),
    "ernie4_5_vl_moe": Shape(
        {
            **{
                f"{what}_token": f"<{what}>"
                for what in (
                    "image",
                    "video",
                    "image_start",
                    "image_end",
                    "video_start",
                    "video_end",
                )
            }
        },
        {
            "text_config": {
                "moe_num_experts": 4,
                "moe_k": 2,
                "moe_intermediate_size": [32, 16],
                "moe_num_shared_experts": 1,
                "mlp_layer_types": ["dense", "sparse"],
                "rope_parameters": {
                    "rope_type": "default",
                    "rope_theta": 10000.0,
                    "mrope_section": [3, 3, 2],
                },
            },
            "vision_config": {k: v for k, v in VIT.items() if k != "out_hidden_size"},
            **{
                f"{what}_token_id": f"@<{what}>"
                for what in (
                    "image",
                    "video",
                    "image_start",
                    "image_end",
                    "video_start",
                    "video_end",
                )
            },
        },
        MERGED,
        "<image_start><image><image_end>",
    ),
    "deepseek_vl_hybrid": Shape(
        {"image_token": "<image_placeholder>"},
        {
            "text_config": {"model_type": "llama"},
            "vision_config": SIGLIP,
            "high_res_vision_config": {"model_type": "sam_vision_model", **SAM, "image_size": 64},
            "image_token_id": "@<image_placeholder>",
        },
        {"size": {"height": 32, "width": 32}, "high_res_size": {"height": 64, "width": 64}},
        processor={"num_image_tokens": 16},
    ),
    "paddleocr_vl": Shape(
        {"image_token": "<|IMAGE_PLACEHOLDER|>"},
        {
            "text_config": {**MROPE, "head_dim": 16},
            "vision_config": {**EYES, "spatial_merge_size": 2},
            "image_token_id": "@<|IMAGE_PLACEHOLDER|>",
            "vision_start_token_id": "@<start>",
            "vision_end_token_id": "@<end_of>",
        },
        MERGED,
        "<start><|IMAGE_PLACEHOLDER|><end_of>",
        marks=("<start>", "<end_of>"),
    ),
    "got_ocr2": Shape(
        {},
        {
            "text_config": {"model_type": "qwen2"},
            "vision_config": FINE,
            "image_token_index": "@<imgpad>",
            "image_seq_length": 256,
        },
        {"size": {"height": 128, "width": 128}},
        "<img><imgpad></img>",
        marks=("<img>", "</img>", "<imgpad>", "<|im_start|>", "<|im_end|>"),
    ),
    "qianfan_ocr": Shape(
        {
            "start_image_token": "<img>",
            "end_image_token": "</img>",
            "context_image_token": "<IMG_CONTEXT>",
        },
        {
            "text_config": {"model_type": "qwen3", "head_dim": 16},
            "vision_config": {**SIZES, "image_size": [32, 32], "patch_size": [8, 8]},
            "image_token_id": "@<IMG_CONTEXT>",
            "image_seq_length": 4,
        },
        {
            "size": {"height": 32, "width": 32},
            "crop_to_patches": True,
            "min_patches": 1,
            "max_patches": 4,
        },
        "<image>",
        processor={"image_seq_length": 4},
        marks=("<image>",),
    ),
    "deepseek_ocr2": Shape(
        IMAGE,
        {
            "text_config": {**ROUTED, "mlp_layer_types": ["dense", "sparse"]},
            "vision_config": {
                "sam_config": {**FINE, "downsample_channels": [16, 32]},
                "encoder_config": {**SIZES, "num_key_value_heads": 2, "vocab_size": 8},
            },
            "image_token_id": "@<image>",
        },
        {"size": {"height": 128, "width": 128}, "tile_size": 96, "max_patches": 2},
        processor={"patch_size": 2, "downsample_ratio": 4},
    ),
    "pp_chart2table": Shape(
        {},
        {
            "text_config": {"model_type": "qwen2"},
            "vision_config": {**SAM, "image_size": 64},
            "image_token_index": "@<imgpad>",
            "image_seq_length": 4,
        },
        {"size": {"height": 64, "width": 64}},
        "<img><imgpad><imgpad><imgpad><imgpad></img>",
        marks=("<img>", "</img>", "<imgpad>", "<|im_start|>", "<|im_end|>"),
    ),
    "minicpmv4_7": Shape(
        {
            "image_token": "<|image_pad|>",
            "video_token": "<|video_pad|>",
            **{
                f"{what}_{end}_token": f"<{what}_{end}>"
                for what in ("image", "slice", "image_id")
                for end in ("start", "end")
            },
        },
        {
            "text_config": {"model_type": "qwen3_5_text", **LINEAR},
            "vision_config": EYES,
            "insert_layer_id": 0,
            "image_token_id": "@<|image_pad|>",
            "video_token_id": "@<|video_pad|>",
        },
        {"scale_resolution": 32, "patch_size": 8},
    ),
    "video_llava": Shape(
        {"image_token": "<image>", "video_token": "<video>"},
        {
            "text_config": {"model_type": "llama"},
            "vision_config": clip_eyes(),
            "image_token_index": "@<image>",
            "video_token_index": "@<video>",
            "vision_feature_layer": -1,
        },
        SQUARE,
        processor={
            "patch_size": 8,
            "vision_feature_select_strategy": "default",
            "num_additional_image_tokens": 1,
        },
    ),
    "chameleon": Shape(
        {"image_token": "<image>", "boi_token": "<racm3:break>", "eoi_token": "<eoss>"},
        {
            "vq_config": {
                "embed_dim": 4,
                "num_embeddings": 8,
                "latent_channels": 32,
                "base_channels": 32,
                "channel_multiplier": [1, 1],
                "num_res_blocks": 1,
                "resolution": 32,
            },
            "vocabulary_map": {
                "<image>": "@<image>",
                **{f"IMGIMG{letter}Z": f"@IMGIMG{letter}Z" for letter in "ABCDEFGH"},
            },
        },
        SQUARE,
        "",
        {"image_seq_length": 256},
        marks=tuple(f"IMGIMG{letter}Z" for letter in "ABCDEFGH"),
        text="",
    ),
    "emu3": Shape(
        {
            "image_token": "<image>",
            "boi_token": "<|image start|>",
            "eoi_token": "<|image end|>",
            "image_wrapper_token": "<|image token|>",
            "eof_token": "<|extra_201|>",
        },
        {
            "vq_config": {
                "codebook_size": 8,
                "base_channels": 32,
                "channel_multiplier": [1, 1, 1, 1],
                "num_res_blocks": 1,
                "hidden_size": 32,
                "attn_resolutions": [],
                "temporal_downsample_factor": 1,
            },
            "vocabulary_map": {
                "<image>": "@<image>",
                "<|extra_200|>": "@<|extra_200|>",
                **{f"<|visual token {k:06}|>": f"@<|visual token {k:06}|>" for k in range(8)},
            },
        },
        {"min_pixels": 1024, "max_pixels": 4096},
        marks=("<|extra_200|>", *(f"<|visual token {k:06}|>" for k in range(8))),
    ),
    "idefics": Shape(
        {},
        {
            "additional_vocab_size": 0,
            "alpha_initializer": "ones",
            "vision_config": {
                "embed_dim": 32,
                "image_size": 32,
                "patch_size": 8,
                "intermediate_size": 64,
                "num_hidden_layers": 2,
                "num_attention_heads": 2,
            },
        },
        {"image_size": 32},
        "",
        marks=("<image>", "<fake_token_around_image>", "<end_of_utterance>"),
        text="",
    ),
    "kosmos-2": Shape(
        {},
        {
            "text_config": {
                "vocab_size": 400,
                "embed_dim": 32,
                "layers": 2,
                "ffn_dim": 64,
                "attention_heads": 2,
            },
            "vision_config": EYES,
            "latent_query_num": 64,
        },
        SQUARE,
        "",
        {"num_patch_index_tokens": 4},
        ("<unk>",),
        whole="Kosmos2Processor",
        words={"unk_token": "<unk>"},
    ),
    "kosmos-2.5": Shape(
        {"image_token": "<s>", "boi_token": "<image>", "eoi_token": "</image>"},
        {
            "text_config": {"embed_dim": 32, "layers": 2, "ffn_dim": 64, "attention_heads": 2},
            "vision_config": {
                **SIZES,
                "num_hidden_layers": 1,
                "num_attention_heads": 1,
                "head_dim": 16,
                "patch_embed_hidden_size": 192,
                "max_num_patches": 128,
            },
            "latent_query_num": 8,
        },
        {"patch_size": {"height": 8, "width": 8}, "max_patches": 64},
        "",
        {"num_image_tokens": 8},
        whole="Kosmos2_5Processor",
    ),
    "t5gemma2": Shape(
        {"image_token": "<image>", "boi_token": "<boi>", "eoi_token": "<eoi>"},
        {
            "encoder": {
                "text_config": {
                    **SIZES,
                    "num_key_value_heads": 2,
                    "head_dim": 16,
                    "sliding_window": 64,
                    "vocab_size": "#",
                    "bos_token_id": 1,
                    "eos_token_id": 2,
                },
                "vision_config": SIGLIP,
                "mm_tokens_per_image": 4,
                "image_token_index": "@<image>",
                "boi_token_index": "@<boi>",
                "eoi_token_index": "@<eoi>",
            },
            "decoder": {
                **SIZES,
                "num_key_value_heads": 2,
                "head_dim": 16,
                "sliding_window": 64,
                "vocab_size": "#",
                "bos_token_id": 1,
                "eos_token_id": 2,
            },
            "image_token_index": "@<image>",
            "eoi_token_index": "@<eoi>",
            "decoder_start_token_id": 1,
            "bos_token_id": 1,
            "eos_token_id": 2,
            "pad_token_id": 0,
        },
        {"size": {"height": 32, "width": 32}},
        "<boi>",
        {"image_seq_length": 4},
        text="",
    ),
    "lighton_ocr": Shape(
        {
            "image_token": "<|image_pad|>",
            "image_break_token": "<|vision_pad|>",
            "image_end_token": "<|vision_end|>",
        },
        {
            "text_config": {"model_type": "qwen3", "head_dim": 16},
            "vision_config": {"model_type": "pixtral", **EYES, "head_dim": 16},
            "image_token_id": "@<|image_pad|>",
            "spatial_merge_size": 2,
        },
        {"size": {"longest_edge": 64}, "patch_size": {"height": 8, "width": 8}},
        processor={"patch_size": 8, "spatial_merge_size": 2},
    ),
}
