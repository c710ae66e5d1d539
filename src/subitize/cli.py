"""The command line: a lazy table of commands and one place where errors become messages."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from subitize import __version__
from subitize.commands.helping import Grouped
from subitize.errors import BadInput, SubitizeError, UnknownName, in_words

COMMANDS: dict[str, tuple[str, str]] = {
    "demo": (".demo:demo", "Every benchmark on the built-in models, then the report."),
    "benchmarks": (".listing:benchmarks", "What can be measured."),
    "models": (".listing:models", "What can be asked."),
    "doctor": (".doctoring:doctor", "What is installed, what is missing, how to get it."),
    "stimuli": (".stimuli:stimuli", "Draw pictures with a manifest of every fact."),
    "plan": (".planning:plan", "What a run will ask and cost, and how sure it will be."),
    "run": (".running:run", "Ask a model every trial of a benchmark once, and score."),
    "status": (".statuses:status", "How far runs are, what failed, what is partial."),
    "read": (".rescoring:read", "Read stored responses again, without a call."),
    "score": (".rescoring:score", "Score stored responses again, without a call."),
    "compare": (".comparing:compare", "Paired differences of runs on the same pictures."),
    "prompts": (".prompts:prompts", "Make the prompts of a benchmark."),
    "geckonum": (
        ".geckonum:geckonum",
        "GeckoNum: questions, and the paper's tables from answers.",
    ),
    "datasets": (".datasets:datasets", "Bring published data, checked."),
    "capture": (".capture:capture", "Choose pictures for CAPTURE."),
    "probe": (".probe:probe", "Statements, splits and pairs for the counting probe."),
    "count": (".counting:count", "How many things are in a picture."),
    "calibrate": (".calibrating:calibrate", "Find a counter's best threshold by human counts."),
    "captions": (".captions:captions", "How often which number stands in a corpus of captions."),
    "merge": (".merging:merge", "Put together what was asked or counted in shards."),
    "finetune": (".finetuning:finetune", "Train a model on counting: foils, or answers."),
    "annotate": (".annotating:annotate", "A study for people, in their browsers."),
    "import": (
        ".importing:importing",
        "Other people's formats and older run folders.",
    ),
    "export": (".exporting:export", "A run in formats that others read."),
    "report": (".reporting:report", "One HTML file from one or more runs."),
    "take": (".taking:take", "Take part yourself: pictures for a moment, with reaction times."),
    "view": (".viewing:view", "Runs in a browser: picture, question, reply and reading."),
}
"""name: where it is, and its line in the help; nothing is imported to print that help"""
OPTIONS_OF_THE_ROOT = ("help", "version")
"""commands of other tools that are options here"""
WANTED = {"int": int, "float": float, "bool": bool}
"""how the kind of an error of Typer's begins: what would have been right"""


USAGE: Any = typer.BadParameter.__base__
"""what Typer raises about a line that it can't take"""


class LazyGroup(TyperGroup):
    """Imports a command's module when the command is called."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> TyperCommand | TyperGroup | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, function = COMMANDS[cmd_name][0].partition(":")
        home = import_module(module, "subitize.commands")
        found = getattr(home, function)
        if isinstance(found, typer.Typer):
            return typer.main.get_group(found)
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        # A command that needs more than options in groups says so beside itself.
        app.command(cmd_name, cls=getattr(home, "COMMAND", Grouped))(found)
        command: TyperCommand | TyperGroup = typer.main.get_command(app)  # type: ignore[assignment]
        return command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if ctx.resilient_parsing:  # a shell completes a word: nothing may be told into its line
            return super().resolve_command(ctx, args)
        if args[0] in OPTIONS_OF_THE_ROOT:
            raise BadInput(f"There is no command {args[0]!r}: it is an option, --{args[0]}.")
        if not args[0].startswith("-") and args[0] not in COMMANDS:
            raise UnknownName("command", args[0], COMMANDS)
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except USAGE as problem:
            _tell(problem)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except USAGE as problem:
            _tell(problem)
        except KeyboardInterrupt:  # Typer would end without a word
            raise SubitizeError("interrupted") from None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])


root = typer.Typer(
    cls=LazyGroup,
    add_completion=True,
    rich_markup_mode=None,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"subitize {__version__}")
        raise typer.Exit


@root.callback()
def about(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Version.")
    ] = False,
) -> None:
    """Measure the number sense of multimodal AI."""


def _tell(problem: Any) -> NoReturn:
    """In one message: what is wrong, which value was found, and what the line looks like."""
    if "NoArgs" in type(problem).__name__:  # the help that is wanted, and no mistake
        raise problem
    errors: list[dict[str, Any]] = getattr(problem.__cause__, "errors", list)()
    wanted = WANTED.get(errors[0]["type"].partition("_")[0]) if errors else None
    if wanted is not None and problem.param is not None:
        name = (problem.param.opts or [problem.param.name])[0]
        raise BadInput(f"{name} is {errors[0]['input']!r}: give {in_words(wanted)}.") from None
    said = problem.format_message().rstrip(".")
    if problem.ctx is None:
        raise BadInput(f"{said}.") from None
    command = problem.ctx.command_path
    usage = " ".join(problem.ctx.get_usage().split()).removeprefix("Usage: ")
    told = f"{said}: write  {usage}  ; `{command} --help` explains each."
    raise BadInput(told) from None


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; exit 0 is success, 2 bad usage or input, 1 anything else."""
    try:
        root(arguments, prog_name="subitize")
    except SubitizeError as problem:
        print(f"subitize: {problem}", file=sys.stderr)
        sys.exit(problem.exit_code)
    except MemoryError:
        print("subitize: there is not enough memory for so much: ask for less.", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print("subitize: interrupted", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":  # `python -m subitize.cli`, too
    main()
