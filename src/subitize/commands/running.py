"""`subitize run`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from subitize.commands import options as given
from subitize.commands.about_benchmarks import OfBenchmark
from subitize.commands.planning import told_in_a_line
from subitize.commands.printing import Json, partial_text, say, scores_text, show
from subitize.commands.starting import (
    Prepared,
    Wanted,
    check_reading,
    object_from,
    prepare,
    prices_from,
)
from subitize.errors import BadInput, Unable
from subitize.models.base import ModelOptions
from subitize.opening import load_stored, run_and_score
from subitize.runs.correcting import keep_calibration, rules_of
from subitize.runs.estimating import How, estimate
from subitize.runs.interrupts import INTERRUPTED
from subitize.runs.limits import Prices, RetryPolicy
from subitize.runs.lock import locked
from subitize.runs.ray_engine import Cluster, check_engine
from subitize.runs.run import Outcome, RunOptions
from subitize.runs.shards import WHOLE, parse_shard
from subitize.runs.stored import score_run

COMMAND = OfBenchmark
AGAIN = "run the same command again"


def run(  # noqa: PLR0913, PLR0917  the options of the command, one each
    benchmark: given.BenchmarkName,
    model: given.Models,
    out: given.Out = Path("runs"),
    from_: given.From = None,
    profile: given.Profile = None,
    set_: given.Set = None,
    per_cell: given.PerCell = None,
    max_: given.Max = None,
    size: given.Size = None,
    categories: given.Categories = None,
    prompt: given.Prompt = None,
    top_up: given.TopUp = False,
    seed: given.Seed = None,
    limit: given.Limit = None,
    shard: given.Shard = "1/1",
    base_url: given.BaseUrls = None,
    api_key_env: given.KeyEnvs = None,
    header: given.Headers = None,
    temperature: given.Temperature = None,
    max_tokens: given.MaxTokens = None,
    extra_body: given.ExtraBody = None,
    trust_remote_code: given.TrustCode = False,
    budget_calls: given.BudgetCalls = None,
    budget_usd: given.BudgetUsd = None,
    price_in: given.PriceIn = None,
    price_out: given.PriceOut = None,
    batch: given.Batch = False,
    concurrency: given.Concurrency = None,
    timeout: given.Timeout = 120.0,
    load_timeout: given.LoadTimeout = 1800.0,
    retries: given.Retries = None,
    wait: given.Wait = 600.0,
    reader: given.Reader = None,
    counter: given.Counter = None,
    calibration: given.Calibration = None,
    engine: given.EngineName = "local",
    ray_address: given.RayAddress = None,
    workers: given.Workers = 0,
    gpus_per_worker: given.Gpus = 0.0,
    json: Json = False,
) -> None:
    """Ask each trial once; run the same command again to resume. Ends by scoring."""
    wanted = Wanted(
        benchmark, model,
        {"seed": seed, "per_cell": per_cell, "max": max_, "size": size, "categories": categories,
         "prompt": prompt, "top_up": top_up or None},
        set_ or [], profile, counter, tuple(base_url or ()), tuple(api_key_env or ()),
        tuple(header or ()),
        ModelOptions(
            None, None, temperature, max_tokens, timeout, object_from(extra_body), load_timeout,
            (), trust_remote_code,
        ),
    )  # fmt: skip
    prices = prices_from(price_in, price_out)
    if budget_usd is not None and prices is None:
        raise BadInput(
            "--budget-usd needs to know what tokens cost: give --price-in and --price-out, in US "
            "dollars for a million tokens. What the server itself tells in dollars goes before."
        )
    prepared = prepare(wanted)
    found = check_reading(prepared, reader, calibration)
    _tell_counter(prepared, counter)
    options = RunOptions(
        concurrency, budget_calls, limit, None if reader == "llm" else reader,
        policy=RetryPolicy(retries, wait), batch=batch, rules=rules_of(found) if found else "",
        shard=parse_shard(shard), budget_usd=budget_usd, prices=prices,
    )  # fmt: skip
    cluster = Cluster(ray_address, workers, gpus_per_worker)
    if check_engine(engine, ray_address) == "ray":
        options = replace(options, engine=cluster.engine())
    results = _ask_all(prepared, out, options, found)
    if options.shard != WHOLE:
        say(f"These scores are of shard {shard} alone: `subitize merge` all of them.")
    _show(results, json)
    # Last of all, so that it stands at the bottom of the screen.
    for outcome, scores in results:
        tell(outcome, scores["model"], prices)
    complete = len(results) == len(prepared) and all(outcome.complete for outcome, _ in results)
    unable = any(isinstance(outcome.error, Unable) for outcome, _ in results)
    raise typer.Exit(Unable.exit_code if unable else 0 if complete else 1)


def _tell_counter(prepared: list[Prepared], counter: str | None) -> None:
    first = prepared[0]
    reading = first.helpers.get(first.benchmark.reading_role())
    simple = all(one.model.respondent.startswith("painter/") for one in prepared)
    if counter is None and reading is not None and not simple:
        say(
            f"The pictures are read by {reading.respondent}, which knows simple pictures only; "
            "name another counter with --counter."
        )


Result = tuple[Outcome, Mapping[str, Any]]


def _ask_all(
    prepared: list[Prepared], out: Path, options: RunOptions, found: Mapping[str, Any]
) -> list[Result]:
    """One after the other; one budget for all."""
    results: list[Result] = []
    for one in prepared:
        if results and results[-1][0].stopped == INTERRUPTED:
            say(f"{one.model.respondent}: not asked")
            continue
        if results:
            options = _less(options, results[-1][0])
        foreseen = _foreseen(one, options)
        outcome, stored = run_and_score(
            one.benchmark, one.settings, one.model, out, foreseen, one.helpers
        )
        if found:
            with locked(outcome.folder):
                keep_calibration(outcome.folder, one.benchmark, found)
            score_run(stored := load_stored(outcome.folder))
        if "unsaved" in stored.scores:
            say(stored.scores["unsaved"])
        results.append((outcome, stored.scores))
    return results


def _less(options: RunOptions, before: Outcome) -> RunOptions:
    """What is left of the budget."""
    calls, usd = options.budget_calls, options.budget_usd
    return replace(
        options,
        budget_calls=None if calls is None else max(0, calls - before.calls),
        budget_usd=None if usd is None else max(0.0, usd - before.spent),
    )


def _foreseen(one: Prepared, options: RunOptions) -> RunOptions:
    """Before a run that costs money, say what it will ask."""
    if not one.model.paid and not any(helper.paid for helper in one.helpers.values()):
        return options
    how = How(options.concurrency, options.limit, options.prices)
    told = estimate(one.benchmark, one.settings, one.model, one.kind, one.helpers, how)
    say(told_in_a_line(one.model.respondent, told, options.shard))
    return replace(options, each=told.each)


def _show(results: list[Result], json: bool) -> None:
    """The scores, marked where they are of a part of the trials; what failed last of all."""
    texts, found = [], []
    for outcome, scores in results:
        whole = outcome.complete
        found.append(dict(scores) if whole else {**scores, "partial": True})
        text = scores_text(scores) if whole else partial_text(scores)
        texts.append(f"{text}\nrun folder: {outcome.folder}\n")
    show(found, "\n".join(texts), json)


def tell(outcome: Outcome, respondent: str, prices: Prices | None = None) -> None:
    """What a run cost, what went wrong in it, and what to do."""
    if prices is not None and outcome.calls:
        say(f"{respondent}: {outcome.calls:,} requests, {outcome.spent:.4f} US dollars")
    if outcome.stopped:
        why = str(outcome.error or outcome.stopped)
        # One message, and the last on the screen.
        done = AGAIN in why or isinstance(outcome.error, Unable)
        again = "" if done else " Run the same command again to go on where it stopped."
        say(f"{respondent}: stopped: {why}{'' if why.endswith('.') or not again else '.'}{again}")
    elif outcome.failed:
        todo = (
            "Check the model (and --base-url), then run the same command again: it asks only them."
        )
        if outcome.picture:
            todo = (
                f"Mend {outcome.picture}, which can't be decoded, or take it out; then run the "
                "same command again: what was answered is not asked again."
            )
        say(
            f"{respondent}: {outcome.failed:,} trials failed, last with: "
            f"{outcome.problem.rstrip('.')}. "
            f"{todo}"
        )
