"""The table of paired differences between models, for the page and for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from subitize.reports.cells import COUNT, Line, column, columns, model_table, text, told
from subitize.reports.page import Fold, Prose, Section, Table
from subitize.runs.comparing import Compared, Comparison

NAMED = 3
"""pairs that are named where they could not be compared"""
FORMS = {"accuracy": ".1%", "nae": ".3f", "smape": ".2f"}
NOTE = (
    "Second minus first on the pictures (of painters: prompts) that both runs share, drawn within "
    "category × target. Accuracy: percentage points, exact McNemar test; NAE and sMAPE: sign "
    "flips. p (Holm) is corrected for all pairs and measures. Pictures that either could not be "
    "read on are left out, or counted wrong in the lines that say so."
)
NO_INTERVAL = (
    "NAE without an interval: every cell has one difference only, and fewer than five pictures on "
    "average; nothing tells how large another would be."
)


def compared_table(name: str, comparisons: Sequence[Comparison]) -> Table:
    """A row per pair of runs and measure."""
    lines = []
    for one in comparisons:
        form = FORMS[one.measure]
        lines.append(
            Line(
                f"{one.second} − {one.first}",
                {
                    "measure": one.measure,
                    "unreadable": one.unreadable,
                    "difference": _difference(one),
                    "first_value": text(one.first_value, form),
                    "second_value": text(one.second_value, form),
                    "p": one.paired.p,
                    "p_holm": one.p_holm,
                    "pictures": one.pictures,
                    "not_read": one.not_read,
                },
            )
        )
    return model_table(
        f"{name}-compared",
        "Paired differences between models, with 95 % intervals.",
        lines,
        columns(
            "measure; first_value:First; second_value:Second; difference; p:p:p; "
            "p_holm:p (Holm):p; pictures:Pictures:n; not_read:Not read:n; "
            "unreadable:Unreadable pictures"
        ),
        notes=[NOTE, *_without_interval(comparisons)],
        first=column(("pair",), "Models"),
    )


def compared_section(name: str, compared: Compared) -> Section:
    """What stands on a benchmark's page behind its own sections."""
    return Section(
        f"{name}-compared-section",
        "Differences between models",
        "Picture by picture (of painters: prompt by prompt), on those that both of a pair had.",
        [
            Fold("All pairs of models", [compared_table(name, compared.found)]),
            *(Prose(one, "note") for one in _missing(compared)),
        ],
    )


def _without_interval(comparisons: Sequence[Comparison]) -> list[str]:
    """Why some differences stand alone."""
    return [NO_INTERVAL] if any(one.paired.difference.low is None for one in comparisons) else []


def _difference(one: Comparison) -> str:
    """With its interval; that of two per cents in points, as it is no per cent of anything."""
    return told(one.paired.difference, f"+{FORMS[one.measure]}").replace(" %", " points")


def _missing(compared: Compared) -> list[str]:
    """A sentence each where pairs of runs could not be compared, or not by every measure."""
    sentences = (
        ("Not compared, since they share no two pictures that were read", compared.strangers),
        ("Compared with unreadable pictures counted wrong alone, and so not by NAE, which has no "
         "value for them, since they share no two pictures that both could be read on",
         compared.unread),
    )  # fmt: skip
    return [f"{why}: {_named(pairs)}." for why, pairs in sentences if pairs]


def _named(pairs: Sequence[tuple[str, str]]) -> str:
    """The first pairs, and how many more there are."""
    found = [f"{first} and {second}" for first, second in pairs[:NAMED]]
    if (more := len(pairs) - NAMED) > 0:
        found.append(f"{more} further pair{'s' if more > 1 else ''}")
    return "; ".join(found)


def compared_text(compared: Compared) -> str:
    """A line per pair of runs and measure, for the terminal."""
    found = []
    for one in compared.found:
        form = FORMS[one.measure]
        values = " → ".join(text(value, form) for value in (one.first_value, one.second_value))
        treated = "" if one.unreadable == "left out" else f" (unreadable {one.unreadable})"
        found.append(
            f"{one.first} → {one.second}\n  {one.measure:9} {values}; difference "
            f"{_difference(one)}, p {text(one.paired.p, 'p')}, Holm "
            f"{text(one.p_holm, 'p')}; {text(one.pictures, COUNT)} pictures, "
            f"{text(one.not_read, COUNT)} not read{treated}"
        )
    return "\n".join([*found, *_without_interval(compared.found), *_missing(compared)])
