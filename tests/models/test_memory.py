"""A device whose memory is too small for a batch: halved, gone on with, and told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from subitize.benchmarks.catalog import get_benchmark
from subitize.errors import ModelError
from subitize.models.base import Reply
from subitize.models.catalog import open_model
from subitize.models.memory import Fitting
from subitize.runs.run import RunOptions, run_benchmark
from tests.scored import load_run

SMALL = {"per_cell": 2, "max": 4, "size": 64, "prompt": "things", "categories": ("apples",),
         "control": False}  # fmt: skip


@pytest.mark.parametrize(
    "problem",
    [
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."),
        torch.cuda.OutOfMemoryError("whatever it says"),
        RuntimeError("CUDA error: out of memory"),
        RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
        RuntimeError("MPS backend out of memory (MPS allocated: 17.56 GB, other: 1.2 GB)"),
        RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate 9 bytes."),
    ],
    ids=str,
)
def test_a_batch_is_halved_until_it_fits_and_never_tried_larger_again(
    problem: RuntimeError,
) -> None:
    asked: list[int] = []

    def ask(items: list[int]) -> list[Reply]:
        asked.append(len(items))
        if len(items) > 2:
            raise problem
        return [Reply("text", str(item)) for item in items]

    fitting = Fitting()
    assert [one.facts for one in fitting.ask(ask, [7, 8])] == [{}, {}]
    replies = fitting.ask(ask, range(9))
    assert [one.value for one in replies] == [str(item) for item in range(9)]
    assert {one.facts["out_of_memory"] for one in replies} == {"2 at once"}
    fitting.ask(ask, range(4))
    assert asked == [2, 9, 4, 2, 2, 2, 2, 1, 2, 2]


def test_other_errors_of_the_network_are_not_taken_for_it() -> None:
    def never(_items: list[int]) -> list[Reply]:
        raise RuntimeError("mat1 and mat2 shapes cannot be multiplied (4x3 and 5x6)")

    fitting = Fitting()
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        fitting.ask(never, [0, 1])
    assert fitting.most is None


def test_one_that_does_not_fit_alone_fails_alone() -> None:
    def never(_items: list[int]) -> list[Reply]:
        raise torch.OutOfMemoryError("CUDA out of memory")

    with pytest.raises(ModelError, match="does not fit"):
        Fitting().ask(never, [0])


def test_a_run_goes_on_and_says_so(
    namers: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A real tiny model whose device takes two items at once and no more."""
    naming = get_benchmark("naming")
    settings = naming.settings_from(SMALL)

    def run(out: Path, most: int) -> tuple[Any, list[int]]:
        model: Any = open_model(f"hf/{namers['llava']}?batch=8&max_tokens=4&isolated=false")
        network, asked = model.parts[0], []
        whole = network.generate

        def generate(*args: Any, **how: Any) -> Any:
            asked.append(len(how["input_ids"]))
            if asked[-1] > most:
                raise torch.OutOfMemoryError("CUDA out of memory")
            return whole(*args, **how)

        network.generate = generate
        outcome = run_benchmark(naming, settings, model, out, RunOptions())
        assert outcome.complete
        return load_run(outcome.folder), asked

    easy, all_at_once = run(tmp_path / "large", 8)
    assert all_at_once == [8]
    assert "memory" not in capsys.readouterr().err
    hard, halves = run(tmp_path / "small", 2)
    assert halves == [8, 4, 2, 2, 2, 2]
    assert easy.answers["value"].to_list() == hard.answers["value"].to_list()
    said = capsys.readouterr().err
    assert said.count("the device's memory is too small for a batch of 8: asked 2 at once") == 1
