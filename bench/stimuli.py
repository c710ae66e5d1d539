"""Images per CPU second at 1024 x 1024: our drawing against the naive way.

The naive way keeps one sprite file per item, and for each item decodes it, resizes it and pastes
it with Pillow, then saves with Pillow's defaults. Both draw the same scenes. Cold is the command
`subitize stimuli naming` from the start of its process to the last file, all its processes
together; warm is a process that has drawn the same pictures before.
"""

from __future__ import annotations

import io
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image

from subitize.pictures.encode import encode, pixels_sha256
from subitize.stimuli import Picture, art, naming
from subitize.stimuli.scenes import scene_of

PICTURES = 150
NAIVE_PICTURES = 25
SPRITE = 512


def recipes(count: int) -> list[dict[str, object]]:
    """All categories and all n from 1 to 10, evenly."""
    return [naming.recipe(naming.CATEGORIES[k % 5], 1 + k // 5 % 10, k // 50) for k in range(count)]


def sprites() -> dict[tuple[str, str], bytes]:
    """Every item as an RGBA file, as a folder of clip art would hold it."""
    files = {}
    for kind in art.KINDS:
        for look in art.looks(kind):
            pixels = art.palette(kind)[art.tile(kind, look, SPRITE).numbers]
            alpha = np.where((pixels != 255).any(axis=2), 255, 0).astype(np.uint8)
            out = io.BytesIO()
            Image.fromarray(np.dstack([pixels, alpha])).save(out, "PNG")
            files[kind, look] = out.getvalue()
    return files


def naive(picture: Picture, files: dict[tuple[str, str], bytes]) -> bytes:
    facts = picture.facts
    kind = {"fast cards": f"clip {facts['kind']}"}.get(facts["category"], facts["kind"])
    canvas = Image.new("RGB", (1024, 1024), "white")
    for (x, y), size, look in zip(
        facts["positions"], facts["sizes"], facts["colours"], strict=True
    ):
        sprite = Image.open(io.BytesIO(files[kind, look]))
        sprite = sprite.resize((size, size), Image.Resampling.LANCZOS)
        canvas.paste(sprite, (x - size // 2, y - size // 2), sprite)
    out = io.BytesIO()
    canvas.save(out, "PNG")
    return out.getvalue()


def rate(make: Callable[[int], bytes], count: int) -> tuple[float, float]:
    """Images per CPU second and kilobytes per image."""
    begun = time.process_time()
    size = sum(len(make(k)) for k in range(count))
    return count / (time.process_time() - begun), size / count / 1000


def cold() -> tuple[float, float]:
    """Images per CPU second and kilobytes per image of the command, from its start."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "subitize", "stimuli", "naming", "--out", folder]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        sizes = [path.stat().st_size for path in Path(folder).glob("*.png")]
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return len(sizes) / used, sum(sizes) / len(sizes) / 1000


def main() -> None:
    """Print the rates, the file sizes and the ratios."""
    plans = recipes(PICTURES)
    files = sprites()
    scenes = [naming.draw(plan) for plan in plans]  # also fills the store of tiles

    def naive_rate() -> tuple[float, float]:
        return rate(lambda k: naive(scenes[k * PICTURES // NAIVE_PICTURES], files), NAIVE_PICTURES)

    # the naive way before and after each: a machine that others use is not always as fast
    first, size = naive_rate()
    warm = rate(lambda k: naming.draw(plans[k]).png, PICTURES)
    second, _ = naive_rate()
    from_start = cold()
    third, _ = naive_rate()
    print(f"naive Pillow  {second:7.1f} images per CPU second, {size:6.1f} kB each")
    for name, (fast, kilobytes), slow, aim in (
        ("warm", warm, (first + second) / 2, 25),
        ("cold", from_start, (second + third) / 2, 15),
    ):
        print(f"subitize {name} {fast:7.1f} images per CPU second, {kilobytes:6.1f} kB each")
        print(f"ratio         {fast / slow:7.1f}  (aim: {aim} or more)")
    canvases = [
        (naming.composed(scene, 1024), art.palette(scene.kind))
        for scene in map(scene_of, plans[::10])
    ]
    for what, work in (("packing", encode), ("hash of pixels", pixels_sha256)):
        begun = time.process_time()
        for _ in range(10):
            for canvas in canvases:
                work(*canvas)
        taken = (time.process_time() - begun) / 10 / len(canvases)
        print(f"  {what:15} {1000 * taken:5.2f} ms per picture")


if __name__ == "__main__":
    main()
