"""Runs that version 0.1 recorded are scored as they were then, and the demo asks the same trials.

`runs_of_0.1.tar.xz` holds run folders of all benchmarks, with reading runs, exclusions and a
calibration, each with the scores.json that version 0.1 made of it. Values, counts, matrices and p
values of tests without resampling must come out equal; ends of intervals may move by 5 % of their
width, since a bootstrap may draw in another order, and those named in NEW_METHOD by more.
`demo_identity.json` holds what the demo of 0.1 asked: hashes over trial ids and item seeds, and
settings hashes; of CAPTURE's second layout, what it asks since then.
"""

from __future__ import annotations

import hashlib
import math
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson
import pytest

from subitize.benchmarks.catalog import get_benchmark
from subitize.models.catalog import open_model
from subitize.runs.driver import item_seed
from subitize.runs.old_format import import_run, old_info
from subitize.runs.stored import score_run, stored_run

HERE = Path(__file__).parent
RECORDED = HERE / "runs_of_0.1.tar.xz"
DEMO: dict[str, Any] = orjson.loads((HERE / "demo_identity.json").read_bytes())
LOOSE = 0.02
"""how far a share of bootstrap samples or permutations may move: it has no interval of its own"""
NEW_METHOD = {
    "accuracy", "nae", "human_correlation", "random_correlation", "categories",  # naming
    "smape", "exact", "price_of_occlusion", "hidden", "hidden_minus_total",  # CAPTURE
    "pattern", "pattern_price", "help", "breakdowns",
    "readings", "means", "within_one", "by_number", "by_type", "by_complexity",  # GeckoNum
    "by_frequency", "by_painter",
}  # fmt: skip
"""scores whose ends come from another method since: the percentile and basic bootstrap covered the
truth in 39 to 81 % of runs where errors are rare, and had no width where none was seen.
Their values must stay; the new interval must overlap the old one"""
WITHOUT = {"category_consistency"}
"""scores that lost their interval: it covered the truth in half of all runs"""
OLD_REASONS = {"nae.interval", "category_consistency.interval"}
"""reasons why there was no interval, which have another one now or none"""
SENTENCES = {"reason", "why"}
"""words about a number, which may be said otherwise; the number beside them stays"""
WITHOUT_WIDTH = {"bias"}
"""scores whose interval is left out where it had no width: it was no interval"""
TURNED = {"phi"}
"""scores that have the sign of the difference beside them since (second − first)"""
SHARES = ("counting_level_shares", "permutation_p", "permutation_significant")


def names() -> list[str]:
    with tarfile.open(RECORDED) as archive:
        paths = (Path(member.name) for member in archive.getmembers())
        return sorted({path.parts[0] for path in paths if path.parts})


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded")
    with tarfile.open(RECORDED) as archive:
        archive.extractall(folder, filter="data")
    return folder


def rescored(folder: Path) -> dict[str, Any]:
    """The scores that today's code makes of a recorded run, brought into today's form."""
    benchmark = get_benchmark(old_info(folder)["benchmark"])
    made = import_run(folder, benchmark, folder.parent / "imported")
    return score_run(stored_run(made, benchmark))


def renamed(before: dict[str, Any], folder: Path) -> dict[str, Any]:
    """What a helper is called today: by its name, no longer by its folder under readings/."""
    names = {
        reading.parent.name: orjson.loads(reading.read_bytes())["model"]["name"]
        for reading in (folder / "readings").glob("*/run.json")
    }
    text = orjson.dumps(before).decode()
    for old, new in names.items():
        text = text.replace(old, new)
    found: dict[str, Any] = orjson.loads(text)
    return found


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from leaves(inner, (*path, str(key)))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from leaves(inner, (*path, str(place)))
    else:
        yield path, value


