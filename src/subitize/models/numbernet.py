"""`numbernet`: a small image–text model of our own, computed in NumPy.

The eye makes cells of a picture and says of each whether a thing's centre lies in it, what it is
and its colour. The words of a phrase ("red cars left of the tree") weigh the cells, what is left of
them is summed up, and a head says how well a number fits the sum: `words` has a row of weights for
each number, `line` reads one magnitude and compares it with the number on a logarithmic line.
`training/numbernet.py` trains it with torch and has the same network there. Here it computes with
64-bit floats, so that only torch's own rounding can part the two.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import orjson
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from subitize.errors import BadInput, ModelError
from subitize.models.base import Answers, Item, Kind, Model, ModelOptions, Reply, picture_of, singly
from subitize.models.names import ModelName, typed_settings
from subitize.nouns import plural
from subitize.numerals import find_numbers
from subitize.pictures.decode import decode, shrunk
from subitize.stimuli.probe.wording import COLOURS, KINDS, PLACES

WEIGHTS = Path(__file__).parent / "numbernet_weights"
SIDE, CELLS, REGIONS = 64, 16, 48
"""pixels and cells along a side; cells that are kept, those with a thing in them first"""
EYE_KINDS = (*KINDS, "tree")
WORDS = (*KINDS, *COLOURS, *PLACES)
"""what the text encoder knows, beside numbers"""
SUM_SCALE = 0.25
SHARPNESS, MAGNITUDE = 8.0, 4.0
"""scales of the number line, so that weights of about 1 suit it"""
SEEDS = (0, 1, 2)
_LEMMAS = {plural(kind): kind for kind in KINDS} | {word: word for word in WORDS}
_PARTS = re.compile(r", (?:and )?| and ")
_TOKEN = re.compile(r"[a-z]+")
_ONE = re.compile(r"\ban? ")
_QUOTED = re.compile(r"[“\"](.+)[”\"]", re.DOTALL)

Numbers = NDArray[np.float64]
Weights = Mapping[str, Numbers]


class Claim(NamedTuple):
    """A phrase, as the text encoder gets it, and the number it says."""

    words: tuple[str, ...]
    """those of WORDS, in their order"""
    number: int | None
    """None where it says none"""


def claims(sentence: str) -> list[Claim]:
    """What a sentence says of numbers: a caption makes a claim with each of its parts.

    >>> claims("There are 4 red cars left of the tree.")
    [Claim(words=('car', 'red', 'left'), number=4)]
    >>> claims("A blue star, two cars and a tree.")
    [Claim(words=('star', 'blue'), number=1), Claim(words=('car',), number=2)]
    """
    found = []
    for part in _PARTS.split(sentence):
        words = {_LEMMAS[token] for token in _TOKEN.findall(part.lower()) if token in _LEMMAS}
        numbers = [one.value for one in find_numbers(part) if one.value is not None]
        number = int(numbers[-1]) if numbers else 1 if _ONE.match(part.lower()) else None
        if words:
            found.append(Claim(tuple(word for word in WORDS if word in words), number))
    return found


def word_vector(words: Sequence[str]) -> Numbers:
    """1 for each word that occurs."""
    return np.array([word in words for word in WORDS], np.float64)


def regions(pixels: NDArray[np.uint8], weights: Weights) -> Numbers:
    """What the eye sees in a SIDE × SIDE picture: per region whether a thing is there, what it is,
    its colour and its place (REGIONS × 18)."""
    ink = 1 - pixels / 255.0
    half = SIDE // 2
    seen = ink.reshape(half, 2, half, 2, 3).transpose(0, 2, 4, 1, 3).reshape(half, half, 12)
    seen = _relu(_convolved(seen, weights, "eye.first"))
    seen = _relu(_convolved(seen, weights, "eye.second")[::2, ::2])
    seen = _relu(_convolved(seen, weights, "eye.third"))
    out = seen.reshape(CELLS * CELLS, -1) @ weights["eye.out.weight"][:, :, 0, 0].T
    out += weights["eye.out.bias"]
    kinds = 1 + len(EYE_KINDS)
    along = (np.arange(CELLS) + 0.5) / CELLS * 2 - 1
    there = 1 / (1 + np.exp(-out[:, :1]))
    told = [
        there, _softmax(out[:, 1:kinds]), _softmax(out[:, kinds:]),
        np.tile(along, CELLS)[:, None], np.repeat(along, CELLS)[:, None],
    ]  # fmt: skip
    cells = np.concatenate(told, axis=1)
    return cells[np.argsort(-there[:, 0], kind="stable")[:REGIONS]]


def _convolved(picture: Numbers, weights: Weights, name: str) -> Numbers:
    """A 3 × 3 convolution with a rim of zeros; channels are last."""
    kernel, bias = weights[f"{name}.weight"], weights[f"{name}.bias"]
    padded = np.pad(picture, ((1, 1), (1, 1), (0, 0)))
    windows = sliding_window_view(padded, (3, 3), axis=(0, 1))
    rows = windows.reshape(picture.shape[0] * picture.shape[1], -1)
    made: Numbers = rows @ kernel.reshape(len(kernel), -1).T + bias
    return made.reshape(*picture.shape[:2], -1)


def _relu(values: Numbers) -> Numbers:
    return np.maximum(values, 0.0)


def _softmax(values: Numbers) -> Numbers:
    risen = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(risen / risen.sum(axis=1, keepdims=True))


def number_logits(seen: Numbers, words: Numbers, weights: Weights) -> Numbers:
    """How well each number 0, 1, … fits what is asked for, as logits."""
    said = _relu(_linear(words @ weights["word"], weights, "text"))
    cells = _linear(seen[:, 1:], weights, "cell")
    cells = _relu(cells * (1 + _linear(said, weights, "gain")) + _linear(said, weights, "shift"))
    cells = _relu(_linear(_relu(_linear(cells, weights, "mixed")), weights, "counted"))
    total = (cells * seen[:, :1]).sum(axis=0) * SUM_SCALE
    if "line.weight" not in weights:
        return _linear(_relu(_linear(total, weights, "hidden")), weights, "numbers")
    magnitude = _relu(_linear(total, weights, "line")) * MAGNITUDE
    line = np.log1p(np.arange(int(weights["highest"][0]) + 1))
    sharp = np.logaddexp(0.0, weights["sharp"]) * SHARPNESS
    return np.asarray(weights["bias"] - sharp * (np.log1p(magnitude) - line) ** 2)


def _linear(values: Numbers, weights: Weights, name: str) -> Numbers:
    return np.asarray(values @ weights[f"{name}.weight"].T + weights[f"{name}.bias"])


@lru_cache(maxsize=4)
def read_weights(path: Path) -> Mapping[str, Numbers]:
    """All tensors of a safetensors file of 32-bit floats."""
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header = orjson.loads(data[8:start])
    header.pop("__metadata__", None)
    found = {}
    for name, entry in header.items():
        low, high = entry["data_offsets"]
        if entry["dtype"] != "F32":
            raise BadInput(f"{path}: {name} is of type {entry['dtype']}, F32 is read.")
        flat = np.frombuffer(data[start + low : start + high], "<f4")
        found[name] = flat.reshape(entry["shape"]).astype(np.float64)
    return found


def weights_of(name: str, seed: int) -> Weights:
    """One model's tensors: the eye of its seed, and its own."""
    every = read_weights(WEIGHTS / f"seed-{seed}.safetensors")
    own = {k.removeprefix(f"{name}/"): v for k, v in every.items() if k.startswith(f"{name}/")}
    return {**own, **{k: v for k, v in every.items() if k.startswith("eye.")}}


