"""A counter's boxes → a number: threshold and merging are applied here, after the fact.

The raw boxes stand in the response, so counting again with another threshold asks nobody:
`subitize read RUN --reader 'strict?threshold=0.3&nms=0.9'`.

What "nothing found" means depends on the picture. One that was *shown* (naming) holds a known
number of things: no boxes is the answer 0. One that was *generated* may hold nothing countable
at all: no boxes is the state `empty`, and the painter is asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from subitize.errors import BadInput
from subitize.measures.boxes import Rules, count, rules_from
from subitize.records import Reading, Response, Trial

TextReader = Callable[[Trial, Response], Reading]


def count_boxes(
    value: Mapping[str, Any], rules: Rules | None = None, *, generated: bool = False
) -> Reading:
    """How many boxes count by these rules; `generated`: of a picture that a painter made.

    >>> value = {"boxes": [[0, 0, 5, 5, 0.9], [0, 0, 5, 5, 0.8], [6, 0, 9, 5, 0.2]],
    ...          "size": [20, 20], "threshold": 0.4, "nms": 0.95}
    >>> count_boxes(value).number, count_boxes(value, Rules(threshold=0.1)).number
    (1, 2)
    """
    try:
        counted = count(value, rules)
    except BadInput as problem:
        return Reading("failed", note=str(problem))
    note = "; ".join(counted.notes)
    if generated and not counted.number:
        return Reading("empty", note=note)
    return Reading("read", number=counted.number, note=note)


def read_boxes(
    response: Response, rules: Rules | None = None, *, generated: bool = False
) -> Reading:
    """How many boxes of a response count; a value that holds none is a failed reply."""
    try:
        return count_boxes(response.data, rules, generated=generated)
    except (TypeError, ValueError, AttributeError) as problem:
        return Reading(
            "failed", note=f"the reply holds no boxes as a counter gives them: {problem}"
        )


@dataclass(frozen=True)
class BoxesReader:
    """Counts boxes where a counter answered, and reads text where a namer did."""

    text_reader: TextReader
    rules: Rules = field(default_factory=Rules)

    def __call__(self, trial: Trial, response: Response) -> Reading:
        if response.kind == "boxes" and response.stop != "failed":
            generated = trial.stimulus.kind == "prompt"
            return read_boxes(response, self.rules, generated=generated)
        return self.text_reader(trial, response)

    def configured(self, settings: Mapping[str, Any]) -> BoxesReader:
        """The same reader with other rules, from the settings in its name."""
        return BoxesReader(self.text_reader, rules_from(settings))
