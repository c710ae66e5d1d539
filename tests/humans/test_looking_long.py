"""What takes minutes: the viewer at 100,000 trials, and how long flashes really last.

Results go to docs/viewer_times.json and docs/flash_times.json; run it on an idle machine.
"""

from __future__ import annotations

import platform
import re
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from subitize.api import run
from subitize.humans.taking import experiment, make_site
from subitize.humans.taking_session import Display, Person, open_session, practice_of
from subitize.humans.web import in_thread
from tests.browsing import DESKTOP, Visit
from tests.humans.served import ended_at_last
from tests.humans.test_taking_in_chromium import BENCHMARK, enter, go_on, stored

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("browser")]
DOCS = Path(__file__).parents[2] / "docs"
TRIALS = 100_000
FLASHES = 60
MEASURE = """async ([name, value]) => {
  const field = document.getElementById("choices").elements[name];
  const trials = document.getElementById("trials");
  const done = new Promise((resolve) => {
    const watcher = new MutationObserver(() => {
      if (trials.getAttribute("aria-busy") !== "false") return;
      watcher.disconnect();
      requestAnimationFrame(() => setTimeout(resolve));
    });
    watcher.observe(trials, { attributes: true });
  });
  const begun = performance.now();
  field.value = value;
  field.dispatchEvent(new Event("change", { bubbles: true }));
  await done;
  return performance.now() - begun;
}"""
BARE = """async () => {
  const begun = performance.now();
  await (await fetch("static/icon.svg", { cache: "no-store" })).text();
  return performance.now() - begun;
}"""
CHOICES = (
    ("state", ""), ("state", "read"), ("category", "dots"), ("wanted", "7"), ("category", ""),
    ("wanted", ""), ("sort", "disagreement"), ("sort", "error"), ("sort", "plan"),
    ("search", "closely"), ("search", "count 10"), ("search", ""),
)  # fmt: skip


def written(name: str, found: dict[str, Any]) -> None:
    machine = {"system": platform.system(), "python": platform.python_version()}
    packed = orjson.dumps({**found, **machine}, option=orjson.OPT_INDENT_2)
    (DOCS / name).write_bytes(packed + b"\n")


def peak_megabytes(process: int) -> float:
    status = Path(f"/proc/{process}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) / 1024


def test_the_viewer_at_a_hundred_thousand_trials(browser: Any, tmp_path: Path) -> None:
    made = run(
        "naming", "sim/chatty", out=tmp_path, per_cell=TRIALS // 50, size=512, prompt="things",
        control=False,
    )  # fmt: skip
    assert made.answers.height == TRIALS
    begun = time.perf_counter()
    command = [sys.executable, "-m", "subitize", "view", str(made.folder)]
    with ended_at_last(command) as view, Visit(browser, DESKTOP) as visit:
        assert view.stdout is not None
        address = view.stdout.readline().strip()
        ready = time.perf_counter() - begun
        page = visit.page
        page.goto(address)
        page.wait_for_selector("#trials[aria-busy=false]")
        first = page.evaluate(
            "[performance.getEntriesByName('first-contentful-paint')[0].startTime, "
            "performance.now()]"
        )
        assert page.inner_text("#about").startswith("100,000 trials")
        page.evaluate(MEASURE, ["state", "read"])  # the first one only fills caches
        took = [page.evaluate(MEASURE, list(one)) for _ in range(3) for one in CHOICES]
        bare = [page.evaluate(BARE) for _ in range(20)]
        megabytes = peak_megabytes(view.pid)
    found = {
        "trials": TRIALS, "ready_s": round(ready, 2), "first_paint_ms": round(first[0]),
        "first_trials_ms": round(first[1]), "filter_median_ms": round(float(np.median(took))),
        "filter_p95_ms": round(float(np.quantile(took, 0.95))), "filters": len(took),
        "bare_route_median_ms": round(float(np.median(bare)), 1),
        "server_peak_mb": round(megabytes),
    }  # fmt: skip
    written("viewer_times.json", found)
    assert found["first_paint_ms"] < 1000
    assert found["filter_p95_ms"] < 200
    assert found["server_peak_mb"] < 300


def test_flashes_last_as_long_as_they_should(browser: Any, tmp_path: Path) -> None:
    settings = BENCHMARK.settings_from({
        "per_cell": FLASHES // 10, "max": 10, "size": 1024, "prompt": "things", "control": False,
        "categories": ("dots",),
    })  # fmt: skip
    site = make_site()
    with open_session(BENCHMARK, settings, Person("timing", Display()), tmp_path) as session:
        app = experiment(session, practice_of(BENCHMARK, settings, 1), Display(), site)
        with in_thread(app) as base, Visit(browser, DESKTOP) as visit:
            enter(visit.page, f"{base}/?token={site.token}")
            go_on(visit.page, FLASHES + 1)
            told = [orjson.loads(line["facts"]) for line in stored(session)]
    off = np.array([abs(one["shown"] - 200) for one in told])
    frame = np.array([one["frame"] for one in told])
    found = {
        "flashes": len(told), "wanted_ms": 200, "frame_ms": round(float(np.median(frame)), 2),
        "median_off_ms": round(float(np.median(off)), 2),
        "p95_off_ms": round(float(np.quantile(off, 0.95)), 2),
        "within_one_frame": round(float(np.mean(off <= 1.05 * frame)), 3),
        "with_dropped_frames": round(float(np.mean([one["dropped"] > 0 for one in told])), 3),
    }  # fmt: skip
    written("flash_times.json", found)
    assert found["within_one_frame"] >= 0.9
