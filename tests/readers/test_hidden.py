"""Replies to "How many are hidden behind the box?", labelled before a reader saw them."""

from __future__ import annotations

import pytest

from subitize.readers.text import hidden

REPLIES = [
    ("There are 12 cups in total, with 4 hidden behind the black box.", 4),
    ("The black box hides 4 of the 16 dots.", 4),
    ("4 of the 12 dots are hidden.", 4),
    ("20 cups. Of these, 3 are covered.", 3),
    ("9 dots are visible, so there should be 3 behind the box.", 3),
    ("There is a 5x5 grid, which makes 25 dots. 21 are visible, so 4 are hidden.", 4),
    ("The grid has 4 rows and 3 columns, 12 - 9 = 3 hidden dots.", 3),
    ("The pattern forms a rectangle of 3 by 4. Nine dots can be seen and three are occluded.", 3),
    ("4 dots are hidden. In total there are 16.", 4),
    ("The box covers 2 rows of 3, so 6 are hidden.", 6),
    ("There are 10 squares; the black square conceals about 2.", 2),
    ("Number of hidden dots: 5. Visible dots: 11.", 5),
    ("The number of dots behind the black box is 5, out of 16.", 5),
    ("None of the 9 dots is hidden.", 0),
    ("100 nails. 88 are visible and 12 are covered.", 12),
    ("I see 8 circles. If the pattern continues, there are likely 2 more hidden underneath.", 2),
    ("There are 15 dots, including 3 behind the box.", 3),
    ("16 eggs in total (4 hidden).", 4),
    ("Total: 14\nVisible: 11\nHidden: 3", 3),
    ("**3** dots are behind the box; the whole triangle has **15**.", 3),
    ("The visible dots number 11, and the total should be 15. Therefore, 4 dots are hidden.", 4),
    ("2 dots are not visible, 7 dots are visible.", 2),
    ("7 dots are not hidden, so 2 are.", 2),
    ("6", 6),
    ("I count 6 dots.", 6),
    ("Answer: 6", 6),
    ("There are 9 dots around the box, 3 hidden. \\boxed{3}", 3),
    ("I can't tell how many of the 12 dots are hidden.", None),
    ("I'm sorry, I cannot determine the number of dots behind the box.", None),
    ("The box covers several of the 12 dots.", None),
    ("Based on the pattern, the occluder is hiding exactly 5 of them; 13 remain in view.", 5),
    ("Three dots are covered by the black box, while ten dots remain uncovered.", 3),
]


@pytest.mark.parametrize(("reply", "number"), REPLIES)
def test_the_hidden_part_is_read(reply: str, number: int | None) -> None:
    assert hidden(reply).number == number
