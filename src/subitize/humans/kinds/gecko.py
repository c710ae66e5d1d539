"""GeckoNum's three tasks: the paper's instructions (Figures A9–A11), our own drawings as examples.

The prompt is never shown. A trial is one of the benchmark `geckonum-people`, so that an exported
study and the released answers are the same sort of run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path

from subitize.benchmarks.geckonum.people import GeckoNumPeople
from subitize.benchmarks.geckonum.wording import CODES
from subitize.datasets.geckonum import questions as wording
from subitize.datasets.geckonum.pictures import PictureFile, find_pictures
from subitize.datasets.geckonum.prompts import Prompt, read_prompts
from subitize.datasets.geckonum.recipe import Recipe
from subitize.errors import BadInput
from subitize.humans.items import FREE, LINES, YES_NO, Item, Question
from subitize.humans.kinds.material import (
    Example,
    Material,
    checks,
    known_by,
    lying,
    trained,
)
from subitize.humans.study import Study
from subitize.numerals import to_words
from subitize.records import Stimulus, Trial, make_trial
from subitize.runs.columns import read_responses
from subitize.runs.folder import read_info
from subitize.runs.plan import PlannedTrials

INSTRUCTIONS = {
    1: (
        "Count the objects that the question asks for and type the number.",
        "In most cases the answer is a single number. Use a decimal point for half an object: 2.5.",
        "Where an exact number is hard to give, answer with a range of possible values: 2-5. "
        "If there are more than ten objects, type 10+.",
        "Sometimes the same kind of object stands clearly in the foreground and in the background. "
        "Then give two numbers, the foreground first, with a comma and a blank: 2, 5. Prefer one "
        "number when it is not clear what is in front and what is behind.",
    ),
    2: (
        "Read all the lines and choose the one line that describes the picture best.",
        "Answer as quickly as you can while being accurate. Estimate the quantities by your best "
        "judgement, without counting each object.",
    ),
    3: (
        "You will see a picture with one question at a time. Answer yes or no.",
        "Some pictures are of low quality. Ignore that as best you can and go by your instinct.",
        "If a question can't be answered from what the picture shows, answer no.",
    ),
}


def _lines(one: str, other: str) -> tuple[str, ...]:
    """The five lines about two things, worded by the rule that words all of them."""
    about = Prompt(0, "", 0, -1, f"{one}:more, {other}:more", "approx-2-entity", "example")
    return tuple(line for _, line in wording.make_questions([about])[0].lines)


LEAVES = _lines("apple", "leaf")
EXAMPLES = {
    1: (
        Example("apples.svg", "Two apples and half an apple", "How many apples are in the image?",
                "2.5", "Half an apple is 0.5."),
        Example("trees.svg", "One large tree in front of a row of many small trees",
                "How many trees are in the image?", "1, 10+",
                "One tree is clearly in the foreground, many are in the background."),
        Example("coconuts.svg", "Two coconuts and two coconut halves",
                "How many coconuts are in the image?", "3-4",
                "If both halves come from one coconut there are 3, else 4: so we give a range."),
    ),
    2: (
        Example("apples-leaves.svg", "Five apples and two leaves", wording.LINE_QUESTION,
                LEAVES[4], "There are clearly more apples.", LEAVES),
    ),
    3: (
        Example("forks.svg", "Two forks on a plain ground", "Are the forks on the table?", "No",
                "We do not see a table."),
        Example("pizzas.svg", "Three pizzas", "Are there two pizzas?", "No",
                "There are more than two pizzas."),
    ),
}  # fmt: skip
YES_OR_NO = ("Yes", "No")


def gecko_material(study: Study) -> Material:
    """The items of one of the three tasks."""
    task = int(study.kind[-1])
    found, prompts = _pictures(study)
    recipe, by_prompt = Recipe(), {one.dataset_id: one for one in prompts}
    asked: dict[str, list[wording.Question]] = {}
    for one in wording.make_questions(prompts, recipe, mended=True):
        if one.task == task:
            asked.setdefault(one.dataset_id, []).append(one)
    counts = {}
    if study.counts and task == 2:
        counts = {one.dataset_id: one for one in wording.scene_count_questions(prompts)}
    items = []
    for picture in found:
        prompt = by_prompt[picture.dataset_id]
        own = asked.get(picture.dataset_id, [])
        items += [_item(picture, prompt, own)] if own else []
        if picture.dataset_id in counts:
            items.append(_item(picture, prompt, [counts[picture.dataset_id]], phase=1))
    if not items:
        raise BadInput(
            f"None of the {len(found)} pictures is asked about in Task {task}: their prompts "
            "belong to another task. Choose another kind of study."
        )
    return Material([*_training(task), *_checks(task), *items], INSTRUCTIONS[task],
                    EXAMPLES[task], {"benchmark": GeckoNumPeople.NAME})  # fmt: skip


def _pictures(study: Study) -> tuple[list[PictureFile], Sequence[Prompt]]:
    """The pictures and the prompts they were painted by: from a folder, or from a run."""
    if study.run:
        return _painted(Path(study.run))
    if not study.pictures or not study.prompts:
        raise BadInput(
            "A GeckoNum study needs --pictures and --prompts, or --run with a run of geckonum."
        )
    prompts = read_prompts(Path(study.prompts))
    return find_pictures(Path(study.pictures), {one.dataset_id for one in prompts}), prompts


def _painted(run: Path) -> tuple[list[PictureFile], Sequence[Prompt]]:
    info = read_info(run)
    if info["benchmark"] != "geckonum":
        raise BadInput(f"{run} is a run of {info['benchmark']}: give a run of geckonum.")
    painter = re.sub(r"\W+", "_", str(info["model"]["name"])).strip("_")
    planned, prompts, found = PlannedTrials(run), {}, []
    for one in read_responses(run):
        if one.kind != "picture" or one.stop == "unreadable" or one.trial not in planned:
            continue
        about = planned[one.trial].condition
        prompt = Prompt(**{field.name: about[field.name] for field in fields(Prompt)})
        prompts[prompt.dataset_id] = prompt
        path = run / "images" / one.value
        found.append(PictureFile(painter, prompt.dataset_id, int(about["picture"]), path))
    if not found:
        raise BadInput(f"{run} holds no picture: let a painter paint first.")
    return sorted(set(found)), sorted(prompts.values(), key=lambda one: one.index)


def _item(
    picture: PictureFile, prompt: Prompt, asked: Sequence[wording.Question], phase: int = 0
) -> Item:
    trials = [_trial(picture, prompt, one) for one in asked]
    image = f"{picture.dataset_id}_{picture.number}"
    about = {"image_id": image, "painter": picture.painter, "prompt": prompt.prompt,
             "file": picture.path.name, "task": asked[0].task,
             "question_ids": [one.question_id for one in asked],
             "truths": [one.truth for one in asked]}  # fmt: skip
    return Item(
        known_by(trials), tuple(map(_question, asked, trials)), lying(picture.path),
        family=f"{picture.painter}/{image}", phase=phase, about=about,
    )  # fmt: skip


def _question(one: wording.Question, trial: Trial) -> Question:
    if one.task == 1:
        return Question(one.question, FREE, trial)
    if one.task == 2:
        values = tuple(map(str, CODES[len(one.lines)]))
        return Question(one.question, LINES, trial, tuple(words for _, words in one.lines), values)
    return Question(one.question, YES_NO, trial, YES_OR_NO, ("1", "0"))


def _trial(picture: PictureFile, prompt: Prompt, one: wording.Question) -> Trial:
    condition = {
        **asdict(prompt), "painter": picture.painter, "picture": picture.number,
        "task": one.task, "question": one.question, "noun": one.noun,
        "asked": None if one.truth is None else float(one.truth),
    }  # fmt: skip
    recipe = {"image_id": f"{picture.dataset_id}_{picture.number}", "painter": picture.painter}
    words = dict(one.lines).get(int(one.truth or 0), "") if one.task == 2 else ""
    return make_trial(
        (GeckoNumPeople.NAME, GeckoNumPeople.VERSION, f"task{one.task}"),
        Stimulus("named", recipe, str(picture.path.resolve())), one.question,
        target=words or one.truth, options=tuple(line for _, line in one.lines),
        condition=condition,
    )  # fmt: skip


def _training(task: int) -> Iterator[Item]:
    if task == 1:
        for place, (name, noun, rights, why) in enumerate((
            ("pears.svg", "pears", ("3.5",), "There are three whole pears and a half: 3.5."),
            ("birds.svg", "birds", ("2, 10+",),
             "Two birds are in front, a flock of many is behind: 2, 10+."),
            ("stars.svg", "stars", ("10+", "11", "12", "13"),
             "There are more than ten stars: 10+."),
        )):  # fmt: skip
            words = f"How many {noun} are in the image?"
            yield trained(place, name, Question(words, FREE, right=rights, why=why))
        return
    if task == 2:
        form, options, values = LINES, _lines("pear", "apple"), tuple(map(str, CODES[5]))
        practice = (
            ("pears.svg", wording.LINE_QUESTION, "1", "There are pears, but no apples."),
            ("apples-pears.svg", wording.LINE_QUESTION, "2",
             "Both are there, and there are fewer pears than apples."),
        )  # fmt: skip
    else:
        form, options, values = YES_NO, YES_OR_NO, ("1", "0")
        practice = (
            ("pears.svg", "Is there half a pear?", "1", "One of the pears is cut in half."),
            ("apples.svg", "Are the apples on a plate?", "0", "No plate is to be seen: no."),
        )
    for place, (name, words, right, why) in enumerate(practice):
        asked = Question(words, form, None, options, values, (right,), why)
        yield trained(place, name, asked)


def _checks(task: int) -> list[Item]:
    """Attention checks in the task's own form, about one to four apples."""
    made = checks(FREE, "How many apples are in the image?")
    if task == 1:
        return made
    return [
        replace(one, questions=(_checked(task, place, int(one.questions[0].right[0])),))
        for place, one in enumerate(made)
    ]


def _checked(task: int, place: int, n: int) -> Question:
    """Every second claim is true: there are n apples, and neither pears nor leaves."""
    true = place % 2 == 0
    if task == 2:
        values = tuple(map(str, CODES[5]))
        lines = _lines("apple" if true else "pear", "leaf")
        return Question(wording.LINE_QUESTION, LINES, None, lines, values, (values[int(true)],))
    said = to_words(n if true else n + 3)
    words = f"Is there {said} apple?" if said == "one" else f"Are there {said} apples?"
    return Question(words, YES_NO, None, YES_OR_NO, ("1", "0"), ("1" if true else "0",))
