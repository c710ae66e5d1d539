"""A study by its kind, its file or its folder: what the command makes of it."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from subitize.commands.annotating import find_study
from subitize.errors import BadInput, SubitizeError, WrongRun
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


@pytest.mark.parametrize("by", ["kind", "file"])
def test_any_entry_is_set_by_the_command(by: str, tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(
        'kind = "geckonum-task2"\nchecks = 7\n[consent]\ntext = "Look."\n'
    )
    study = "geckonum-task2" if by == "kind" else str(tmp_path / "study.toml")
    given = {"counts": "on", "checks": "3", "consent.version": "4", "returning.rule": "block",
             "returning.max_age_hours": "1.5", "instructions": "Look."}  # fmt: skip
    found, _ = read_folder(find_study(study, given, tmp_path / "studies", ""))
    assert (found.counts, found.checks, found.instructions) == (True, 3, ("Look.",))
    assert (found.consent.version, found.returning.rule) == ("4", "block")
    assert found.returning.max_age_hours == 1.5
    assert (found.consent.text == "Look.") == (by == "file")
    for wrong, told in (
        ("checks", "checks is 'x'"),
        ("counts", "counts is 'x'"),
        ("chekcs", "did you mean"),
    ):
        with pytest.raises(SubitizeError, match=told):
            find_study(study, {**given, wrong: "x"}, tmp_path / "others", "")


@pytest.mark.parametrize("by", ["kind", "file"])
def test_capture_s_real_set_is_asked_of_people(
    by: str, pictures: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    box = {"x": 1, "y": 1, "width": 20, "height": 20}
    (tmp_path / "own.json").write_bytes(orjson.dumps([
        {"image_file": "one.png", "log_prob": None, "density_map_sum": 1.0, "ground_truth": 1,
         "object": "apples", "bbox": box}
    ]))  # fmt: skip
    given = {"set": "real", "pictures": "pictures", "metadata": "own.json"}
    (tmp_path / "study.toml").write_text(
        'kind = "capture"\n[settings]\n' + "".join(f"{k} = '{v}'\n" for k, v in given.items())
    )
    monkeypatch.chdir(tmp_path)
    if by == "kind":
        folder = find_study("capture", given, tmp_path / "studies", "")
    else:
        folder = find_study("study.toml", {"annotators": "2"}, tmp_path / "studies", "")
    monkeypatch.chdir("/")
    with opened(folder) as here:
        asked = [one for one in here.desk.items.values() if one.role == "main"]
        assert [q.words for one in asked for q in one.questions] == [
            "How many apples are there in all?"
        ]
        assert asked[0].picture is not None
        assert asked[0].picture().content != (pictures / "one.png").read_bytes()
