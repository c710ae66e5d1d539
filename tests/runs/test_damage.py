"""Damaged run folders: every command names what is wrong, and never ends in a raw exception."""

from __future__ import annotations

import random
import shutil
import tarfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson
import pytest

from subitize.api import load, report
from subitize.benchmarks.catalog import get_benchmark
from subitize.errors import SubitizeError, WrongRun
from subitize.models.catalog import open_model
from subitize.opening import load_stored
from subitize.runs.old_format import import_run
from subitize.runs.run import RunOptions, run_benchmark
from subitize.runs.stored import score_run

SMALL = {"per_cell": 1, "max": 2, "size": 64, "prompt": "things", "categories": ("dots",)}
RECORDED = Path(__file__).parents[1] / "guards" / "runs_of_0.1.tar.xz"
JUNK: tuple[Any, ...] = (None, True, 7, -1.5, "", "x", [], [1], {}, {"a": 1}, "99", 1e308)


def go(out: Path) -> Path:
    benchmark = get_benchmark("naming")
    settings = benchmark.settings_from(SMALL)
    options = RunOptions(progress=False)
    return run_benchmark(benchmark, settings, open_model("sim/chatty"), out, options).folder


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with every file that one may have."""
    out = tmp_path_factory.mktemp("whole")
    folder = go(out)
    score_run(load_stored(folder))
    (folder / "excluded.json").write_bytes(b'{"x": "a reason"}')
    return out


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    listed = enumerate(value) if isinstance(value, list) else ()
    for name, one in value.items() if isinstance(value, dict) else listed:
        yield from places(one, (*path, name))


def changed(whole: Any, path: tuple[Any, ...], value: Any) -> Any:
    """A JSON value with another one in a place, or with that place gone."""
    if not path:
        return value
    copy = orjson.loads(orjson.dumps(whole))
    at = copy
    for name in path[:-1]:
        at = at[name]
    if value is ...:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return copy


def line_damages(content: bytes, rng: random.Random) -> Iterator[tuple[str, bytes]]:
    """A field of one line gone or of another type, for every field."""
    lines = content.splitlines()
    entry = orjson.loads(lines[1])
    for path in places(entry):
        for value in (..., *rng.sample(JUNK, 4)):
            if path or value is not ...:
                made = orjson.dumps(changed(entry, path, value))
                damaged = b"\n".join([lines[0], made, *lines[2:]]) + b"\n"
                yield f"{'.'.join(map(str, path))} = {value!r}", damaged


def object_damages(content: bytes, rng: random.Random) -> Iterator[tuple[str, bytes]]:
    entry = orjson.loads(content)
    for path in places(entry):
        for value in (..., *rng.sample(JUNK, 4)):
            if path or value is not ...:
                made = orjson.dumps(changed(entry, path, value))
                yield f"{'.'.join(map(str, path))} = {value!r}", made


def byte_damages(content: bytes, rng: random.Random) -> Iterator[tuple[str, bytes]]:
    """Cuts, turned bytes, zeros, junk: what disks and editors do to any file."""
    size = len(content)
    yield "empty", b""
    yield "zeros", bytes(size)
    yield "junk", rng.randbytes(size)
    yield "no UTF-8", content.replace(b"d", b"\xff", 3)
    yield "a byte order mark", b"\xef\xbb\xbf" + content
    yield "doubled", content + content
    yield "line ends of Windows", content.replace(b"\n", b"\r\n")
    yield "empty lines", content.replace(b"\n", b"\n\n")
    yield "nested deep", b"[" * 100_000 + b"\n"
    for _ in range(12):
        at = rng.randrange(size)
        yield f"cut at {at}", content[:at]
        turned = bytearray(content)
        turned[at] ^= 1 << rng.randrange(8)
        yield f"turned at {at}", bytes(turned)
        yield f"hole at {at}", content[:at] + content[at + rng.randrange(1, 40) :]


def score(out: Path) -> None:
    for folder in out.iterdir():
        score_run(load_stored(folder))


def resume(out: Path) -> None:
    go(out)
    score(out)


def show(out: Path) -> None:
    report([load(folder) for folder in out.iterdir()], out.parent / "report.html")


USES: dict[str, Callable[[Path], None]] = {"score": score, "resume": resume}
FILES = (
    "run.json", "trials.jsonl", "responses.jsonl", "answers.parquet", "scores.json",
    "excluded.json",
)  # fmt: skip


def damages(name: str, content: bytes, rng: random.Random) -> Iterator[tuple[str, bytes]]:
    yield from byte_damages(content, rng)
    if name.endswith(".jsonl"):
        yield from line_damages(content, rng)
    elif name.endswith(".json"):
        yield from object_damages(content, rng)


@pytest.mark.budget(90)
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("name", FILES)
def test_every_damage_is_told_in_plain_words(
    whole: Path, tmp_path: Path, name: str, use: str
) -> None:
    rng = random.Random(f"{name} {use}")
    (source,) = whole.iterdir()
    content = (source / name).read_bytes()
    every = list(damages(name, content, rng))
    out = tmp_path / "runs"
    for how, damaged in rng.sample(every, min(len(every), 60)):
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(whole, out)
        (out / source.name / name).write_bytes(damaged)
        try:
            USES[use](out)
        except SubitizeError:
            continue
        except BaseException as problem:
            raise AssertionError(f"{name}, {how}, {use}: {problem!r}") from problem


@pytest.mark.parametrize("name", [*FILES, "images"])
@pytest.mark.parametrize("use", USES)
def test_missing_files_and_folders_in_their_place(
    whole: Path, tmp_path: Path, name: str, use: str
) -> None:
    (source,) = whole.iterdir()
    for there in (False, True):
        out = tmp_path / f"runs {there}"
        shutil.copytree(whole, out)
        path = out / source.name / name
        path.unlink(missing_ok=True)
        if there:
            path.mkdir()
            (path / "x").write_bytes(b"x")
        with suppress(SubitizeError):
            USES[use](out)


@pytest.mark.parametrize("size", ["7 B", [], {}])
def test_a_size_of_the_model_that_is_no_number_is_damage(
    whole: Path, tmp_path: Path, size: object
) -> None:
    """It stands among the scores, which the terminal shows as numbers."""
    folder = tmp_path / "run"
    (source,) = whole.iterdir()
    shutil.copytree(source, folder)
    info = orjson.loads((folder / "run.json").read_bytes())
    (folder / "run.json").write_bytes(orjson.dumps({**info, "parameters": size}))
    with pytest.raises(SubitizeError, match=r"damaged: it lacks parameters \(a number\)"):
        load_stored(folder)


def test_a_version_that_nobody_knows_is_refused(whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "runs"
    shutil.copytree(whole, out)
    (folder,) = out.iterdir()
    info = orjson.loads((folder / "run.json").read_bytes())
    (folder / "run.json").write_bytes(orjson.dumps(info | {"version": "99"}))
    with pytest.raises(WrongRun, match="version '99' of naming"):
        score(out)


def test_doubled_lines_of_the_plan_are_scored_once(whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "runs"
    shutil.copytree(whole, out)
    (folder,) = out.iterdir()
    before = score_run(load_stored(folder))
    for name in ("trials.jsonl", "responses.jsonl"):
        path = folder / name
        path.write_bytes(path.read_bytes() * 2)
        assert score_run(load_stored(folder)) == before


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of format 1, with a counter's reading run and a calibration."""
    out = tmp_path_factory.mktemp("old")
    with tarfile.open(RECORDED) as archive:
        wanted = [one for one in archive.getmembers() if "blank-0.3-size-160-w-0.2" in one.name]
        archive.extractall(out, wanted, filter="data")
    (folder,) = out.iterdir()
    (folder / "excluded.json").write_bytes(b'{"x": "a reason"}')
    return folder


