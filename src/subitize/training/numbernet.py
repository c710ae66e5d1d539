"""How `numbernet` is trained: the network of `models/numbernet.py` in torch, and its two lessons.

The eye learns first, what is at which place of a scene: it is shown no number, no question and no
sentence. Then it stays as it is, and what reads words and numbers learns the probe: right sentence
against foils, binary cross-entropy.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from subitize.datasets.probe.released import FOILS, ProbeItem
from subitize.datasets.probe.splits import build, scene_questions
from subitize.measures.accuracy import share_interval
from subitize.models.numbernet import (
    CELLS,
    EYE_KINDS,
    MAGNITUDE,
    REGIONS,
    SHARPNESS,
    SIDE,
    SUM_SCALE,
    WORDS,
    claims,
    word_vector,
)
from subitize.pictures.decode import decode, shrunk
from subitize.stimuli.probe import draw
from subitize.stimuli.probe.wording import COLOURS

if TYPE_CHECKING:
    from torch import Tensor

    Tensors = dict[str, Tensor]

FIRST_SEED = 7000
"""of the scenes that are learnt from: far from the seeds that users begin with"""
LOOKS: Mapping[str, Mapping[str, Any]] = {"plain": {}, "hard": {"clutter": 40}}
HIGHEST = {"plain": 10, "hard": 20}
CHANNELS, WORD, HIDDEN, COUNTED, NUMBER = 48, 24, 32, 16, 64
"""widths of the layers"""
MOST_THINGS = 64
EYE_BATCH, EYE_RATE, CENTRES = 32, 5e-3, 20.0
BATCH, RATE = 64, 5e-3
TEST_ITEMS = 2000


class Configuration(NamedTuple):
    """One training."""

    split: str
    foils: str
    head: str
    scenes: str
    """plain or hard, as in LOOKS"""


CONFIGURATIONS: Mapping[str, Configuration] = {
    "base": Configuration("standard", "any", "words", "plain"),
    "even-any-words": Configuration("interpolated", "any", "words", "plain"),
    "even-any-line": Configuration("interpolated", "any", "line", "plain"),
    "even-even-words": Configuration("interpolated", "even", "words", "plain"),
    "even-even-line": Configuration("interpolated", "even", "line", "plain"),
    "hard": Configuration("hard", "any", "words", "hard"),
}


class Amount(NamedTuple):
    """How much is learnt."""

    scenes: int = 12_000
    """plain ones in training; of hard ones what the cap leaves of a pool of three times as many"""
    eye_steps: int = 2400
    steps: int = 4500


class Scenes(NamedTuple):
    """Drawn pictures, reduced, with what is where in them."""

    pixels: NDArray[np.uint8]
    things: NDArray[np.int64]
    """column and row of the cell, kind, colour; −1 where there is no further thing"""
    place: Mapping[str, int]
    """picture → its row"""


class Lesson(NamedTuple):
    """Items as arrays."""

    row: NDArray[np.int64]
    """of its picture"""
    words: NDArray[np.float32]
    numbers: NDArray[np.int64]
    """the right one, then the foils"""


def drawn_scenes(items: Iterable[ProbeItem]) -> Scenes:
    """Every picture once."""
    listed = {one.picture: one for one in items}
    pixels = np.zeros((len(listed), SIDE, SIDE, 3), np.uint8)
    things = np.full((len(listed), MOST_THINGS, 4), -1, np.int64)
    for row, one in enumerate(listed.values()):
        picture = draw(one.recipe)
        pixels[row] = shrunk(decode(picture.png), SIDE)
        for at, thing in enumerate(picture.facts["things"]):
            cell = [int(where * CELLS / one.recipe["size"]) for where in thing["centre"]]
            kind, colour = EYE_KINDS.index(thing["kind"]), COLOURS.index(thing["colour"])
            things[row, at] = (*cell, kind, colour)
    return Scenes(pixels, things, {name: row for row, name in enumerate(listed)})


def chosen(scenes: Scenes, items: Iterable[ProbeItem]) -> Scenes:
    """The pictures of some items."""
    rows = {one.picture: scenes.place[one.picture] for one in items}
    listed = list(rows.values())
    places = {name: at for at, name in enumerate(rows)}
    return Scenes(scenes.pixels[listed], scenes.things[listed], places)


def joined(parts: Iterable[Scenes]) -> Scenes:
    """Several sets for the eye; pictures of two sets may have one name, so no name is kept."""
    pixels, things, _ = zip(*parts, strict=True)
    return Scenes(np.concatenate(pixels), np.concatenate(things), {})


def lesson(items: Sequence[ProbeItem], scenes: Scenes) -> Lesson:
    return Lesson(
        np.array([scenes.place[one.picture] for one in items]),
        np.array([word_vector(claims(one.question)[0].words) for one in items]),
        np.array([(one.answer, *one.foils[:FOILS]) for one in items]),
    )


def items_of(name: str, seed: int, many: int) -> dict[str, list[ProbeItem]]:
    """Items for training, and the test sets that a configuration is judged on."""
    made = CONFIGURATIONS[name]
    pool = (2 if made.scenes == "plain" else 3) * many
    found = scene_questions(
        pool, seed=FIRST_SEED + seed, highest=HIGHEST[made.scenes], look=LOOKS[made.scenes]
    )
    split = build(found, made.split, seed=seed, foils=made.foils, mode="fluent").parts
    if made.split == "hard":
        return {"train": split["train"][:many], "test": split["test"][:TEST_ITEMS]}
    plain = build(found, "standard", seed=seed, mode="fluent").parts["test"][:TEST_ITEMS]
    parity = {
        part: [one for one in plain if one.answer % 2 == odd]
        for odd, part in enumerate(("even", "odd"))
    }
    return {"train": split["train"][:many], "test": plain, **parity}


def eye_logits(pixels: Tensor, weights: Mapping[str, Tensor]) -> Tensor:
    """Of every cell: whether there is a thing's centre, what it is, its colour."""
    from torch.nn import functional

    def layer(seen: Tensor, name: str, step: int = 1) -> Tensor:
        kernel, bias = weights[f"eye.{name}.weight"], weights[f"eye.{name}.bias"]
        rim = kernel.shape[-1] // 2
        return functional.conv2d(seen, kernel, bias, stride=step, padding=rim)

    ink = 1 - pixels.permute(0, 3, 1, 2).to(weights["eye.first.bias"].dtype) / 255
    seen = functional.relu(layer(functional.pixel_unshuffle(ink, 2), "first"))
    seen = functional.relu(layer(seen, "second", 2))
    return layer(functional.relu(layer(seen, "third")), "out")


