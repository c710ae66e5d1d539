"""The words asked: ten prompts per variant, two further tasks, worked examples.

Six prompts are the paper's (appendix D; which model it was chosen for stands beside each). The
paper tried ten per split and prints only the chosen ones, so the others are ours. `[object]` is
the plural of what is to be counted, also where the paper writes `[dot shape]s`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

PLACEHOLDER = "[object]"


class Prompt(NamedTuple):
    """One way to ask for the total."""

    text: str
    variants: tuple[str, ...]
    """the variants it is tried on"""
    source: str = "ours"
    """ours, or where appendix D has it"""


_COUNT = "Count the exact number of [object] in the image."
_CONTINUES = (
    " Assume the pattern of [object] continues behind any black box. Provide the total number of "
    "[object] as if the black box were not there."
)
_IN_FRAME = " Only count [object] that are visible within the frame."
_PARTLY = " If [object] are partially in the frame (i.e. if any part of [object] are visible), "
_BOTH = ("unoccluded", "occluded")
_OPEN, _COVERED = ("unoccluded",), ("occluded",)

_OURS_OPEN = {
    "how-many": "How many [object] are there in the image?",
    "one-by-one": (
        "Look at the [object] in the image one by one and number them as you go. How many are "
        "there? End with the total."
    ),
    "row-by-row": (
        "The [object] in the image form a regular pattern. Say how many there are in each row or "
        "side of it, then how many [object] there are in all."
    ),
    "describe": (
        "Describe how the [object] in the image are laid out. Then state their total number."
    ),
    "final-line": (
        "Count all [object] in the image. Finish with the line 'Final answer: N', where N is "
        "their number."
    ),
}
_OURS_COVERED = {
    "how-many-behind": (
        "How many [object] are there in the image, including those hidden behind the black box?"
    ),
    "two-sums": (
        "A black box hides some of the [object] in the image. Count the [object] you can see, "
        "work out from the pattern how many are behind the box, and give the sum of the two."
    ),
    "lift-the-box": (
        "Imagine that the black box in the image is lifted and the [object] go on below it as "
        "they do around it. How many [object] would there be in the whole image?"
    ),
    "row-by-row-behind": (
        "The [object] in the image form a regular pattern that goes on behind the black box. Say "
        "how many there are in each row or side of the whole pattern, then how many [object] "
        "there are in all."
    ),
    "complete": (
        "Part of a regular pattern of [object] is covered by a black box. Complete the pattern in "
        "your mind and give the number of [object] in the complete pattern."
    ),
    "describe-behind": (
        "Describe how the [object] in the image are laid out and where the black box lies on "
        "them. Then state how many [object] there are in all, hidden ones included."
    ),
    "final-line-behind": (
        "Count all [object] in the image, both those in sight and those that the regular pattern "
        "puts behind the black box. Finish with the line 'Final answer: N', where N is their "
        "number."
    ),
}
PROMPTS: Mapping[str, Prompt] = {
    "as-if-no-box-in-frame": Prompt(
        _COUNT
        + _CONTINUES
        + " Only count [object] that are visible within the frame (or would be visible without "
        "the occluding box)."
        + _PARTLY
        + "count it. If the [object] would be partially in the frame without the occluding box, "
        "count it.",
        _BOTH,
        "appendix D: Qwen2VL unoccluded (real, synthetic); GPT-4o, InternVL2 and Qwen2VL on real "
        "occluded; InternVL2 and Qwen2VL on synthetic occluded",
    ),
    "as-if-no-box": Prompt(_COUNT + _CONTINUES, _BOTH, "appendix D: GPT-4o on real unoccluded"),
    "pattern-first": Prompt(
        "Your task is to count objects in the image. First, state what the pattern is, then give "
        "your final count.",
        _OPEN,
        "appendix D: InternVL2 on real unoccluded; GPT-4o on synthetic unoccluded",
    ),
    "pattern-first-behind": Prompt(
        "Your task is to count objects in the image. Assume the pattern of [object] continues "
        "behind the black box. First, state what the pattern is, then give your final count.",
        _COVERED,
        "appendix D: Molmo on real occluded; GPT-4o and Molmo on synthetic occluded",
    ),
    "in-frame-also-partly": Prompt(
        _COUNT + _IN_FRAME + _PARTLY + "count it.",
        _OPEN,
        "appendix D: Molmo on real unoccluded; InternVL2 on synthetic unoccluded",
    ),
    "in-frame": Prompt(_COUNT + _IN_FRAME, _OPEN, "appendix D: Molmo on synthetic unoccluded"),
    **{name: Prompt(text, _OPEN) for name, text in _OURS_OPEN.items()},
    **{name: Prompt(text, _COVERED) for name, text in _OURS_COVERED.items()},
}
"""in the order in which ties are broken"""

HIDDEN = (
    "A black box in the image hides some of the [object]. Assume the pattern of [object] continues "
    "behind the black box. Count only the [object] that are hidden behind the black box, not the "
    "visible ones. How many [object] are hidden?"
)
"""the paper does not print its question for this task"""

PATTERN = "Which pattern do the [object] in the image form? Choose one:"
PATTERN_BEHIND = (
    "Which pattern do the [object] in the image form? A black box hides a part of it; assume that "
    "the pattern continues behind the box. Choose one:"
)

ALL_PLACES = (
    "\n\nThese are the coordinates of all [object], those behind the black box included, as (x, y) "
    "in pixels from the top left corner of the image: {}. Count the coordinates."
)
VISIBLE_PLACES = (
    "\n\nThese are the coordinates of the visible [object] as (x, y) in pixels from the top left "
    "corner of the image: {}. Estimate the number of [object] hidden behind the black box, count "
    "the coordinates of the visible ones, and add the two."
)
COUNTED = (
    "\n\nA counting model finds {} visible [object] in the image. Estimate the number of [object] "
    "hidden behind the black box and add the two."
)
"""the paper shows such texts only in a figure; the words are ours"""

CONFIDENCE = (
    "\nAfter your answer write one more line, 'Confidence: P%', where P from 0 to 100 says how "
    "sure you are that your number is right."
)

WORKED_EXAMPLES = """Here are three worked examples.

