"""Where a reply states its total: "so 12", "= 15", "in total 9", "makes 10", "Final answer: 16".

A *firm* cue (=, total, answer, makes …) takes the next number of its sentence that is no term of
a sum. A *loose* cue (so, therefore …) counts only when a single number follows it, and never
against an answer named as such before it. "In total" and its like also look back ("12 dots in
total"). What is stated last counts.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise

from subitize.readers.mentions import Mention

_SENTENCE_END = re.compile(
    r"(?<!approx)(?<!\bca)(?<!\bno)[.!?。！？]+(?=[\"')\]*]*(?:\s|$))|\n", re.I
)
_ANSWER = re.compile(
    r"\banswer\b|\bfinal (?:count|number|tally|result|total|estimate)\b"
    r"|答案|一共|总共|共有",
    re.IGNORECASE,
)
_FIRM = re.compile(
    r"\b(?:totals?|totalling|totaling|sum|count (?:is|of|would be|comes to)|result)\b"
    r"|(?<!let's )(?<!me )(?<!i )(?<!to )\bcount\s?[:=]",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"=|≈|→|⇒|\bequals?\b|\bequal to\b|\b(?:makes?|making|gives?|giving|gets?|yields?|yielding)\b"
    r"|\bresult(?:s|ing)? in\b|\bcom(?:es|ing) to\b|\badd(?:s|ing)? up to\b|\bsums? (?:up )?to\b"
    r"|\bamounts? to\b|\bbring(?:s|ing)? (?:it|the total|us) to\b|\bleav(?:es|ing)\b",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"\b(?:in total|altogether|all together|in all|in sum|overall|all told|combined|total)\b", re.I
)
_LOOSE = re.compile(
    r"\b(?:so(?! (?:far|that|many|much|on|the pattern))|therefore|thus|hence|consequently|"
    r"accordingly|which means"
    r"|meaning|in conclusion|in summary|to conclude|finally)\b",
    re.IGNORECASE,
)
_FORWARD = re.compile(
    r"(?:\s*[:=]\s*|\s+|,?\s+(?:there|that|this|it|we|i|the|you)\b[\w' ]{0,50}\s)"
    r"(?:(?:is|are|about|around|roughly|approximately|at least|of)\s+)*[~≈(\"']*",
    re.IGNORECASE,
)
_VERB_GAP = re.compile(
    r"[\s:,]*(?:(?:it|that|us|you|me|a|an|the|total|of|up|to|about|around|roughly|approximately|exactly|grand|"
    r"there|are|is|sum|count|answer|final)[\s:]+)*[~≈(\"'$:]*\s*",
    re.IGNORECASE,
)
_TERM_AFTER = re.compile(
    r"(?:[ ]\(?[\w'-]{1,20}\)?){0,4}?\s{0,2}(?:[+×÷]|\*|[-−](?=\s?\d)|\bx\b(?=\s?\w)"
    r"|\bplus\b|\bminus\b|\btimes\b|\bmultiplied\b)"
    r"|[ ](?:\w{1,15} )?(?:rows?|columns?|lines?|groups?|sets?|layers?|sides?|clusters?)\b"
    r"|[ ](?:[\w'-]{1,20} ){0,2}(?:per|each|in each|on each)\b",
    re.IGNORECASE,
)
_TERM_BEFORE = re.compile(
    r"(?:[+×÷*−]|(?<=\d) ?[-x]|\d [-x] ?|\bplus|\bminus|\btimes|\bby"
    r"|\b(?:rows?|columns?|groups?|sets?) of) ?$",
    re.IGNORECASE,
)
_IS_AFTER_SUM = re.compile(
    r"(?:[ ][\w'-]{1,20}){0,2},?[ ](?:is|are|makes?|,? which is)[ ]{1,2}", re.I
)
_NOUN_GAP = re.compile(r" (?:(?!(?:on|in|at|and|of|to|with)\b)[\w'-]{1,20} ){0,3}(?:in )?", re.I)


def sentence_starts(text: str) -> list[int]:
    """Where the sentences begin; a line break ends one too."""
    return [0, *(match.end() for match in _SENTENCE_END.finditer(text))]


def stated_total(text: str, mentions: Sequence[Mention]) -> Mention | None:
    """The last number that the text states as its total."""
    known = [mention for mention in mentions if mention.stated]
    if not known:
        return None
    finder = _Finder(text, known)
    answers = finder.after(_ANSWER) + finder.after(_FIRM)
    firm = answers + finder.after(_VERB, _VERB_GAP) + finder.in_all() + finder.of_sums()
    loose = finder.after_loose()
    best = max(firm, default=None)
    latest = max(loose, default=None)
    firmly = best in answers and best is not None and best.role != "range"
    if best and latest and latest.start > best.start and not firmly:
        best = latest
    return best or latest


class _Finder:
    """Looks from cues to numbers; holds the places so that every look is a bisection."""

    def __init__(self, text: str, known: Sequence[Mention]) -> None:
        self.text = text
        self.known = known
        self.begins = [mention.start for mention in known]
        self.sentences = sentence_starts(text)

    def _sentence_end(self, place: int) -> int:
        index = bisect_right(self.sentences, place)
        return self.sentences[index] if index < len(self.sentences) else len(self.text)

    def _last(self, place: int) -> Mention | None:
        """The last number that begins before a place."""
        index = bisect_left(self.begins, place) - 1
        return self.known[index] if index >= 0 else None

    def _rest(self, place: int, most: int | None = None) -> Sequence[Mention]:
        """The numbers from a place to the end of its sentence."""
        low = bisect_left(self.begins, place)
        high = bisect_left(self.begins, self._sentence_end(place))
        return self.known[low : high if most is None else min(high, low + most)]

    def _next(self, place: int) -> Mention | None:
        """The next number in the same sentence, or right behind a colon and line breaks."""
        index = bisect_left(self.begins, place)
        if index == len(self.known):
            return None
        found = self.known[index]
        if found.start < self._sentence_end(place):
            return found
        gap = self.text[place : found.start] if found.start - place < 30 else "."
        return found if not gap.strip(" \t\n:*\"'($~") else None

    def _is_term(self, mention: Mention) -> bool:
        before = self.text[max(0, mention.start - 20) : mention.start]
        after = self.text[mention.end : mention.end + 80].partition("\n")[0]
        return bool(_TERM_BEFORE.search(before) or _TERM_AFTER.match(after))

    def after(self, cue: re.Pattern[str], gap: re.Pattern[str] | None = None) -> list[Mention]:
        found = []
        for match in cue.finditer(self.text):
            mention = self._next(match.end())
            if mention is None or self._is_term(mention):
                if match[0] == "=" and (left := self._left_of(match.start())):
                    found.append(left)
                continue
            between = self.text[match.end() : min(mention.start, match.end() + 120)]
            if ";" in between or self._is_breakdown(match):
                continue
            if len(between) < 120 and (gap is None or gap.fullmatch(between)):
                found.append(mention)
        return found

    def _left_of(self, place: int) -> Mention | None:
        """12 in "12 = 3 x 4"."""
        mention = self._last(place)
        if mention is None or self.text[mention.end : place].strip() or self._is_term(mention):
            return None
        return mention

    def in_all(self) -> list[Mention]:
        found = []
        for match in _ALL.finditer(self.text):
            mention = self._next(match.end())
            if mention and not self._is_term(mention) and not self._is_breakdown(match):
                between = self.text[match.end() : min(mention.start, match.end() + 90)]
                if _FORWARD.fullmatch(between):
                    found.append(mention)
                    continue
            if mention := self._last(match.start()):
                between = self.text[max(mention.end, match.start() - 60) : match.start()]
                near = match.start() - mention.end < 60 and not re.search(r"[;:(.\n]", between)
                if near and not self._is_term(mention):
                    found.append(mention)
        return found

    def _is_breakdown(self, cue: re.Match[str]) -> bool:
        """Whether parts follow a total named before: "12 dots in total: 5 above and 7 below"."""
        total = self._last(cue.end())
        if total is None or len({mention.value for mention in self._rest(cue.end())}) < 2:
            return False
        return bool(_NOUN_GAP.fullmatch(self.text, total.end, cue.start()))

    def of_sums(self) -> list[Mention]:
        """12 in "9 plus 3 is 12"."""
        return [
            right
            for left, right in pairwise(self.known)
            if right.start - left.end < 60
            and _IS_AFTER_SUM.fullmatch(self.text, left.end, right.start)
            and _TERM_BEFORE.search(self.text[max(0, left.start - 20) : left.start])
            and not self._is_term(right)
        ]

    def after_loose(self) -> list[Mention]:
        """The one number that follows a loose cue."""
        follow = (self._rest(match.end(), 5) for match in _LOOSE.finditer(self.text))
        alone = (rest[0] for rest in follow if len({mention.value for mention in rest}) == 1)
        return [mention for mention in alone if not self._is_term(mention)]
