"""The result of a counting, from its stored counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from subitize.captions.store import Store
from subitize.captions.taggers import DEFAULT
from subitize.errors import BadInput
from subitize.measures.accuracy import proportion_interval
from subitize.measures.power_law import excess, fit_power_law

DECADES = range(10, 101, 10)
PLACES = 10
"""of a file with odd captions, told at most"""
_SAID = {"not_text": "no text", "broken": "not UTF-8"}

KEYS: dict[str, str] = {
    "name": "what the corpus is called",
    "rows": "captions read; the sum of with_number, without_number, null and not_text",
    "with_number": "captions that count something",
    "without_number": "captions that count nothing",
    "null": "rows without a caption, or with an empty one",
    "not_text": "rows whose caption is a number, a list or something else",
    "broken": "of all rows, those with bytes that are no UTF-8 (read with � in their place)",
    "share": "with_number / (with_number + without_number), with its exact interval",
    "frequencies": "number: how many captions count that many",
    "rejected": "reason: how many numbers were no counts for it",
    "samples": "number: some captions, with the place of the (first) number",
    "rejected_samples": "reason: some captions, with the place of the number",
    "scanned": "captions that hold any number",
    "cache": "windows asked of the tagger and the share that was known already",
    "agreement": "share of windows that TextBlob takes for the same; null where it is the tagger",
    "fit": "the power law: exponent with interval, goodness, alternatives; null with a reason",
    "decades": "10, 20, 30 …: counted, expected by the fit, excess with interval",
    "files": "per file: path, column, counts, where captions are no text or no UTF-8, damage",
    "tagger": "which tagger, and its release",
    "rule": "version of the rule",
    "undefined": "what can't be computed on this corpus, and why",
    "beside": "with --captions-of: models' accuracy by number beside the frequencies",
    "images": "with --check-images: the sample, what the counter found, what people say",
}
"""of result.json, and so of `subitize captions --json`"""


def make_result(store: Store) -> dict[str, Any]:
    """All keys of `KEYS`; the same counts give the same result."""
    tally, identity = store.tally, store.info["identity"]
    columns = identity["columns"]
    files = [
        {
            "path": source["path"],
            "column": columns[place]["column"] if columns[place] else None,
            **{name: store.files.get(place, Counter())[name] for name in _COUNTS},
            "odd": _odd(store.odd.get(place, {})),
            "damage": store.damage.get(place, []),
        }
        for place, source in enumerate(identity["files"])
    ]
    frequencies = dict(sorted(tally.frequencies.items()))
    fit, decades, undefined = _fitted(frequencies)
    captions = tally.with_number + tally.without_number
    share = proportion_interval(tally.with_number, captions).as_json() if captions else None
    if share is None:
        undefined["share"] = "there is no caption"
    known = 1 - tally.tagged / tally.asked if tally.asked else None
    return {
        "name": store.info["name"],
        **{name: getattr(tally, name) for name in _COUNTS},
        "share": share,
        "frequencies": {str(number): many for number, many in frequencies.items()},
        "rejected": dict(tally.rejected.most_common()),
        "samples": dict(sorted(tally.samples.texts().items(), key=_number_first)),
        "rejected_samples": dict(sorted(tally.rejected_samples.texts().items())),
        "scanned": tally.scanned,
        "cache": {"asked": tally.asked, "tagged": tally.tagged, "hits": known},
        "agreement": _agreement(tally.agreed, tally.tagged, identity["tagger"][0]),
        "fit": fit,
        "decades": decades,
        "files": files,
        "tagger": identity["tagger"],
        "rule": identity["rule"],
        "undefined": undefined,
    }


def _odd(units: Mapping[int, Mapping[str, Any]]) -> list[str]:
    """Where captions are no text or no UTF-8, and how many; the first few places of a file."""
    found: dict[str, Counter[str]] = {}
    for _, unit in sorted(units.items()):
        counts = {name: unit[name] for name in _SAID}
        found.setdefault(unit["where"], Counter()).update(counts)
    told = [
        f"{where}: "
        + ", ".join(f"{many[name]} {said}" for name, said in _SAID.items() if many[name])
        for where, many in found.items()
    ]
    return told[:PLACES] + (
        [f"{len(told) - PLACES} more such places"] if len(told) > PLACES else []
    )


def _agreement(agreed: int, tagged: int, tagger: str) -> dict[str, Any] | None:
    if tagger == DEFAULT or not tagged:
        return None
    return proportion_interval(agreed, tagged).as_json()


def _fitted(
    frequencies: Mapping[int, int],
) -> tuple[dict[str, Any] | None, dict[str, Any] | None, dict[str, str]]:
    """The power law, what the decades have beyond it, and why there is none."""
    try:
        # the same numbers give the same goodness
        fit = fit_power_law(frequencies, np.random.default_rng(0))
    except BadInput as problem:
        return None, None, {"fit": str(problem), "decades": "there is no fit"}
    exponent = fit.exponent.value
    assert exponent is not None
    decades = {}
    for number in DECADES:
        counted = frequencies.get(number, 0)
        expected, times = excess(counted, fit.total, number, exponent)
        decades[str(number)] = {
            "counted": counted, "expected": expected, "excess": times.as_json()
        }  # fmt: skip
    return fit.as_json(), decades, {}


_COUNTS = ("rows", "with_number", "without_number", "null", "not_text", "broken")


def _number_first(entry: tuple[str, Any]) -> tuple[int, str]:
    return (int(entry[0].partition("-")[0].rstrip("+")), entry[0])
