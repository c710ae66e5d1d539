"""A matcher out of a file: scores that somebody computed elsewhere, with any model.

CSV, Parquet, JSON or JSON lines with the columns `sha256` (of the picture's file), `sentence` and
`score`. `subitize probe sentences` writes such a file with everything but the scores, and
the pictures beside it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar

from subitize.errors import BadInput, ModelError
from subitize.files import read_entries
from subitize.models.base import Answers, Item, Kind, Model, ModelOptions, Reply, picture_of, singly
from subitize.models.names import ModelName, typed_settings
from subitize.records import fingerprint

NEEDED = ("sha256", "sentence", "score")
REPAIR = "Make one with `subitize probe sentences` and add the scores."
DEFAULTS: Mapping[str, Any] = {"file": "", "calibrated": True, "unit": ""}
NAMED = 3

Scores = dict[tuple[str, str], float]
"""by the picture's hash and the sentence"""


def fault(given: Any, calibrated: bool) -> str:
    """What is wrong with a score, or nothing.

    >>> fault("high", True), fault(1.5, True), fault(1.5, False)
    ("'high' is no finite number", 'the match probability 1.5 lies outside 0..1', '')
    """
    try:
        value = float(given)
    except (TypeError, ValueError, OverflowError):
        value = float("nan")
    if isinstance(given, bool) or not isfinite(value):
        return f"{given!r} is no finite number"
    if calibrated and not 0 <= value <= 1:
        return f"the match probability {value:g} lies outside 0..1"
    return ""


class ScoreFile(Model):
    """Looks scores up; what the file lacks fails, each item by itself.

    Settings: `file`; `calibrated` (false: the scores are no match probabilities); `unit` (cosine:
    GeckoNum's metric makes CLIPScore of them).
    """

    kinds: ClassVar[tuple[Kind, ...]] = ("matcher",)
    batch_size = 64

    def __init__(self, name: ModelName, settings: Mapping[str, Any], scores: Scores) -> None:
        super().__init__(name.full, {k: v for k, v in settings.items() if k != "file"})
        self._scores = scores
        self.revision = fingerprint(sorted([*key, score] for key, score in scores.items()), 12)

    def match(self, items: Sequence[Item]) -> Answers:
        return singly(self._match, items)

    def _match(self, item: Item) -> Reply:
        picture = hashlib.sha256(picture_of(item)).hexdigest()
        missing = [one for one in item.options if (picture, one) not in self._scores]
        if missing:
            raise ModelError(
                f"the file has no score for {len(missing)} of {len(item.options)} sentences about "
                f"the picture with sha256 {picture[:12]}…, the first is {missing[0]!r}"
            )
        found = [self._scores[picture, one] for one in item.options]
        calibrated = self.settings["calibrated"]
        unit = self.settings["unit"] or ("probability" if calibrated else "score")
        return Reply("scores", {"scores": found, "calibrated": calibrated, "unit": unit})


def open_scores(name: ModelName, _options: ModelOptions) -> ScoreFile:
    settings = typed_settings(name, DEFAULTS)
    if not settings["file"]:
        raise BadInput(f"matcher/scores needs a file: matcher/scores?file=FILE.csv. {REPAIR}")
    path, scores, wrong = Path(str(settings["file"])), Scores(), []
    for where, entry in read_entries(path, "the scores", NEEDED, blank=("score",), repair=REPAIR):
        if found := fault(entry["score"], settings["calibrated"]):
            wrong.append(f"{where}: {found}")
            continue
        key = str(entry["sha256"]).lower(), str(entry["sentence"])
        score = float(entry["score"])
        if scores.setdefault(key, score) != score:
            wrong.append(f"{where}: another score of this picture and sentence stands above")
    if wrong:
        shown = "; ".join(wrong[:NAMED]) + ("; …" if len(wrong) > NAMED else "")
        raise BadInput(
            f"{len(wrong)} lines of {path} can't be used: {shown}. Mend them; scores that are no "
            "probabilities are declared with &calibrated=false."
        )
    if not scores:
        raise BadInput(f"{path} holds no score. {REPAIR}")
    return ScoreFile(name, settings, scores)
