"""Painters by diffusers' own pipelines: `diffusers/ID-or-path` paints, and fills holes.

Every picture is drawn from a generator of its own, so that neither batch nor order changes it. A
picture with a transparent part is filled there, by the pipeline's form for inpainting; pipelines
made for nothing else (such as FLUX Fill) can't paint from words alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np

from subitize.errors import BadInput, Hopeless, MissingExtra
from subitize.models.base import CUT, Answers, Item, Kind, ModelOptions, Reply, singly
from subitize.models.checkpoints import (
    BROKEN,
    Checkpoint,
    check_code,
    check_numbers,
    first_line,
    needs_torch,
    placed,
)
from subitize.models.hf.facts import Facts, look
from subitize.models.hf.length import cut_at
from subitize.models.hf.room import told
from subitize.models.hf.standing import TESTED, UNLOADABLE, UNTESTED
from subitize.models.memory import Fitting
from subitize.models.names import ModelName, typed_settings
from subitize.pictures.decode import as_image, with_hole
from subitize.pictures.encode import encode

DEFAULTS: Mapping[str, Any] = {
    "revision": "", "dtype": "float32", "device": "auto", "batch": 1, "steps": 0,
    "guidance": -1.0, "width": 0, "height": 0, "negative": "", "offload": "none", "seed": 0,
}  # fmt: skip
RANGES = {
    "batch": (1, 256), "steps": (0, 10_000), "guidance": (-1.0, 1000.0), "width": (0, 8192),
    "height": (0, 8192),
}  # fmt: skip
DTYPES = ("float32", "bfloat16", "float16")
OFFLOAD = ("none", "model", "sequential")
TESTED_PIPELINES = (
    "StableDiffusionPipeline", "StableDiffusionInpaintPipeline", "StableDiffusionXLPipeline",
    "StableDiffusion3Pipeline", "FluxPipeline", "FluxFillPipeline",
)  # fmt: skip
"""of which our tests build a tiny one"""
FILLS = ("Inpaint", "Fill")
"""in the names of pipelines that only fill"""


class Diffusing(Checkpoint):
    """A pipeline from Hugging Face's hub or from a folder.

    Settings: `revision`, `dtype`, `device`, `batch`, `steps` (0: the pipeline's own), `guidance`
    (-1: its own), `width` and `height` (0: its own), `negative` (a prompt of what is not wanted),
    `offload` (none, model or sequential: for small graphics cards), `seed`.
    """

    kinds: ClassVar[tuple[Kind, ...]] = ("painter",)
    inpaints: ClassVar[bool] = True

    def __init__(
        self, name: ModelName, settings: dict[str, Any], facts: Facts, options: ModelOptions
    ) -> None:
        self.own_code = not isinstance(facts.config.get("_class_name", ""), str)
        check_code(name.full, self.own_code, options)
        self.trusted = options.trust_remote_code
        self._device = settings.pop("device")
        super().__init__(name.full, settings, name.rest, facts.commit or settings["revision"])
        self.facts = facts
        self.parameters = facts.parameters
        self.batch_size = settings["batch"]
        self._fitting = Fitting()

    def told(self) -> dict[str, Any]:
        """What `subitize doctor` says of it before anything is downloaded or loaded."""
        named = str(self.facts.config.get("_class_name", ""))
        known = TESTED if named in TESTED_PIPELINES else UNTESTED
        return {
            "class": known if self.own_code or self._has(named) else UNLOADABLE,
            "architecture": named, "remote_code": self.own_code,
            **told(self.facts, self.revision, self.settings["dtype"], self._device),
        }  # fmt: skip

    @staticmethod
    def _has(pipeline: str) -> bool:
        import diffusers

        return hasattr(diffusers, pipeline)

    @property
    def only_fills(self) -> bool:
        """Whether it can't paint from words alone."""
        return any(word in str(self.facts.config.get("_class_name")) for word in FILLS)

    def load(self) -> dict[str, Any]:
        import torch
        from diffusers import AutoPipelineForText2Image, DiffusionPipeline

        if self.settings["offload"] != "none" and not torch.accelerator.is_available():
            raise Hopeless(
                f"offload={self.settings['offload']} moves parts between a graphics card and the "
                "memory, and there is no card here: leave it out."
            )
        # What only fills or brings its own code is loaded by its own class: it is in no list.
        own = self.only_fills or self.own_code
        kind = DiffusionPipeline if own else AutoPipelineForText2Image
        made = self.pretrained(kind, dtype=getattr(torch, self.settings["dtype"]), **self.trust)
        made.set_progress_bar_config(disable=True)
        parts = made.components.items()
        self._readers = [part for name, part in parts if part and name.startswith("tokenizer")]
        if self.settings["offload"] == "none":
            for part in made.components.values():
                if isinstance(part, torch.nn.Module):
                    placed(part, self._device)
        elif self.settings["offload"] == "model":
            made.enable_model_cpu_offload()
        else:
            made.enable_sequential_cpu_offload()
        return {"fill" if self.only_fills else "paint": made}

    def _pipeline(self, what: str) -> Any:
        found: dict[str, Any] = self.parts
        if what not in found:
            if what == "paint":
                raise Hopeless(f"{self.source!r} only fills holes: name a pipeline that paints.")
            from diffusers import AutoPipelineForInpainting

            try:
                found[what] = AutoPipelineForInpainting.from_pipe(found["paint"])
            except BROKEN as problem:
                raise Hopeless(
                    f"{self.source!r} can't fill a part of a picture ({first_line(problem)}): "
                    "name a pipeline that can."
                ) from None
            found[what].set_progress_bar_config(disable=True)
        return found[what]

    def paint(self, items: Sequence[Item]) -> Answers:
        if any(item.picture is not None for item in items):
            return [reply for item in items for reply in self._fitting.ask(self._painted, [item])]
        return self._fitting.ask(self._painted, items)

    def _painted(self, items: list[Item]) -> Answers:
        """Items without a picture, or one with."""
        import torch

        how: dict[str, Any] = {"prompt": [item.question for item in items], "output_type": "np"}
        # drawn on the processor, so that every device begins with the same noise
        how["generator"] = [torch.Generator("cpu").manual_seed(item.seed) for item in items]
        chosen = {
            "num_inference_steps": self.settings["steps"] or None,
            "guidance_scale": None if self.settings["guidance"] < 0 else self.settings["guidance"],
            "width": self.settings["width"] or None, "height": self.settings["height"] or None,
            "negative_prompt": [self.settings["negative"]] * len(items)
            if self.settings["negative"] else None,
        }  # fmt: skip
        how |= {name: value for name, value in chosen.items() if value is not None}
        picture = items[0].picture
        if picture is not None:
            pixels, hole = with_hole(picture)
            how |= {"image": as_image(pixels), "mask_image": as_image(hole)}
        with torch.inference_mode():
            found = self._pipeline("paint" if picture is None else "fill")(**how)
        refused = getattr(found, "nsfw_content_detected", None) or [False] * len(items)

        def painted(place: int) -> Reply:
            if refused[place]:
                return Reply("text", "the pipeline's safety checker hid the picture", "refused")
            facts = _cut(self._readers, items[place].question)
            return Reply("picture", encode(_eight_bits(found.images[place])), facts=facts)

        return singly(painted, range(len(items)))


def _cut(readers: Sequence[Any], prompt: str) -> dict[str, int]:
    """The fact that no part of a pipeline read the whole prompt, as where CLIP's 77 tokens end."""
    ends = [getattr(one, "model_max_length", 10**9) for one in readers]
    cut = [cut_at(one, [prompt], end) for one, end in zip(readers, ends, strict=True)]
    return {CUT: max(ends)} if cut and all(cut) else {}


def _eight_bits(image: Any) -> Any:
    check_numbers(image)  # such as half precision overflows to: it would be a black picture
    return (np.clip(np.asarray(image), 0, 1) * 255).round().astype(np.uint8)


def open_diffusers(name: ModelName, options: ModelOptions) -> Diffusing:
    what = f"The model {name.full}"
    needs_torch(what, "diffusers")
    if find_spec("diffusers") is None:
        raise MissingExtra(what, "diffusers", "diffusers")
    settings = typed_settings(name, DEFAULTS, RANGES)
    for key, known in (("dtype", DTYPES), ("offload", OFFLOAD)):
        if settings[key] not in known:
            raise BadInput(f"{key} is {settings[key]!r}: give one of {', '.join(known)}.")
    facts = look(name.rest, settings["revision"], "model_index.json")
    return Diffusing(name, settings, facts, options)
