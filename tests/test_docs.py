"""Documentation that can't rot."""

from __future__ import annotations

import importlib.util
import re
import shlex
import sys
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest

from subitize.benchmarks.catalog import BENCHMARKS, get_benchmark
from subitize.cli import COMMANDS
from subitize.models.catalog import families
from subitize.models.names import parse_name

ROOT = Path(__file__).parent.parent
PAGES = (
    "commands.md", "benchmarks.md", "models.md", "measures.md", "scores.md", "captions-measured.md",
    "numbernet.md",
)  # fmt: skip


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["generate"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", PAGES)
def test_written_pages_are_fresh(generate: ModuleType, page: str) -> None:
    written = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert written == generate.PAGES[page](), "run  python docs/generate.py"


def test_every_benchmark_has_a_page() -> None:
    for name in BENCHMARKS:
        page = name.partition("-")[0]  # geckonum-vqa is told on the page of geckonum
        assert (ROOT / "docs" / f"{page}.md").exists(), name


def test_every_command_in_the_documents_exists() -> None:
    for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for command in re.findall(r"^\s*(?:\.venv/bin/)?subitize (\w+)", path.read_text(), re.M):
            assert command in COMMANDS, f"{path.name}: subitize {command}"


def test_links_between_documents_lead_somewhere() -> None:
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", path.read_text()):
            assert (path.parent / target).exists(), f"{path.name} links to {target}"


def test_the_commands_for_the_papers_models_name_what_there_is() -> None:
    """Benchmarks, families of models and settings; the models themselves are elsewhere."""
    page = (ROOT / "docs" / "models_of_the_papers.md").read_text(encoding="utf-8")
    commands = [shlex.split(one) for one in re.findall(r"`(subitize run [^`]+)`", page)]
    assert len(commands) > 20
    for command in commands:
        benchmark = get_benchmark(command[2])
        pairs = list(pairwise(command))
        for model in (value for option, value in pairs if option in ("--model", "--counter")):
            assert model == "MODEL" or parse_name(model).prefix in families(), model
        given = [value.partition("=")[0] for option, value in pairs if option == "--set"]
        known = {field.name for field in fields(benchmark.SETTINGS)}
        assert set(given) <= known, command
