"""The page of GeckoNum: from runs whose pictures a model read, or from people's annotations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from subitize.benchmarks.geckonum.labels import Labelled
from subitize.published.geckonum import BIBTEX, SOURCES
from subitize.records import Row
from subitize.reports import geckonum_figures as figures
from subitize.reports import geckonum_tables as tables
from subitize.reports import replies
from subitize.reports.geckonum_evidence import (
    Evidence,
    evidence_from,
    evidence_of_runs,
    reader_of,
)
from subitize.reports.geckonum_figures import Mark
from subitize.reports.geckonum_sections import breakdown_sections
from subitize.reports.methods import citations, methods
from subitize.reports.page import (
    Block,
    Card,
    Cards,
    Figure,
    Gallery,
    Picture,
    Prose,
    Section,
    plain,
)
from subitize.reports.respondents import Respondent, respondents_from
from subitize.runs.stored import StoredRun

__all__ = ["annotation_sections", "sections"]

NAME = "geckonum"
SEED = 20240621
OVER_PROMPTS = "by bootstrap over prompts, since pictures of one prompt are not independent"
PICTURES = 8
"""shown per painter: wrong ones first"""


def sections(runs: Sequence[StoredRun]) -> list[Section]:
    """The page of runs: whoever read the pictures is named."""
    respondents = respondents_from(runs)
    found = evidence_of_runs(respondents, np.random.default_rng(SEED))
    read = "; ".join(f"{one.label}: {reader_of(one)}" for one in respondents)
    return [
        _overview(found, Prose(f"Who read the pictures – {read}."), reference=True),
        *breakdown_sections(found),
        replies_section(respondents),
        _gallery_section(respondents),
        methods(NAME, respondents, OVER_PROMPTS),
        citations(NAME, BIBTEX, list(SOURCES.values())),
    ]


def annotation_sections(labelled: Labelled) -> list[Section]:
    """The page of people's annotations, such as the released ones."""
    found = evidence_from(labelled, np.random.default_rng(SEED))
    rows = labelled.rows()
    dropped = rows["dropped"]
    assert isinstance(dropped, Mapping)
    unused = ", ".join(f"{n} × {reason}" for reason, n in dropped.items()) or "none"
    who = Prose(
        f"Answers of people: {rows['used']:,} rows used; not used: {unused}. The label of a "
        "question is the answer most of them gave."
    )
    return [
        _overview(found, who, reference=False),
        *breakdown_sections(found),
        _agreement_section(found),
        citations(NAME, BIBTEX, list(SOURCES.values())),
    ]


def _overview(found: Evidence, who: Prose, *, reference: bool) -> Section:
    counts = found.tables["counts"]
    labels = sum(int(cell["value"] or 0) for name, cell in counts.items() if "labels" in name)
    cards = [
        Card(str(len(found.painters)), "painters"),
        Card(f"{int(counts['images']['value'] or 0):,}", "pictures judged"),
        Card(f"{labels:,}", "labels"),
    ]
    best = {
        cell.split("|")[1]: value["value"]
        for cell, value in found.tables["table2"].items()
        if cell.startswith("task1|") and cell.endswith("|accuracy") and value["value"] is not None
    }
    if best:
        first = max(best, key=lambda one: best[one] or 0.0)
        cards.append(Card(first, "best at exact numbers", f"{best[first]:.1f} % of Task 1"))
    blocks: list[Block] = [Cards(cards), who]
    marks = {painter: _task_marks(found, painter) for painter in found.painters}
    if any(marks.values()):
        groups = [
            one for one in ("Task 1", "Task 2", "Task 3") if any(one in m for m in marks.values())
        ]
        blocks.append(
            Figure(
                f"{NAME}-tasks",
                "Right labels per task with 95 % intervals over prompts; open diamonds are the "
                "published values.",
                "Dots of accuracy per task and painter.",
                lambda: figures.rows_of_dots(groups, marks, "right"),
            )
        )
    blocks.append(tables.task_table(found, reference=reference))
    return Section(
        f"{NAME}-overview",
        "Three tasks",
        "Task 1 asks for an exact number of things, Task 2 for no, few, many, more or as many, "
        "Task 3 for parts and fractions.",
        blocks,
    )


def _task_marks(found: Evidence, painter: str) -> dict[str, Mark]:
    cells = {
        f"Task {task}": found.tables["table2"].get(f"task{task}|{painter}|accuracy")
        for task in (1, 2, 3)
    }
    return {name: tables.mark(cell) for name, cell in cells.items() if cell is not None}


def _agreement_section(found: Evidence) -> Section:
    blocks: list[Block] = []
    if found.people():
        blocks = [tables.agreement_table(found), tables.alpha_table(found)]
    else:
        blocks = [
            Prose("Every question was answered once, so there is no agreement to show.", "note")
        ]
    return Section(
        f"{NAME}-agreement", "Agreement", "How much people agree on the answers.", blocks
    )


def replies_section(respondents: Sequence[Respondent]) -> Section:
    """Pictures without a reading, by reason."""
    table = replies.unreadable_table(NAME, respondents)
    blocks: list[Block] = [table] if table.rows else [Prose("Every picture was read.", "note")]
    lead = "A picture that was refused, or that could not be read, enters no accuracy."
    return Section(f"{NAME}-not-read", "Pictures that were not read", lead, blocks)


def _gallery_section(respondents: Sequence[Respondent]) -> Section:
    blocks: list[Block] = []
    for one in respondents:
        read = [row for row in one.run.rows if row.reading.state == "read"]
        wrong = [row for row in read if row.reading.choice != "right"]
        right = [row for row in read if row.reading.choice == "right"]
        # Far apart in the list, so that the pictures are of different prompts.
        chosen = [*_spread(wrong, PICTURES - 2), *_spread(right, 2)]
        pictures = []
        for row in chosen:
            png = replies.picture_received(one, str(row.response.value))
            if png is not None:
                verdict = "right" if row.reading.choice == "right" else "wrong"
                pictures.append(
                    Picture(png, plain(row.trial.question, 80), plain(row.reading.note, 200),
                            f"Picture made for: {plain(row.trial.question, 80)}", verdict,  # type: ignore[arg-type]
                            plain(row.trial.condition["prompt_type"]))
                )  # fmt: skip
        if pictures:
            blocks.append(Gallery(one.label, pictures))
    return Section(f"{NAME}-pictures", "Pictures",
                   "The prompt, and what was answered about the picture.",
                   blocks or [Prose("There are no pictures to show.", "note")])  # fmt: skip


def _spread(rows: Sequence[Row], most: int) -> list[Row]:
    """So many rows of different prompts, from all over the list."""
    once = list({row.trial.condition["dataset_id"]: row for row in rows}.values())
    return [once[(2 * i + 1) * len(once) // (2 * most)] for i in range(min(most, len(once)))]
