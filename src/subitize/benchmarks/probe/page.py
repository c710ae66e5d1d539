"""The page of the counting probe: tables as the paper's, and what is said when wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from subitize.benchmarks.geckonum import page_figures as figures
from subitize.benchmarks.probe.heads import heads
from subitize.benchmarks.probe.items import WHY, WORDS, ProbeSettings
from subitize.published import probe as printed
from subitize.records import Score
from subitize.reports.cells import COUNT, Line, as_score, columns, data_table, model_table, text
from subitize.reports.leaderboard import leaderboards, ranking, run_line, standings
from subitize.reports.methods import citations, methods
from subitize.reports.page import Block, Column, Figure, Fold, Prose, Section, Table
from subitize.reports.replies import unreadable_section
from subitize.reports.respondents import Respondent, respondents_from
from subitize.runs.labels import in_words
from subitize.runs.stored import StoredRun

NAME = "probe"
INTERVALS = "exact for as many sentences as the pictures are worth (Korn and Graubard 1998)"
FOILS = (
    "acc::.1%±; recall_correct:Recall right:.1%±; recall_foil:Recall foils:.1%±; "
    "precision_correct:Precision right:.1%±; precision_foil:Precision foils:.1%±; "
    "acc_r:acc_r:.1%±; items::n"
)
_PAIRS = columns(FOILS)[-2]
TIED = "scores the right number at least as high as a foil, ties included, in {} of pairs"
FEW = 3
"""models that are warned of one by one"""
MASKED = "recall_at_1:Recall@1:.1%±; recall_at_2:Recall@2:.1%±; mean_rank:Mean rank:.2f±; items::n"
TITLES = {
    "alignment": ("Image–sentence alignment", "Is this the picture's own caption? (Table 1)"),
    "counting": ("Right numbers against foils", "The same with numbers (Tables 2 and 3)."),
    "mlm": ("Masked numbers", "Which number stands at the mask? (Table 4)"),
    "vqa": ("Answers to the questions", "How many? without foils (Table 5)"),
}
BY_NUMBER = {"alignment": "", "counting": "acc_r", "mlm": "recall_at_1", "vqa": "accuracy"}
"""what is drawn against the right number"""

_ALIGNED, _RANKED, _FIRST, _RIGHT = columns(
    "acc:Captions, acc:.1%±; acc_r:Foils, acc_r:.1%±; recall_at_1:Mask, Recall@1:.1%±; "
    "accuracy:Questions, right:.1%±"
)
OVERVIEW = {
    "alignment": (_ALIGNED, "tells captions from foils in {} of sentences"),
    "counting": (_RANKED, "prefers the right number to a foil in {} of pairs"),
    "mlm": (_FIRST, "puts the right number first at {} of masks"),
    "vqa": (_RIGHT, "answers {} of how-many questions rightly"),
}
"""task: what the overview shows, and its words"""
USUALLY_ALIKE = ("source", "split", "form")
ALIKE = {"alignment": ("source",), "vqa": ("source", "split")}
"""task: what must be the same for runs to be ranked together"""
SHAPING = (
    "seed", "part", "mode", "foils_per_item", "answers", "highest", "size", "conditions", "overlap",
    "clutter", "identical",
)  # fmt: skip
"""settings that make other questions or pictures of them"""
CALLED = {
    "source": {
        "scenes": "drawn scenes", "visual7w": "Visual7W", "tallyqa": "TallyQA", "vqa": "VQA",
        "coco": "COCO", "cc": "Conceptual Captions",
    },
    "split": WORDS["split"],
    "form": WORDS["format"],
}  # fmt: skip
"""sources, splits and forms in words"""
PRINTED = {"recall_at_1": printed.TABLE_4, "accuracy": printed.TABLE_5}
"""score: LXMERT's by right number, on the standard and the hard split first"""


