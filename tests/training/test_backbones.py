"""Every family of matchers as a backbone: learns, is saved, and scores the same once loaded."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from subitize.benchmarks.probe import Probe
from subitize.errors import BadInput
from subitize.models.base import Item, Model
from subitize.models.catalog import open_model
from tests.models.test_hf_matchers import opened
from tests.models.test_hf_namers import picture
from tests.models.tiny_matchers import WIDE
from tests.training.conftest import KINDS

torch = pytest.importorskip("torch")

PICTURES = [picture(32, 32, seed) for seed in range(3)] + [picture(60, 40)]
SENTENCES = ("two cats", "five red apples on the left of the table", "one apple", "no cats")
PAIRS = [(shown, SENTENCES[(place + turn) % 4]) for place, shown in enumerate(PICTURES)
         for turn in (0, 1)]  # fmt: skip
RIGHT = [1.0, 0.0] * 4


@pytest.fixture(scope="module")
def features(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pictures with unequal numbers of regions."""
    path = tmp_path_factory.mktemp("features") / "made.npz"
    rng = np.random.default_rng(3)
    arrays = {}
    for many, shown in enumerate(PICTURES, 2):
        name = hashlib.sha256(shown).hexdigest()
        arrays[f"{name}/boxes"] = rng.random((many, 4), dtype=np.float32)
        arrays[f"{name}/features"] = rng.standard_normal((many, WIDE), dtype=np.float32)
    np.savez(path, **arrays)  # type: ignore[arg-type]
    return path


def backbone(model: Model) -> Any:
    from subitize.training.backbone import Backbone

    return Backbone(model)


@pytest.mark.parametrize("kind", [*KINDS, "CLIPModel"])
def test_a_batch_says_what_single_pairs_say(
    backbones: dict[str, Path], features: Path, kind: str
) -> None:
    """Sentences, pictures and regions of unequal size are filled up without a trace."""
    made = backbone(opened(backbones[kind], features))
    together = made.chances(PAIRS)
    alone = [made.chances([pair])[0] for pair in PAIRS]
    assert together == pytest.approx(alone, abs=1e-5)
    assert len(set(np.round(together, 5))) > 2


def test_chances_do_not_hang_on_luck(backbones: dict[str, Path], tmp_path: Path) -> None:
    """ViLT shuffles its patches, so two processes differed in the last digits; sentences that its
    words do not tell apart came out uneven, and which of them was ahead changed acc_r."""
    made = backbone(opened(backbones["ViltForImageAndTextRetrieval"], tmp_path))
    alike = [(shown, text) for shown in PICTURES for text in ("7 cats", "8 cats", "9 cats") * 5]
    found = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        found.append(made.chances(alike))
        assert torch.initial_seed() == seed
    assert found[0] == found[1]
    assert len(set(found[0])) == len(PICTURES)


@pytest.mark.budget(40)
@pytest.mark.parametrize("kind", [*KINDS, "CLIPModel"])
def test_it_learns_and_is_loaded_by_the_normal_code(
    backbones: dict[str, Path], features: Path, kind: str, tmp_path: Path
) -> None:
    """Right pairs and foils are learnt; what `hf/FOLDER` says then is what training saw."""
    torch.manual_seed(0)
    made = backbone(opened(backbones[kind], features))
    made.centre(PAIRS)
    right = torch.tensor(RIGHT)
    optimizer = torch.optim.AdamW(made.module.parameters(), lr=2e-3)
    losses = []
    for _ in range(400):
        loss = made.module(right=right, **made.batch(PAIRS)).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(float(loss.detach()))
        if losses[-1] < 0.1:
            break
    assert losses[-1] < 0.2 < losses[0]
    made.module.eval()
    wanted = made.chances(PAIRS)
    made.save(tmp_path)
    regions = "?features=" + str(features) if kind.startswith(("Lxmert", "VisualBert")) else ""
    loaded: Any = open_model(f"hf/{tmp_path}{regions}")
    found = [loaded.match([Item("t", "", shown, (text,))])[0].value for shown, text in PAIRS]
    assert all(value["calibrated"] for value in found)
    assert [value["scores"][0] for value in found] == pytest.approx(wanted, abs=1e-4)
    assert [score >= 0.5 for score in wanted] == [bool(one) for one in RIGHT]


def test_what_can_t_be_trained_is_told(writers: dict[str, Path]) -> None:
    for name in (f"hf/{writers['llava']}", "sim/matcher"):
        with pytest.raises(BadInput, match="can't be trained to tell right sentences"):
            backbone(open_model(name))


def test_a_tuned_checkpoint_runs_through_the_probe(
    backbones: dict[str, Path], tmp_path: Path
) -> None:
    """One logit of ViLT is a ranking before and a probability after."""
    from subitize.runs.run import RunOptions, run_benchmark
    from subitize.runs.stored import score_run, stored_run

    made = backbone(open_model(f"hf/{backbones['ViltForImageAndTextRetrieval']}"))
    made.save(tmp_path / "tuned")
    probe = Probe()
    settings = replace(probe.settings_from({}), items=4)
    calibrated = []
    for source in (backbones["ViltForImageAndTextRetrieval"], tmp_path / "tuned"):
        model = open_model(f"hf/{source}?isolated=false")
        outcome = run_benchmark(probe, settings, model, tmp_path / "runs", RunOptions())
        assert outcome.complete, outcome.problem
        calibrated.append(score_run(stored_run(outcome.folder, probe))["calibrated"])
    assert calibrated == [False, True]
