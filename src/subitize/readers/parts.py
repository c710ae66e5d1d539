"""Numbers that stand beside the count and are none of their own: conditions, parts, breakdowns.

- a *condition* on what was counted: "3 bars with values smaller than 6", "the number of cities
  with fewer than 70 billboards is 5";
- the *structure* of a pattern whose count is given: "20 cups arranged in 4 rows and 5 columns";
- the hidden or visible *part* of a whole that is given: "12 cups, with 4 hidden behind the box",
  "100 nails. 88 are visible and 12 are covered";
- the *breakdown* of a headline: "Three people: the man and two girls" (and `readers.sums`);
- *one* thing beside the other: "2 signs. One sign is red and the other is blue."
- what a *refusal* mentions: "I cannot count the apples in the 2 images provided."

They become asides, but never the last count of a reply. Everything looked at is short.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from subitize.nouns import singular
from subitize.readers.conditions import Bounds, conditions_in, meeting, names_bound, said_again
from subitize.readers.mentions import Mention
from subitize.readers.refusals import are_disowned, are_refused
from subitize.readers.sentences import LONGEST, SENTENCE_END, sentence_around, starts_of
from subitize.readers.sums import parts_of_headline

MOST = 300
"""counts in a reply: of one with more no part is told from the whole"""
_COUNTS = ("count", "hedged")

_ARRANGED = re.compile(
    r"\b(?:arranged|organi[sz]ed|placed|laid out|divided|grouped|split|positioned|distributed|"
    r"aligned|displayed|lined up|stacked|spread|set up|ordered|forming|form|arrangement|consisting"
    r")\b[^.\n]{0,40}$",
    re.IGNORECASE,
)
_ORDER_AFTER = re.compile(
    r" (?:\w{1,33} )?(?:rows?|columns?|lines?|layers?|groups?|circles?|rings?|by|x|×)\b"
)
_ORDER_BEFORE = re.compile(r"\b(?:rows|columns|lines|layers|groups|circles|rings) of $")
_UNSEEN = (
    r"(?:hidden|covered|occluded|obscured|concealed|blocked|behind|beneath|underneath|under|visible"
    r"|seen|shown|uncovered|not visible|invisible|out of (?:sight|view|frame)|partially|partly"
    r"|fully|obstructed|not covered|inside the|within the)"
)
_SIGNS_OF_UNSEEN = (
    "idden", "over", "cclude", "bscure", "onceal", "locked", "hind", "neath", "nder", "isible",
    "een", "hown", "ut of", "art", "ully", "bstruct", "nside", "ithin",
)  # fmt: skip
"""one of these is in each of them, whose first letter may be a capital"""
_IS_PART = re.compile(
    rf"(?: (?P<noun>(?!(?:of|not|that|which)\b)[\w'-]{{2,20}}))?"
    rf"(?: of (?:them|these|those|which|the \w+(?: \w+)?))?"
    rf"(?: (?:are|is|were|being|that are|which are|appear to be|seem to be|might be|may be|"
    rf"would be|lie|lies|remain|remains|can be|can't be|cannot be))?"
    rf"(?: (?:probably|likely|completely|clearly|currently|still|also|partially|partly|fully|not))*"
    rf" {_UNSEEN}\b",
    re.IGNORECASE,
)
_FILLING = r"(?:,? (?:there (?:are|is)|the|about|at least|only))*,? $"
_INCLUDING = re.compile(rf"(?:\bincluding|, counting the){_FILLING}", re.IGNORECASE)
_OF_THESE = re.compile(
    rf"\b(?:of (?:which|these|them|those)|among (?:them|these)){_FILLING}", re.IGNORECASE
)
_HIDES = re.compile(
    rf"\b(?:hides?|hiding|covers?|covering|blocks?|blocking|obscures?|conceals?|occludes?)"
    rf"{_FILLING}|\bof which (?:i|we|you) (?:can |could )?(?:only )?see{_FILLING}",
    re.IGNORECASE,
)
_HIDING = ("hid", "cover", "block", "obscur", "conceal", "occlud", "can see", "which")
"""one of these is in what `_HIDES` finds"""
_OFFERS = re.compile(
    r"\W{0,3}(?:let me know|feel free|would you like|do you want)\b", re.IGNORECASE
)
_OF_ALL = re.compile(r"\b(?:of|among) (?:the|all|these|those|a total of) $", re.IGNORECASE)
_OUT_OF = re.compile(r"\bout of (?:the |all |a total of )*$", re.IGNORECASE)
_OF_THEM = re.compile(r" of (?:them|these|those|which|whom)\b", re.IGNORECASE)
_OTHER = re.compile(r"\b(?:the other|another|the second|the rest|others)\b", re.IGNORECASE)
_ITS_LIKE = re.compile(
    r"\b(?:and|while|but|,) (?:then )?(?:the other|another|the second)(?: one)?"
    r"(?=[,.;)]|$| (?:is|are|was|has|on|in|at|to|with|behind|beside|near|next|under|below|above|by|"
    r"here|there|over|appears|stands|sits|wearing|facing)\b)",
    re.IGNORECASE,
)
_DETAIL = re.compile(
    r"(?<!nswer):|\((?=[^)]*[a-z]{2})|(?<=[a-z.])\s(?:-\s(?=[a-z])|[–—]\s(?=\w))", re.IGNORECASE
)


def set_aside(
    text: str, mentions: Sequence[Mention], asked: Bounds, *, headline: bool
) -> list[Mention]:
    """The mentions, with those that stand only beside the count made asides.

    `asked` are the bounds that the question names: said again they are no answer. With `headline`
    the whole must come before its parts.
    """
    found = list(mentions)
    places = [place for place, one in enumerate(found) if one.role in _COUNTS]
    if not places or len(places) > MOST:
        return found
    for place, one in enumerate(found[1:]):
        if _is_year(text, found[place]) and _is_year(text, one):  # "between 2014 and 2015"
            found[place : place + 2] = [_aside(found[place]), _aside(one)]
    if "ow many" in text or "number of" in text or "ount" in text:
        for place in places:
            if names_bound(text, found[place]):
                found[place] = found[place]._replace(role="label", stated=False)
        places = [place for place in places if found[place].role in _COUNTS]
    if asked:
        places = _without_bounds(text, found, places, asked)
    several = len({found[place].value for place in places}) > 1
    counts = [found[place] for place in places]
    if are_refused(text, counts) or are_disowned(text, counts):
        return [_aside(one) if one.role in _COUNTS else one for one in found]
    if not several:
        return found
    sentences = starts_of(text)
    for rule in (
        _names, conditions_in, _offers, _structure, _parts, _of_all, _breakdown, parts_of_headline,
        _one_beside,
    ):  # fmt: skip
        left = [place for place in places if found[place].role in _COUNTS]
        dropped = set(rule(text, [found[place] for place in left], sentences))
        if not (headline and rule is _parts and 0 in dropped):
            _leave(found, left, dropped)
    return found


def _without_bounds(text: str, found: list[Mention], places: list[int], asked: Bounds) -> list[int]:
    """Where the counts are once the question's bounds are none, nor what does not meet them."""
    bounds = [place for place in places if said_again(text, found[place], asked)]
    others = [place for place in places if place not in bounds]
    for place in bounds:
        found[place] = found[place]._replace(role="label", stated=False)
    counts = [found[place] for place in others]
    meet = meeting(text, counts, [found[place] for place in bounds], starts_of(text))
    if len(meet) != 1 or "nswer" in text:
        return others
    _leave(found, others, {index for index, one in enumerate(counts) if one.value not in meet})
    return [place for place in others if found[place].role in _COUNTS]


