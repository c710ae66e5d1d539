"""Let simulated annotators do a whole study, so that it is tried out before people come."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from subitize.errors import BadInput
from subitize.humans.desk import Desk
from subitize.humans.serving import Opened
from subitize.humans.simulated import Annotator, Eye, Manner, Seen, all_work
from subitize.humans.web import in_thread
from subitize.models.counters.blobs import find_blobs
from subitize.pictures.decode import decode
from subitize.readers.text import final, strict
from subitize.stimuli import generator

DRAWN = b"<svg"
T = TypeVar("T")


def simulate(here: Opened, many: int, manner: Manner | None = None, eye: Eye | None = None) -> int:
    """So many simulated annotators do the study; how many answers they gave."""
    if not here.pages.open:
        raise BadInput(
            "This study is not open, so nobody can do it: open it at its desk first, or try it "
            "out under another --name with --set screening=off."
        )
    with in_thread(here.app) as base:
        people = invited(here.desk, base, many, manner or Manner(), eye or own_eye(here.desk))
        before, given = -1, 0
        while given > before:  # who found nothing left looks again: a later phase may have begun
            before, given = given, sum(in_own_loop(all_work(people)))
        return given


def in_own_loop(work: Coroutine[Any, Any, T]) -> T:
    """Run it to its end in another thread: a notebook's own loop is running in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def invited(desk: Desk, base: str, many: int, manner: Manner, eye: Eye) -> list[Annotator]:
    """New annotators with personal links."""
    made = []
    for place in range(many):
        secret, statements = desk.invite()
        desk.store.write(statements).result()
        rng = generator(desk.study.seed, "simulated", place)
        made.append(Annotator(f"{base}/p/{secret}", eye, manner, rng))
    return made


def own_eye(desk: Desk) -> Eye:
    """Counts what is in a picture as a counter does; lines and claims are taken as they stand.

    Only pictures of things on an even ground are counted rightly: those that we draw. Of a reply
    without a picture it says what stands in it.
    """
    counts: dict[str, str] = {}
    rights = {
        (question.words, question.options): question for item in desk.items.values()
        for question in item.questions
    }  # fmt: skip

    def look(seen: Seen) -> str:
        known = rights.get((seen.words, tuple(words for _, words in seen.options)))
        if known is not None and known.right:
            return known.right[0]
        if seen.quote and not seen.picture:
            return _read(seen)
        if not seen.typed:
            return _claimed(seen, known)
        named = hashlib.sha256(seen.picture).hexdigest()
        if named not in counts:
            counts[named] = _count(seen.picture)
        return counts[named]

    return look


def _claimed(seen: Seen, known: Any) -> str:
    trial = known.trial if known is not None else None
    if trial is None:
        return seen.options[0][0]
    if trial.target_choice in trial.options:
        return str(known.stored[trial.options.index(trial.target_choice)])
    return str(known.stored[0])


def _read(seen: Seen) -> str:
    """The number or line that a reply gives; what it concludes where it names several."""
    values = [value for value, _ in seen.options]
    if not seen.typed:
        named = [one for one in values if re.search(rf"(?i)\b{re.escape(one)}\b", seen.quote)]
        return named[0] if len(named) == 1 else values[-1]
    reading = strict(seen.quote)
    if reading.state == "several-numbers":
        reading = final(seen.quote)
    if reading.state == "read":
        return f"{reading.number:.0f}"
    return reading.state if reading.state in values else values[0]


def _count(picture: bytes) -> str:
    if not picture or DRAWN in picture[:200]:
        return "1"
    return str(len(find_blobs(decode(picture))))
