"""A model in a child process: `python -m subitize.models.child`, driven over its standard pipes.

What goes in are JSON and bytes, never objects: first the model's name, options and kind, then
batches of stimuli and items; what comes out are replies. {"ahead": BATCH} is a batch that comes
next, to be drawn and not yet answered. A message is a line with the length of
its JSON and of the bytes behind it. When the driver is gone its pipe ends, and so does the child.
"""

from __future__ import annotations

import asyncio
import base64
import inspect
import os
import sys
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, replace
from queue import Queue
from threading import Lock, Thread
from typing import Any, BinaryIO

import orjson

from subitize.errors import ModelError, SubitizeError, Unable
from subitize.models.base import METHODS, Item, ModelOptions, Reply, compute, opened, words_of
from subitize.models.catalog import open_model
from subitize.models.secrets import Secrets, whole_characters
from subitize.records import Stimulus, Trial, fingerprint
from subitize.stimuli import Picture, render


def write_message(stream: BinaryIO, message: Any) -> None:
    """One message; bytes inside it are allowed as {"base64": …}."""
    packed = orjson.dumps(message, option=orjson.OPT_SERIALIZE_NUMPY)
    stream.write(b"%d\n" % len(packed) + packed)
    stream.flush()


def read_message(stream: BinaryIO) -> Any:
    """The next message; None at the end of the pipe."""
    head = stream.readline()
    if not head.endswith(b"\n"):
        return None
    body = stream.read(int(head))
    return orjson.loads(body) if len(body) == int(head) else None


def pack_item(stimulus: Stimulus, item: Item) -> dict[str, Any]:
    """What a child needs of a trial; it draws the picture itself."""
    facts = None if item.facts is None else asdict(item.facts)
    return {"stimulus": asdict(stimulus), "item": {**asdict(item), "facts": facts}}


def unpack_reply(entry: dict[str, Any]) -> Reply | ModelError:
    """What the child made of an item."""
    if "problem" in entry:
        return ModelError(entry["problem"])
    value = entry["value"]
    if entry["kind"] == "picture":
        value = base64.b64decode(value["base64"])
    return Reply(entry["kind"], value, entry["stop"], entry["usage"], entry["facts"])


def problem_of(problem: SubitizeError) -> dict[str, Any]:
    """What stops a model as a whole, and whether that is for good."""
    return {"problem": str(problem), "unable": isinstance(problem, Unable)}


def _pack_reply(answer: Reply | ModelError) -> dict[str, Any]:
    """As JSON can hold it: what it can't is told by its words, or is a problem of this reply."""
    if isinstance(answer, ModelError):
        return {"problem": whole_characters(str(answer))}
    try:
        return _packed(answer)
    # what a model gave may be an object of its own, whose words or items raise anything
    except Exception as problem:
        return {"problem": f"its {answer.kind} can't be stored: {words_of(problem)}"}


def _packed(answer: Reply) -> dict[str, Any]:
    entry = {name: getattr(answer, name) for name in answer.__slots__}
    if answer.kind == "picture":
        entry["value"] = {"base64": base64.b64encode(answer.value).decode()}
    elif isinstance(answer.value, str):
        entry["value"] = whole_characters(answer.value)
    else:
        orjson.dumps(answer.value, option=orjson.OPT_SERIALIZE_NUMPY)
    told = {"stop": answer.stop, "usage": dict(answer.usage), "facts": dict(answer.facts)}
    plain: dict[str, Any] = orjson.loads(orjson.dumps(Secrets().plain(told), default=str))
    return entry | plain


class Drawer:
    """Draws in a thread of its own: pictures of the next batch while this one computes."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, "drawing")
        self._drawn: OrderedDict[str, Future[Picture]] = OrderedDict()
        self._lock = Lock()

    def begin(self, stimulus: Stimulus) -> Future[Picture]:
        """The picture, to be waited for; forms of one question share it."""
        key = fingerprint([stimulus.kind, stimulus.recipe])
        with self._lock:
            if key not in self._drawn:
                self._drawn[key] = self._pool.submit(render, stimulus)
            self._drawn.move_to_end(key)
            return self._drawn[key]

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def forget(self, kept: int) -> None:
        """All but the newest."""
        with self._lock:
            while len(self._drawn) > kept:
                self._drawn.popitem(last=False)


def _unpack_item(entry: dict[str, Any], shown: Future[Picture] | None) -> tuple[Item, str]:
    picture = None
    if "picture" in entry:  # the file may not be there on this machine
        picture = Picture(base64.b64decode(entry["picture"]), entry["sha256"])
    elif shown is not None:
        picture = shown.result()
    given = dict(entry["item"])
    given["options"] = tuple(given["options"])
    given["facts"] = None if given["facts"] is None else Trial.from_json(given["facts"])
    item = Item(**given)
    if picture is None:
        return item, ""
    return replace(item, picture=picture.png), picture.sha256


class Answerer:
    """A model opened by its name, which answers batches of JSON: in a child or on a cluster."""

    def __init__(self, hello: dict[str, Any]) -> None:
        self._model = open_model(hello["name"], ModelOptions(**hello["options"]))
        self._loop = asyncio.new_event_loop()
        self._loop.run_until_complete(opened(self._model))
        self._model.check_kind(hello["kind"])
        self._ask = getattr(self._model, METHODS[hello["kind"]])
        self._drawer = Drawer()

    def close(self) -> None:
        """Give threads and loop back."""
        self._drawer.close()
        self._loop.close()

    def draw(self, batch: list[dict[str, Any]]) -> list[Future[Picture] | None]:
        """Begin to draw the pictures of a batch, of this one or of the next."""
        looks = self._model.needs_picture
        stimuli = [None if "picture" in one else Stimulus(**one["stimulus"]) for one in batch]
        return [
            self._drawer.begin(one) if looks and one and one.kind in ("drawn", "file") else None
            for one in stimuli
        ]

    def _answers(self, items: Sequence[Item]) -> Any:
        found = self._ask(items)
        return self._loop.run_until_complete(found) if inspect.isawaitable(found) else found

    def answer(self, batch: list[dict[str, Any]]) -> dict[str, Any]:
        """Answers and hashes of what was shown, or the problem that all items share."""
        try:
            made = [_unpack_item(*pair) for pair in zip(batch, self.draw(batch), strict=True)]
            answers = compute(self._answers, [item for item, _ in made])
        except SubitizeError as problem:
            return problem_of(problem)
        finally:
            self._drawer.forget(2 * len(batch))
        packed = [_pack_reply(one) for one in answers]
        return {"answers": packed, "hashes": [sha for _, sha in made]}


def _listen(stdin: BinaryIO, answerer: Answerer, batches: Queue[Any]) -> None:
    """Take messages while the model computes: pictures that are soon wanted are drawn meanwhile."""
    while (message := read_message(stdin)) is not None:
        if isinstance(message, dict):
            answerer.draw(message["ahead"])
        else:
            batches.put(message)
    batches.put(None)


def main() -> None:
    """Open the model, say so, then answer batches until the pipe ends."""
    stdin, stdout = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # What a library prints must not get among the messages.
    os.dup2(2, 1)
    try:
        answerer = Answerer(read_message(stdin))
    except SubitizeError as problem:
        write_message(stdout, problem_of(problem))
        return
    write_message(stdout, {"ready": True})
    batches: Queue[Any] = Queue()
    Thread(target=_listen, args=(stdin, answerer, batches), daemon=True).start()
    while (batch := batches.get()) is not None:
        write_message(stdout, answerer.answer(batch))


if __name__ == "__main__":
    main()
