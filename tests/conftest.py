"""What all tests share: where released data lies, a real browser, what a test may cost."""

from __future__ import annotations

import gc
import os
import resource
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.browsing import fetch_axe, find_chromium, running_chromium
from tests.speed import within

# In CI the same examples every time; elsewhere new ones, to find what nobody thought of. No
# deadlines: how long an example takes says something about the machine, not about the code.
settings.register_profile("anywhere", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "anywhere")

WATCHDOG = 3000
"""seconds after which a test is held to hang; how long one may take is said in CPU time (`budget`),
because the clock says more about what else the machine does"""
# Two test processes on two cores: more threads each only wait for one another, in CPU time.
os.environ.setdefault("OMP_NUM_THREADS", "1")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Released annotations and splits; never part of the project."""
    folder = Path(os.environ.get("SUBITIZE_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no released data at {folder}: set SUBITIZE_DATA to the folder that holds it")
    return folder


@pytest.fixture(scope="session")
def probe_split(data_dir: Path) -> Callable[[str], Path]:
    """A released split of the counting probe by its name; not all are everywhere."""

    def find(name: str) -> Path:
        path = data_dir / "counting-probe" / f"visual7w_counting_{name}.json"
        if not path.exists():
            pytest.skip(f"the released data have no {path.name}: put it into {path.parent}")
        return path

    return find


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One real browser for all tests that want one."""
    path = find_chromium()
    if not path:
        pytest.skip("no Chromium found: install it, or set SUBITIZE_CHROMIUM to its path")
    with running_chromium(path, tmp_path_factory.mktemp("profile")) as address:
        yield address


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Any]:
    """Drives that browser. By module: while it is there, no event loop can be run beside it."""
    driver = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with driver.sync_playwright() as started:
        yield started.chromium.connect_over_cdp(chromium, timeout=0)


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core, kept in a cache of the machine."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    try:
        return fetch_axe(cache / "subitize-axe-4.10")
    except OSError as problem:
        pytest.skip(str(problem))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One watchdog for all: a shorter one would fail on a busy machine. None for `make long`."""
    for item in items:
        seconds = 0 if item.get_closest_marker("long") else WATCHDOG
        item.add_marker(pytest.mark.timeout(seconds), append=False)


def pytest_collection_finish() -> None:
    """What was imported and collected stays: the collector need not walk through it."""
    gc.collect()
    gc.freeze()


def cpu_seconds() -> float:
    """CPU time of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Measure every test in CPU time; one that uses twice its budget fails on any machine."""
    begun = cpu_seconds()
    yield
    used = cpu_seconds() - begun
    item.user_properties.append(("cpu", used))
    marked = item.get_closest_marker("budget")
    if marked is not None and not within(used, 2 * marked.args[0]):
        pytest.fail(f"used {used:.0f} CPU seconds, more than twice its budget {marked.args[0]}")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The ten dearest tests, by CPU time."""
    spent = [
        (dict(report.user_properties).get("cpu", 0.0), report.nodeid)
        for report in terminalreporter.getreports("passed")
        if report.when == "call"
    ]
    if len(spent) > 100:
        terminalreporter.section("dearest tests, in CPU seconds")
        for used, name in sorted(spent, reverse=True)[:10]:
            terminalreporter.write_line(f"{used:7.1f}  {name}")
        terminalreporter.write_line(f"{sum(used for used, _ in spent):7.1f}  all")
