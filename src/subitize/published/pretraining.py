"""What published checkpoints were trained on, for the mark `zero-shot`.

Names of data sets as the probe's files have them: coco, cc (Conceptual Captions), visual7w. A model
that is not here is marked only where its name or the run says what it was trained on.
"""

from __future__ import annotations

from collections.abc import Mapping

TRAINED_ON: Mapping[str, tuple[str, ...]] = {
    # Tan and Bansal 2019, table 1; its pre-training questions include Visual7W's (VG-QA)
    "unc-nlp/lxmert-": ("coco", "vg", "vqa", "gqa", "visual7w"),
    # Kim, Son and Kim 2021, table 1
    "dandelin/vilt-": ("coco", "vg", "sbu", "cc"),
    # Li, Li, Xiong and Hoi 2022, section 4.1
    "Salesforce/blip-": ("coco", "vg", "cc", "cc12m", "sbu", "laion"),
    # Li, Li, Savarese and Hoi 2023, section 3.4
    "Salesforce/blip2-": ("coco", "vg", "cc", "cc12m", "sbu", "laion"),
    # Xu et al. 2023, section 4.1
    "BridgeTower/bridgetower-": ("coco", "vg", "cc", "sbu"),
    # Singh et al. 2022, table 2
    "facebook/flava-full": ("coco", "vg", "cc", "cc12m", "sbu", "wit", "redcaps", "yfcc", "ln"),
    # Li et al. 2019, section 3.3
    "uclanlp/visualbert-": ("coco",),
}
"""by how the id on the hub begins"""


def trained_on(identity: str) -> tuple[str, ...]:
    """The data sets of a published checkpoint; none where we do not know.

    >>> trained_on("dandelin/vilt-b32-finetuned-coco"), trained_on("my/own")
    (('coco', 'vg', 'sbu', 'cc'), ())
    """
    return next((told for start, told in TRAINED_ON.items() if identity.startswith(start)), ())
