"""A real browser: one process for all tests, and visits that note whatever it complains of.

Tests that use it carry `pytest.mark.xdist_group("browser")`, so that there is one only.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-gpu",
    "--remote-debugging-port=0",
)  # fmt: skip
DESKTOP, PHONE = 1280, 390
AXE = "axe-core@4.10"


def find_chromium() -> str | None:
    """The path of a Chromium; SUBITIZE_CHROMIUM goes first."""
    return os.environ.get("SUBITIZE_CHROMIUM") or shutil.which("chromium")


@contextmanager
def running_chromium(path: str, profile: Path, *flags: str) -> Iterator[str]:
    """Where a driver finds the browser, while it runs."""
    command = [path, *FLAGS, *flags, f"--user-data-dir={profile}", "about:blank"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    assert process.stderr is not None
    try:
        for line in process.stderr:
            if found := re.search(rb"listening on (ws://\S+)", line):
                yield found[1].decode()
                return
        raise AssertionError("Chromium ended before it listened")
    finally:
        process.terminate()
        process.stderr.close()
        process.wait()


def fetch_axe(folder: Path) -> str:
    """axe-core's source, fetched by npm into a folder; its licence keeps it out of this one.

    What is wrong is raised as OSError.
    """
    source = folder / "node_modules" / "axe-core" / "axe.min.js"
    if not source.exists():
        folder.mkdir(parents=True, exist_ok=True)
        npm = shutil.which("npm")
        if not npm:
            raise OSError("no npm found: install it to check accessibility")
        asked = [npm, "install", "--no-save", "--no-audit", "--no-fund", "--prefix", str(folder)]
        done = subprocess.run([*asked, AXE], check=False, capture_output=True, text=True)
        if done.returncode:
            raise OSError(f"npm can't fetch axe-core: {done.stderr.strip()[-200:]}")
    return source.read_text("utf-8")


def serious(page: Any, axe: str) -> list[str]:
    """What axe calls serious or critical; the policy blocks injected scripts, so by evaluate."""
    found = page.evaluate(f"{axe};axe.run()")
    assert len(found["passes"]) > 5, "axe looked at nothing"
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found["violations"]
            if one["impact"] in ("serious", "critical")]  # fmt: skip


def unhurried(page: Any) -> Any:
    """The page without the driver's own 30 seconds: a busy machine has the one watchdog only."""
    page.set_default_timeout(0)
    return page


class Visit:
    """A page of its own, with everything that went wrong on it or was asked of other places."""

    def __init__(self, browser: Any, width: int, **options: Any) -> None:
        size = {"width": width, "height": 900}
        self.context = browser.new_context(viewport=size, **options)
        self.page = unhurried(self.context.new_page())
        self.messages: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.messages.append(message.text))
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))
        self.page.on("dialog", lambda dialog: self.messages.append(dialog.message))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def __enter__(self) -> Visit:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()

    def clean(self, base: str) -> bool:
        """Nothing was complained of, and nothing but `base` was asked for anything."""
        assert self.messages == []
        assert [one for one in self.requests if not one.startswith((base, "data:"))] == []
        return True

    def fits(self) -> bool:
        """Nothing sticks out sideways."""
        width = self.page.evaluate("document.documentElement.scrollWidth")
        return bool(width <= self.page.viewport_size["width"])
