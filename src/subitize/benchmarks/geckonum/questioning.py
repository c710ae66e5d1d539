"""Yes/no questions to a prompt, written by a language model in the manner of a published metric.

The styles are those of DSG (Cho et al. 2024: one question per fact, with the fact it rests on),
TIFA (Hu et al. 2023: questions to every element, none resting on another) and Gecko (Wiles et al.
2024: a question to every word that matters). The words in which they are asked for are ours. Each
is to be answered with yes if the picture fits; questions that have nothing to do with number (is
this an image, is there a table, is it on the table) are dropped, as the paper did.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from subitize.datasets.geckonum.questions import Claim
from subitize.numerals import find_numbers
from subitize.readers.text import ended_early
from subitize.records import Reading, Response, Stimulus, Trial, make_trial

if TYPE_CHECKING:
    from subitize.datasets.geckonum.prompts import Prompt

STAGE, ROLE = "questions", "questioner"
"""of the stage that asks for questions, of whom it asks, and of the decision that keeps them"""
FORM = (
    "Every question must be one that can be answered with yes or no by looking at a picture, and "
    "yes must be the right answer if the picture shows exactly what the description says. Write "
    "nothing but one question per line, in the form\nNUMBER | PREMISE | QUESTION\nwhere PREMISE is "
)
NO_PREMISE = "0 in every line."
STYLES: Mapping[str, str] = {
    "dsg": "Break the description below into the smallest facts it states: things, their numbers, "
    "their attributes and the relations between them, each fact once. Turn every fact into one "
    f"question. {FORM}the number of the question that must be answered with yes for this one to "
    "make sense, or 0 if there is none.\n\nExample: Two red cups on a tray.\n1 | 0 | Are there "
    "cups?\n2 | 1 | Are there two cups?\n3 | 1 | Are the cups red?\n4 | 0 | Is there a tray?\n5 | "
    "4 | Are the cups on the tray?",
    "tifa": "List the elements of the description below: objects, counts, colours, materials, "
    "activities, places and other attributes. Write one or more questions to each element. "
    f"{FORM}{NO_PREMISE}\n\nExample: Two red cups on a tray.\n1 | 0 | Are there cups?\n2 | 0 | Are "
    "there two cups?\n3 | 0 | Are the cups red?\n4 | 0 | Is there a tray?",
    "gecko": "Mark every word or group of words of the description below that a picture can show, "
    "so that no word with a meaning of its own is left out. Write exactly one question to each of "
    f"them, in their order. {FORM}{NO_PREMISE}\n\nExample: Two red cups on a tray.\n1 | 0 | Are "
    "there two cups?\n2 | 0 | Are the cups red?\n3 | 0 | Are there cups?\n4 | 0 | Are the cups on "
    "a tray?\n5 | 0 | Is there a tray?",
}
"""style: what the language model is told before the description"""
LINE = re.compile(
    r"^\W*(?P<number>\d+)\s*[|.):]\s*(?:(?P<premise>[\d, ]+?)\s*\|\s*)?(?P<words>.+\?)\W*$"
)
YES_NO = re.compile(r"^(?:is|are|was|were|does|do|did|has|have|can|could|will)\b", re.IGNORECASE)
IRRELEVANT = re.compile(
    r"^(?:is (?:this|it|there) (?:an?|the) (?:image|picture|photo|photograph|drawing)\b.*"
    r"|(?:is|are) there (?:an?|the|any)? ?tables?"
    r"|.*\bon (?:an?|the) table)(?: (?:in|on|shown in|visible in) (?:the|this) "
    r"(?:image|picture|photo|photograph|drawing))?\?$",
    re.IGNORECASE,
)
"""what the paper calls numerically irrelevant, unless there is a number in it"""


def questions_trial(head: tuple[str, str], prompt: Prompt, style: str) -> Trial:
    """What the language model is asked about one prompt."""
    words = f"{STYLES[style]}\n\nDescription: {prompt.prompt}"
    return make_trial(
        (*head, STAGE), Stimulus("prompt", {"text": prompt.prompt}), words,
        condition={"dataset_id": prompt.dataset_id, "prompt_type": prompt.prompt_type},
    )  # fmt: skip


def read_claims(reply: str) -> list[Claim]:
    """The questions of a reply, without those that have nothing to do with number.

    What rested on a dropped question rests on nothing.

    >>> said = "1 | 0 | Is there a table?\\n2 | 1 | Are there cups?\\n3 | 2 | Are there 2 cups?"
    >>> [(claim.question, claim.premise) for claim in read_claims(said)]
    [('Are there cups?', None), ('Are there 2 cups?', 0)]
    """
    found: dict[int, tuple[str, int]] = {}
    for line in reply.rpartition("</think>")[2].splitlines():
        said = LINE.match(line.strip())
        if said is None:
            continue
        words = said["words"].strip()
        premises = [int(one) for one in re.findall(r"\d+", said["premise"] or "")]
        beside_number = IRRELEVANT.match(words) and not find_numbers(words)
        if YES_NO.match(words) and not beside_number:
            # of several premises the last named one: the most particular
            found.setdefault(int(said["number"]), (words, premises[-1] if premises else 0))
    places = {number: place for place, number in enumerate(found)}
    claims = []
    for place, (words, premise) in enumerate(found.values()):
        rests = places.get(premise)
        claims.append(Claim(words, rests if rests is not None and rests < place else None))
    return claims


def read_reply(trial: Trial, response: Response) -> Reading:
    """How many questions a reply holds."""
    if early := ended_early(response):
        return early
    claims = read_claims(str(response.value))
    if not claims:
        return Reading("no-number", note="no yes/no question in the form that was asked for")
    return Reading("read", len(claims))


def kept_claims(rows: Iterable[tuple[str, str, str]]) -> dict[str, list[list[Any]]]:
    """Questions and premises per prompt, as run.json keeps them, from (prompt, state, reply)."""
    return {
        prompt: [list(claim) for claim in read_claims(reply)]
        for prompt, state, reply in rows
        if state == "read"
    }


def claims_from(kept: Iterable[Iterable[Any]]) -> list[Claim]:
    """Questions as run.json or a trial keeps them."""
    return [Claim(*one) for one in kept]
