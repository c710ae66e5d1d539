"""What is counted of captions, and how counts of parts are added up.

Samples are those with the smallest hash of their text, so that they are the same whatever the
order of the parts, the number of workers and the engine, and no caption is shown twice.
"""

from __future__ import annotations

import re
import zlib
from bisect import insort
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from subitize.captions.rule import ATOMS, QUICK, Judged, Rule, total
from subitize.numerals import NUMBER_WORDS
from subitize.numerals.words import CHINESE_CLASS, SIGN_CLASS

if TYPE_CHECKING:
    from subitize.captions.reading import Batch

PER_NUMBER, PER_REASON = 5, 10
"""samples kept"""
SHOWN = 120
"""characters of a sample on either side of its number"""
OWN_SAMPLES = 100
"""larger numbers share their samples"""
HAS_NUMBER = (
    rf"[\d🔟{SIGN_CLASS}{CHINESE_CLASS}]"
    rf"|(?i:\b(?:{'|'.join(sorted(NUMBER_WORDS, reverse=True))})\b)"
)
"""what a caption needs before any rule looks at it"""
Sample = tuple[int, str, int, int]
"""hash, text, and where in it the number stands"""

Window = tuple[str, bool, str | None, str | None, str, str | None]
"""a caption, whether it holds one number only, the word before that, it, and two words after"""


