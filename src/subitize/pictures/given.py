"""Any picture somebody has at hand, as an encoded one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subitize.errors import BadInput, ModelError
from subitize.pictures.decode import decoded
from subitize.pictures.encode import encode

CHANNELS = (1, 3, 4)


def to_png(picture: Any) -> bytes:
    """A path, PIL image, array or tensor as an encoded picture; bytes are taken as one."""
    if isinstance(picture, bytes):
        return picture
    if isinstance(picture, (str, os.PathLike)):
        try:
            return Path(picture).read_bytes()
        except OSError as problem:
            raise BadInput(f"The picture {picture} can't be read: {problem.strerror}.") from None
    from PIL import Image

    if not isinstance(picture, Image.Image):
        return encode(_pixels(picture))
    try:
        return encode(decoded(picture.copy()).pixels)
    except (OSError, ValueError, ModelError) as problem:
        raise BadInput(f"The picture can't be used: {problem}.") from None


def _pixels(given: Any) -> NDArray[np.uint8]:
    """Height × width × channels in 0..255 from an array or a tensor of one picture."""
    if hasattr(given, "detach"):
        given = given.detach().cpu()
        given = (given.float() if given.dtype.is_floating_point else given).numpy()
    try:
        array = np.asarray(given)
    except ValueError:
        array = np.zeros(0)
    if array.ndim == 4 and len(array) == 1:
        array = array[0]
    if array.ndim == 3 and array.shape[0] in CHANNELS and array.shape[2] not in CHANNELS:
        array = np.moveaxis(array, 0, 2)
    good = array.ndim == 2 or (array.ndim == 3 and array.shape[2] in CHANNELS)
    if not good or not array.size or array.dtype.kind not in "buif":
        raise BadInput(
            f"A picture of type {type(given).__name__} and shape {array.shape} can't be counted: "
            "give one picture as height × width, height × width × channels or channels × height "
            "× width, as a PIL image or as a path."
        )
    array = _in_bytes(array)
    return array[:, :, 0] if array.ndim == 3 and array.shape[2] == 1 else array


def _in_bytes(array: NDArray[Any]) -> NDArray[np.uint8]:
    """0..1 or −1..1 for fractions, 0..255 for whole numbers, 0..65535 for 16 bits."""
    if array.dtype == np.bool_:
        array = array * 255
    if array.dtype.kind == "f":
        if not np.isfinite(array).all():
            raise BadInput("The picture holds values that are not finite numbers.")
        low, high = float(array.min()), float(array.max())
        if low < -1.001 or high > (255.001 if low >= 0 else 1.001):
            raise BadInput(
                f"The picture's values lie in {low:g}..{high:g}: give 0..1, −1..1 or 0..255."
            )
        if low < 0:
            array = (array + 1) / 2
        array = np.rint(np.clip(array * (255 if high <= 1.001 else 1), 0, 255))
    if array.dtype == np.uint16:
        array = array // 257
    if array.min() < 0 or array.max() > 255:
        raise BadInput(f"The picture's values lie in {array.min()}..{array.max()}: give 0..255.")
    return array.astype(np.uint8)
