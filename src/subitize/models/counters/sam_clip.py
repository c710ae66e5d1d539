"""Counting without training: SAM cuts the picture into things, CLIP says which are asked for.

In the manner of "Training-free Object Counting with Prompts" (Shi, Sun, Zhang 2024), the second
counting model of the PLOS ONE paper: a grid of points is given to SAM, each point's best mask is a
candidate, candidates that are nearly the same are merged (by the overlap of their boxes), and every
one left is cut out and compared by CLIP with the thing's name and with words for anything else. The
score is the softmax of CLIP's similarities for the thing. Ours differs from theirs in the source of
the similarity (theirs is CLIP-Surgery's map), so numbers printed there are not to be expected here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subitize.measures.boxes import keep_by_nms
from subitize.models.base import ModelOptions
from subitize.models.checkpoints import (
    Checkpoint,
    check_code,
    check_numbers,
    check_weights,
    needs_torch,
    placed,
)
from subitize.models.counters.detecting import Detector, Found
from subitize.models.hf.facts import look
from subitize.models.hf.standing import architecture, foreign
from subitize.models.names import ModelName, typed_settings
from subitize.pictures.decode import Decoded, as_image

DEFAULTS: Mapping[str, Any] = {
    "checkpoint": "facebook/sam-vit-base",
    "revision": "",
    "clip": "openai/clip-vit-base-patch32",
    "clip_revision": "",
    "grid": 32,
    "quality": 0.8,
    "largest": 0.5,
    "overlap": 0.7,
    "box_threshold": 0.05,
    "threshold": 0.5,
    "plural": False,
    "device": "auto",
}
OTHERS = ("the background", "a texture", "a shadow", "a part of something")
"""what a piece may be instead of the thing"""
AT_ONCE = 64
"""points given to SAM together: each makes a mask of the picture's size"""
ROOM = 0.1
"""share of a box's sides that is shown around it"""


class _Clip(Checkpoint):
    """The CLIP of a counter: not asked by itself."""

    def load(self) -> tuple[Any, Any, Any]:
        from transformers import AutoImageProcessor, AutoModel, AutoTokenizer

        model, loaded = self.pretrained(AutoModel, output_loading_info=True, **self.trust)
        check_weights(self.source, loaded)
        processor = self.pretrained(AutoImageProcessor, backend="pil", **self.trust)
        return model, self.pretrained(AutoTokenizer, **self.trust), processor


