"""The run folder: which run it is (run.json), its plan (trials.jsonl), pictures received."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import orjson

from subitize.benchmark import Benchmark, Settings
from subitize.errors import StorageFull, WrongRun
from subitize.models.base import Kind, Model
from subitize.records import Trial, fingerprint
from subitize.runs.journal import append_line, cut_torn_line

__all__ = [
    "Plan",
    "RunFolder",
    "folder_name",
    "identity",
    "placed",
    "read_info",
    "store_picture",
    "write_whole",
]

PACKAGES = ("subitize", "numpy", "aiohttp", "scipy", "torch", "transformers")
PLAN_CHUNK = 64


def identity(benchmark: Benchmark, settings: Settings, model: Model, kind: Kind) -> dict[str, Any]:
    """What decides whether a run may be resumed: nothing else does."""
    return {
        "benchmark": benchmark.NAME,
        "version": benchmark.VERSION,
        "kind": kind,
        "settings": asdict(settings),
        "model": {
            "name": model.respondent,
            "settings": model.settings,
            "revision": model.revision,
        },
    }


def folder_name(parts: Mapping[str, Any]) -> str:
    """A readable slug plus a short hash."""
    slug = re.sub(r"[^a-z0-9.]+", "-", f"{parts['benchmark']}-{parts['model']['name']}".lower())
    return f"{slug.strip('-')[:60]}-{fingerprint(parts, 8)}"


def write_whole(path: Path, content: bytes) -> None:
    """Temporary name, sync, rename: a reader sees the old file or the new one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as problem:
        temporary.unlink(missing_ok=True)
        raise StorageFull(
            f"Can't write {path}: {problem.strerror}. Make room and run the same command again."
        ) from None


def store_picture(folder: Path, picture: bytes, ending: str) -> str:
    """Keep a received picture under its content's hash; its file name."""
    images = folder / "images"
    images.mkdir(exist_ok=True)
    name = f"{hashlib.sha256(picture).hexdigest()}.{ending}"
    if not (images / name).exists():
        write_whole(images / name, picture)
    return name


def read_info(folder: Path) -> dict[str, Any]:
    """run.json, or a clear word about what is wrong with the folder."""
    path = folder / "run.json"
    try:
        info = orjson.loads(path.read_bytes())
    except FileNotFoundError:
        raise WrongRun(
            f"{folder} is not a run folder: it has no run.json. Give a folder that "
            "`subitize run` made (one per model, under --out)."
        ) from None
    except NotADirectoryError:
        raise WrongRun(f"{folder} is not a folder: give a run folder.") from None
    except orjson.JSONDecodeError:
        raise WrongRun(
            f"{path} is damaged: it is not JSON. Put back a copy of it; the responses beside it "
            "are untouched."
        ) from None
    info = info if isinstance(info, dict) else {}
    held = {"benchmark": str, "version": str, "model": dict, "settings": dict}
    missing = [key for key, kind in held.items() if not isinstance(info.get(key), kind)]
    if missing:
        raise WrongRun(
            f"{path} is damaged: it lacks {', '.join(missing)}. Put back a copy of it; the "
            "responses beside it are untouched."
        )
    return info


