"""`subitize import`: other people's formats, and run folders of older versions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from subitize.benchmarks.capture.importing import import_results
from subitize.benchmarks.capture.settings import SETS
from subitize.benchmarks.catalog import get_benchmark
from subitize.benchmarks.geckonum.answers import import_people
from subitize.commands import geckonum_people as given
from subitize.commands.printing import Json, group, show
from subitize.errors import UnknownName
from subitize.humans.answers import read_answers
from subitize.humans.exporting import reader_check_of
from subitize.integrations.inspect_logs import import_log
from subitize.opening import load_stored
from subitize.reports.cells import told
from subitize.runs.old_format import import_run, old_info
from subitize.runs.reader_check import keep_reader_check
from subitize.runs.stored import score_run
from subitize.stimuli.capture import VARIANTS

importing = group("Bring other people's formats, and run folders of older versions.")
Out = Annotated[Path, typer.Option(help="Folder under which the new one is made.")]


@importing.command("run")
def run(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="A run folder of format 1.")],
    out: Out = Path("runs"),
    json: Json = False,
) -> None:
    """Turn a run folder of format 1 into today's form; asks nobody, changes nothing in OLD."""
    made = import_run(old, get_benchmark(old_info(old)["benchmark"]), out)
    score_run(load_stored(made))
    show({"folder": str(made)}, str(made), json)


@importing.command("inspect")
def inspect(
    log: Annotated[
        Path, typer.Argument(metavar="LOG", help="A log of `inspect eval subitize/…` (.eval).")
    ],
    out: Out = Path("runs"),
    json: Json = False,
) -> None:
    """A log of Inspect as the run folder that `subitize run` makes of the same replies."""
    brought = import_log(log, out)
    stored = load_stored(brought.folder)
    found = {**brought._asdict(), "folder": str(brought.folder), "scores": score_run(stored)}
    text = f"{brought.folder}\n{brought.replies} replies"
    if brought.failed:
        text += (
            f"; {brought.failed} samples ended with an error: `subitize run` with the same "
            f"settings, --model {stored.info['model']['name']} and --out {out} asks for them"
        )
    if brought.left_out:
        text += f"; {brought.left_out} replies of further epochs are left out"
    show(found, text, json)


@importing.command("capture-results")
def capture_results(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="JSON list of answer, results, ground_truth.")
    ],
    model: Annotated[str, typer.Option(help="Who answered, such as openai/gpt-4o.")],
    variant: Annotated[str, typer.Option(help="occluded or unoccluded.")] = "occluded",
    set_: Annotated[
        str, typer.Option("--set", metavar="SET", help="Of which set: synthetic or real.")
    ] = "synthetic",
    out: Out = Path("runs"),
    json: Json = False,
) -> None:
    """A result file of CAPTURE's authors as a run folder; their reading stands beside ours."""
    for what, value, known in (("variant", variant, VARIANTS), ("set", set_, SETS)):
        if value not in known:
            raise UnknownName(what, value, known)
    made = import_results(file, model, set_, variant, out)
    ours = score_run(load_stored(made.folder))["smape"][variant]
    found = {"folder": str(made.folder), "replies": made.replies,
             "smape": ours["value"], "authors_smape": made.authors_smape}  # fmt: skip
    text = (
        f"{made.folder}\n{made.replies} replies: sMAPE {ours['value']:.2f} read by our rules, "
        f"{made.authors_smape:.2f} as the authors read them"
    )
    show(found, text, json)


@importing.command("geckonum")
def geckonum(
    annotations: given.Annotations = None,
    prompts: given.Prompts = None,
    out: Out = Path("runs"),
    config: given.Config = None,
    json: Json = False,
) -> None:
    """What people answered about GeckoNum's pictures: a respondent for each of them."""
    people = given.people(annotations, prompts, config, whole=True)
    folder = import_people(people, out)
    show({"folder": str(folder), **people.rows()._asdict()}, str(folder), json)


@importing.command("reader-check")
def reader_check(
    study: Annotated[
        Path, typer.Argument(metavar="STUDY", help="Folder of a study of the kind reader-check.")
    ],
    json: Json = False,
) -> None:
    """Carry what people read in a run's replies into the scores of that run."""
    answers = read_answers(study)
    keep_reader_check(Path(answers.study.run), reader_check_of(answers))
    found = score_run(load_stored(Path(answers.study.run)))["reader_check"]
    text = (
        f"{found['checked']} replies checked: the reader is wrong in "
        f"{told(found['error'], '.1%')} of them; {answers.study.run}/scores.json has it"
    )
    show(found, text, json)
