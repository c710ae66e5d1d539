"""The CAPTURE set on disk."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner

from subitize.commands.stimuli import stimuli
from subitize.errors import BadInput
from subitize.stimuli.capture.writing import KEYS, CaptureSet

SMALL = CaptureSet(size=100, patterns="circle:7,rings:12")
NAME = re.compile(
    r"(circle|triangle|rectangle)_\d+_dots_[0-4]_(blue|green|red|orange|purple)_(dots|boxes)\.png"
)


def files(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


@pytest.mark.budget(30)
@pytest.mark.parametrize("layout", ["fair", "published"])
def test_the_command_writes_the_whole_set(tmp_path: Path, layout: str) -> None:
    out = tmp_path / "set"
    done = CliRunner().invoke(stimuli, ["capture", "--layout", layout, "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "2,500 pictures" in done.output
    lines = [orjson.loads(line) for line in (out / "manifest.jsonl").read_bytes().splitlines()]
    assert len(lines) == 2500
    written = files(out)
    assert set(written) == {"manifest.jsonl", *(line["file"] for line in lines)}
    for line in lines:
        assert tuple(line) == KEYS
        assert NAME.fullmatch(Path(line["file"]).name)
        assert line["file"].startswith(line["variant"] + "/")
        assert len(line["positions"]) == line["count"]
        assert (line["occluder"] is None) == (line["variant"] == "unoccluded")
        assert written[line["file"]][16:24] == (200).to_bytes(4, "big") * 2


def test_a_script_that_no_process_can_import_draws_by_itself(tmp_path: Path) -> None:
    """From standard input, or without `if __name__`, new processes die; that was endless."""
    script = (
        "from pathlib import Path\n"
        "from subitize.stimuli.capture.writing import CaptureSet\n"
        f"print(CaptureSet(size=100).write(Path({str(tmp_path / 'out')!r}), processes=2))\n"
    )
    unguarded = tmp_path / "unguarded.py"
    unguarded.write_text(script)
    done = subprocess.run([sys.executable, unguarded], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-1] == "2500"
    assert len([*(tmp_path / "out").rglob("*.png")]) == 2500


def test_same_bytes_whatever_the_number_of_processes(tmp_path: Path) -> None:
    assert SMALL.write(tmp_path / "one", processes=1) == 200
    assert SMALL.write(tmp_path / "two", processes=2) == 200
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_again_is_the_same_and_mends_what_is_missing(tmp_path: Path) -> None:
    SMALL.write(tmp_path, processes=1)
    before = files(tmp_path)
    (tmp_path / "occluded" / "circle_7_dots_0_red_dots.png").unlink()
    (tmp_path / "unoccluded" / "circle_7_dots_0_red_dots.png").write_bytes(b"torn")
    SMALL.write(tmp_path, processes=1)
    assert files(tmp_path) == before


def test_another_set_or_a_stranger_is_refused(tmp_path: Path) -> None:
    SMALL.write(tmp_path, processes=1)
    with pytest.raises(BadInput, match="another set of pictures"):
        replace(SMALL, seed=1).write(tmp_path, processes=1)
    (tmp_path / "occluded" / "notes.txt").write_text("mine")
    with pytest.raises(BadInput, match=r"holds 'occluded/notes.txt'"):
        SMALL.write(tmp_path, processes=1)


@pytest.mark.parametrize(
    ("patterns", "words"),
    [
        ("circle", "ARRANGEMENT:COUNT"),
        ("triangle:8", "no triangle of 8"),
        ("circle:x", "circle:x"),
        ("circle:100000", "no circle of 100000 objects"),
    ],
)
def test_bad_patterns_write_nothing(tmp_path: Path, patterns: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        CaptureSet(patterns=patterns).write(tmp_path / "out", processes=1)
    assert not (tmp_path / "out").exists()
