"""The people of a run: what each of them said, beside what they say together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from subitize.measures.accuracy import share_interval
from subitize.readers.votes import RULES, vote
from subitize.records import Score
from subitize.reports.cells import Line, column, columns, model_table
from subitize.reports.page import Section, plain
from subitize.runs.stored import StoredRun

if TYPE_CHECKING:
    import polars as pl

VOTE = RULES[0]


def as_wanted() -> pl.Expr:
    """Whether an answer is what was to be said; null where nothing was, or nothing was read."""
    import polars as pl

    named = pl.when(pl.col("target_choice") != "")
    return pl.coalesce(
        pl.col("number") == pl.col("target"),
        named.then(pl.col("choice") == pl.col("target_choice")),
    )


def people_section(name: str, runs: Sequence[StoredRun]) -> list[Section]:
    """A table of everybody who answered; nothing where no run has several respondents."""
    lines = [line for run in runs for line in _lines(run)]
    if not lines:
        return []
    table = model_table(
        f"{name}-people",
        "Each respondent of the runs that several people answered.",
        lines,
        columns(
            "answers:Answers:n; read:Read:.1%; right:As the target:.1%±; "
            "agreeing:As the vote:.1%±; seconds:Median seconds:.1f"
        ),
        notes=[
            f"Vote: the {VOTE} of all read answers to a question. Read: share of the answers that "
            "hold a number or a choice; the shares behind it are of those, with intervals over "
            "questions."
        ],
        first=column(("respondent",), "Respondent"),
    )
    said = "Everybody's answers count in the scores above; here each stands alone."
    return [Section(f"{name}-people-section", "The people", said, [table])]


def _lines(run: StoredRun) -> Iterator[Line]:
    import polars as pl

    counted = run.counted
    if len(run.info.get("respondents", ())) < 2 or counted["respondent"].n_unique() < 2:
        return
    said = pl.coalesce("choice", pl.col("number").cast(pl.String))
    told = counted.select(
        "respondent", "state", "seconds", right=as_wanted(),
        trial=pl.col("order").rank("dense").cast(pl.Int64) - 1,
        said=said.rank("dense").cast(pl.Float64).fill_null(float("nan")),
    )  # fmt: skip
    voted, _, _ = vote(told["trial"].to_numpy(), told["said"].to_numpy(), VOTE)
    known = pl.col("said").is_not_nan()
    told = told.with_columns(
        agreeing=pl.when(known).then(pl.col("said") == pl.Series(voted).gather(told["trial"]))
    )
    for (person,), own in told.group_by("respondent", maintain_order=True):
        yield Line(plain(person, 60), _values(own))
    best = told.filter("agreeing").unique("trial", keep="first", maintain_order=True)
    whole = {"answers": best.height, "right": _share(best, "right")}
    yield Line("their vote", whole, missing="a vote is no answer of its own")


def _values(own: pl.DataFrame) -> dict[str, object]:
    return {
        "answers": own.height,
        "read": float((own["state"] == "read").mean()),  # type: ignore[arg-type]
        "right": _share(own, "right"),
        "agreeing": _share(own, "agreeing"),
        # imported answers come without their time
        "seconds": own.filter(own["seconds"] > 0)["seconds"].median(),
    }


def _share(own: pl.DataFrame, name: str) -> Score | None:
    """Over trials: several samples of one stand or fall together."""
    known = own.filter(own[name].is_not_null())
    return (
        share_interval(known[name].to_numpy(), known["trial"].to_numpy()) if known.height else None
    )