def eye_regions(pixels: Tensor, weights: Mapping[str, Tensor]) -> Tensor:
    """The regions of pictures, as `models.numbernet.regions` gives them."""
    import torch

    out = eye_logits(pixels, weights).flatten(2)
    kinds = 1 + len(EYE_KINDS)
    along = (torch.arange(CELLS) + 0.5) / CELLS * 2 - 1
    x, y = along.repeat(CELLS), along.repeat_interleave(CELLS)
    places = torch.stack([x, y]).expand(len(out), 2, -1)
    told = [out[:, :1].sigmoid(), out[:, 1:kinds].softmax(1), out[:, kinds:].softmax(1), places]
    cells = torch.cat(told, 1).transpose(1, 2)
    top = cells[:, :, 0].topk(REGIONS, 1).indices
    return cells.gather(1, top[:, :, None].expand(-1, -1, cells.shape[2]))


def number_logits(seen: Tensor, words: Tensor, weights: Mapping[str, Tensor]) -> Tensor:
    """How well each number fits, as `models.numbernet.number_logits` says it."""
    import torch
    from torch.nn.functional import linear, relu, softplus

    def layer(values: Tensor, name: str) -> Tensor:
        return linear(values, weights[f"{name}.weight"], weights[f"{name}.bias"])

    words = words.to(weights["word"].dtype)
    said = relu(layer(words @ weights["word"], "text"))
    cells = layer(seen[:, :, 1:], "cell")
    cells = relu(cells * (1 + layer(said, "gain"))[:, None] + layer(said, "shift")[:, None])
    cells = relu(layer(relu(layer(cells, "mixed")), "counted"))
    total = (cells * seen[:, :, :1]).sum(1) * SUM_SCALE
    if "line.weight" not in weights:
        return layer(relu(layer(total, "hidden")), "numbers")
    magnitude = relu(layer(total, "line")) * MAGNITUDE
    line = torch.log1p(torch.arange(int(weights["highest"][0]) + 1).to(total.dtype))
    sharp = softplus(weights["sharp"]) * SHARPNESS
    return weights["bias"] - sharp * (torch.log1p(magnitude) - line) ** 2


