"""What kind of picture some bytes are, and pictures that lie in folders."""

from __future__ import annotations

import hashlib
from pathlib import Path

from subitize.errors import ModelError
from subitize.files import read_bytes

ENDINGS = (".png", ".jpg", ".jpeg", ".webp", ".gif")
"""of files that are taken for pictures: what models' servers take"""
MANIFESTS = ("manifest.jsonl", "manifest.json", "manifest.csv")
_BEGINNINGS = {b"\x89PNG": "image/png", b"\xff\xd8": "image/jpeg", b"GIF8": "image/gif"}


def media_type(picture: bytes) -> str:
    """The media type of an encoded picture, by its first bytes."""
    if picture[8:12] == b"WEBP":
        return "image/webp"
    for beginning, kind in _BEGINNINGS.items():
        if picture.startswith(beginning):
            return kind
    raise ModelError("the picture is neither PNG, JPEG, WebP nor GIF")


def picture_sha256(path: Path) -> str:
    """The hash that a file's identity in a run is."""
    return hashlib.sha256(read_bytes(path, "the picture")).hexdigest()


def find_picture(folder: Path, image: str) -> Path | None:
    """The file of that name, whose ending may be left out; None where there is none."""
    path = folder / image
    named = (path, *(path.with_name(path.name + ending) for ending in ENDINGS))
    return next((one.resolve() for one in named if one.is_file()), None)


def manifest_of(folder: Path) -> Path | None:
    """The file that tells what the pictures of a folder are."""
    return next((folder / name for name in MANIFESTS if (folder / name).is_file()), None)
