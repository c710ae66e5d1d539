"""The released answers as a run folder, column by column: no object is made per answer."""

from __future__ import annotations

import shutil
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path

import polars as pl

from subitize.benchmarks.geckonum.answers import People, as_json
from subitize.benchmarks.geckonum.labels import NEEDED
from subitize.benchmarks.geckonum.people import GeckoNumPeople, GeckoNumPeopleSettings
from subitize.errors import BadInput
from subitize.records import USAGE, fingerprint
from subitize.runs.answers import write_answers
from subitize.runs.folder import RunFolder, read_info
from subitize.runs.stored import StoredRun, stored_run

STRANGERS = "rows_that_answer_no_question"
"""the decision under which run.json keeps what became of rows that are no responses"""


def import_people(people: People, out: Path) -> Path:
    """Write a run folder under `out`, all of it or nothing; the folder's path."""
    # The trials' ids hold what the prompts say.
    content = [one.content for one in people.files] + ["".join(people.trials["id"]).encode()]
    given = fingerprint([sha256(one).hexdigest() for one in content])
    parts = {
        "benchmark": GeckoNumPeople.NAME,
        "version": GeckoNumPeople.VERSION,
        "kind": "namer",
        "settings": asdict(GeckoNumPeopleSettings(annotations=given, prompts=people.prompts)),
        "model": {"name": "human/geckonum", "settings": {}, "revision": ""},
    }
    respondents = people.answers["respondent"].unique(maintain_order=True)
    listed = [{"name": name, "settings_hash": ""} for name in respondents]
    draft = out / f".{GeckoNumPeople.NAME}.part"
    try:
        shutil.rmtree(draft, ignore_errors=True)
        run = RunFolder.open(draft, parts, {"reader": None, "respondents": listed})
        folder = out / run.path.name
        if folder.exists():
            raise BadInput(f"{folder} is there already: these answers are imported.")
        run.decide(STRANGERS, dict(people.strangers))
        _trials(people.trials).write_ndjson(run.path / "trials.jsonl")
        _responses(people.answers).write_ndjson(run.path / "responses.jsonl")
        reader = next(iter(GeckoNumPeople.READERS))
        write_answers(run.path, run.info, people.answers, reader)
        run.path.rename(folder)
    except OSError as problem:
        raise BadInput(f"Can't write to {out}: {problem.strerror}. Give another --out.") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return folder


def _trials(trials: pl.DataFrame) -> pl.DataFrame:
    """Lines of trials.jsonl, as `Trial.as_json` has them."""
    recipe = pl.struct("image_id", "painter").struct.json_encode()
    return trials.select(
        "id", pl.lit(GeckoNumPeople.NAME).alias("benchmark"),
        pl.lit(GeckoNumPeople.VERSION).alias("version"), "stage",
        pl.struct(pl.lit("named").alias("kind"), recipe.alias("recipe"), pl.lit("").alias("path"))
        .alias("stimulus"),
        "question", as_json("options").alias("options"), pl.col("asked").alias("target"),
        "target_choice", pl.struct(*GeckoNumPeople.CONDITION).alias("condition"),
    )  # fmt: skip


def _responses(answers: pl.DataFrame) -> pl.DataFrame:
    """Lines of responses.jsonl, as `Response.as_json` has them; a note says why one is a repeat."""
    nothing = pl.lit("")
    return answers.select(
        "trial", "respondent", "settings_hash", "sample", "attempt", "kind", "value", "stop",
        pl.struct(pl.lit(0).alias(name) for name in USAGE).alias("usage"), "seconds",
        nothing.alias("sha256"), pl.when("counts").then(nothing).otherwise("note").alias("note"),
        nothing.alias("facts"),
    )  # fmt: skip


def stored_people(folder: Path) -> People:
    """What an imported folder holds, as far as labels need it."""
    found = read_info(folder)["benchmark"]
    if found != GeckoNumPeople.NAME:
        raise BadInput(
            f"{folder} is a run of {found}: give a folder that `subitize import geckonum` made."
        )
    return people_of(stored_run(folder, GeckoNumPeople(), columns=NEEDED))


def people_of(run: StoredRun) -> People:
    """What an imported run holds."""
    strangers = run.info.get("decisions", {}).get(STRANGERS, {})
    return People(run.answers, pl.DataFrame(), run.info["settings"]["prompts"], strangers)
