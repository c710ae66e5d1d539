"""Any provider of Inspect AI as a namer: `inspect/PROVIDER/NAME`.

Inspect speaks to the provider; asking again, the budget and the limiter stay with the run, as for
every other model. A setting that Inspect knows as one of generating (temperature, max_tokens,
reasoning_effort, …) is one; all others are handed to the provider, as `inspect eval -M` does.
"""

from __future__ import annotations

import asyncio
import base64
import os
import re
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar

from subitize.errors import BadInput, Hopeless, MissingExtra, ModelError, NoCredit, Retryable
from subitize.models.base import Answers, Item, Kind, Model, ModelOptions, Reply
from subitize.models.chat_reply import LONGEST_THINKING, alternatives, first_tokens
from subitize.models.endings import our_word
from subitize.models.hf.facts import look
from subitize.models.names import ModelName
from subitize.models.secrets import Secrets, refuse_secrets
from subitize.models.served import NO_CREDIT, read_headers, read_key
from subitize.models.transport import check_url, shown_url
from subitize.pictures.media import media_type

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessageUser, GenerateConfig, ModelOutput
    from inspect_ai.model import Model as InspectModel

OPERATIONAL = frozenset({
    "max_retries", "timeout", "attempt_timeout", "stream_idle_timeout", "max_connections",
    "adaptive_connections", "cache", "batch", "extra_headers", "fail_on_refusal",
})  # fmt: skip
"""how it is asked, not what: no part of what a model is"""
MANY = 100_000
"""connections that Inspect may open at once: the run's own limiter says how many there are"""
TOO_LONG = "model_length"
"""Inspect's word where the question alone was longer than the model can take"""
SECRET = ("KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIALS")
MARKUP = re.compile(r"\[/?[a-z][a-z ]*\]")
"""of Rich, for a terminal's colours: Inspect's own messages hold it"""
BUSY, REFUSED, UNPAID = (429, 503, 529), (401, 403, 404), 402


def need_inspect(what: str) -> None:
    """Inspect must be installed."""
    if find_spec("inspect_ai") is None:
        raise MissingExtra(what, "inspect-ai", "inspect")


def picture_uri(picture: bytes) -> str:
    """A picture as a data URI, as Inspect takes it."""
    return f"data:{media_type(picture)};base64,{base64.b64encode(picture).decode()}"


def message_of(question: str, picture: str | None) -> ChatMessageUser:
    """The question, and the picture as a data URI, as Inspect's message."""
    from inspect_ai.model import ChatMessageUser, ContentImage, ContentText

    shown = [ContentImage(image=picture)] if picture else []
    return ChatMessageUser(content=[ContentText(text=question), *shown])


def reply_of(output: ModelOutput) -> Reply:
    """What Inspect holds of a model's answer as a reply: of a call, or of a log."""
    from inspect_ai.model import ContentReasoning, ContentText

    if not output.choices:
        raise Retryable(output.error or "the provider gave no answer")
    choice = output.choices[0]
    content = choice.message.content
    parts = content if isinstance(content, list) else [ContentText(text=content)]
    texts = [part for part in parts if isinstance(part, ContentText)]
    stop = "too-long" if choice.stop_reason == TOO_LONG else our_word(choice.stop_reason)
    if any(part.refusal for part in texts):
        stop = "refused"
    facts: dict[str, Any] = {}
    thought = "".join(p.reasoning for p in parts if isinstance(p, ContentReasoning))
    if thought:
        facts["reasoning"] = thought[:LONGEST_THINKING]
    if choice.stop_reason not in (stop, "unknown"):
        facts["finish"] = choice.stop_reason
    if choice.logprobs is not None and choice.logprobs.content:
        told = {"logprobs": choice.logprobs.model_dump()}
        facts |= {"logprobs": first_tokens(told), "first_token": alternatives(told)}
    return Reply("text", "".join(part.text for part in texts), stop, _usage(output), facts)


def _usage(output: ModelOutput) -> dict[str, int]:
    used = output.usage
    if used is None:
        return {}
    cached = (used.input_tokens_cache_read or 0) + (used.input_tokens_cache_write or 0)
    return {
        "prompt_tokens": used.input_tokens + cached,
        "completion_tokens": used.output_tokens,
        "reasoning_tokens": used.reasoning_tokens or 0,
        "total_tokens": used.total_tokens,
    }


def settings_from_config(
    config: Mapping[str, Any], model_args: Mapping[str, Any]
) -> dict[str, Any]:
    """The settings that belong to what a model is, from those of Inspect, keys left out."""
    told = {name: value for name, value in {**model_args, **config}.items() if value is not None}
    return {n: v for n, v in told.items() if n not in OPERATIONAL and not _secret(n, v)}


def _secret(name: str, value: Any) -> bool:
    try:
        refuse_secrets({name: value}, "")
    except BadInput:
        return True
    return False


