"""Any namer with log-probabilities as a matcher: how likely is "yes" as its first word?

`yes/openai/NAME`, `yes/hf/ID-or-path`, … asks "Does this picture show: …?" about each sentence, in
the way of VNLI (Yarom et al. 2023) and VQAScore (Lin et al. 2024). A score is the share of yes in
yes and no together, so that .5 means undecided; a word of the two that is not listed counts as much
as it can at most. `score=yes` gives P(yes) alone, as VQAScore does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from inspect import iscoroutinefunction
from typing import Any, ClassVar, cast

from subitize.errors import BadInput, Hopeless, ModelError, UnknownName
from subitize.models.base import Answers, Item, Kind, Model, ModelOptions, Reply, singly
from subitize.models.catalog import open_model
from subitize.models.names import ModelName

QUESTION = "Does this picture show: {}? Answer with yes or no."
WAYS = ("share", "yes")
OWN = ("question", "score")
SERVED: Mapping[str, Any] = {"logprobs": True, "top_logprobs": 20, "max_tokens": 1}
"""what a server is asked for: the likeliest first words (20 is the most that OpenAI gives)"""
LOCAL: Mapping[str, Any] = {"logprobs": True, "max_tokens": 1}
DIGITS = 8
LACKING = "tells log-probabilities: name one, such as openai/NAME or a model of hf/ that writes"


def inner_name(name: ModelName) -> str:
    """The namer that is asked, with what makes it tell its log-probabilities.

    >>> from subitize.models.names import parse_name
    >>> inner_name(parse_name("yes/hf/here?dtype=float32&score=yes"))
    'hf/here?dtype=float32&logprobs=true&max_tokens=1'
    """
    asked = SERVED if name.rest.startswith("openai/") else LOCAL
    settings = {**asked, **{k: v for k, v in name.settings.items() if k not in OWN}}
    shown = {key: str(one).lower() if isinstance(one, bool) else one
             for key, one in sorted(settings.items())}  # fmt: skip
    return f"{name.rest}?" + "&".join(f"{key}={value}" for key, value in shown.items())


def yes_share(first: Sequence[Sequence[Any]]) -> tuple[float, float]:
    """P(yes) and P(no) of a first word, from its likeliest tokens with their log-probabilities.

    >>> yes_share([["Yes", math.log(0.5)], [" yes", math.log(0.2)], ["No", math.log(0.1)]])
    (0.7, 0.1)
    """
    chances = {"yes": 0.0, "no": 0.0}
    for token, logprob in first:
        word = str(token).strip(" ▁Ġ\t\n\"'*.,:").lower()
        if word in chances and math.isfinite(logprob):
            chances[word] += math.exp(min(float(logprob), 0.0))
    return round(chances["yes"], DIGITS), round(chances["no"], DIGITS)


def _at_most(first: Sequence[Sequence[Any]]) -> float:
    """How likely a word can be that is not among the likeliest: no more than the last of them, nor
    than what they leave. Else every sentence would be a certain yes where a server tells only the
    word that it says, and none could be told from another.

    >>> round(_at_most([["Yes", math.log(0.9)]]), 8), round(_at_most([["Yes", math.log(0.3)]]), 8)
    (0.1, 0.3)
    """
    chances = [math.exp(min(float(one), 0.0)) for _, one in first if math.isfinite(one)]
    return max(min(*chances, 1.0 - sum(chances)), 0.0)


class Yes(Model):
    """A namer that computes here, asked for yes or no."""

    kinds: ClassVar[tuple[Kind, ...]] = ("matcher",)

    def __init__(self, name: ModelName, inner: Model) -> None:
        own = {"question": QUESTION, "score": WAYS[0]}
        own |= {key: str(name.settings[key]) for key in OWN if key in name.settings}
        if own["score"] not in WAYS:
            raise UnknownName(f"value of the setting score of {name.full}:", own["score"], WAYS)
        if "{}" not in own["question"]:
            raise BadInput(f"{name.full}: the setting question has no {{}} for the sentence.")
        super().__init__(name.full, {**inner.settings, **own})
        self.inner = inner
        self._told = False
        self.revision, self.parameters = inner.revision, inner.parameters
        self.isolated, self.concurrency = inner.isolated, inner.concurrency

    async def open(self) -> None:
        await self.inner.open()

    async def close(self) -> None:
        await self.inner.close()

    def asked(self, item: Item) -> list[Item]:
        """A question for each sentence."""
        words = self.settings["question"]
        return [
            replace(item, question=words.replace("{}", one.rstrip(" .")), options=())
            for one in item.options
        ]

    def scored(self, reply: Reply | ModelError) -> float:
        """What a reply says about one sentence."""
        if isinstance(reply, ModelError):
            raise reply
        first = reply.facts.get("first_token")
        if not first and self._told:  # seen of llama.cpp
            raise ModelError("this reply, unlike others, came without log-probabilities")
        if not first:
            raise Hopeless(
                f"{self.inner.respondent} gives no log-probabilities of its words: ask it as a "
                f"namer instead ({self.respondent.removeprefix('yes/').partition('?')[0]}), which "
                "is asked for yes or no in words."
            )
        self._told = True
        yes, no = yes_share(first)
        if not yes + no:
            shown = ", ".join(repr(token) for token, _ in first[:3])
            raise ModelError(
                f"neither yes nor no is among its {len(first)} likeliest first words ({shown}, …)"
            )
        if self.settings["score"] == "yes":
            return yes
        yes, no = yes or _at_most(first), no or _at_most(first)
        return round(yes / (yes + no), DIGITS)

    def match(self, items: Sequence[Item]) -> Answers:
        return singly(self._match, items)

    def _match(self, item: Item) -> Reply:
        name = cast(Any, self.inner).name
        return _reply([self.scored(one) for one in name(self.asked(item))])


class YesServed(Yes):
    """The same of a namer that waits on a network, a request for each sentence."""

    paid: ClassVar[bool] = True

    def __init__(self, name: ModelName, inner: Model) -> None:
        super().__init__(name, inner)
        self._known: dict[tuple[str, int, int, str], float] = {}

    def requests(self, item: Item) -> int:
        return sum(self._key(one) not in self._known for one in self.asked(item))

    async def match(self, items: Sequence[Item]) -> Answers:  # type: ignore[override]
        return [await self._wait(item) for item in items]

    async def _wait(self, item: Item) -> Reply:
        """What was answered before a later sentence failed is kept, and not paid again."""
        keys = {self._key(one): one for one in self.asked(item)}
        for key, one in keys.items():
            if key not in self._known:
                [reply] = await cast(Any, self.inner).name([one])
                self._known[key] = self.scored(reply)
        return _reply([self._known.pop(key) for key in keys])

    @staticmethod
    def _key(item: Item) -> tuple[str, int, int, str]:
        return item.trial, item.sample, item.attempt, item.question


def _reply(scores: list[float]) -> Reply:
    return Reply("scores", {"scores": scores, "calibrated": True, "unit": "yes"})


def open_yes(name: ModelName, options: ModelOptions) -> Yes:
    # one word is all that is read, whatever the benchmark would let a namer say
    longest = int(name.settings.get("max_tokens", 1))
    try:
        inner = open_model(inner_name(name), replace(options, max_tokens=longest))
    except UnknownName as problem:
        if "logprobs" not in str(problem):
            raise
        raise BadInput(f"{name.full}: {name.rest} is no namer that {LACKING}.") from None
    if "namer" not in inner.kinds:
        kinds = ", ".join(inner.kinds)
        raise BadInput(f"{name.full}: {name.rest} is a {kinds}, and no namer that {LACKING}.")
    waits = iscoroutinefunction(cast(Any, inner).name)
    return (YesServed if waits else Yes)(name, inner)
