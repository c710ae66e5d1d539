"""The viewer's doors: a token, known ids, nothing else."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner

from subitize.api import run
from subitize.cli import main, root
from subitize.humans.viewing import make_site, viewer
from subitize.humans.viewing_bundle import sources, write_bundle
from subitize.humans.viewing_table import RunsTable
from subitize.humans.web import in_thread
from subitize.records import Stimulus
from tests.humans.served import Visitor, ended_at_last
from tests.humans.viewed import TRIALS, make_runs


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return make_runs(tmp_path_factory.mktemp("viewed"))


@pytest.fixture(scope="module")
def inside(folders: list[Path]) -> Iterator[Visitor]:
    """Somebody who came by the link."""
    site = make_site()
    with in_thread(viewer(RunsTable(folders), site)) as base:
        found = Visitor(base)
        found.get(f"/?token={site.token}")
        yield found


PLACES = (
    "/", "/data/summary.json", "/data/trials.json", "/data/figures.json", "/data/answers/0",
    "/pictures/shown/0", "/pictures/painted/0",
)  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_nothing_is_told_without_the_token(inside: Visitor, place: str) -> None:
    stranger = Visitor(inside.base)
    assert stranger.get(place).status == 403
    assert stranger.get(f"{place}?token=guessed").status == 403
    assert inside.get(place).status == (404 if "painted" in place else 200)


@pytest.mark.parametrize(
    "place",
    [
        "/pictures/shown/../../run.json", "/pictures/shown/..%2f..%2frun.json",
        "/pictures/painted/%2e%2e/run.json", "/pictures/shown/999999", "/pictures/shown/-1",
        "/data/answers/999999", "/static/../viewing.py", "/static/%2e%2e/viewing.py",
        "/static/..%2fviewing.py", "/static//etc/passwd", "/data/../../etc/passwd",
    ],
)  # fmt: skip
def test_no_address_leads_to_a_file(inside: Visitor, place: str) -> None:
    got = inside.get(place)
    assert got.status in (403, 404)
    assert "def viewer" not in got.text
    assert "root:" not in got.text


@pytest.mark.parametrize(
    "query", ["sort=beauty", "colour=red", "model=sim/nobody", "reader=llm", "pair=both-right"]
)
def test_what_is_not_there_is_told(inside: Visitor, query: str) -> None:
    got = inside.get(f"/data/trials.json?{query}", accept="application/json")
    assert got.status == 400
    assert orjson.loads(got.text)["problem"]


def test_odd_searches_break_nothing(inside: Visitor) -> None:
    for word in ("%5B", "%28%3Fx", "%5C", "a%7B9%7D", "%00", "%F0%9F%8D%8E", "." * 200):
        assert inside.get(f"/data/trials.json?search={word}").status == 200


def test_the_page_may_run_nothing_of_others(inside: Visitor) -> None:
    got = inside.get("/")
    policy = got.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"<script(?![^>]*\bsrc=)|\son\w+=|style=", got.text)
    assert inside.get("/data/trials.json").headers["content-type"] == "application/json"


def test_a_reply_is_told_whole_where_it_is_asked_for(inside: Visitor) -> None:
    told = orjson.loads(inside.get("/data/answers/0").text)
    assert told["value"]
    assert told["cut"] == 0


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_the_command_serves_until_it_is_ended(folders: list[Path], ending: int) -> None:
    command = [sys.executable, "-m", "subitize", "view", *map(str, folders)]
    with ended_at_last(command) as view:
        assert view.stdout is not None
        address = view.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{20,}", address)
        base = address.partition("/?")[0]
        visitor = Visitor(base)
        assert visitor.get(address).status == 200
        summary = orjson.loads(visitor.get("/data/summary.json").text)
        assert summary["items"] == TRIALS
        view.send_signal(ending)
        view.communicate()
        assert view.returncode == 0


def test_what_can_not_be_viewed_is_told(
    tmp_path: Path, folders: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, word in (
        (["view", str(tmp_path)], "holds no run"),
        (["view", str(folders[0]), "--bundle", str(folders[0])], "there already"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == 2
        assert word in capsys.readouterr().err
    done = CliRunner().invoke(root, ["view", str(folders[0]), "--bundle", str(tmp_path / "b")])
    assert done.exit_code == 0
    assert (tmp_path / "b" / "index.html").exists()


def test_a_hidden_picture_stays_out_whatever_is_asked_about_it(tmp_path: Path) -> None:
    """Marked by one trial of one run; another run asks something else about the same picture."""
    made = [
        run("naming", "sim/perfect", out=tmp_path, per_cell=1, max=2, size=64, control=False,
            categories=("dots",), prompt=form).folder
        for form in ("things", "objects")
    ]  # fmt: skip
    table = RunsTable(made)
    assert len({table.trial(item).question for item in range(table.items)}) == 2
    (made[0] / "faces.json").write_bytes(orjson.dumps([table.trial(0).id]))
    write_bundle(table, tmp_path / "copy")
    told = orjson.loads((tmp_path / "copy" / "data" / "trials-0.json").read_bytes())
    shown = [bool(one["picture"]) for one in told]
    alike = [table.trial(item).stimulus == table.trial(0).stimulus for item in range(table.items)]
    assert sum(alike) == 2
    assert shown == [not one for one in alike]
    assert len(list((tmp_path / "copy" / "pictures").iterdir())) == 1


def test_a_hidden_file_stays_out_with_a_box_over_it_too() -> None:
    bare = Stimulus("file", {"sha256": "ab" * 32}, "a.png")
    boxed = Stimulus("file", {"sha256": "ab" * 32, "box": [1, 2, 3, 4]}, "a.png")
    filled = Stimulus("response", {"trial": "t", "over": {"kind": "file", "recipe": boxed.recipe}})
    assert sources(bare) == sources(boxed)
    assert sources(bare) <= sources(filled)
