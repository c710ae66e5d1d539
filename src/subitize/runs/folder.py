"""The run folder: which run it is (run.json), its plan (trials.jsonl), pictures received."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from shlex import quote
from typing import Any

import orjson

from subitize.benchmark import Benchmark, Settings
from subitize.disk import sync_folder
from subitize.errors import BadInput, StorageFull, WrongRun
from subitize.files import write_json, write_whole
from subitize.models.base import Kind, Model
from subitize.records import fingerprint
from subitize.runs.shards import WHOLE, slug

PACKAGES = ("subitize", "numpy", "aiohttp", "scipy", "torch", "transformers", "inspect_ai")
LISTS = {"readers": ("name", "settings_hash"), "respondents": ("name", "settings_hash")}
"""lists of run.json, with what each of their entries must have"""
STUDY = ("trials", "annotators")
"""what run.json says of people's study: trials that it planned, and people per trial"""
FORMAT = 2
"""of run folders: goes up when a reader of the old one would go wrong"""


def model_identity(model: Model) -> dict[str, Any]:
    """What a respondent is: its name, settings and weights."""
    return {"name": model.respondent, "settings": model.settings, "revision": model.revision}


def identity(
    benchmark: Benchmark[Any],
    settings: Settings,
    model: Model,
    kind: Kind,
    helpers: Mapping[str, Model],
) -> dict[str, Any]:
    """What decides whether a run may be resumed: nothing else does.

    Of the helpers only those whose answers enter questions are a part of it.
    """
    parts: dict[str, Any] = {
        "benchmark": benchmark.NAME,
        "version": benchmark.VERSION,
        "kind": kind,
        "settings": settings.identity(),
        "model": model_identity(model),
    }
    asked = {
        role: model_identity(helper)
        for role, helper in helpers.items()
        if benchmark.HELPERS[role].setting
    }
    return parts | ({"helpers": asked} if asked else {})


def folder_name(parts: Mapping[str, Any]) -> str:
    """A readable slug plus a short hash, and which shard it is."""
    whole = {key: value for key, value in parts.items() if key != "shard"}
    title = f"{parts['benchmark']}-{parts['model']['name']}"
    return slug(title, whole, tuple(parts.get("shard", WHOLE)))


def store_picture(folder: Path, picture: bytes, ending: str) -> str:
    """Keep a received picture under its content's hash; its file name."""
    images = folder / "images"
    try:
        images.mkdir()
        sync_folder(folder)
    except FileExistsError:
        pass
    except OSError as problem:
        raise StorageFull(f"Can't make {images}: {problem.strerror}.") from None
    name = f"{hashlib.sha256(picture).hexdigest()}.{ending}"
    if not (images / name).exists():
        write_whole(images / name, picture)
    return name


def read_info(folder: Path) -> dict[str, Any]:
    """run.json, or a clear word about what is wrong with the folder."""
    path, info = folder / "run.json", read_any_info(folder)
    if "format" not in info and "benchmark" in info:
        raise WrongRun(
            f"{folder} is a run folder of format 1: turn it into today's form, without a call, "
            f"with `subitize import run {quote(str(folder))} --out DIR`."
        )
    if info.get("format", FORMAT) != FORMAT:
        raise WrongRun(
            f"{path} has the format {info['format']!r}, but this version of subitize knows "
            f"{FORMAT}: use the version that made it, or a newer one."
        )
    check_info(path, info)
    return info


def read_any_info(folder: Path) -> dict[str, Any]:
    """run.json of whichever version, unchecked."""
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
    except OSError as problem:
        raise WrongRun(
            f"{path} can't be read: {problem.strerror or problem}. Give another run folder."
        ) from None
    except orjson.JSONDecodeError:
        raise WrongRun(
            f"{path} is damaged: it is not JSON. Put back a copy of it; the responses beside it "
            "are untouched."
        ) from None
    return info if isinstance(info, dict) else {}


def check_info(path: Path, info: Mapping[str, Any]) -> None:
    """That a run.json has what every run has."""
    missing = _missing(info)
    if missing:
        raise WrongRun(
            f"{path} is damaged: it lacks {', '.join(missing)}. Put back a copy of it; the "
            "responses beside it are untouched."
        )


