"""The command against real servers of other projects: `transformers serve` and llama.cpp.

Their models are built here, with random weights, in well under a second: nothing is downloaded.
What such a model says is noise, but everything between the command and the model is real.
"""

from __future__ import annotations

import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = [pytest.mark.budget(90)]

UP_WITHIN = 900.0
"""seconds a server may take to come up; two busy cores import transformers in 5 to 25"""
SERVED = "tiny-eye"
TRIALS = 2
YES_AND_NO = ("yes", "no", "Yes", "No")
PARTS = (
    "{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<image>{% else %}{{ part['text'] }}{% endif %}"
    "{% endfor %}"
)
LLAMA_CPP = """
import sys
import time

import xllamacpp

parameters = xllamacpp.CommonParams()
parameters.model.path = sys.argv[1]
if len(sys.argv) > 2:
    parameters.mmproj.path = sys.argv[2]
    parameters.mmproj_use_gpu = False
parameters.n_ctx = 512
parameters.n_parallel = 1
parameters.cpuparams.n_threads = 1
parameters.warmup = False
server = xllamacpp.Server(parameters)
print(server.listening_address, flush=True)
time.sleep(600)
"""


@dataclass(frozen=True)
class Served:
    """A server that is up."""

    url: str
    log: Path
    """all that it printed"""
    picture_tokens: int
    """how many tokens of a prompt are the picture"""
    request_mark: str
    """what it prints once for each request"""


def chat_template(content: str) -> str:
    """How both models get a chat, with `content` for what one turn says."""
    turn = "{{ message['role'] }}: " + content
    return "{% for message in messages %}" + turn + "{% endfor %} assistant: "


def byte_tokens() -> list[str]:
    """One printable character per byte, as byte-level tokenizers name them."""
    from tokenizers.pre_tokenizers import ByteLevel

    return sorted(ByteLevel.alphabet())


