"""Everything a matcher would be asked, as a file for models that no library here can load."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import orjson

from subitize.benchmarks.probe import MATCH, Probe
from subitize.benchmarks.probe.items import ProbeSettings
from subitize.errors import BadInput
from subitize.files import make_folder, write_whole
from subitize.stimuli import render

FILE, PICTURES = "sentences.jsonl", "pictures"


def write_sentences(settings: ProbeSettings, out: Path) -> dict[str, Any]:
    """sentences.jsonl with `picture`, `sha256` and `sentence`, and the pictures that are drawn.

    A program of yours adds `score` to each line; `matcher/scores?file=…` then answers a run with
    the same settings.
    """
    probe = Probe()
    if settings.task not in ("alignment", "counting"):
        raise BadInput(f"task={settings.task} asks no matcher: give alignment or counting.")
    probe.check(settings)
    decided = probe.ready(settings, "matcher")
    make_folder(out / PICTURES, "--out")
    lines: dict[tuple[str, str], bytes] = {}
    paths: dict[str, str] = {}
    for trial in probe.trials(MATCH, settings, decided):
        picture = render(trial.stimulus).png
        sha256 = hashlib.sha256(picture).hexdigest()
        if sha256 not in paths:
            paths[sha256] = trial.stimulus.path or str(
                (out / PICTURES / str(trial.condition["picture"])).resolve()
            )
            if not trial.stimulus.path:
                write_whole(Path(paths[sha256]), picture, option="--out", sync=False)
        for sentence in trial.options:
            line = {"picture": paths[sha256], "sha256": sha256, "sentence": sentence}
            lines[sha256, sentence] = orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)
    write_whole(out / FILE, b"".join(lines.values()), option="--out")
    return {"file": str(out / FILE), "sentences": len(lines), "pictures": len(paths)}
