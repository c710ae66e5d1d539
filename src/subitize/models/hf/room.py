"""Whether a checkpoint fits: the memory of its weights beside the memory of the device."""

from __future__ import annotations

import os
from typing import Any

from subitize.models.hf.facts import Facts

WIDTHS = {"float32": 4, "float64": 8, "float16": 2, "bfloat16": 2, "int8": 1, "float8_e4m3fn": 1}
SPARE = 1.2
"""what computing takes beside the weights, as a factor: a rule of thumb"""


def told(facts: Facts, revision: str | None, dtype: str, device: str) -> dict[str, Any]:
    """What every checkpoint says of itself: where it is, how large, and whether it fits."""
    return {
        "where": facts.where, "revision": revision, "parameters": facts.parameters,
        "bytes": facts.size, **room(facts, dtype, device),
    }  # fmt: skip


def room(facts: Facts, dtype: str, device: str) -> dict[str, Any]:
    """Bytes needed and free, and where; null where they can't be known.

    >>> found = room(Facts({}, "folder", weights=10**12), "bfloat16", "cpu")
    >>> found["device"], found["needs"], found["fits"]
    ('cpu', 2400000000000, False)
    >>> room(Facts({"dtype": "float16"}, "hub", size=4000), "float32", "cpu")["needs"]
    9600
    """
    config = facts.config
    inner = config.get("text_config")
    said = config.get("dtype") or config.get("torch_dtype") or (
        inner.get("dtype") or inner.get("torch_dtype") if isinstance(inner, dict) else None
    )  # fmt: skip
    kept = WIDTHS.get(str(said or "float32"), 4)
    width = kept if dtype == "auto" else WIDTHS[dtype]
    # where numbers can't be counted, the bytes of the files tell how many there are
    weights = facts.weights if facts.weights is not None else (facts.size or 0) / kept
    needs = int(weights * width * SPARE) or None
    where, free = _free(device)
    fits = None if needs is None or free is None else needs <= free
    return {"device": where, "needs": needs, "free": free, "fits": fits}


def _free(device: str) -> tuple[str, int | None]:
    """The device that would be used, and its free bytes."""
    import torch

    if device.startswith("cuda") or (device == "auto" and torch.cuda.is_available()):
        where = "cuda" if device == "auto" else device
        try:
            return where, int(torch.cuda.mem_get_info(where)[0])
        except (RuntimeError, AssertionError, ValueError):
            return where, None
    where = device
    if device == "auto":
        where = "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        return where, os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return where, None