def _is_year(text: str, mention: Mention) -> bool:
    """Whether it is an end of a range that is a year, if the reply names a count beside it."""
    if mention.role != "range" or not 1800 <= (mention.value or 0) < 2100:
        return False
    return text[mention.start].isdecimal()


def are_several_things(text: str, counts: Sequence[Mention]) -> bool:
    """Whether one number is named of two different things: "4 balls and 4 cubes", or the only
    one of its like: "one sign is red and the other is blue"."""
    if len(counts) == 1 and _and_another(text, counts[0]):
        return True
    for first, second in pairwise(counts):
        if second.start - first.end < 40:
            gap = text[first.end : second.start]
            nouns = re.fullmatch(r" (?:[\w'-]+ ){0,3}([\w'-]+),? and ", gap)
            if nouns and _noun_phrase(text, second) not in ("", singular(nouns[1].lower())):
                return True
    return False


def _and_another(text: str, mention: Mention) -> bool:
    """Whether the only number is "one", and the next words tell it from another of its kind."""
    if mention.value != 1 or not text[mention.start].isalpha():
        return False
    stop = SENTENCE_END.search(text, mention.end, mention.end + LONGEST)
    end = stop.start() if stop else min(len(text), mention.end + LONGEST)
    return _ITS_LIKE.search(text, mention.end, end) is not None