def sections(runs: Sequence[StoredRun]) -> list[Section]:
    """A section per task that was run, with the paper's numbers below ours."""
    respondents = respondents_from(runs)
    by_task: dict[str, list[StoredRun]] = {}
    for run in runs:
        by_task.setdefault(str(run.scores.get("task")), []).append(run)
    return [
        # named anew: within a task its name tells nothing
        *(_section(task, respondents_from(by_task[task])) for task in TITLES if task in by_task),
        *heads(NAME, respondents),
        unreadable_section(NAME, respondents, "They enter no score."),
        methods(
            NAME,
            respondents,
            INTERVALS,
            tell_questions=False,
        ),
        citations(
            NAME, printed.BIBTEX, [f"{table}: {where}." for table, where in printed.SOURCES.items()]
        ),
    ]


def _section(task: str, respondents: Sequence[Respondent]) -> Section:
    tables: dict[str, Callable[[Sequence[Respondent]], list[Block]]] = {
        "alignment": _alignment, "counting": _counting, "mlm": _masked, "vqa": _answers,
    }  # fmt: skip
    title, lead = TITLES[task]
    blocks: list[Block] = [*_warnings(respondents), *tables[task](respondents)]
    if (score := BY_NUMBER[task]) and (figure := _by_number(task, respondents, score)):
        blocks.append(figure)
    if task != "alignment":
        blocks += _when_wrong(task, respondents)
    column, said = OVERVIEW[task]
    return Section(
        f"{NAME}-task-{task}",  # its table is called NAME-TASK
        title,
        lead,
        blocks,
        standings(respondents, column, partial(_in_words, column, said)),
    )


def _in_words(column: Column, said: str, one: Respondent) -> str:
    value = as_score(one.at(*column.at)).value
    if value is None:
        return ""
    if column is _RANKED and one.at("tied_pairs"):
        said = TIED
    return said.format(text(value, ".0%"))


def _row(one: Respondent) -> Line:
    """A run; where pairs are tied, its acc_r bears a mark."""
    line = run_line(one)
    if not (tied := one.at("tied_pairs")):
        return line
    acc_r = line.cell(_PAIRS)._replace(badge=f"{text(tied, COUNT)} tied")
    return line._replace(values={**line.values, "acc_r": acc_r})


def _warnings(respondents: Sequence[Respondent]) -> Iterable[Block]:
    for one in respondents:
        if missing := one.at("missing_pictures", "count"):
            yield Prose(
                f"{one.label}: {missing} picture{'s were' if missing > 1 else ' was'} missing.",
                "warning",
            )
        if faults := one.at("broken", "faults"):
            told = ", ".join(f"{many} {fault}" for fault, many in faults.items())
            yield Prose(f"{one.label}: {one.at('broken', 'items')} items have faults: {told}.")
        for reason, many in (one.scores.get("unusable") or {}).items():
            named = (one.scores.get("unusable_first") or {}).get(reason) or ("",)
            said = f"{many:,} items could not be asked: {WHY.get(reason, reason)}"
            yield Prose(f"{one.label}: {said}; the first is {named[0]!r}.", "warning")
    tied = [one for one in respondents if one.at("tied_pairs")]
    if len(tied) > FEW:
        listed = [Prose(f"{one.label}: {_tied(one)}") for one in tied]
        said = f"{len(tied)} models give some pairs equal scores, which count as right in acc_r."
        yield Prose(said, "warning")
        yield Fold("How many pairs each of them ties", listed)
    else:
        yield from (Prose(f"{one.label}: {_tied(one)}", "warning") for one in tied)


def _tied(one: Respondent) -> str:
    tied, every = one.at("tied_pairs"), one.at("acc_r", "trials")
    higher = round(one.at("acc_r", "value") * every) - tied
    return (
        f"{text(tied, COUNT)} of {text(every, COUNT)} pairs have equal scores and count as right "
        f"in acc_r; in {text(higher, COUNT)} the right sentence scores higher."
    )


