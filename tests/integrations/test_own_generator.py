"""Counting and scoring for people with a generator of their own."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from subitize.errors import BadInput, UnknownName
from subitize.integrations.own_generator import (
    count_picture,
    find_things,
    matrix_of,
    score_table,
    thing_in,
    to_png,
)
from subitize.measures.baselines import legacy_observer_sample
from subitize.numgen import eval_CM, eval_image
from subitize.stimuli.scattered import draw_scattered

PNG = draw_scattered("apple", 7, 256, np.random.default_rng(0))
RGB = Image.open(BytesIO(PNG)).convert("RGB")
ARRAY = np.asarray(RGB)


def as_tensor(array: Any, dtype: str) -> Any:
    import torch

    return torch.from_numpy(np.moveaxis(array, 2, 0).copy()).to(getattr(torch, dtype))


@pytest.mark.parametrize(
    "picture",
    [
        pytest.param(PNG, id="bytes"),
        pytest.param(RGB, id="pil"),
        pytest.param(Image.open(BytesIO(PNG)), id="pil-palette"),
        pytest.param(RGB.convert("L"), id="pil-grey"),
        pytest.param(RGB.convert("RGBA"), id="pil-alpha"),
        pytest.param(RGB.convert("CMYK"), id="pil-cmyk"),
        pytest.param(RGB.convert("F"), id="pil-float"),
        pytest.param(ARRAY, id="array"),
        pytest.param(ARRAY[:, :, :1], id="array-one-channel"),
        pytest.param(ARRAY[:, :, 1], id="array-grey"),
        pytest.param(np.moveaxis(ARRAY, 2, 0), id="array-channels-first"),
        pytest.param(ARRAY[None], id="array-batch-of-one"),
        pytest.param(ARRAY / 255, id="array-0-to-1"),
        pytest.param(ARRAY / 127.5 - 1, id="array-minus-1-to-1"),
        pytest.param(ARRAY.astype(np.float32), id="array-float-0-to-255"),
        pytest.param(ARRAY.astype(np.uint16) * 257, id="array-16-bit"),
        pytest.param(ARRAY.astype(np.int64), id="array-int64"),
        pytest.param((ARRAY.min(axis=2) > 200), id="array-bool"),
    ],
)
def test_any_picture_can_be_counted(picture: Any) -> None:
    assert count_picture(picture, "apples") == 7


def test_a_path_can_be_counted(tmp_path: Path) -> None:
    path = tmp_path / "seven.png"
    path.write_bytes(PNG)
    assert count_picture(path, "apples") == count_picture(str(path), "apples") == 7


def test_tensors_can_be_counted() -> None:
    pytest.importorskip("torch")
    assert count_picture(as_tensor(ARRAY, "uint8"), "apples") == 7
    assert count_picture(as_tensor(ARRAY, "float32") / 255, "apples") == 7
    assert count_picture((as_tensor(ARRAY, "bfloat16") / 255)[None], "apples") == 7
    assert count_picture(as_tensor(ARRAY, "float16").requires_grad_() / 255, "apples") == 7


@pytest.mark.parametrize(
    "picture",
    [
        None,
        3,
        [],
        "missing.png",
        np.zeros((2, 8, 8, 3)),
        np.zeros((8, 8, 5)),
        np.zeros((0, 8, 3), np.uint8),
        np.full((8, 8), np.nan),
        np.full((8, 8), 300),
        np.full((8, 8), -5.0),
        np.linspace(-1, 254, 64).reshape(8, 8),
        np.array([["a"]]),
        [[1, 2], [3]],
        b"",
        b"no picture",
        PNG[:200],
    ],
    ids=str,
)
def test_what_is_no_picture_is_a_clear_error(picture: Any) -> None:
    with pytest.raises(BadInput):
        count_picture(picture, "apples")


def test_boxes_and_thresholds() -> None:
    found = find_things(PNG, "apples")
    assert found.boxes.shape == (7, 5)
    assert count_picture(PNG, "apples", threshold=1.0) == 7


def test_the_counter_must_be_one() -> None:
    with pytest.raises(BadInput, match=r"sim/perfect is a namer, .*not a counter"):
        count_picture(PNG, "apples", counter="sim/perfect")
    with pytest.raises(UnknownName):
        count_picture(PNG, "apples", counter="counter/none-such")


def test_it_works_inside_a_running_event_loop() -> None:
    async def in_a_notebook() -> int:
        return count_picture(PNG, "apples", counter="counter/blobs?contrast=41")

    assert asyncio.run(in_a_notebook()) == 7


def test_encoded_pictures_stay_as_they_are() -> None:
    assert to_png(PNG) is PNG
    assert to_png(RGB.convert("CMYK")).startswith(b"\x89PNG")


def test_the_thing_is_found_in_the_prompt() -> None:
    assert thing_in("An image with 3 human faces") == "human faces"
    assert thing_in("apples") == "apples"
    assert eval_image(PNG, "An image with 7 apples") == 7


def test_pairs_make_a_matrix() -> None:
    matrix = matrix_of([(1, 1), (2, 3), (2, 2), (10, 35), (3, 0)])
    assert matrix.shape == (21, 10)
    assert matrix.sum() == 5
    assert matrix[1, 0] == matrix[3, 1] == matrix[2, 1] == matrix[20, 9] == matrix[0, 2] == 1
    with pytest.raises(BadInput, match="no \\(target, count\\) pairs"):
        matrix_of([])
    with pytest.raises(BadInput):
        matrix_of([(11, 3)])


@pytest.mark.parametrize("pairs", [[], [(3,)], [(3, None)], [3], [(3, "many")]], ids=str)
def test_what_is_no_pair_is_a_clear_error(pairs: Any) -> None:
    with pytest.raises(BadInput):
        matrix_of(pairs)


def test_a_matrix_makes_a_table_of_one_row() -> None:
    table = eval_CM(legacy_observer_sample())
    assert table.shape[0] == 1
    row = {name: table[name][0] for name in table.columns}
    assert row["accuracy"] == pytest.approx(0.611)
    assert row["mwe"] == pytest.approx(0.0711, abs=5e-5)
    assert row["counting_level"] == 4
    assert {"weber_correlation", "random_correlation", "scalar_verdict"} <= set(row)
    # NumGen's own matrix has no row for 0
    again = eval_CM(legacy_observer_sample()[1:])
    assert {name: again[name][0] for name in again.columns} == row


def test_the_table_is_a_pandas_frame_where_pandas_is() -> None:
    pandas = pytest.importorskip("pandas")
    assert isinstance(eval_CM(legacy_observer_sample()), pandas.DataFrame)
    without = "import sys; sys.modules['pandas'] = None; from subitize.numgen import eval_CM; "
    without += "from subitize.measures.baselines import legacy_observer_sample as made; "
    without += "print(type(eval_CM(made())).__module__.split('.')[0])"
    said = subprocess.run([sys.executable, "-c", without], capture_output=True, check=True)
    assert said.stdout.decode().strip() == "polars"


def test_photographs_are_no_drawings() -> None:
    down, across = np.mgrid[:240, :320]
    photo = (60 + 60 * across / 320 + 40 * np.sin(down / 30)).astype(np.uint8)
    with pytest.warns(UserWarning, match="no drawing on a plain background"):
        eval_image(photo, "An image with 24 coins")
    assert score_table(matrix_of([(n, n) for n in range(1, 11)])).to_dicts()[0]["accuracy"] == 1


def test_a_matrix_of_words_is_refused() -> None:
    with pytest.raises(BadInput, match="no numbers"):
        eval_CM([["a"] * 10] * 20)
    with pytest.raises(BadInput, match="no numbers"):
        eval_CM([[None] * 10] * 20)
