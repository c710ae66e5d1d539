"""Answers as GeckoNum's appendix D trains them: recipes, one step that helps, from file to run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from subitize.cli import root
from subitize.datasets.vqa_files import VqaEntry
from subitize.errors import BadInput, SubitizeError
from subitize.models.base import Reply
from subitize.models.catalog import open_model
from subitize.stimuli.scattered import draw_scattered
from subitize.training.answers import measured, read_questions
from subitize.training.mixtures import (
    ALL,
    IMAGEN,
    MIXTURES,
    TALLYQA,
    Question,
    Sets,
    held_back,
    longer_steps,
    mixed,
)
from subitize.training.plan import Plan, parts

torch = pytest.importorskip("torch")


def question(place: int, source: str, **more: Any) -> Question:
    return Question(
        VqaEntry(f"{place // 2}.png", f"How many {place}?", place % 5, **more), "", source
    )


TALLY = [question(n, "tallyqa", complexity="simple" if n % 2 else "complex") for n in range(400)]
MADE = [question(n, "imagen", frequency="frequent" if n % 3 else "rare") for n in range(90)]


def test_every_row_of_the_tables_has_a_recipe() -> None:
    assert [one.table for one in MIXTURES.values()] == ["A12"] * 8 + ["A13"] * 5
    for one in MIXTURES.values():
        assert len(one.printed) == 5
        assert all(0 < share < 100 for share in one.printed.values())
    # the approximate sizes that the paper prints
    assert MIXTURES["tallyqa-106k"].tallyqa == pytest.approx(106_000, rel=0.01)
    assert MIXTURES["tallyqa-26k"].tallyqa == pytest.approx(26_000, rel=0.03)
    assert MIXTURES["tallyqa-200k+imagen"].tallyqa == pytest.approx(200_000, rel=0.02)
    assert MIXTURES["tallyqa-53k+imagen-frequent"].held_out == "rare"


@pytest.mark.parametrize("name", MIXTURES)
def test_a_recipe_mixes_what_it_says(name: str) -> None:
    mixture, scale = MIXTURES[name], 0.002
    found = mixed(mixture, TALLY, MADE, seed=1, scale=scale)
    tally = [one for one in found if one.source == "tallyqa"]
    made = [one for one in found if one.source == "imagen"]
    whole = len(TALLY) if mixture.tallyqa == ALL else mixture.tallyqa
    assert len(tally) == round(whole * scale)  # all sets shrink alike, so the mixture stays
    assert bool(made) == bool(mixture.imagen)
    if mixture.imagen == "frequent":
        assert {one.entry.frequency for one in made} == {"frequent"}
    assert len(set(found)) == len(found)
    again = mixed(mixture, TALLY, MADE, seed=1, scale=scale)
    other = mixed(mixture, TALLY, MADE, seed=2, scale=scale)
    assert found == again
    if mixture.tallyqa > 0:
        assert found != other


def test_whole_sets_and_longer_training() -> None:
    both = mixed(MIXTURES["tallyqa+imagen"], TALLY, MADE, seed=0)
    assert len(both) == len(TALLY) + len(MADE)
    longer = MIXTURES["tallyqa-longer"]
    assert mixed(longer, TALLY, [], seed=0) == TALLY
    plan = Plan(2, 256, evaluations=4, steps=longer_steps(longer, TALLYQA, 256, 2))
    usual = list(parts(Plan(2, 256, evaluations=4), TALLYQA + IMAGEN))
    found = list(parts(plan, TALLYQA))
    assert found[-1].end == usual[-1].end  # same data, as many steps as with Imagen's
    assert found[-1].epoch > 2


def test_held_back_questions_have_pictures_of_their_own() -> None:
    learnt, kept = held_back(TALLY, 50, seed=0)
    assert 50 <= len(kept) <= 52
    assert len(learnt) + len(kept) == len(TALLY)
    assert not {one.entry.image for one in learnt} & {one.entry.image for one in kept}


def test_accuracy_by_group_and_at_least() -> None:
    asked = [
        Question(VqaEntry("a", "?", 3, complexity="simple"), "", ""),
        Question(VqaEntry("b", "?", 10, at_least=True, complexity="complex"), "", ""),
        Question(VqaEntry("c", "?", 2, complexity="complex"), "", ""),
    ]
    found = measured(asked, [Reply("text", "three"), Reply("text", "12"), Reply("text", "no idea")])
    assert found == {
        "accuracy": pytest.approx(2 / 3), "simple": 1.0, "complex": 0.5, "frequent": None,
        "rare": None,
    }  # fmt: skip


def write_questions(folder: Path, many: int = 24) -> dict[str, Path]:
    """Drawn pictures of 1 to 4 apples, as files of TallyQA and of GeckoNum have them."""
    rng = np.random.default_rng(0)
    (folder / "shown").mkdir(parents=True)
    entries = []
    for place in range(many):
        n = place % 4 + 1
        shown = draw_scattered("apple", n, 64, rng)
        (folder / "shown" / f"{place}.png").write_bytes(shown)
        entries.append({"image": f"{place}.png", "question": "How many apples are there?",
                        "answer": n, "issimple": place % 2 == 0})  # fmt: skip
    tally = folder / "train.json"
    tally.write_text(json.dumps(entries))
    own = folder / "imagen.jsonl"
    lines = [
        {**{k: v for k, v in one.items() if k != "issimple"},
         "frequency": "rare" if place % 3 == 0 else "frequent", "painter": "imagen_a"}
        for place, one in enumerate(entries)
    ]  # fmt: skip
    own.write_text("\n".join(json.dumps(one) for one in lines))
    return {"tally": tally, "imagen": own, "pictures": folder / "shown"}


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return write_questions(tmp_path_factory.mktemp("questions"))


@pytest.mark.budget(60)
@pytest.mark.parametrize(
    "family", ["llava", "paligemma", "qwen2_vl", "gemma3", "llava_next", "idefics3", "blip-2"]
)
def test_one_step_lowers_the_loss(
    writers: dict[str, Path], given: dict[str, Path], family: str
) -> None:
    from subitize.training.answer_task import IGNORED, AnswerTask

    questions = read_questions(str(given["tally"]), str(given["pictures"]), "tallyqa")
    model = open_model(f"hf/{writers[family]}")
    task = AnswerTask(model, Sets(questions, {"valid": questions[:2]}), ("valid", "accuracy"))
    inputs = task.inputs(range(4))
    # only the answer and the end of text are learnt
    learnt = (inputs["labels"] != IGNORED).sum(dim=1).tolist()
    assert learnt == [2] * 4
    task.module.train()
    optimizer = torch.optim.AdamW(task.module.parameters(), lr=1e-4)
    torch.manual_seed(0)
    before = task.module(**inputs).mean()
    before.backward()
    optimizer.step()
    with torch.no_grad():
        after = task.module(**inputs).mean()
    assert float(after) < float(before.detach())


def test_the_loss_is_that_of_transformers(writers: dict[str, Path], given: dict[str, Path]) -> None:
    """A batch filled up with padding has the loss that the class itself computes one by one."""
    from subitize.training.answer_task import AnswerTask

    questions = read_questions(str(given["tally"]), str(given["pictures"]), "tallyqa")
    task = AnswerTask(
        open_model(f"hf/{writers['llava']}"), Sets(questions, {"valid": []}), ("valid", "accuracy")
    )
    task.module.eval()
    with torch.no_grad():
        together = task.module(**task.inputs([0, 1, 2]))
        alone = [float(task.module.network(**task.inputs([place])).loss) for place in range(3)]
    assert together.tolist() == pytest.approx(alone, abs=1e-4)


@pytest.mark.budget(60)
def test_from_files_to_a_checkpoint_that_runs(
    writers: dict[str, Path], given: dict[str, Path], tmp_path: Path
) -> None:
    words = [
        "finetune", "answers", "--model", f"hf/{writers['llava']}", "--recipe", "tallyqa+imagen",
        "--tallyqa", given["tally"], "--tallyqa-pictures", given["pictures"], "--imagen",
        given["imagen"], "--imagen-pictures", given["pictures"], "--geckonum-test",
        given["imagen"], "--valid", "6", "--judged", "6", "--batch", "8", "--epochs", "1",
        "--lr", "1e-3", "--evaluations", "2", "--out", tmp_path, "--json",
    ]  # fmt: skip
    done = CliRunner().invoke(root, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["seeds"]["0"]["evaluations"] == 2  # several times per epoch
    assert set(found["summary"]["best"]) == {"valid", "geckonum"}
    folder = Path(found["folder"])
    history = json.loads((folder / "seed-0" / "history.json").read_text())
    assert history[1]["loss"] < history[0]["loss"]
    page = (folder / "report.html").read_text()
    assert "PaliGemma 3B" in page  # the printed row stands beside, marked as the paper's
    assert "90.5" in page
    assert "Recipe tallyqa+imagen, after the row" in page
    assert "Held out" not in page  # of this recipe no noun is
    assert "is forgetting." not in page  # no alignment task was asked
    asked = CliRunner().invoke(root, [
        "run", "probe", "--model", f"hf/{folder}/seed-0/best?isolated=false&max_tokens=4", "--set",
        "task=vqa", "--set", "items=3", "--out", str(tmp_path / "runs"), "--json",
    ])  # fmt: skip
    assert asked.exit_code == 0, asked.output
    [scores] = json.loads(asked.stdout)
    assert scores["asked"] == 3
    both = CliRunner().invoke(root, ["report", str(folder), "--out", str(tmp_path / "r.html")])
    assert both.exit_code == 0, both.output


@pytest.mark.parametrize(("words", "said"), [
    (["--recipe", "tallyqa-9k"], "no recipe 'tallyqa-9k'"),
    (["--recipe", "imagen"], "give --imagen"),
    (["--recipe", "tallyqa"], "give --tallyqa"),
    (["--recipe", "tallyqa-53k", "--tallyqa", "TALLY", "--tallyqa-pictures", "PICTURES"],
     "wants 53053 questions of TallyQA, but the file has 24"),
    (["--recipe", "tallyqa", "--tallyqa", "TALLY"], "need their pictures"),
    (["--recipe", "tallyqa", "--tallyqa", "TALLY", "--tallyqa-pictures", "."],
     "24 of 24 pictures .* are not in .: 0.png, 1.png"),
    (["--recipe", "imagen-frequent", "--imagen", "TALLY", "--imagen-pictures", "PICTURES"],
     "None of 24 questions of Imagen is about a frequent noun"),
    (["--recipe", "tallyqa", "--scale", "2"], "--scale is 2"),
    (["--recipe", "tallyqa", "--tallyqa", "TALLY", "--tallyqa-pictures", "PICTURES", "--valid",
      "0"], "--valid is 0: .* at least 1 question"),
    (["--recipe", "tallyqa", "--tallyqa", "TALLY", "--tallyqa-pictures", "PICTURES", "--scale",
      ".05"], "questions on 1 pictures only, too few to hold any back"),
])  # fmt: skip
def test_bad_input_of_answers(given: dict[str, Path], words: list[str], said: str) -> None:
    named = {"TALLY": str(given["tally"]), "PICTURES": str(given["pictures"])}
    done = CliRunner().invoke(
        root, ["finetune", "answers", "--model", "sim/perfect", *(named.get(w, w) for w in words)]
    )
    assert isinstance(done.exception, SubitizeError), done.output
    with pytest.raises(type(done.exception), match=said):
        raise done.exception


def test_a_matcher_writes_no_answers(backbones: dict[str, Path]) -> None:
    from subitize.training.answer_task import AnswerTask

    with pytest.raises(BadInput, match="does not write its answers"):
        AnswerTask(open_model(f"hf/{backbones['SiglipModel']}"), Sets([], {}), ("valid", "x"))
