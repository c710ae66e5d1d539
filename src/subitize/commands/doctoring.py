"""`subitize doctor`: what is installed, what a model is, and whether it answers."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import time
from collections.abc import Mapping
from dataclasses import replace
from importlib.util import find_spec
from typing import Annotated, Any

import numpy as np
import typer

from subitize import __version__
from subitize.commands.printing import BaseUrl, Json, KeyEnv, show
from subitize.errors import BadInput, ModelError, SubitizeError, Unreachable
from subitize.models.base import Item, Model, ModelOptions, asked_once, words_of
from subitize.models.catalog import open_model
from subitize.models.hf.opening import described
from subitize.models.names import parse_name
from subitize.pictures.decode import decode
from subitize.pictures.editing import with_hole
from subitize.pictures.encode import encode
from subitize.readers.text import ended_early, strict
from subitize.records import Response
from subitize.runs.folder import installed
from subitize.stimuli.scattered import draw_scattered

PACKAGES: dict[str, tuple[str, str]] = {
    "torch": ("hf", "local models from Hugging Face"),
    "transformers": ("hf", "local models from Hugging Face"),
    "diffusers": ("diffusers", "local painters"),
    "accelerate": ("train", "fine-tuning"),
    "wordfreq": ("words", "frequency of nouns for new GeckoNum prompts"),
    "textblob": ("captions", "parts of speech for caption corpora"),
    "inspect_ai": ("inspect", "providers, tasks and logs of Inspect AI"),
    "ray": ("ray", "other machines: --engine ray"),
}
KINDS = (("apple", "three apples"), ("butterfly", "three butterflies"), ("dot", "three dots"),
         ("person", "three people"))  # fmt: skip
PATIENCE = 30.0
"""seconds for a server's reply"""
HUB = ("hf", "clip")
"""families of transformers' checkpoints"""
LOCAL = (
    (("program code",), "read that code, then give --trust-remote-code, or serve the model and ask "
     "openai/NAME --base-url URL"),
    (("asks it",), "ask it by the counter that the problem names"),
    (("pip install",), "install the package that the problem names, and try again"),
    (("orchvision",), "install the torchvision that belongs to your torch, or serve the model and "
     "ask openai/NAME --base-url URL"),
    (("does not recognize", "Unrecognized"), "the installed transformers does not know its family: "
     "a newer one may, or serve the model and ask openai/NAME --base-url URL"),
    (("lacks", "not fully covered", "more than weights", "header", "archive"),
     "the file of its weights is damaged or another model's: download it anew (hf download ID "
     "--local-dir FOLDER) and compare its size with the hub's"),
    (("okenizer", "rocessor"), "its tokenizer or what prepares its pictures lacks a file or does "
     "not fit: download the whole folder anew, not the weights alone"),
    (("emory",), "it does not fit: a smaller dtype (?dtype=bfloat16), batch=1, another device or a "
     "smaller checkpoint"),
    (("device=",), "give device=cpu, or one that this machine has"),
    (("can't be loaded",), "its config.json does not describe it: download it anew, and compare "
     "the file with the hub's"),
)  # fmt: skip
"""words of a problem with a checkpoint on this machine → what to do about it"""
SERVED = (
    (("status 401", "status 403"), "set the key's variable (--api-key-env NAME) and try again"),
    (("status 404",), "the server has no such model or path: compare the name with what it serves, "
     "and whether --base-url ends in /v1"),
    (("status 429",), "the server is busy, or a limit of the account is reached: try again later; "
     "`subitize run` waits by itself (--wait), and asks less at once with --concurrency 1"),
    (("status 5",), "the server failed at it: what its own log says is the next thing to read"),
    (("no JSON",), "nothing there speaks the OpenAI protocol: mend --base-url (it often ends in "
     "/v1)"),
    (("no answer within",), "the server took the picture and did not answer in time: look into "
     "its log, or wait longer: --timeout SECONDS, here and of `subitize run`"),
    (("no content",), "the model came to no reply: a model that thinks first needs more tokens "
     "(--max-tokens of `subitize run`)"),
)  # fmt: skip
"""words of a problem with a server → what to do about it"""
UNREAD = {
    "refused": "the model declines: another wording (--prompt) or another model may not",
    "truncated": "the reply was cut off: give `subitize run` more --max-tokens",
}
"""state of a reply that came but was not read → what to do about it"""
NOT_READ = "the reply holds no number that counts: try another wording (--prompt) or --reader final"
OTHER = "docs/hf.md says what was run; another checkpoint of the family may do"
OF_SERVERS = "read what the server says above; docs/servers.md has what was seen of others"
HOLE = (64, 64, 192, 192)
"""in the picture that is shown, for whoever only fills holes"""
PAIRS = 20
"""obvious pairs that a matcher is tried on"""
CLEAR = 11
"""of them: so many come by chance once in 250 times"""


def doctor(
    model: Annotated[str | None, typer.Option(help="Also look at this model.")] = None,
    ask: Annotated[
        bool,
        typer.Option("--ask", help="Send a picture, even if it costs money or a download."),
    ] = False,
    base_url: BaseUrl = None,
    api_key_env: KeyEnv = None,
    trust_remote_code: Annotated[
        bool, typer.Option("--trust-remote-code", help="Run code that comes with a checkpoint.")
    ] = False,
    timeout: Annotated[
        float, typer.Option(help="Seconds that a server has for its reply.")
    ] = PATIENCE,
    json: Json = False,
) -> None:
    """What is installed, what is missing and how to get it; what a model is and what it says.

    A picture is sent to a server given by --base-url and to a checkpoint that is on this machine;
    to any other model only with --ask.
    """
    if model is None and (ask or base_url or api_key_env or trust_remote_code):
        raise BadInput("These options are about a model: name it with --model.")
    found: dict[str, Any] = {"subitize": __version__, "optional": {}}
    for package, (extra, purpose) in PACKAGES.items():
        found["optional"][package] = {
            "version": installed(package),
            "for": purpose,
            "install": f"pip install 'subitize[{extra}]'",
        }
    found["torchvision"] = find_spec("torchvision") is not None
    found["chromium"] = shutil.which("chromium") is not None
    lines = [f"subitize {found['subitize']}"]
    for package, entry in found["optional"].items():
        state = entry["version"] or f"missing: {entry['install']}"
        lines.append(f"{package:14} {state}  ({entry['for']})")
    if found["torchvision"]:
        lines.append("torchvision    installed: beside a CPU build of torch it breaks transformers")
    if model is not None:
        options = ModelOptions(
            base_url, api_key_env, trust_remote_code=trust_remote_code, timeout=timeout
        )
        known = _described(model)
        try:
            opened = open_model(model, options)
        except BadInput as problem:
            if not known:
                raise
            # Which class it is in and how big it is helps to choose another way.
            found["model"] = {"name": model, **known, "problem": str(problem)}
            lines += [model, *_lines(found["model"])]
            show(found, "\n".join(lines), json)
            raise typer.Exit(problem.exit_code) from None
        facts = opened.told() if hasattr(opened, "told") else _called(opened, options)
        found["model"] = {"name": opened.respondent, "kinds": list(opened.kinds), **facts}
        lines.append(f"{opened.respondent} opens as a {', '.join(opened.kinds)}")
        lines += _lines(facts)
        here = facts.get("where") in ("folder", "cache") and facts.get("fits") is not False
        if not opened.sees_facts and (ask or base_url or here):
            if not json:  # loading or waiting may take long: what is known stands there first
                print("\n".join(lines), flush=True)
                lines = []
            tried = _asked_once(opened)
            found["model"] |= tried
            lines += [f"  {key:12} {value}" for key, value in tried.items()]
        elif not opened.sees_facts:
            lines.append("  not asked: --ask sends it a picture, even if that costs money")
    show(found, "\n".join(lines), json)
    if "problem" in found.get("model", ()):
        raise typer.Exit(1)


def _described(model: str) -> dict[str, Any]:
    """What the config of a checkpoint tells, whether or not it can be opened; nothing of others."""
    name = parse_name(model)
    return described(name) if name.prefix in HUB else {}


def _lines(facts: Mapping[str, Any]) -> list[str]:
    return [f"  {key:12} {value}" for key, value in facts.items() if value is not None]


def _called(model: Model, options: ModelOptions) -> dict[str, Any]:
    """Of a model behind a server: what would be called, and with which key."""
    endpoint = getattr(model, "endpoint", None)
    if endpoint is None:
        return {}
    variable = options.api_key_env or "OPENAI_API_KEY"
    state = "set" if os.environ.get(variable) else "not set: no key is sent"
    return {"calls": endpoint, "key": f"{variable} ({state})", "paid": "perhaps: by the call",
            "waits": f"{options.timeout:g} s at most for a reply"}  # fmt: skip


def _asked_once(model: Model) -> dict[str, Any]:
    """What was shown, what came back, how it is read and how long it took; or what to do."""
    begun = time.monotonic()
    try:
        told = asyncio.run(_in_time(model))
    except SubitizeError as problem:
        return {"problem": str(problem), "what to do": _repair(model, problem)}
    except Exception as problem:  # the libraries that compute raise what they like
        said = words_of(problem)
        return {"problem": said, "what to do": _repair(model, ModelError(said))}
    told["seconds"] = round(time.monotonic() - begun, 1)
    return told


async def _in_time(model: Model) -> dict[str, Any]:
    """What it says; a server that goes on and on without an end is cut off, too."""
    limit = model.options.timeout if model.options and hasattr(model, "endpoint") else None
    try:
        return await asyncio.wait_for(_tried(model), limit)
    except TimeoutError:
        raise ModelError(f"no answer within {limit:g} s") from None


def _repair(model: Model, problem: SubitizeError) -> str:
    where = getattr(model, "endpoint", None)
    if isinstance(problem, Unreachable):
        return f"start the server that {where} names, or mend --base-url (it often ends in /v1)"
    known, other = (LOCAL, OTHER) if where is None else (SERVED, OF_SERVERS)
    return next((todo for words, todo in known if any(one in str(problem) for one in words)), other)


def _saved(picture: bytes) -> str:
    """Where the picture that was shown can be looked at."""
    with tempfile.NamedTemporaryFile(prefix="subitize-", suffix=".png", delete=False) as file:
        file.write(picture)
    return file.name


async def _tried(model: Model) -> dict[str, Any]:
    """What it says to a picture of three apples; of a matcher how many obvious pairs it knows."""
    await model.open()
    try:
        kind = model.kinds[0]
        if kind == "matcher":
            return {"reply": await _pairs(model)}
        shown = draw_scattered("apple", 3, 256, np.random.default_rng(0))
        item = {
            "namer": Item("doctor", "How many apples are there in the picture?", shown),
            "filler": Item("doctor", "There are [MASK] apples in the picture.", shown),
            "painter": Item("doctor", "three apples on a white background"),
            "counter": Item("doctor", "", shown, thing="apples"),
        }[kind]
        if getattr(model, "only_fills", False):
            item = replace(item, picture=encode(with_hole(decode(shown), HOLE)))
        [reply] = await asked_once(model, kind, [item])
        if isinstance(reply, ModelError):
            raise reply
        if reply.kind == "picture":
            said = f"a picture of {len(reply.value):,} bytes"
            given = {} if item.picture is None else {"picture": _saved(item.picture)}
            return given | {
                "question": item.question, "reply": said, "painted": _saved(reply.value)
            }  # fmt: skip
        told: dict[str, Any] = {"picture": _saved(shown), "shows": "three apples"}
        if kind != "counter":
            told["question"] = item.question
        told["reply"] = reply.value[:10] if reply.kind == "ranking" else reply.value
        if reply.kind == "text":
            came = Response("doctor", "", "", 0, 0, "text", reply.value, reply.stop)
            reading = ended_early(came) or strict(reply.value)
            number = "" if reading.number is None else f" {reading.number}"
            told["read as"] = f"{reading.state}{number}"
            if reading.state != "read":
                told["what to do"] = UNREAD.get(reading.state, NOT_READ)
        return told
    finally:
        await model.close()


async def _pairs(model: Model) -> Mapping[str, Any]:
    """Of so many pictures of one kind of thing, how often its own name scores highest, and how
    often lowest, which tells a head whose numbers are read the wrong way round."""
    rng = np.random.default_rng(0)
    names = tuple(sentence for _, sentence in KINDS)
    items = [
        Item(str(place), "", draw_scattered(KINDS[place % len(KINDS)][0], 3, 256, rng), names)
        for place in range(PAIRS)
    ]
    right = lowest = 0
    for place, reply in enumerate(await asked_once(model, "matcher", items)):
        if isinstance(reply, ModelError):
            raise reply
        scores = reply.value["scores"]
        own = scores.pop(place % len(KINDS))
        right, lowest = right + (own > max(scores)), lowest + (own < min(scores))
    if lowest >= CLEAR:
        means = "its scores are highest where a sentence does not fit: read the wrong way round"
    else:
        means = "it knows these things" if right >= CLEAR else "not told from chance"
    return {"right": right, "lowest": lowest, "of": PAIRS, "chance": PAIRS // len(KINDS),
            "means": means}  # fmt: skip
