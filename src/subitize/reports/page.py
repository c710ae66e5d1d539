"""The parts a report page is made of; a benchmark's page is a list of sections of these.

Every word in a block is plain text and is escaped when the page is written: what a model said
can be shown here and can't run. Names of figures, tables and sections start with the benchmark's
name, so that several pages fit into one report.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from subitize.runs.stored import StoredRun

MISSING = "–"
Verdict = Literal["right", "wrong", "unreadable", ""]
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def plain(text: object, limit: int | None = None) -> str:
    """Text that can stand in any file: no control codes, no text-direction tricks, not endless.

    >>> plain("seven\\x00 apples", 6)
    'seven\N{REPLACEMENT CHARACTER}…'
    """
    cleaned = _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", str(text))
    if limit is not None and len(cleaned) > limit:
        return cleaned[:limit].rstrip() + "…"
    return cleaned


class Prose(NamedTuple):
    """A paragraph."""

    text: str
    tone: Literal["body", "note", "warning", "copied"] = "body"
    """`copied` has a button that copies it"""


class Points(NamedTuple):
    """A list of sentences."""

    title: str
    points: Sequence[str]


class Code(NamedTuple):
    """Words to copy as they are, such as BibTeX; a button copies them."""

    text: str


class Cite(NamedTuple):
    """What to cite; the report gathers it from all pages and shows it once."""

    entries: Sequence[str]
    """BibTeX, or a reference in words"""
    printed: Sequence[str] = ()
    """where published values are printed"""


class Card(NamedTuple):
    """One number that matters."""

    value: str
    label: str
    detail: str = ""


class Cards(NamedTuple):
    """The headline of a page."""

    cards: Sequence[Card]


class Marked(NamedTuple):
    """A quotation with a part that is looked at; in files that part stands in brackets."""

    before: str
    part: str
    after: str

    def __str__(self) -> str:
        return f"{self.before}[{self.part}]{self.after}"


class Cell(NamedTuple):
    """One place in a table; `value` goes to the CSV file, `text` to the page."""

    value: Any = None
    text: str = ""
    low: float | None = None
    high: float | None = None
    interval: str = ""
    reason: str = ""
    """why there is no value"""
    badge: str = ""
    """a small mark behind the text, such as `published`"""
    quotes: tuple[str | Marked, ...] = ()
    """replies, shown instead of `text`, each on its own line"""

    @property
    def shown(self) -> str:
        if self.text:
            return self.text
        return MISSING if self.value is None else str(self.value)

    @property
    def sort_key(self) -> str:
        """What the page sorts by: numbers by size, words by letters, nothing last."""
        if self.value is None:
            return ""
        return repr(float(self.value)) if isinstance(self.value, int | float) else str(self.value)


class Column(NamedTuple):
    """A column; with `interval` its CSV has two more, NAME_low and NAME_high."""

    name: str
    label: str
    form: str = ""
    """how its numbers look (see `cells.text`); words have none"""
    interval: bool = False
    help: str = ""
    wide: bool = False
    """holds running text"""
    at: tuple[str, ...] = ()
    """where a line's values hold it, if not under its name"""

    @property
    def aligned(self) -> str:
        """How the page sets it: numbers, running text or words."""
        return "num" if self.form else "wide" if self.wide else ""


class Table(NamedTuple):
    """A table, embedded as NAME.csv too; a click on a heading sorts each of its groups."""

    name: str
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    notes: Sequence[str] = ()
    sorted_by: str = ""
    """name of the column that the rows come sorted by"""
    hidden: bool = False
    """only a file: the numbers behind a figure"""
    groups: Sequence[tuple[str, int]] = ()
    """heading and number of rows of each group, in order; without any all rows are one group"""

    @property
    def grouped(self) -> list[tuple[str, Sequence[Sequence[Cell]]]]:
        """The rows under their headings."""
        found, start = [], 0
        for heading, many in self.groups or (("", len(self.rows)),):
            found.append((heading, self.rows[start : start + many]))
            start += many
        return found

    @property
    def order(self) -> str:
        """Which way the numbers of `sorted_by` run in each group; empty where both ways."""
        place = next((n for n, one in enumerate(self.columns) if one.name == self.sorted_by), None)
        if place is None:
            return ""
        known = [
            [row[place].value for row in rows if row[place].value is not None]
            for _, rows in self.grouped
        ]
        pairs = [pair for values in known for pair in pairwise(values)]
        if all(one <= other for one, other in pairs):
            return "ascending"
        return "descending" if all(one >= other for one, other in pairs) else ""

    @property
    def terms(self) -> list[Column]:
        """The columns whose headings need a word, each term once."""
        found: dict[str, Column] = {}
        for column in self.columns:
            if column.help:
                found.setdefault(column.help, column)
        return list(found.values())

    def reasons(self) -> list[str]:
        """Why cells are empty, for who can't hover; rows with the same gaps share a line."""
        gaps: dict[tuple[str, str], dict[str, None]] = {}
        for row in self.rows:
            for column, cell in zip(self.columns, row, strict=True):
                if cell.value is None and cell.reason:
                    gaps.setdefault((row[0].shown, cell.reason), {})[column.label] = None
        alike: dict[tuple[str, str], list[str]] = {}
        for (label, reason), heads in gaps.items():
            alike.setdefault((", ".join(heads), reason), []).append(label)
        return [
            f"{', '.join(labels)} · {heads}: {reason}" for (heads, reason), labels in alike.items()
        ]


