"""What published checkpoints were trained on, for the mark `zero-shot`.

Names of data sets as the probe's files have them: coco, cc (Conceptual Captions), visual7w. A model
that is not here is marked only where its name or the run says what it was trained on.
"""

from __future__ import annotations

from collections.abc import Mapping

TRAINED_ON: Mapping[str, tuple[str, ...]] = {
    # Tan and Bansal 2019, “Pre-Training Data”: COCO and VG captions, questions of VQA v2.0, GQA and
    # VG-QA (there cited as Zhu et al. 2016: Visual7W); train and dev parts of each
    "unc-nlp/lxmert-": ("coco", "vg", "vqa", "gqa", "visual7w"),
    # the model cards: "pre-trained on GCC+SBU+COCO+VG"
    "dandelin/vilt-": ("coco", "vg", "sbu", "cc"),
    # 129 M pictures as the paper on BLIP-2 lists them; checkpoints of 14 M had no LAION
    "Salesforce/blip-": ("coco", "vg", "cc", "cc12m", "sbu", "laion"),
    # Li, Li, Savarese and Hoi 2023: "the same pre-training dataset as BLIP"
    "Salesforce/blip2-": ("coco", "vg", "cc", "cc12m", "sbu", "laion"),
    # the model cards; these two lists differ in CC12M
    "BridgeTower/bridgetower-large-itm-mlm-": ("coco", "vg", "cc", "cc12m", "sbu"),
    "BridgeTower/bridgetower-": ("coco", "vg", "cc", "sbu"),
    # Singh et al. 2022, table 2
    "facebook/flava-full": ("coco", "vg", "cc", "cc12m", "sbu", "wit", "redcaps", "yfcc", "ln"),
    # Li et al. 2019, section 3.3; after that most of them learnt the task that is in their name
    "uclanlp/visualbert-": ("coco",),
    # our own, `training/numbernet.py`
    "numbernet/": ("scenes",),
}
"""by how the id on the hub begins"""


def trained_on(identity: str) -> tuple[str, ...]:
    """The data sets of a published checkpoint; none where we do not know.

    >>> trained_on("dandelin/vilt-b32-finetuned-coco"), trained_on("my/own")
    (('coco', 'vg', 'sbu', 'cc'), ())
    >>> large = "BridgeTower/bridgetower-large-itm-mlm"
    >>> "cc12m" in trained_on(large), "cc12m" in trained_on(f"{large}-itc")
    (False, True)
    """
    return next((told for start, told in TRAINED_ON.items() if identity.startswith(start)), ())
