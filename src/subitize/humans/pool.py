"""Who gets which item: as few people as possible ahead of each other, at random among equals."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

TRIES = 20
"""random picks before a level is looked through as a whole"""


class Pool:
    """Items by how many people have them; all ways cost the same for ten items or a million."""

    def __init__(self, items: Iterable[str], annotators: int) -> None:
        self.annotators = annotators
        self.levels: list[list[str]] = [[] for _ in range(annotators + 1)]
        self.levels[0] = list(items)
        self.taken = dict.fromkeys(self.levels[0], 0)
        self._place = {item: place for place, item in enumerate(self.levels[0])}

    def choose(self, rng: np.random.Generator, fits: Callable[[str], bool]) -> str | None:
        """An item that fits and that the fewest people have; None when all have enough."""
        for level in self.levels[: self.annotators]:
            for _ in range(min(TRIES, len(level))):
                item: str = level[int(rng.integers(len(level)))]
                if fits(item):
                    return item
            for place in rng.permutation(len(level)).tolist():
                item = level[place]
                if fits(item):
                    return item
        return None

    def change(self, item: str, by: int) -> None:
        """So many more people have it, or fewer."""
        if item not in self.taken:
            return
        before = min(self.taken[item], self.annotators)
        self.taken[item] += by
        after = min(self.taken[item], self.annotators)
        if before == after:
            return
        level, place = self.levels[before], self._place[item]
        last = level.pop()
        if last != item:
            level[place] = last
            self._place[last] = place
        self._place[item] = len(self.levels[after])
        self.levels[after].append(item)

    def remove(self, item: str) -> None:
        """It is given to nobody any more."""
        if item in self.taken:
            self.change(item, self.annotators - self.taken[item])

    def restore(self, item: str) -> None:
        """It is given again, as if nobody had it."""
        if item in self.taken:
            self.change(item, -self.taken[item])

    @property
    def open(self) -> bool:
        """Whether somebody is still wanted."""
        return any(self.levels[: self.annotators])
