"""A how-many question and a number as a statement in correct English.

The published templates are the frame; here the verb agrees with the number, only the head noun
takes the singular, and words in the order of a question are put in the order of a statement ("How
many things is …" has none and is left out, as in the published templates). What the question itself
gets wrong ("How many window do you see?") stays as it was asked.
"""

from __future__ import annotations

import re

from subitize.datasets.probe.english import (
    ACTS,
    AFTER_NOUN,
    BARE,
    BODY,
    CLEAR,
    KINDS,
    NEGATED,
    PAIRED,
    PAST,
    PEOPLE,
    PLACED,
    UNCOUNTED,
    WAS,
    of_one,
)
from subitize.nouns import PLURALS, article, plural, singular

_OPINION = re.compile(
    r",? (?:do|would|did|can) (?:you|we|I) (?:think|say|believe|guess|suppose|estimate),?(?= |$)"
    r"|,? (?:that |who )?(?:do you|you can|we can|you) see,?(?= (?:are|were|have)\b)"
)
_IF_ANY = re.compile(r",? if any\b,?")
_TWO_QUESTIONS = re.compile(
    r"\bhow (?:many|much)\b|,? and (?:are|is|do|does|what|which|where|who) (?:they|it|them)\b"
    r"| and (?:what|where|why|how) (?:are|is|do|does|colou?rs?|kinds?|types?)\b"
    r"|, (?:and )?(?:what|which|where|who) ",
    re.IGNORECASE,
)
_OBSERVED = re.compile(
    r"(?P<what>.+?),? (?:are there|there are|(?P<past>were there|there were)"
    r"|(?:do |did )?(?:you|we|I) (?:see|count|find))"
    r"(?: (?P<end>.+))?"
)
_INVERTED = re.compile(
    r"(?:(?P<what>.+?) )?can (?P<who>you|we|one|someone|they|he|she|[a-z]+s) "
    r"(?P<verb>(?:\w+ly )?\w+)(?: (?P<end>.+))?"
)
_OWNED = re.compile(r"(?P<what>.+?) (?P<do>do|does) (?P<who>.+?) have\b ?(?P<end>.*)")
_OTHERS = re.compile(
    r"(?:the|these|those|this|that|his|her|their|its|they|we|you|each|all|[a-z]+s(?= )|people(?= ))"
    r"\b.*"
)
_BUSY = re.compile(
    r"(?P<who>\w+\b.*?) (?P<act>\w+ing|painted|cut|divided|split|hung|tied|"
    r"attached|connected)(?: (?P<end>.+))?"
)
_MEASURES = re.compile(r"(?:.* )?(?:colou?rs?|shades|stor(?:ies|eys?)|floors|levels|feet|years)")
"""things that another thing is: "How many stories are these buildings?\""""
_QUESTION_ORDER = re.compile(r" (?:is|was|will|does|has|do|did|may|might|should|would|could|must) ")
_RELATIVE = re.compile(
    rf"\b(that|who|which) (are|were|have|don't|aren't|{'|'.join(sorted(ACTS))})\b"
)
_CLAUSES = frozenset({"that", "who", "which", "to", "and", "or", "but"})
_FURTHER = re.compile(r"\b(?P<and>and|or|but) (?P<verb>are|were|have)\b")
_NAMED = re.compile(
    r"(?P<not>not )?(?P<what>(?:(?!\w+ing |(?:an?|than|and|or|with|of|as|in|on|to|at|for|by) )\w+ )"
    r"{0,2}(?P<last>\w+))(?<!ways)"
)
_WHOSE = re.compile(r"([a-z]+?)(?:'s|(?<=s)')")
_ONES = {"glasses": "glass", "police": "police officer"}
"""glasses to drink from: who counts spectacles counts people who wear them"""
_ASIDE = re.compile(r"\w+ing|if|not|besides|other|except|both|even|all|either")
"""after a comma: no further name of things to count"""


def fluent(rest: str, number: str) -> str | None:
    """What follows "How many", with the number, as a statement; None where there is none.

    >>> fluent("sheep are black", "1"), fluent("cars make up the train", "1")
    ('1 sheep is black', '1 car makes up the train')
    """
    rest = " ".join(rest.replace("\u2019", "'").split()).rstrip(".,!;: ")
    rest = _IF_ANY.sub("", _OPINION.sub("", f" {rest}")).strip()
    if _TWO_QUESTIONS.search(rest):
        return None
    made = _stated(rest, number)
    return made and made.rstrip(", ")


