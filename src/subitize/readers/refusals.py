"""Words that refuse to give a number, or say that none can be given."""

from __future__ import annotations

import re
from collections.abc import Sequence

from subitize.readers.hedges import QUANTIFIER
from subitize.readers.mentions import Mention
from subitize.readers.sentences import sentence_around, starts_of
from subitize.readers.wrappings import OPEN

_CANNOT = (
    r"(?:can't|cannot|can not|could not|couldn't|won't|will not|(?:'m |am )?unable to|not able to)"
)
_REFUSAL = re.compile(
    r"^\W*(?:sorry|apologies|unfortunately)\b"
    r"|\b(?:i(?:'m| am) (?:very |really |so )?(?:sorry|afraid|unable)|i apologi[sz]e"
    rf"|(?:i|we) (?:\w+ )?{_CANNOT}\b|{_CANNOT} (?:\w+ )?(?:assist|help|see|view|analy[sz]e|"
    r"process|access|identify|determine|count|provide|answer|fulfil|comply|display)"
    r"|as an? (?:ai|artificial|large language|language|text)\b"
    r"|(?:no|any|an?) (?:image|picture|photo|attachment)s? (?:was|were|is|has been|have been|"
    r"attached|provided|uploaded)"
    r"|(?:don't|do not) (?:see|have) (?:any |an? |the )?(?:image|picture|photo|access|"
    r"ability)"
    r"|please (?:provide|upload|share|attach|resend)|(?:not possible|impossible) to\b"
    r"|no (?:\w{1,12} )?(?:answer|count|solution) (?:is |can be )?(?:possible|available|given)"
    r"|i must decline|(?:decline|refuse|prefer not) to|against my\b|not comfortable\b"
    r"|i(?:'m| am) not able\b)",
    re.IGNORECASE,
)
REFUSING = re.compile(
    rf"\b(?:(?:i|we) (?:\w+ )?{_CANNOT}\b|(?:not possible|impossible|difficult) to\b"
    r"|i(?:'m| am) (?:not able|unable) to\b"
    r"|(?:don't|do not) have (?:(?:the|any) )?(?:ability|access)\b"
    r"|(?:don't|do not) see (?:any|an?|the) (?:image|picture|photo)"
    r"|please (?:provide|upload|share|attach|resend|send)\b|(?:i|we) can only\b"
    r"|(?:no|not any) way (?:to|of) (?:tell|know|say|count|determin|see|find)\w*"
    r"|(?:decline|refuse|prefer not) to\b|not (?:comfortable|allowed|permitted|in a position)\b"
    r"|no (?:\w{1,12} )?(?:answer|count|solution) (?:is |are |was |can be )?(?:possible|available"
    r"|given|found))"
    rf"|(?:\A|(?<=[.!?\n] )|(?<=\n))\W{{0,3}}{_CANNOT} \w",
    re.IGNORECASE,
)
"""the clause of a reply that declines to answer"""
_KNOWLEDGE = r"(?:information|data|details)"
_UNTOLD = (
    rf"(?:{_CANNOT}|impossible to|not possible to|hard to|difficult to)(?: \w{{1,12}}){{0,2}}?"
)
_GIVES_UP = re.compile(
    rf"\b(?:{_UNTOLD} (?:determine|provide|give|answer|calculate|compute|solve|predict|tell|state"
    r"|find|conclude|know|say|specify)(?:(?<!find)(?:[.,]|$)|(?: [\w'-]{1,15}){0,3}? (?:numbers?"
    r"|answer|values?|total|solution|count|how many|integer|amount|result"
    r"|question|problem|this|it|rate|mean|mode)\b)"
    rf"|{_UNTOLD} be (?:\w{{1,12}} )?(?:determined|provided|given|answered|calculated|computed|"
    r"solved|predicted|told|found|known|concluded|specified)\b"
    r"|(?:not|n't|no|lacks?|without)(?: (?:provide|contain|give|include|specify|have|any|enough|"
    rf"the|sufficient|relevant|specific|additional|necessary|further)){{1,4}} {_KNOWLEDGE}"
    rf"|insufficient {_KNOWLEDGE}"
    r"|(?<!you )(?:need|require)s? (?:more|additional|further|the actual) "
    r"|(?:answer|result|number|value) is (?:unknown|undefined|unclear|not given|not known"
    r"|not provided)"
    r"|please (?:provide|upload|share|attach|resend|send|include)\b|(?:can't|not) (?:be )?solv"
    r"|too (?:blurry|dark|small|unclear|low)\b[^.\n]{0,30} to (?:count|see|tell|read|say))",
    re.IGNORECASE,
)
"""that the answer can't be told"""
_GOES_ON = re.compile(
    r"\b(?:but(?! (?:if you|please|you (?:can|could|may)|feel free|i can (?:help|assist|try)))"
    r"|however|although|though|yet|still|nevertheless|assum\w+|if we|suppos\w+|maybe"
    r"|perhaps|probably|my (?:best )?(?:guess|estimate)|i(?:'d| would) (?:guess|estimate|say))\b"
    r"|[;:]\s{0,2}(?:there|i|it|they|we|my|about|around|roughly|approximately"
    r"|(?:the )?(?:answer|total|number|count))\b|, so (?:i|we)\b"
    r"|, (?:there|i (?:can|do|see|count|would))\b",
    re.IGNORECASE,
)


