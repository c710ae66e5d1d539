"""What a checkpoint is, told before any weight is downloaded or loaded: its config and its size.

A folder is read as it lies. Of an id of the hub the local cache is asked first; else the hub, once
and within seconds, and only the small config file is downloaded.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from subitize.errors import BadInput, SubitizeError
from subitize.models.checkpoints import SECONDS, first_line, hub_cache, revision_of_hub
from subitize.models.hf.weights import FORMATS, complete, loaded, numbers, parts_of

KINDS: Mapping[str, str] = {"config.json": "hf", "model_index.json": "diffusers"}
"""files that tell what a checkpoint is → the family of models that opens it"""
ADAPTER = "adapter_config.json"


class Facts(NamedTuple):
    """What is known of a checkpoint before it is loaded."""

    config: Mapping[str, Any]
    """the content of its config.json (or model_index.json)"""
    where: str
    """folder, cache (all weights are there) or hub"""
    commit: str = ""
    """of the hub"""
    weights: int | None = None
    """how many numbers its files of weights hold"""
    size: int | None = None
    """bytes of the files of weights that are loaded"""

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
        if (kept / file).is_file() and complete(kept, parts_of(_read(kept, file), file)):
            return _in_folder(kept, file, "cache", commit)
    here = folder.parent
    if commit is None and not revision and here != Path() and here.is_dir():
        there = ", ".join(sorted(path.name for path in here.iterdir() if path.is_dir())[:5])
        raise BadInput(
            f"There is no folder {source} ({here} holds {there or 'no folder'}): mend the name, or "
            "add revision=main to it where the Hugging Face hub's is meant."
        )
    return _on_hub(source, revision or None, file)


def _check_files(source: str, names: Collection[str], file: str) -> None:
    """Refuse what is no whole checkpoint of the kind that was named."""
    if ADAPTER in names and (file not in names or find_spec("peft") is None):
        beside = ", which would be left out: pip install peft, or " if file in names else " alone: "
        raise BadInput(
            f"{source} holds an adapter ({ADAPTER}){beside}merge it into its base model "
            "(peft's merge_and_unload), write that and its processor by save_pretrained, and name "
            "their folder."
        )
    other = next((one for one in KINDS if one in names), file)
    if file not in names and other != file:
        raise BadInput(
            f"{source} holds {other} and no {file}: it opens as {KINDS[other]}/{source}."
        )


def _in_folder(folder: Path, file: str, where: str, commit: str = "") -> Facts:
    _check_files(str(folder), {path.name for path in folder.iterdir()}, file)
    config = _read(folder, file)
    names = [path.relative_to(folder).as_posix() for path in folder.glob("*") if path.is_file()]
    names += [path.relative_to(folder).as_posix() for path in folder.glob("*/*") if path.is_file()]
    files = [folder / name for name in loaded(sorted(names), parts_of(config, file))]
    size = sum(path.stat().st_size for path in files)
    known = None if _packed(config) else numbers(files)
    return Facts(config, where, commit, known, size or None)


def _packed(config: Mapping[str, Any]) -> bool:
    """Whether one number of a file may stand for several weights, as where they have four bits.

    >>> _packed({"quantization_config": {"quant_method": "awq"}}), _packed({})
    (True, False)
    """
    how = config.get("quantization_config")
    return isinstance(how, dict) and "fp8" not in str(how.get("quant_method"))


def _read(folder: Path, file: str) -> dict[str, Any]:
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
    return config


def _on_hub(source: str, revision: str | None, file: str) -> Facts:
    from huggingface_hub import HfApi, hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

    # the errors of whichever HTTP library the hub's own uses
    bases: tuple[type[Exception], ...] = HfHubHTTPError.__bases__
    try:
        hub = HfApi()
        told = hub.model_info(source, revision=revision, timeout=SECONDS, files_metadata=True)
        _check_files(source, {one.rfilename for one in told.siblings or ()}, file)
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
    sizes = {one.rfilename: one.size or 0 for one in told.siblings or ()}
    files = loaded(sorted(sizes), parts_of(config, file))
    known = None
    if not _packed(config):
        known = getattr(told.safetensors, "total", None) if file == "config.json" else None
        known = known or _numbers_on_hub(hub, source, str(told.sha), files)
    return Facts(config, "hub", str(told.sha), known, sum(sizes[name] for name in files) or None)


def _numbers_on_hub(hub: Any, source: str, commit: str, files: Sequence[str]) -> int | None:
    """How many numbers files of the hub hold, by the heads of safetensors files alone."""
    from huggingface_hub.errors import HfHubHTTPError, SafetensorsParsingError

    if not files or not all(name.endswith(FORMATS[0]) for name in files):
        return None
    broken: tuple[type[Exception], ...] = HfHubHTTPError.__bases__
    broken += (SafetensorsParsingError, ValueError)
    known = 0
    try:
        for name in files:
            head = hub.parse_safetensors_file_metadata(
                source, name, revision=commit, timeout=SECONDS
            )
            known += sum(head.parameter_count.values())
    except broken:
        return None  # its size in bytes is known all the same
    return known


def _absent(source: str, why: str) -> SubitizeError:
    return BadInput(
        f"The weights of {source!r} are not on this machine, and the hub can't be reached ({why}). "
        f"On a machine with a network run  hf download {source} --local-dir FOLDER  , copy FOLDER "
        "here, and name it instead of the id."
    )
