"""What a newcomer types wrongly: one clear message each, exit 2, and nothing left behind."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from subitize.cli import main

MISTAKES = r"""
runn naming --model sim/perfect                     | no command 'runn': did you mean 'run'
Run naming --model sim/perfect                      | no command 'Run': did you mean 'run'
help                                                | it is an option, --help
version                                             | it is an option, --version
run naming --model SIM/PERFECT                      | did you mean 'sim/perfect'
run naming --model human/me                         | take part by `subitize take`
run naming --model function/f                       | from Python
run naming --model openai/x --api-key-env sk-1f2e3d | takes the name of an environment variable
run naming --model sim/perfect --per-cell five      | --per-cell is 'five': give a whole number
run naming --model sim/perfect --temperature hot    | --temperature is 'hot': give a number
run naming --model sim/perfect --per-cell 1000001   | per_cell is 1000001: give at most
run naming --model sim/perfect --per-cell 999999    | 49,999,950 in all
run production --model painter/shapes --per-cell 99999 | 3,999,960 in all
run                                                 | Missing argument 'BENCHMARK': write .*--help
run naming --model                                  | '--model' requires an argument
run naming --model sim/perfect --header bad         | --header 'bad' is not of the form
run naming --model sim/perfect --zzz 3              | No such option: --zzz: write
export                                              | Missing argument 'RUN': write
doctor --model openai/x --timeout 0                 | --timeout is 0
--zzz                                               | No such option: --zzz: write
run naming --model sim/perfect --workers -1         | --workers is -1
plan naming --model sim/perfect --concurrency 0     | --concurrency is 0
stimuli naming --out new --per-cell 999999          | 49,999,950 in all
stimuli naming --out new --max ten                  | --max is 'ten': give a whole number
doctor --base-url http://127.0.0.1:1/v1             | name it with --model
take naming --name me --port 70000                  | Nothing can listen on .*:70000
run naming --model perfect                          | not of the form KIND/NAME
run naming --model sim/perfct                       | did you mean 'sim/perfect'
run naming --model gpt-4o                           | not of the form KIND/NAME
run naming --model openai/gpt-4o                    | OPENAI_API_KEY is not set
run naming --model openai/gpt-4o --api-key-env NOPE | NOPE is not set
run naming --model openai/x --base-url 127.0.0.1:80 | is not an address: give one such as http
run nming --model sim/perfect                       | no benchmark 'nming': did you mean 'naming'
run naming --model painter/shapes                   | naming needs a namer or a counter
run production --model sim/perfect                  | production needs a painter
run capture --model painter/shapes                  | capture needs a namer or a counter
run probe --model painter/shapes                    | probe needs a matcher or a namer
run geckonum --model sim/perfect                    | geckonum needs a painter
run geckonum-vqa --model sim/perfect                | needs the setting file
run geckonum-metric --model counter/blobs           | needs pictures: give --set pictures
run geckonum-people --model sim/perfect             | asks nobody: make such a run with
run all --model perfect                             | not of the form KIND/NAME
run all --model sim/perfect --set colour=red        | No benchmark .* has the setting colour
run naming --model sim/perfect --out file           | a file is in the way
run naming --model sim/perfect --no-control         | no option but a setting: .* --set control=off
plan naming --model sim/perfect --hold area         | no option but a setting: .* --set hold=VALUE
run naming --model sim/perfect --set percell=3      | did you mean 'per_cell'
run naming --model sim/perfect --set per_cell       | not of the form KEY=VALUE
run naming --model sim/perfect --set pictures=empty | holds no picture of a known number
run naming --model sim/perfect --set pictures=gone  | There is no folder gone
run naming --model sim/perfect --categories aples   | did you mean 'apples'
run naming --model sim/perfect --prompt thing       | did you mean 'things'
run naming --model sim/perfect --reader strct       | did you mean 'strict'
run naming --model sim/perfect --counter blobs      | naming is read without asking a model
run naming --model sim/perfect --calibration gone   | corrects the mistakes of a counter
run naming --model sim/perfect --engine cluster     | no engine 'cluster'
run naming --model sim/perfect --shard 3/2          | give the part and how many
run naming --model sim/perfect --profile fast       | no profile 'fast'
run naming --model sim/perfect --extra-body {       | is not a JSON object
run naming --model sim/perfect --timeout 0          | must be above 0
run naming --model sim/perfect --batch              | --batch is for namers
run naming --model replay/gone                      | Can't read the replies gone
run --from gone.toml                                | Can't read the file of --from
run --from empty                                    | empty/run.json
run --from file                                     | is not TOML: .* Give a run.json
run --from list.json                                | is no run.json: it lacks
run --from naming.toml                              | Missing option '--model'
plan naming                                         | Missing option '--model'
plan nming --model sim/perfect                      | did you mean 'naming'
status gone                                         | gone holds no run
status empty                                        | empty holds no run
score gone                                          | gone is not a run folder
score file                                          | file is not a folder
score broken                                        | is damaged: it is not JSON
read broken                                         | is damaged: it is not JSON
compare gone                                        | gone holds no run
report gone                                         | gone holds no run
report file                                         | file holds no run
export gone --to csv                                | gone is not there
export empty --to xls                               | no format 'xls'
stimuli nming --out p                               | No such command 'nming'. Did you mean 'naming'
prompts geckonum --out file.csv                     | is there already: give another --out
prompts geckonum --prompts gone                     | gone
geckonum tables --annotations gone --prompts gone   | gone
datasets fetch nope                                 | no data set 'nope'
import run gone                                     | gone
import capture-results gone --model x/y             | gone
benchmarks nming                                    | did you mean 'naming'
doctor --model nope                                 | not of the form KIND/NAME
"""


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a newcomer sits: an empty folder, files where folders should be, something broken."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for folder in ("empty", "broken"):
        (tmp_path / folder).mkdir()
    (tmp_path / "broken" / "run.json").write_text("{")
    (tmp_path / "file").write_text("x")
    (tmp_path / "file.csv").write_text("mine")
    (tmp_path / "list.json").write_text("{}")
    (tmp_path / "naming.toml").write_text('benchmark = "naming"\n')
    return tmp_path


@pytest.mark.parametrize("line", MISTAKES.strip().splitlines(), ids=lambda line: line[:51].strip())
def test_one_message_and_nothing_left(
    line: str, desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    typed, _, says = line.partition("|")
    before = sorted(desk.rglob("*"))
    with pytest.raises(SystemExit) as ended:
        main(shlex.split(typed))
    told = capsys.readouterr()
    assert ended.value.code == 2, told.err
    assert re.search(says.strip(), told.err), told.err
    assert told.err.count("subitize: ") <= 1, "one message"
    assert not told.out
    assert sorted(desk.rglob("*")) == before
    assert (desk / "file.csv").read_text() == "mine"


def test_a_break_before_anything_is_asked_says_so(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def pressed(_: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("subitize.commands.statuses.find_runs", pressed)
    with pytest.raises(SystemExit) as ended:
        main(["status", str(desk)])
    assert ended.value.code == 1
    assert capsys.readouterr().err == "subitize: interrupted\n"
