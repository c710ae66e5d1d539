"""A counter's boxes → a number: threshold and merging are applied here, after the fact.

The raw boxes stand in the response, so counting again with another threshold asks nobody.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from subitize.records import Reading, Response, Trial

__all__ = ["count_boxes", "reading_boxes"]

TextReader = Callable[[Trial, Response], Reading]


def count_boxes(value: dict[str, Any]) -> Reading:
    """How many boxes reach the counter's own threshold."""
    threshold = value.get("threshold", 0.0)
    number = sum(1 for box in value["boxes"] if box[4] >= threshold)
    return Reading("read", number=number)


def reading_boxes(text_reader: TextReader) -> TextReader:
    """A reader that counts boxes where a counter answered, and reads text where a namer did."""

    def read(trial: Trial, response: Response) -> Reading:
        if response.kind == "boxes" and response.stop != "failed":
            return count_boxes(response.value)
        return text_reader(trial, response)

    return read
