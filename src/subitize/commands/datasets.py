"""`subitize datasets fetch NAME`: published data, downloaded and checked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from subitize.commands.printing import Json, group, print_json, say, show
from subitize.datasets.fetch import DATASETS, fetch, find_dataset

datasets = group("Bring published data.")


@datasets.command("list")
def list_(json: Json = False) -> None:
    """What can be fetched, from where and under which licence."""
    listed, lines = [], []
    for name, found in DATASETS.items():
        about = {key: getattr(found, key) for key in ("title", "licence", "source", "pictures")}
        listed.append({"name": name, **about, "files": [file.name for file in found.files]})
        lines.append(f"{name:12} {found.title}; {found.licence}; {found.source}")
        if found.pictures:
            lines.append(f"{'':12} pictures: {found.pictures}")
    show(listed, "\n".join(lines), json)


@datasets.command("fetch")
def fetch_(
    name: Annotated[str, typer.Argument(help="Name of the data set.")],
    out: Annotated[Path | None, typer.Option(help="Folder; by default data/NAME.")] = None,
    base_url: Annotated[
        str | None, typer.Option(help="A mirror that has the files under their names.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the paths as JSON.")] = False,
) -> None:
    """Download a data set and check every file's checksum."""
    found = find_dataset(name)
    say(f"{found.title}; {found.licence}; {found.source}")
    if found.pictures:
        say(f"its pictures are not fetched; they lie at {found.pictures}")
    paths = fetch(name, out or Path("data") / name, base_url=base_url, tell=say)
    if json:
        print_json([str(path) for path in paths])
