"""`subitize run`, `read` and `score`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from subitize.benchmark import Benchmark, Settings
from subitize.benchmarks.catalog import get_benchmark
from subitize.commands.printing import print_json, say, scores_text
from subitize.errors import BadInput, WrongRun
from subitize.models.base import Model, ModelOptions
from subitize.models.catalog import counter_name, open_model
from subitize.runs.correcting import keep_calibration, reader_rules
from subitize.runs.folder import read_info, write_whole
from subitize.runs.limits import RetryPolicy
from subitize.runs.reading import reading_benchmark, run_with_reading
from subitize.runs.run import INTERRUPTED, Outcome, RunOptions, choose_kind, run_benchmark
from subitize.runs.scoring import score_run
from subitize.runs.stored import asking_again, choose_reader, read_rows, write_exclusions

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
        str | None, typer.Option(help="Address of an OpenAI-compatible server.")
    ] = None,
    api_key_env: Annotated[
        str | None, typer.Option(help="Environment variable with the key.")
    ] = None,
    temperature: Annotated[float | None, typer.Option()] = None,
    max_tokens: Annotated[int | None, typer.Option()] = None,
    timeout: Annotated[float, typer.Option(help="Seconds to wait for one reply.")] = 120.0,
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
    longest = max_tokens if max_tokens is not None else chosen.MAX_TOKENS
    model_options = ModelOptions(
        base_url, api_key_env, temperature, longest, timeout, _object(extra_body)
    )
    models = [open_model(name, model_options) for name in model]
    for opened in models:
        choose_kind(chosen, opened)
    if len({opened.respondent for opened in models}) < len(models):
        raise BadInput("One --model is given twice: give each once.")
    policy = RetryPolicy(tries=max(1, retries))
    reader = _but_llm(reader, counter)
    options = RunOptions(concurrency, budget_calls, limit, reader, policy=policy)
    reading = open_reading_model(chosen, counter, model_options)
    if counter is None and reading is not None and not _simple(models):
        say(
            f"The pictures are read by {reading.respondent}, which knows simple pictures only; "
            "name another counter with --counter."
        )
    if calibration is not None:
        _check_calibration(calibration, reading)
    results = _run_all(chosen, settings, models, out, options, (reading, calibration))
    if json:
        print_json([scores for _, scores in results])
    else:
        for outcome, scores in results:
            print(scores_text(scores))
            print(f"run folder: {outcome.folder}\n")
    complete = len(results) == len(models) and all(outcome.complete for outcome, _ in results)
    raise typer.Exit(0 if complete else 1)


def _run_all(
    benchmark: Benchmark,
    settings: Settings,
    models: Sequence[Model],
    out: Path,
    options: RunOptions,
    reading: tuple[Model | None, Path | None],
) -> list[tuple[Outcome, dict[str, Any]]]:
    """One model after another with one budget for all; Ctrl-C ends the command, not only a run."""
    results: list[tuple[Outcome, dict[str, Any]]] = []
    for model in models:
        if results and results[-1][0].stopped == INTERRUPTED:
            say(f"{model.respondent}: not asked")
            continue
        if options.budget_calls is not None and results:
            left = max(0, options.budget_calls - results[-1][0].calls)
            options = replace(options, budget_calls=left)
        results.append(run_and_score(benchmark, settings, model, out, options, *reading))
    return results


def _check_calibration(calibration: Path, reading: Model | None) -> str:
    """The reader's rules from a calibration; a wrong one is told before anything is asked."""
    if reading is None or "counter" not in reading.kinds:
        raise BadInput(
            "--calibration corrects a counter's mistakes, but no counter reads this benchmark: "
            "name one with --counter."
        )
    return reader_rules(calibration, reading.respondent)


def open_reading_model(
    benchmark: Benchmark, name: str | None, options: ModelOptions | None = None
) -> Model | None:
    """The model that reads a benchmark's responses: the named one, the usual one, or none."""
    wanted = benchmark.READING_MODEL if name is None else name
    if wanted in ("", "none"):
        return None
    model = open_model(counter_name(wanted), options)
    choose_kind(reading_benchmark(benchmark, Path()), model)
    return model


