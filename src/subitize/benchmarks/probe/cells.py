"""The four trainings of our own network on even numbers: foils and head."""

from __future__ import annotations

from collections.abc import Mapping

FAMILY = "numbernet"
CELLS: Mapping[str, tuple[str, str]] = {
    f"even-{foils}-{head}": (f"{foils} foils", f"number {head}")
    for head in ("words", "line")
    for foils in ("any", "even")
}
"""model → foils in training, head"""
