"""Disks that fill up, folders that vanish, kills while pictures come in."""

from __future__ import annotations

import base64
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from io import BytesIO
from pathlib import Path
from typing import Any

import orjson
import pytest
from PIL import Image

from subitize.errors import SubitizeError
from subitize.files import write_whole
from subitize.runs.driver import SYNC_SECONDS
from tests.chat_server import ChatServer
from tests.image_server import ImageServer
from tests.runs.conftest import Go
from tests.runs.killing import kill_after


def noise(*_: Any) -> dict[str, Any]:
    """A picture of 400 KB, which no format packs; another one each time."""
    packed = BytesIO()
    pixels = random.randbytes(3 * 370 * 370)
    Image.frombytes("RGB", (370, 370), pixels).save(packed, "PNG", compress_level=0)
    return {"data": [{"b64_json": base64.b64encode(packed.getvalue()).decode()}]}


def paint(url: str, out: Path, *more: str) -> list[str]:
    return [
        sys.executable, "-m", "subitize", "run", "production", "--model", "openai/x",
        "--base-url", url, "--out", str(out), "--per-cell", "8", "--max", "3", "--categories",
        "apples,people", "--counter", "none", *more,
    ]  # fmt: skip


PICTURES = 48


def test_a_really_full_disk_keeps_every_picture_under_way(tmp_path: Path) -> None:
    """A disk of 40 MB of which 33 are held for what is under way: the rest is soon full."""
    disk, out = tmp_path / "disk", tmp_path / "out"
    disk.mkdir()
    script = f'mount -t tmpfs -o size=40m none "$0" || exit 77; "$@"; cp -r "$0" "{out}"'
    with ImageServer(noise, delay=0.05) as server:
        command = paint(server.url, disk, "--concurrency", "4")
        done = subprocess.run(
            ["unshare", "-r", "-m", "sh", "-c", script, str(disk), *command],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode == 77 or "unshare:" in done.stderr:
            pytest.skip("this machine lets nobody mount a disk of his own")
        assert "No space left" in done.stderr
        assert "nothing is asked twice" in done.stderr
        assert "Traceback" not in done.stderr
        asked = len(server.seen)
        assert 5 < asked < PICTURES
        assert len(_lines(out)) == asked
        assert len(list(out.glob("*/images/*.png"))) == asked
        again = subprocess.run(paint(server.url, out), capture_output=True, text=True, check=False)
        assert again.returncode == 0, again.stderr
        assert len(server.seen) == PICTURES
        assert not list(out.glob("**/.*.part"))


def _lines(out: Path) -> list[dict[str, Any]]:
    return [
        orjson.loads(line)
        for path in out.glob("*/responses*.jsonl")
        for line in path.read_bytes().splitlines()
    ]


def test_no_room_for_what_would_be_under_way_is_told_before_asking(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    script = 'mount -t tmpfs -o size=20m none "$0" || exit 77; "$@"'
    with ImageServer(noise) as server:
        done = subprocess.run(
            ["unshare", "-r", "-m", "sh", "-c", script, str(disk),
             *paint(server.url, disk, "--concurrency", "4")],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode == 77 or "unshare:" in done.stderr:
            pytest.skip("this machine lets nobody mount a disk of his own")
        assert not server.seen
    assert done.returncode == 1
    assert "no room" in done.stderr
    assert "--concurrency" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.budget(60)
def test_kills_ask_for_no_more_pictures_again_than_were_under_way(tmp_path: Path) -> None:
    """Pictures wait neither for the decoder nor for each other before they are in the journal."""
    with ImageServer(noise, delay=0.05) as server:
        under_way = again = 0
        for _ in range(3):
            before = len(server.seen)
            command = paint(server.url, tmp_path, "--concurrency", "16")
            if not kill_after(command, server, lambda: len(server.seen), 0.15):
                break
            under_way += 16
            again = len(server.seen) - len({line["trial"] for line in _lines(tmp_path)})
            assert again <= under_way
            assert len(server.seen) > before
        done = subprocess.run(
            paint(server.url, tmp_path), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert len(server.seen) <= PICTURES + under_way
    assert not list(tmp_path.glob("**/.*.part"))


@pytest.mark.parametrize("how", ["deleted", "moved"])
def test_a_folder_that_vanishes_under_the_run_stops_it(go: Go, tmp_path: Path, how: str) -> None:
    def vanish() -> None:
        while not list(tmp_path.glob("runs/*/responses.jsonl")) or len(server.seen) < 8:
            time.sleep(0.01)
        if how == "deleted":
            shutil.rmtree(tmp_path / "runs", ignore_errors=True)
        else:
            (tmp_path / "runs").rename(tmp_path / "elsewhere")
        server.seen_then = len(server.seen)  # type: ignore[attr-defined]

    with ChatServer(delay=0.2) as server:
        thread = threading.Thread(target=vanish)
        thread.start()
        # Scoring what is gone is an error too; here it counts when asking stopped.
        with pytest.raises(SubitizeError, match=r"is not a run folder|was deleted or moved"):
            go(server.url, settings={"per_cell": 20}, concurrency=4)
        thread.join()
        # Within a second: five rounds of four calls, and those under way.
        assert len(server.seen) - server.seen_then <= 24  # type: ignore[attr-defined]


def test_a_painters_folder_that_vanishes_is_told_as_that(tmp_path: Path) -> None:
    """Not as a picture that can't be read: a counter looks for one that was deleted first."""
    with ImageServer(noise, delay=0.1) as server:
        command = paint(server.url, tmp_path, "--counter", "counter/blobs", "--concurrency", "8")
        painting = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        while not (found := list(tmp_path.glob("*/images/*.png"))):
            assert painting.poll() is None
            time.sleep(0.005)
        shutil.rmtree(found[0].parent, ignore_errors=True)
        found[0].parent.parent.rename(tmp_path / "elsewhere")
        said = painting.communicate()[1]
    assert "was deleted or moved" in said
    assert painting.returncode == 1


def test_half_written_files_of_the_killed_are_taken_away(go: Go, tmp_path: Path) -> None:
    with ChatServer() as server:
        outcome, _ = go(server.url)
        (outcome.folder / "images").mkdir()
        left = [outcome.folder / ".run.json.1-2.part", outcome.folder / "images/.a.png.1-2.part"]
        for path in left:
            path.write_bytes(b"half")
        go(server.url)
    assert not [path for path in left if path.exists()]


def test_the_plan_and_the_folders_are_synced(
    go: Go, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every file of the run, and every folder in which a name is new, is synced."""
    synced: set[str] = set()

    def noted(descriptor: int, sync: Any) -> None:
        synced.add(os.readlink(f"/proc/self/fd/{descriptor}"))
        sync(descriptor)

    plain, data = os.fsync, os.fdatasync
    monkeypatch.setattr(os, "fsync", lambda descriptor: noted(descriptor, plain))
    monkeypatch.setattr(os, "fdatasync", lambda descriptor: noted(descriptor, data))
    with ChatServer() as server:
        outcome, _ = go(server.url)
    folder = str(outcome.folder)
    assert {folder, str(tmp_path / "runs")} <= synced
    assert {f"{folder}/trials.jsonl", f"{folder}/responses.jsonl"} <= synced
    synced.clear()
    write_whole(tmp_path / "a", b"x")
    assert str(tmp_path) in synced


def test_lines_are_synced_while_the_run_goes_on(go: Go, monkeypatch: pytest.MonkeyPatch) -> None:
    """A power cut costs a small batch, not all that came since the run began."""
    held: list[int] = []
    plain = os.fdatasync

    def noted(descriptor: int) -> None:
        if os.readlink(f"/proc/self/fd/{descriptor}").endswith("/responses.jsonl"):
            held.append(os.fstat(descriptor).st_size)
        plain(descriptor)

    monkeypatch.setattr(os, "fdatasync", noted)
    with ChatServer(delay=2 * SYNC_SECONDS) as server:
        outcome, _ = go(server.url, concurrency=1)
    whole = (outcome.folder / "responses.jsonl").stat().st_size
    assert len([size for size in held if 0 < size < whole]) >= 3


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_interrupt_ends_at_once_without_a_traceback(tmp_path: Path, number: int) -> None:
    with ChatServer(delay=5.0) as server:
        command = [
            sys.executable, "-m", "subitize", "run", "naming", "--model", "openai/x", "--base-url",
            server.url, "--out", str(tmp_path), "--per-cell", "1", "--max", "2", "--size", "64",
        ]  # fmt: skip
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        while not server.seen:
            time.sleep(0.05)
        process.send_signal(number)
        assert process.stderr is not None
        assert "32 requests" in process.stderr.readline()  # what it will ask
        assert "in flight" in process.stderr.readline()
        process.send_signal(number)
        _, err = process.communicate(timeout=900)
    assert process.returncode == 1, err
    assert "Traceback" not in err
    assert "interrupted" in err