def first_weights(head: str, highest: int, seed: int) -> Tensors:
    """Weights from nothing: of the eye (head = "") or of what reads words and numbers."""
    import torch

    chance = torch.Generator().manual_seed(seed)
    made: Tensors = {}

    def layer(name: str, *shape: int, scale: float = 1.0) -> None:
        spread = scale / np.sqrt(np.prod(shape[1:]))
        made[f"{name}.weight"] = torch.randn(shape, generator=chance) * spread
        made[f"{name}.bias"] = torch.zeros(shape[0])

    if not head:
        rectified = float(np.sqrt(2))
        layer("eye.first", 32, 12, 3, 3, scale=rectified)
        layer("eye.second", CHANNELS, 32, 3, 3, scale=rectified)
        layer("eye.third", CHANNELS, CHANNELS, 3, 3, scale=rectified)
        layer("eye.out", 1 + len(EYE_KINDS) + len(COLOURS), CHANNELS, 1, 1)
        made["eye.out.bias"][0] = -3.0  # most cells are empty
        return made
    made["word"] = torch.randn((len(WORDS), WORD), generator=chance) / 2
    layer("text", HIDDEN, WORD)
    layer("gain", HIDDEN, HIDDEN, scale=0.6)
    layer("shift", HIDDEN, HIDDEN, scale=0.6)
    layer("cell", HIDDEN, 2 + len(EYE_KINDS) + len(COLOURS))
    layer("mixed", HIDDEN, HIDDEN)
    layer("counted", COUNTED, HIDDEN)
    if head == "words":
        layer("hidden", NUMBER, COUNTED)
        layer("numbers", highest + 1, NUMBER)
    else:
        layer("line", 1, COUNTED)
        made["line.bias"][0] = 0.25  # a magnitude of 0 would not learn
        made |= {"sharp": torch.ones(1), "bias": torch.ones(1)}
        made["highest"] = torch.tensor([float(highest)])
    return made


def _eye_loss(out: Tensor, things: NDArray[np.int64]) -> Tensor:
    import torch
    from torch.nn import functional

    picture, at = np.nonzero(things[:, :, 0] >= 0)
    x, y, kind, colour = torch.from_numpy(things[picture, at]).T
    there = torch.zeros(len(out), CELLS, CELLS)
    there[picture, y, x] = 1
    told = out[picture, :, y, x]
    kinds = 1 + len(EYE_KINDS)
    return (
        functional.binary_cross_entropy_with_logits(out[:, 0], there) * CENTRES
        + functional.cross_entropy(told[:, 1:kinds], kind)
        + functional.cross_entropy(told[:, kinds:], colour)
    )


class Trained(NamedTuple):
    """What a lesson gave."""

    weights: Tensors
    losses: list[float]
    """a mean for each tenth of the steps"""
    cpu_seconds: float


