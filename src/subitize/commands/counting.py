"""`subitize count`: how many things are in these pictures."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from subitize.commands.printing import Json, say, show
from subitize.errors import BadInput, Hopeless, ModelError
from subitize.files import make_folder, write_whole
from subitize.integrations.own_generator import find_things
from subitize.measures.boxes import Counted
from subitize.models.catalog import counter_name, open_model
from subitize.pictures.decode import decode
from subitize.pictures.showing import annotated


def count(
    images: Annotated[list[Path], typer.Argument(metavar="IMAGE…", help="Pictures.")],
    what: Annotated[str, typer.Option(help="Name of the things to count.")],
    counter: Annotated[str, typer.Option(help="Which counter.")] = "blobs",
    threshold: Annotated[
        float | None, typer.Option(help="Least score of a box that counts.")
    ] = None,
    boxes: Annotated[bool, typer.Option("--boxes", help="Print the boxes as well.")] = False,
    annotate: Annotated[
        Path | None, typer.Option(help="Folder for the pictures with their boxes drawn.")
    ] = None,
    json: Json = False,
) -> None:
    """Count the things in each picture; one that can't be counted is said, the others go on."""
    if threshold is not None and not 0 <= threshold <= 1:
        raise BadInput(f"--threshold is {threshold:g}: give a score from 0 to 1.")
    name = counter_name(counter)
    kinds = open_model(name).kinds  # a wrong name or setting is said once, not per picture
    if "counter" not in kinds:
        raise BadInput(f"{name} is a {', '.join(kinds)}, not a counter: see `subitize models`.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # each picture's line says it
        results = [_counted(path, what, name, threshold) for path in images]
    found = [_entry(path, result) for path, result in zip(images, results, strict=True)]
    if annotate is not None:
        _annotate(images, results, found, annotate)
    show(found, "\n".join(line for entry in found for line in _lines(entry, boxes)), json)
    bad = sum(entry["state"] == "failed" for entry in found)
    if bad:
        say(f"{bad:,} of {len(found):,} pictures could not be counted.")
    raise typer.Exit(1 if bad else 0)


def _counted(path: Path, what: str, counter: str, threshold: float | None) -> Counted | str:
    """What was found in one picture, or why nothing could be."""
    try:
        decode(path)  # an unreadable picture has the same message whatever the counter
        return find_things(path, what, counter=counter, threshold=threshold)
    except Hopeless:
        raise
    except (ModelError, BadInput) as problem:
        return str(problem)


def _entry(path: Path, result: Counted | str) -> dict[str, Any]:
    if isinstance(result, str):
        return {"image": str(path), "state": "failed", "number": None, "note": result}
    return {
        "image": str(path),
        "state": "read",
        "number": result.number,
        "boxes": result.boxes.tolist(),
        "note": "; ".join(result.notes),
    }


def _annotate(
    images: list[Path], results: list[Counted | str], found: list[dict[str, Any]], folder: Path
) -> None:
    """Write the pictures with their boxes drawn; two of one name get their place as well."""
    make_folder(folder, "--annotate")
    used: set[str] = set()
    for place, (path, result) in enumerate(zip(images, results, strict=True)):
        if isinstance(result, Counted):
            name = f"{path.stem}-counted.png"
            if name in used:
                name = f"{path.stem}-{place + 1}-counted.png"
            used.add(name)
            write_whole(folder / name, annotated(decode(path), result.boxes.tolist()))
            found[place]["annotated"] = str(folder / name)


def _lines(entry: dict[str, Any], boxes: bool) -> Iterator[str]:
    note = f"  ({entry['note']})" if entry["note"] else ""
    shown = "failed" if entry["number"] is None else entry["number"]
    yield f"{entry['image']}: {shown}{note}"
    for x0, y0, x1, y1, score in entry.get("boxes", ()) if boxes else ():
        yield f"  {x0:.1f} {y0:.1f} {x1:.1f} {y1:.1f}  {score:.3f}"
