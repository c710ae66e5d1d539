"""Which number of a head means "fits": eight pairs are learnt by the class's own loss and labels.

The labels are those of transformers' documentation: 1 for a match in BridgeTower, FLAVA and
LXMERT, 0 in VisualBERT. What is learnt so must come back through our own calls.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from subitize.models.base import Item
from subitize.models.hf.crossing import Crossing
from subitize.models.hf.twins import Twins
from tests.models.test_hf_matchers import opened
from tests.models.test_hf_namers import picture
from tests.models.tiny_clip import save_tiny_clip
from tests.models.tiny_matchers import WIDE

CAPTIONS = ("two cats", "five apples", "one red apple", "seven cats on the table")
PICTURES = [picture(32, 32, seed) for seed in range(len(CAPTIONS))]
PAIRS = [
    (place, caption, int(place == of))
    for place in range(4)
    for of, caption in enumerate(CAPTIONS)
    if of in (place, (place + 1) % 4)
]
"""picture, sentence, whether they belong together: four of each"""


@pytest.fixture(scope="module")
def features(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("features") / "made.npz"
    rng = np.random.default_rng(3)
    arrays = {}
    for shown in PICTURES:
        name = hashlib.sha256(shown).hexdigest()
        arrays[f"{name}/boxes"] = rng.random((3, 4), dtype=np.float32)
        arrays[f"{name}/features"] = rng.standard_normal((3, WIDE), dtype=np.float32)
    np.savez(path, **arrays)  # type: ignore[arg-type]
    return path


def own_loss(kind: str, network: Any, inputs: dict[str, Any], fits: int) -> Any:
    """The loss that the class itself has, by the labels that its documentation gives."""
    import torch

    label = torch.tensor([fits])
    if kind == "BridgeTowerForImageAndTextRetrieval":
        return network(**inputs, labels=label).loss
    if kind == "LxmertForPreTraining":
        return network(**inputs, matched_label=label).loss
    if kind == "FlavaForPreTraining":
        patches = torch.zeros((1, 16), dtype=torch.long)
        found = network(
            **inputs, itm_labels=label, return_loss=True, mim_labels=patches,
            bool_masked_pos=patches.bool(),
        )  # fmt: skip
        return found.loss_info.itm
    words, regions = inputs["input_ids"], inputs["visual_embeds"].shape[1]
    known = torch.full((1, words.shape[1] + regions), -100)
    known[0, 0] = words[0, 0]  # one word, without which its loss is not defined
    return network(**inputs, labels=known, sentence_image_labels=1 - label).loss


@pytest.mark.budget(20)
@pytest.mark.parametrize(
    "kind",
    [
        "BridgeTowerForImageAndTextRetrieval",
        "FlavaForPreTraining",
        "LxmertForPreTraining",
        "VisualBertForPreTraining",
    ],
)
def test_what_is_learnt_as_a_match_is_scored_as_one(
    matchers: dict[str, Path], features: Path, kind: str
) -> None:
    import torch

    model = opened(matchers[kind], features)
    assert isinstance(model, Crossing)
    network = model.head("match")
    items = [Item(str(place), "", shown, CAPTIONS) for place, shown in enumerate(PICTURES)]
    seen = [
        (model.seen(text, (items[place], model.opened(items[place]))), fits)
        for place, text, fits in PAIRS
    ]
    torch.manual_seed(0)
    steps = torch.optim.Adam(network.parameters(), lr=2e-3)
    for _ in range(150):
        steps.zero_grad()
        loss = sum(own_loss(kind, network, inputs, fits) for inputs, fits in seen)
        loss.backward()
        steps.step()
        if not _wrong(model, items):
            break
    assert _wrong(model, items) == []


@pytest.mark.budget(20)
@pytest.mark.parametrize("kind", ["CLIPModel", "SiglipModel"])
def test_two_encoders_learn_by_their_own_loss_which_pairs_fit(
    matchers: dict[str, Path], tmp_path: Path, kind: str
) -> None:
    """Theirs is a loss of all pairs at once: row i belongs to column i."""
    import torch

    folder = save_tiny_clip(tmp_path) if kind == "CLIPModel" else matchers[kind]
    model = opened(folder, tmp_path)
    assert isinstance(model, Twins)
    network, tokenizer, _ = model.parts
    items = [Item(str(place), "", shown, CAPTIONS) for place, shown in enumerate(PICTURES)]
    pixels = torch.cat([model.seen("", (one, model.opened(one)))["pixel_values"] for one in items])
    words = tokenizer(list(CAPTIONS), padding=True, return_tensors="pt")["input_ids"]
    if kind == "SiglipModel":
        words = torch.cat([model.seen(text, (items[0], model.opened(items[0])))["input_ids"]
                           for text in CAPTIONS])  # fmt: skip
    torch.manual_seed(0)
    steps = torch.optim.Adam(network.parameters(), lr=2e-3)
    for _ in range(150):
        steps.zero_grad()
        found = network(input_ids=words, pixel_values=pixels, return_loss=True)
        found.loss.backward()
        steps.step()
    model._sentences.clear()  # kept from before
    scores = np.array([reply.value["scores"] for reply in model.match(items)])
    assert scores.argmax(axis=1).tolist() == [0, 1, 2, 3]
    assert all((scores[place, CAPTIONS.index(text)] == scores[place].max()) == bool(fits)
               for place, text, fits in PAIRS)  # fmt: skip


def _wrong(model: Any, items: list[Item]) -> list[tuple[int, str, float]]:
    """The pairs that are not clearly on their side, by our own call."""
    scores = [reply.value["scores"] for reply in model.match(items)]
    found = [
        (place, text, scores[place][CAPTIONS.index(text)], fits) for place, text, fits in PAIRS
    ]
    return [(p, t, score) for p, t, score, fits in found if (score > 0.8) != bool(fits)
            or (score < 0.2) == bool(fits)]  # fmt: skip
