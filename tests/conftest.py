"""What all tests share: where released data lies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# In CI the same examples every time; elsewhere new ones, to find what nobody thought of.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Released annotations and splits; never part of the project."""
    folder = Path(os.environ.get("SUBITIZE_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no released data at {folder}: set SUBITIZE_DATA to the folder that holds it")
    return folder
