"""The kinds of study by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from subitize.errors import BadInput
from subitize.humans.items import PILOT, Item
from subitize.humans.kinds.bench import capture_material, naming_material
from subitize.humans.kinds.counting import count_material, verify_material
from subitize.humans.kinds.gecko import gecko_material
from subitize.humans.kinds.material import Material
from subitize.humans.kinds.texts import caption_material, reader_material
from subitize.humans.study import Study
from subitize.stimuli import generator

MATERIALS: Mapping[str, Callable[[Study], Material]] = {
    "geckonum-task1": gecko_material,
    "geckonum-task2": gecko_material,
    "geckonum-task3": gecko_material,
    "naming": naming_material,
    "capture": capture_material,
    "count": count_material,
    "verify": verify_material,
    "caption-fit": caption_material,
    "reader-check": reader_material,
}
CAPTURE = 100
"""occluded pictures that people saw of each set (Table 3 of the paper)"""


def material_of(study: Study) -> Material:
    """All that a study shows; its pilot part is a random part of the items, given to others."""
    made = MATERIALS[study.kind](study)
    items = _sampled(made.items, study)
    main = [one for one in items if one.role == "main"]
    if study.pilot >= len(main) > 0:
        raise BadInput(f"The pilot wants {study.pilot} of {len(main)} items: leave some.")
    first = [one for one in main if one.phase == 0]
    order = generator(study.seed, "pilot").permutation(len(first))[: study.pilot]
    pilot = [replace(first[place], id=f"{PILOT}{first[place].id}", role="pilot")
             for place in order.tolist()]  # fmt: skip
    words = study.instructions or made.instructions
    return replace(made, items=[*items, *pilot], instructions=words)


def _sampled(items: Sequence[Item], study: Study) -> Sequence[Item]:
    """A random part of the items; those of a later phase come with their family."""
    many = study.sample or (CAPTURE if study.kind == "capture" else 0)
    first = [one for one in items if one.role == "main" and one.phase == 0]
    if not many or many >= len(first):
        return items
    order = generator(study.seed, "sample", study.kind).permutation(len(first))[:many]
    kept = {first[place].id for place in order.tolist()}
    families = {one.family for one in first if one.id in kept} - {""}
    return [
        one for one in items
        if one.role != "main" or one.id in kept or (one.phase and one.family in families)
    ]  # fmt: skip
