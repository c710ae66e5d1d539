"""Models in which sentence and picture look at each other: matchers, and fillers of masks.

A checkpoint may have one head or both; what it lacks is told when it is asked for. A filler is a
namer, too: the question and a mask, answered by the best number word, as the papers asked ViLT.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from subitize.errors import Hopeless, ModelError, Unable
from subitize.models.base import Answers, Item, Kind, Reply
from subitize.models.checkpoints import BROKEN, check_numbers, first_line
from subitize.models.hf.heads import MASKS, MATCHES, Head
from subitize.models.hf.length import cut_at
from subitize.models.hf.local import COMMON, Local, Pair, repeatable
from subitize.models.hf.masked import (
    OTHER_WORDS,
    number_words,
    ranked,
    single_words,
    with_mask,
    with_separator,
)
from subitize.models.hf.pictures import cropping

DIGITS = 8
"""digits of a probability that are kept"""
TUNED = "subitize_tuned"
"""in the config of a checkpoint that `subitize finetune` made: its logit became a probability"""
KEPT = 10
"""words of a namer's ranking that are kept"""


class Crossing(Local):
    """A checkpoint with a head for matching, one for masks, or both, by its family.

    Settings: `prompt`, what it is asked as a namer, with {question} and {mask} in it.
    """

    kinds: ClassVar[tuple[Kind, ...]] = ("matcher", "filler", "namer")
    DEFAULTS: ClassVar[Mapping[str, Any]] = {**COMMON, "prompt": "{question} {mask}"}

    def load(self) -> tuple[dict[str, Any], Any]:
        """The models by what they do (or why they can't), and the processor."""
        processor = self.inputs()
        heads: dict[str, Any] = {}
        by_class: dict[str, Any] = {}
        for what, table in (("match", MATCHES), ("fill", MASKS)):
            head = table.get(self.family)
            if head is None or not self.has(what):
                continue
            if head.kind not in by_class:
                by_class[head.kind] = self._head(head)
            heads[what] = by_class[head.kind]
        if all(isinstance(one, Exception) for one in heads.values()):
            raise next(iter(heads.values()))
        return heads, processor

    def inputs(self) -> Any:
        return cropping(self.processor())

    def has(self, what: str) -> bool:
        """Whether a method is among those its class stands for."""
        return {"match": "matcher", "fill": "filler"}[what] in self.kinds

    def _head(self, head: Head) -> Any:
        import transformers

        try:
            return self.weights(getattr(transformers, head.kind))
        except Hopeless as problem:
            return problem
        except BROKEN as problem:
            return Unable(f"{self.source!r} can't be loaded as {head.kind}: {first_line(problem)}")

    def head(self, what: str) -> Any:
        """The model that does it."""
        found = self.parts[0].get(what)
        if found is None or isinstance(found, Exception):
            raise found or Unable(f"{self.source!r} has no head to {what}: name another model.")
        return found

    def check_kind(self, kind: Kind) -> None:
        self.head("match" if kind == "matcher" else "fill")
        if kind != "matcher":
            number_words(self._words)

    @property
    def tokenizer(self) -> Any:
        return getattr(self.parts[1], "tokenizer", self.parts[1])

    def match(self, items: Sequence[Item]) -> Answers:
        return self.each(items, self._match)

    def fill(self, items: Sequence[Item]) -> Answers:
        return self.each(items, self._fill)

    def name(self, items: Sequence[Item]) -> Answers:
        return self.each(items, self._name)

    def _match(self, pair: Pair) -> Reply:
        head = MATCHES[self.family]
        facts = self.cut(*pair[0].options)
        found = [self.forward("match", text, pair) for text in pair[0].options]
        if head.fits is None and self.config.get(TUNED):
            scores = [round(float(one.reshape(-1)[0].double().sigmoid()), DIGITS) for one in found]
            told = {"scores": scores, "calibrated": True, "unit": "probability"}
            return Reply("scores", told, facts=facts)
        if head.fits is None:
            scores = [round(float(logits.reshape(-1)[0]), DIGITS) for logits in found]
            told = {"scores": scores, "calibrated": False, "unit": "logit"}
            return Reply("scores", told, facts=facts)
        both = [logits.reshape(-1).double().softmax(-1) for logits in found]
        scores = [round(float(one[head.fits]), DIGITS) for one in both]
        told = {"scores": scores, "calibrated": True, "unit": "probability"}
        return Reply("scores", told, facts=facts)

    def _fill(self, pair: Pair) -> Reply:
        item = pair[0]
        words = self._words
        wanted = item.options or number_words(words, OTHER_WORDS)
        unknown = [word for word in wanted if word.lower() not in words]
        facts: dict[str, Any] = {"not_in_vocabulary": unknown} if unknown else {}
        found = ranked(self._behind_mask(item.question, pair), words, wanted)
        return Reply("ranking", found, facts={**facts, **self.cut(item.question)})

    def _name(self, pair: Pair) -> Reply:
        asked = self.settings["prompt"].replace("{question}", pair[0].question)
        words = self._words
        found = ranked(self._behind_mask(asked, pair), words, number_words(words))
        return Reply("text", found[0][0], facts={"ranking": found[:KEPT], **self.cut(asked)})

    @property
    def _words(self) -> dict[str, int]:
        if not hasattr(self, "_vocabulary"):
            self._vocabulary = single_words(self.tokenizer)
        return self._vocabulary

    def _behind_mask(self, sentence: str, pair: Pair) -> Any:
        """The logits of all words at the mask."""
        text = with_mask(sentence, self.tokenizer.mask_token)
        found = self.forward("fill", text, pair)[0]
        ids = self.encoded(text)["input_ids"][0].tolist()
        if self.tokenizer.mask_token_id not in ids:
            raise ModelError("the sentence is so long that its mask was cut off")
        return found[ids.index(self.tokenizer.mask_token_id)]

    @property
    def longest(self) -> int:
        """So many tokens it takes."""
        reads = "qformer_config" if self.family == "blip-2" else "text_config"
        config = self.config.get(reads) or self.config
        longest = int(config.get("max_position_embeddings") or self.config.get("max_text_len", 512))
        if self.family == "bridgetower":
            longest -= 2  # RoBERTa's places begin behind its padding's
        return min(longest, int(self.tokenizer.model_max_length))

    def cut(self, *texts: str) -> dict[str, int]:
        """The fact that sentences are longer than the model takes, where they are."""
        told = [with_separator(text, self.tokenizer) for text in texts]
        return cut_at(self.tokenizer, told, self.longest)

    def encoded(self, text: str) -> Any:
        """A sentence as numbers, cut where the model ends."""
        return self.tokenizer(
            [with_separator(text, self.tokenizer)],
            truncation=True,
            max_length=self.longest,
            return_tensors="pt",
        )

    def seen(self, text: str, pair: Pair) -> dict[str, Any]:
        """All inputs of a forward call."""
        from torch import cat

        processor = self.parts[1]
        made = dict(self.encoded(text))
        made.pop("token_type_ids" if self.family == "blip-2" else "", None)
        made |= dict(processor.image_processor(images=pair[1], return_tensors="pt"))
        if self.family == "flava":
            made["input_ids_masked"] = made["input_ids"]
        token = self.config.get("image_token_index")
        if self.family == "blip-2" and token is not None:
            # newer files expect the places of the queries before the sentence
            places = made["input_ids"].new_full((1, self.config["num_query_tokens"]), token)
            for key, before in (
                ("input_ids", places),
                ("attention_mask", places.new_ones(places.shape)),
            ):
                made[key] = cat([before, made[key]], dim=1)
        return made

    def forward(self, what: str, text: str, pair: Pair) -> Any:
        model = self.head(what)
        head = (MATCHES if what == "match" else MASKS)[self.family]
        made = {key: value.to(model.device) for key, value in self.seen(text, pair).items()}
        for key, value in made.items():
            if value.is_floating_point():
                made[key] = value.to(model.dtype)
        with repeatable():
            found = getattr(model(**made, **head.options), head.output)
        check_numbers(found)
        return found


class Matching(Crossing):
    """A checkpoint with a head for matching only."""

    kinds: ClassVar[tuple[Kind, ...]] = ("matcher",)
    DEFAULTS: ClassVar[Mapping[str, Any]] = COMMON


class Masking(Crossing):
    """A checkpoint with a head for masks only."""

    kinds: ClassVar[tuple[Kind, ...]] = ("filler", "namer")
    numbers_only: ClassVar[bool] = True