def _noun_phrase(text: str, mention: Mention) -> str:
    """The last of the words right after a number, up to three."""
    words = re.match(r"((?: [^\W\d_][\w'-]*){1,3})", text[mention.end : mention.end + 60])
    return singular(words[1].split()[-1].lower()) if words else ""


def _aside(mention: Mention) -> Mention:
    return mention._replace(role="aside", stated=False)


def _leave(found: list[Mention], counts: list[int], dropped: set[int]) -> None:
    if len(dropped) < len(counts):
        for index in dropped:
            found[counts[index]] = _aside(found[counts[index]])


_NAME_BEFORE = re.compile(
    r"[a-z,] (?!(?:Answer|Total|Exactly|About|Only|Option|There|Final|Count|Equals)\b)"
    r"[A-Z][a-z]{2,15} $"
)
_THINGS_AFTER = re.compile(r" (?:[a-z][\w'-]{1,20} ){0,2}[a-z][\w'-]{1,20}s\b")
_QUOTED = re.compile(
    r"(?P<says>\b(?:reads?|reading|says?|saying|said|labell?ed|titled|named|called|written|marked"
    r"|words?|texts?) |\b(?:another|second|other|third|and) )?"
    r"(?P<quote>[\"'“‘])(?P<said>[^\"'“”‘’\n]{0,40})$"
)


def _names(text: str, counts: list[Mention], sentences: Sequence[int]) -> Iterator[int]:
    """Numbers that are part of a name or of what is written: the Forever 21 store, "25 MPH"."""
    for index, mention in enumerate(counts):
        if not text[mention.start].isdecimal():
            continue
        begin = max(0, mention.start - 60)
        if _NAME_BEFORE.search(text, begin, mention.start):
            if not _THINGS_AFTER.match(text, mention.end):
                yield index
            continue
        quoted = _QUOTED.search(text, begin, mention.start)
        close = quoted and re.match(
            r"[^\"'“”‘’\n]{0,40}[\"'”’]", text[mention.end : mention.end + 42]
        )
        if quoted and close and (quoted["says"] or re.search("[A-Z]", quoted["said"] + close[0])):
            yield index


def _offers(text: str, counts: list[Mention], sentences: Sequence[int]) -> Iterator[int]:
    """1 in "Let me know if you have 1 more question!"."""
    offers = any(sign in text for sign in ("me know", "eel free", "you like", "you want"))
    for index, mention in enumerate(counts) if offers else ():
        if _OFFERS.match(text, sentence_around(sentences, text, mention.start)[0]):
            yield index


def _structure(text: str, counts: list[Mention], sentences: Sequence[int]) -> Iterator[int]:
    for index, mention in enumerate(counts[1:], 1):
        begin, _ = sentence_around(sentences, text, mention.start)
        before = text[max(begin, counts[0].end, mention.start - 60) : mention.start]
        of_order = _ORDER_AFTER.match(text, mention.end) or _ORDER_BEFORE.search(before[-12:])
        if of_order and counts[index - 1].start >= begin and _ARRANGED.search(before):
            for place in range(index, len(counts)):
                if counts[place].start < sentence_around(sentences, text, mention.start)[1]:
                    yield place
            return


def _noun_after(text: str, mention: Mention) -> str:
    word = re.match(r" ([^\W\d_][\w'-]{1,20})", text[mention.end : mention.end + 24])
    return singular(word[1].lower()) if word else ""


def _parts(text: str, counts: list[Mention], sentences: Sequence[int]) -> Iterator[int]:
    parts = []
    nouns: Counter[str] = Counter()
    hides = any(sign in text for sign in _HIDING)
    unseen = any(sign in text for sign in _SIGNS_OF_UNSEEN)
    for index, mention in enumerate(counts):
        after = _IS_PART.match(text[mention.end : mention.end + 90]) if unseen else None
        if after and not nouns:
            nouns.update(_noun_after(text, one) for one in counts)
        before = text[max(0, mention.start - 40) : mention.start]
        told = bool(after and (_same(after, nouns) or _OF_THESE.search(before)))
        told = told and not _OF_ALL.search(before)
        told = told or bool(hides and _HIDES.search(before))
        included = "ing" in before and _INCLUDING.search(before)
        of_them = _is_of_them(text, index, mention)
        if told or included or (of_them and not _is_out_of(text, counts[index - 1])):
            parts.append(index)
    wholes = [one.value or 0 for index, one in enumerate(counts) if index not in set(parts)]
    largest = max(wholes, default=0)
    yield from (index for index in parts if (counts[index].value or 0) < largest)


