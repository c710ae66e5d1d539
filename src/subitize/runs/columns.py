"""The files of a run as columns: a line becomes an object only where somebody asks for one.

Polars parses whole blocks of lines. It is strict about numbers, but makes text of anything where
text belongs and null of what is missing; so a block in which any field is not as we write it goes
line by line through `checked`, which takes what is merely written otherwise and tells damage.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import orjson

from subitize.errors import WrongRun
from subitize.records import USAGE, Response, Trial
from subitize.runs.checked import COUNTS, FOLLOWED, KINDS, STIMULI, Damaged, is_key, response_of
from subitize.runs.journal import damaged_response, read_lines, unreadable
from subitize.runs.plan import parsed_trial, placed

if TYPE_CHECKING:
    import polars as pl

BLOCK = 8 << 20
"""bytes of a file that are parsed at once"""
FILES = ("responses.jsonl", "responses-overflow.jsonl")
"""responses, in the order in which they came; those in the overflow file last"""
TYPES = {str: "String", int: "Int64", float: "Float64"}
RESPONSE: Mapping[str, str] = {
    **dict.fromkeys(("trial", "respondent", "settings_hash", "kind", "value", "stop"), "String"),
    **dict.fromkeys(("sample", "attempt"), "Int64"),
    "note": "String",
    "seconds": "Float64",
}
"""fields of a line of responses.jsonl that the answers are made of"""
RESPONSE_TEXTS = 9
"""fields of such a line that are text: those above, sha256 and facts"""
TRIAL: Mapping[str, str] = {
    **dict.fromkeys(("id", "stage", "question", "target_choice"), "String"),
    "target": "Float64",
}
TRIAL_TEXTS = 10
"""fields of such a line that are text: those above, benchmark, version, options and SHOWN"""
SHOWN = ("kind", "recipe", "path")
OF_PLAN = ("stage", "target", "target_choice")
_PLANNED: Mapping[str, str] = {
    **dict.fromkeys(("trial", "_question", "_shown", "stage", "target_choice"), "String"),
    "target": "Float64",
}
ABOUT: Mapping[str, str] = {
    f"of_{name}": "Int64" if name in ("sample", "attempt") else "String" for name in FOLLOWED
}
"""columns of the response that a trial is about"""


class Block(NamedTuple):
    """Some lines of a file."""

    path: Path
    first: int
    """number of its first line"""
    content: bytes

    @property
    def lines(self) -> list[tuple[int, bytes]]:
        return list(enumerate(self.content.split(b"\n")[:-1], self.first))


def response_columns(folder: Path) -> pl.DataFrame:
    """Every response, in the order in which they came: RESPONSE, tokens, and where it stands."""
    import polars as pl

    parts = []
    for file, name in enumerate(FILES):
        for block in _blocks(folder / name):
            found = _parsed(block, _response_schema(), RESPONSE_TEXTS)
            if found is None or not _are_responses(found):
                found = _responses_by_line(block)
            lines = pl.int_range(pl.len(), dtype=pl.Int64) + block.first
            parts.append(
                found.select(
                    *RESPONSE,
                    tokens=pl.col("usage").struct.field("completion_tokens").fill_null(0),
                    _file=pl.lit(file, pl.Int64),
                    _at=lines,
                )
            )
    return pl.concat(parts) if parts else _empty({**RESPONSE, "tokens": "Int64", **PLACE})


PLACE = {"_file": "Int64", "_at": "Int64"}


def _response_schema() -> dict[str, Any]:
    import polars as pl

    return {**_types(RESPONSE), "usage": pl.Struct(dict.fromkeys(USAGE, pl.Int64))}


def _are_responses(found: pl.DataFrame) -> bool:
    import polars as pl

    numbers = found.select("sample", "attempt", "seconds", pl.col("usage").struct.unnest())
    counts = found.select(
        low=pl.min_horizontal("sample", "attempt").min(),
        high=pl.max_horizontal("sample", "attempt").max(),
    )
    return (
        not sum(numbers.null_count().row(0))
        and 0 <= counts["low"][0] <= counts["high"][0] < COUNTS
        and set(found["kind"].unique()) <= KINDS
    )


def _responses_by_line(block: Block) -> pl.DataFrame:
    import polars as pl

    told = [_response(block.path, number, line) for number, line in block.lines]
    rows = [{**one.as_json(), "seconds": float(one.seconds)} for one in told]
    return pl.DataFrame(rows, schema=_response_schema(), strict=False)


def _response(path: Path, number: int, line: bytes) -> Response:
    try:
        return response_of(line)
    except Damaged:
        raise damaged_response(path, number) from None


def read_responses(folder: Path) -> Iterator[Response]:
    """Every response as an object, in the order in which they came."""
    for name in FILES:
        for number, (_, line) in enumerate(read_lines(folder / name), 1):
            yield _response(folder / name, number, line)


def trial_columns(folder: Path, conditions: Mapping[str, str | int | float]) -> pl.DataFrame:
    """The planned trials, each once, in the order of the file, with a column per condition.

    _shown: the kind of stimulus; of_…: the response that a trial is about; _line: where it
    stands in the file; _planned: its place among the trials. An underscore is before what could
    be the name of a condition too.
    """
    import polars as pl

    kinds = {name: TYPES[type(empty)] for name, empty in conditions.items()}
    schema = _types(TRIAL) | {
        "stimulus": pl.Struct(dict.fromkeys(SHOWN, pl.String)),
        "condition": pl.Struct(_types(kinds)),
    }
    worded = [name for name, kind in kinds.items() if kind == "String"]
    parts = []
    for block in _blocks(folder / "trials.jsonl"):
        found = _parsed(block, schema, TRIAL_TEXTS, worded)
        found = None if found is None else _as_trials(found)
        if found is None:
            found = _trials_by_line(block, conditions, kinds)
        parts.append(found.with_columns(_line=pl.int_range(pl.len(), dtype=pl.Int64) + block.first))
    whole = {**_PLANNED, **ABOUT, **kinds, "_line": "Int64"}
    every = pl.concat([one.select(*whole) for one in parts]) if parts else _empty(whole)
    unique = every.unique("trial", keep="first", maintain_order=True)
    return unique.with_columns(_planned=pl.int_range(pl.len(), dtype=pl.Int64))


def _as_trials(found: pl.DataFrame) -> pl.DataFrame | None:
    """With the columns that are made of others; None where a line is no trial as we write it."""
    import polars as pl

    shown = pl.col("stimulus").struct
    found = found.rename({"id": "trial", "question": "_question"}).with_columns(
        _shown=shown.field("kind"), _recipe=shown.field("recipe")
    )
    found = found.drop("stimulus").unnest("condition")
    hexadecimal = found["trial"].str.contains("^[0-9a-f]{16}").all()
    if not hexadecimal or not set(found["_shown"].unique()) <= STIMULI:
        return None
    recipes = found.filter(pl.col("_shown") == "response")["_recipe"].to_list()
    try:
        about = [orjson.loads(one) for one in recipes]
    except orjson.JSONDecodeError:
        return None
    if not all(isinstance(one, dict) and is_key(one) for one in about):
        return None
    if not about:
        return found.with_columns(
            **{name: pl.lit(None, kind) for name, kind in _types(ABOUT).items()}
        )
    rows = iter(about)
    every = [next(rows) if kind == "response" else {} for kind in found["_shown"].to_list()]
    return found.with_columns(_about(every))


def _about(recipes: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    import polars as pl

    columns = {f"of_{name}": [one.get(name) for one in recipes] for name in FOLLOWED}
    return pl.DataFrame(columns, schema=_types(ABOUT))


def _trials_by_line(
    block: Block, conditions: Mapping[str, str | int | float], kinds: Mapping[str, str]
) -> pl.DataFrame:
    import polars as pl

    trials = [parsed_trial(block.path, number, line) for number, line in block.lines]
    check_conditions(block.path, trials, conditions)
    columns: dict[str, list[Any]] = {
        "trial": [one.id for one in trials],
        "_question": [one.question for one in trials],
        "_shown": [one.stimulus.kind for one in trials],
        **{name: [getattr(one, name) for one in trials] for name in OF_PLAN},
        **{
            name: [one.condition.get(name, empty) for one in trials]
            for name, empty in conditions.items()
        },
    }
    schema = _types({**_PLANNED, **kinds})
    about = [one.stimulus.recipe if one.stimulus.kind == "response" else {} for one in trials]
    return pl.DataFrame(columns, schema=schema, strict=False).hstack(_about(about))


def check_conditions(path: Path, trials: Sequence[Trial], known: Mapping[str, Any]) -> None:
    """Every condition is of the type that its column has; null and whole floats are fine."""
    for name, empty in known.items():
        wanted = {type(empty), bool, type(None)} | ({int} if isinstance(empty, float) else set())
        for trial in trials:
            value = trial.condition.get(name)
            if type(value) not in wanted:
                raise WrongRun(
                    f"{path} is damaged: the condition {name!r} of the trial {trial.id} is "
                    f"{str(value)[:40]!r}, which is none. Delete that line and run the same "
                    "`subitize run` again, which plans it anew."
                )


def _blocks(path: Path) -> Iterator[Block]:
    """The complete lines of a file; a torn last line is left out."""
    first = 1
    try:
        with path.open("rb") as file:
            while content := file.read(BLOCK) + file.readline():
                content = content[: content.rfind(b"\n") + 1]
                if content:
                    yield Block(path, first, content)
                first += content.count(b"\n")
    except FileNotFoundError:
        return
    except OSError as problem:
        raise unreadable(path, problem) from None


def _parsed(
    block: Block, schema: Mapping[str, Any], texts: int, conditions: Sequence[str] = ()
) -> pl.DataFrame | None:
    """The lines as columns, unless one is not as we write it, with so many fields of text.

    `conditions` are text as well, or null.

    A quotation mark inside text has a backslash before it, so `":"` stands only where a key meets
    its text, and `":{` where it meets an object.
    """
    import polars as pl

    lines = block.content.count(b"\n")
    try:
        found = pl.read_ndjson(block.content, schema=dict(schema))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None
    nulls = sum(found["condition"].struct.field(one).null_count() for one in conditions)
    objects = sum(isinstance(kind, pl.Struct) for kind in schema.values())
    as_written = (
        found.height == lines
        and block.content.count(b'":"') + nulls == lines * (texts + len(conditions))
        and block.content.count(b'":{') == lines * objects
    )
    return found if as_written else None


def _types(schema: Mapping[str, str]) -> dict[str, Any]:
    import polars as pl

    return {name: getattr(pl, kind) for name, kind in schema.items()}


def _empty(schema: Mapping[str, str]) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(schema=_types(schema))


class Records:
    """Lines of a run's files as objects, read where they lie."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, tuple[BinaryIO, list[int]]] = {}

    def __enter__(self) -> Records:
        return self

    def __exit__(self, *_: object) -> None:
        for file, _offsets in self._files.values():
            file.close()

    def trial(self, line: int) -> Trial:
        """The trial of that line."""
        path = self._folder / "trials.jsonl"
        return placed(parsed_trial(path, line, self._line(path.name, line)), self._folder)

    def response(self, file: int, line: int) -> Response:
        """The response of that line of one of FILES."""
        return _response(self._folder / FILES[file], line, self._line(FILES[file], line))

    def _line(self, name: str, number: int) -> bytes:
        if name not in self._files:
            opened: BinaryIO = (self._folder / name).open("rb")
            self._files[name] = opened, [0, *accumulate(map(len, opened))]
        file, offsets = self._files[name]
        file.seek(offsets[number - 1])
        return file.readline()
