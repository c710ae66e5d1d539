"""The page of GeckoNum: from runs whose pictures a model read, or from people's answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl

from subitize.benchmarks.geckonum import page_parts as parts
from subitize.benchmarks.geckonum import page_tables as tables
from subitize.benchmarks.geckonum.answers import People, colour_nouns, people_of
from subitize.benchmarks.geckonum.breakdowns import answers_about
from subitize.benchmarks.geckonum.comparisons import add_statistics
from subitize.benchmarks.geckonum.labels import label_answers, painters_of, unread_answers
from subitize.benchmarks.geckonum.page_found import NAME, Found, readable
from subitize.benchmarks.geckonum.painting import GeckoNum
from subitize.benchmarks.geckonum.people import GeckoNumPeople
from subitize.benchmarks.geckonum.tables import geckonum_tables
from subitize.benchmarks.geckonum.wording import PROMPT
from subitize.datasets.geckonum.recipe import TYPES
from subitize.published.geckonum import BIBTEX, SOURCES, TITLES
from subitize.reports.build import About, Chapter, write_chapters
from subitize.reports.cells import COUNT, Line, cell, columns, text
from subitize.reports.leaderboard import leaderboards, ranking
from subitize.reports.methods import citations, methods
from subitize.reports.page import (
    Block,
    Card,
    Cards,
    Exhibit,
    Fold,
    Prose,
    Section,
    Standing,
    Table,
    plain,
    renamed,
)
from subitize.reports.replies import gallery_section, picture_received, unreadable_section
from subitize.reports.respondents import Respondent, reading_model, respondents_from, unfolded
from subitize.reports.terms import explained
from subitize.runs.stored import StoredRun

SEED, SAMPLES = 20240621, 1000
PICTURES = f"{NAME}-pictures"
ASKED_FOR = {"task1": "exact numbers", "task2": "quantities", "task3": "parts"}
TASKS = {f"Task {task}": f"task{task}|{{}}|accuracy" for task in (1, 2, 3)}
SHOWN: tuple[tuple[Literal["wrong", "right"], int], ...] = (("wrong", 6), ("right", 2))
"""pictures per painter"""
OVER_PROMPTS = "over prompts, since pictures of one prompt are not independent"
LABELLED = "the label of a question is the answer that most people gave"
ONCE = Prose("Every question was answered once, so there is no agreement to show.", "note")


def sections(runs: Sequence[StoredRun]) -> list[Section]:
    """The page of runs: whoever read the pictures is named."""
    respondents = respondents_from(runs)
    readers = {one.label: reading_model(one.run)[0] for one in respondents}
    painted = pl.concat(one.run.answers.filter("counts").select(*PROMPT) for one in respondents)
    said = [
        answers_about(one.run.answers, one.label).filter(pl.col("respondent") == readers[one.label])
        for one in respondents
    ]
    who: list[Block] = [Prose(_who_read(readers)), _painted_table(respondents)]
    first, *common = _common(pl.concat(said), colour_nouns(painted), None, who, reference=True)
    return [
        first._replace(standings=_standings(respondents)),
        *common,
        unreadable_section(NAME, respondents, "A picture that could not be read enters no "
                           "accuracy; one that was refused counts as wrong beside it."),
        gallery_section(NAME, "The prompt, and what was answered about the picture.",
                        ((one.label, _pictures(one)) for one in respondents), title="Pictures"),
        methods(NAME, respondents, OVER_PROMPTS),
        citations(NAME, BIBTEX, list(SOURCES.values())),
    ]  # fmt: skip


def _who_read(readers: Mapping[str, str]) -> str:
    """One sentence for each reader of pictures, with whose it read."""
    of: dict[str, list[str]] = {}
    for painter, reader in readers.items():
        of.setdefault(reader, []).append(painter)
    whose = {reader: f" of {', '.join(own)}" if len(of) > 1 else "" for reader, own in of.items()}
    return " ".join(
        f"{reader} read the pictures{painters}."
        if reader
        else f"Nobody has read the pictures{painters} yet: they are left for people."
        for reader, painters in whose.items()
    )


def _standings(respondents: Sequence[Respondent]) -> list[Standing]:
    """What the overview shows: each task's share of right pictures."""
    found = []
    for one in respondents:
        for task, values in (one.scores.get("pictures_by_task") or {}).items():
            share = cell(values["accuracy_refusals_wrong"], ".1%")._replace(badge=one.unranked)
            right = "" if share.value is None else text(share.value, ".0%")
            said = right and f"gets {ASKED_FOR[task]} right in {right} of pictures"
            about = explained(("accuracy_refusals_wrong",))
            found.append(Standing(one.model, task.replace("task", "Task "), share, said, about))
    return found


