"""A function of the user's own as a model, for scripts and notebooks: `function/NAME`."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Sequence
from functools import partial
from numbers import Number
from typing import Any

from subitize.errors import BadInput, UnknownName
from subitize.models.base import METHODS, Answers, Item, Kind, Model, Reply
from subitize.pictures.given import to_png

DEEPEST = 4
"""how far into the values of a function is looked for what it is"""


class FunctionModel(Model):
    """Calls the function once per trial; an edited function is another model."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(f"function/{_name(function)}")
        self.function = function
        self.revision = hashlib.sha256(_told(function).encode()).hexdigest()[:12]


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


class WaitingPainter(FunctionModel):
    """An `async def` prompt → picture: many calls at once."""

    kinds = ("painter",)
    concurrency = 8

    async def paint(self, items: Sequence[Item]) -> Answers:
        return [Reply("picture", to_png(await self.function(item.question))) for item in items]


def _reply(made: Any) -> Reply:
    if isinstance(made, Reply):
        return made
    # A function that forgot its `return` gave None, which would be read as "none": zero.
    return Reply("text", str(made) if isinstance(made, Number) else made)


def function_model(function: Callable[..., Any], kind: Kind = "namer") -> Model:
    """A model that calls this function."""
    if not callable(function) or isinstance(function, type):
        raise BadInput(
            f"The model is {function!r}: give a name such as openai/gpt-4o, a model, or a function "
            "of (picture, question)."
        )
    waits = inspect.iscoroutinefunction(_code_of(function))
    if kind == "painter":
        return (WaitingPainter if waits else FunctionPainter)(function)
    if kind not in METHODS:
        raise UnknownName("kind of model", kind, METHODS)
    if kind != "namer":
        raise BadInput(
            f"A function can be a namer or a painter, not a {kind}: write a class with the method "
            f"{METHODS[kind]!r} for that (see CONTRIBUTING)."
        )
    return (WaitingNamer if waits else FunctionNamer)(function)


def _code_of(function: Any) -> Any:
    """The function that is written somewhere: inside a partial, a method, an object's call."""
    while isinstance(function, partial):
        function = function.func
    function = inspect.unwrap(function)
    if not inspect.isroutine(function):
        function = type(function).__call__
    return getattr(function, "__func__", function)


def _name(function: Any) -> str:
    while isinstance(function, partial):
        function = function.func
    return str(getattr(function, "__name__", type(function).__name__))


def _told(function: Any, depth: int = 0) -> str:
    """What makes a function another one: its source, so that an edited cell is another run, and
    the values bound to it, so that two functions of one factory are two models.
    """
    written = _code_of(function)
    code = getattr(written, "__code__", None)
    try:
        source = inspect.getsource(written)
    except (OSError, TypeError):
        source = "" if code else f"{getattr(written, '__module__', '')}.{written.__qualname__}"
    bound: list[Any] = [getattr(written, "__defaults__", None), _state(function)]
    if isinstance(function, partial):
        inner = _told(function.func, depth + 1)
        bound += [inner, function.args, *function.keywords.items()]
    elif code is not None:
        if not source or code.co_name == "<lambda>":  # several may stand on one line
            source += repr((code.co_code, code.co_names, _plain(code.co_consts, depth)))
        bound += (getattr(written, "__kwdefaults__", None) or {}).items()
        bound += inspect.getclosurevars(written).nonlocals.items()
    held = [_plain(one, depth) for one in bound if one]
    return source + (repr(held) if held else "")


def _state(function: Any) -> tuple[Any, ...]:
    """What an object that is called, or whose method is, holds; what may count its calls aside."""
    owner = getattr(function, "__self__", function)
    if inspect.isroutine(owner) or inspect.ismodule(owner) or isinstance(owner, partial):
        return ()
    held = getattr(owner, "__dict__", {}).items()
    return tuple((name, value) for name, value in held if type(value) is not int)


def _plain(value: Any, depth: int) -> Any:
    """A value by its words; what may change, or has no words that stay, by its class."""
    if value is None or isinstance(value, str | bytes | int | float | complex):
        return value
    if isinstance(value, tuple) and depth < DEEPEST:
        return [_plain(one, depth + 1) for one in value]
    if callable(value) and depth < DEEPEST:
        return _told(value, depth + 1)
    return type(value).__qualname__
