"""Which reader a run is read by: one of the benchmark's own, or the answers of a helper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from subitize.benchmark import Benchmark, Reader
from subitize.errors import BadInput, UnknownName
from subitize.models.names import split_settings
from subitize.readers.boxes import BoxesReader
from subitize.readers.text import WordsReader
from subitize.records import Reading, Response, Row, Trial


@runtime_checkable
class WithRules(Protocol):
    """A reader that takes settings in its name."""

    def configured(self, settings: Mapping[str, Any]) -> Reader: ...


@dataclass(frozen=True)
class RunReader:
    """Reads the responses of a run, and what helpers answered about them."""

    benchmark: Benchmark[Any]
    name: str
    """as run.json has it: a reader or a helper, with rules such as '?threshold=0.3'"""
    plain: Reader | None
    """reads a response by itself; None where a helper's answers are combined"""
    helper: tuple[str, str] | None = None
    """name and settings hash of the helper whose answers count"""
    rules: Mapping[str, Any] = field(default_factory=dict)
    """of counting boxes"""

    def response(self, trial: Trial, response: Response, answers: Sequence[Row]) -> Reading:
        """What a response of the model under test says; `answers`: of this reader's helper."""
        if self.plain is not None:
            return self.plain(trial, response)
        return self.benchmark.combine(trial, response, answers)

    def answer(self, trial: Trial, response: Response) -> Reading:
        """What a helper's answer says."""
        return self._of_helper(trial.stage)(trial, response)

    def by_words(self, stage: str | None) -> bool:
        """Whether responses with the same words to the same question read the same: those of the
        model under test, or, of a stage that a helper is asked in, the helper's."""
        reader = self.plain if stage is None else self._of_helper(stage)
        of_text = reader.text_reader if isinstance(reader, BoxesReader) else reader
        return isinstance(of_text, WordsReader)

    def _of_helper(self, stage: str) -> Reader:
        return _configured(self.benchmark.helper_reader(stage), self.rules)


def _configured(reader: Reader, rules: Mapping[str, Any]) -> Reader:
    return reader.configured(rules) if rules and isinstance(reader, WithRules) else reader


def choose_reader(
    benchmark: Benchmark[Any], info: Mapping[str, Any], wanted: str | None = None
) -> RunReader:
    """The reader by name; the run's chosen one, else the paper's own.

    Beside the benchmark's readers, every helper that read the run's responses is one, by its
    name. What counts boxes takes rules: `strict?threshold=0.3&nms=0.9`.
    """
    usual = benchmark.usual_reader(info.get("settings", {}))
    text = wanted or info.get("reader") or usual
    helpers = {str(one["name"]): str(one["settings_hash"]) for one in info.get("readers", ())}
    name: str = text
    rules: dict[str, Any] = {}
    if name not in {*benchmark.READERS, *helpers}:
        name, mark, query = text.rpartition("?")
        if not mark:
            raise UnknownName(f"reader of {benchmark.NAME}", text, [*benchmark.READERS, *helpers])
        _, rules, _ = split_settings(f"?{query}", "reader")
        text = f"{name}?{'&'.join(f'{key}={value}' for key, value in rules.items())}"
    if name in helpers:
        # A wrong rule is told now, not when the first box is read.
        found = benchmark.helper_reader("")
        if isinstance(found, WithRules):
            found.configured(rules)
        return RunReader(benchmark, text, None, (name, helpers[name]), rules)
    if name not in benchmark.READERS:
        raise UnknownName(f"reader of {benchmark.NAME}", name, [*benchmark.READERS, *helpers])
    plain = benchmark.READERS[name]
    if rules and not isinstance(plain, WithRules):
        raise BadInput(f"The reader {name!r} takes no settings: leave out what follows the '?'.")
    return RunReader(benchmark, text, _configured(plain, rules), None, rules)