def people_sections(runs: Sequence[StoredRun]) -> list[Section]:
    """The page of imported runs: all their people together."""
    every = [people_of(run) for run in runs]
    strangers = dict(sum((Counter(one.strangers) for one in every), Counter[str]()))
    coloured = sorted({noun for one in every for noun in one.coloured})
    answers, prompts = pl.concat(one.answers for one in every), max(one.prompts for one in every)
    people = People(answers, pl.DataFrame(), prompts, strangers, coloured)
    *shown, cited = annotation_sections(people)
    told = methods(NAME, respondents_from(runs), OVER_PROMPTS, unread=LABELLED)
    return renamed([*shown, told, cited], NAME, GeckoNumPeople.NAME)


def annotation_sections(people: People) -> list[Section]:
    """The page of people's answers, such as the released ones."""
    rows = people.rows()
    unused = (
        ", ".join(f"{text(n, COUNT)} × {reason}" for reason, n in rows.dropped.items()) or "none"
    )
    who = Prose(
        f"Answers of people: {text(rows.used, COUNT)} rows used; not used: {unused}. The "
        "label of a question is the answer most of them gave."
    )
    return [
        *_common(people.answers, people.coloured, people.prompts, [who], reference=False),
        citations(NAME, BIBTEX, list(SOURCES.values())),
    ]


def report_people(people: People, out: Path) -> Path:
    """GeckoNum's page from people's answers, as one HTML file."""
    chapter = Chapter(NAME, GeckoNum.TITLE, annotation_sections(people))
    about = About(painters_of(people.answers), people.rows().used)
    return write_chapters([chapter], about, out)


