"""Every family of open models through a benchmark, by the code that users run.

A tiny model of the real class, saved and loaded by the normal path. One of each kind computes in a
process of its own, as all of them do for users; the others here, because every process loads torch
anew.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import subitize
from subitize.benchmarks.catalog import get_benchmark
from subitize.cli import main
from subitize.stimuli import render
from tests.models.test_hf_matchers import FILLING, MATCHING
from tests.models.tiny_matchers import WIDE
from tests.models.tiny_namers import FAMILIES, FIRST
from tests.models.tiny_painters import PAINTERS

# diffusers compiles a part of one of its pipelines in the old way
pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script:DeprecationWarning")
OTHERS = (
    "BlipForQuestionAnswering", "BlipForConditionalGeneration", "ViltForQuestionAnswering",
    "ViltForMaskedLM", "BridgeTowerForMaskedLM",
)  # fmt: skip
NAMED = {"per_cell": 1, "max": 2, "categories": ("apples",), "control": False, "size": 64}
PAINTED = {"per_cell": 1, "max": 2, "categories": ("apples",)}
PROBED = {"items": 3, "size": 64, "highest": 4, "answers": "flat"}
SMALL = "steps=1&width=64&height=64"


def checkpoint(folders: dict[str, Path], family: str) -> str:
    """The name of a model that computes here; the tiny ones that write can't write long."""
    writes = family in FAMILIES or (family in OTHERS and family.startswith("Blip"))
    return f"hf/{folders[family]}?isolated=false" + ("&max_tokens=4" if writes else "")


def checked(scores: Any) -> None:
    """Everything was asked and answered, and the model's size is known."""
    assert scores["asked"] > 0
    assert scores["parameters"] > 0
    assert scores["failed"] == 0, scores


def run(benchmark: str, model: str, out: Path, **settings: Any) -> subitize.Run:
    found = subitize.run(benchmark, model, out=out, **settings)
    checked(found.scores)
    return found


@pytest.mark.parametrize("family", [*FAMILIES, *OTHERS])
def test_naming(
    namers: dict[str, Path], matchers: dict[str, Path], tmp_path: Path, family: str
) -> None:
    run("naming", checkpoint(namers if family in FAMILIES else matchers, family), tmp_path, **NAMED)


@pytest.mark.parametrize("name", PAINTERS)
def test_production(painters: dict[str, Path], tmp_path: Path, name: str) -> None:
    model = f"diffusers/{painters[name]}?{SMALL}&isolated=false"
    found = run("production", model, tmp_path, counter="counter/blobs", **PAINTED)
    pictures = found.answers.filter(found.answers["kind"] == "picture")
    assert pictures["trial"].n_unique() == found.scores["asked"]
    assert "boxes" in set(found.answers["kind"])


@pytest.fixture(scope="session")
def regions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made-up region features of every scene that the probe shows."""
    probe, rng, found = get_benchmark("probe"), np.random.default_rng(0), {}
    for task, stage in (("counting", "match"), ("mlm", "fill"), ("vqa", "answer")):
        settings = probe.settings_from({**PROBED, "task": task})
        for trial in probe.trials(stage, settings, {}):
            name = hashlib.sha256(render(trial.stimulus).png).hexdigest()
            found[f"{name}/boxes"] = rng.random((5, 4), dtype=np.float32)
            found[f"{name}/features"] = rng.standard_normal((5, WIDE), dtype=np.float32)
    path = tmp_path_factory.mktemp("regions") / "made.npz"
    np.savez(path, **found)  # type: ignore[arg-type]
    return path


PROBES = [
    *((kind, "counting") for kind in MATCHING),
    *((kind, "mlm") for kind in FILLING),
    *((kind, "vqa") for kind in (*FIRST, *OTHERS, "LxmertForQuestionAnswering")),
]


@pytest.mark.parametrize(("kind", "task"), PROBES)
def test_the_probe(
    namers: dict[str, Path], matchers: dict[str, Path], regions: Path, tmp_path: Path,
    kind: str, task: str,
) -> None:  # fmt: skip
    model = checkpoint(namers if kind in FAMILIES else matchers, kind)
    if kind.startswith(("Lxmert", "VisualBert")):
        model += f"&features={regions}"
    found = run("probe", model, tmp_path, task=task, **PROBED)
    assert found.scores["asked"] == PROBED["items"]


@pytest.mark.budget(60)
@pytest.mark.parametrize("benchmark", ["naming", "production", "probe"])
def test_in_a_process_of_its_own_by_the_command(
    namers: dict[str, Path],
    matchers: dict[str, Path],
    painters: dict[str, Path],
    tmp_path: Path,
    benchmark: str,
) -> None:
    model, settings, more = {
        "naming": (f"hf/{namers['llava']}?max_tokens=4", NAMED, []),
        "production": (f"diffusers/{painters['flux']}?{SMALL}", PAINTED, ["--counter", "blobs"]),
        "probe": (f"hf/{matchers['ViltForImageAndTextRetrieval']}", PROBED, []),
    }[benchmark]
    given = [
        f"--set={key}={','.join(value) if isinstance(value, tuple) else value}"
        for key, value in settings.items()
    ]
    with pytest.raises(SystemExit) as end:
        main(["run", benchmark, "--model", model, "--out", str(tmp_path), *given, *more])
    assert end.value.code == 0
    (folder,) = tmp_path.iterdir()
    checked(json.loads((folder / "scores.json").read_text()))
