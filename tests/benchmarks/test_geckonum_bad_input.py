"""Bad annotations are named with file and line, never silently dropped."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from subitize.benchmarks.geckonum.page_tables import dropped_text
from subitize.datasets.archives import members
from subitize.datasets.geckonum.annotations import read_annotations
from subitize.errors import BadInput
from tests.benchmarks.geckonum_data import (
    BY_TEXT,
    COLUMNS,
    counts,
    people,
    table,
    write_counts,
    zipped,
)

DOGS = BY_TEXT["2 dogs."]
GOOD = counts(DOGS, ["2", "2", "2"])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"image_id": "geckonum_99999_0"}, "unknown prompt"),
        ({"image_id": "dogs"}, "image id without seed"),
        ({"image_id": "geckonum_00020"}, "unknown prompt"),
        ({"image_id": ""}, "missing image id"),
        ({"prompt": "3 dogs."}, "other words than the prompts file"),
        ({"question": "How many cats are in the image?"}, "unknown question"),
        ({"image_id": "geckonum_00969_0", "prompt": ""}, "other words than the prompts file"),
        ({"annot_id": " "}, "missing annotator"),
        ({"raw_answer": ""}, "blank answer"),
        ({"raw_answer": "two"}, "unreadable answer"),
        ({"annot_id": 0}, "duplicate row"),
        ({"annot_id": 0, "raw_answer": "3"}, "annotator answered again"),
    ],
)
def test_rows_that_cannot_be_used(tmp_path: Path, change: dict[str, object], reason: str) -> None:
    rows = [*GOOD[:2], {**GOOD[2], **change}]
    found = people(write_counts(tmp_path / "a", rows))
    assert found.rows() == (2, {reason: 1})
    assert f"1 not used: {reason}: task_1_mine.csv:4" in dropped_text(found, verbose=False)


def test_a_prompt_of_another_task(tmp_path: Path) -> None:
    bread = BY_TEXT["A loaf of bread cut into thirds."]
    row = {**GOOD[2], "image_id": f"{bread.dataset_id}_0", "prompt": bread.prompt}
    found = people(write_counts(tmp_path / "a", [*GOOD[:2], row]))
    assert found.rows().dropped == {"prompt of another task": 1}


def test_typos_are_read_as_the_paper_did(tmp_path: Path) -> None:
    found = people(write_counts(tmp_path / "a", counts(DOGS, ["2q", "o", "6=7", "10+"])))
    assert found.answers["number"].to_list() == [2, 0, 6.5, 11]
    assert found.rows() == (4, {})


def test_lines_are_right_behind_line_breaks_in_quotes_and_blank_lines(tmp_path: Path) -> None:
    lines = table(COLUMNS[1], GOOD).splitlines(keepends=True)
    odd = lines[1].replace("2 dogs.", '"2 dogs.\n"')  # a break that is no part of the words
    text = lines[0] + odd + "\n" + lines[2] + "torn,row\n" + lines[3].replace(",2,2,2", ",2,?,2")
    (tmp_path / "task_1_mine.csv").write_text(text)
    found = people(tmp_path)
    assert found.rows() == (2, {"wrong number of fields": 1, "unreadable answer": 1})
    said = dropped_text(found, verbose=True)
    assert "wrong number of fields: task_1_mine.csv:6" in said
    assert "unreadable answer: task_1_mine.csv:7" in said


def test_rows_of_another_model_than_the_file_says_are_not_used(tmp_path: Path) -> None:
    mixed = [{**GOOD[0], "model": "mine"}, {**GOOD[1], "model": "yours"}, *GOOD[2:]]
    (tmp_path / "task_1_mine.csv").write_text(table(COLUMNS[1], mixed))
    found = people(tmp_path)
    assert found.rows() == (len(GOOD) - 1, {"another model than the file is named after": 1})
    assert "task_1_mine.csv:3" in dropped_text(found, verbose=True)


def test_all_places_or_a_few(tmp_path: Path) -> None:
    rows = [*GOOD, *(counts(DOGS, ["?"] * 9, seed=1))]
    found = people(write_counts(tmp_path / "a", rows))
    assert "task_1_mine.csv:7 and 6 more" in dropped_text(found, verbose=False)
    assert "task_1_mine.csv:13" in dropped_text(found, verbose=True)


def test_bad_answers_of_the_other_tasks(tmp_path: Path) -> None:
    vase = next(p for t, p in BY_TEXT.items() if "vase" in t)
    (tmp_path / "task_2_mine.csv").write_text(
        f"image_id,annot_id,answer_num\n{vase.dataset_id}_0,a,2\n{vase.dataset_id}_0,b,7\n"
    )
    (tmp_path / "task_3_mine.csv").write_text(
        "image_id,question,annot_id,answer\ngeckonum_00969_0,Is it?,a,yes\n"
        "geckonum_00969_0,Is it?,b,maybe\ngeckonum_00969_0,,c,1\n"
    )
    found = people(tmp_path)
    assert found.rows() == (2, {"unreadable answer": 2, "unknown question": 1})


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "task_1_mine.csv is empty"),
        (b"image_id,question\n", r"task_1_mine.csv:1 lacks the column annot_id, raw_answer or"),
        (b"image_id;question;annot_id;answer\n", "lacks the column image_id"),
        (table(COLUMNS[1], GOOD).replace("dogs", "d\xf6gs").encode("latin-1"),
         "task_1_mine.csv:2 is not UTF-8: found the byte 0xf6"),
    ],
)  # fmt: skip
def test_files_that_cannot_be_read(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "task_1_mine.csv").write_bytes(content)
    with pytest.raises(BadInput, match=words):
        people(tmp_path)


def test_a_file_with_a_header_alone_has_no_rows(tmp_path: Path) -> None:
    assert people(write_counts(tmp_path / "a", [])).rows() == (0, {})


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_marked_encodings_are_read(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "task_1_mine.csv").write_bytes(table(COLUMNS[1], GOOD).encode(encoding))
    assert people(tmp_path).rows() == (3, {})


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_other_ends_of_lines_are_read(tmp_path: Path, end: str) -> None:
    rows = [*GOOD[:2], {**GOOD[2], "raw_answer": "?"}]
    text = table(COLUMNS[1], rows).replace("\n", end)
    (tmp_path / "task_1_mine.csv").write_bytes(text.encode())
    found = people(tmp_path)
    assert found.rows() == (2, {"unreadable answer": 1})
    assert "task_1_mine.csv:4" in dropped_text(found, verbose=False)


def test_blanks_around_names_of_columns_do_not_matter(tmp_path: Path) -> None:
    text = (
        table(COLUMNS[1], GOOD).replace("annot_id", " annot_id ").replace("question,", "question ,")
    )
    (tmp_path / "task_1_mine.csv").write_text(text)
    write_counts(tmp_path, GOOD, "other")
    assert people(tmp_path).rows() == (6, {})


def test_lines_that_end_in_two_ways_are_named(tmp_path: Path) -> None:
    text = table(COLUMNS[1], GOOD).replace("\n", "\r", 2)
    (tmp_path / "task_1_mine.csv").write_bytes(text.encode())
    with pytest.raises(BadInput, match=r"task_1_mine.csv:1 can't be read"):
        people(tmp_path)


def test_folder_and_archive_give_the_same(tmp_path: Path) -> None:
    text = table(COLUMNS[1], GOOD)
    archive = zipped(
        tmp_path / "a.zip",
        {"deep/task_1_mine.csv": text, "__MACOSX/deep/task_1_mine.csv": "x", "README.md": "hi"},
    )
    found = read_annotations(archive)
    assert found.others == ("README.md",)
    assert people(archive).rows() == (3, {})


@pytest.mark.parametrize("name", ["../task_1_x.csv", "/task_1_x.csv", "a/../../task_1_x.csv",
                                  "C:/task_1_x.csv", "..\\task_1_x.csv"])  # fmt: skip
def test_a_path_in_an_archive_is_only_a_name(tmp_path: Path, name: str) -> None:
    """Members are read into memory: wherever they say they belong, nothing is written there."""
    inside = tmp_path / "inside"
    inside.mkdir()
    archive = zipped(inside / "a.zip", {name: table(COLUMNS[1], GOOD)})
    before = sorted(tmp_path.rglob("*"))
    assert people(archive).rows() == (3, {})
    assert sorted(tmp_path.rglob("*")) == before


def test_a_link_in_an_archive_is_not_followed(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        link = zipfile.ZipInfo("task_1_x.csv")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(BadInput, match=r"lacks the column .* found /etc/passwd"):
        read_annotations(path)


def test_an_encrypted_member_is_told(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"task_1_x.csv": table(COLUMNS[1], GOOD)})
    content = bytearray(path.read_bytes())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.find(mark) + place] |= 1
    path.write_bytes(content)
    with pytest.raises(BadInput, match=r"encrypted.*unpack it first"):
        read_annotations(path)


def test_zip_bombs_are_refused_by_their_header_and_by_their_content(tmp_path: Path) -> None:
    bomb = zipped(tmp_path / "bomb.zip", {"task_1_x.csv": b"0" * 50_000_000})
    assert bomb.stat().st_size < 100_000
    with pytest.raises(BadInput, match="unpacks to more than 10 MB"):
        read_annotations(bomb, largest=10 * 1024**2)
    many = zipped(tmp_path / "many.zip", {f"task_1_{n}.csv": b"0" * 4_000_000 for n in range(10)})
    with pytest.raises(BadInput, match="unpacks to more than"):
        read_annotations(many, largest=10 * 1024**2)


def test_a_lying_header_does_not_help(tmp_path: Path) -> None:
    bomb = zipped(tmp_path / "bomb.zip", {"task_1_x.csv": b"0" * 5_000_000})
    content = bytearray(bomb.read_bytes())
    true_size = (5_000_000).to_bytes(4, "little")
    place = content.find(true_size)
    while place >= 0:
        content[place : place + 4] = (10).to_bytes(4, "little")
        place = content.find(true_size)
    bomb.write_bytes(content)
    with pytest.raises(BadInput, match=r"damaged|sound zip|unpacks"):
        read_annotations(bomb, largest=1024**2)


def test_damaged_archives(tmp_path: Path) -> None:
    not_zip = tmp_path / "a.zip"
    not_zip.write_text("hello")
    with pytest.raises(BadInput, match="not a sound zip"):
        read_annotations(not_zip)
    whole = zipped(tmp_path / "b.zip", {"task_1_x.csv": table(COLUMNS[1], GOOD) * 50})
    content = bytearray(whole.read_bytes())
    content[60:90] = b"\xff" * 30
    whole.write_bytes(content)
    with pytest.raises(BadInput, match=r"damaged|sound zip"):
        read_annotations(whole)


def test_nothing_to_read(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"holds no annotations .it is empty"):
        read_annotations(zipped(tmp_path / "a.zip", {}))
    with pytest.raises(BadInput, match=r"found notes.csv"):
        read_annotations(zipped(tmp_path / "b.zip", {"notes.csv": "x"}))
    with pytest.raises(BadInput, match="no file or folder"):
        read_annotations(tmp_path / "c.zip")


def test_two_files_of_one_name(tmp_path: Path) -> None:
    text = table(COLUMNS[1], GOOD)
    archive = zipped(tmp_path / "a.zip", {"a/task_1_x.csv": text, "b/task_1_x.csv": text})
    with pytest.raises(BadInput, match="same name"):
        read_annotations(archive)
    assert members(tmp_path, lambda name: name.endswith(".zip"))[0][0].name == "a.zip"
