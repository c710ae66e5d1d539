"""Small sets of annotations for tests."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from subitize.benchmarks.geckonum.answers import People, people_from
from subitize.benchmarks.geckonum.labels import label_answers
from subitize.benchmarks.geckonum.tables import Tables, geckonum_tables
from subitize.datasets.geckonum.annotations import read_annotations
from subitize.datasets.geckonum.prompts import Prompt, make_prompts
from subitize.datasets.geckonum.questions import make_questions
from subitize.datasets.geckonum.recipe import Recipe

COLUMNS = {
    1: [
        "image_id",
        "model",
        "question_id",
        "question",
        "prompt",
        "annot_id",
        "raw_answer",
        "answer",
    ],
    2: ["image_id", "model", "prompt", "gt_num", "annot_id", "answer_text", "answer_num"],
    3: ["image_id", "model", "question_id", "question", "prompt", "annot_id", "answer"],
}
PROMPTS = make_prompts(Recipe(), np.random.default_rng(0))
BY_TEXT = {prompt.prompt: prompt for prompt in PROMPTS}


def table(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def counts(
    prompt: Prompt, answers: Sequence[str], *, question: int = 0, seed: int = 0
) -> list[dict[str, object]]:
    """Rows of task 1: one person after the other about one question."""
    asked = [one for one in make_questions([prompt]) if one.task == 1][question]
    return [
        {
            "image_id": f"{prompt.dataset_id}_{seed}", "model": "", "question_id": question,
            "question": asked.question, "prompt": prompt.prompt, "annot_id": person,
            "raw_answer": answer, "answer": answer,
        }
        for person, answer in enumerate(answers)
    ]  # fmt: skip


def write_counts(folder: Path, rows: Iterable[Mapping[str, object]], model: str = "mine") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / f"task_1_{model}.csv").write_text(
        table(COLUMNS[1], ({**row, "model": model} for row in rows))
    )
    return folder


def people(folder: Path, prompts: Sequence[Prompt] = PROMPTS) -> People:
    return people_from(read_annotations(folder), prompts)


def labels(folder: Path, prompts: Sequence[Prompt] = PROMPTS) -> pl.DataFrame:
    found = people(folder, prompts)
    return label_answers(found.answers, found.coloured)


def tables(folder: Path, prompts: Sequence[Prompt] = PROMPTS) -> Tables:
    return geckonum_tables(labels(folder, prompts), len(prompts))


def simulated(folder: Path, *, seeds: int = 2, people: int = 3, skill: float = 0.7) -> Path:
    """All three tasks of one painter, answered by people who agree or err at random."""
    rng = np.random.default_rng(1)
    rows: dict[int, list[dict[str, object]]] = {1: [], 2: [], 3: []}
    texts = {prompt.dataset_id: prompt.prompt for prompt in PROMPTS}
    for asked in make_questions(PROMPTS):
        for seed in range(seeds):
            right = rng.random() < skill
            for person in range(people):
                truth = int(asked.truth or 0)
                answer = truth if right else truth + int(rng.integers(0, 2))
                if asked.task == 3:
                    answer = int(rng.random() < skill)
                rows[asked.task].append({
                    "image_id": f"{asked.dataset_id}_{seed}", "question": asked.question,
                    "question_id": asked.question_id, "prompt": texts[asked.dataset_id],
                    "annot_id": f"p{person}", "raw_answer": answer, "answer": answer,
                    "answer_num": min(answer, 4),
                })  # fmt: skip
    folder.mkdir(exist_ok=True)
    for task, found in rows.items():
        (folder / f"task_{task}_painter_x.csv").write_text(table(COLUMNS[task], found))
    return folder


def zipped(path: Path, files: Mapping[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path
