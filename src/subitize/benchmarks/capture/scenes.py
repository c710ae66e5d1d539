"""Scenes: one configuration with both its pictures and what is known about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, overload

import numpy as np

from subitize.benchmarks.capture.settings import CaptureSettings
from subitize.datasets.capture_real import RealPicture, load_real
from subitize.errors import BadInput
from subitize.pictures.editing import HOLE
from subitize.pictures.media import picture_sha256
from subitize.records import Stimulus
from subitize.stimuli import capture as synthetic

NOUNS = {"dots": "circles", "boxes": "squares"}
"""what the prompts call the objects"""


class Scene(NamedTuple):
    """One configuration."""

    name: str
    """of its picture"""
    thing: str
    """plural of what is to be counted"""
    total: int
    hidden: int | None
    """how many objects the occluder hides; None without positions"""
    facts: Mapping[str, Any]
    """what scores are broken down by"""
    pictures: Mapping[str, Stimulus]
    """by variant"""
    positions: tuple[tuple[float, float], ...] | None
    """of all objects, in pixels of the picture, from the top left; None where unknown"""
    visible: tuple[tuple[float, float], ...]
    """positions of those that can be seen"""
    box: tuple[float, ...]
    """the occluder: x0, y0, x1, y1 in pixels"""


class DrawnScenes(Sequence[Scene]):
    """As many as there are configurations, each made when it is first asked about: a run counts
    its scenes before the first question, which needs none of them."""

    def __init__(self, dealt: Sequence[synthetic.Configuration], settings: CaptureSettings) -> None:
        self._dealt = dealt
        self._made = lru_cache(maxsize=None)(lambda index: _drawn(dealt[index], settings))

    def __len__(self) -> int:
        return len(self._dealt)

    @property
    def made(self) -> int:
        """How many were asked about so far."""
        return self._made.cache_info().currsize

    @overload
    def __getitem__(self, index: int) -> Scene: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Scene, ...]: ...

    def __getitem__(self, index: int | slice) -> Scene | tuple[Scene, ...]:
        if isinstance(index, slice):
            return tuple(self[one] for one in range(*index.indices(len(self))))
        return self._made(range(len(self))[index])


@lru_cache(maxsize=8)
def scenes(settings: CaptureSettings, part: str) -> Sequence[Scene]:
    """The scenes of the validation or the test part, in an order whose beginnings are fair."""
    many = settings.validation if part == "validation" else settings.items
    if settings.set == "real":
        # a subset is one of test pictures: prompts are chosen on the whole validation part
        whole = replace(settings, subset="") if part == "validation" else settings
        real = [one for one in _loaded(whole) if one.part == part]
        dealt = [one for one in _dealt(real, [""] * len(real), settings.seed) if one.path]
        return tuple(_photographed(one) for one in dealt[: many or None])
    drawn = [one for one in synthetic.configurations() if synthetic.part(one) == part]
    dealt = _dealt(drawn, [f"{one.arrangement} {one.count}" for one in drawn], settings.seed)
    return DrawnScenes(dealt[: many or None], settings)


def _dealt(items: Sequence[Any], cells: Sequence[str], seed: int) -> list[Any]:
    """Shuffled within cells and dealt in turns, so that any beginning covers all cells evenly."""
    rng = np.random.default_rng([seed, 20250415])
    places: dict[str, int] = {}
    ranks = np.zeros(len(items), dtype=np.int64)
    for index in rng.permutation(len(items)).tolist():
        ranks[index] = places[cells[index]] = places.get(cells[index], -1) + 1
    tie = rng.permutation(len(items))
    return [items[index] for index in np.lexsort([tie, ranks]).tolist()]


def _drawn(one: synthetic.Configuration, settings: CaptureSettings) -> Scene:
    recipes = {
        variant: synthetic.recipe(
            one,
            variant=variant,
            layout=settings.layout,
            size=settings.size,
            seed=settings.seed,
            layout_version=settings.layout_version,
        )
        for variant in synthetic.VARIANTS
    }
    known = synthetic.facts(recipes["occluded"])
    places = tuple((float(x), float(y)) for x, y in known["positions"])
    return Scene(
        name=one.name.removesuffix(".png"),
        thing=NOUNS[one.object],
        total=one.count,
        hidden=len(known["hidden"]),
        facts={name: known[name] for name in ("arrangement", "place", "colour", "object")},
        pictures={variant: Stimulus("drawn", made) for variant, made in recipes.items()},
        positions=places,
        visible=tuple(p for index, p in enumerate(places) if index not in known["hidden"]),
        box=tuple(known["occluder"]),
    )


@lru_cache(maxsize=4)
def _loaded(settings: CaptureSettings) -> tuple[RealPicture, ...]:
    files = [Path(name) for name in (settings.metadata, settings.validation_metadata) if name]
    return load_real(
        files,
        # a plan's relative paths would be taken as relative to the run's folder
        Path(settings.pictures).resolve(),
        annotations=Path(settings.points) if settings.points else None,
        splits=Path(settings.splits) if settings.splits else None,
        subset=settings.subset,
        skip_missing=settings.missing == "skip",
    )


def missing_pictures(settings: CaptureSettings) -> list[str]:
    """Pictures of the real set that are not there and are left out."""
    return [one.file for one in _loaded(settings) if not one.path]


def _photographed(one: RealPicture) -> Scene:
    covered = one.hidden
    return Scene(
        name=one.file,
        thing=one.thing,
        total=one.count,
        hidden=None if covered is None else len(covered),
        facts={"object": one.thing},
        pictures={variant: one.stimulus(variant) for variant in one.variants},
        positions=one.points,
        visible=tuple(at for at in one.points or () if at not in (covered or ())),
        box=one.box,
    )


def paints(settings: CaptureSettings) -> bool:
    """Whether the inpainter is a model, not the built-in one or a folder of pictures."""
    return settings.inpainter != "pattern" and not Path(settings.inpainter).is_dir()


def inpainted(scene: Scene, inpainter: str) -> Stimulus:
    """The occluded picture with its box filled: by the built-in inpainter or from a folder."""
    covered = scene.pictures["occluded"]
    if inpainter == "pattern":
        recipe = {"drawer": "capture-continued", "version": 1, "of": covered.recipe}
        return Stimulus("drawn", recipe)
    name = Path(scene.name).stem
    found = sorted(p for p in Path(inpainter).glob(f"{name}.*") if p.suffix != ".json")
    if len(found) != 1:
        raise BadInput(
            f"{inpainter} has {len(found)} inpainted pictures named {name}.*: it must have one for "
            "each occluded picture. A model can make them: --set inpainter=MODEL."
        )
    return Stimulus("file", {"sha256": picture_sha256(found[0])}, str(found[0].resolve()))


def holed(scene: Scene) -> Stimulus:
    """The picture with a transparent hole in place of its box, for an inpainter."""
    covered = scene.pictures["occluded"]
    if covered.kind == "file":
        return Stimulus("file", {**covered.recipe, "fill": HOLE}, covered.path)
    recipe = {"drawer": "capture-holed", "version": 1, "of": covered.recipe}
    return Stimulus("drawn", recipe)


def check_data(settings: CaptureSettings, tasks: Sequence[str], *, chooses: bool) -> None:
    """Raise when what a run needs is not there; before anything is asked, not when scoring.

    `chooses`: whether prompts are tried on the validation part.
    """
    if settings.set == "synthetic":
        # The smallest objects tell whether the pictures can be drawn.
        crowded = synthetic.configurations()[-1]
        synthetic.recipe(crowded, variant="occluded", layout=settings.layout, size=settings.size)
    else:
        _check_real(settings, tasks, chooses)
    if "inpainted" in settings.help and not paints(settings):
        for scene in scenes(settings, "test"):
            inpainted(scene, settings.inpainter)
    if "visible-count" in settings.help and settings.counts and not Path(settings.counts).is_file():
        raise BadInput(
            f"There is no file {settings.counts} with visible counts: give a JSON object of "
            "picture names and counts, or name a counter with --set counter=MODEL."
        )


def _check_real(settings: CaptureSettings, tasks: Sequence[str], chooses: bool) -> None:
    if not settings.pictures or not settings.metadata:
        raise BadInput(
            "The real set needs FSC-147's pictures and the released metadata: give --set "
            "pictures=DIR and --set metadata=real_metadata.json."
        )
    told = {"all-coordinates", "visible-coordinates"} & set(settings.help)
    if not settings.points and (told or "hidden" in tasks):
        what = f"help={', '.join(sorted(told))}" if told else "the task hidden"
        raise BadInput(
            f"The released metadata holds no positions of objects, which {what} needs: give "
            "FSC-147's annotation_FSC147_384.json, --set points=FILE."
        )
    if chooses and not scenes(settings, "validation"):
        raise BadInput(
            "Prompts are chosen on the validation part of the real set, and its metadata is not "
            "given: add --set validation_metadata=FILE, or fix a prompt with --set prompt=NAME."
        )
    if not scenes(settings, "test"):
        raise BadInput(
            f"{settings.metadata} holds no picture of the test part: give the released "
            "real_metadata.json."
        )
