"""`subitize run`, `read` and `score`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from subitize.benchmark import Benchmark
from subitize.benchmarks.catalog import get_benchmark
from subitize.commands.printing import (
    BaseUrl,
    Budget,
    Concurrency,
    Json,
    KeyEnv,
    pairs,
    say,
    scores_text,
    show,
)
from subitize.errors import BadInput, UnknownName
from subitize.models.base import Model, ModelOptions
from subitize.models.catalog import counter_name, open_model
from subitize.opening import OptionsOf, calibration_from, load_stored, open_helpers, run_and_score
from subitize.runs.correcting import keep_calibration, rules_of
from subitize.runs.exclusions import write_exclusions
from subitize.runs.folder import RunFolder, read_info
from subitize.runs.interrupts import INTERRUPTED
from subitize.runs.limits import RetryPolicy
from subitize.runs.lock import locked
from subitize.runs.ray_engine import Cluster, check_engine
from subitize.runs.run import Outcome, RunOptions, read_run
from subitize.runs.shards import WHOLE, parse_shard
from subitize.runs.stored import score_run

RunPath = Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")]


def run(  # noqa: PLR0913, PLR0917  the options of the command, one each
    benchmark: Annotated[str, typer.Argument(metavar="BENCHMARK")],
    model: Annotated[list[str], typer.Option("--model", help="Model to ask; may be given again.")],
    out: Annotated[Path, typer.Option(help="Folder under which each run gets its own.")] = Path(
        "runs"
    ),
    seed: Annotated[int, typer.Option(help="Seed of stimuli and draws.")] = 0,
    limit: Annotated[int | None, typer.Option(help="Ask only the first N trials.")] = None,
    concurrency: Concurrency = None,
    budget_calls: Budget = None,
    base_url: Annotated[
        list[str] | None,
        typer.Option(help="Address of an OpenAI-compatible server; ROLE=URL for a helper's."),
    ] = None,
    api_key_env: Annotated[
        list[str] | None,
        typer.Option(help="Environment variable with the key; ROLE=NAME for a helper's."),
    ] = None,
    temperature: Annotated[float | None, typer.Option()] = None,
    max_tokens: Annotated[int | None, typer.Option()] = None,
    timeout: Annotated[float, typer.Option(help="Seconds to wait for one reply.")] = 120.0,
    load_timeout: Annotated[
        float, typer.Option(help="Seconds to wait for a local model to load.")
    ] = 1800.0,
    retries: Annotated[
        int | None, typer.Option(help="Tries per trial, whatever the error; else by time alone.")
    ] = None,
    wait: Annotated[
        float, typer.Option(help="Seconds to wait for a server that is busy or gone.")
    ] = 600.0,
    batch: Annotated[
        bool,
        typer.Option("--batch", help="Use OpenAI's batch endpoint: half the price, within a day."),
    ] = False,
    header: Annotated[
        list[str] | None,
        typer.Option(help="'NAME: VALUE' sent with every request; $VARIABLE is filled in."),
    ] = None,
    reader: Annotated[str | None, typer.Option(help="How replies are read.")] = None,
    counter: Annotated[
        str | None,
        typer.Option(
            "--counter",
            "--reading-model",
            help="Model that reads the responses (a counter or a namer), or none.",
        ),
    ] = None,
    calibration: Annotated[
        Path | None,
        typer.Option(help="The counter's threshold and mistakes: a calibration file, or its run."),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting of the benchmark."),
    ] = None,
    extra_body: Annotated[
        str | None, typer.Option(help="JSON object of further request fields.")
    ] = None,
    per_cell: Annotated[int | None, typer.Option(help="Pictures per category and number.")] = None,
    max_: Annotated[int | None, typer.Option("--max", help="Highest number.")] = None,
    size: Annotated[int | None, typer.Option(help="Side of the pictures in pixels.")] = None,
    categories: Annotated[str | None, typer.Option(help="Categories, separated by commas.")] = None,
    prompt: Annotated[str | None, typer.Option(help="best, pilot, or one prompt form.")] = None,
    trust_remote_code: Annotated[
        bool, typer.Option("--trust-remote-code", help="Run code that comes with a checkpoint.")
    ] = False,
    top_up: Annotated[
        bool, typer.Option("--top-up", help="Ask further trials in thin cells.")
    ] = False,
    shard: Annotated[
        str, typer.Option(help="Ask part I of N of the trials only, as I/N; then merge.")
    ] = "1/1",
    engine: Annotated[
        str, typer.Option(help="Where local models compute: local or ray.")
    ] = "local",
    ray_address: Annotated[
        str | None, typer.Option(help="A running Ray cluster; else one is started here.")
    ] = None,
    workers: Annotated[int, typer.Option(help="Ray: workers per model; 0: all that fit.")] = 0,
    gpus_per_worker: Annotated[float, typer.Option(help="Ray: GPUs that a worker takes.")] = 0.0,
    json: Json = False,
) -> None:
    """Ask each trial once; run the same command again to resume. Ends by scoring."""
    chosen = get_benchmark(benchmark)
    given: dict[str, Any] = {
        "seed": seed, "per_cell": per_cell, "max": max_, "size": size, "categories": categories,
        "prompt": prompt, "top_up": top_up or None,
    }  # fmt: skip
    settings = chosen.settings_from(
        {name: value for name, value in given.items() if value is not None} | pairs(set_ or [])
    )
    options_of = _options_of(
        chosen, base_url or [], api_key_env or [],
        ModelOptions(
            None, None, temperature, max_tokens if max_tokens is not None else chosen.MAX_TOKENS,
            timeout, _object(extra_body), load_timeout, (), trust_remote_code,
        ),
        header or [],
    )  # fmt: skip
    models = [open_model(name, options_of("")) for name in model]
    if len({opened.respondent for opened in models}) < len(models):
        raise BadInput("One --model is given twice: give each once.")
    helpers = [open_helpers(chosen, settings, one, counter, options_of) for one in models]
    if reader == "llm" and "llm" not in helpers[0]:
        raise BadInput("The reader llm is a language model: name it with --reading-model MODEL.")
    reading = helpers[0].get(chosen.reading_role())
    simple = all(one.respondent.startswith("painter/") for one in models)
    if counter is None and reading is not None and not simple:
        say(
            f"The pictures are read by {reading.respondent}, which knows simple pictures only; "
            "name another counter with --counter."
        )
    found = _calibration(chosen, calibration, reading) if calibration else {}
    options = RunOptions(
        concurrency, budget_calls, limit, None if reader == "llm" else reader,
        policy=RetryPolicy(retries, wait), batch=batch, rules=rules_of(found) if found else "",
        shard=parse_shard(shard),
    )  # fmt: skip
    if check_engine(engine, ray_address) == "ray":
        cluster = Cluster(ray_address, workers, gpus_per_worker)
        options = replace(options, engine=cluster.engine())
    results: list[tuple[Outcome, Mapping[str, Any]]] = []
    for one, helping in zip(models, helpers, strict=True):
        if results and results[-1][0].stopped == INTERRUPTED:
            say(f"{one.respondent}: not asked")
            continue
        if options.budget_calls is not None and results:
            # One budget for all models.
            left = max(0, options.budget_calls - results[-1][0].calls)
            options = replace(options, budget_calls=left)
        outcome, stored = run_and_score(chosen, settings, one, out, options, helping)
        tell(outcome, one.respondent)
        if found:
            with locked(outcome.folder):
                keep_calibration(outcome.folder, chosen, found)
            score_run(stored := load_stored(outcome.folder))
        if "unsaved" in stored.scores:
            say(stored.scores["unsaved"])
        results.append((outcome, stored.scores))
    if options.shard != WHOLE:
        say(f"These scores are of shard {shard} alone: `subitize merge` all of them.")
    texts = [f"{scores_text(scores)}\nrun folder: {one.folder}\n" for one, scores in results]
    show([scores for _, scores in results], "\n".join(texts), json)
    complete = len(results) == len(models) and all(outcome.complete for outcome, _ in results)
    raise typer.Exit(0 if complete else 1)


def _options_of(
    benchmark: Benchmark[Any],
    urls: list[str],
    keys: list[str],
    options: ModelOptions,
    headers: list[str],
) -> OptionsOf:
    """Servers, keys and headers by role; what is given without a role is the model's, and the
    others' too unless they have a server of their own. A key never goes to a server that it was not
    given for."""
    at, key_of = _by_role(benchmark, urls), _by_role(benchmark, keys)
    own = [(role, text) for one in headers for role, text in _by_role(benchmark, [one]).items()]

    def of(role: str) -> ModelOptions:
        key = key_of.get(role, None if role in at else key_of.get(""))
        meant = (role,) if role in at else (role, "")
        chosen = tuple(text for whose, text in own if whose in meant)
        url = at.get(role, at.get(""))
        return replace(options, base_url=url, api_key_env=key, headers=chosen)

    return of


def _by_role(benchmark: Benchmark[Any], given: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in given:
        role, equals, value = text.partition("=")
        named = bool(equals) and role.isidentifier() and "://" not in role
        if named and role not in benchmark.HELPERS:
            raise UnknownName(f"helper of {benchmark.NAME}", role, benchmark.HELPERS)
        found[role if named else ""] = value if named else text
    return found


def _calibration(benchmark: Benchmark[Any], source: Path, reading: Model | None) -> dict[str, Any]:
    """A counter's calibration; a wrong one is told before anything is asked."""
    if "category" not in benchmark.CONDITION:
        raise BadInput(
            "--calibration corrects a counter's mistakes in naming and production, not in "
            f"{benchmark.NAME}: leave it out."
        )
    if reading is None or "counter" not in reading.kinds:
        raise BadInput(
            "--calibration corrects the mistakes of a counter, but none is named: leave it out, or "
            "name one with --counter."
        )
    return calibration_from(source, reading.respondent)


