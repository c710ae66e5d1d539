"""What a benchmark's settings are: for `benchmarks NAME`, and for `run NAME --help`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any, NamedTuple

from subitize.benchmark import Benchmark, meanings
from subitize.benchmarks.catalog import get_benchmark, known_benchmarks
from subitize.commands.helping import Grouped


class About(NamedTuple):
    """A setting of a benchmark."""

    name: str
    default: str
    meaning: str


def settings_of(benchmark: Benchmark[Any]) -> list[About]:
    """Every setting with its default and its meaning."""
    said = meanings(benchmark.SETTINGS)
    return [About(one.name, shown(one.default), said[one.name]) for one in
            fields(benchmark.SETTINGS)]  # fmt: skip


def shown(default: Any) -> str:
    """A default as `--set` takes it."""
    if isinstance(default, tuple):
        return ",".join(map(str, default))
    return str(default).lower() if isinstance(default, bool) else str(default)


def names(incomplete: str) -> list[str]:
    """Benchmarks that a shell may complete a word to."""
    return [one for one in known_benchmarks() if one.startswith(incomplete)]


class OfBenchmark(Grouped):
    """A command whose first word is a benchmark: `run NAME --help` lists its settings too."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        asked = any(one in ("-h", "--help") for one in args)
        named = next((one for one in args if one in known_benchmarks()), None) if asked else None
        if named:
            ctx.meta["benchmark"] = named
        return super().parse_args(ctx, args)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        super().format_options(ctx, formatter)
        if named := ctx.meta.get("benchmark"):
            with formatter.section(f"Settings of {named} (--set NAME=VALUE)"):
                formatter.write_dl(list(_lines(get_benchmark(named))))


def _lines(benchmark: Benchmark[Any]) -> Iterator[tuple[str, str]]:
    for one in settings_of(benchmark):
        yield one.name, f"{one.meaning}  [default: {one.default or '(empty)'}]"
