"""Where a reply states its total: "so 12", "= 15", "in total 9", "makes 10", "Final answer: 16".

First comes what is *named* as the answer ("Final answer: 16", a last line that is a number and
nothing else), then a first line that is only a number. Without them what is stated last counts:
a *firm* cue (=, total, makes …) takes the next number of its sentence that is no term of a sum;
"in total" and its like also look back ("12 dots in total"); a *loose* cue (so, therefore …)
counts only when a single number follows it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise

from subitize.readers.alone import (
    AROUND,
    NAMES_ANSWER,
    first_line,
    lists_options,
    opening_option,
    stands_alone,
)
from subitize.readers.conditions import COPULA, is_bound, is_limit
from subitize.readers.mentions import Mention
from subitize.readers.sentences import starts_of

_ANSWER_GAP = re.compile(
    # possessive: every word is taken in one way only, so that the time stays linear
    r"(?:\s|[:=,*\"'$~≈(–—>)-]|：|是|为|一共|总共|共有|共|有|\b(?:to (?:the|this|your) (?:question|"
    r"problem|puzzle)|here|is|was|are|be|being|would|should|will|must|equals?|of|the|an?|there|"
    r"therefore|thus|then|simply|just|only|exactly|indeed|about|around|roughly|approximately|also|"
    r"value|number|integer|option|choice|count|total|as follows|[A-H](?=[).: ]))(?!\w))*+"
)
_EXAMPLE = re.compile(r"\b(?:for example|for instance|e\.g\.|suppose)", re.IGNORECASE)
_NUMBER_OF = re.compile(r"\bnumber of\b", re.IGNORECASE)
_RETRACTED = re.compile(
    r"\b(?:wait|correction|i (?:missed|made an? (?:mistake|error)|was wrong|miscounted)"
    r"|let me (?:re-?count|re-?check|check again|correct)|on second thought|oops|scratch that)\b",
    re.IGNORECASE,
)
_CORRECTED = re.compile(
    rf"{_RETRACTED.pattern}|(?:^|[,;.…]\s{{0,2}})(?:no|nope|sorry),(?= )"
    r"|\s[–—-] (?:no|nope|sorry),(?= )|\bafter (?:a )?re-?count(?:ing)?\b"
    r"|\bactually\b(?! (?:in|is) )"
    r"|\b(?:on|upon|at|after) (?:a )?(?:closer|second|careful|further) "
    r"(?:look|inspection|examination|review|count)"
    r"|\b(?:answer|count|estimate|guess) (?:of \w{1,12} )?was (?:wrong|incorrect|off|mistaken)\b"
    r"|\b(?:first|initially|originally|previously)\b[^.\n]{0,60}? but\b",
    re.IGNORECASE,
)
"""behind these words stands what holds, if a number does"""
_NOT_AT_FIRST = "".join(
    rf"(?<!{word} {a} )"
    for word in ("from", "start with", "began with", "begin with", "started with", "out of")
    for a in ("a", "the")
)
_FIRM = re.compile(
    r"一共|总共|共有|"
    rf"{_NOT_AT_FIRST}\b(?:totals?|totalling|totaling|sum|count (?:is|of|would be|comes to)"
    r"|result)\b"
    r"|(?<!let's )(?<!me )(?<!i )(?<!to )\bcount\s?[:=]",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"=|≈|→|⇒|->|\bequal(?:s| to)?\b|\b(?:mak(?:es?|ing)|giv(?:es?|ing)|gets?|yield(?:s|ing)?)\b"
    r"|\bresult(?:s|ing)? in\b|\bcom(?:es|ing) to\b|\badd(?:s|ing)? up to\b|\bsums? (?:up )?to\b"
    r"|\bamounts? to\b|\bbring(?:s|ing)? (?:it|the total|us) to\b|\bleav(?:es?|ing)\b"
    r"|\bleft with\b|\bend(?:s|ed|ing)? up with\b",
    re.IGNORECASE,
)
_ALL = re.compile(
    rf"\b(?:in total|altogether|all together|in all|in sum|overall|all told|combined"
    rf"|{_NOT_AT_FIRST}total)\b",
    re.IGNORECASE,
)
_STATISTIC = re.compile(r"\b(?:mode|mean|median|range|average|difference)\b", re.IGNORECASE)
_STATISTIC_IS = re.compile(
    r"(?:(?: (?:of|between|in|for)\b[^.,;:!?\n]{0,60}?)? (?:is|was|equals|=)|:)"
    r"(?: (?:therefore|thus|then|also|only|exactly|equal to|the (?:number|value|score)))* [\"'$]?",
    re.IGNORECASE,
)
_TOTAL_OF = re.compile(r" (?:number|amount|count|of)\b", re.IGNORECASE)
_LOOSE = re.compile(
    r"\b(?:so(?! (?:far|that|many|much|on|the pattern))|therefore|thus|hence|consequently|"
    r"accordingly|which means"
    r"|meaning|in conclusion|in summary|to conclude|finally)\b",
    re.IGNORECASE,
)
_REST_BEFORE = re.compile(
    r"\b(?:there (?:are|is|will be|would be|were|was)|(?:we|you|that|it|which) (?:have|has)"
    r"|left with)(?: (?:only|just|now|still|exactly|a total of))*[ *\"']{1,3}$",
    re.IGNORECASE,
)
_REST_AFTER = re.compile(
    r"[*\"']{0,3}(?: (?!(?:the|on|to|at|from|far|and|are|is)\b)[\w'-]{1,20}[*\"']{0,2}){0,4}?"
    r" (?:left|remaining)(?=[*\"']{0,2}(?:[.,;!)]|\s|$))"
    r"(?! (?:of|side|hand|half|part|corner|column|row|and right|or right|to be))",
    re.IGNORECASE,
)
_ARE_LEFT = re.compile(
    r"[*\"']{0,3}(?: (?!(?:on|to|at|from|and|the|that|which|of)\b)[\w'-]{1,20}[*\"']{0,2}){0,4}?"
    r" (?:is|are|were|will be|would be|will have been) (?:now |still |then )?(?:left|remaining)"
    r"(?=[*\"']{0,2}(?:[.,;!)]|\s|$))(?! (?:of|side|hand|half|un|in|over|out|behind|visible|to))",
    re.IGNORECASE,
)
_REMAINING = re.compile(r"\bremaining(?: [\w'-]{1,20}){0,2}\s?[:=][ *]{0,3}$", re.IGNORECASE)
_SEEN = re.compile(r"\b(?:visible|hidden|occluded|covered|behind)\b", re.IGNORECASE)
_REMAIN = re.compile(
    r"[*\"']{0,3}(?: (?!(?:are|is|and|the|that|which)\b)[\w'-]{1,20}[*\"']{0,2}){0,4}?"
    r" remains?(?=[*\"']{0,2}(?:[.,;!)]|\s|$))(?! (?:to|un|in|behind|hidden|visible|covered))",
    re.IGNORECASE,
)
_DID_NOT = re.compile(
    r"(?: [\w'-]{1,20}){0,2} (?:did|do|does|are|is|were|was|have|has|had)(?:n't| not)\b",
    re.IGNORECASE,
)
_OPEN_END = re.compile(r"\b(?:more|fewer|less|greater) than $", re.IGNORECASE)
_FORWARD = re.compile(
    r"(?:\s*[:=]\s*|\s+|,?\s+(?:there|that|this|it|we|i|the|you)\b[\w' ]{0,50}\s)"
    r"(?:(?:is|are|about|around|roughly|approximately|at least|of)\s+)*[~≈(\"']*",
    re.IGNORECASE,
)
_VERB_GAP = re.compile(
    r"[\s:,]*(?:(?:with|it|that|us|you|me|a|an|the|total|of|up|to|about|around|roughly|approximately|exactly|grand|"
    r"there|are|is|sum|count|answer|final|just|only)[\s:]+)*[~≈(\"'$:]*\s*",
    re.IGNORECASE,
)
_TERM_AFTER = re.compile(
    r"(?:[ ]\(?[\w'-]{1,20}\)?){0,4}?\s{0,2}(?:[+×÷]|\*|[-−](?=\s?\d)|\bx\b(?=\s?\w)"
    r"|\bplus\b|\bminus\b|\btimes\b|\bmultiplied\b)",
    re.IGNORECASE,
)
_UNIT_AFTER = re.compile(
    r"[ ](?:\w{1,15} )?(?:rows?|columns?|lines?|groups?|sets?|layers?|sides?|clusters?)\b"
    r"|[ ](?:[\w'-]{1,20} ){0,2}(?:per|each|in each|on each)\b",
    re.IGNORECASE,
)
_TERM_BEFORE = re.compile(
    r"(?:[+×÷*−]|(?<=\d) ?[-x]|\d [-x] ?|\bplus|\bminus|\btimes|\bby"
    r"|\b(?:rows?|columns?|groups?|sets?) of) ?$",
    re.IGNORECASE,
)
_IS_AFTER_SUM = re.compile(
    r"(?:[ ][\w'-]{1,20}){0,2},?[ ](?:is|are|makes?|which (?:is|makes|gives))[ ]{1,2}", re.I
)
_NOUN_GAP = re.compile(r" (?:(?!(?:on|in|at|and|of|to|with)\b)[\w'-]{1,20} ){0,3}(?:in )?", re.I)


def last_retraction(text: str, mentions: Sequence[Mention]) -> int | None:
    """Where a reply takes back a number that it has named, for another one."""
    counts = [one for one in mentions if one.role in ("count", "hedged")]
    if len({one.value for one in counts}) < 2:
        return None
    first, last = counts[0].end, counts[-1].start
    places = [found.end() for found in _CORRECTED.finditer(text, 0, last)]
    return places[-1] if places and places[-1] > first else None


def stated_total(text: str, mentions: Sequence[Mention]) -> Mention | None:
    """The number that the text states as its total."""
    known = [one for one in mentions if one.stated and not is_limit(text, one)]
    if not known:
        return None
    finder = _Finder(text, known)
    retracted = max((match.start() for match in _RETRACTED.finditer(text)), default=-1)
    named = [
        one
        for one in finder.after(NAMES_ANSWER, _ANSWER_GAP)
        if one.start > retracted and not finder.is_supposed(one)
    ]
    if finder.ends_alone(known[-1]):
        named.append(known[-1])
    if named:
        return max(named)
    if first := first_line(text, known) or opening_option(text, known):
        return first
    stated = finder.after(_FIRM) + finder.after(_VERB, _VERB_GAP) + finder.in_all()
    stated += finder.of_statistics()
    stated += finder.of_sums() + finder.of_subjects() + finder.of_rests()
    return max(stated + finder.after_loose(), default=None)


class _Finder:
    """Looks from cues to numbers; holds the places so that every look is a bisection."""

    def __init__(self, text: str, known: Sequence[Mention]) -> None:
        self.text = text
        self.known = known
        self.begins = [mention.start for mention in known]
        self.sentences = starts_of(text)

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
        if _TERM_BEFORE.search(before) or _TERM_AFTER.match(after):
            return True
        equal = before.rstrip().endswith("=") or COPULA.search(before)
        return not equal and bool(_UNIT_AFTER.match(after))

    def after(self, cue: re.Pattern[str], gap: re.Pattern[str] | None = None) -> list[Mention]:
        found = []
        for match in cue.finditer(self.text):
            mention = self._next(match.end())
            if mention is None or self._is_term(mention):
                if match[0] == "=" and (left := self._left_of(match.start())):
                    found.append(left)
                continue
            between = self.text[match.end() : min(mention.start, match.end() + 120)]
            if ";" in between or self._is_breakdown(match) or self._looks_back(match):
                continue
            if is_bound(self.text, max(match.start(), mention.start - 180), mention):
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
            before = self._last(match.start())
            if before and _NOUN_GAP.fullmatch(self.text, before.end, match.start()):
                if not self._is_term(before):
                    found.append(before)
                continue
            mention = self._next(match.end())
            if mention and not self._is_term(mention) and not self._is_breakdown(match):
                between = self.text[match.end() : min(mention.start, match.end() + 90)]
                if _FORWARD.fullmatch(between):
                    found.append(mention)
                    continue
            if _TOTAL_OF.match(self.text, match.end()):
                continue
            if mention := self._last(match.start()):
                between = self.text[max(mention.end, match.start() - 60) : match.start()]
                near = match.start() - mention.end < 60 and not re.search(r"[;:(.\n]", between)
                if near and not self._is_term(mention):
                    found.append(mention)
        return found

    def _looks_back(self, cue: re.Match[str]) -> bool:
        """Whether "in total" belongs to the number before it: "12 cups in total, 3 on the left"."""
        if not self.text.endswith("in ", 0, cue.start()):
            return False
        total = self._last(cue.start())
        return total is not None and bool(_NOUN_GAP.fullmatch(self.text, total.end, cue.start()))

    def _is_breakdown(self, cue: re.Match[str]) -> bool:
        """Whether parts follow a total named before: "12 dots in total: 5 above and 7 below"."""
        total = self._last(cue.end())
        if total is None or not _NOUN_GAP.fullmatch(self.text, total.end, cue.start()):
            return False
        return len({mention.value for mention in self._rest(cue.end(), 20)}) > 1

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

    def ends_alone(self, mention: Mention) -> bool:
        """Whether a number is all that the last line or sentence says."""
        if self.text[mention.end :].strip(AROUND):
            return False
        if lists_options(self.text, self.known[-2:]):
            return False
        begin = self.sentences[bisect_right(self.sentences, mention.start) - 1]
        alone = not self.text[begin : mention.start].strip(AROUND) and begin > 0
        return alone or stands_alone(self.text, mention)

    def is_supposed(self, mention: Mention) -> bool:
        """Whether a sentence only gives an example."""
        begin = self.sentences[bisect_right(self.sentences, mention.start) - 1]
        return bool(_EXAMPLE.search(self.text, max(begin, mention.start - 200), mention.start))

    def of_subjects(self) -> list[Mention]:
        """3 in "The number of bars with values below 6 is 3"."""
        found: list[Mention] = []
        for match in _NUMBER_OF.finditer(self.text):
            rest = self._rest(match.end(), 5)
            if len(rest) == 1 and COPULA.search(
                self.text, max(match.end(), rest[0].start - 40), rest[0].start
            ):
                found += [] if self._is_term(rest[0]) else rest
        return found

    def of_statistics(self) -> list[Mention]:
        """6 in "The difference between 10 and 4 is 6" and "Range: 6"."""
        return [
            one
            for match in _STATISTIC.finditer(self.text)
            for one in self._rest(match.end(), 3)
            if _STATISTIC_IS.fullmatch(self.text, match.end(), one.start) and not self._is_term(one)
        ]

    def of_rests(self) -> list[Mention]:
        """7 in "there are 7 objects left" or "7 remain": what an earlier total has become."""
        whole = "emaining" in self.text and not _SEEN.search(self.text)
        return [
            one
            for one in self.known
            if _REMAIN.match(self.text, one.end)
            or _ARE_LEFT.match(self.text, one.end)
            or (whole and _REMAINING.search(self.text, max(0, one.start - 60), one.start))
            or (
                _REST_AFTER.match(self.text, one.end)
                and _REST_BEFORE.search(self.text, max(0, one.start - 40), one.start)
            )
        ]

    def after_loose(self) -> list[Mention]:
        """The one number that follows a loose cue."""
        follow = (self._rest(match.end(), 5) for match in _LOOSE.finditer(self.text))
        alone = (rest[0] for rest in follow if len({mention.value for mention in rest}) == 1)
        return [one for one in alone if not self._is_term(one) and not self._is_other(one)]

    def _is_other(self, mention: Mention) -> bool:
        """2 in "so fewer than 2 people prefer it", where how many is left open, and 16 in "so 16
        did not": those that were not asked for."""
        open_ = _OPEN_END.search(self.text, max(0, mention.start - 20), mention.start)
        return bool(open_ or _DID_NOT.match(self.text, mention.end))
