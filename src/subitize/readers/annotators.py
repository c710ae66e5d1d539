"""What people typed when they counted, as a number."""

from __future__ import annotations

import re

MORE_THAN_TEN = 11.0
"""the number for `10+` and for everything above 10"""

LONE_O = re.compile(r"(?<![A-Za-z])[oO](?![A-Za-z])")
"""typed for a zero; the o of a word such as `two` is none"""
EQUALS_FOR_DASH = re.compile(r"(?<=\d)\s*=\s*(?=\d)")
OTHER = re.compile(r"[^0-9.\-]")
NUMBER = re.compile(r"\d+(?:\.\d*)?|\.\d+")
LARGEST_LENGTH = 100
"""more characters than any count or range has"""


def counted(answer: str) -> float | None:
    """A typed count as a number, ranges as their unrounded middle; None if no number is in it.

    In this order: blanks go; o and O outside words are 0; what stands before the first comma
    counts; `10+` is 11; `=` between digits is a dash; other characters go; a range is the mean of
    its ends; above 10 is 11. (Kajić et al. 2024, appendix C.2, but ranges are not rounded up.)

    >>> counted("3"), counted("2-3"), counted("10+"), counted("1, 10+"), counted("O"), counted("?")
    (3.0, 2.5, 11.0, 1.0, 0.0, None)
    """
    if len(answer) > LARGEST_LENGTH:
        return None
    text = re.sub(r"\s", "", answer).replace("–", "-").replace("—", "-")
    text = LONE_O.sub("0", text).partition(",")[0].replace("10+", "11")
    ends = NUMBER.findall(OTHER.sub("", EQUALS_FOR_DASH.sub("-", text)))
    if not ends:
        return None
    numbers = [float(end) for end in ends]
    value = numbers[0] if len(numbers) == 1 else (numbers[0] + numbers[1]) / 2
    return MORE_THAN_TEN if value > 10 else value