Example 1. The image shows red squares in a grid of 3 columns. A black box covers a part of it. \
Of 5 rows, four show all 3 squares and the second shows only its left square. Each row should \
have 3 squares, so the box hides 2 squares. I see 4 × 3 + 1 = 13 squares and 13 + 2 = 15. \
Final answer: 15

Example 2. The image shows green circles evenly spaced on a ring, and a black box covers a part \
of the ring. I see 9 circles. Neighbours are 30 degrees apart, and a full turn of 360 degrees has \
room for 12, so the box hides 3 circles. 9 + 3 = 12. Final answer: 12

Example 3. The image shows blue circles in a triangle with rows of 1, 2, 3 and 4. A black box \
covers the left end of the last row: only 2 of its 4 circles are in sight. I see 1 + 2 + 3 + 2 = 8 \
circles, the box hides 2, and 8 + 2 = 10. Final answer: 10

Now do the same for the image you are given, step by step, and end with the line \
'Final answer: N'.

"""
"""few-shot chain of thought; the paper has worked examples too but does not print them"""


def prompt_names(variant: str) -> list[str]:
    """The ten prompts tried on a variant.

    >>> len(prompt_names("occluded")), len(prompt_names("unoccluded"))
    (10, 10)
    """
    return [name for name, prompt in PROMPTS.items() if variant in prompt.variants]


def worded(text: str, thing: str) -> str:
    """A prompt with the name of what is to be counted."""
    return text.replace(PLACEHOLDER, thing)


def pattern_question(options: Sequence[str], thing: str, *, hidden: bool) -> str:
    """The multiple choice, a letter each.

    >>> print(pattern_question(["circle", "triangle"], "squares", hidden=False))
    Which pattern do the squares in the image form? Choose one:
    (A) circle
    (B) triangle
    """
    choices = [f"({chr(ord('A') + place)}) {option}" for place, option in enumerate(options)]
    return "\n".join([worded(PATTERN_BEHIND if hidden else PATTERN, thing), *choices])
