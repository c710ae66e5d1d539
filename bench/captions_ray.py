"""CPU of counting captions with Ray against the local engine, driver and workers, on one machine.

From the first to the last unit counted; starting the cluster is shown apart. `ROWS` as for
`captions`.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.captions import write

ROWS = 5_000_000
AIM = 1.1


def cpu_of(wanted: Callable[[bytes, int], bool]) -> float:
    """CPU seconds so far of this process and of those wanted by command line and parent."""
    ticks = 0
    for path in Path("/proc").glob("[0-9]*"):
        try:
            command = (path / "cmdline").read_bytes()
            fields = (path / "stat").read_text().rpartition(")")[2].split()
            if int(path.name) == os.getpid() or wanted(command, int(fields[1])):
                ticks += int(fields[11]) + int(fields[12])
        except OSError:
            continue
    return ticks / os.sysconf("SC_CLK_TCK")


def measured(file: Path, engine: str) -> tuple[float, float]:
    """CPU seconds of the counting, and seconds until its first unit was there."""
    from subitize.captions.counting import Counting, _tasks
    from subitize.captions.progress import Progress
    from subitize.captions.ray_workers import RayWorkers
    from subitize.captions.reading import find_layout
    from subitize.captions.sources import find_sources
    from subitize.captions.store import Store
    from subitize.captions.workers import Processes, Workers
    from subitize.runs.ray_engine import Cluster

    sources = find_sources([str(file)])
    layouts = [find_layout(one, None) for one in sources]
    workers: Workers
    if engine == "ray":
        workers = RayWorkers(Cluster(workers=2), "textblob")
    else:
        workers = Processes("textblob", 2)
    begun = time.perf_counter()
    first = last = waited = 0.0

    def is_worker(command: bytes, parent: int) -> bool:
        return command.startswith(b"ray::RayCounter") if engine == "ray" else parent == os.getpid()

    with tempfile.TemporaryDirectory() as out, Store.opened(Path(out), {}, "made") as store:
        for done in workers.run(_tasks(sources, layouts, Counting(), store, Progress(show=False))):
            store.write(done.unit.key, done.line)
            if not waited:
                waited, first = time.perf_counter() - begun, cpu_of(is_worker)
            last = max(last, cpu_of(is_worker) if store.tally.rows % 1_000_000 == 0 else 0.0)
    return last - first, waited


def main() -> None:
    rows = int(os.environ.get("ROWS", ROWS))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "made.parquet"
        write(file, rows)
        found = {engine: measured(file, engine) for engine in ("local", "ray")}
    for engine, (cpu, waited) in found.items():
        print(f"{engine}: {cpu:.1f} CPU seconds for {rows:,} rows, {waited:.1f} s until the first")
    print(f"Ray takes {found['ray'][0] / found['local'][0]:.2f} times the CPU (aim {AIM})")


if __name__ == "__main__":
    main()
