"""The lazy table of models: a line each; nothing is imported until a model is opened.

A package of your own adds a prefix or a counter in its pyproject.toml:

    [project.entry-points."subitize.models"]
    mine = "my_package:open_model"

    [project.entry-points."subitize.counters"]
    countgd = "my_package.counter:open_counter"

and `mine/…` and `counter/countgd` can be used like any other; see docs/models.md.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import entry_points
from typing import cast

from subitize.errors import BadInput, UnknownName
from subitize.models.base import Model, ModelOptions
from subitize.models.names import ModelName, parse_name
from subitize.models.secrets import refuse_secrets

Opener = Callable[[ModelName, ModelOptions], Model]
ELSEWHERE = {
    "human": "people take part by `subitize take` and `subitize annotate`",
    "function": "a function is asked from Python, by subitize.run(…, model=your_function)",
}
"""prefixes of respondents that no name opens, and how they are asked"""


@dataclass(frozen=True, slots=True)
class Family:
    """Models that share a prefix."""

    about: str
    """one line for `subitize models`"""
    kinds: tuple[str, ...]
    """kinds of model among them"""
    names: Mapping[str, str] = field(default_factory=dict)
    """the names after the slash, where they are a closed list, each with its module:function"""
    opener: str = ""
    """module:function that opens any name, where the list is open"""
    pattern: str = ""
    """how a name looks then"""
    extra: str = ""
    """optional dependencies it needs"""
    added: str = ""
    """entry point group by which other packages add names to a closed list"""

    @property
    def every_name(self) -> dict[str, str]:
        """The closed list, with what other packages add to it; built-in names stay ours."""
        return {**self.names, **(_added(self.added, self.names) if self.added else {})}

    def known(self, prefix: str) -> list[str]:
        """Every name or pattern a user may write."""
        return [f"{prefix}/{name}" for name in self.every_name] or [self.pattern]


FAMILIES: dict[str, Family] = {
    "sim": Family(
        "simulated observers that know the target: for tests, baselines and demos",
        ("namer", "matcher", "filler"),
        {
            **dict.fromkeys(
                ("perfect", "observer", "random", "chatty", "refuser", "cues"),
                "subitize.models.simulated:open_simulated",
            ),
            **dict.fromkeys(
                ("matcher", "filler"), "subitize.models.simulated_matching:open_simulated_kind"
            ),
        },
    ),
    "numbernet": Family(
        "a small network of our own that learnt to count in generated scenes, in NumPy; the even-… "
        "ones were trained on even numbers only: foils (any, even), head (words, line)",
        ("matcher", "namer"),
        dict.fromkeys(
            (
                "base",
                "hard",
                "even-any-words",
                "even-even-words",
                "even-any-line",
                "even-even-line",
            ),
            "subitize.models.numbernet:open_numbernet",
        ),
    ),
    "counter": Family(
        "counters of things in a picture; grounding-dino, owl and sam-clip need subitize[hf]",
        ("counter",),
        {
            "blobs": "subitize.models.counters.blobs:open_blobs",
            "pattern": "subitize.models.counters.pattern:open_pattern",
            "grounding-dino": "subitize.models.counters.grounding_dino:open_grounding_dino",
            "owl": "subitize.models.counters.owl:open_owl",
            "sam-clip": "subitize.models.counters.sam_clip:open_sam_clip",
            "http": "subitize.models.counters.http:open_http",
        },
        added="subitize.counters",
    ),
    "matcher": Family(
        "matchers that nothing here can load: their scores in a file, or behind HTTP",
        ("matcher",),
        {
            "scores": "subitize.models.matchers.scores:open_scores",
            "http": "subitize.models.matchers.http:open_http",
        },
    ),
    "yes": Family(
        "any namer that tells log-probabilities, as a matcher: P(yes) of “Does this picture "
        "show: …?”",
        ("matcher",),
        opener="subitize.models.matchers.yes:open_yes",
        pattern="yes/MODEL",
    ),
    "painter": Family(
        "painters that draw what a numerosity prompt asks for: for tests and demos",
        ("painter",),
        {"shapes": "subitize.models.shapes:open_shapes"},
    ),
    "openai": Family(
        "any OpenAI-compatible server (--base-url, --api-key-env)",
        ("namer", "painter"),
        opener="subitize.models.openai:open_openai",
        pattern="openai/NAME",
    ),
    "hf": Family(
        "any checkpoint that transformers loads, from the hub or a folder: it answers questions, "
        "matches sentences or fills masks by what it is",
        ("namer", "matcher", "filler"),
        opener="subitize.models.hf.opening:open_hf",
        pattern="hf/ID-or-path",
        extra="hf",
    ),
    "diffusers": Family(
        "any pipeline that diffusers loads, from the hub or a folder: it paints, and fills holes",
        ("painter",),
        opener="subitize.models.diffusing:open_diffusers",
        pattern="diffusers/ID-or-path",
        extra="diffusers",
    ),
    "inspect": Family(
        "any provider of Inspect AI, with the keys and packages that it wants",
        ("namer",),
        opener="subitize.models.inspecting:open_inspect",
        pattern="inspect/PROVIDER/NAME",
        extra="inspect",
    ),
    "clip": Family(
        "another name of hf/, from when it knew CLIP only",
        ("matcher",),
        opener="subitize.models.hf.opening:open_hf",
        pattern="clip/ID-or-path",
        extra="hf",
    ),
    "replay": Family(
        "replies from a file of responses, or pictures from a folder, asked of nobody",
        ("namer", "counter", "painter"),
        opener="subitize.models.replay:open_replay",
        pattern="replay/FILE-or-DIR",
    ),
}


def _added(group: str, known: Container[str]) -> dict[str, str]:
    """What installed packages add under new names, each with its module:function."""
    found = entry_points(group=group)
    return {point.name: point.value for point in found if point.name not in known}


def families() -> dict[str, Family]:
    """The table, with the prefixes that installed packages add."""
    added = {
        prefix: Family(
            f"added by an installed package ({opener})", (), opener=opener, pattern=f"{prefix}/…"
        )
        for prefix, opener in _added("subitize.models", FAMILIES).items()
    }
    return FAMILIES | added


def known_names() -> list[str]:
    """Every name or pattern a user may write."""
    return [name for prefix, family in families().items() for name in family.known(prefix)]


def counter_name(given: str) -> str:
    """A counter's full name: `blobs` is counter/blobs; slashes in settings do not matter.

    >>> counter_name("grounding-dino?checkpoint=made/here"), counter_name("openai/gpt-4o")
    ('counter/grounding-dino?checkpoint=made/here', 'openai/gpt-4o')
    """
    return given if "/" in given.partition("?")[0] else f"counter/{given}"


def open_model(text: str, options: ModelOptions | None = None) -> Model:
    """Open a model by its name; nothing is asked of it yet."""
    name = parse_name(text)
    family = families().get(name.prefix)
    opener = (family.opener or family.every_name.get(name.rest)) if family else None
    if opener is None and name.prefix in ELSEWHERE:
        raise BadInput(f"{name.prefix}/{name.rest} can't be asked here: {ELSEWHERE[name.prefix]}.")
    if opener is None:
        raise UnknownName("model", f"{name.prefix}/{name.rest}", known_names())
    chosen = options or ModelOptions()
    refuse_secrets(name.settings, f"The model name {name.prefix}/{name.rest}?…")
    refuse_secrets(chosen.extra_body, "--extra-body")
    if chosen.headers:  # looked at also where no request is sent
        import_module("subitize.models.served").read_headers(chosen.headers)
    model = _find_opener(opener, name)(name, chosen)
    model.opened_by, model.options = text, chosen
    if name.isolated is not None:
        model.isolated = name.isolated
    return model


def _find_opener(opener: str, name: ModelName) -> Opener:
    module, _, function = opener.partition(":")
    try:
        return cast(Opener, getattr(import_module(module), function))
    except (ImportError, AttributeError) as problem:
        if module.startswith("subitize."):
            raise
        raise BadInput(
            f"The package that adds {name.prefix}/{name.rest} is broken: its entry point "
            f"{opener!r} can't be opened ({problem}). Mend or uninstall it."
        ) from None
