"""Documentation that can't rot."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from subitize.benchmarks.catalog import BENCHMARKS
from subitize.cli import COMMANDS

ROOT = Path(__file__).parent.parent
PAGES = (
    "commands.md", "benchmarks.md", "models.md", "measures.md", "scores.md", "captions-measured.md",
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