class Samples:
    """For each key the few texts with the smallest hashes."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.by_key: dict[str, list[Sample]] = {}

    def wants(self, key: str, hashed: int) -> bool:
        """Whether a text with this hash would be kept."""
        kept = self.by_key.get(key, [])
        return len(kept) < self.most or (bool(kept) and hashed < kept[-1][0])

    def add(self, key: str, sample: Sample) -> bool:
        """Keep a sample if it is among the smallest; whether it is."""
        if not self.wants(key, sample[0]):
            return False
        kept = self.by_key.setdefault(key, [])
        if sample in kept:
            return False
        insort(kept, sample)
        del kept[self.most :]
        return True

    def merge(self, other: Mapping[str, Iterable[Sequence[Any]]]) -> dict[str, list[Sample]]:
        """Take in others; those that were kept."""
        taken: dict[str, list[Sample]] = {}
        for key, samples in other.items():
            for given in samples:
                sample: Sample = (given[0], given[1], given[2], given[3])
                if self.add(key, sample):
                    taken.setdefault(key, []).append(sample)
        return taken

    def texts(self) -> dict[str, list[dict[str, Any]]]:
        """For the result: the text and where its number stands."""
        return {
            key: [{"caption": text, "start": start, "end": end} for _, text, start, end in kept]
            for key, kept in self.by_key.items()
        }


@dataclass
class Tally:
    """Counts of some rows; `rows` is the sum of the four that follow it."""

    rows: int = 0
    with_number: int = 0
    without_number: int = 0
    null: int = 0
    """no caption, or an empty one"""
    not_text: int = 0
    """the caption is a number, a list or something else"""
    broken: int = 0
    """of all rows, those with bytes that are no UTF-8"""
    scanned: int = 0
    """captions that hold any number at all"""
    asked: int = 0
    """windows that the tagger's word was needed for"""
    tagged: int = 0
    """windows that it was really asked about; the others were known"""
    agreed: int = 0
    """of those, windows that TextBlob's tagger takes for the same (where another one is used)"""
    frequencies: Counter[int] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    samples: Samples = field(default_factory=lambda: Samples(PER_NUMBER))
    rejected_samples: Samples = field(default_factory=lambda: Samples(PER_REASON))

    COUNTS = (
        "rows", "with_number", "without_number", "null", "not_text", "broken", "scanned",
        "asked", "tagged", "agreed",
    )  # fmt: skip

    def merge(self, line: Mapping[str, Any]) -> dict[str, Any]:
        """Take in what `as_json` gave; the same with only those samples that were kept."""
        for name in self.COUNTS:
            setattr(self, name, getattr(self, name) + line[name])
        for number, many in line["frequencies"].items():
            self.frequencies[int(number)] += many
        self.rejected.update(line["rejected"])
        return {
            **line,
            "samples": self.samples.merge(line["samples"]),
            "rejected_samples": self.rejected_samples.merge(line["rejected_samples"]),
        }

    def as_json(self) -> dict[str, Any]:
        return {
            **{name: getattr(self, name) for name in self.COUNTS},
            "frequencies": {str(number): many for number, many in self.frequencies.items()},
            "rejected": dict(self.rejected),
            "samples": self.samples.by_key,
            "rejected_samples": self.rejected_samples.by_key,
        }

    def add(self, batch: Batch, rule: Rule) -> tuple[list[int], list[int | None]]:
        """Count a batch; the places of captions with any number, and what each counts."""
        captions = batch.captions
        candidates = captions.str.contains(HAS_NUMBER).fill_null(False)
        rows, empty = len(captions), int((captions.str.len_bytes().fill_null(0) == 0).sum())
        asked, tagged, agreed = rule.asked, rule.tagged, rule.agreed
        chosen = captions.filter(candidates)
        groups = chosen.str.extract_groups(QUICK).struct.unnest()
        windows = zip(
            chosen.to_list(),
            (chosen.str.count_matches(ATOMS) == 1).to_list(),
            *(groups.to_series(place).to_list() for place in range(4)),
            strict=True,
        )
        numbers = [self._number(rule, window) for window in windows]
        found = len(numbers) - numbers.count(None)
        self.rows += rows
        self.null += empty - batch.not_text
        self.not_text += batch.not_text
        self.broken += batch.broken
        self.with_number += found
        self.without_number += rows - empty - found
        self.scanned += len(numbers)
        self.asked += rule.asked - asked
        self.tagged += rule.tagged - tagged
        self.agreed += rule.agreed - agreed
        return candidates.arg_true().to_list(), numbers

    def _number(self, rule: Rule, window: Window) -> int | None:
        """What a caption counts: by its window where that is enough, else by all of it."""
        caption, alone, before, number, first, second = window
        if not alone or number is None:
            return self._judge(caption, rule)
        found = rule.quick(before or "", number, first, second or "")
        if found is None:
            return self._judge(caption, rule)
        value, reason = found
        hashed = text_hash(caption)
        if reason:
            wanted = self.rejected_samples.wants(reason, hashed)
        else:
            wanted = self.samples.wants(sample_key(value), hashed)
        if wanted:
            rule.asked -= 1  # the window was asked for once, not twice
            return self._judge(caption, rule)
        if reason:
            self.rejected[reason] += 1
            return None
        self.frequencies[value] += 1
        return value

    def _judge(self, caption: str, rule: Rule) -> int | None:
        judged = rule.judge(caption)
        number = total(judged)
        hashed = -1
        for one in judged:
            if not one.reason:
                continue
            self.rejected[one.reason] += 1
            hashed = hashed if hashed >= 0 else text_hash(caption)
            if self.rejected_samples.wants(one.reason, hashed):
                self.rejected_samples.add(one.reason, _sample(hashed, caption, one))
        if number is None:
            return None
        self.frequencies[number] += 1
        hashed = hashed if hashed >= 0 else text_hash(caption)
        key = sample_key(number)
        if self.samples.wants(key, hashed):
            first = next(one for one in judged if not one.reason)
            self.samples.add(key, _sample(hashed, caption, first))
        return number


def text_hash(caption: str) -> int:
    """The same everywhere and always."""
    return zlib.crc32(caption.encode("utf-8", "replace"))


def sample_key(number: int) -> str:
    """Numbers above a hundred share their samples.

    >>> sample_key(7), sample_key(500), sample_key(5000)
    ('7', '101-1000', '1001+')
    """
    if number <= OWN_SAMPLES:
        return str(number)
    return "101-1000" if number <= 1000 else "1001+"


_SPACE = re.compile(r"\s")


def _sample(hashed: int, caption: str, one: Judged) -> Sample:
    """The text around a number; a caption may be a megabyte long."""
    begin, stop = max(0, one.start - SHOWN), one.end + SHOWN
    text = _SPACE.sub(" ", caption[begin:stop]).encode("utf-8", "replace").decode()
    return (hashed, text, one.start - begin, one.end - begin)
