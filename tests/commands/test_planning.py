"""Before paying: `subitize plan`, the line before a paid run, dollars; and what repeats a run."""

from __future__ import annotations

import re
from pathlib import Path

import orjson
import pytest

import subitize
from subitize.measures.paired import trials_needed
from subitize.runs.estimating import REPLY_TOKENS, picture_tokens
from tests.chat_server import ChatServer
from tests.commands.test_bad_input import check
from tests.commands.test_bad_input import subitize as command

SMALL = ["--per-cell", "2", "--max", "3", "--size", "64", "--categories", "apples,dots"]
PICTURES = 2 * 3 * 2
FORMS, CONTROL = 3, 2 * 3
REQUESTS = PICTURES * FORMS + CONTROL


@pytest.mark.budget(20)
def test_a_plan_counts_what_a_run_then_asks(tmp_path: Path) -> None:
    with ChatServer() as server:
        server.keep_bodies = True
        words = ["naming", "--model", "openai/test", "--base-url", server.url, *SMALL]
        priced = ["--price-in", "2", "--price-out", "8"]
        done = command("plan", *words, *priced, "--json")
        check(done, 0)
        assert not server.seen
        assert not list(tmp_path.iterdir())
        [found] = orjson.loads(done.stdout)
        run = command("run", *words, *priced, "--out", str(tmp_path))
        check(run, 0, f"openai/test: {REQUESTS} requests, {REQUESTS} pictures")
        assert found["requests"] == len(server.seen) == REQUESTS
        sent = sum(
            len(body["messages"][-1]["content"][1]["image_url"]["url"]) for body in server.bodies
        )
    assert found["bytes"] == pytest.approx(sent, rel=0.25)
    assert found["trials"] == {"ask": PICTURES * FORMS, "control": CONTROL}
    assert found["distinct"] == PICTURES
    assert found["tokens_out"] == REQUESTS * REPLY_TOKENS
    assert found["tokens_in"] > REQUESTS * picture_tokens(64, 64)
    price = (found["tokens_in"] * 2 + found["tokens_out"] * 8) / 1e6
    assert found["usd"] == pytest.approx(price)
    # the line is said before the first request, the bill after the last
    line = run.stderr.index(f"{REQUESTS} requests, {REQUESTS} pictures")
    assert re.search(r"about 0\.\d\d US dollars", run.stderr[line:])
    assert f"{REQUESTS * (10 * 2 + 5 * 8) / 1e6:.4f} US dollars" in run.stderr


def test_a_plan_needs_no_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    planned = command("plan", "naming", "--model", "openai/gpt-4o", *SMALL)
    check(planned, 0)
    assert f"requests   {REQUESTS}\n" in planned.stdout
    assert subitize.plan("naming", "openai/gpt-4o", per_cell=1, prices=(2.5, 10)).estimate.usd
    run = command("run", "naming", "--model", "openai/gpt-4o", *SMALL, "--out", str(tmp_path))
    check(run, 2, "the environment variable OPENAI_API_KEY is not set")


def test_a_plan_tells_widths_and_power() -> None:
    found = subitize.plan("naming", "sim/observer", per_cell=5)
    wide = {row.w: row for row in found.widths}
    narrow = {row.w: row for row in subitize.plan("naming", "sim/observer", per_cell=50).widths}
    assert all(2 < wide[w].nae / narrow[w].nae < 5 for w in (0.15, 0.25))
    for row in found.power:
        assert row.needed == trials_needed(row.difference, row.discordant)
    assert found.pictures == 250
    assert not found.paid
    few, many = (
        subitize.plan("probe", "sim/matcher", items=n, task="alignment") for n in (50, 450)
    )
    assert few.share_width / many.share_width == pytest.approx(3, rel=0.15)


def test_a_plan_by_pilot_and_with_top_up_says_what_it_cannot_know() -> None:
    pilot = subitize.plan("naming", "sim/perfect", per_cell=10, prompt="pilot", control=False)
    assert pilot.estimate.requests == 50 * 3 * 1 + 50 * 9
    topped = subitize.plan("naming", "sim/perfect", per_cell=10, top_up=True)
    assert topped.estimate.open_stages


def test_every_benchmark_of_the_demo_can_be_planned() -> None:
    done = command("plan", "all", "--model", "sim/observer", "--profile", "quick", "--json")
    check(done, 0)
    found = orjson.loads(done.stdout)
    assert [one["benchmark"] for one in found] == ["naming", "capture", "probe"]
    assert all(one["requests"] > 0 for one in found)


@pytest.mark.budget(20)
def test_dollars_end_a_run_and_the_same_command_goes_on(tmp_path: Path) -> None:
    with ChatServer() as server:
        words = ["run", "naming", "--model", "openai/test", "--base-url", server.url, *SMALL,
                 "--prompt", "things", "--out", str(tmp_path), "--concurrency", "1",
                 "--price-in", "1000", "--price-out", "1000"]  # fmt: skip
        done = command(*words, "--budget-usd", "0.1")  # 0.015 a call
        check(done, 1, "stopped: the budget is spent", "6 requests, 0.0900 US dollars")
        assert len(server.seen) == 6
        assert "(partial: 6 answered)" in done.stdout
        check(command(*words), 0)
        assert len(server.seen) == PICTURES + CONTROL
        assert not server.repeats()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--budget-usd", "1"], "give --price-in and --price-out"),
        (["--price-in", "1"], "Only one price is given"),
        (["--price-in", "-1", "--price-out", "1"], "must be 0 US dollars or more"),
        (["--budget-usd", "-1", "--price-in", "1", "--price-out", "1"], "--budget-usd is -1.0"),
        (["--profile", "quik"], "did you mean 'quick'"),
        (["--from", "gone.toml"], "gone.toml"),
    ],
)
def test_mistakes_are_told(words: list[str], says: str, tmp_path: Path) -> None:
    out = tmp_path / "runs"
    check(command("run", "naming", "--model", "sim/perfect", *words, "--out", str(out)), 2, says)
    assert not out.exists()


