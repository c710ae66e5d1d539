"""Download published files, checked before they get their name."""

from __future__ import annotations

import hashlib
import http.client
import io
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from subitize.datasets.archives import zip_members
from subitize.datasets.catalog import DATASETS, Dataset, RemoteFile
from subitize.errors import BadInput, SubitizeError, UnknownName
from subitize.files import read_bytes, write_whole

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
        _check(file, read_bytes(target, file.name), f"{target} is there already")
        tell(f"{target} is there already and right")
        return target
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise BadInput(f"Can't make {folder}: {problem.strerror}. Give another --out.") from None
    content = _downloaded(file, f"Download it on another machine and put it at {target}.")
    _check(file, content, file.url)
    write_whole(target, content, option="--out")
    tell(f"{target} downloaded and checked")
    return target


def _downloaded(file: RemoteFile, by_hand: str) -> bytes:
    try:
        with urllib.request.urlopen(file.url, timeout=SECONDS) as sent:
            content: bytes = sent.read(file.largest + 1)
    except urllib.error.HTTPError as problem:
        problem.close()
        said = f"answers {problem.code} {problem.reason}"
    except (OSError, http.client.HTTPException) as problem:
        reason = getattr(problem, "reason", None) or problem or type(problem).__name__
        said = f"can't be reached ({reason}): there seems to be no network"
    else:
        if len(content) <= file.largest:
            return content
        said = f"sends more than {file.largest:,} bytes: that is not the published file"
    raise SubitizeError(f"{file.url} {said}. {by_hand}")


def _check(file: RemoteFile, content: bytes, whence: str) -> None:
    """Raise if the content is not the published one."""
    if file.sha256 is not None:
        what = f"{whence} with another content than the published {file.name}"
        _same(file.sha256, content, what)
    if not file.members:
        return
    if not zipfile.is_zipfile(io.BytesIO(content)):
        raise BadInput(f"{whence}, but it is no zip archive: remove it and fetch again.")
    there, _ = zip_members(io.BytesIO(content), whence, file.members.__contains__)
    for member in there:
        _same(file.members[member.name], member.content, f"{whence}; its {member.where} is another")
    missing = sorted(set(file.members) - {member.name for member in there})
    if missing:
        raise BadInput(f"{whence}, but it lacks {', '.join(missing)}: remove it and fetch again.")


def _same(wanted: str, content: bytes, what: str) -> None:
    found = hashlib.sha256(content).hexdigest()
    if wanted != found:
        raise BadInput(f"{what}: its checksum is {found}, not {wanted}. Remove it and fetch again.")
