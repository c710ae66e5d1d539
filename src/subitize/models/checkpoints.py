"""Which weights a model has, and models that load them by `from_pretrained`.

A folder is known by the content of all its files, an id of Hugging Face's hub by its commit. So
other weights, in whichever file, are another model, and no run is resumed on them.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import orjson

from subitize.errors import BadInput, Hopeless, MissingExtra, ModelError, SubitizeError, Unable
from subitize.files import write_whole
from subitize.models.base import Model, ModelOptions
from subitize.models.hf.weights import lacking
from subitize.records import fingerprint

# Else the hub's library first asks it by which agent it is called, for up to three seconds.
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
SECONDS = 4.0
"""that the hub may take to name a commit"""
BROKEN = (OSError, ValueError, RuntimeError, KeyError, TypeError, ImportError, AttributeError)
"""what the loading code of a checkpoint raises where its files are not what they should be"""
LINE = 200
"""characters of a library's message that are told"""
SETTLED = 2_000_000_000
"""nanoseconds: a file changed less than this ago may change again within the clock's grain"""


def _caches() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def revision_of(folder: Path) -> str | None:
    """A hash of all files of a checkpoint; None if there is no such folder.

    Hidden and lock files are left out, links are followed.
    """
    if not folder.is_dir():
        return None
    try:
        files = {path.relative_to(folder).as_posix(): path for path in _files(folder)}
        return fingerprint(hashes_of(files, folder), 12)
    except OSError as problem:
        raise BadInput(
            f"The checkpoint {folder} can't be read whole ({problem.filename}: "
            f"{problem.strerror}): download it again."
        ) from None


def hashes_of(files: Mapping[str, Path], folder: Path) -> dict[str, str]:
    """What each file's content hashes to, by its name.

    That is kept in the user's cache, by the folder they belong to, as long as a file's size, times
    and inode stay, so that ten gigabytes are read once.
    """
    kept = _caches() / "subitize" / "weights" / f"{fingerprint(str(folder.resolve()))}.json"
    known = _remembered(kept)
    found: dict[str, list[Any]] = {}
    for name, path in files.items():
        seen = path.stat()
        mark = [seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino]
        same = name in known and known[name][:-1] == mark
        found[name] = [*mark, known[name][-1] if same else _sha256(path)]
    settled = {name: e for name, e in found.items() if time.time_ns() - e[1] > SETTLED}
    if settled != known:
        with suppress(OSError, SubitizeError):  # without a cache the next call reads all again
            kept.parent.mkdir(parents=True, exist_ok=True)
            write_whole(kept, orjson.dumps(settled))
    return {name: entry[-1] for name, entry in found.items()}


def _remembered(kept: Path) -> dict[str, list[Any]]:
    """What an earlier call found; nothing where that is damaged."""
    try:
        known = orjson.loads(kept.read_bytes())
        sound = all(len(entry) == 5 and len(entry[-1]) == 64 for entry in known.values())
    except (OSError, ValueError, AttributeError, TypeError):
        return {}
    return known if sound else {}


def _files(folder: Path, above: frozenset[Path] = frozenset()) -> Iterator[Path]:
    """Every file that counts, also behind links to other folders; a circle of them ends."""
    real = folder.resolve()
    for path in sorted(folder.iterdir()) if real not in above else ():
        if path.name.startswith(".") or path.suffix == ".lock" or path.name == "__pycache__":
            continue
        if path.is_dir():
            yield from _files(path, above | {real})
        elif path.is_file() or path.is_symlink():
            yield path


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def revision_of_hub(identity: str, revision: str = "") -> str | None:
    """The commit that an id of the hub and a branch, tag or commit stand for in the local cache.

    Nothing is imported or downloaded; None where the cache does not know it.
    """
    kept = hub_cache(identity)
    if (kept / "snapshots" / (revision or ".")).is_dir() and _is_commit(revision):
        return revision
    try:
        commit = (kept / "refs" / (revision or "main")).read_text("ascii").strip()
    except (OSError, ValueError):
        return None
    return commit if _is_commit(commit) else None


def hub_cache(identity: str) -> Path:
    """Where the hub's own library keeps what it downloaded of an id."""
    home = os.environ.get("HF_HOME") or _caches() / "huggingface"
    cache = Path(os.environ.get("HF_HUB_CACHE") or Path(home) / "hub")
    return cache / f"models--{identity.replace('/', '--')}"


def _is_commit(text: str) -> bool:
    return re.fullmatch("[0-9a-f]{40}", text) is not None


def needs_torch(what: str, extra: str = "hf") -> None:
    """Say what to install where weights can't be loaded."""
    for package in ("torch", "transformers"):
        if find_spec(package) is None:
            raise MissingExtra(what, package, extra)


def check_code(name: str, own: bool, options: ModelOptions) -> None:
    """A checkpoint that brings program code of its own is opened only where that may run."""
    if own and not options.trust_remote_code:
        raise BadInput(own_code(name))


def own_code(name: str) -> str:
    return (
        f"{name} comes with program code of its own, which would run on this machine: read it, "
        "then give --trust-remote-code; or serve the model elsewhere (openai/NAME --base-url "
        "URL, counter/http?url=URL)."
    )


