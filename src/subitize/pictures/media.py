"""What kind of picture some bytes are."""

from __future__ import annotations

from subitize.errors import ModelError


def media_type(picture: bytes) -> str:
    """The media type of an encoded picture, by its first bytes."""
    if picture.startswith(b"\x89PNG"):
        return "image/png"
    if picture.startswith(b"\xff\xd8"):
        return "image/jpeg"
    if picture[8:12] == b"WEBP":
        return "image/webp"
    if picture.startswith(b"GIF8"):
        return "image/gif"
    raise ModelError("the picture is neither PNG, JPEG, WebP nor GIF")
