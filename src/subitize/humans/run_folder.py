"""A study's answers as a run folder: people are its respondents, and it is scored like a model's.

The folder is made by the code that makes every run folder, in a temporary place, and handed on as
files: while a study is open its database alone is written.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

import orjson
import polars as pl

from subitize.benchmarks.catalog import get_benchmark
from subitize.benchmarks.geckonum.answers import import_people, people_from
from subitize.datasets.geckonum.annotations import read_annotations
from subitize.datasets.geckonum.prompts import read_prompts
from subitize.files import make_folder, write_json, write_whole
from subitize.humans.answers import Answers, Row, read_answers
from subitize.humans.exporting import geckonum_files, need
from subitize.records import Response, Trial, fingerprint
from subitize.runs.folder import RunFolder
from subitize.runs.journal import Journal
from subitize.runs.plan import Plan


def as_run(folder: Path) -> dict[str, bytes]:
    """The files of the run folder, under its name."""
    answers = read_answers(folder)
    need(answers, "run", "run folder")
    with tempfile.TemporaryDirectory() as place:
        made = _made(answers, Path(place))
        return {
            path.relative_to(made.parent).as_posix(): path.read_bytes()
            for path in sorted(made.rglob("*"))
            if path.is_file() and not path.name.startswith(".")
        }


def make_run(answers: Answers, out: Path) -> Path:
    """The run folder under `out`; one that is there is what the same answers made."""
    make_folder(out, "--out")
    with tempfile.TemporaryDirectory(dir=out, prefix=".study-") as place:
        made = _made(answers, Path(place))
        folder = out / made.name
        if not folder.exists():
            made.rename(folder)
    return folder


def _made(answers: Answers, place: Path) -> Path:
    gecko = answers.study.kind.startswith("geckonum")
    made = (_gecko_run if gecko else _asked_run)(answers, place)
    # What was dropped, and the pilot, are none of what the study wants answered.
    planned = [trial.id for item, trial in _asked(answers) if item not in answers.dropped]
    RunFolder.at(made).update(
        study={"trials": len(set(planned)), "annotators": answers.study.annotators}
    )
    return made


def _asked(answers: Answers) -> list[tuple[str, Trial]]:
    """The main part's items with the trials that they are made of."""
    return [(item.id, question.trial) for item in answers.material.items if item.role == "main"
            for question in item.questions if question.trial is not None]  # fmt: skip


def _gecko_run(answers: Answers, place: Path) -> Path:
    files = place / "files"
    files.mkdir()
    for name, content in geckonum_files(answers).items():
        write_whole(files / name, content)
    people = people_from(read_annotations(files), read_prompts(files / "prompts.csv"))
    made = import_people(people, place / "runs", _told(answers))
    # Its trials are those that were answered: what was dropped is none of them.
    _keep_screening(answers._replace(dropped={}), made)
    return made


def _told(answers: Answers) -> pl.DataFrame:
    """What GeckoNum's files have no column for: the time, the facts, and where the picture lies."""
    rows = [
        (row.question.trial_id, f"human/geckonum-{row.person.name}", row.seconds, _facts(row),
         row.question.trial.stimulus.path)
        for row in answers.holding if row.question.trial is not None
    ]  # fmt: skip
    return pl.DataFrame(rows, ["trial", "respondent", "seconds", "facts", "path"], orient="row")


def _asked_run(answers: Answers, out: Path) -> Path:
    """A run of the benchmark whose trials people were asked."""
    about = answers.material.run
    benchmark = get_benchmark(str(about["benchmark"]))
    settings_hash = fingerprint([answers.study.name, answers.study.kind], 12)
    parts = {
        "benchmark": benchmark.NAME, "version": benchmark.VERSION, "kind": "namer",
        "settings": about["settings"],
        "model": {"name": f"human/{answers.study.name}", "settings": {}, "revision": None},
    }  # fmt: skip
    rows = answers.holding
    names = list(dict.fromkeys(row.person.name for row in rows))
    listed = [{"name": respondent(answers, name), "settings_hash": settings_hash} for name in names]
    made = RunFolder.open(out, parts, {"reader": None, "respondents": listed})
    times = Counter[tuple[str, str]]()
    with Plan(made.path, benchmark.CONDITION) as plan, Journal(made.path) as journal:
        plan.add([trial for _, trial in _asked(answers)])
        for row in rows:
            key = (row.person.name, row.question.trial_id)
            journal.write(_response(answers, row, settings_hash, times[key]))
            times[key] += 1
    _keep_screening(answers, made.path)
    return made.path


def _keep_screening(answers: Answers, folder: Path) -> None:
    """Dropped pictures are excluded with their reason; faces stay out of any bundle."""
    trials = {
        item.id: [question.trial_id for question in item.questions]
        for item in answers.material.items
    }
    dropped = {trial: reason for item, reason in answers.dropped.items()
               for trial in trials.get(item, ())}  # fmt: skip
    faces = [trial for item in answers.faces for trial in trials.get(item, ())]
    for name, found in (("excluded.json", dropped), ("faces.json", faces)):
        if found:
            write_json(folder / name, found)


def respondent(answers: Answers, person: str) -> str:
    """How a person is called in a run."""
    return f"human/{answers.study.name}-{person}"


def _response(answers: Answers, row: Row, settings_hash: str, sample: int) -> Response:
    return Response(
        row.question.trial_id, respondent(answers, row.person.name), settings_hash, sample, 0,
        "text", row.value, "stop", seconds=row.seconds, facts=_facts(row),
    )  # fmt: skip


def _facts(row: Row) -> str:
    facts = {**row.facts, "consent": row.person.consent, "saved": row.at}
    return orjson.dumps(facts).decode()
