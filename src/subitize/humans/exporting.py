"""A study's answers in the forms that others read: tables, GeckoNum's files, jsPsych, BIDS."""

from __future__ import annotations

import io
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import astuple
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from subitize import __version__
from subitize.datasets.geckonum.prompts import COLUMNS, Prompt
from subitize.errors import BadInput
from subitize.files import csv_text
from subitize.humans.answers import Answers, Row, read_answers
from subitize.humans.items import LINES, Item
from subitize.humans.kinds.texts import NEITHER
from subitize.humans.study import EXPORTS
from subitize.humans.watching import meant
from subitize.readers.votes import RULES, vote
from subitize.runs.reader_check import KEY

GECKO: Mapping[int, tuple[str, ...]] = {
    1: ("image_id", "model", "question_id", "question", "prompt", "annot_id", "raw_answer",
        "answer"),
    2: ("image_id", "model", "prompt", "gt_num", "annot_id", "answer_text", "answer_num"),
    3: ("image_id", "model", "question_id", "question", "prompt", "annot_id", "answer"),
}  # fmt: skip
"""the release's columns, by task"""


def need(answers: Answers, form: str, what: str) -> None:
    """Only some kinds of study can be written in some forms."""
    kinds = [kind for kind, forms in EXPORTS.items() if form in forms]
    if answers.study.kind not in kinds:
        raise BadInput(
            f"A study of the kind {answers.study.kind} has no {what}: that is for "
            f"{', '.join(kinds)}."
        )
    if not answers.holding:
        raise BadInput("Nobody has answered yet: there is nothing to export.")


def _some(answers: Answers) -> Answers:
    """Answers of which there is at least one, be it practice."""
    if not answers.rows:
        raise BadInput("Nobody has answered yet: there is nothing to export.")
    return answers


def as_geckonum(folder: Path) -> dict[str, bytes]:
    """The release's files, task_N_PAINTER.csv, and the prompts they are about."""
    return geckonum_files(read_answers(folder))


def geckonum_files(answers: Answers) -> dict[str, bytes]:
    """As `as_geckonum`, from answers at hand."""
    need(answers, "geckonum", "GeckoNum files")
    rows: defaultdict[tuple[int, str], list[tuple[Any, ...]]] = defaultdict(list)
    prompts: dict[str, Prompt] = {}
    for row in sorted(answers.holding, key=lambda one: (one.item.about["image_id"], one.number)):
        about = row.item.about
        assert row.question.trial is not None
        known = row.question.trial.condition
        prompts[known["dataset_id"]] = Prompt(*(known[name] for name in Prompt.__annotations__))
        rows[about["task"], about["painter"]].append(_gecko_row(row))
    files = {
        f"task_{task}_{painter}.csv": csv_text(GECKO[task], listed).encode()
        for (task, painter), listed in sorted(rows.items())
    }
    ordered = sorted(prompts.values(), key=lambda one: one.index)
    return {**files, "prompts.csv": csv_text(COLUMNS, map(astuple, ordered)).encode()}


def _gecko_row(row: Row) -> tuple[Any, ...]:
    about, who = row.item.about, row.person.name
    head = (about["image_id"], about["painter"])
    asked = (about["question_ids"][row.place], row.question.words, about["prompt"], who)
    if about["task"] == 1:
        number = meant(row.question, row.value)
        return (*head, *asked, row.value, "" if number is None else f"{number:g}")
    if about["task"] == 2:
        words = row.question.options[row.question.stored.index(row.value)]
        truth = about["truths"][row.place]
        return (*head, about["prompt"], f"{truth:g}", who, words, row.value)
    return (*head, *asked, row.value)


def as_table(folder: Path) -> pl.DataFrame:
    """Every answer that was ever saved: also practice, checks, the pilot, and what was undone."""
    answers = _some(read_answers(folder))
    holding = {row.number for row in answers.holding}
    listed = [
        {
            "number": row.number, "person": row.person.name, "part": row.person.part,
            "status": row.person.status, "consent": row.person.consent, "item": row.item.id,
            "role": row.role, "place": row.place, "question": row.question.words,
            "trial": row.question.trial_id, "value": row.value, "seconds": row.seconds,
            "given": datetime.fromtimestamp(row.given, UTC).isoformat(timespec="milliseconds"),
            "saved": datetime.fromtimestamp(row.at, UTC).isoformat(timespec="milliseconds"),
            "void": row.void, "counts": row.number in holding,
            "about": orjson.dumps(dict(row.item.about)).decode(),
            "facts": orjson.dumps(row.facts).decode(),
        }
        for row in answers.rows
    ]  # fmt: skip
    return pl.DataFrame(listed)


