"""`subitize geckonum metrics | vqa | pictures | report`: what GeckoNum's answers are used for."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Annotated

import polars as pl
import typer

from subitize.benchmarks.catalog import get_benchmark, get_part
from subitize.benchmarks.geckonum import judging
from subitize.benchmarks.geckonum.labels import PICTURE, label_answers, painters_of
from subitize.benchmarks.geckonum.metric_run import picture_scores
from subitize.benchmarks.geckonum.vqa_sets import SPLITS, vqa_entries, vqa_lines
from subitize.commands import geckonum_people as given
from subitize.commands.printing import Force, Json, say, show
from subitize.datasets.geckonum.scores import ScoreTable, join_scores, read_scores
from subitize.errors import BadInput, UnknownName
from subitize.files import write_new
from subitize.runs.folder import read_info
from subitize.runs.stored import StoredRun, stored_run


def metrics(
    scores: Annotated[
        list[Path],
        typer.Option(help="Table of scores (CSV, Parquet, JSONL) or a run of geckonum-metric."),
    ],
    annotations: given.Annotations = None,
    prompts: given.Prompts = None,
    run: given.Run = None,
    config: given.Config = None,
    task: Annotated[int, typer.Option(min=1, max=3, help="Pictures of this task's prompts.")] = 1,
    json: Json = False,
) -> None:
    """Can metrics tell right pictures from wrong ones, and rank painters as people do? (Table 3)"""
    runs = [_run_of("geckonum-metric", path) for path in scores if path.is_dir()]
    read = [read_scores(path) for path in scores if not path.is_dir()]
    labels = label_answers(given.people(annotations, prompts, config, run).answers)
    found = judging.judge_metrics(labels, join_scores([*map(_scores, runs), *read]), task)
    found["agreement"] = {}
    for one in runs:
        if one.info["kind"] == "counter":  # also compared with people's counts, number by number
            agreement = judging.agreement_with_people(one.counted, labels)
            found["agreement"] |= {one.info["model"]["name"]: agreement} if agreement else {}
    for reason, count in found["rows"]["dropped"].items():
        first = found["rows"]["examples"].get(reason, [])
        say(f"{count:,} scores not used: {reason}" + (f" ({', '.join(first)})" if first else ""))
    compared = [judging.agreement_text(*one) for one in found["agreement"].items()]
    show(found, "\n".join([judging.table3_text(found), *compared]), json)


def _run_of(name: str, folder: Path) -> StoredRun:
    found = read_info(folder)["benchmark"]
    if found != name:
        raise BadInput(f"{folder} is a run of {found}: give runs of {name}.")
    return stored_run(folder, get_benchmark(name))


def _scores(run: StoredRun) -> ScoreTable:
    whose = pl.format("{} ({})", "metric", pl.lit(run.info["model"]["name"]))
    return ScoreTable(picture_scores(run.counted).with_columns(whose.alias("metric")))


def vqa(  # noqa: PLR0913, PLR0917  the options of the command, one each
    out: Annotated[Path, typer.Option(help="JSONL file to write.")],
    annotations: given.Annotations = None,
    prompts: given.Prompts = None,
    run: given.Run = None,
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
    config: given.Config = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Counting questions with people's answers, to evaluate or train vision-language models."""
    if split not in SPLITS:
        raise UnknownName("split", split, SPLITS)
    labels = label_answers(given.people(annotations, prompts, config, run).answers)
    chosen, known = SPLITS[split], tuple(painters_of(labels))
    if painters:
        named = tuple(one.strip() for one in painters.split(",") if one.strip())
        chosen = chosen._replace(painters=known if painters == "all" else named)
        for name in set(chosen.painters) - set(known):
            raise UnknownName("painter in the annotations", name, known)
    if min_agree is not None:
        chosen = chosen._replace(min_agree=min_agree)
    recipe = given.recipe(config)
    entries = vqa_entries(labels, chosen, recipe, frequency, every_question=every_question)
    write_new(out, vqa_lines(entries), option="--out", replace=force)
    absent = [name for name in chosen.painters if name not in known]
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
    text = f"{summary['questions']} questions about {summary['pictures']} pictures in {out}"
    show(summary, text, json)


def pictures(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN…", help="Runs of geckonum.")],
    out: Annotated[Path, typer.Option(help="Folder for PAINTER/PROMPT_SEED.png.")],
    json: Json = False,
) -> None:
    """The pictures of runs under the names that people and metrics get them by."""
    count = 0
    for folder in runs:
        painted = _run_of("geckonum", folder).counted.filter(pl.col("kind") == "picture")
        target = out / folder.name.removeprefix("geckonum-")
        target.mkdir(parents=True, exist_ok=True)
        for value, prompt, picture in painted.select("value", *PICTURE[1:]).iter_rows():
            source = folder / "images" / value
            _copy(source, target / f"{prompt}_{picture}{source.suffix}")
        count += painted.height
    show({"folder": str(out), "pictures": count}, f"{count:,} pictures in {out}", json)


def report(
    annotations: given.Annotations = None,
    prompts: given.Prompts = None,
    run: given.Run = None,
    out: Annotated[Path, typer.Option(help="The HTML file to write.")] = Path("geckonum.html"),
    config: given.Config = None,
    json: Json = False,
) -> None:
    """One HTML file from people's annotations: every table and figure beside the printed ones."""
    made = get_part("geckonum-people report")(given.people(annotations, prompts, config, run), out)
    show({"report": str(made)}, str(made), json)


def _copy(source: Path, target: Path) -> None:
    """A second name for the same bytes where the disk can do that, else a copy."""
    target.unlink(missing_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