def _table(task: str, caption: str, respondents: Sequence[Respondent], paper: Sequence[Line],
           shown: str, notes: Sequence[str] = ()) -> Table:  # fmt: skip
    """Runs and what is printed, ranked among those that were asked the same."""
    alike: dict[tuple[str, ...], list[Line]] = {}
    every = [
        *((_row(one), _otherwise(one)) for one in respondents),
        *((one, ()) for one in paper),
    ]
    for line, otherwise in every:
        asked = (_told(line.values, key) for key in ALIKE.get(task, USUALLY_ALIKE))
        alike.setdefault((*filter(None, asked), *otherwise), []).append(line)
    found = [
        (", ".join(asked), ranking(lines, OVERVIEW[task][0], perfect=1.0))
        for asked, lines in alike.items()
    ]
    heads = columns(f"{shown}; not_read::.1%")
    return leaderboards(f"{NAME}-{task}", caption, found, heads, notes)


def _told(values: Mapping[str, Any], key: str) -> str:
    """A source, split or form in words; empty where the row has none."""
    named = filter(None, str(values.get(key) or "").split(", "))
    return " and ".join(CALLED[key].get(one, one) for one in named)


def _otherwise(one: Respondent) -> tuple[str, ...]:
    """What makes a run's questions others than those of the usual settings."""
    own, usual = one.run.info.get("settings") or {}, ProbeSettings()
    return tuple(
        in_words(name, own[name], WORDS)
        for name in SHAPING
        if name in own and own[name] != getattr(usual, name)
    )


def _published(row: Any) -> Line:
    """A printed row: percents as shares, deviations as they are left out."""
    values = {
        name: (value[0] if isinstance(value, tuple) else value) / 100
        if isinstance(value, float | tuple)
        else value
        for name, value in row._asdict().items()
    }
    return _printed(row.model, values)


def _printed(model: str, values: Mapping[str, Any]) -> Line:
    """A row of the paper, whose questions are Visual7W's where the row says nothing else."""
    source = values.get("data", "visual7w")
    return Line(model, {**values, "source": source}, "published", "not in the paper")


def _alignment(respondents: Sequence[Respondent]) -> list[Block]:
    paper = [_published(row) for row in printed.TABLE_1]
    said = "Captions against foils; ranked by acc within the same captions."
    return [_table("alignment", said, respondents, paper, f"zero_shot:Zero-shot; {FOILS}")]


def _counting(respondents: Sequence[Respondent]) -> list[Block]:
    tuned = [_published(row) for row in printed.TABLE_3]
    return [
        _table(
            "counting", "Without fine-tuning on the probe (Table 2); ranked by acc_r within the "
            "same questions.", respondents, [_published(row) for row in printed.TABLE_2], FOILS,
            ["The paper asked LXMERT one foil per item, the others three: their acc differ in what "
             "chance is."],
        ),
        Fold("The paper's models fine-tuned on the probe", [model_table(
            f"{NAME}-tuned", "Means of three seeds (Table 3).", tuned,
            columns(f"split; form:Format; {FOILS}"),
        )]),
    ]  # fmt: skip


def _masked(respondents: Sequence[Respondent]) -> list[Block]:
    paper, by_number = _lxmert({
        number: [
            {"form": "declarative", "recall_at_1": row[at] / 100, "recall_at_2": row[2 + at] / 100,
             "mean_rank": row[4 + at]}
            for at in range(2)
        ]
        for number, row in printed.TABLE_4.items()
    })  # fmt: skip
    shown = f"{MASKED}; without_word:Without a word:n"
    said = "All spellings of a number are one; ranked by Recall@1 within the same questions."
    return [
        _table("mlm", said, respondents, paper, shown),
        _numbers_table("mlm", respondents, by_number, MASKED.rpartition(";")[0]),
    ]


def _answers(respondents: Sequence[Respondent]) -> list[Block]:
    paper, by_number = _lxmert({
        number: [{"accuracy": share / 100} for share in row]
        for number, row in printed.TABLE_5.items()
    })  # fmt: skip
    said = "Share of right answers; ranked within the same questions."
    return [
        _table("vqa", said, respondents, paper, "accuracy:Right:.1%±; items::n"),
        _numbers_table("vqa", respondents, by_number, "accuracy:Right:.1%±"),
    ]


