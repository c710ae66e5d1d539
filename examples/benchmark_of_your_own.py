"""A whole benchmark in one file: is the number of dots in a picture even or odd?

A package of your own names the class in its pyproject.toml, and all commands know it:

    [project.entry-points."subitize.benchmarks"]
    parity = "benchmark_of_your_own:Parity"
"""

from dataclasses import dataclass
from typing import ClassVar

from subitize.benchmark import Benchmark, Paper, Settings, Stage
from subitize.measures.accuracy import proportion_interval
from subitize.readers.choices import read_choice
from subitize.records import Stimulus, make_trial
from subitize.stimuli.naming import recipe

QUESTION = "Is the number of dots in the picture even or odd?"


@dataclass(frozen=True)
class ParitySettings(Settings):
    per_number: int = 20
    """pictures of each number"""
    highest: int = 10
    """highest number of dots"""
    size: int = 512
    """side of the pictures in pixels"""


class Parity(Benchmark[ParitySettings]):
    NAME = "parity"
    VERSION = "1"
    TITLE = "Even or odd"
    PAPER = Paper("An example of subitize; nobody has published it.", "")
    KINDS = ("namer",)
    SETTINGS = ParitySettings
    CONDITION: ClassVar = {"n": 0, "index": 0}
    READERS: ClassVar = {"choice": read_choice}
    MEASURES = ("accuracy", "accuracy_by_size")
    SCORES: ClassVar = {"accuracy_by_size": "accuracy of small and large numbers"}
    DEMO: ClassVar = {"models": ("sim/perfect",), "settings": {}, "fast": {"per_number": 2}}

    def stages(self, settings, kind):
        yield Stage("ask")

    def trials(self, stage, settings, decisions):
        for index in range(settings.per_number):
            for n in range(1, settings.highest + 1):
                drawn = recipe("dots", n, index, size=settings.size, seed=settings.seed)
                yield make_trial(
                    (self.NAME, self.VERSION, stage),
                    Stimulus("drawn", drawn),
                    QUESTION,
                    options=("even", "odd"),
                    target="odd" if n % 2 else "even",
                    condition={"n": n, "index": index},
                )

    def score(self, answers, settings, decisions):
        counted = answers.filter(answers["counts"])
        read = counted.filter(counted["state"] == "read")
        return {
            "asked": counted.height,
            "trials": read.height,
            "states": dict(counted["state"].value_counts().iter_rows()),
            "accuracy": share(read),
            "accuracy_by_size": {
                "1 to 4": share(read.filter(read["n"] <= 4)),
                "above 4": share(read.filter(read["n"] > 4)),
            },
            "undefined": {} if read.height else {"accuracy": "nothing was read"},
        }


def share(read):
    """The share of right answers with its interval; None where nothing was read."""
    right = (read["choice"] == read["target_choice"]).sum()
    return proportion_interval(right, read.height) if read.height else None
