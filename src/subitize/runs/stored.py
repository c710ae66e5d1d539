"""Read a run folder: trials joined with their responses, read by a reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from subitize.benchmark import Benchmark, Reader, Settings
from subitize.benchmarks.catalog import get_benchmark
from subitize.errors import BadInput, UnknownName, WrongRun
from subitize.models.names import split_settings
from subitize.readers.boxes import BoxesReader
from subitize.records import Reading, Response, Row, Trial
from subitize.runs.folder import placed, read_info, write_whole
from subitize.runs.journal import read_lines

__all__ = [
    "Again",
    "Answers",
    "AnswersReader",
    "StoredRun",
    "asking_again",
    "choose_reader",
    "load_answers",
    "load_run",
    "read_responses",
    "read_rows",
    "read_trials",
    "stored_scores",
]

Answers = Mapping[tuple[str, int, int], Sequence[Row]]
"""a reading model's answers about each response, by its trial, sample and attempt"""
Again = Callable[[Trial, Sequence[tuple[Response, Reading]]], bool]
"""whether there is a further attempt after these"""


@dataclass(frozen=True)
class StoredRun:
    """Everything that lies in a run folder."""

    folder: Path
    info: Mapping[str, Any]
    """run.json"""
    benchmark: Benchmark
    """what was run"""
    rows: Sequence[Row]
    """the row that counts for each trial and sample, in the plan's order"""
    scores: Mapping[str, Any]
    """scores.json"""


def read_trials(folder: Path) -> Iterator[Trial]:
    """The plan's trials, in order."""
    path = folder / "trials.jsonl"
    for number, (_, line) in enumerate(read_lines(path), 1):
        try:
            yield placed(Trial.from_json(orjson.loads(line)), folder)
        except (orjson.JSONDecodeError, TypeError, KeyError):
            raise WrongRun(f"{path}, line {number} is damaged: it is not a trial.") from None


def read_responses(folder: Path) -> Iterator[Response]:
    """Every response, in the order in which they came; those in the overflow file last."""
    for name in ("responses.jsonl", "responses-overflow.jsonl"):
        for number, (_, line) in enumerate(read_lines(folder / name), 1):
            try:
                yield Response.from_json(orjson.loads(line))
            except (orjson.JSONDecodeError, TypeError):
                raise WrongRun(
                    f"{folder / name}, line {number} is damaged: it is not a response. Mend or "
                    "delete that line; its trial will be asked again."
                ) from None


def made_attempts(folder: Path) -> dict[tuple[str, int], list[Response]]:
    """For each trial and sample its attempts in order; failed calls only where nothing worked."""
    made: dict[tuple[str, int], dict[int, Response]] = {}
    for response in read_responses(folder):
        attempts = made.setdefault((response.trial, response.sample), {})
        held = attempts.get(response.attempt)
        if held is None or response.stop != "failed" or held.stop == "failed":
            attempts[response.attempt] = response
    found = {}
    for key, attempts in made.items():
        ordered = [attempts[number] for number in sorted(attempts)]
        found[key] = [one for one in ordered if one.stop != "failed"] or ordered[-1:]
    return found


def asking_again(benchmark: Benchmark, settings: Settings) -> Again:
    """Whether a benchmark asks again after these attempts."""
    return lambda trial, attempts: benchmark.next_attempt(trial, settings, attempts) is not None


def read_rows(folder: Path, reader: Reader, again: Again | None = None) -> list[Row]:
    """Trials that have a response, with its reading; those left out by hand are `excluded`.

    Of several attempts the first counts after which nobody asks `again`: another reader may be
    content with an earlier one. Without that, the last one counts.
    """
    made = made_attempts(folder)
    samples: dict[str, list[int]] = {}
    for trial_id, sample in made:
        samples.setdefault(trial_id, []).append(sample)
    excluded = read_exclusions(folder)
    rows = []
    unplanned = set(samples)
    for trial in read_trials(folder):
        unplanned.discard(trial.id)
        for sample in sorted(samples.get(trial.id, ())):
            response, reading = _counting(trial, made[trial.id, sample], reader, again)
            reason = excluded.get(trial.id) or excluded.get(str(response.value))
            if reason:
                reading = Reading("excluded", note=reason)
            rows.append(Row(trial, response, reading))
    if unplanned:
        raise WrongRun(
            f"{folder / 'trials.jsonl'} is damaged: it lacks {len(unplanned)} trials that have a "
            "response. Put back a copy of it, or run the same `subitize run` again, which plans "
            "them anew and asks nothing twice."
        )
    return rows