@pytest.mark.budget(20)
def test_a_run_is_repeated_from_its_own_file(tmp_path: Path) -> None:
    with ChatServer() as server:
        words = ["--base-url", server.url, *SMALL, "--prompt", "things", "--temperature", "0.5",
                 "--max-tokens", "20", "--extra-body", '{"top_p": 0.9}', "--seed", "3"]  # fmt: skip
        done = command("run", "naming", "--model", "openai/test?system=Count.", *words,
                       "--out", str(tmp_path / "one"))  # fmt: skip
        check(done, 0)
        [first] = (tmp_path / "one").iterdir()
        again = ["--from", str(first / "run.json"), "--out", str(tmp_path / "two")]
        check(command("run", *again), 0)
        [second] = (tmp_path / "two").iterdir()
        assert first.name == second.name
        assert set(server.repeats().values()) == {2}
        check(command("run", *again, "--set", "seed=4", "--per-cell", "1"), 0)
        other = next(one for one in (tmp_path / "two").iterdir() if one != second)
        settings = orjson.loads((other / "run.json").read_bytes())["settings"]
        assert (settings["seed"], settings["per_cell"], settings["max"]) == (4, 1, 3)


def test_a_file_holds_settings_beside_options(tmp_path: Path) -> None:
    """`subitize benchmarks naming` lists `control`, and a file with it was refused."""
    file, out = tmp_path / "run.toml", tmp_path / "runs"
    file.write_text(
        'benchmark = "naming"\nmodel = "sim/perfect"\nprompt = "things"\nper_cell = 1\nmax = 2\n'
        'control = false\ncategories = ["dots"]\n[set]\nsize = 64\n'
    )
    check(command("run", "--from", str(file), "--out", str(out)), 0)
    [folder] = out.iterdir()
    settings = orjson.loads((folder / "run.json").read_bytes())["settings"]
    assert (settings["control"], settings["size"], settings["categories"]) == (False, 64, ["dots"])


def test_a_file_holds_a_commands_options(tmp_path: Path) -> None:
    file, out = tmp_path / "run.toml", tmp_path / "runs"
    file.write_text(
        f'benchmark = "naming"\nmodel = ["sim/perfect", "sim/random"]\nper-cell = 1\nmax = 2\n'
        f'out = "{out}"\n[set]\ncategories = ["dots"]\nsize = 64\ncontrol = false\n'
    )
    check(command("run", "--from", str(file)), 0)
    infos = [orjson.loads((one / "run.json").read_bytes()) for one in sorted(out.iterdir())]
    assert [one["model"]["name"] for one in infos] == ["sim/perfect", "sim/random"]
    assert infos[0]["settings"]["categories"] == ["dots"]
    assert infos[0]["settings"]["control"] is False
    file.write_text('benchmark = "naming"\nmodle = "sim/perfect"\n')
    check(command("run", "--from", str(file)), 2, "did you mean 'model'")
    file.write_text("benchmark = naming\n")
    check(command("run", "--from", str(file)), 2, "is not TOML: .* Give a run.json")


@pytest.mark.budget(20)
def test_status_tells_how_far_runs_are(tmp_path: Path) -> None:
    small = [*SMALL, "--prompt", "things", "--out", str(tmp_path)]
    check(command("run", "naming", "--model", "sim/perfect", *small), 0)
    check(command("run", "naming", "--model", "sim/random", *small, "--limit", "5"), 0)
    found = orjson.loads(command("status", str(tmp_path), "--json").stdout)
    assert [(one["model"], one["state"], one["answered"], one["wanted"]) for one in found] == [
        ("sim/perfect", "complete", PICTURES + CONTROL, PICTURES + CONTROL),
        ("sim/random", "partial", 5, PICTURES + CONTROL),
    ]
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "run.json").write_text("{}")
    told = command("status", str(tmp_path))
    check(told, 0)
    assert "partial, 5 of 18 trials (28 %)" in told.stdout
    assert "unreadable" in told.stdout
    assert "3 runs, 2 of them not complete" in told.stdout
    check(command("status", str(tmp_path / "none")), 2, "holds no run")
    assert "1 run, 1 of them not complete" in command("status", str(broken)).stdout


@pytest.mark.budget(30)
def test_all_benchmarks_that_a_model_can_be_asked(tmp_path: Path) -> None:
    done = command("run", "all", "--model", "sim/perfect", "--profile", "quick", "--limit", "4",
                   "--size", "256", "--out", str(tmp_path), "--json")  # fmt: skip
    check(done, 0)
    assert [one["benchmark"] for one in orjson.loads(done.stdout)] == ["naming", "capture", "probe"]
    check(command("run", "all", "--model", "sim/perfect", "--set", "colour=red"), 2, "colour")


def test_the_words_of_a_run_plan_it(tmp_path: Path) -> None:
    """How replies are read changes no request, but is checked as a run checks it."""
    words = ["plan", "naming", "--model", "sim/perfect", *SMALL, "--json"]
    plain = command(*words)
    check(plain, 0)
    read = command(*words, "--reader", "points")
    check(read, 0)
    assert orjson.loads(read.stdout) == orjson.loads(plain.stdout)
    check(command(*words, "--reader", "tea-leaves"), 2, "tea-leaves")
    check(command(*words, "--reader", "llm"), 2, "--reading-model MODEL")
    check(command(*words, "--calibration", str(tmp_path / "none.json")), 2, "--calibration")
    check(command(*words, "--top-up"), 0)
