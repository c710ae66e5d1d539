"""Where models compute: threads of this process, a child of its own, or somewhere else."""

from __future__ import annotations

import asyncio
import os
import random
import threading
from collections.abc import Callable, Sequence
from io import BytesIO
from itertools import islice
from pathlib import Path
from queue import Queue
from typing import Any, ClassVar

import pytest

from subitize.benchmarks.catalog import get_benchmark
from subitize.errors import BadInput, Hopeless, SubitizeError, WorkerLost
from subitize.models import child
from subitize.models.base import Answers, Item, Kind, Model, ModelOptions, Reply
from subitize.models.catalog import open_model
from subitize.runs import engines
from subitize.runs.driver import item_seed
from subitize.runs.engines import Answered, Asked, LocalEngine
from subitize.runs.run import Outcome, RunOptions, run_benchmark
from tests.runs.conftest import QUICK, responses_of
from tests.scored import load_run, score_run

SMALL = {"per_cell": 4, "max": 5, "size": 64, "prompt": "things", "categories": ("dots", "apples")}
TRIALS = 2 * 5 * 4 + 20


def ask(model: Model, out: Path, **options: Any) -> Outcome:
    benchmark = get_benchmark("naming")
    settings = benchmark.settings_from(SMALL)
    return run_benchmark(
        benchmark, settings, model, out, RunOptions(progress=False, policy=QUICK, **options)
    )


class Looks(Model):
    """Computes a batch only once the next batch was drawn: without overlap it waits in vain."""

    kinds: ClassVar[tuple[Kind, ...]] = ("namer",)
    batch_size = 4

    def __init__(self) -> None:
        super().__init__("test/looks")
        self.drawn = threading.Semaphore(0)
        self.waited_in_vain = 0
        self.batches: list[int] = []

    def name(self, items: Sequence[Item]) -> Answers:
        self.batches.append(len(items))
        if len(self.batches) == 2 and not self.drawn.acquire(timeout=60):
            self.waited_in_vain += 1
        return [Reply("text", "3") for _ in items]


def test_the_next_batch_is_drawn_while_this_one_computes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Looks()
    count = 0
    drawing = engines.render

    def render(stimulus: Any) -> Any:
        nonlocal count
        count += 1
        if count == 3 * model.batch_size:  # the last picture of the third batch
            model.drawn.release()
        return drawing(stimulus)

    monkeypatch.setattr(engines, "render", render)
    outcome = ask(model, tmp_path)
    assert outcome.complete
    assert model.waited_in_vain == 0
    assert max(model.batches) == 4


def test_a_child_draws_the_batch_that_comes_next_while_this_one_computes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    naming = get_benchmark("naming")
    trials = list(islice(naming.trials("ask", naming.settings_from(SMALL), {}), 3))
    batch = [
        child.pack_item(trial.stimulus, Item(trial.id, trial.question, thing="dots"))
        for trial in trials
    ]
    drawn: list[str] = []
    drawing = child.render

    def render(stimulus: Any) -> Any:
        drawn.append(str(stimulus.recipe))
        return drawing(stimulus)

    monkeypatch.setattr(child, "render", render)
    answerer = child.Answerer({"name": "counter/blobs", "options": {}, "kind": "counter"})
    pipe = BytesIO()
    child.write_message(pipe, {"ahead": batch})
    pipe.seek(0)
    child._listen(pipe, answerer, waiting := Queue())
    assert waiting.get() is None  # the end of the pipe: a batch to be drawn is none to be answered
    shown = [future.result() for future in answerer.draw(batch) if future is not None]
    assert drawn == [str(trial.stimulus.recipe) for trial in trials]
    found = answerer.answer(batch)
    answerer.close()
    assert found["hashes"] == [picture.sha256 for picture in shown]
    assert len(found["answers"]) == len(drawn) == 3, "nothing is drawn twice"


class Waits(Model):
    """A third party's model that waits on something and calls itself neither paid nor special."""

    kinds: ClassVar[tuple[Kind, ...]] = ("namer",)

    def __init__(self) -> None:
        super().__init__("test/waits")
        self.under_way = self.most = 0

    async def name(self, items: Sequence[Item]) -> Answers:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        await asyncio.sleep(0.01)
        self.under_way -= 1
        return [Reply("text", "2") for _ in items]


def test_a_model_that_waits_gets_its_concurrency(tmp_path: Path) -> None:
    model = Waits()
    assert ask(model, tmp_path, concurrency=7, budget_calls=0).complete
    assert model.most == 7


