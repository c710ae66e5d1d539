"""Region features that a user made with a detector: LXMERT and VisualBERT see nothing else.

A file .npz has two arrays per picture, `SHA256/boxes` [n, 4] in 0..1 and `SHA256/features` [n, d],
n up to 100; a Parquet file has the columns `sha256`, `boxes` and `features` (lists of lists). The
sha256 is that of the picture's file.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from subitize.errors import BadInput, ModelError

MOST = 100
"""regions of a picture"""
Array = NDArray[np.float32]


class Regions(NamedTuple):
    """What was seen in a picture."""

    boxes: Array
    """[n, 4], in 0..1"""
    features: Array
    """[n, d]"""


class Features:
    """The regions of many pictures; checked as a whole before anything is asked."""

    def __init__(self, path: Path, wide: int) -> None:
        self.path = path
        self._wide = wide
        self._open: Any = None
        try:
            if path.suffix == ".parquet":
                self._rows = _parquet(path)
                names = list(self._rows)
            else:
                self._open = np.load(path, allow_pickle=False)
                names = sorted({name.partition("/")[0] for name in self._open.files})
        except (OSError, ValueError, KeyError, zipfile.BadZipFile) as problem:
            raise BadInput(
                f"The region features {path} can't be read ({problem}): give an .npz file or a "
                "Parquet file as docs/hf.md describes it."
            ) from None
        self.names = frozenset(names)
        wrong = {name: fault for name in names if (fault := self._fault(name))}
        if wrong or not names:
            self.close()
            first = next(iter(wrong.items()), ("", "it has no picture"))
            raise BadInput(
                f"The region features {path} can't be used: {len(wrong)} of {len(names)} pictures "
                f"are wrong; the first is {first[0][:12]}: {first[1]}. Make them anew for this "
                "model."
            )

    def _fault(self, sha256: str) -> str:
        try:
            found = self._get(sha256)
        except (KeyError, ValueError) as problem:
            return f"boxes or features are missing or damaged ({problem})"
        boxes, features = found
        if boxes.ndim != 2 or boxes.shape[1] != 4 or not 1 <= len(boxes) <= MOST:
            return f"its boxes have the shape {boxes.shape}, not [1 to {MOST}, 4]"
        if features.shape != (len(boxes), self._wide):
            return f"its features have the shape {features.shape}, not {(len(boxes), self._wide)}"
        if not (np.isfinite(features).all() and (boxes >= 0).all() and (boxes <= 1).all()):
            return "a box lies outside 0..1, or a feature is no number"
        return ""

    def _get(self, sha256: str) -> Regions:
        if self.path.suffix == ".parquet":
            given: Mapping[str, Any] = self._rows[sha256]
        else:
            given = {part: self._open[f"{sha256}/{part}"] for part in Regions._fields}
        return Regions(*(np.asarray(given[part], dtype=np.float32) for part in Regions._fields))

    def close(self) -> None:
        """Give the file back."""
        if self._open is not None:
            self._open.close()

    def of(self, picture: bytes) -> Regions:
        """Those of a picture."""
        sha256 = hashlib.sha256(picture).hexdigest()
        try:
            return self._get(sha256)
        except KeyError:
            raise ModelError(
                f"{self.path.name} has no region features for the picture with sha256 "
                f"{sha256[:12]}…: make them from the same file"
            ) from None


def _parquet(path: Path) -> dict[str, Mapping[str, Any]]:
    import polars as pl

    table = pl.read_parquet(path, columns=["sha256", *Regions._fields])
    return {str(row["sha256"]): row for row in table.iter_rows(named=True)}