class Checkpoint(Model):
    """A model whose weights are in a folder or on the hub; a subclass writes `load`."""

    isolated = True
    trusted: bool = False
    """whether code that comes with the checkpoint may run; transformers would ask at the keyboard
    where it is not told"""

    def __init__(self, name: str, settings: Mapping[str, Any], source: str, revision: str) -> None:
        super().__init__(name, settings)
        self.source = source
        self._wanted: dict[str, Any] = {"revision": revision} if revision else {}
        self._parts: Any = None
        self.revision = revision_of(Path(source)) or self._commit(revision) or revision or None

    def _commit(self, revision: str) -> str | None:
        """The commit, asked of the hub where the cache lacks it; what is loaded is pinned to it."""
        found = revision_of_hub(self.source, revision)
        if found is None:
            from huggingface_hub import HfApi
            from huggingface_hub.errors import HfHubHTTPError

            # what can't be reached can't be loaded either, and is told then
            with suppress(*HfHubHTTPError.__bases__, ValueError):
                hub = HfApi()
                found = hub.model_info(self.source, revision=revision or None, timeout=SECONDS).sha
        if found is not None:
            self._wanted = {"revision": found}
        return found

    @property
    def trust(self) -> dict[str, bool]:
        """The same as `from_pretrained` takes it."""
        return {"trust_remote_code": self.trusted}

    async def open(self) -> None:
        _ = self.parts

    @cached_property
    def _reached(self) -> dict[str, Any]:
        """How weights are asked for: what a hub that can't be reached lacks is not waited for.

        Its library would ask it again for every small file, for minutes, though the cache has all.
        """
        if Path(self.source).is_dir():
            return self._wanted
        from huggingface_hub import HfApi

        try:
            HfApi().model_info(self.source, timeout=SECONDS, **self._wanted)
        except Exception:  # whichever errors its HTTP library has, a refusal too
            return {**self._wanted, "local_files_only": True}
        return self._wanted

    @property
    def repair(self) -> str:
        """What to do where it can't be loaded."""
        return "give the id of one of this kind on the Hugging Face hub, or a folder with its files"

    def load(self) -> Any:
        """Everything it computes with."""
        raise NotImplementedError

    @property
    def parts(self) -> Any:
        """What `load` gave, loaded once."""
        if self._parts is None:
            try:
                self._parts = self.load()
            except SubitizeError:
                raise
            except Exception as problem:  # whichever errors the libraries of its formats have
                # a part of it may bring code, too: a tokenizer, a processor, one of a pipeline's
                if "custom code" in str(problem) and not self.trusted:
                    raise Hopeless(own_code(repr(self.source))) from None
                if absent := lacking(Path(self.source)):
                    raise Hopeless(
                        f"The checkpoint {self.source!r} lacks {len(absent)} of its files of "
                        f"weights (the first is {absent[0]}): download the whole folder again."
                    ) from None
                raise Hopeless(
                    f"The checkpoint {self.source!r} can't be loaded ({first_line(problem)}): "
                    f"{self.repair}."
                ) from None
        return self._parts

    def pretrained(self, kind: Any, **options: Any) -> Any:
        """A part of the checkpoint, by its class in transformers."""
        return kind.from_pretrained(self.source, **self._reached, **options)


def first_line(problem: Exception) -> str:
    if isinstance(problem, UnpicklingError):
        return "its .bin file holds more than weights, or is damaged; nothing else is unpacked"
    said, *more = (str(problem).strip() or type(problem).__name__).splitlines()
    if said.rstrip().endswith(":"):  # what follows is a list
        said = " ".join([said, *more])
    return said if len(said) <= LINE else said[:LINE].rsplit(" ", 1)[0] + " …"


def check_numbers(*found: Any) -> None:
    """Scores that are no numbers lie below every other: they must not be read as an answer."""
    if any(bool((one != one).any()) for one in found):  # noqa: PLR0124 - of NumPy and torch alike
        raise ModelError(
            "what the model computed is no numbers: its weights are damaged, or too large for "
            "their dtype (where it has that setting, try dtype=float32)"
        )


def check_weights(source: str, loaded: Mapping[str, Any], own: bool = False) -> None:
    """Weights that the file lacks would be random numbers: then nothing it says means anything.

    `own`: program code came with them, which did not run.
    """
    lacking = sorted(map(str, loaded.get("missing_keys") or ()))
    lacking += sorted(map(str, loaded.get("mismatched_keys") or ()))
    if lacking:
        raise Unable(
            f"The checkpoint {source!r} lacks {len(lacking)} of the model's weights (the first is "
            f"{lacking[0]}): it would answer by random ones. Give a complete checkpoint "
            "of this kind, in the format of transformers"
            + (", or read its own program code, then give --trust-remote-code." if own else ".")
        )


def placed(model: Any, device: str) -> Any:
    """The model where it is to compute: by itself on a graphics card where there is one."""
    import torch

    if device == "auto":
        apple = torch.backends.mps.is_available()
        device = "cuda" if torch.cuda.is_available() else "mps" if apple else "cpu"
    try:
        return model.eval().to(device)
    except (RuntimeError, AssertionError, ValueError) as problem:
        raise Hopeless(
            f"device={device} can't be used ({first_line(problem)}): give device=cpu."
        ) from None
