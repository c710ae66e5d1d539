"""Published data: where it lies, what it must be, under which licence; and how it is fetched.

Files are checked before they get their name.
"""

from __future__ import annotations

import hashlib
import http.client
import io
import os
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from subitize.datasets.archives import members
from subitize.errors import BadInput, SubitizeError, UnknownName
from subitize.files import make_folder, read_bytes, write_whole

SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """One file to download."""

    name: str
    """what it is called here"""
    url: str
    """where it lies; pinned to a version"""
    sha256: str | None
    """checksum of the whole file; None where only its members' checksums are known"""
    members: Mapping[str, str] = field(default_factory=dict)
    """zip archives: name of a member → its checksum"""
    largest: int = 64 * 1024**2
    """bytes it may have at most"""


class Dataset(NamedTuple):
    """A published set of files."""

    title: str
    """in a few words"""
    licence: str
    """under which it may be used"""
    source: str
    """its page"""
    files: tuple[RemoteFile, ...]
    """everything that is fetched"""
    pictures: str = ""
    """where its pictures are to be had; they are too large to be fetched here"""


_GECKONUM = "https://raw.githubusercontent.com/google-deepmind/geckonum_benchmark_t2i"

_ANNOTATIONS = """
141f3e147b5bf459f9f5121c849c9ae99c42203a18b60e27e3e3f69cff5f6e22  task_1_dalle_3.csv
23e1a9896c631edf1f965683887f729b205b0659d152ad8a39cf7d6b29c48a0c  task_1_imagen_a.csv
b28c67a26e35f3830b139a0877df3c40441730207a0d2a490a613892ca7a68c3  task_1_imagen_b.csv
dcad250884df86859ed4b8112d91123b21d953db9aaaa1d2c962932d5c7df36e  task_1_imagen_c.csv
cd74a07371e6ad6c8c4acd7be212df27b7b4c75dd4ef67253a817bb00d68366d  task_1_muse_a.csv
a7cbc9be0091c254d13b243b021cd040777e7a1205b4bee25363cf2a542cbde4  task_2_dalle_3.csv
d34edde5f0778d9df3907d7cf492c850f01f59190d27f3455aafd8ae56507b06  task_2_imagen_a.csv
7467d82387cda147d98e83248e290f36ddd6a0b0843987a7a81c2fc4ca95ee56  task_2_imagen_b.csv
a22b1d32aa620778345f2798a08a8958f70e41423df9dd5c263e612e3cf0b542  task_2_imagen_c.csv
feb20309a47a68d3805c91636006a9c78dcc62337b0b1ef0503df41e3199e505  task_2_muse_a.csv
6432ff81e2553e66992e98272778edbf78468ad9ea84ff8d1f4c10787846ef2d  task_3_dalle_3.csv
48cc1bf07c4e79b288cc95eecf5ee404048f135ecbe78825ad3500a280053eb9  task_3_imagen_a.csv
a902707a265dcdb0909b1b7f66e8b548b2660e64436ac6eb75c6c4096746e1e4  task_3_imagen_b.csv
852fa7221fb8e80aa4127023afb91fb98f29faf2e118fc906520ae94d4b5d282  task_3_imagen_c.csv
c8e4fd47ea347d66c0216e880f4df522f78ccade68ebd3056ef285b91003ed91  task_3_muse_a.csv
""".strip().splitlines()
"""as `sha256sum` writes it"""

DATASETS: dict[str, Dataset] = {
    "geckonum": Dataset(
        "GeckoNum: prompts and people's answers",
        "CC-BY 4.0",
        "https://github.com/google-deepmind/geckonum_benchmark_t2i",
        (
            RemoteFile(
                "prompts.csv",
                f"{_GECKONUM}/f960726fca460b49e3fbe17e10dc9a241a2e5f6f/prompts.csv",
                "6cc35c04becc210c75c91f4a783eb0f7b98292f190e1b95131dd501a19d205f1",
            ),
            RemoteFile(
                "geckonum_annotations.zip",
                f"{_GECKONUM}/0a756682317331c148042d8064a3fbda08dcf2e1/annotations/"
                "geckonum_annotations.zip",
                None,
                {name: digest for digest, name in map(str.split, _ANNOTATIONS)},
            ),
        ),
        "https://storage.googleapis.com/geckonum_t2i_benchmark/geckonum.zip (18.8 GB, a folder per "
        "painter: dalle_3, imagen_a … imagen_d, muse_a, muse_b), browsed at "
        "https://storage.googleapis.com/geckonum_t2i_benchmark/index.html",
    ),
}


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
    there = next(one for one in (folder, *folder.absolute().parents) if one.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        why = "it can't be written to" if there.is_dir() else "it is a file"
        raise BadInput(f"{folder} can't be made under {there}: {why}. Give another --out.")
    content = _downloaded(file, f"Download it on another machine and put it at {target}.")
    _check(file, content, file.url)
    # Only now, so that what could not be fetched leaves nothing behind.
    make_folder(folder, "--out")
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
    there, _ = members(io.BytesIO(content), file.members.__contains__, shown=whence)
    for member in there:
        _same(file.members[member.name], member.content, f"{whence}; its {member.where} is another")
    missing = sorted(set(file.members) - {member.name for member in there})
    if missing:
        raise BadInput(f"{whence}, but it lacks {', '.join(missing)}: remove it and fetch again.")


def _same(wanted: str, content: bytes, what: str) -> None:
    found = hashlib.sha256(content).hexdigest()
    if wanted != found:
        raise BadInput(f"{what}: its checksum is {found}, not {wanted}. Remove it and fetch again.")
