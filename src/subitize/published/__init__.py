"""The papers' numbers as data, each with the place it was printed at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """What a paper says about one model; a value the paper's text does not give stays None."""

    benchmark: str
    """name of our benchmark that measures the same"""
    model: str
    """the model as the paper calls it"""
    source: str
    """section, table and page or paragraph where the numbers are printed"""
    doi: str
    """the paper"""
    parameters: float | None = None
    """size in billions of parameters"""
    accuracy: float | None = None
    """share of right responses"""
    accuracy_bound: str = ""
    """the paper's words where it gives only a bound, such as `< 30 %`"""
    nae: float | None = None
    """normalised absolute error, also printed as MWE"""
    counting_level: int | None = None
    """n of the n-knower"""
    human_correlation: float | None = None
    """correlation with the ideal human observer"""
    category_consistency: float | None = None
    """smallest correlation between the confusion matrices of two categories"""
    prompt: str = ""
    """prompt form with the best result"""
    discarded: int | None = None
    """how many replies were thrown away"""
    bias: Mapping[str, str] = field(default_factory=dict)
    """category → over or under, as far as the text says"""
    baseline: bool = False
    """a reference point, not a model"""
