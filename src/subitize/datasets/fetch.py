"""Download published files, checked before they get their name."""

from __future__ import annotations

import hashlib
import http.client
import os
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from subitize.datasets.archives import members
from subitize.datasets.catalog import DATASETS, Dataset, RemoteFile
from subitize.errors import BadInput, SubitizeError, UnknownName

__all__ = ["fetch", "fetch_file", "find_dataset"]

CHUNK = 1 << 16
SECONDS = 30.0


def find_dataset(name: str) -> Dataset:
    """A data set of the catalog."""
    if name not in DATASETS:
        raise UnknownName("data set", name, DATASETS)
    return DATASETS[name]


def fetch(
    name: str,
    folder: Path,
    *,
    base_url: str | None = None,
    tell: Callable[[str], None] = lambda message: None,
) -> list[Path]:
    """Every file of a data set in `folder`; files that are there already and right are kept.

    `base_url` is a mirror that has the files under their names.
    """
    found = []
    for file in find_dataset(name).files:
        wanted = file if base_url is None else replace(file, url=f"{base_url}/{file.name}")
        found.append(fetch_file(wanted, folder, tell=tell))
    return found


def fetch_file(
    file: RemoteFile, folder: Path, *, tell: Callable[[str], None] = lambda message: None
) -> Path:
    """One file, downloaded unless it is there; a file with another content is never left behind."""
    target = folder / file.name
    if target.exists():
        _check(file, target, f"{target} is there already")
        tell(f"{target} is there already and right")
        return target
    part = folder / f".{file.name}.part"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _download(file, part)
        _check(file, part, file.url)
        os.replace(part, target)
    except OSError as problem:
        raise BadInput(f"Can't write {target}: {problem.strerror or problem}.") from None
    finally:
        part.unlink(missing_ok=True)
    tell(f"{target} downloaded and checked")
    return target


def _download(file: RemoteFile, part: Path) -> None:
    by_hand = f"Download it on another machine and put it at {part.parent / file.name}."
    size = 0
    try:
        with (
            urllib.request.urlopen(file.url, timeout=SECONDS) as answer,
            part.open("wb") as target,
        ):
            while piece := answer.read(CHUNK):
                size += len(piece)
                if size > file.largest:
                    raise SubitizeError(
                        f"{file.url} sends more than {file.largest:,} bytes: that is not the "
                        f"published file. {by_hand}"
                    )
                target.write(piece)
            target.flush()
            os.fsync(target.fileno())
    except urllib.error.HTTPError as problem:
        problem.close()
        raise SubitizeError(
            f"{file.url} answers {problem.code} {problem.reason}. {by_hand}"
        ) from None
    except (
        urllib.error.URLError,
        TimeoutError,
        ConnectionError,
        http.client.HTTPException,
    ) as error:
        reason = getattr(error, "reason", None) or error or type(error).__name__
        raise SubitizeError(
            f"{file.url} can't be reached ({reason}): there seems to be no network. {by_hand}"
        ) from None


def _check(file: RemoteFile, path: Path, whence: str) -> None:
    """Raise if the content is not the published one."""
    if file.sha256 is not None:
        found = hashlib.sha256(path.read_bytes()).hexdigest()
        _same(file.sha256, found, f"{whence} with another content than the published {file.name}")
    if not file.members:
        return
    if not zipfile.is_zipfile(path):
        raise BadInput(f"{whence}, but it is no zip archive: remove it and fetch again.")
    there, _ = members(path, lambda name: name in file.members)
    for member in there:
        found = hashlib.sha256(member.content).hexdigest()
        _same(file.members[member.name], found, f"{whence}; its {member.where} is another")
    missing = sorted(set(file.members) - {member.name for member in there})
    if missing:
        raise BadInput(f"{whence}, but it lacks {', '.join(missing)}: remove it and fetch again.")


def _same(wanted: str, found: str, what: str) -> None:
    if wanted != found:
        raise BadInput(f"{what}: its checksum is {found}, not {wanted}. Remove it and fetch again.")