class Numbernet(Model):
    """Says how well a number fits, or the number that fits best."""

    kinds: ClassVar[tuple[Kind, ...]] = ("matcher", "namer")
    batch_size = 32

    def __init__(self, name: ModelName, settings: Mapping[str, Any]) -> None:
        super().__init__(name.full, settings)
        seed = int(settings["seed"])
        path = WEIGHTS / f"seed-{seed}.safetensors"
        self.revision = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
        self.weights = weights_of(name.rest, seed)
        self.parameters = sum(value.size for value in self.weights.values()) / 1e9

    def match(self, items: Sequence[Item]) -> Answers:
        return singly(self._match, items)

    def name(self, items: Sequence[Item]) -> Answers:
        return singly(self._name, items)

    def _match(self, item: Item) -> Reply:
        seen = self._seen(item)
        scores = [self._fit(seen, sentence) for sentence in item.options]
        return Reply("scores", {"scores": scores, "calibrated": True})

    def _name(self, item: Item) -> Reply:
        seen = self._seen(item)
        if (judged := _QUOTED.search(item.question)) is not None:
            return Reply("text", "yes" if self._fit(seen, judged[1]) >= 0.5 else "no")
        asked = claims(item.question)
        logits = self._logits(seen, asked[0].words if asked else ())
        return Reply("text", str(int(logits.argmax())))

    def _seen(self, item: Item) -> Numbers:
        return regions(shrunk(decode(picture_of(item)), SIDE), self.weights)

    def _logits(self, seen: Numbers, words: Sequence[str]) -> Numbers:
        return number_logits(seen, word_vector(words), self.weights)

    def _fit(self, seen: Numbers, sentence: str) -> float:
        """The probability of a sentence: that of its weakest claim."""
        made = [one for one in claims(sentence) if one.number is not None]
        if not made:
            raise ModelError(
                f"numbernet knows no thing with a number in {sentence[:80]!r}: it was trained on "
                f"{', '.join(plural(kind) for kind in KINDS)}"
            )
        fits = []
        for words, number in made:
            logits = self._logits(seen, words)
            known = number is not None and number < len(logits)
            fits.append(1 / (1 + np.exp(-float(logits[number]))) if known else 0.0)
        return float(min(fits))


def open_numbernet(name: ModelName, _options: ModelOptions) -> Numbernet:
    settings = typed_settings(name, {"seed": 0}, {"seed": (min(SEEDS), max(SEEDS))})
    return Numbernet(name, settings)
