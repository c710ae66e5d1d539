"""Tiny checkpoints, saved once for all tests of a session."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.models import tiny_matchers, tiny_namers, tiny_painters


class Made(dict[str, Path]):
    """Folders of tiny checkpoints by family, each made when it is first asked for."""

    def __init__(self, root: pytest.TempPathFactory) -> None:
        self._root = root

    def __missing__(self, family: str) -> Path:
        make = tiny_namers.FAMILIES[family]
        self[family] = make(self._root.mktemp(family))
        return self[family]


@pytest.fixture(scope="session")
def namers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Generative models by family."""
    pytest.importorskip("transformers")
    return Made(tmp_path_factory)


@pytest.fixture(scope="session")
def matchers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Matchers, fillers and models that choose an answer, by class."""
    pytest.importorskip("transformers")
    return tiny_matchers.save(tmp_path_factory.mktemp("matchers"))


@pytest.fixture(scope="session")
def painters(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Pipelines of diffusers by name."""
    made = {**tiny_painters.PAINTERS, **tiny_painters.FILLERS}
    return {name: make(tmp_path_factory.mktemp(name)) for name, make in made.items()}
