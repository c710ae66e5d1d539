"""What is known of a checkpoint before it is loaded, and what is said where it is not there."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from subitize.cli import main
from subitize.errors import BadInput
from subitize.models.hf.facts import look
from subitize.models.hf.opening import CLASSES, TESTED
from subitize.models.hf.standing import UNBUILT, standing
from tests.conftest import cpu_seconds
from tests.models.hub_server import COMMIT, PlayedHub
from tests.models.test_hf_namers import damaged
from tests.models.tiny_namers import FAMILIES
from tests.speed import within


def test_a_folder_tells_its_config_and_size(namers: dict[str, Path], tmp_path: Path) -> None:
    facts = look(str(namers["llava"]))
    assert (facts.where, facts.config["model_type"]) == ("folder", "llava")
    assert facts.weights is not None
    assert facts.size is not None
    assert 4 * facts.weights <= facts.size <= 4 * facts.weights + 50_000
    with pytest.raises(BadInput, match="There is no folder"):
        look(str(tmp_path / "none"))
    (tmp_path / "config.json").write_text("[]")
    with pytest.raises(BadInput, match="no JSON object"):
        look(str(tmp_path))
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "model.safetensors").write_bytes(b"\xff" * 9)
    assert look(str(tmp_path)).weights is None


@pytest.mark.parametrize(
    ("files", "wanted", "told"),
    [
        ("adapter_config.json", "config.json", "an adapter .*: merge it into its base model"),
        ("adapter_config.json config.json", "config.json", "left out: pip install peft, or merge"),
        ("model_index.json", "config.json", "it opens as diffusers/"),
        ("config.json", "model_index.json", "it opens as hf/"),
        ("README.md", "config.json", "holds no config.json"),
    ],
)
def test_what_is_another_kind_of_checkpoint_is_told_by_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: str, wanted: str, told: str
) -> None:
    """In a folder as on the hub; an adapter beside whole weights was left out in silence."""
    folder = tmp_path / "made" / "here"
    folder.mkdir(parents=True)
    for name in files.split():
        (folder / name).write_text("{}")
    with pytest.raises(BadInput, match=told):
        look(str(folder), file=wanted)
    if "no config" in told:
        return
    with PlayedHub(tmp_path) as hub:
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", hub.url)
        with pytest.raises(BadInput, match=told):
            look("made/here", file=wanted)
    assert hub.asked == []


def test_numbers_that_are_packed_are_not_taken_for_parameters(
    namers: dict[str, Path], tmp_path: Path
) -> None:
    """Four bits each, two to a number of the file: only the bytes are known."""
    folder = shutil.copytree(namers["llava"], tmp_path / "copy")
    config = json.loads((folder / "config.json").read_text())
    plain = look(str(folder))
    for method, known in (("bitsandbytes", None), ("fp8", plain.weights)):
        config["quantization_config"] = {"quant_method": method}
        (folder / "config.json").write_text(json.dumps(config))
        facts = look(str(folder))
        assert (facts.weights, facts.size) == (known, plain.size)


def test_doctor_says_what_to_install_for_packed_weights(
    namers: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is wrong with the files: a package is missing."""
    folder = shutil.copytree(namers["llava"], tmp_path / "copy")
    config = json.loads((folder / "config.json").read_text())
    config["quantization_config"] = {"quant_method": "compressed-tensors", "config_groups": {}}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(SystemExit):
        main(["doctor", "--model", f"hf/{folder}?isolated=false", "--json"])
    told = json.loads(capsys.readouterr().out)["model"]
    assert "compressed-tensors" in told["problem"]
    assert told["what to do"] == "install the package that the problem names, and try again"


def test_a_name_inside_a_folder_that_is_here_is_none_of_the_hub(
    namers: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(namers["llava"], tmp_path / "odd" / "llava")
    monkeypatch.chdir(tmp_path)
    asked = []
    monkeypatch.setattr("subitize.models.hf.facts._on_hub", lambda *given: asked.append(given))
    with pytest.raises(BadInput, match=r"no folder odd/lava \(odd holds llava\).*revision=main"):
        look("odd/lava")
    assert look("odd/llava").where == "folder"
    assert not asked
    look("odd/lava", "main")
    look("other/lava")
    assert [given[:2] for given in asked] == [("odd/lava", "main"), ("other/lava", None)]


def test_of_every_family_that_writes_it_is_known_why_it_is_not_tested() -> None:
    """Tested, or in need of torchvision, or named with a reason; nothing is named in vain."""
    from transformers.models.auto import modeling_auto

    kinds = vars(modeling_auto)["MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES"]
    known = {
        family: standing({"model_type": family, "architectures": [kind]}, TESTED, CLASSES)
        for family, kind in kinds.items()
    }
    untested = {family: told["why"] for family, told in known.items() if told["class"] != "tested"}
    reasons = {family: why for family, why in untested.items() if "torchvision, and" not in why}
    assert reasons == UNBUILT
    assert all(FAMILIES.get(family) for family in TESTED if family[0].islower())
    assert len(kinds) - len(untested) >= 60


@pytest.mark.parametrize(
    ("damage", "todo"),
    [("cut", "file of its weights is damaged"), ("config", "config.json does not describe"),
     ("program", "file of its weights is damaged"), ("tokenizer", "download the whole folder")],
)  # fmt: skip
def test_doctor_says_what_to_do_about_the_damage(
    namers: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str],
    damage: str, todo: str,
) -> None:  # fmt: skip
    folder = shutil.copytree(namers["llava"], tmp_path / "copy")
    damaged(folder, damage)
    with pytest.raises(SystemExit) as end:
        main(["doctor", "--model", f"hf/{folder}?isolated=false", "--json"])
    assert end.value.code == 1
    assert todo in json.loads(capsys.readouterr().out)["model"]["what to do"]


