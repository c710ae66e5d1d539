"""`subitize geckonum …`: people's answers to GeckoNum's questions, and the paper's tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import orjson
import typer

from subitize.benchmarks.geckonum.comparisons import SAMPLES, add_statistics
from subitize.benchmarks.geckonum.labels import label_answers, unread_answers
from subitize.benchmarks.geckonum.page_found import Found
from subitize.benchmarks.geckonum.page_tables import tables_text, write_tables
from subitize.benchmarks.geckonum.tables import geckonum_tables
from subitize.commands import geckonum_people as given
from subitize.commands.geckonum_judging import metrics, pictures, report, vqa
from subitize.commands.printing import Force, Json, group, say, show
from subitize.datasets.geckonum.prompts import read_prompts
from subitize.datasets.geckonum.questions import make_questions, questions_csv, read_questions
from subitize.errors import UnknownName
from subitize.files import write_new

geckonum = group("GeckoNum: from people's answers to the paper's tables.")


for _command in (metrics, vqa, pictures, report):
    geckonum.command(_command.__name__)(_command)


@geckonum.command("tables")
def tables(  # noqa: PLR0913, PLR0917  the options of the command, one each
    annotations: given.Annotations = None,
    prompts: given.Prompts = None,
    run: given.Run = None,
    config: given.Config = None,
    statistics: Annotated[
        bool, typer.Option("--statistics", help="Intervals, effect sizes, corrected p-values.")
    ] = False,
    correction: Annotated[
        str, typer.Option(help="Which corrected p-values to show: holm, bh or none.")
    ] = "holm",
    samples: Annotated[int, typer.Option(help="Permutations per control.")] = SAMPLES,
    seed: Annotated[int, typer.Option(help="Same seed, same permutations.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Folder for a CSV file per table.")] = None,
    verbose: Annotated[bool, typer.Option(help="Name every row that is not used.")] = False,
    json: Json = False,
) -> None:
    """Every table of the paper from people's answers, beside the printed numbers."""
    if correction not in {"holm", "bh", "none"}:
        raise UnknownName("correction", correction, ("holm", "bh", "none"))
    people = given.people(annotations, prompts, config, run, verbose=verbose)
    labels = label_answers(people.answers, people.coloured)
    made = geckonum_tables(labels, people.prompts)
    result: dict[str, Any] = {"tables": made, "rows": people.rows()._asdict()}
    compared: dict[str, Any] = {}
    if statistics:
        compared = add_statistics(made, labels, np.random.default_rng(seed), samples=samples)
        result["statistics"] = {"samples": samples, "seed": seed, "comparisons": compared}
    found = Found(labels, made, compared, unread_answers(people.answers))
    if out is not None:
        write_tables(found, people, out)
        say(f"a CSV file per table in {out}")
    show(result, "" if json else tables_text(found, correction), json)


@geckonum.command("questions")
def questions(
    prompts: Annotated[Path, typer.Option(help="prompts.csv of the release, or one made here.")],
    config: given.Config = None,
    replace: Annotated[
        Path | None, typer.Option(help="CSV or JSON with dataset_id and question for task 3.")
    ] = None,
    mended: Annotated[
        bool, typer.Option("--mended", help="Right the eight questions the release words wrongly.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="File to write; printed without one.")] = None,
    json: Annotated[bool, typer.Option("--json", help="JSON instead of CSV.")] = False,
    force: Force = False,
) -> None:
    """The questions shown to people for every prompt, with their true answers."""
    recipe, known = given.recipe(config), read_prompts(prompts)
    if replace is None:
        found = make_questions(known, recipe, mended=mended)
    else:
        found = read_questions(replace, known, recipe)
    listed = [one._asdict() for one in found]
    packed = orjson.dumps(listed, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    text = packed.decode() if json else questions_csv(found)
    if out is None:
        print(text, end="")
    else:
        write_new(out, text.encode(), option="--out", replace=force)
        say(f"{len(found):,} questions in {out}")
