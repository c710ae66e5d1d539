"""Put the shards of a counting together, as if they had been one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson

from subitize.captions.result import make_result
from subitize.captions.store import (
    ROWS,
    UNITS,
    Store,
    folder_name,
    read_info,
    read_result,
    rows_name,
)
from subitize.runs.journal import read_lines
from subitize.runs.shards import WHOLE, check_shards


def merge_shards(folders: Sequence[Path], out: Path) -> tuple[Path, dict[str, Any]]:
    """One result from all shards of a counting; a missing or strange one is named."""
    infos = [read_info(folder) for folder in folders]
    check_shards(folders, [info["identity"] for info in infos], "counting")
    results = [read_result(folder) for folder in folders]  # each has come to its end
    identity = {**infos[0]["identity"], "shard": list(WHOLE)}
    name = infos[0]["name"]
    folder = out / folder_name(name, identity)
    with Store.opened(folder, identity, name) as store:
        for shard in folders:
            _take(store, shard)
        for result in results:
            for place, file in enumerate(result["files"]):
                told = store.damage.setdefault(place, [])
                told += [said for said in file["damage"] if said not in told]
        merged = make_result(store)
        store.finish(merged)
    return folder, merged


def _take(store: Store, shard: Path) -> None:
    for _, line in read_lines(shard / UNITS):
        counts = orjson.loads(line)
        key = (counts.pop("file"), counts.pop("unit"))
        if key in store.done:
            continue
        rows = shard / ROWS / rows_name(key)
        store.write(key, orjson.dumps(counts), rows.read_bytes() if rows.is_file() else b"")
