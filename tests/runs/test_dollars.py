"""`budget_usd`: what the server tells of tokens or dollars ends the run in time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from subitize.benchmarks.catalog import get_benchmark
from subitize.models.base import ModelOptions
from subitize.models.catalog import open_model
from subitize.runs.limits import SPENT, Budget, BudgetSpent, Prices
from subitize.runs.run import Outcome, RunOptions, run_benchmark
from tests.chat_server import ChatServer, completion, usual_reply

SMALL = {"per_cell": 4, "max": 5, "size": 64, "categories": ("dots",), "prompt": "things"}
TRIALS = 20
CALL = Prices(1000.0, 2000.0).of(10, 5)
"""dollars of one call of the test server, which tells 10 tokens in and 5 out"""


def run(server: ChatServer, out: Path, **options: Any) -> Outcome:
    naming = get_benchmark("naming")
    model = open_model("openai/test", ModelOptions(server.url))
    given = RunOptions(progress=False, **{"prices": Prices(1000.0, 2000.0), **options})
    return run_benchmark(naming, naming.settings_from(SMALL), model, out, given)


@pytest.mark.parametrize("concurrency", [1, 8])
@pytest.mark.parametrize("each", [CALL / 100, CALL, CALL * 100])
def test_no_call_beyond_the_dollars(tmp_path: Path, concurrency: int, each: float) -> None:
    """Whatever the rule held a call to cost: it is judged by what was told."""
    with ChatServer(delay=0.01) as server:
        done = run(server, tmp_path, budget_usd=7.5 * CALL, concurrency=concurrency, each=each)
        assert done.stopped == SPENT
        assert done.spent == pytest.approx(len(server.seen) * CALL)
        # Calls sent before the first was answered are priced by the rule alone.
        assert len(server.seen) <= (7 if each >= CALL else 7 + concurrency)
        assert len(server.seen) >= 7  # and none too few: what is under way is waited for
        done = run(server, tmp_path, concurrency=concurrency)
        assert done.complete
        assert len(server.seen) == TRIALS
        assert not server.repeats()


def test_dollars_that_a_server_tells_count_before_our_prices(tmp_path: Path) -> None:
    def told(number: int, request: web.Request, body: dict[str, Any]) -> web.Response:
        answer = completion(usual_reply(body))
        answer["usage"]["cost"] = 0.25
        return web.json_response(answer)

    with ChatServer(told) as server:
        done = run(server, tmp_path, budget_usd=1.1, concurrency=1)
        assert done.stopped == SPENT
        assert len(server.seen) == 4
        assert done.spent == pytest.approx(1.0)


def test_failed_calls_cost_nothing_and_hold_nothing_back() -> None:
    budget = Budget(usd=1.0, prices=Prices(1.0, 1.0), each=0.5)
    for _ in range(10):
        budget.take()
        budget.settle(None)
    assert budget.spent == 0
    budget.take()
    budget.settle({"cost": 0.9})
    with pytest.raises(BudgetSpent):
        budget.take()
