"""Kajić et al. (2024): what is printed about automatic metrics and about vision-language models."""

from __future__ import annotations

from collections.abc import Mapping

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
_A11 = """
35.4 37.8 68.4  PaliGemma, base
84.9 72.1 73.3  PaliGemma, fine-tuned on TallyQA
"""
_A12 = """
83.1 69.4 70.3 76.5 63.2  TallyQA (106k)
82.0 67.8 68.3 75.0 60.5  TallyQA (53k)
82.4 67.8 89.4 90.0 88.8  TallyQA (53k) + Imagen (53k)
82.2 68.3 86.0 89.5 82.0  TallyQA (53k) + Imagen (only frequent, 28k)
81.1 66.5 68.7 75.2 61.3  TallyQA (26k)
81.5 66.4 89.6 90.0 89.2  TallyQA (26k) + Imagen (53k)
70.7 44.9 90.0 90.1 89.7  Imagen (53k)
70.1 44.7 85.0 88.6 80.7  Imagen (only frequent, 28k)
"""
_A13 = """
84.7 72.8 71.1 76.6 64.8  TallyQA (all, 250k)
84.7 71.9 90.6 90.9 90.3  TallyQA (200k) + Imagen (250k together)
84.9 72.7 90.5 91.2 89.8  TallyQA (all) + Imagen (300k together)
84.9 72.5 87.3 90.4 83.6  TallyQA (all) + Imagen (only frequent, 275k together)
84.7 72.4 69.8 76.9 61.7  TallyQA (all, longer training)
"""
_TALLYQA = ("TallyQA simple", "TallyQA complex")
_MUSE_B = ("Muse-B", "Muse-B frequent", "Muse-B rare")


def _vqa() -> dict[str, dict[str, float]]:
    tables = (
        (_A11, (*_TALLYQA, "GeckoNum"), ""),
        (_A12, (*_TALLYQA, *_MUSE_B), "PaliGemma, fine-tuned on "),
        (_A13, (*_TALLYQA, *_MUSE_B), "PaliGemma, fine-tuned on "),
    )
    found: dict[str, dict[str, float]] = {}
    for block, sets, head in tables:
        for line in block.strip().splitlines():
            numbers, _, name = line.partition("  ")
            values = (float(number) for number in numbers.split())
            found[head + name] = dict(zip(sets, values, strict=True))
    # the last line of Tables A12 and A13 alike
    found["PaliGemma, base"] |= dict(zip(_MUSE_B, (67.0, 71.0, 62.4), strict=True))
    return found


VQA: Mapping[str, Mapping[str, float]] = _vqa()
"""checkpoint: set: percent right (Tables A11, A12 and A13)"""
