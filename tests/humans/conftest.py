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

import numpy as np
import pytest

from subitize.api import run
from subitize.datasets.geckonum.prompts import make_prompts
from subitize.datasets.geckonum.recipe import Recipe
from subitize.humans.serving import Opened, opened, study_folder
from subitize.humans.study import Study
from subitize.humans.web import in_thread


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One worker for all that needs the database or the browser: each is started once."""
    for item in items:
        if {"postgres", "database", "browser"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(scope="session")
def painted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A GeckoNum run whose painter counts well: 15 pictures of apples."""
    out = tmp_path_factory.mktemp("painted")
    made = run("geckonum", "painter/shapes?size=128", out=str(out), tasks=("1",),
               types=("numeric_simple",), things=("apple",), seeds=1)  # fmt: skip
    return Path(made.folder)


@pytest.fixture(scope="session")
def files(painted: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Pictures named after prompts of Tasks 2 and 3, and the file of those prompts."""
    folder = tmp_path_factory.mktemp("files")
    wanted = ("approx-1-entity", "approx-2-entity", "fractional-simple")
    made = make_prompts(Recipe(), np.random.default_rng(0))
    chosen = [one for kind in wanted for one in [p for p in made if p.prompt_type == kind][:3]]
    lines = ["index,prompt,has_numeral,is_frequent,entities,prompt_type,dataset_id"]
    (folder / "me").mkdir()
    some = next((painted / "images").iterdir()).read_bytes()
    for one in chosen:
        lines.append(f'{one.index},"{one.prompt}",{one.has_numeral},{one.is_frequent},'
                     f'"{one.entities}",{one.prompt_type},{one.dataset_id}')  # fmt: skip
        # What stands behind a PNG's end changes its bytes, not what it shows.
        unlike = some + one.dataset_id.encode()
        (folder / "me" / f"{one.dataset_id}_0.png").write_bytes(unlike)
    (folder / "prompts.csv").write_text("\n".join(lines) + "\n")
    return str(folder), str(folder / "prompts.csv")


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
