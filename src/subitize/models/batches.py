"""OpenAI's batch endpoint as a transport: requests go up together, answers are collected later.

https://platform.openai.com/docs/guides/batch: a file of requests is uploaded, a batch is made of
it, and within a day (at half the price) its answers stand in another file. What was handed in is
written down beside the run, so a killed run comes back and collects: no request is sent twice.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import orjson

from subitize.disk import APPENDING, sync_data
from subitize.errors import Retryable, StorageFull, WrongRun
from subitize.models.base import Surroundings
from subitize.models.jsons import parsed
from subitize.models.transport import AiohttpTransport, HttpReply, below

ENDPOINT = "/chat/completions"
MOST_REQUESTS, MOST_BYTES = 10_000, 100 << 20
"""of one batch; OpenAI takes 50,000 requests and 200 MB"""
LINGER = 2.0
"""seconds without a further request after which a batch is handed in"""
FIRST_LOOK, LONGEST_LOOK = 2.0, 60.0
"""seconds between looks at a batch, growing"""
ENDED = ("completed", "failed", "expired", "cancelled")
BUSY = ("token_limit_exceeded", "rate_limit")
"""codes of a batch that was not taken because too much is waiting already"""

Result = HttpReply | Retryable


@dataclass
class Handed:
    """One batch that was handed in."""

    tag: str
    ids: list[str]
    batch: str = ""
    results: dict[str, Result] = field(default_factory=dict)


class Batches:
    """A transport that hands chat requests in as batches; all others go their usual way."""

    def __init__(
        self,
        inner: AiohttpTransport,
        base: str,
        headers: Mapping[str, str],
        around: Surroundings,
    ) -> None:
        self._inner = inner
        self._base = base
        self._headers = {k: v for k, v in headers.items() if k.lower() != "content-type"}
        self._around = around
        self._ready: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._queue: list[tuple[str, bytes]] = []
        self._arrived = asyncio.Event()
        self._unclaimed: dict[str, list[str]] = defaultdict(list)
        """by the hash of a request: what was handed in by an earlier command"""
        self._made: dict[str, int] = defaultdict(int)
        self._waiting: dict[str, asyncio.Future[HttpReply]] = {}
        self._results: dict[str, Result] = {}

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> HttpReply:
        if not urlsplit(url).path.endswith(ENDPOINT):
            return await self._inner.post(url, headers, body)
        if self._ready is None:
            self._ready = asyncio.create_task(self._begin())
        await asyncio.shield(self._ready)
        found = self._claim(body)
        stopping: asyncio.Future[Any] = asyncio.ensure_future(self._around.stopping())
        either: list[asyncio.Future[Any]] = [found, stopping]
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if found.done():
            return found.result()
        found.cancel()
        raise Retryable("its batch goes on at the server; the same command collects it")

    async def get(self, url: str) -> HttpReply:
        return await self._inner.get(url)

    async def close(self) -> None:
        for task in [*self._tasks, *([self._ready] if self._ready else [])]:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._inner.close()

    def _claim(self, body: bytes) -> asyncio.Future[HttpReply]:
        """The answer to a request: to one that was handed in before, or to a new one."""
        name = hashlib.sha256(body).hexdigest()[:32]
        future: asyncio.Future[HttpReply] = asyncio.get_running_loop().create_future()
        if self._unclaimed[name]:
            one = self._unclaimed[name].pop(0)
        else:
            one = f"{name}-{self._made[name]}"
            self._made[name] += 1
            self._queue.append((one, body))
            self._arrived.set()
        self._waiting[one] = future
        if one in self._results:
            self._deliver(one, self._results[one])
        return future

    def _deliver(self, one: str, result: Result) -> None:
        self._results[one] = result
        future = self._waiting.get(one)
        if future is None or future.done():
            return
        if isinstance(result, Retryable):
            future.set_exception(result)
        else:
            future.set_result(result)

    def _start(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _begin(self) -> None:
        """Go on with what earlier commands handed in, then take what comes."""
        for handed in read_handed(self._around.path):
            if not handed.batch:
                handed.batch = await self._find(handed.tag)
                if not handed.batch:
                    continue  # killed before the batch was made: nothing was paid
                self._note({"tag": handed.tag, "batch": handed.batch})
            for one in handed.ids:
                name, _, number = one.rpartition("-")
                self._unclaimed[name].append(one)
                self._made[name] = max(self._made[name], int(number) + 1)
            self._start(self._watch(handed))
        self._start(self._hand_in())

    async def _find(self, tag: str) -> str:
        """The batch that was made for a tag, if it was."""
        reply = await self._ask("GET", "batches?limit=100")
        listed = parsed(reply.body)
        batches = listed.get("data") if isinstance(listed, dict) else None
        for one in batches if isinstance(batches, list) else ():
            if isinstance(one, dict) and (one.get("metadata") or {}).get("subitize") == tag:
                return str(one.get("id", ""))
        return ""

    async def _hand_in(self) -> None:
        while True:
            await self._arrived.wait()
            before = -1
            while before != len(self._queue) < MOST_REQUESTS:
                before = len(self._queue)
                await asyncio.sleep(LINGER)
            part: list[tuple[str, bytes]] = []
            size = 0
            while self._queue and len(part) < MOST_REQUESTS and size < MOST_BYTES:
                part.append(self._queue.pop(0))
                size += len(part[-1][1])
            if not self._queue:
                self._arrived.clear()
            try:
                await self._send(part)
            except Retryable as problem:
                for one, _ in part:
                    self._deliver(one, Retryable(str(problem)))

    async def _send(self, part: Sequence[tuple[str, bytes]]) -> None:
        """Upload the requests, write down which they are, make a batch of them."""
        lines = [
            b'{"custom_id":"%s","method":"POST","url":"/v1%s","body":%s}'
            % (one.encode(), ENDPOINT.encode(), body)
            for one, body in part
        ]
        tag = uuid4().hex
        form, kind = _form(tag, b"\n".join(lines) + b"\n")
        reply = await self._ask("POST", "files", form, kind)
        made = parsed(reply.body)
        if reply.status != 200 or not isinstance(made, dict) or not made.get("id"):
            self._refused(part, reply)
            return
        ids = [one for one, _ in part]
        self._note({"tag": tag, "input": str(made["id"]), "ids": ids})
        asked = {
            "input_file_id": made["id"], "endpoint": f"/v1{ENDPOINT}", "completion_window": "24h",
            "metadata": {"subitize": tag},
        }  # fmt: skip
        reply = await self._ask("POST", "batches", orjson.dumps(asked), "application/json")
        made = parsed(reply.body)
        if reply.status != 200 or not isinstance(made, dict) or not made.get("id"):
            self._refused(part, reply)
            return
        handed = Handed(tag, ids, str(made["id"]))
        self._note({"tag": tag, "batch": handed.batch})
        self._around.say(f"{len(ids)} requests are handed in as {handed.batch}.")
        self._start(self._watch(handed))

    def _refused(self, part: Sequence[tuple[str, bytes]], reply: HttpReply) -> None:
        status = reply.status if reply.status != 200 else 500
        for one, _ in part:
            self._deliver(one, HttpReply(status, reply.headers, reply.body))

    async def _watch(self, handed: Handed) -> None:
        """Look at a batch until it has ended, then collect."""
        look, told = FIRST_LOOK, -1
        while True:
            try:
                reply = await self._ask("GET", f"batches/{handed.batch}")
                entry = parsed(reply.body)
                if reply.status == 200 and isinstance(entry, dict):
                    if entry.get("status") in ENDED:
                        await self._collect(handed, entry)
                        return
                    done = (entry.get("request_counts") or {}).get("completed", 0)
                    if done != told:
                        told = done
                        self._around.say(
                            f"{handed.batch} is {entry.get('status')}: {done} of "
                            f"{len(handed.ids)} requests are answered."
                        )
                elif reply.status == 404:
                    self._miss(handed, "is not known to the server")
                    return
            except Retryable as problem:
                self._around.say(f"{handed.batch} can't be looked at: {problem}")
            await asyncio.sleep(look)
            look = min(LONGEST_LOOK, look * 1.5)

    async def _collect(self, handed: Handed, entry: Mapping[str, Any]) -> None:
        for name in ("output_file_id", "error_file_id"):
            if entry.get(name):
                reply = await self._ask("GET", f"files/{entry[name]}/content")
                if reply.status != 200:
                    raise Retryable(f"status {reply.status} for its file {entry[name]}")
                for line in reply.body.splitlines():
                    self._read(handed, line)
        if (problem := _problem(entry)) is not None:
            for one in set(handed.ids) - handed.results.keys():
                self._deliver(one, problem)
                handed.results[one] = problem
        self._miss(handed, f"ended as {entry.get('status')} without an answer to this")

    def _read(self, handed: Handed, line: bytes) -> None:
        """One line of an output file: the answer to one request, as it would have come alone."""
        entry = parsed(line)
        one = entry.get("custom_id") if isinstance(entry, dict) else None
        if one not in handed.ids or not isinstance(entry, dict):
            return
        answer, error = entry.get("response"), entry.get("error")
        if isinstance(answer, dict) and isinstance(answer.get("status_code"), int):
            result = HttpReply(answer["status_code"], {}, orjson.dumps(answer.get("body")))
        else:
            result = HttpReply(500, {}, orjson.dumps({"error": error}))
        handed.results[str(one)] = result
        self._deliver(str(one), result)

    def _miss(self, handed: Handed, why: str) -> None:
        for one in handed.ids:
            if one not in handed.results:
                self._deliver(one, Retryable(f"{handed.batch} {why}"))

    async def _ask(self, method: str, path: str, body: bytes = b"", kind: str = "") -> HttpReply:
        path, _, query = path.partition("?")
        url = below(self._base, path) + (f"?{query}" if query else "")
        headers = {**self._headers, **({"Content-Type": kind} if kind else {})}
        return await self._inner.request(method, url, headers, body or None)

    def _note(self, entry: Mapping[str, Any]) -> None:
        """Write down what was handed in before anything else happens."""
        try:
            descriptor = os.open(self._around.path, APPENDING | os.O_APPEND, 0o644)
            try:
                os.write(descriptor, orjson.dumps(entry) + b"\n")
                sync_data(descriptor)
            finally:
                os.close(descriptor)
        except OSError as problem:
            raise StorageFull(
                f"Can't write {self._around.path}: {problem.strerror}. Make room and run again."
            ) from None


def _problem(entry: Mapping[str, Any]) -> HttpReply | None:
    """Why a batch failed as a whole, as a reply with that error."""
    errors = entry.get("errors")
    listed = errors.get("data") if isinstance(errors, dict) else None
    if entry.get("status") != "failed" or not isinstance(listed, list) or not listed:
        return None
    first = listed[0] if isinstance(listed[0], dict) else {"message": str(listed[0])}
    status = 429 if any(word in str(first.get("code")) for word in BUSY) else 400
    return HttpReply(status, {}, orjson.dumps({"error": first}))


def _form(tag: str, content: bytes) -> tuple[bytes, str]:
    """The upload of a file of requests, and its content type."""
    head = f'--{tag}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--{tag}\r\n'
    name = f'Content-Disposition: form-data; name="file"; filename="subitize-{tag}.jsonl"\r\n'
    start = f"{head}{name}Content-Type: application/jsonl\r\n\r\n".encode()
    return start + content + f"\r\n--{tag}--\r\n".encode(), f"multipart/form-data; boundary={tag}"


def read_handed(path: Path) -> list[Handed]:
    """What earlier commands handed in; a torn last line was never acted upon."""
    found: dict[str, Handed] = {}
    try:
        lines = path.read_bytes().split(b"\n")[:-1]
    except FileNotFoundError:
        return []
    except OSError as problem:
        raise WrongRun(f"{path} can't be read: {problem.strerror}.") from None
    for number, line in enumerate(lines, 1):
        entry = parsed(line)
        tag = entry.get("tag") if isinstance(entry, dict) else None
        if not isinstance(entry, dict) or not isinstance(tag, str):
            raise WrongRun(f"{path}, line {number} is damaged: it names no batch. Delete it.")
        ids = entry.get("ids")
        if isinstance(ids, list):
            good = [one for one in ids if isinstance(one, str) and one.rpartition("-")[2].isdigit()]
            found[tag] = Handed(tag, good)
        elif tag in found and isinstance(entry.get("batch"), str):
            found[tag].batch = entry["batch"]
    return list(found.values())
