"""The runner against bare aiohttp and inspect_ai: CPU per picture trial, memory, log size."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.chat_server import ChatServer

from subitize.stimuli.naming import CATEGORIES
from subitize.stimuli.writing import NamingSet

TRIALS, CONNECTIONS, INSPECT_TRIALS, MANY = 2500, 64, 500, 100_000


@contextmanager
def answering() -> Iterator[int]:
    with subprocess.Popen(
        [sys.executable, "-m", "bench.answering"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        yield int(process.stdout.readline())
        process.terminate()


def ask(name: str, port: int, pictures: Path, count: int) -> dict[str, Any]:
    found = subprocess.run(
        [sys.executable, "-m", "bench.asking", name, str(port), str(pictures), str(count),
         str(CONNECTIONS)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if found.returncode:
        sys.exit(f"{name} failed: {found.stderr[-2000:]}")
    return dict(json.loads(found.stdout.splitlines()[-1]))


def drawing(port: int) -> None:
    """Naming at 512 x 512 with its drawing, against aiohttp on the same pictures from files."""
    with tempfile.TemporaryDirectory() as folder:
        pictures = Path(folder)
        NamingSet(5, 10, 512, CATEGORIES, "", 0).write(pictures)
        bare = min(ask("aiohttp", port, pictures, TRIALS)["cpu"] for _ in range(2))
        drawn = min(ask("drawing", port, pictures, TRIALS)["cpu"] for _ in range(2))
        floor = min(ask("floor", port, pictures, TRIALS)["cpu"] for _ in range(2))
    print(f"drawing    {1e3 * drawn / TRIALS:6.2f} ms CPU per trial, pictures of 512 x 512 drawn")
    print(f"drawing / aiohttp {drawn / bare:.2f} (at most 4)")
    print(f"aiohttp that draws the same / aiohttp {floor / bare:.2f} (the floor)")


def first_request() -> float:
    """Seconds from the end of the imports to the first request of a 2,500-picture naming run."""
    program = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from subitize.benchmarks.catalog import get_benchmark\n"
        "from subitize.models.base import ModelOptions\n"
        "from subitize.models.catalog import open_model\n"
        "from subitize.runs.run import RunOptions, run_benchmark\n"
        "import subitize.models.openai\n"
        "naming = get_benchmark('naming')\n"
        "model = open_model('openai/x', ModelOptions(sys.argv[1]))\n"
        "print(time.time(), flush=True)\n"
        "run_benchmark(naming, naming.settings_from({}), model, Path(sys.argv[2]), "
        "RunOptions(concurrency=64, limit=64, progress=False))\n"
    )
    arrived: list[float] = []

    def note(number: int, *_: object) -> None:
        if number == 0:
            arrived.append(time.time())

    with ChatServer(note) as server, tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", program, server.url, folder],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    return arrived[0] - float(done.stdout)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, answering() as port:
        pictures = Path(folder)
        NamingSet(5, 10, 1024, CATEGORIES, "", 0).write(pictures)
        sizes = [path.stat().st_size for path in pictures.glob("*.png")]
        print(f"{len(sizes)} pictures of {sum(sizes) / len(sizes) / 1000:.0f} KB on average")
        costs = {}
        for name in ("aiohttp", "subitize"):
            runs = [ask(name, port, pictures, TRIALS) for _ in range(3)]
            best = min(runs, key=lambda run: run["cpu"])
            costs[name] = best["cpu"] / TRIALS
            log = f", {best['log']:.0f} bytes of log beyond the reply" if "log" in best else ""
            print(f"{name:10} {1e3 * costs[name]:6.2f} ms CPU per trial, {best['rss']:.0f} MB{log}")
        if find_spec("inspect_ai"):
            used = ask("inspect", port, pictures, INSPECT_TRIALS)
            costs["inspect"] = used["cpu"] / INSPECT_TRIALS
            print(
                f"inspect_ai {1e3 * costs['inspect']:6.2f} ms CPU per trial, {used['rss']:.0f} MB"
            )
            print(f"inspect_ai / subitize {costs['inspect'] / costs['subitize']:.1f} (at least 10)")
        print(f"subitize / aiohttp {costs['subitize'] / costs['aiohttp']:.2f} (at most 2)")
        drawing(port)
        many = ask("subitize", port, pictures, MANY)
        print(f"{MANY:,} trials: {many['rss']:.0f} MB (at most 150, flat), {many['seconds']:.0f} s")
    print(f"first request {first_request():.2f} s after the imports (at most 1)")
