"""Tiny random pipelines of diffusers, built from their configs and saved as any other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import diffusers
import torch
from transformers import (
    CLIPConfig,
    CLIPImageProcessorPil,
    CLIPTextConfig,
    CLIPTextModel,
    CLIPTextModelWithProjection,
    CLIPTokenizer,
    T5Config,
    T5EncoderModel,
    T5Tokenizer,
)

from tests.models.tiny_clip import save_tiny_clip

WIDE = 32
"""of the text encoders"""


def _words(folder: Path) -> Any:
    torch.manual_seed(0)
    tokenizer = CLIPTokenizer.from_pretrained(save_tiny_clip(folder))
    tokenizer.model_max_length = 77
    return tokenizer


def _reader(kind: Any, vocabulary: int) -> Any:
    return kind(
        CLIPTextConfig(
            hidden_size=WIDE, intermediate_size=37, num_hidden_layers=2, num_attention_heads=4,
            vocab_size=vocabulary, max_position_embeddings=77, bos_token_id=188,
            eos_token_id=189, pad_token_id=189, projection_dim=WIDE,
        )
    )  # fmt: skip


def _t5() -> tuple[Any, Any]:
    pieces = [(one, 0.0) for one in ("<pad>", "</s>", "<unk>")]
    pieces += [
        (one, -1.0 - place) for place, one in enumerate("▁abcdefghijklmnopqrstuvwxyz0123456789")
    ]
    tokenizer = T5Tokenizer(vocab=pieces, extra_ids=0)
    config = T5Config(
        vocab_size=len(tokenizer), d_model=WIDE, d_kv=8, d_ff=37, num_layers=2, num_heads=4,
    )  # fmt: skip
    return tokenizer, T5EncoderModel(config)


def _vae(latent: int, **more: Any) -> Any:
    return diffusers.AutoencoderKL(
        block_out_channels=(32, 64), in_channels=3, out_channels=3, latent_channels=latent,
        down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2,
        **more,
    )  # fmt: skip


def _unet(channels: int = 4, words: int = WIDE, **more: Any) -> Any:
    return diffusers.UNet2DConditionModel(
        block_out_channels=(32, 64), layers_per_block=1, sample_size=32, in_channels=channels,
        out_channels=4, down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"), cross_attention_dim=words, **more,
    )  # fmt: skip


def stable_diffusion(folder: Path, checker: bool = False, fills: bool = False) -> Path:
    tokenizer = _words(folder / "clip")
    kind = diffusers.StableDiffusionInpaintPipeline if fills else diffusers.StableDiffusionPipeline
    pipeline = kind(
        _vae(4), _reader(CLIPTextModel, len(tokenizer)), tokenizer,
        # the noise, the hole, and the picture behind it
        _unet(4 + 1 + 4 if fills else 4),
        diffusers.DDIMScheduler(steps_offset=1, clip_sample=False),
        _checker() if checker else None,
        CLIPImageProcessorPil(size=30, crop_size=30) if checker else None,
        requires_safety_checker=checker,
    )  # fmt: skip
    pipeline.save_pretrained(folder / "whole")
    return folder / "whole"


def stable_diffusion_inpaint(folder: Path) -> Path:
    return stable_diffusion(folder, fills=True)


def stable_diffusion_xl(folder: Path) -> Path:
    """Two readers side by side, and the picture's six sizes beside the words."""
    tokenizer = _words(folder / "clip")
    unet = _unet(
        words=2 * WIDE, attention_head_dim=(2, 4), use_linear_projection=True,
        addition_embed_type="text_time", addition_time_embed_dim=8,
        transformer_layers_per_block=(1, 2), projection_class_embeddings_input_dim=6 * 8 + WIDE,
    )  # fmt: skip
    pipeline = diffusers.StableDiffusionXLPipeline(
        _vae(4), _reader(CLIPTextModel, len(tokenizer)),
        _reader(CLIPTextModelWithProjection, len(tokenizer)), tokenizer, tokenizer, unet,
        diffusers.DDIMScheduler(steps_offset=1, clip_sample=False), add_watermarker=False,
    )  # fmt: skip
    pipeline.save_pretrained(folder / "whole")
    return folder / "whole"


def _checker() -> Any:
    """Diffusers' own checker, which hides whatever looks like one of its concepts: everything."""
    from diffusers.pipelines.stable_diffusion.safety_checker import StableDiffusionSafetyChecker

    config = CLIPConfig(
        projection_dim=16,
        vision_config={
            "hidden_size": 32, "intermediate_size": 37, "num_hidden_layers": 2,
            "num_attention_heads": 4, "image_size": 30, "patch_size": 15,
        },
    )  # fmt: skip
    made = StableDiffusionSafetyChecker(config)
    made.concept_embeds_weights.data.fill_(-1.0)
    return made


def stable_diffusion_3(folder: Path) -> Path:
    tokenizer = _words(folder / "clip")
    other, long = _t5()
    transformer = diffusers.SD3Transformer2DModel(
        sample_size=32, patch_size=1, in_channels=16, num_layers=1, attention_head_dim=8,
        num_attention_heads=4, joint_attention_dim=WIDE, caption_projection_dim=WIDE,
        pooled_projection_dim=2 * WIDE, out_channels=16,
    )  # fmt: skip
    pipeline = diffusers.StableDiffusion3Pipeline(
        transformer, diffusers.FlowMatchEulerDiscreteScheduler(),
        _vae(16, use_quant_conv=False, use_post_quant_conv=False, shift_factor=0.06),
        _reader(CLIPTextModelWithProjection, len(tokenizer)), tokenizer,
        _reader(CLIPTextModelWithProjection, len(tokenizer)), tokenizer, long, other,
    )  # fmt: skip
    pipeline.save_pretrained(folder / "whole")
    return folder / "whole"


def _flux(folder: Path, pipeline: Any, channels: int) -> Path:
    tokenizer = _words(folder / "clip")
    other, long = _t5()
    transformer = diffusers.FluxTransformer2DModel(
        patch_size=1, in_channels=channels, out_channels=4, num_layers=1, num_single_layers=1,
        attention_head_dim=16, num_attention_heads=2, joint_attention_dim=WIDE,
        pooled_projection_dim=WIDE, axes_dims_rope=(4, 4, 8), guidance_embeds=True,
    )  # fmt: skip
    made = pipeline(
        diffusers.FlowMatchEulerDiscreteScheduler(),
        _vae(1, use_quant_conv=False, use_post_quant_conv=False, shift_factor=0.06),
        _reader(CLIPTextModel, len(tokenizer)), tokenizer, long, other, transformer,
    )  # fmt: skip
    made.save_pretrained(folder / "whole")
    return folder / "whole"


def flux(folder: Path) -> Path:
    return _flux(folder, diffusers.FluxPipeline, 4)


def flux_fill(folder: Path) -> Path:
    # the noise, the picture behind the hole, and the hole for each of its pixels
    return _flux(folder, diffusers.FluxFillPipeline, 4 + 4 + 4 * 4)


PAINTERS: Mapping[str, Callable[[Path], Path]] = {
    "stable-diffusion": stable_diffusion,
    "stable-diffusion-xl": stable_diffusion_xl,
    "stable-diffusion-3": stable_diffusion_3,
    "flux": flux,
}
FILLERS: Mapping[str, Callable[[Path], Path]] = {
    "stable-diffusion-inpaint": stable_diffusion_inpaint,
    "flux-fill": flux_fill,
}
"""which can't paint from words alone"""