def at(scores: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        scores = scores[int(key)] if isinstance(scores, list) else scores[key]
    return scores


def allowed(before: Any, path: tuple[str, ...]) -> float:
    """How far the number at this path may move."""
    if any(name in SHARES for name in path):
        return LOOSE
    if path[-1] in ("low", "high"):
        around = at(before, path[:-1])
        return 0.05 * abs(around["high"] - around["low"]) + 1e-9
    if path[-2:-1] == ("interval",):
        low, high = at(before, path[:-1])
        return 0.05 * abs(high - low) + 1e-9
    return 1e-9


def _as_agreed(old: Mapping[str, Any], new: Mapping[str, Any], key: str) -> bool:
    """Whether an interval of another method is what was agreed on."""
    if key in WITHOUT:
        return new["low"] is None and new["high"] is None
    if old["low"] is None or new["low"] is None:
        return True  # one was added or taken away by a rule on small cells
    overlap = max(old["low"], new["low"]) <= min(old["high"], new["high"]) + 1e-9
    return bool(overlap and new["low"] < new["high"])


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    found = []
    for path, value in leaves(before):
        try:
            other = at(now, path)
        except (KeyError, IndexError, TypeError):
            if path[0] in SHARES and value <= LOOSE:
                continue  # so few samples had it that others have none
            found.append(f"{'.'.join(path)}: {value!r} is gone")
            continue
        if (path[0] == "undefined" and path[-1] in OLD_REASONS) or path[-1] in SENTENCES:
            continue
        if path[-1] in ("low", "high") and path[0] in WITHOUT_WIDTH and other is None:
            ends = at(before, path[:-1])
            if ends["low"] == ends["high"]:
                continue
        if path[-1] in ("low", "high") and path[0] in NEW_METHOD | WITHOUT:
            if not _as_agreed(at(before, path[:-1]), at(now, path[:-1]), path[0]):
                found.append(f"{'.'.join(path)}: {value!r} is now {other!r}")
            continue
        if path[-2:-1] == ("interval",) and path[0] in NEW_METHOD:
            old, new = at(before, path[:-1]), at(now, path[:-1])
            ends = [dict(zip(("low", "high"), one, strict=True)) for one in (old, new)]
            if not _as_agreed(ends[0], ends[1], path[0]):
                found.append(f"{'.'.join(path)}: {old!r} is now {new!r}")
            continue
        if path[-1] in TURNED:
            other = -other
        if isinstance(value, int | float) and not isinstance(value, bool):
            same = isinstance(other, int | float) and (
                abs(other - value) <= allowed(before, path)
                or (math.isnan(other) and math.isnan(value))
            )
        else:
            same = other == value
        if not same:
            found.append(f"{'.'.join(path)}: {value!r} is now {other!r}")
    return found


@pytest.mark.parametrize("name", names())
def test_a_recorded_run_is_scored_as_it_was(recorded: Path, name: str) -> None:
    before = orjson.loads((recorded / name / "scores.json").read_bytes())
    assert differences(renamed(before, recorded / name), rescored(recorded / name)) == []


def digest(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


@pytest.mark.parametrize("name", DEMO)
def test_the_demo_asks_the_same_trials(name: str) -> None:
    before = DEMO[name]
    benchmark = get_benchmark(before["benchmark"])
    settings = benchmark.settings_from(before["settings"])
    model = open_model(before["model"])
    assert model.settings_hash == before["settings_hash"]
    for helper, settings_hash in before["helpers"].items():
        assert open_model(helper).settings_hash == settings_hash
    every = []
    for stage, (count, expected) in before["trials"].items():
        trials = [trial.id for trial in benchmark.trials(stage, settings, before["decisions"])]
        assert (len(trials), digest(trials)) == (count, expected)
        every += trials
    # The demo asks one sample of each trial, and none of its pictures is asked for again.
    keys = sorted((trial, model.respondent, model.settings_hash, 0, 0) for trial in every)
    seeds = [str(item_seed(model.settings, key)) for key in keys]
    assert (len(seeds), digest(seeds)) == (before["responses"], before["seeds"])