def build_llava(folder: Path) -> None:
    """A LLaVA-NeXT of 20,000 weights, in the form that transformers loads."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import (
        CLIPVisionConfig,
        LlamaConfig,
        LlavaNextConfig,
        LlavaNextForConditionalGeneration,
        LlavaNextImageProcessorPil,
        LlavaNextProcessor,
        PreTrainedTokenizerFast,
    )

    words = ["<pad>", "<s>", "</s>", "<image>", *byte_tokens()]
    bytewise = Tokenizer(models.BPE(vocab={w: i for i, w in enumerate(words)}, merges=[]))
    bytewise.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytewise.decoder = decoders.ByteLevel()
    grid = [[16, 32], [32, 16], [32, 32]]
    processor = LlavaNextProcessor(
        image_processor=LlavaNextImageProcessorPil(
            size={"shortest_edge": 16},
            crop_size={"height": 16, "width": 16},
            image_grid_pinpoints=grid,
        ),
        tokenizer=PreTrainedTokenizerFast(
            tokenizer_object=bytewise,
            pad_token="<pad>",
            bos_token="<s>",
            eos_token="</s>",
            additional_special_tokens=["<image>"],
        ),
        patch_size=8,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=chat_template(PARTS),
    )
    small = {
        "hidden_size": 16,
        "intermediate_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
    }
    config = LlavaNextConfig(
        vision_config=CLIPVisionConfig(image_size=16, patch_size=8, projection_dim=16, **small),
        text_config=LlamaConfig(
            vocab_size=len(words), bos_token_id=1, eos_token_id=2, pad_token_id=0, **small
        ),
        image_token_index=3,
        image_grid_pinpoints=grid,
        vision_feature_layer=-1,
    )
    torch.manual_seed(0)
    LlavaNextForConditionalGeneration(config).save_pretrained(folder)
    processor.save_pretrained(folder)


WIDTH = 32
ONE, ZERO = np.ones(WIDTH, np.float32), np.zeros(WIDTH, np.float32)


def noise(rng: np.random.Generator, *shape: int) -> Any:
    return rng.normal(0, 0.2, shape).astype(np.float32)


def write_gguf(writer: Any, tensors: dict[str, Any]) -> None:
    for name, values in tensors.items():
        writer.add_tensor(name, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def build_llama(file: Path, rng: np.random.Generator) -> None:
    """A Llama of one layer, in the form that llama.cpp loads."""
    from gguf import GGUFWriter, TokenType

    # The one merge that the format wants is of two bytes that no UTF-8 text holds.
    words = ["<s>", "</s>", *byte_tokens(), "ÿÿ", *YES_AND_NO]
    writer = GGUFWriter(file, "llama")
    for key, value in {
        "vocab_size": len(words), "context_length": 512, "embedding_length": WIDTH,
        "block_count": 1, "feed_forward_length": WIDTH, "rope.dimension_count": WIDTH // 2,
        "attention.head_count": 2, "attention.head_count_kv": 2,
    }.items():  # fmt: skip
        writer.add_uint32(f"llama.{key}", value)
    writer.add_float32("llama.attention.layer_norm_rms_epsilon", 1e-5)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(words)
    writer.add_token_types([TokenType.CONTROL] * 2 + [TokenType.NORMAL] * (len(words) - 2))
    writer.add_token_merges(["ÿ ÿ"])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(1)
    writer.add_chat_template(chat_template("{{ message['content'] }}"))
    tensors = {f"{name}.weight": noise(rng, len(words), WIDTH) for name in ("token_embd", "output")}
    likely = 50 * noise(rng, WIDTH)  # one case or the other of both words is likely at any place
    for place, word in enumerate(YES_AND_NO, len(words) - len(YES_AND_NO)):
        row = tensors["output.weight"][place]
        tensors["output.weight"][place] = row + (likely if word.islower() else -likely)
    for name in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"):
        tensors[f"blk.0.{name}.weight"] = noise(rng, WIDTH, WIDTH)
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        tensors[f"{name}.weight"] = ONE
    write_gguf(writer, tensors)


def build_eye(file: Path, rng: np.random.Generator) -> None:
    """The part that sees: pictures of 2 x 2 patches become four tokens of that Llama."""
    from gguf import GGUFWriter

    writer = GGUFWriter(file, "clip")
    writer.add_bool("clip.has_vision_encoder", True)
    writer.add_bool("clip.use_gelu", True)
    writer.add_string("clip.projector_type", "mlp")
    for key, value in {
        "image_size": 28, "patch_size": 14, "embedding_length": WIDTH, "block_count": 1,
        "feed_forward_length": WIDTH, "projection_dim": WIDTH, "attention.head_count": 2,
    }.items():  # fmt: skip
        writer.add_uint32(f"clip.vision.{key}", value)
    writer.add_float32("clip.vision.attention.layer_norm_epsilon", 1e-5)
    writer.add_array("clip.vision.image_mean", [0.5] * 3)
    writer.add_array("clip.vision.image_std", [0.5] * 3)
    tensors = {
        "v.class_embd": noise(rng, WIDTH),
        "v.patch_embd.weight": noise(rng, WIDTH, 3, 14, 14),
        "v.position_embd.weight": noise(rng, 5, WIDTH),
    }
    layers = [f"v.blk.0.attn_{part}" for part in ("q", "k", "v", "out")]
    for name in (*layers, "v.blk.0.ffn_up", "v.blk.0.ffn_down", "mm.0", "mm.2"):
        tensors |= {f"{name}.weight": noise(rng, WIDTH, WIDTH), f"{name}.bias": ZERO}
    for name in ("v.pre_ln", "v.blk.0.ln1", "v.blk.0.ln2"):
        tensors |= {f"{name}.weight": ONE, f"{name}.bias": ZERO}
    write_gguf(writer, tensors)


@contextmanager
def started(
    command: list[str], folder: Path, ready: Callable[[Path], str | None]
) -> Iterator[tuple[str, Path]]:
    """A server process, up until the block ends; `ready` finds its address in time."""
    log = folder / "server.log"
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    with log.open("wb") as printed:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=printed, stderr=subprocess.STDOUT
        )
    try:
        until = time.monotonic() + UP_WITHIN
        while (address := ready(log)) is None:
            if process.poll() is not None or time.monotonic() > until:
                pytest.fail(f"{command[1]} did not come up:\n{log.read_text()[-2000:]}")
            time.sleep(0.1)
        yield f"{address}/v1", log
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def healthy(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


@contextmanager
def transformers_serve(folder: Path) -> Iterator[Served]:
    build_llava(folder / SERVED)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    script = str(Path(sys.executable).parent / "transformers")
    options = ["--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]

    def ready(_log: Path) -> str | None:
        return f"http://127.0.0.1:{port}" if healthy(port) else None

    with started([sys.executable, script, "serve", SERVED, *options], folder, ready) as (url, log):
        # 2 x 2 patches of the whole, 4 x 4 of its quarters, and the ends of their four rows.
        yield Served(url, log, 4 + 16 + 4, "POST /v1/chat/completions")


@contextmanager
def llama_cpp(folder: Path, *, sees: bool) -> Iterator[Served]:
    rng = np.random.default_rng(0)
    text, eye = folder / "text.gguf", folder / "eye.gguf"
    build_llama(text, rng)
    build_eye(eye, rng)

    def ready(log: Path) -> str | None:
        lines = log.read_text(errors="replace").splitlines()
        return next((line for line in lines if line.startswith("http://")), None)

    command = [sys.executable, "-c", LLAMA_CPP, str(text), *([str(eye)] if sees else [])]
    with started(command, folder, ready) as (url, log):
        yield Served(url, log, 4 if sees else 0, "processing task")


@pytest.fixture(scope="module", params=["transformers serve", "llama.cpp"])
def seeing(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("seeing")
    if request.param == "llama.cpp":
        with llama_cpp(folder, sees=True) as served:
            yield served
    else:
        with transformers_serve(folder) as served:
            yield served


def subitize(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "subitize", *arguments],
        capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip


def name_dots(url: str, out: Path) -> subprocess.CompletedProcess[str]:
    return subitize(
        "run", "naming", "--model", f"openai/{SERVED}", "--base-url", url, "--out", str(out),
        "--per-cell", "1", "--max", str(TRIALS), "--size", "64", "--categories", "dots",
        "--prompt", "things", "--max-tokens", "8", "--json",
    )  # fmt: skip


def lines(run: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / name).read_text().splitlines()]


def requests_seen(served: Served) -> int:
    return served.log.read_text(errors="replace").count(served.request_mark)


def test_torchvision_is_absent() -> None:
    """Beside the CPU build of torch its published wheel breaks every import of transformers."""
    assert find_spec("torchvision") is None
    assert find_spec("timm") is None


def test_naming_by_a_server_of_another_project(seeing: Served, tmp_path: Path) -> None:
    done = name_dots(seeing.url, tmp_path)
    assert done.returncode == 0, done.stderr
    (scores,) = json.loads(done.stdout)
    assert scores["model"] == f"openai/{SERVED}"
    assert scores["trials"] == scores["asked"] == sum(scores["states"].values()) == TRIALS
    assert "failed" not in scores["states"]

    run = tmp_path / scores["run"]
    trials = {trial["id"]: trial for trial in lines(run, "trials.jsonl")}
    responses = lines(run, "responses.jsonl")
    assert {response["trial"] for response in responses} == set(trials)
    assert len(responses) == TRIALS
    for response in responses:
        assert response["kind"] == "text"
        assert response["value"]
        assert response["stop"] in ("stop", "length")
        # Both tokenizers make one token per byte: what is left over is the picture.
        asked = f"user: {trials[response['trial']]['question']} assistant: "
        assert response["usage"]["prompt_tokens"] - len(asked) == seeing.picture_tokens

    stored, seen = (run / "responses.jsonl").read_bytes(), requests_seen(seeing)
    assert seen == TRIALS
    again = name_dots(seeing.url, tmp_path)
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout) == [scores]
    assert (run / "responses.jsonl").read_bytes() == stored
    assert requests_seen(seeing) == seen

    page = tmp_path / "report.html"
    reported = subitize("report", str(run), "--out", str(page))
    assert reported.returncode == 0, reported.stderr
    assert f"openai/{SERVED}" in page.read_text()


def test_log_probabilities_of_a_real_server_make_a_matcher(tmp_path: Path) -> None:
    """Its P(yes) are those of its own first token, and differ by picture and sentence."""
    with llama_cpp(tmp_path, sees=True) as served:
        done = subitize(
            "run", "probe", "--model", f"yes/openai/{SERVED}", "--base-url", served.url, "--set",
            "items=3", "--set", "size=64", "--out", str(tmp_path / "runs"), "--json",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert requests_seen(served) == 12
    [scores] = json.loads(done.stdout)
    assert scores["states"] == {"read": 3}
    assert scores["calibrated"]
    assert scores["acc_r"]["value"] is not None
    [run] = (tmp_path / "runs").iterdir()
    given = [json.loads(one["value"])["scores"] for one in lines(run, "responses.jsonl")]
    assert len({score for one in given for score in one}) > 6
    assert all(0 < score < 1 for one in given for score in one)


def test_a_model_that_sees_nothing_ends_the_run_and_loses_nothing(tmp_path: Path) -> None:
    (tmp_path / "blind").mkdir()
    with llama_cpp(tmp_path / "blind", sees=False) as blind:
        done = name_dots(blind.url, tmp_path / "runs")
        printed = blind.log.read_text(errors="replace")
    assert done.returncode == 1
    assert done.stderr.count("image input is not supported") == 1
    assert f"{SERVED!r} can't see or make pictures" in done.stderr
    assert "--mmproj" in done.stderr
    assert "Traceback" not in done.stderr
    # Each trial in flight was asked once: no retries of what can't be mended by waiting.
    assert 1 <= printed.count("got exception") <= TRIALS
    (scores,) = json.loads(done.stdout)

    (tmp_path / "seeing").mkdir()
    with llama_cpp(tmp_path / "seeing", sees=True) as mended:
        done = name_dots(mended.url, tmp_path / "runs")
    assert done.returncode == 0, done.stderr
    (after,) = json.loads(done.stdout)
    assert after["run"] == scores["run"]
    assert after["asked"] == TRIALS
    assert "failed" not in after["states"]
