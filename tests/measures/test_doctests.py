"""Every example in a measure's docstring is true."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import subitize.measures

MODULES = sorted(path.stem for path in Path(subitize.measures.__file__).parent.glob("*.py"))


@pytest.mark.parametrize("name", [name for name in MODULES if name != "__init__"])
def test_examples(name: str) -> None:
    module = import_module(f"subitize.measures.{name}")
    assert doctest.testmod(module).failed == 0


def test_importing_the_measures_needs_no_scipy() -> None:
    import subprocess
    import sys

    names = ", ".join(f"subitize.measures.{name}" for name in MODULES if name != "__init__")
    script = f"import sys, {names}; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