def _of_all(text: str, counts: list[Mention], sentences: Sequence[int]) -> Iterator[int]:
    """6 in "out of 6 bars, 4 are red", 16 in "12 squares among the 16"; what is said to be
    hidden or seen is a part of what was asked for."""
    for index, (mention, following) in enumerate(pairwise(counts)):
        first, second = mention.value or 0, following.value or 0
        begin, end = sentence_around(sentences, text, following.start)
        out_of = first > second and _is_out_of(text, mention)
        if out_of and not _SEEN.search(text, following.end, end):
            yield index
        among = first < second and _AMONG.fullmatch(text, mention.end, following.start)
        if among and not _SEEN.search(text, begin, end):
            yield index + 1


def _is_out_of(text: str, mention: Mention) -> bool:
    return _OUT_OF.search(text, max(0, mention.start - 30), mention.start) is not None


_AMONG = re.compile(
    r"(?:(?: [\w'-]{1,20}){1,4},?|,) (?:out of|among(?:st)?)(?: all| a total of)?(?: the| these"
    r"| those)? ",
    re.IGNORECASE,
)
_SEEN = re.compile(
    rf"\b(?:{_UNSEEN}|sees?|hid(?:es?|ing)|(?:cover|block|conceal|obscur|occlud)(?:es?|s|ing))\b",
    re.IGNORECASE,
)


def _is_of_them(text: str, index: int, mention: Mention) -> bool:
    """2 in "5 apples, 2 of them red"; "and 2 of them run" may be what was asked for."""
    if index and text.endswith((", of which ", "(of which "), 0, mention.start):
        return True
    joined = index and text[max(0, mention.start - 2) : mention.start].strip() in (",", "(")
    return bool(joined and _OF_THEM.match(text, mention.end))


def _same(part: re.Match[str], nouns: Counter[str]) -> bool:
    """Whether a part names no thing of its own, or the one that the whole names."""
    noun = part["noun"]
    if not noun or re.fullmatch(_UNSEEN, noun, re.IGNORECASE):
        return True
    named = singular(noun.lower())
    return noun in ("are", "is") or nouns[named] > 1


def _breakdown(text: str, counts: list[Mention], sentences: Sequence[int]) -> Iterator[int]:
    """Numbers behind the colon, dash or bracket after a headline, where they do not exceed it."""
    head = counts[0]
    sign = _DETAIL.search(text, head.end, min(len(text), head.end + 80))
    if sign is None or SENTENCE_END.search(text, head.end, sign.start()):
        return
    if sign[0] == ":" and text[: head.start].rstrip().endswith(":"):
        return  # "apples: 5, pears: 2" are two of a kind
    if len(counts) > 1 and counts[1].start < sign.start():
        return
    end = sentence_around(sentences, text, sign.start())[1]
    if re.search(r"[=+×*]", text[sign.end() : end]):
        return
    inside = [index for index, one in enumerate(counts) if sign.end() <= one.start < end]
    if sign[0] == ":" and not inside and len(counts) > 2:  # a list follows
        rest = text[sign.end() :].lstrip(" \n*")
        end = len(text) - len(rest) + len(rest.partition("\n\n")[0])
        inside = [index for index, one in enumerate(counts) if sign.end() <= one.start < end]
        if sum(counts[index].value or 0 for index in inside) == head.value:
            yield from inside
        return
    if 0 < sum(counts[index].value or 0 for index in inside) <= (head.value or 0):
        yield from inside


def _one_beside(text: str, counts: list[Mention], sentences: Sequence[int]) -> Iterator[int]:
    """One thing that is told from the other of several."""
    if not any((mention.value or 0) > 1 for mention in counts):
        return
    for index, mention in enumerate(counts):
        if mention.value != 1 or not text[mention.start].isalpha():
            continue
        begin, end = sentence_around(sentences, text, mention.start)
        begins = not text[begin : mention.start].strip(" \"'*-(")
        joined = text[max(begin, mention.start - 5) : mention.start].endswith((", ", " and ", "- "))
        if (begins or joined) and _OTHER.search(text, mention.end, min(len(text), end + 60)):
            yield index