_ASKS = re.compile(
    r"\W{0,3}(?:could|can|would|do|are|is|did|which|what|if|please|call|try|let me know|feel free|"
    r"i (?:would|will|might|may|could) (?:need|require))\b",
    re.IGNORECASE,
)
"""how a sentence begins that asks for something or offers it"""
_FILES = re.compile(r" (?:images?|pictures?|photos?|files?|uploads?|attachments?)\b", re.IGNORECASE)


_VAGUE_ANSWER = re.compile(
    rf"\b(?:there (?:are|is|appears? to be|seems? to be)|i (?:can )?see|shows?|contains?)\s+"
    rf"{QUANTIFIER}\b",
    re.IGNORECASE,
)


_SIGNS = (
    "an't", "annot", "an not", "ould not", "ouldn't", "on't", "ill not", "able to",
    "ard to", "ossible", "ifficult", "o not", "lease ", "an only", "nformation",
    "o way ", "any way ", "ata", "etails", "eed", "equire", "is un", "is not ", "solv", "oo ",
    "efuse", "ecline", "refer not", "not comf", "not allow", "not perm", "not in a", "no ", "No ",
)  # fmt: skip
"""without their first letters, which may be capitals"""


def may_refuse(text: str) -> bool:
    """Whether a word of refusing is there at all: cheap, so that most replies end here."""
    return any(sign in text for sign in _SIGNS)


_MORE_SIGNS = (
    "sorry", "apolog", "fortunately", "afraid", "able", "as a", "image", "picture", "photo",
    "attachment", "decline", "against my",
)  # fmt: skip
"""what the longer list of refusals has beside, in small letters"""


def is_refusal(text: str) -> bool:
    """Whether a reply without a number declines to answer; "…, but there are several" does not.

    >>> is_refusal("I'm sorry, I can't help with that."), is_refusal("Several apples.")
    (True, False)
    """
    lower = text.lower()
    if not may_refuse(lower) and not any(sign in lower for sign in _MORE_SIGNS):
        return False
    return bool(_REFUSAL.search(text) or _GIVES_UP.search(text)) and not _VAGUE_ANSWER.search(text)


def are_refused(text: str, counts: Sequence[Mention]) -> bool:
    """Whether a reply names its numbers only while it declines to answer, or gives up after them.

    What it marks as its answer holds; so does a number that follows on "but" or in a later
    sentence, unless that one asks for something: "I can't see it. Could you describe the 2 rows?"
    """
    if not may_refuse(text) or OPEN in text:
        return False
    refusal = last = None
    for refusal in _GIVES_UP.finditer(text):  # noqa: B007  the last one is wanted
        pass
    for last in REFUSING.finditer(text):  # noqa: B007
        pass
    if refusal is None and last is None:
        return False
    sentences = starts_of(text)
    if refusal and not any(_is_beyond(text, refusal, one, sentences) for one in counts):
        return True
    return all(_FILES.match(text, one.end) or _is_refused(text, one, sentences) for one in counts)


