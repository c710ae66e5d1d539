"""Tiny random checkpoints of further families that write, made and saved as a whole."""

from __future__ import annotations

from pathlib import Path

from tests.models.tiny_parts import (
    EYES,
    SIGLIP,
    SIZES,
    TURN,
    bytes_tokenizer,
    clip_eyes,
    keep,
    llama,
    plain,
)


def aria(folder: Path) -> Path:
    from transformers import AriaConfig, AriaForConditionalGeneration, AriaProcessor
    from transformers.models.aria.image_processing_pil_aria import AriaImageProcessorPil

    named = {"image_token": "<|img|>"}
    tokenizer = bytes_tokenizer(*named.values(), model_specific_special_tokens=named)
    config = AriaConfig(
        text_config={
            **plain(tokenizer),
            "moe_num_experts": 2,
            "moe_topk": 1,
            "moe_num_shared_experts": 1,
        },
        vision_config={
            "model_type": "idefics3_vision",
            **EYES,
            "image_size": 980,
            "patch_size": 140,
        },
        projector_patch_to_query_dict={49: 4},
        image_token_index=tokenizer.image_token_id,
    )
    processor = AriaProcessor(
        AriaImageProcessorPil(),
        tokenizer,
        size_conversion={490: 1, 980: 4},
        chat_template=TURN.replace("IMAGE", "<|img|>"),
    )
    return keep(folder, AriaForConditionalGeneration(config), processor)


def aya_vision(folder: Path) -> Path:
    from transformers import AyaVisionConfig, AyaVisionForConditionalGeneration, AyaVisionProcessor
    from transformers.models.got_ocr2.image_processing_pil_got_ocr2 import GotOcr2ImageProcessorPil

    marks = [
        "<image>",
        "<|START_OF_IMG|>",
        "<|END_OF_IMG|>",
        "<|IMG_PATCH|>",
        "<|IMG_LINE_BREAK|>",
        "TILE",
        "TILE_GLOBAL",
    ]
    tokenizer = bytes_tokenizer(*marks)
    config = AyaVisionConfig(
        text_config={**llama(tokenizer), "model_type": "cohere2", "sliding_window": 64},
        vision_config=SIGLIP, downsample_factor=2, adapter_layer_norm_eps=1e-6,
        alignment_intermediate_size=64, vision_feature_select_strategy="full",
        image_token_index=tokenizer.convert_tokens_to_ids("<|IMG_PATCH|>"),
    )  # fmt: skip
    pictures = GotOcr2ImageProcessorPil(
        size={"height": 32, "width": 32}, crop_to_patches=True, min_patches=1, max_patches=4
    )
    processor = AyaVisionProcessor(
        pictures, tokenizer, patch_size=8, img_size=32, downsample_factor=2,
        chat_template=TURN.replace("IMAGE", "<image>"),
    )  # fmt: skip
    return keep(folder, AyaVisionForConditionalGeneration(config), processor)


def deepseek_vl(folder: Path) -> Path:
    from transformers import (
        DeepseekVLConfig,
        DeepseekVLForConditionalGeneration,
        DeepseekVLProcessor,
    )
    from transformers.models.deepseek_vl.image_processing_pil_deepseek_vl import (
        DeepseekVLImageProcessorPil,
    )

    named = {"image_token": "<image_placeholder>"}
    tokenizer = bytes_tokenizer(*named.values(), model_specific_special_tokens=named)
    config = DeepseekVLConfig(
        text_config=llama(tokenizer), vision_config=SIGLIP, image_token_id=tokenizer.image_token_id
    )
    processor = DeepseekVLProcessor(
        DeepseekVLImageProcessorPil(size={"height": 32, "width": 32}),
        tokenizer,
        num_image_tokens=16,
        chat_template=TURN.replace("IMAGE", "<image_placeholder>"),
    )
    return keep(folder, DeepseekVLForConditionalGeneration(config), processor)


