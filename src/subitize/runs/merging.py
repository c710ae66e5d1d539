"""Put the shards of a run together: a folder as an unsharded run makes it, and nobody is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from subitize.benchmark import Benchmark, Settings
from subitize.errors import WrongRun
from subitize.files import read_bytes
from subitize.records import Response
from subitize.runs.columns import read_responses
from subitize.runs.folder import RunFolder, store_picture, stored_settings
from subitize.runs.journal import Journal
from subitize.runs.lock import locked
from subitize.runs.plan import FILE, Plan, planned
from subitize.runs.run import decide
from subitize.runs.shards import check_shards

IDENTITY = ("benchmark", "version", "kind", "settings", "model", "helpers", "shard")
"""what run.json has of a run's identity"""
KEPT = ("parameters", "endpoint")


@dataclass(frozen=True)
class Merged:
    """What was put together."""

    folder: Path
    unasked: str
    """which shards have yet to ask what; empty when the run is whole"""


def merge_runs(
    folders: Sequence[Path],
    infos: Sequence[Mapping[str, Any]],
    benchmark: Benchmark[Any],
    out: Path,
) -> Merged:
    """One run folder from all shards of a run; called again it adds what has come since."""
    identities = [{key: info[key] for key in IDENTITY if key in info} for info in infos]
    shards = check_shards(folders, identities, "run")
    parts = {key: value for key, value in identities[0].items() if key != "shard"}
    folder = RunFolder.open(out, parts, {key: infos[0].get(key) for key in KEPT})
    with locked(folder.path):
        _take_words(folder, folders, infos)
        _take_responses(folder.path, folders)
        settings = stored_settings(benchmark, folder.path, folder.info)
        ended = {
            f"{part}/{parts}": set(info.get("ended", ()))
            for (part, parts), info in zip(shards, infos, strict=True)
        }
        return Merged(folder.path, _plan(folder, folders, benchmark, settings, ended))


def _take_words(
    folder: RunFolder, folders: Sequence[Path], infos: Sequence[Mapping[str, Any]]
) -> None:
    """Decisions, helpers and the reader, as the shards' run.json have them."""
    decisions = folder.decisions
    for shard, info in zip(folders, infos, strict=True):
        for name, value in info.get("decisions", {}).items():
            if decisions.setdefault(name, value) != value:
                raise WrongRun(
                    f"{shard} took another decision {name!r} than the shards before it "
                    f"({value!r}, not {decisions[name]!r}): run it anew in another --out."
                )
    chosen = {str(info["reader"]): None for info in infos if info.get("reader")}
    if len(chosen) > 1:
        raise WrongRun(
            f"The shards are read by different readers ({', '.join(chosen)}): read them all by "
            "one with `subitize read RUN --reader NAME`."
        )
    readers = {orjson.dumps(one): one for info in infos for one in info.get("readers", ())}
    folder.update(
        decisions=decisions, readers=list(readers.values()), reader=next(iter(chosen), None)
    )


def _take_responses(folder: Path, shards: Sequence[Path]) -> None:
    """Every response, with its picture first; each once, however often shards are merged."""
    with Journal(folder) as journal:
        known = {_line(response) for response in read_responses(folder)}
        for shard in shards:
            for response in read_responses(shard):
                if _line(response) in known:
                    continue
                if response.kind == "picture" and response.stop != "failed":
                    _take_picture(folder, shard / "images" / Path(response.value).name)
                journal.write(response)
        journal.sync()


def _take_picture(folder: Path, picture: Path) -> None:
    content = read_bytes(picture, "the picture", "Put it back, or ask the shard anew.")
    if store_picture(folder, content, picture.suffix[1:]) != picture.name:
        raise WrongRun(
            f"{picture} is not the picture that was received: its content changed. Put it back, or "
            "ask the shard anew."
        )


def _line(response: Response) -> int:
    """Of 64 bits, so that many lines stay small in memory."""
    return hash(orjson.dumps(response.as_json()))


def _plan(
    folder: RunFolder,
    shards: Sequence[Path],
    benchmark: Benchmark[Any],
    settings: Settings,
    ended: Mapping[str, set[str]],
) -> str:
    """Write the plan in the order of an unsharded run and take its decisions; who lags behind."""
    waiting = {trial.id: trial for one in (folder.path, *shards) for trial in planned(one)}
    # Anew: the trials of a shard that lagged behind belong among the others, not at the end.
    (folder.path / FILE).unlink(missing_ok=True)
    plan = Plan(folder.path, benchmark.CONDITION)
    stages = list(benchmark.stages(settings, folder.info["kind"]))
    following = {stage.name for stage in stages if stage.follows}
    try:
        # Where these stand does not matter: they are ordered by what they are about.
        plan.add(trial for trial in waiting.values() if trial.stage in following)
        for stage in stages:
            if stage.name in following:
                continue
            trials = benchmark.trials(stage.name, settings, folder.decisions)
            plan.add(trial for trial in trials if trial.id in waiting)
            lagging = [shard for shard, done in ended.items() if stage.name not in done]
            if lagging:
                return f"stage {stage.name!r} of shard {', '.join(lagging)}"
            if not decide(folder, benchmark, settings, stage):
                return f"who reads the responses of stage {stage.name!r}"
        return ""
    finally:
        plan.add(waiting.values())
        plan.sync()
        plan.close()
