"""`--from FILE`: a command's options out of a TOML file, or out of the run.json of a run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import orjson

from subitize.errors import BadInput, UnknownName
from subitize.files import decoded, read_bytes, read_json, read_toml
from subitize.models.names import parse_name
from subitize.runs.folder import read_info

SETTINGS = "set"


def shown(default: Any) -> str:
    """A default as `--set` takes it."""
    if isinstance(default, tuple):
        return ",".join(map(str, default))
    return str(default).lower() if isinstance(default, bool) else str(default)


def options_from(
    path: Path, known: Mapping[str, str], declared: Callable[[object], Collection[str]]
) -> dict[str, Any]:
    """Options by the names that the command gives them; `known`: the flag's name → parameter.

    What is none of them and a setting that the file's benchmark has `declared` is as if in `set`.
    """
    if path.is_dir():
        path = path / "run.json"
    what, example = "the file of --from", 'benchmark = "naming", model = "openai/llava"'
    if decoded(read_bytes(path, what), str(path)).lstrip().startswith("{"):
        found = _repeated(path)
    else:
        found = read_toml(path, what, f"Give a run.json, or lines such as {example}, per_cell = 5.")
    options: dict[str, Any] = {}
    settings: dict[str, Any] = {}
    for key, value in found.items():
        flag = key.replace("-", "_")
        if flag not in known and flag in declared(found.get("benchmark")):
            settings[flag] = value
            continue
        if flag not in known:
            raise UnknownName(f"option in {path}", key, known)
        options[known[flag]] = _as_given(value, flag, path)
    if settings:
        name = known[SETTINGS]
        options[name] = [*options.get(name, ()), *_as_given(settings, SETTINGS, path)]
    return options


def _as_given(value: Any, flag: str, path: Path) -> Any:
    """A value as the command line would have it."""
    if isinstance(value, Mapping):
        if flag == "extra_body":
            return orjson.dumps(dict(value)).decode()
        if flag != SETTINGS:
            raise BadInput(f"{path}: {flag} is a table; only set and extra_body may be one.")
        return [f"{name}={shown(tuple(one) if isinstance(one, list) else one)}"
                for name, one in value.items()]  # fmt: skip
    many = flag in (SETTINGS, "model", "base_url", "api_key_env", "header")
    if isinstance(value, list):
        return [str(one) for one in value] if many else ",".join(map(str, value))
    return [str(value)] if many else value


def _repeated(path: Path) -> dict[str, Any]:
    """What a run's own file says it was: benchmark, settings, model, server and its options."""
    info = read_info(path.parent) if path.name == "run.json" else _loaded(path)
    model = info["model"]
    found: dict[str, Any] = {
        "benchmark": info["benchmark"],
        "model": [model["name"]],
        SETTINGS: info["settings"],
    }
    named = parse_name(model["name"]).settings
    beside = {key: value for key, value in model["settings"].items() if key not in named}
    found |= {key: beside.pop(key) for key in ("temperature", "max_tokens") if key in beside}
    if info.get("endpoint"):
        found["base_url"] = info["endpoint"]
        if beside:
            found["extra_body"] = beside
    return found


def _loaded(path: Path) -> dict[str, Any]:
    """A copy of a run.json under another name."""
    info = read_json(path, "the file of --from")
    parts = isinstance(info, dict) and all(
        isinstance(info.get(key), kind)
        for key, kind in (("benchmark", str), ("model", dict), ("settings", dict))
    )
    if not parts or not {"name", "settings"} <= info["model"].keys():
        raise BadInput(f"{path} is no run.json: it lacks benchmark, model or settings.")
    return dict(info)
