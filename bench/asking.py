"""One contender in a process of its own: asks N picture trials and prints what it cost.

`python -m bench.asking subitize|aiohttp|drawing|floor|inspect PORT PICTURES COUNT CONNECTIONS`
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

QUESTION = "How many things are there in the picture?"
DRAWN: dict[str, Any] = {"size": 512, "prompt": "things", "control": False}
"""what the drawing contenders ask"""


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def resident() -> float:
    """Resident memory of this process in MB, now."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def ask_by_aiohttp(port: int, pictures: list[Path], count: int, connections: int) -> dict[str, Any]:
    """The least that can be done: read, encode, post, read the answer."""
    import aiohttp  # noqa: F401  imports are not counted for anybody

    return post_bare(
        port, (pictures[k % len(pictures)].read_bytes for k in range(count)), connections
    )


def ask_bare_and_draw(
    port: int, pictures: list[Path], count: int, connections: int
) -> dict[str, Any]:
    """The pictures of `drawing`, drawn by our drawer and sent by bare aiohttp: nothing is planned,
    hashed into ids, read, kept or shown. What a runner that draws can't go below."""
    import aiohttp  # noqa: F401  imports are not counted for anybody

    from subitize.benchmarks.catalog import get_benchmark
    from subitize.stimuli import render

    naming = get_benchmark("naming")
    settings = naming.settings_from(DRAWN)
    trials = list(islice(naming.trials("ask", settings, {}), count))
    return post_bare(port, (partial(png_of, render, one) for one in trials), connections)


def png_of(render: Any, trial: Any) -> bytes:
    return bytes(render(trial.stimulus).png)


def post_bare(
    port: int, pictures: Iterator[Callable[[], bytes]], connections: int
) -> dict[str, Any]:
    """Encode, post, read the answer."""
    import aiohttp

    begun = cpu()

    async def run() -> None:
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector) as session:

            async def work() -> None:
                for picture in pictures:
                    shown = base64.b64encode(picture()).decode()
                    content = [
                        {"type": "text", "text": QUESTION},
                        {
                            "type": "image_url",
                            "image_url": {"url": f"data:image/png;base64,{shown}"},
                        },
                    ]
                    body = {"model": "x", "messages": [{"role": "user", "content": content}]}
                    url = f"http://127.0.0.1:{port}/v1/chat/completions"
                    async with session.post(url, json=body) as answer:
                        (await answer.json())["choices"][0]["message"]["content"]

            await asyncio.gather(*(work() for _ in range(connections)))

    asyncio.run(run())
    return {"cpu": cpu() - begun, "rss": resident()}


def ask_by_subitize(
    port: int, pictures: list[Path], count: int, connections: int
) -> dict[str, Any]:
    """The runner with its durable journal, on pictures that lie in files."""
    from subitize.benchmark import Benchmark, Decisions, Settings, Stage
    from subitize.models.base import ModelOptions
    from subitize.models.catalog import open_model
    from subitize.models.openai import OpenAI  # noqa: F401  imports are not counted for anybody
    from subitize.readers.text import read_strict
    from subitize.records import Stimulus, Trial, make_trial
    from subitize.runs.run import RunOptions, run_benchmark

    hashes = {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in pictures}

    @dataclass(frozen=True)
    class FileSettings(Settings):
        trials: int = 0

    class Files(Benchmark[FileSettings]):
        NAME, VERSION, KINDS, SETTINGS = "files", "1", ("namer",), FileSettings
        CONDITION = {"index": 0}  # noqa: RUF012
        READERS = {"strict": read_strict}  # noqa: RUF012

        def stages(self, settings: Settings, kind: Any) -> Iterator[Stage]:
            yield Stage("ask")

        def trials(self, stage: str, settings: Settings, decisions: Decisions) -> Iterator[Trial]:
            for index in range(count):
                path = pictures[index % len(pictures)]
                yield make_trial(
                    ("files", "1", stage),
                    Stimulus("file", {"sha256": hashes[path]}, str(path)),
                    QUESTION,
                    target=7,
                    condition={"index": index},
                )

    benchmark = Files()
    begun, started = cpu(), time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        model = open_model("openai/x", ModelOptions(f"http://127.0.0.1:{port}/v1"))
        options = RunOptions(concurrency=connections, progress=False)
        outcome = run_benchmark(benchmark, FileSettings(trials=count), model, Path(folder), options)
        used, seconds, rss = cpu() - begun, time.perf_counter() - started, resident()
        assert outcome.complete
        size = sum(
            (outcome.folder / name).stat().st_size for name in ("trials.jsonl", "responses.jsonl")
        )
        log = size / count - len("There are 7 of them.")
    return {"cpu": used, "rss": rss, "log": log, "seconds": seconds}


def ask_and_draw(port: int, pictures: list[Path], count: int, connections: int) -> dict[str, Any]:
    """The runner on naming at 512 x 512, every picture drawn in a process that has drawn none."""
    from subitize.benchmarks.catalog import get_benchmark
    from subitize.models.base import ModelOptions
    from subitize.models.catalog import open_model
    from subitize.models.openai import OpenAI  # noqa: F401  imports are not counted for anybody
    from subitize.runs.run import RunOptions, run_benchmark

    naming = get_benchmark("naming")
    begun = cpu()
    settings = naming.settings_from(DRAWN)
    with tempfile.TemporaryDirectory() as folder:
        model = open_model("openai/x", ModelOptions(f"http://127.0.0.1:{port}/v1"))
        options = RunOptions(concurrency=connections, progress=False, limit=count)
        run_benchmark(naming, settings, model, Path(folder), options)
        return {"cpu": cpu() - begun, "rss": resident()}


def ask_by_inspect(port: int, pictures: list[Path], count: int, connections: int) -> dict[str, Any]:
    """inspect_ai with its own OpenAI-compatible provider and log."""
    os.environ["LOCAL_BASE_URL"] = f"http://127.0.0.1:{port}/v1"
    os.environ["LOCAL_API_KEY"] = "none"
    from inspect_ai import Task, eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ChatMessageUser, ContentImage, ContentText
    from inspect_ai.scorer import includes
    from inspect_ai.solver import generate

    def sample(index: int) -> Sample:
        picture = pictures[index % len(pictures)]
        shown = base64.b64encode(picture.read_bytes()).decode()
        content = [
            ContentText(text=QUESTION),
            ContentImage(image=f"data:image/png;base64,{shown}"),
        ]
        return Sample(input=[ChatMessageUser(content=content)], target="7", id=index)

    begun = cpu()
    dataset = MemoryDataset([sample(index) for index in range(count)])
    task = Task(dataset=dataset, solver=generate(), scorer=includes())
    with tempfile.TemporaryDirectory() as folder:
        (log,) = eval(
            task,
            model="openai-api/local/x",
            log_dir=folder,
            display="none",
            max_connections=connections,
            max_samples=connections,
        )
        assert log.status == "success", log.error
        used = cpu() - begun
    return {"cpu": used, "rss": resident()}


CONTENDERS = {
    "aiohttp": ask_by_aiohttp,
    "subitize": ask_by_subitize,
    "drawing": ask_and_draw,
    "floor": ask_bare_and_draw,
    "inspect": ask_by_inspect,
}

if __name__ == "__main__":
    name, port, folder, count, connections = sys.argv[1:]
    found = CONTENDERS[name](
        int(port), sorted(Path(folder).glob("*.png")), int(count), int(connections)
    )
    print(json.dumps(found))
