"""For people with a generator of their own: count its pictures, score the counts, no run folder.

    prompts = generate_prompt()                       # subitize.numgen
    pairs = [(n, count_picture(generate_image(p), thing)) for p, n, thing in …]
    table = score_table(matrix_of(pairs))

A picture may be a path, a PIL image, a NumPy array or a torch tensor.
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subitize.errors import BadInput, ModelError
from subitize.measures.boxes import Counted, Rules, count
from subitize.measures.confusion import confusion_matrix
from subitize.measures.summary import evaluate
from subitize.models.base import Item, Model, Reply, asked_once
from subitize.models.catalog import open_model
from subitize.models.counters.classical import NOT_PLAIN
from subitize.numerals import find_numbers
from subitize.pictures.given import to_png

if TYPE_CHECKING:
    import polars as pl

__all__ = ["count_picture", "find_things", "matrix_of", "score_table", "thing_in", "to_png"]


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
    reply = _reply(_opened(counter), item)
    if isinstance(reply, ModelError):
        raise BadInput(f"{counter} could not count the picture: {reply}.")
    found = count(reply.value, Rules(threshold=threshold))
    if any(NOT_PLAIN in note for note in found.notes):
        warnings.warn(f"{counter}: {NOT_PLAIN}", stacklevel=2)
    return found


@lru_cache(maxsize=4)
def _opened(name: str) -> Model:
    """A counter, kept: weights are loaded once."""
    model = open_model(name)
    if "counter" not in model.kinds:
        raise BadInput(
            f"{name} is a {', '.join(model.kinds)}, not a counter: `subitize models` lists those."
        )
    return model


def _reply(model: Model, item: Item) -> Reply | ModelError:
    """What a counter says, asked in a thread of its own: a notebook has an event loop already."""

    async def asked() -> Reply | ModelError:
        await model.open()
        try:
            return (await asked_once(model, "counter", [item]))[0]
        finally:
            await model.close()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, asked()).result()


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
    """One row with every measure of a confusion matrix, as a Polars frame."""
    import polars as pl

    return pl.DataFrame([evaluate(matrix)])
