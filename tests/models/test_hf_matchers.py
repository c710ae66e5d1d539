"""Matchers and fillers: tiny → saved → loaded → scored, equal to transformers' own calls."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from PIL import Image

from subitize.errors import BadInput, Hopeless, ModelError
from subitize.models.base import Item, Model, Reply
from subitize.models.catalog import open_model
from subitize.models.hf.heads import MATCHES
from tests.models.test_hf_namers import picture
from tests.models.tiny_matchers import ANSWERS, WIDE

SENTENCES = ("two apples on the left", "five cats")
ITEMS = [
    Item("a", "there are [MASK] cats", picture(60, 40), SENTENCES),
    Item("b", "there are [MASK] red apples", picture(33, 90), SENTENCES),
]
MATCHING = [
    "ViltForImageAndTextRetrieval", "BlipForImageTextRetrieval", "Blip2ForImageTextRetrieval",
    "BridgeTowerForImageAndTextRetrieval", "FlavaForPreTraining", "LxmertForPreTraining",
    "VisualBertForPreTraining", "SiglipModel",
]  # fmt: skip
FILLING = [
    "ViltForMaskedLM", "BridgeTowerForMaskedLM", "FlavaForPreTraining", "LxmertForPreTraining",
    "VisualBertForPreTraining",
]  # fmt: skip


def arrays(wide: int = WIDE) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    found = {}
    for item in ITEMS:
        assert item.picture
        name = hashlib.sha256(item.picture).hexdigest()
        found[f"{name}/boxes"] = rng.random((5, 4), dtype=np.float32)
        found[f"{name}/features"] = rng.standard_normal((5, wide), dtype=np.float32)
    return found


@pytest.fixture(scope="session")
def features(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("features") / "made.npz"
    np.savez(path, **arrays())  # type: ignore[arg-type]
    return path


def opened(folder: Path, features: Path) -> Model:
    regions = folder.name.startswith(("Lxmert", "VisualBert"))
    return open_model(f"hf/{folder}" + (f"?features={features}" if regions else ""))


def scores(model: Any, item: Item) -> list[float]:
    [reply] = model.match([item])
    assert isinstance(reply, Reply), reply
    found: list[float] = reply.value["scores"]
    return found


@pytest.mark.parametrize("kind", MATCHING)
def test_picture_and_sentence_matter(matchers: dict[str, Path], features: Path, kind: str) -> None:
    model = opened(matchers[kind], features)
    assert "matcher" in model.kinds
    first, second = (scores(model, item) for item in ITEMS)
    assert first[0] != first[1]
    assert first[0] != second[0]
    swapped = replace(ITEMS[0], options=SENTENCES[::-1])
    assert scores(model, swapped) == first[::-1]
    [reply] = model.match(ITEMS[:1])  # type: ignore[attr-defined]
    assert reply.value["calibrated"] is (kind != "ViltForImageAndTextRetrieval")
    if reply.value["calibrated"]:
        assert all(0 < score < 1 for score in first)


@pytest.mark.parametrize("kind", MATCHING[:5])
def test_scores_are_those_of_transformers(matchers: dict[str, Path], kind: str) -> None:
    """The whole processor, then the class's own call, as its documentation shows."""
    import torch
    import transformers

    from subitize.models.hf.pictures import cropping

    model = open_model(f"hf/{matchers[kind]}")
    reference = getattr(transformers, kind).from_pretrained(matchers[kind])
    processor = cropping(transformers.AutoProcessor.from_pretrained(matchers[kind]))
    head = MATCHES[reference.config.model_type]
    for item in ITEMS:
        assert item.picture
        for text, score in zip(SENTENCES, scores(model, item), strict=True):
            shown = Image.open(BytesIO(item.picture))
            made = processor(images=shown, text=[text], return_tensors="pt")
            with torch.inference_mode():
                logits = getattr(reference(**made, **head.options), head.output)
            wanted = logits[0, 0] if head.fits is None else logits.softmax(-1)[0, head.fits]
            assert score == pytest.approx(float(wanted), abs=1e-5)


def test_siglip_is_a_sigmoid(matchers: dict[str, Path]) -> None:
    import torch
    from transformers import SiglipModel, SiglipProcessor

    folder = matchers["SiglipModel"]
    reference, processor = SiglipModel.from_pretrained(folder), None
    processor = SiglipProcessor.from_pretrained(folder)
    assert ITEMS[0].picture
    made = processor(
        images=Image.open(BytesIO(ITEMS[0].picture)), text=list(SENTENCES), padding="max_length",
        max_length=16, return_tensors="pt",
    )  # fmt: skip
    made.pop("attention_mask", None)
    made.pop("token_type_ids", None)
    with torch.inference_mode():
        wanted = torch.sigmoid(reference(**made).logits_per_image)[0].tolist()
    assert scores(open_model(f"hf/{folder}"), ITEMS[0]) == pytest.approx(wanted, abs=1e-5)


def test_new_and_old_files_of_blip2_score_alike(matchers: dict[str, Path], tmp_path: Path) -> None:
    """Newer ones name a token for the places of the queries."""
    import json

    folder = matchers["Blip2ForImageTextRetrieval"]
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(config | {"image_token_index": 7}))
    new, old = open_model(f"hf/{tmp_path}"), open_model(f"hf/{folder}")
    assert scores(new, ITEMS[0]) == pytest.approx(scores(old, ITEMS[0]), abs=1e-6)


