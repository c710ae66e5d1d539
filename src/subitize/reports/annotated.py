"""A report from people's annotations instead of runs."""

from __future__ import annotations

from pathlib import Path

from subitize.benchmarks.geckonum.labels import Labelled
from subitize.benchmarks.geckonum.painting import GeckoNum
from subitize.reports.build import About, Chapter, write_chapters
from subitize.reports.geckonum import annotation_sections

__all__ = ["report_annotations"]


def report_annotations(labelled: Labelled, out: Path) -> Path:
    """GeckoNum's page from labels, as one HTML file."""
    chapter = Chapter(GeckoNum.NAME, GeckoNum.TITLE, annotation_sections(labelled))
    return write_chapters([chapter], About(labelled.models, sum(labelled.used.values())), out)