def as_parquet(folder: Path) -> dict[str, bytes]:
    """`as_table` as Parquet."""
    written = io.BytesIO()
    as_table(folder).write_parquet(written)
    return {"answers.parquet": written.getvalue()}


def as_csv(folder: Path) -> dict[str, bytes]:
    """`as_table` as CSV."""
    return {"answers.csv": as_table(folder).write_csv().encode()}


def as_jspsych(folder: Path) -> dict[str, bytes]:
    """A file per person as jsPsych saves it: a list of trials, times in milliseconds.

    Each trial has the data that jsPsych's plugin of that name declares: what was typed as `Q0`, of
    a choice which button it was, from 0. `answer` is what was stored, in either case.
    """
    answers = _some(read_answers(folder))
    own: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in answers.rows:
        if row.void:
            continue
        began = row.person.entered or row.person.made
        told: dict[str, Any] = (
            {"trial_type": "survey-text", "response": {"Q0": row.value}, "question_order": [0]}
            if row.question.typed else
            {"trial_type": "html-button-response", "response": row.question.stored.index(row.value)}
        )  # fmt: skip
        own[row.person.name].append({
            "rt": round(row.seconds * 1000), "stimulus": row.item.id, **told,
            "trial_index": len(own[row.person.name]),
            "plugin_version": f"subitize {__version__}",
            "time_elapsed": round((row.at - began) * 1000),
            "answer": row.value, "prompt": row.question.words, "role": row.role,
            "subject": row.person.name, "about": dict(row.item.about),
        })  # fmt: skip
    option = orjson.OPT_INDENT_2
    return {f"{name}.json": orjson.dumps(listed, option=option) for name, listed in own.items()}


PARTICIPANTS = {
    "participant_id": "the person", "part": "main or pilot", "status": "how far they came",
    "consent": "version of the text agreed to", "answers": "how many answers count",
}  # fmt: skip
EVENTS = {
    "onset": "seconds from the person's first visit to the question",
    "duration": "seconds for which the question stood there",
    "trial_type": "training, check, pilot or main", "response_time": "seconds until the answer",
    "item": "what was shown; its picture is not part of this data set",
    "question": "what was asked", "response": "what was answered",
}  # fmt: skip
"""columns of the BIDS tables, as their dictionaries tell them"""


def as_bids(folder: Path) -> dict[str, bytes]:
    """participants.tsv and an events.tsv per person, by the Brain Imaging Data Structure."""
    answers = _some(read_answers(folder))
    name = answers.study.name
    task = "".join(letter for letter in name if letter.isalnum())
    seen = {row.person.name for row in answers.rows}
    people = [one for one in answers.people.values() if one.name in seen]
    listed = [(f"sub-{one.name}", one.part, one.status, one.consent,
               sum(row.person is one for row in answers.holding)) for one in people]  # fmt: skip
    about = {"Name": name, "BIDSVersion": "1.9.0", "DatasetType": "raw",
             "GeneratedBy": [{"Name": "subitize", "Version": __version__}]}  # fmt: skip
    words = (f"# {name}\n\nAnswers of people to a study of the kind {answers.study.kind}, by "
             f"subitize {__version__}. Behaviour only: nothing was recorded but answers and times. "
             "An event is a question with its answer; practice, attention checks and the pilot are "
             "told by trial_type. Answers that were taken back are left out.\n")  # fmt: skip
    files = {
        "README": words.encode(),
        "dataset_description.json": orjson.dumps(about, option=orjson.OPT_INDENT_2),
        "participants.tsv": _tsv(tuple(PARTICIPANTS), listed),
        "participants.json": _dictionary(PARTICIPANTS),
        f"task-{task}_events.json": _dictionary(EVENTS),
    }
    for one in people:
        began = one.entered or one.made
        own = [row for row in answers.rows if row.person is one and not row.void]
        # in order of their onsets, as BIDS asks: clocks of two answers in a row may overlap
        rows = [
            (f"{row.at - row.seconds - began:.3f}", f"{row.seconds:.3f}", row.role,
             f"{row.seconds:.3f}", row.item.id, row.question.words, row.value)
            for row in sorted(own, key=lambda row: row.at - row.seconds)
        ]  # fmt: skip
        path = f"sub-{one.name}/beh/sub-{one.name}_task-{task}_events.tsv"
        files[path] = _tsv(tuple(EVENTS), rows)
    return files


