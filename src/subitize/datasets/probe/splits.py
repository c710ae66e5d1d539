"""Building the probe's splits: standard, hard and interpolated, with foils and without a leak.

All questions about a picture stay in one part, and each picture carries one item. A foil that
repeats, equals the answer or is missing is replaced by a wrong number near the answer, drawn by the
seed; how often that was done is told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from subitize.datasets.probe.questions import PARTS, Found, Question
from subitize.datasets.probe.released import FOILS, ProbeItem
from subitize.datasets.probe.statements import Mode, statement
from subitize.errors import BadInput, UnknownName
from subitize.stimuli import generator
from subitize.stimuli.probe import recipe
from subitize.stimuli.probe.wording import plan_of

SPLITS = ("standard", "hard", "interpolated")
FOIL_RULES = ("any", "even")
ANSWERS = ("zipf", "flat")
CAP, LARGEST_TRAINED = 200, 20
SHARES = {"train": 0.5, "valid": 0.2, "test": 0.3}
"""of pictures, where the data set has no parts of its own; about those of Visual7W"""
NEAR = 5
"""how far a drawn foil lies from the answer, at most"""
NO_ZEROS = 0.08
"""share of zeros among Zipf answers, about that of the released standard split"""


@dataclass(slots=True)
class Built:
    """A split, and what was done to make it."""

    parts: dict[str, list[ProbeItem]]
    dropped: Counter[str] = field(default_factory=Counter)
    """questions left out, by reason"""
    repaired: Counter[str] = field(default_factory=Counter)
    """foils replaced, by reason"""
    examples: dict[str, list[str]] = field(default_factory=dict)


def build(found: Found, split: str, *, seed: int, foils: str = "any", mode: Mode) -> Built:
    """One of the three splits from questions."""
    if split not in SPLITS:
        raise UnknownName("split", split, SPLITS)
    if foils not in FOIL_RULES:
        raise UnknownName("rule on foils", foils, FOIL_RULES)
    if foils == "even" and split != "interpolated":
        raise BadInput("--foils even is for the interpolated split, whose training answers are.")
    made = Built({part: [] for part in PARTS}, Counter(found.dropped), Counter(found.repaired))
    made.examples = {why: list(shown) for why, shown in found.examples.items()}
    usable = [one for one in _in_parts(found.questions, made, seed) if _told(one, mode, made)]
    fitting = [one for one in usable if _fits(one, split, made)]
    chosen = _one_per_picture(fitting, made, seed)
    if split == "hard":
        chosen = _capped(chosen, made)
    # Drawn foils stay below the highest answer: a number above it would only ever be a foil.
    highest = max((one.answer for one in chosen), default=0)
    for one in chosen:
        train = one.part == "train"
        most = min(highest, LARGEST_TRAINED) if train and split == "hard" else highest
        even = foils == "even" and train
        made.parts[one.part].append(_item(one, (seed, most), even, made))
    return made


def _in_parts(questions: Sequence[Question], made: Built, seed: int) -> list[Question]:
    """Each question with its picture's part: the data set's, or one drawn by the picture's name.

    TallyQA took its questions from several data sets, so an id may come twice: a later one is told
    apart by a number of its own.
    """
    parts: dict[str, str] = {}
    ids: Counter[str] = Counter()
    kept = []
    for one in questions:
        part = one.part or _drawn_part(one.picture, seed)
        if parts.setdefault(one.picture, part) != part:
            made.dropped["picture-in-two-parts"] += 1
            continue
        ids[one.id] += 1
        identity = f"{one.id}_{ids[one.id]}" if ids[one.id] > 1 else one.id
        kept.append(replace(one, part=part, id=identity))
    return kept


def _drawn_part(picture: str, seed: int) -> str:
    drawn = generator("probe part", seed, picture).random()
    for part, share in SHARES.items():
        drawn -= share
        if drawn < 0:
            return part
    return PARTS[-1]


def _told(one: Question, mode: Mode, made: Built) -> bool:
    if statement(one.question, one.answer, mode) is None:
        made.dropped["no-template"] += 1
        made.examples.setdefault("no-template", []).append(one.question)
        del made.examples["no-template"][5:]
        return False
    return True


def _fits(one: Question, split: str, made: Built) -> bool:
    why = _misfit(one.part, one.answer, split)
    if why:
        made.dropped[why] += 1
    return not why


def _misfit(part: str, answer: int, split: str) -> str:
    """Why a question with this answer is no part of the split; nothing where it is."""
    train = part == "train"
    if split == "hard" and train and answer > LARGEST_TRAINED:
        return "answer-above-20-in-training"
    if split == "interpolated" and (answer % 2 == 0) != train:
        return "odd-in-training" if train else "even-outside-training"
    return ""


def _one_per_picture(questions: Sequence[Question], made: Built, seed: int) -> list[Question]:
    """One question per picture, by the seed; then all in their old order."""
    by_picture: dict[str, list[int]] = {}
    for place, one in enumerate(questions):
        by_picture.setdefault(one.picture, []).append(place)
    places = [
        own[int(generator("probe item", seed, picture).integers(len(own))) if len(own) > 1 else 0]
        for picture, own in by_picture.items()
    ]
    made.dropped["another-question-about-the-picture"] += len(questions) - len(places)
    return [questions[place] for place in sorted(places)]


def _capped(questions: Sequence[Question], made: Built) -> list[Question]:
    seen: Counter[tuple[str, int]] = Counter()
    kept = []
    for one in questions:
        seen[one.part, one.answer] += 1
        if seen[one.part, one.answer] <= CAP:
            kept.append(one)
        else:
            made.dropped["answer-above-its-cap"] += 1
    return kept


def _item(one: Question, draw: tuple[int, int], even: bool, made: Built) -> ProbeItem:
    seed, highest = draw
    good = [n for n in dict.fromkeys(one.foils or ()) if n != one.answer]
    if one.foils is not None:
        made.repaired["foil-equals-answer"] += one.answer in one.foils
        made.repaired["repeated-foil"] += len(set(one.foils)) < len(one.foils)
        made.repaired["fewer-than-three-foils"] += len(one.foils) < FOILS
    if even:
        made.repaired["odd-foil-in-training"] += any(n % 2 for n in good)
        good = [n for n in good if n % 2 == 0]
    rng = generator("probe foils", seed, one.id)
    foils = tuple(good[:FOILS]) + wrong_numbers(
        one.answer, FOILS - len(good), rng, even=even, besides=good, highest=highest
    )
    return ProbeItem(
        one.id, one.picture, one.question, one.answer, foils, source=one.source, part=one.part,
        recipe=one.recipe,
    )  # fmt: skip


def wrong_numbers(
    answer: int,
    many: int,
    rng: np.random.Generator,
    *,
    even: bool,
    besides: Iterable[int] = (),
    highest: int = 0,
) -> tuple[int, ...]:
    """Different wrong numbers near the answer, none negative; up to `highest`, where that leaves
    enough.

    >>> wrong_numbers(4, 3, np.random.default_rng(0), even=True)
    (8, 14, 10)
    """
    reach, taken = NEAR * (1 + even), {answer, *besides}
    near = [
        n
        for n in range(max(0, answer - reach), answer + reach + 1)
        if n not in taken and not (even and n % 2)
    ]
    inside = [n for n in near if n <= highest]
    near = inside if len(inside) >= many else near
    picked = rng.choice(len(near), max(0, many), replace=False)
    return tuple(near[int(place)] for place in picked)


def scene_questions(
    many: int, *, seed: int, answers: str = "zipf", highest: int = 10,
    look: Mapping[str, Any] | None = None,
) -> Found:  # fmt: skip
    """Questions about generated scenes, one each; the number asked for comes first."""
    drawn = _answers(many, seed, answers, highest)
    return Found([_scene(index, n, seed, look or {}) for index, n in enumerate(drawn)])


def first_items(
    many: int, wanted: tuple[str, str, int], *, seed: int, answers: str = "zipf",
    highest: int = 10, foils: str = "any", look: Mapping[str, Any] | None = None,
) -> list[ProbeItem]:  # fmt: skip
    """The first items of one part of a split of so many scenes: what `build` makes of
    `scene_questions`, but no other scene is thought out, so that a run can begin at once.

    `wanted` are the split (not the hard one, whose caps look at all scenes), the part and how many.
    """
    split, part, most = wanted
    chosen: list[tuple[int, int]] = []
    largest = 0
    for index, n in enumerate(_answers(many, seed, answers, highest)):
        if len(chosen) == most and largest == highest:
            break
        own = _drawn_part(_name(seed, index), seed)
        if _misfit(own, n, split):
            continue
        largest = max(largest, n)
        if own == part and len(chosen) < most:
            chosen.append((index, n))
    even = foils == "even" and part == "train"
    made = Built({})
    return [
        _item(replace(_scene(index, n, seed, look or {}), part=part), (seed, largest), even, made)
        for index, n in chosen
    ]


def _answers(many: int, seed: int, answers: str, highest: int) -> list[int]:
    """The numbers asked for, drawn by Zipf's law or evenly."""
    if answers not in ANSWERS:
        raise UnknownName("distribution of answers", answers, ANSWERS)
    if many < 1 or highest < 1:
        raise BadInput(f"{many} scenes with answers up to {highest} are none: give 1 or more.")
    numbers = np.arange(highest + 1)
    weights = np.ones(highest + 1)
    if answers == "zipf":
        weights[1:] = 1 / numbers[1:]
        weights[1:] *= (1 - NO_ZEROS) / weights[1:].sum()
        weights[0] = NO_ZEROS
    drawn: list[int] = (
        generator("probe answers", seed, answers, highest)
        .choice(numbers, many, p=weights / weights.sum())
        .tolist()
    )
    return drawn


def _name(seed: int, index: int) -> str:
    return f"scene_{seed}_{index}.png"


def _scene(index: int, n: int, seed: int, look: Mapping[str, Any]) -> Question:
    made = recipe(n, index, seed=seed, **look)
    return Question(
        f"counting_scenes_{index}", _name(seed, index), plan_of(made).question, n,
        source="scenes", recipe=made,
    )  # fmt: skip
