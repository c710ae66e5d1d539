"""Parts of one piece of work, for people with a batch scheduler: `--shard 2/10`, then merged."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from subitize.errors import BadInput, WrongRun
from subitize.records import fingerprint

Shard = tuple[int, int]
"""which part, from 1, of how many"""
WHOLE: Shard = (1, 1)


def parse_shard(given: str) -> Shard:
    """I/N as users write it.

    >>> parse_shard("2/10")
    (2, 10)
    """
    found = re.fullmatch(r"(\d+)/(\d+)", given, re.ASCII)
    part, parts = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= part <= parts:
        raise BadInput(f"--shard is {given!r}: give the part and how many, such as 2/10.")
    return part, parts


def slug(title: str, identity: Mapping[str, Any], shard: Shard = WHOLE) -> str:
    """The name of a folder: readable, with a short hash of what is in it, and which part it is.

    >>> slug("naming · sim/perfect", {"seed": 0}, (2, 10)), slug("naming", {})
    ('naming-sim-perfect-bd048884-2of10', 'naming-44136fa3')
    """
    readable = re.sub(r"[^a-z0-9.]+", "-", title.lower()).strip("-")[:60]
    name = f"{readable}-{fingerprint(identity, 8)}"
    return name if shard == WHOLE else f"{name}-{shard[0]}of{shard[1]}"


def check_shards(
    folders: Sequence[Path], identities: Sequence[Mapping[str, Any]], what: str
) -> list[Shard]:
    """The shards of these folders; those that can't be put together are named.

    `identities` say what each folder holds (a part `shard` among it), `what` what it is called.
    """
    for folder, identity in zip(folders, identities, strict=True):
        if not _is_shard(identity.get("shard")):
            raise WrongRun(
                f"{folder} is a whole {what}, no shard of one: give the folders that --shard made."
            )
    shards = [(one["shard"][0], one["shard"][1]) for one in identities]
    for folder, identity in zip(folders[1:], identities[1:], strict=True):
        for part in dict.fromkeys([*identities[0], *identity]):
            if part != "shard" and identity.get(part) != identities[0].get(part):
                raise WrongRun(
                    f"{folder} and {folders[0]} are no shards of one {what}: their {part} "
                    "differ. Give the folders of one command that differ in --shard only."
                )
    found = ", ".join(f"{part}/{parts}" for part, parts in shards)
    parts = shards[0][1]
    if any(other != parts for _, other in shards):
        raise BadInput(f"Shards of different divisions overlap: found {found}. Give those of one.")
    if len(set(shards)) < len(shards):
        raise BadInput(f"Shards given twice: found {found}. Give each once.")
    missing = [f"{part}/{parts}" for part in range(1, parts + 1) if (part, parts) not in shards]
    if missing:
        raise BadInput(f"Shards {', '.join(missing)} are missing: found {found}. Give each once.")
    return shards


def _is_shard(found: object) -> bool:
    return (
        isinstance(found, list)
        and len(found) == 2
        and all(isinstance(one, int) for one in found)
        and 1 <= found[0] <= found[1] > 1
    )
