"""The files that a report holds."""

from __future__ import annotations

import csv
import io
import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote_to_bytes

_LINK = re.compile(r'<a class="file" href="data:[a-z/+]+;charset=utf-8,([^"]*)" download="([^"]+)"')


def files_of(report: Path) -> dict[str, bytes]:
    """What its links hold, by download name."""
    found: dict[str, bytes] = {}
    for content, name in _LINK.findall(report.read_text("utf-8")):
        assert name not in found, name
        found[name] = unquote_to_bytes(unescape(content))
    return found


def rows_of(report: Path, name: str) -> list[dict[str, str]]:
    """A table of the report."""
    return list(csv.DictReader(io.StringIO(files_of(report)[name].decode("utf-8"), newline="")))
