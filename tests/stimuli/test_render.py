"""From a stimulus to its picture."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from subitize.errors import BadInput, UnknownName, WrongRun
from subitize.pictures.decode import decode
from subitize.pictures.encode import drawn
from subitize.records import Stimulus
from subitize.stimuli import naming, probe, render


def test_a_drawn_stimulus() -> None:
    recipe = naming.recipe("apples", 3, 0, size=64)
    picture = render(Stimulus("drawn", recipe))
    assert picture == naming.draw(recipe)
    assert picture != naming.draw(recipe | {"index": 1})


def test_a_drawn_scene_is_known_by_its_pixels() -> None:
    scene = render(Stimulus("drawn", probe.recipe(4, 0)))
    assert scene.sha256 == drawn(decode(scene.png)).sha256


def test_another_version_of_the_drawing_is_refused() -> None:
    recipe = naming.recipe("apples", 3, 0, size=64) | {"version": 0}
    with pytest.raises(WrongRun, match=r"version 0 .* version 2"):
        render(Stimulus("drawn", recipe))


def test_unknown_drawer() -> None:
    with pytest.raises(UnknownName, match="did you mean 'naming'"):
        render(Stimulus("drawn", {"drawer": "namin", "version": 1}))


def test_a_file_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(b"picture")
    recipe = {"sha256": hashlib.sha256(b"picture").hexdigest()}
    picture = render(Stimulus("file", recipe, str(path)))
    assert (picture.png, picture.sha256) == (b"picture", recipe["sha256"])
    path.write_bytes(b"another")
    with pytest.raises(BadInput, match="has changed"):
        render(Stimulus("file", recipe, str(path)))
    path.unlink()
    with pytest.raises(BadInput, match="can't be read"):
        render(Stimulus("file", recipe, str(path)))
    with pytest.raises(BadInput, match="no path"):
        render(Stimulus("file", recipe))


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("prompt", "words only"),
        ("response", "an earlier answer"),
        ("named", "give its name"),
        ("hologram", "does not know the kind"),
    ],
)
def test_other_kinds_have_no_picture(kind: Any, why: str) -> None:
    with pytest.raises(BadInput, match=rf"'{kind}' has no picture of its own \(.*{why}"):
        render(Stimulus(kind, {"text": "three apples"}))


def test_an_edited_file_is_known_by_its_pixels(tmp_path: Path) -> None:
    """Two files of the same pixels with the same box over them are one picture."""
    pixels = np.random.default_rng(3).integers(0, 256, (20, 30, 3), dtype=np.uint8)
    pictures = []
    for path in (tmp_path / "a.png", tmp_path / "b.tiff"):
        Image.fromarray(pixels).save(path)
        recipe = {"sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "box": [2, 3, 9, 8]}
        pictures.append(render(Stimulus("file", recipe, str(path))))
    one, other = pictures
    shown = pixels.copy()
    shown[3:8, 2:9] = 0
    assert one.sha256 == other.sha256 == drawn(shown).sha256
    assert (decode(one.png) == shown).all()


def test_drawing_imports_nothing_heavy() -> None:
    code = (
        "import sys, subitize.stimuli.naming\n"
        "print([m for m in ('scipy', 'PIL', 'matplotlib', 'polars') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
