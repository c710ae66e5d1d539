"""`subitize export`: runs, and whatever else makes answers, in other people's formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from subitize.commands.options import one_of
from subitize.commands.printing import Force, Json, say, show
from subitize.errors import BadInput, UnknownName
from subitize.files import make_folder, write_new
from subitize.humans import study_formats as studies
from subitize.integrations.every_eval_ever import as_every_eval_ever
from subitize.integrations.hub_results import as_hub_results
from subitize.integrations.tables import as_csv, as_parquet
from subitize.opening import load_stored


@dataclass(frozen=True)
class Told:
    """What the command line says beside the source and the format."""

    organization: str = "not stated"
    dataset: str = ""
    source_url: str = ""


class Format(NamedTuple):
    """One way out."""

    about: str
    files: Callable[[Path, Told], Mapping[str, bytes]]
    """from the source to the files, by their names under the folder that is written"""


class Source(NamedTuple):
    """A kind of thing that can be exported."""

    name: str
    has: Callable[[Path], bool]
    """whether a path is one"""
    formats: Mapping[str, Format]


def _hub(folder: Path, told: Told) -> Mapping[str, bytes]:
    run = load_stored(folder)
    if not told.dataset:
        say(
            "The Hub shows a result beside a data set that is registered as a benchmark: name "
            f"yours with --dataset OWNER/NAME. Until then it is called "
            f"subitize/{run.benchmark.NAME}."
        )
    return as_hub_results(run, told.dataset or f"subitize/{run.benchmark.NAME}", told.source_url)


RUN = Source(
    "run",
    lambda path: (path / "run.json").is_file(),
    {
        "csv": Format("answers and scores as CSV", lambda one, _: as_csv(load_stored(one))),
        "parquet": Format(
            "answers and scores as Parquet", lambda one, _: as_parquet(load_stored(one))
        ),
        "eee": Format(
            "Every Eval Ever: a record with every score, and a line per response",
            lambda one, told: as_every_eval_ever(load_stored(one), told.organization),
        ),
        "hf": Format("evaluation results for a model's page on the Hugging Face Hub", _hub),
    },
)
STUDY = Source(
    "study",
    lambda path: (path / studies.FILE).is_file(),
    {
        name: Format(about, lambda one, _, made=made: made(one))  # type: ignore[misc]
        for name, about, made in studies.FORMATS
    },
)
SOURCES: tuple[Source, ...] = (RUN, STUDY)
"""whatever can be exported, each with its formats"""
FORMATS = tuple(dict.fromkeys(name for source in SOURCES for name in source.formats))


def export(  # noqa: PLR0913, PLR0917  the options of the command, one each
    source: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder, or a study's.")],
    to: Annotated[
        str,
        typer.Option(help=f"The format: {', '.join(FORMATS)}.", autocompletion=one_of(*FORMATS)),
    ],
    out: Annotated[
        Path | None, typer.Option(help="Folder to write to; by default exports/RUN.")
    ] = None,
    organization: Annotated[
        str, typer.Option(help="eee: who ran the evaluation.")
    ] = Told.organization,
    dataset: Annotated[
        str, typer.Option(help="hf: the benchmark's data set on the Hub, OWNER/NAME.")
    ] = "",
    source_url: Annotated[str, typer.Option(help="hf: where the answers can be seen.")] = "",
    force: Force = False,
    json: Json = False,
) -> None:
    """Write a run or a study in a format that others read; asks nobody."""
    found = next((one for one in SOURCES if one.has(source)), None)
    if to not in FORMATS:
        raise UnknownName("format", to, FORMATS)
    if found is None:
        kinds = " or a ".join(one.name for one in SOURCES)
        there = (
            "holds none" if source.is_dir() else "is a file" if source.exists() else "is not there"
        )
        raise BadInput(f"{source} {there}: give the folder of a {kinds}.")
    if to not in found.formats:
        raise BadInput(
            f"A {found.name} can't be written as {to}: choose {', '.join(found.formats)}."
        )
    if dataset and dataset.count("/") != 1:
        raise BadInput(f"--dataset {dataset!r} is not of the form OWNER/NAME.")
    made = found.formats[to].files(source, Told(organization, dataset, source_url))
    folder = out or Path("exports") / source.resolve().name
    written = [folder / name for name in made]
    for path, content in zip(written, made.values(), strict=True):
        make_folder(path.parent, "--out")
        write_new(path, content, option="--out", replace=force)
    show([str(path) for path in written], "\n".join(map(str, written)), json)
