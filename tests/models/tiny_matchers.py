"""Models that match or fill, with random weights, made in a moment and without a download."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.models.tiny_parts import EYES, SIZES, keep

KNOWN = """
    how many apples cats are there is in the picture a no one two three four five six seven eight
    nine ten 1 2 3 4 5 10 red blue green on left right of table photo depicts . ? ,
"""
WORDS = KNOWN.split()
ANSWERS = ["0", "1", "2", "3", "4", "yes", "no"]


def bert_words(*more: str) -> Any:
    """A BERT tokenizer that knows the words above and all letters."""
    from transformers import BertTokenizer

    letters = [chr(code) for code in range(97, 123)]
    listed = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, *letters,
              *(f"##{letter}" for letter in letters), *more]  # fmt: skip
    vocabulary = {word: place for place, word in enumerate(dict.fromkeys(listed))}
    return BertTokenizer(vocab=vocabulary)


def roberta_words() -> Any:
    """A RoBERTa tokenizer: bytes, with the words above as merges of them."""
    from tokenizers import pre_tokenizers
    from transformers import RobertaTokenizer

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokens = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", *letters]
    merges: list[tuple[str, str]] = []
    for word in WORDS:
        made = "Ġ"
        for letter in word:
            if (made, letter) not in merges:
                merges.append((made, letter))
                tokens.append(made + letter)
            made += letter
    vocabulary = {word: place for place, word in enumerate(dict.fromkeys(tokens))}
    return RobertaTokenizer(vocab=vocabulary, merges=merges)


def vilt(folder: Path, kind: str) -> Path:
    import transformers
    from transformers import ViltConfig, ViltProcessor
    from transformers.models.vilt.image_processing_pil_vilt import ViltImageProcessorPil

    tokenizer = bert_words()
    config = ViltConfig(
        **EYES, vocab_size=len(tokenizer), max_position_embeddings=40, max_image_length=-1,
        id2label=dict(enumerate(ANSWERS)), label2id={a: n for n, a in enumerate(ANSWERS)},
    )  # fmt: skip
    processor = ViltProcessor(
        ViltImageProcessorPil(size={"shortest_edge": 32}, size_divisor=8), tokenizer
    )
    return keep(folder, getattr(transformers, kind)(config), processor)


def blip(folder: Path, kind: str) -> Path:
    import transformers
    from transformers import BlipConfig, BlipProcessor
    from transformers.models.blip.image_processing_pil_blip import BlipImageProcessorPil

    tokenizer = bert_words("[DEC]", "[ENC]")
    config = BlipConfig(
        text_config={
            **SIZES, "vocab_size": len(tokenizer), "encoder_hidden_size": 32,
            "max_position_embeddings": 64, "pad_token_id": 0, "sep_token_id": 3,
            "bos_token_id": tokenizer.convert_tokens_to_ids("[DEC]"), "eos_token_id": 3,
            "projection_dim": 16,
        },
        vision_config=EYES, projection_dim=16, image_text_hidden_size=16,
    )  # fmt: skip
    processor = BlipProcessor(BlipImageProcessorPil(size={"height": 32, "width": 32}), tokenizer)
    return keep(folder, getattr(transformers, kind)(config), processor)


def blip2(folder: Path, kind: str) -> Path:
    import transformers
    from transformers import Blip2Config, Blip2Processor
    from transformers.models.blip.image_processing_pil_blip import BlipImageProcessorPil

    tokenizer = bert_words("[DEC]")
    config = Blip2Config(
        vision_config=EYES,
        qformer_config={**SIZES, "encoder_hidden_size": 32, "vocab_size": len(tokenizer),
                        "use_qformer_text_input": True, "max_position_embeddings": 64},
        num_query_tokens=4, image_text_hidden_size=16, image_token_index=None,
    )  # fmt: skip
    processor = Blip2Processor(BlipImageProcessorPil(size={"height": 32, "width": 32}), tokenizer)
    return keep(folder, getattr(transformers, kind)(config), processor)


def bridgetower(folder: Path, kind: str) -> Path:
    import transformers
    from transformers import BridgeTowerConfig, BridgeTowerProcessor
    from transformers.models.bridgetower.image_processing_pil_bridgetower import (
        BridgeTowerImageProcessorPil,
    )

    tokenizer = roberta_words()
    sizes = {"hidden_size": 64, "num_hidden_layers": 2}
    config = BridgeTowerConfig(
        **sizes, num_attention_heads=2, intermediate_size=64,
        text_config={**sizes, "num_attention_heads": 2, "intermediate_size": 64,
                     "vocab_size": len(tokenizer), "max_position_embeddings": 66},
        vision_config={**sizes, "image_size": 32, "patch_size": 8},
    )  # fmt: skip
    eyes = BridgeTowerImageProcessorPil(
        size={"shortest_edge": 32}, crop_size={"shortest_edge": 32}, size_divisor=8
    )
    model = getattr(transformers, kind)(config)
    return keep(folder, model, BridgeTowerProcessor(eyes, tokenizer))


def flava(folder: Path, kind: str) -> Path:
    import transformers
    from transformers import FlavaConfig, FlavaProcessor
    from transformers.models.flava.image_processing_pil_flava import FlavaImageProcessorPil

    tokenizer = bert_words()
    config = FlavaConfig(
        text_config={**SIZES, "vocab_size": len(tokenizer), "max_position_embeddings": 64},
        image_config={**EYES, "vocab_size": 16}, multimodal_config=SIZES, hidden_size=32,
        projection_dim=16, init_codebook=False, image_codebook_config={"hidden_size": 8},
    )  # fmt: skip
    eyes = FlavaImageProcessorPil(
        size={"height": 32, "width": 32}, crop_size={"height": 32, "width": 32}
    )
    return keep(folder, getattr(transformers, kind)(config), FlavaProcessor(eyes, tokenizer))


def siglip(folder: Path, kind: str) -> Path:
    import transformers
    from transformers import SiglipConfig, SiglipProcessor
    from transformers.models.siglip.image_processing_pil_siglip import SiglipImageProcessorPil

    tokenizer = bert_words()
    config = SiglipConfig(
        text_config={**SIZES, "vocab_size": len(tokenizer), "max_position_embeddings": 16,
                     "projection_size": 32, "bos_token_id": 2, "eos_token_id": 3,
                     "pad_token_id": 0},
        vision_config=EYES,
    )  # fmt: skip
    eyes = SiglipImageProcessorPil(size={"height": 32, "width": 32})
    return keep(folder, getattr(transformers, kind)(config), SiglipProcessor(eyes, tokenizer))


WIDE = 8
"""numbers per region in the tiny models"""


def lxmert(folder: Path, kind: str) -> Path:
    import transformers
    from transformers import LxmertConfig

    tokenizer = bert_words()
    config = LxmertConfig(
        vocab_size=len(tokenizer), hidden_size=32, num_attention_heads=2, intermediate_size=64,
        l_layers=1, x_layers=1, r_layers=1, visual_feat_dim=WIDE, num_qa_labels=len(ANSWERS),
        num_object_labels=4, num_attr_labels=4, max_position_embeddings=32, task_obj_predict=False,
        id2label=dict(enumerate(ANSWERS)), label2id={a: n for n, a in enumerate(ANSWERS)},
    )  # fmt: skip
    return keep(folder, getattr(transformers, kind)(config), tokenizer)


def visual_bert(folder: Path, kind: str) -> Path:
    import transformers
    from transformers import VisualBertConfig

    tokenizer = bert_words()
    config = VisualBertConfig(
        **SIZES, vocab_size=len(tokenizer), visual_embedding_dim=WIDE, max_position_embeddings=32
    )
    return keep(folder, getattr(transformers, kind)(config), tokenizer)


MADE: dict[str, Callable[[Path, str], Path]] = {
    "ViltForQuestionAnswering": vilt,
    "ViltForMaskedLM": vilt,
    "ViltForImageAndTextRetrieval": vilt,
    "BlipForImageTextRetrieval": blip,
    "BlipForQuestionAnswering": blip,
    "BlipForConditionalGeneration": blip,
    "Blip2ForImageTextRetrieval": blip2,
    "BridgeTowerForImageAndTextRetrieval": bridgetower,
    "BridgeTowerForMaskedLM": bridgetower,
    "FlavaForPreTraining": flava,
    "LxmertForPreTraining": lxmert,
    "LxmertForQuestionAnswering": lxmert,
    "VisualBertForPreTraining": visual_bert,
    "SiglipModel": siglip,
}
"""by the class that is saved"""


def save(folder: Path, kinds: Sequence[str] = tuple(MADE)) -> dict[str, Path]:
    """A folder for each class."""
    found: dict[str, Path] = {}
    for kind in kinds:
        found[kind] = folder / kind
        found[kind].mkdir()
        MADE[kind](found[kind], kind)
    return found
