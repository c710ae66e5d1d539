"""Finding things: help in groups, settings with their meaning, names that were meant, shells."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import orjson
import pytest
import typer

from subitize.benchmark import meanings
from subitize.benchmarks.catalog import BENCHMARKS, get_benchmark
from subitize.cli import COMMANDS, root
from tests.commands.test_bad_input import check, subitize

COMMAND_NAMES = sorted(COMMANDS)


def plain(text: str) -> str:
    """Text as one line, however the terminal broke it."""
    return " ".join(text.split())


@pytest.mark.parametrize("name", BENCHMARKS)
def test_a_benchmark_tells_every_setting(name: str) -> None:
    benchmark = get_benchmark(name)
    told = subitize("benchmarks", name)
    check(told, 0)
    found = orjson.loads(subitize("benchmarks", name, "--json").stdout)
    said = meanings(benchmark.SETTINGS)
    for field, given in zip(fields(benchmark.SETTINGS), found["settings"], strict=True):
        assert given["name"] == field.name
        assert given["meaning"] == said[field.name]
        assert f"{field.name}={given['default']}" in told.stdout
        assert said[field.name] in told.stdout


def test_help_of_a_run_lists_the_benchmarks_settings() -> None:
    shown = plain(subitize("run", "capture", "--help").stdout)
    assert "Settings of capture" in shown
    for name, meaning in meanings(get_benchmark("capture").SETTINGS).items():
        assert f" {name} {plain(meaning)}" in shown
    assert "Settings of" not in subitize("run", "--help").stdout


def test_a_command_that_was_meant_is_offered() -> None:
    check(subitize("reprot"), 2, "There is no command 'reprot': did you mean 'report'")
    check(subitize("datasets", "fecth"), 2, "Did you mean 'fetch'")


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        (["subitize", "expo"], "export"),
        (["subitize", "run", "capt"], "capture"),
        (["subitize", "benchmarks", "prod"], "production"),
        (["subitize", "run", "naming", "--model", "sim/obs"], "sim/observer"),
        (["subitize", "plan", "naming", "--profile", "qu"], "quick"),
        (["subitize", "run", "naming", "--engine", "r"], "ray"),
        (["subitize", "export", "runs/one", "--to", "par"], "parquet"),
    ],
)
def test_a_shell_completes_names(typed: list[str], completed: str) -> None:
    asked = {
        "_SUBITIZE_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(typed),
        "COMP_CWORD": str(len(typed) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-m", "subitize"], capture_output=True, text=True, check=False,
        env={**os.environ, **asked},
    )  # fmt: skip
    assert completed in done.stdout.split(), done.stderr


@pytest.mark.parametrize("typed", ["subitize rep", "subitize nonsense ", "subitize nonsense --mo"])
def test_zsh_completes_and_is_told_nothing_into_its_line(typed: str) -> None:
    asked = {"_SUBITIZE_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": typed}
    done = subprocess.run(
        [sys.executable, "-m", "subitize"], capture_output=True, text=True, check=False,
        env={**os.environ, **asked},
    )  # fmt: skip
    assert done.stderr == ""
    assert "There is no command" not in done.stdout
    assert ("report" in done.stdout) == (not typed.endswith("--mo"))


@pytest.mark.parametrize("name", COMMAND_NAMES)
def test_every_option_is_explained(name: str) -> None:
    """No option stands in a help without a word about it."""
    shown = subitize(name, "--help").stdout
    assert shown.startswith(f"Usage: subitize {name}")
    lines = [line for line in shown.splitlines() if re.match(r"  --?\w", line)]
    alone = [
        line
        for line, below in zip(lines, [*lines[1:], ""], strict=True)
        if not re.search(r"\S  +\S", line.strip()) and not _continued(shown, line)
    ]
    assert alone == []


def _continued(shown: str, line: str) -> bool:
    """Whether the words about an option stand in the line below it."""
    rest = shown.partition(f"{line}\n")[2].splitlines()
    return bool(rest) and bool(re.match(r" {8,}[^\s\[]", rest[0]))


PAGES_FOR_PEOPLE = {"annotate", "capture place", "take naming", "view"}
"""they serve pages until they are stopped; those that end with a result give it as JSON too"""


def leaves(command: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every command that does something, with its whole name."""
    if not hasattr(command, "list_commands"):
        yield name, command
        return
    context = typer.Context(command)
    for inner in command.list_commands(context):
        yield from leaves(command.get_command(context, inner), f"{name} {inner}".strip())


def test_every_command_that_yields_results_gives_them_as_json() -> None:
    without = {
        name
        for name, command in leaves(typer.main.get_command(root))
        if not any("--json" in option.opts for option in command.params)
    }
    assert without <= PAGES_FOR_PEOPLE


@pytest.mark.parametrize(
    ("words", "known"),
    [
        (["stimuli", "naming", "--per-cell", "1", "--max", "1", "--size", "64"], {"pictures": 5}),
        (["stimuli", "capture", "--patterns", "circle:6", "--size", "100"], {}),
        (["stimuli", "probe", "--per-number", "1", "--highest", "1"], {"pictures": 2}),
        (["prompts", "numgen", "--count", "3", "--format", "txt"], {"prompts": 3}),
        (["prompts", "geckonum", "--format", "csv"], {}),
    ],
)  # fmt: skip
def test_what_was_written_is_told_as_json(words: list[str], known: Any, tmp_path: Path) -> None:
    told = orjson.loads(subitize(*words, "--out", str(tmp_path / "new"), "--json").stdout)
    assert known.items() <= told.items()
    assert Path(told.get("file") or told["manifest"]).is_file()


def test_prompts_and_the_report_are_told_as_json(tmp_path: Path) -> None:
    prompts = orjson.loads(subitize("prompts", "numgen", "--count", "2", "--json").stdout)
    assert [set(one) for one in prompts] == [{"prompt", "n", "object"}] * 2
    ran = subitize("run", "naming", "--model", "sim/perfect", "--out", str(tmp_path),
                   "--per-cell", "1", "--max", "2")  # fmt: skip
    check(ran, 0)
    done = subitize("report", str(tmp_path), "--out", str(tmp_path / "r.html"), "--json")
    assert Path(orjson.loads(done.stdout)["report"]).read_bytes().startswith(b"<!")