class Raises(Model):
    """Fails in a way nobody foresaw, on one trial in ten."""

    kinds: ClassVar[tuple[Kind, ...]] = ("namer",)
    batch_size = 8

    def name(self, items: Sequence[Item]) -> Answers:
        if any(item.seed % 10 == 0 for item in items):
            raise ZeroDivisionError("the weights are zero")
        return [Reply("text", "1") for _ in items]


def test_a_model_that_raises_anything_costs_its_items_not_the_run(tmp_path: Path) -> None:
    outcome = ask(Raises("test/raises"), tmp_path)
    failed = [line for line in responses_of(outcome.folder) if line["stop"] == "failed"]
    assert 0 < len(failed) == outcome.failed < TRIALS
    assert all(line["note"] == "ZeroDivisionError: the weights are zero" for line in failed)


class Odd(Model):
    """Raises or gives something else in its second call."""

    kinds = ("namer",)
    batch_size = 2

    def __init__(self, name: str, answer: BaseException | list[object] | None) -> None:
        super().__init__(name)
        self.answer, self.calls = answer, 0

    def name(self, items: Sequence[Item]) -> Any:
        self.calls += 1
        if self.calls not in (2, 3, 4):
            return [Reply("text", "1") for _ in items]
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


class OddAndWaiting(Odd):
    batch_size = 1

    async def name(self, items: Sequence[Item]) -> Any:  # type: ignore[override]
        return super().name(items)


