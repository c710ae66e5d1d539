"""What stands around the pages: the overview before them, everything to cite behind them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import count

from subitize.reports.cells import words
from subitize.reports.methods import SUBITIZE_BIBTEX
from subitize.reports.page import (
    Block,
    Cell,
    Chapter,
    Cite,
    Code,
    Column,
    Fold,
    Points,
    Section,
    Standing,
    Table,
    every_block,
)

NO_BREAK = "\N{NO-BREAK SPACE}"
AMOUNT = re.compile(r"\d+(?:\.\d+)?(?: %)?")
"""a number in a sentence, with its unit"""
OVERVIEW, CITATIONS = "overview", "citations"
Place = tuple[str, str]
"""a chapter's name and a measure on its page"""


def with_overview(chapters: Sequence[Chapter]) -> list[Chapter]:
    """The pages with the overview before them and the citations, once, behind them."""
    pages = [
        chapter._replace(sections=[one for one in map(_uncited, chapter.sections) if one.blocks])
        for chapter in chapters
    ]
    return [*_overview(chapters), *pages, *_citations(chapters)]


def _uncited(section: Section) -> Section:
    blocks = [block for block in section.blocks if not isinstance(block, Cite)]
    return section._replace(blocks=blocks)


def _overview(chapters: Sequence[Chapter]) -> Iterator[Chapter]:
    """A row per model, a column per page and measure, and what the scores say in words."""
    heads: dict[Place, Column] = {}
    models: dict[str, dict[Place, list[Standing]]] = {}
    for chapter in chapters:
        told = (one for section in chapter.sections for one in section.standings)
        for standing in sorted(told, key=lambda one: bool(one.unfinished)):
            place = chapter.name, standing.measure
            label = f"{chapter.short}: {standing.measure}"
            called = "_".join(place).replace(" ", "_")
            heads.setdefault(place, Column(called, label, ".3f", True, standing.help))
            models.setdefault(standing.model, {}).setdefault(place, []).append(standing)
    if not models:
        return
    said = {
        model: _sentence(one for found in own.values() for one in found)
        for model, own in models.items()
    }
    spoken = any(said.values())  # a benchmark's page from elsewhere may have no words
    rows = [
        [
            words(model),
            *([words(said[model])] if spoken else []),
            *(_cell(own.get(place, ())) for place in heads),
        ]
        for model, own in models.items()
    ]
    in_words = [Column("words", "In words", wide=True)] if spoken else []
    table = Table(
        "overview-models",
        "Every model of this report; brackets hold 95 % intervals.",
        [Column("model", "Model"), *in_words, *heads.values()],
        rows,
        ["The sentences are made from the scores."] if spoken else [],
    )
    lead = "A row per model, a column per benchmark; each benchmark has its own page."
    section = Section("overview-section", "Models", lead, [table])
    yield Chapter(OVERVIEW, "Overview", [section])


def _sentence(standings: Iterator[Standing]) -> str:
    """One sentence from what the pages say, each thing once; unfinished runs say that they are."""
    alike: dict[str, list[str]] = {}
    for said in dict.fromkeys(
        one.said + f" ({one.unfinished})" * bool(one.unfinished and one.cell.value is not None)
        for one in standings
        if one.said
    ):
        alike.setdefault(AMOUNT.sub("#", said), []).append(said)
    said = "; ".join(map(_as_one, alike.values()))
    whole = re.sub(r" (%|= )", lambda found: found[0].replace(" ", NO_BREAK), said)
    return f"{whole[:1].upper()}{whole[1:]}." if whole else ""


def _as_one(sentences: Sequence[str]) -> str:
    """Sentences that differ in their numbers only; one sentence where they differ in one place.

    >>> _as_one(["is right in 97 % of 5", "is right in 96 % of 5", "is right in 9 % of 5"])
    'is right in 97 %, 96 % and 9 % of 5'
    >>> _as_one(["counts to 4, w = 0.15", "counts to 5, w = 0.2"])
    'counts to 4, w = 0.15; in another run counts to 5, w = 0.2'
    """
    numbers = [AMOUNT.findall(one) for one in sentences]
    places = [at for at, found in enumerate(zip(*numbers, strict=True)) if len(set(found)) > 1]
    if len(places) != 1:
        return "; in another run ".join(sentences)
    *others, last = [found[places[0]] for found in numbers]
    nth = count()
    joined = f"{', '.join(others)} and {last}"
    return AMOUNT.sub(lambda own: joined if next(nth) == places[0] else own[0], sentences[0])


def _cell(found: Sequence[Standing]) -> Cell:
    """A model's score; of several runs all their scores."""
    if not found:
        return Cell(reason="not run")
    if len(found) == 1:
        return found[0].cell
    shown = (one.cell.shown + f" ({one.unfinished})" * bool(one.unfinished) for one in found)
    return Cell(None, " · ".join(shown), badge=f"{len(found):,} runs")


def _citations(chapters: Sequence[Chapter]) -> Iterator[Chapter]:
    entries: dict[str, None] = {}
    printed: list[Block] = []
    for chapter in chapters:
        cites = [one for one in every_block(chapter.sections) if isinstance(one, Cite)]
        entries.update((entry, None) for one in cites for entry in one.entries)
        sources = list(dict.fromkeys(source for one in cites for source in one.printed))
        if sources:
            printed.append(Points(chapter.title, sources))
    if not entries:
        return
    blocks: list[Block] = [Code("\n\n".join([*entries, SUBITIZE_BIBTEX]))]
    if printed:
        blocks.append(Fold("Where the published values are printed", printed))
    lead = "Please cite the papers whose benchmarks you ran, and the software."
    yield Chapter(
        CITATIONS, "Citations", [Section("citations-section", "What to cite", lead, blocks)]
    )
