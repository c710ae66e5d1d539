"""`subitize finetune`: right against foil on a matcher, answers of a model that writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from subitize.benchmarks.probe import Probe
from subitize.commands.printing import Json, group, pairs, say, show
from subitize.errors import BadInput, UnknownName
from subitize.models.base import Model, ModelOptions
from subitize.models.catalog import open_model
from subitize.reports.build import About, write_chapters
from subitize.training.answers import read_questions, told
from subitize.training.catalog import get_task
from subitize.training.foils import MEASURES, load_data, with_alignment
from subitize.training.loop import Task
from subitize.training.mixtures import MIXTURES, Sets, held_back, longer_steps, mixed
from subitize.training.page import chapter
from subitize.training.plan import Plan
from subitize.training.run import TaskOf, folder_of, is_main, summary_text, train_seeds

ANSWER = 8
"""tokens that an answer may have when it is judged"""
finetune = group("Train a model on counting, resumable at every moment.")
ModelOption = Annotated[str, typer.Option("--model", help="hf/ID-or-path.")]
Out = Annotated[Path, typer.Option(help="Folder under which the training gets its own.")]
Epochs = Annotated[int, typer.Option(help="Times that every example is shown.")]
Batch = Annotated[int, typer.Option(help="Examples of one step, over all devices.")]
Rate = Annotated[float, typer.Option(help="Learning rate of AdamW after the warm-up.")]
Decay = Annotated[float, typer.Option(help="Weight decay of AdamW.")]
Warmup = Annotated[float, typer.Option(help="Share of the steps in which the rate rises.")]
Patience = Annotated[
    int, typer.Option(help="Stop after so many evaluations without a better one; 0: never.")
]
Precision = Annotated[str, typer.Option(help="Mixed precision: no, bf16 or fp16.")]
Seeds = Annotated[int, typer.Option(help="Trainings, with the seeds 0, 1, 2 …")]
Evaluations = Annotated[int, typer.Option(help="Evaluations per epoch.")]


@finetune.command("foils")
def foils(  # noqa: PLR0913, PLR0917  the options of the command, one each
    model: ModelOption,
    out: Out = Path("trained"),
    train: Annotated[str, typer.Option(help="Split file to learn from; else scenes.")] = "",
    valid: Annotated[str, typer.Option(help="Split file that the epoch is chosen by.")] = "",
    test: Annotated[str, typer.Option(help="Split file that is reported.")] = "",
    pictures: Annotated[str, typer.Option(help="Folder that the files' pictures lie in.")] = "",
    alignment: Annotated[
        str, typer.Option(help="Pairs of `probe build alignment`, to see forgetting; else scenes.")
    ] = "",
    alignment_pictures: Annotated[str, typer.Option(help="Folder of their pictures.")] = "",
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting of the probe, as in `run`."),
    ] = None,
    judged: Annotated[
        int, typer.Option(help="Items of validation, test and alignment each; 0: all, or 300.")
    ] = 0,
    judged_by: Annotated[str, typer.Option(help="Measure that the best epoch is chosen by.")] = (
        "acc_r"
    ),
    allow_leak: Annotated[
        bool, typer.Option("--allow-leak", help="Let training share pictures with other parts.")
    ] = False,
    epochs: Epochs = 20,
    batch: Batch = 16,
    lr: Rate = 4e-5,
    weight_decay: Decay = 0.01,
    warmup: Warmup = 0.1,
    evaluations: Evaluations = 1,
    patience: Patience = 0,
    precision: Precision = "no",
    seeds: Seeds = 3,
    seed: Annotated[int, typer.Option(help="Seed of generated scenes.")] = 0,
    json: Json = False,
) -> None:
    """Train a matcher to tell right numbers from foils; the paper's settings are the defaults.

    The same command again goes on where it was stopped. Several devices: start it with
    `accelerate launch -m subitize finetune foils …`.
    """
    plan = Plan(epochs, batch, lr, weight_decay, warmup, evaluations, patience, precision)
    settings = Probe().settings_from({"seed": seed, **pairs(set_ or [])})
    if judged_by not in MEASURES:
        raise UnknownName("measure", judged_by, MEASURES)
    given = {"train": train, "valid": valid, "test": test}
    files = given if any(given.values()) else {}
    if settings.task != "counting" or settings.file:
        raise BadInput("finetune foils learns task=counting; give files with --train, --valid …")
    if pictures and not files:
        raise BadInput("--pictures needs files: give --train, --valid and --test too.")
    settings = replace(settings, pictures=pictures)
    task = get_task("foils")
    data = load_data(settings, files, judged, leak=allow_leak)
    if alignment:
        data = with_alignment(data, alignment, alignment_pictures, judged)
    about = {
        "task": "foils", "data": data.told(), "settings": asdict(settings), "files": files,
        "alignment": alignment, "judged": judged, "judged_by": ["valid", judged_by],
    }  # fmt: skip

    def task_of() -> Task:
        made: Task = task(open_model(model), data, judged_by)
        return made

    _go(out, open_model(model), about, (plan, seeds), task_of, json)


@finetune.command("answers")
def answers(  # noqa: PLR0913, PLR0917  the options of the command, one each
    model: ModelOption,
    recipe: Annotated[str, typer.Option(help="A row of the paper: see `finetune recipes`.")],
    out: Out = Path("trained"),
    tallyqa: Annotated[str, typer.Option(help="TallyQA's train.json.")] = "",
    tallyqa_pictures: Annotated[str, typer.Option(help="Folder of TallyQA's pictures.")] = "",
    imagen: Annotated[
        str, typer.Option(help="Questions of `subitize geckonum vqa --split train`.")
    ] = "",
    imagen_pictures: Annotated[str, typer.Option(help="Folder of their pictures.")] = "",
    tallyqa_test: Annotated[str, typer.Option(help="TallyQA's test.json.")] = "",
    geckonum_test: Annotated[
        str, typer.Option(help="Questions of `geckonum vqa --painters muse_b`.")
    ] = "",
    valid: Annotated[int, typer.Option(help="Questions held back to choose by.")] = 1000,
    judged: Annotated[int, typer.Option(help="Questions of each test set; 0: all.")] = 0,
    scale: Annotated[float, typer.Option(help="Share of the recipe's numbers, to try it.")] = 1.0,
    epochs: Epochs = 2,
    batch: Batch = 256,
    lr: Rate = 1e-5,
    weight_decay: Decay = 1e-6,
    warmup: Warmup = 0.1,
    evaluations: Evaluations = 4,
    patience: Patience = 0,
    precision: Precision = "no",
    seeds: Seeds = 1,
    seed: Annotated[int, typer.Option(help="Seed by which TallyQA is sampled.")] = 0,
    json: Json = False,
) -> None:
    """Train a model that writes to answer counting questions, by a recipe of GeckoNum's paper.

    The same command again goes on where it was stopped. Several devices: start it with
    `accelerate launch -m subitize finetune answers …`.
    """
    if recipe not in MIXTURES:
        raise UnknownName("recipe", recipe, MIXTURES)
    if not 0 < scale <= 1:
        raise BadInput(f"--scale is {scale}: it is a share of the recipe's numbers, above 0 to 1.")
    mixture = MIXTURES[recipe]
    drawn = mixed(
        mixture, read_questions(tallyqa, tallyqa_pictures, "tallyqa"),
        read_questions(imagen, imagen_pictures, "imagen"), seed=seed, scale=scale,
    )  # fmt: skip
    learnt, kept = held_back(drawn, valid, seed)
    judged_sets = {
        "valid": kept,
        "tallyqa": read_questions(tallyqa_test, tallyqa_pictures, "tallyqa", judged),
        "geckonum": read_questions(geckonum_test, imagen_pictures, "imagen", judged),
    }
    sets = Sets(learnt, {name: own for name, own in judged_sets.items() if own})
    steps = longer_steps(mixture, len(learnt), batch, epochs)
    plan = Plan(epochs, batch, lr, weight_decay, warmup, evaluations, patience, precision, steps)
    task = get_task("answers")
    options = ModelOptions(max_tokens=ANSWER)
    about = {
        "task": "answers", "recipe": recipe, "table": mixture.table, "row": mixture.row,
        "held_out_nouns": mixture.held_out, "seed": seed, "scale": scale,
        "data": {"train": len(learnt), **told(sets.judged)},
        "files": {"tallyqa": tallyqa, "imagen": imagen, "tallyqa_test": tallyqa_test,
                  "geckonum_test": geckonum_test},
        "judged_by": ["valid", "accuracy"],
    }  # fmt: skip

    def task_of() -> Task:
        made: Task = task(open_model(model, options), sets, ("valid", "accuracy"))
        return made

    _go(out, open_model(model, options), about, (plan, seeds), task_of, json)


@finetune.command("recipes")
def recipes(json: Json = False) -> None:
    """The recipes of `finetune answers`: a row each of GeckoNum's Tables A12 and A13."""
    rows = {name: {**one._asdict(), "printed": one.printed} for name, one in MIXTURES.items()}
    lines = [f"{name:30} {one.table}  {one.row}" for name, one in MIXTURES.items()]
    show(rows, "\n".join(lines), json)


def _go(
    out: Path,
    model: Model,
    about: Mapping[str, Any],
    how: tuple[Plan, int],
    task_of: TaskOf,
    json: bool,
) -> None:
    """Train, write the page, print what came out."""
    plan, seeds = how
    if seeds < 1:
        raise BadInput(f"--seeds is {seeds}: it must be at least 1.")
    folder, what = folder_of(out, model, about, plan)
    results = train_seeds(folder, what, plan, range(seeds), task_of, say)
    if not is_main():
        return
    page = write_chapters(
        [chapter([results])], About([model.respondent], 0), folder / "report.html"
    )
    brief = {key: results[key] for key in ("task", "model", "data", "before", "seeds", "summary")}
    show({"folder": str(folder), "report": str(page), **brief}, summary_text(results, folder), json)