@pytest.mark.parametrize(
    "kind", ["ViltForImageAndTextRetrieval", "BridgeTowerForImageAndTextRetrieval"]
)
def test_a_question_and_its_answer_stand_on_two_sides_of_the_models_own_separator(
    matchers: dict[str, Path], kind: str
) -> None:
    model: Any = open_model(f"hf/{matchers[kind]}")
    ids = model.encoded("how many cats? [SEP] 4")["input_ids"][0].tolist()
    parted = [at for at, one in enumerate(ids) if one == model.tokenizer.sep_token_id]
    assert len(parted) == 2
    assert model.tokenizer.decode(ids[parted[0] + 1 : parted[1]]).strip() == "4"


@pytest.mark.parametrize("kind", FILLING)
def test_numbers_are_ranked_behind_a_mask(
    matchers: dict[str, Path], features: Path, kind: str
) -> None:
    model: Any = opened(matchers[kind], features)
    assert "filler" in model.kinds
    one, other = (model.fill([replace(item, options=())])[0] for item in ITEMS)
    assert one.kind == "ranking"
    words = [word for word, _ in one.value]
    assert {"two", "seven", "3", "a", "no"} <= set(words)
    assert "cats" not in words
    assert [chance for _, chance in one.value] == sorted(
        (chance for _, chance in one.value), reverse=True
    )
    assert one.value != other.value
    swapped = replace(ITEMS[0], picture=ITEMS[1].picture, options=())
    assert model.fill([swapped])[0].value != one.value, "the picture must matter"
    chosen = model.fill([replace(ITEMS[0], options=("Two", "cats", "umpteen"))])[0]
    assert {word for word, _ in chosen.value} == {"Two", "cats"}
    assert chosen.facts == {"not_in_vocabulary": ["umpteen"]}
    assert isinstance(model.fill([replace(ITEMS[0], question="no mask")])[0], ModelError)
    long = replace(ITEMS[0], question="many cats " * 60 + "[MASK]")
    assert isinstance(model.fill([long])[0], ModelError)


def test_a_head_that_is_not_there_is_named(matchers: dict[str, Path]) -> None:
    matching: Any = open_model(f"hf/{matchers['BridgeTowerForImageAndTextRetrieval']}")
    with pytest.raises(Hopeless, match=r"lacks .* mlm_score"):
        matching.fill(ITEMS)
    filling: Any = open_model(f"hf/{matchers['BridgeTowerForMaskedLM']}")
    with pytest.raises(Hopeless, match=r"lacks .* itm_score"):
        filling.match(ITEMS)
    assert "filler" not in open_model(f"hf/{matchers['ViltForImageAndTextRetrieval']}").kinds


def test_a_vocabulary_without_numbers_is_told() -> None:
    from subitize.models.hf.masked import number_words

    with pytest.raises(Hopeless, match="no number word"):
        number_words({"cat": 1, "a": 2})


def test_region_features_come_from_the_user(
    matchers: dict[str, Path], features: Path, tmp_path: Path
) -> None:
    folder = matchers["LxmertForPreTraining"]
    with pytest.raises(BadInput, match=r"features=FILE\.npz"):
        open_model(f"hf/{folder}")
    model: Any = opened(folder, features)
    [unknown] = model.match([replace(ITEMS[0], picture=picture(9, 9))])
    assert isinstance(unknown, ModelError)
    assert "no region features" in str(unknown)
    table = tmp_path / "made.parquet"
    rows = arrays()
    names = sorted({name.partition("/")[0] for name in rows})
    pl.DataFrame(
        {
            "sha256": names,
            "boxes": [rows[f"{name}/boxes"].tolist() for name in names],
            "features": [rows[f"{name}/features"].tolist() for name in names],
        }
    ).write_parquet(table)
    same = opened(folder, table)
    assert scores(same, ITEMS[0]) == pytest.approx(scores(model, ITEMS[0]), abs=1e-6)
    assert same.settings_hash != model.settings_hash
    np.savez(tmp_path / "wide.npz", **arrays(WIDE + 1))  # type: ignore[arg-type]
    wrong: Any = opened(folder, tmp_path / "wide.npz")
    with pytest.raises(BadInput, match=r"2 of 2 pictures are wrong.*\(5, 9\), not \(5, 8\)"):
        wrong.match(ITEMS)
    (tmp_path / "bad.npz").write_bytes(b"no zip")
    broken: Any = opened(folder, tmp_path / "bad.npz")
    with pytest.raises(BadInput, match="can't be read"):
        broken.match(ITEMS)


def test_lxmert_answers_out_of_its_list(
    matchers: dict[str, Path], features: Path, tmp_path: Path
) -> None:
    folder = matchers["LxmertForQuestionAnswering"]
    model: Any = opened(folder, features)
    assert model.kinds == ("namer",)
    told = [one.value for one in model.name(ITEMS)]
    assert set(told) <= set(ANSWERS)
    listed = tmp_path / "answers.json"
    listed.write_text(str([answer * 2 for answer in ANSWERS]).replace("'", '"'))
    other: Any = open_model(f"hf/{folder}?features={features}&answers={listed}")
    assert [one.value for one in other.name(ITEMS)] == [answer * 2 for answer in told]
    listed.write_text('["one"]')
    with pytest.raises(BadInput, match="7 answers"):
        open_model(f"hf/{folder}?features={features}&answers={listed}")
