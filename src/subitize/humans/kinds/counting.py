"""Count the things: people's counts for calibrating a counter, and a second person's look at them.

Pictures lie in a folder; what is counted is one noun for all, a CSV file with image and category,
or told by names such as 7_apples_12.png.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from subitize.errors import BadInput
from subitize.files import read_entries
from subitize.humans.items import NUMBER, Item, Question
from subitize.humans.kinds.material import Material, checks, known_by, lying, trained
from subitize.humans.study import Study
from subitize.nouns import singular
from subitize.pictures.media import ENDINGS, picture_sha256
from subitize.records import Stimulus, Trial, make_trial

BENCHMARK = ("people-count", "1")
NAMED = re.compile(r"\d+_(?P<category>[^_]+)_\d+")
WORDS = {
    "count": ("You will see pictures. Count the things that the question asks for and type the "
              "number, a whole one.",
              "Count every thing of which you see more than half. Take your time: the count should "
              "be right."),
    "verify": ("Somebody has counted things in these pictures. Look whether the count is right.",
               "If it is, say so. If not, type the number that you count."),
}  # fmt: skip


def count_material(study: Study) -> Material:
    """One item per picture and thing."""
    folder = _folder(study)
    things = _things(study)
    items = [_item(folder, path, _asked(path, folder, study, things)) for path in _files(folder)]
    practice = [trained(0, "pears.svg", Question(
        "How many whole pears are in the picture?", NUMBER, right=("3",),
        why="Three pears are whole; the half is not counted."))]  # fmt: skip
    some = checks(NUMBER, "How many apples are in the picture?")
    return Material([*practice, *some, *items], WORDS["count"])


def verify_material(study: Study) -> Material:
    """One item per line of a file of counts; agreeing is one key, another count is typed."""
    folder = _folder(study)
    if not study.verify:
        raise BadInput("Verifying needs the counts: give --verify FILE with image,category,count.")
    items = []
    for where, row in read_entries(Path(study.verify), "the counts", ("image", "count")):
        path = folder / str(row["image"])
        if path.parent.resolve() not in (folder.resolve(), *folder.resolve().rglob("*")):
            raise BadInput(f"{where}: {row['image']!r} leads out of {folder}.")
        if not path.is_file():
            raise BadInput(f"{where}: there is no picture {path}. Give the folder of the counts.")
        thing = str(row.get("category") or study.things or "things")
        items.append(_item(folder, path, thing, _whole(row["count"], where)))
    practice = [
        trained(place, name, Question(words, NUMBER, None, (f"{said} is right",), (said,),
                                      (right,), why))
        for place, (name, words, said, right, why) in enumerate((
            ("pizzas.svg", _second("3", "pizzas"), "3", "3", "There are 3: the count is right."),
            ("pears.svg", _second("4", "whole pears"), "4", "3",
             "Three pears are whole; the half is not counted."),
        ))
    ]  # fmt: skip
    some = checks(NUMBER, "How many apples are in the picture?")
    return Material([*practice, *some, *items], WORDS["verify"])


def _folder(study: Study) -> Path:
    folder = Path(study.pictures)
    if not study.pictures or not folder.is_dir():
        raise BadInput(f"Counting needs a folder of pictures: --pictures is {study.pictures!r}.")
    return folder


def _files(folder: Path) -> Iterator[Path]:
    found = [path for path in sorted(folder.rglob("*"))
             if path.suffix.lower() in ENDINGS and path.is_file()]  # fmt: skip
    if not found:
        raise BadInput(f"{folder} holds no picture with the ending {', '.join(ENDINGS)}.")
    yield from found


def _things(study: Study) -> Mapping[str, str] | None:
    if not study.things.endswith(".csv"):
        return None
    rows = read_entries(Path(study.things), "what is counted", ("image", "category"))
    return {str(row["image"]): str(row["category"]) for _, row in rows}


def _asked(path: Path, folder: Path, study: Study, things: Mapping[str, str] | None) -> str:
    image = path.relative_to(folder).as_posix()
    if things is not None:
        if image not in things:
            raise BadInput(f"{study.things} does not tell what is counted in {image}.")
        return things[image]
    named = NAMED.fullmatch(path.stem)
    return study.things or (named["category"] if named else "things")


def _item(folder: Path, path: Path, thing: str, said: str = "") -> Item:
    image = path.relative_to(folder).as_posix()
    trial = count_trial(image, path, thing, said)
    words = f"How many {thing} are in the picture?"
    options: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    if said:
        words = _second(said, thing)
        options, values = (f"{said} is right",), (said,)
    question = Question(words, NUMBER, trial, options, values)
    about = {"image": image, "category": thing, "said": said}
    return Item(known_by([trial]), (question,), lying(path), family=image, about=about)


def _whole(count: Any, where: str) -> str:
    """A count as it is shown and stored; a table's 3.0 is 3."""
    text = re.sub(r"\.0+$", "", str(count).strip())
    if not re.fullmatch(r"[0-9]{1,6}", text):
        raise BadInput(f"{where}: count is {count!r}; give a whole number.")
    return str(int(text))


def _second(said: str, thing: str) -> str:
    counted = singular(thing) if said == "1" else thing
    return f"Somebody counted {said} {counted}. How many do you count?"


def count_trial(image: str, path: Path, thing: str, said: str) -> Trial:
    """What is asked about one picture; the picture is known by its bytes."""
    recipe = {"sha256": picture_sha256(path)}
    condition = {"image": image, "category": thing, "said": said}
    return make_trial(
        (*BENCHMARK, "verify" if said else "count"), Stimulus("file", recipe, str(path.resolve())),
        f"How many {thing} are in the picture?", condition=condition,
    )  # fmt: skip
