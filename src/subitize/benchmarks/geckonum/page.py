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
from subitize.benchmarks.geckonum.answered import answers_about
from subitize.benchmarks.geckonum.answers import People
from subitize.benchmarks.geckonum.comparisons import COMPARISONS, PHRASES
from subitize.benchmarks.geckonum.importing import people_of
from subitize.benchmarks.geckonum.labels import label_answers, painters_of
from subitize.benchmarks.geckonum.page_tables import Found
from subitize.benchmarks.geckonum.painting import GeckoNum
from subitize.benchmarks.geckonum.statistics import add_statistics
from subitize.benchmarks.geckonum.tables import Cell, geckonum_tables
from subitize.benchmarks.geckonum.wording import table_of
from subitize.datasets.geckonum.questions import ONE_ENTITY_CODES
from subitize.datasets.geckonum.recipe import TYPES
from subitize.published.geckonum import BIBTEX, SOURCES
from subitize.reports.build import About, Chapter, write_chapters
from subitize.reports.methods import citations, methods
from subitize.reports.page import Block, Card, Cards, Figure, Picture, Prose, Section, plain
from subitize.reports.replies import gallery_section, picture_received, unreadable_section
from subitize.reports.respondents import Respondent, reading_model, respondents_from
from subitize.runs.stored import StoredRun, read_rows

__all__ = ["annotation_sections", "people_sections", "report_people", "sections"]

NAME = "geckonum"
SEED, SAMPLES = 20240621, 1000
PICTURES = 8
"""shown per painter: wrong ones first"""
TASKS = {f"Task {task}": f"task{task}|{{}}|accuracy" for task in (1, 2, 3)}
WORDS = {
    "said": ("A16", "the line chosen for the picture"),
    "asked": ("A17", "the word in its prompt"),
}


def sections(runs: Sequence[StoredRun]) -> list[Section]:
    """The page of runs: whoever read the pictures is named."""
    respondents = respondents_from(runs)
    readers = {one.label: reading_model(one.run)[0] for one in respondents}
    read = "; ".join(f"{o}: {r or 'nobody yet (left for people)'}" for o, r in readers.items())
    labels = label_answers(pl.concat(map(_answers, respondents), how="diagonal_relaxed"))
    return [
        *_common(labels, None, Prose(f"Who read the pictures – {read}."), reference=True),
        unreadable_section(NAME, respondents, "A picture that was refused, or that could not be "
                           "read, enters no accuracy."),
        gallery_section(NAME, "The prompt, and what was answered about the picture.",
                        ((one.label, _pictures(one)) for one in respondents), title="Pictures"),
        methods(NAME, respondents, "by bootstrap over prompts, since pictures of one prompt are "
                "not independent"),
        citations(NAME, BIBTEX, list(SOURCES.values())),
    ]  # fmt: skip


def people_sections(runs: Sequence[StoredRun]) -> list[Section]:
    """The page of imported runs: all their people together."""
    every = [people_of(run.folder, run.info) for run in runs]
    strangers = dict(sum((Counter(one.strangers) for one in every), Counter[str]()))
    answers, prompts = pl.concat(one.answers for one in every), max(one.prompts for one in every)
    return annotation_sections(People(answers, pl.DataFrame(), prompts, strangers))


def annotation_sections(people: People) -> list[Section]:
    """The page of people's answers, such as the released ones."""
    rows, labels = people.rows(), label_answers(people.answers)
    unused = ", ".join(f"{n} × {reason}" for reason, n in rows.dropped.items()) or "none"
    who = Prose(
        f"Answers of people: {rows.used:,} rows used; not used: {unused}. The label of a "
        "question is the answer most of them gave."
    )
    return [
        *_common(labels, people.prompts, who, reference=False),
        citations(NAME, BIBTEX, list(SOURCES.values())),
    ]


def report_people(people: People, out: Path) -> Path:
    """GeckoNum's page from people's answers, as one HTML file."""
    chapter = Chapter(NAME, GeckoNum.TITLE, annotation_sections(people))
    painters = painters_of(people.answers)
    return write_chapters([chapter], About(painters, people.rows().used), out)


def _answers(one: Respondent) -> pl.DataFrame:
    """What the reader of a run's pictures answered."""
    name = str(one.run.info.get("reader") or "").partition("?")[0]
    folder = one.run.folder / "readings" / name
    reader = one.run.benchmark.answer_reader()
    said = read_rows(folder, reader) if name and folder.exists() else []
    return answers_about(table_of(one.run.rows, said), one.label)