@pytest.mark.parametrize("kind", [Odd, OddAndWaiting])
@pytest.mark.parametrize(
    ("answer", "note"),
    [
        (SystemExit("boo"), "SystemExit: boo"), (AssertionError("boo"), "AssertionError: boo"),
        (None, "TypeError"), (["x"] * 2, ""), ([None], "where a Reply belongs"),
        ([], "0 replies"), ([Reply("text", b"1")], "its text is of the type bytes"),
        ([Reply("words", "1")], "of the kind 'words'"),  # type: ignore[arg-type]
        ([Reply("boxes", [[0, 0, 1, 1, 0.5]])], "holds no boxes"),
        ([Reply("boxes", {"boxes": [[0, 0, 1, 1, float("nan")]]})], "not a finite number"),
        ([Reply("picture", b"1")], "it gave picture where a namer gives text"),
        ([Reply("text", 10**5000)], "its text can't be stored: ValueError"),
        ([Reply("text", "1", facts={"seen": 10**5000})], "its text can't be stored: ValueError"),
        ([Reply("scores", {"scores": [1, 3]})], "it gave scores where"),
        (GeneratorExit("boo"), "GeneratorExit: boo"), (BaseException("boo"), "Exception: boo"),
        (asyncio.CancelledError("boo"), "CancelledError: boo"),
        ([Reply("text", "1", None)], "the stop of its reply"),  # type: ignore[arg-type]
        ([Reply("text", "1", "stop", None)], "the usage of its reply"),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_whatever_a_model_raises_or_gives_costs_its_items_only(
    tmp_path: Path, kind: type[Odd], answer: Any, note: str
) -> None:
    outcome = ask(kind("test/odd", answer), tmp_path)
    failed = [line for line in responses_of(outcome.folder) if line["stop"] == "failed"]
    assert 0 < len(failed) == outcome.failed < TRIALS
    assert all(note in line["note"] for line in failed)


class CantOpen(Raises):
    def __init__(self, problem: BaseException) -> None:
        super().__init__("test/shut")
        self.problem = problem

    async def open(self) -> None:
        raise self.problem


@pytest.mark.parametrize("problem", [RuntimeError("no weights"), SystemExit("no weights")])
def test_a_model_that_cant_be_opened_is_told(tmp_path: Path, problem: BaseException) -> None:
    with pytest.raises(Hopeless, match=r"test/shut can't be opened: \w+: no weights"):
        ask(CantOpen(problem), tmp_path)


class Half(Model):
    kinds = ("namer",)


def test_a_model_without_its_method_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="calls itself a namer, but has no method `name`"):
        ask(Half("test/half"), tmp_path)
    assert not list(tmp_path.iterdir())


class CancelsEverything(Model):
    kinds = ("namer",)

    async def name(self, items: Sequence[Item]) -> list[Reply]:
        for task in asyncio.all_tasks():
            task.cancel()
        await asyncio.sleep(0)
        return [Reply("text", "1") for _ in items]


def test_a_model_that_ends_the_runs_own_task_is_told(tmp_path: Path) -> None:
    """Else the trials that are left would go unasked, and the run would be called complete."""
    outcome = ask(CancelsEverything("test/cancels"), tmp_path)
    assert not outcome.complete
    assert "ended the run's own task" in str(outcome.error)


class Elsewhere:
    """A toy cluster: answers come in any order, and one batch in four loses its worker."""

    def __init__(self, model: Model, kind: Kind, concurrency: int) -> None:
        self._inner = LocalEngine(model, kind, concurrency)
        self._random = random.Random(3)
        self.capacity = 4 * model.batch_size
        self.lost = 0

    async def open(self) -> None:
        await self._inner.open()

    async def close(self) -> None:
        await self._inner.close()

    async def submit(self, asked: Sequence[Asked]) -> list[Answered]:
        await asyncio.sleep(self._random.random() * 0.01)
        if len(asked) > 1 and (not self.lost or self._random.random() < 0.25):
            self.lost += 1
            raise WorkerLost("the node is gone")
        return await self._inner.submit(asked)


def test_half_of_a_run_here_and_half_elsewhere_scores_byte_for_byte_the_same(
    tmp_path: Path,
) -> None:
    made: list[Elsewhere] = []

    def elsewhere(model: Model, kind: Kind, concurrency: int) -> Elsewhere:
        made.append(Elsewhere(model, kind, concurrency))
        return made[-1]

    name = "sim/random"
    whole = ask(open_model(name), tmp_path / "whole")
    ask(open_model(name), tmp_path / "parts", limit=23)
    parts = ask(open_model(name), tmp_path / "parts", engine=elsewhere)
    assert whole.complete
    assert parts.complete
    assert made[0].lost > 0
    keys = [line["trial"] for line in responses_of(parts.folder)]
    assert len(keys) == len(set(keys)) == TRIALS
    score_run(whole.folder)
    score_run(parts.folder)
    assert (whole.folder / "scores.json").read_bytes() == (
        parts.folder / "scores.json"
    ).read_bytes()


class Dies(Elsewhere):
    """A worker that is lost with some items, and with the batches that hold them."""

    def __init__(self, kills: Callable[[Item], bool], *about: Any) -> None:
        super().__init__(*about)
        self._kills = kills
        self.deaths = self.answered = 0

    async def submit(self, asked: Sequence[Asked]) -> list[Answered]:
        if any([self._kills(item) for _, item in asked]):  # noqa: C419  each is met
            self.deaths += 1
            raise WorkerLost("last words: out of memory")
        self.answered += len(asked)
        return await self._inner.submit(asked)


def asked_of(dies: list[Dies], kills: Callable[[int], bool], out: Path) -> Outcome:
    """Ask a worker that is lost with the nth item it meets, where `kills` says so."""
    met: dict[str, int] = {}

    def kills_item(item: Item) -> bool:
        return kills(met.setdefault(item.trial, len(met)))

    def engine(*about: Any) -> Dies:
        dies.append(Dies(kills_item, *about))
        return dies[-1]

    model = open_model("sim/perfect")
    model.batch_size = 8
    return ask(model, out, engine=engine)


def test_the_third_death_in_a_row_ends_the_run_with_the_last_words(tmp_path: Path) -> None:
    dies: list[Dies] = []
    outcome = asked_of(dies, lambda _: True, tmp_path)
    assert not outcome.complete
    assert "died 3 times one after another: last words: out of memory" in str(outcome.error)
    assert dies[0].deaths == 3
    assert outcome.received == 0


def test_items_that_kill_side_by_side_cost_themselves_alone(tmp_path: Path) -> None:
    dies: list[Dies] = []
    outcome = asked_of(dies, lambda place: place in (40, 41, 50), tmp_path)
    assert outcome.error is None
    assert outcome.failed == 3
    assert len(responses_of(outcome.folder)) == TRIALS


def test_a_run_that_begins_with_items_that_kill_goes_on(tmp_path: Path) -> None:
    """Each in the first batch of its own: batches side by side are no row of deaths."""
    dies: list[Dies] = []
    outcome = asked_of(dies, lambda place: place in (0, 8, 16), tmp_path)
    assert outcome.error is None
    assert outcome.failed == 3
    assert len(responses_of(outcome.folder)) == TRIALS


def test_a_model_that_begins_to_die_is_given_up_soon_and_loses_no_answer(tmp_path: Path) -> None:
    dies: list[Dies] = []
    outcome = asked_of(dies, lambda place: place >= 20, tmp_path)
    assert "died 3 times one after another" in str(outcome.error)
    stored = responses_of(outcome.folder)
    assert sum(line["stop"] != "failed" for line in stored) == dies[0].answered
    # A few batches under way and three items, however large a batch is.
    assert dies[0].deaths <= 3 + 4
    resumed = asked_of(dies, lambda _: False, tmp_path)
    assert resumed.complete
    assert len({line["trial"] for line in responses_of(outcome.folder)}) == TRIALS


class Breaks(Elsewhere):
    """An engine with a fault of its own."""

    async def submit(self, asked: Sequence[Asked]) -> list[Answered]:
        raise ZeroDivisionError("no place for it")


def test_an_engine_that_breaks_is_told_and_nobody_waits_for_ever(tmp_path: Path) -> None:
    outcome = ask(open_model("sim/perfect"), tmp_path, engine=Breaks)
    assert str(outcome.error) == "ZeroDivisionError: no place for it"


MORTAL = """
import os
import subprocess
import sys
import time
from subitize.models.base import Model, Reply


class Mortal(Model):
    kinds = ("namer",)
    batch_size = 4
    isolated = True

    def name(self, items):
        print("this must not get among the messages")
        for item in items:
            what = item.seed % 20
            if what == 1:
                os.kill(os.getpid(), 9)
            if what == 2:
                time.sleep(3600)
            if what == 3:
                raise KeyError("no such weight")
        return [Reply("text", str(len(item.picture) > 100)) for item in items]


class Odd(Model):
    kinds = ("namer",)
    isolated = True

    async def open(self):
        what = self.settings.get("opens")
        if what == "raise":
            raise RuntimeError("no weights")
        if what == "exit":
            sys.stderr.write("Traceback\\n  a place\\nno GPU\\n")
            sys.stderr.flush()
            os._exit(7)
        if what == "start":
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])

    async def name(self, items):
        told = {"what": object(), "half": "\\ud800"}
        return [Reply("text", "7 \\ud800", "stop", {}, told) for _ in items]


def open_mortal(name, options):
    kind = Odd if "odd" in name.full else Mortal
    return kind(name.full, dict(name.settings))
"""


@pytest.fixture
def mortal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A package of somebody else's whose model takes its process down now and then."""
    package = tmp_path / "site"
    info = package / "mortal-1.0.dist-info"
    info.mkdir(parents=True)
    (package / "mortal.py").write_text(MORTAL)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mortal\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[subitize.models]\nmortal = mortal:open_mortal\n")
    monkeypatch.syspath_prepend(str(package))
    before = os.environ.get("PYTHONPATH", "")
    monkeypatch.setenv("PYTHONPATH", f"{package}{os.pathsep}{before}")
    return "mortal/one"


@pytest.mark.budget(60)
def test_a_model_that_hangs_or_kills_its_process_costs_its_batch(
    tmp_path: Path, mortal: str
) -> None:
    model = open_model(mortal, ModelOptions(timeout=8.0))
    outcome = ask(model, tmp_path / "runs")
    notes = {line["note"] for line in responses_of(outcome.folder) if line["stop"] == "failed"}
    fine = [line for line in responses_of(outcome.folder) if line["stop"] != "failed"]
    by_fate = {1: "exit -9", 2: "no answer within", 3: "KeyError"}
    seeds = {line["trial"]: seed_of(model, line) % 20 for line in responses_of(outcome.folder)}
    for fate, words in by_fate.items():
        if fate in seeds.values():
            assert any(words in note for note in notes), (fate, notes)
    assert {line["trial"] for line in fine} == {
        t for t, fate in seeds.items() if fate not in by_fate
    }
    assert all(line["value"] == "True" for line in fine)
    assert load_run(outcome.folder).answers.height == TRIALS


@pytest.mark.budget(20)
@pytest.mark.parametrize(
    ("opens", "told"),
    [("raise", "can't be opened: RuntimeError: no weights"),
     ("exit", "did not load: exit 7, last words: no GPU")],
)  # fmt: skip
def test_a_child_that_cant_load_is_told_in_its_last_words(
    tmp_path: Path, mortal: str, opens: str, told: str
) -> None:
    with pytest.raises(SubitizeError, match=f"odd[^ ]* {told}$"):
        ask(open_model(f"mortal/odd?opens={opens}"), tmp_path / "runs")


@pytest.mark.budget(20)
def test_a_child_that_waits_tells_odd_things_and_leaves_a_process_behind(
    tmp_path: Path, mortal: str
) -> None:
    outcome = ask(open_model("mortal/odd?opens=start"), tmp_path / "runs")
    assert outcome.complete
    assert {line["value"] for line in responses_of(outcome.folder)} == {"7 \ufffd"}


@pytest.mark.budget(20)
def test_whoever_waits_for_weights_hears_it(
    tmp_path: Path, mortal: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(engines, "SILENCE", 0.01)  # to start a process takes longer
    assert ask(open_model("mortal/odd"), tmp_path / "runs").complete
    assert "subitize: mortal/odd is being loaded (" in capsys.readouterr().err


def seed_of(model: Model, line: dict[str, Any]) -> int:
    key = (
        line["trial"],
        line["respondent"],
        line["settings_hash"],
        line["sample"],
        line["attempt"],
    )
    return item_seed(model.settings, key)
