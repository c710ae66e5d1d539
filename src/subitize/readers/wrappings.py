"""Take a reply out of its wrappings: thinking, XML, LaTeX, JSON, Markdown.

`unwrap` gives plain text that says the same. Where a wrapping itself says "this is the answer"
(a LaTeX box, an <answer> element, a JSON key such as "count"), the words "Answer:" are put in
its place, so that nothing is lost; what stood in a box or in such an element is between OPEN and
CLOSE, which are white space to every pattern. Every pattern takes linear time.
"""

from __future__ import annotations

import html
import re
from typing import Any

import orjson

OPEN, CLOSE = "\x1e", "\x1f"
"""around what a reply itself marks as its answer"""
_THINKING = re.compile(
    r"(?:<|◁)(?P<close>/?)(?:seed:)?(?:think|thinking|thought|thoughts|reasoning|scratchpad)(?:>|▷)"
    r"|\[(?P<shut>/?)THINK\]",
    re.IGNORECASE,
)
_CHANNEL = re.compile(r"<\|channel\|>\s{0,3}final\s{0,3}<\|message\|>", re.IGNORECASE)
_ANSWER_TAG = re.compile(
    r"<(?P<close>/?)(?:final[-_ ]?)?(?:answer|count|total|number|result|response|output)\s{0,3}>",
    re.IGNORECASE,
)
_BOX = re.compile(r"\\{1,2}(?:boxed|fbox|framebox)(?![A-Za-z])\s{0,2}(\{?)|[{}]")
_DRAWING = re.compile(r"\[asy\].*?(?:\[/asy\]|\Z)", re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z|][^<>]*>|<!--")
_FENCE = re.compile(
    r"```+(?:(?:json|text|txt|plaintext|plain|python|xml|yaml|markdown|md|latex|tex|html|output|csv"
    r"|bash)(?=\s))?|~~~+",
    re.IGNORECASE,
)
_STRUCK = re.compile(r"~~[^~\n]{1,80}~~")
_LINK = re.compile(r"(!?)\[([^\[\]\n]{0,200})\]\([^()\n]{0,500}\)")
_INLINE_MATH = re.compile(r"\$(?=\S)([^$\n]{1,200})(?<=\S)\$(?!\d)")
_MATH_IN_BRACKETS = re.compile(r"\\{1,2}\([ ]?([^()\n]{1,200}?)[ ]?\\{1,2}\)")
_LATEX_WORDS = {
    "times": "×", "cdot": "×", "div": "÷", "approx": "≈", "sim": "~", "geq": "≥", "ge": "≥",
    "leq": "≤", "le": "≤", "pm": "±", "to": " ", "rightarrow": " ", "quad": " ", "qquad": " ",
    "sqrt": "√", "pi": "π",
}  # fmt: skip
_LATEX = re.compile(r"\\{1,2}([A-Za-z]{2,20})|\\([^\w\s]|[ ])")
_FRACTION = re.compile(r"\\[dt]?frac(?:\{([^{}]{1,40})\}\{([^{}]{1,40})\}|\s?(\d)\s?(\d))")
_LINE_START = re.compile(r"^[ \t]*(?:>[ \t]+|#{1,6}[ \t]+|[*+•‣◦▪·–—-][ \t]+)+", re.MULTILINE)
_RULE = re.compile(r"^[ \t|:*_=-]{3,}$", re.MULTILINE)
_STARS = re.compile(r"(?<![\d\s])\*+|\*+(?![\d\s])|\*{2,}|(?<!\w)_+|_+(?!\w)|`+")
_INVISIBLE = re.compile(
    "[\x1c-\x1f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]"
)
_OBJECT = re.compile(r"\{[^{}]*\}")
_ANSWER_KEY = re.compile(
    r"(?:final_?|the_?|total_?)?(?:answer|count|total|number|num|result|value|quantity|n)", re.I
)
_SIDE_KEY = re.compile(
    r"confiden|certain|probab|score|(?:^|_)id$|index|bbox|box|point|coord|width|height|size|"
    r"time|date|version|think|reason|explan|rationale|thought",
    re.IGNORECASE,
)
_COUNTED_KEY = re.compile(r"(?:.*_)?(?:boxes|points)", re.IGNORECASE)
"""side keys that name things which may be counted, where they hold a single number"""
_NOT_DEEPER = 6
_WRAPPED = re.compile(r"[][<>{}$\\*_`|~#&=\r\x00-\x08\x1c-\x1f]")
_WRAPPED_LINE = re.compile(r"^[ \t]*[-+\"]", re.MULTILINE)
"""what any wrapping has: without one of the two there is nothing to take off"""


