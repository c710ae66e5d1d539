"""`subitize calibrate`: the best threshold of a counter, by human counts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import orjson
import typer

from subitize.commands.printing import Json, say, show
from subitize.datasets.box_tables import CountedBoxes, read_counted_boxes
from subitize.errors import BadInput
from subitize.files import make_folder, write_json, write_whole
from subitize.measures.boxes import GROUP, NMS, THRESHOLDS, Rules, checked, counts_by_threshold
from subitize.opening import load_stored
from subitize.readers.calibration import Calibration
from subitize.readers.calibration import calibrate as made_from
from subitize.reports.calibration import calibration_files
from subitize.reports.cells import told
from subitize.runs.correcting import one_per_picture

WIDTH = 50
SEED = 20250901


def calibrate(
    boxes: Annotated[
        Path | None,
        typer.Option(help="Boxes, Parquet or JSONL: image, x0, y0, x1, y1, score."),
    ] = None,
    counts: Annotated[
        Path | None, typer.Option(help="Human counts, CSV: image, category, count.")
    ] = None,
    run: Annotated[
        Path | None, typer.Option(help="Instead of files: a naming run of the counter.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Calibration file; the curve is drawn beside it.")
    ] = None,
    nms: Annotated[float, typer.Option(help="Largest overlap of two boxes that both count.")] = NMS,
    counter: Annotated[str, typer.Option(help="Name of the counter, for the file.")] = "",
    json: Json = False,
) -> None:
    """Sweep the threshold 0.01..0.99 against human counts and keep the one with the least NAE."""
    if not 0 <= nms <= 1:
        raise BadInput(f"--nms is {nms:g}: give an overlap from 0 to 1.")
    if out is not None:
        _check_out(out)
    rules = Rules(nms=nms, group=GROUP)
    if run is not None and boxes is None and counts is None:
        found = from_run(run, rules)
    elif run is None and boxes is not None and counts is not None:
        found = from_files(read_counted_boxes(boxes, counts), rules, counter)
    else:
        raise BadInput("Give --boxes and --counts, or --run with a naming run of the counter.")
    if out is not None:
        _write(found, out)
    show(found.as_json(), as_text(found), json)


def from_files(given: CountedBoxes, rules: Rules, counter: str) -> Calibration:
    """A calibration from a file of boxes and one of human counts."""
    many = len(given.counts)
    if without := many - len(np.unique(given.picture)):
        say(f"{without:,} of {many:,} counted pictures have no box: they count as 0.")
    if given.sizes is None:
        say("The boxes come without width and height of their pictures: no group box is dropped.")
    swept = counts_by_threshold(given.boxes, given.picture, many, sizes=given.sizes, rules=rules)
    rng = np.random.default_rng(SEED)
    return made_from(swept, given.counts, given.categories, rng, rules=rules, counter=counter)


def from_run(folder: Path, rules: Rules) -> Calibration:
    """A calibration from a counter's own naming run, where the true numbers are known."""
    stored = load_stored(folder)
    given = stored.counted
    if "form" in given.columns:
        given = one_per_picture(given)
    given = given.filter((given["kind"] == "boxes") & (given["stop"] != "failed"))
    if not given.height or "category" not in given.columns:
        raise BadInput(
            f"{folder} holds no boxes of pictures whose number is known: give a naming run of a "
            "counter, as `subitize run naming --model counter/NAME` makes it."
        )
    said = [orjson.loads(value) for value in given["value"]]
    boxes = [checked(one["boxes"]) for one in said]
    sizes = [one.get("size", [np.inf, np.inf]) for one in said]
    swept = counts_by_threshold(
        np.concatenate(boxes), np.repeat(np.arange(len(said)), [len(one) for one in boxes]),
        len(said), sizes=np.array(sizes, dtype=np.float64), rules=rules,
    )  # fmt: skip
    truth = given["target"].cast(int).to_numpy()
    counter, rng = str(stored.info["model"]["name"]), np.random.default_rng(SEED)
    return made_from(swept, truth, given["category"].to_list(), rng, rules=rules, counter=counter)


def _check_out(out: Path) -> None:
    """Say before the work what can't be written after it."""
    if out.is_dir() or out.suffix.lower() != ".json":
        raise BadInput(
            f"--out is {out}: give a file that ends in .json; the curve goes beside it as .svg, "
            ".pdf and .png."
        )
    make_folder(out.parent, "--out")


def _write(found: Calibration, out: Path) -> None:
    write_json(out, found.as_json(), option="--out")
    for kind, content in calibration_files(found).items():
        write_whole(out.with_suffix(f".{kind}"), content, option="--out")
    say(f"written: {out}, and the curve as .svg, .pdf and .png beside it")


def as_text(found: Calibration) -> str:
    """The curve as bars, and what the best threshold gives."""
    curve = found.curve["nae"]
    top = max(curve) or 1.0
    lines = ["threshold  NAE"]
    for index in range(4, len(THRESHOLDS), 5):
        bar = "▪" * round(WIDTH * curve[index] / top)
        lines.append(f"{THRESHOLDS[index]:9.2f}  {curve[index]:.4f} {bar}")
    lines.append(f"best threshold {found.threshold:.2f} on {found.pictures:,} pictures")
    lines.append(_line("all", found.accuracy, found.nae))
    if found.held_out_nae is not None:
        lines.append(f"  NAE on pictures left out of the choice: {found.held_out_nae:.4f}")
    lines += [_line(name, one["accuracy"], one["nae"]) for name, one in found.categories.items()]
    return "\n".join(lines)


def _line(name: str, accuracy: Any, nae: Any) -> str:
    return f"  {name:20} accuracy {told(accuracy, '.4f')}, nae {told(nae, '.4f')}"
