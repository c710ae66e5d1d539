"""Readers that ask a model: a run of its own over the first run's responses, in RUN/readings/NAME/.

What a response says can't always be read off it: a generated picture has to be counted, a long
reply may be given to a language model. Then a *reading model* (a counter, a namer, …) is asked,
by the same runner and with every promise of a run folder: its plan, journal, lock and resume.

How a benchmark takes part (see `benchmarks/base.py`):

- `READING_KINDS` names the kinds of model that can read its responses, `READING_MODEL` the usual
  one; the command line's `--counter` names another, or `none`.
- `questions(trial, response, settings)` gives one `Question` or several about each response that
  did not fail; none where there is nothing to ask (a refusal). About a picture the question comes
  with that picture; about text it stands alone, so the text belongs into its words. A question
  that only some kinds of model can answer says so (`kinds`).
- `answer_reader()` reads one answer; its rows (trial = the question, response = the answer,
  reading) are those of the reading run.
- `combine(trial, response, answers)` makes one reading of a response from its answers' rows;
  `pending` as long as there are none. With it `score` and `next_attempt` work as ever.
- `score_answers(rows, answers, settings)` adds scores that need every single answer, by the name
  of the reading run; several reading models may have read one run.

A question's trial has the condition {thing, parent, sample, attempt} and whatever the `Question`
adds; `parent` is the id of the trial whose response it is about. Its file is named by a path
relative to the reading run, so that a run folder can be moved.

Asking and reading take turns until nothing is new: a picture in which nothing is found may be
asked for again (`next_attempt`), and the new one is read in the next round.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from subitize.benchmark import Benchmark, Decisions, Paper, Question, Reader, Settings, Stage
from subitize.errors import BadInput
from subitize.models.base import Kind, Model
from subitize.records import Response, Stimulus, Trial, make_trial
from subitize.runs.run import (
    INTERRUPTED,
    Outcome,
    RunOptions,
    choose_kind,
    open_folder,
    run_benchmark,
)
from subitize.runs.stored import read_responses, read_trials

__all__ = ["reading_benchmark", "run_with_reading"]

STAGE = "read"


def run_with_reading(
    benchmark: Benchmark,
    settings: Settings,
    model: Model,
    out: Path,
    options: RunOptions,
    reading_model: Model | None,
    rules: str = "",
) -> Outcome:
    """Ask, have the responses read by the reading model, and ask again what that calls for.

    `rules` are settings of the reader ('?threshold=0.3'); without any, those that the run was
    read by before stay.
    """
    if reading_model is None:
        return run_benchmark(benchmark, settings, model, out, options)
    reading_benchmark(benchmark, out, reading_model)  # the wrong kind fails before anything is made
    opened = open_folder(benchmark, settings, model, out)
    folder, before = opened.path, str(opened.info.get("reader") or "")
    reading, under = reading_benchmark(benchmark, folder, reading_model), folder / "readings"
    name = open_folder(reading, settings, reading_model, under).path.name
    if before.partition("?")[0] != name:
        before = name
    reader = name + rules if rules else before
    turns = _Turns(options)
    while True:
        asked = run_benchmark(benchmark, settings, model, out, turns.options(reader=reader))
        turns.count(asked)
        if asked.stopped == INTERRUPTED:
            return turns.outcome(asked, None)
        read = run_benchmark(
            reading, settings, reading_model, under, turns.options(reader=None, limit=None)
        )
        turns.count(read)
        if asked.stopped or read.stopped or not read.received:
            return turns.outcome(asked, read)
        turns.first = False


class _Turns:
    """What the turns of asking and reading share: one budget, and failures are tried once."""

    def __init__(self, options: RunOptions) -> None:
        self._options = options
        self._calls = self._received = 0
        self._problem = ""
        self.first = True

    def options(self, **changes: Any) -> RunOptions:
        budget = self._options.budget_calls
        left = None if budget is None else max(0, budget - self._calls)
        return replace(self._options, budget_calls=left, retry_failed=self.first, **changes)

    def count(self, outcome: Outcome) -> None:
        self._calls += outcome.calls
        self._received += outcome.received
        # Later turns ask nothing again that failed: what was wrong is known from the first.
        self._problem = outcome.problem or self._problem

    def outcome(self, asked: Outcome, read: Outcome | None) -> Outcome:
        """Both runs as one; what failed in the last turn is what failed."""
        ends = [asked, read] if read else [asked]
        return replace(
            asked,
            complete=read is not None and asked.complete and read.complete,
            stopped=next((end.stopped for end in ends if end.stopped), ""),
            error=next((end.error for end in ends if end.error), None),
            failed=sum(end.failed for end in ends),
            calls=self._calls,
            received=self._received,
            problem=self._problem,
        )


def reading_benchmark(parent: Benchmark, run: Path, model: Model | None = None) -> Benchmark:
    """The questions about a run's responses, as a benchmark that the runner can run.

    With a model, only those that this kind of model can answer.
    """
    if not parent.READING_KINDS:
        raise BadInput(
            f"{parent.NAME} is read without asking a model: leave out --counter, or name a reader "
            "with --reader."
        )

    class Readings(_Readings):
        NAME: ClassVar[str] = f"{parent.NAME}-reading"
        VERSION: ClassVar[str] = parent.VERSION
        TITLE: ClassVar[str] = f"{parent.TITLE}: reading"
        PAPER: ClassVar[Paper] = parent.PAPER
        KINDS: ClassVar[tuple[Kind, ...]] = parent.READING_KINDS
        SETTINGS: ClassVar[type[Settings]] = parent.SETTINGS
        READERS: ClassVar[Mapping[str, Reader]] = {"answers": parent.answer_reader()}
        MEASURES: ClassVar[tuple[str, ...]] = ()
        DEVIATIONS: ClassVar[tuple[str, ...]] = ()
        DEMO: ClassVar[Mapping[str, Any]] = {}

    found = Readings(parent, run)
    if model is not None:
        found.asked_as = choose_kind(found, model)
    return found


class _Readings(Benchmark):
    """One stage: every question about every response, in the order in which those came.

    The journal it reads is only ever appended to, so the plan of a later turn begins with that of
    an earlier one.
    """

    def __init__(self, parent: Benchmark, run: Path) -> None:
        self._parent = parent
        self._run = run
        self.asked_as: Kind | None = None

    def stages(self, settings: Settings, kind: Kind) -> Iterator[Stage]:
        yield Stage(STAGE)

    def trials(self, stage: str, settings: Settings, decisions: Decisions) -> Iterator[Trial]:
        for _, response, question in self._asked(settings):
            yield make_trial(
                (self.NAME, self.VERSION, STAGE),
                _stimulus(response, question),
                question.text,
                target=question.target,
                options=question.options,
                condition={
                    **question.condition,
                    "thing": question.thing,
                    "parent": response.trial,
                    "sample": response.sample,
                    "attempt": response.attempt,
                },
            )

    def size(self, stage: str, settings: Settings, decisions: Decisions) -> int | None:
        return sum(1 for _ in self._asked(settings))

    def _asked(self, settings: Settings) -> Iterator[tuple[Trial, Response, Question]]:
        trials = {trial.id: trial for trial in read_trials(self._run)}
        for response in read_responses(self._run):
            if response.stop == "failed" or response.trial not in trials:
                continue
            trial = trials[response.trial]
            for question in self._parent.questions(trial, response, settings):
                if self.asked_as is None or not question.kinds or self.asked_as in question.kinds:
                    yield trial, response, question


def _stimulus(response: Response, question: Question) -> Stimulus:
    if response.kind != "picture":
        return Stimulus("prompt", {"text": question.text})
    name = str(response.value)
    return Stimulus("file", {"sha256": name.partition(".")[0]}, f"../../images/{name}")