@pytest.mark.budget(30)
@pytest.mark.parametrize(
    "name",
    ["run.json", "trials.jsonl", "responses.jsonl", "calibration.json", "excluded.json",
     "readings/*/run.json", "readings/*/trials.jsonl", "readings/*/responses.jsonl"],
)  # fmt: skip
def test_every_damage_of_an_old_folder_is_told_and_leaves_nothing_half_made(
    old: Path, tmp_path: Path, name: str
) -> None:
    rng = random.Random(name)
    benchmark = get_benchmark("production")
    copy, out = tmp_path / "old", tmp_path / "runs"
    shutil.copytree(old, copy)
    (path,) = copy.glob(name)
    content = path.read_bytes()
    every = [(how, made) for how, made in damages(name, content, rng)]
    for how, damaged in rng.sample(every, min(len(every), 40)):
        path.write_bytes(damaged)
        try:
            shutil.rmtree(import_run(copy, benchmark, out))
        except SubitizeError:
            assert not list(out.glob("*")), how
        except BaseException as problem:
            raise AssertionError(f"{name}, {how}: {problem!r}") from problem
    path.unlink()
    with suppress(SubitizeError):
        import_run(copy, benchmark, out)


def test_an_old_folder_is_imported_by_whatever_path(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(old)
    made = import_run(Path(), get_benchmark("production"), tmp_path / "runs")
    assert made == tmp_path / "runs" / old.name
