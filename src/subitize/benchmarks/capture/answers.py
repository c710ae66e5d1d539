"""From rows to answers: one per trial, with its error and its confidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from subitize.measures.error_size import smape_terms
from subitize.measures.trials import Floats
from subitize.readers.boxes import reading_boxes
from subitize.readers.choices import choice
from subitize.readers.text import ended_early, final, take_confidence
from subitize.records import Reading, Response, Row, Trial

__all__ = ["NOT_REPLIES", "Answer", "answers_of", "errors_of", "read_capture", "read_with_boxes"]

NOT_REPLIES = frozenset({"failed", "pending", "excluded"})
"""states that say nothing about the model: not asked, not read yet, left out by hand"""


def read_capture(trial: Trial, response: Response) -> Reading:
    """The final number, or the option chosen; a line of confidence is taken out first."""
    early = ended_early(response)
    if early is not None:
        return early
    words, _ = take_confidence(str(response.value))
    return choice(words, trial.options) if trial.options else final(words)


read_with_boxes = reading_boxes(read_capture)
"""the same, and boxes are counted where a counter answered"""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one trial came to, over all its samples."""

    trial: Trial
    state: str
    """read, or why it is skipped"""
    value: int | float | str | None
    """the number or option that counts; None for a skip"""
    confidence: float | None
    """0 to 1; None where there is none"""

    @property
    def condition(self) -> Mapping[str, Any]:
        return self.trial.condition

    @property
    def skipped(self) -> bool:
        return self.value is None

    @property
    def right(self) -> bool:
        return self.value is not None and self.value == self.trial.target


def errors_of(answers: Sequence[Answer]) -> Floats:
    """sMAPE of each answer in percent; a skip is 100."""
    given = np.array([answer.value for answer in answers], dtype=np.float64)
    return smape_terms([answer.trial.target for answer in answers], given)


def answers_of(rows: Sequence[Row], confidence: str) -> list[Answer]:
    """One answer per trial that has any reply; `confidence` as the setting of that name."""
    by_trial: dict[str, list[Row]] = {}
    for row in rows:
        if row.reading.state not in NOT_REPLIES:
            by_trial.setdefault(row.trial.id, []).append(row)
    return [_answer(samples, confidence) for samples in by_trial.values()]


def _answer(samples: Sequence[Row], confidence: str) -> Answer:
    """The most common answer of several, the first met of equals; its share is a confidence."""
    first = samples[0]
    if confidence == "asked" and len(samples) == 1:
        sure = take_confidence(str(first.response.value or ""))[1]
        return Answer(first.trial, first.reading.state, first.reading.value, sure)
    said = Counter(row.reading.value for row in samples if row.reading.state == "read")
    if not said:
        return Answer(first.trial, first.reading.state, None, None)
    value, times = said.most_common(1)[0]
    share = times / len(samples) if confidence == "samples" else None
    return Answer(first.trial, "read", value, share)
