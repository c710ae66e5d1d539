"""From options to what is run or planned: benchmarks, settings, models and helpers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import orjson

from subitize.benchmark import Benchmark, Settings
from subitize.benchmarks.catalog import get_benchmark, known_benchmarks
from subitize.commands.printing import pairs
from subitize.errors import BadInput, UnknownName
from subitize.models.base import Kind, Model, ModelOptions
from subitize.models.catalog import open_model
from subitize.opening import OptionsOf, calibration_from, open_helpers
from subitize.runs.limits import Prices
from subitize.runs.reading import choose_reader
from subitize.runs.run import choose_kind

ALL = "all"


@dataclass(frozen=True)
class Wanted:
    """What the command line asks for."""

    benchmark: str
    models: list[str]
    given: Mapping[str, Any]
    """settings that have an option of their own"""
    settings: list[str]
    """KEY=VALUE"""
    profile: str | None = None
    counter: str | None = None
    urls: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    options: ModelOptions = field(default_factory=ModelOptions)


@dataclass(frozen=True)
class Prepared:
    """One model and one benchmark, ready to be asked."""

    benchmark: Benchmark[Any]
    settings: Settings
    model: Model
    kind: Kind
    helpers: Mapping[str, Model]


def prepare(wanted: Wanted) -> list[Prepared]:
    """Open everything by name; what can't be is told before anybody is asked."""
    if wanted.benchmark == ALL:
        return _all(wanted)
    benchmark = get_benchmark(wanted.benchmark)
    settings = _settings(benchmark, wanted, _given(wanted))
    return [_prepared(benchmark, settings, name, wanted) for name in _models(wanted)]


def _models(wanted: Wanted) -> list[str]:
    opened = [open_model(name, _plain(wanted)).respondent for name in wanted.models]
    if len(set(opened)) < len(opened):
        raise BadInput("One --model is given twice: give each once.")
    return wanted.models


def _plain(wanted: Wanted) -> ModelOptions:
    """Of the models under test, whatever the benchmark: roles belong to one benchmark."""
    own = [url for url in wanted.urls if not _role(url)]
    key = [name for name in wanted.keys if not _role(name)]
    return replace(
        wanted.options, base_url=own[-1] if own else None, api_key_env=key[-1] if key else None
    )


def _all(wanted: Wanted) -> list[Prepared]:
    """Every benchmark that brings its own trials, for each model that it can ask."""
    given, found = _given(wanted), []
    used: set[str] = set()
    for name in known_benchmarks():
        benchmark = get_benchmark(name)
        if not benchmark.DEMO.get("models"):  # needs the user's own data
            continue
        known = benchmark.SETTINGS.__dataclass_fields__
        own = {key: value for key, value in given.items() if key in known}
        for model in _models(wanted):
            kinds = open_model(model, _plain(wanted)).kinds
            if set(kinds) & set(benchmark.KINDS):
                used |= own.keys()
                settings = _settings(benchmark, wanted, own)
                found.append(_prepared(benchmark, settings, model, wanted))
    if unknown := given.keys() - used - {"seed"}:
        raise BadInput(f"No benchmark that is run has the setting {', '.join(sorted(unknown))}.")
    if not found:
        raise BadInput("No benchmark can be asked of these models: see `subitize benchmarks`.")
    return found


def _given(wanted: Wanted) -> dict[str, Any]:
    named = {name: value for name, value in wanted.given.items() if value is not None}
    return pairs(wanted.settings) | named


def _settings(benchmark: Benchmark[Any], wanted: Wanted, given: Mapping[str, Any]) -> Settings:
    profile: Mapping[str, Any] = {}
    if wanted.profile is not None:
        if wanted.profile not in benchmark.PROFILES:
            raise UnknownName("profile", wanted.profile, benchmark.PROFILES)
        profile = benchmark.PROFILES[wanted.profile]
    settings: Settings = benchmark.settings_from({**profile, **given})
    return settings


