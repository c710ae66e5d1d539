"""`subitize geckonum metrics | vqa | pictures | report`: what GeckoNum's answers are used for."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from subitize.benchmarks.geckonum.agreeing import agreement_text, agreement_with_people
from subitize.benchmarks.geckonum.labels import Labelled, label_annotations
from subitize.benchmarks.geckonum.metric import GeckoNumMetric, picture_scores
from subitize.benchmarks.geckonum.metrics import judge_metrics, table3_text
from subitize.benchmarks.geckonum.output import dropped_text
from subitize.benchmarks.geckonum.painting import GeckoNum
from subitize.benchmarks.geckonum.vqa_sets import SPLITS, vqa_entries, vqa_lines
from subitize.commands.printing import print_json, say
from subitize.datasets.geckonum.annotations import read_annotations
from subitize.datasets.geckonum.pictures import picture_name
from subitize.datasets.geckonum.prompts import read_prompts
from subitize.datasets.geckonum.recipe import Recipe, load_recipe
from subitize.datasets.geckonum.scores import ScoreTable, join_scores, read_scores, scores_from_rows
from subitize.errors import BadInput, UnknownName
from subitize.runs.stored import load_run

__all__ = ["metrics", "pictures", "report", "vqa"]

REPORT = "subitize.reports.annotated:report_annotations"
"""loaded when a report is wanted: the tables need no Matplotlib"""
Annotations = Annotated[Path, typer.Option(help="Zip archive or folder of task_N_MODEL.csv.")]
Prompts = Annotated[Path, typer.Option(help="prompts.csv of the release, or one made here.")]
Config = Annotated[
    Path | None, typer.Option(help="TOML recipe the prompts were made by, if not the published.")
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON and nothing else.")]


def labelled_from(annotations: Path, prompts: Path, config: Path | None = None) -> Labelled:
    """Labels of released or own annotations; says which rows were not used."""
    recipe = Recipe() if config is None else load_recipe(config)
    labelled = label_annotations(read_annotations(annotations), read_prompts(prompts), recipe)
    say(dropped_text(labelled, verbose=False))
    if not sum(labelled.used.values()):
        raise BadInput(
            f"No row of {annotations} can be used: do the annotations belong to {prompts}?"
        )
    return labelled


def metrics(
    scores: Annotated[
        list[Path],
        typer.Option(help="Table of scores (CSV, Parquet, JSONL) or a run of geckonum-metric."),
    ],
    annotations: Annotations,
    prompts: Prompts,
    config: Config = None,
    task: Annotated[int, typer.Option(min=1, max=3, help="Pictures of this task's prompts.")] = 1,
    json: Json = False,
) -> None:
    """Can metrics tell right pictures from wrong ones, and rank painters as people do? (Table 3)"""
    table = join_scores([_scores(path) for path in scores])
    labelled = labelled_from(annotations, prompts, config)
    found = judge_metrics(labelled, table, task)
    found["agreement"] = _agreements(scores, labelled)
    for reason, count in found["rows"]["dropped"].items():
        first = found["rows"]["examples"].get(reason, [])
        say(f"{count} scores not used: {reason}" + (f" ({', '.join(first)})" if first else ""))
    if json:
        print_json(found)
    else:
        print(table3_text(found))
        for model, agreement in found["agreement"].items():
            print(agreement_text(model, agreement))


def _agreements(paths: list[Path], labelled: Labelled) -> dict[str, Any]:
    """Counters are also compared with people's counts, number by number."""
    found = {}
    for path in paths:
        if path.is_dir() and (run := load_run(path)).info["kind"] == "counter":
            agreement = agreement_with_people(run.rows, labelled, np.random.default_rng(0))
            if agreement:
                found[str(run.info["model"]["name"])] = agreement
    return found


def _scores(path: Path) -> ScoreTable:
    if not path.is_dir():
        return read_scores(path)
    run = load_run(path)
    if run.info["benchmark"] != GeckoNumMetric.NAME:
        raise BadInput(
            f"{path} is a run of {run.info['benchmark']}: scores of pictures come from runs of "
            f"{GeckoNumMetric.NAME} or from a table."
        )
    model = run.info["model"]["name"]
    rows = [one | {"metric": f"{one['metric']} ({model})"} for one in picture_scores(run.rows)]
    return scores_from_rows(rows)


