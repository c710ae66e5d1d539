"""CAPTURE's Table 3: every model on exactly the occluded pictures that people saw."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from subitize.benchmarks.capture.page_tables import NAME
from subitize.benchmarks.capture.scoring import STEPS
from subitize.measures.error_size import smape_terms
from subitize.measures.intervals import mean_interval
from subitize.published import capture as paper
from subitize.reports.cells import Line, columns, model_table
from subitize.reports.page import Section
from subitize.reports.respondents import Respondent

SHOWN = columns("pictures:Pictures:n; answers:Answers:n; smape:sMAPE, occluded:.2f±")


def people_section(set_: str, respondents: Sequence[Respondent]) -> list[Section]:
    """Nothing where no run is people's."""
    people = [one for one in respondents if one.model.startswith("human/")]
    if not people:
        return []
    asked = {one.label: _asked(one) for one in respondents}
    seen = pl.concat(asked[one.label]["configuration"] for one in people).unique().implode()
    lines = []
    for one in respondents:
        own = asked[one.label].filter(pl.col("configuration").is_in(seen))
        if own.height:
            target = own["target"].cast(float).to_numpy()
            terms = smape_terms(target, own["answer"].to_numpy())
            found = mean_interval(
                terms, clusters=own["configuration"].to_numpy(), bounds=(0.0, 100.0), worst=True,
                steps=STEPS["error"](target, terms),
            )  # fmt: skip
            values = {"pictures": own["configuration"].n_unique(), "answers": own.height}
            badge = "people" if one in people else ""
            lines.append(Line(one.label, {**values, "smape": found}, badge))
    for row in paper.rows("Table 3"):
        if row.set == set_:
            lines.append(Line(row.model, {"smape": row.value}, "published", "not printed"))
    table = model_table(
        f"{NAME}-{set_}-people", "The models on the pictures that people saw.", lines, SHOWN,
        notes=["Brackets hold 95 % intervals over pictures; an answer without a number scores 100. "
               "The paper's rows stand on the 100 pictures that its people saw."],
    )  # fmt: skip
    lead = "Every model is scored again on exactly the occluded pictures that people were shown."
    return [Section(f"{NAME}-{set_}-people-section", "Beside people", lead, [table])]


def _asked(one: Respondent) -> pl.DataFrame:
    """Totals of occluded pictures without help."""
    plain = (
        (pl.col("stage") == "total") & (pl.col("variant") == "occluded") & (pl.col("help") == "")
    )
    read = pl.when(pl.col("state") == "read").then(pl.col("number"))
    return one.run.counted.filter(plain).select(
        pl.col("configuration").cast(pl.String), "target",
        answer=read.fill_null(float("nan")).cast(pl.Float64),
    )  # fmt: skip