def _missing(info: Mapping[str, Any]) -> list[str]:
    """What run.json lacks, or has in another form than we write."""
    held = {"benchmark": str, "version": str, "model": dict, "settings": dict}
    missing = [key for key, kind in held.items() if not isinstance(info.get(key), kind)]
    model = info.get("model")
    if isinstance(model, dict) and not (
        isinstance(model.get("name"), str)
        and isinstance(model.get("settings"), dict)
        and isinstance(model.get("revision", 0), str | None)
    ):
        missing.append("model (name, settings, revision)")
    for key, fields in LISTS.items():
        listed = info.get(key, [])
        if not isinstance(listed, list) or not all(
            isinstance(one, dict) and all(isinstance(one.get(field), str) for field in fields)
            for one in listed
        ):
            missing.append(f"{key} (a list of objects with {', '.join(fields)})")
    if not isinstance(info.get("decisions", {}), dict):
        missing.append("decisions (an object)")
    study = info.get("study", dict.fromkeys(STUDY, 0))
    if not isinstance(study, dict) or not all(isinstance(study.get(one), int) for one in STUDY):
        missing.append(f"study (an object with {', '.join(STUDY)})")
    ended = info.get("ended", [])
    if not isinstance(ended, list) or not all(isinstance(one, str) for one in ended):
        missing.append("ended (a list of stages)")
    texts = ("kind", "reader", "endpoint")
    missing += [key for key in texts if not isinstance(info.get(key), str | None)]
    if not isinstance(info.get("parameters"), int | float | None):
        missing.append("parameters (a number)")
    return missing


def stored_settings(benchmark: Benchmark[Any], folder: Path, info: Mapping[str, Any]) -> Settings:
    """The settings of a run; what can't be one is told as damage, whatever it breaks."""
    try:
        found: Settings = benchmark.settings_from(info["settings"])
    except (TypeError, ValueError, AttributeError, LookupError) as problem:
        raise WrongRun(
            f"{folder / 'run.json'} is damaged: its settings can't be used ({problem}). Put back a "
            "copy of it; the responses beside it are untouched."
        ) from None
    return found


def counted_respondents(info: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Whose answers are scored: the model's, or those of the people in the run's list."""
    listed = info.get("respondents")
    if listed:
        return [(str(one["name"]), str(one["settings_hash"])) for one in listed]
    model = info["model"]
    return [(str(model["name"]), fingerprint([model["settings"], model["revision"]], 12))]


def as_created(time: str) -> str:
    """A time of ISO 8601 in UTC as run.json has it: DuckDB gives one with an offset to nobody who
    lacks pytz, and leaves these words as they are."""
    return f"{time[:19].replace('T', ' ')} UTC"


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
            sync_folder(parent)
        except (FileExistsError, NotADirectoryError):
            raise WrongRun(f"{folder} can't be made: a file is in the way.") from None
        except OSError as problem:
            raise StorageFull(f"Can't make {folder}: {problem.strerror}.") from None
        packages = {name: found for name in PACKAGES if (found := installed(name))}
        head = {"format": FORMAT, **parts, **extra, "readers": []}
        run = cls(folder, {**head, "decisions": {}, "packages": packages})
        run.info["created"] = as_created(datetime.now(UTC).isoformat())
        run.save()
        return run

    @classmethod
    def at(cls, folder: Path) -> RunFolder:
        """A run's folder that is there."""
        return cls(folder, read_info(folder))

    def update(self, **entries: Any) -> None:
        """Write what changed in run.json; nothing is written where nothing did."""
        if any(self.info.get(name) != value for name, value in entries.items()):
            self.info.update(entries)
            self.save()

    @property
    def respondents(self) -> list[tuple[str, str]]:
        """Name and settings hash of those whose answers are scored."""
        return counted_respondents(self.info)

    @property
    def decisions(self) -> dict[str, Any]:
        return dict(self.info.get("decisions", {}))

    def decide(self, name: str, value: Any) -> None:
        """Write a decision down, once."""
        self.info["decisions"] = {**self.decisions, name: value}
        self.save()

    def save(self) -> None:
        write_json(self.path / "run.json", self.info)


@contextmanager
def imported(
    out: Path, parts: dict[str, Any], extra: Mapping[str, Any], what: str
) -> Iterator[RunFolder]:
    """A run folder of something brought from elsewhere, which comes to stand under `out` as a
    whole or not at all."""
    draft = out / f".{parts['benchmark']}.part"
    try:
        shutil.rmtree(draft, ignore_errors=True)
        run = RunFolder.open(draft, parts, extra)
        folder = out / run.path.name
        if folder.exists():
            raise BadInput(f"{folder} is there already: these {what} are imported.")
        yield run
        run.path = run.path.rename(folder)
    except OSError as problem:
        raise BadInput(f"Can't write to {out}: {problem.strerror}. Give another --out.") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _check_same(folder: Path, info: Mapping[str, Any], parts: Mapping[str, Any]) -> None:
    stored = orjson.dumps({key: info.get(key) for key in parts}, option=orjson.OPT_SORT_KEYS)
    wanted = orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)
    if stored != wanted:
        differing = [key for key in parts if info.get(key) != orjson.loads(wanted)[key]]
        raise WrongRun(
            f"{folder} holds another run: it differs in {', '.join(differing)}. Give another --out."
        )


def installed(package: str) -> str | None:
    """The version of a package, where there is one."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None
