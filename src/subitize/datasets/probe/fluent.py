"""A how-many question and a number as a statement in correct English.

The published templates are the frame; here the verb agrees with the number, only the head noun
takes the singular, and words in the order of a question are put in the order of a statement ("How
many things is …" has none and is left out, as in the published templates). What the question itself
gets wrong ("How many window do you see?") stays as it was asked.
"""

from __future__ import annotations

import re

from subitize.nouns import PLURALS, article, plural, singular

_OBSERVED = re.compile(
    r"(?P<what>.+?) (?:are there|(?:do |did )?(?:you|we|I) (?:see|count|find))(?: (?P<end>.+))?"
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
_BUSY = re.compile(r"(?P<who>\w+\b.*?) (?P<act>\w+ing)(?: (?P<end>.+))?")
_MEASURES = re.compile(r"(?:.* )?(?:colou?rs?|shades|stor(?:ies|eys?)|floors|levels|feet|years)")
"""things that another thing is: "How many stories are these buildings?\""""
_QUESTION_ORDER = re.compile(r" (?:is|will|does|has|do|did|may|might|should|would|could|must) ")
_DEGREE = r"(?:(?:at least|almost|\w+ly|just|still|already|being) )*"
_PLACED = re.compile(
    rf"{_DEGREE}(?:in|on|at|of|with|without|by|near|under|above|behind|beside|next|between|from|to|"
    r"along|around|inside|against|left|right|below|over|across|outside|off|out|up|down|upstairs|"
    r"before|through|here|there|visible|present|available|\w+ing|\w+ed|shown|seen|worn|drawn|held|"
    r"hung|written|flown|cut)\b"
)
"""what may follow the things after "There are": a place, or what they do"""
_AFTER_NOUN = frozenset({
    "in", "on", "at", "of", "with", "without", "by", "near", "under", "above", "behind",
    "beside", "next", "between", "from", "to", "along", "around", "inside", "against", "that",
    "who", "which", "there", "visible", "shown", "left", "right", "below", "over", "for", "per",
    "across", "outside", "off", "out", "up", "down", "through", "here", "total", "altogether",
})  # fmt: skip
_ACTS = frozenset({
    "wear", "ride", "hold", "stand", "sit", "play", "eat", "look", "walk", "hang", "show",
    "face", "appear", "fit", "use", "make", "run", "surround", "pull", "lead", "follow", "pass",
    "belong", "examine", "promote", "need", "carry", "cross", "come", "fly", "lie", "rest",
    "watch", "touch", "cover", "connect", "point", "support", "line", "contain", "work", "wait",
    "drive", "swim", "share", "seem", "live", "grow", "lean", "float", "form",
})  # fmt: skip
_PAIRED = frozenset({
    "scissors", "pants", "shorts", "jeans", "trousers", "goggles", "sunglasses", "binoculars",
    "tongs", "pliers", "headphones",
})  # fmt: skip
_PRONOUNS = frozenset({"they", "we", "you"})
_WAS = {"are": "is", "were": "was", "have": "has"}
_RELATIVE = re.compile(r"\b(that|who|which) (are|were|have)\b")


def fluent(rest: str, number: str) -> str | None:
    """What follows "How many", with the number, as a statement; None where there is none.

    >>> fluent("sheep are black", "1"), fluent("cars make up the train", "1")
    ('1 sheep is black', '1 car makes up the train')
    """
    rest = " ".join(rest.split()).rstrip(".")
    if can := _INVERTED.fullmatch(rest):
        said = f"{_capital(can['who'])} can {can['verb']}".replace("You can see", "You see")
        return _join(said, number, _things(can["what"] or "", number), can["end"])
    first, _, end = rest.partition(" ")
    if first in {"", "are", "were", "have", "can"}:
        return _without_a_noun(first, end, number)
    if seen := _OBSERVED.fullmatch(rest):
        return _there(seen["what"], seen["end"], number)
    what, verb, end = _verb(rest, frozenset({"are", "were"}))
    if verb:
        return _being(what, verb, end, number)
    if owned := _OWNED.fullmatch(rest):
        return _owned(owned, number)
    if _QUESTION_ORDER.search(f" {rest} "):
        return None
    what, verb, end = _verb(rest, frozenset({"can", "have"}))
    if verb and _OTHERS.fullmatch(end) and end.split()[0] in _PRONOUNS:
        return None
    if not verb:
        what, verb, end = _verb(rest, _ACTS)
        if not _is_plural(what.split()[-1]) and not re.match(r"(?:the|an?|his|her|their) ", end):
            verb = ""
    if not verb:
        return _there(rest, "", number)
    return _join(number, _things(what, number), _agreeing(verb, number), end)


def _verb(rest: str, verbs: frozenset[str]) -> tuple[str, str, str]:
    """The words before the first of these verbs, the verb, and those after; a verb within a clause
    ("men who are seated are talking") is none."""
    words = rest.split()
    for at, word in enumerate(words):
        if at and word in verbs and words[at - 1] not in {"that", "who", "which", "to"}:
            return " ".join(words[:at]), word, " ".join(words[at + 1 :])
    return rest, "", ""


def _without_a_noun(verb: str, end: str, number: str) -> str | None:
    """The statement for "How many are in the water?" and its like."""
    if verb in {"are", "were"} and (not end or end == "they" or _PLACED.match(end)):
        after = "of them" if end == "they" else end.removeprefix("there")
        return _join("There", _agreeing(verb, number), number, after)
    if not end or end.split(maxsplit=1)[0] in _PRONOUNS:
        return None
    return _join(number, _agreeing(verb, number), end)


def _being(what: str, verb: str, end: str, number: str) -> str | None:
    if not what.startswith("of "):
        if _PLACED.match(end):
            return _there(what, end, number, verb)
        if _OTHERS.fullmatch(end):
            return _of_others(what, end, number)
    named = re.fullmatch(r"(not )?((?:(?!\w+ing )\w+ )?(\w+))(?<!ways)", end)
    if number == "1" and named and _is_plural(named[3]):
        end = _join(named[1], article(singular(named[2])))  # 1 of the people is a child
    return _join(number, _things(what, number), _agreeing(verb, number), end)


def _of_others(what: str, end: str, number: str) -> str | None:
    """What "surfboards are the men holding" tells of the men; None where it tells nothing of them
    and does not measure them."""
    things = _join(number, _things(what, number))
    if busy := _BUSY.fullmatch(end):
        verb = "are" if _are_many(busy["who"]) else "is"
        rest = busy["end"] or ""
        order = (rest, things) if rest in _AFTER_NOUN else (things, rest)
        return _join(_capital(busy["who"]), verb, busy["act"], *order)
    if _MEASURES.fullmatch(what):
        return _join(_capital(end), "are" if _are_many(end) else "is", things)
    return None


def _are_many(who: str) -> bool:
    words = who.split()
    name = [word for at, word in enumerate(words) if not _AFTER_NOUN & set(words[: at + 1])]
    return words[0] in _PRONOUNS or (words[0] != "each" and any(map(_is_plural, name)))


def _owned(found: re.Match[str], number: str) -> str:
    things, who = _things(found["what"], number), found["who"]
    if who.split()[0] == "not":  # the elephants that have none
        negated = "does not have" if number == "1" else "do not have"
        return _join(number, things, negated, who.partition(" ")[2], found["end"])
    verb = "have" if found["do"] == "do" else "has"
    return _join(_capital(who), verb, number, things, found["end"])


def _there(things: str, after: str | None, number: str, verb: str = "are") -> str:
    said = _join(_things(things, number), after)
    if number == "1":
        said = _RELATIVE.sub(lambda found: f"{found[1]} {_WAS[found[2]]}", said)
    return _join("There", _agreeing(verb, number), number, said)


def _agreeing(verb: str, number: str) -> str:
    if number != "1" or verb == "can":
        return verb
    return _WAS.get(verb) or plural(verb)  # a verb takes its s as a noun does


def _join(*parts: str | None) -> str:
    return " ".join(" ".join(part for part in parts if part).split())


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _is_plural(word: str) -> bool:
    return singular(word) != word.lower() or plural(word) == word


def _things(phrase: str, number: str) -> str:
    """The name of the things, in the singular for 1; only the head noun changes.

    >>> _things("people in red shirts", "1"), _things("CPU towers", "1"), _things("buses", "1")
    ('person in red shirts', 'CPU tower', 'bus')
    """
    words = phrase.split()
    if number != "1" or words[:1] in ([], ["of"]):  # 1 of the men
        return phrase
    head = next((at for at in range(len(words) - 1) if _ends_name(words, at)), len(words) - 1)
    if words[head].lower() in _PAIRED and "of" not in words[:head]:
        return _join("pair of", phrase)
    words[head] = _singular(words[head])
    if words[head + 1 : head + 2] in (["and"], ["or"]) and len(words) > head + 2:
        return _join(*words[: head + 1], "or", _things(" ".join(words[head + 2 :]), number))
    return " ".join(words)


def _ends_name(words: list[str], at: int) -> bool:
    """Whether the name of the things ends with this word: "cars" in "cars coming down the street",
    not "parking" in "parking meters" nor "red" in "red and gold flags"."""
    after = words[at + 1]
    if after in {"and", "or", "not"} or after.endswith(("ing", "ed")):
        return _is_plural(words[at])
    return after in _AFTER_NOUN


def _singular(noun: str) -> str:
    if noun == "glasses":  # to drink from: who counts spectacles counts people who wear them
        return "glass"
    noun = re.sub(r"^([^']+)'s$", r"\1", noun)  # tv's
    known = noun.islower() or noun.lower() in PLURALS.values()
    return singular(noun) if known else noun.removesuffix("s")
