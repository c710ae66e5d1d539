"""The authors' result files as run folders: replies and the numbers that their extractor read.

Such a file is a JSON list; an entry is one of the released metadata with `answer` (the reply),
`results` (the number read from it, −1 for none; `processed_results` where that was corrected) and
`ground_truth`. The replies are read by our rules like any other; what the authors read stands in
each response's note, and their sMAPE beside ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from subitize.benchmarks.capture import Capture, CaptureSettings
from subitize.benchmarks.capture.prompts import worded
from subitize.benchmarks.capture.scenes import NOUNS
from subitize.benchmarks.capture.tasks import OWN
from subitize.datasets.capture_real import true_count, whole_number
from subitize.errors import BadInput
from subitize.files import read_bytes, read_entries
from subitize.measures.error_size import smape
from subitize.records import Response, Stimulus, Trial, make_trial
from subitize.runs.folder import counted_respondents, imported
from subitize.runs.journal import Journal
from subitize.runs.plan import Plan

NEEDED = ("results", "ground_truth")
SKIPPED = -1
"""what the authors write where a reply holds no number"""
SHAPES = {"circle": "dots", "square": "boxes"}
QUESTION = "How many [object] are there?"
"""stands for the authors' own words, which the file does not hold"""


class Imported(NamedTuple):
    """A result file as a run."""

    folder: Path
    replies: int
    authors_smape: float
    """by the numbers that the authors read"""


def import_results(path: Path, model: str, set_: str, variant: str, out: Path) -> Imported:
    """Write a run folder under `out`, all of it or nothing."""
    rows = list(_rows(path, set_, variant))
    if not rows:
        raise BadInput(f"{path} holds no result: give a list of answer, results, ground_truth.")
    digest = sha256(read_bytes(path, "the results")).hexdigest()[:16]
    settings = CaptureSettings(
        set=set_, tasks=("total",), variants=(variant,), layout="published", size=200,
        question=QUESTION, results=digest,
    )  # fmt: skip
    parts = {
        "benchmark": Capture.NAME, "version": Capture.VERSION, "kind": "namer",
        "settings": settings.identity(),
        "model": {"name": model, "settings": {}, "revision": ""},
    }  # fmt: skip
    with imported(out, parts, {"reader": None}, "results") as run:
        ((name, settings_hash),) = counted_respondents(run.info)
        with Plan(run.path, Capture.CONDITION) as plan, Journal(run.path) as journal:
            plan.add([trial for trial, _, _ in rows])
            for trial, reply, read in rows:
                note = f"the authors read {'no number' if read is None else read}"
                journal.write(Response(trial.id, name, settings_hash, 0, 0, "text", reply, "stop",
                                       {}, 0.0, "", note))  # fmt: skip
    asked = [float(trial.target or 0) for trial, _, _ in rows]
    said = [np.nan if read is None else read for _, _, read in rows]
    return Imported(run.path, len(rows), smape(asked, said))


def _rows(path: Path, set_: str, variant: str) -> Iterator[tuple[Trial, str, int | None]]:
    """A trial, the reply and what the authors read, of every entry."""
    seen: set[str] = set()
    for place, (where, row) in enumerate(read_entries(path, "the results", NEEDED)):
        read = row.get("processed_results", row["results"])
        try:
            total = true_count(row["ground_truth"])
            if (read := whole_number(read)) < SKIPPED:
                raise ValueError(f"{read} is no count, nor {SKIPPED} for none")
        except ValueError as problem:
            raise BadInput(
                f"{where} can't be used: {problem}. An entry has answer (the reply), results (the "
                "number read, -1 for none) and ground_truth."
            ) from None
        name = str(row.get("image_file") or place)
        if name in seen:
            raise BadInput(f"{where}: the picture {name} stands there twice: keep one of them.")
        seen.add(name)
        reply = row.get("answer")
        if not isinstance(reply, str) or not reply.strip():
            reply = "" if read == SKIPPED else str(read)
        yield _trial(name, row, set_, variant, total), reply, None if read == SKIPPED else read


def _trial(name: str, row: Mapping[str, Any], set_: str, variant: str, total: int) -> Trial:
    shape = SHAPES.get(str(row.get("dot_shape", "")), "")
    thing = str(row.get("object") or NOUNS.get(shape, "objects"))
    about = {
        "configuration": name.removesuffix(".png") if set_ == "synthetic" else name,
        "task": "total", "variant": variant, "help": "", "prompt": OWN, "thing": thing,
        "total": total, "object": shape or thing,
    }  # fmt: skip
    return make_trial(
        (Capture.NAME, Capture.VERSION, "total"), Stimulus("named", {"image": name}),
        worded(QUESTION, thing), target=total, condition=about,
    )  # fmt: skip
