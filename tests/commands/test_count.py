"""`subitize count`: a number per picture, and a word for each that can't be counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from subitize.cli import main
from subitize.stimuli.naming import draw, recipe
from tests.models.counters.tiny_grounding_dino import save_tiny_grounding_dino


@pytest.fixture
def pictures(tmp_path: Path) -> list[str]:
    """Three and five dots, one grey on transparency, and three that can't be counted."""
    for n in (3, 5):
        (tmp_path / f"{n}.png").write_bytes(draw(recipe("dots", n, 0, size=128)).png)
    Image.new("LA", (40, 40), (0, 0)).save(tmp_path / "clear.png")
    whole = (tmp_path / "5.png").read_bytes()
    (tmp_path / "cut.png").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "empty.png").write_bytes(b"")
    names = ("3.png", "cut.png", "5.png", "empty.png", "absent.png", "clear.png")
    return [str(tmp_path / name) for name in names]


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["count", *arguments])
    return int(ended.value.code or 0)


def test_bad_pictures_are_told_and_the_others_counted(
    pictures: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*pictures, "--what", "dots", "--json") == 1
    captured = capsys.readouterr()
    found = json.loads(captured.out)
    assert [entry["number"] for entry in found] == [3, None, 5, None, None, 0]
    assert [entry["state"] for entry in found].count("failed") == 3
    assert all(entry["note"] for entry in found if entry["state"] == "failed")
    assert len(found[2]["boxes"]) == 5
    assert "3 of 6 pictures could not be counted" in captured.err


def test_text_boxes_and_annotated_pictures(
    pictures: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = [pictures[0], pictures[2]]
    out = tmp_path / "drawn"
    assert run(*good, "--what", "dots", "--boxes", "--annotate", str(out)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{pictures[0]}: 3"
    assert len(lines) == 2 + 3 + 5
    with Image.open(out / "3-counted.png") as drawn:
        assert drawn.size == (128, 128)
        assert (214, 40, 57) in {colour for _, colour in drawn.getcolors(100_000) or ()}


def test_two_pictures_of_one_name_are_both_kept(tmp_path: Path) -> None:
    paths = []
    for n in (2, 4):
        (tmp_path / str(n)).mkdir()
        path = tmp_path / str(n) / "same.png"
        path.write_bytes(draw(recipe("dots", n, 0, size=96)).png)
        paths.append(str(path))
    assert run(*paths, "--what", "dots", "--annotate", str(tmp_path / "out")) == 0
    assert len(list((tmp_path / "out").iterdir())) == 2


def test_wrong_options_are_said_once(
    pictures: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for options, words in (
        (("--counter", "blob"), "did you mean 'counter/blobs'"),
        (("--counter", "sim/perfect"), "not a counter"),
        (("--threshold", "3"), "from 0 to 1"),
        (("--counter", "blobs?split=maybe"), "must be true or false"),
        (("--counter", "blobs?contrast=300"), "contrast must lie in 0..255"),
        (("--counter", "blob?made=here/or/there"), "did you mean 'counter/blobs'"),
        (("--annotate", pictures[0]), "can't be made"),
    ):
        assert run(*pictures, "--what", "dots", *options) == 2
        assert capsys.readouterr().err.count(words) == 1


def test_a_threshold_of_ones_own(pictures: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(pictures[0], "--what", "dots", "--threshold", "1", "--counter", "counter/blobs") == 0
    assert capsys.readouterr().out.endswith(": 3\n")


def test_drawing_again_makes_no_further_files(tmp_path: Path, pictures: list[str]) -> None:
    for _ in range(2):
        assert run(pictures[0], "--what", "dots", "--annotate", str(tmp_path / "out")) == 0
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["3-counted.png"]


def test_of_an_animation_the_first_frame_counts_and_that_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frames = [Image.new("RGB", (60, 60), "white") for _ in range(3)]
    frames[0].paste((200, 0, 0), (10, 10, 30, 30))
    frames[1].putpixel((5, 5), (0, 0, 0))
    frames[0].save(tmp_path / "moving.gif", save_all=True, append_images=frames[1:])
    assert run(str(tmp_path / "moving.gif"), "--what", "squares") == 0
    assert capsys.readouterr().out.endswith("moving.gif: 1  (first of 3 frames)\n")


def test_a_picture_that_a_detector_chokes_on_fails_alone(
    tmp_path: Path, pictures: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Its library makes the short side of a very narrow picture 0 pixels wide, and raises."""
    pytest.importorskip("transformers")
    checkpoint = save_tiny_grounding_dino(tmp_path / "detector")
    narrow = tmp_path / "narrow.png"
    Image.new("RGB", (2, 3000)).save(narrow)
    counter = f"grounding-dino?checkpoint={checkpoint}"
    given = (str(narrow), pictures[0])
    assert run(*given, "--what", "dots", "--counter", counter, "--json") == 1
    first, second = json.loads(capsys.readouterr().out)
    assert (first["state"], second["state"]) == ("failed", "read")
    assert "could not count the picture: ValueError" in first["note"]
