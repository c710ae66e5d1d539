"""`subitize benchmarks` and `models`."""

from __future__ import annotations

from subitize.benchmarks.catalog import get_benchmark, known_benchmarks
from subitize.commands.printing import Json, show
from subitize.models.catalog import families


def benchmarks(json: Json = False) -> None:
    """What can be measured, with the paper it comes from."""
    found = []
    for name in known_benchmarks():
        benchmark = get_benchmark(name)
        found.append(
            {
                "name": name,
                "version": benchmark.VERSION,
                "title": benchmark.TITLE,
                "asks": list(benchmark.KINDS),
                "readers": list(benchmark.READERS),
                "paper": benchmark.PAPER.citation,
                "doi": benchmark.PAPER.doi,
            }
        )
    text = "\n".join(
        f"{one['name']:12} {one['title']} (asks a {' or a '.join(one['asks'])})\n"
        f"{'':12} {one['paper']}"
        for one in found
    )
    show(found, text, json)


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
