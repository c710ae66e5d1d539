"""What all checkpoints of transformers share: settings, loading, pictures and batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from subitize.errors import BadInput, Hopeless, ModelError
from subitize.models.base import Answers, Item, ModelOptions, Reply, picture_of, singly
from subitize.models.checkpoints import Checkpoint, check_weights, placed
from subitize.models.hf.facts import Facts
from subitize.models.hf.pictures import without_videos
from subitize.models.hf.room import told
from subitize.models.hf.standing import UNLOADABLE, architecture
from subitize.models.memory import Fitting
from subitize.models.names import ModelName, typed_settings
from subitize.pictures.decode import as_image, decode

COMMON: Mapping[str, Any] = {"revision": "", "dtype": "auto", "device": "auto"}
"""settings of every checkpoint"""
DTYPES = ("auto", "float32", "bfloat16", "float16")
Pair = tuple[Item, Any]
"""an item with its picture, opened"""


class Local(Checkpoint):
    """A checkpoint that transformers loads; a subclass says by which class and how it is asked.

    Settings: `revision` (branch, tag or commit of the hub), `dtype` (auto: as the checkpoint has
    it), `device` (auto, cpu, cuda, …; no part of what the model is), and `batch` where several
    items are computed at once (0: as many as were shown to change nothing for its family).
    """

    batch_size = 8
    standing: Mapping[str, str] = {}
    """in which class it is, and why: tested, untested or not loadable"""

    DEFAULTS: ClassVar[Mapping[str, Any]] = COMMON
    RANGES: ClassVar[Mapping[str, tuple[float, float]]] = {"batch": (0, 4096)}
    SHOWN: ClassVar[Mapping[str, int]] = {}
    """families whose batches were shown to say what single items say, with their usual batch"""

    def __init__(self, name: ModelName, options: ModelOptions, facts: Facts) -> None:
        settings = typed_settings(name, self.DEFAULTS, self.RANGES)
        if settings["dtype"] not in DTYPES:
            raise BadInput(f"dtype is {settings['dtype']!r}: give one of {', '.join(DTYPES)}.")
        self._device = settings.pop("device")
        self.facts = facts
        self.trusted = options.trust_remote_code
        self.family = str(facts.config.get("model_type", ""))
        if "batch" in settings:
            settings["batch"] = settings["batch"] or self.shown()
            self.batch_size = settings["batch"]
        self.check_settings(settings, options)
        pinned = facts.commit or settings["revision"]
        super().__init__(name.full, settings, name.rest, pinned)
        self.parameters = facts.parameters
        self._fitting = Fitting()

    @property
    def config(self) -> Mapping[str, Any]:
        """What its config.json says."""
        return self.facts.config

    @property
    def own_code(self) -> bool:
        """Whether program code that it brings runs: with leave, in the place of transformers'."""
        return self.trusted and "auto_map" in self.config

    def shown(self) -> int:
        """How many items at once were shown to change nothing for its kind."""
        return 1 if self.own_code else self.SHOWN.get(self.family, 1)

    def check_settings(self, settings: dict[str, Any], options: ModelOptions) -> None:
        """Where a subclass completes its settings."""

    @property
    def repair(self) -> str:
        known = self.standing.get("class") == UNLOADABLE
        return self.standing["why"] if known else super().repair

    def told(self) -> dict[str, Any]:
        """What `subitize doctor` says of it before anything is downloaded or loaded."""
        return {
            **self.standing, "family": self.family, "architecture": architecture(self.config),
            "asked_by": type(self).__name__, "batch": self.batch_size,
            "shown": self.shown() > 1 if self.SHOWN else None, "remote_code": self.own_code,
            **told(self.facts, self.revision, self.settings["dtype"], self._device),
        }  # fmt: skip

    def weights(self, kind: Any) -> Any:
        """The model of that class, complete and where it computes."""
        found, loading = self.pretrained(
            kind, dtype=self.settings["dtype"], output_loading_info=True, **self.trust
        )
        check_weights(self.source, loading, "auto_map" in self.config and not self.trusted)
        return placed(found, self._device)

    def processor(self) -> Any:
        """What makes the model's inputs of pictures and words.

        Many families ask for torchvision for their videos alone: without it theirs is put together
        of its other parts.
        """
        from transformers import AutoProcessor

        load: Callable[..., Any] = partial(self.pretrained, **self.trust)
        try:
            if find_spec("torchvision") is None and not self.own_code:
                return without_videos(self.family, load) or load(AutoProcessor)
            return load(AutoProcessor)
        except (ImportError, ValueError) as problem:
            if "orchvision" not in str(problem):
                raise
            raise Hopeless(
                f"{self.source!r} prepares its pictures by torchvision, which is not installed: "
                "install the build of torchvision that belongs to your torch, or serve the model "
                "elsewhere and ask it by openai/NAME --base-url URL."
            ) from None

    def save_inputs(self, folder: Path) -> None:
        """Write what makes inputs of pictures and words beside weights that were trained on."""
        self.processor().save_pretrained(folder)

    def opened(self, item: Item) -> Any:
        """The picture of an item, as the model's inputs are made of it."""
        return as_image(decode(picture_of(item)))

    def each(self, items: Sequence[Item], ask: Callable[[Pair], Reply]) -> Answers:
        """One item at a time, for models whose batches round otherwise."""

        def alone(item: Item) -> Reply | ModelError:
            return self._fitting.ask(lambda pairs: [ask(pairs[0])], [(item, self.opened(item))])[0]

        return singly(alone, items)

    def together(self, items: Sequence[Item], ask: Callable[[list[Pair]], Answers]) -> Answers:
        """A batch; an item whose picture can't be used fails alone."""
        answers: dict[int, Reply | ModelError] = {}
        good: dict[int, Pair] = {}
        for place, item in enumerate(items):
            try:
                good[place] = (item, self.opened(item))
            except Hopeless:
                raise
            except ModelError as problem:
                answers[place] = problem
        if good:
            answers |= zip(good, self._fitting.ask(ask, list(good.values())), strict=True)
        return [answers[place] for place in range(len(items))]


@contextmanager
def repeatable() -> Iterator[None]:
    """Inference in which no chance is left: ViLT shuffles its patches, which moves last digits."""
    import torch

    with torch.inference_mode(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield
