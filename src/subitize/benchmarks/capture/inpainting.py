"""Have a painter fill the boxes of occluded pictures: asked like a benchmark, so it can resume."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from subitize.benchmark import Benchmark, Decisions, Paper, Reader, Settings, Stage
from subitize.benchmarks.capture.prompts import worded
from subitize.benchmarks.capture.scenes import check_data, holed, scenes
from subitize.benchmarks.capture.settings import CaptureSettings, check
from subitize.models.base import Kind
from subitize.readers.text import ended_early
from subitize.records import Reading, Response, Trial, make_trial

__all__ = ["Inpainting"]

PROMPT = "A regular pattern of [object], continued evenly through the whole picture."
"""the paper does not print what it told its inpainter"""


def read_picture(_trial: Trial, response: Response) -> Reading:
    """Whether there is a picture."""
    return ended_early(response) or Reading("read", choice=str(response.value))


class Inpainting(Benchmark):
    """One picture per test configuration of a CAPTURE run with the same settings."""

    NAME: ClassVar[str] = "capture-inpaint"
    VERSION: ClassVar[str] = "1"
    TITLE: ClassVar[str] = "Inpainted pictures"
    PAPER: ClassVar[Paper] = Paper(
        "Pothiraj et al. (2025), section 4.3", "10.48550/arXiv.2504.15485"
    )
    KINDS: ClassVar[tuple[Kind, ...]] = ("painter",)
    SETTINGS: ClassVar[type[Settings]] = CaptureSettings
    READERS: ClassVar[Mapping[str, Reader]] = {"picture": read_picture}
    MEASURES: ClassVar[tuple[str, ...]] = ()
    DEVIATIONS: ClassVar[tuple[str, ...]] = ()
    DEMO: ClassVar[Mapping[str, Any]] = {}

    def check(self, settings: Settings) -> None:
        assert isinstance(settings, CaptureSettings)
        check(settings)

    def stages(self, settings: Settings, kind: Kind) -> Iterator[Stage]:
        assert isinstance(settings, CaptureSettings)
        check_data(settings, ("total",), chooses=False)
        yield Stage("inpaint")

    def trials(self, stage: str, settings: Settings, decisions: Decisions) -> Iterator[Trial]:
        assert isinstance(settings, CaptureSettings)
        for scene in scenes(settings, "test"):
            yield make_trial(
                (self.NAME, self.VERSION, stage),
                holed(scene),
                worded(PROMPT, scene.thing),
                condition={"configuration": scene.name, "thing": scene.thing},
            )

    def size(self, stage: str, settings: Settings, decisions: Decisions) -> int | None:
        assert isinstance(settings, CaptureSettings)
        return len(scenes(settings, "test"))
