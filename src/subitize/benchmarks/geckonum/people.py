"""People's answers to GeckoNum's questions as a benchmark: what is asked, and how it is read.

Its runs are imported (`subitize import geckonum`), never asked: every annotator is a respondent,
every question about a painter's picture a trial. A stage per task: counts, lines, yes or no.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from subitize.benchmark import Benchmark, Decisions, Paper, Reader, Settings, Stage
from subitize.benchmarks.catalog import get_part
from subitize.benchmarks.geckonum.wording import ASKED, CODES, PAPER, PROMPT
from subitize.datasets.geckonum.questions import ONE_ENTITY_CODES, TWO_ENTITY_CODES
from subitize.errors import BadInput
from subitize.models.base import Kind
from subitize.readers.annotators import counted
from subitize.readers.text import ended_early
from subitize.records import Reading, Response, Trial

if TYPE_CHECKING:
    import polars as pl

STRANGERS, COLOUR_NOUNS = "rows_that_answer_no_question", "nouns_that_get_a_colour"
"""decisions under which run.json keeps what the answers alone do not tell"""
BLANK, UNREADABLE = "blank answer", "unreadable answer"
YES_NO = {"1": "yes", "1.0": "yes", "yes": "yes", "y": "yes", "true": "yes",
          "0": "no", "0.0": "no", "no": "no", "n": "no", "false": "no"}  # fmt: skip


def read_answer(task: int, options: Sequence[str], said: str) -> Reading:
    """What a person typed or chose, as GeckoNum codes it: count, code of the line, 1 for yes.

    >>> read_answer(1, (), "2-3").number, read_answer(3, (), "1").choice
    (2.5, 'yes')
    >>> read_answer(2, ("none", "few", "many"), "4")
    Reading(state='read', number=3, choice='many', note='')
    """
    number: float | None
    choice = None
    if task == 1:
        number = counted(said)
    elif task == 2:
        number, choice = _line(options, said.strip())
    else:
        choice = YES_NO.get(said.strip().lower())
        number = None if choice is None else int(choice == "yes")
    if number is None:
        return Reading("no-number", note=UNREADABLE if said.strip() else BLANK)
    return Reading("read", number, choice)


def _line(options: Sequence[str], said: str) -> tuple[int | None, str | None]:
    """A line by its code or by its words."""
    codes = CODES.get(len(options), ())
    if said in options:
        return codes[options.index(said)], said
    bare = said.removesuffix(".0")
    if bare not in {"0", "1", "2", "3", "4"}:
        return None, None
    code = int(bare)
    if len(options) == len(ONE_ENTITY_CODES) and code == TWO_ENTITY_CODES["more"]:
        # the paper's list gives many the code 4, the release 3; both mean the same line
        code = ONE_ENTITY_CODES["many"]
    return code, options[codes.index(code)] if code in codes else None


def read_people(trial: Trial, response: Response) -> Reading:
    """`read_answer` as the reader of a run."""
    task = int(trial.condition["task"])
    return ended_early(response) or read_answer(task, trial.options, str(response.value))


@dataclass(frozen=True)
class PeopleSettings(Settings):
    """What was imported."""

    annotations: str = ""
    """hash of the answers and what they are about"""
    prompts: int = 0
    """how many prompts there are, also those without an answer"""


class GeckoNumPeople(Benchmark[PeopleSettings]):
    """What people say about pictures of GeckoNum's prompts."""

    NAME: ClassVar[str] = "geckonum-people"
    VERSION: ClassVar[str] = "1"
    TITLE: ClassVar[str] = "People's answers about generated pictures (GeckoNum, people)"
    PAPER: ClassVar[Paper] = PAPER
    KINDS: ClassVar[tuple[Kind, ...]] = ("namer",)
    SETTINGS = PeopleSettings
    CONDITION: ClassVar[Mapping[str, str | int | float]] = {
        **PROMPT, "painter": "", "picture": 0, **ASKED,
    }  # fmt: skip
    READERS: ClassVar[Mapping[str, Reader]] = {"people": read_people}
    MEASURES: ClassVar[tuple[str, ...]] = ("accuracy",)
    DEVIATIONS: ClassVar[tuple[str, ...]] = (
        "The paper says that ranges are rounded up; the label that gives its numbers is the most "
        "common unrounded answer, rounded half to even.",
        "The release lacks about 122 pictures with faces, and two painters' files may be missing.",
    )

    def ready(self, settings: PeopleSettings, kind: Kind) -> Decisions:
        raise BadInput(
            "geckonum-people holds what people answered and asks nobody: make such a run with "
            "`subitize import geckonum --annotations FILES --prompts FILE --out DIR`."
        )

    def stages(self, settings: PeopleSettings, kind: Kind) -> Iterator[Stage]:
        for task in (1, 2, 3):
            yield Stage(f"task{task}")

    def trials(self, stage: str, settings: PeopleSettings, decisions: Decisions) -> Iterator[Trial]:
        """None: the plan is what was answered."""
        return iter(())

    def table(self, folder: Path) -> pl.DataFrame | None:
        made: pl.DataFrame | None = get_part(f"{self.NAME} table")(folder)
        return made

    def score(
        self, answers: pl.DataFrame, settings: PeopleSettings, decisions: Decisions
    ) -> dict[str, Any]:
        rng = np.random.default_rng([settings.seed, 20240625])
        coloured = decisions.get(COLOUR_NOUNS)
        return dict(get_part(f"{self.NAME} scores")(answers, settings.prompts, coloured, rng))
