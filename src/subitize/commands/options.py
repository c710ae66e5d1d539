"""The options of `run` and `plan`, declared once, in the groups in which help shows them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from subitize.commands.about_benchmarks import names
from subitize.commands.helping import ASKED, COST, PACE, READ, SERVER, WHERE
from subitize.models.catalog import known_names


def _models(incomplete: str) -> list[str]:
    plain = [name for name in known_names() if name.isascii()]
    return [name for name in plain if name.startswith(incomplete)]


def one_of(*words: str) -> Callable[[str], list[str]]:
    """What a shell completes a word to."""
    return lambda incomplete: [word for word in words if word.startswith(incomplete)]


def _option(*flags: str, help: str, group: str, **more: Any) -> Any:
    return typer.Option(*flags, help=help, rich_help_panel=group, **more)


BenchmarkName = Annotated[
    str,
    typer.Argument(
        metavar="BENCHMARK",
        help="Name of a benchmark, or all: every one that the models can be asked. "
        "`run NAME --help` lists its settings.",
        autocompletion=lambda incomplete: [*names(incomplete), "all"],
    ),
]
Models = Annotated[
    list[str],
    _option("--model", help="Model to ask; may be given again.", group=SERVER,
            autocompletion=_models),
]  # fmt: skip
From = Annotated[
    Path | None,
    _option("--from", help="A TOML file with options and settings, or the run.json of a run to "
            "repeat; options given here win.", group=ASKED),
]  # fmt: skip
Profile = Annotated[
    str | None,
    _option(help="quick (a first look) or paper (as the paper has it): settings by name.",
            group=ASKED, autocompletion=one_of("quick", "paper")),
]  # fmt: skip
Seed = Annotated[int | None, _option(help="Seed of stimuli and draws; else 0.", group=ASKED)]
Limit = Annotated[int | None, _option(help="Ask only the first N trials.", group=ASKED)]
Set = Annotated[
    list[str] | None,
    _option("--set", metavar="KEY=VALUE", help="A setting of the benchmark; may be given again.",
            group=ASKED),
]  # fmt: skip
PerCell = Annotated[int | None, _option(help="Pictures per category and number.", group=ASKED)]
Max = Annotated[int | None, _option("--max", help="Highest number.", group=ASKED)]
Size = Annotated[int | None, _option(help="Side of the pictures in pixels.", group=ASKED)]
Categories = Annotated[str | None, _option(help="Categories, separated by commas.", group=ASKED)]
Prompt = Annotated[str | None, _option(help="best, pilot, or one prompt form.", group=ASKED)]
TopUp = Annotated[bool, _option("--top-up", help="Ask further trials in thin cells.", group=ASKED)]
Shard = Annotated[
    str, _option(help="Ask part I of N of the trials only, as I/N; then merge.", group=ASKED)
]
BaseUrls = Annotated[
    list[str] | None,
    _option("--base-url", help="Address of an OpenAI-compatible server; ROLE=URL for a helper's.",
            group=SERVER),
]  # fmt: skip
KeyEnvs = Annotated[
    list[str] | None,
    _option("--api-key-env", help="Environment variable with the key; ROLE=NAME for a helper's.",
            group=SERVER),
]  # fmt: skip
Headers = Annotated[
    list[str] | None,
    _option("--header", help="'NAME: VALUE' sent with every request; $VARIABLE is filled in.",
            group=SERVER),
]  # fmt: skip
Temperature = Annotated[
    float | None,
    _option(help="Of sampling; without it the server's own.", group=SERVER),
]
MaxTokens = Annotated[
    int | None,
    _option(help="Longest reply in tokens; without it the benchmark's, or the server's own.",
            group=SERVER),
]  # fmt: skip
ExtraBody = Annotated[
    str | None, _option(help="JSON object of further request fields.", group=SERVER)
]
TrustCode = Annotated[
    bool,
    _option("--trust-remote-code", help="Run code that comes with a checkpoint.", group=SERVER),
]
BudgetCalls = Annotated[int | None, _option(help="Send at most N requests in all.", group=COST)]
BudgetUsd = Annotated[
    float | None,
    _option(help="Stop before more than so many US dollars are spent, by the tokens that the "
            "server tells; needs prices, unless it tells dollars itself.", group=COST),
]  # fmt: skip
PriceIn = Annotated[float | None, _option(help="US dollars for a million tokens sent.", group=COST)]
PriceOut = Annotated[
    float | None, _option(help="US dollars for a million tokens of replies.", group=COST)
]
Batch = Annotated[
    bool,
    _option("--batch", help="Use OpenAI's batch endpoint: half the price, within a day.",
            group=COST),
]  # fmt: skip
Concurrency = Annotated[int | None, _option(help="Calls under way at once.", group=PACE)]
Timeout = Annotated[float, _option(help="Seconds to wait for one reply.", group=PACE)]
LoadTimeout = Annotated[
    float, _option(help="Seconds to wait for a local model to load.", group=PACE)
]
Retries = Annotated[
    int | None,
    _option(help="Tries per trial, whatever the error; else by time alone.", group=PACE),
]
Wait = Annotated[
    float, _option(help="Seconds to wait for a server that is busy or gone.", group=PACE)
]
Reader = Annotated[str | None, _option(help="How replies are read.", group=READ)]
Counter = Annotated[
    str | None,
    _option("--counter", "--reading-model",
            help="Model that reads the responses (a counter or a namer), or none.", group=READ),
]  # fmt: skip
Calibration = Annotated[
    Path | None,
    _option(help="The counter's threshold and mistakes: a calibration file, or its run.",
            group=READ),
]  # fmt: skip
EngineName = Annotated[
    str,
    _option(help="Where local models compute: local or ray.", group=WHERE,
            autocompletion=one_of("local", "ray")),
]  # fmt: skip
RayAddress = Annotated[
    str | None, _option(help="A running Ray cluster; else one is started here.", group=WHERE)
]
Workers = Annotated[int, _option(help="Ray: workers per model; 0: all that fit.", group=WHERE)]
Gpus = Annotated[float, _option(help="Ray: GPUs that a worker takes.", group=WHERE)]
Out = Annotated[Path, _option(help="Folder under which each run gets its own.", group=WHERE)]