def _pictures(one: Respondent) -> list[Picture]:
    read = one.answers.filter(pl.col("state") == "read").unique("dataset_id", maintain_order=True)
    found = []
    verdicts: tuple[tuple[Literal["wrong", "right"], int], ...] = (
        ("wrong", PICTURES - 2), ("right", 2)
    )  # fmt: skip
    for verdict, most in verdicts:
        own = read.filter(pl.col("choice") == verdict)
        # Far apart in the list, so that the pictures are of different kinds.
        places = [(2 * i + 1) * own.height // (2 * most) for i in range(min(most, own.height))]
        for row in own[places].iter_rows(named=True):
            png = picture_received(one, row["value"])
            if png is not None:
                words = plain(row["prompt"], 80)
                found.append(
                    Picture(
                        png,
                        words,
                        plain(row["note"], 200),
                        f"Picture made for: {words}",
                        verdict,
                        row["prompt_type"],
                    )
                )  # type: ignore[arg-type]
    return found


def _common(
    labels: pl.DataFrame, prompts: int | None, who: Prose, *, reference: bool
) -> list[Section]:
    """Every section that these labels give something for."""
    rng = np.random.default_rng(SEED)
    made = geckonum_tables(labels, prompts)
    found = Found(labels, made, add_statistics(made, labels, rng, samples=SAMPLES))
    every = [
        _overview(found, who, reference=reference),
        _numbers(found, rng),
        _types(found, rng),
        _comparisons(found),
        _quantifiers(found),
        _words(found),
        _asked(found),
        _failures(found, rng),
    ]
    if not reference:
        every.append(_agreement(found))
    return [one for one in every if one.blocks]


def _overview(found: Found, who: Prose, *, reference: bool) -> Section:
    counts, table = found.tables["counts"], found.tables["table2"]
    labelled = sum(int(cell["value"] or 0) for name, cell in counts.items() if "labels" in name)
    cards = [
        Card(str(len(found.painters)), "painters"),
        Card(f"{int(counts['images']['value'] or 0):,}", "pictures judged"),
        Card(f"{labelled:,}", "labels"),
    ]
    known = {one: table.get(f"task1|{one}|accuracy") for one in found.painters}
    best = max(found.painters, key=lambda one: tables.score(known[one]).value or 0.0, default="")
    if best and (cell := known[best]) is not None:
        cards.append(Card(best, "best at exact numbers", f"{cell['value']:.1f} % of Task 1"))
    blocks: list[Block] = [Cards(cards), who]
    blocks += _dotted(
        found, "tasks", TASKS, table,
        "Right labels per task with 95 % intervals over prompts; open diamonds are the published "
        "values.", "Dots of accuracy per task and painter.",
    )  # fmt: skip
    blocks.append(tables.task_table(found, reference=reference))
    return Section(
        f"{NAME}-overview",
        "Three tasks",
        "Task 1 asks for an exact number of things, Task 2 for no, few, many, more or as many, "
        "Task 3 for parts and fractions.",
        blocks,
    )


def _dotted(
    found: Found, name: str, rows: Mapping[str, str], cells: Mapping[str, Cell], *words: str
) -> list[Block]:
    """Dots of cells; `rows` says which cell of a painter stands in which row."""
    shown = {
        painter: {row: cells[at.format(painter)] for row, at in rows.items()
                  if at.format(painter) in cells}
        for painter in found.painters
    }  # fmt: skip
    known = [row for row in rows if any(row in own for own in shown.values())]
    if not known:
        return []
    ours, theirs = (
        {painter: {row: make(cell) for row, cell in own.items()} for painter, own in shown.items()}
        for make in (tables.score, tables.printed)
    )
    draw = partial(figures.dots, known, ours, theirs)
    return [Figure(f"{NAME}-{name}", *words, draw)]


def _numbers(found: Found, rng: np.random.Generator) -> Section:
    shares, blocks = breakdowns.by_number(found.labels, rng), list[Block]()
    if shares:
        numbers = [n for n in figures.NUMBERS if any(n in own for own in shares.values())]
        blocks = [
            Figure(
                f"{NAME}-by-number",
                "Task 1: right labels by the number asked for, with 95 % intervals over prompts.",
                "Lines of accuracy against number, one per painter.",
                partial(figures.by_number, shares, "number asked for"),
            ),
            tables.share_table("numbers", "Right labels by number.", numbers, shares, "Number"),
        ]
    return Section(
        f"{NAME}-numbers-section", "By number", "How far up exact numbers come out right.", blocks
    )


def _types(found: Found, rng: np.random.Generator) -> Section:
    shares, blocks = breakdowns.by_type(found.labels, rng), list[Block]()
    kinds = [kind for kind in TYPES if any(kind in own for own in shares.values())]
    if kinds:
        blocks = [
            Figure(
                f"{NAME}-by-type",
                "Right labels by prompt type, with 95 % intervals over prompts.",
                "Dots of accuracy per prompt type and painter.",
                partial(figures.dots, kinds, shares, {}),
            ),
            tables.share_table("types", "Right labels by prompt type.", kinds, shares, "Type"),
        ]
    if found.tables["a5"]:
        blocks.append(tables.drops_table(found))
    return Section(f"{NAME}-types-section", "By prompt type",
                   "What stands around a number makes it harder.", blocks)  # fmt: skip


def _comparisons(found: Found) -> Section:
    shown: dict[tuple[str, str], tuple[figures.Scores, figures.Scores]] = {}
    known = []
    for table, (one, other, *_) in COMPARISONS.items():
        made, both = found.tables[table], {one: "{}|accuracy_1", other: "{}|accuracy_2"}
        painters = [
            painter for painter in found.painters
            if all(tables.score(made.get(at.format(painter))).value is not None
                   for at in both.values())
        ]  # fmt: skip
        if painters:
            known.append(table)
            ours, theirs = (
                {name: {p: make(made[at.format(p)]) for p in painters} for name, at in both.items()}
                for make in (tables.score, tables.printed)
            )
            shown[one, other] = ours, theirs
    blocks: list[Block] = []
    if known:
        blocks = [
            Figure(
                f"{NAME}-comparisons",
                "Two groups of prompts that differ in one thing, true numbers 1 to 4: the first "
                "open, the second filled, with 95 % intervals over prompts; diamonds are the "
                "published values.",
                "Pairs of dots per painter, a panel per comparison.",
                partial(figures.pairs, shown),
            ),
            *(tables.comparison_table(found, table) for table in known),
        ]
    return Section(
        f"{NAME}-comparisons-section",
        "Digits or words, rare or frequent, colour, place",
        "χ² as the paper computes it treats pictures of one prompt as independent; the intervals "
        "over prompts do not.",
        blocks,
    )


def _quantifiers(found: Found) -> Section:
    cells = found.tables["figure5"]
    phrases = [one for one in PHRASES if any(cell.startswith(f"{one}|") for cell in cells)]
    blocks = _dotted(
        found, "quantifiers", {phrase: f"{phrase}|{{}}" for phrase in phrases}, cells,
        "Task 2: pictures described as the prompt asks, with 95 % intervals over prompts; diamonds "
        "are the published values (Figure 5).", "Dots per phrase and painter.",
    )  # fmt: skip
    if blocks:
        blocks.append(tables.quantifier_table(found, phrases))
    return Section(f"{NAME}-quantifiers-section", "Quantifiers",
                   "No, a few, many, fewer, as many, more.", blocks)  # fmt: skip


def _words(found: Found) -> Section:
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
    if not blocks and (found.labels["task"] == 2).any():
        blocks.append(
            Prose(
                "Nobody counted the things in pictures of “no, a few, many” prompts, so how these "
                "words go with numbers (Figures A16 and A17) can't be told here. The release lacks "
                "those counts too.",
                "note",
            )
        )
    return Section(f"{NAME}-words-section", "What no, few and many mean",
                   "From which count on people say many.", blocks)  # fmt: skip


def _asked(found: Found) -> Section:
    counts, blocks = breakdowns.asked_and_counted(found.labels), list[Block]()
    if counts:
        blocks = [
            Figure(
                f"{NAME}-asked-counted",
                "Task 1: numbers asked for (line) and numbers counted (bars), as shares of all "
                "questions (Figure A12).",
                "Histograms of numbers asked and counted, one panel per painter.",
                partial(figures.histograms, counts),
            )
        ]
    lead = "Which numbers painters make instead of those they were asked for."
    return Section(f"{NAME}-asked-section", "Asked and counted", lead, blocks)


def _failures(found: Found, rng: np.random.Generator) -> Section:
    kinds, blocks = breakdowns.failures(found.labels, rng), list[Block]()
    if kinds:
        bars = {
            painter: {kind: one.value or 0.0 for kind, one in own.items()}
            for painter, own in kinds.items()
        }
        names = breakdowns.FAILURES
        blocks = [
            Figure(
                f"{NAME}-failures",
                "Task 1: labels that are right, and how the others fail, in per cent.",
                "Stacked bars of right, missing, too few and too many, one per painter.",
                partial(figures.stacked, bars, names, "share of labels"),
            ),
            tables.share_table(
                "failure-kinds", "Kinds of failure per question.", names, kinds, "Kind"
            ),
        ]
    if outcomes := breakdowns.picture_outcomes(found.labels, rng):
        blocks.append(tables.outcome_table(outcomes))
    return Section(f"{NAME}-failures-section", "How pictures fail",
                   "The thing is missing, there are too few or too many, or one of several things "
                   "is left out.", blocks)  # fmt: skip


def _agreement(found: Found) -> Section:
    several = (found.labels["answers"] > 1).any()
    once = Prose("Every question was answered once, so there is no agreement to show.", "note")
    blocks = [tables.agreement_table(found), tables.alpha_table(found)] if several else [once]
    return Section(
        f"{NAME}-agreement", "Agreement", "How much people agree on the answers.", blocks
    )
