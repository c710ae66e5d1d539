"""`subitize doctor --model`: the facts first, then what the model says."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from aiohttp import web
from typer.testing import CliRunner

from subitize.cli import root
from subitize.commands.doctoring import _tried
from subitize.models.base import Answers, Item, Kind, Model, Reply
from subitize.readers.text import strict
from tests.chat_server import ChatServer
from tests.models import tiny_matchers, tiny_namers


def doctored(*words: str, code: int = 0) -> dict[str, Any]:
    result = CliRunner().invoke(root, ["doctor", "--json", *words])
    assert result.exit_code == code, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_a_local_checkpoint_is_described_and_asked(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    tiny_namers.llava(tmp_path)
    found = doctored("--model", f"hf/{tmp_path}?max_tokens=4")["model"]
    assert found["kinds"] == ["namer"]
    assert found["architecture"] == "LlavaForConditionalGeneration"
    assert found["class"] == "tested"
    assert (found["where"], found["shown"], found["fits"]) == ("folder", True, True)
    assert found["needs"] == pytest.approx(found["parameters"] * 1e9 * 4 * 1.2, rel=1e-3)
    assert found["device"] in ("cpu", "cuda", "mps")
    assert isinstance(found["reply"], str)


@pytest.mark.parametrize(
    ("config", "found", "words"),
    [
        ({"model_type": "llava"}, "tested", "a tiny model"),
        ({"model_type": "fuyu"}, "untested", "its processor fails without torchvision"),
        ({"model_type": "mistral3"}, "untested", "torchvision"),
        ({"model_type": "llama4"}, "untested", "torchvision"),
        ({"model_type": "own", "auto_map": {"AutoModel": "own.Own"}}, "untested", "program code"),
        ({"model_type": "molmo", "auto_map": {"AutoModel": "m.M"}}, "not loadable", "serve it"),
        ({"model_type": "bert", "architectures": ["BertModel"]}, "not loadable", "serve it"),
    ],
)
def test_the_class_of_a_checkpoint_is_told_from_its_config_alone(
    tmp_path: Path, config: dict[str, Any], found: str, words: str
) -> None:
    """There are no weights: nothing can be loaded, and nothing is."""
    (tmp_path / "config.json").write_text(json.dumps(config))
    code = 2 if "auto_map" in config else 1
    told = doctored("--model", f"hf/{tmp_path}", code=code)["model"]
    assert told["class"] == found
    assert words in told["why"]
    assert told["device"] in ("cpu", "cuda", "mps")
    if code == 2:
        assert "--trust-remote-code" in told["problem"]


def test_a_matcher_is_tried_on_obvious_pairs(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    tiny_matchers.vilt(tmp_path, "ViltForImageAndTextRetrieval")
    found = doctored("--model", f"hf/{tmp_path}")["model"]
    assert found["reply"]["of"] == 20
    assert 0 <= found["reply"]["right"] <= 20


def test_a_model_that_raises_anything_is_told_as_a_problem(tmp_path: Path) -> None:
    """Its tokenizer knows more words than it has embeddings."""
    transformers = pytest.importorskip("transformers")
    tiny_namers.llava(tmp_path)
    words = transformers.AutoTokenizer.from_pretrained(tmp_path)
    places = json.loads((tmp_path / "config.json").read_text())["text_config"]["vocab_size"]
    words.add_tokens([f"more{number}" for number in range(places)] + ["many"])
    words.save_pretrained(tmp_path)
    found = doctored("--model", f"hf/{tmp_path}?max_tokens=4", code=1)["model"]
    assert found["class"] == "tested"
    assert "IndexError: index out of range" in found["problem"]
    assert found["what to do"]


# diffusers compiles a part of one of its pipelines in the old way
@pytest.mark.filterwarnings("ignore:.torch.jit.script:DeprecationWarning")
def test_a_pipeline_that_only_fills_is_given_a_hole(tmp_path: Path) -> None:
    pytest.importorskip("diffusers")
    from tests.models.tiny_painters import flux_fill

    made = flux_fill(tmp_path)
    found = doctored("--model", f"diffusers/{made}?steps=1&width=64&height=64")["model"]
    assert (found["class"], found["architecture"]) == ("tested", "FluxFillPipeline")
    assert Path(found["picture"]).is_file()
    assert Path(found["painted"]).is_file()


def test_both_checkpoints_of_a_counter_count_for_its_size(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    from tests.models.counters.tiny_detectors import save_tiny_sam
    from tests.models.tiny_clip import save_tiny_clip

    parts = {"checkpoint": save_tiny_sam(tmp_path / "sam"), "clip": save_tiny_clip(tmp_path / "c")}
    named = "&".join(f"{key}={folder}" for key, folder in parts.items())
    found = doctored("--model", f"counter/sam-clip?{named}&grid=2")["model"]
    assert found["architecture"] == "SamModel and CLIPModel"
    held = sum((folder / "model.safetensors").stat().st_size for folder in parts.values())
    assert found["bytes"] == held
    assert found["parameters"] == pytest.approx(held / 4e9, rel=0.2)
    assert found["fits"]


REPLY = '{"choices": [{"message": {"content": "%s"}, "finish_reason": "%s"}]}'


def test_others_are_not_asked_unless_wished() -> None:
    assert "reply" not in doctored("--model", "counter/blobs")["model"]
    assert doctored("--model", "counter/blobs", "--ask")["model"]["reply"]["boxes"]
    assert "reply" not in doctored("--model", "sim/perfect", "--ask")["model"]


def test_a_server_is_told_first_and_then_asked() -> None:
    with ChatServer() as server:
        words = ["doctor", "--model", "openai/llava", "--base-url", server.url]
        result = CliRunner().invoke(root, words)
        assert result.exit_code == 0, result.output
        assert len(server.seen) == 1
        facts, _, asked = result.stdout.partition("  picture")
        assert f"calls        {server.url}" in facts
        assert "OPENAI_API_KEY (" in facts
        found = doctored(*words[1:])["model"]
        assert Path(found["picture"]).read_bytes().startswith(b"\x89PNG")
        assert found["read as"] == f"read {strict(found['reply']).number}"
        assert found["seconds"] >= 0
        assert all(word in asked for word in ("three apples", found["reply"], "read as", "seconds"))
        Path(found["picture"]).unlink()


@pytest.mark.parametrize(
    ("status", "says"),
    [
        (401, "set the key's variable"),
        (404, "no such model or path"),
        (429, "try again later"),
        (503, "its own log"),
    ],
)
def test_a_server_that_refuses_comes_with_what_to_do(status: int, says: str) -> None:
    def refuse(number: int, request: web.Request, body: dict[str, Any]) -> web.Response:
        return web.json_response({"error": {"message": "no"}}, status=status)

    with ChatServer(refuse) as server:
        found = doctored("--model", "openai/x", "--base-url", server.url, code=1)["model"]
        assert str(status) in found["problem"]
        assert says in found["what to do"]


@pytest.mark.parametrize(
    ("text", "says"),
    [("<html>Welcome</html>", "ends in /v1"), ('{"choices": [', "ends in /v1"),
     (REPLY % ("", "stop"), "needs more tokens")],
)  # fmt: skip
def test_what_is_no_reply_comes_with_what_to_do(text: str, says: str) -> None:
    with ChatServer(lambda number, request, body: web.Response(text=text)) as server:
        found = doctored("--model", "openai/x", "--base-url", server.url, code=1)["model"]
    assert says in found["what to do"]


@pytest.mark.parametrize(
    ("reply", "stop", "read", "says"),
    [("I count 3 and", "length", "truncated", "--max-tokens"),
     ("I'm sorry, I can't help with that.", "stop", "refused", "declines"),
     ("There are some.", "stop", "", "another wording")],
)  # fmt: skip
def test_a_reply_that_is_not_read_comes_with_what_to_do(
    reply: str, stop: str, read: str, says: str
) -> None:
    text = REPLY % (reply, stop)
    with ChatServer(lambda number, request, body: web.Response(text=text)) as server:
        found = doctored("--model", "openai/x", "--base-url", server.url)["model"]
    assert found["read as"].startswith(read)
    assert says in found["what to do"]


def test_a_server_that_never_ends_is_cut_off() -> None:
    async def trickle(number: int, request: web.Request, body: dict[str, Any]) -> web.Response:
        reply = web.StreamResponse()
        await reply.prepare(request)
        while True:
            await reply.write(b" ")
            await asyncio.sleep(0.05)

    with ChatServer(trickle) as server:
        words = ["--model", "openai/x", "--base-url", server.url, "--timeout", "0.5"]
        found = doctored(*words, code=1)["model"]
    assert "no answer within 0.5 s" in found["problem"]
    assert "--timeout SECONDS" in found["what to do"]
    assert found["waits"] == "0.5 s at most for a reply"


def test_a_server_that_is_not_there_comes_with_what_to_do() -> None:
    found = doctored("--model", "openai/x", "--base-url", "http://127.0.0.1:9/v1", code=1)["model"]
    assert "start the server that http://127.0.0.1:9/v1 names" in found["what to do"]


@pytest.mark.parametrize(
    ("sign", "right", "lowest", "means"),
    [(1, 20, 0, "it knows"), (-1, 0, 20, "wrong way round"), (0, 0, 0, "not told from chance")],
)
def test_a_matcher_that_is_read_the_wrong_way_round_is_told(
    sign: int, right: int, lowest: int, means: str
) -> None:
    class Fits(Model):
        kinds: ClassVar[tuple[Kind, ...]] = ("matcher",)

        def match(self, items: Sequence[Item]) -> Answers:
            kinds = [int(item.trial) % len(item.options) for item in items]
            rows = sign * np.eye(len(items[0].options))[kinds]
            return [Reply("scores", {"scores": row.tolist()}) for row in rows]

    found = asyncio.run(_tried(Fits("fits", {})))["reply"]
    assert (found["right"], found["lowest"]) == (right, lowest)
    assert means in found["means"]
