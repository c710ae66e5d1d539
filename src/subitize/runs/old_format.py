"""Run folders of format 1 turned into today's form, without a call.

There, a reading model had a run of its own in RUN/readings/NAME/; here its answers stand in the
one journal, and its trials in the one plan, each about the response it read. What was written
otherwise is written anew; nothing that was received is changed.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import orjson

from subitize.benchmark import Benchmark
from subitize.errors import BadInput, ModelError, StorageFull, WrongRun
from subitize.files import write_json, write_whole
from subitize.models.base import METHODS, Reply
from subitize.records import Response, Trial, fingerprint, key_from
from subitize.runs.checked import response_of, trial_of
from subitize.runs.columns import check_conditions
from subitize.runs.correcting import FILE as CALIBRATION
from subitize.runs.exclusions import read_exclusions
from subitize.runs.folder import FORMAT, as_created, check_info, read_any_info, stored_settings
from subitize.runs.journal import read_lines
from subitize.runs.replies import as_response

T = TypeVar("T")


def old_info(folder: Path) -> dict[str, Any]:
    """run.json of a folder of format 1; any other folder is an error."""
    info = read_any_info(folder)
    if "format" in info:
        raise BadInput(f"{folder} has today's form already: use it as it is.")
    check_info(folder / "run.json", info)
    if info.get("kind") not in METHODS:
        raise WrongRun(
            f"{folder / 'run.json'} is damaged: its kind is {info.get('kind')!r}, which is none. "
            "Put back a copy of it."
        )
    return info


def import_run(old: Path, benchmark: Benchmark[Any], out: Path) -> Path:
    """Write the folder OUT/NAME from a folder of format 1; that one stays as it is."""
    info = old_info(old)
    new = out / old.resolve().name
    if new.exists():
        raise BadInput(f"{new} is there already: give another --out.")
    trials = list(_trials(old, benchmark))
    responses = list(_responses(old))
    own, received = len(trials), len(responses)
    _check_planned(old, trials, responses)
    check_conditions(old / "trials.jsonl", trials, benchmark.CONDITION)
    readers, names = [], {}
    for reading in sorted((old / "readings").glob("*/run.json")):
        found = _reading(reading.parent, benchmark, info, (trials[:own], responses[:received]))
        trials += found[0]
        responses += found[1]
        readers.append(found[2])
        names[reading.parent.name] = found[2]["name"]
    head, mark, rules = str(info.get("reader") or "").partition("?")
    if head and head not in {*names, *benchmark.READERS}:
        raise WrongRun(
            f"{old} is read by {head!r}, but {old / 'readings' / head} is not there or has no "
            "run.json: put it back."
        )
    made = {
        "format": FORMAT,
        **info,
        "reader": (names.get(head, head) + mark + rules) or None,
        "readers": readers,
        **({"created": as_created(str(info["created"]))} if "created" in info else {}),
        "imported_from": "0.1",
    }
    read_exclusions(old)
    calibration = _calibration(old / CALIBRATION, names)
    try:
        new.mkdir(parents=True)
        _write_lines(new / "trials.jsonl", [one.as_json(benchmark.CONDITION) for one in trials])
        _write_lines(new / "responses.jsonl", [one.as_json() for one in responses])
        if (old / "images").is_dir():
            shutil.copytree(old / "images", new / "images")
        if (old / "excluded.json").exists():
            shutil.copyfile(old / "excluded.json", new / "excluded.json")
        for name, content in ((CALIBRATION, calibration), ("run.json", made)):
            if content is not None:
                write_json(new / name, content)
    except (OSError, StorageFull) as problem:
        shutil.rmtree(new, ignore_errors=True)
        raise StorageFull(f"{old} can't be copied to {new}: {problem}") from None
    return new


def _write_lines(path: Path, lines: list[dict[str, Any]]) -> None:
    write_whole(path, b"".join(orjson.dumps(one) + b"\n" for one in lines))


def _calibration(path: Path, names: Mapping[str, str]) -> dict[str, Any] | None:
    """The counter's known mistakes, with the reader they hold for as it is called today."""
    if not path.exists():
        return None
    try:
        kept: dict[str, Any] = {**orjson.loads(path.read_bytes())}
    except (OSError, ValueError, TypeError):
        raise WrongRun(f"{path} is damaged: put back a copy of it, or delete it.") from None
    head, mark, rules = str(kept.get("reader", "")).partition("?")
    return {**kept, "reader": names.get(head, head) + mark + rules}


