"""Figures and tables as bytes: SVG, PDF, PNG, CSV, small pictures, and their data links."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from html import escape
from urllib.parse import quote

from subitize.files import csv_text
from subitize.pictures.showing import thumbnail
from subitize.reports.links import named_links
from subitize.reports.narrow import narrowed
from subitize.reports.page import Cell, Chapter, Figure, Table, every_block, plain
from subitize.reports.style import save, styled

THUMBNAIL = 256
PIXELS_PER_POINT = 4 / 3
TYPES = {"csv": "text/csv", "svg": "image/svg+xml"}
PHONE = "phone"
"""an SVG too, laid out anew for a narrow screen"""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_UNQUOTED = "!$()*,;:@?/=[]{}|^`~ "
"""what may stand in a data link as it is, since the page quotes attributes"""


def embedded_files(chapters: Sequence[Chapter], figures: Sequence[str]) -> dict[str, bytes]:
    """Every table as CSV and every figure as SVG and in the other formats, by file name."""
    files: dict[str, bytes] = {}

    def add(table: Table) -> None:
        assert f"{table.name}.csv" not in files, f"two tables are called {table.name}"
        files[f"{table.name}.csv"] = csv_bytes(table)

    for block in every_block(section for chapter in chapters for section in chapter.sections):
        if isinstance(block, Table):
            add(block)
        elif isinstance(block, Figure):
            assert f"{block.name}.svg" not in files, f"two figures are called {block.name}"
            files.update(figure_files(block, ("svg", *figures, PHONE)))
            if block.data is not None:
                add(block.data)
    return files


def figure_files(figure: Figure, kinds: Sequence[str]) -> dict[str, bytes]:
    """A figure in these formats, by file name; one that is narrow has none for a phone."""
    with styled():
        drawing = figure.draw()
        # Lay out once: formats of one figure must not differ, and this is the slow part.
        if (layout := drawing.get_layout_engine()) is not None:
            layout.execute(drawing)
        drawing.set_layout_engine("none")
        files = {kind: save(drawing, kind) for kind in dict.fromkeys(kinds) if kind != PHONE}
        if PHONE in kinds and narrowed(drawing):
            files[PHONE] = save(drawing, "svg")
    files |= {kind: _titled(files[kind], figure) for kind in ("svg", PHONE) if kind in files}
    return {f"{figure.name}.{kind}": content for kind, content in files.items()}


def _titled(svg: bytes, figure: Figure) -> bytes:
    """An SVG that says what it shows, also to who can't see it."""
    title, words = escape(plain(figure.caption)), escape(plain(figure.alt))
    head, end, rest = svg.partition(b">\n <metadata>")
    assert end, "Matplotlib writes its SVG otherwise"
    told = f">\n <title>{title}</title>\n <desc>{words}</desc>\n <metadata>"
    return head + told.encode("utf-8", "replace") + rest


def data_uri(name: str, content: bytes) -> str:
    """A file as a link that holds it."""
    kind = TYPES[name.rpartition(".")[2]]
    return f"data:{kind};charset=utf-8,{quote(content, safe=_UNQUOTED)}"


def inline_svg(svg: bytes, name: str, screens: str = "") -> str:
    """The SVG as a part of a page: no header, no comments, ids that no other figure uses.

    `screens` is the class of the screens that it is shown on, where there are two layouts.
    """
    text = svg.decode("utf-8")
    text = text[text.index("<svg") :]
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"<style[^>]*>.*?</style>", "", text, flags=re.DOTALL)
    text = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", text)
    text = text.replace("<title>", f'<title id="{name}-title">', 1)
    text = text.replace("<desc>", f'<desc id="{name}-desc">', 1)
    # A figure may grow a little beyond its printed size and never gets smaller: where there is no
    # room it is scrolled rather than made too small to read.
    found = re.search(r'viewBox="0 0 ([\d.]+)', text)
    natural = float(found.group(1)) * PIXELS_PER_POINT if found else 0.0
    size = f'style="min-width: {natural:.0f}px; max-width: {1.25 * natural:.0f}px"'
    role = "group" if "<a xlink:href" in text else "img"
    text = named_links(text)
    shown = f'class="{screens}" ' if screens else ""
    named = f'{shown}role="{role}" aria-labelledby="{name}-title {name}-desc"'
    text = re.sub(r'(<svg[^>]*?) width="[^"]*pt"', r"\1", text, count=1)
    text = re.sub(r'(<svg[^>]*?) height="[^"]*pt"', r"\1", text, count=1)
    return re.sub(r"\n\s*", "\n", text.replace("<svg", f"<svg {size} {named}", 1))


def _field(cell: Cell) -> str:
    if cell.value is None:
        return cell.text if cell.text and cell.text != "–" else ""
    if isinstance(cell.value, str):
        cleaned = plain(cell.value)
        # A spreadsheet would run a reply that starts like a formula.
        return f"'{cleaned}" if cleaned.startswith(_FORMULA) else cleaned
    return repr(cell.value) if isinstance(cell.value, float) else str(cell.value)


def _end(value: float | None) -> str:
    return "" if value is None else repr(float(value))


def csv_bytes(table: Table) -> bytes:
    """A table as UTF-8 CSV; a score with an interval takes three columns, a heading one."""
    heads: list[str] = []
    for column in table.columns:
        ends = [f"{column.name}_low", f"{column.name}_high"] if column.interval else []
        heads += [column.name, *ends]
    if badges := any(cell.badge for row in table.rows for cell in row):
        heads.append("mark")
    if headed := any(heading for heading, _ in table.groups):
        heads.append("group")
    rows = []
    for heading, row in ((heading, row) for heading, part in table.grouped for row in part):
        fields: list[str] = []
        for column, cell in zip(table.columns, row, strict=True):
            ends = [_end(cell.low), _end(cell.high)] if column.interval else []
            fields += [_field(cell), *ends]
        mark = [" ".join(cell.badge for cell in row if cell.badge)] if badges else []
        rows.append([*fields, *mark, *([heading] if headed else [])])
    return csv_text(heads, rows).encode("utf-8")


def thumbnail_uri(picture: bytes) -> str:
    """A picture made small enough for the page, as a data URI; the model saw it in full size."""
    return f"data:image/png;base64,{base64.b64encode(thumbnail(picture, THUMBNAIL)).decode()}"