def _dictionary(columns: Mapping[str, str]) -> bytes:
    """What the columns of a BIDS table mean."""
    described = {name: {"Description": words} for name, words in columns.items()}
    return orjson.dumps(described, option=orjson.OPT_INDENT_2)


def _tsv(header: tuple[str, ...], rows: list[tuple[Any, ...]]) -> bytes:
    lines = ["\t".join(" ".join(str(cell).split()) or "n/a" for cell in row)
             for row in (header, *rows)]  # fmt: skip
    return ("\n".join(lines) + "\n").encode()


def as_counts(folder: Path) -> dict[str, bytes]:
    """People's counts as `calibrate` reads them, and where people disagree."""
    answers = read_answers(folder)
    need(answers, "counts", "counts")
    by_item: defaultdict[str, list[Row]] = defaultdict(list)
    for row in answers.holding:
        by_item[row.item.id].append(row)
    counts, each, apart = [], [], []
    for rows in by_item.values():
        about, numbers = rows[0].item.about, [int(row.value) for row in rows]
        zeros = [0] * len(numbers)
        said, agreeing, _ = vote(_array(zeros, int), _array(numbers, float), RULES[0])
        where = (about["image"], about["category"])
        counts.append((*where, int(said[0])))
        each += [(*where, row.person.name, row.value, about["said"]) for row in rows]
        told = [*([about["said"]] if about["said"] else []), *(row.value for row in rows)]
        if len(set(told)) > 1:
            apart.append((*where, int(said[0]), int(agreeing[0]), " ".join(told)))
    return {
        "counts.csv": csv_text(("image", "category", "count"), sorted(counts)).encode(),
        "counts_by_person.csv": csv_text(
            ("image", "category", "person", "count", "shown"), sorted(each)
        ).encode(),
        "disagreements.csv": csv_text(
            ("image", "category", "count", "agreeing", "all"), sorted(apart)
        ).encode(),
    }


def _array(values: list[int], kind: type) -> Any:
    import numpy as np

    return np.array(values, dtype=kind)


def reader_check_of(answers: Answers) -> list[dict[str, Any]]:
    """What people read in each reply of the sample: the answer most of them gave."""
    need(answers, "reader-check", "readings of replies")
    said: defaultdict[str, list[Row]] = defaultdict(list)
    for row in answers.holding:
        said[row.item.id].append(row)
    found = []
    for rows in said.values():
        value = Counter(row.value.strip() for row in rows).most_common(1)[0][0]
        chosen = rows[0].question.form == LINES and value != NEITHER
        key = dict(zip(KEY, rows[0].item.about["key"], strict=True))
        found.append({**key, "said": f"choice:{value}" if chosen else value, "people": len(rows)})
    return found


def as_reader_check(folder: Path) -> dict[str, bytes]:
    """Readings of replies as `subitize import reader-check` takes them into a run."""
    listed = reader_check_of(read_answers(folder))
    packed = {"format": "subitize-reader-check", "replies": listed}
    return {"reader-check.json": orjson.dumps(packed, option=orjson.OPT_INDENT_2)}


def as_screening(folder: Path) -> dict[str, bytes]:
    """The researcher's word on pictures: for `subitize read RUN --exclude`, and faces.json."""
    answers = read_answers(folder)
    items = {one.id: one for one in answers.material.items}
    dropped = [(str(name), reason.replace("\n", " ")) for item, reason in answers.dropped.items()
               if item in items for name in _names(items[item])]  # fmt: skip
    faces = [name for item in answers.faces if item in items for name in _names(items[item])]
    return {
        "excluded.csv": "".join(f"{name},{reason}\n" for name, reason in dropped).encode(),
        "faces.json": orjson.dumps(faces, option=orjson.OPT_INDENT_2),
    }


def _names(item: Item) -> list[str]:
    """What a picture is called in the run it comes from: its file, else its trials."""
    if item.about.get("file"):
        return [str(item.about["file"])]
    return [question.trial_id for question in item.questions]


def as_judgements(folder: Path) -> dict[str, bytes]:
    """Judgements of captions as `subitize captions --judgements` reads them."""
    answers = read_answers(folder)
    need(answers, "judgements", "judgements of captions")
    lines = (
        orjson.dumps({"id": row.item.about["id"], "judge": row.person.name, "answer": row.value})
        for row in answers.holding
    )
    return {"judgements.jsonl": b"\n".join(lines) + b"\n"}
