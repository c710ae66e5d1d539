"""The demo's study: small, and its page beside that of the painted pictures it is about."""

from __future__ import annotations

from pathlib import Path

from subitize.api import load, report
from subitize.humans.demo import demo_study


def test_painted_pictures_and_people_s_answers_share_one_report(
    painted: Path, tmp_path: Path
) -> None:
    people = demo_study(painted, tmp_path / "studies", tmp_path / "runs")
    assert demo_study(painted, tmp_path / "studies", tmp_path / "runs") == people  # once
    out = report([load(painted), load(people)], tmp_path / "report.html")
    page = out.read_text("utf-8")
    assert "People's answers about generated pictures" in page.replace("&#39;", "'")
    assert 'id="geckonum-people-' in page
