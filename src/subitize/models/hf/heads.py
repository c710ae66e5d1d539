"""Which head of which class says how well a sentence fits, and which of its numbers means "fits".

| family | class | head | fits |
|---|---|---|---|
| ViLT | ViltForImageAndTextRetrieval | one logit: a ranking, uncalibrated | the larger (cited) |
| BLIP | BlipForImageTextRetrieval | two logits | 1 (cited) |
| BLIP-2 | Blip2ForImageTextRetrieval | two logits | 1 (cited) |
| BridgeTower | BridgeTowerForImageAndTextRetrieval | two logits | 1 (trained) |
| FLAVA | FlavaForPreTraining | two logits | 1 (trained) |
| LXMERT | LxmertForPreTraining | two logits | 1 (trained) |
| VisualBERT | VisualBertForPreTraining | two logits | 0 (trained) |

"trained": the class has a loss, and a test learns eight pairs by it. "cited": it has none; the
original code says so. ViLT: `rank_output` takes row 1 of the two-logit `itm_score`
(dandelin/ViLT, vilt_module.py, setup for the irtr loss), and its loss makes the right caption the
largest of 16 (objectives.py, compute_irtr). BLIP: salesforce/BLIP, models/blip_itm.py and
demo.ipynb, `softmax(itm_output, dim=1)[:, 1]`. BLIP-2: salesforce/LAVIS,
models/blip2_models/blip2_qformer.py, itm_labels of ones for the right pairs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Head(NamedTuple):
    """A class of transformers and what is taken from its output."""

    kind: str
    """name of the class"""
    output: str
    """the field of its output"""
    fits: int | None = None
    """which of two logits means that sentence and picture belong together; None: there is one"""
    options: Mapping[str, Any] = {}
    """what its forward call is told beside the inputs"""


MATCHES: Mapping[str, Head] = {
    "vilt": Head("ViltForImageAndTextRetrieval", "logits"),
    "blip": Head("BlipForImageTextRetrieval", "itm_score", 1, {"use_itm_head": True}),
    "blip-2": Head(
        "Blip2ForImageTextRetrieval", "logits_per_image", 1, {"use_image_text_matching_head": True}
    ),
    "bridgetower": Head("BridgeTowerForImageAndTextRetrieval", "logits", 1),
    "flava": Head("FlavaForPreTraining", "itm_logits", 1, {"return_loss": False}),
    "lxmert": Head("LxmertForPreTraining", "cross_relationship_score", 1),
    "visual_bert": Head("VisualBertForPreTraining", "seq_relationship_logits", 0),
}
"""by the model_type of the config"""
MASKS: Mapping[str, Head] = {
    "vilt": Head("ViltForMaskedLM", "logits"),
    "bridgetower": Head("BridgeTowerForMaskedLM", "logits"),
    "flava": Head("FlavaForPreTraining", "mmm_text_logits", None, {"return_loss": False}),
    "lxmert": Head("LxmertForPreTraining", "prediction_logits"),
    "visual_bert": Head("VisualBertForPreTraining", "prediction_logits"),
}
"""the same for the word behind a mask"""
