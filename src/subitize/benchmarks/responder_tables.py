"""Tables on the responder behind the answers: fitted observers, levels, consistency, effort."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from subitize.measures.effort import Effort, effort_by_number
from subitize.measures.observer_fitting import HIGHEST, LOWEST
from subitize.reports.cells import Line, as_score, columns, model_table, open_ended
from subitize.reports.page import Cell, Fold, Section, Table
from subitize.reports.respondents import Respondent

OBSERVER = columns(
    "a:a:.3f±; beta:β:.3f±; w:w:.3f±; limit::n; lapse:Lapses:.1%; bias_p:p (no bias):p; "
    "fit_p:p (fit):p; weber_fraction_note:With care:wide"
)
LEVELS = columns(
    "counting_level:Level by the paper's rule:n; knower_level.level:Most likely level:n; "
    "posterior:Its probability:.3f; anchoring.answer:Most common answer:n; "
    "anchoring.excess:Beyond its base rate:.1%±"
)
CONSISTENCY = columns(
    "category_consistency:Consistency:.3f; category_null.null_mean:If answered alike:.3f; "
    "category_null.p:p:p; category_null.verdict:Verdict"
)
ERROR_SIZES = columns(
    "mae:MAE (things):.3f±; rmse:RMSE (things):.3f±; mape:MAPE (%):.2f±; smape:sMAPE (%):.2f±"
)
EFFORT = columns(
    "what; slope:One thing more:,.2f±; fewest:Fewest things:n; at_fewest:Mean at fewest:,.1f; "
    "most:Most things:n; at_most:Mean at most:,.1f"
)
AT_ENDS = "≤ and ≥: the interval reaches the end of the values looked at, and may go further."
AT_ONCE = 0.001
"""seconds: who takes less for an answer does not look at the picture"""


def responder_section(name: str, respondents: Sequence[Respondent]) -> Section:
    """What the answers say of who gave them."""
    lines = [_line(one) for one in respondents]
    effort = [line for one in respondents for line in _effort_lines(one)]
    return Section(
        f"{name}-responder",
        "The responder behind the answers",
        "An observer is fitted to the answers: above a limit the mean is a times the number to the "
        "power β and the spread w times the mean, up to it all is exact. "
        "Levels, anchors and costs stand beside it.",
        [
            _observer_table(name, respondents),
            model_table(
                f"{name}-levels",
                "Knower levels and anchoring.",
                lines,
                LEVELS,
                notes=[
                    "The most likely level and its posterior probability are those of Lee and "
                    "Sarnecka's (2011) model. Anchoring: how much more often the most common "
                    "answer was given than it was right to give it."
                ],
            ),
            model_table(
                f"{name}-consistency",
                "Are all categories answered alike?",
                lines,
                CONSISTENCY,
                notes=[
                    "The consistency is the smallest of several noisy correlations and so lies "
                    "below 1 also where categories are answered alike; what they would give then, "
                    "at this number of trials, is the mean of 999 shuffles of categories within "
                    "targets."
                ],
            ),
            Fold(
                "MAE, RMSE, MAPE and sMAPE",
                [
                    model_table(
                        f"{name}-error-sizes",
                        "Error sizes that the literature on counting uses.",
                        lines,
                        ERROR_SIZES,
                        notes=["Large numbers rule them: nobody is ranked by them here."],
                    )
                ],
            ),
            *([_effort_table(name, effort)] if effort else []),
        ],
    )


def _line(one: Respondent) -> Line:
    """A run's scores, with the posterior probability of its most likely level."""
    found, anchor = one.at("knower_level"), one.at("anchoring")
    more: dict[str, Any] = {"posterior": found["posterior"][found["level"]] if found else None}
    if anchor and as_score(anchor["excess"]).value == 0:  # each is as common as it is right
        more["anchoring"] = {**anchor, "answer": Cell(reason="none stands out")}
    return Line(one.label, {**one.scores, **more}, missing="not computed")


def _observer_table(name: str, respondents: Sequence[Respondent]) -> Table:
    lines, at_ends = [], False
    for one in respondents:
        fitted = dict(one.at("observer_with_bias") or {})
        for place, column in enumerate(OBSERVER[:3]):
            if column.name in fitted:
                ends = float(LOWEST[place]), float(HIGHEST[place])
                told, open_end = open_ended(fitted[column.name], column.form, ends)
                fitted[column.name], at_ends = told, at_ends or open_end
        why = one.at("undefined", "observer_with_bias") or "nothing to mark"
        note = {"weber_fraction_note": one.at("weber_fraction_note")}
        lines.append(Line(one.label, {**fitted, **note}, missing=why))
    careful = any(line.values["weber_fraction_note"] for line in lines)
    return model_table(
        f"{name}-observer",
        "The observer with bias: a and β are 1 without one, w is the Weber fraction.",
        lines,
        OBSERVER if careful else OBSERVER[:-1],
        notes=[
            "p (no bias): likelihood ratio test of a = β = 1. p (fit): goodness of fit G² from "
            "200 parametric bootstrap samples; below .05 the model does not fit and w means "
            "little.",
            *([AT_ENDS] if at_ends else []),
        ],
    )


def _effort_lines(one: Respondent) -> list[Line]:
    """Tokens, from the scores, and seconds, which are in no score: no two runs take the same."""
    lines = []
    tokens = one.at("effort", "tokens")
    if tokens:
        found = Effort(tuple(tokens["numbers"]), tuple(tokens["means"]), tokens["slope"])
        lines.append(_effort_line(one.label, "tokens", found))
    timed = one.answers.filter(pl.col("state") != "failed").drop_nulls(["target", "seconds"])
    seconds = timed["seconds"]
    if timed.height and seconds.sum() > AT_ONCE * timed.height:
        found = effort_by_number(timed["target"].to_numpy(), 1000 * seconds.to_numpy())
        lines.append(_effort_line(one.label, "milliseconds", found))
    return lines


def _effort_line(label: str, what: str, found: Effort) -> Line:
    values = {
        "what": what,
        "slope": found.slope,
        "fewest": found.numbers[0],
        "at_fewest": found.means[0],
        "most": found.numbers[-1],
        "at_most": found.means[-1],
    }
    return Line(label, values)


def _effort_table(name: str, lines: Sequence[Line]) -> Table:
    return model_table(
        f"{name}-effort",
        "What an answer costs by the number shown: the nearest thing to a reaction time.",
        lines,
        EFFORT,
        notes=["Times hold the waiting for a server too: compare them within one run only."],
    )
