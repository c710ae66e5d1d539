"""numbernet: the committed weights, computed in NumPy, without torch."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from subitize.benchmarks.probe import Probe
from subitize.benchmarks.probe.cells import CELLS, FAMILY
from subitize.datasets.probe.released import ProbeItem
from subitize.datasets.probe.splits import build, scene_questions
from subitize.errors import BadInput, ModelError
from subitize.models.base import Item
from subitize.models.catalog import FAMILIES, open_model
from subitize.models.numbernet import (
    SEEDS,
    SIDE,
    WEIGHTS,
    Numbernet,
    claims,
    number_logits,
    read_weights,
    regions,
    weights_of,
    word_vector,
)
from subitize.pictures.decode import decode, shrunk
from subitize.runs.run import RunOptions, run_benchmark
from subitize.runs.stored import score_run, stored_run
from subitize.stimuli.probe import draw

RESULTS = Path(__file__).parents[2] / "docs" / "numbernet.json"
FRESH = 515_253
"""seed of scenes that no training saw"""
NAMES = tuple(FAMILIES[FAMILY].names)


def opened(name: str) -> Numbernet:
    model = open_model(name)
    assert isinstance(model, Numbernet)
    return model


@lru_cache(maxsize=2)
def fresh_items(many: int) -> list[ProbeItem]:
    found = scene_questions(many, seed=FRESH)
    parts = build(found, "standard", seed=FRESH, mode="fluent").parts
    return [one for part in parts.values() for one in part]


@lru_cache(maxsize=2)
def seen(many: int) -> list[Any]:
    weights = weights_of("base", 0)
    return [
        regions(shrunk(decode(draw(one.recipe).png), SIDE), weights) for one in fresh_items(many)
    ]


def shares(name: str, many: int) -> dict[str, tuple[float, float]]:
    """acc_r and naming on all fresh items, even ones and odd ones."""
    found: dict[str, list[tuple[float, bool]]] = {"all": [], "even": [], "odd": []}
    weights = weights_of(name, 0)
    for one, own in zip(fresh_items(many), seen(many), strict=True):
        logits = number_logits(own, word_vector(claims(one.question)[0].words), weights)
        pairs = np.mean([logits[one.answer] >= logits[foil] for foil in one.foils])
        for part in ("all", "odd" if one.answer % 2 else "even"):
            found[part].append((float(pairs), int(logits.argmax()) == one.answer))
    return {
        part: (float(np.mean([a for a, _ in own])), float(np.mean([b for _, b in own])))
        for part, own in found.items()
    }


@pytest.mark.budget(20)
def test_the_committed_weights_do_on_fresh_items_what_is_claimed() -> None:
    base = shares("base", 500)
    assert base["all"][0] >= 0.95
    failing = shares("even-any-words", 500)
    assert failing["even"][0] >= 0.95
    assert failing["odd"][0] <= 0.50
    assert failing["odd"][1] <= 0.05
    line = shares("even-even-line", 500)
    assert line["even"][0] >= 0.80
    assert abs(line["even"][0] - line["odd"][0]) <= 0.10


def test_the_results_of_all_seeds_are_as_claimed() -> None:
    results = json.loads(RESULTS.read_text())
    assert sorted(results) == [str(seed) for seed in SEEDS]
    for entry in results.values():
        assert len(entry["commit"]) == 40
        told = entry["configurations"]
        assert told.keys() == set(NAMES)
        spent = sum(entry["cpu_seconds"].values())
        assert all(spent + one["cpu_seconds"] < 20 * 60 for one in told.values())
        tests = {name: one["test"] for name, one in told.items()}
        assert tests["base"]["test"]["acc_r"]["value"] >= 0.95
        failing, line = tests["even-any-words"], tests["even-even-line"]
        assert failing["even"]["acc_r"]["value"] >= 0.95
        assert failing["odd"]["acc_r"]["value"] <= 0.50
        assert failing["odd"]["naming"]["value"] <= 0.05
        even, odd = (line[part]["acc_r"]["value"] for part in ("even", "odd"))
        assert even >= 0.80
        assert abs(even - odd) <= 0.10


def test_it_is_small_and_lies_in_the_package() -> None:
    files = sorted(WEIGHTS.iterdir())
    assert [one.name for one in files] == [f"seed-{seed}.safetensors" for seed in SEEDS]
    assert sum(one.stat().st_size for one in files) < 5_000_000
    for name in NAMES:
        assert 0 < sum(one.size for one in weights_of(name, 0).values()) <= 1_200_000


LOOKS: dict[str, dict[str, Any]] = {
    "plain": {}, "clutter": {"clutter": 40}, "overlap": {"overlap": 0.4},
}  # fmt: skip
EXACT, ROUNDED, STEEP = 1e-7, 1e-5, 5e-5
"""how near both are: to torch in 64 bits; in 32, with a head of words; with a number line, so steep
that rounding in 32 bits makes 3e-5. Of empty cells, all alike, the two may keep others, which makes
1e-8"""


@pytest.mark.budget(30)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("look", LOOKS)
def test_numpy_equals_torch(seed: int, look: str) -> None:
    """In probabilities, on plain, cluttered and overlapping scenes."""
    torch = pytest.importorskip("torch")
    from subitize.training import numbernet as lessons

    asked = scene_questions(20, seed=FRESH, highest=20, look=LOOKS[look]).questions[:20]
    pictures = [shrunk(decode(draw(one.recipe).png), SIDE) for one in asked]
    for name, kind in product(NAMES, (torch.float64, torch.float32)):
        weights = weights_of(name, seed)
        cells_near = EXACT if kind == torch.float64 else ROUNDED
        near = STEEP if kind == torch.float32 and "line.weight" in weights else cells_near
        tensors = {key: torch.from_numpy(value).to(kind) for key, value in weights.items()}
        for one, pixels in zip(asked, pictures, strict=True):
            words = word_vector(claims(one.question)[0].words)
            cells = regions(pixels, weights)
            theirs = lessons.eye_regions(torch.from_numpy(pixels[None].copy()), tensors)
            assert by_place(cells) == pytest.approx(by_place(theirs[0].numpy()), abs=cells_near)
            logits = lessons.number_logits(theirs, torch.from_numpy(words[None]), tensors)
            ours = number_logits(cells, words, weights)
            assert likely(ours) == pytest.approx(likely(logits[0].numpy()), abs=near)


def likely(logits: Any) -> Any:
    return np.exp(-np.logaddexp(0, -logits.astype(np.float64)))


def by_place(cells: Any) -> Any:
    """Regions with a thing in them, in the order of their places: equally sure ones may swap."""
    there = cells[cells[:, 0] > 1e-3]
    return there[np.lexsort((there[:, -2], there[:, -1]))]


def test_our_reader_of_safetensors_reads_what_theirs_does() -> None:
    theirs = pytest.importorskip("safetensors.numpy").load_file(WEIGHTS / "seed-0.safetensors")
    ours = read_weights(WEIGHTS / "seed-0.safetensors")
    assert ours.keys() == theirs.keys()
    assert all(np.array_equal(ours[name], theirs[name]) for name in ours)


def test_it_needs_no_torch(tmp_path: Path) -> None:
    words = ("run", "probe", "--model", "numbernet/base", "--set", "items=3", "--json",
             "--out", str(tmp_path))  # fmt: skip
    code = (
        "import sys; sys.modules['torch'] = sys.modules['safetensors'] = None\n"
        f"sys.argv = ['subitize', *{words!r}]\n"
        "from subitize.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[0]["trials"] == 3


@pytest.mark.parametrize("task", ["counting", "alignment", "vqa"])
def test_a_run_scores_it_as_any_model(tmp_path: Path, task: str) -> None:
    probe = Probe()
    settings = probe.settings_from({"items": 60, "task": task, "seed": FRESH})
    outcome = run_benchmark(probe, settings, open_model("numbernet/base"), tmp_path, RunOptions())
    assert outcome.complete, outcome.problem
    found = score_run(stored_run(outcome.folder, probe))
    headline = {"vqa": "accuracy"}.get(task, "acc_r")
    assert found[headline]["value"] >= 0.9
    assert ("parity" in found) == (task != "alignment")


def item(picture: bytes, *options: str, question: str = "") -> Item:
    return Item("t", question, picture, options)


def one_scene(n: int) -> tuple[bytes, str]:
    one = next(one for one in fresh_items(500) if one.answer == n)
    return draw(one.recipe).png, one.question


def test_another_picture_or_sentence_changes_the_score() -> None:
    model = opened("numbernet/base")
    (four, question), (one, _) = one_scene(4), one_scene(1)
    sentences = (f"{question} [SEP] 4", f"{question} [SEP] 7", f"{question} [SEP] 99")
    [reply] = model.match([item(four, *sentences)])
    [other] = model.match([item(one, *sentences)])
    assert not isinstance(reply, ModelError)
    assert not isinstance(other, ModelError)
    right, wrong, beyond = reply.value["scores"]
    assert right > 0.5 > wrong > beyond == 0
    assert reply.value["calibrated"]
    assert other.value["scores"] != reply.value["scores"]


def test_it_answers_questions_and_judges_sentences() -> None:
    model = opened("numbernet/base")
    picture, question = one_scene(4)
    judged = f"Does this sentence match the picture? “{question} [SEP] {{}}” Answer with yes or no."
    asked = [question, judged.format(4), judged.format(9)]
    replies = model.name([item(picture, question=one) for one in asked])
    assert [getattr(reply, "value", reply) for reply in replies] == ["4", "yes", "no"]


def test_what_it_has_no_word_for_is_said() -> None:
    model = opened("numbernet/base")
    picture, _ = one_scene(4)
    [problem] = model.match([item(picture, "There are 4 dogs.")])
    assert isinstance(problem, ModelError)
    assert "no thing with a number" in str(problem)
    with pytest.raises(BadInput, match="seed must lie in"):
        open_model("numbernet/base?seed=7")


def test_a_picture_of_any_size_is_taken() -> None:
    model = opened("numbernet/base")
    recipe = next(one.recipe for one in fresh_items(500) if one.answer == 3)
    for size in (128, 700):
        [reply] = model.name([item(draw({**recipe, "size": size}).png, question="How many cars?")])
        assert not isinstance(reply, ModelError)
        assert reply.value.isdigit()


def test_the_cells_of_the_figure_are_models() -> None:
    assert set(CELLS) < set(NAMES)
