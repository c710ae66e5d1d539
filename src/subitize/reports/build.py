"""From stored runs to one HTML file that holds everything; other formats of figures beside it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from subitize.errors import BadInput
from subitize.files import make_folder, write_whole
from subitize.reports import default
from subitize.reports.comparing import compared_section
from subitize.reports.files import embedded_files
from subitize.reports.html import page_text
from subitize.reports.overview import with_overview
from subitize.reports.page import About, Chapter, Section, Sections, plain
from subitize.reports.people import people_section
from subitize.reports.respondents import HUMAN, people_of
from subitize.reports.style import FORMATS
from subitize.runs.comparing import compare_runs
from subitize.runs.stored import StoredRun, each_once

__all__ = ["About", "Chapter", "build_report", "write_chapters"]


def build_report(
    runs: Sequence[StoredRun],
    out: Path,
    page_of: Callable[[str], Sections | None],
    more: Sequence[Chapter] = (),
    figures: Sequence[str] = (),
) -> Path:
    """Write OUT (an HTML file); the same runs give the same bytes.

    `page_of` gives a benchmark's own page by its name; without one it gets the default page.
    `more` are pages of what is no run. `figures` are formats (pdf, png, svg) in which every figure
    is also written to the folder OUT_files.
    """
    if not runs and not more:
        raise BadInput("There is no run to report on: name at least one run folder.")
    _place(Path(out), figures)
    runs = each_once(runs)
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
    names = [plain(run.scores.get("model") or "?", 60) for run in runs]
    about = About(
        list(dict.fromkeys(name for name in names if not name.startswith(HUMAN))),
        sum(int(run.scores.get("asked") or 0) for run in runs),
        max((str(run.info.get("created") or "") for run in runs), default="")[:10],
        len(people_of(runs)),
    )
    return write_chapters([*chapters, *more], about, out, figures)


def _place(out: Path, figures: Sequence[str]) -> Path:
    """The folder of a report's files; a place that can't be is told before drawing."""
    if out.suffix.lower() not in {".html", ".htm"}:
        raise BadInput(f"The report's name is {out.name!r}: give a name that ends in .html.")
    if unknown := [kind for kind in figures if kind not in FORMATS]:
        raise BadInput(
            f"--figures has {unknown[0]!r}, which is no format of ours: give "
            f"{', '.join(FORMATS)}, or several with commas between them."
        )
    folder = out.with_name(f"{out.stem}_files")
    make_folder(folder if figures else out.parent, "--out")
    try:
        taken = out.is_dir()
    except OSError as problem:
        raise BadInput(f"{out} can't be a file: {problem.strerror}. Give another --out.") from None
    if taken:
        raise BadInput(f"{out} is a folder: give another --out.")
    return folder


def _compared(name: str, runs: Sequence[StoredRun]) -> list[Section]:
    """The paired differences, where two or more runs share their pictures."""
    try:
        return [compared_section(name, compare_runs(runs))]
    except BadInput:
        return []


def write_chapters(
    chapters: Sequence[Chapter], about: About, out: Path, figures: Sequence[str] = ()
) -> Path:
    """Write pages that may also come from elsewhere than runs."""
    out = Path(out)
    folder = _place(out, figures)
    whole = with_overview(chapters)
    files = embedded_files(whole, figures)
    page = page_text(whole, about, files, folder.name if figures else "")
    beside = {
        name: content
        for name, content in files.items()
        if Path(name).suffix.removeprefix(".") in figures
    }
    if beside or folder.is_dir():
        _write_folder(folder, beside)
    write_whole(out, page.encode("utf-8", "replace"), option="--out")
    return out


def _write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files, and remove those an earlier report left; others' files stay."""
    contents = folder / "contents.json"
    for name, content in files.items():
        write_whole(folder / name, content, option="--out")
    for name in _listed(contents):
        if name not in files and Path(name).name == name:
            with suppress(OSError):
                (folder / name).unlink()
    if files:
        written = json.dumps(sorted(files), indent=1).encode("utf-8")
        write_whole(contents, written, option="--out")
    else:
        with suppress(OSError):
            contents.unlink()
            folder.rmdir()


def _listed(contents: Path) -> list[str]:
    """What an earlier report wrote; nothing where its list is damaged."""
    try:
        found = json.loads(contents.read_bytes())
    except (OSError, ValueError):
        return []
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []
