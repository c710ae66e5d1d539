"""The command line, with a note of everything that its driver asks of actors.

Started by a test as `noting_calls.py NOTES MOST run …`. The notes are of Ray's own calls, the last
thing that the driver does. Before it asks for more than MOST it waits for the file NOTES.go: no run
on a fast machine ends before the test has done what it wants to do under it.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import orjson
from ray.actor import ActorMethod

from subitize.cli import main

NOTES, MOST = Path(sys.argv.pop(1)), int(sys.argv.pop(1))
GO, HELD = NOTES.with_suffix(".go"), NOTES.with_suffix(".held")
asked: list[str] = []
remote = ActorMethod.remote


def asked_of(method: str, message: Any) -> list[str]:
    """What a call asks: a unit of captions, or the trials of a batch."""
    if method == "count":
        unit = orjson.loads(message[0])["unit"]
        return [f"{unit['file']} {unit['index']}"]
    items = [one["item"] for one in orjson.loads(message)] if method == "answer" else []
    return [f"{one['trial']} {one['sample']} {one['attempt']}" for one in items]


def hold() -> None:
    HELD.touch()
    while not GO.exists():
        time.sleep(0.02)


def noting(self: Any, *arguments: Any, **named: Any) -> Any:
    lines = asked_of(self._method_name, arguments[0]) if arguments else []
    asked.extend(lines)
    if lines and len(asked) > MOST:
        hold()
    with NOTES.open("ab", buffering=0) as notes:
        notes.write("".join(f"{line}\n" for line in lines).encode())
    return remote(self, *arguments, **named)


ActorMethod.remote = noting
main()
