"""A folder of pictures painted elsewhere as a painter, for production and GeckoNum.

Either with a manifest (manifest.jsonl, .json or .csv): `file` and the `prompt` it was made of, or
`n` (or `target`) and `category`; `seed` orders the pictures of one prompt. Or GeckoNum's names,
`PROMPT_SEED.png`, as `geckonum_00012_3.png`, in the folder or in that of its only painter. A trial
whose picture is not there is `failed`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from subitize.errors import BadInput, ModelError
from subitize.files import listed_picture, read_bytes, read_entries
from subitize.models.base import Answers, Item, Kind, Model, Reply
from subitize.models.checkpoints import hashes_of
from subitize.models.names import ModelName
from subitize.pictures.media import ENDINGS, manifest_of
from subitize.records import Trial, fingerprint

NAME = re.compile(r"(?P<prompt>.+)_(?P<seed>\d{1,9})")
REPAIR = (
    "Give a folder with a manifest.jsonl (file; prompt, or n and category; seed), or with "
    "GeckoNum's PROMPT_SEED.png."
)
Key = tuple[str, ...]


class PictureReplay(Model):
    """Gives each trial the picture that was painted for it.

    It is told the trial, since the same prompt is asked for several pictures. Asked again, as for
    an empty picture, it gives the same one.
    """

    kinds: ClassVar[tuple[Kind, ...]] = ("painter",)
    sees_facts: ClassVar[bool] = True
    batch_size = 8

    def __init__(self, name: ModelName, folder: Path) -> None:
        super().__init__(name.full, dict(name.settings))
        listed = manifest_of(folder)
        entries = _named(_only_painter(folder)) if listed is None else _listed(listed)
        self.pictures: dict[Key, list[tuple[int, Path]]] = {}
        for key, seed, path in entries:
            self.pictures.setdefault(key, []).append((seed, path))
        if not any(path.is_file() for own in self.pictures.values() for _, path in own):
            raise BadInput(f"{folder} holds no picture that tells what it was made of. {REPAIR}")
        for own in self.pictures.values():
            own.sort()
        there = (path for own in self.pictures.values() for _, path in own if path.is_file())
        seen = hashes_of({str(path): path for path in there}, folder)
        shown = [
            [*key, [(seed, seen[str(path)]) for seed, path in own if str(path) in seen]]
            for key, own in sorted(self.pictures.items())
        ]
        self.revision = fingerprint(shown, 12)

    def paint(self, items: Sequence[Item]) -> Answers:
        return [self._find(item) for item in items]

    def _find(self, item: Item) -> Reply | ModelError:
        if item.facts is None:
            raise BadInput(f"{self.respondent} was asked without facts.")
        for key, nth, by_seed in _keys(item.facts):
            own = self.pictures.get(key, [])
            found = [path for seed, path in own if seed == nth] if by_seed else (
                [path for _, path in own[nth : nth + 1]]
            )  # fmt: skip
            if found and not found[0].is_file():
                return ModelError(
                    f"the folder has no file {found[0].name}, which its manifest lists"
                )
            if found:
                return Reply("picture", read_bytes(found[0], "the picture"))
        return ModelError(f"the folder has no picture for {item.question!r}, number {_nth(item)}")


def _nth(item: Item) -> int:
    condition: Mapping[str, Any] = item.facts.condition if item.facts else {}
    return int(condition.get("picture", condition.get("index", 0)))


def _keys(trial: Trial) -> Iterator[tuple[Key, int, bool]]:
    """What a trial's picture may be filed under, which of them it is, and whether by its seed."""
    about = trial.condition
    if "dataset_id" in about:
        yield (str(about["dataset_id"]),), int(about["picture"]), True
        yield ("prompt", trial.question), int(about["picture"]), False
    else:
        nth = int(about.get("index", 0))
        yield ("prompt", trial.question), nth, False
        yield ("cell", str(about.get("category", "")), str(about.get("n", ""))), nth, False


def _only_painter(folder: Path) -> Path:
    """The folder itself, or the one in it that holds a painter's pictures, as GeckoNum's does."""
    if next(_named(folder), None) is not None:
        return folder
    inside = [one for one in sorted(folder.iterdir()) if one.is_dir() and any(_named(one))]
    if len(inside) > 1:
        known = ", ".join(one.name for one in inside)
        raise BadInput(f"{folder} holds the pictures of {len(inside)} painters ({known}): give "
                       f"one of them, replay/{inside[0]}.")  # fmt: skip
    return inside[0] if inside else folder


def _named(folder: Path) -> Iterator[tuple[Key, int, Path]]:
    for path in sorted(folder.iterdir()):
        said = NAME.fullmatch(path.stem)
        if said is not None and path.suffix.lower() in ENDINGS:
            yield (said["prompt"],), int(said["seed"]), path


def _listed(manifest: Path) -> Iterator[tuple[Key, int, Path]]:
    for place, (where, row) in enumerate(
        read_entries(manifest, "the manifest", ("file",), repair=REPAIR)
    ):
        path = listed_picture(manifest, str(row["file"]), where)
        number = row.get("n", row.get("target"))
        try:
            seed = int(row.get("seed", place))
            key = (
                ("prompt", str(row["prompt"]))
                if row.get("prompt")
                else ("cell", str(row["category"]), str(int(number)))  # type: ignore[arg-type]
            )
        except (KeyError, TypeError, ValueError):
            raise BadInput(f"{where} does not say what its picture was made of. {REPAIR}") from None
        yield key, seed, path
