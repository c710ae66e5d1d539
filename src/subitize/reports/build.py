"""From stored runs to one HTML file, with its figures and tables as files beside it."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import resources
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from subitize import __version__
from subitize.errors import BadInput
from subitize.files import make_folder, write_whole
from subitize.reports import default
from subitize.reports.comparing import compared_section
from subitize.reports.files import csv_bytes, figure_files, inline_svg, thumbnail_uri
from subitize.reports.page import Figure, Section, Sections, Table, plain
from subitize.reports.people import people_section
from subitize.runs.comparing import compare_runs
from subitize.runs.stored import StoredRun


class Chapter(NamedTuple):
    """The page of one benchmark."""

    name: str
    title: str
    sections: Sequence[Section]


class About(NamedTuple):
    """What stands under the report's title."""

    models: Sequence[str]
    trials: int
    date: str = ""


def build_report(
    runs: Sequence[StoredRun],
    out: Path,
    page_of: Callable[[str], Sections | None],
    more: Sequence[Chapter] = (),
) -> Path:
    """Write OUT (an HTML file) and the folder OUT_files; the same runs give the same bytes.

    `page_of` gives a benchmark's own page by its name; without one it gets the default page.
    `more` are pages of what is no run.
    """
    if not runs and not more:
        raise BadInput("There is no run to report on: name at least one run folder.")
    _place(Path(out))
    by_benchmark: dict[str, list[StoredRun]] = {}
    for run in runs:
        by_benchmark.setdefault(run.benchmark.NAME, []).append(run)
    chapters = [
        Chapter(
            name,
            found[0].benchmark.TITLE,
            [
                *(page_of(name) or default.sections)(found),
                *people_section(name, found),
                *_compared(name, found),
            ],
        )
        for name, found in by_benchmark.items()
    ]
    about = About(
        list(dict.fromkeys(plain(run.scores.get("model") or "?", 60) for run in runs)),
        sum(int(run.scores.get("asked") or 0) for run in runs),
        max((str(run.info.get("created") or "") for run in runs), default="")[:10],
    )
    return write_chapters([*chapters, *more], about, out)


def _place(out: Path) -> Path:
    """The folder of a report's files, made: a place that can't be is told before drawing."""
    if out.suffix.lower() not in {".html", ".htm"}:
        raise BadInput(f"The report's name is {out.name!r}: give a name that ends in .html.")
    folder = out.with_name(f"{out.stem}_files")
    make_folder(folder, "--out")
    if out.is_dir():
        raise BadInput(f"{out} is a folder: give another --out.")
    return folder


def _compared(name: str, runs: Sequence[StoredRun]) -> list[Section]:
    """The paired differences, where two or more runs share their pictures."""
    try:
        return [compared_section(name, compare_runs(runs))]
    except BadInput:
        return []


def write_chapters(chapters: Sequence[Chapter], about: About, out: Path) -> Path:
    """Write pages that may also come from elsewhere than runs."""
    out = Path(out)
    folder = _place(out)
    files, inlined = _files(chapters)
    page = _page(chapters, about, inlined, f"{out.stem}_files")
    _write_folder(folder, files)
    write_whole(out, page.encode("utf-8", "replace"), option="--out")
    return out


def _files(chapters: Sequence[Chapter]) -> tuple[dict[str, bytes], dict[str, Markup]]:
    """All files by name, and each figure's SVG for the page."""
    files: dict[str, bytes] = {}
    inlined: dict[str, Markup] = {}
    sections = (section for chapter in chapters for section in chapter.sections)
    for block in chain.from_iterable(section.blocks for section in sections):
        if isinstance(block, Table):
            assert f"{block.name}.csv" not in files, f"two tables are called {block.name}"
            files[f"{block.name}.csv"] = csv_bytes(block)
        elif isinstance(block, Figure):
            drawn = figure_files(block)
            files.update(drawn)
            # Matplotlib wrote this and escaped every word in it.
            inlined[block.name] = Markup(inline_svg(drawn[f"{block.name}.svg"], block))
            if block.data is not None:
                files[f"{block.data.name}.csv"] = csv_bytes(block.data)
    return files, inlined


def _template_text(name: str) -> str:
    return (resources.files("subitize.reports") / "templates" / name).read_text("utf-8")


def _page(
    chapters: Sequence[Chapter], about: About, inlined: Mapping[str, Markup], folder: str
) -> str:
    environment = Environment(
        loader=PackageLoader("subitize.reports", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    script = _template_text("report.js").strip()
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    return environment.get_template("report.html.j2").render(
        chapters=chapters,
        about=about,
        version=__version__,
        folder=folder,
        inlined=inlined,
        thumbnail=thumbnail_uri,
        style=Markup(_template_text("report.css")),
        script=Markup(script),
        script_hash=digest,
    )


def _write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files, and remove those an earlier report left; others' files stay."""
    contents = folder / "contents.json"
    for name, content in files.items():
        write_whole(folder / name, content, option="--out")
    for name in _listed(contents):
        if name not in files and Path(name).name == name:
            with suppress(OSError):
                (folder / name).unlink()
    written = json.dumps(sorted(files), indent=1).encode("utf-8")
    write_whole(contents, written, option="--out")


def _listed(contents: Path) -> list[str]:
    """What an earlier report wrote; nothing where its list is damaged."""
    try:
        found = json.loads(contents.read_bytes())
    except (OSError, ValueError):
        return []
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []
