"""What a run will ask and cost, before anybody is asked: by counting its trials, and by rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from math import ceil
from typing import Any, NamedTuple

from subitize.benchmark import Benchmark, Settings, Stage
from subitize.models.base import Item, Kind, Model
from subitize.pictures.decode import size_of
from subitize.records import Trial
from subitize.runs.limits import Prices
from subitize.stimuli import render

LOOKED_AT = range(0, 500, 97)
"""places of the trials whose pictures are drawn to tell the others' bytes"""
CHARACTERS = 4
"""of text for a token"""
REPLY_TOKENS = 50
"""of a reply: a sentence or two; a model that thinks aloud writes many times that"""
SECONDS = 2.0
"""for a reply, where none was timed"""
RULES = (
    f"a token for {CHARACTERS} characters, {REPLY_TOKENS} tokens for a reply, pictures by OpenAI's "
    "tiles of 512 pixels"
)


class How(NamedTuple):
    """What changes the cost of a run, but not what the run is."""

    concurrency: int | None = None
    limit: int | None = None
    prices: Prices | None = None


@dataclass(frozen=True)
class Estimate:
    """What one model will be asked; numbers of the whole run, also where a part is stored."""

    trials: Mapping[str, int]
    """by stage; stages that depend on answers (further rounds) are left out"""
    open_stages: tuple[str, ...]
    """those stages"""
    requests: int
    """to the model, all stages, forms and samples"""
    helpers: Mapping[str, int] = field(default_factory=dict)
    """requests to paid helpers, by role"""
    pictures: int = 0
    """sent, or for a painter received"""
    bytes: int = 0
    """of the pictures sent, as base64"""
    tokens_in: int = 0
    tokens_out: int = 0
    minutes: float = 0.0
    concurrency: int = 1
    usd: float | None = None
    """None where no price is known"""

    @property
    def each(self) -> float:
        """Dollars for a request."""
        return (self.usd or 0.0) / max(1, self.requests)


def picture_tokens(width: int, height: int) -> int:
    """Tokens of a picture by OpenAI's rule: fit into 2048, shorter side to 768, 170 a tile + 85.

    >>> picture_tokens(1024, 1024), picture_tokens(512, 512)
    (765, 255)
    """
    scale = min(1.0, 2048 / max(width, height))
    scale *= min(1.0, 768 / (min(width, height) * scale))
    tiles = ceil(round(width * scale) / 512) * ceil(round(height * scale) / 512)
    return 85 + 170 * tiles


def estimate(
    benchmark: Benchmark[Any],
    settings: Settings,
    model: Model,
    kind: Kind,
    helpers: Mapping[str, Model],
    how: How,
) -> Estimate:
    """Count a run's requests and say by rule what they cost; a few pictures are drawn for it."""
    decided = {**benchmark.foreseen(settings), **benchmark.ready(settings, kind)}
    trials: dict[str, int] = {}
    asked: dict[str, int] = {}
    unknown: list[str] = []
    first: list[Trial] = []
    for stage in benchmark.stages(settings, kind):
        if stage.role and stage.role not in helpers:
            continue  # nobody plays it
        found = _size(benchmark, settings, decided, stage, trials)
        if found is None:
            unknown.append(stage.name)
            continue
        if not stage.role and how.limit is not None:
            left = how.limit - sum(many for name, many in trials.items() if name in asked)
            found = max(0, min(found, left))
        trials[stage.name] = found
        if not stage.role:
            samples = 1
            if found and not stage.follows:
                looked_at = min(found, LOOKED_AT.stop)
                seen = list(islice(benchmark.trials(stage.name, settings, decided), looked_at))
                samples = benchmark.samples(seen[0], settings) if seen else 1
                first += seen[:: LOOKED_AT.step] if not first else []
            asked[stage.name] = found * samples
    requests = sum(asked.values()) * (model.requests(_item(first[0])) if first else 1)
    told = {
        stage.role: trials[stage.name]
        for stage in benchmark.stages(settings, kind)
        if stage.role in helpers and helpers[stage.role].paid and stage.name in trials
    }
    at_once = how.concurrency or model.concurrency
    counted = Estimate(
        trials, tuple(unknown), requests, told, requests, concurrency=at_once,
        minutes=requests * SECONDS / max(1, at_once) / 60,
    )  # fmt: skip
    return _priced(counted, first, kind, how.prices)


def _item(trial: Trial) -> Item:
    return Item(trial.id, trial.question, options=trial.options)


def _size(
    benchmark: Benchmark[Any],
    settings: Settings,
    decided: Mapping[str, Any],
    stage: Stage,
    before: Mapping[str, int],
) -> int | None:
    """How many trials a stage will have; None where that depends on answers."""
    if stage.follows:
        return sum(before.get(name, 0) for name in stage.follows)
    try:
        found = benchmark.size(stage.name, settings, decided)
        if found is None:
            found = sum(1 for _ in benchmark.trials(stage.name, settings, decided))
    except KeyError:  # a decision that nobody can foresee
        return None
    return found


def _priced(counted: Estimate, first: list[Trial], kind: Kind, prices: Prices | None) -> Estimate:
    """With bytes, tokens and dollars: those of a few trials stand for all."""
    shown = [render(one.stimulus).png for one in first if one.stimulus.kind in ("drawn", "file")]
    if kind == "painter" or not first:
        return counted
    many, sizes = counted.requests, [size_of(png) for png in shown]
    each = sum(picture_tokens(*size) for size in sizes) / max(1, len(sizes))
    words = sum(ceil(len(" ".join([one.question, *one.options])) / CHARACTERS) for one in first)
    tokens_in = round(many * (each + words / len(first)))
    tokens_out = many * REPLY_TOKENS
    mean = sum(4 * ceil(len(png) / 3) for png in shown) / max(1, len(shown))
    return replace(
        counted,
        pictures=many if shown else 0,
        bytes=round(many * mean),
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        usd=prices.of(tokens_in, tokens_out) if prices else None,
    )
