"""The lazy table of counters: a line each; third parties by entry point.

A package of your own adds, in its pyproject.toml,

    [project.entry-points."subitize.models.counters"]
    countgd = "my_package.counter:open_counter"

and `counter/countgd` can be used like any other; see docs/counters.md.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points

from subitize.errors import BadInput, UnknownName
from subitize.models.base import Model, ModelOptions
from subitize.models.names import ModelName

__all__ = ["COUNTERS", "counter_name", "open_counter", "third_party_counters"]

COUNTERS: dict[str, str] = {
    "blobs": "subitize.models.counters.blobs:open_blobs",
    "pattern": "subitize.models.counters.pattern:open_pattern",
    "grounding-dino": "subitize.models.counters.grounding_dino:open_grounding_dino",
    "http": "subitize.models.counters.http:open_http",
}


def counter_name(given: str) -> str:
    """A counter's full name: `blobs` is counter/blobs; slashes in settings do not matter.

    >>> counter_name("grounding-dino?checkpoint=made/here"), counter_name("openai/gpt-4o")
    ('counter/grounding-dino?checkpoint=made/here', 'openai/gpt-4o')
    """
    return given if "/" in given.partition("?")[0] else f"counter/{given}"


def third_party_counters() -> dict[str, str]:
    """Counters of other packages, by name; built-in names can't be taken over."""
    found = {point.name: point.value for point in entry_points(group="subitize.models.counters")}
    return {name: where for name, where in found.items() if name not in COUNTERS}


def open_counter(name: ModelName, options: ModelOptions) -> Model:
    """Open a counter by its name."""
    known = COUNTERS | third_party_counters()
    if name.rest not in known:
        raise UnknownName("counter", name.rest, known)
    module, _, function = known[name.rest].partition(":")
    try:
        opener = getattr(import_module(module), function)
    except (ImportError, AttributeError) as problem:
        raise BadInput(
            f"The counter {name.rest!r} can't be opened: {known[name.rest]} is not there "
            f"({problem}). Install its package again."
        ) from None
    model: Model = opener(name, options)
    return model
