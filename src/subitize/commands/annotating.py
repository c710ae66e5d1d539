"""`subitize annotate`: a study for people, served from this machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

import typer

from subitize.benchmarks.catalog import BENCHMARKS, get_benchmark
from subitize.commands.printing import pairs, say
from subitize.errors import BadInput
from subitize.humans.serving import FILE, opened, read_folder, study_folder
from subitize.humans.simulating import simulate as let_simulated
from subitize.humans.study import KINDS, SECTIONS, placed, read_study, study_from
from subitize.humans.web import address, check_origin, listen, serve


def annotate(  # noqa: PLR0913, PLR0917  the options of the command, one each
    study: Annotated[
        str,
        typer.Argument(
            metavar="STUDY", help="A study's TOML file, its folder, or a kind: " + ", ".join(KINDS)
        ),
    ],
    pictures: Annotated[str, typer.Option(help="Folder of pictures.")] = "",
    prompts: Annotated[str, typer.Option(help="GeckoNum: prompts.csv.")] = "",
    run: Annotated[
        str, typer.Option(help="A run: painted pictures (GeckoNum), replies (reader-check).")
    ] = "",
    things: Annotated[
        str, typer.Option(help="count: the thing, or a CSV file with image,category.")
    ] = "",
    verify: Annotated[str, typer.Option(help="verify: the CSV file of counts.")] = "",
    captions: Annotated[
        str, typer.Option(help="caption-fit: the folder of checked captions.")
    ] = "",
    name: Annotated[str, typer.Option(help="Name of the study; its kind if none is given.")] = "",
    annotators: Annotated[int, typer.Option(help="People per item; 0: as the study says.")] = 0,
    entry: Annotated[str, typer.Option(help="links, open or panel.")] = "",
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Any other entry of a study's file, as counts=on or consent.version=2; of naming "
            "and capture also a setting of `run`. May be given again.",
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder that holds studies.")] = Path("studies"),
    database: Annotated[
        str, typer.Option(help="postgresql://USER@HOST/NAME instead of a file.")
    ] = "",
    links: Annotated[
        int, typer.Option(min=0, help="Make so many personal links and print them.")
    ] = 0,
    simulate: Annotated[
        int, typer.Option(min=0, help="Let so many simulated annotators do the study, then end.")
    ] = 0,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0 for any.")] = 8765,
    public_url: Annotated[
        str, typer.Option(help="The address people see, behind a proxy: https://…")
    ] = "",
) -> None:
    """Serve a study: people answer in a browser, every answer is kept before the next page."""
    named = {"pictures": pictures, "prompts": prompts, "run": run, "things": things,
             "verify": verify, "captions": captions, "name": name, "entry": entry,
             "annotators": annotators}  # fmt: skip
    given = {key: value for key, value in named.items() if value} | pairs(set_ or [])
    origin = check_origin(public_url)
    folder = find_study(study, given, out, database)
    if simulate:
        with opened(folder, database, origin) as here:
            answers = let_simulated(here, simulate)
        many = f"{simulate:,} simulated annotator{'s' * (simulate != 1)}"
        print(f"{many} gave {answers:,} answers to {folder}")
        return
    bound = listen(host, port)
    with opened(folder, database, origin) as here:
        base = address(bound, origin)
        for _ in range(links):
            secret, made = here.desk.invite()
            here.desk.store.write(made).result()
            print(f"{base}/p/{secret}")
        if here.desk.study.entry == "open":
            say(f"people take part at {base}/")
        items = [one for one in here.desk.items.values() if one.role == "main"]
        say(f"{len(items):,} items in {folder}; Ctrl-C ends it, the same command goes on")
        print(f"researcher: {base}/desk?token={here.site.token}", flush=True)
        serve(here.app, bound)


def find_study(study: str, given: dict[str, Any], out: Path, database: str) -> Path:
    """The folder of a study by its file, its folder or its kind."""
    path = Path(study)
    if (path / FILE).is_file():
        if given:
            raise BadInput(
                f"{path} is a study that has begun: {', '.join(given)} can't be changed in it. "
                "Begin another one."
            )
        read_folder(path)
        return path
    if study in KINDS:
        entries = placed(entries_of(study, given), Path())
        return study_folder(out, study_from({"kind": study, **entries}, "the command"), database)
    if path.suffix != ".toml":
        raise BadInput(
            f"There is no study {study!r}: give a TOML file, a study's folder, or one of "
            f"{', '.join(KINDS)}."
        )
    values = read_study(path).as_json()
    for name, value in placed(entries_of(values["kind"], given), Path()).items():
        values[name] = {**values[name], **value} if isinstance(value, dict) else value
    return study_folder(out, study_from(values, str(path)), database)


def entries_of(kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """What the command names, as a study's file would have it."""
    own: set[str] = set()
    if kind in BENCHMARKS:
        own = {one.name for one in fields(get_benchmark(kind).SETTINGS)}
    found: dict[str, Any] = {}
    for key, value in given.items():
        section, dot, name = key.partition(".")
        if dot and section in SECTIONS:
            found.setdefault(section, {})[name] = value
        elif key in own:
            found.setdefault("settings", {})[key] = value
        else:
            found[key] = value
    return found
