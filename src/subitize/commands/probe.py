"""`subitize probe`: statements, splits and pairs for the counting probe."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from subitize.benchmarks.probe import Probe
from subitize.benchmarks.probe.rings import rings
from subitize.benchmarks.probe.sentences import write_sentences
from subitize.commands.printing import Json, group, pairs, say, show
from subitize.datasets.probe.alignment import (
    PAIRS,
    draw_pairs,
    read_captions,
    scene_pairs,
    write_pairs,
)
from subitize.datasets.probe.questions import read_all
from subitize.datasets.probe.released import ProbeItem, check_statements, read_split, write_split
from subitize.datasets.probe.splits import SPLITS, build, scene_questions
from subitize.datasets.probe.statements import MODES, Mode, statement
from subitize.datasets.probe.statistics import by_file, part_statistics, statistics
from subitize.errors import BadInput, UnknownName
from subitize.files import write_json, write_whole
from subitize.reports.style import FORMATS, save
from subitize.stimuli.probe import LOOK

P = TypeVar("P", Path, list[Path])
probe = group("Prepare data for the counting probe.")
ModeOption = Annotated[
    str, typer.Option(help="published: as released, slips included; fluent: correct English.")
]


def mode_of(given: str) -> Mode:
    """A mode by its name."""
    if given not in MODES:
        raise UnknownName("mode", given, MODES)
    return given


@probe.command("statements")
def statements(
    file: Annotated[Path, typer.Argument(help="A released split, or one of `probe build`.")],
    mode: ModeOption = "fluent",
    check: Annotated[
        bool, typer.Option("--check", help="Compare with the stored statements.")
    ] = False,
    json: Json = False,
) -> None:
    """Turn each question and number into a statement, or check the stored ones."""
    items = read_split(file)
    if check:
        found = check_statements(items, mode_of(mode))
        faults = ", ".join(f"{many} {name}" for name, many in found["broken"].items()) or "none"
        show(
            found,
            f"{found['exact']} of {found['items']} statements and {found['foils_exact']} of "
            f"{found['foils']} foil statements are exactly the stored ones; broken items: "
            f"{faults}; questions without a template: {found['no_template']}",
            json,
        )
        return
    made = [_statements(one, mode_of(mode)) for one in items]
    if without := [one for one in made if one["statement"] is None]:
        first = f"{without[0]['item']}: {without[0]['question']}"
        say(f"{len(without):,} of {len(made):,} questions match no template; the first is {first}")
    show(made, "\n".join(one["statement"] or f"– {one['question']}" for one in made), json)


def _statements(item: ProbeItem, mode: Mode) -> dict[str, Any]:
    return {
        "item": item.id,
        "question": item.question,
        "statement": statement(item.question, item.answer, mode),
        "foils": [statement(item.question, one, mode) for one in item.foils],
    }


@probe.command("sentences")
def sentences(
    out: Annotated[Path, typer.Option(help="Folder for sentences.jsonl and drawn pictures.")],
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting of the probe, as in `run`."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Same seed, same items.")] = 0,
    json: Json = False,
) -> None:
    """Write every picture and sentence that a matcher is asked about, for scores made elsewhere."""
    settings = Probe().settings_from({"seed": seed, **pairs(set_ or [])})
    found = write_sentences(settings, out)
    show(
        found,
        f"{found['sentences']} sentences about {found['pictures']} pictures in {found['file']}; "
        "add `score` to each line and save it, then `subitize run probe --model "
        "'matcher/scores?file=FILE'` with the same --set and --seed",
        json,
    )


@probe.command("statistics")
def statistics_(
    files: Annotated[list[Path], typer.Argument(help="Split files: released, or of `build`.")],
    figure: Annotated[
        Path | None, typer.Option(help="Draw the paper's Figure 2 (.svg, .pdf or .png).")
    ] = None,
    json: Json = False,
) -> None:
    """How many items, which numerals, which numbers are right and which only foils."""
    read = {file: read_split(file) for file in files}
    found = statistics(by_file({file.stem: items for file, items in read.items()}))
    if figure is not None:
        kind = figure.suffix.removeprefix(".")
        if kind not in FORMATS:
            raise UnknownName("kind of figure", kind, FORMATS)
        shares = {file.stem: part_statistics(items)["percent"] for file, items in read.items()}
        write_whole(figure, save(rings(shares), kind), option="--figure")
    show(found, _statistics_text(found), json)


@probe.command("build")
def build_(  # noqa: PLR0913, PLR0917  the options of the command, one each
    what: Annotated[str, typer.Argument(help="standard, hard, interpolated or alignment.")],
    out: Annotated[Path, typer.Option(help="Folder for the files.")],
    source: Annotated[
        str,
        typer.Option(
            "--from", help="visual7w, tallyqa, vqa or scenes; for alignment coco, cc or scenes."
        ),
    ] = "scenes",
    file: Annotated[list[Path] | None, typer.Option(help="The data set's file or files.")] = None,
    annotations: Annotated[
        list[Path] | None, typer.Option(help="VQA v2's answers, one for each file.")
    ] = None,
    parts: Annotated[
        str, typer.Option(help="own: the data set's train, valid and test; drawn: by the seed.")
    ] = "own",
    pictures: Annotated[Path | None, typer.Option(help="Folder of pictures (alignment).")] = None,
    foils: Annotated[
        str, typer.Option(help="any, or even: no odd foils where training answers are even.")
    ] = "any",
    mode: ModeOption = "fluent",
    many: Annotated[int, typer.Option(help="Pairs of alignment, or scenes to draw from.")] = PAIRS,
    answers: Annotated[str, typer.Option(help="Answers of scenes: zipf or flat.")] = "zipf",
    highest: Annotated[int, typer.Option(help="Highest answer of scenes.")] = 10,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Of scenes, as in `run`: size, conditions, overlap, clutter, identical.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Same seed, same items.")] = 0,
    json: Json = False,
) -> None:
    """Build a split with foils, or pairs for the alignment task, with its statistics."""
    if what not in (*SPLITS, "alignment"):
        raise UnknownName("split", what, (*SPLITS, "alignment"))
    look = _look(source, set_ or [], seed)
    if what == "alignment":
        if file and len(file) > 1:
            raise BadInput("Alignment pairs are drawn from one --file: build each by itself.")
        given = source, file[0] if file else None, pictures
        _build_alignment(out, given, (many, seed, look), json)
        return
    if source == "scenes":
        found = scene_questions(many, seed=seed, answers=answers, highest=highest, look=look)
    else:
        found = read_all(source, _given(file, "--file"), annotations or ())
    if parts not in ("own", "drawn"):
        raise UnknownName("kind of parts", parts, ("own", "drawn"))
    if parts == "drawn":
        found.questions = [replace(one, part="") for one in found.questions]
    built = build(found, what, seed=seed, foils=foils, mode=mode_of(mode))
    out.mkdir(parents=True, exist_ok=True)
    for part, items in built.parts.items():
        path = out / f"{source}_counting_{what}_split.{part}.json"
        if items:
            write_split(path, items, mode_of(mode))
        else:
            path.unlink(missing_ok=True)  # of an earlier build
    told: dict[str, Any] = {
        "split": what, "source": source, "seed": seed, "foils": foils,
        **statistics(built.parts), "empty": [part for part in built.parts if not built.parts[part]],
        "dropped": {k: v for k, v in built.dropped.items() if v},
        "dropped_examples": built.examples,
        "repaired": {k: v for k, v in built.repaired.items() if v},
    }  # fmt: skip
    write_json(out / "statistics.json", told)
    show(told, f"{_statistics_text(told)}\nfiles and statistics.json in {out}", json)


def _look(source: str, given: list[str], seed: int) -> dict[str, Any]:
    """How scenes are drawn; only they are."""
    wanted = pairs(given)
    for name in wanted:
        if name not in LOOK:
            raise UnknownName("setting of a scene", name, LOOK)
    if wanted and source != "scenes":
        raise BadInput(
            f"--set is for scenes, and pictures of {source} are not drawn: leave it out."
        )
    settings = Probe().settings_from({"seed": seed, **wanted})
    Probe().check(settings)
    return settings.look


def _build_alignment(
    out: Path,
    given: tuple[str, Path | None, Path | None],
    how: tuple[int, int, dict[str, Any]],
    json: bool,
) -> None:
    (source, file, pictures), (many, seed, look) = given, how
    if many < 1:
        raise BadInput(f"--many {many} gives no pairs: give 1 or more.")
    missing: list[str] = []
    if source == "scenes":
        drawn = scene_pairs(many, seed=seed, look=look)
    else:
        where = _given(file, "--file"), _given(pictures, "--pictures")
        found = read_captions(source, *where)
        drawn, missing = draw_pairs(found, source, many=many, seed=seed), found.missing
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{source}_alignment.json"
    write_pairs(path, drawn)
    told = {
        "source": source, "seed": seed, "pairs": len(drawn), "wanted": many,
        "missing_pictures": {"count": len(missing), "first": missing[:5]}, "file": str(path),
    }  # fmt: skip
    lacking = f"; {len(missing):,} captioned pictures are not there" if missing else ""
    short = f" of {many:,} wanted" if len(drawn) < many else ""
    show(told, f"{len(drawn):,} pairs{short} in {path}{lacking}", json)


def _given(path: P | None, option: str) -> P:
    if not path:
        raise BadInput(f"This source needs {option}: give the data set's own.")
    return path


def _statistics_text(found: dict[str, Any]) -> str:
    lines = []
    for part, told in found["parts"].items():
        shares = ", ".join(f"{name} {share:.0f} %" for name, share in told["percent"].items())
        lines.append(
            f"{part}: {told['correct']} right, {told['foiled']} foils, {told['total']} in all; "
            f"{told['broken']['items']} broken\n  {shares}"
        )
    if found.get("empty"):
        lines.append(f"no items, so no file: {', '.join(found['empty'])}")
    if only := found["only_foils_in_training"]:
        shown = ", ".join(map(str, only))
        lines.append(f"only ever a foil in training (a shortcut): {shown}")
    for name in ("dropped", "repaired"):
        if found.get(name):
            lines.append(f"{name}: " + ", ".join(f"{n} {why}" for why, n in found[name].items()))
    if found["leaks"]:
        lines.append(f"{found['leaks']} pictures occur in more than one part")
    return "\n".join(lines)
