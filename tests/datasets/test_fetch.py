"""Downloads come from a real server, are checked, and leave nothing half done."""

from __future__ import annotations

import hashlib
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from subitize.datasets.fetch import DATASETS, RemoteFile, fetch, fetch_file
from subitize.errors import BadInput, SubitizeError, UnknownName
from tests.benchmarks.geckonum_data import zipped
from tests.serving import files_of


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    folder = tmp_path / "shelf"
    folder.mkdir()
    return folder


@pytest.fixture
def server(shelf: Path) -> Iterator[str]:
    with files_of(shelf) as address:
        yield address


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_a_file_is_downloaded_once(server: str, shelf: Path, tmp_path: Path) -> None:
    (shelf / "a.csv").write_bytes(b"hello")
    file = RemoteFile("a.csv", f"{server}/a.csv", sha256(b"hello"))
    said: list[str] = []
    path = fetch_file(file, tmp_path / "out", tell=said.append)
    assert path.read_bytes() == b"hello"
    (shelf / "a.csv").unlink()
    fetch_file(file, tmp_path / "out", tell=said.append)
    assert [line.rpartition(" is ")[2] or line for line in said][1].startswith("there already")
    assert [one.name for one in (tmp_path / "out").iterdir()] == ["a.csv"]


def test_another_content_is_refused_and_not_kept(server: str, shelf: Path, tmp_path: Path) -> None:
    (shelf / "a.csv").write_bytes(b"hullo")
    file = RemoteFile("a.csv", f"{server}/a.csv", sha256(b"hello"))
    with pytest.raises(BadInput, match="checksum"):
        fetch_file(file, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a.csv").write_bytes(b"mine")
    with pytest.raises(BadInput, match="there already with another content"):
        fetch_file(file, tmp_path / "out")
    assert (tmp_path / "out" / "a.csv").read_bytes() == b"mine"


def test_members_of_an_archive_are_checked(server: str, shelf: Path, tmp_path: Path) -> None:
    zipped(shelf / "a.zip", {"one.csv": b"1", "two.csv": b"2"})
    url = f"{server}/a.zip"
    fetch_file(RemoteFile("a.zip", url, None, {"one.csv": sha256(b"1")}), tmp_path / "x")
    with pytest.raises(BadInput, match=r"its one.csv is another"):
        fetch_file(RemoteFile("a.zip", url, None, {"one.csv": sha256(b"9")}), tmp_path / "y")
    with pytest.raises(BadInput, match=r"lacks three.csv"):
        fetch_file(RemoteFile("a.zip", url, None, {"three.csv": sha256(b"3")}), tmp_path / "y")
    (shelf / "a.zip").write_bytes(b"<html>")
    with pytest.raises(BadInput, match="no zip archive"):
        fetch_file(RemoteFile("a.zip", url, None, {"one.csv": sha256(b"1")}), tmp_path / "y")


def test_a_missing_or_endless_file(server: str, shelf: Path, tmp_path: Path) -> None:
    with pytest.raises(SubitizeError, match="404"):
        fetch_file(RemoteFile("b.csv", f"{server}/b.csv", sha256(b"")), tmp_path)
    (shelf / "b.csv").write_bytes(b"0" * 100_000)
    with pytest.raises(SubitizeError, match="more than 1,000 bytes"):
        fetch_file(
            RemoteFile("b.csv", f"{server}/b.csv", sha256(b""), largest=1000), tmp_path / "out"
        )
    assert not (tmp_path / "out").exists()


def test_without_a_network_the_way_out_is_named(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(SubitizeError, match=r"no network.*put it at .*prompts\.csv"):
            fetch("geckonum", tmp_path, base_url=url)
    with pytest.raises(UnknownName, match="geckonum"):
        fetch("gekonum", tmp_path)


def test_what_could_not_be_fetched_leaves_no_folder(
    server: str, shelf: Path, tmp_path: Path
) -> None:
    for url in (server, "http://127.0.0.1:9"):
        with pytest.raises(SubitizeError):
            fetch("geckonum", tmp_path / "data" / "geckonum", base_url=url)
        assert not (tmp_path / "data").exists()
    for name, dataset in DATASETS.items():
        for file in dataset.files:  # they come, but are others than those published
            (shelf / file.name).parent.mkdir(parents=True, exist_ok=True)
            (shelf / file.name).write_bytes(b"<html>another</html>")
        with pytest.raises(SubitizeError):
            fetch(name, tmp_path / "data" / "x", base_url=server)
        assert not (tmp_path / "data").exists(), name
    (tmp_path / "file").write_text("mine")
    with pytest.raises(BadInput, match="it is a file"):
        fetch("geckonum", tmp_path / "file" / "geckonum", base_url=server)


def test_geckonum_from_a_mirror(server: str, shelf: Path, tmp_path: Path, data_dir: Path) -> None:
    """The released files that are here pass the checks of the catalog."""
    for name in ("prompts.csv", "geckonum_annotations.zip"):
        (shelf / name).write_bytes((data_dir / "geckonum" / name).read_bytes())
    paths = fetch("geckonum", tmp_path / "out", base_url=server)
    assert [path.name for path in paths] == ["prompts.csv", "geckonum_annotations.zip"]


def test_every_data_set_is_pinned() -> None:
    for dataset in DATASETS.values():
        assert dataset.licence
        for file in dataset.files:
            assert file.url.startswith("https://")
            assert file.sha256 or file.members
