"""A Grounding DINO with random weights, small enough to be made in a moment, no download."""

from __future__ import annotations

from pathlib import Path

WORDS = ("apple", "person", "dot", "butterfly", "apples", ".", "?", "human", "face")
QUERIES = 6


def save_tiny_grounding_dino(folder: Path) -> Path:
    """Write a model, its tokenizer and its image processor, as the hub has them."""
    import torch
    from transformers import (
        BertConfig,
        BertTokenizer,
        GroundingDinoConfig,
        GroundingDinoForObjectDetection,
        SwinConfig,
    )
    from transformers.models.grounding_dino.image_processing_pil_grounding_dino import (
        GroundingDinoImageProcessorPil,
    )

    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    # The model looks for its separators by BERT's own numbers: [CLS] 101, [SEP] 102, "." 1012.
    vocabulary = {f"[unused{place}]": place for place in range(1030)}
    placed = {"[PAD]": 0, "[UNK]": 100, "[CLS]": 101, "[SEP]": 102, "[MASK]": 103,
              ".": 1012, "?": 1029}  # fmt: skip
    others = iter(range(200, 1000))
    for token in tokens:
        placed.setdefault(token, next(others))
    names = {place: name for name, place in vocabulary.items()} | {
        place: name for name, place in placed.items()
    }
    tokenizer = BertTokenizer(vocab={name: place for place, name in sorted(names.items())})
    backbone = SwinConfig(
        image_size=64, embed_dim=8, depths=[1, 1, 1, 1], num_heads=[1, 2, 2, 2], window_size=4,
        out_features=["stage2", "stage3", "stage4"],
    )  # fmt: skip
    text = BertConfig(
        vocab_size=1030, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=64,
    )  # fmt: skip
    config = GroundingDinoConfig(
        backbone_config=backbone, text_config=text, d_model=32, encoder_layers=1,
        decoder_layers=2, encoder_attention_heads=2, decoder_attention_heads=2,
        encoder_ffn_dim=32, decoder_ffn_dim=32, num_queries=QUERIES, fusion_droppath=0.0,
        fusion_dropout=0.0,
    )  # fmt: skip
    torch.manual_seed(0)
    GroundingDinoForObjectDetection(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    GroundingDinoImageProcessorPil(
        size={"shortest_edge": 256, "longest_edge": 256}
    ).save_pretrained(folder)
    return folder
