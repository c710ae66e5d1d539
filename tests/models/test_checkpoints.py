"""A model is what its weights are: every file counts, and is read once."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from subitize.errors import BadInput
from subitize.models.checkpoints import revision_of, revision_of_hub
from tests.models.tiny_clip import save_tiny_clip

FILES = (
    "model_index.json", "unet/diffusion_pytorch_model.bin", "unet/config.json",
    "text_encoder/model.safetensors", "tokenizer/merges.txt", "weights.pt", "notes/deep/down.npz",
)  # fmt: skip
COMMIT, OTHER = "a" * 40, "b" * 40


@pytest.fixture(autouse=True)
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("HF_HOME", "HF_HUB_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    return tmp_path / "caches"


def kept(caches: Path) -> list[Path]:
    return sorted((caches / "subitize" / "weights").glob("*"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "checkpoint"
    for place, name in enumerate(FILES):
        (found / name).parent.mkdir(parents=True, exist_ok=True)
        (found / name).write_bytes(bytes([place]) * 100)
        os.utime(found / name, (10**9, 10**9))
    return found


@pytest.mark.parametrize("name", FILES)
def test_every_file_counts_by_its_content(folder: Path, name: str) -> None:
    first = revision_of(folder)
    (folder / name).write_bytes(b"x" * 100)
    os.utime(folder / name, (10**9, 10**9))  # of the same size and time as before
    changed = revision_of(folder)
    assert changed != first
    (folder / name).unlink()
    assert revision_of(folder) not in (first, changed)


def test_a_name_counts_and_a_time_does_not(folder: Path, tmp_path: Path) -> None:
    first = revision_of(folder)
    for name in FILES:
        os.utime(folder / name, (2 * 10**9, 2 * 10**9))
    assert revision_of(folder) == first
    assert revision_of(shutil.copytree(folder, tmp_path / "copy")) == first
    (folder / "weights.pt").rename(folder / "weights.bin")
    assert revision_of(folder) != first


@pytest.mark.parametrize(
    "name", [".gitattributes", ".cache/huggingface/x.json", "unet/.lock", "a.lock", "__pycache__/a"]
)
def test_what_is_no_part_of_a_checkpoint_is_left_out(folder: Path, name: str) -> None:
    first = revision_of(folder)
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("anything")
    assert revision_of(folder) == first


READS = """
import sys
from pathlib import Path
from subitize.models.checkpoints import revision_of
opened = []
def hook(event, given):
    if event == "open" and str(given[0]).startswith(sys.argv[1] + "/"):
        opened.append(given[0])
sys.addaudithook(hook)
print(revision_of(Path(sys.argv[1])), len(opened))
"""


def reads(folder: Path) -> tuple[str, int]:
    done = subprocess.run(
        [sys.executable, "-c", READS, str(folder)], capture_output=True, text=True, check=True
    )
    revision, opened = done.stdout.split()
    return revision, int(opened)


def test_the_second_call_reads_no_file(folder: Path, caches: Path) -> None:
    before = sorted(folder.rglob("*"))
    first, opened = reads(folder)
    assert (first, opened) == (revision_of(folder), len(FILES))
    assert reads(folder) == (first, 0)
    (folder / "weights.pt").write_bytes(b"y" * 100)
    second, opened = reads(folder)
    assert (second != first, opened) == (True, 1)
    assert sorted(folder.rglob("*")) == before  # nothing is kept inside the checkpoint
    assert len(kept(caches)) == 1


def test_what_was_just_written_is_read_again(folder: Path, caches: Path) -> None:
    """Within the grain of the clock a second change would leave the same time."""
    (folder / "weights.pt").write_bytes(b"z" * 100)
    revision_of(folder)
    assert set(json.loads(kept(caches)[0].read_bytes())) == {*FILES} - {"weights.pt"}


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]", b"3", b'{"weights.pt": 3}', b'{"weights.pt": [1, 2, 3, 4, "no"]}']
)
def test_a_damaged_cache_is_ignored(folder: Path, caches: Path, damage: bytes) -> None:
    first = revision_of(folder)
    kept(caches)[0].write_bytes(damage)
    assert revision_of(folder) == first
    assert set(json.loads(kept(caches)[0].read_bytes())) == {*FILES}


def test_a_cache_that_cannot_be_written_does_no_harm(folder: Path, caches: Path) -> None:
    caches.write_text("a file where a folder should be")
    assert revision_of(folder) == revision_of(folder)


def test_links_are_followed_and_circles_end(folder: Path, tmp_path: Path) -> None:
    first = revision_of(folder)
    snapshot = tmp_path / "snapshot"
    for name in FILES:
        (snapshot / name).parent.mkdir(parents=True, exist_ok=True)
        if not name.startswith("unet/"):
            (snapshot / name).symlink_to(folder / name)
    (snapshot / "unet").rmdir()
    (snapshot / "unet").symlink_to(folder / "unet", target_is_directory=True)
    assert revision_of(snapshot) == first
    (snapshot / "notes" / "round").symlink_to(snapshot, target_is_directory=True)
    assert revision_of(snapshot) == first
    (folder / "tokenizer" / "merges.txt").unlink()
    with pytest.raises(BadInput, match=r"merges\.txt.*download it again"):
        revision_of(snapshot)


def test_no_folder_has_no_revision(tmp_path: Path) -> None:
    assert revision_of(tmp_path / "none") is None
    (tmp_path / "file").write_text("x")
    assert revision_of(tmp_path / "file") is None


def hub(cache: Path, refs: dict[str, str]) -> Path:
    """A model in the layout of the hub's cache."""
    model = cache / "models--made--here"
    for name, commit in refs.items():
        (model / "refs" / name).parent.mkdir(parents=True, exist_ok=True)
        (model / "refs" / name).write_text(commit)
        (model / "snapshots" / commit).mkdir(parents=True, exist_ok=True)
    return model