class InspectNamer(Model):
    """A model that Inspect can ask."""

    kinds: ClassVar[tuple[Kind, ...]] = ("namer",)
    paid: ClassVar[bool] = True
    concurrency = 8

    def __init__(self, name: ModelName, options: ModelOptions) -> None:
        settings: dict[str, Any] = dict(name.settings)
        for field in ("temperature", "max_tokens"):
            if (value := getattr(options, field)) is not None:
                settings[field] = value
        if options.extra_body:
            settings["extra_body"] = dict(options.extra_body)
        super().__init__(name.full, settings)
        self.parameters = settings.get("parameters")
        self._provided = name.rest
        if options.base_url:
            self.endpoint = shown_url(check_url(options.base_url))
        self._options = options
        self._headers, hidden = read_headers(options.headers)
        self._key = read_key(options) if options.api_key_env else ""
        # The provider finds its own key in the environment, and may quote it when it fails.
        own = [value for word, value in os.environ.items() if word.upper().endswith(SECRET)]
        self._secrets = Secrets([self._key, *hidden, *own])
        self._config, self._model_args = self._split(settings)
        self._model: InspectModel | None = self._opened()

    def _split(self, settings: Mapping[str, Any]) -> tuple[GenerateConfig, dict[str, Any]]:
        from inspect_ai.model import GenerateConfig
        from pydantic import ValidationError

        own = {n: v for n, v in settings.items() if n in GenerateConfig.model_fields}
        if refused := sorted(own.keys() & OPERATIONAL):
            raise BadInput(
                f"{self.respondent} sets {', '.join(refused)}, which the run itself sees to: leave "
                "it out, and use --timeout, --retries, --wait, --concurrency or --header."
            )
        try:
            config = GenerateConfig(
                **own, max_retries=0, max_connections=MANY, extra_headers=self._headers or None,
                attempt_timeout=max(1, round(self._options.timeout)),
            )  # fmt: skip
        except ValidationError as problem:
            wrong = problem.errors()[0]
            raise BadInput(
                f"{self.respondent}: Inspect can't use the setting "
                f"{'.'.join(map(str, wrong['loc']))} ({wrong['msg']})."
            ) from None
        rest = {n: v for n, v in settings.items() if n not in own and n != "parameters"}
        return config, rest

    def _opened(self) -> InspectModel:
        from inspect_ai.model import get_model

        provider, _, source = self._provided.partition("/")
        if provider == "hf" and "model_path" not in self._model_args:
            look(source)  # its library would ask a hub that can't be reached for a minute
        try:
            made = get_model(
                self._provided, config=self._config, base_url=self._options.base_url,
                api_key=self._key or None, memoize=False, **self._model_args,
            )  # fmt: skip
        # A provider may want a package, a key or another setting: its words say which.
        except Exception as problem:
            raise BadInput(
                f"Inspect can't open {self._provided!r}: {self._words(problem)}. See the list of "
                "providers at https://inspect.aisi.org.uk/providers.html."
            ) from None
        # The packages of most providers ask again by themselves, which nobody would count.
        client = getattr(made.api, "client", None)
        if hasattr(client, "max_retries"):
            setattr(client, "max_retries", 0)  # noqa: B010  which client, only the provider knows
        return made

    async def open(self) -> None:
        self._model = self._model or self._opened()

    async def close(self) -> None:
        model, self._model = self._model, None
        if model is not None:
            await model.__aexit__(None, None, None)

    async def name(self, items: Sequence[Item]) -> Answers:
        return [await self._ask(item) for item in items]

    async def _ask(self, item: Item) -> Reply:
        model = self._model
        if model is None:
            raise ModelError("it is closed")
        picture = None if item.picture is None else picture_uri(item.picture)
        message = message_of(item.question, picture)
        changed = dict(item.overrides)
        if item.sample and self._config.seed is not None:
            changed["seed"] = self._config.seed + item.sample
        config = self._config.model_copy(update=changed)
        try:
            # In a task of its own, or Inspect's transcript keeps every picture of the run.
            output = await asyncio.create_task(model.generate([message], config=config))
        except asyncio.CancelledError:
            raise
        except Exception as problem:
            raise self._problem(model, problem) from None
        reply = reply_of(output)
        text = self._secrets.text(reply.value)
        return Reply("text", text, reply.stop, reply.usage, self._secrets.plain(dict(reply.facts)))

    def _problem(self, model: InspectModel, problem: Exception) -> ModelError:
        """What went wrong: another try, the end, or this trial only."""
        cause = problem.__cause__ if isinstance(problem.__cause__, Exception) else problem
        status = getattr(cause, "status_code", None)
        words = self._words(cause)
        if status == UNPAID or any(word in words.lower() for word in NO_CREDIT):
            return NoCredit(
                f"{self.respondent} answered with: {words}. No credit is left there: pay or raise "
                "the limit, then run the same command again"
            )
        if model.should_retry(cause):
            return Retryable(words, busy=status in BUSY)
        if status in REFUSED or model.api.is_auth_failure(cause):
            return Hopeless(
                f"{self.respondent} answered with: {words}. Check the model's name and the key: "
                "--api-key-env names the environment variable that holds it."
            )
        return ModelError(words)

    def _words(self, problem: BaseException) -> str:
        """What the provider says, in one line; a time-out may say nothing."""
        plain = MARKUP.sub("", self._secrets.text(str(problem)))
        said = " ".join(plain.split())[:300].rstrip(".")
        return said or type(problem).__name__


def open_inspect(name: ModelName, options: ModelOptions) -> InspectNamer:
    need_inspect(name.full)
    return InspectNamer(name, options)
