"""A copy of the viewer without a server: a page, its scripts, JSON in chunks, and the pictures.

Any file server shows it. Pictures that were excluded by hand, or that show a face, stay out.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from subitize.errors import BadInput, StorageFull
from subitize.files import write_whole
from subitize.humans.guard import POLICY
from subitize.humans.viewing import summary_of
from subitize.humans.viewing_pictures import Pictures
from subitize.humans.viewing_query import trial_facts
from subitize.humans.viewing_table import RunsTable
from subitize.humans.web import HERE, environment
from subitize.pictures.media import media_type
from subitize.records import Stimulus, Trial, fingerprint
from subitize.runs.exclusions import read_exclusions, read_faces

FILES = (
    "icon.svg", "style.css", "viewing.css", "viewing.js", "viewing-bundle.js", "viewing-figures.js",
    "viewing-parts.js", "viewing-query.js",
)  # fmt: skip
CHUNK = 5000
"""answers, or trials, in a file"""
ANSWER = (
    "item", "model", "kind", "value", "stop", "state", "said", "right", "number", "error", "note",
    "seconds", "sample", "attempt", "counts", "run",
)  # fmt: skip


def write_bundle(table: RunsTable, out: Path) -> Path:
    """Write the copy; its page."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise BadInput(f"{out} is there already: give --bundle a new folder.")
    try:
        for name in ("static", "data", "pictures"):
            (out / name).mkdir(parents=True, exist_ok=True)
        for name in FILES:
            shutil.copyfile(HERE / "static" / name, out / "static" / name)
    except OSError as problem:
        raise StorageFull(f"Can't write to {out}: {problem.strerror}.") from None
    summary = {**summary_of(table), "readers": [], "chunk": CHUNK, "answers": table.own.height}
    _write(out / "data" / "summary.json", summary)
    _write(out / "data" / "items.json", _items(table))
    for place, part in enumerate(table.own.iter_slices(CHUNK)):
        _write(out / "data" / f"answers-{place}.json", _columns(part.select(ANSWER)))
    _write_trials(table, out, hidden_pictures(table))
    policy = POLICY.replace("; frame-ancestors 'none'", "")  # a page can't say that of itself
    page = environment().get_template("viewing.html")
    title = f"{len(table.runs)} run{'s' if len(table.runs) > 1 else ''}"
    text = page.render(title=title, entry="viewing-bundle.js", policy=policy)
    write_whole(out / "index.html", text.encode())
    return out / "index.html"


def hidden_pictures(table: RunsTable) -> set[str]:
    """Trials and pictures that are not given away: also those of other questions about them."""
    hidden: set[str] = set()
    for run in table.runs:
        hidden |= read_exclusions(run.folder).keys() | read_faces(run.folder)
    for item in table.items_of(hidden):
        hidden |= sources(table.trial(item).stimulus)
    # A received picture is called by its hash, by which it is known as somebody's stimulus too.
    return hidden | {name.partition(".")[0] for name in hidden}


def sources(stimulus: Stimulus) -> set[str]:
    """What a picture is made of: its recipe, or the file under its box and what fills that."""
    recipe = stimulus.recipe
    under = sources(Stimulus(**recipe["over"])) if "over" in recipe else set()
    return under | {str(recipe.get("sha256") or fingerprint(recipe))}


def _is_hidden(trial: Trial, hidden: set[str]) -> bool:
    return trial.id in hidden or bool(hidden & sources(trial.stimulus))


def _columns(part: pl.DataFrame) -> dict[str, Any]:
    return {name: part[name].to_list() for name in part.columns}


def _items(table: RunsTable) -> dict[str, Any]:
    """What trials are chosen by, a list each."""
    texts = {name: pl.col(name).cast(pl.String) for name in {"wanted", *table.filters}}
    first = table.own.unique("item", keep="first", maintain_order=True).sort("item")
    return _columns(first.select("target", **texts))


def _write_trials(table: RunsTable, out: Path, hidden: set[str]) -> None:
    """Questions and pictures; a picture that is shown in several trials is there once."""
    pictures = Pictures(table)
    for first in range(0, table.items, CHUNK):
        told = []
        for item in range(first, min(first + CHUNK, table.items)):
            facts = trial_facts(table, item)
            facts["picture"] = _shown(table, pictures, item, out, hidden)
            told.append(facts)
        _write(out / "data" / f"trials-{first // CHUNK}.json", told)
    painted = table.own.filter(pl.col("kind") == "picture").select("row", "item", "value")
    names = {}
    for row, item, value in painted.iter_rows():
        kept_in = value in hidden or _is_hidden(table.trial(item), hidden)
        picture = None if kept_in else pictures.painted(row)
        if picture is not None:
            names[row] = f"pictures/{value}"
            write_whole(out / "pictures" / value, picture)
    _write(out / "data" / "painted.json", {str(row): name for row, name in names.items()})


def _shown(table: RunsTable, pictures: Pictures, item: int, out: Path, hidden: set[str]) -> str:
    trial = table.trial(item)
    if trial.stimulus.kind not in ("drawn", "file") or _is_hidden(trial, hidden):
        return ""
    name = fingerprint(trial.stimulus.recipe)
    if found := sorted((out / "pictures").glob(f"{name}.*")):
        return f"pictures/{found[0].name}"
    picture = pictures.shown(item)
    if picture is None:
        return ""
    name = f"{name}.{media_type(picture).partition('/')[2]}"
    write_whole(out / "pictures" / name, picture)
    return f"pictures/{name}"


def _write(path: Path, content: Any) -> None:
    write_whole(path, orjson.dumps(content, option=orjson.OPT_SERIALIZE_NUMPY))
