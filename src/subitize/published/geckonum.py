"""Kajić et al. (2024): the printed numbers of GeckoNum's tables, cell by cell.

Values are kept as printed, so that their number of digits is known. Models go by the names of the
released files. Accuracies of Tables A6 to A8 are printed as shares and stand here in percent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

URL = "https://arxiv.org/abs/2406.14774"
CITATION = (
    "Kajić I, Wiles O, Albuquerque I, Bauer M, Wang S, Pont-Tuset J, Nematzadeh A (2024). "
    "Evaluating numerical reasoning in text-to-image models. Advances in Neural Information "
    "Processing Systems 37, Datasets and Benchmarks Track. arXiv:2406.14774."
)
BIBTEX = """@inproceedings{kajic2024evaluating,
  title     = {Evaluating Numerical Reasoning in Text-to-Image Models},
  author    = {Kaji{\\'c}, Ivana and Wiles, Olivia and Albuquerque, Isabela and Bauer, Matthias and
               Wang, Su and Pont-Tuset, Jordi and Nematzadeh, Aida},
  booktitle = {Advances in Neural Information Processing Systems},
  volume    = {37},
  note      = {Datasets and Benchmarks Track},
  year      = {2024}
}"""
MODELS = ("dalle_3", "imagen_a", "imagen_b", "imagen_c", "imagen_d", "muse_a", "muse_b")
TITLES: Mapping[str, str] = {
    "dalle_3": "DALL-E 3", "imagen_a": "Imagen-A", "imagen_b": "Imagen-B", "imagen_c": "Imagen-C",
    "imagen_d": "Imagen-D", "muse_a": "Muse-A", "muse_b": "Muse-B",
}  # fmt: skip
"""how the paper writes the names that the release has"""
SOURCES: Mapping[str, str] = {
    "table2": "Table 2, section 5",
    "figure5": "Figure 5, section 5.2",
    "a3": "Table A3, appendix B.1.2, page 18",
    "a4": "Table A4, appendix B.1.2, page 18",
    "a5": "Table A5, appendix B.1.3, page 19",
    "a6": "Table A6, appendix B.1.4, from page 20",
    "a7": "Table A7, appendix B.1.4, from page 20",
    "a8": "Table A8, appendix B.1.4, from page 20",
    "a10": "Table A10, appendix C.2, from page 29",
    "agreement": "appendix C.2, from page 29, paragraph on annotator agreement",
    "alpha": "appendix C.2, from page 29, paragraph on annotator agreement",
    "counts": "Table A2, page 15; section 1; appendix C.2, from page 29",
}
MODEL_SOURCES: Mapping[str, str] = {
    "table3": "Table 3, section 6",
    "ranking": "section 6, paragraph on ranking models by Wilcoxon signed rank tests",
    "vqa": "Tables A11 to A13, appendix D",
}
"""of what is printed about automatic metrics and about vision-language models"""
BASELINES = {1: 10.0, 2: 100 * (24 / 3 + 45 / 5) / 69, 3: 50.0}
"""task: percent right by chance"""
FACES_REASON = (
    "the release lacks about 122 pictures with faces that the paper's numbers include (appendix "
    "C.2)"
)
ALPHA_REASON = (
    "the paper does not say how α was computed; no level of measurement on the released answers "
    "gives the printed value"
)


class Printed(NamedTuple):
    """A number as printed."""

    text: str
    """its digits"""

    @property
    def value(self) -> float:
        """The number."""
        return float(self.text)

    def agrees(self, value: float) -> bool:
        """Whether a value rounds to what is printed."""
        decimals = len(self.text.partition(".")[2])
        return abs(value - self.value) <= 0.5 * 10.0**-decimals + 1e-9


_PRINTED: Mapping[str, str] = {
    "table2": """
dalle_3   45.2 0.5 35.2  48.7 2.7 24.1  48.8 1.1 -1.2
imagen_a  26.3 0.4 16.3  20.0 2.2 -4.6  41.1 1.3 -8.9
imagen_b  27.0 0.4 17.0  24.6 2.3 0.0  42.9 1.4 -7.1
imagen_c  34.8 0.4 24.9  27.0 2.4 2.4  50.6 1.2 0.6
imagen_d  28.5 0.4 18.5  28.7 2.4 4.0  43.8 1.3 -6.2
muse_a    34.8 0.4 24.8  21.0 2.2 -3.6  45.1 1.2 -4.9
muse_b    39.8 0.5 29.8  24.6 2.3 0.0  46.2 1.2 -3.8
""",
    "figure5": """
many X  98 60 70 82 72 70 62
a few X  52 57 50 52 35 42 52
no X  48 10 10 10 12 18 10
fewer X than Y  53 12 12 21 31 4 20
more X than Y  60 12 29 24 27 22 25
as many X as Y  5.3 0 2.7 1.4 9.5 1.3 1.3
""",
    "a3": """
dalle_3   0.827 69.8 70.4 1600 0.05
imagen_a  0.001 42.2 50.4 1592 10.60
imagen_b  0.000 35.1 45.7 1595 17.95
imagen_c  0.000 54.5 67.6 1592 27.94
imagen_d  0.000 31.4 45.1 1596 31.09
muse_a    0.018 47.4 53.4 1594 5.55
muse_b    0.000 44.4 56.4 1600 22.56
""",
    "a4": """
dalle_3   0.189 71.7 68.6 1600 1.73
imagen_a  0.000 39.4 52.5 1592 26.94
imagen_b  0.000 32.3 47.6 1595 38.04
imagen_c  0.001 56.7 64.8 1592 10.69
imagen_d  0.621 38.9 37.6 1596 0.24
muse_a    0.000 41.2 58.6 1594 47.71
muse_b    0.000 44.9 55.4 1600 17.14
""",
    "a6": """
dalle_3   0.470 77 79 1800 0.52
imagen_a  0.994 69 69 1785 0.00
imagen_b  0.499 59 62 1800 0.46
imagen_c  0.071 82 76 1800 3.25
imagen_d  0.717 55 54 1795 0.13
muse_a    0.020 64 72 1797 5.37
muse_b    0.298 73 69 1800 1.08
""",
    "a7": """
dalle_3   1.000 48 48 2015 0.00
imagen_a  0.883 26 25 2010 0.02
imagen_b  0.036 42 31 2006 4.42
imagen_c  0.861 41 43 2006 0.03
imagen_d  0.023 51 38 2014 5.16
muse_a    0.212 53 45 2006 1.56
muse_b    0.061 67 56 2015 3.50
""",
    "a8": """
dalle_3   0.095 40 37 2350 2.79
imagen_a  0.000 19 07 2313 74.82
imagen_b  0.000 23 12 2315 50.00
imagen_c  0.000 29 16 2311 55.31
imagen_d  0.000 31 17 2341 56.94
muse_a    0.000 28 17 2315 37.80
muse_b    0.000 37 27 2350 27.00
""",
    "a5": """
numeric_simple->2-additive  -7.3 -41.3 -40.3  -30.9 -46.8 -23.6  -2.2 -22.4 -10.3
2-additive->3-additive  -7.3 -9.8 -4.6  1.3 -6.6 -14.8  -11.4 -7.8 -7.8
numeric_simple->3-additive  -14.5 -51.1 -45.0  -29.6 -53.4 -38.4  -13.6 -30.1 -18.1
""",
    "a10": """
dalle_3   0.0 2.3 6.5 8.5 82.6
imagen_a  0.1 2.3 6.6 8.7 82.3
imagen_b  0.1 2.7 7.4 9.4 80.4
imagen_c  0.1 2.8 8.0 10.4 78.7
imagen_d  0.1 3.8 7.6 9.5 79.1
muse_a    0.2 3.2 8.6 11.0 77.0
muse_b    0.1 3.3 10.1 12.0 74.5
""",
}
"""table: its rows"""
_COMPARED = [f"{{}}|{part}" for part in ("p", "accuracy_1", "accuracy_2", "n", "chi2")]
_CELLS: Mapping[str, list[str]] = {
    **dict.fromkeys(_PRINTED, _COMPARED),
    "table2": [
        f"task{t}|{{}}|{name}" for t in (1, 2, 3) for name in ("accuracy", "sem", "difference")
    ],
    "figure5": [f"{{}}|{model}" for model in MODELS],
    "a5": [f"{model}|{{}}|{n}" for model in ("dalle_3", "imagen_c", "muse_b") for n in (1, 2, 3)],
    "a10": [f"{{}}|{k}" for k in (1, 2, 3, 4, 5)],
}
"""table: the cells of a row, its name in place of the braces"""
_TEXT = {
    "agreement": {
        "task1|5": "79", "task1|4+": "89", "task1|3+": "97",
        "task2|5": "79", "task2|4+": "92", "task2|3+": "99",
        "task3|5": "85", "task3|4+": "95",
    },
    "alpha": {"task1|nominal": "0.865", "task2|nominal": "0.863", "task3|nominal": "0.903"},
    "counts": {
        "prompts": "1386", "images": "52721", "annotations": "479570",
        "annotations|task1": "432035", "annotations|task2": "12045",
        "annotations|task3": "36100", "labels|task1": "80450", "labels|task2": "2409",
    },
}  # fmt: skip


def _cells(table: str) -> dict[str, str]:
    rows = (line.split("  ", 1) for line in _PRINTED[table].strip().splitlines())
    return {
        cell.format(row.strip()): number
        for row, numbers in rows
        for cell, number in zip(_CELLS[table], numbers.split(), strict=True)
    }


PUBLISHED: Mapping[str, Mapping[str, Printed]] = {
    table: {cell: Printed(text) for cell, text in cells.items()}
    for table, cells in {**{table: _cells(table) for table in _PRINTED}, **_TEXT}.items()
}
"""table: cell: what is printed"""
TABLE_3: Mapping[str, Mapping[str, bool]] = {
    "clip": {"imagen_c": False, "muse_b": True, "dalle_3": False},
    "tifa": {"imagen_c": True, "muse_b": False, "dalle_3": False},
    "gecko": {"imagen_c": True, "muse_b": False, "dalle_3": False},
    "dsg": {"imagen_c": True, "muse_b": False, "dalle_3": False},
    "vnli": {"imagen_c": True, "muse_b": True, "dalle_3": True},
}
"""metric: painter: whether right and wrong pictures were told apart (p < .05)"""
RANKING_METRICS = frozenset({"gecko", "tifa", "vnli"})
"""metrics that ranked them by accuracy: dalle_3, muse_b, imagen_c"""
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
