"""Pictures of n things: a recipe in, a picture and exact facts out.

The same recipe gives the same bytes in any process, so a trial need only hold the recipe and
nothing is drawn before it is asked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from subitize.errors import BadInput, UnknownName, WrongRun
from subitize.records import Stimulus

__all__ = ["DRAWERS", "Picture", "render"]

DRAWERS: Mapping[str, str] = {
    "naming": "subitize.stimuli.naming:draw",
    "capture": "subitize.stimuli.capture:draw",
    "capture-continued": "subitize.stimuli.capture.continued:draw",
    "capture-holed": "subitize.stimuli.capture.holed:draw",
}
"""Who draws a recipe; imported when first needed. The module also holds DRAWING_VERSION."""

EDITOR = "subitize.pictures.editing"
"""Who edits a picture from a file."""


@dataclass(frozen=True)
class Picture:
    """A picture file and what is known about it."""

    png: bytes
    """the encoded file"""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """positions, sizes, colours, … of what was drawn; empty for a file"""

    @cached_property
    def sha256(self) -> str:
        """Hash of the file's bytes."""
        return hashlib.sha256(self.png).hexdigest()


def render(stimulus: Stimulus) -> Picture:
    """Draw or read the picture of a stimulus."""
    if stimulus.kind == "drawn":
        return _drawn(stimulus.recipe)
    if stimulus.kind == "file":
        return _from_file(stimulus)
    raise BadInput(
        f"A stimulus of kind {stimulus.kind!r} has no picture: it was "
        f"{dict(stimulus.recipe)!r}. Only drawn stimuli and files can be rendered."
    )


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
    picture = Picture(data)
    if picture.sha256 != stimulus.recipe.get("sha256"):
        raise BadInput(
            f"The picture {path} has changed: its sha256 is {picture.sha256}, the plan says "
            f"{stimulus.recipe.get('sha256')}. Restore the file or start a new run."
        )
    if len(stimulus.recipe) == 1:
        return picture
    if "over" in stimulus.recipe:
        covered = render(Stimulus(**stimulus.recipe["over"])).png
        return Picture(import_module(EDITOR).filled(covered, data, stimulus.recipe["box"]))
    # imported late, as the drawers are: the editor itself writes with this package's encoder
    edited: bytes = import_module(EDITOR).edited(data, stimulus.recipe, path.name)
    return Picture(edited)
