"""A study by its kind, its file or its folder: what the command makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from subitize.commands.annotating import find_study
from subitize.errors import BadInput, WrongRun
from subitize.humans.kinds.material import dots
from subitize.humans.serving import opened, read_folder
from subitize.stimuli import render


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    folder = tmp_path / "pictures"
    folder.mkdir()
    (folder / "one.png").write_bytes(render(dots("apples", 1, 1, side=64)).png)
    (folder / "things.csv").write_text("image,category\none.png,apples\n")
    return folder


@pytest.mark.parametrize("by", ["kind", "file"])
def test_what_the_command_names_is_found_from_any_folder(
    by: str, pictures: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "study.toml").write_text('kind = "count"\n')
    monkeypatch.chdir(tmp_path)
    given = {"pictures": "pictures", "things": "pictures/things.csv"}
    study = "count" if by == "kind" else "study.toml"
    folder = find_study(study, given, tmp_path / "studies", "")
    monkeypatch.chdir("/")
    with opened(folder) as here:
        asked = [q.words for one in here.desk.items.values() if one.role == "main"
                 for q in one.questions]  # fmt: skip
        assert asked == ["How many apples are in the picture?"]
    found, _ = read_folder(folder)
    assert (found.pictures, found.things) == (str(pictures), str(pictures / "things.csv"))


def test_a_study_that_never_opened_is_in_nobodys_way(pictures: Path, tmp_path: Path) -> None:
    out = tmp_path / "studies"
    wrong = find_study("count", {"pictures": str(tmp_path / "nowhere")}, out, "")
    with pytest.raises(BadInput, match="folder of pictures"), opened(wrong):
        pass
    folder = find_study("count", {"pictures": str(pictures)}, out, "")
    with opened(folder) as here:
        assert here.desk.study.pictures == str(pictures)
    with pytest.raises(WrongRun, match="it differs in annotators"):  # now people may have come
        find_study("count", {"pictures": str(pictures), "annotators": 3}, out, "")
