"""CPU seconds for all 2,500 CAPTURE pictures at 512 x 512, against plain Pillow.

Ours begins with nothing known: it lays out 1,250 fair patterns, finds their squares and checks
that each can still be told, then draws both variants. Pillow gets the finished facts and only
draws: shapes at four times the size, scaled down to smooth their edges, saved with its defaults.
"""

from __future__ import annotations

import io
import time
from typing import Any

from PIL import Image, ImageDraw

from subitize.stimuli.capture import VARIANTS, configurations, draw, recipe

SIZE = 512
SMOOTH = 4
NAIVE_PICTURES = 50
AIM = 4.0


def naive(facts: dict[str, Any]) -> bytes:
    large = Image.new("RGB", (SIZE * SMOOTH, SIZE * SMOOTH), "white")
    pen = ImageDraw.Draw(large)
    r = facts["radius"]
    for x, y in facts["positions"]:
        box = [(value * SMOOTH) for value in (x - r, y - r, x + r, y + r)]
        if facts["object"] == "dots":
            pen.ellipse(box, fill=facts["colour"])
        else:
            pen.rectangle(box, fill=facts["colour"])
    if facts["occluder"]:
        pen.rectangle([value * SMOOTH for value in facts["occluder"]], fill="black")
    out = io.BytesIO()
    large.resize((SIZE, SIZE), Image.Resampling.BOX).save(out, "PNG")
    return out.getvalue()


def main() -> None:
    """Print the seconds for the whole set, the file sizes and the ratio."""
    begun = time.process_time()
    drawn = [
        draw(recipe(configuration, variant=variant, size=SIZE))
        for variant in VARIANTS
        for configuration in configurations()
    ]
    ours = time.process_time() - begun
    some = drawn[:: len(drawn) // NAIVE_PICTURES]
    begun = time.process_time()
    sizes = [len(naive(dict(picture.facts))) for picture in some]
    slow = (time.process_time() - begun) / len(some) * len(drawn)
    mean = sum(len(picture.png) for picture in drawn) / len(drawn) / 1000
    print(
        f"naive Pillow  {slow:6.2f} CPU s for 2,500, {sum(sizes) / len(sizes) / 1000:5.2f} kB each"
    )
    print(f"subitize      {ours:6.2f} CPU s for 2,500, {mean:5.2f} kB each  (aim: below {AIM:g})")
    print(f"ratio         {slow / ours:6.1f}")


if __name__ == "__main__":
    main()
