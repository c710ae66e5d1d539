"""Studies about words: does a caption's number fit its picture, and is a reply read rightly?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from subitize.captions.images import FITS, FITS_NOT, OPTIONS, STUDY
from subitize.errors import BadInput
from subitize.files import read_entries
from subitize.humans.items import LINES, NUMBER, Item, Question
from subitize.humans.kinds.material import (
    Material,
    dots,
    from_stimulus,
    known_by,
    lying,
    trained,
)
from subitize.humans.study import Study
from subitize.records import Response, Stimulus, Trial, make_follower, make_trial
from subitize.runs.columns import read_responses
from subitize.runs.folder import counted_respondents, read_info
from subitize.runs.plan import PlannedTrials
from subitize.stimuli import generator

CAPTION = ("caption-fit", "1", "judge")
READER = ("reader-check", "1", "read")
UNREAD = {
    "no-number": "It gives no number",
    "several-numbers": "It gives several different numbers",
    "vague": "It only says roughly how many",
    "refused": "It refuses to answer",
}
"""what a person may say of a reply instead of a number: the reader's own states"""
FITTING = "Does the marked number fit the picture?"
NEITHER = "none"
USUAL = 100
"""replies that are read where nothing else is said"""
LONGEST = 40_000
"""characters of a reply that are shown; of a longer one the two ends"""


def caption_material(study: Study) -> Material:
    """The sample that `subitize captions --check-images` wrote."""
    folder = Path(study.captions or ".")
    file = folder / STUDY
    needed = ("id", "image", "caption", "start", "end", "question", "options")
    repair = "Make it with `subitize captions … --check-images`."
    items = [
        _caption(folder, where, row)
        for where, row in read_entries(file, "the sample", needed, repair=repair)
    ]
    words = (
        "You will see a picture with a caption in which one number stands out. Say whether that "
        "number fits what the picture shows.",
        "Judge only this number. If you can't tell from the picture, say so.",
    )
    practice = [
        trained(place, name, Question(FITTING, LINES, None, tuple(map(_shown, OPTIONS)), OPTIONS,
                                      (right,), why, quote, (0, quote.index(" "))))
        for place, (name, quote, right, why) in enumerate((
            ("pizzas.svg", "Three pizzas, fresh from the oven.", FITS, "There are three."),
            ("stars.svg", "Five stars in the evening sky.", FITS_NOT, "There are many more."),
        ))
    ]  # fmt: skip
    return Material([*practice, *_caption_checks(), *items], words)


def _caption_checks() -> Iterator[Item]:
    """Attention checks: a few apples, and a caption whose number fits or is far off."""
    for place, (n, said) in enumerate(((2, "Two"), (1, "Nine"), (3, "Three"), (2, "Eight"))):
        quote, fits = f"{said} apples on a plain ground.", place % 2 == 0
        asked = Question(
            FITTING, LINES, None, tuple(map(_shown, OPTIONS)), OPTIONS,
            (FITS if fits else FITS_NOT,), quote=quote, mark=(0, len(said)),
        )  # fmt: skip
        shown = partial(from_stimulus, dots("apples", n, 900 + place))
        yield Item(f"check-{place}", (asked,), shown, "check")


def _shown(option: str) -> str:
    return option[:1].upper() + option[1:]


def _caption(folder: Path, where: str, row: dict[str, Any]) -> Item:
    path = folder / str(row["image"])
    if not path.is_file():
        raise BadInput(f"{where}: there is no picture {path}.")
    options = row["options"]
    options = tuple(orjson.loads(options) if isinstance(options, str) else options)
    trial = make_trial(
        CAPTION, Stimulus("named", {"id": str(row["id"])}), str(row["question"]),
        options=options, condition={"caption": str(row["id"])},
    )  # fmt: skip
    question = Question(
        FITTING, LINES, trial, tuple(map(_shown, options)), options,
        quote=str(row["caption"]), mark=(int(row["start"]), int(row["end"])),
    )  # fmt: skip
    about = {"id": str(row["id"])}
    return Item(known_by([trial]), (question,), lying(path), about=about)


def reader_material(study: Study) -> Material:
    """A random sample of a run's replies, without the picture: what is read is the reply."""
    if not study.run:
        raise BadInput("Checking a reader needs a run: give --run FOLDER.")
    folder = Path(study.run)
    own = set(counted_respondents(read_info(folder)))
    trials = PlannedTrials(folder)
    replies = [
        one for one in read_responses(folder)
        if one.kind == "text" and one.value.strip() and one.stop != "failed"
        and (one.respondent, one.settings_hash) in own and one.trial in trials
    ]  # fmt: skip
    if not replies:
        raise BadInput(f"{folder} holds no reply in words: there is nothing to read.")
    order = generator(study.seed, "reader-check", study.name).permutation(len(replies))
    chosen = [replies[place] for place in sorted(order[: study.sample or USUAL].tolist())]
    words = (
        "You will see a question and the reply that somebody gave to it. Type the number that the "
        "reply gives as its answer.",
        "Judge what the reply says, not whether it is right. If it gives no number, or several, "
        "choose the line that says so.",
    )
    practice = [
        trained(place, "", Question(_which("How many apples are there?"), NUMBER, None,
                                    tuple(UNREAD.values()), tuple(UNREAD), (right,), why, quote))
        for place, (quote, right, why) in enumerate((
            ("Two are red and one is green, so I count three apples.", "3",
             "The reply concludes that there are three."),
            ("There are a few apples in a bowl.", "vague",
             "“A few” is no number: it only says roughly how many."),
        ))
    ]  # fmt: skip
    asked = (_reply(trials[one.trial], one) for one in chosen)
    return Material([*practice, *_reader_checks(), *asked], words, shown="reply")


def _reader_checks() -> Iterator[Item]:
    """Attention checks: replies that whoever reads them can't take for another number."""
    for place, n in enumerate((4, 7, 2, 9)):
        asked = Question(
            _which("How many apples are there?"), NUMBER, None, tuple(UNREAD.values()),
            tuple(UNREAD), (str(n),), quote=f"There are {n} apples.",
        )  # fmt: skip
        yield Item(f"check-{place}", (asked,), None, "check")


def _which(question: str) -> str:
    return f"“{question}” Which number does the reply give?"


def _reply(trial: Trial, response: Response) -> Item:
    asked = make_follower(READER, response, trial.question)
    shown = response.value
    if len(shown) > LONGEST:  # what it concludes stands at its end
        shown = f"{shown[: LONGEST // 2]}\n[…]\n{shown[-LONGEST // 2 :]}"
    if trial.options:
        values = (*trial.options, NEITHER)
        question = Question(f"“{trial.question}” Which answer does the reply give?", LINES, asked,
                            (*trial.options, "None of these"), values, quote=shown)  # fmt: skip
    else:
        question = Question(
            _which(trial.question), NUMBER, asked,
            tuple(UNREAD.values()), tuple(UNREAD), quote=shown,
        )  # fmt: skip
    return Item(known_by([asked]), (question,), about={"key": list(response.key)})