class RunFolder:
    """run.json of one run: its identity, and the decisions taken in it."""

    def __init__(self, folder: Path, info: dict[str, Any]) -> None:
        self.path = folder
        self.info = info

    @classmethod
    def open(cls, parent: Path, parts: dict[str, Any], extra: Mapping[str, Any]) -> RunFolder:
        """Make the run's folder, or find it and check that it is the same run."""
        if (parent / "run.json").exists():
            raise WrongRun(
                f"{parent} is itself a run folder: give --out the folder that holds it "
                f"({parent.parent})."
            )
        folder = parent / folder_name(parts)
        if (folder / "run.json").exists():
            info = read_info(folder)
            _check_same(folder, info, parts)
            return cls(folder, info)
        if folder.exists() and any(p.suffix == ".jsonl" for p in folder.iterdir()):
            raise WrongRun(
                f"{folder} holds responses but no run.json: it is damaged. Move it away, or put "
                "back its run.json."
            )
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise WrongRun(f"{folder} can't be made: a file is in the way.") from None
        except OSError as problem:
            raise StorageFull(f"Can't make {folder}: {problem.strerror}.") from None
        run = cls(folder, {**parts, **extra, "decisions": {}, "packages": _packages()})
        run.info["created"] = datetime.now(UTC).isoformat(timespec="seconds")
        run.save()
        return run

    @property
    def decisions(self) -> dict[str, Any]:
        return dict(self.info.get("decisions", {}))

    def decide(self, name: str, value: Any) -> None:
        """Write a decision down, once."""
        self.info["decisions"] = {**self.decisions, name: value}
        self.save()

    def save(self) -> None:
        options = orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY
        write_whole(self.path / "run.json", orjson.dumps(self.info, option=options) + b"\n")


def _check_same(folder: Path, info: Mapping[str, Any], parts: Mapping[str, Any]) -> None:
    stored = orjson.dumps({key: info.get(key) for key in parts}, option=orjson.OPT_SORT_KEYS)
    wanted = orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)
    if stored != wanted:
        differing = [key for key in parts if info.get(key) != orjson.loads(wanted)[key]]
        raise WrongRun(
            f"{folder} holds another run: it differs in {', '.join(differing)}. Give another --out."
        )


def _packages() -> dict[str, str]:
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


class Plan:
    """trials.jsonl, written as the trials are reached and checked against on resume.

    Trials are a pure function of the settings, so a resumed run makes them again; the plan's
    lines must then be the same, one by one.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "trials.jsonl"
        cut_torn_line(self.path)
        self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        self._stored = self.path.open("rb")
        self._stored_bytes = self.path.stat().st_size
        self._line = 0

    def chunks(self, trials: Iterator[Trial]) -> Iterator[list[Trial]]:
        """The same trials in small lists; each is in the file before it is handed out."""
        while True:
            chunk = [trial for _, trial in zip(range(PLAN_CHUNK), trials, strict=False)]
            if not chunk:
                return
            new = b"".join(line for trial in chunk if (line := self._new_line(trial)))
            if new:
                try:
                    append_line(self._descriptor, new)
                except OSError as problem:
                    raise StorageFull(
                        f"Can't write {self.path}: {problem.strerror}. Make room and run again."
                    ) from None
            yield chunk

    def _new_line(self, trial: Trial) -> bytes:
        """The trial's line if the file lacks it; another trial in its place is an error."""
        self._line += 1
        if self._stored_bytes <= 0:
            return orjson.dumps(_slim(trial)) + b"\n"
        stored = self._stored.readline()
        self._stored_bytes -= len(stored)
        try:
            same = orjson.loads(stored)["id"] == trial.id
        except (orjson.JSONDecodeError, KeyError, TypeError):
            same = False
        if not same:
            raise WrongRun(
                f"{self.path}, line {self._line} is not the trial that this version of subitize "
                f"plans there ({trial.id}): the file is damaged or was planned by another version. "
                "Put back the file, or start a new run with another --out."
            )
        return b""

    def close(self) -> None:
        self._stored.close()
        os.close(self._descriptor)


def placed(trial: Trial, folder: Path) -> Trial:
    """The trial with the path of its file resolved; relative ones start at the run's folder."""
    path = trial.stimulus.path
    if path is None or Path(path).is_absolute() or not (folder / path).exists():
        return trial
    return replace(trial, stimulus=replace(trial.stimulus, path=str(folder / path)))


def _slim(trial: Trial) -> dict[str, Any]:
    entry: dict[str, Any] = {name: getattr(trial, name) for name in trial.__slots__}
    stimulus: dict[str, Any] = {"kind": trial.stimulus.kind, "recipe": trial.stimulus.recipe}
    if trial.stimulus.path:
        stimulus["path"] = trial.stimulus.path
    entry["stimulus"] = stimulus
    if not trial.options:
        del entry["options"]
    return entry
