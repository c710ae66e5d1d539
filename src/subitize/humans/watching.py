"""How a study stands: progress, agreement so far, time per item, and who answers oddly."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any, NamedTuple

from subitize.errors import BadInput
from subitize.humans.checking import is_right
from subitize.humans.desk import Desk
from subitize.humans.items import FREE, NUMBER, Question
from subitize.humans.people import Person
from subitize.measures.agreement import krippendorff_alpha
from subitize.readers.annotators import counted

ENOUGH = 8
"""answers below which nobody is called odd"""
HASTE = 1 / 3
"""of the others' median time: faster than that is odd"""
APART = 0.25
"""so much less agreement with the others than people have on average is odd"""
STREAK = 10
"""the same answer so often in a row is odd, where it is not what others say too"""
SHOWN = 12
"""items with the most disagreement that are listed"""


def meant(question: Question, value: str) -> float | str | None:
    """What an answer comes to, so that `2-3` and `2 - 3` are the same."""
    if question.form == FREE:
        return counted(value)
    if question.form == NUMBER and value.strip().isdecimal():
        return float(value)
    return value


def in_words(question: Question, answers: Sequence[str]) -> list[str]:
    """Answers as people chose or typed them, the usual ones first."""
    words = dict(zip(question.stored, question.options, strict=True))
    return [f"{words.get(raw, raw)} × {many}" if many > 1 else words.get(raw, raw)
            for raw, many in Counter(answers).most_common()]  # fmt: skip


class Said(NamedTuple):
    """One answer to one question of the study."""

    person: str
    unit: tuple[str, int]
    """item and place of the question"""
    value: float | str | None
    raw: str
    seconds: float


def said_by(people: Iterable[Person]) -> list[Said]:
    """Every answer that holds, of those who were not screened out."""
    return [
        Said(person.name, (one.item.id, answer.question),
             meant(one.item.questions[answer.question], answer.value), answer.value,
             answer.seconds)
        for person in people if person.status != "screened"
        for one in person.given if one.role == "main"
        for answer in one.answers
    ]  # fmt: skip


def alpha_of(said: Sequence[Said]) -> float | None:
    """Krippendorff's α (nominal) so far; None while there is nothing to compare."""
    known = [one for one in said if one.value is not None]
    try:
        return krippendorff_alpha(
            [f"{item} {place}" for _, (item, place), *_ in known], [str(one.value) for one in known]
        )
    except BadInput:
        return None


def overview(desk: Desk) -> dict[str, Any]:
    """All that the dashboard shows."""
    said = said_by(desk.people.values())
    items = [one for one in desk.items.values() if one.role == "main"]
    kept = [one for one in items if desk.screened.get(one.id, ("",))[0] != "drop"]
    answered = _answered(desk)
    wanted = desk.study.annotators
    levels = Counter(min(answered[one.id], wanted) for one in kept)
    times = [one.seconds for one in said]
    total = wanted * len(kept)
    done = sum(level * many for level, many in levels.items())
    return {
        "items": len(items), "dropped": len(items) - len(kept), "wanted": wanted,
        "levels": [(level, levels[level]) for level in range(wanted, -1, -1)],
        "done": done, "total": total, "answers": len(said),
        "alpha": alpha_of(said), "seconds": median(times) if times else None,
        "people": _people(desk, said), "split": _split(desk, said),
        "pilot": sum(len(person.done("pilot")) for person in desk.people.values()),
    }  # fmt: skip


def progress_of(desk: Desk) -> list[dict[str, Any]]:
    """How far each item of the study is: who answered, what, and in what time."""
    own: defaultdict[str, list[Said]] = defaultdict(list)
    for one in said_by(desk.people.values()):
        own[one.unit[0]].append(one)
    done = _answered(desk)
    listed = []
    for item in (one for one in desk.items.values() if one.role == "main"):
        said = own[item.id]
        listed.append({
            "item": item.id, "name": item.about.get("image_id") or item.about.get("image") or "",
            "quote": item.questions[0].quote, "picture": item.picture is not None,
            "done": done[item.id], "wanted": desk.study.annotators,
            "asked": [
                (question.words, in_words(question, [a.raw for a in said if a.unit[1] == place]))
                for place, question in enumerate(item.questions)
            ],
            "seconds": median(one.seconds for one in said) if said else None,
            "dropped": desk.screened.get(item.id, ("",))[0] == "drop",
        })  # fmt: skip
    return listed


