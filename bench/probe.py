"""Generated scenes of 256 x 256 per CPU second: from a cold start, and when all tiles are there."""

from __future__ import annotations

import time
from typing import Any

from subitize.stimuli.probe import draw, recipe

COLD, WARM = 2000, 500
SETTINGS: dict[str, dict[str, Any]] = {
    "plain": {},
    "overlap 0.4": {"overlap": 0.4},
    "clutter 40": {"clutter": 40},
    "identical": {"identical": "on"},
}


def rate(count: int, settings: dict[str, Any]) -> float:
    begun = time.process_time()
    for index in range(count):
        draw(recipe(index % 11, index, **settings))
    return count / (time.process_time() - begun)


def main() -> None:
    """Print the rates."""
    print(f"cold          {rate(COLD, {}):7.0f} pictures per CPU second  (aim: 300 or more)")
    for name, settings in SETTINGS.items():
        print(f"{name:13} {rate(WARM, settings):7.0f} pictures per CPU second")


if __name__ == "__main__":
    main()
