"""What a checkpoint is, told before any weight is downloaded or loaded: its config and its size.

A folder is read as it lies. Of an id of the hub the local cache is asked first; else the hub, once
and within seconds, and only the small config file is downloaded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from math import prod
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, NamedTuple

import orjson

from subitize.errors import BadInput, SubitizeError
from subitize.models.checkpoints import SECONDS, first_line, hub_cache, revision_of_hub

VARIANT = re.compile(r"\.(fp16|bf16|fp32|ema|non_ema)[.-]")
"""names of the same weights in another form"""
HEADER = 100_000_000
"""bytes that the head of a safetensors file may have, by its format"""


class Facts(NamedTuple):
    """What is known of a checkpoint before it is loaded."""

    config: Mapping[str, Any]
    """the content of its config.json (or model_index.json)"""
    where: str
    """folder, cache or hub"""
    commit: str = ""
    """of the hub"""
    weights: int | None = None
    """how many numbers its files of weights hold"""
    size: int | None = None
    """bytes of its weights on disk, where they are here"""

    @property
    def parameters(self) -> float | None:
        """Billions of parameters, with the digits that one would print."""
        return None if self.weights is None else float(f"{self.weights / 1e9:.4g}")


def look(source: str, revision: str = "", file: str = "config.json") -> Facts:
    """The facts of a folder or of an id of the hub."""
    folder = Path(source)
    if folder.is_dir():
        return _in_folder(folder, file, "folder")
    if source.startswith(("/", "./", "../", "~")) or source.count("/") > 1:
        raise BadInput(f"There is no folder {source}: give one that holds a checkpoint.")
    commit = revision_of_hub(source, revision)
    if commit is not None:
        kept = hub_cache(source) / "snapshots" / commit
        if (kept / file).is_file():
            return _in_folder(kept, file, "cache", commit)
    return _on_hub(source, revision or None, file)


def _in_folder(folder: Path, file: str, where: str, commit: str = "") -> Facts:
    try:
        config = orjson.loads((folder / file).read_bytes())
    except OSError:
        raise BadInput(
            f"{folder} holds no {file}: give a folder as `save_pretrained` writes it, or an id of "
            "the Hugging Face hub."
        ) from None
    except ValueError:
        config = None
    if not isinstance(config, dict):
        raise BadInput(f"{folder / file} is no JSON object: download the checkpoint again.")
    # a pipeline keeps its parts in folders; beside them may lie the same weights once more
    pattern = "*.safetensors" if file == "config.json" else "*/*.safetensors"
    found = [path for path in folder.glob(pattern) if path.is_file()]
    files = [path for path in found if not VARIANT.search(path.name)]
    counts = [_numbers(path) for path in files]
    known = sum(count for count in counts if count) if files and None not in counts else None
    older = [*folder.glob(pattern.replace("safetensors", "bin"))]
    if not files and older:
        known = _numbers_of_older(older)
    every = [*files, *older]
    return Facts(config, where, commit, known, sum(path.stat().st_size for path in every) or None)


def _numbers(path: Path) -> int | None:
    """How many numbers a safetensors file holds, by its head alone; None where that is damaged."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if not 2 <= length <= HEADER:
            return None
        try:
            head = orjson.loads(file.read(length))
            return sum(_shapes(head))
        except (ValueError, TypeError, KeyError, AttributeError):
            return None


def _numbers_of_older(paths: Sequence[Path]) -> int | None:
    """The same of files in torch's own format, without reading a weight or running a program."""
    import torch

    known = 0
    try:
        for path in paths:
            # on the device "meta" tensors have a shape and no content
            held = torch.load(path, map_location="meta", weights_only=True, mmap=True)
            known += sum(one.numel() for one in held.values() if isinstance(one, torch.Tensor))
    except (OSError, RuntimeError, ValueError, AttributeError, UnpicklingError):
        return None
    return known


def _shapes(head: Mapping[str, Any]) -> Iterator[int]:
    for name, entry in head.items():
        if name != "__metadata__":
            yield prod(entry["shape"])


def _on_hub(source: str, revision: str | None, file: str) -> Facts:
    from huggingface_hub import HfApi, hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

    # the errors of whichever HTTP library the hub's own uses
    bases: tuple[type[Exception], ...] = HfHubHTTPError.__bases__
    try:
        told = HfApi().model_info(source, revision=revision, timeout=SECONDS)
        # by its branch, not by its commit: then the cache knows what the branch stood for
        kept = hf_hub_download(source, file, revision=revision, etag_timeout=SECONDS)
        config = orjson.loads(Path(kept).read_bytes())
    except OfflineModeIsEnabled:
        raise _absent(source, "HF_HUB_OFFLINE is set") from None
    except HfHubHTTPError as problem:
        status = getattr(problem.response, "status_code", 0)
        if status in (401, 403, 404):
            raise BadInput(
                f"The hub has no model {source!r} that you may read, or it has no {file} (status "
                f"{status}): check the id on https://huggingface.co, or log in with `hf auth "
                "login` where its licence must be accepted first."
            ) from None
        raise _absent(source, first_line(problem)) from None
    except ValueError as problem:
        raise BadInput(f"The {file} of {source!r} can't be read: {first_line(problem)}") from None
    except bases as problem:
        raise _absent(source, first_line(problem)) from None
    if not isinstance(config, dict):
        raise BadInput(f"The {file} of {source!r} is no JSON object: this is no such checkpoint.")
    return Facts(config, "hub", str(told.sha), getattr(told.safetensors, "total", None))


def _absent(source: str, why: str) -> SubitizeError:
    return BadInput(
        f"The weights of {source!r} are not on this machine, and the hub can't be reached ({why}). "
        f"On a machine with a network run  hf download {source} --local-dir FOLDER  , copy FOLDER "
        "here, and name it instead of the id."
    )
