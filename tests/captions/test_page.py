"""The page of caption corpora, and that the counting finds what was put in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.reports.embedded import files_of
from typer.testing import CliRunner

from subitize.captions.counting import Counting, count_captions
from subitize.captions.made import made_captions
from subitize.captions.page import _bars
from subitize.captions.page_checks import marked
from subitize.captions.progress import Progress
from subitize.cli import root
from subitize.reports.style import new_figure


def corpus(folder: Path, name: str, exponent: float, seed: int = 0) -> tuple[Path, dict[str, Any]]:
    texts, numbers = made_captions(20_000, np.random.default_rng(seed), exponent=exponent)
    file = folder / f"{name}.jsonl"
    file.write_text("".join(json.dumps({"caption": one}) + "\n" for one in texts))
    found, result = count_captions(
        [str(file)], folder / "runs", Counting(name=name), Progress(show=False)
    )
    known = [number for number in numbers if number is not None]
    assert result["with_number"] == len(known)
    assert result["frequencies"] == {str(n): known.count(n) for n in sorted(set(known))}
    return found, result


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("counted")
    return [corpus(folder, "CC3M", 2.2)[0], corpus(folder, "LAION <b>", 1.8, 1)[0]]


def test_the_law_and_the_decades_are_found(tmp_path: Path) -> None:
    _, result = corpus(tmp_path, "one", 2.0)
    assert result["fit"]["exponent"]["value"] == pytest.approx(2.0, abs=0.1)
    assert result["fit"]["alternatives"]["exponential"]["ratio"] > 0
    excess = result["decades"]["10"]["excess"]
    assert 2 < excess["low"] < excess["value"] < excess["high"] < 5
    assert result["share"]["value"] == pytest.approx(0.5, abs=0.02)
    assert {"identifier", "unit", "ordinal", "year", "currency"} <= result["rejected"].keys()
    assert result["undefined"] == {}


@pytest.mark.parametrize(("most", "panels"), [(14, 1), (400, 2)])
def test_the_axis_is_broken_only_where_bars_are_far_taller(most: int, panels: int) -> None:
    frequencies = {str(number): most if number == 1 else 10 for number in range(1, 12)}
    figure = new_figure(7.6, 2.4)
    result = {"name": "a", "frequencies": frequencies, "fit": None}
    _bars(figure, figure.add_gridspec(1, 1)[0, 0], result)
    assert len(figure.axes) == panels


def test_the_report_shows_both_corpora(counted: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    done = CliRunner().invoke(root, ["report", *map(str, counted), "--out", str(out)])
    assert done.exit_code == 0, done.output
    page = out.read_text("utf-8")
    assert "LAION &lt;b&gt;" in page
    assert "LAION <b>" not in page
    assert "Decades" in page
    assert "Porsche <mark>911</mark>" in page
    files = files_of(out)
    assert "Porsche [911]" in files["captions-rejected.csv"].decode()
    assert "captions-decades-excess.svg" in files
    assert {"captions-frequencies.svg", "captions-law.svg", "captions-fit.csv"} <= files.keys()
    bars, law = (files[f"captions-{name}.svg"].decode() for name in ("frequencies", "law"))
    assert " %</text>" in bars  # as in Figure 6, so that corpora of any size stand side by side
    assert " %</text>" not in law
    again = tmp_path / "again.html"
    CliRunner().invoke(root, ["report", str(counted[0].parent), "--out", str(again)])
    assert again.read_text("utf-8").count("<svg") == page.count("<svg")


def test_a_number_far_inside_a_caption_is_shown() -> None:
    text = "x " * 200 + "7 dogs" + " y" * 200
    found = marked({"caption": text, "start": 400, "end": 401})
    assert (found.before[0], found.part, found.after[-1]) == ("…", "7", "…")
    assert str(found).strip("…").replace("[7]", "7") in text


def test_a_corpus_without_numbers_has_a_page(tmp_path: Path) -> None:
    file = tmp_path / "none.jsonl"
    file.write_text('{"caption": "sky"}\n')
    folder, result = count_captions(
        [str(file)], tmp_path / "runs", Counting(), Progress(show=False)
    )
    assert result["fit"] is None
    assert "fit" in result["undefined"]
    out = tmp_path / "report.html"
    done = CliRunner().invoke(root, ["report", str(folder), "--out", str(out)])
    assert done.exit_code == 0, done.output


def test_a_counting_that_has_not_ended_is_said(counted: list[Path], tmp_path: Path) -> None:
    folder = tmp_path / "begun"
    folder.mkdir()
    (folder / "captions.json").write_bytes((counted[0] / "captions.json").read_bytes())
    done = CliRunner().invoke(root, ["report", str(folder), "--out", str(tmp_path / "r.html")])
    assert "has not ended" in str(done.exception)


@pytest.mark.budget(30)
def test_a_models_accuracy_beside_the_frequencies(tmp_path: Path) -> None:
    model = ("--model", "sim/observer?w=0.25", "--set", "per_cell=4", "--set", "control=false")
    done = CliRunner().invoke(
        root, ["run", "naming", *model, "--out", str(tmp_path / "models"), "--json"]
    )
    assert done.exit_code == 0, done.output
    folder, _ = corpus(tmp_path, "one", 2.0)
    files = [str(tmp_path / "one.jsonl"), "--out", str(tmp_path / "runs"), "--name", "one"]
    done = CliRunner().invoke(
        root,
        ["captions", *files, "--workers", "1", "--captions-of", str(tmp_path / "models"), "--json"],
    )
    assert done.exit_code == 0, done.output
    (found,) = json.loads(done.stdout)["beside"]
    assert [one["number"] for one in found["by_number"]] == list(range(1, 11))
    assert found["correlation"]["value"] > 0.5
    assert found["permutation_p"] < 0.1
    assert found["partial"]["low"] < found["partial"]["value"] < found["partial"]["high"]
    out = tmp_path / "report.html"
    done = CliRunner().invoke(
        root, ["report", str(folder), str(tmp_path / "models"), "--out", str(out)]
    )
    assert done.exit_code == 0, done.output
    assert "Accuracy and frequency" in out.read_text("utf-8")
    assert "Numerosity naming" in out.read_text("utf-8")