@contextmanager
def hub(kind: str) -> Iterator[str]:
    """The address of a hub that refuses, does not exist, or takes a call and never answers."""
    if kind != "silent":
        yield {"refusing": "http://127.0.0.1:9", "nowhere": "https://no-such-host.invalid"}[kind]
        return
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(50)
        yield f"http://127.0.0.1:{silent.getsockname()[1]}"
        silent.setblocking(False)
        calls = 0
        with contextlib.suppress(BlockingIOError):
            while True:
                silent.accept()[0].close()
                calls += 1
        # A call is given up after 4 s: told within 10 s on a busy machine, too.
        assert calls == 1


@pytest.mark.parametrize(
    ("kind", "command"),
    [
        ("refusing", "run naming --model hf/made/here"),
        ("nowhere", "run naming --model hf/made/here"),
        ("silent", "doctor --model hf/made/here"),
        ("silent", "run production --model diffusers/made/here"),
        ("silent", "run production --model painter/shapes --counter owl?checkpoint=made/here"),
        ("silent", "run naming --model inspect/hf/made/here"),
    ],
)
def test_a_hub_that_is_not_there_is_told_within_seconds(
    tmp_path: Path, kind: str, command: str
) -> None:
    begun = cpu_seconds()
    with hub(kind) as endpoint:
        done = subprocess.run(
            [sys.executable, "-m", "subitize", *command.split()],
            capture_output=True, text=True, check=False, cwd=tmp_path,
            env={**os.environ, "HF_HUB_CACHE": str(tmp_path / "hub"), "HF_ENDPOINT": endpoint},
        )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert "hf download made/here --local-dir FOLDER" in done.stderr
    assert "Traceback" not in done.stderr
    assert within(cpu_seconds() - begun, 10)


def doctored(endpoint: str, cache: Path, *words: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "subitize", "doctor", "--json", "--model", *words],
        capture_output=True, text=True, check=False,
        env={**os.environ, "HF_HUB_CACHE": str(cache), "HF_ENDPOINT": endpoint},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Retrying" not in done.stderr, "a hub that is gone is asked again and again"
    found: dict[str, Any] = json.loads(done.stdout)["model"]
    return found


@pytest.mark.budget(60)
def test_doctor_downloads_no_weights_unless_wished(
    namers: dict[str, Path], painters: dict[str, Path], tmp_path: Path
) -> None:
    """Twice, since the first look leaves the config in the cache; then whole, without the hub."""
    root, cache = tmp_path / "root", tmp_path / "cache"
    shutil.copytree(namers["llava"], root / "made" / "namer")
    painted = painters["stable-diffusion"]
    shutil.copytree(painted, root / "made" / "painter")
    whole = {
        "namer": look(str(namers["llava"])),
        "painter": look(str(painted), file="model_index.json"),
    }
    with PlayedHub(root) as hub:
        for name in ("hf/made/namer", "hf/made/namer", "diffusers/made/painter"):
            told, known = doctored(hub.url, cache, name), whole[name.rpartition("/")[2]]
            assert (told["where"], told["revision"], told["fits"]) == ("hub", COMMIT, True)
            assert (told["parameters"], told["bytes"]) == (known.parameters, known.size)
            assert "reply" not in told
        fetched = [one for one in hub.asked if one.startswith("GET") and "bytes=" not in one]
        assert set(fetched) <= {"GET config.json", "GET model_index.json"}
        assert "reply" in doctored(hub.url, cache, "hf/made/namer?max_tokens=2", "--ask")
        endpoint = hub.url
    told = doctored(endpoint, cache, "hf/made/namer?max_tokens=2")
    assert (told["where"], "reply" in told) == ("cache", True)


def test_only_the_weights_that_are_loaded_are_counted(
    namers: dict[str, Path], painters: dict[str, Path], tmp_path: Path
) -> None:
    """Beside them may lie the same once more, as the hub's repositories have it."""
    plain = look(str(namers["llava"]))
    folder = shutil.copytree(namers["llava"], tmp_path / "namer")
    for name in ("consolidated.safetensors", "model.fp16.safetensors"):
        shutil.copy(folder / "model.safetensors", folder / name)
    (folder / "pytorch_model.bin").write_bytes(b"the same in another format")
    assert look(str(folder))[3:] == plain[3:]
    plain = look(str(painters["stable-diffusion"]), file="model_index.json")
    assert plain.weights is not None
    folder = shutil.copytree(painters["stable-diffusion"], tmp_path / "painter")
    (folder / "text_encoders").mkdir()
    shutil.copy(folder / "vae/diffusion_pytorch_model.safetensors", folder / "text_encoders")
    assert look(str(folder), file="model_index.json")[3:] == plain[3:]