def _answered(desk: Desk) -> Counter[str]:
    """By how many people each item is answered."""
    return Counter(
        one.item.id for person in desk.people.values() if person.status != "screened"
        for one in person.done("main")
    )  # fmt: skip


def _modes(said: Sequence[Said]) -> dict[tuple[str, int], Counter[Any]]:
    found: defaultdict[tuple[str, int], Counter[Any]] = defaultdict(Counter)
    for one in said:
        found[one.unit][one.value] += 1
    return found


def _people(desk: Desk, said: Sequence[Said]) -> list[dict[str, Any]]:
    """A row for everybody who has come."""
    votes, own = _modes(said), defaultdict(list)
    for one in said:
        own[one.person].append(one)
    agreeing = {name: _agreement(mine, votes) for name, mine in own.items()}
    known = [value for value in agreeing.values() if value is not None]
    usual = sum(known) / len(known) if known else None
    overall = median(one.seconds for one in said) if said else None
    rows = []
    for person in desk.people.values():
        mine, checks = own[person.name], person.done("check")
        failed = sum(not is_right(one) for one in checks)
        row = {
            "name": person.name, "part": person.part, "status": person.status,
            "done": len(person.done("main", "pilot")), "checks": len(checks), "failed": failed,
            "seconds": median(one.seconds for one in mine) if mine else None,
            "agreement": agreeing.get(person.name), "returns": person.facts.get("returns", 0),
        }  # fmt: skip
        row["odd"] = _odd(row, mine, votes, usual, overall)
        rows.append(row)
    return rows


def _agreement(mine: Sequence[Said], votes: dict[tuple[str, int], Counter[Any]]) -> float | None:
    """How often somebody says what most others say, where others have answered."""
    shared = [
        (one.value, votes[one.unit] - Counter([one.value])) for one in mine
        if votes[one.unit].total() > 1
    ]  # fmt: skip
    if not shared:
        return None
    return sum(rest[value] == max(rest.values()) for value, rest in shared) / len(shared)


def _odd(
    row: dict[str, Any],
    mine: Sequence[Said],
    votes: dict[tuple[str, int], Counter[Any]],
    usual: float | None,
    overall: float | None,
) -> list[str]:
    """Why somebody should be looked at; nothing for most."""
    found = []
    if row["failed"]:
        found.append(f"{row['failed']} of {row['checks']} checks failed")
    if len(mine) < ENOUGH:
        return found
    if overall and row["seconds"] < HASTE * overall:
        found.append(f"fast: {row['seconds']:.1f} s per answer, {overall:.1f} s is usual")
    if usual is not None and row["agreement"] is not None and row["agreement"] < usual - APART:
        found.append(f"agrees with the others in {row['agreement']:.0%}, {usual:.0%} is usual")
    streak, length, before = 0, 0, None
    for one in mine:
        same = one.raw == before and votes[one.unit].most_common(1)[0][0] != one.value
        length = length + 1 if same else 1
        before, streak = one.raw, max(streak, length)
    if streak >= STREAK:
        found.append(f"the same answer {streak} times in a row")
    return found


def _split(desk: Desk, said: Sequence[Said]) -> list[dict[str, Any]]:
    """The questions that people answer most differently."""
    raw: defaultdict[tuple[str, int], list[Said]] = defaultdict(list)
    for one in said:
        raw[one.unit].append(one)
    found = []
    for (item, place), answers in raw.items():
        values = Counter(one.value for one in answers)
        most = values.most_common(1)[0][1]
        if len(answers) > 1 and most < len(answers):
            found.append({
                "item": item, "question": desk.items[item].questions[place].words,
                "quote": desk.items[item].questions[place].quote,
                "picture": desk.items[item].picture is not None,
                "said": in_words(
                    desk.items[item].questions[place], sorted(one.raw for one in answers)
                ),
                "share": most / len(answers), "seconds": median(one.seconds for one in answers),
            })  # fmt: skip
    return sorted(found, key=lambda one: (one["share"], one["item"]))[:SHOWN]
