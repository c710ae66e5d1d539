"""For people with a generator of their own: count its pictures, score the counts, no run folder.

    prompts = generate_prompt()                       # subitize.numgen
    pairs = [(n, count_picture(generate_image(p), thing)) for p, n, thing in …]
    table = score_table(matrix_of(pairs))

A picture may be a path, a PIL image, a NumPy array or a torch tensor.
"""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subitize.errors import BadInput, ModelError
from subitize.measures.boxes import Counted, Rules, count
from subitize.measures.confusion import confusion_matrix
from subitize.measures.summary import evaluate
from subitize.models.base import Answers, Item, Model
from subitize.models.catalog import open_model
from subitize.numerals import find_numbers
from subitize.pictures.decode import decode

if TYPE_CHECKING:
    import polars as pl

__all__ = ["count_picture", "find_things", "matrix_of", "score_table", "thing_in", "to_png"]

CHANNELS = (1, 3, 4)


def count_picture(
    picture: Any, thing: str, *, counter: str = "counter/blobs", threshold: float | None = None
) -> int:
    """How many of these things a counter finds in a picture; 0 means: nothing found."""
    return find_things(picture, thing, counter=counter, threshold=threshold).number


def find_things(
    picture: Any, thing: str, *, counter: str = "counter/blobs", threshold: float | None = None
) -> Counted:
    """The boxes that count, and what was done to get them."""
    item = Item("own", f"How many {thing} are there in the picture?", to_png(picture), thing=thing)
    (reply,) = _replies(_opened(counter), [item])
    if isinstance(reply, ModelError):
        raise BadInput(f"{counter} could not count the picture: {reply}.")
    return count(reply.value, Rules(threshold=threshold))


@lru_cache(maxsize=4)
def _opened(name: str) -> Model:
    """A counter, kept: weights are loaded once."""
    model = open_model(name)
    if "counter" not in model.kinds:
        raise BadInput(
            f"{name} is a {', '.join(model.kinds)}, not a counter: `subitize models` lists those."
        )
    return model


def _replies(model: Any, items: list[Item]) -> Answers:
    """What a counter says, asked in a thread of its own: a notebook has an event loop already."""

    async def asked() -> Answers:
        await model.open()
        try:
            found = model.count(items)
            replies: Answers = await found if inspect.isawaitable(found) else found
            return replies
        finally:
            await model.close()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, asked()).result()


def to_png(picture: Any) -> bytes:
    """A path, PIL image, array or tensor as an encoded picture."""
    if isinstance(picture, bytes):
        return picture
    if isinstance(picture, (str, os.PathLike)):
        try:
            with open(picture, "rb") as file:
                return file.read()
        except OSError as problem:
            raise BadInput(f"The picture {picture} can't be read: {problem.strerror}.") from None
    from PIL import Image

    if not isinstance(picture, Image.Image):
        picture = Image.fromarray(_pixels(picture))
    try:
        if picture.mode not in ("L", "P", "RGB", "RGBA"):
            # TIFF keeps CMYK, 16 bits and the rest for the one decoder that knows them all.
            picture = Image.fromarray(decode(_encoded(picture, "TIFF")))
        return _encoded(picture, "PNG")
    except (OSError, ValueError, ModelError) as problem:
        raise BadInput(f"The picture can't be used: {problem}.") from None


def _encoded(picture: Any, format_: str) -> bytes:
    written = BytesIO()
    picture.save(written, format_)
    return written.getvalue()


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


def thing_in(prompt: str) -> str:
    """What a prompt asks for: what stands after its number; without a number, all of it.

    >>> thing_in("An image with 3 human faces"), thing_in("1 filled dot in white background")
    ('human faces', 'filled dot')
    """
    numbers = find_numbers(prompt)
    rest = prompt[numbers[0].end :] if numbers else prompt
    return rest.partition(" in ")[0].strip(" .") or prompt.strip()


def matrix_of(pairs: Iterable[tuple[int, int]], highest: int = 10) -> NDArray[np.int64]:
    """The confusion matrix of (target, count) pairs: rows 0..2 × highest, columns 1..highest."""
    listed = list(pairs)
    if not listed:
        raise BadInput("There are no (target, count) pairs: count at least one picture.")
    try:
        targets, counts = zip(*listed, strict=True)
        responses = [float(n) for n in counts]
    except (TypeError, ValueError):
        raise BadInput("A pair is not of the form (target, count), both of them numbers.") from None
    found = confusion_matrix(targets, responses, highest_target=highest)
    return np.asarray(found.counts)


def score_table(matrix: ArrayLike) -> pl.DataFrame:
    """One row with every measure of a confusion matrix; `.to_pandas()` makes it a pandas one."""
    import polars as pl

    return pl.DataFrame([evaluate(matrix)])
