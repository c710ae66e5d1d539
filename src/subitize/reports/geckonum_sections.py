"""GeckoNum taken apart on a page: by number, type, wording, quantifier, kind of failure."""

from __future__ import annotations

from subitize.benchmarks.geckonum.breakdowns import FAILURES, Share
from subitize.benchmarks.geckonum.comparisons import COMPARISONS
from subitize.benchmarks.geckonum.tables import PHRASES, Cell
from subitize.datasets.geckonum.questions import ONE_ENTITY_CODES
from subitize.datasets.geckonum.recipe import TYPES
from subitize.reports import geckonum_figures as figures
from subitize.reports import geckonum_tables as tables
from subitize.reports.geckonum_evidence import Evidence, Shares
from subitize.reports.geckonum_figures import Mark
from subitize.reports.page import Block, Figure, Prose, Section

__all__ = ["breakdown_sections"]

NAME = "geckonum"


def breakdown_sections(found: Evidence) -> list[Section]:
    """The sections that these answers give something for."""
    made = [
        _number_section(found),
        _type_section(found),
        _comparison_section(found),
        _quantifier_section(found),
        _words_section(found),
        _asked_section(found),
        _failure_section(found),
    ]
    return [one for one in made if one.blocks]


def _marks(shares: Shares) -> dict[str, dict[str, Mark]]:
    return {
        painter: {name: _mark(one) for name, one in groups.items()}
        for painter, groups in shares.items()
    }


def _mark(one: Share) -> Mark:
    return Mark(one["value"], one["low"], one["high"])


def _number_section(found: Evidence) -> Section:
    blocks: list[Block] = []
    if found.by_number:
        numbers = list(dict.fromkeys(n for own in found.by_number.values() for n in own))
        numbers.sort(key=lambda name: float(name.rstrip("+")) + name.endswith("+"))
        marks = _marks(found.by_number)
        blocks = [
            Figure(
                f"{NAME}-by-number",
                "Task 1: right labels by the number asked for, with 95 % intervals over prompts.",
                "Lines of accuracy against number, one per painter.",
                lambda: figures.by_number(marks),
            ),
            tables.share_table(
                "numbers", "Right labels by number.", numbers, found.by_number, "Number"
            ),
        ]
    return Section(
        f"{NAME}-numbers-section", "By number", "How far up exact numbers come out right.", blocks
    )


def _type_section(found: Evidence) -> Section:
    kinds = [kind for kind in TYPES if any(kind in own for own in found.by_type.values())]
    blocks: list[Block] = []
    if kinds:
        marks = _marks(found.by_type)
        blocks = [
            Figure(
                f"{NAME}-by-type",
                "Right labels by prompt type, with 95 % intervals over prompts.",
                "Dots of accuracy per prompt type and painter.",
                lambda: figures.rows_of_dots(kinds, marks, "right"),
            ),
            tables.share_table(
                "types", "Right labels by prompt type.", kinds, found.by_type, "Type"
            ),
        ]
        if found.tables["a5"]:
            blocks.append(tables.drops_table(found))
    return Section(f"{NAME}-types-section", "By prompt type",
                   "What stands around a number makes it harder.", blocks)  # fmt: skip


def _known(cell: Cell | None) -> bool:
    return cell is not None and cell["value"] is not None


def _comparison_section(found: Evidence) -> Section:
    panels: dict[str, dict[str, tuple[Mark, Mark]]] = {}
    for table in COMPARISONS:
        for painter in found.painters:
            one, other = (found.tables[table].get(f"{painter}|accuracy_{k}") for k in (1, 2))
            if _known(one) and _known(other):
                panels.setdefault(table, {})[painter] = (tables.mark(one), tables.mark(other))
    blocks: list[Block] = []
    if panels:
        names = {table: (one.first, one.second) for table, one in COMPARISONS.items()}
        blocks.append(
            Figure(
                f"{NAME}-comparisons",
                "Two groups of prompts that differ in one thing, true numbers 1 to 4: the first "
                "open, the second filled, with 95 % intervals over prompts; diamonds are the "
                "published values.",
                "Pairs of dots per painter, a panel per comparison.",
                lambda: figures.pairs(panels, names),
            )
        )
        blocks += [tables.comparison_table(found, table) for table in panels]
    return Section(
        f"{NAME}-comparisons-section",
        "Digits or words, rare or frequent, colour, place",
        "χ² as the paper computes it treats pictures of one prompt as independent; the intervals "
        "over prompts do not.",
        blocks,
    )


def _quantifier_section(found: Evidence) -> Section:
    cells = found.tables["figure5"]
    phrases = [one for one in PHRASES.values() if any(c.startswith(f"{one}|") for c in cells)]
    blocks: list[Block] = []
    if phrases:
        marks: dict[str, dict[str, Mark]] = {}
        for painter in found.painters:
            own = {p: cells[f"{p}|{painter}"] for p in phrases if f"{p}|{painter}" in cells}
            if own:
                marks[painter] = {phrase: tables.mark(cell) for phrase, cell in own.items()}
        blocks = [
            Figure(
                f"{NAME}-quantifiers",
                "Task 2: pictures described as the prompt asks, with 95 % intervals over prompts; "
                "diamonds are the published values (Figure 5).",
                "Dots per phrase and painter.",
                lambda: figures.rows_of_dots(phrases, marks, "right"),
            ),
            tables.quantifier_table(found),
        ]
    return Section(f"{NAME}-quantifiers-section", "Quantifiers",
                   "No, a few, many, fewer, as many, more.", blocks)  # fmt: skip


def _words_section(found: Evidence) -> Section:
    blocks: list[Block] = []
    about = {
        "said": ("A16", "the line chosen for the picture"),
        "asked": ("A17", "the word in its prompt"),
    }
    for name, rows in found.words_by_count.items():
        number, what = about[name]
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
                lambda bars=bars: figures.stacked(  # type: ignore[misc]
                    bars, list(ONE_ENTITY_CODES), "share of pictures"
                ),
            )
        )
    if found.labelled.task2 is not None and not blocks:
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


def _asked_section(found: Evidence) -> Section:
    blocks: list[Block] = []
    if found.asked_and_counted:
        blocks = [
            Figure(
                f"{NAME}-asked-counted",
                "Task 1: numbers asked for (line) and numbers counted (bars), as shares of all "
                "questions (Figure A12).",
                "Histograms of numbers asked and counted, one panel per painter.",
                lambda: figures.histograms(found.asked_and_counted),
            )
        ]
    lead = "Which numbers painters make instead of those they were asked for."
    return Section(f"{NAME}-asked-section", "Asked and counted", lead, blocks)


def _failure_section(found: Evidence) -> Section:
    blocks: list[Block] = []
    if found.failures:
        bars = {
            painter: {kind: one["value"] for kind, one in kinds.items()}
            for painter, kinds in found.failures.items()
        }
        order = ("right", "missing", "too few", "too many")
        blocks = [
            Figure(
                f"{NAME}-failures",
                "Task 1: labels that are right, and how the others fail, in per cent.",
                "Stacked bars of right, missing, too few and too many, one per painter.",
                lambda: figures.stacked(bars, order, "share of labels"),
            ),
            tables.share_table(
                "failure-kinds", "Kinds of failure per question.", FAILURES, found.failures, "Kind"
            ),
        ]
        if found.outcomes:
            blocks.append(tables.outcome_table(found))
    return Section(f"{NAME}-failures-section", "How pictures fail",
                   "The thing is missing, there are too few or too many, or one of several things "
                   "is left out.", blocks)  # fmt: skip
