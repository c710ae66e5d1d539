"""Which of the set's configurations are the published validation part."""

from __future__ import annotations

from collections.abc import Mapping

VALIDATION: Mapping[tuple[str, int], tuple[int, ...]] = {
    ("circle", 5): (13, 36, 39, 40),
    ("circle", 6): (0, 12, 15, 24, 41, 42),
    ("circle", 7): (2, 4, 8, 33, 41),
    ("circle", 8): (2, 3, 4, 12),
    ("circle", 9): (22, 27),
    ("circle", 10): (27, 42),
    ("circle", 11): (28, 43),
    ("circle", 12): (4, 5, 8),
    ("circle", 13): (9, 17, 25, 29, 31, 32, 36, 38, 46),
    ("circle", 14): (5, 31, 42),
    ("circle", 15): (29, 43, 48),
    ("triangle", 6): (21,),
    ("triangle", 10): (1, 9, 12, 18, 22, 39, 43, 48),
    ("triangle", 15): (36, 43, 47),
    ("rectangle", 5): (37,),
    ("rectangle", 6): (6, 10, 23, 26, 36, 39),
    ("rectangle", 7): (3, 18, 49),
    ("rectangle", 8): (9,),
    ("rectangle", 9): (0, 1, 7, 14, 23, 26, 32),
    ("rectangle", 10): (15, 16, 23, 31),
    ("rectangle", 11): (2, 7, 21, 34),
    ("rectangle", 12): (16, 27, 35, 44),
    ("rectangle", 13): (2, 5, 11, 27, 43, 47),
    ("rectangle", 14): (5, 16, 28),
    ("rectangle", 15): (0, 4, 17, 23, 25, 34),
}
"""(arrangement, count) → which of its 50 pictures (`Configuration.nth`), 100 in all: those cells
of the design that the released test metadata does not hold; no rule tells them"""
