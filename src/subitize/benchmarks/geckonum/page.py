"""The page of GeckoNum: from runs whose pictures a model read, or from people's answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl

from subitize.benchmarks.geckonum import breakdowns
from subitize.benchmarks.geckonum import page_figures as figures
from subitize.benchmarks.geckonum import page_tables as tables
from subitize.benchmarks.geckonum.answers import People, colour_nouns, people_of
from subitize.benchmarks.geckonum.breakdowns import answers_about
from subitize.benchmarks.geckonum.comparisons import COMPARISONS, PHRASES, add_statistics
from subitize.benchmarks.geckonum.labels import label_answers, painters_of, unread_answers
from subitize.benchmarks.geckonum.page_tables import NAME, Found
from subitize.benchmarks.geckonum.painting import GeckoNum
from subitize.benchmarks.geckonum.tables import Cell, geckonum_tables, table_sizes
from subitize.benchmarks.geckonum.wording import PROMPT
from subitize.datasets.geckonum.questions import ONE_ENTITY_CODES
from subitize.datasets.geckonum.recipe import TYPES
from subitize.published.geckonum import BIBTEX, SOURCES
from subitize.reports.build import About, Chapter, write_chapters
from subitize.reports.cells import Line, as_score, columns, model_table
from subitize.reports.methods import citations, methods
from subitize.reports.page import (
    Block,
    Card,
    Cards,
    Figure,
    Picture,
    Prose,
    Section,
    Table,
    plain,
)
from subitize.reports.replies import gallery_section, picture_received, unreadable_section
from subitize.reports.respondents import Respondent, reading_model, respondents_from, unfolded
from subitize.runs.stored import StoredRun

SEED, SAMPLES = 20240621, 1000
PICTURES = f"{NAME}-pictures"
TASKS = {f"Task {task}": f"task{task}|{{}}|accuracy" for task in (1, 2, 3)}
SHOWN: tuple[tuple[Literal["wrong", "right"], int], ...] = (("wrong", 6), ("right", 2))
"""pictures per painter"""
WORDS = {
    "said": ("A16", "the line chosen for the picture"),
    "asked": ("A17", "the word in its prompt"),
}
NO_WORDS = Prose(
    "Nobody counted the things in pictures of “no, a few, many” prompts, so how these words go "
    "with numbers (Figures A16 and A17) can't be told here. The release lacks those counts too.",
    "note",
)
ONCE = Prose("Every question was answered once, so there is no agreement to show.", "note")


def sections(runs: Sequence[StoredRun]) -> list[Section]:
    """The page of runs: whoever read the pictures is named."""
    respondents = respondents_from(runs)
    readers = {one.label: reading_model(one.run)[0] for one in respondents}
    read = "; ".join(f"{o}: {r or 'nobody yet (left for people)'}" for o, r in readers.items())
    painted = pl.concat(one.run.answers.filter("counts").select(*PROMPT) for one in respondents)
    said = [
        answers_about(one.run.answers, one.label).filter(pl.col("respondent") == readers[one.label])
        for one in respondents
    ]
    who: list[Block] = [Prose(f"Who read the pictures – {read}."), _painted_table(respondents)]
    return [
        *_common(pl.concat(said), colour_nouns(painted), None, who, reference=True),
        unreadable_section(NAME, respondents, "A picture that could not be read enters no "
                           "accuracy; one that was refused counts as wrong beside it."),
        gallery_section(NAME, "The prompt, and what was answered about the picture.",
                        ((one.label, _pictures(one)) for one in respondents), title="Pictures"),
        methods(NAME, respondents, "over prompts, since pictures of one prompt are not "
                "independent"),
        citations(NAME, BIBTEX, list(SOURCES.values())),
    ]  # fmt: skip


def people_sections(runs: Sequence[StoredRun]) -> list[Section]:
    """The page of imported runs: all their people together."""
    every = [people_of(run) for run in runs]
    strangers = dict(sum((Counter(one.strangers) for one in every), Counter[str]()))
    coloured = sorted({noun for one in every for noun in one.coloured})
    answers, prompts = pl.concat(one.answers for one in every), max(one.prompts for one in every)
    return annotation_sections(People(answers, pl.DataFrame(), prompts, strangers, coloured))


def annotation_sections(people: People) -> list[Section]:
    """The page of people's answers, such as the released ones."""
    rows = people.rows()
    unused = ", ".join(f"{n} × {reason}" for reason, n in rows.dropped.items()) or "none"
    who = Prose(
        f"Answers of people: {rows.used:,} rows used; not used: {unused}. The label of a "
        "question is the answer most of them gave."
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


def _pictures(one: Respondent) -> list[Picture]:
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
                found.append(Picture(png, words, said, alt, verdict, row["prompt_type"]))
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
    found = Found(labels, made, statistics, unread_answers(answers), table_sizes(labels))
    people = bool((labels["answers"] > 1).any())
    agreement = [tables.agreement_table(found), tables.alpha_table(found)] if people else [ONCE]
    every: list[tuple[str, str, str, Sequence[Block]]] = [
        ("overview", "Three tasks",
         "Task 1 asks for an exact number of things, Task 2 for no, few, many, more or as many, "
         "Task 3 for parts and fractions.", _overview(found, who, reference=reference)),
        ("numbers-section", "By number", "How far up exact numbers come out right.",
         _numbers(found)),
        ("types-section", "By prompt type", "What stands around a number makes it harder.",
         _types(found)),
        ("comparisons-section", "Digits or words, rare or frequent, colour, place",
         "χ² as the paper computes it treats pictures of one prompt as independent; the intervals "
         "over prompts do not.", _comparisons(found)),
        ("quantifiers-section", "Quantifiers", "No, a few, many, fewer, as many, more.",
         _quantifiers(found)),
        ("words-section", "What no, few and many mean", "From which count on people say many.",
         _words(found)),
        ("asked-section", "Asked and counted",
         "Which numbers painters make instead of those they were asked for.", _asked(found)),
        ("failures-section", "How pictures fail",
         "The thing is missing, in the wrong place or of the wrong colour, or there are too few or "
         "too many.", _failures(found)),
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
    return found.noted(block) if isinstance(block, Table) and block.name != PICTURES else block


def _painted_table(respondents: Sequence[Respondent]) -> Table:
    """Pictures per task: refused, not read, right, and right with refusals counted wrong."""
    lines = [
        line._replace(values={**line.values, "task": line.values["task"].replace("task", "Task ")})
        for line in unfolded(respondents, "pictures_by_task", "task")
    ]
    best = sorted(lines, key=lambda line: (line.values["task"], -_share(line)))
    return model_table(
        PICTURES,
        "Pictures all of whose questions are right, with 95 % intervals over prompts; the first of "
        "each task is the best.",
        best,
        columns("task; accuracy_refusals_wrong:Right, refusals counted wrong:.1%±; "
                "accuracy:Right of those read:.1%±; asked:Pictures asked for:n; refused::n; "
                "not_read:Not read:n"),
        first=tables.PAINTER,
    )  # fmt: skip


def _share(line: Line) -> float:
    return as_score(line.values["accuracy_refusals_wrong"]).value or 0.0


def _overview(found: Found, who: Sequence[Block], *, reference: bool) -> list[Block]:
    counts, table = found.tables["counts"], found.tables["table2"]
    labelled = sum(int(cell["value"] or 0) for name, cell in counts.items() if "labels" in name)
    cards = [
        Card(str(len(found.painters)), "painters"),
        Card(f"{int(counts['images']['value'] or 0):,}", "pictures judged"),
        Card(f"{labelled:,}", "labels"),
    ]
    shares = {one: tables.score(table.get(f"task1|{one}|accuracy")).value for one in found.painters}
    known = {one: share for one, share in shares.items() if share is not None}
    if known and not reference:  # of runs the table of pictures tells, which knows of refusals
        best = max(known, key=lambda one: known[one])
        cards.append(Card(best, "best at exact numbers", f"{100 * known[best]:.1f} % of Task 1"))
    return [
        Cards(cards),
        *who,
        *_dotted(
            found, "table2", TASKS, "tasks",
            "Right labels per task with 95 % intervals over prompts; open diamonds are the "
            "published values.",
        ),
        tables.task_table(found, reference=reference),
    ]  # fmt: skip


def _dotted(
    found: Found, table: str, rows: Mapping[str, str], name: str, caption: str
) -> list[Block]:
    """Dots of a table's cells; `rows` says which cell of a painter stands in which row."""
    cells = found.tables[table]
    places = {one: {row: at.format(one) for row, at in rows.items()} for one in found.painters}
    known = [row for row in rows if any(own[row] in cells for own in places.values())]
    ours, theirs = _shares(cells, places)
    draw, alt = partial(figures.dots, known, ours, theirs), f"Dots per painter: {', '.join(known)}."
    return [Figure(f"{NAME}-{name}", caption, alt, draw)] if known else []


def _shares(
    cells: Mapping[str, Cell], places: Mapping[str, Mapping[str, str]]
) -> tuple[figures.Scores, figures.Scores]:
    """Our shares and the printed ones, from the names of the cells they stand in."""
    ours, theirs = (
        {one: {row: make(cells.get(at)) for row, at in own.items()} for one, own in places.items()}
        for make in (tables.score, tables.printed)
    )
    return ours, theirs


def _numbers(found: Found) -> list[Block]:
    shares = breakdowns.by_number(found.labels)
    if not shares:
        return []
    numbers = [n for n in figures.NUMBERS if any(n in own for own in shares.values())]
    return [
        Figure(
            f"{NAME}-by-number",
            "Task 1: right labels by the number asked for, with 95 % intervals over prompts.",
            "Lines of accuracy against number, one per painter.",
            partial(figures.by_number, shares, "number asked for"),
        ),
        tables.share_table(f"{NAME}-numbers", "Right labels by number.", numbers, shares, "Number"),
    ]


def _types(found: Found) -> list[Block]:
    shares = breakdowns.by_type(found.labels)
    kinds = [kind for kind in TYPES if any(kind in own for own in shares.values())]
    if not kinds:
        return []
    caption = "Right labels by prompt type, with 95 % intervals over prompts."
    alt, draw = "Dots of accuracy per prompt type.", partial(figures.dots, kinds, shares, {})
    return [
        Figure(f"{NAME}-by-type", caption, alt, draw),
        tables.share_table(f"{NAME}-types", "Right labels by prompt type.", kinds, shares, "Type"),
        *([tables.drops_table(found)] if found.tables["a5"] else []),
    ]


def _comparisons(found: Found) -> list[Block]:
    shown: dict[tuple[str, str], tuple[figures.Scores, figures.Scores]] = {}
    known = []
    for table, (one, other, *_) in COMPARISONS.items():
        first, second = ({p: f"{p}|accuracy_{nth}" for p in found.painters} for nth in (1, 2))
        ours, theirs = _shares(found.tables[table], {one: first, other: second})
        values = [(ours[one][p].value, ours[other][p].value) for p in found.painters]
        if any(None not in pair for pair in values):
            known.append(table)
            shown[one, other] = ours, theirs
    if not known:
        return []
    return [
        Figure(
            f"{NAME}-comparisons",
            "Two groups of prompts that differ in one thing, true numbers 1 to 4: the first open, "
            "the second filled, with 95 % intervals over prompts; diamonds are the published "
            "values.",
            "Pairs of dots per painter, a panel per comparison.",
            partial(figures.pairs, shown),
        ),
        *(tables.comparison_table(found, table) for table in known),
    ]


def _quantifiers(found: Found) -> list[Block]:
    cells = found.tables["figure5"]
    phrases = [one for one in PHRASES if any(cell.startswith(f"{one}|") for cell in cells)]
    dots = _dotted(
        found, "figure5", {phrase: f"{phrase}|{{}}" for phrase in phrases}, "quantifiers",
        "Task 2: pictures described as the prompt asks, with 95 % intervals over prompts; diamonds "
        "are the published values (Figure 5).",
    )  # fmt: skip
    return [*dots, tables.quantifier_table(found, phrases)] if dots else []


def _words(found: Found) -> list[Block]:
    blocks: list[Block] = []
    for name, rows in breakdowns.quantifiers_by_count(found.labels).items():
        number, what = WORDS[name]
        bars = {
            f"{count} counted (n = {sum(row.values())})": {
                word: n / sum(row.values()) for word, n in row.items()
            }
            for count, row in rows.items()
        }
        blocks.append(
            Figure(
                f"{NAME}-words-{name}",
                f"No, few and many by how many things were counted: {what} (Figure {number}).",
                f"Stacked bars of no, few and many by count: {what}.",
                partial(figures.stacked, bars, list(ONE_ENTITY_CODES), "share of pictures"),
            )
        )
    return blocks or ([NO_WORDS] if (found.labels["task"] == 2).any() else [])


def _asked(found: Found) -> list[Block]:
    counts = breakdowns.asked_and_counted(found.labels)
    figure = Figure(
        f"{NAME}-asked-counted",
        "Task 1: numbers asked for (line) and numbers counted (bars), as shares of all questions "
        "(Figure A12).",
        "Histograms of numbers asked and counted, one panel per painter.",
        partial(figures.histograms, counts),
    )
    return [figure] if counts else []


def _failures(found: Found) -> list[Block]:
    kinds, names = breakdowns.failures(found.labels), breakdowns.FAILURES
    if not kinds:
        return []
    bars = {one: {kind: own[kind].value or 0.0 for kind in own} for one, own in kinds.items()}
    caption, name = "Kinds of failure per question.", f"{NAME}-failure-kinds"
    outcomes = breakdowns.picture_outcomes(found.labels)
    return [
        Figure(
            f"{NAME}-failures",
            "Task 1: labels that are right, and how the others fail, in per cent.",
            f"Stacked bars of {', '.join(names)}, one per painter.",
            partial(figures.stacked, bars, names, "share of labels"),
        ),
        tables.share_table(name, caption, names, kinds, "Kind"),
        *([tables.outcome_table(outcomes)] if outcomes else []),
    ]
