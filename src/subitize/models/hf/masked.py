"""Words for a mask: which words of a vocabulary are numbers, and how a model ranks them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from subitize.errors import ModelError, Unable
from subitize.numerals.finder import from_words

MASKS = ("[MASK]", "<mask>", "{mask}")
"""how a sentence may write its mask; each model gets its own"""
SEPARATOR = "[SEP]"
"""how a sentence writes what stands between a question and its answer"""
OTHER_WORDS = ("a", "no")
"""which say one and zero in a sentence"""
BEGINS = "Ġ▁"
"""with which tokenizers mark the beginning of a word"""
DIGITS = 6


def with_mask(sentence: str, mask: str) -> str:
    """The sentence with the model's own mask; exactly one must be there."""
    for written in MASKS:
        sentence = sentence.replace(written, "\x00")
    if sentence.count("\x00") != 1:
        raise ModelError(
            f"the sentence has {sentence.count(chr(0))} masks: write [MASK] once, where the number "
            "was"
        )
    return sentence.replace("\x00", mask)


def with_separator(sentence: str, tokenizer: Any) -> str:
    """The sentence with the model's own separator, or a blank where it has none.

    >>> from types import SimpleNamespace
    >>> with_separator("How many cars? [SEP] 4", SimpleNamespace(sep_token="</s>"))
    'How many cars?</s> 4'
    """
    own = getattr(tokenizer, "sep_token", None) or ""
    return sentence.replace(f" {SEPARATOR} ", f"{own} ")


def single_words(tokenizer: Any) -> dict[str, int]:
    """The words that are one token each, in lower case, with their number."""
    vocabulary: dict[str, int] = tokenizer.get_vocab()
    marked = sum(token[:1] in BEGINS for token in vocabulary if token) > len(vocabulary) / 10
    found: dict[str, int] = {}
    for token, number in sorted(vocabulary.items(), key=lambda entry: entry[1]):
        if token.startswith("##") or (marked and token[:1] not in BEGINS):
            continue
        word = token.lstrip(BEGINS)
        if word == word.lower() or word.lower() not in found:
            found[word.lower()] = number
    return found


def number_words(words: dict[str, int], others: Sequence[str] = ()) -> list[str]:
    """Those that say how many, and the others that may stand there."""
    numbers = [
        word for word in words if word.isalnum() and (value := from_words(word)) is not None
        and value >= 0
    ]  # fmt: skip
    if not numbers:
        raise Unable(
            "The model's vocabulary has no number word: it can't say how many. Give a checkpoint "
            "whose tokenizer knows words such as two."
        )
    return numbers + [word for word in others if word in words]


def ranked(logits: Any, words: dict[str, int], wanted: Sequence[str]) -> list[list[Any]]:
    """The wanted words that the vocabulary has, each with its log-probability, best first."""
    chances = logits.float().log_softmax(-1)
    found = [
        [word, round(float(chances[words[word.lower()]]), DIGITS)]
        for word in wanted
        if word.lower() in words
    ]
    if not found:
        raise ModelError(
            f"none of the words to be ranked ({', '.join(wanted[:5])}) is one token of the model's "
            "vocabulary"
        )
    return sorted(found, key=lambda entry: -entry[1])