def unwrap(reply: str) -> str:
    """The reply as plain text.

    >>> unwrap("<think>3 and 4</think> **7**").strip()
    '7'
    >>> unwrap(r"so $\\\\boxed{7}$").split()
    ['so', 'Answer:', '7']
    """
    if reply.isascii() and not _WRAPPED.search(reply) and not _WRAPPED_LINE.search(reply):
        return reply
    text = _INVISIBLE.sub("", reply).replace("\r\n", "\n").replace("\r", "\n")
    # an encoder that took the backslash of \\boxed for an escape leaves a backspace
    text = text.replace("\x08oxed", "\\boxed")
    text = without_thinking(text)
    if "<" in text:
        text = _ANSWER_TAG.sub(lambda tag: CLOSE if tag["close"] else f" Answer: {OPEN}", text)
    text = _boxes(_DRAWING.sub(" ", text) if "[asy]" in text else text)
    text = html.unescape(_TAG.sub(" ", text) if "<" in text else text)
    text = _FENCE.sub("\n", _STRUCK.sub(" ", text))
    text = _from_json(text)
    text = _from_latex(text)
    if "](" in text:
        text = _LINK.sub(lambda link: " " if link[1] else link[2], text)
    text = _ROW_OF_TABLE.sub(_named_cells, text) if "|" in text else text
    text = _RULE.sub("", text).replace("’", "'").replace("|", " : ")
    text = _LINE_START.sub("", text)
    return _STARS.sub("", text) if "*" in text or "_" in text or "`" in text else text


_ROW_OF_TABLE = re.compile(
    r"^(?P<heads>[^\n|]*\|[^\n]*)\n[ \t]*\|?[ \t:|-]*-[ \t]*\|[ \t:|-]*\n(?P<cells>[^\n]*\|[^\n]*)$"
    r"(?!\n[^\n]*\|)",
    re.MULTILINE,
)


def _named_cells(table: re.Match[str]) -> str:
    """The only row of a Markdown table, each cell with the name of its column."""
    heads, cells = (
        [cell.strip() for cell in table[row].strip().strip("|").split("|")]
        for row in ("heads", "cells")
    )
    if len(heads) != len(cells):
        return table[0]
    return "; ".join(f"{head}: {cell}" for head, cell in zip(heads, cells, strict=True))


def without_thinking(text: str) -> str:
    """Drop thinking; without a beginning it began at once, without an end it never ended."""
    if "<" not in text and "◁" not in text and "THINK]" not in text:
        return text
    spoken: list[str] = []
    depth, place = 0, 0
    for tag in _THINKING.finditer(text):
        if not depth:
            spoken.append(text[place : tag.start()])
        if not (tag["close"] or tag["shut"]):
            depth += 1
        elif depth:
            depth -= 1
        else:
            spoken.clear()
        place = tag.end()
    if not depth:
        spoken.append(text[place:])
    text = " ".join(spoken)
    return _CHANNEL.split(text)[-1]


def _boxes(text: str) -> str:
    """LaTeX boxes as marked answers, with the braces that belong to them found by counting."""
    if "\\" not in text:
        return text
    made, place, depth = [], 0, 0
    ends: list[int] = []
    for sign in _BOX.finditer(text):
        opens = sign[0] == "{" or bool(sign[1])
        if sign[0] == "}":
            if ends and ends[-1] == depth:
                ends.pop()
                made += [text[place : sign.start()], CLOSE]
                place = sign.end()
            depth -= 1
        elif opens:
            depth += 1
        if sign[0] not in "{}":
            made += [text[place : sign.start()], f" Answer: {OPEN}"]
            place = sign.end()
            if opens:
                ends.append(depth)
    boxed = "".join([*made, text[place:]])
    return boxed.replace(f"$ Answer: {OPEN}", f" Answer: {OPEN}").replace(f"{CLOSE}$", CLOSE)