def vqa(  # noqa: PLR0913, PLR0917  the options of the command, one each
    annotations: Annotations,
    prompts: Prompts,
    out: Annotated[Path, typer.Option(help="JSONL file to write.")],
    split: Annotated[
        str, typer.Option(help="eval or train, as in the paper's appendix D.")
    ] = "eval",
    min_agree: Annotated[
        int | None, typer.Option(min=1, help="People who gave the same answer; 4 for eval.")
    ] = None,
    painters: Annotated[
        str, typer.Option(help="Whose pictures, separated by commas; `all`; else the split's.")
    ] = "",
    frequency: Annotated[str, typer.Option(help="Only frequent or only rare nouns.")] = "",
    every_question: Annotated[
        bool, typer.Option("--every-question", help="Also what is above or beside something.")
    ] = False,
    config: Config = None,
    json: Json = False,
) -> None:
    """Counting questions with people's answers, to evaluate or train vision-language models."""
    if split not in SPLITS:
        raise UnknownName("split", split, SPLITS)
    labelled = labelled_from(annotations, prompts, config)
    chosen = SPLITS[split]
    if painters:
        named = tuple(one.strip() for one in painters.split(",") if one.strip())
        chosen = replace(chosen, painters=labelled.models if painters == "all" else named)
        for name in chosen.painters:
            if name not in labelled.models:
                raise UnknownName("painter in the annotations", name, labelled.models)
    if min_agree is not None:
        chosen = replace(chosen, min_agree=min_agree)
    entries = vqa_entries(
        labelled,
        chosen,
        every_question=every_question,
        frequency=frequency,
        recipe=None if config is None else load_recipe(config),
    )
    _write(out, vqa_lines(entries))
    absent = [name for name in chosen.painters if name not in labelled.models]
    if absent:
        say(f"not in the annotations: {', '.join(absent)}")
    summary = {
        "file": str(out),
        "questions": len(entries),
        "pictures": len({one.image for one in entries}),
        "painters": sorted({one.painter for one in entries}),
        "absent": absent,
        "min_agree": chosen.min_agree,
    }
    if json:
        print_json(summary)
    else:
        print(f"{summary['questions']} questions about {summary['pictures']} pictures in {out}")


def pictures(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN…", help="Runs of geckonum.")],
    out: Annotated[Path, typer.Option(help="Folder for PAINTER/PROMPT_SEED.png.")],
) -> None:
    """The pictures of runs under the names that people and metrics get them by."""
    count = 0
    for run in runs:
        count += _place(run, out)
    print(f"{count} pictures in {out}")


def _place(folder: Path, out: Path) -> int:
    run = load_run(folder)
    if run.info["benchmark"] != GeckoNum.NAME:
        raise BadInput(f"{folder} is a run of {run.info['benchmark']}: give runs of geckonum.")
    painter = folder.name.removeprefix(f"{GeckoNum.NAME}-")
    target = out / painter
    target.mkdir(parents=True, exist_ok=True)
    count = 0
    for row in run.rows:
        if row.response.kind == "picture":
            about, source = row.trial.condition, folder / "images" / str(row.response.value)
            name = picture_name(str(about["dataset_id"]), int(about["picture"]))
            _copy(source, target / f"{name}{source.suffix}")
            count += 1
    return count


def report(
    annotations: Annotations,
    prompts: Prompts,
    out: Annotated[Path, typer.Option(help="The HTML file to write.")] = Path("geckonum.html"),
    config: Config = None,
) -> None:
    """One HTML file from people's annotations: every table and figure beside the printed ones."""
    labelled = labelled_from(annotations, prompts, config)
    module, _, function = REPORT.partition(":")
    print(getattr(import_module(module), function)(labelled, out))


def _copy(source: Path, target: Path) -> None:
    """A second name for the same bytes where the disk can do that, else a copy."""
    target.unlink(missing_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _write(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as problem:
        raise BadInput(f"Can't write {path}: {problem.strerror}. Give another --out.") from None
