"""`subitize benchmarks`, `models` and `doctor`."""

from __future__ import annotations

import shutil
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Annotated, Any

import typer

from subitize.benchmarks.catalog import get_benchmark, known_benchmarks
from subitize.commands.printing import print_json
from subitize.models.catalog import FAMILIES, known_names, open_model, third_party

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON and nothing else.")]

PACKAGES: dict[str, tuple[str, str]] = {
    "torch": ("hf", "detectors and CLIP from Hugging Face"),
    "transformers": ("hf", "detectors and CLIP from Hugging Face"),
    "wordfreq": ("words", "frequency of nouns for new GeckoNum prompts"),
}


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
    if json:
        print_json(found)
        return
    for entry in found:
        print(f"{entry['name']:12} {entry['title']} (asks a {' or a '.join(entry['asks'])})")
        print(f"{'':12} {entry['paper']}")


def models(json: Json = False) -> None:
    """What can be asked; needs no heavy package."""
    if json:
        print_json(
            [
                {
                    "prefix": prefix,
                    "names": list(family.names),
                    "pattern": family.pattern,
                    "kinds": list(family.kinds),
                    "about": family.about,
                    "extra": family.extra,
                }
                for prefix, family in FAMILIES.items()
            ]
            + [
                {
                    "prefix": prefix,
                    "names": [],
                    "pattern": f"{prefix}/…",
                    "kinds": [],
                    "about": f"added by an installed package ({opener})",
                    "extra": "",
                }
                for prefix, opener in third_party().items()
            ]
        )
        return
    for prefix, family in FAMILIES.items():
        needs = f"; needs subitize[{family.extra}]" if family.extra else ""
        print(f"{prefix}: {family.about} ({', '.join(family.kinds)}{needs})")
        for name in known_names():
            if name.startswith(f"{prefix}/"):
                print(f"  {name}")
    for prefix, opener in third_party().items():
        print(f"{prefix}: added by an installed package ({opener})\n  {prefix}/…")


def doctor(
    model: Annotated[str | None, typer.Option(help="Also try to open this model.")] = None,
    json: Json = False,
) -> None:
    """What is installed, what is missing and how to get it."""
    found: dict[str, Any] = {"subitize": version("subitize"), "optional": {}}
    for package, (extra, purpose) in PACKAGES.items():
        try:
            state = version(package)
        except PackageNotFoundError:
            state = None
        found["optional"][package] = {
            "version": state,
            "for": purpose,
            "install": f"pip install 'subitize[{extra}]'",
        }
    found["torchvision"] = find_spec("torchvision") is not None
    found["chromium"] = shutil.which("chromium") is not None
    if model is not None:
        opened = open_model(model)
        found["model"] = {"name": opened.respondent, "kinds": list(opened.kinds)}
    if json:
        print_json(found)
        return
    print(f"subitize {found['subitize']}")
    for package, entry in found["optional"].items():
        state = entry["version"] or f"missing: {entry['install']}"
        print(f"{package:14} {state}  ({entry['for']})")
    if found["torchvision"]:
        print("torchvision    installed: beside a CPU build of torch it breaks transformers")
    if model is not None:
        print(f"{found['model']['name']} opens as a {', '.join(found['model']['kinds'])}")
