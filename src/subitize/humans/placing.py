"""Placing occluders by hand: a page per picture that `capture select` kept.

What is written has the keys of CAPTURE's real_metadata.json, so that `run capture --set set=real`
takes it. The file is written anew after every picture: it is always whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from subitize.errors import BadInput
from subitize.files import read_bytes, read_json, write_json
from subitize.humans.guard import Refused
from subitize.humans.web import (
    Handler,
    Site,
    blob,
    form,
    make_app,
    page,
    redirect,
    researcher,
    whole,
)
from subitize.pictures.editing import picture_size
from subitize.pictures.media import media_type

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

LEAST = 4
"""pixels that a box has at least on each side"""
BOX = {"x": "x", "y": "y", "w": "width", "h": "height"}
"""what a form calls a box's sides, and what the file calls them"""
MOST = 100_000
"""things that one picture can have"""


@dataclass
class Placing:
    """The pictures, and what has been said of each."""

    pictures: Path
    out: Path
    selected: list[dict[str, Any]]
    done: dict[str, dict[str, Any]] = field(default_factory=dict)
    """file: its entry, or {"dropped": True}"""

    def routes(self) -> list[tuple[str, str, Handler]]:
        listed = (
            ("GET", "/", self.first),
            ("GET", "/place/{number:int}", self.show),
            ("POST", "/place/{number:int}", self.save),
            ("GET", "/place/{number:int}/picture", self.picture),
        )
        return [(methods, path, researcher(handler)) for methods, path, handler in listed]

    async def first(self, request: Request) -> Response:
        """The first picture that nothing has been said of, else a word that all is done."""
        for number, one in enumerate(self.selected):
            if one["image_file"] not in self.done:
                return redirect(f"/place/{number}")
        return page(request, "placed.html", placing=self)

    def _entry(self, request: Request) -> tuple[int, dict[str, Any]]:
        number = int(request.path_params["number"])
        if not 0 <= number < len(self.selected):
            raise Refused(404, "There is no such picture.")
        return number, self.selected[number]

    async def show(self, request: Request) -> Response:
        _, one = self._entry(request)
        known = self.done.get(one["image_file"], {})
        box = known.get("bbox", {})
        said = {name: box.get(key, "") for name, key in BOX.items()}
        said |= {"object": known.get("object", one.get("object") or ""),
                 "count": known.get("ground_truth", "")}  # fmt: skip
        return self._page(request, said)

    def _page(self, request: Request, said: Mapping[str, Any], problem: str = "") -> Response:
        """The picture with what was said of it, and what is wrong with that."""
        number, one = self._entry(request)
        width, height = self._size(one)
        return page(request, "place.html", 422 if problem else 200, number=number, one=one,
                    said=said, placing=self, width=width, height=height,
                    problem=problem)  # fmt: skip

    async def picture(self, request: Request) -> Response:
        _, one = self._entry(request)
        content = read_bytes(self.pictures / one["image_file"], "the picture")
        return blob(content, media_type(content))

    def _size(self, one: Mapping[str, Any]) -> tuple[int, int]:
        content = read_bytes(self.pictures / one["image_file"], "the picture")
        return picture_size(content, one["image_file"])

    async def save(self, request: Request) -> Response:
        """Keep the box, the name and the count, or drop the picture."""
        number, one = self._entry(request)
        fields = await form(request)
        if fields.get("verdict") == "drop":
            self.done[one["image_file"]] = {"dropped": True}
        else:
            try:
                self.done[one["image_file"]] = self._kept(one, fields)
            except Refused as problem:
                said = {name: fields.get(name, "") for name in (*BOX, "object", "count")}
                return self._page(request, said, problem.message)
        self.write()
        later = range(number + 1, len(self.selected))
        after = next((n for n in later if self.selected[n]["image_file"] not in self.done), None)
        return redirect("/" if after is None else f"/place/{after}")

    def _kept(self, one: Mapping[str, Any], fields: Mapping[str, str]) -> dict[str, Any]:
        thing, count = fields.get("object", "").strip(), whole(fields.get("count", "").strip())
        if not thing or len(thing) > 80:
            raise Refused(422, "Say what is to be counted, in the plural.")
        if not 1 <= count <= MOST:
            raise Refused(422, "Give the number of things, those behind the box included.")
        try:
            x, y, wide, high = (round(float(fields[name])) for name in BOX)
        except (KeyError, ValueError, OverflowError):
            raise Refused(422, "Draw the box first.") from None
        width, height = self._size(one)
        if not (wide >= LEAST and high >= LEAST and 0 <= x <= width - wide
                and 0 <= y <= height - high):  # fmt: skip
            raise Refused(422, "The box must lie inside the picture.")
        return {
            "image_file": one["image_file"], "log_prob": one.get("log_prob"),
            "density_map_sum": float(count), "ground_truth": count, "object": thing,
            "bbox": {"x": x, "y": y, "width": wide, "height": high},
        }  # fmt: skip

    def write(self) -> None:
        """Everything that was said so far: the metadata, and beside them what was dropped."""
        kept = [one for one in self.done.values() if "dropped" not in one]
        dropped = [name for name, one in self.done.items() if "dropped" in one]
        write_json(self.out, kept, option="--out")
        write_json(self.out.with_suffix(".dropped.json"), dropped, option="--out")


def placing_from(selection: Path, pictures: Path, out: Path) -> Placing:
    """The kept pictures of a selection; what was placed before is gone on with."""
    listed = read_json(selection, "the selection", "Make it with `subitize capture select`.")
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise BadInput(f"{selection} is no selection: give what `subitize capture select` wrote.")
    chosen = [one for one in listed if one.get("kept") and one.get("image_file")]
    for one in chosen:
        name = str(one["image_file"])
        if Path(name).name != name or not (pictures / name).is_file():
            raise BadInput(f"{selection} names {name!r}, which is not in {pictures}.")
    if not chosen:
        raise BadInput(f"{selection} keeps no picture: choose with a lower --threshold.")
    made = Placing(pictures, out, chosen)
    if out.exists():
        for one in read_json(out, "what was placed"):
            made.done[one["image_file"]] = one
        beside = out.with_suffix(".dropped.json")
        for name in read_json(beside, "what was dropped") if beside.exists() else ():
            made.done[name] = {"dropped": True}
    return made


def placing_app(placing: Placing) -> tuple[Any, Site]:
    """The app, and what opens it."""
    site = Site("Place occluders")
    return make_app(site, placing.routes()), site
