"""Pictures from a model, kept in the run's folder; and pictures that must be the same again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from subitize.errors import ModelError, WrongRun
from subitize.models.base import Reply, unreadable
from subitize.pictures.decode import decode
from subitize.pictures.media import media_type
from subitize.records import Response, Stimulus, Trial
from subitize.runs.folder import store_picture
from subitize.stimuli import render


def check_drawing(trial: Trial, response: Response) -> None:
    """A picture drawn again must be the one that was sent."""
    if not response.sha256 or trial.stimulus.kind not in ("drawn", "file"):
        return
    found = render(trial.stimulus).sha256
    if found != response.sha256:
        raise WrongRun(
            f"The picture of trial {trial.id} is drawn otherwise than when it was asked "
            f"({found[:12]} instead of {response.sha256[:12]}): another version of a package draws "
            "it. Resume with the versions in run.json, or start a new run with another --out."
        )


def at_fault(stimulus: Stimulus | None) -> str:
    """The user's own file behind a call that failed, where that can't be decoded; else nothing."""
    if stimulus is None or stimulus.kind != "file" or not stimulus.path:
        return ""
    try:
        decode(Path(stimulus.path))
    except (ModelError, OSError):
        return stimulus.path
    return ""


def keep_picture(folder: Path, reply: Reply) -> Reply | ModelError:
    """Store a painter's picture as it came; its file name takes the place of its bytes.

    It counts as received from here on, and as paid; whether it can be decoded is looked at later.
    What begins like no picture is kept too, and called `unreadable` at once.
    """
    if not reply.value:
        return ModelError("the picture is empty: it has 0 bytes")
    ending = "bin"
    try:
        ending = media_type(reply.value).partition("/")[2]
    except ModelError as problem:
        reply = unreadable(reply, str(problem))
    return replace(reply, value=store_picture(folder, reply.value, ending))


def look_at(folder: Path, response: Response) -> Response:
    """A stored picture that can't be decoded (cut off, far too large) is called `unreadable`."""
    if response.kind != "picture" or response.stop == "unreadable":
        return response
    try:
        decode(folder / "images" / response.value)
    except ModelError as problem:
        return replace(response, stop="unreadable", note=str(problem))
    return response