def _is_beyond(
    text: str, refusal: re.Match[str], mention: Mention, sentences: Sequence[int]
) -> bool:
    """Whether a number is told after a reply has given up: it did not mean it."""
    if mention.start < refusal.start():
        return False
    begin, _ = sentence_around(sentences, text, mention.start)
    if begin <= refusal.start():
        return _GOES_ON.search(text, refusal.end(), mention.start) is not None
    return _ASKS.match(text, begin) is None


_TYPICAL = re.compile(r"\b(?:typical(?:ly)?|usual(?:ly)?|normally|generally|commonly)\b", re.I)
"""tells of such things at large, not of those in the picture"""


def _is_refused(text: str, mention: Mention, sentences: Sequence[int]) -> bool:
    """Whether a number is named only in a clause that declines to answer."""
    begin, _ = sentence_around(sentences, text, mention.start)
    if begin and _ASKS.match(text, begin) and REFUSING.search(text, 0, begin):
        return True
    if _TYPICAL.search(text, begin, mention.start) and REFUSING.search(text, 0, mention.start):
        return True
    refusal = None
    for refusal in REFUSING.finditer(text, begin, mention.start):  # noqa: B007  the last one
        pass
    return refusal is not None and not _GOES_ON.search(text, refusal.end(), mention.start)


_DISOWNS = re.compile(
    r"^\W*(?:sorry|unfortunately|regrettabl|alas\b|can't|cannot)|\bapolog"
    r"|\bi(?:'m| am) (?:\w+ )?sorry"
    r"|\bas an? (?:ai|artificial|language|large|text)\b|\b(?:i|we) (?:do not|don't) (?:know|have)\b"
    r"|\b(?:i(?:'m| am)|we(?:'re| are)) (?:just |only )?(?:able to|unable|unsure|uncertain"
    r"|not (?:\w+ )?(?:able|sure|certain|equipped|capable|trained|designed|qualified|allowed|going)"
    r"|a (?:text|language))"
    r"|\b(?:not|in)(?: \w+)? ?accessible\b|\b(?:lack|refrain|violat|guideline|privacy)"
    r"|\bbeyond m[ey]\b"
    r"|\b(?:would|will|'d) (?:have to|rather not)\b|\bi(?: would|'d| will)? (?:need|require) "
    r"|\bno (?:image|picture|photo|attachment|result)s?\b|\b(?:corrupt|unreadable|illegible)"
    r"|\b(?:did not|didn't|failed to|could not) (?:load|open)",
    re.IGNORECASE,
)
"""words with which a reply may decline; whether it does is told by its numbers"""
_ASSERTS = re.compile(
    r"(?:[=:]|\b(?:is|are|was|were|be|been|has|have|see|count(?:ed)?|spot|find|found|guess|say|shows?"
    r"|contains?|estimate|totals?|only|just|but|like|perhaps|maybe|probably|makes?|equals?|so"
    r"|thus|therefore|hence|that|remain|left|get|gives?|depicts?))"
    r"(?:,? (?:about|around|approximately|roughly|only|just|exactly|at (?:least|most)|maybe|perhaps"
    r"|probably|likely|a|total|of|be|to|there|up|over|some|still|now|it|is|are|i))*[\s\W_]*$"
    r"|[.!?\n][\W_]*$|^[\W_]*$",
    re.IGNORECASE,
)
"""what stands before a number that a reply vouches for"""


def are_disowned(text: str, counts: Sequence[Mention]) -> bool:
    """Whether a reply that declines in any words vouches for none of its numbers.

    >>> from subitize.readers.mentions import find_mentions
    >>> said = "I am not equipped to analyse charts with 12 bars."
    >>> are_disowned(said, find_mentions(said))
    True
    """
    if OPEN in text or any(_is_vouched_for(text, one.start) for one in counts):
        return False
    return bool(_DISOWNS.search(text))


def _is_vouched_for(text: str, place: int) -> bool:
    # most numbers stand right behind such a word: the long pattern is for the others
    last = text[max(0, place - 8) : place].rsplit(None, 1)[-1:]
    return last in _VOUCHING or _ASSERTS.search(text, max(0, place - 60), place) is not None


_VOUCHING = (["are"], ["is"], ["see"], ["Answer:"], ["count"], ["only"])
