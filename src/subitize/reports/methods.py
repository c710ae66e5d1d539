"""How it was done: a paragraph to put into a paper, a table of the runs, and what to cite."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Any

from subitize import __version__
from subitize.benchmark import Paper
from subitize.reports.cells import COUNT, Line, at, columns, model_table, text
from subitize.reports.page import Block, Cite, Fold, Points, Prose, Section, Table, plain
from subitize.reports.respondents import HUMAN, Respondent, people_of, reading_model

SUBITIZE_BIBTEX = f"""@software{{subitize,
  title   = {{subitize: measuring the number sense of multimodal models}},
  author  = {{{{The subitize authors}}}},
  version = {{{__version__}}}
}}"""
EMPTY: tuple[object, ...] = ("", None, [], ())
"""settings that say nothing"""
LEFT_OUT = "unreadable replies enter no score and are listed with their reasons"


def _listed(values: Iterable[object]) -> str:
    return ", ".join(dict.fromkeys(str(value) for value in values))


def _shared(lists: Sequence[Sequence[str]]) -> int:
    """How many first words all lists share."""
    return len(list(takewhile(lambda words: len(set(words)) == 1, zip(*lists, strict=False))))


def _questions(respondents: Sequence[Respondent]) -> str:
    """The questions asked; those that differ in the middle only are written as one."""
    asked = list(
        dict.fromkeys(
            plain(question, 160)
            for one in respondents
            for question in dict.fromkeys(map(one.run.asked.get, one.answers["trial"].to_list()))
            if question is not None
        )
    )
    split = [question.split() for question in asked]
    head = _shared(split)
    tail = _shared([words[head:][::-1] for words in split])
    middles = [" ".join(words[head : len(words) - tail]) for words in split]
    if len(asked) < 2 or not head or not tail or not all(middles):
        return " ".join(f"“{question}”" for question in asked[:8])
    before, after = " ".join(split[0][:head]), " ".join(split[0][len(split[0]) - tail :])
    return f"“{before} {' / '.join(middles)} {after}”"


def _paragraph(
    respondents: Sequence[Respondent], intervals: str, unread: str, questions: str
) -> str:
    """Words for a paper: whole sentences, without hashes, packages or settings left empty."""
    infos = [one.run.info for one in respondents]
    asked, trials, read = (
        sum(int(one.at(*path) or 0) for one in respondents)
        for path in (("asked",), ("trials",), ("states", "read"))
    )
    stand = read if unread == LEFT_OUT else trials
    seeds = _listed(at(info, "settings", "seed") for info in infos)
    others = f", {text(asked - trials, COUNT)} of them control questions or prompts only tried"
    several = " answers to them"  # several people answered one trial
    benchmark = respondents[0].run.benchmark
    return (
        f"We ran the benchmark {benchmark.NAME} (version "
        f"{_listed(info.get('version', '?') for info in infos)}; {_cited(benchmark.PAPER)}) with "
        f"subitize {_listed(_version(info) for info in infos)} on {_who(respondents)}. In all "
        f"{text(asked, COUNT)} trials were asked (seed {seeds}){others * (asked > trials)}, and "
        f"the scores stand on {text(stand, COUNT)}{several * (trials > asked)}. {questions}"
        f"{_readers(respondents)}; {unread}. Intervals cover 95 %, {intervals}."
    )


def _who(respondents: Sequence[Respondent]) -> str:
    """Models by their names, and how many people."""
    people = people_of(one.run for one in respondents)
    models = list(dict.fromkeys(m for one in respondents if not (m := one.model).startswith(HUMAN)))
    said = [f"{len(people)} {'people' if len(people) > 1 else 'person'}"] * bool(people)
    named = f"{len(models)} model{'s' * (len(models) > 1)}: {', '.join(models)}"
    return " and ".join([*said, *[named] * bool(models)])


def _readers(respondents: Sequence[Respondent]) -> str:
    """Who read the responses: rules, or a model, which has no rules of ours."""
    models = {one: reading_model(one.run)[0] for one in respondents}
    rules = _listed(one.run.reader for one, model in models.items() if not model)
    by_models = _listed(model for model in models.values() if model)
    said = [f"replies were read by the rules “{rules}”"] * bool(rules)
    said += [f"responses were read by {by_models}"] * bool(by_models)
    told = " and ".join(said)
    return told[:1].upper() + told[1:]


def _version(info: Mapping[str, Any]) -> str:
    return str((info.get("packages") or {}).get("subitize") or __version__)


def _cited(paper: Paper) -> str:
    """A paper as a sentence names it.

    >>> _cited(Paper("Hou K, Zorzi M. On numbers. A Journal (2025).", ""))
    'Hou K, Zorzi M 2025'
    """
    authors = re.split(r"[.(]", paper.citation)[0].strip().split(", ")
    named = ", ".join(authors) if len(authors) < 4 else f"{authors[0]} et al."
    return " ".join([named, *re.findall(r"\((\d{4})\)", paper.citation)[:1]])


def _runs_table(name: str, respondents: Sequence[Respondent]) -> Table:
    lines = []
    for one in respondents:
        info = one.run.info
        settings = (info.get("settings") or {}).items()
        values = {
            "revision": at(info, "model", "revision"),
            "seed": str(at(info, "settings", "seed")),
            "created": str(info.get("created", ""))[:19].replace("T", " "),
            "settings": "; ".join(
                f"{k} = {_short(v)}" for k, v in settings if k != "seed" and v not in EMPTY
            ),
            "software": ", ".join(f"{k} {v}" for k, v in (info.get("packages") or {}).items()),
        }
        lines.append(Line(one.label, {**one.scores, **values}, missing="not known"))
    shown = (
        "revision; seed; asked::n; trials:Scored:n; created:Started (UTC); "
        "settings::wide; software:Installed:wide"
    )
    return model_table(f"{name}-runs", "The runs.", lines, columns(shown))


def _short(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def methods(
    name: str,
    respondents: Sequence[Respondent],
    intervals: str,
    *,
    unread: str = LEFT_OUT,
    tell_questions: bool = True,
) -> Section:
    """The methods section of one benchmark; `intervals` says how they were made."""
    questions = _questions(respondents) if tell_questions else ""
    said = f"Questions that the scores stand on: {questions} " if questions else ""
    blocks: list[Block] = [
        Prose(_paragraph(respondents, intervals, unread, said), "copied"),
        Fold("The runs, with all their settings", [_runs_table(name, respondents)]),
    ]
    if deviations := respondents[0].run.benchmark.DEVIATIONS:
        differs = "Where this differs from the paper"
        blocks.append(Fold(differs, [Points("", deviations)]))
    return Section(
        f"{name}-methods",
        "Methods",
        "Everything needed to repeat the runs; the paragraph may be copied.",
        blocks,
    )


def citations(name: str, bibtex: str, sources: Sequence[str] = ()) -> Section:
    """What to cite, and where published values were printed: the report gathers both."""
    return Section(f"{name}-citations", "Citations", "", [Cite(bibtex.split("\n\n"), sources)])