def _stated(rest: str, number: str) -> str | None:
    if can := _INVERTED.fullmatch(rest):
        said = f"{_capital(can['who'])} can {can['verb']}".replace("You can see", "You see")
        things = _join(number, _things(can["what"] or "", number))
        order = (can["end"], things) if can["what"] == "times" else (things, can["end"])
        return _join(said, *order)
    first, _, end = rest.partition(" ")
    if first in BARE | NEGATED:
        return _without_a_noun(first, end, number)
    what, verb, end = _verb(rest, NEGATED)
    if verb:
        return None if _OTHERS.fullmatch(end) else _acting(what, verb, end, number)
    if seen := _OBSERVED.fullmatch(rest):
        return _there(seen["what"], seen["end"], number, "were" if seen["past"] else "are")
    what, verb, end = _verb(rest, frozenset({"are", "were"}))
    if verb:
        return _being(what, verb, end, number)
    if owned := _OWNED.fullmatch(rest):
        return _owned(owned, number)
    if _QUESTION_ORDER.search(f" {rest} "):
        return None
    what, verb, end = _verb(rest, frozenset({"can", "have"}))
    if verb and _OTHERS.fullmatch(end) and end.split()[0] in PEOPLE:
        return None
    if not verb:
        what, verb, end = _verb(rest, ACTS)
        sure = _is_plural(what.split()[-1]) or re.match(r"(?:the|an?|his|her|their) ", end)
        verb = verb if sure or verb in CLEAR else ""
    if not verb:
        return _there(rest, "", number)
    return _acting(what, verb, end, number)


def _verb(rest: str, verbs: frozenset[str]) -> tuple[str, str, str]:
    """The words before the first of these verbs, the verb, and those after; a verb within a clause
    ("men who are seated are talking") is none."""
    words = rest.split()
    for at, word in enumerate(words):
        if at and word in verbs and words[at - 1] not in _CLAUSES:
            return " ".join(words[:at]), word, " ".join(words[at + 1 :])
    return rest, "", ""


def _acting(what: str, verb: str, end: str, number: str) -> str:
    """Things and what they do."""
    if number != "1":
        return _join(number, _things(what, number), verb, end)
    end = _FURTHER.sub(lambda also: f"{also['and']} {_agreeing(also['verb'], number)}", end)
    done = of_one(_head(what), _join(_agreeing(verb, number), end))
    return _join(number, _things(what, number), done)


def _without_a_noun(verb: str, end: str, number: str) -> str | None:
    """The statement for "How many are in the water?" and its like."""
    if verb in {"are", "were"} and (not end or end == "they" or PLACED.match(end)):
        after = "of them" if end == "they" else end.removeprefix("there")
        return _there("", after, number, verb)
    if not end or end.split(maxsplit=1)[0] in PEOPLE:
        return None
    return _acting("", verb, _named(end, number) if verb in {"are", "were"} else end, number)


def _being(what: str, verb: str, end: str, number: str) -> str | None:
    if _FURTHER.search(end):  # facing left and have horns
        return _acting(what, verb, end, number)
    if not what.startswith("of "):
        if PLACED.match(end):
            return _there(what, end, number, verb)
        if _OTHERS.fullmatch(end) and not end.startswith("the same "):
            return _of_others(what, end, number)
    return _acting(what, verb, _named(end, number), number)


def _named(end: str, number: str) -> str:
    """What things are called ("children"), for one of them ("a child")."""
    called = _NAMED.fullmatch(end)
    if number != "1" or not called or not _is_plural(called["last"]):
        return end
    return _join(called["not"], article(singular(called["what"])))


def _of_others(what: str, end: str, number: str) -> str | None:
    """What "surfboards are the men holding" tells of the men; None where it tells nothing of them
    and does not measure them."""
    things = _join(number, _things(what, number))
    if busy := _BUSY.fullmatch(end):
        verb = "are" if _are_many(busy["who"]) else "is"
        rest = busy["end"] or ""
        order = (rest, things) if rest in AFTER_NOUN else (things, rest)
        return _join(_capital(busy["who"]), verb, busy["act"], *order)
    if _MEASURES.fullmatch(what):
        return _join(_capital(end), "are" if _are_many(end) else "is", things)
    return None


def _are_many(who: str) -> bool:
    words = who.split()
    name = [word for at, word in enumerate(words) if not AFTER_NOUN & set(words[: at + 1])]
    return words[0] in PEOPLE or (words[0] != "each" and any(map(_is_plural, name)))


