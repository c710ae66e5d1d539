"""From a stored score to a place in a table: a number with its interval, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from subitize.reports.page import Cell, plain

__all__ = ["count", "number", "percent", "quotes", "score", "words"]


def number(value: float | None, digits: int = 3, *, reason: str = "") -> Cell:
    """A number without an interval."""
    if value is None:
        return Cell(reason=reason)
    return Cell(value, f"{value:.{digits}f}".replace("-", "−"))


def percent(value: float | None, digits: int = 1, *, reason: str = "") -> Cell:
    """A share, shown in per cent; the file keeps the share."""
    return Cell(reason=reason) if value is None else Cell(value, f"{100 * value:.{digits}f} %")


def count(value: int | None, *, reason: str = "") -> Cell:
    """A whole number, with thin spaces at the thousands."""
    if value is None:
        return Cell(reason=reason)
    return Cell(value, f"{value:,}".replace(",", "\N{THIN SPACE}"))


def words(text: object, *, badge: str = "", limit: int | None = None) -> Cell:
    """Plain text, also a model's."""
    return Cell(plain(text), plain(text, limit), badge=badge)


def quotes(replies: Sequence[str]) -> Cell:
    """What models said, each reply on its own line."""
    return Cell(" | ".join(replies), quotes=tuple(replies))


def score(
    scores: Mapping[str, Any],
    measure: str,
    *,
    digits: int = 3,
    share: bool = False,
    missing: str = "",
) -> Cell:
    """A score by its name, with its interval; its reason from `undefined` where it is null."""
    found = scores.get(measure)
    if not isinstance(found, Mapping):
        found = {"value": found}
    value = found.get("value")
    if value is None:
        default = missing or "not in the scores of this run"
        reason = (scores.get("undefined") or {}).get(measure, default)
        return Cell(reason=plain(reason))
    scale, unit = (100, " %") if share else (1, "")
    shown = f"{value * scale:.{digits}f}{unit}"
    low, high = found.get("low"), found.get("high")
    interval = ""
    if low is not None and high is not None:
        interval = f"[{low * scale:.{digits}f}, {high * scale:.{digits}f}]"
    return Cell(value, shown.replace("-", "−"), low, high, interval.replace("-", "−"))
