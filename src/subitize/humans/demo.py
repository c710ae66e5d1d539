"""A small study for the demo: simulated annotators look at painted pictures, over HTTP."""

from __future__ import annotations

from pathlib import Path

from subitize.humans.answers import read_answers
from subitize.humans.run_folder import make_run
from subitize.humans.serving import opened, study_folder
from subitize.humans.simulating import simulate
from subitize.humans.study import Study

PICTURES, ANNOTATORS, PEOPLE = 40, 3, 4


def demo_study(painted: Path, studies: Path, runs: Path) -> Path:
    """People's answers about the pictures of a GeckoNum run, as a run folder."""
    study = Study(
        "geckonum-task1", "demo", run=str(painted), sample=PICTURES, annotators=ANNOTATORS,
        per_person=PICTURES,
    )  # fmt: skip
    folder = study_folder(studies, study, "")
    with opened(folder) as here:
        if not here.desk.people:
            simulate(here, PEOPLE)
    return make_run(read_answers(folder), runs)