def _pictures(one: Respondent) -> list[Exhibit]:
    read = one.answers.filter(pl.col("state") == "read").unique("dataset_id", maintain_order=True)
    found = []
    for verdict, most in SHOWN:
        own = read.filter(pl.col("choice") == verdict)
        # Far apart in the list, so that the pictures are of different kinds.
        places = [(2 * i + 1) * own.height // (2 * most) for i in range(min(most, own.height))]
        for row in own[places].iter_rows(named=True):
            png = picture_received(one, row["value"])
            if png is not None:
                words, said = plain(row["prompt"], 80), plain(row["note"], 200)
                alt = f"Picture made for: {words}"
                found.append(Exhibit(png, words, said, alt, verdict, readable(row["prompt_type"])))
    return found


def _common(
    answers: pl.DataFrame,
    coloured: Sequence[str],
    prompts: int | None,
    who: Sequence[Block],
    *,
    reference: bool,
) -> list[Section]:
    """Every section that these answers give something for."""
    rng = np.random.default_rng(SEED)
    labels = label_answers(answers, coloured)
    made = geckonum_tables(labels, prompts)
    statistics = add_statistics(made, labels, rng, samples=SAMPLES)
    found = Found(labels, made, statistics, unread_answers(answers))
    people = bool((labels["answers"] > 1).any())
    agreement = [tables.agreement_table(found), tables.alpha_table(found)] if people else [ONCE]
    every: list[tuple[str, str, str, Sequence[Block]]] = [
        ("overview", "Three tasks",
         "Task 1 asks for an exact number of things, Task 2 for no, few, many, more or as many, "
         "Task 3 for parts and fractions.", _overview(found, who, reference=reference)),
        ("numbers-section", "By number", "How far up exact numbers come out right.",
         parts.numbers(found)),
        ("types-section", "By prompt type", "What stands around a number makes it harder.",
         parts.types(found)),
        ("comparisons-section", "Digits or words, rare or frequent, colour, place",
         "χ² as the paper computes it treats pictures of one prompt as independent; the intervals "
         "over prompts do not.", parts.comparisons(found)),
        ("quantifiers-section", "Quantifiers", "No, a few, many, fewer, as many, more.",
         parts.quantifiers(found)),
        ("words-section", "What no, few and many mean", "From which count on people say many.",
         parts.words(found)),
        ("asked-section", "Asked and counted",
         "Which numbers painters make instead of those they were asked for.", parts.asked(found)),
        ("nouns-section", "Nouns", "Whether a noun is frequent or rare in English is looked up in "
         "wordfreq; the comparison of rare and frequent nouns stands on it.", parts.nouns(found)),
        ("failures-section", "How pictures fail",
         "The thing is missing, in the wrong place or of the wrong colour, or there are too few or "
         "too many.", parts.failures(found)),
        ("agreement", "Agreement", "How much people agree on the answers.",
         [] if reference else agreement),
    ]  # fmt: skip
    return [
        Section(f"{NAME}-{name}", title, lead, [_noted(found, block) for block in blocks])
        for name, title, lead, blocks in every
        if blocks
    ]


def _noted(found: Found, block: Block) -> Block:
    """Tables say how many answers could not be read."""
    if isinstance(block, Fold):
        return block._replace(blocks=[_noted(found, inner) for inner in block.blocks])
    if isinstance(block, Table) and block.name != PICTURES:
        return _readable(found.noted(block), {*found.painters, *TYPES, *TITLES})
    return block


def _readable(table: Table, names: Container[str]) -> Table:
    """Names as the paper writes them (the file keeps those of the release), and no column for
    published values where there are none."""
    shown = [
        place
        for place, column in enumerate(table.columns)
        if not column.name.endswith("_published")
        or any(row[place].value is not None for row in table.rows)
    ]
    rows = [
        [
            own._replace(text=readable(own.shown)) if own.value in names else own
            for own in (row[place] for place in shown)
        ]
        for row in table.rows
    ]
    heads = [
        one._replace(label=readable(one.label)) if one.label in names else one
        for one in (table.columns[place] for place in shown)
    ]
    return table._replace(columns=heads, rows=rows)


def _painted_table(respondents: Sequence[Respondent]) -> Table:
    """Pictures per task: refused, not read, right, and right with refusals counted wrong."""
    tasks: dict[str, list[Line]] = {}
    for one in respondents:
        for line in unfolded([one], "pictures_by_task", "task"):
            asked = line.values["asked"] or 1
            shares = {name: (line.values[name] or 0) / asked for name in ("refused", "not_read")}
            told = line._replace(values={**line.values, **shares}, unranked=one.unranked)
            tasks.setdefault(line.values["task"], []).append(told)
    shown = columns("accuracy_refusals_wrong:Right, refusals counted wrong:.1%±; "
                    "accuracy:Right of those read:.1%±; asked:Pictures asked for:n; "
                    "refused::.1%; not_read:Not read:.1%")  # fmt: skip
    return leaderboards(
        PICTURES,
        "Pictures all of whose questions are right, with 95 % intervals over prompts; ranked with "
        "refusals counted wrong.",
        [(task.replace("task", "Task "), ranking(tasks[task], shown[0], perfect=1.0))
         for task in sorted(tasks)],
        shown,
        first=tables.PAINTER,
    )  # fmt: skip


def _overview(found: Found, who: Sequence[Block], *, reference: bool) -> list[Block]:
    counts, table = found.tables["counts"], found.tables["table2"]
    labelled = sum(int(cell["value"] or 0) for name, cell in counts.items() if "labels" in name)
    cards = [
        Card(str(len(found.painters)), "painters"),
        Card(text(counts["images"]["value"] or 0, COUNT), "pictures judged"),
        Card(text(labelled, COUNT), "labels"),
    ]
    shares = {one: tables.score(table.get(f"task1|{one}|accuracy")).value for one in found.painters}
    known = {one: share for one, share in shares.items() if share is not None}
    if known and not reference:  # of runs the table of pictures tells, which knows of refusals
        best = max(known, key=lambda one: known[one])
        share = f"{text(known[best], '.1%')} of Task 1"
        cards.append(Card(readable(best), "best at exact numbers", share))
    return [
        Cards(cards),
        *who,
        *parts.dotted(
            found, "table2", TASKS, "tasks",
            "Right labels per task with 95 % intervals over prompts.",
        ),
        tables.task_table(found, reference=reference),
    ]  # fmt: skip
