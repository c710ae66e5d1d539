"""`subitize calibrate`: from boxes and human counts to a threshold, a curve and a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

from subitize.cli import main
from subitize.errors import BadInput
from subitize.readers.calibration import load_calibration


def made_up(folder: Path, pictures: int = 120) -> tuple[Path, Path, list[dict[str, Any]]]:
    """Pictures of 1..6 things whose boxes score above .4, and noise that scores below it."""
    rng = np.random.default_rng(1)
    lines: list[dict[str, Any]] = []
    counts = ["image,category,count"]
    for which in range(pictures):
        n = 1 + which % 6
        image = f"{which}.png"
        counts.append(f"{image},{'apples' if which % 2 else 'dots'},{n}")
        for place in range(n + int(rng.integers(0, 4))):
            low, high = (0.42, 0.95) if place < n else (0.05, 0.38)
            x = 100.0 * place
            score = float(rng.uniform(low, high))
            box = {"x0": x, "y0": 0.0, "x1": x + 50, "y1": 50.0, "score": score}
            lines.append({"image": image, **box})
            if place == 0:  # a near-copy that merging takes away
                lines.append({"image": image, **box, "x1": x + 50.5, "score": score - 0.01})
    boxes = folder / "boxes.jsonl"
    boxes.write_text("".join(json.dumps(line) + "\n" for line in lines))
    table = folder / "counts.csv"
    table.write_text("\n".join(counts) + "\n")
    return boxes, table, lines


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["calibrate", *arguments])
    return int(ended.value.code or 0)


def test_finds_the_threshold_between_things_and_noise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    boxes, counts, _ = made_up(tmp_path)
    out = tmp_path / "made" / "calibration.json"
    assert run("--boxes", str(boxes), "--counts", str(counts), "--out", str(out), "--json") == 0
    printed = json.loads(capsys.readouterr().out)
    assert 0.38 <= printed["threshold"] <= 0.42
    assert printed["nae"]["value"] == printed["nae"]["low"] == 0
    assert printed["nae"]["high"] > 0  # no error seen in so many pictures is not none at all
    assert printed["accuracy"]["value"] == 1
    assert printed["accuracy"]["low"] < 1
    assert printed["held_out_nae"] < 0.02
    assert set(printed["categories"]) == {"apples", "dots"}
    assert len(printed["curve"]["nae"]) == 99
    assert printed["curve"]["nae"][4] > 0.1 < printed["curve"]["nae"][89]
    kept = load_calibration(out)
    assert kept.as_json() == printed
    assert sum(times for _, _, times in kept.pairs["dots"]) == 60
    for ending, start in (("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG")):
        assert out.with_suffix(f".{ending}").read_bytes().startswith(start)


def test_parquet_and_jsonl_give_the_same_and_the_text_tells_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    boxes, counts, lines = made_up(tmp_path)
    parquet = tmp_path / "boxes.parquet"
    polars.DataFrame(lines).write_parquet(parquet)
    texts = []
    for file in (boxes, parquet):
        assert run("--boxes", str(file), "--counts", str(counts)) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]
    assert "best threshold 0.40 on 120 pictures" in texts[0]
    assert "dots" in texts[0]


def test_a_picture_without_boxes_counts_zero(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    boxes, counts, _ = made_up(tmp_path)
    counts.write_text(counts.read_text() + "extra.png,dots,5\nnone.png,dots,0\n")
    assert run("--boxes", str(boxes), "--counts", str(counts), "--json") == 0
    captured = capsys.readouterr()
    printed = json.loads(captured.out)
    assert "2 of 122 counted pictures have no box" in captured.err
    assert [5, 0, 1] in printed["pairs"]["dots"]
    assert printed["accuracy"]["trials"] == 122
    assert printed["nae"]["trials"] == 121


def test_group_boxes_need_the_pictures_sizes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, counts, lines = made_up(tmp_path)
    sized = []
    for line in lines:
        sized.append({**line, "width": 900, "height": 60})
    for which in range(120):
        whole = {"x0": 0, "y0": 0, "x1": 900, "y1": 60, "score": 0.99, "width": 900, "height": 60}
        sized.append({"image": f"{which}.png", **whole})
    boxes = tmp_path / "sized.jsonl"
    boxes.write_text("".join(json.dumps(line) + "\n" for line in sized))
    assert run("--boxes", str(boxes), "--counts", str(counts), "--json") == 0
    found = json.loads(capsys.readouterr().out)
    # a single thing and a box around everything can't be told from two things
    wrong = {(true, counted) for pairs in found["pairs"].values() for true, counted, _ in pairs
             if true != counted}  # fmt: skip
    assert wrong == {(1, 2)}


GOOD = '{"image": "0.png", "x0": 0, "y0": 0, "x1": 5, "y1": 5, "score": 0.9}\n'


@pytest.mark.parametrize(("boxes", "counts", "words"), [
    (GOOD + GOOD.replace("0.9", "NaN"), "0.png,a,1", "b.jsonl:2: score is missing or NaN"),
    (GOOD + GOOD.replace("0.9", '"high"'), "0.png,a,1", "b.jsonl:2: score is high"),
    (GOOD + GOOD.replace('"x1": 5', '"x1": -5'), "0.png,a,1", "b.jsonl:2: the box"),
    (GOOD + "{", "0.png,a,1", "b.jsonl:2 is not JSON"),
    (GOOD + "[]\n", "0.png,a,1", "b.jsonl:2 is no object"),
    (GOOD + '{"image": "0.png"}\n', "0.png,a,1", "b.jsonl:2 lacks x0, y0, x1, y1, score"),
    (GOOD, "0.png,a,1\n0.png,a,2", "c.csv:3: '0.png' was counted already in .*c.csv:2"),
    (GOOD, "0.png,a,many", "c.csv:2: the count is 'many'"),
    (GOOD, "0.png,a,-1", "c.csv:2: the count is '-1'"),
    (GOOD, "0.png,a,1.5", "c.csv:2: the count is '1.5'"),
    (GOOD, "0.png,a,nan", "c.csv:2: the count is 'nan'"),
    (GOOD, ",a,1", "c.csv:2 lacks image"),
    (GOOD, "", "has no counts"),
    (GOOD, "1.png,a,1", "None of the pictures"),
    (GOOD + GOOD.replace("0.png", "9.png"), "0.png,a,1", "box 2: .* has no count for '9.png'"),
    (GOOD, "0.png,a,0", "counted 0 in every picture"),
    (GOOD + GOOD.replace("0.9", "95"), "0.png,a,1", "b.jsonl:2: score is 95: scores from 0 to 1"),
    (GOOD.replace("0.9", '0.9, "width": 0, "height": 9'), "0.png,a,1", ":1: width and height"),
    (GOOD, "0.png,a,1e300", "c.csv:2: the count is '1e300'"),
    (GOOD, f"0.png,{'a' * 200_000},1", "c.csv:2: this is not CSV"),
])  # fmt: skip
def test_bad_tables_name_file_and_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], boxes: str, counts: str, words: str
) -> None:
    import re

    (tmp_path / "b.jsonl").write_text(boxes)
    (tmp_path / "c.csv").write_text(f"image,category,count\n{counts}\n")
    assert run("--boxes", str(tmp_path / "b.jsonl"), "--counts", str(tmp_path / "c.csv")) == 2
    assert re.search(words, capsys.readouterr().err)


def test_wrong_files_and_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    boxes, counts, _ = made_up(tmp_path)
    odd = tmp_path / "odd.csv"
    odd.write_text("picture,count\n1.png,3\n")
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1 and no more")
    for first, second, words in (
        (boxes, odd, "lacks the column image, category"),
        (broken, counts, "can't be read as Parquet"),
        (counts, counts, "lacks the column x0, y0, x1, y1, score"),
        (tmp_path / "absent.jsonl", counts, "No such file"),
    ):
        assert run("--boxes", str(first), "--counts", str(second)) == 2
        assert words in capsys.readouterr().err
    assert run("--boxes", str(boxes)) == 2
    assert "Give --boxes and --counts" in capsys.readouterr().err
    with pytest.raises(BadInput, match=r"is not JSON.*Make one with"):
        load_calibration(odd)


def test_a_naming_run_of_the_counter_serves_as_well(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["run", "naming", "--model", "counter/blobs", "--per-cell", "2", "--size", "128",
              "--max", "4", "--prompt", "things", "--out", str(tmp_path), "--json"])  # fmt: skip
    capsys.readouterr()
    folder = next(tmp_path.iterdir())
    assert run("--run", str(folder), "--json") == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["counter"] == "counter/blobs"
    assert printed["pictures"] == 40
    assert printed["accuracy"]["value"] == 1
    # and its boxes can be counted again by other rules, without a call
    with pytest.raises(SystemExit):
        main(["read", str(folder), "--reader", "strict?group=2&nms=1&threshold=1", "--json"])
    assert json.loads(capsys.readouterr().out)["states"] == {"read": 40}
    with pytest.raises(SystemExit) as ended:
        main(["read", str(folder), "--reader", "strict?threshold=7"])
    assert ended.value.code == 2


def test_a_picture_asked_about_in_three_forms_is_one_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["run", "naming", "--model", "counter/blobs", "--per-cell", "2", "--size", "64",
              "--max", "3", "--categories", "dots", "--out", str(tmp_path), "--json"])  # fmt: skip
    assert json.loads(capsys.readouterr().out)[0]["asked"] == 18
    assert run("--run", str(next(tmp_path.iterdir())), "--json") == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["pictures"] == 6
    assert sorted(printed["pairs"]["dots"]) == [[1, 1, 2], [2, 2, 2], [3, 3, 2]]


def test_where_nothing_can_be_written_is_told_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    boxes, counts, _ = made_up(tmp_path)
    for out, words in (
        (tmp_path, "ends in .json"),
        (tmp_path / "curve.png", "ends in .json"),  # the curve itself would go there
        (boxes / "below" / "a.json", "can't be made"),
    ):
        assert run("--boxes", str(boxes), "--counts", str(counts), "--out", str(out)) == 2
        assert words in capsys.readouterr().err
