"""A CLIP model with random weights, small enough to be made in a moment and without a download."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def tiny_tokenizer() -> Any:
    """CLIP's tokenizer of single letters; the last two words are start and end."""
    from transformers import CLIPTokenizer

    letters = [chr(code) for code in range(33, 127)]
    vocabulary = [*letters, *(f"{letter}</w>" for letter in letters)]
    vocabulary += ["<|startoftext|>", "<|endoftext|>"]
    return CLIPTokenizer(vocab={word: place for place, word in enumerate(vocabulary)}, merges=[])


def save_tiny_clip(folder: Path) -> Path:
    """Write a model, its tokenizer and its image processor, as the hub has them."""
    import torch
    from transformers import CLIPConfig, CLIPModel
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

    tokenizer = tiny_tokenizer()
    start, end = len(tokenizer) - 2, len(tokenizer) - 1
    sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2,
             "num_attention_heads": 2}  # fmt: skip
    config = CLIPConfig(
        text_config={**sizes, "vocab_size": len(tokenizer), "max_position_embeddings": 77,
                     "bos_token_id": start, "eos_token_id": end, "pad_token_id": end},
        vision_config={**sizes, "image_size": 32, "patch_size": 8},
        projection_dim=16,
    )  # fmt: skip
    torch.manual_seed(0)
    CLIPModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    processor = CLIPImageProcessorPil(
        size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}
    )
    processor.save_pretrained(folder)
    assert json.loads((folder / "config.json").read_text())["model_type"] == "clip"
    return folder
