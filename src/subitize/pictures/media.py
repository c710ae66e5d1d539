"""What kind of picture some bytes are."""

from __future__ import annotations

from subitize.errors import ModelError

_BEGINNINGS = {b"\x89PNG": "image/png", b"\xff\xd8": "image/jpeg", b"GIF8": "image/gif"}


def media_type(picture: bytes) -> str:
    """The media type of an encoded picture, by its first bytes."""
    if picture[8:12] == b"WEBP":
        return "image/webp"
    for beginning, kind in _BEGINNINGS.items():
        if picture.startswith(beginning):
            return kind
    raise ModelError("the picture is neither PNG, JPEG, WebP nor GIF")
