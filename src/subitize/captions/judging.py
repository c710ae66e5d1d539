"""People's word on the sample: does the number fit the picture? Beside the counter's."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from subitize.captions.images import FITS, FITS_NOT, OPTIONS, STUDY, keep_checked
from subitize.captions.store import CHECKED
from subitize.errors import BadInput
from subitize.files import read_entries, read_json
from subitize.measures.accuracy import proportion_interval, share_interval
from subitize.measures.agreement import krippendorff_alpha
from subitize.records import Score

REPAIR = f"Give lines with the id of a caption of {STUDY}, a judge and an answer."


class Judgement(NamedTuple):
    """What one person says of one caption."""

    caption: str
    """its id in the sample"""
    judge: str
    answer: str


def judge_images(folder: Path, file: Path) -> dict[str, Any]:
    """Set people's rate beside the counter's; kept in the folder."""
    if not (folder / CHECKED).is_file():
        raise BadInput(
            f"{folder} has no sample that people could have judged: check pictures first, with "
            "--check-images."
        )
    result: dict[str, Any] = read_json(folder / CHECKED, "the checked pictures")
    judged = read_judgements(file, {one["id"] for one in result["captions"]})
    result["people"] = people_of(judged, result["captions"])
    keep_checked(folder, result)
    return result


def read_judgements(file: Path, known: set[str]) -> list[Judgement]:
    """CSV, JSON, JSON lines or Parquet with `id`, `answer` and, for several people, `judge`."""
    found: dict[tuple[str, str], Judgement] = {}
    for where, entry in read_entries(file, "people's judgements", ("id", "answer"), repair=REPAIR):
        one = Judgement(str(entry["id"]), str(entry.get("judge") or ""), str(entry["answer"]))
        if one.caption not in known:
            raise BadInput(
                f"{where}: no caption of the sample has the id {one.caption!r}. {REPAIR}"
            )
        if one.answer not in OPTIONS:
            raise BadInput(f"{where}: {one.answer!r} is no answer: give {', '.join(OPTIONS)}.")
        if (one.caption, one.judge) in found:
            who = f"by {one.judge!r}" if one.judge else "without a judge's name"
            raise BadInput(f"{where}: {one.caption} is judged twice {who}. Give each once.")
        found[one.caption, one.judge] = one
    if not found:
        raise BadInput(f"{file} holds no judgements. {REPAIR}")
    return list(found.values())


def people_of(judged: Sequence[Judgement], captions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """People's rate, how they agree with one another and with the counter."""
    clear = [one for one in judged if one.answer in (FITS, FITS_NOT)]
    counted = {
        one["id"]: one["found"] != one["number"] for one in captions if one["found"] is not None
    }
    both = [one for one in clear if one.caption in counted]
    majority = _majority(both)
    undefined: dict[str, str] = {}

    def alpha(name: str, units: Sequence[str], values: Sequence[bool]) -> float | None:
        try:
            return krippendorff_alpha(units, values)
        except BadInput as problem:
            undefined[name] = str(problem)
            return None

    return {
        "judges": len({one.judge for one in judged}),
        "captions": len({one.caption for one in judged}),
        "judgements": len(judged),
        "answers": {option: sum(one.answer == option for one in judged) for option in OPTIONS},
        "misaligned": _share([one.answer == FITS_NOT for one in clear], clear),
        "among": alpha(
            "among", [one.caption for one in clear], [one.answer == FITS_NOT for one in clear]
        ),
        "counter": _share(
            [counted[one] for one in majority], [Judgement(one, "", "") for one in majority]
        ),
        "agreement": _share(
            [counted[one.caption] == (one.answer == FITS_NOT) for one in both], both
        ),
        "alpha": alpha(
            "alpha",
            [*majority, *majority],
            [*majority.values(), *(counted[one] for one in majority)],
        ),
        "undefined": undefined,
    }


def _share(values: Sequence[bool], of: Sequence[Judgement]) -> dict[str, Any] | None:
    """With its interval: over captions, where several people judged one."""
    if not values:
        return None
    captions = [one.caption for one in of]
    found: Score
    if len(set(captions)) == len(captions):
        found = proportion_interval(sum(values), len(values))
    else:
        found = share_interval(np.array(values, dtype=float), captions)
    return found.as_json()


def _majority(judged: Sequence[Judgement]) -> dict[str, bool]:
    """Whether most people say that it does not fit; where they are split there is no majority."""
    votes: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    for one in judged:
        votes[one.caption][one.answer == FITS_NOT] += 1
    return {
        caption: found[True] > found[False]
        for caption, found in votes.items()
        if found[True] != found[False]
    }
