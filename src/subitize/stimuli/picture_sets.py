"""Writing a whole set of drawn pictures with its manifest, whatever the drawer.

Work is spread over processes, and the pictures do not depend on how many. A set written again is
the same and mends what is missing; a folder that holds anything else is refused.
"""

from __future__ import annotations

import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any, ClassVar

import orjson

from subitize.errors import BadInput, StorageFull
from subitize.files import write_whole
from subitize.records import Stimulus
from subitize.stimuli import Picture, render

MANIFEST = "manifest.jsonl"

Recipe = Mapping[str, Any]
Wanted = Sequence[tuple[str, Recipe]]
"""path inside the folder (with / between folders) and recipe of every picture"""


class PictureSet(ABC):
    """Which pictures, and how the manifest tells of them."""

    together: ClassVar[int] = 16
    """fewer pictures than this are not worth a process"""

    @abstractmethod
    def recipes(self) -> Wanted:
        """Every picture of the set; what can't be drawn is told here, if it can be."""

    @abstractmethod
    def hardest(self, wanted: Wanted) -> Iterable[Recipe]:
        """Pictures that are drawn first: if they can be, all can, and nothing is half written."""

    def line(self, name: str, made: Recipe, picture: Picture) -> Mapping[str, Any]:
        """A picture's line of the manifest."""
        sha256 = hashlib.sha256(picture.png).hexdigest()
        known = {"file": name, "sha256": sha256, "pixels": picture.sha256, "recipe": made}
        return {**known, **picture.facts}

    def describes(self, line: Mapping[str, Any], made: Recipe) -> bool:
        """Whether a line of a manifest found in the folder belongs to the recipe of its file."""
        return bool(line["recipe"] == made)

    def write(self, out: Path, processes: int | None = None) -> int:
        """Write every picture and the manifest into `out`; gives the number of pictures."""
        if processes is not None and processes < 1:
            raise BadInput(f"The number of processes is {processes}: give 1 or more.")
        wanted = self.recipes()
        for made in self.hardest(wanted):
            render(Stimulus("drawn", made))
        self._check_folder(out, dict(wanted))
        try:
            for folder in {(out / name).parent for name, _ in wanted}:
                folder.mkdir(parents=True, exist_ok=True)
            write_whole(out / MANIFEST, b"".join(self._lines(out, wanted, processes)))
        except OSError as error:
            raise StorageFull(
                f"The pictures can't be written to {out} ({error.strerror}): free some space or "
                "choose another folder, then run again."
            ) from None
        return len(wanted)

    def _lines(self, out: Path, wanted: Wanted, processes: int | None) -> Iterator[bytes]:
        """Write every picture; the manifest's lines come in the order of the recipes."""
        write = partial(self._write, out)
        count = min(processes or os.cpu_count() or 1, -(-len(wanted) // self.together))
        if count == 1:
            yield from map(write, wanted)
            return
        done = 0
        try:
            with ProcessPoolExecutor(count, get_context("spawn")) as pool:
                # neighbours have tiles in common: who draws one of them draws them all
                for line in pool.map(write, wanted, chunksize=-(-len(wanted) // count)):
                    yield line
                    done += 1
        except BrokenProcessPool:  # killed, or a script that can't be imported again draws here
            yield from map(write, islice(wanted, done, None))

    def _write(self, out: Path, one: tuple[str, Recipe]) -> bytes:
        """Write one picture and give its line of the manifest."""
        name, made = one
        picture = render(Stimulus("drawn", made))
        path = out / name
        # what a kill or a power cut leaves half written is drawn again
        try:
            with path.open("xb") as file:
                file.write(picture.png)
        except FileExistsError:
            if path.read_bytes() != picture.png:
                write_whole(path, picture.png, sync=False)
        return orjson.dumps(self.line(name, made, picture), option=orjson.OPT_APPEND_NEWLINE)

    def _check_folder(self, out: Path, wanted: Mapping[str, Recipe]) -> None:
        """Refuse a folder with anything but (a part of) this very set."""
        if out.exists() and not out.is_dir():
            raise BadInput(f"{out} is a file: give a folder for the pictures.")
        names = {out / name for name in (MANIFEST, *wanted)}
        folders = {parent for name in names for parent in name.parents}
        known = names | folders
        # from the top down, and no further into a stranger's folder
        for folder in sorted({name.parent for name in names}):
            for path in sorted(folder.iterdir()) if folder.is_dir() else ():
                if path not in known and path.suffix != ".part":
                    raise BadInput(
                        f"The folder {out} holds {str(path.relative_to(out))!r}, which is not part "
                        "of this set: choose an empty folder."
                    )
        manifest = out / MANIFEST
        try:
            lines = manifest.read_bytes().splitlines() if manifest.exists() else ()
            found = [orjson.loads(line) for line in lines]
            same = len(found) in (0, len(wanted)) and all(
                self.describes(line, wanted[line["file"]]) for line in found
            )
        except (orjson.JSONDecodeError, KeyError, TypeError):
            same = False
        if not same:
            raise BadInput(
                f"The folder {out} holds another set of pictures (its {MANIFEST} differs): choose "
                "an empty folder, or the settings it was made with."
            )
