"""OpenAI's batch endpoint as a transport: requests go up together, answers are collected later.

https://platform.openai.com/docs/guides/batch: a file of requests is uploaded, a batch is made of
it, and within a day (at half the price) its answers stand in another file. What was handed in is
written down beside the run, so a killed run comes back and collects: no request is sent twice,
also where nobody knows whether a batch was made because the answer to that was lost.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import orjson

from subitize.errors import Hopeless, ModelError, Retryable, SubitizeError
from subitize.models.base import Surroundings
from subitize.models.batch_notes import Handed, Result, note, read_handed, upload_form
from subitize.models.jsons import NOTHING, parsed
from subitize.models.transport import AiohttpTransport, HttpReply, Scrubbed, below

ENDPOINT = "/chat/completions"
MOST_REQUESTS, MOST_BYTES = 10_000, 100 << 20
"""of one batch; OpenAI takes 50,000 requests and 200 MB"""
LINGER = 2.0
"""seconds without a further request after which a batch is handed in"""
FIRST_LOOK, LONGEST_LOOK = 2.0, 60.0
"""seconds between looks at a batch, growing"""
LOOKS = 3
"""so often is a batch looked for that the server does not know, and a file that lacks answers"""
SEARCHES = 10
"""so often is the list asked for whether a batch was made, before the run stops"""
PAGES = 100
ENDED = ("completed", "failed", "expired", "cancelled")
BUSY = ("token_limit_exceeded", "rate_limit")
"""codes of a batch that was not taken because too much is waiting already"""


class Batches:
    """A transport that hands chat requests in as batches; all others go their usual way."""

    def __init__(
        self,
        inner: AiohttpTransport,
        clean: Scrubbed,
        base: str,
        headers: Mapping[str, str],
        around: Surroundings,
        judge: Callable[[HttpReply], ModelError],
    ) -> None:
        self._inner = inner
        self._clean = clean
        self._base = base
        self._headers = {k: v for k, v in headers.items() if k.lower() != "content-type"}
        self._around = around
        self._judge = judge
        """what a refusal of the endpoint itself means: it says nothing about a question"""
        self._ready: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._queue: list[tuple[str, bytes]] = []
        self._arrived = asyncio.Event()
        self._unclaimed: dict[str, list[str]] = defaultdict(list)
        """by the name of a request: what was handed in by an earlier command"""
        self._made: dict[str, int] = defaultdict(int)
        self._waiting: dict[str, tuple[str, bytes, asyncio.Future[HttpReply]]] = {}
        self._results: dict[str, Result] = {}
        self._void: set[str] = set()
        """requests of an earlier command that failed: whoever wants them asks anew"""

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> HttpReply:
        return await self._clean.post(url, headers, body)

    async def chat(self, known: bytes, body: bytes) -> HttpReply:
        """The answer to a request, which is known again by other bytes than its own: packing the
        same pixels once more may give other ones."""
        if self._ready is None or (self._ready.done() and self._ready.exception()):
            self._ready = asyncio.create_task(self._begin())
        await asyncio.shield(self._ready)
        found: asyncio.Future[HttpReply] = asyncio.get_running_loop().create_future()
        self._claim(hashlib.sha256(known).hexdigest()[:32], body, found)
        stopping: asyncio.Future[Any] = asyncio.ensure_future(self._around.stopping())
        either: list[asyncio.Future[Any]] = [found, stopping]
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if found.done():
            return found.result()
        found.cancel()
        raise Retryable("its batch goes on at the server; the same command collects it")

    async def get(self, url: str) -> HttpReply:
        return await self._clean.get(url)

    async def close(self) -> None:
        for task in [*self._tasks, *([self._ready] if self._ready else [])]:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._inner.close()

    def _claim(self, name: str, body: bytes, future: asyncio.Future[HttpReply]) -> None:
        """The answer to a request: to one that was handed in before, or to a new one."""
        while self._unclaimed[name]:
            one = self._unclaimed[name].pop(0)
            if one not in self._void:
                break
        else:
            one = f"{name}-{self._made[name]}"
            self._made[name] += 1
            self._queue.append((one, body))
            self._arrived.set()
        self._waiting[one] = name, body, future
        if one in self._results:
            self._deliver(one, self._results[one])

    def _deliver(self, one: str, result: Result) -> None:
        self._results[one] = result
        future = self._waiting[one][-1] if one in self._waiting else None
        if future is None or future.done():
            return
        if isinstance(result, HttpReply):
            future.set_result(result)
        else:
            future.set_exception(result)

    def _start(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _begin(self) -> None:
        """Go on with what earlier commands handed in, then take what comes."""
        before = read_handed(self._around.path)
        for handed in before:
            if not handed.batch:  # killed before it was made, in which case nothing was paid
                handed.batch = await self._find(handed.tag)
                if handed.batch:
                    note(self._around.path, {"tag": handed.tag, "batch": handed.batch})
        for handed in before:
            for one in handed.ids if handed.batch else ():
                name, _, number = one.rpartition("-")
                self._unclaimed[name].append(one)
                self._made[name] = max(self._made[name], int(number) + 1)
            if handed.batch:
                self._start(self._watch(handed))
        self._start(self._hand_in())

    async def _find(self, tag: str) -> str:
        """The batch that was made for a tag, if it was; an error where that can't be known."""
        query = "limit=100"
        for _ in range(PAGES):
            listed = await self._asked("GET", "batches", query=query)
            batches = listed.get("data")
            if not isinstance(batches, list):
                raise Retryable("the server's list of batches is none")
            known = [one for one in batches if isinstance(one, dict) and one.get("id")]
            for one in known:
                if _within(one, "metadata").get("subitize") == tag:
                    return str(one["id"])
            if not listed.get("has_more") or not known:
                break
            query = f"limit=100&after={known[-1]['id']}"
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
            except SubitizeError as problem:
                for one, _ in part:
                    self._deliver(one, problem)

    async def _send(self, part: Sequence[tuple[str, bytes]]) -> None:
        """Upload the requests, write down which they are, make a batch of them."""
        lines = [
            b'{"custom_id":"%s","method":"POST","url":"/v1%s","body":%s}'
            % (one.encode(), ENDPOINT.encode(), body)
            for one, body in part
        ]
        tag = uuid4().hex
        form, kind = upload_form(tag, b"\n".join(lines) + b"\n")
        file = _named(await self._asked("POST", "files", form, kind))
        handed = Handed(tag, [one for one, _ in part])
        note(self._around.path, {"tag": tag, "input": file, "ids": handed.ids})
        asked = {
            "input_file_id": file, "endpoint": f"/v1{ENDPOINT}", "completion_window": "24h",
            "metadata": {"subitize": tag},
        }  # fmt: skip
        try:
            made = await self._asked("POST", "batches", orjson.dumps(asked), "application/json")
            handed.batch = _named(made)
        except Retryable as problem:
            # Only the answer may be lost: a second batch would be paid for too.
            handed.batch = await self._sought(tag)
            if not handed.batch:
                raise problem from None
        note(self._around.path, {"tag": tag, "batch": handed.batch})
        self._around.say(f"{len(handed.ids)} requests are handed in as {handed.batch}.")
        self._start(self._watch(handed))

    async def _sought(self, tag: str) -> str:
        """The batch of a tag, looked for until the server tells whether there is one."""
        look = FIRST_LOOK
        for _ in range(SEARCHES):
            await asyncio.sleep(look)
            look = min(LONGEST_LOOK, look * 1.5)
            try:
                return await self._find(tag)
            except Retryable as problem:
                self._around.say(f"Whether a batch was made is asked again: {problem}")
        raise Hopeless(
            f"{self._base} does not tell whether it made a batch. Run the same command again "
            "later: it looks for it first."
        )

    async def _watch(self, handed: Handed) -> None:
        """Look at a batch until it has ended, then collect."""
        look, told, unknown = FIRST_LOOK, -1, 0
        while True:
            try:
                entry = await self._asked("GET", f"batches/{handed.batch}", missing_ok=True)
                unknown = 0 if entry else unknown + 1
                if unknown >= LOOKS:
                    self._miss(handed, Retryable(f"{handed.batch} is not known to the server"))
                    return
                if entry.get("status") in ENDED and await self._collect(handed, entry):
                    return
                done = _within(entry, "request_counts").get("completed", 0)
                if entry.get("status") not in ENDED and done != told:
                    told = done
                    self._around.say(
                        f"{handed.batch} is {entry.get('status')}: {done} of "
                        f"{len(handed.ids)} requests are answered."
                    )
            except Retryable as problem:
                self._around.say(f"{handed.batch} can't be looked at: {problem}")
            except SubitizeError as problem:
                self._miss(handed, problem)
                return
            await asyncio.sleep(look)
            look = min(LONGEST_LOOK, look * 1.5)

    async def _collect(self, handed: Handed, entry: Mapping[str, Any]) -> bool:
        """Deliver the answers of a batch that has ended; False where its files are not whole."""
        whole = True
        for name in ("output_file_id", "error_file_id"):
            if entry.get(name):
                reply = await self._ask("GET", f"files/{entry[name]}/content")
                if reply.status != 200:
                    raise Retryable(f"status {reply.status} for its file {entry[name]}")
                if reply.cut:
                    raise ModelError(
                        f"the answers of {handed.batch} are over {len(reply.body):,} bytes"
                    )
                lines = [parsed(line) for line in reply.body.splitlines() if line.strip()]
                whole &= NOTHING not in lines
                for line in lines:
                    self._read(handed, line)
        if handed.missing and (not whole or entry.get("status") == "completed"):
            handed.looks += 1
            if handed.looks < LOOKS:  # a cut download must not be paid for again
                return False
        status = entry.get("status")
        missed = Retryable(f"{handed.batch} ended as {status} without an answer to this")
        self._miss(handed, _problem(entry) or missed)
        if not handed.ended:
            note(self._around.path, {"tag": handed.tag, "ended": True})
        return True

    def _read(self, handed: Handed, entry: Any) -> None:
        """One line of an output file: the answer to one request, as it would have come alone."""
        one = entry.get("custom_id") if isinstance(entry, dict) else None
        if not isinstance(one, str) or one not in handed.known:
            return
        answer, error = entry.get("response"), entry.get("error")
        if isinstance(answer, dict) and isinstance(answer.get("status_code"), int):
            result = HttpReply(answer["status_code"], {}, orjson.dumps(answer.get("body")))
        else:
            result = HttpReply(500, {}, orjson.dumps({"error": error}))
        handed.results[one] = result
        if handed.ended and result.status != 200:
            self._anew(one)
        else:
            self._deliver(one, result)

    def _miss(self, handed: Handed, why: Result) -> None:
        """What a batch leaves unanswered; an earlier command has told of it already."""
        for one in handed.missing:
            if handed.ended and not isinstance(why, Hopeless):
                self._anew(one)
            else:
                self._deliver(one, why)

    def _anew(self, one: str) -> None:
        """A request that failed in an earlier command is handed in again, for whoever wants it."""
        self._void.add(one)
        if one in self._waiting:
            self._claim(*self._waiting.pop(one))

    async def _asked(
        self, method: str, path: str, body: bytes = b"", kind: str = "", *,
        query: str = "", missing_ok: bool = False,
    ) -> dict[str, Any]:  # fmt: skip
        """The object that the endpoint answers with; whatever else it says is an error."""
        reply = await self._ask(method, path, body, kind, query)
        if missing_ok and reply.status == 404:
            return {}
        if reply.status != 200:
            raise self._judge(reply)
        entry = parsed(reply.body)
        if not isinstance(entry, dict):
            raise Retryable(
                f"the server's answer to {method} {path.partition('/')[0]} is no object"
            )
        return entry

    async def _ask(
        self, method: str, path: str, body: bytes = b"", kind: str = "", query: str = ""
    ) -> HttpReply:
        url = below(self._base, path)
        if query:
            url += ("&" if urlsplit(url).query else "?") + query
        headers = {**self._headers, **({"Content-Type": kind} if kind else {})}
        return await self._clean.cleaned(self._inner.request(method, url, headers, body or None))


def _within(entry: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """An object inside another, whatever the server put in its place."""
    found = entry.get(name)
    return found if isinstance(found, dict) else {}


def _named(made: Mapping[str, Any]) -> str:
    """The id of what was made."""
    if not isinstance(made.get("id"), str) or not made["id"]:
        raise Retryable("the server's answer names nothing that it made")
    return str(made["id"])


def _problem(entry: Mapping[str, Any]) -> HttpReply | None:
    """Why a batch failed as a whole, as a reply with that error."""
    errors = entry.get("errors")
    listed = errors.get("data") if isinstance(errors, dict) else None
    if entry.get("status") != "failed" or not isinstance(listed, list) or not listed:
        return None
    first = listed[0] if isinstance(listed[0], dict) else {"message": str(listed[0])}
    status = 429 if any(word in str(first.get("code")) for word in BUSY) else 400
    return HttpReply(status, {}, orjson.dumps({"error": first}))
