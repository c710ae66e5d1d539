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
    highest: int = 10
    size: int = 512


class Parity(Benchmark):
    NAME = "parity"
    VERSION = "1"
    TITLE = "Even or odd"
    PAPER = Paper("An example of subitize; nobody has published it.", "")
    KINDS = ("namer",)
    SETTINGS = ParitySettings
    READERS: ClassVar = {"choice": read_choice}
    MEASURES = ("accuracy", "accuracy_by_size")
    DEVIATIONS = ()
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

    def score(self, rows, settings, decisions):
        states = [row.reading.state for row in rows]
        # What was read, as pairs: how many dots, and whether the answer is right.
        read = [
            (row.trial.condition["n"], row.reading.choice == row.trial.target)
            for row in rows
            if row.reading.state == "read"
        ]
        return {
            "asked": len(rows),
            "trials": len(read),
            "states": {state: states.count(state) for state in dict.fromkeys(states)},
            "accuracy": share([right for _, right in read]),
            "accuracy_by_size": {
                "1 to 4": share([right for n, right in read if n <= 4]),
                "above 4": share([right for n, right in read if n > 4]),
            },
            "undefined": {} if read else {"accuracy": "nothing was read"},
        }


def share(right):
    """The share of right answers with its interval; None where nothing was read."""
    return proportion_interval(sum(right), len(right))._asdict() if right else None