def florence2(folder: Path) -> Path:
    from transformers import Florence2Config, Florence2ForConditionalGeneration, Florence2Processor
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

    named = {"image_token": "<image>"}
    tokenizer = bytes_tokenizer(
        *named.values(), *(f"<loc_{k}>" for k in range(3)), model_specific_special_tokens=named
    )
    config = Florence2Config(
        text_config={
            "model_type": "bart",
            "d_model": 32,
            "encoder_layers": 2,
            "decoder_layers": 2,
            "encoder_attention_heads": 2,
            "decoder_attention_heads": 2,
            "encoder_ffn_dim": 64,
            "decoder_ffn_dim": 64,
            "vocab_size": len(tokenizer),
            "max_position_embeddings": 256,
            "pad_token_id": 0,
            "bos_token_id": 1,
            "eos_token_id": 2,
            "decoder_start_token_id": 2,
            "forced_eos_token_id": 2,
        },
        vision_config={
            "depths": [1, 1],
            "patch_size": [7, 3],
            "patch_stride": [4, 2],
            "patch_padding": [3, 1],
            "patch_prenorm": [False, True],
            "embed_dim": [16, 32],
            "num_heads": [2, 2],
            "num_groups": [2, 2],
            "window_size": 4,
            "projection_dim": 32,
        },
        image_token_id=tokenizer.image_token_id,
    )
    pictures = CLIPImageProcessorPil(size={"height": 32, "width": 32}, do_center_crop=False)
    pictures.image_seq_length = 17
    return keep(
        folder, Florence2ForConditionalGeneration(config), Florence2Processor(pictures, tokenizer)
    )


def git(folder: Path) -> Path:
    from transformers import GitConfig, GitForCausalLM, GitProcessor
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

    tokenizer = bytes_tokenizer("<image>")
    config = GitConfig(
        **SIZES,
        vocab_size=len(tokenizer),
        vision_config=EYES,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        max_position_embeddings=256,
    )
    processor = GitProcessor(
        CLIPImageProcessorPil(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}),
        tokenizer,
    )
    return keep(folder, GitForCausalLM(config), processor)


def idefics2(folder: Path) -> Path:
    from transformers import Idefics2Config, Idefics2ForConditionalGeneration, Idefics2Processor
    from transformers.models.idefics2.image_processing_pil_idefics2 import (
        Idefics2ImageProcessorPil,
    )

    tokenizer = bytes_tokenizer("<image>", "<fake_token_around_image>", "<end_of_utterance>")
    config = Idefics2Config(
        text_config={**llama(tokenizer), "model_type": "mistral"},
        vision_config={**EYES, "model_type": "idefics2_vision"},
        perceiver_config={"model_type": "idefics2_perceiver", "hidden_size": 32,
                          "resampler_n_latents": 4, "resampler_depth": 1, "resampler_n_heads": 2,
                          "resampler_head_dim": 16, "num_key_value_heads": 1},
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
    )  # fmt: skip
    pictures = Idefics2ImageProcessorPil(
        size={"shortest_edge": 16, "longest_edge": 32}, do_image_splitting=False
    )
    processor = Idefics2Processor(
        pictures, tokenizer, image_seq_len=4, chat_template=TURN.replace("IMAGE", "<image>")
    )
    return keep(folder, Idefics2ForConditionalGeneration(config), processor)


def instructblip(folder: Path) -> Path:
    from transformers import (
        BertTokenizer,
        InstructBlipConfig,
        InstructBlipForConditionalGeneration,
        InstructBlipProcessor,
    )
    from transformers.models.blip.image_processing_pil_blip import BlipImageProcessorPil

    tokenizer = bytes_tokenizer("<image>")
    words = {
        word: place
        for place, word in enumerate(
            ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "how", "many", "apples", "?"]
        )
    }
    config = InstructBlipConfig(
        vision_config=EYES,
        qformer_config={**SIZES, "encoder_hidden_size": 32, "vocab_size": len(words)},
        text_config=llama(tokenizer), num_query_tokens=4,
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
    )  # fmt: skip
    processor = InstructBlipProcessor(
        BlipImageProcessorPil(size={"height": 32, "width": 32}),
        tokenizer,
        BertTokenizer(vocab=words),
        num_query_tokens=4,
    )
    return keep(folder, InstructBlipForConditionalGeneration(config), processor)


