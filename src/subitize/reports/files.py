"""Figures and tables as bytes: SVG, PDF, PNG, CSV, small pictures."""

from __future__ import annotations

import base64
import re

from subitize.files import csv_text
from subitize.pictures.showing import thumbnail
from subitize.reports.page import Cell, Figure, Table, plain
from subitize.reports.style import FORMATS, save, styled

THUMBNAIL = 256
PIXELS_PER_POINT = 4 / 3
SCROLLED = 620
"""figures wider than so many pixels never get narrower than that"""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def figure_files(figure: Figure) -> dict[str, bytes]:
    """A figure in all formats, by file name."""
    with styled():
        drawing = figure.draw()
        # Lay out once: three formats of one figure must not differ, and this is the slow part.
        drawing.draw_without_rendering()
        drawing.set_layout_engine("none")
        return {f"{figure.name}.{kind}": save(drawing, kind) for kind in FORMATS}


def inline_svg(svg: bytes, figure: Figure) -> str:
    """The SVG as a part of a page: no header, no comments, ids that no other figure uses."""
    text = svg.decode("utf-8")
    text = text[text.index("<svg") :]
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"<style[^>]*>.*?</style>", "", text, flags=re.DOTALL)
    text = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{figure.name}-", text)
    # A figure may grow a little beyond its printed size; on a phone a wide one is scrolled
    # rather than made too small to read.
    found = re.search(r'viewBox="0 0 ([\d.]+)', text)
    natural = float(found.group(1)) * PIXELS_PER_POINT if found else 0.0
    least = SCROLLED if natural > SCROLLED else 0
    size = f'style="max-width: {1.25 * natural:.0f}px; --least: {least}px"'
    text = re.sub(r'(<svg[^>]*?) width="[^"]*pt"', r"\1", text, count=1)
    text = re.sub(r'(<svg[^>]*?) height="[^"]*pt"', r"\1", text, count=1)
    return re.sub(r"\n\s*", "\n", text.replace("<svg", f"<svg {size}", 1))


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
    """A table as UTF-8 CSV; a score with an interval takes three columns."""
    heads: list[str] = []
    for column in table.columns:
        ends = [f"{column.name}_low", f"{column.name}_high"] if column.interval else []
        heads += [column.name, *ends]
    if badges := any(cell.badge for row in table.rows for cell in row):
        heads.append("mark")
    rows = []
    for row in table.rows:
        fields: list[str] = []
        for column, cell in zip(table.columns, row, strict=True):
            ends = [_end(cell.low), _end(cell.high)] if column.interval else []
            fields += [_field(cell), *ends]
        mark = [" ".join(cell.badge for cell in row if cell.badge)] if badges else []
        rows.append([*fields, *mark])
    return csv_text(heads, rows).encode("utf-8")


def thumbnail_uri(picture: bytes) -> str:
    """A picture made small enough for the page, as a data URI; the model saw it in full size."""
    return f"data:image/png;base64,{base64.b64encode(thumbnail(picture, THUMBNAIL)).decode()}"
