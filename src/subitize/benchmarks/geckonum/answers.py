"""People's annotations as the answers table of a run, and as a run folder: a row per answer.

A trial is one question about one painter's picture, a respondent a person. Answers about one
picture mostly stand below each other, so what picture and question mean is looked up once per
stretch of equal ones, and each distinct answer is read once. No object is made per answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from subitize.benchmarks.geckonum import people as asked
from subitize.benchmarks.geckonum.people import GeckoNumPeople
from subitize.benchmarks.geckonum.wording import PROMPT
from subitize.datasets.geckonum import questions
from subitize.datasets.geckonum.annotations import PLACE, AnnotationFile, Annotations
from subitize.datasets.geckonum.prompts import Prompt
from subitize.datasets.geckonum.recipe import Recipe
from subitize.errors import BadInput
from subitize.records import USAGE, fingerprint
from subitize.runs.answers import COLUMNS, write_answers
from subitize.runs.folder import imported, read_info
from subitize.runs.stored import StoredRun, stored_run

CONDITION = tuple(GeckoNumPeople.CONDITION)
SAME: Mapping[str, Any] = {
    "settings_hash": "",
    "attempt": 0,
    "stop": "stop",
    "tokens": 0,
    "seconds": 0.0,
} | (dict.fromkeys(("of_trial", "of_sample", "of_attempt")))
"""columns of an answers table that say nothing about people, where rows do not bring them"""
ABOUT = (
    "task", "dataset_id", "picture", "prompt_type", "has_numeral", "is_frequent", "entities",
    "question", "noun", "asked",
)  # fmt: skip
NEEDED = ("painter", "order", "number", "state", "counts", "note", *ABOUT)
"""columns of an answers table that labels are made of"""
COPY = "copy of a prompt with the same words"
OTHER_MODEL = "another model than the file is named after"
USED = pl.col("counts") & (pl.col("state") == "read")
"""the answers that labels are made of"""


class Rows(NamedTuple):
    """What became of the rows of files."""

    used: int
    dropped: dict[str, int]
    """reason: how many"""


@dataclass(frozen=True)
class People:
    """What people answered, and what became of every row of their files."""

    answers: pl.DataFrame
    """the answers table"""
    trials: pl.DataFrame
    """a row per question about a picture, in the order in which they were met"""
    prompts: int
    """how many the prompts file has"""
    strangers: Mapping[str, int]
    """rows that answer no known question, by reason"""
    coloured: Sequence[str]
    """nouns that any prompt of the file gives a colour, whether it was answered or not"""
    unused: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=PLACE))
    """reason, file and line of every row that is not used, where the files are at hand"""
    files: tuple[AnnotationFile, ...] = ()
    """the files"""

    def rows(self) -> Rows:
        """How many rows were used, and why others were not."""
        used = self.answers.select("note", used=USED)
        notes = used.filter(~pl.col("used"))["note"].value_counts(sort=True)
        dropped = Counter(self.strangers) + Counter(dict(notes.iter_rows()))
        return Rows(int(used["used"].sum()), dict(dropped))


def people_from(
    annotations: Annotations,
    prompts: Sequence[Prompt],
    recipe: Recipe | None = None,
    *,
    columns: Sequence[str] | None = None,
) -> People:
    """The answers table of annotations, and the rows that are not used with their reasons.

    `columns`: only these of the table; trials get ids where theirs is among them.
    """
    rows = annotations.frame
    new = (pl.col(name).ne_missing(pl.col(name).shift())
           for name in ("file", "image_id", "question", "prompt"))  # fmt: skip
    starts = rows.select(pl.any_horizontal(new)).to_series()
    meant = _meant(rows.filter(starts), annotations.files, prompts, recipe)
    identity = ["task", "painter", "dataset_id", "picture", "question"]
    trials = meant.filter(pl.col("reason").is_null()).unique(identity, maintain_order=True)
    trials = trials.with_row_index("place")
    if columns is None or "trial" in columns:
        trials = _as_trials(trials)
    meant = meant.join(trials.select(*identity, "place"), identity, "left", maintain_order="left")
    person = pl.col("annot_id").cast(pl.String).fill_null("").str.strip_chars()
    nobody = pl.when(person == "").then(pl.lit("missing annotator"))
    painter = pl.lit(pl.Series([one.painter for one in annotations.files])).gather("file")
    model = pl.col("model").cast(pl.String).str.strip_chars()
    other = pl.when((model != "") & (model != painter)).then(pl.lit(OTHER_MODEL))
    rows = rows.select(
        "file", "line", "torn", nobody=nobody, other=other, stretch=starts.cum_sum() - 1,
        value=pl.col("answer").fill_null(""),
        respondent=pl.format("human/geckonum-{}", person).cast(pl.Categorical),
    ).with_columns(
        place=pl.lit(meant["place"]).gather("stretch"),
        reason=pl.coalesce("torn", "other",
                           pl.lit(meant["reason"]).gather("stretch"), "nobody"),
    )  # fmt: skip
    unclear = pl.col("reason").is_not_null()
    strangers = rows.filter(unclear).select(*PLACE)
    rows = _counting(_read(rows.filter(~unclear), trials), trials, prompts)
    unused = rows.filter(~USED).with_columns(reason=pl.col("note").cast(pl.String))
    return People(
        _table(rows, trials, columns), trials, len(prompts),
        dict(strangers["reason"].value_counts(sort=True).iter_rows()),
        colour_nouns(pl.DataFrame(prompts)),
        pl.concat([strangers, unused.select(*PLACE)]), annotations.files,
    )  # fmt: skip


def colour_nouns(prompts: pl.DataFrame) -> list[str]:
    """The nouns that get a colour in some prompt."""
    chosen = prompts.filter(pl.col("prompt_type").is_in(questions.COLOURED))["entities"].unique()
    things = chosen.str.split(",").explode(empty_as_null=False).str.strip_chars()
    return things.str.extract(r"^\S+ (.+):").drop_nulls().unique().sort().to_list()


def _meant(
    rows: pl.DataFrame,
    files: Sequence[AnnotationFile],
    prompts: Sequence[Prompt],
    recipe: Recipe | None,
) -> pl.DataFrame:
    """The question and picture that rows are about, or the `reason` why that is not clear."""
    painters = pl.DataFrame([(one.painter, one.task) for one in files], ["painter", "task"],
                            orient="row").with_row_index("file")  # fmt: skip
    known = pl.DataFrame([astuple(one) for one in prompts], [*PROMPT], orient="row")
    known_questions = _asked(prompts, recipe)
    of_task = known_questions.select("dataset_id", "task").unique().with_columns(of_task=True)
    image = pl.col("image_id").cast(pl.String).str.strip_chars()
    words = pl.col("question").cast(pl.String).fill_null("").str.strip_chars()
    line = pl.lit(questions.LINE_QUESTION)
    found = rows.join(painters, "file", maintain_order="left").select(
        "task", "painter",
        image_id=image.fill_null(""),
        dataset_id=image.str.extract(r"^(.*)_\d+$"),
        picture=image.str.extract(r"_(\d{1,9})$").cast(pl.Int64),
        question=pl.when(pl.col("task") == 2).then(line).otherwise(words),
        said=pl.col("prompt").cast(pl.String).str.strip_chars(),
    )  # fmt: skip
    for more, on in (
        (known, ["dataset_id"]),
        (of_task, ["dataset_id", "task"]),
        (known_questions, ["dataset_id", "task", "question"]),
    ):
        found = found.join(more, on, "left", maintain_order="left")
    yes_no = pl.col("task") == 3
    reason: pl.Expr = pl.lit(None, dtype=pl.String)
    for name, test in (
        ("unknown question", pl.col("noun").is_null() & (~yes_no | (pl.col("question") == ""))),
        ("prompt of another task", pl.col("of_task").is_null() & ~yes_no),
        ("other words than the prompts file", pl.col("said") != pl.col("prompt")),
        ("unknown prompt", pl.col("prompt").is_null()),
        ("image id without seed", pl.col("picture").is_null()),
        ("missing image id", pl.col("image_id") == ""),
    ):
        reason = pl.when(test).then(pl.lit(name)).otherwise(reason)
    return found.with_columns(
        pl.col("noun").fill_null(""), pl.col("options").fill_null([]), reason=reason,
        # task 3 may ask anything that the prompt claims: yes is right
        asked=pl.when(yes_no).then(1.0).otherwise("asked"),
        target_choice=pl.when(yes_no).then(pl.lit("yes")).otherwise("target_choice"),
    )  # fmt: skip


def _asked(prompts: Sequence[Prompt], recipe: Recipe | None) -> pl.DataFrame:
    """The known questions of tasks 1 and 2, worded as in the release or as it meant them."""
    misworded = [one for one in prompts if one.dataset_id in questions.MISWORDED]
    every = [
        *questions.make_questions(prompts, recipe),
        *questions.make_questions(misworded, recipe, mended=True),
        *questions.scene_count_questions(prompts),
    ]
    lines = [
        (one.dataset_id, one.task, one.question, one.noun, one.truth,
         [words for _, words in one.lines], dict(one.lines).get(int(one.truth or 0), ""))
        for one in every if one.task != 3
    ]  # fmt: skip
    schema: dict[str, Any] = {
        "dataset_id": pl.String, "task": pl.Int64, "question": pl.String, "noun": pl.String,
        "asked": pl.Float64, "options": pl.List(pl.String), "target_choice": pl.String,
    }  # fmt: skip
    found = pl.DataFrame(lines, schema, orient="row")
    return found.unique(["dataset_id", "task", "question"], keep="first", maintain_order=True)


def _as_trials(found: pl.DataFrame) -> pl.DataFrame:
    """With the ids that `records.make_trial` gives, made of columns."""
    found = found.with_columns(
        stage=pl.format("task{}", "task"), image_id=pl.format("{}_{}", "dataset_id", "picture")
    )
    identity = pl.format(
        f'["{GeckoNumPeople.NAME}","{GeckoNumPeople.VERSION}","{{}}","named",{{}},{{}},{{}},{{}}]',
        "stage", pl.struct("image_id", "painter").struct.json_encode(), as_json("question"),
        as_json("options"), pl.struct(sorted(CONDITION)).struct.json_encode(),
    )  # fmt: skip
    ids = [
        sha256(packed).hexdigest()[:20]
        for some in found.iter_slices(5_000)  # the texts are long
        for packed in some.select(identity.cast(pl.Binary)).to_series().to_list()
    ]
    return found.with_columns(pl.Series("id", ids, dtype=pl.String))


def as_json(column: str) -> pl.Expr:
    """A column's values as JSON, each by itself."""
    return pl.struct(column).struct.json_encode().str.slice(len(column) + 4).str.strip_suffix("}")


