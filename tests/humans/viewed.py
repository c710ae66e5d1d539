"""Runs to look at: two simulated models and one whose replies want to run as code."""

from __future__ import annotations

from pathlib import Path

from subitize.api import run
from tests.reports.made_up_runs import NASTY

SETTINGS = {"per_cell": 2, "max": 6, "size": 96, "prompt": "things", "control": False}
TRIALS = 2 * 6 * 5


class Hostile:
    """A model that answers with code, each reply another one."""

    def __init__(self) -> None:
        self.given = 0

    def __call__(self, picture: bytes, question: str) -> str:
        self.given += 1
        reply = NASTY[self.given % len(NASTY)].replace("\ud800", "")
        about = "about " if self.given % 5 == 0 else ""
        return f"{reply} {about}{self.given % 7}"


hostile = Hostile()


def say_code(picture: bytes, question: str) -> str:
    return hostile(picture, question)


def make_runs(out: Path) -> list[Path]:
    """Three run folders about the same pictures."""
    models = ("sim/observer?w=0.3", "sim/chatty", say_code)
    return [run("naming", model, out=out, **SETTINGS).folder for model in models]


def make_painting(out: Path) -> Path:
    """A run whose answers are pictures, read by a counter."""
    return run(
        "production", "painter/shapes?seed=1", out=out, per_cell=1, max=2, categories=("dots",)
    ).folder
