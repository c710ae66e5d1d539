"""What a CAPTURE run is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from subitize.benchmark import Settings, later
from subitize.benchmarks.capture.prompts import PROMPTS
from subitize.datasets.capture_real import SUBSETS as FSC_PARTS
from subitize.errors import BadInput, UnknownName
from subitize.stimuli.capture import LAYOUTS, RELEASED_SIZE, VARIANTS
from subitize.stimuli.capture.occluders import VERSIONS

SETS = ("synthetic", "real")
TASKS = ("total", "hidden", "pattern")
HELPS = ("all-coordinates", "visible-coordinates", "inpainted", "visible-count", "chain-of-thought")
CONFIDENCES = ("none", "asked", "samples")
SUBSETS = ("", *FSC_PARTS)
MOST_SAMPLES = 1000
MISSING = ("stop", "skip")


@dataclass(frozen=True)
class CaptureSettings(Settings):
    """What a CAPTURE run is; a field each."""

    set: str = "synthetic"
    """synthetic or real"""
    tasks: tuple[str, ...] = ("all",)
    """total, hidden, pattern; `all` is every task that the set allows"""
    variants: tuple[str, ...] = VARIANTS
    """with the box (occluded), without it (unoccluded), or both"""
    layout: str = "fair"
    """of the synthetic set: fair or published"""
    size: int = 512
    """side of a synthetic picture in pixels; 200 for the layout published, unless given"""
    items: int = 0
    """so many test configurations, evenly over the patterns; 0 is all"""
    validation: int = 100
    """so many validation configurations for the choice of prompts"""
    prompt: str = "best"
    """best (chosen on the validation part), or the name of a prompt"""
    question: str = ""
    """your own words instead of a prompt, with [object] for the thing"""
    help: tuple[str, ...] = ()
    """all-coordinates, visible-coordinates, inpainted, visible-count, chain-of-thought: each is a
    condition of its own beside the plain one"""
    inpainter: str = "pattern"
    """pattern (built in), a model that fills a part of a picture, or a folder of inpainted ones"""
    counter: str = "counter/blobs"
    """whose visible count helps"""
    counts: str = ""
    """a JSON file {picture: visible count} instead of a counter"""
    backoff: bool = False
    """ask a skipped question again at lower temperatures"""
    confidence: str = "none"
    """none, asked (in the prompt), samples (share of the most common answer)"""
    samples: int = 20
    """how many answers `confidence=samples` asks for"""
    subset: str = ""
    """fsc-test: only pictures of FSC-147's test part; also fsc-train, fsc-val"""
    pictures: str = ""
    """folder of FSC-147's pictures"""
    metadata: str = ""
    """the released real_metadata.json, for the real set"""
    validation_metadata: str = ""
    """the released metadata of the validation part, for the choice of prompts"""
    points: str = ""
    """FSC-147's annotation file, with the objects' positions"""
    splits: str = ""
    """FSC-147's file of train, validation and test parts, for the subset"""
    missing: str = later("stop")
    """pictures of the real set that are not there: stop, or skip them"""
    layout_version: int = VERSIONS[-1]
    """of the layout fair: 2 leaves at least half of the objects and four visible, 1 is older"""
    results: str = later("")
    """hash of a result file of the authors that was imported; such a run asks nobody"""

    def identity(self) -> dict[str, Any]:
        """The layout's version matters where it is used; the first was there before it had one."""
        found = super().identity()
        if (self.set, self.layout) != ("synthetic", "fair") or self.layout_version == 1:
            del found["layout_version"]
        return found


def fixed_prompt(name: str, variant: str) -> str | None:
    """The prompt of this name that fits a variant: itself or its counterpart.

    >>> fixed_prompt("pattern-first", "occluded"), fixed_prompt("as-if-no-box", "occluded")
    ('pattern-first-behind', 'as-if-no-box')
    """
    for candidate in (name, f"{name}-behind", name.removesuffix("-behind")):
        if candidate in PROMPTS and variant in PROMPTS[candidate].variants:
            return candidate
    return None


def as_published(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """`layout=published` alone is the published set: also of its size."""
    whole = given.get("layout") == "published" and "size" not in given
    return {**given, "size": RELEASED_SIZE} if whole else given


def check(settings: CaptureSettings) -> None:
    """Raise for settings that can't be run."""
    if settings.layout_version not in VERSIONS:
        raise BadInput(
            f"layout_version is {settings.layout_version}: the layout fair has "
            f"{' and '.join(map(str, VERSIONS))}."
        )
    for what, value, known in (
        ("set", settings.set, SETS),
        ("layout", settings.layout, LAYOUTS),
        ("kind of confidence", settings.confidence, CONFIDENCES),
        ("subset", settings.subset, SUBSETS),
        ("way with missing pictures", settings.missing, MISSING),
    ):
        _check_list(what, (value,), known)
    _check_list("task", settings.tasks, (*TASKS, "all"))
    _check_list("variant", settings.variants, VARIANTS)
    if settings.help:
        _check_list("help", settings.help, HELPS)
    if settings.items < 0 or settings.validation < 1:
        raise BadInput(
            f"items is {settings.items} and validation is {settings.validation}: give 0 or more "
            "items (0 is all) and at least 1 validation picture."
        )
    _check_asking(settings)
    _check_helping(settings)
    if settings.set == "real" and "pattern" in settings.tasks:
        raise BadInput(
            "The real set does not say which pattern its objects form: leave out the task pattern."
        )
    if "hidden" in settings.tasks and "occluded" not in settings.variants:
        raise BadInput("The task hidden is about occluded pictures: add the variant occluded.")
    if settings.set == "synthetic" and settings.subset:
        raise BadInput(f"subset={settings.subset} is a part of the real set: add --set set=real.")


def _check_list(what: str, given: tuple[str, ...], known: tuple[str, ...]) -> None:
    for name in given:
        if name not in known:
            raise UnknownName(what, name, known)
    if not given or len(set(given)) < len(given):
        raise BadInput(f"The list of {what}s is {', '.join(given) or 'empty'}: give each once.")
    if "all" in given and len(given) > 1:
        raise BadInput(f"The {what}s are {', '.join(given)}: give 'all' alone or single ones.")


def _check_asking(settings: CaptureSettings) -> None:
    if settings.question and "[object]" not in settings.question:
        raise BadInput(
            f"The question {settings.question!r} does not name what is to be counted: write "
            "[object] in its place."
        )
    if settings.prompt != "best":
        for variant in settings.variants:
            if fixed_prompt(settings.prompt, variant) is None:
                raise UnknownName("prompt", settings.prompt, ["best", *PROMPTS])
    if not 2 <= settings.samples <= MOST_SAMPLES:
        raise BadInput(f"samples is {settings.samples}: give 2 to {MOST_SAMPLES}.")
    if settings.backoff and settings.confidence == "samples":
        raise BadInput(
            "backoff lowers the temperature and confidence=samples needs temperature 1: choose "
            "one of them."
        )


def _check_helping(settings: CaptureSettings) -> None:
    if not settings.help:
        return
    if "occluded" not in settings.variants or not {"total", "all"} & set(settings.tasks):
        raise BadInput(
            "Help is given with the total of occluded pictures: add the variant occluded and the "
            "task total, or leave out the help."
        )
    if "inpainted" in settings.help and (settings.inpainter, settings.set) == ("pattern", "real"):
        raise BadInput(
            "The built-in inpainter continues drawn patterns only: for the real set name a model "
            "or a folder of inpainted pictures, --set inpainter=MODEL-OR-DIR."
        )
