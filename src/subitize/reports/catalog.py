"""Which file writes which benchmark's page; imported when a report needs it.

A page is a function from stored runs to sections (see `page.py`); its figures, tables and section
ids start with the benchmark's name, so that several pages fit into one report.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module

from subitize.errors import UnknownName
from subitize.reports.page import Section
from subitize.runs.stored import StoredRun

__all__ = ["PAGES", "Sections", "get"]

Sections = Callable[[Sequence[StoredRun]], list[Section]]

PAGES: Mapping[str, str] = {
    "naming": "subitize.reports.naming:sections",
    "production": "subitize.reports.production:sections",
    "capture": "subitize.reports.capture:sections",
    "geckonum": "subitize.reports.geckonum:sections",
    "geckonum-metric": "subitize.reports.geckonum_models:metric_sections",
    "geckonum-vqa": "subitize.reports.geckonum_models:vqa_sections",
}


def get(benchmark: str) -> Sections:
    """The function that turns a benchmark's runs into sections of a page."""
    if benchmark not in PAGES:
        raise UnknownName("report page for the benchmark", benchmark, PAGES)
    module, name = PAGES[benchmark].split(":")
    found: Sections = getattr(import_module(module), name)
    return found
