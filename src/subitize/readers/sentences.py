"""Where the sentences of a reply begin and end."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

SENTENCE_END = re.compile(
    # the sign first: only behind one is looked at what stands before it
    r"[.!?。！？\n](?:(?<=\n)|(?<!approx.)(?<!\bca.)(?<!\bno.)(?<!\bvs.)(?<!e\.g.)(?<!i\.e.)[.!?。！？]*"
    r"(?=[\"')\]*]*(?:\s|$)))",
    re.IGNORECASE,
)
LONGEST = 240
"""characters of a sentence that are looked at on either side of a number"""


def starts_of(text: str) -> list[int]:
    """Where the sentences begin; a line break ends one too."""
    return [0, *(match.end() for match in SENTENCE_END.finditer(text))]


def sentence_around(sentences: Sequence[int], text: str, place: int) -> tuple[int, int]:
    """Begin and end of the sentence that a place is in, or of what is near it in a long one."""
    index = bisect_right(sentences, place)
    end = sentences[index] if index < len(sentences) else len(text)
    return max(sentences[index - 1], place - LONGEST), min(end, place + LONGEST)