def _read(rows: pl.DataFrame, trials: pl.DataFrame) -> pl.DataFrame:
    """Rows with their readings: every distinct answer to a task or choice of lines is read once."""
    lines = trials.select(pl.when(pl.col("task") == 2).then("place")).to_series()
    said = rows.select(
        "value", task=pl.lit(trials["task"]).gather("place"), lines=pl.lit(lines).gather("place")
    )
    each, options = said.unique(), trials["options"]
    readings = [
        asked.read_answer(task, () if place is None else options[place].to_list(), value)
        for value, task, place in each.iter_rows()
    ]
    text = pl.Categorical
    schema = {"state": text, "number": pl.Float64, "choice": text, "note": text}
    read = [(one.state, one.number, one.choice, one.note) for one in readings]
    each = each.hstack(pl.DataFrame(read, schema, orient="row"))
    found = said.join(each, said.columns, "left", nulls_equal=True, maintain_order="left")
    return rows.hstack(found.select(*schema))


def _counting(rows: pl.DataFrame, trials: pl.DataFrame, prompts: Sequence[Prompt]) -> pl.DataFrame:
    """Whether an answer counts, or repeats what the same person said about the same thing.

    The release holds every annotation of the two prompts with the same words twice; elsewhere too
    a person's first readable answer counts: it is sample 0, the others follow.
    """
    times = Counter(one.prompt for one in prompts)
    shared = trials["prompt"].is_in([words for words, n in times.items() if n > 1])
    key = pl.col("place").cast(pl.UInt64) * 2**32 + pl.col("respondent").to_physical()
    rows = rows.with_row_index("row").with_columns(key=key)
    read = pl.col("state") == "read"
    repeat = (
        pl.when(~read).then("note")
        .when(pl.lit(shared).gather("place")).then(pl.lit(COPY))
        .when(pl.col("number") == pl.col("number").first().over("key"))
        .then(pl.lit("duplicate row")).otherwise(pl.lit("annotator answered again"))
    )  # fmt: skip
    again = rows.filter(pl.col("key").is_duplicated())
    again = again.sort(read, descending=True, maintain_order=True).select(
        "row", sample=pl.int_range(pl.len()).over("key"), repeat=repeat.cast(pl.Categorical)
    )
    marks = rows.select("row").join(again, "row", "left", maintain_order="left").drop("row")
    first = pl.col("sample").fill_null(0) == 0
    return rows.hstack(marks).with_columns(
        pl.col("sample").fill_null(0), counts=first,
        note=pl.when(first).then("note").otherwise("repeat"),
    )  # fmt: skip


