"""RUN/reader-check.json: what people read in a sample of the replies, beside what the reader read.

The file holds people's readings alone, so that another reader is judged by the same people.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson

from subitize.errors import WrongRun
from subitize.files import write_json
from subitize.measures.accuracy import proportion_interval
from subitize.records import Score
from subitize.runs.folder import read_info
from subitize.runs.lock import locked

if TYPE_CHECKING:
    import polars as pl

FILE = "reader-check.json"
KEY = ("trial", "respondent", "settings_hash", "sample", "attempt")
DRAWS, SEED = 4000, 20250903


def keep_reader_check(run: Path, readings: Sequence[Mapping[str, Any]]) -> None:
    """Put people's readings (KEY, said) into a run's folder."""
    read_info(run)
    with locked(run):
        write_json(run / FILE, {"format": "subitize-reader-check", "replies": list(readings)})


def reader_check(run: Path, answers: pl.DataFrame) -> dict[str, Any] | None:
    """How often the reader is wrong, with its interval, and what that does to the share right."""
    path = run / FILE
    if not path.exists():
        return None
    try:
        kept = {tuple(one[name] for name in KEY): str(one["said"])
                for one in orjson.loads(path.read_bytes())["replies"]}  # fmt: skip
    except (OSError, orjson.JSONDecodeError, KeyError, TypeError):
        raise WrongRun(f"{path} is damaged: export it anew from its study.") from None
    counted = answers.filter(answers["counts"])
    columns = counted.select(*KEY, "state", "number", "choice", "target", "target_choice")
    rows = [(kept.get(row[:5]), _read(*row[5:8]), _wanted(*row[8:])) for row in columns.iter_rows()]
    both = [(said, read, wanted) for said, read, wanted in rows if said is not None]
    if not both:
        return None
    wrong = sum(_by_people(said) != read for said, read, _ in both)
    found: dict[str, Any] = {
        "checked": len(both),
        "error": proportion_interval(wrong, len(both)),
        "right_as_read": None,
        "right_as_people_read": None,
    }
    known = [(read == wanted) for _, read, wanted in rows if wanted]
    if known:
        sample = [
            (read == wanted, _by_people(said) == wanted) for said, read, wanted in both if wanted
        ]
        found["right_as_read"] = proportion_interval(sum(known), len(known))
        found["right_as_people_read"] = carried(sum(known), len(known), sample)
    return found


def _read(state: str, number: float | None, choice: str | None) -> str:
    """What the reader took: a number or a choice; nothing, whatever the reason."""
    if state != "read":
        return ""
    return choice if choice is not None else f"{number:g}"


def _wanted(target: float | None, choice: str | None) -> str:
    return choice or ("" if target is None else f"{target:g}")


def _by_people(said: str) -> str:
    """What people read in a reply; a word about why there is no number is none."""
    return f"{float(said):g}" if said.isdecimal() else said.partition("choice:")[2]


def carried(right: int, trials: int, sample: Sequence[tuple[bool, bool]]) -> Score:
    """The share of right replies if people had read them all: (as read, as people read) of some.

    share = P(read right) · P(right | read right) + P(read wrong) · P(right | read wrong), each with
    its Jeffreys posterior; the 95 % interval is that of their combination.
    """
    rng = np.random.default_rng(SEED)
    kept = [people for read, people in sample if read]
    gained = [people for read, people in sample if not read]
    share = right / trials
    value = share * (_mean(kept, 1.0)) + (1 - share) * _mean(gained, 0.0)
    read = rng.beta(right + 0.5, trials - right + 0.5, DRAWS)
    true = rng.beta(sum(kept) + 0.5, len(kept) - sum(kept) + 0.5, DRAWS)
    missed = rng.beta(sum(gained) + 0.5, len(gained) - sum(gained) + 0.5, DRAWS)
    low, high = np.quantile(read * true + (1 - read) * missed, [0.025, 0.975])
    return Score(value, min(float(low), value), max(float(high), value), trials)


def _mean(values: Sequence[bool], without: float) -> float:
    return sum(values) / len(values) if values else without