class SamClip(Detector):
    """SAM's pieces, judged by CLIP.

    Beside a detector's settings: `clip` and `clip_revision`, `grid` (points along a side),
    `quality` (least that SAM says of a mask), `largest` (share of the picture that a piece may be),
    `overlap` (from which two pieces are one).
    """

    limited = False

    def __init__(self, name: ModelName, settings: Mapping[str, Any], options: ModelOptions) -> None:
        super().__init__(name, settings, options)
        other = look(settings["clip"], settings["clip_revision"])
        check_code(f"The CLIP of {name.full}", foreign(other.config), options)
        # both are loaded: what `doctor` says of room and what a run says of size is their sum
        self.facts = self.facts._replace(
            weights=_sum(self.facts.weights, other.weights),
            size=_sum(self.facts.size, other.size),
            where="hub" if "hub" in (self.facts.where, other.where) else self.facts.where,
        )
        self.parameters = self.facts.parameters
        self._beside = architecture(other.config)
        self._clip = _Clip(name.full, {}, settings["clip"], settings["clip_revision"])
        self._clip.trusted = options.trust_remote_code
        self.revision = f"{self.revision} {self._clip.revision}"

    def told(self) -> dict[str, Any]:
        told = super().told()
        return told | {"architecture": f"{told['architecture']} and {self._beside}"}

    def find(self, decoded: Decoded, phrase: str) -> Found:
        height, width = decoded.pixels.shape[:2]
        boxes, quality = self._pieces(decoded)
        order = np.argsort(-quality, kind="stable")
        boxes, quality = boxes[order], quality[order]
        boxes = boxes[keep_by_nms(np.column_stack([boxes, quality]), self.settings["overlap"])]
        chances = self._chances(decoded, boxes, phrase)
        x0, y0, x1, y1 = boxes.T
        sides = np.array([width, height, width, height])
        middle = np.stack([(x0 + x1) / 2, (y0 + y1) / 2, x1 - x0, y1 - y0], axis=1) / sides
        return middle, chances, np.ones(len(boxes), dtype=bool)

    def _pieces(self, decoded: Decoded) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Box and quality of the best mask at every point of the grid."""
        import torch

        model, processor = self.parts
        height, width = decoded.pixels.shape[:2]
        made = processor(images=as_image(decoded.pixels), return_tensors="pt")
        steps = (np.arange(self.settings["grid"]) + 0.5) / self.settings["grid"]
        rows, columns = made["reshaped_input_sizes"][0].tolist()
        points = np.stack(np.meshgrid(steps * columns, steps * rows), axis=-1).reshape(-1, 1, 2)
        found, qualities = [], []
        with torch.inference_mode():
            seen = model.get_image_embeddings(made["pixel_values"].to(model.device))
            for start in range(0, len(points), AT_ONCE):
                asked = torch.tensor(points[start : start + AT_ONCE], dtype=torch.float32)
                told = model(image_embeddings=seen, input_points=asked[None].to(model.device))
                masks = processor.post_process_masks(
                    [told.pred_masks[0].float().cpu()],
                    made["original_sizes"],
                    made["reshaped_input_sizes"],
                )[0].numpy()
                each = told.iou_scores[0].float().cpu().numpy()
                best = each.argmax(axis=1)
                at = np.arange(len(best))
                found.append(_boxes_of(masks[at, best]))
                qualities.append(each[at, best])
        boxes, quality = np.concatenate(found), np.concatenate(qualities).astype(np.float64)
        check_numbers(quality)
        sides = boxes[:, 2:] - boxes[:, :2]
        share = sides.prod(axis=1) / (height * width)
        fits = (sides > 0).all(axis=1) & (share <= self.settings["largest"])
        fits &= quality >= self.settings["quality"]
        return boxes[fits], quality[fits]

    def _chances(
        self, decoded: Decoded, boxes: NDArray[np.float64], phrase: str
    ) -> NDArray[np.float64]:
        """How much each piece looks like the thing, among the thing and anything else."""
        import torch

        if not len(boxes):
            return np.zeros(0)
        model, tokenizer, processor = self._clip.parts
        placed(model, self.device)
        sentences = [f"a photo of {words}" for words in (f"a {phrase}", *OTHERS)]
        words = tokenizer(sentences, padding=True, truncation=True, return_tensors="pt")
        whole = as_image(decoded.pixels)
        pieces = [whole.crop(_with_room(box, whole.size)) for box in boxes]
        chances = []
        with torch.inference_mode():
            told = {key: value.to(model.device) for key, value in words.items()}
            for piece in pieces:  # one at a time: batches round otherwise
                picture = processor(images=piece, return_tensors="pt").to(model.device)
                logits = model(pixel_values=picture["pixel_values"], **told).logits_per_image
                chances.append(float(torch.softmax(logits[0].double(), dim=0)[0]))
        return np.array(chances)

    def load(self) -> tuple[Any, Any]:
        """The model and its image processor, without torchvision."""
        from transformers import SamModel
        from transformers.models.sam.image_processing_pil_sam import SamImageProcessorPil

        model, loaded = self.pretrained(SamModel, output_loading_info=True)
        check_weights(self.source, loaded)
        return placed(model, self.device), self.pretrained(SamImageProcessorPil)


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _boxes_of(masks: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Corners of each mask; all 0 where it is empty."""
    found = np.zeros((len(masks), 4))
    for axis, (first, last) in ((2, (1, 3)), (1, (0, 2))):
        there: NDArray[np.bool_] = np.any(masks, axis=axis)
        some = there.any(axis=1)
        found[some, first] = there.argmax(axis=1)[some]
        found[some, last] = there.shape[1] - there[:, ::-1].argmax(axis=1)[some]
    return found


def _with_room(
    box: NDArray[np.float64], size: tuple[int, int]
) -> tuple[float, float, float, float]:
    x0, y0, x1, y1 = box.tolist()
    wide, high = ROOM * (x1 - x0), ROOM * (y1 - y0)
    return max(0, x0 - wide), max(0, y0 - high), min(size[0], x1 + wide), min(size[1], y1 + high)


def open_sam_clip(name: ModelName, options: ModelOptions) -> SamClip:
    needs_torch(f"The counter {name.full}")
    shares = ("quality", "largest", "overlap", "box_threshold", "threshold")
    ranges = {**dict.fromkeys(shares, (0.0, 1.0)), "grid": (1, 128)}
    return SamClip(name, typed_settings(name, DEFAULTS, ranges), options)