def _prepared(benchmark: Benchmark[Any], settings: Settings, name: str, wanted: Wanted) -> Prepared:
    options = wanted.options
    if options.max_tokens is None:
        options = replace(options, max_tokens=benchmark.MAX_TOKENS)
    of = _options_of(benchmark, replace(wanted, options=options))
    model = open_model(name, of(""))
    counter = wanted.counter
    if wanted.benchmark == ALL and not benchmark.reading_role():
        counter = None
    helpers = open_helpers(benchmark, settings, model, counter, of)
    kind = choose_kind(benchmark, model, settings)
    return Prepared(benchmark, settings, model, kind, helpers)


def _options_of(benchmark: Benchmark[Any], wanted: Wanted) -> OptionsOf:
    """Servers, keys and headers by role; what is given without a role is the model's, and the
    others' too unless they have a server of their own. A key never goes to a server that it was not
    given for."""
    at, key_of = _by_role(benchmark, wanted.urls), _by_role(benchmark, wanted.keys)
    own = [pair for one in wanted.headers for pair in _by_role(benchmark, [one]).items()]

    def of(role: str) -> ModelOptions:
        key = key_of.get(role, None if role in at else key_of.get(""))
        meant = (role,) if role in at else (role, "")
        chosen = tuple(text for whose, text in own if whose in meant)
        url = at.get(role, at.get(""))
        return replace(wanted.options, base_url=url, api_key_env=key, headers=chosen)

    return of


def _role(text: str) -> str:
    """The role that an option is for: what stands before '=', unless that is a part of a URL."""
    role, equals, _ = text.partition("=")
    return role if equals and role.isidentifier() and "://" not in role else ""


def _by_role(benchmark: Benchmark[Any], given: list[str] | tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in given:
        role = _role(text)
        if role and role not in benchmark.HELPERS:
            raise UnknownName(f"helper of {benchmark.NAME}", role, benchmark.HELPERS)
        found[role] = text.partition("=")[2] if role else text
    return found


def check_reading(
    prepared: list[Prepared], reader: str | None, calibration: Path | None
) -> dict[str, Any]:
    """The counter's calibration, if one is given; a wrong one, or a reader that is not there, is
    told before anything is asked."""
    first = prepared[0]
    if reader == "llm" and "llm" not in first.helpers:
        raise BadInput("The reader llm is a language model: name it with --reading-model MODEL.")
    if reader not in (None, "llm"):
        helpers = [
            {"name": one.respondent, "settings_hash": one.settings_hash}
            for one in first.helpers.values()
        ]
        choose_reader(first.benchmark, {"readers": helpers}, reader)
    return _calibration(first, calibration) if calibration else {}


def _calibration(first: Prepared, source: Path) -> dict[str, Any]:
    """A counter's calibration; a wrong one is told before anything is asked."""
    benchmark = first.benchmark
    reading = first.helpers.get(benchmark.reading_role())
    if "category" not in benchmark.CONDITION:
        raise BadInput(
            "--calibration corrects a counter's mistakes in naming and production, not in "
            f"{benchmark.NAME}: leave it out."
        )
    if reading is None or "counter" not in reading.kinds:
        raise BadInput(
            "--calibration corrects the mistakes of a counter, but none is named: leave it out, or "
            "name one with --counter."
        )
    return calibration_from(source, reading.respondent)


def prices_from(price_in: float | None, price_out: float | None) -> Prices | None:
    """Both prices, or none."""
    for name, price in (("--price-in", price_in), ("--price-out", price_out)):
        if price is not None and not price >= 0:
            raise BadInput(f"{name} is {price}: it must be 0 US dollars or more.")
    if price_in is None and price_out is None:
        return None
    if price_in is None or price_out is None:
        raise BadInput(
            "Only one price is given: give both --price-in and --price-out, in US dollars for a "
            "million tokens."
        )
    return Prices(price_in, price_out)


def object_from(text: str | None) -> Mapping[str, Any]:
    """The JSON object of --extra-body."""
    if text is None:
        return {}
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, dict):
        raise BadInput(
            f"--extra-body {text!r} is not a JSON object: give one like '{{\"top_p\": 1}}'."
        )
    return found
