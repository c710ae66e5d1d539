"""CPU of counting captions with Ray against the local engine, driver and workers, on one machine.

From the first to the last unit counted; starting the cluster is shown apart. `ROWS` says how many
rows; kept in docs/captions_bench.json as all that `captions` measures.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

from bench.captions import MADE, captions, listed, record, rows_wanted, steady, write

AIM = 1.1
WORKERS = 2
WANTED = 20 * MADE
"""rows that the aim speaks of; fewer are kept apart"""


def main() -> None:
    from subitize.captions.pool import Processes
    from subitize.captions.ray_workers import RayWorkers
    from subitize.runs.ray_engine import Cluster

    rows = rows_wanted("ROWS", 5 * MADE)
    with tempfile.TemporaryDirectory() as folder:
        made = captions(MADE, np.random.default_rng(0))
        corpus = listed(write(Path(folder) / "made.parquet", made), rows)
        local = steady(corpus, Processes("textblob", WORKERS), sys.executable.encode())
        ray = steady(corpus, RayWorkers(Cluster(workers=WORKERS), "textblob"), b"ray::RayCounter")
    record("ray" if rows >= WANTED else "ray_small", {
        "rows": rows, "local_cpu": round(local.cpu, 1), "ray_cpu": round(ray.cpu, 1),
        "times": round(ray.cpu / local.cpu, 3), "aim": AIM,
        "seconds_to_start": {"local": round(local.waited, 1), "ray": round(ray.waited, 1)},
    })  # fmt: skip


if __name__ == "__main__":
    main()