def _lxmert(rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> tuple[list[Line], list[Line]]:
    """LXMERT's printed rows on the standard and the hard split: overall, and by right number."""
    splits = ("standard", "hard")
    whole = [
        _printed("LXMERT", {"split": split, **values})
        for split, values in zip(splits, rows["overall"], strict=True)
    ]
    by_number = [
        _printed(f"LXMERT, {WORDS['split'][split]}", {"number": number, **row[at]})
        for at, split in enumerate(splits)
        for number, row in rows.items()
        if number != "overall"
    ]
    return whole, by_number


def _numbers_table(
    task: str, respondents: Sequence[Respondent], paper: Sequence[Line], shown: str
) -> Fold:
    lines = [
        Line(one.label, {"number": number, **values})
        for one in respondents
        for number, values in (one.scores.get("numbers") or {}).items()
    ]
    caption, heads = "Scores by the right number.", columns(f"number; {shown}")
    table = model_table(f"{NAME}-{task}-numbers", caption, [*lines, *paper], heads)
    return Fold("By right number", [table])


def _by_number(task: str, respondents: Sequence[Respondent], score: str) -> Figure | None:
    shares = {
        one.label: {n: as_score(values.get(score)) for n, values in found.items()}
        for one in respondents
        if (found := one.scores.get("numbers"))
    }
    shares = {
        label: {n: share for n, share in own.items() if share.value is not None}
        for label, own in shares.items()
    }
    if not any(shares.values()):
        return None
    rows = [
        (label, n, share.value, share.low, share.high)
        for label, own in shares.items()
        for n, share in own.items()
    ]
    numbers = {n for own in shares.values() for n in own}
    for place, split in enumerate(("standard", "hard")):
        paper = {n: Score(row[place] / 100) for n, row in PRINTED.get(score, {}).items()}
        if paper:
            label = f"LXMERT, {split} (published)"
            shares[label] = {n: one for n, one in paper.items() if n in numbers}
    chosen = {one.label: {"run": one.run.folder.name} for one in respondents}
    title = {"acc_r": "acc_r", "recall_at_1": "Recall@1", "accuracy": "Accuracy"}[score]
    return Figure(
        f"{NAME}-{task}-by-number",
        f"{title} by the right number, with 95 % intervals over pictures"
        + ("; published curves have none." if score in PRINTED else "."),
        f"A line per model: {title} against the right number; the table behind it has the values.",
        partial(figures.by_number, shares, "right number", title, chosen),
        data_table(f"{NAME}-{task}-by-number", ("model", "number", score, "low", "high"), rows),
    )


def _shares(numbers: Mapping[str, float]) -> str:
    return ", ".join(
        f"{n}\N{NO-BREAK SPACE}({text(share, '.0%')})".replace(" %", "\N{NO-BREAK SPACE}%")
        for n, share in list(numbers.items())[:5]
    )


def _when_wrong(task: str, respondents: Sequence[Respondent]) -> list[Block]:
    """The five numbers that are said most often instead of the right one."""
    lines = [
        Line(one.label, {"instead": _shares(wrong), "wrong": _wrong(one)})
        for one in respondents
        if (wrong := one.scores.get("predicted_when_wrong"))
    ]
    if task == "mlm":
        paper = _shares({n: share / 100 for n, share in printed.WRONG_MASKED.items()})
        label = "LXMERT on the hard split"
        lines.append(Line(label, {"instead": paper}, "published", "not in the paper"))
    if not lines:
        return []
    shown = columns("instead:Numbers said instead:wide; wrong:Wrong:n")
    told = "What is said instead of the right number, as shares of the wrong answers."
    return [model_table(f"{NAME}-{task}-wrong", told, lines, shown)]


def _wrong(one: Respondent) -> int | None:
    """How many answers are wrong ones."""
    for name in ("best_match", "recall_at_1", "accuracy"):
        if (own := one.at(name)) and own.get("value") is not None:
            return int(own["trials"] - round(own["value"] * own["trials"]))
    return None
