"""What `subitize captions` does beside counting: models, pictures, people's judgements, Ray."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from subitize.captions.beside import put_beside
from subitize.captions.counting import WorkersMaker
from subitize.captions.images import Pair, check_images, examples, sample_pairs, write_study
from subitize.captions.judging import judge_images
from subitize.captions.page_checks import marked
from subitize.captions.ray_workers import RayWorkers
from subitize.commands.printing import say
from subitize.commands.reporting import find_runs
from subitize.models.catalog import counter_name, open_model
from subitize.opening import load_stored
from subitize.reports.cells import told
from subitize.runs.ray_engine import Cluster, check_engine

__all__ = ["beside", "judge_images", "on_ray", "pictures", "pictures_told", "sample_pairs"]


def beside(result: Mapping[str, Any], runs: Sequence[Path], folder: Path) -> list[dict[str, Any]]:
    """Models' accuracy by number beside the frequencies."""
    return [
        put_beside(result, load_stored(run), folder) for given in runs for run in find_runs(given)
    ]


def pictures(pairs: Sequence[Pair], counter: str, folder: Path) -> dict[str, Any]:
    """What a counter finds in the pictures of a sample, which people may judge too."""
    found = check_images(pairs, open_model(counter_name(counter)), folder)
    say(f"The same captions as questions for people: {write_study(pairs, folder)}")
    return found


def on_ray(engine: str, address: str | None, workers: int) -> WorkersMaker | None:
    """Workers of a cluster; none for the local engine."""
    if check_engine(engine, address) == "local":
        return None
    return partial(RayWorkers, Cluster(address, workers))


def pictures_told(images: Mapping[str, Any]) -> list[str]:
    """Lines for a terminal."""
    rate = told(images["misaligned"], ".1%")
    lines = [
        f"numbers that do not fit the picture, by {images['counter']}: {rate} of "
        f"{images['checked']} ({images['failed']} could not be checked)"
    ]
    lines += [
        f"  {marked(one)}: {one['found']} {one['thing']} found" for one in examples(images)[:5]
    ]
    if people := images["people"]:
        lines.append(
            f"by {people['judges']} people: {told(people['misaligned'], '.1%')} of "
            f"{people['captions']} captions; the counter on the same: "
            f"{told(people['counter'], '.1%')}; both agree in "
            f"{told(people['agreement'], '.1%')} of the judgements"
        )
    return lines