def test_an_id_of_the_hub_is_its_commit(
    caches: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert revision_of_hub("made/here") is None
    model = hub(caches / "huggingface" / "hub", {"main": COMMIT, "refs/pr/1": OTHER})
    assert revision_of_hub("made/here") == COMMIT
    assert revision_of_hub("made/here", "main") == COMMIT
    assert revision_of_hub("made/here", "refs/pr/1") == OTHER
    assert revision_of_hub("made/here", OTHER) == OTHER
    assert revision_of_hub("made/here", "c" * 40) is None
    assert revision_of_hub("made/there") is None
    (model / "refs" / "main").write_text("no commit")
    assert revision_of_hub("made/here") is None
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    hub(tmp_path / "home" / "hub", {"main": OTHER})
    assert revision_of_hub("made/here") == OTHER
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "own"))
    hub(tmp_path / "own", {"main": COMMIT})
    assert revision_of_hub("made/here") == COMMIT


OPENS = """
import sys
from subitize.models.catalog import open_model
from subitize.models.base import Item
model = open_model("clip/made/here")
print(model.revision)
print(model.parameters)
if len(sys.argv) > 1:
    with open(sys.argv[1], "rb") as file:
        print(model.match([Item("t", "", file.read(), ("an apple",))])[0].value["scores"])
"""


def opened(tmp_path: Path, *words: str, **environment: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", OPENS, *words], capture_output=True, text=True, check=False,
        env={**os.environ, "HF_HUB_CACHE": str(tmp_path / "hub"), **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.budget(40)
def test_what_is_loaded_is_the_commit_that_was_named(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    from PIL import Image

    Image.new("RGB", (40, 40), (200, 30, 30)).save(tmp_path / "a.png")
    model = hub(tmp_path / "hub", {"main": COMMIT})
    save_tiny_clip(model / "snapshots" / COMMIT)
    revision, parameters, scores = opened(tmp_path, str(tmp_path / "a.png"), HF_HUB_OFFLINE="1")
    assert revision == COMMIT
    assert float(parameters) > 0
    assert -1 <= json.loads(scores)[0] <= 1
    (model / "refs" / "main").write_text(OTHER)
    (model / "snapshots" / OTHER).mkdir()
    (model / "snapshots" / OTHER / "config.json").write_text('{"architectures": ["CLIPModel"]}')
    with pytest.raises(AssertionError, match="are not on this machine"):
        opened(tmp_path, HF_HUB_OFFLINE="1")


class Hub(BaseHTTPRequestHandler):
    """Says which commit a model is at, as https://huggingface.co/docs/hub/api has it."""

    def do_GET(self) -> None:
        told: dict[str, object] | None = None
        if self.path.startswith("/api/models/made/here"):
            told = {"id": "made/here", "sha": COMMIT, "safetensors": {"total": 2_000_000_000,
                    "parameters": {"F32": 2_000_000_000}}}  # fmt: skip
        elif self.path == "/made/here/resolve/main/config.json":
            told = {"architectures": ["CLIPModel"], "model_type": "clip"}
        body = json.dumps(told or {"error": "none"}).encode()
        self.send_response(200 if told else 404)
        self.send_header("ETag", '"0123"')
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    do_HEAD = do_GET  # noqa: N815  as the server's library calls it

    def log_message(self, format: str, *args: object) -> None:
        """Nothing on the terminal."""


@pytest.fixture
def endpoint() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Hub) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_model_not_yet_downloaded_has_its_commit_from_the_hub(
    tmp_path: Path, endpoint: str
) -> None:
    """Else the run that downloads it could not be resumed."""
    pytest.importorskip("transformers")
    assert opened(tmp_path, HF_ENDPOINT=endpoint) == [COMMIT, "2.0"]
    # from then on its config is here, its weights are not
    for folder in (tmp_path, tmp_path / "other"):
        with pytest.raises(AssertionError, match="hf download made/here --local-dir FOLDER"):
            opened(folder, HF_HUB_OFFLINE="1")
