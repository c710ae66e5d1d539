"""Whole sets on disk, the published one of 2,500 included."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
from PIL import Image
from scipy import ndimage

from subitize.errors import BadInput, SubitizeError, UnknownName
from subitize.stimuli import naming
from subitize.stimuli.picture_sets import MANIFEST
from subitize.stimuli.writing import NamingSet

SMALL = NamingSet(per_cell=4, max=3, size=96)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_same_bytes_whatever_the_number_of_processes(tmp_path: Path) -> None:
    assert SMALL.write(tmp_path / "one", processes=1) == 60
    assert SMALL.write(tmp_path / "two", processes=2) == 60
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_names_and_manifest(tmp_path: Path) -> None:
    SMALL.write(tmp_path, processes=1)
    lines = [orjson.loads(line) for line in (tmp_path / MANIFEST).read_bytes().splitlines()]
    assert {"1_apples_0.png", "3_fast_cards_3.png"} < {line["file"] for line in lines}
    for line in lines:
        data = (tmp_path / line["file"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == line["sha256"]
        again = naming.draw(line["recipe"])
        assert (again.png, again.sha256) == (data, line["pixels"])
        wanted = {"positions", "sizes", "colours", "kind", "area", "hull", "density", "n"}
        assert wanted < set(line)


def test_again_is_the_same_and_mends_what_is_missing(tmp_path: Path) -> None:
    SMALL.write(tmp_path, processes=1)
    before = files(tmp_path)
    (tmp_path / "1_dots_0.png").unlink()
    (tmp_path / "2_dots_0.png").write_bytes(b"torn")
    (tmp_path / MANIFEST).unlink()
    SMALL.write(tmp_path, processes=1)
    assert files(tmp_path) == before


def test_another_set_or_a_stranger_in_the_folder_is_refused(tmp_path: Path) -> None:
    SMALL.write(tmp_path / "set", processes=1)
    before = files(tmp_path / "set")
    with pytest.raises(BadInput, match="another set of pictures"):
        replace(SMALL, seed=1).write(tmp_path / "set", processes=1)
    assert files(tmp_path / "set") == before
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(BadInput, match=r"holds 'notes.txt'"):
        SMALL.write(tmp_path, processes=1)
    with pytest.raises(BadInput, match="is a file"):
        SMALL.write(tmp_path / "notes.txt", processes=1)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"per_cell": 0}, BadInput, "--per-cell is 0"),
        ({"max": 0}, BadInput, "--max is 0"),
        ({"size": 15}, BadInput, "15 x 15 pixels is too small: use --size 16 or more"),
        ({"size": 10**6}, BadInput, "too large: use --size 16384 or less"),
        ({"seed": 10**30}, BadInput, "--seed is 1000"),
        ({"categories": ("dots", "dots")}, BadInput, "dots, dots: give some of .*, each once"),
        ({"categories": ()}, BadInput, "--categories is empty"),
        ({"categories": ("pears",)}, UnknownName, "no category 'pears'"),
        ({"hold": "colour"}, UnknownName, "no cue to hold 'colour'"),
        ({"max": 50, "size": 32}, BadInput, "do not fit in a 32 x 32 picture"),
    ],
)
def test_bad_settings_write_nothing(
    tmp_path: Path, change: dict[str, Any], error: type[SubitizeError], words: str
) -> None:
    with pytest.raises(error, match=words):
        replace(SMALL, **change).write(tmp_path / "out", processes=1)
    assert not (tmp_path / "out").exists()


def components(path: str) -> int:
    with Image.open(path) as picture:
        dark = (np.array(picture.getpalette()).reshape(-1, 3) < 250).any(axis=1)
        mask = dark[np.asarray(picture)]
    return int(ndimage.label(mask, np.ones((3, 3), int))[1])


@pytest.mark.budget(120)
def test_every_picture_of_the_full_set_has_n_items(tmp_path: Path) -> None:
    assert NamingSet().write(tmp_path, processes=2) == 2500
    paths = sorted(tmp_path.glob("*.png"))
    assert len(paths) == 2500
    with get_context("spawn").Pool(2) as pool:
        found = pool.map(components, map(str, paths), chunksize=50)
    wrong = [
        (path.name, count)
        for path, count in zip(paths, found, strict=True)
        if count != int(path.name.split("_")[0])
    ]
    assert not wrong
