"""Which weights a folder holds."""

from __future__ import annotations

import hashlib
from pathlib import Path

__all__ = ["revision_of"]


def revision_of(folder: Path) -> str | None:
    """A hash of a local model's files, so that other weights are another model; None if absent."""
    if not folder.is_dir():
        return None
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.json")) + sorted(folder.glob("*.safetensors")):
        digest.update(path.name.encode())
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:12]
