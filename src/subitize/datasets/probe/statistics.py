"""What a split holds: the paper's Tables 6 and 7 and Figure 2; each number right and as a foil."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from subitize.datasets.probe.released import ProbeItem, broken

GROUPS: Mapping[str, tuple[int, float]] = {
    "zero": (0, 0), "one": (1, 1), "two": (2, 2), "three": (3, 3), "four": (4, 4), "five": (5, 5),
    "six": (6, 6), "7": (7, 7), "8-10": (8, 10), "11-20": (11, 20), "21+": (21, float("inf")),
}  # fmt: skip
"""rows of Table 7 (which prints 10-20 for 11-20), also the parts of Figure 2's circles"""


def statistics(parts: Mapping[str, Sequence[ProbeItem]]) -> dict[str, Any]:
    """Everything about a split's parts, by part; and numbers that training shows only as foils."""
    told = {part: part_statistics(items) for part, items in parts.items() if items}
    training = [part for part in told if {one.part for one in parts[part]} == {"train"}]
    return {
        "parts": told,
        "only_foils_in_training": sorted(
            {n for part in training for n in told[part]["only_foils"]}
        ),
        "leaks": leaks(by_part(one for items in parts.values() for one in items)),
    }


def part_statistics(items: Sequence[ProbeItem]) -> dict[str, Any]:
    """Table 6 (how many), Table 7 and Figure 2 (percent of each numeral), and shortcuts."""
    right = Counter(one.answer for one in items)
    foils = Counter(number for one in items for number in one.foils)
    wrong = sum(foils.values())
    shares = {
        name: 100 * sum(many for n, many in right.items() if low <= n <= high) / len(items)
        for name, (low, high) in GROUPS.items()
    }
    numbers = sorted(right.keys() | foils.keys())
    return {
        "correct": len(items),
        "foiled": wrong,
        "total": len(items) + wrong,
        "pictures": len({one.picture for one in items}),
        "percent": shares,
        "numbers": {str(n): {"right": right[n], "foil": foils[n]} for n in numbers},
        "only_foils": [n for n in numbers if not right[n]],
        "broken": broken(items),
    }


def leaks(parts: Mapping[str, Sequence[ProbeItem]]) -> int:
    """Pictures that occur in more than one part."""
    seen = Counter(
        picture for items in parts.values() for picture in {one.picture for one in items}
    )
    return sum(many > 1 for many in seen.values())


def by_file(files: Mapping[str, Sequence[ProbeItem]]) -> Mapping[str, Sequence[ProbeItem]]:
    """The parts that files hold; where two hold the same part, every file stands for itself."""
    held = Counter(part for items in files.values() for part in {one.part for one in items})
    if max(held.values()) > 1:
        return files
    return by_part(one for items in files.values() for one in items)


def by_part(items: Iterable[ProbeItem]) -> dict[str, list[ProbeItem]]:
    """Items by the part they say they belong to."""
    found: dict[str, list[ProbeItem]] = {}
    for one in items:
        found.setdefault(one.part or "all", []).append(one)
    return found
