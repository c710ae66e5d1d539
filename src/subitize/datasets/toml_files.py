"""Settings from a TOML file into a dataclass: its fields say what may stand there."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

from subitize.errors import BadInput, UnknownName
from subitize.files import decoded, read_bytes

T = TypeVar("T")

_ONE_AND_MANY = {str: ("a word", "words"), float: ("a number", "numbers")}


def load_toml(path: Path, kind: type[T], what: str, repair: str = "") -> T:
    """A dataclass from a file; what the file leaves out has its default.

    Fields may be words, numbers, `Annotated[int, least]`, tuples and sets of these, tuples of a
    fixed length, and tables of any of them.
    """
    try:
        content = tomllib.loads(decoded(read_bytes(path, what, repair), str(path)))
    except tomllib.TOMLDecodeError as problem:
        raise BadInput(f"{path} is not TOML: {problem}. {repair}".rstrip()) from None
    kinds = get_type_hints(kind, include_extras=True)
    for key in content:
        if key not in kinds:
            raise UnknownName(f"setting of {what} in {path}", key, kinds)
    return kind(
        **{key: _typed(value, kinds[key], f"{path}: {key}") for key, value in content.items()}
    )


def _typed(value: Any, kind: Any, where: str) -> Any:
    origin, parts = get_origin(kind), get_args(kind)
    many = parts[0] if parts else None
    if kind is str and isinstance(value, str) and value.strip():
        return value.strip()
    if kind is float and type(value) in (int, float):
        return float(value)
    if origin is Annotated and type(value) is int and value >= parts[1]:
        return value
    if origin is Mapping and isinstance(value, dict):
        return {key: _typed(one, parts[1], f"{where}.{key}") for key, one in value.items()}
    # a list of words without a word says nothing; one of numbers says that there are none
    if origin in (tuple, frozenset) and isinstance(value, list) and (value or many is not str):
        if origin is tuple and ... not in parts and len(value) != len(parts):
            raise BadInput(f"{where} is {value!r}: give {_words(kind)[0]}.")
        return origin(_typed(one, many, where) for one in value)
    raise BadInput(f"{where} is {value!r}: give {_words(kind)[0]}.")


def _words(kind: Any) -> tuple[str, str]:
    """What a value must be, in words: one of them, and several."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return f"a whole number from {parts[1]}", f"whole numbers from {parts[1]}"
    if origin is Mapping:
        several = _words(parts[1])[1]
        return f"a table of {several}", f"tables of {several}"
    if origin in (tuple, frozenset):
        fixed = f"{len(parts)} " if origin is tuple and ... not in parts else ""
        several = f"{fixed}{_words(parts[0])[1]}"
        return f"a list of {several}", f"lists of {several}"
    return _ONE_AND_MANY[kind]
