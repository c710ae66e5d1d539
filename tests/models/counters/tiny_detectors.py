"""OWL, MM-Grounding-DINO and SAM with random weights, made in a moment, without a download."""

from __future__ import annotations

from pathlib import Path

from tests.models.counters.tiny_grounding_dino import save_tiny_grounding_dino
from tests.models.tiny_clip import tiny_tokenizer

TEXT = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1,
        "num_attention_heads": 2, "max_position_embeddings": 16}  # fmt: skip
PATCHES = 16
"""of a tiny OWL: so many boxes it gives"""


def save_tiny_owl(folder: Path, family: str) -> Path:
    """`owlv2` or `owlvit`."""
    import torch
    import transformers
    from transformers.models.owlv2.image_processing_pil_owlv2 import Owlv2ImageProcessorPil
    from transformers.models.owlvit.image_processing_pil_owlvit import OwlViTImageProcessorPil

    title = {"owlv2": "Owlv2", "owlvit": "OwlViT"}[family]
    tokenizer = tiny_tokenizer()
    vision = {**TEXT, "image_size": 64, "patch_size": 16}
    vision.pop("max_position_embeddings")
    config = getattr(transformers, f"{title}Config")(
        text_config={**TEXT, "vocab_size": len(tokenizer)}, vision_config=vision, projection_dim=16
    )
    torch.manual_seed(0)
    getattr(transformers, f"{title}ForObjectDetection")(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    size = {"height": 64, "width": 64}
    made = {"owlv2": Owlv2ImageProcessorPil, "owlvit": OwlViTImageProcessorPil}[family]
    options = {} if family == "owlv2" else {"do_center_crop": False}
    made(size=size, **options).save_pretrained(folder)
    return folder


def save_tiny_mm_grounding_dino(folder: Path) -> Path:
    """The tokenizer and image processor of Grounding DINO, its sizes, and another class."""
    import torch
    from transformers import (
        GroundingDinoConfig,
        MMGroundingDinoConfig,
        MMGroundingDinoForObjectDetection,
    )

    save_tiny_grounding_dino(folder)
    kept = GroundingDinoConfig.from_pretrained(folder).to_dict()
    drop = ("model_type", "architectures", "transformers_version", "decoder_bbox_embed_share")
    config = MMGroundingDinoConfig(**{k: v for k, v in kept.items() if k not in drop})
    torch.manual_seed(0)
    MMGroundingDinoForObjectDetection(config).save_pretrained(folder)
    return folder


def save_tiny_sam(folder: Path) -> Path:
    import torch
    from transformers import (
        SamConfig,
        SamMaskDecoderConfig,
        SamModel,
        SamPromptEncoderConfig,
        SamVisionConfig,
    )
    from transformers.models.sam.image_processing_pil_sam import SamImageProcessorPil

    vision = SamVisionConfig(
        hidden_size=16, output_channels=16, num_hidden_layers=1, num_attention_heads=2,
        image_size=64, patch_size=8, window_size=4, global_attn_indexes=[0], num_pos_feats=8,
        mlp_dim=32,
    )  # fmt: skip
    prompt = SamPromptEncoderConfig(
        hidden_size=16, image_size=64, patch_size=8, mask_input_channels=4
    )
    mask = SamMaskDecoderConfig(
        hidden_size=16, mlp_dim=32, num_hidden_layers=2, num_attention_heads=2,
        attention_downsample_rate=2, iou_head_hidden_dim=16,
    )  # fmt: skip
    config = SamConfig(
        vision_config=vision.to_dict(), prompt_encoder_config=prompt.to_dict(),
        mask_decoder_config=mask.to_dict(),
    )  # fmt: skip
    torch.manual_seed(0)
    SamModel(config).save_pretrained(folder)
    SamImageProcessorPil(
        size={"longest_edge": 64}, pad_size={"height": 64, "width": 64},
        mask_size={"longest_edge": 16}, mask_pad_size={"height": 16, "width": 16},
    ).save_pretrained(folder)  # fmt: skip
    return folder