def _from_latex(text: str) -> str:
    text = text.replace("{,}", ",").replace("$$", " ")
    if "\\" in text:
        text = _MATH_IN_BRACKETS.sub(r"\1", text)
        text = _FRACTION.sub(lambda part: f" {part[1] or part[3]}/{part[2] or part[4]} ", text)
    text = _INLINE_MATH.sub(r"\1", text) if "$" in text else text
    text = _LATEX.sub(_latex_word, text) if "\\" in text else text
    return text.replace("{", " ").replace("}", " ")


def _latex_word(match: re.Match[str]) -> str:
    if match[1]:
        # "\n" written out as two characters by a careless encoder
        return _LATEX_WORDS.get(
            match[1], "\n" if match[1][0] == "n" and match[1][1].isupper() else " "
        )
    return " " if match[2] in ",;:! ()[]" else match[2]


def _from_json(text: str) -> str:
    bare = text.strip()
    if bare[:1] in ("{", "[", '"'):
        try:
            return "; ".join(_flat(orjson.loads(bare), "", 0))
        except orjson.JSONDecodeError:
            pass
    return _OBJECT.sub(_flat_object, text)


def _flat_object(match: re.Match[str]) -> str:
    """One flat object inside prose; Python's quotes are taken too."""
    found = match[0]
    if ":" not in found:
        return found
    for candidate in (found, found.replace("'", '"')):
        try:
            return "\n" + "; ".join(_flat(orjson.loads(candidate), "", 0)) + "\n"
        except orjson.JSONDecodeError:
            continue
    return found


def _flat(value: Any, key: str, depth: int, *, several: bool = False) -> list[str]:
    """Lines "key: value"; keys that never hold a count and rows of coordinates are left out.

    Of several things in a list none has the answer: their counts stand without a key.
    """
    counted = isinstance(value, int) and _COUNTED_KEY.fullmatch(key)
    if depth > _NOT_DEEPER or (_SIDE_KEY.search(key) and not counted) or value is None:
        return []
    if isinstance(value, dict):
        return [
            line for name in value for line in _flat(value[name], name, depth + 1, several=several)
        ]
    if isinstance(value, list):
        if len(value) > 1 and all(isinstance(item, int | float) for item in value):
            return [", ".join(str(item) for item in value)] if not depth else []
        several = several or len(value) > 1
        return [line for item in value for line in _flat(item, key, depth + 1, several=several)]
    if not key or (several and _ANSWER_KEY.fullmatch(key)):
        return [str(value)]
    name = "Answer" if _ANSWER_KEY.fullmatch(key) else key.replace("_", " ")
    return [f"{name}: {value}"]


_CONFIDENCE = re.compile(
    r"(?:^[ \t>*_#`(\[-]*|(?<=[.,;!?)(\s]))(?:my[ \t]+|\"|\*\*)?"
    r"confidence(?:[ \t]+(?:level|score|rating|in[ \t][^\n:=]{1,40}))?(?:[ \t]*\([^()\n]{0,30}\))?"
    r"[*_`\" \t]*(?:[:=]|\bis\b|[-–][ \t])[*_`\" \t]*"
    r"(?:about|around|approximately|roughly|~|≈)?[ \t]*"
    r"(?:(?P<number>\d{1,3}(?:[.,]\d{1,10})?)[ \t]*(?P<percent>%|％|٪|percent\b|per cent\b"
    r"|/[ \t]*100\b|out of 100\b)?|(?:very[ \t]+)?(?:high|medium|moderate|low)\b)"
    r"[*_`\"\])]*\.?",
    re.IGNORECASE | re.MULTILINE,
)


def take_confidence(reply: str) -> tuple[str, float | None]:
    """A reply without its line "Confidence: 80%", and that confidence between 0 and 1.

    Without a percent sign a number up to 1 is taken as it is and a larger one as percent. A
    confidence in words or above 100 % is taken out too, but gives null. The last one counts.

    >>> take_confidence("12 dots.\\nConfidence: 80%")
    ('12 dots.\\n', 0.8)
    >>> take_confidence("12 dots.")
    ('12 dots.', None)
    """
    value = None
    for match in _CONFIDENCE.finditer(reply):
        value = None
        if match["number"]:
            number = float(match["number"].replace(",", "."))
            value = number if number <= 1 and not match["percent"] else number / 100
            value = value if value <= 1 else None
    return _CONFIDENCE.sub("", reply), value