def train_eye(scenes: Scenes, steps: int, seed: int) -> Trained:
    """The first lesson."""
    import torch

    def loss(rows: NDArray[np.int64], weights: Tensors) -> Tensor:
        pixels = torch.from_numpy(scenes.pixels[rows])
        return _eye_loss(eye_logits(pixels, weights), scenes.things[rows])

    start = first_weights("", 0, seed)
    return _descend(start, loss, len(scenes.pixels), (steps, EYE_BATCH, EYE_RATE), seed)


def train_numbers(
    made: Configuration, seen: Tensor, learnt: Lesson, steps: int, seed: int
) -> Trained:
    """The second lesson: the eye's regions are given."""
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits

    words, numbers = torch.from_numpy(learnt.words), torch.from_numpy(learnt.numbers)
    right = torch.zeros(BATCH, numbers.shape[1])
    right[:, 0] = 1

    def loss(rows: NDArray[np.int64], weights: Tensors) -> Tensor:
        logits = number_logits(seen[learnt.row[rows]], words[rows], weights)
        return binary_cross_entropy_with_logits(logits.gather(1, numbers[rows]), right)

    # the number line of "any" has the same reach as the words: up to the highest answer
    start = first_weights(made.head, HIGHEST[made.scenes], seed)
    return _descend(start, loss, len(learnt.row), (steps, BATCH, RATE), seed)


def _descend(
    weights: Tensors, loss_of: Any, many: int, plan: tuple[int, int, float], seed: int
) -> Trained:
    """AdamW: a short rise of the rate, then from half of the steps on straight down to 0."""
    import torch

    steps, batch, rate = plan
    begun, rng, losses = time.process_time(), np.random.default_rng(seed), []
    learnt = [value.requires_grad_() for name, value in weights.items() if name != "highest"]
    optimiser = torch.optim.AdamW(learnt, lr=rate, weight_decay=1e-4, betas=(0.9, 0.98))
    rows = np.empty(0, np.int64)
    for step in range(steps):
        if len(rows) < batch:
            rows = rng.permutation(many)
        own, rows = rows[:batch], rows[batch:]
        optimiser.param_groups[0]["lr"] = rate * min(1, (step + 1) / 100, 2 * (1 - step / steps))
        loss = loss_of(own, weights)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learnt, 1.0)
        optimiser.step()
        losses.append(loss.item())
    means = [float(np.mean(part)) for part in np.array_split(losses, 10)]
    found = {name: value.detach() for name, value in weights.items()}
    return Trained(found, means, time.process_time() - begun)


def seen_in(scenes: Scenes, weights: Mapping[str, Tensor]) -> Tensor:
    """The regions of all scenes."""
    import torch

    with torch.no_grad():
        parts = [
            eye_regions(torch.from_numpy(scenes.pixels[at : at + 250]), weights)
            for at in range(0, len(scenes.pixels), 250)
        ]
    return torch.cat(parts)


def judged(logits: NDArray[np.float32], numbers: NDArray[np.int64]) -> dict[str, Any]:
    """acc_r and naming of items, from the logits of all numbers."""
    fits = np.take_along_axis(logits, numbers, axis=1)
    right, foils = fits[:, :1], fits[:, 1:]
    own = np.repeat(np.arange(len(numbers)), foils.shape[1])
    said = logits.argmax(axis=1)
    error = np.abs(said - numbers[:, 0])
    found = {
        "acc_r": share_interval((right >= foils).ravel(), own),
        "naming": share_interval(error == 0, np.arange(len(numbers))),
    }
    told = {
        name: {"value": one.value, "low": one.low, "high": one.high} for name, one in found.items()
    }
    return {"items": len(numbers), **told, "mean_error": float(error.mean())}


def judge(weights: Mapping[str, Tensor], seen: Tensor, asked: Lesson) -> dict[str, Any]:
    """A trained model on the items of a test set."""
    import torch

    with torch.no_grad():
        logits = number_logits(seen[asked.row], torch.from_numpy(asked.words), weights)
    return judged(logits.numpy(), asked.numbers)
