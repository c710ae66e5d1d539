"""Run folders of version 0.1 turned into today's form, without a call.

There, a reading model had a run of its own in RUN/readings/NAME/; here its answers stand in the
one journal, and its trials in the one plan, each about the response it read. What was written
otherwise is written anew; nothing that was received is changed.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from subitize.benchmark import Benchmark
from subitize.errors import BadInput, WrongRun
from subitize.files import write_whole
from subitize.models.base import Reply
from subitize.records import Response, Trial, fingerprint, key_from
from subitize.runs.folder import FORMAT
from subitize.runs.journal import read_lines
from subitize.runs.replies import as_response


def old_info(folder: Path) -> dict[str, Any]:
    """run.json of a folder of version 0.1; any other folder is an error."""
    try:
        info = orjson.loads((folder / "run.json").read_bytes())
    except (OSError, orjson.JSONDecodeError) as problem:
        raise WrongRun(
            f"{folder} is not a run folder: its run.json can't be read ({problem})."
        ) from None
    if not isinstance(info, dict) or "benchmark" not in info:
        raise WrongRun(f"{folder / 'run.json'} is damaged: it names no benchmark.")
    if "format" in info:
        raise BadInput(f"{folder} has today's form already: use it as it is.")
    return info


def import_run(old: Path, benchmark: Benchmark[Any], out: Path) -> Path:
    """Write the folder OUT/NAME from a folder of version 0.1; that one stays as it is."""
    info = old_info(old)
    new = out / old.name
    if new.exists():
        raise BadInput(f"{new} is there already: give another --out.")
    trials = list(_trials(old))
    responses = list(_responses(old))
    own, received = len(trials), len(responses)
    readers, names = [], {}
    for reading in sorted((old / "readings").glob("*/run.json")):
        found = _reading(reading.parent, benchmark, info, (trials[:own], responses[:received]))
        trials += found[0]
        responses += found[1]
        readers.append(found[2])
        names[reading.parent.name] = found[2]["name"]
    head, mark, rules = str(info.get("reader") or "").partition("?")
    made = {
        "format": FORMAT,
        **info,
        "reader": (names.get(head, head) + mark + rules) or None,
        "readers": readers,
        "imported_from": "0.1",
    }
    new.mkdir(parents=True)
    lines = (orjson.dumps(one.as_json(benchmark.CONDITION)) for one in trials)
    write_whole(new / "trials.jsonl", b"".join(line + b"\n" for line in lines))
    lines = (orjson.dumps(one.as_json()) for one in responses)
    write_whole(new / "responses.jsonl", b"".join(line + b"\n" for line in lines))
    _copy_rest(old, new, names)
    write_whole(new / "run.json", orjson.dumps(made, option=orjson.OPT_INDENT_2) + b"\n")
    return new


def _copy_rest(old: Path, new: Path, names: Mapping[str, str]) -> None:
    if (old / "images").is_dir():
        shutil.copytree(old / "images", new / "images")
    if (old / "excluded.json").exists():
        shutil.copyfile(old / "excluded.json", new / "excluded.json")
    path = old / "calibration.json"
    if path.exists():
        kept = orjson.loads(path.read_bytes())
        head, mark, rules = str(kept.get("reader", "")).partition("?")
        kept["reader"] = names.get(head, head) + mark + rules
        write_whole(new / path.name, orjson.dumps(kept, option=orjson.OPT_INDENT_2) + b"\n")


def _entries(path: Path) -> Iterator[dict[str, Any]]:
    for number, (_, line) in enumerate(read_lines(path), 1):
        try:
            yield orjson.loads(line)
        except orjson.JSONDecodeError:
            raise WrongRun(f"{path}, line {number} is damaged: it is not JSON.") from None


def _trials(folder: Path) -> Iterator[Trial]:
    for entry in _entries(folder / "trials.jsonl"):
        target = entry.pop("target", None)
        words = target if isinstance(target, str) else ""
        yield Trial.from_json(
            {**entry, "target": None if words else target, "target_choice": words}
        )


def _responses(folder: Path) -> Iterator[Response]:
    for name in ("responses.jsonl", "responses-overflow.jsonl"):
        for entry in _entries(folder / name):
            yield _response(entry)


def _response(entry: Mapping[str, Any]) -> Response:
    told = dict(entry.get("usage", {}))
    facts = {"logprobs": told.pop("logprobs")} if "logprobs" in told else {}
    value = "" if entry["value"] is None else entry["value"]
    reply = Reply(entry["kind"], value, entry["stop"], told, facts)
    # The hash of version 0.1 was of the file it wrote; today's is of the pixels: left empty.
    return as_response(key_from(entry), reply, entry.get("seconds", 0.0), "", entry.get("note", ""))


def _reading(
    folder: Path,
    benchmark: Benchmark[Any],
    parent: Mapping[str, Any],
    asked: tuple[list[Trial], list[Response]],
) -> tuple[list[Trial], list[Response], dict[str, Any]]:
    """A reading run's trials and responses as a stage of its parent's, and who it was.

    The trials are made anew as a run makes them today, so that it can be resumed.
    """
    info = orjson.loads((folder / "run.json").read_bytes())
    role = benchmark.reading_role()
    settings = benchmark.settings_from(parent["settings"])
    stages = benchmark.stages(settings, parent["kind"])
    stage = next(one.name for one in stages if one.role == role)
    by_id = {trial.id: trial for trial in asked[0]}
    made: dict[tuple[str, int, int, str], Trial] = {}
    for response in asked[1]:
        if response.stop != "failed":
            trial = by_id[response.trial]
            for one in benchmark.follow(stage, trial, response, settings, info["kind"]):
                made[response.trial, response.sample, response.attempt, one.question] = one
    new: dict[str, Trial] = {}
    for old in _trials(folder):
        about = old.condition
        found = made.get((about["parent"], about["sample"], about["attempt"], old.question))
        if found is None:
            raise WrongRun(
                f"{folder / 'trials.jsonl'} holds a question about a response that the run does "
                f"not have ({old.id}): the folder is damaged."
            )
        new[old.id] = found
    responses = [replace(one, trial=new[one.trial].id) for one in _responses(folder)]
    model = info["model"]
    entry = {
        **model,
        "settings_hash": fingerprint([model["settings"], model["revision"]], 12),
        "role": role,
        "kind": info["kind"],
    }
    return list(new.values()), responses, entry
