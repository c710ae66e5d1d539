"""Runs that the report tests share."""

from __future__ import annotations

import pytest

from subitize.runs.stored import StoredRun
from tests.reports.made_up_runs import anchored, estimate, exact, guess, make_run, simulate


@pytest.fixture(scope="session")
def good_runs() -> list[StoredRun]:
    return [
        make_run("sim/observer", simulate(estimate)),
        make_run("sim/perfect", simulate(exact)),
        make_run("hf/tiny-vlm", simulate(anchored, seed=2), size=0.27),
        make_run("sim/random", simulate(guess, seed=1)),
    ]


@pytest.fixture(scope="session")
def nasty_run() -> StoredRun:
    """A model whose name and whose every reply try to break out of the page."""
    return make_run("<script>window.pwned=1</script>$x^{", simulate(estimate, nasty=True))
