"""People's answers as a run folder: what lies in it, and that nothing is lost on the way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import polars as pl
import pytest

from subitize.benchmarks.geckonum.answers import (
    COPY,
    NEEDED,
    People,
    import_people,
    stored_people,
    stored_table,
)
from subitize.benchmarks.geckonum.breakdowns import answer_scores
from subitize.benchmarks.geckonum.labels import label_answers
from subitize.benchmarks.geckonum.people import GeckoNumPeople
from subitize.benchmarks.geckonum.tables import geckonum_tables
from subitize.datasets.geckonum.prompts import Prompt
from subitize.errors import BadInput
from subitize.models.catalog import open_model
from subitize.opening import load_stored, run_and_score
from subitize.records import Response, Stimulus, Trial, make_trial
from subitize.runs.answers import build_answers
from subitize.runs.how_far import how_far
from subitize.runs.reading import choose_reader
from subitize.runs.run import RunOptions
from subitize.runs.stored import StoredRun, score_run
from tests.benchmarks.geckonum_data import (
    BY_TEXT,
    COLUMNS,
    PROMPTS,
    counts,
    people,
    simulated,
    table,
    write_counts,
)


@pytest.fixture(scope="module")
def simple(tmp_path_factory: pytest.TempPathFactory) -> People:
    return people(simulated(tmp_path_factory.mktemp("gecko") / "a"))


@pytest.fixture(scope="module")
def run(simple: People, tmp_path_factory: pytest.TempPathFactory) -> StoredRun:
    return load_stored(import_people(simple, tmp_path_factory.mktemp("runs")))


def lines(run: StoredRun, name: str) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in (run.folder / name).read_bytes().splitlines()]


def test_lines_are_what_the_records_write(run: StoredRun) -> None:
    trials, responses = lines(run, "trials.jsonl"), lines(run, "responses.jsonl")
    assert len({line["id"] for line in trials}) == len(trials)
    for line in trials:
        trial = Trial.from_json(line)
        assert trial.as_json(GeckoNumPeople.CONDITION) == line
        where = (trial.benchmark, trial.version, trial.stage)
        # what a trial of floats and whole numbers hashes to, whoever makes it
        condition = {**trial.condition, "asked": line["condition"]["asked"]}
        again = make_trial(where, trial.stimulus, trial.question, options=trial.options,
                           condition=condition)  # fmt: skip
        assert again.id == trial.id
    for line in responses:
        assert Response.from_json(line).as_json() == line
    keys = {Response.from_json(line).key for line in responses}
    assert len(keys) == len(responses)


def test_what_was_imported_is_whole(run: StoredRun) -> None:
    """Nobody can tell how many questions each of its stages has: what was answered is all."""
    answered = run.answers["trial"].n_unique()
    assert run.answers["stage"].n_unique() > 1
    assert how_far(run) == (answered, answered, 0)


@pytest.mark.parametrize("name", ["trials.jsonl", "responses.jsonl"])
def test_files_open_with_one_call(run: StoredRun, name: str) -> None:
    frame = pl.read_ndjson(run.folder / name)
    found = lines(run, name)
    assert frame.height == len(found)
    assert frame.row(-1, named=True) == found[-1]


def test_the_table_is_that_of_the_journal(run: StoredRun) -> None:
    """answers.parquet can be deleted: made anew, at once or by response, it is the same."""
    kept = run.answers
    (run.folder / "answers.parquet").unlink()
    assert load_stored(run.folder).answers.equals(kept)
    reader = choose_reader(run.benchmark, run.info, None)
    assert build_answers(run.folder, run.info, reader, run.settings).equals(kept)
    made = stored_table(run.folder)
    assert made is not None
    assert made.equals(kept)
    assert made.schema == kept.schema


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("responses.jsonl", b'"stop":"stop"', b'"stop":"failed"'),
        ("responses.jsonl", b"human/geckonum-", b"human/stranger-"),
        ("responses.jsonl", b"{", b""),
        ("trials.jsonl", b'"id":"', b'"id":"x'),
    ],
)
def test_a_folder_that_was_changed_is_read_by_response(
    simple: People, tmp_path: Path, file: str, old: bytes, new: bytes
) -> None:
    folder = import_people(simple, tmp_path)
    path = folder / file
    path.write_bytes(path.read_bytes().replace(old, new, 1))
    assert stored_table(folder) is None


def test_words_of_any_kind_give_the_same_ids(tmp_path: Path) -> None:
    odd = 'Is it "half\\full",\u2028 or é\x7f — 🍎?'
    loaf = BY_TEXT["A loaf of bread cut into thirds."]
    rows = [{"image_id": f"{loaf.dataset_id}_0", "question": odd, "annot_id": 'a "b"', "answer": 1,
             "prompt": loaf.prompt}]  # fmt: skip
    (tmp_path / "task_3_a 'b' 🍎.csv").write_text(table(COLUMNS[3], rows))
    found = people(tmp_path)
    condition = {name: found.answers[name][0] for name in GeckoNumPeople.CONDITION}
    recipe = {"painter": "a 'b' 🍎", "image_id": f"{loaf.dataset_id}_0"}
    made = make_trial(("geckonum-people", "1", "task3"), Stimulus("named", recipe), odd,
                      condition=condition)  # fmt: skip
    assert found.answers["trial"].to_list() == [made.id]
    assert found.answers["respondent"].to_list() == ['human/geckonum-a "b"']
    [line] = lines(load_stored(import_people(found, tmp_path)), "trials.jsonl")
    assert Trial.from_json(line).question == odd


def test_tables_from_the_folder_are_those_of_the_files(simple: People, run: StoredRun) -> None:
    stored = stored_people(run.folder)
    assert stored.rows() == simple.rows()
    found = geckonum_tables(label_answers(stored.answers, stored.coloured), stored.prompts)
    assert found == geckonum_tables(label_answers(simple.answers), simple.prompts)
    scored = score_run(run)["tables"]
    for name, cells in found.items():
        values = {cell: one["value"] for cell, one in cells.items()}
        assert {cell: one["value"] for cell, one in scored[name].items()} == values


def test_repeats_are_further_samples_that_do_not_count(tmp_path: Path) -> None:
    dogs = BY_TEXT["2 dogs."]
    twins = [Prompt(n, "2 owls.", 0, -1, "owl:2", "2-additive", f"twin_{n}") for n in (0, 1)]
    rows = [*counts(dogs, ["?", "2"]), *counts(dogs, ["2", "3", "4"]), *counts(dogs, ["2", "2"]),
            *counts(twins[0], ["2", "2"]), *counts(twins[0], ["2", "2"])]  # fmt: skip
    found = people(write_counts(tmp_path / "a", rows), [*PROMPTS, *twins])
    said = found.answers.select("respondent", "value", "sample", "counts", "note").rows()
    person = "human/geckonum-{}".format
    assert said[:7] == [
        (person(0), "?", 2, False, "unreadable answer"), (person(1), "2", 0, True, ""),
        (person(0), "2", 0, True, ""), (person(1), "3", 1, False, "annotator answered again"),
        (person(2), "4", 0, True, ""), (person(0), "2", 1, False, "duplicate row"),
        (person(1), "2", 2, False, "duplicate row"),
    ]  # fmt: skip
    assert [row[2:] for row in said[7:]] == [(0, True, "")] * 2 + [(1, False, COPY)] * 2
    labels = label_answers(found.answers)
    assert labels.select("label", "answers", "weight").rows() == [(2, 3, 1), (2, 2, 2)]
    stored = load_stored(import_people(found, tmp_path))
    (stored.folder / "answers.parquet").unlink()
    again = load_stored(stored.folder).answers
    assert again.select("sample", "counts", "note").rows() == [row[2:] for row in said]


def test_rows_that_answer_no_question_are_counted_in_the_folder(tmp_path: Path) -> None:
    rows = [*counts(BY_TEXT["2 dogs."], ["2", "two"]), {"image_id": "dogs", "annot_id": 1}]
    found = people(write_counts(tmp_path / "a", rows))
    kept = stored_people(import_people(found, tmp_path))
    assert kept.rows() == (1, {"image id without seed": 1, "unreadable answer": 1})
    assert kept.rows() == found.rows()


def test_such_a_run_is_imported_once_and_never_asked(simple: People, tmp_path: Path) -> None:
    import_people(simple, tmp_path)
    with pytest.raises(BadInput, match="there already"):
        import_people(simple, tmp_path)
    assert [path.name[:15] for path in tmp_path.iterdir()] == ["geckonum-people"]
    benchmark, model = GeckoNumPeople(), open_model("sim/perfect")
    with pytest.raises(BadInput, match="asks nobody"):
        run_and_score(benchmark, benchmark.settings_from({}), model, tmp_path / "x", RunOptions())
    assert not (tmp_path / "x").exists()


def test_helpers_in_one_table_are_told_apart() -> None:
    """Two counters read the same picture: each is scored as if it were alone."""
    painted = {
        "trial": "p", "respondent": "painter/x", "of_trial": None, "counts": True, "order": 0,
        "sample": 0, "task": 0, "question": "", "noun": "", "asked": 0.0, "state": "read",
        "number": None, "note": "", "picture": 0, **vars_of(BY_TEXT["2 dogs."]),
    }  # fmt: skip
    asked = {"task": 1, "question": "How many dogs are in the image?", "noun": "dog", "asked": 2.0}
    said = [
        {**painted, **asked, "trial": "q", "of_trial": "p", "counts": False, "order": 1,
         "respondent": helper, "number": number, "dataset_id": "", "prompt_type": ""}
        for helper, number in (("counter/a", 2.0), ("counter/b", 3.0))
    ]  # fmt: skip
    answers = pl.DataFrame([painted, *said], infer_schema_length=None)
    assert set(NEEDED) - {"painter"} <= set(answers.columns)
    found = answer_scores(answers, 0)
    values = {
        helper: one["tables"]["table2"]["task1|painter/x|accuracy"]["value"]
        for helper, one in found.items()
    }
    assert values == {"counter/a": 100.0, "counter/b": 0.0}
    assert found["counter/a"] == answer_scores(answers[:2], 0)["counter/a"]


def vars_of(prompt: Prompt) -> dict[str, Any]:
    return {name: getattr(prompt, name) for name in Prompt.__annotations__}


def test_which_nouns_get_a_colour_does_not_hang_on_what_was_answered(tmp_path: Path) -> None:
    """Nobody answered about a coloured koala, yet koalas belong to Tables A6 and A7."""
    rows = [*counts(BY_TEXT["2 koalas."], ["2"]), *counts(BY_TEXT["2 dogs."], ["2"]),
            *counts(BY_TEXT["2 red cats."], ["1"])]  # fmt: skip
    given = people(write_counts(tmp_path / "a", rows))
    assert given.coloured == ["apple", "bottle", "cat", "koala", "mushroom"]
    for found in (given, stored_people(import_people(given, tmp_path / "runs"))):
        cells = geckonum_tables(label_answers(found.answers, found.coloured))["a6"]
        assert cells["mine|n"]["value"] == 2
        assert cells["mine|accuracy_1"]["value"] == 100.0
    scores = score_run(load_stored(next((tmp_path / "runs").iterdir())))
    assert scores["tables"]["a6"]["mine|n"]["value"] == 2
