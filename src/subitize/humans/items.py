"""What people are shown: an item is a picture with one or more questions about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from subitize.records import Trial

FREE, NUMBER, LINES, YES_NO = "free", "number", "lines", "yes-no"
"""how a question is answered: GeckoNum's free text, a whole number, one of some lines, yes or no"""
LONGEST_ANSWER = 200
PILOT = "pilot-"
"""stands before the name of an item that is given in the pilot"""


class Shown(NamedTuple):
    """A picture as a browser gets it."""

    content: bytes
    media_type: str


@dataclass(frozen=True)
class Question:
    """One thing that is asked about a picture."""

    words: str
    """as people read them"""
    form: str
    """one of FREE, NUMBER, LINES, YES_NO"""
    trial: Trial | None = None
    """what it is in a run; None for training and checks"""
    options: tuple[str, ...] = ()
    """what can be chosen"""
    values: tuple[str, ...] = ()
    """what is stored for each option; the options themselves where nothing is said"""
    right: tuple[str, ...] = ()
    """answers that are right, where that is known: training and attention checks"""
    why: str = ""
    """told after a training item"""
    quote: str = ""
    """text that the question is about: a caption, a model's reply"""
    mark: tuple[int, int] | None = None
    """a part of that text that stands out"""

    @property
    def parts(self) -> tuple[str, str, str]:
        """The quoted text before, in and behind what stands out."""
        start, end = self.mark or (0, 0)
        return self.quote[:start], self.quote[start:end], self.quote[end:]

    @property
    def stored(self) -> tuple[str, ...]:
        """What may be stored of a choice."""
        return self.values or self.options

    @property
    def typed(self) -> bool:
        """Whether there is a field to type in; else one of the options is chosen."""
        return self.form in (FREE, NUMBER)

    @property
    def trial_id(self) -> str:
        return self.trial.id if self.trial else ""


@dataclass(frozen=True)
class Item:
    """What one person gets at once."""

    id: str
    """known to nobody but the server"""
    questions: tuple[Question, ...]
    picture: Callable[[], Shown] | None = None
    """draws or reads the picture; None where there is only text"""
    role: str = "main"
    """main, pilot, training or check"""
    family: str = ""
    """items of one family are never given to the same person"""
    phase: int = 0
    """given when every item of the phases before it has all its annotators"""
    about: Mapping[str, Any] = field(default_factory=dict)
    """facts for the export: image id, painter, prompt"""
