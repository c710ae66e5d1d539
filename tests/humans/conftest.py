"""What the tests of people's pages share: a painted run, a PostgreSQL server, a browser."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from subitize.api import run
from subitize.humans.serving import Opened, opened, study_folder
from subitize.humans.study import Study
from subitize.humans.web import in_thread

CHROMIUM = [
    "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One worker for all that needs the server or the browser: each is started once."""
    for item in items:
        if {"postgres", "database", "browser"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.xdist_group("people"))


@pytest.fixture(scope="session")
def painted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A GeckoNum run whose painter counts well: 15 pictures of apples."""
    out = tmp_path_factory.mktemp("painted")
    made = run("geckonum", "painter/shapes?size=128", out=str(out), tasks=("1",),
               types=("numeric_simple",), things=("apple",), seeds=1)  # fmt: skip
    return Path(made.folder)


Serve = Callable[..., tuple[str, Opened]]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Serve a study from this process: its address, and what stands behind it."""
    with ExitStack() as stack:

        def start(study: Study, database: str = "") -> tuple[str, Opened]:
            folder = study_folder(tmp_path / "studies", study, database)
            here = stack.enter_context(opened(folder, database))
            return stack.enter_context(in_thread(here.app)), here

        yield start


def _as_postgres() -> list[str]:
    """How to become the user that PostgreSQL wants to be: it refuses root."""
    return ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a real PostgreSQL, started for these tests from an empty folder."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found:
        pytest.skip("no PostgreSQL is installed: apt install postgresql")
    if os.geteuid() == 0 and not shutil.which("runuser"):
        pytest.skip("PostgreSQL refuses root, and there is no runuser to become another user")
    tools, become = found[-1].parent, _as_postgres()
    folder = Path(tempfile.mkdtemp(prefix="subitize-postgres-"))
    if become:
        shutil.chown(folder, "postgres")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def call(tool: str, *words: str) -> None:
        # Its output goes to nobody: the server would hold a pipe open for ever.
        subprocess.run([*become, str(tools / tool), "-D", str(folder / "data"), *words],
                       check=True, cwd=folder, stdout=subprocess.DEVNULL)  # fmt: skip

    call("initdb", "-A", "trust", "-U", "postgres", "--no-sync", "-E", "UTF8")
    options = f"-p {port} -c listen_addresses=127.0.0.1 -k {folder}"
    call("pg_ctl", "-w", "-l", str(folder / "log"), "-o", options, "start")
    yield f"postgresql://postgres@127.0.0.1:{port}/postgres"
    call("pg_ctl", "-m", "immediate", "stop")
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> str:
    """Each of the two databases, by its address; empty for a file."""
    return "" if request.param == "sqlite" else str(request.getfixturevalue("postgres"))


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Debian's Chromium, once for all tests."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = os.environ.get("SUBITIZE_CHROMIUM") or shutil.which("chromium")
    if not path:
        pytest.skip("no Chromium found: install it, or set SUBITIZE_CHROMIUM to its path")
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=path, args=CHROMIUM)
        yield launched
        launched.close()