def _table(
    rows: pl.DataFrame, trials: pl.DataFrame, columns: Sequence[str] | None = None
) -> pl.DataFrame:
    """The answers table, or only some of its columns."""
    wanted = columns or (*COLUMNS, *CONDITION)
    kind = pl.when(pl.col("task") == 2).then(pl.lit("choice")).otherwise(pl.lit("text"))
    about = {name: pl.col(name) for name in ("stage", "target_choice", *CONDITION)} | {
        "trial": pl.col("id"), "target": pl.col("asked"), "kind": kind,
        "order": pl.col("place").cast(pl.Int64),
    }  # fmt: skip
    known = trials.select(**{name: one for name, one in about.items() if name in wanted})
    own = [name for name in wanted if name in rows.columns and name not in about]
    same = (pl.lit(SAME[name], getattr(pl, COLUMNS[name])).alias(name)
            for name in wanted if name in SAME and name not in own)  # fmt: skip
    said = rows.select(own).cast({pl.Categorical: pl.String})
    return said.hstack(known[rows["place"]]).with_columns(same).select(*wanted)


def import_people(people: People, out: Path, told: pl.DataFrame | None = None) -> Path:
    """Write a run folder under `out`, all of it or nothing; the folder's path.

    `told` is what the files have no place for: trial, respondent, seconds, facts, picture's path.
    """
    answers, facts = people.answers, pl.lit("").alias("facts")
    places = {} if told is None else dict(told.select("trial", "path").iter_rows())
    if told is not None:
        on = ["trial", "respondent"]
        known = answers.select(on).join(told, on, "left", maintain_order="left")
        answers = answers.with_columns(known["seconds"].fill_null(0.0))
        facts = pl.lit(known["facts"].fill_null(""))
    # The trials' ids hold what the prompts say.
    content = [one.content for one in people.files] + ["".join(people.trials["id"]).encode()]
    given = fingerprint([sha256(one).hexdigest() for one in content])
    parts = {
        "benchmark": GeckoNumPeople.NAME,
        "version": GeckoNumPeople.VERSION,
        "kind": "namer",
        "settings": asdict(asked.PeopleSettings(annotations=given, prompts=people.prompts)),
        "model": {"name": "human/geckonum", "settings": {}, "revision": ""},
    }
    respondents = people.answers["respondent"].unique(maintain_order=True)
    listed = [{"name": name, "settings_hash": ""} for name in respondents]
    with imported(out, parts, {"reader": None, "respondents": listed}, "answers") as run:
        run.decide(asked.STRANGERS, dict(people.strangers))
        run.decide(asked.COLOUR_NOUNS, list(people.coloured))
        _trials(people.trials, places).write_ndjson(run.path / "trials.jsonl")
        _responses(answers, facts).write_ndjson(run.path / "responses.jsonl")
        benchmark = GeckoNumPeople()
        write_answers(run.path, run.info, answers, next(iter(benchmark.READERS)), benchmark)
    return run.path


