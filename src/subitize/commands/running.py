"""`subitize run`, `read` and `score`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from subitize.benchmark import Benchmark
from subitize.benchmarks.catalog import get_benchmark
from subitize.commands.printing import print_json, say, scores_text
from subitize.errors import BadInput, UnknownName
from subitize.models.base import Model, ModelOptions
from subitize.models.catalog import counter_name, open_model
from subitize.opening import (
    OptionsOf,
    calibration_from,
    load_stored,
    open_helpers,
    run_and_score,
)
from subitize.runs.correcting import keep_calibration, rules_of
from subitize.runs.exclusions import write_exclusions
from subitize.runs.folder import RunFolder, read_info
from subitize.runs.limits import RetryPolicy
from subitize.runs.lock import locked
from subitize.runs.run import (
    INTERRUPTED,
    Outcome,
    RunOptions,
    choose_helper_kind,
    run_benchmark,
    stored_model,
)
from subitize.runs.stored import score_run

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON and nothing else.")]
RunPath = Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")]


def run(  # noqa: PLR0913, PLR0917  the options of the command, one each
    benchmark: Annotated[str, typer.Argument(metavar="BENCHMARK")],
    model: Annotated[list[str], typer.Option("--model", help="Model to ask; may be given again.")],
    out: Annotated[Path, typer.Option(help="Folder under which each run gets its own.")] = Path(
        "runs"
    ),
    seed: Annotated[int, typer.Option(help="Seed of stimuli and draws.")] = 0,
    limit: Annotated[int | None, typer.Option(help="Ask only the first N trials.")] = None,
    concurrency: Annotated[int | None, typer.Option(help="Calls under way at once.")] = None,
    budget_calls: Annotated[
        int | None, typer.Option(help="Send at most N requests in all.")
    ] = None,
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
    retries: Annotated[int, typer.Option(help="Tries per trial; busy servers are waited for.")] = 5,
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
    top_up: Annotated[
        bool, typer.Option("--top-up", help="Ask further trials in thin cells.")
    ] = False,
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
            timeout, _object(extra_body), load_timeout,
        ),
    )  # fmt: skip
    models = [open_model(name, options_of("")) for name in model]
    if len({opened.respondent for opened in models}) < len(models):
        raise BadInput("One --model is given twice: give each once.")
    helpers = [open_helpers(chosen, settings, one, counter, options_of) for one in models]
    if reader == "llm" and "llm" not in helpers[0]:
        raise BadInput("The reader llm is a language model: name it with --reading-model MODEL.")
    reading = helpers[0].get(chosen.reading_role())
    if counter is None and reading is not None and not _simple(models):
        say(
            f"The pictures are read by {reading.respondent}, which knows simple pictures only; "
            "name another counter with --counter."
        )
    found = _calibration(chosen, calibration, reading) if calibration else {}
    options = RunOptions(
        concurrency, budget_calls, limit, None if reader == "llm" else reader,
        policy=RetryPolicy(tries=max(1, retries)), rules=rules_of(found) if found else "",
    )  # fmt: skip
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
            keep_calibration(outcome.folder, chosen, found)
            score_run(stored := load_stored(outcome.folder))
        if "unsaved" in stored.scores:
            say(stored.scores["unsaved"])
        results.append((outcome, stored.scores))
    if json:
        print_json([scores for _, scores in results])
    else:
        for outcome, scores in results:
            print(scores_text(scores))
            print(f"run folder: {outcome.folder}\n")
    complete = len(results) == len(models) and all(outcome.complete for outcome, _ in results)
    raise typer.Exit(0 if complete else 1)


def _options_of(
    benchmark: Benchmark[Any], urls: list[str], keys: list[str], options: ModelOptions
) -> OptionsOf:
    """Servers and keys by role; what is given without a role is the model's, and the others' too
    unless they have their own. A key never goes to a server that it was not given for."""
    at, key_of = _by_role(benchmark, urls), _by_role(benchmark, keys)

    def of(role: str) -> ModelOptions:
        key = key_of.get(role, None if role in at else key_of.get(""))
        return replace(options, base_url=at.get(role, at.get("")), api_key_env=key)

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
    if reading is None or "counter" not in reading.kinds or "category" not in benchmark.CONDITION:
        raise BadInput(
            "--calibration corrects a counter's mistakes in naming and production, but no counter "
            f"reads {benchmark.NAME} so: leave it out, or name a counter with --counter."
        )
    return calibration_from(source, reading.respondent)


def _simple(models: Sequence[Model]) -> bool:
    return all(model.respondent.startswith("painter/") for model in models)


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
    budget_calls: Annotated[
        int | None, typer.Option(help="Send at most N requests to the reading model.")
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(help="Address of the reading model's server.")
    ] = None,
    api_key_env: Annotated[
        str | None, typer.Option(help="Environment variable with the key.")
    ] = None,
    json: Json = False,
) -> None:
    """Read the stored responses with another reader, or leave some out by hand; asks nobody."""
    if reader == "llm":
        if reading_model is None:
            raise BadInput(
                "The reader llm is a language model: name it with --reading-model MODEL."
            )
        reader = None
    if reading_model is not None:
        options = ModelOptions(base_url, api_key_env)
        model = read_by(run, open_model(counter_name(reading_model), options), budget_calls)
        reader = reader or model
    if exclude is not None:
        with locked(run):
            say(f"{write_exclusions(run, exclude)} excluded")
    stored = load_stored(run, reader)
    if stored.info.get("reader") != stored.reader:
        with locked(run):
            RunFolder.at(run).update(reader=stored.reader)
    states = dict(Counter(stored.counted["state"]))
    if json:
        print_json({"reader": stored.reader, "trials": stored.counted.height, "states": states})
    else:
        print(
            f"{stored.counted.height} responses read by {stored.reader!r}: "
            + ", ".join(f"{n} {s}" for s, n in states.items())
        )


def read_by(run: Path, model: Model, budget_calls: int | None) -> str:
    """Ask a reading model about every response that it has not read yet; the reader's name."""
    info = read_info(run)
    benchmark = get_benchmark(info["benchmark"])
    settings = benchmark.settings_from(info["settings"])
    role = benchmark.reading_role()
    choose_helper_kind(benchmark, role, model)
    asked = stored_model(info)
    options = RunOptions(budget_calls=budget_calls, only_helpers=True)
    outcome = run_benchmark(benchmark, settings, asked, run.parent, options, {role: model})
    if outcome.error is not None:
        raise outcome.error
    if not outcome.complete:
        say(f"{model.respondent} has not read everything; run the same command again.")
    return model.respondent


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
    if json:
        print_json(scores)
    else:
        print(scores_text(scores))


def pairs(given: list[str]) -> dict[str, str]:
    """KEY=VALUE settings; dashes in a key are underscores."""
    found: dict[str, str] = {}
    for pair in given:
        key, equals, value = pair.partition("=")
        if not equals:
            raise BadInput(f"--set {pair!r} is not of the form KEY=VALUE.")
        found[key.strip().replace("-", "_")] = value
    return found


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
