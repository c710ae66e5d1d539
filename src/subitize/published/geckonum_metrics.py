"""Kajić et al. (2024): what is printed about automatic metrics and about vision-language models."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["RANKING", "RANKING_METRICS", "SOURCES", "TABLE_3", "VQA"]

SOURCES: Mapping[str, str] = {
    "table3": "Table 3, section 6",
    "ranking": "section 6, paragraph on ranking models by Wilcoxon signed rank tests",
    "vqa": "Tables A11 to A13, appendix D",
}
TABLE_3: Mapping[str, Mapping[str, bool]] = {
    "clip": {"imagen_c": False, "muse_b": True, "dalle_3": False},
    "tifa": {"imagen_c": True, "muse_b": False, "dalle_3": False},
    "gecko": {"imagen_c": True, "muse_b": False, "dalle_3": False},
    "dsg": {"imagen_c": True, "muse_b": False, "dalle_3": False},
    "vnli": {"imagen_c": True, "muse_b": True, "dalle_3": True},
}
"""metric: painter: whether right and wrong pictures were told apart (p < .05)"""
RANKING = ("dalle_3", "muse_b", "imagen_c")
"""the three painters by accuracy, the best first"""
RANKING_METRICS = frozenset({"gecko", "tifa", "vnli"})
"""metrics that ranked them so"""
VQA: Mapping[str, Mapping[str, float]] = {
    "PaliGemma, base": {
        "TallyQA simple": 35.4, "TallyQA complex": 37.8, "GeckoNum": 68.4,
        "Muse-B": 67.0, "Muse-B frequent": 71.0, "Muse-B rare": 62.4,
    },
    "PaliGemma, fine-tuned on TallyQA": {
        "TallyQA simple": 84.9, "TallyQA complex": 72.1, "GeckoNum": 73.3,
    },
    "PaliGemma, fine-tuned on TallyQA (53k)": {
        "TallyQA simple": 82.0, "TallyQA complex": 67.8,
        "Muse-B": 68.3, "Muse-B frequent": 75.0, "Muse-B rare": 60.5,
    },
    "PaliGemma, fine-tuned on TallyQA (53k) + Imagen (53k)": {
        "TallyQA simple": 82.4, "TallyQA complex": 67.8,
        "Muse-B": 89.4, "Muse-B frequent": 90.0, "Muse-B rare": 88.8,
    },
    "PaliGemma, fine-tuned on Imagen (53k)": {
        "TallyQA simple": 70.7, "TallyQA complex": 44.9,
        "Muse-B": 90.0, "Muse-B frequent": 90.1, "Muse-B rare": 89.7,
    },
}  # fmt: skip
"""checkpoint: set: percent right"""
