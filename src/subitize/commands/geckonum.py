"""`subitize geckonum …`: people's answers to GeckoNum's questions, and the paper's tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import orjson
import typer

from subitize.benchmarks.geckonum.labels import label_annotations
from subitize.benchmarks.geckonum.output import dropped_text, tables_text, write_tables
from subitize.benchmarks.geckonum.statistics import SAMPLES, add_statistics
from subitize.benchmarks.geckonum.tables import geckonum_tables
from subitize.commands.geckonum_judging import metrics, pictures, report, vqa
from subitize.commands.printing import print_json, say
from subitize.datasets.geckonum.annotations import read_annotations
from subitize.datasets.geckonum.prompts import read_prompts
from subitize.datasets.geckonum.questions import make_questions, questions_csv, read_questions
from subitize.datasets.geckonum.recipe import Recipe, load_recipe
from subitize.errors import BadInput, UnknownName

__all__ = ["geckonum"]

geckonum = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)

Prompts = Annotated[Path, typer.Option(help="prompts.csv of the release, or one made here.")]
Config = Annotated[
    Path | None, typer.Option(help="TOML recipe the prompts were made by, if not the published.")
]


@geckonum.callback()
def about() -> None:
    """GeckoNum: from people's answers to the paper's tables."""


for _command in (metrics, vqa, pictures, report):
    geckonum.command(_command.__name__)(_command)


@geckonum.command("tables")
def tables(  # noqa: PLR0913, PLR0917  the options of the command, one each
    annotations: Annotated[Path, typer.Option(help="Zip archive or folder of task_N_MODEL.csv.")],
    prompts: Prompts,
    config: Config = None,
    statistics: Annotated[
        bool, typer.Option("--statistics", help="Intervals, effect sizes, corrected p-values.")
    ] = False,
    correction: Annotated[
        str, typer.Option(help="Which corrected p-values to show: holm, bh or none.")
    ] = "holm",
    samples: Annotated[int, typer.Option(help="Bootstrap samples and permutations.")] = SAMPLES,
    seed: Annotated[int, typer.Option(help="Same seed, same intervals.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Folder for a CSV file per table.")] = None,
    verbose: Annotated[bool, typer.Option(help="Name every row that is not used.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the tables as JSON.")] = False,
) -> None:
    """Every table of the paper from raw annotations, beside the printed numbers."""
    if correction not in {"holm", "bh", "none"}:
        raise UnknownName("correction", correction, ("holm", "bh", "none"))
    read = read_annotations(annotations)
    labelled = label_annotations(read, read_prompts(prompts), _recipe(config))
    if not sum(labelled.used.values()):
        say(dropped_text(labelled, verbose=True))
        raise BadInput(
            f"No row of {annotations} can be used: do the annotations belong to {prompts}?"
        )
    if read.others:
        say(f"not read, the names are not task_N_MODEL.csv: {', '.join(read.others)}")
    made = geckonum_tables(labelled)
    result: dict[str, Any] = {"tables": made, "rows": labelled.rows()}
    if statistics:
        rng = np.random.default_rng(seed)
        result["statistics"] = {
            "samples": samples,
            "seed": seed,
            "comparisons": add_statistics(made, labelled, rng, samples=samples),
        }
    say(dropped_text(labelled, verbose=verbose))
    if out is not None:
        write_tables(made, labelled, out)
        say(f"a CSV file per table in {out}")
    if json:
        print_json(result)
    else:
        print(tables_text(made, result.get("statistics"), correction))


@geckonum.command("questions")
def questions(
    prompts: Prompts,
    config: Config = None,
    replace: Annotated[
        Path | None, typer.Option(help="CSV or JSON with dataset_id and question for task 3.")
    ] = None,
    mended: Annotated[
        bool, typer.Option("--mended", help="Right the eight questions the release words wrongly.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="File to write; printed without one.")] = None,
    json: Annotated[bool, typer.Option("--json", help="JSON instead of CSV.")] = False,
) -> None:
    """The questions shown to people for every prompt, with their true answers."""
    recipe, known = _recipe(config), read_prompts(prompts)
    if replace is None:
        found = make_questions(known, recipe, mended=mended)
    else:
        found = read_questions(replace, known, recipe)
    text = (
        orjson.dumps(found, option=orjson.OPT_INDENT_2).decode() + "\n"
        if json
        else questions_csv(found)
    )
    if out is None:
        print(text, end="")
        return
    try:
        out.write_text(text, "utf-8", newline="")
    except OSError as problem:
        raise BadInput(f"Can't write {out}: {problem.strerror}. Give another --out.") from None
    say(f"{len(found)} questions in {out}")


def _recipe(config: Path | None) -> Recipe:
    return Recipe() if config is None else load_recipe(config)
