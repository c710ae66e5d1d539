"""The training itself: one seed from its beginning, or from where it was killed, to its end.

What happens between two evaluations depends on the state at its beginning and on numbers drawn anew
for it, and that state is kept: a part that was cut off is done again from there, so that a training
which was killed ends exactly as one that was not.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import orjson

from subitize.errors import BadInput
from subitize.files import write_whole
from subitize.records import fingerprint
from subitize.stimuli import generator
from subitize.training.plan import Part, Plan, parts, per_epoch

LOSSES = 40
"""points of the loss curve that are kept between two evaluations"""
STATE, WEIGHTS = "state.json", "state.pt"
Metrics = dict[str, dict[str, Any]]
"""by data set, by measure"""
History = list[dict[str, Any]]
"""an entry per evaluation"""
Tell = Callable[[History, Part], None]


class Task(Protocol):
    """What is learnt."""

    module: Any
    """a torch module whose forward call gives the loss of each example"""
    examples: int
    """to learn from"""
    judged_by: tuple[str, str]
    """data set and measure by which the best evaluation is chosen"""

    def inputs(self, chosen: Sequence[int]) -> dict[str, Any]:
        """What the module gets for these examples."""

    def evaluate(self) -> Metrics:
        """Everything that is measured."""

    def save(self, folder: Path) -> None:
        """Write a checkpoint that `hf/FOLDER` opens."""


def train(task: Task, plan: Plan, seed: int, folder: Path, tell: Tell) -> History:
    """Train one seed inside a folder; BEST and LAST are checkpoints, what is between is swept."""
    return _Training(task, plan, seed, folder).run(tell)


class _Training:
    def __init__(self, task: Task, plan: Plan, seed: int, folder: Path) -> None:
        import torch
        from accelerate import (
            Accelerator,
            DistributedDataParallelKwargs,
            InitProcessGroupKwargs,
        )
        from transformers import get_linear_schedule_with_warmup

        self.task, self.plan, self.seed, self.folder = task, plan, seed, folder
        self.parts = list(parts(plan, task.examples))
        steps = self.parts[-1].end
        device = next(task.module.parameters()).device
        self.accelerator = Accelerator(
            mixed_precision=plan.precision, cpu=device.type == "cpu",
            kwargs_handlers=[
                # heads that are not trained have no gradient; one process evaluates, others wait
                DistributedDataParallelKwargs(find_unused_parameters=True),
                InitProcessGroupKwargs(timeout=timedelta(hours=12)),
            ],
        )  # fmt: skip
        raw = torch.optim.AdamW(
            task.module.parameters(), lr=plan.lr, weight_decay=plan.weight_decay
        )
        self.module, self.optimizer = self.accelerator.prepare(task.module, raw)
        warm = round(plan.warmup * steps)
        untyped: Any = get_linear_schedule_with_warmup
        self.scheduler = untyped(raw, warm, steps)
        self.history: History = []

    def run(self, tell: Tell) -> History:
        begun = self._resume()
        for part in self.parts[begun:]:
            if self._is_over():
                break
            losses = self._learn(part)
            self._note(part, losses)
            tell(self.history, part)
        if self.accelerator.is_main_process:
            self._finish()
        self.accelerator.wait_for_everyone()
        return self.history

    def _learn(self, part: Part) -> list[float]:
        """The steps between two evaluations; the mean loss of each."""
        import torch

        rank, world = self.accelerator.process_index, self.accelerator.num_processes
        drawn = int(fingerprint(["finetune", self.seed, part.number, rank])[:12], 16)
        torch.manual_seed(drawn)
        self.module.train()
        found = []
        for step in range(part.first, part.end):
            chosen = self._chosen(step)
            # a device without an example computes one all the same, and it does not count
            own = chosen[rank::world] or chosen[:1]
            counted = len(chosen[rank::world])
            with self.accelerator.autocast():
                losses = self.module(**self.task.inputs(own))
            loss = losses.mean() * (counted * world / len(chosen))
            self.accelerator.backward(loss)
            self.optimizer.step()
            if not self.accelerator.optimizer_step_was_skipped:
                self.scheduler.step()
            self.optimizer.zero_grad()
            found.append(float(self.accelerator.reduce(loss.detach(), "mean")))
            if not np.isfinite(found[-1]) and self.plan.precision != "fp16":
                raise BadInput(
                    f"The loss is {found[-1]} at step {step + 1} of seed {self.seed}: use a "
                    "smaller --lr, or another --precision."
                )
        return found

    def _chosen(self, step: int) -> list[int]:
        """The examples of a step: every epoch has an order of its own."""
        epoch, place = divmod(step, per_epoch(self.plan, self.task.examples))
        order = generator("finetune order", self.seed, epoch).permutation(self.task.examples)
        first = place * self.plan.batch
        chosen: list[int] = order[first : first + self.plan.batch].tolist()
        return chosen

    def _note(self, part: Part, losses: Sequence[float]) -> None:
        """Evaluate, and keep everything that the next part begins with."""
        from accelerate.utils import broadcast_object_list

        found: list[Any] = [None]
        if self.accelerator.is_main_process:
            self.module.eval()
            found = [self.task.evaluate()]
        broadcast_object_list(found)
        pieces = np.array_split(np.array(losses), min(LOSSES, len(losses)))
        self.history.append(
            {
                "evaluation": part.number,
                "epoch": part.epoch,
                "step": part.end,
                "loss": float(np.mean(losses)),
                "losses": [float(piece.mean()) for piece in pieces],
                "metrics": found[0],
            }
        )
        if self.accelerator.is_main_process:
            if best_of(self.history, self.task.judged_by) is self.history[-1]:
                self._save(f"best-{part.number:05}")
            self._keep(part)
        self.accelerator.wait_for_everyone()

    def _save(self, name: str) -> None:
        """A checkpoint under its name only when it is whole."""
        half = self.folder / f"{name}.part"
        shutil.rmtree(half, ignore_errors=True)
        half.mkdir(parents=True)
        self.task.save(half)
        shutil.rmtree(self.folder / name, ignore_errors=True)
        half.rename(self.folder / name)

    def _keep(self, part: Part) -> None:
        import torch

        name = f"state-{part.number:05}"
        half = self.folder / f"{name}.part"
        shutil.rmtree(half, ignore_errors=True)
        half.mkdir(parents=True)
        state = {
            "module": self.accelerator.unwrap_model(self.module).state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "scheduler": self.scheduler.state_dict(),
        }
        torch.save(state, half / WEIGHTS)
        write_whole(half / STATE, orjson.dumps(self.history))
        shutil.rmtree(self.folder / name, ignore_errors=True)
        half.rename(self.folder / name)
        best = best_of(self.history, self.task.judged_by)["evaluation"]
        self._sweep({name, f"best-{best:05}"})

    def _sweep(self, kept: set[str]) -> None:
        for path in [*self.folder.glob("state-*"), *self.folder.glob("best-*")]:
            if path.name not in kept:
                shutil.rmtree(path, ignore_errors=True)

    def _resume(self) -> int:
        """Take up the newest state that is whole; how many parts are done."""
        import torch

        whole = sorted(path for path in self.folder.glob("state-?????") if path.is_dir())
        if not whole:
            return 0
        self.history = orjson.loads((whole[-1] / STATE).read_bytes())
        where = self.accelerator.device
        state = torch.load(whole[-1] / WEIGHTS, map_location=where, weights_only=True)
        self.accelerator.unwrap_model(self.module).load_state_dict(state["module"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.scheduler.load_state_dict(state["scheduler"])
        return len(self.history)

    def _is_over(self) -> bool:
        """Whether waiting for a better evaluation has lasted long enough."""
        if not self.plan.patience or not self.history:
            return False
        best = best_of(self.history, self.task.judged_by)["evaluation"]
        return bool(len(self.history) - best >= self.plan.patience)

    def _finish(self) -> None:
        best = best_of(self.history, self.task.judged_by)["evaluation"]
        self._save("last")
        for name in ("best.part", "best"):  # of a process that was killed just here
            shutil.rmtree(self.folder / name, ignore_errors=True)
        shutil.copytree(self.folder / f"best-{best:05}", self.folder / "best.part")
        (self.folder / "best.part").rename(self.folder / "best")
        write_whole(self.folder / "history.json", orjson.dumps(self.history))
        self._sweep(set())


def best_of(history: History, judged_by: tuple[str, str]) -> dict[str, Any]:
    """The evaluation with the highest value of a measure on a data set, the first of equals."""
    return max(history, key=lambda one: _value(one["metrics"], judged_by))


def _value(metrics: Mapping[str, Mapping[str, Any]], judged_by: tuple[str, str]) -> float:
    data, measure = judged_by
    value = metrics[data][measure]
    return -np.inf if value is None else float(value)