def tell(outcome: Outcome, respondent: str) -> None:
    """What went wrong in a run, and what to do."""
    if outcome.stopped:
        say(f"{respondent}: stopped: {outcome.error or outcome.stopped}")
        say("Run the same command again to go on where it stopped.")
    elif outcome.failed:
        say(
            f"{respondent}: {outcome.failed} trials failed, last with: {outcome.problem}. "
            "Check the model (and --base-url), then run the same command again: it asks only them."
        )


def read(  # noqa: PLR0913, PLR0917  the options of the command, one each
    run: RunPath,
    reader: Annotated[str | None, typer.Option(help="How replies are read.")] = None,
    exclude: Annotated[
        Path | None, typer.Option(help="Lines TRIAL-OR-PICTURE,REASON to leave out.")
    ] = None,
    reading_model: Annotated[
        str | None, typer.Option(help="Have a model read the responses: the only way to ask.")
    ] = None,
    budget_calls: Budget = None,
    base_url: BaseUrl = None,
    api_key_env: KeyEnv = None,
    json: Json = False,
) -> None:
    """Read the stored responses with another reader, or leave some out by hand; asks nobody."""
    if reader == "llm":
        if reading_model is None:
            raise BadInput(
                "The reader llm is a language model: name it with --reading-model MODEL."
            )
        reader = None
    complete = True
    if reading_model is not None:
        options = ModelOptions(base_url, api_key_env)
        complete = read_by(run, open_model(counter_name(reading_model), options), budget_calls)
    if exclude is not None:
        with locked(run):
            say(f"{write_exclusions(run, exclude)} excluded")
    stored = load_stored(run, reader)
    if stored.info.get("reader") != stored.reader:
        with locked(run):
            RunFolder.at(run).update(reader=stored.reader)
    states = dict(Counter(stored.counted["state"]))
    many = stored.counted.height
    text = ", ".join(f"{n} {state}" for state, n in states.items())
    found = {"reader": stored.reader, "trials": many, "states": states}
    show(found, f"{many} responses read by {stored.reader!r}: {text}", json)
    if not complete:
        raise typer.Exit(1)


def read_by(run: Path, model: Model, budget_calls: int | None) -> bool:
    """Ask a reading model about every response that it has not read yet; whether it read all."""
    benchmark = get_benchmark(read_info(run)["benchmark"])
    outcome = read_run(run, benchmark, model, RunOptions(budget_calls=budget_calls))
    if outcome.error is not None:
        raise outcome.error
    tell(outcome, model.respondent)
    return outcome.complete


def score(
    run: RunPath,
    calibration: Annotated[
        Path | None,
        typer.Option(help="The counter's mistakes: a calibration file, or its naming run."),
    ] = None,
    json: Json = False,
) -> None:
    """Score the stored responses; asks nobody."""
    if calibration is not None:
        found = calibration_from(calibration)
        with locked(run):
            keep_calibration(run, get_benchmark(read_info(run)["benchmark"]), found)
    scores = score_run(load_stored(run))
    show(scores, scores_text(scores), json)


def _object(text: str | None) -> Mapping[str, Any]:
    if text is None:
        return {}
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, dict):
        raise BadInput(
            f"--extra-body {text!r} is not a JSON object: give one like '{{\"top_p\": 1}}'."
        )
    return found