class Figure(NamedTuple):
    """A figure, shown in the page and embedded as NAME.svg; other formats are files beside it."""

    name: str
    caption: str
    alt: str
    """what a reader who can't see it should know"""
    draw: Callable[[], Drawing]
    """called inside `style.styled()`"""
    data: Table | None = None
    """the numbers behind it"""


class Exhibit(NamedTuple):
    """A picture with what was asked and answered."""

    png: bytes
    title: str
    reply: str
    alt: str
    verdict: Verdict = ""
    detail: str = ""


class Gallery(NamedTuple):
    """Pictures with their replies, folded away until asked for unless `opened`."""

    title: str
    pictures: Sequence[Exhibit]
    opened: bool = False


class Fold(NamedTuple):
    """Blocks behind their title until asked for: long lists, breakdowns."""

    title: str
    blocks: Sequence[Block]


Block = Prose | Points | Code | Cite | Cards | Table | Figure | Gallery | Fold


class Standing(NamedTuple):
    """What a page tells the overview of one model."""

    model: str
    measure: str
    """heading of its column, such as NAE; a page may have several"""
    cell: Cell
    said: str = ""
    """its scores in plain words without a subject, such as `counts to 4`"""
    help: str = ""
    """what the measure is"""

    @property
    def unfinished(self) -> str:
        """Why it stands in no rank, such as `partial`: what is complete goes before it."""
        return self.cell.badge


class Section(NamedTuple):
    """A heading, one sentence on what is to be seen, and blocks."""

    id: str
    title: str
    lead: str
    blocks: Sequence[Block] = ()
    standings: Sequence[Standing] = ()
    """for the overview, the best first"""


class Chapter(NamedTuple):
    """The page of one benchmark, or of something else that has results."""

    name: str
    title: str
    sections: Sequence[Section]

    @property
    def short(self) -> str:
        """Its title on a tab: the name in brackets at its end, or what stands before a colon.

        >>> [Chapter("", title, ()).short for title in ("Hidden things (CAPTURE)", "Gecko: n")]
        ['CAPTURE', 'Gecko']
        """
        named = re.search(r"\((.+)\)$", self.title)
        short = named[1] if named else self.title.partition(":")[0].removeprefix("The ")
        return short[:1].upper() + short[1:]


class About(NamedTuple):
    """What stands under the report's title; nothing where there are neither trials nor a date."""

    models: Sequence[str]
    trials: int
    date: str = ""
    people: int = 0


def every_block(sections: Iterable[Section]) -> Iterator[Block]:
    """All blocks, also those inside folds."""
    for section in sections:
        yield from _opened(section.blocks)


def _opened(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Fold):
            yield from _opened(block.blocks)


def renamed(sections: Iterable[Section], old: str, new: str) -> list[Section]:
    """The same page under another name: two pages of one kind then fit into one report."""

    def other(name: str) -> str:
        return new + name.removeprefix(old)

    def block_of(block: Block) -> Block:
        if isinstance(block, Table):
            return block._replace(name=other(block.name))
        if isinstance(block, Figure):
            data = block.data and block.data._replace(name=other(block.data.name))
            return block._replace(name=other(block.name), data=data)
        if isinstance(block, Fold):
            return block._replace(blocks=[block_of(one) for one in block.blocks])
        return block

    return [
        one._replace(id=other(one.id), blocks=[block_of(block) for block in one.blocks])
        for one in sections
    ]


Sections = Callable[["Sequence[StoredRun]"], list[Section]]
"""a benchmark's page: from its stored runs to sections"""
