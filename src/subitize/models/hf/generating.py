"""Models that write their answer: by the processor's chat template, or by their family's prompt.

Greedy unless a temperature is given. With one, every answer is drawn alone from its own seed, so
that neither batch nor order changes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from subitize.errors import BadInput, ModelError
from subitize.models.base import Answers, Item, Kind, ModelOptions, Reply, singly
from subitize.models.checkpoints import check_numbers
from subitize.models.hf.length import places, room
from subitize.models.hf.local import COMMON, Local, Pair
from subitize.models.hf.pictures import with_sizes
from subitize.models.hf.standing import architecture
from subitize.models.hf.thinking import split_thinking

PROMPTS: Mapping[str, str] = {
    "blip-2": "Question: {question} Answer:",
    "paligemma": "<image>answer en {question}",
}
"""how models that were not trained on conversations are asked: as their papers and model cards do
(Li et al. 2023, section 4.2; google/paligemma-3b-mix-224)"""
WITH_TOKEN = ("blip-2", "paligemma", "instructblip", "blip", "git", "florence2", "pix2struct")
"""families whose processor sets the place of the picture by itself"""
FLAT = ("got_ocr2", "pp_chart2table", "idefics", "pix2struct")
"""families whose processor takes one picture for each prompt, not a list of them"""
OWN = ("AutoModelForImageTextToText", "AutoModelForCausalLM", "AutoModel")
"""by which of its names code that comes with a checkpoint is loaded: most knows the second only"""
TOKENS = 512
"""that an answer may have, unless the user or the benchmark says otherwise"""
KEPT = 8
"""first tokens whose log-probabilities are kept, where they are asked for"""
FIRST = 20
"""tokens that are kept in the place of the first one"""


class Generating(Local):
    """A namer by AutoModelForImageTextToText; BLIP's questions and trusted code have own classes.

    Settings beside the common ones: `max_tokens`, `temperature`, `top_p`, `top_k` (0: all), `seed`,
    `system` (words before the conversation), `prompt` (for models without a chat template, with
    {question} in it), `logprobs` (keep those of the first tokens).
    """

    kinds: ClassVar[tuple[Kind, ...]] = ("namer",)
    DEFAULTS: ClassVar[Mapping[str, Any]] = {
        **COMMON, "batch": 0, "max_tokens": 0, "temperature": 0.0, "top_p": 1.0, "top_k": 0,
        "seed": 0, "system": "", "prompt": "", "logprobs": False,
    }  # fmt: skip
    RANGES: ClassVar[Mapping[str, tuple[float, float]]] = {
        **Local.RANGES, "max_tokens": (0, 1_000_000), "temperature": (0, 100), "top_p": (0, 1),
        "top_k": (0, 1_000_000),
    }  # fmt: skip
    SHOWN: ClassVar[Mapping[str, int]] = dict.fromkeys(
        (
            "aria", "aya_vision", "blip-2", "chameleon", "cohere_compass",
            "cosmos3_edge", "cosmos3_omni", "deepseek_ocr2", "deepseek_vl",
            "deepseek_vl_hybrid", "ernie4_5_vl_moe", "exaone4_5", "gemma3", "gemma4",
            "glm46v", "glm4v", "glm4v_moe", "glm5_next", "glm_ocr", "glmga", "got_ocr2",
            "granite4_vision", "hyperclovax_vision_v2", "idefics", "idefics2",
            "idefics3", "internvl", "janus", "lighton_ocr", "llava", "llava_next",
            "llava_next_video", "llava_onevision", "minicpmv4_6", "minicpmv4_7",
            "mllama", "ovis2", "paddleocr_vl", "paligemma", "pp_chart2table",
            "qianfan_ocr", "qwen2_5_vl", "qwen2_vl", "qwen3_5", "qwen3_5_moe",
            "qwen3_vl", "qwen3_vl_moe", "qwen4_exp", "smolvlm", "video_llama_3",
            "video_llava", "vipllava",
        ),
        8,
    )  # fmt: skip

    def shown(self) -> int:
        # padded left, what T5 and BART read moves: batches of them stay unshown
        return 1 if encodes_first(self.config) else super().shown()

    def check_settings(self, settings: dict[str, Any], options: ModelOptions) -> None:
        if options.max_tokens is not None and not settings["max_tokens"]:
            settings["max_tokens"] = options.max_tokens
        settings["max_tokens"] = settings["max_tokens"] or TOKENS
        if options.temperature is not None:
            settings["temperature"] = options.temperature
        if settings["prompt"] and "{question}" not in settings["prompt"]:
            raise BadInput("The setting prompt has no {question} in it: say where it belongs.")

    def load(self) -> tuple[Any, Any]:
        import transformers

        answers = architecture(self.config) == "BlipForQuestionAnswering"
        self._apart = answers or encodes_first(self.config)
        brought = self.config["auto_map"] if self.own_code else ()
        named = next((name for name in OWN if name in brought), OWN[0])
        kind = transformers.BlipForQuestionAnswering if answers else getattr(transformers, named)
        processor = self.processor()
        spoken = getattr(processor.tokenizer, "chat_template", None)
        if not getattr(processor, "chat_template", None) and "image" in str(spoken):
            processor.chat_template = spoken  # older checkpoints keep it there alone
        # The answer goes on where the prompt ends; a decoder of its own begins anew.
        processor.tokenizer.padding_side = "right" if encodes_first(self.config) else "left"
        if processor.tokenizer.pad_token is None:
            processor.tokenizer.pad_token = processor.tokenizer.eos_token
        model = self.weights(kind)
        with_sizes(processor, model)
        self._places = places(model)
        model.generation_config.pad_token_id = processor.tokenizer.pad_token_id
        return model, processor

    def name(self, items: Sequence[Item]) -> Answers:
        if self.settings["temperature"] or any("temperature" in one.overrides for one in items):
            return [answer for one in items for answer in self.together([one], self._answer)]
        return self.together(items, self._answer)

    def prompt(self, item: Item) -> str:
        """The words that the model continues."""
        _, processor = self.parts
        if getattr(processor, "chat_template", None) and not self.settings["prompt"]:
            content = [{"type": "image"}, {"type": "text", "text": item.question}]
            turns: list[dict[str, Any]] = [{"role": "user", "content": content}]
            if self.settings["system"]:
                said = [{"type": "text", "text": self.settings["system"]}]
                turns.insert(0, {"role": "system", "content": said})
            made = processor.apply_chat_template(turns, add_generation_prompt=True, tokenize=False)
            return str(made)
        words = self.settings["prompt"] or PROMPTS.get(self.family, "{question}")
        told = words.replace("{question}", item.question)
        token = getattr(processor, "image_token", None)
        if not token or self.family in WITH_TOKEN or str(token) in told:
            return str(told)
        return f"{token}\n{told}"

    def prepared(self, pairs: Sequence[Pair], **how: Any) -> Any:
        """The model's inputs for a batch; `how` is what the processor is told beside."""
        model, processor = self.parts
        if "mm_token_type_ids" in processor.model_input_names:
            how["return_mm_token_type_ids"] = (
                True  # not every processor gives by itself what it says
            )
        prompts = [self.prompt(item) for item, _ in pairs]
        begins = processor.tokenizer.bos_token
        if begins and prompts[0].startswith(begins):
            how["add_special_tokens"] = False  # the template wrote what the tokenizer would add
        made = processor(
            text=prompts,
            images=[picture if self.family in FLAT else [picture] for _, picture in pairs],
            padding=True,
            return_tensors="pt",
            **how,
        )
        return made.to(model.device, model.dtype)

    def _answer(self, pairs: list[Pair]) -> Answers:
        import torch
        from transformers import GenerationMixin, LogitsProcessorList

        model, _ = self.parts
        steps: list[Any] = []
        inputs = self.prepared(pairs)
        begun = inputs["input_ids"]
        most = room(self._places, begun.shape[1], self._apart, self.settings["max_tokens"])
        first = pairs[0][0]
        temperature = first.overrides.get("temperature", self.settings["temperature"])
        if temperature:
            torch.manual_seed(first.seed)
        # Janus' own, made for drawing, hands words on to the usual one and loses who looks on.
        usual: Any = GenerationMixin.generate
        write = partial(usual, model) if self.family == "janus" else model.generate
        how = self._how(temperature, most)
        looks: list[Any] = [partial(_noted, steps)]
        penalty = model.generation_config.repetition_penalty or 1.0
        if penalty != 1 and len(pairs) > 1 and not self._apart:
            how["repetition_penalty"] = 1.0
            looks.insert(0, partial(_repeated_less, penalty, begun, inputs["attention_mask"]))
        with torch.inference_mode():
            found = write(
                **inputs,
                **how,
                return_dict_in_generate=True,
                output_logits=self.settings["logprobs"],
                logits_processor=LogitsProcessorList(looks),
            )
        ids = _written(found.sequences, begun)
        asked = inputs["attention_mask"].sum(dim=1).tolist()
        # of an item there are several rows where beams are searched
        sound = [step.reshape(len(pairs), -1) for step in steps]

        def answered(place: int) -> Reply:
            logits = [step[place] for step in (found.logits or ())[:KEPT]]
            prompt = self.prompt(pairs[place][0])
            reply = self._reply(prompt, ids[place].tolist(), asked[place], logits, most)
            # beyond its end a row of a batch only waits for the others
            check_numbers(*(step[place] for step in sound[: reply.usage["completion_tokens"]]))
            return reply

        return singly(answered, range(len(pairs)))

    def _how(self, temperature: float, most: int) -> dict[str, Any]:
        how: dict[str, Any] = {
            "max_new_tokens": most, "max_length": None,
            "do_sample": bool(temperature), "temperature": None, "top_p": None, "top_k": None,
        }  # fmt: skip
        if temperature:
            how |= {key: self.settings[key] for key in ("top_p", "top_k")}
            how["temperature"] = float(temperature)
        return how

    def _reply(
        self, prompt: str, ids: list[int], asked: int, logits: list[Any], most: int
    ) -> Reply:
        model, processor = self.parts
        tokenizer = processor.tokenizer
        ends = model.generation_config.eos_token_id
        ending = {tokenizer.eos_token_id, *(ends if isinstance(ends, list) else [ends])}
        stop = next((place for place, token in enumerate(ids) if token in ending), None)
        said = ids if stop is None else ids[:stop]
        thought, answer = split_thinking(prompt, tokenizer.decode(said))
        # beginning, end and padding; marks with a meaning, as around Qwen2-VL's boxes, stay
        for special in tokenizer.special_tokens_map.values():
            if isinstance(special, str):
                thought, answer = thought.replace(special, ""), answer.replace(special, "")
        facts: dict[str, Any] = {"thinking": thought.strip()} if thought.strip() else {}
        if logits:
            facts["logprobs"] = _chosen(tokenizer, ids, logits)
            facts["first_token"] = self._likeliest(logits[0].float().log_softmax(-1))
        used = len(said) + (stop is not None)
        usage = {"prompt_tokens": asked, "completion_tokens": used, "total_tokens": asked + used}
        length = stop is None and len(ids) >= most
        return Reply("text", answer.strip(), "length" if length else "stop", usage, facts)

    def _likeliest(self, chances: Any) -> list[list[Any]]:
        """The likeliest first tokens, and however unlikely those that say yes or no."""
        tokenizer = self.parts[1].tokenizer
        if not hasattr(self, "_yes_no"):
            self._yes_no = [
                place for token, place in tokenizer.get_vocab().items()
                if token.lstrip("▁Ġ").lower() in ("yes", "no")
            ]  # fmt: skip
        best = chances.topk(min(FIRST, len(chances))).indices.tolist()
        places = dict.fromkeys([*best, *self._yes_no])
        return [[tokenizer.decode([one]), round(float(chances[one]), 6)] for one in places]


def _noted(steps: list[Any], _ids: Any, scores: Any) -> Any:
    """Keep for every row 0, or what is no number where its best score is none.

    No chance is drawn from such a row: on a graphics card that would end the whole process.
    """
    best = scores.amax(dim=-1)
    steps.append(best - best)
    return scores.masked_fill(~best.isfinite()[:, None], 0.0)


def _repeated_less(penalty: float, begun: Any, seen: Any, ids: Any, scores: Any) -> Any:
    """Scores with the usual penalty of what stands there already, padding left out.

    Qwen2.5-VL is padded with a token that may end its answer: neighbours would put that off.
    """
    from transformers import RepetitionPenaltyLogitsProcessor

    rows, width = len(ids) // len(begun), begun.shape[1]
    told = begun.repeat_interleave(rows, dim=0)
    if ids.shape[1] >= width and bool((ids[:, :width] == told).all()):
        ids = ids.clone()
        # padded left, so that the last token of a prompt is none of it
        ids[:, :width] = told.where(seen.repeat_interleave(rows, dim=0).bool(), told[:, -1:])
    return RepetitionPenaltyLogitsProcessor(float(penalty))(ids, scores)


def _written(ids: Any, begun: Any) -> Any:
    """What a model wrote after its prompt; BLIP's repeats that without its last token."""
    for told in (begun, begun[:, :-1]):
        width = told.shape[1]
        if width and ids.shape[1] >= width and bool((ids[:, :width] == told).all()):
            return ids[:, width:]
    return ids[:, 1:]  # what a decoder of its own begins with


def encodes_first(config: Mapping[str, Any]) -> bool:
    """Whether a model reads its whole prompt before another part of it writes, as T5 and BART do.

    >>> encodes_first({"use_decoder_only_language_model": False}), encodes_first({})
    (True, False)
    """
    inner = config.get("text_config")
    parts = (config, inner if isinstance(inner, dict) else {})
    said = any(part.get("is_encoder_decoder") for part in parts)
    return said or config.get("use_decoder_only_language_model") is False


def _chosen(tokenizer: Any, ids: list[int], logits: list[Any]) -> list[list[Any]]:
    """The first tokens with their log-probabilities; those of the end are left out."""
    if len(logits) > len(ids):
        raise ModelError("the model gave fewer tokens than steps")
    rows = [step.float().log_softmax(-1) for step in logits]
    return [
        [tokenizer.decode([token]), round(float(row[token]), 6)]
        for token, row in zip(ids, rows, strict=False)
        if token != tokenizer.pad_token_id
    ]