def _but_llm(reader: str | None, reading_model: str | None) -> str | None:
    """The reader named; `llm` stands for the reading model, which has to be named too."""
    if reader != "llm":
        return reader
    if reading_model in (None, "none"):
        raise BadInput("The reader llm is a language model: name it with --reading-model MODEL.")
    return None


def _simple(models: Sequence[Model]) -> bool:
    return all(model.respondent.startswith("painter/") for model in models)


def run_and_score(
    benchmark: Benchmark,
    settings: Settings,
    model: Model,
    out: Path,
    options: RunOptions,
    reading: Model | None = None,
    calibration: Path | None = None,
) -> tuple[Outcome, dict[str, Any]]:
    """One model through one benchmark; scores come also when it stopped early."""
    rules = _check_calibration(calibration, reading) if calibration else ""
    outcome = run_with_reading(benchmark, settings, model, out, options, reading, rules)
    if isinstance(outcome.error, WrongRun):
        raise outcome.error  # what lies in the folder is not this run: running again won't help
    if outcome.stopped:
        say(f"{model.respondent}: stopped: {outcome.error or outcome.stopped}")
        say("Run the same command again to go on where it stopped.")
    elif outcome.failed:
        say(
            f"{model.respondent}: {outcome.failed} trials failed, last with: {outcome.problem}. "
            "Check the model (and --base-url), then run the same command again: it asks only them."
        )
    if calibration is not None:
        keep_calibration(outcome.folder, calibration)
    scores = score_run(outcome.folder, options.reader)
    if "unsaved" in scores:
        say(scores["unsaved"])
    return outcome, scores


def read(
    run: RunPath,
    reader: Annotated[str | None, typer.Option(help="How replies are read.")] = None,
    exclude: Annotated[
        Path | None, typer.Option(help="Lines TRIAL-OR-PICTURE,REASON to leave out.")
    ] = None,
    reading_model: Annotated[
        str | None, typer.Option(help="Have a model read the responses: the only way to ask.")
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
    info = read_info(run)
    reader = _but_llm(reader, reading_model)
    if reading_model is not None:
        reader = _read_by_model(run, info, reading_model, ModelOptions(base_url, api_key_env))
    benchmark = get_benchmark(info["benchmark"])
    name, chosen = choose_reader(benchmark, run, info, reader)
    if exclude is not None:
        say(f"{write_exclusions(run, exclude)} excluded")
    again = asking_again(benchmark, benchmark.settings_from(info["settings"]))
    rows = read_rows(run, chosen, again)
    if info.get("reader") != name:
        info["reader"] = name
        write_whole(run / "run.json", orjson.dumps(info, option=orjson.OPT_INDENT_2) + b"\n")
    states = dict(Counter(row.reading.state for row in rows))
    if json:
        print_json({"reader": name, "trials": len(rows), "states": states})
    else:
        print(
            f"{len(rows)} responses read by {name!r}: "
            + ", ".join(f"{n} {s}" for s, n in states.items())
        )


def _read_by_model(run: Path, info: Mapping[str, Any], name: str, options: ModelOptions) -> str:
    """Ask a reading model about every response that it has not read yet; the reader's name."""
    benchmark = get_benchmark(info["benchmark"])
    model = open_reading_model(benchmark, name, options)
    if model is None:
        raise BadInput("--reading-model is none: name a model, or leave the option out.")
    settings = benchmark.settings_from(info["settings"])
    reading = reading_benchmark(benchmark, run)
    outcome = run_benchmark(reading, settings, model, run / "readings", RunOptions())
    if outcome.error is not None:
        raise outcome.error
    if not outcome.complete:
        say(f"{model.respondent} has not read everything; run the same command again.")
    return outcome.folder.name


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
        keep_calibration(run, calibration)
    scores = score_run(run)
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