def _owned(found: re.Match[str], number: str) -> str:
    things, who = _things(found["what"], number), found["who"]
    if who.split()[0] == "not":  # the elephants that have none
        negated = "does not have" if number == "1" else "do not have"
        return _join(number, things, negated, who.partition(" ")[2], found["end"])
    verb = "have" if found["do"] == "do" and not who.startswith("each") else "has"
    return _join(_capital(who), verb, number, things, found["end"])


def _there(things: str, after: str | None, number: str, verb: str = "are") -> str:
    said = _join(_things(things, number), after)
    if number == "1":
        said = of_one(_head(things), _related(said))
    return _join("There", _agreeing(verb, number), number, said)


def _related(said: str) -> str:
    """One thing with what it is told by ("man who has a hat"); a clause about others stays."""
    found = _RELATIVE.search(said)
    if not found or any(singular(word) != word.lower() for word in said[: found.start()].split()):
        return said
    return f"{said[: found.start(2)]}{_agreeing(found[2], '1')}{said[found.end(2) :]}"


def _agreeing(verb: str, number: str) -> str:
    if number != "1" or verb in PAST:
        return verb
    return WAS.get(verb) or plural(verb)  # a verb takes its s as a noun does


def _join(*parts: str | None) -> str:
    return " ".join(" ".join(part for part in parts if part).split())


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _is_plural(word: str) -> bool:
    word = word.rstrip(",")
    return singular(word) != word.lower() or plural(word) == word


def _things(phrase: str, number: str) -> str:
    """The name of the things, in the singular for 1; only the head noun changes.

    >>> _things("people in red shirts", "1"), _things("CPU towers", "1"), _things("buses", "1")
    ('person in a red shirt', 'CPU tower', 'bus')
    """
    words = phrase.split()
    if words and words[_place_of_head(words)].lower() in UNCOUNTED:
        return _join("piece" if number == "1" else "pieces", "of", phrase)
    if words and words[_place_of_head(words)].lower() in PAIRED and "of" not in words:
        return _join("pair" if number == "1" else "pairs", "of", phrase)
    if number != "1" or words[:1] in ([], ["of"]):  # 1 of the men
        return phrase
    if "different" in words[:-1] and "different color" not in phrase:
        words.remove("different")  # 1 kind of fruit
    head = _place_of_head(words)
    if words[head].lower() == "cattle":
        return _join("head of", *words)
    words[head] = _singular(words[head])
    before, one, after = _own(words[:head], words[head]), words[head], words[head + 1 :]
    if after[:1] in (["and"], ["or"]) and len(after) > 1:
        return _join(*before, one, "or", _things(" ".join(after[1:]), number))
    if one.endswith(",") and after and not (after[0] in AFTER_NOUN or _ASIDE.fullmatch(after[0])):
        return _join(*before, one, _things(" ".join(after), number))
    if one in KINDS and after[:1] == ["of"] and len(after) > 1:
        return _join(*before, one, "of", _things(" ".join(after[1:]), number))
    return of_one(one, _related(_join(*before, one, *after)))


def _head(phrase: str) -> str:
    """The noun itself, in the singular."""
    words = phrase.split()
    return _singular(words[_place_of_head(words)]) if words else ""


def _place_of_head(words: list[str]) -> int:
    return next((at for at in range(len(words) - 1) if _ends_name(words, at)), len(words) - 1)


def _ends_name(words: list[str], at: int) -> bool:
    """Whether the name of the things ends with this word: "cars" in "cars coming down the street",
    not "parking" in "parking meters" nor "red" in "red and gold flags"."""
    after = words[at + 1]
    if after in {"and", "or", "not"} or after.endswith(("ing", "ed")) or words[at].endswith(","):
        return _is_plural(words[at])
    return after in AFTER_NOUN


def _own(before: list[str], one: str) -> list[str]:
    """The words before one thing: a hand of several people is that of one."""
    if one not in BODY:
        return ["person's" if word == "people's" else word for word in before]
    return [_WHOSE.sub(lambda found: f"{singular(found[1])}'s", word) for word in before]


def _singular(noun: str) -> str:
    if noun.endswith(","):
        return f"{_singular(noun[:-1])},"
    if noun in _ONES:
        return _ONES[noun]
    noun = re.sub(r"^([^']+)'s$", r"\1", noun)  # tv's
    if noun.islower() or noun.lower() in PLURALS.values():
        return singular(noun)
    return singular(noun).capitalize() if noun.istitle() else noun.removesuffix("s")
