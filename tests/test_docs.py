"""Documentation that can't rot."""

from __future__ import annotations

import importlib
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from subitize.benchmarks.catalog import BENCHMARKS, get_benchmark
from subitize.cli import COMMANDS, main

ROOT = Path(__file__).parent.parent
PAGES = (
    "commands.md", "benchmarks.md", "models.md", "measures.md", "scores.md", "captions-measured.md",
    "numbernet.md",
)  # fmt: skip


@pytest.fixture(scope="module")
def generate() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs")
        yield importlib.import_module("generate")


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


LACKING = ("are not on this machine", "geckonum_annotations.zip", "vilbert.csv")
"""what a command of the table may end with here: weights and files that are elsewhere"""


MODELS_OF_THE_PAPERS = (
    "ViLT", "BLIP-2", "LLaVA", "Qwen2.5-VL", "InternVL2", "Molmo", "Qwen2-VL", "MiniCPM-o",
    "Kimi-VL", "PaliGemma", "Stable Diffusion 2.1", "Stable Diffusion 3.5", "FLUX.1 dev",
    "FLUX.1 Fill", "Grounding DINO", "PseCo", "training-free counting", "CountGD", "GPT-4V",
    "GPT-4o", "Gemini", "DALL-E 2", "DALL-E 3", "Imagen", "Muse", "CLIPScore", "LXMERT", "ViLBERT",
    "Llama 3.1 8B", "TIFA", "VNLI",
)  # fmt: skip
"""each has a line of its own in the table"""


def test_the_commands_for_the_papers_models_are_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each is planned as it stands; only weights and the reader's own files may be missing."""
    monkeypatch.chdir(tmp_path)
    for key in ("OPENAI_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(key, "made up")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    page = (ROOT / "docs" / "models_of_the_papers.md").read_text(encoding="utf-8")
    commands = [shlex.split(one)[1:] for one in re.findall(r"`(subitize [^`]+)`", page)]
    assert sum(command[0] == "run" for command in commands) > 25
    for named in MODELS_OF_THE_PAPERS:
        assert re.search(rf"^\| [^|]*{re.escape(named)}", page, re.MULTILINE), named
    for command in commands:
        if "MODEL" in command:
            continue
        if "--reader" in command:  # a plan asks nothing, so there is nothing to read
            place = command.index("--reader")
            benchmark = get_benchmark(command[1])
            assert command[place + 1] in benchmark.READERS
            del command[place : place + 2]
        with pytest.raises(SystemExit) as end:
            main(["plan" if command[0] == "run" else command[0], *command[1:]])
        told = capsys.readouterr().err
        assert end.value.code == 0 or any(one in told for one in LACKING), (command, told)