def _trials(trials: pl.DataFrame, places: Mapping[str, str]) -> pl.DataFrame:
    """Lines of trials.jsonl, as `Trial.as_json` has them."""
    recipe = pl.struct("image_id", "painter").struct.json_encode()
    path = pl.col("id").replace_strict(places, default="", return_dtype=pl.String).alias("path")
    return trials.select(
        "id", pl.lit(GeckoNumPeople.NAME).alias("benchmark"),
        pl.lit(GeckoNumPeople.VERSION).alias("version"), "stage",
        pl.struct(pl.lit("named").alias("kind"), recipe.alias("recipe"), path)
        .alias("stimulus"),
        "question", as_json("options").alias("options"), pl.col("asked").alias("target"),
        "target_choice", pl.struct(*GeckoNumPeople.CONDITION).alias("condition"),
    )  # fmt: skip


def _responses(answers: pl.DataFrame, facts: pl.Expr) -> pl.DataFrame:
    """Lines of responses.jsonl, as `Response.as_json` has them; a note says why one is a repeat."""
    nothing = pl.lit("")
    return answers.select(
        "trial", "respondent", "settings_hash", "sample", "attempt", "kind", "value", "stop",
        pl.struct(pl.lit(0).alias(name) for name in USAGE).alias("usage"), "seconds",
        nothing.alias("sha256"), pl.when("counts").then(nothing).otherwise("note").alias("note"),
        facts,
    )  # fmt: skip


