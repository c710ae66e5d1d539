"""CPU budgets that hold on any machine: a CPU second of a slow or shared core holds less work."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

STEPS = 1_000_000
USUAL = 0.04
"""CPU seconds that so many steps take on the cores which the budgets were set on"""


def within(used: float, budget: float) -> bool:
    """Whether so many CPU seconds are no more than the budget, as this machine works just now."""
    return used <= budget or used <= budget * slowness()


def cpu_of(work: Callable[[], object]) -> float:
    """CPU seconds of one call. The collector pauses: late in a suite it walks through all that
    former tests left, and its share grows with them, not with the work."""
    gc.disable()
    begun = time.process_time()
    try:
        work()
        return time.process_time() - begun
    finally:
        gc.enable()


def slowness() -> float:
    """How many times the usual CPU time plain Python takes here and now, at least 1."""
    return max(1.0, min(_took() for _ in range(3)) / USUAL)


def _took() -> float:
    begun = time.process_time()
    total = 0
    for step in range(STEPS):
        total += step
    return time.process_time() - begun
