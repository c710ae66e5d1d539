"""Which files of a checkpoint hold the weights that are loaded, and how many numbers they hold.

Beside them may lie the same weights once more: in another format, in half precision, or as their
authors first wrote them. So the libraries' own choice is made here by the files' names alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from math import prod
from pathlib import Path, PurePosixPath
from pickle import UnpicklingError
from typing import Any

import orjson

VARIANT = re.compile(r"\.(fp16|bf16|fp32|ema|non_ema)[.-]")
"""names of the same weights in another form"""
USUAL = re.compile(r"(?:pytorch_|diffusion_pytorch_)?model(-\d+-of-\d+)?\.(?:safetensors|bin)")
"""what transformers and diffusers call them; parts of a whole are numbered"""
FORMATS = (".safetensors", ".bin")
"""the first that is there is loaded"""
HEADER = 100_000_000
"""bytes that the head of a safetensors file may have, by its format"""


def loaded(names: Sequence[str], parts: Sequence[str]) -> list[str]:
    """Of a checkpoint's files those that hold its weights, in each of the folders `parts`.

    >>> loaded(["model.safetensors", "pytorch_model.bin", "consolidated.safetensors"], ["."])
    ['model.safetensors']
    >>> loaded(["vae/a.bin", "vae/a.fp16.bin", "text_encoders/t5.safetensors"], ["vae"])
    ['vae/a.bin']
    """
    found: list[str] = []
    for part in parts:
        inside = [name for name in names if str(PurePosixPath(name).parent) == part]
        plain = [name for name in inside if not VARIANT.search(name)]
        kinds = [[name for name in plain if name.endswith(kind)] for kind in FORMATS]
        found += next((_usual(kind) for kind in kinds if kind), [])
    return found


def _usual(names: list[str]) -> list[str]:
    """Those with the libraries' own names where there are such: a whole, or else its parts."""
    known = {name: USUAL.fullmatch(PurePosixPath(name).name) for name in names}
    whole = [name for name, usual in known.items() if usual and usual[1] is None]
    return whole[:1] or [name for name, usual in known.items() if usual] or names


def parts_of(config: Mapping[str, Any], file: str) -> list[str]:
    """The folders that hold weights: a pipeline's model_index.json names one for each part.

    >>> parts_of({"_class_name": "X", "vae": ["diffusers", "AutoencoderKL"], "checker": [None] * 2},
    ...          "model_index.json")
    ['vae']
    """
    if file == "config.json":
        return ["."]
    named = [part for part, made in config.items() if isinstance(made, list) and any(made)]
    return [part for part in named if not part.startswith("_")]


def complete(folder: Path, parts: Sequence[str]) -> bool:
    """Whether a folder of the cache holds all weights: of many checkpoints only a config is kept.

    A part without a config.json, such as a tokenizer, has none.
    """
    return all(_complete(folder / part) for part in parts)


def _complete(part: Path) -> bool:
    if not (part / "config.json").is_file():
        return part.is_dir()
    lists = [*part.glob("*.index.json")]
    if not lists:
        return any(path.suffix in FORMATS for path in part.iterdir())
    return any(all((part / name).is_file() for name in _listed(path)) for path in lists)


def _listed(index: Path) -> set[str]:
    try:
        return {str(name) for name in orjson.loads(index.read_bytes())["weight_map"].values()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {""}  # is no file


def lacking(folder: Path) -> list[str]:
    """Files with weights that a folder should hold, by its lists, and does not."""
    if (folder / "config.json").is_file() and not any(
        path.name.endswith((".index.json", *FORMATS)) for path in folder.iterdir()
    ):
        return ["model.safetensors"]
    wanted = [
        path.with_name(name)
        for pattern in ("*.index.json", "*/*.index.json")
        for path in sorted(folder.glob(pattern))
        for name in sorted(_listed(path) - {""})
    ]
    return [path.relative_to(folder).as_posix() for path in wanted if not path.is_file()]


def numbers(paths: Sequence[Path]) -> int | None:
    """How many numbers files hold, without reading a weight; None where one is damaged."""
    counts = [
        _numbers(path) if path.suffix == FORMATS[0] else _numbers_of_older(path) for path in paths
    ]
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None


def _numbers(path: Path) -> int | None:
    """Of a safetensors file, by its head alone."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if not 2 <= length <= HEADER:
            return None
        try:
            return sum(_shapes(orjson.loads(file.read(length))))
        except (ValueError, TypeError, KeyError, AttributeError):
            return None


def _shapes(head: Mapping[str, Any]) -> Iterator[int]:
    for name, entry in head.items():
        if name != "__metadata__":
            yield prod(entry["shape"])


def _numbers_of_older(path: Path) -> int | None:
    """Of a file in torch's own format, without running a program."""
    import torch

    try:
        # on the device "meta" tensors have a shape and no content
        held = torch.load(path, map_location="meta", weights_only=True, mmap=True)
        return sum(one.numel() for one in held.values() if isinstance(one, torch.Tensor))
    except (OSError, RuntimeError, ValueError, AttributeError, UnpicklingError):
        return None
