"""The ways out of a study, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from subitize.humans.exporting import (
    as_bids,
    as_counts,
    as_csv,
    as_geckonum,
    as_jspsych,
    as_judgements,
    as_parquet,
    as_reader_check,
    as_screening,
)
from subitize.humans.run_folder import as_run
from subitize.humans.serving import FILE


class StudyFormat(NamedTuple):
    """One way out."""

    name: str
    about: str
    files: Callable[[Path], Mapping[str, bytes]]


FORMATS: tuple[StudyFormat, ...] = (
    StudyFormat("geckonum", "GeckoNum's released columns", as_geckonum),
    StudyFormat("run", "a run folder with people as respondents", as_run),
    StudyFormat("csv", "every answer as CSV", as_csv),
    StudyFormat("parquet", "every answer as Parquet", as_parquet),
    StudyFormat("jspsych", "a JSON file per person, as jsPsych saves it", as_jspsych),
    StudyFormat("bids", "participants.tsv and events.tsv", as_bids),
    StudyFormat("counts", "counts for `calibrate`, and disagreements", as_counts),
    StudyFormat("screening", "excluded.csv for `read --exclude`, and faces.json", as_screening),
    StudyFormat("reader-check", "readings of replies for `import reader-check`", as_reader_check),
    StudyFormat("judgements", "judgements for `captions --judgements`", as_judgements),
)

__all__ = ["FILE", "FORMATS", "StudyFormat"]