def _parsed(path: Path, parse: Callable[[dict[str, Any]], T]) -> Iterator[T]:
    """What each line of a file holds; one that the format does not have is named."""
    for number, (_, line) in enumerate(read_lines(path), 1):
        try:
            found = parse(orjson.loads(line))
        except (ValueError, TypeError, LookupError, AttributeError, ModelError):
            raise WrongRun(
                f"{path}, line {number} is damaged: that format has no such line. Put back a "
                "copy of the file, or delete that line."
            ) from None
        yield found


def _trials(folder: Path, benchmark: Benchmark[Any]) -> Iterator[Trial]:
    def parse(entry: dict[str, Any]) -> Trial:
        target = entry.pop("target", None)
        words = target if isinstance(target, str) else ""
        known = {**entry, "target": None if words else target, "target_choice": words}
        made = Trial.from_json(known)
        filled = trial_of(orjson.dumps(made.as_json(benchmark.CONDITION)))
        return replace(made, condition={**filled.condition, **made.condition})

    return _parsed(folder / "trials.jsonl", parse)


def _responses(folder: Path) -> Iterator[Response]:
    for name in ("responses.jsonl", "responses-overflow.jsonl"):
        yield from _parsed(folder / name, _response)


def _response(entry: Mapping[str, Any]) -> Response:
    told = dict(entry.get("usage", {}))
    facts = {"logprobs": told.pop("logprobs")} if "logprobs" in told else {}
    value = "" if entry["value"] is None else entry["value"]
    reply = Reply(entry["kind"], value, entry["stop"], told, facts)
    seconds, note = entry.get("seconds", 0.0), entry.get("note", "")
    # The hash of format 1 was of the file; today's is of the pixels: left empty.
    made = as_response(key_from(entry), reply, seconds, "", note)
    return response_of(orjson.dumps(made.as_json()))


def _check_planned(folder: Path, trials: list[Trial], responses: list[Response]) -> None:
    missing = {one.trial for one in responses} - {one.id for one in trials}
    if missing:
        raise WrongRun(
            f"{folder / 'trials.jsonl'} is damaged: it lacks {len(missing)} trials that have a "
            "response. Put back a copy of it."
        )


def _reading(
    folder: Path,
    benchmark: Benchmark[Any],
    parent: Mapping[str, Any],
    asked: tuple[list[Trial], list[Response]],
) -> tuple[list[Trial], list[Response], dict[str, Any]]:
    """A reading run's trials and responses as a stage of its parent's, and who it was.

    The trials are made anew as a run makes them today, so that it can be resumed.
    """
    info = old_info(folder)
    role = benchmark.reading_role()
    settings = stored_settings(benchmark, folder.parent.parent, parent)
    stages = benchmark.stages(settings, parent["kind"])
    stage = next((one.name for one in stages if one.role == role), None)
    by_id = {trial.id: trial for trial in asked[0]}
    made: dict[tuple[str, ...], Trial] = {}
    for response in asked[1] if stage else ():
        if response.stop != "failed":
            trial = by_id[response.trial]
            key = (response.trial, str(response.sample), str(response.attempt))
            for one in benchmark.follow(str(stage), trial, response, settings, info["kind"]):
                made[*key, one.question] = one
    new: dict[str, Trial] = {}
    trials, responses = list(_trials(folder, benchmark)), list(_responses(folder))
    _check_planned(folder, trials, responses)
    for old in trials:
        about = tuple(str(old.condition.get(name)) for name in ("parent", "sample", "attempt"))
        found = made.get((*about, old.question))
        if found is None:
            raise WrongRun(
                f"{folder / 'trials.jsonl'} holds a question about a response that the run does "
                f"not have ({old.id}): the folder is damaged."
            )
        new[old.id] = found
    model = info["model"]
    entry = {
        **model,
        "settings_hash": fingerprint([model["settings"], model["revision"]], 12),
        "role": role,
        "kind": info["kind"],
    }
    renamed = [replace(one, trial=new[one.trial].id) for one in responses]
    return list(new.values()), renamed, entry
