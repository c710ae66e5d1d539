"""The words that numbers are made of, and numbers written in them."""

from __future__ import annotations

import re

LARGEST = 10**18 - 1
"""the largest whole number that is taken for one; longer rows of digits are codes"""

_SMALL = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SCALES = {
    "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12,
    "quadrillion": 10**15,
}  # fmt: skip
_BEYOND = {
    f"{stem}illion": 1000 ** (6 + place)
    for place, stem in enumerate(("quint", "sext", "sept", "oct", "non", "dec"))
}
_BEYOND |= {"vigintillion": 10**63, "googol": 10**100, "centillion": 10**303}
"""above `LARGEST`: known, so that what stands before them is not taken for all of a number"""
_IRREGULAR_ORDINALS = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth",
    "nine": "ninth", "twelve": "twelfth",
}  # fmt: skip
GROUPS = {"pair": 2, "pairs": 2, "duo": 2, "trio": 3, "quartet": 4, "quintet": 5}

UNITS: dict[str, int] = {word: value for value, word in enumerate(_SMALL)}
UNITS |= {word: 10 * (index + 2) for index, word in enumerate(_TENS)}
UNITS |= {"fourty": 40, "nought": 0, "naught": 0}
SIZES: dict[str, int] = {"dozen": 12, "hundred": 100} | _SCALES | _BEYOND

NUMBER_WORDS: tuple[str, ...] = (*_SMALL, *_TENS, "hundred", *_SCALES, "dozen")
"""the words that numbers are made of, smallest first"""


def to_words(number: int, *, and_: bool = False) -> str:
    """A whole number in English words, as Americans write it; `and_` adds the British "and".

    >>> to_words(21), to_words(2300), to_words(105, and_=True), to_words(-1)
    ('twenty-one', 'two thousand three hundred', 'one hundred and five', 'minus one')
    """
    if number < 0:
        return "minus " + to_words(-number, and_=and_)
    if number > LARGEST:
        raise ValueError(f"{number} is above {LARGEST}, the largest number with words")
    if number < 20:
        return _SMALL[number]
    if number < 100:
        tens, unit = divmod(number, 10)
        return _TENS[tens - 2] + (f"-{_SMALL[unit]}" if unit else "")
    if number < 1000:
        name, size = "hundred", 100
    else:
        name, size = next(item for item in reversed(_SCALES.items()) if number >= item[1])
    many, rest = divmod(number, size)
    head = f"{to_words(many, and_=and_)} {name}"
    if not rest:
        return head
    joint = " and " if and_ and rest < 100 else " "
    return head + joint + to_words(rest, and_=and_)


def to_ordinal_words(number: int) -> str:
    """A whole number as an ordinal.

    >>> to_ordinal_words(1), to_ordinal_words(22), to_ordinal_words(40)
    ('first', 'twenty-second', 'fortieth')
    """
    words = to_words(number)
    cut = max(words.rfind(" "), words.rfind("-")) + 1
    last = words[cut:]
    if last in _IRREGULAR_ORDINALS:
        return words[:cut] + _IRREGULAR_ORDINALS[last]
    return words[:cut] + (last[:-1] + "ieth" if last.endswith("y") else last + "th")


ORDINALS: dict[str, int] = {to_ordinal_words(value): value for value in UNITS.values()}
ORDINALS |= {to_ordinal_words(size).removeprefix("one "): size for size in (100, 1000, 10**6)}
PARTS = frozenset(
    {word for word, value in ORDINALS.items() if value > 2}
    | {f"{word}s" for word, value in ORDINALS.items() if value > 2}
    | {"half", "halves", "quarter", "quarters"}
)
PLURAL_SIZES = {"tens": 10} | {f"{word}s": size for word, size in SIZES.items()}
"""an indefinite number alone, a multiple after another number: two dozens"""
_CHINESE = {c: v for v, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_CHINESE_SIZES = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "萬": 10**4}
CHINESE_CLASS = "".join({**_CHINESE, **_CHINESE_SIZES})
SIGN_CLASS = "¼-¾⅐-⅞①-⑳"
"""signs that are a number by themselves"""

# 一些 some, 一起 together, 一样 alike, 一共 in all, 一般 …; 第三 third, 之一 one of, 唯一 only
CHINESE_TRAP = re.compile(r".?一[些起样共下般直定切]|[第之唯]", re.DOTALL)


def from_chinese(row: str) -> int | None:
    """三 → 3, 二十一 → 21, 一千二百 → 1200, 二〇二四 → 2024."""
    if len(row) > 15:
        return None
    if not any(sign in _CHINESE_SIZES for sign in row):
        return int("".join(str(_CHINESE[sign]) for sign in row))
    total, digit = 0, None
    for sign in row:
        if sign in _CHINESE:
            digit = _CHINESE[sign]
        elif _CHINESE_SIZES[sign] == 10**4:
            total, digit = (total + (digit or 0) or 1) * 10**4, None
        else:
            total += (1 if digit is None else digit) * _CHINESE_SIZES[sign]
            digit = None
    return total + (digit or 0)
