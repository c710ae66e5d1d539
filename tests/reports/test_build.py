"""A report from runs: files, numbers, missing scores, other ranges, the same bytes."""

from __future__ import annotations

import hashlib
import json
import re
import resource
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from subitize.benchmarks.catalog import get_benchmark, page_of
from subitize.benchmarks.naming_page import sections
from subitize.benchmarks.numerosity_page import numerosity_respondents
from subitize.benchmarks.numerosity_tables import leaderboard_section
from subitize.benchmarks.production_page import sections as production_sections
from subitize.errors import BadInput, UnknownName
from subitize.published import plos2025
from subitize.records import Reading, Row, Stimulus
from subitize.reports.build import build_report
from subitize.reports.page import Figure, Fold, Gallery, Table, every_block
from subitize.runs.stored import StoredRun
from subitize.stimuli import render
from tests.reports.embedded import files_of, rows_of
from tests.reports.made_up_runs import (
    CATEGORIES,
    changed,
    confusion,
    estimate,
    exact,
    guess,
    make_run,
    rescored,
    simulate,
    stored,
)
from tests.scored import load_run
from tests.speed import within

REPORT_CPU_SECONDS = 4
pytestmark = [pytest.mark.budget(120)]


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def report(good_runs: list[StoredRun], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_report(good_runs, tmp_path_factory.mktemp("report") / "report.html", page_of)


def test_every_figure_and_table_travels_inside_the_page(
    report: Path, good_runs: list[StoredRun]
) -> None:
    files = files_of(report)
    figures = 0
    for block in every_block(sections(good_runs)):
        if isinstance(block, Figure):
            figures += 1
            drawn = ElementTree.fromstring(files[f"{block.name}.svg"])
            title, described, *_ = drawn
            assert (title.text, described.text) == (block.caption, block.alt)
        if isinstance(block, Table):
            assert len(rows_of(report, f"{block.name}.csv")) == len(block.rows)
    assert figures == 7
    assert [path.name for path in report.parent.iterdir()] == ["report.html"]


def test_other_formats_lie_beside_the_page(tmp_path: Path) -> None:
    run = make_run("m", simulate(guess, per_cell=1, highest=2), highest=2)
    out = tmp_path / "report.html"
    build_report([run], out, page_of, figures=["pdf", "png"])
    folder = tmp_path / "report_files"
    drawn = {name.removesuffix(".svg") for name in files_of(out) if name.endswith(".svg")}
    expected = {f"{name}.{kind}" for name in drawn for kind in ("pdf", "png")}
    assert {path.name for path in folder.iterdir()} == {*expected, "contents.json"}
    assert all((folder / name).stat().st_size > 1000 for name in expected)
    build_report([run], out, page_of)
    assert not folder.exists()
    with pytest.raises(BadInput, match="'gif'"):
        build_report([run], out, page_of, figures=["gif"])


def test_the_leaderboard_is_sorted_and_equals_the_scores(
    report: Path, good_runs: list[StoredRun]
) -> None:
    found = rows_of(report, "naming-leaderboard.csv")
    values = [float(row["nae"]) for row in found if row["nae"]]
    assert values == sorted(values)
    assert all(not row["nae"] for row in found[len(values) :])
    assert {row["mark"].split()[0] for row in found[len(values) :]} == {"published"}
    ranks = {row["model"]: row["rank"] for row in found if row["rank"]}
    assert list(ranks) == [row["model"] for row in found if row["mark"] == "best of 3 prompts"]
    assert sorted(map(int, ranks.values())) == [1, 2, 3, 4]
    by_model = {row["model"]: row for row in found}
    for run in good_runs:
        row = by_model[run.scores["model"]]
        for measure in ("nae", "accuracy", "human_correlation", "weber_fraction"):
            for name, suffix in (("value", ""), ("low", "_low"), ("high", "_high")):
                assert float(row[measure + suffix]) == run.scores[measure][name]
    assert by_model["hf/tiny-vlm"]["parameters"] == "0.27"
    assert by_model["Qwen2.5-VL 72B"]["mark"] == "published best of 3 prompts"
    assert by_model["ViLT-b32"]["accuracy"] == "< 30 %"
    observer = by_model["Ideal human observer"]
    assert observer["mark"] == "baseline"
    assert float(observer["nae"]) == pytest.approx(0.0689, abs=5e-5)
    assert float(by_model["Random choice (expected)"]["nae"]) == pytest.approx(2.30042, abs=5e-6)


def test_runs_that_are_alike_share_a_rank_and_unfinished_ones_have_none(tmp_path: Path) -> None:
    rows = simulate(estimate, per_cell=1)
    failed = [row._replace(reading=Reading("failed")) for row in rows[:3]] + rows[3:]
    unread = {"states": {"refused": len(rows)}, "nae": None, "accuracy": None}
    runs = [
        make_run("b", rows), make_run("a", rows), make_run("worse", simulate(guess, per_cell=1)),
        make_run("mute", rows, **unread), make_run("broken", failed),
        make_run("half", rows),
    ]  # fmt: skip
    asked = {"per_cell": 2, "categories": CATEGORIES, "prompt": "things", "control": False}
    settings = get_benchmark("naming").settings_from(asked)
    runs[-1] = changed(runs[-1], info={**runs[-1].info, "kind": "namer"}, settings=settings)
    out = build_report(runs, tmp_path / "report.html", page_of)
    found = rows_of(out, "naming-leaderboard.csv")
    own = {row["model"]: row for row in found if row["model"] in {r.scores["model"] for r in runs}}
    shown = {name: row["rank"] for name, row in own.items()}
    assert shown == {"a": "1", "b": "1", "worse": "3", "broken": "", "half": "", "mute": ""}
    assert own["mute"]["mark"].startswith("no answer read")
    assert own["broken"]["mark"].startswith("3 failed")
    assert own["half"]["mark"].startswith("partial: 50 of 100 trials")
    text = out.read_text("utf-8")
    assert "2 tied" in text
    assert "a, b: " in text
    assert "1 =" in text
    assert "Gave no answer that could be read." in text


def test_many_tied_runs_leave_a_card_its_size(tmp_path: Path) -> None:
    rows = simulate(lambda target, _: target, per_cell=1)
    runs = [make_run(f"m{nth}", rows) for nth in range(9)]
    text = build_report(runs, tmp_path / "report.html", page_of).read_text("utf-8")
    assert "9 tied" in text
    assert "m0, m1, m2, m3 and 5 more: 0.000" in text


def test_the_confusion_file_holds_the_counts(report: Path, good_runs: list[StoredRun]) -> None:
    found = rows_of(report, "naming-confusion.csv")
    for run in good_runs:
        for category in CATEGORIES:
            counts = run.scores["categories"][category]["confusion"]["counts"]
            expected = {
                (target + 1, response): many
                for response, line in enumerate(counts)
                for target, many in enumerate(line)
                if many
            }
            assert expected == {
                (int(row["target"]), int(row["response"])): int(row["replies"])
                for row in found
                if (row["model"], row["category"]) == (run.scores["model"], category)
            }


def test_the_same_runs_give_the_same_bytes(tmp_path: Path) -> None:
    runs = [make_run("sim/observer", simulate(estimate, per_cell=2, highest=6), highest=6)]
    build_report(runs, tmp_path / "a" / "report.html", page_of)
    build_report(runs, tmp_path / "b" / "report.html", page_of)
    assert tree(tmp_path / "a") == tree(tmp_path / "b")


def test_a_second_report_removes_what_the_first_left_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "report_files"
    folder.mkdir()
    left, foreign, outside = folder / "naming-old.svg", folder / "notes.txt", tmp_path / "keep"
    for path in (left, foreign, outside):
        path.write_text("mine", "utf-8")
    (folder / "contents.json").write_text(json.dumps([left.name, "../keep"]), "utf-8")
    run = make_run("m", simulate(guess, per_cell=1, highest=2), highest=2)
    build_report([run], tmp_path / "report.html", page_of, figures=["svg"])
    assert not left.exists()
    assert foreign.read_text("utf-8") == outside.read_text("utf-8") == "mine"
    assert (folder / "naming-confusion.svg").is_file()
    assert not [path.name for path in tmp_path.rglob(".*")]


def test_many_models_take_several_figures() -> None:
    runs = [make_run(f"m{i}", simulate(guess, per_cell=1, seed=i)) for i in range(7)]
    names = [b.name for b in every_block(sections(runs)) if isinstance(b, Figure)]
    assert {"naming-confusion-1", "naming-confusion-2", "naming-errors-2"} <= set(names)
    folded = {
        inner.name
        for section in sections(runs)
        for block in section.blocks
        if isinstance(block, Fold)
        for inner in block.blocks
        if isinstance(inner, Figure)
    }
    assert {"naming-confusion-2", "naming-errors-2"} <= folded
    assert "naming-confusion-1" not in folded
    assert len(names) == len(set(names))


NOTHING: dict[str, Any] = {
    "accuracy": None,
    "nae": {"value": None, "low": None, "high": None},
    "counting_level": None,
    "human_correlation": None,
    "category_consistency": None,
    "bias": dict.fromkeys(CATEGORIES),
    "scalar_variability": None,
    "weber_fraction": None,
    "subitizing_limit": None,
    "prompt": None,
    "prompts": None,
    "control_question": None,
    "confusion": confusion([], 10),
    "categories": {name: {"confusion": confusion([], 10), "nae": None} for name in CATEGORIES},
    "undefined": {"nae": "there is <b>no</b> readable reply"},
}


def test_a_run_without_a_single_score_is_reported_with_reasons(tmp_path: Path) -> None:
    runs = [
        make_run("sim/refuser", simulate(estimate, per_cell=1), **NOTHING),
        stored(Path("never-scored"), {"benchmark": "naming"}, get_benchmark("naming"), [], {}),
    ]
    text = build_report(runs, tmp_path / "report.html", page_of).read_text("utf-8")
    assert "sim/refuser · NAE: there is &lt;b&gt;no&lt;/b&gt; readable reply" in text
    assert "never-scored" in text
    row = rows_of(tmp_path / "report.html", "naming-leaderboard.csv")
    assert {line["nae"] for line in row if line["model"] in ("sim/refuser", "never-scored")} == {""}


def test_other_ranges_than_ten(tmp_path: Path) -> None:
    rows = simulate(estimate, per_cell=1, highest=15)
    run = make_run("wide", rows, highest=15)
    text = build_report([run], tmp_path / "report.html", page_of).read_text("utf-8")
    assert "any number from 1 to 30" in text
    found = rows_of(tmp_path / "report.html", "naming-confusion.csv")
    assert max(int(row["target"]) for row in found) == 15


def test_a_report_of_one_small_run_is_cheap(tmp_path: Path) -> None:
    """In a new process, start included; see the mark `budget` for why this is CPU time."""
    command = [sys.executable, "-m", "subitize"]
    asked = ["run", "naming", "--model", "sim/observer", "--per-cell", "2", "--out"]
    subprocess.run([*command, *asked, str(tmp_path / "runs")], check=True, capture_output=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = tmp_path / "report.html"
    told = [sys.executable, "-X", "importtime", "-m", "subitize", "report", str(tmp_path / "runs")]
    done = subprocess.run([*told, "--out", str(out)], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert within(spent, 2 * REPORT_CPU_SECONDS), "a busy machine may double it"
    assert b"matplotlib.backends.backend_svg" in done.stderr
    assert b"matplotlib.backends.backend_pdf" not in done.stderr


def moved(run: StoredRun, name: str) -> StoredRun:
    return changed(run, folder=Path(name))


def test_two_runs_of_one_model_are_told_apart() -> None:
    rows = simulate(estimate, per_cell=1)
    one, two = make_run("m", rows), make_run("m", rows)
    runs = [moved(run, f"run-{i}") for i, run in enumerate((one, two))]
    board = next(b for b in every_block(sections(runs)) if isinstance(b, Table))
    labels = {row[0].shown for row in board.rows}
    assert {"m (run-0)", "m (run-1)"} <= labels


def test_the_gallery_shows_the_worst_first(good_runs: list[StoredRun]) -> None:
    galleries = [b for b in every_block(sections(good_runs)) if isinstance(b, Gallery)]
    observer = next(gallery for gallery in galleries if gallery.title == "sim/observer")
    apples = [picture for picture in observer.pictures if picture.detail == "apples"]
    assert [picture.verdict for picture in apples][-1] == "right"
    errors = []
    for picture in apples[:-1]:
        target, given = (int(part) for part in picture.title.split(" → "))
        errors.append(abs(target - given) / target)
    assert errors == sorted(errors, reverse=True)
    assert min(errors) > 0


def test_the_methods_can_be_copied(report: Path) -> None:
    text = report.read_text("utf-8")
    for said in (
        "We ran the benchmark naming (version 1; Testolin A, Hou K, Zorzi M 2025) with subitize",
        "How many things are there in the picture?",
        "In all 1,200 trials were asked (seed 0)",
        "10.1371/journal.pone.0331566",
        "@software{subitize",
        "read by the rules “strict”",
    ):
        assert said in text, said
    paragraph = re.search(r'<div class="copied">.*?<p class="body">(We ran .*?)</p>', text, re.S)
    assert paragraph
    assert "numpy" not in paragraph[1]


def test_wrong_input_is_told(tmp_path: Path, good_runs: list[StoredRun]) -> None:
    with pytest.raises(BadInput, match="no run"):
        build_report([], tmp_path / "report.html", page_of)
    with pytest.raises(BadInput, match=r"\.html"):
        build_report(good_runs, tmp_path / "report.pdf", page_of)
    with pytest.raises(UnknownName, match="did you mean 'naming'"):
        page_of("nameing")


def painted_run(folder: Path) -> StoredRun:
    """A painter that draws one too many of everything above two, and once nothing at all."""
    (folder / "images").mkdir(parents=True)
    rows = []
    for row in simulate(lambda target, _: target + (target > 2), per_cell=2, highest=4):
        picture = render(row.trial.stimulus).png
        name = f"{hashlib.sha256(picture).hexdigest()}.png"
        (folder / "images" / name).write_bytes(picture)
        prompt = f"An image with {row.trial.target} {row.trial.condition['category']}"
        trial = replace(row.trial, stimulus=Stimulus("prompt", {"text": prompt}), question=prompt)
        response = replace(row.response, kind="picture", value=name)
        empty = row.trial.target == 1 and row.trial.condition["index"] == 0
        rows.append(Row(trial, response, Reading("empty") if empty else row.reading))
    made = make_run("painter/odd", rows, highest=4)
    scores = {**made.scores, "benchmark": "production"}
    info = {**made.info, "benchmark": "production"}
    return stored(folder, info, get_benchmark("production"), rows, scores)


def test_production_shows_the_pictures_received(tmp_path: Path) -> None:
    run = painted_run(tmp_path / "run")
    pages = production_sections([run])
    gallery = next(b for s in pages for b in s.blocks if isinstance(b, Gallery))
    assert {picture.verdict for picture in gallery.pictures} == {"right", "wrong", "unreadable"}
    assert gallery.pictures[0].reply.startswith("An image with")
    text = build_report([run], tmp_path / "report.html", page_of).read_text("utf-8")
    assert "nothing countable in the picture" in text
    board = rows_of(tmp_path / "report.html", "production-leaderboard.csv")
    flux = next(row for row in board if row["model"] == "FLUX")
    assert (flux["nae"], flux["accuracy"], flux["mark"]) == ("0.25", "0.442", "published")


def test_a_real_run_from_its_folder(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "subitize", "run", "naming", "--out", str(tmp_path / "runs")]
    command += ["--model", "sim/observer", "--model", "sim/refuser", "--per-cell", "1"]
    subprocess.run([*command, "--size", "64"], check=True, capture_output=True)
    runs = [load_run(folder) for folder in sorted((tmp_path / "runs").iterdir())]
    build_report(runs, tmp_path / "report.html", page_of)
    board = rows_of(tmp_path / "report.html", "naming-leaderboard.csv")
    by_model = {row["model"]: row for row in board}
    scores = {run.scores["model"]: run.scores for run in runs}
    assert float(by_model["sim/observer"]["nae"]) == scores["sim/observer"]["nae"]["value"]
    assert by_model["sim/refuser"]["nae"] == ""
    assert float(by_model["sim/refuser"]["not_read"]) == 1.0
    tests = rows_of(tmp_path / "report.html", "naming-bias-tests.csv")
    first = scores["sim/observer"]["bias"]["apples"]
    found = next(r for r in tests if (r["model"], r["category"]) == ("sim/observer", "apples"))
    assert (float(found["r"]), float(found["p"])) == (first["r"], first["p"])


def test_questions_that_differ_in_one_place_are_written_as_one() -> None:
    rows = []
    for row in simulate(estimate, per_cell=1, highest=2):
        thing = row.trial.condition["category"]
        trial = replace(row.trial, question=f"How many {thing} are there in the picture?")
        rows.append(Row(trial, row.response, row.reading))
    run = make_run("m", rows, highest=2)
    methods = next(section for section in sections([run]) if section.id == "naming-methods")
    text = methods.blocks[0].text
    assert "“How many apples / people / butterflies / dots / fast cards are there in the" in text


def test_the_methods_call_people_people_and_tell_what_no_score_stands_on() -> None:
    """They spoke of "1 model: human/ann", and of 7,000 trials where a card said 6,000."""

    def said(*runs: StoredRun) -> str:
        methods = next(one for one in sections(list(runs)) if one.id == "naming-methods")
        return str(methods.blocks[0].text)  # type: ignore[union-attr]

    rows = simulate(exact, per_cell=1, highest=2)
    ann, model = make_run("human/ann", rows, highest=2), make_run("sim/a", rows, highest=2)
    assert " on 1 person. In all " in said(ann)
    assert " on 1 person and 1 model: sim/a. In all " in said(ann, model)
    assert " on 2 people. In all " in said(changed(ann, info={**ann.info, "respondents": [
        {"name": "human/ann"}, {"name": "human/bob"}]}))  # fmt: skip
    trials = model.scores["trials"]
    assert f"the scores stand on {trials}. " in said(model)
    assert f"the scores stand on {trials} answers to them" in said(
        rescored(model, asked=trials - 1)
    )
    more = rescored(model, asked=trials + 5)
    assert ", 5 of them control questions or prompts only tried, and the scores" in said(more)
    assert "control questions" not in said(model)


def test_runs_of_other_ranges_are_ranked_apart() -> None:
    """A run of --max 30 stood between runs of 10, and all beside the baselines of 30."""
    runs = [
        make_run(f"sim/{name}", simulate(exact, per_cell=1, highest=highest), highest=highest)
        for name, highest in (("a", 10), ("b", 10), ("c", 30))
    ]
    section = leaderboard_section("naming", numerosity_respondents(runs), plos2025.rows("naming"))
    table = next(one for one in section.blocks if isinstance(one, Table))
    shown = [[cell.shown for cell in row] for row in table.rows]
    headings = [heading for heading, many in table.groups for _ in range(many)]
    places = {row[0]: (heading, row[1]) for heading, row in zip(headings, shown, strict=True)}
    assert places["sim/a"] == places["sim/b"] == ("Numbers 1 to 10", "1 =")
    assert places["sim/c"] == ("Numbers 1 to 30", "1")
    chance = [(h, row[2]) for h, row in zip(headings, shown, strict=True) if "expected" in row[0]]
    assert chance == [("Numbers 1 to 10", "2.300"), ("Numbers 1 to 30", "3.303")]
    drawn = [one.name for one in section.blocks if isinstance(one, Figure)]
    assert drawn[:2] == ["naming-standing", "naming-30-standing"]
