"""Find the numbers of a text: first the atoms (twenty, one, 1,024), then what they make up."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from subitize.numerals.context import Numeral, NumeralKind, kind_in_context, with_ranges
from subitize.numerals.words import (
    CHINESE_CLASS,
    CHINESE_TRAP,
    GROUPS,
    LARGEST,
    ORDINALS,
    PARTS,
    PLURAL_SIZES,
    SIGN_CLASS,
    SIZES,
    UNITS,
    from_chinese,
)  # fmt: skip

Shape = Literal["digits", "unit", "size", "ordinal", "part", "plural", "group", "other"]
_WORDS: dict[str, tuple[Shape, int | None, NumeralKind]] = {
    **dict.fromkeys(PARTS, ("part", None, "fraction")),
    **{word: ("ordinal", value, "ordinal") for word, value in ORDINALS.items()},
    **{word: ("plural", size, "indefinite") for word, size in PLURAL_SIZES.items()},
    **{word: ("group", value, "group") for word, value in GROUPS.items()},
    **{word: ("size", value, "cardinal") for word, value in SIZES.items()},
    **{word: ("unit", value, "cardinal") for word, value in UNITS.items()},
}
_MATCHING = str.maketrans("ſKİı", "skii")
"""the other letters that match these where case does not matter"""
_ATOM = re.compile(
    r"(?P<keys>(?:\d\ufe0f?\u20e3)+|🔟)"
    r"|(?P<digits>\d+(?:[,._'’٬٫ \u00a0\u2009\u202f]\d+)*)"
    # Any word, looked up below: an alternation of all number words takes eight times as long.
    r"|(?<![^\W\d_])(?P<word>[A-Za-zſKİı]{3,13})(?![^\W\d_])"
    rf"|(?P<chinese>[{CHINESE_CLASS}]+)"
    rf"|(?P<sign>[{SIGN_CLASS}])"
)


def _branched(words: Iterable[str]) -> str:
    """A pattern of words that looks at every letter once."""
    tails: dict[str, list[str]] = {}
    for word in sorted(words):
        tails.setdefault(word[:1], []).append(word[1:])
    ends = tails.pop("", None) is not None
    tried = "|".join(first + _branched(rest) for first, rest in tails.items())
    return f"(?:{tried})?" if ends and tried else f"(?:{tried})" if len(tails) > 1 else tried


_LOWER_ATOM = re.compile(
    rf"(?=[0-9{''.join({word[0] for word in _WORDS})}])(?:"
    r"(?P<digits>[0-9]+(?:[,._' ][0-9]+)*)"
    rf"|(?<![a-z])(?P<word>{_branched(_WORDS)})(?![a-z]))"
)
"""the same for ASCII in small letters, in a third of the time"""
_BAKERS = re.compile(r"\bbaker['’]?s[ -]$", re.IGNORECASE)


def from_words(text: str) -> int | None:
    """The whole number that a text is, in words, digits or both; null when it is anything else.

    >>> from_words("twenty-one"), from_words("half a dozen"), from_words("1,024")
    (21, 6, 1024)
    >>> from_words("five apples") is None
    True
    """
    text = text.strip()
    found = find_numbers(text)
    if len(found) != 1 or (found[0].start, found[0].end) != (0, len(text)):
        return None
    return found[0].value if found[0].kind in ("cardinal", "negative") else None


def find_numbers(text: str) -> list[Numeral]:
    """Every number of a text, in order.

    >>> [(n.kind, n.value) for n in find_numbers("Two dozen eggs, 4-5 left, the 3rd is 50%")]
    [('cardinal', 24), ('range', 4), ('range', 5), ('ordinal', 3), ('percentage', 50)]
    """
    return with_ranges(text, list(_merged(text, list(_atoms(text)))))


_DIGITS = re.compile(r"\d+")
FAR = 13
"""characters between two words of one number, such as "thirty       four", at the most"""


class _Atom(NamedTuple):
    start: int
    end: int
    shape: Shape
    value: int | None
    kind: NumeralKind = "cardinal"


def _atoms(text: str) -> Iterator[_Atom]:
    lower = text.isascii()
    found_ = _LOWER_ATOM.finditer(text.lower()) if lower else _ATOM.finditer(text)
    for match in found_:
        start, end, how = match.start(), match.end(), match.lastgroup
        if how == "digits" and (row := match.group()).isdecimal():
            yield _Atom(start, end, "digits", *_value(row))
        elif how == "digits":
            yield from _digit_atoms(text, start, end)
        elif how == "word":
            word = match.group()
            found = _WORDS.get(word if lower else word.translate(_MATCHING).lower())
            if found is None:
                continue
            bakers = found[1] == 12 and _BAKERS.search(text, max(0, start - 9), start)
            if bakers:
                shape: Shape = "unit" if found[0] == "size" else "plural"
                kind: NumeralKind = "cardinal" if found[0] == "size" else found[2]
                yield _Atom(bakers.start(), end, shape, 13, kind)
            else:
                yield _Atom(start, end, *found)
        elif how == "chinese":
            value = from_chinese(match.group())
            if value is not None and not CHINESE_TRAP.match(text, max(0, start - 1)):
                yield _Atom(start, end, "other", value)
        elif how == "keys":
            keys = match.group()
            row = "10" if keys == "🔟" else "".join(c for c in keys if c.isdecimal())
            yield _Atom(start, end, "digits", *_value(row))
        else:
            number = unicodedata.numeric(match.group())
            whole = number.is_integer()
            yield _Atom(
                start, end, "other", int(number) if whole else None,
                "cardinal" if whole else "fraction",
            )  # fmt: skip


def _value(row: str) -> tuple[int | None, NumeralKind]:
    # "001" is a label, but some write "05" for five
    if len(row) > 18 or (len(row) > 2 and not int(row[:2])):
        return None, "code"
    return int(row), "cardinal"


def _digit_atoms(text: str, start: int, end: int) -> Iterator[_Atom]:
    """Split a row of digits and separators into numbers: "1,024 7.5" is 1024 and a decimal."""
    parts = [match.span() for match in _DIGITS.finditer(text, start, end)]
    index = 0
    while index < len(parts):
        last = index
        separator = text[parts[index][1]] if index + 1 < len(parts) else ""
        while last + 1 < len(parts) and text[parts[last][1]] == separator:
            last += 1
        lengths = [stop - begin for begin, stop in parts[index : last + 1]]
        grouped = len(lengths) > 1 and lengths[0] <= 3 and set(lengths[1:]) == {3}
        grouped = grouped and separator not in ".٫" and text[parts[index][0]] not in "0٠०０"
        if separator and separator in ".٫":
            kind: NumeralKind = "decimal" if len(lengths) == 2 else "code"
            (begin, dot), (_, stop) = parts[index], parts[last]
            if kind == "decimal" and dot - begin <= 18 and not text[dot + 1 : stop].strip("0"):
                yield _Atom(begin, stop, "digits", int(text[begin:dot]))  # 12.0
            else:
                yield _Atom(begin, stop, "digits", None, kind)
        elif grouped or len(lengths) == 1:
            begin, stop = parts[index][0], parts[last][1]
            if last + 1 < len(parts) and text[stop] in ".٫":
                last += 1
                yield _Atom(begin, parts[last][1], "digits", None, "decimal")
            else:
                row = "".join(text[a:b] for a, b in parts[index : last + 1])
                yield _Atom(begin, stop, "digits", *_value(row))
        else:
            # the last of the chain may begin another one ("3, 1.5" or "5,6 024")
            last = last if last + 1 == len(parts) else last - 1
            for begin, stop in parts[index : last + 1]:
                yield _Atom(begin, stop, "digits", *_value(text[begin:stop]))
        index = last + 1


_STEP = re.compile(r"(?:[ \t\u00a0]{1,12}|[-‐‑]\n?|\n)")
_STEP_AND = re.compile(r"(?:[ \t\u00a0]{1,4}|[-‐‑])and(?:[ \t\u00a0]{1,4}|[-‐‑])", re.IGNORECASE)
_AND_A = re.compile(r"[ \t]{1,2}and an? ", re.IGNORECASE)
_POINT = re.compile(r"[ \t]{1,2}point[ \t]{1,2}", re.IGNORECASE)
_HALF = re.compile(r"half(?:[ \t]{1,2}an?)?(?:[ \t]{1,2}|[-‐‑])", re.IGNORECASE)
_A = re.compile(r"\b(?:an?)[ \t\u00a0-]{1,2}$", re.IGNORECASE)
_VAGUE_SIZE = re.compile(r"\b(?:several|few|couple|couple of|many|some)[ \t-]{1,2}$", re.IGNORECASE)


def _merged(text: str, atoms: list[_Atom]) -> Iterator[Numeral]:
    """Join atoms into numbers: twenty + one, 2 + dozen, half a + dozen, two + thirds."""
    index, before = 0, 0
    while index < len(atoms):
        atom = atoms[index]
        stop, kind, value = index + 1, atom.kind, atom.value
        following = atoms[stop] if stop < len(atoms) else None
        if following and following.start - atom.end > FAR:
            following = None
        if atom.shape == "digits" and (following is None or following.shape == "digits"):
            number = kind_in_context(text, before, Numeral(atom.start, atom.end, kind, value))
            yield number
            index, before = stop, _end_of_operand(number)
            continue
        gap = text[atom.end : following.start] if following else ""
        if atom.shape == "plural":
            value = None
        elif atom.shape == "unit":
            stop, value, kind = _compound(text, atoms, index)
        elif atom.shape == "size" and _VAGUE_SIZE.search(
            text, max(before, atom.start - 12), atom.start
        ):
            kind, value = "indefinite", None
        elif atom.shape == "size":
            stop, value, kind = _compound(text, atoms, index, implied_one=True)
        elif (
            following
            and following.shape in ("size", "plural")
            and atom.kind in ("cardinal", "decimal")
        ):
            if atom.shape == "digits" and _STEP.fullmatch(gap):
                stop, value, kind = stop + 1, *_scaled(text, atom, following)
        elif (
            following
            and following.shape == "size"
            and _HALF.fullmatch(text, atom.start, following.start)
        ):
            stop, value, kind = stop + 1, (following.value or 0) // 2, "cardinal"
        start, end = atom.start, atoms[stop - 1].end
        if atom.shape == "size" and (article := _A.search(text, max(before, start - 4), start)):
            start = article.start()
        spelled = text[start].isalpha()
        number = kind_in_context(text, before, Numeral(start, end, kind, value, spelled))
        yield number
        index, before = stop, _end_of_operand(number)


def _end_of_operand(number: Numeral) -> int:
    """Where a number ends from which another could be taken away: no negative one."""
    return 0 if number.kind == "negative" else number.end


def _behind_point(text: str, atoms: list[_Atom], stop: int) -> int:
    """The index after the figures of "three point one four"."""
    while stop + 1 < len(atoms) and atoms[stop + 1].shape == "unit":
        last, following = atoms[stop], atoms[stop + 1]
        if (following.value or 0) > 9 or not text[last.end : following.start].isspace():
            break
        stop += 1
    return stop + 1


def _and_a_half(
    text: str, atoms: list[_Atom], part: int, whole: int
) -> tuple[int, int | None, NumeralKind]:
    """One and a half dozen is 18, one and a half is no whole number."""
    size = atoms[part + 1] if part + 1 < len(atoms) else None
    half = atoms[part]
    if size is None or size.shape != "size" or text[half.start : half.end].lower() != "half":
        return part + 1, None, "fraction"
    if size.start - half.end > FAR or not _STEP.fullmatch(text, half.end, size.start):
        return part + 1, None, "fraction"
    value = whole * (size.value or 0) + (size.value or 0) // 2
    return (part + 2, value, "cardinal") if value <= LARGEST else (part + 2, None, "code")


def _dozens(
    text: str, atoms: list[_Atom], place: int, many: int
) -> tuple[int, int | None, NumeralKind]:
    """Two dozen is 24, a dozen and a half 18."""
    dozen, part = atoms[place], atoms[place + 1] if place + 1 < len(atoms) else None
    if part is None or text[part.start : part.end].lower() != "half":
        return place + 1, many * 12, "cardinal"
    near = part.start - dozen.end <= FAR and _AND_A.fullmatch(text, dozen.end, part.start)
    return (place + 2, many * 12 + 6, "cardinal") if near else (place + 1, many * 12, "cardinal")


def _scaled(text: str, atom: _Atom, size: _Atom) -> tuple[int | None, NumeralKind]:
    """2 thousand, 3 dozen, 1.5 million."""
    value = atom.value
    if atom.kind == "decimal":
        whole, _, tail = text[atom.start : atom.end].partition(".")
        product = int(whole + tail) * (size.value or 0) if (whole + tail).isdecimal() else 1
        value = product // 10 ** len(tail) if product % 10 ** len(tail) == 0 else None
    elif value is not None:
        value *= size.value or 1
    return (value, "cardinal") if value is not None and value <= LARGEST else (None, "code")


def _compound(
    text: str, atoms: list[_Atom], index: int, *, implied_one: bool = False
) -> tuple[int, int | None, NumeralKind]:
    """The longest number in words that begins at this atom: (index after it, value, kind)."""
    total, group, scale = 0, 1 if implied_one else atoms[index].value or 0, LARGEST
    previous = index
    stop = index if implied_one else index + 1
    while stop < len(atoms):
        atom, last = atoms[stop], atoms[previous]
        size = atom.value or 0
        fresh = implied_one and stop == index
        if not fresh:
            gap = text[last.end : atom.start] if atom.start - last.end <= FAR else "…"
            after_size = last.shape == "size" and last.value != 12
            if atom.shape in ("unit", "digits") and _POINT.fullmatch(gap):
                return _behind_point(text, atoms, stop), None, "decimal"
            if atom.shape == "part" and last.shape == "unit" and _AND_A.fullmatch(gap):
                return _and_a_half(text, atoms, stop, total + group)
            if not (_STEP.fullmatch(gap) or (after_size and _STEP_AND.fullmatch(gap))):
                break
            tens = last.shape == "unit" and (last.value or 0) >= 20
            fits = (tens and 0 < size < 10) or (after_size and 0 < size < 100)
            if atom.shape == "ordinal" and (fits or (size >= 100 and last.shape == "unit")):
                return stop + 1, None, "ordinal"
            if last.shape == "unit" and atom.shape in ("ordinal", "part"):
                is_part = text[atom.start : atom.end].lower() in PARTS
                return (
                    (stop + 1, None, "fraction") if is_part else (stop, total + group, "cardinal")
                )
            if atom.shape == "group" and last.shape == "unit":
                return stop + 1, (total + group) * size, "group"
            if atom.shape == "plural" and last.shape == "unit" and size * (total + group):
                many = (total + group) * size
                return (stop + 1, many, "cardinal") if many <= LARGEST else (stop + 1, None, "code")
            if atom.shape == "unit" and fits:
                group += size
        if size > LARGEST:
            return stop + 1, None, "code"
        if atom.shape == "size" and size == 12 and (fresh or last.shape == "unit") and not total:
            return _dozens(text, atoms, stop, group)
        if (
            atom.shape == "size"
            and size == 100
            and 0 < group < 100
            and (fresh or last.shape == "unit")
        ):
            group *= 100
        elif atom.shape == "size" and 100 < size < scale and 0 < group < 10**4:
            total, group, scale = total + group * size, 0, size
        elif atom.shape != "unit" or not fits:
            break
        previous, stop = stop, stop + 1
    value = total + group
    return (stop, value, "cardinal") if value <= LARGEST else (stop, None, "code")
