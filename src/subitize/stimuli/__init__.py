"""Pictures of n things: a recipe in, a picture and exact facts out.

The same recipe gives the same pixels in any process, so a trial need only hold the recipe and
nothing is drawn before it is asked. A drawn picture is known by the hash of its pixels, whatever
compressor packs them; a file by the hash of its bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from threading import local
from typing import Any

import numpy as np

from subitize.errors import BadInput, UnknownName, WrongRun
from subitize.pictures.editing import edited, filled
from subitize.pictures.encode import Picture
from subitize.records import Stimulus

__all__ = ["DRAWERS", "Picture", "generator", "passing", "render"]

DRAWERS: Mapping[str, str] = {
    "naming": "subitize.stimuli.naming:draw",
    "capture": "subitize.stimuli.capture:draw",
    "capture-continued": "subitize.stimuli.capture.continued:draw",
    "probe": "subitize.stimuli.probe:draw",
    "capture-holed": "subitize.stimuli.capture.continued:draw_holed",
}
"""Who draws a recipe; imported when first needed. The module also holds DRAWING_VERSION."""

_kept = local()
"""a generator of each thread, see `passing`"""
_WITHOUT_PICTURE: Mapping[str, str] = {
    "prompt": "it is words only",
    "response": "it is an earlier answer, which only the run that holds it can bring",
    "named": "the data give its name but not the picture",
}


def render(stimulus: Stimulus) -> Picture:
    """Draw or read the picture of a stimulus."""
    if stimulus.kind == "drawn":
        return _drawn(stimulus.recipe)
    if stimulus.kind == "file":
        return _from_file(stimulus)
    why = _WITHOUT_PICTURE.get(stimulus.kind, "this version of subitize does not know the kind")
    raise BadInput(
        f"A stimulus of kind {stimulus.kind!r} has no picture of its own ({why}): it was "
        f"{dict(stimulus.recipe)!r}. Only drawn stimuli and files can be rendered."
    )


def generator(*words: object) -> np.random.Generator:
    """Random numbers that depend on these words alone, so any picture can be drawn by itself."""
    # what default_rng gives, in half the time
    return np.random.Generator(np.random.PCG64(int.from_bytes(_digest(words)[:16])))


def passing(*words: object) -> np.random.Generator:
    """The same at a quarter of the cost, good until the next call in this thread."""
    if "rng" not in _kept.__dict__:
        _kept.rng = np.random.Generator(np.random.PCG64(0))
    rng: np.random.Generator = _kept.rng
    digest = _digest(words)
    state = {"state": int.from_bytes(digest[:16]), "inc": int.from_bytes(digest[16:]) | 1}
    rng.bit_generator.state = {
        "bit_generator": "PCG64", "state": state, "has_uint32": 0, "uinteger": 0,
    }  # fmt: skip
    return rng


def _digest(words: Sequence[object]) -> bytes:
    return hashlib.sha256("/".join(map(str, words)).encode()).digest()


def _drawn(recipe: Mapping[str, Any]) -> Picture:
    drawer = str(recipe.get("drawer", ""))
    if drawer not in DRAWERS:
        raise UnknownName("drawer", drawer, DRAWERS)
    module_name, function = DRAWERS[drawer].split(":")
    module = import_module(module_name)
    if recipe.get("version") != module.DRAWING_VERSION:
        raise WrongRun(
            f"The recipe was made for version {recipe.get('version')!r} of the drawer {drawer!r}, "
            f"but this is version {module.DRAWING_VERSION!r}: start a new run, or go on with the "
            "version of subitize that began it."
        )
    picture: Picture = getattr(module, function)(recipe)
    return picture


def _from_file(stimulus: Stimulus) -> Picture:
    if stimulus.path is None:
        raise BadInput("A file stimulus has no path: bring the data again and make a new plan.")
    path = Path(stimulus.path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadInput(
            f"The picture {path} can't be read ({error.strerror}): bring the data again."
        ) from None
    sha256 = hashlib.sha256(data).hexdigest()
    if sha256 != stimulus.recipe.get("sha256"):
        raise BadInput(
            f"The picture {path} has changed: its sha256 is {sha256}, the plan says "
            f"{stimulus.recipe.get('sha256')}. Restore the file or start a new run."
        )
    if "over" in stimulus.recipe:
        covered = render(Stimulus(**stimulus.recipe["over"])).png
        return filled(covered, data, stimulus.recipe["box"])
    if "box" in stimulus.recipe:
        return edited(data, stimulus.recipe, path.name)
    return Picture(data, sha256)
