"""What a benchmark's settings are: for `benchmarks NAME`, and for `run NAME --help`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

from subitize.benchmark import Benchmark, meanings
from subitize.benchmarks.catalog import get_benchmark, known_benchmarks
from subitize.commands.helping import Grouped
from subitize.commands.recipes import options_from, shown
from subitize.errors import BadInput


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


def _declared(benchmark: object, args: list[str]) -> set[str]:
    """The settings of a benchmark, or of the one that a line names."""
    named = next((one for one in [benchmark, *args] if one in known_benchmarks()), None)
    return {one.name for one in fields(get_benchmark(str(named)).SETTINGS)} if named else set()


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
        if (file := _after("--from", args)) and not asked:
            found = options_from(Path(file), self._known(), lambda said: _declared(said, args))
            # Of settings each counts for itself: those given here come last, and win.
            args = [*(word for one in found.pop("set_", ()) for word in ("--set", one)), *args]
            ctx.default_map = {**(ctx.default_map or {}), **found}
        if not (asked or ctx.resilient_parsing):
            self._no_settings(args)
        return super().parse_args(ctx, args)

    def _no_settings(self, args: list[str]) -> None:
        """A setting that is written like an option: what to write instead."""
        known, declared = self._known(), _declared(None, args)
        for word in args:
            name = word.removeprefix("--").partition("=")[0].replace("-", "_")
            for one in (name, name.removeprefix("no_")):
                if word.startswith("--") and name not in known and one in declared:
                    value = "VALUE" if one == name else "off"
                    told = f"{word} is no option but a setting: write  --set {one}={value}"
                    raise BadInput(f"{told}  ; `subitize benchmarks NAME` explains each.")

    def _known(self) -> dict[str, str]:
        """Every option's flag, as a file writes it, with its parameter."""
        found: dict[str, str] = {}
        for param in self.params:
            flags = [one for one in param.opts if one.startswith("--")] or [str(param.name)]
            found |= {one.lstrip("-").replace("-", "_"): str(param.name) for one in flags}
        return found

    def format_options(self, ctx: Any, formatter: Any) -> None:
        super().format_options(ctx, formatter)
        if named := ctx.meta.get("benchmark"):
            with formatter.section(f"Settings of {named} (--set NAME=VALUE)"):
                formatter.write_dl(list(_lines(get_benchmark(named))))


def _after(flag: str, args: list[str]) -> str:
    """The value of an option, as --flag VALUE or --flag=VALUE; empty where it is not given."""
    for word, following in zip(args, [*args[1:], ""], strict=False):
        if word == flag:
            return following
        if word.startswith(f"{flag}="):
            return word.partition("=")[2]
    return ""


def _lines(benchmark: Benchmark[Any]) -> Iterator[tuple[str, str]]:
    for one in settings_of(benchmark):
        yield one.name, f"{one.meaning}  [default: {one.default or '(empty)'}]"
