"""A function of the user's own as a model, for scripts and notebooks: `function/NAME`."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from subitize.errors import BadInput
from subitize.models.base import METHODS, Answers, Item, Kind, Model, Reply
from subitize.pictures.given import to_png


class FunctionModel(Model):
    """Calls the function once per trial; an edited function is another model."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(f"function/{getattr(function, '__name__', 'function')}")
        self.function = function
        self.revision = _revision(function)


class FunctionNamer(FunctionModel):
    """(picture, question) → text."""

    kinds = ("namer",)

    def name(self, items: Sequence[Item]) -> Answers:
        return [_reply(self.function(item.picture, item.question)) for item in items]


class WaitingNamer(FunctionModel):
    """An `async def` (picture, question) → text: many calls at once."""

    kinds = ("namer",)
    concurrency = 8

    async def name(self, items: Sequence[Item]) -> Answers:
        return [_reply(await self.function(item.picture, item.question)) for item in items]


class FunctionPainter(FunctionModel):
    """prompt → picture: encoded bytes or a PIL image."""

    kinds = ("painter",)

    def paint(self, items: Sequence[Item]) -> Answers:
        return [Reply("picture", to_png(self.function(item.question))) for item in items]


def _reply(made: Any) -> Reply:
    return made if isinstance(made, Reply) else Reply("text", str(made))


def function_model(function: Callable[..., Any], kind: Kind = "namer") -> Model:
    """A model that calls this function."""
    if kind == "painter":
        return FunctionPainter(function)
    if kind != "namer":
        raise BadInput(
            f"A function can be a namer or a painter, not a {kind}: write a class with the method "
            f"{METHODS.get(kind, 'of its kind')!r} for that (see CONTRIBUTING)."
        )
    waits = inspect.iscoroutinefunction(function)
    return (WaitingNamer if waits else FunctionNamer)(function)


def _revision(function: Callable[..., Any]) -> str:
    """A hash of the function's source, so that an edited cell is another run."""
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):
        code = getattr(function, "__code__", None)
        source = repr((code.co_code, code.co_consts)) if code is not None else repr(function)
    return hashlib.sha256(source.encode()).hexdigest()[:12]