def janus(folder: Path) -> Path:
    from transformers import JanusConfig, JanusForConditionalGeneration, JanusProcessor
    from transformers.models.janus.image_processing_pil_janus import JanusImageProcessorPil

    named = {
        "image_token": "<image_placeholder>",
        "boi_token": "<begin_of_image>",
        "eoi_token": "<end_of_image>",
    }
    tokenizer = bytes_tokenizer(*named.values(), model_specific_special_tokens=named)
    config = JanusConfig(
        text_config=llama(tokenizer),
        vision_config={
            "hidden_size": 32,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "image_size": 32,
            "patch_size": 8,
            "mlp_ratio": 2.0,
            "projection_dim": 32,
            "num_image_tokens": 16,
        },
        vq_config={
            "embed_dim": 4,
            "num_embeddings": 32,
            "latent_channels": 32,
            "base_channels": 32,
            "channel_multiplier": [1, 1],
            "num_res_blocks": 1,
            "num_patches": 4,
            "projection_dim": 32,
            "image_token_embed_dim": 32,
        },
        image_token_id=tokenizer.image_token_id,
    )
    processor = JanusProcessor(
        JanusImageProcessorPil(size={"height": 32, "width": 32}),
        tokenizer,
        num_image_tokens=16,
        chat_template=TURN.replace("IMAGE", "<image_placeholder>"),
    )
    return keep(folder, JanusForConditionalGeneration(config), processor)


def mllama(folder: Path) -> Path:
    from transformers import MllamaConfig, MllamaForConditionalGeneration, MllamaProcessor
    from transformers.models.mllama.image_processing_pil_mllama import MllamaImageProcessorPil

    tokenizer = bytes_tokenizer("<|python_tag|>", "<|image|>")
    config = MllamaConfig(
        text_config={**plain(tokenizer), "num_hidden_layers": 3, "cross_attention_layers": [1]},
        vision_config={
            "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
            "attention_heads": 2, "num_global_layers": 1, "image_size": 32, "patch_size": 8,
            "intermediate_layers_indices": [0], "vision_output_dim": 64,
        },
        image_token_index=tokenizer.convert_tokens_to_ids("<|image|>"),
    )  # fmt: skip
    processor = MllamaProcessor(
        MllamaImageProcessorPil(size={"height": 32, "width": 32}), tokenizer,
        chat_template=TURN.replace("IMAGE", "<|image|>"),
    )  # fmt: skip
    model = MllamaForConditionalGeneration(config)
    for layer in model.model.language_model.layers:
        for gate in ("cross_attn_attn_gate", "cross_attn_mlp_gate"):
            if hasattr(layer, gate):  # closed at the beginning of a training
                getattr(layer, gate).data.fill_(1.0)
    return keep(folder, model, processor)


def ovis2(folder: Path) -> Path:
    from transformers import Ovis2Config, Ovis2ForConditionalGeneration, Ovis2Processor
    from transformers.models.ovis2.image_processing_pil_ovis2 import Ovis2ImageProcessorPil

    tokenizer = bytes_tokenizer(
        "<image>", "<img>", "</img>", "<IMG_ATOM>", *(f"<IMG_{k}>" for k in range(5))
    )
    config = Ovis2Config(
        text_config={**llama(tokenizer), "model_type": "qwen2"},
        vision_config={
            **EYES,
            "num_visual_indicator_tokens": 5,
            "vocab_size": 64,
            "hidden_stride": 2,
        },
        image_token_id=tokenizer.convert_tokens_to_ids("<IMG_ATOM>"),
        visual_indicator_token_ids=[
            tokenizer.convert_tokens_to_ids(f"<IMG_{k}>") for k in range(5)
        ],
        vocab_size=len(tokenizer),
        hidden_size=32,
    )
    pictures = Ovis2ImageProcessorPil(
        size={"height": 32, "width": 32}, crop_to_patches=True, max_patches=4
    )
    processor = Ovis2Processor(
        pictures,
        tokenizer,
        image_token="<IMG_ATOM>",
        image_seq_length=4,
        chat_template=TURN.replace("IMAGE", "<image>"),
    )
    return keep(folder, Ovis2ForConditionalGeneration(config), processor)


def vipllava(folder: Path) -> Path:
    from transformers import LlavaProcessor, VipLlavaConfig, VipLlavaForConditionalGeneration
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

    tokenizer = bytes_tokenizer("<image>")
    config = VipLlavaConfig(
        text_config=llama(tokenizer),
        vision_config=clip_eyes(),
        vision_feature_layers=[-1, -2],
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
    )
    processor = LlavaProcessor(
        CLIPImageProcessorPil(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}),
        tokenizer,
        patch_size=8,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=TURN.replace("IMAGE", "<image>"),
    )
    return keep(folder, VipLlavaForConditionalGeneration(config), processor)


WITHOUT_VIDEOS = (
    aria,
    aya_vision,
    deepseek_vl,
    florence2,
    git,
    idefics2,
    instructblip,
    janus,
    mllama,
    ovis2,
    vipllava,
)
