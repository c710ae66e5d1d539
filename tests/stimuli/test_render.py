"""From a stimulus to its picture."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from subitize.errors import BadInput, UnknownName, WrongRun
from subitize.records import Stimulus
from subitize.stimuli import naming, render


def test_a_drawn_stimulus() -> None:
    recipe = naming.recipe("apples", 3, 0, size=64)
    picture = render(Stimulus("drawn", recipe))
    assert picture.sha256 == hashlib.sha256(picture.png).hexdigest()
    assert picture == naming.draw(recipe)


def test_another_version_of_the_drawing_is_refused() -> None:
    recipe = naming.recipe("apples", 3, 0, size=64) | {"version": 0}
    with pytest.raises(WrongRun, match=r"version 0 .* version 1"):
        render(Stimulus("drawn", recipe))


def test_unknown_drawer() -> None:
    with pytest.raises(UnknownName, match="did you mean 'naming'"):
        render(Stimulus("drawn", {"drawer": "namin", "version": 1}))


def test_a_file_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(b"picture")
    recipe = {"sha256": hashlib.sha256(b"picture").hexdigest()}
    assert render(Stimulus("file", recipe, str(path))).png == b"picture"
    path.write_bytes(b"another")
    with pytest.raises(BadInput, match="has changed"):
        render(Stimulus("file", recipe, str(path)))
    path.unlink()
    with pytest.raises(BadInput, match="can't be read"):
        render(Stimulus("file", recipe, str(path)))
    with pytest.raises(BadInput, match="no path"):
        render(Stimulus("file", recipe))


def test_a_prompt_has_no_picture() -> None:
    with pytest.raises(BadInput, match="has no picture"):
        render(Stimulus("prompt", {"text": "three apples"}))


def test_drawing_imports_nothing_heavy() -> None:
    code = (
        "import sys, subitize.stimuli.naming\n"
        "print([m for m in ('scipy', 'PIL', 'matplotlib', 'polars') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
