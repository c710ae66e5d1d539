"""Parcalabescu, Gatt, Frank and Calixto (2021): every number of Tables 1 to 7, in percent.

Tables 1 and 2 print as p_c and p_f what is the recall of right items and of foils; Table 3 prints
precisions. Table 2 has three foils per item for ViLBERT and ViLBERT 12-in-1, one for LXMERT.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

DOI = "10.48550/arXiv.2012.12352"
CITATION = (
    "Parcalabescu L, Gatt A, Frank A, Calixto I (2021). Seeing past words: Testing the cross-modal "
    "capabilities of pretrained V&L models on counting tasks. Proceedings of the 1st Workshop on "
    "Multimodal Semantic Representations, 32–44."
)
BIBTEX = """@inproceedings{parcalabescu2021seeing,
  title     = {Seeing past words: Testing the cross-modal capabilities of pretrained {V\\&L} models
               on counting tasks},
  author    = {Parcalabescu, Letitia and Gatt, Albert and Frank, Anette and Calixto, Iacer},
  booktitle = {Proceedings of the 1st Workshop on Multimodal Semantic Representations},
  pages     = {32--44},
  year      = {2021}
}"""


class Alignment(NamedTuple):
    """A row of Table 1."""

    data: str
    model: str
    zero_shot: bool
    acc: float
    recall_correct: float
    recall_foil: float


class Counting(NamedTuple):
    """A row of Table 2, without fine-tuning."""

    model: str
    split: str
    form: str
    acc: float
    recall_correct: float
    recall_foil: float
    acc_r: float


class Tuned(NamedTuple):
    """A row of Table 3: mean and standard deviation over three seeds."""

    model: str
    split: str
    form: str
    acc: tuple[float, float]
    precision_correct: tuple[float, float]
    precision_foil: tuple[float, float]
    acc_r: tuple[float, float]


TABLE_1: tuple[Alignment, ...] = (
    Alignment("coco", "ViLBERT", True, 97.4, 98.0, 96.8),
    Alignment("coco", "ViLBERT 12-in-1", True, 96.4, 93.4, 99.4),
    Alignment("coco", "LXMERT", False, 85.5, 71.5, 99.6),
    Alignment("cc", "ViLBERT", False, 96.8, 96.7, 96.9),
    Alignment("cc", "ViLBERT 12-in-1", False, 84.9, 73.1, 96.7),
    Alignment("cc", "LXMERT", True, 67.9, 31.9, 97.9),
)
TABLE_2: tuple[Counting, ...] = (
    Counting("ViLBERT", "standard", "qa", 37.8, 74.3, 25.5, 49.0),
    Counting("ViLBERT", "standard", "declarative", 37.6, 77.9, 24.1, 57.0),
    Counting("ViLBERT", "hard", "qa", 38.6, 73.1, 27.1, 51.9),
    Counting("ViLBERT", "hard", "declarative", 38.0, 75.3, 25.5, 55.9),
    Counting("LXMERT", "standard", "qa", 50.5, 45.7, 55.2, 57.2),
    Counting("LXMERT", "standard", "declarative", 54.7, 51.0, 58.5, 72.8),
    Counting("LXMERT", "hard", "qa", 50.4, 47.4, 53.4, 59.3),
    Counting("LXMERT", "hard", "declarative", 52.3, 50.5, 54.2, 64.4),
    Counting("ViLBERT 12-in-1", "standard", "qa", 43.3, 80.2, 30.9, 77.3),
    Counting("ViLBERT 12-in-1", "standard", "declarative", 62.4, 73.7, 58.7, 75.4),
    Counting("ViLBERT 12-in-1", "hard", "qa", 46.9, 67.1, 40.1, 70.3),
    Counting("ViLBERT 12-in-1", "hard", "declarative", 61.3, 70.0, 58.3, 72.6),
)
_V, _W = "ViLBERT", "ViLBERT 12-in-1"
TABLE_3: tuple[Tuned, ...] = (
    Tuned(_V, "standard", "qa", (74.4, 0.2), (49.3, 0.3), (88.9, 0.3), (78.2, 0.6)),
    Tuned(_V, "standard", "declarative", (71.7, 3.6), (46.3, 4.1), (88.6, 1.1), (76.7, 2.7)),
    Tuned(_V, "hard", "qa", (56.7, 22.2), (16.9, 11.9), (75.4, 0.6), (56.2, 0.7)),
    Tuned(_V, "hard", "declarative", (54.0, 21.4), (38.6, 14.4), (52.3, 37.0), (57.5, 0.9)),
    Tuned(_V, "interpolated", "qa", (48.0, 0.2), (0.2, 0.1), (65.6, 0.1), (12.8, 0.3)),
    Tuned(_V, "interpolated", "declarative", (49.1, 0.6), (0.3, 0.2), (66.2, 0.3), (17.9, 0.8)),
    Tuned(_W, "standard", "qa", (81.1, 0.3), (60.3, 0.7), (90.2, 0.2), (83.5, 0.1)),
    Tuned(_W, "standard", "declarative", (81.1, 0.1), (60.6, 0.1), (89.7, 0.1), (83.3, 0.1)),
    Tuned(_W, "hard", "qa", (64.3, 4.2), (38.7, 3.3), (86.0, 2.7), (69.8, 2.6)),
    Tuned(_W, "hard", "declarative", (71.9, 1.9), (46.4, 1.9), (89.4, 0.8), (77.5, 0.6)),
    Tuned(_W, "interpolated", "qa", (52.5, 0.5), (0.1, 0.1), (67.6, 0.2), (11.4, 1.4)),
    Tuned(_W, "interpolated", "declarative", (52.7, 0.3), (0.0, 0.0), (67.7, 0.1), (13.5, 2.8)),
)

TABLE_4: Mapping[str, tuple[float, float, float, float, float, float]] = {
    "overall": (55.0, 31.5, 71.1, 45.0, 6.6, 13.5),
    "0": (59.8, 63.7, 65.2, 69.1, 2.89, 2.5),
    "1": (86.2, 86.6, 89.7, 89.0, 1.6, 1.7),
    "2": (81.9, 80.1, 92.4, 90.9, 1.3, 1.3),
    "3": (15.6, 12.9, 85.2, 87.1, 2.0, 2.0),
    "4": (6.5, 6.2, 20.9, 19.9, 3.0, 3.0),
    "5": (0.4, 0.0, 2.5, 2.9, 5.1, 5.1),
    "6": (0.5, 0.0, 0.5, 0.0, 6.7, 6.7),
    "7": (0.0, 0.0, 0.0, 0.0, 11.0, 10.7),
    "8": (0.0, 0.0, 0.0, 0.0, 9.7, 9.3),
    "9": (0.0, 0.0, 0.0, 0.0, 12.3, 12.3),
    "10": (0.0, 0.0, 0.0, 0.0, 17.6, 18.2),
    "11": (0.0, 0.0, 0.0, 0.0, 20.4, 20.4),
    "12": (0.0, 0.0, 0.0, 0.0, 15.1, 15.2),
    "13": (0.0, 0.0, 0.0, 0.0, 25.4, 25.5),
}
"""LXMERT's masked numbers: Recall@1 standard and hard, Recall@2, mean rank; by right number"""
TABLE_5: Mapping[str, tuple[float, float]] = {
    "overall": (53.9, 41.8), "0": (94.4, 93.7), "1": (75.0, 69.7), "2": (62.0, 62.4),
    "3": (32.8, 31.4), "4": (25.0, 21.3), "5": (15.6, 17.1), "6": (17.4, 19.4), "7": (4.0, 3.8),
    "8": (18.0, 14.5), "9": (3.6, 2.5), "10": (12.0, 11.6), "11": (10.0, 8.7), "12": (28.6, 32.3),
    "13": (12.5, 7.1),
}  # fmt: skip
"""LXMERT fine-tuned on VQA: accuracy on standard and hard, by right number"""
TABLE_6: Mapping[tuple[str, str], tuple[int, int, int]] = {
    ("standard", "train"): (6001, 17896, 23897), ("standard", "valid"): (2439, 7283, 9722),
    ("standard", "test"): (3622, 10800, 14422), ("hard", "train"): (1567, 4672, 6239),
    ("hard", "valid"): (1130, 3378, 4508), ("hard", "test"): (1352, 4040, 5392),
    ("interpolated", "train"): (3303, 9840, 13143), ("interpolated", "valid"): (1331, 3969, 5300),
    ("interpolated", "test"): (2013, 5998, 8011),
}  # fmt: skip
"""right, foiled and all items by split and part; the released hard/train has 1,545/4,610/6,155"""
_NUMERALS = ("zero", "one", "two", "three", "four", "five", "six", "7", "8-10", "11-20", "21+")
_COLUMNS: Mapping[tuple[str, str], tuple[int, ...]] = {
    ("standard", "train"): (9, 30, 25, 14, 8, 5, 3, 1, 3, 2, 0),
    ("hard", "train"): (11, 11, 9, 11, 9, 12, 11, 5, 11, 7, 0),
    ("standard", "valid"): (7, 26, 32, 13, 9, 4, 3, 1, 2, 2, 0),
    ("hard", "valid"): (15, 14, 15, 13, 15, 10, 6, 2, 5, 4, 1),
    ("standard", "test"): (7, 27, 19, 16, 7, 5, 3, 1, 3, 2, 0),
    ("hard", "test"): (12, 12, 13, 12, 12, 13, 9, 4, 8, 5, 1),
}
TABLE_7: Mapping[tuple[str, str], Mapping[str, int]] = {
    key: dict(zip(_NUMERALS, values, strict=True)) for key, values in _COLUMNS.items()
}
"""percent of each numeral; the 19 for two in standard/test is a slip for 29 by the released file,
and 11-20 is printed as 10-20"""
WRONG_MASKED: Mapping[str, float] = {"2": 51, "0": 12, "3": 12, "4": 5, "5": 1}
"""what LXMERT fills in on the hard split when it is wrong, percent; section 4.2.2"""
SOURCES = {
    "Table 1": "section 3: image–sentence alignment",
    "Table 2": "section 4.2.1: counting without fine-tuning, test part",
    "Table 3": "section 4.2.1: counting after fine-tuning, mean and deviation of three seeds",
    "Table 4": "section 4.2.2: LXMERT's masked numbers, test part",
    "Table 5": "section 4.2.3: LXMERT's answers to the questions",
    "Table 6": "appendix A.3: items",
    "Table 7": "appendix A.3: percent of numerals",
}