def stored_table(folder: Path) -> pl.DataFrame | None:
    """The answers table of a folder as it was imported; None where anything is not as it was."""
    if any((folder / name).exists() for name in ("excluded.json", "responses-overflow.jsonl")):
        return None
    try:
        trials = pl.read_ndjson(folder / "trials.jsonl").drop("question").unnest("condition")
        said = pl.read_ndjson(folder / "responses.jsonl").rename({"note": "repeat"})
    except (OSError, pl.exceptions.PolarsError):
        return None
    trials = trials.with_row_index("place").with_columns(
        pl.col("target_choice").cast(pl.String), pl.col("asked").cast(pl.Float64),
        pl.col("options").str.json_decode(pl.List(pl.String)),
    )  # fmt: skip
    rows = said.join(trials.select("place", trial="id"), "trial", maintain_order="left")
    people = [one["name"] for one in read_info(folder)["respondents"]]
    same = [pl.col(name) == SAME[name] for name in ("settings_hash", "attempt", "stop")]
    as_imported = pl.all_horizontal(*same, pl.col("respondent").is_in(people)).all()
    once = pl.struct("place", "respondent", "sample").n_unique() == said.height
    if not rows.select(as_imported & once).item():
        return None
    first = pl.col("sample") == 0
    note = pl.when(first).then("note").otherwise(pl.col("repeat").cast(pl.Categorical))
    return _table(_read(rows, trials).with_columns(counts=first, note=note), trials)


def stored_people(folder: Path) -> People:
    """What an imported folder holds, as far as labels need it."""
    found = read_info(folder)["benchmark"]
    if found != GeckoNumPeople.NAME:
        raise BadInput(
            f"{folder} is a run of {found}: give a folder that `subitize import geckonum` made."
        )
    return people_of(stored_run(folder, GeckoNumPeople(), columns=NEEDED))


def people_of(run: StoredRun) -> People:
    """What an imported run holds."""
    kept, prompts = run.info.get("decisions", {}), run.info["settings"]["prompts"]
    coloured = kept.get(asked.COLOUR_NOUNS, colour_nouns(run.answers))
    return People(run.answers, pl.DataFrame(), prompts, kept.get(asked.STRANGERS, {}), coloured)
