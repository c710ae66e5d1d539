"""Several people's sessions as one run of one group."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from subitize.benchmarks.catalog import get_benchmark
from subitize.errors import BadInput, WrongRun
from subitize.humans.taking_session import NAME
from subitize.runs.columns import read_responses
from subitize.runs.folder import RunFolder, counted_respondents, read_info
from subitize.runs.journal import Journal
from subitize.runs.lock import locked
from subitize.runs.plan import Plan, planned

SHARED = ("benchmark", "version", "kind", "settings")


def group_people(folders: Sequence[Path], name: str, out: Path) -> Path:
    """A run folder with everybody's answers; called again it adds what has come since."""
    if not NAME.fullmatch(name):
        raise BadInput(f"--name {name!r} can't be a name: give letters, digits, dots and dashes.")
    infos = [read_info(folder) for folder in folders]
    people: list[dict[str, str]] = []
    for folder, info in zip(folders, infos, strict=True):
        people += _people(folder, info)
        for key in SHARED:
            if info.get(key) != infos[0].get(key):
                raise WrongRun(
                    f"{folder} differs from {folders[0]} in {key}: people are put together who "
                    "were asked the same. Give runs with the same options."
                )
    names = [one["name"] for one in people]
    if len(set(names)) < len(names):
        raise BadInput("One person is there twice: give each run folder once.")
    shown = [info["model"]["settings"] for info in infos]
    if any(one != shown[0] for one in shown):
        raise WrongRun("The people saw their pictures for different times: group those alike.")
    parts = {key: infos[0][key] for key in SHARED}
    parts["model"] = {"name": f"human/{name}", "settings": shown[0], "revision": None}
    made = RunFolder.open(out, parts, {"respondents": people})
    with locked(made.path):
        _take_in(made.path, folders, str(infos[0]["benchmark"]))
        each = sum(info.get("study", {}).get("annotators", 1) for info in infos)
        many = sum(1 for _ in planned(made.path))
        made.update(respondents=people, study={"trials": many, "annotators": each})
    return made.path


def _people(folder: Path, info: dict[str, Any]) -> list[dict[str, str]]:
    found = counted_respondents(info)
    if not all(name.startswith("human/") for name, _ in found):
        raise WrongRun(
            f"{folder} is a run of {info['model']['name']}, which is nobody: give runs of people."
        )
    return [{"name": name, "settings_hash": settings_hash} for name, settings_hash in found]


def _take_in(group: Path, folders: Sequence[Path], benchmark: str) -> None:
    with Plan(group, get_benchmark(benchmark).CONDITION) as plan:
        for folder in folders:
            plan.add(planned(folder))
        plan.sync()
    with Journal(group) as journal:
        known = {(one.key, one.facts) for one in read_responses(group)}
        for folder in folders:
            for response in read_responses(folder):
                if (response.key, response.facts) not in known:
                    journal.write(response)
        journal.sync()