def _counting(
    trial: Trial, made: Sequence[Response], reader: Reader, again: Again | None
) -> tuple[Response, Reading]:
    """The attempt that counts, with its reading."""
    attempts = []
    for response in made if again else made[-1:]:
        attempts.append((response, reader(trial, response)))
        if again and not again(trial, attempts):
            break
    return attempts[-1]


def read_exclusions(folder: Path) -> dict[str, str]:
    """Trials (or picture files) left out by hand, with the reason."""
    path = folder / "excluded.json"
    try:
        return dict(orjson.loads(path.read_bytes())) if path.exists() else {}
    except (orjson.JSONDecodeError, TypeError, ValueError):
        raise WrongRun(
            f"{path} is damaged: delete it and exclude again with `subitize read --exclude`."
        ) from None


def write_exclusions(folder: Path, file: Path) -> int:
    """Take over a file of lines `TRIAL-OR-PICTURE,REASON`; how many are excluded now."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise BadInput(f"Can't read {file}: {problem}.") from None
    known = {trial.id for trial in read_trials(folder)}
    known |= {str(r.value) for r in read_responses(folder) if r.kind == "picture"}
    excluded = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, comma, reason = (part.strip() for part in line.partition(","))
        if not comma or not reason:
            raise BadInput(f"{file}, line {number}: give TRIAL-OR-PICTURE,REASON on each line.")
        if name not in known:
            raise BadInput(f"{file}, line {number}: this run has no trial or picture {name!r}.")
        excluded[name] = reason
    write_whole(folder / "excluded.json", orjson.dumps(excluded, option=orjson.OPT_INDENT_2))
    return len(excluded)


def choose_reader(
    benchmark: Benchmark, folder: Path, info: Mapping[str, Any], name: str | None = None
) -> tuple[str, Reader]:
    """The reader of a run by name; the run's chosen one, else the paper's own.

    Beside the benchmark's readers, each run under RUN/readings/ is one. A reader of boxes takes
    settings in its name: `strict?threshold=0.3&nms=0.9`.
    """
    wanted = name or info.get("reader") or next(iter(benchmark.READERS))
    chosen, settings, full = split_settings(wanted, "reader")
    asked = answered_by(folder)
    if chosen not in {*benchmark.READERS, *asked}:
        raise UnknownName(f"reader of {benchmark.NAME}", chosen, [*benchmark.READERS, *asked])
    reader = benchmark.READERS.get(chosen) or benchmark.answer_reader()
    if isinstance(reader, BoxesReader):
        reader = reader.configured(settings)
    elif settings:
        raise BadInput(f"The reader {chosen!r} takes no settings: leave out what follows the '?'.")
    if chosen in benchmark.READERS:
        return full, reader
    return full, AnswersReader(benchmark, load_answers(folder, chosen, reader))


def answered_by(folder: Path) -> list[str]:
    """Names of the reading runs of a run."""
    return sorted(path.parent.name for path in (folder / "readings").glob("*/run.json"))


def load_answers(folder: Path, name: str, reader: Reader) -> Answers:
    """What a reading model said about each response of a run."""
    answers: dict[tuple[str, int, int], list[Row]] = {}
    for row in read_rows(folder / "readings" / name, reader):
        about = row.trial.condition
        key = (about["parent"], about["sample"], about["attempt"])
        answers.setdefault(key, []).append(row)
    return answers


@dataclass(frozen=True)
class AnswersReader:
    """Reads a response by what a reading model answered about it."""

    benchmark: Benchmark
    answers: Answers

    def __call__(self, trial: Trial, response: Response) -> Reading:
        found = self.answers.get((trial.id, response.sample, response.attempt), ())
        return self.benchmark.combine(trial, response, found)


def load_run(folder: Path, reader: str | None = None) -> StoredRun:
    """Read a run; its scores are those in scores.json, empty where they do not hold any more."""
    info = read_info(folder)
    benchmark = get_benchmark(info["benchmark"])
    _, read = choose_reader(benchmark, folder, info, reader)
    again = asking_again(benchmark, benchmark.settings_from(info["settings"]))
    rows = read_rows(folder, read, again)
    return StoredRun(folder, info, benchmark, rows, stored_scores(folder) or {})


def stored_scores(folder: Path) -> dict[str, Any] | None:
    """scores.json, unless there is none, it is damaged, or what it was made from has changed."""
    path = folder / "scores.json"
    try:
        made = path.stat().st_mtime_ns
        sources = [*folder.glob("*.json*"), *folder.glob("readings/*/*.jsonl")]
        if any(source.stat().st_mtime_ns > made for source in sources):
            return None
        scores = orjson.loads(path.read_bytes())
    except (FileNotFoundError, orjson.JSONDecodeError):
        return None
    return scores if isinstance(scores, dict) and "benchmark" in scores else None
