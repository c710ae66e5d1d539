"""`subitize benchmarks` and `models`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from subitize.benchmark import Benchmark
from subitize.benchmarks.catalog import get_benchmark, known_benchmarks
from subitize.commands.about_benchmarks import names, settings_of
from subitize.commands.printing import Json, say, show
from subitize.commands.recipes import shown
from subitize.errors import BadInput
from subitize.models.catalog import families


def benchmarks(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="Tell all of this one.", autocompletion=names),
    ] = None,
    json: Json = False,
) -> None:
    """What can be measured, with the paper it comes from; of one benchmark every setting."""
    if name is not None:
        benchmark = get_benchmark(name)
        found = _about(benchmark)
        found["settings"] = [one._asdict() for one in settings_of(benchmark)]
        found["profiles"] = {key: dict(given) for key, given in benchmark.PROFILES.items()}
        found["helpers"] = list(benchmark.HELPERS)
        found["deviations"] = list(benchmark.DEVIATIONS)
        show(found, _told(benchmark), json)
        return
    listed = []
    for one_name in known_benchmarks():
        try:
            listed.append(_about(get_benchmark(one_name)))
        except BadInput as problem:  # a package of somebody else's must not hide the others
            say(f"subitize: {problem}")
    text = "\n".join(
        f"{one['name']:12} {one['title']} (asks a {' or a '.join(one['asks'])})\n"
        f"{'':12} {one['paper']}"
        for one in listed
    )
    show(listed, f"{text}\n`subitize benchmarks NAME` tells a benchmark's settings.", json)


LEFT = "the model of --counter, or pending: left for people"


def _about(benchmark: Benchmark[Any]) -> dict[str, Any]:
    return {
        "name": benchmark.NAME,
        "version": benchmark.VERSION,
        "title": benchmark.TITLE,
        "asks": list(benchmark.KINDS),
        "readers": list(benchmark.READERS),
        "paper": benchmark.PAPER.citation,
        "doi": benchmark.PAPER.doi,
    }


def _told(benchmark: Benchmark[Any]) -> str:
    """All of one benchmark, for the eye."""
    one = _about(benchmark)
    lines = [
        f"{one['name']}: {one['title']}, version {one['version']}",
        f"{one['paper']} {'doi:' + one['doi'] if one['doi'] else ''}".rstrip(),
        f"asks a {' or a '.join(one['asks'])}; read by "
        f"{', '.join(LEFT if name == 'pending' else name for name in one['readers'])}",
    ]
    if benchmark.HELPERS:
        lines.append(f"helpers (--base-url ROLE=URL): {', '.join(benchmark.HELPERS)}")
    lines += ["", "settings (--set NAME=VALUE), with their defaults:"]
    for setting in settings_of(benchmark):
        head = f"  {setting.name}={setting.default}"
        lines += [f"{head:26} {setting.meaning}"] if len(head) < 27 else [
            head, f"{'':26} {setting.meaning}",
        ]  # fmt: skip
    lines += ["", "profiles (--profile NAME):"]
    for key, given in benchmark.PROFILES.items():
        words = " ".join(f"{name}={shown(value)}" for name, value in given.items())
        lines.append(f"  {key:8} {words or 'the settings as they are'}")
    lines += ["", "where we do otherwise than the paper:"]
    return "\n".join([*lines, *(f"  {text}" for text in benchmark.DEVIATIONS)])


def models(json: Json = False) -> None:
    """What can be asked; needs no heavy package."""
    found = [
        {
            "prefix": prefix,
            "names": list(family.names),
            "pattern": family.pattern,
            "kinds": list(family.kinds),
            "about": family.about,
            "extra": family.extra,
        }
        for prefix, family in families().items()
    ]
    lines = []
    for prefix, family in families().items():
        needs = f"needs subitize[{family.extra}]" if family.extra else ""
        kinds = "; ".join(part for part in (", ".join(family.kinds), needs) if part)
        lines.append(f"{prefix}: {family.about}" + (f" ({kinds})" if kinds else ""))
        lines += [f"  {name}" for name in family.known(prefix)]
    show(found, "\n".join(lines), json)
