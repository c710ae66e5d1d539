"""People's judgements of captions and pictures, beside the counter's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from subitize.captions.images import FITS, FITS_NOT, OPTIONS
from subitize.captions.judging import Judgement, judge_images, people_of
from subitize.captions.store import CHECKED
from subitize.cli import root
from subitize.errors import BadInput
from subitize.measures.accuracy import proportion_interval
from subitize.measures.agreement import krippendorff_alpha


def entry(name: str, number: int, found: int | None) -> dict[str, Any]:
    return {"id": name, "number": number, "found": found}


CAPTIONS = [entry("a", 2, 2), entry("b", 2, 3), entry("c", 4, 4), entry("d", 5, None)]


def test_one_person_beside_the_counter() -> None:
    said = {"a": FITS, "b": FITS_NOT, "c": FITS_NOT, "d": OPTIONS[2]}
    people = people_of([Judgement(name, "", one) for name, one in said.items()], CAPTIONS)
    assert people["answers"] == {FITS: 1, FITS_NOT: 2, OPTIONS[2]: 1}
    assert people["misaligned"] == proportion_interval(2, 3).as_json()
    assert people["counter"] == proportion_interval(1, 3).as_json()
    assert people["agreement"] == proportion_interval(2, 3).as_json()
    wrong = {"people": [False, True, True], "counter": [False, True, False]}
    alpha = krippendorff_alpha([*"abc", *"abc"], [*wrong["people"], *wrong["counter"]])
    assert people["alpha"] == alpha
    assert people["among"] is None
    assert people["undefined"]["among"]


def test_several_people_are_clustered_by_caption() -> None:
    """Ten people who all say the same of a caption know no more than one of them."""
    captions = [entry(str(n), 2, 2 + n % 2) for n in range(40)]
    one = [Judgement(str(n), "p0", FITS_NOT if n % 4 == 0 else FITS) for n in range(40)]
    many = [each._replace(judge=f"p{judge}") for each in one for judge in range(10)]
    alone, together = people_of(one, captions), people_of(many, captions)
    widths = [
        found["misaligned"]["high"] - found["misaligned"]["low"] for found in (alone, together)
    ]
    assert together["misaligned"]["value"] == alone["misaligned"]["value"] == 0.25
    assert widths[1] == pytest.approx(widths[0], rel=0.25)
    assert (together["judges"], together["captions"], together["judgements"]) == (10, 40, 400)
    assert together["among"] == 1.0
    assert together["alpha"] == alone["alpha"]


def test_people_who_are_split_have_no_majority() -> None:
    judged = [Judgement("a", "p", FITS), Judgement("a", "q", FITS_NOT), Judgement("b", "p", FITS)]
    people = people_of(judged, CAPTIONS)
    assert people["counter"]["trials"] == 1
    assert people["agreement"]["value"] == pytest.approx(1 / 3)
    assert people_of([Judgement("d", "p", OPTIONS[2])], CAPTIONS)["misaligned"] is None


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("id,answer\nzz,fits\n", r"answers.csv:2: no caption of the sample has the id 'zz'"),
        ("id,answer\na,maybe\n", r"'maybe' is no answer: give fits, does not fit, can't tell"),
        ("id,answer\na,fits\na,fits\n", "a is judged twice without a judge's name"),
        ("id,answer,judge\na,fits,x\na,fits,x\n", "a is judged twice by 'x'"),
        ("id,answer\n", "holds no judgements"),
        ("id,verdict\na,fits\n", "lacks the column answer"),
    ],
)
def test_wrong_judgements_are_named(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / CHECKED).write_text(json.dumps({"captions": CAPTIONS}))
    (tmp_path / "answers.csv").write_text(content)
    with pytest.raises(BadInput, match=said):
        judge_images(tmp_path, tmp_path / "answers.csv")


def test_from_the_study_to_the_report(tmp_path: Path) -> None:
    """As a user does it: check, have the study judged, give the answers, draw the report."""
    drawn = ("stimuli", "naming", "--out", str(tmp_path), "--per-cell", "1")
    assert not CliRunner().invoke(root, [*drawn, "--categories", "apples"]).exception
    facts = [json.loads(line) for line in (tmp_path / "manifest.jsonl").read_text().splitlines()]
    corpus = tmp_path / "a.jsonl"
    entries = [{"text": f"{one['n']} apples", "image": one["file"]} for one in facts[:3]]
    entries[1]["text"] = "9 apples"
    corpus.write_text("".join(json.dumps(one) + "\n" for one in entries))
    command = ["captions", str(corpus), "--out", str(tmp_path / "runs"), "--workers", "1"]
    early = CliRunner().invoke(root, [*command, "--judgements", str(corpus)])
    assert "check pictures first, with --check-images" in str(early.exception)
    done = CliRunner().invoke(root, [*command, "--check-images", "9"])
    assert done.exit_code == 0, done.output
    (folder,) = (tmp_path / "runs").iterdir()
    study = [json.loads(line) for line in (folder / "study.jsonl").read_text().splitlines()]
    answers = tmp_path / "answers.csv"
    lines = [f"{one['id']},{judge},{FITS}" for one in study for judge in ("ann", "ben")]
    answers.write_text("\n".join(["id,judge,answer", *lines]) + "\n")
    done = CliRunner().invoke(root, [*command, "--judgements", str(answers)])
    assert done.exit_code == 0, done.output
    assert "the counter on the same: 33.3 %" in done.stdout
    assert "by 2 people: 0.0 %" in done.stdout
    out = tmp_path / "report.html"
    done = CliRunner().invoke(root, ["report", str(folder), "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "judged by people" in out.read_text("utf-8")
