"""Tables on the responder behind the answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import subitize


def four(picture: bytes, question: str) -> str:
    return "4"


@pytest.mark.parametrize(("model", "stands_out"), [("sim/perfect", False), (four, True)])
def test_an_anchor_is_named_where_one_stands_out(
    tmp_path: Path, model: Any, stands_out: bool
) -> None:
    """All answers of a perfect responder are as common as they are right: 1 is not its anchor."""
    small: dict[str, Any] = {"per_cell": 2, "max": 4, "size": 64, "categories": ("dots",)}
    done = subitize.run("naming", model, out=tmp_path / "runs", **small)
    page = subitize.report([done.folder], tmp_path / "report.html").read_text()
    assert ("none stands out" in page) is not stands_out
