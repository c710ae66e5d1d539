"""How it was done: a paragraph to put into a paper, a table of the runs, and what to cite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from subitize import __version__
from subitize.benchmark import Benchmark
from subitize.benchmarks.catalog import BENCHMARKS, get_benchmark
from subitize.reports import cells
from subitize.reports.page import Block, Cell, Code, Column, Points, Prose, Section, Table, plain
from subitize.reports.respondents import Respondent

__all__ = ["SUBITIZE_BIBTEX", "citations", "known_benchmark", "methods"]

WITHIN_CELLS = (
    "by bootstrap over trials within cells of target and category or exact where there is an exact "
    "one (accuracy)"
)
SUBITIZE_BIBTEX = f"""@software{{subitize,
  title   = {{subitize: measuring the number sense of multimodal models}},
  author  = {{{{The subitize authors}}}},
  version = {{{__version__}}}
}}"""


def known_benchmark(name: str) -> Benchmark | None:
    """The benchmark, where this version of subitize has it."""
    return get_benchmark(name) if name in BENCHMARKS else None


def _listed(values: Sequence[str]) -> str:
    return ", ".join(dict.fromkeys(values))


def _packages(runs: Sequence[Mapping[str, Any]]) -> str:
    found: dict[str, list[str]] = {}
    for info in runs:
        for name, version in (info.get("packages") or {}).items():
            found.setdefault(name, []).append(str(version))
    return ", ".join(f"{name} {_listed(versions)}" for name, versions in found.items())


def _seed(info: Mapping[str, Any]) -> str:
    return str(info.get("seed", (info.get("settings") or {}).get("seed", "unknown")))


def _shared(lists: Sequence[Sequence[str]]) -> int:
    """How many first words all lists share."""
    same = 0
    for words in zip(*lists, strict=False):
        if len(set(words)) > 1:
            break
        same += 1
    return same


def _questions(respondents: Sequence[Respondent]) -> str:
    """The questions asked; those that differ in the middle only are written as one."""
    asked = list(
        dict.fromkeys(
            plain(row.trial.question, 160)
            for one in respondents
            for row in one.scored_rows()
            if row.trial.stimulus.kind != "prompt"
        )
    )
    if len(asked) < 2:
        return "".join(f"“{question}”" for question in asked)
    split = [question.split() for question in asked]
    head = _shared(split)
    tail = _shared([words[head:][::-1] for words in split])
    middles = [" ".join(words[head : len(words) - tail]) for words in split]
    if not head or not tail or not all(middles):
        return " ".join(f"“{question}”" for question in asked[:8])
    before, after = " ".join(split[0][:head]), " ".join(split[0][len(split[0]) - tail :])
    return f"“{before} {' / '.join(middles)} {after}”"


def _paragraph(name: str, respondents: Sequence[Respondent], intervals: str) -> str:
    infos = [one.run.info for one in respondents]
    asked = sum(int(one.scores.get("asked") or 0) for one in respondents)
    stand = sum(int(one.scores.get("trials") or 0) for one in respondents)
    readers = _listed([str(info.get("reader") or _own_reader(name)) for info in infos])
    questions = _questions(respondents)
    return (
        f"{len(respondents)} run{'s' if len(respondents) != 1 else ''} of the benchmark {name} "
        f"(version {_listed([str(info.get('version', '?')) for info in infos])}) with "
        f"{asked:,} trials asked; the scores stand on {stand:,} of them. "
        f"Seed {_listed([_seed(info) for info in infos])}. "
        + (f"Questions of the chosen prompt forms: {questions} " if questions else "")
        + f"Replies were read with the reader {readers}. Intervals cover 95 %, {intervals}. "
        "Unreadable replies enter no score and are listed with their reasons. "
        f"Software: {_packages(infos) or f'subitize {__version__}'}."
    )


def _own_reader(name: str) -> str:
    benchmark = known_benchmark(name)
    return next(iter(benchmark.READERS), "unknown") if benchmark else "unknown"


def _runs_table(name: str, respondents: Sequence[Respondent]) -> Table:
    lines = []
    for one in respondents:
        info, model = one.run.info, one.run.info.get("model") or {}
        settings = {
            key: value for key, value in (info.get("settings") or {}).items() if key != "seed"
        }
        lines.append(
            [
                cells.words(one.label),
                cells.words(model["revision"])
                if model.get("revision")
                else Cell(reason="not known"),
                cells.words(_seed(info)),
                cells.count(one.scores.get("asked")),
                cells.count(one.scores.get("trials")),
                cells.words(str(info.get("created", ""))[:19].replace("T", " ")),
                cells.words(
                    "; ".join(f"{key} = {_short(value)}" for key, value in settings.items())
                ),
            ]
        )
    return Table(
        f"{name}-runs",
        "The runs.",
        [
            Column("model", "Model"),
            Column("revision", "Revision"),
            Column("seed", "Seed", numeric=True),
            Column("asked", "Asked", numeric=True),
            Column("trials", "Scored", numeric=True),
            Column("created", "Started (UTC)"),
            Column("settings", "Settings", wide=True),
        ],
        lines,
    )


def _short(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(str(part) for part in value)
    return "none" if value in ("", None) else str(value)


def methods(name: str, respondents: Sequence[Respondent], intervals: str = WITHIN_CELLS) -> Section:
    """The methods section of one benchmark; `intervals` says how they were made."""
    blocks: list[Block] = [
        Prose(_paragraph(name, respondents, intervals)),
        _runs_table(name, respondents),
    ]
    benchmark = known_benchmark(name)
    if benchmark is not None and benchmark.DEVIATIONS:
        blocks.append(Points("Where this differs from the paper", benchmark.DEVIATIONS))
    return Section(
        f"{name}-methods",
        "Methods",
        "Everything needed to repeat the runs; the paragraph may be copied.",
        blocks,
    )


def citations(name: str, bibtex: str, sources: Sequence[str]) -> Section:
    """What to cite, and where published values were printed."""
    blocks: list[Block] = [Code(f"{bibtex}\n\n{SUBITIZE_BIBTEX}")]
    if sources:
        blocks.append(Points("Where the published values are printed", sources))
    return Section(
        f"{name}-citations", "Citations", "Please cite the paper and the software.", blocks
    )
