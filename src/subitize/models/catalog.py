"""The lazy table of models: a line each; nothing is imported until a model is opened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from typing import cast

from subitize.errors import BadInput, UnknownName
from subitize.models.base import Model, ModelOptions
from subitize.models.names import ModelName, parse_name

__all__ = ["FAMILIES", "Family", "known_names", "open_model", "third_party"]

Opener = Callable[[ModelName, ModelOptions], Model]


@dataclass(frozen=True, slots=True)
class Family:
    """Models that share a prefix."""

    opener: str
    """module:function that opens one"""
    about: str
    """one line for `subitize models`"""
    kinds: tuple[str, ...]
    """kinds of model among them"""
    names: tuple[str, ...] = ()
    """the names after the slash, where they are a closed list"""
    pattern: str = ""
    """how a name looks where the list is open"""
    extra: str = ""
    """optional dependencies it needs"""
    added: str = ""
    """entry point group by which other packages add names to a closed list"""

    @property
    def every_name(self) -> tuple[str, ...]:
        """The closed list, with what other packages add to it."""
        if not self.added:
            return self.names
        return tuple(dict.fromkeys((*self.names, *_added(self.added))))


FAMILIES: dict[str, Family] = {
    "sim": Family(
        "subitize.models.simulated:open_simulated",
        "simulated observers that know the target: for tests, baselines and demos",
        ("namer",),
        ("perfect", "observer", "random", "chatty", "refuser"),
    ),
    "counter": Family(
        "subitize.models.counters.catalog:open_counter",
        "counters that find things in a picture; grounding-dino needs subitize[hf]",
        ("counter",),
        ("blobs", "pattern", "grounding-dino", "http"),
        added="subitize.models.counters",
    ),
    "painter": Family(
        "subitize.models.shapes:open_shapes",
        "painters that draw what a numerosity prompt asks for: for tests and demos",
        ("painter",),
        ("shapes",),
    ),
    "openai": Family(
        "subitize.models.openai:open_openai",
        "any OpenAI-compatible server (--base-url, --api-key-env)",
        ("namer", "painter"),
        pattern="openai/NAME",
    ),
    "clip": Family(
        "subitize.models.clip:open_clip",
        "CLIP models that match a picture with sentences, from the hub or a folder",
        ("matcher",),
        pattern="clip/ID-or-path",
        extra="hf",
    ),
    "replay": Family(
        "subitize.models.replay:open_replay",
        "replies from a file of responses, asked of nobody",
        ("namer", "counter"),
        pattern="replay/FILE.jsonl",
    ),
}


def _added(group: str) -> dict[str, str]:
    return {point.name: point.value for point in entry_points(group=group)}


def third_party() -> dict[str, str]:
    """Prefixes that installed packages add, each with its module:function."""
    return _added("subitize.models")


def known_names() -> list[str]:
    """Every name or pattern a user may write."""
    names = []
    for prefix, family in FAMILIES.items():
        names += [f"{prefix}/{name}" for name in family.every_name] or [family.pattern]
    return names + [f"{prefix}/…" for prefix in third_party()]


def open_model(text: str, options: ModelOptions | None = None) -> Model:
    """Open a model by its name; nothing is asked of it yet."""
    name = parse_name(text)
    family = FAMILIES.get(name.prefix)
    if family is None:
        opener = third_party().get(name.prefix)
        if opener is None:
            raise UnknownName("model", text.partition("?")[0], known_names())
    else:
        if family.names and name.rest not in family.every_name:
            raise UnknownName("model", f"{name.prefix}/{name.rest}", known_names())
        opener = family.opener
    chosen = options or ModelOptions()
    model = _find_opener(opener, name.prefix)(name, chosen)
    model.options = chosen
    return model


def _find_opener(opener: str, prefix: str) -> Opener:
    module, _, function = opener.partition(":")
    try:
        return cast(Opener, getattr(import_module(module), function))
    except (ImportError, AttributeError) as problem:
        if prefix in FAMILIES:
            raise
        raise BadInput(
            f"The package that adds {prefix}/… is broken: its entry point {opener!r} can't be "
            f"opened ({problem}). Mend or uninstall it."
        ) from None
