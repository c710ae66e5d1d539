"""A whole study through HTTP: simulated people answer, and the tables recover the truth."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import orjson
import polars as pl
import pytest

from subitize.api import load, report, run
from subitize.benchmarks.geckonum.answers import stored_people
from subitize.benchmarks.geckonum.labels import label_answers
from subitize.benchmarks.geckonum.tables import geckonum_tables
from subitize.errors import BadInput
from subitize.humans.answers import read_answers
from subitize.humans.exporting import (
    as_bids,
    as_geckonum,
    as_jspsych,
    as_table,
)
from subitize.humans.run_folder import as_run, make_run
from subitize.humans.serving import Opened, opened, study_folder
from subitize.humans.simulated import Manner, Seen
from subitize.humans.simulating import simulate
from subitize.humans.study import Study
from subitize.humans.viewing_bundle import write_bundle
from subitize.humans.viewing_pictures import Pictures
from subitize.humans.viewing_query import trial_facts
from subitize.humans.viewing_table import RunsTable
from subitize.humans.watching import overview
from subitize.humans.web import in_thread
from subitize.runs.columns import read_responses
from subitize.runs.plan import read_trials
from tests.humans.taking import taker
from tests.reports.embedded import files_of
from tests.scored import load_run, score_run

EXACT = Manner(0, 0, 0, 0, 0, 0)


def tables_of(folder: Path) -> dict[str, Any]:
    people = stored_people(folder)
    return geckonum_tables(label_answers(people.answers, people.coloured), people.prompts)


@pytest.fixture(scope="module")
def done(painted: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of 15 pictures by seven people who err as those of the release do, and more."""
    study = Study("geckonum-task1", "apples", run=str(painted), annotators=5, checks=1)
    folder = study_folder(tmp_path_factory.mktemp("studies"), study, "")
    with opened(folder) as here:
        simulate(here, 7, Manner(slip=0.08, range=0.08, half=0.02, behind=0.02, typo=0.05))
    return folder


def test_every_item_has_k_people_and_nobody_saw_one_twice(done: Path) -> None:
    answers = read_answers(done)
    each = Counter((row.item.id, row.person.name) for row in answers.holding)
    assert set(each.values()) == {1}
    assert set(Counter(item for item, _ in each).values()) == {5}
    # Who asks first gets most: how many of the seven have answered at the end is left open.
    own = Counter(person for _, person in each)
    assert set(own) <= set(answers.people)
    assert max(own.values()) <= 15


def test_the_tables_of_such_people_recover_the_truth(done: Path, tmp_path: Path) -> None:
    answers = read_answers(done)
    found = tables_of(make_run(answers, tmp_path))
    assert found["counts"]["labels|task1"]["value"] == 15
    alpha = found["alpha"]["task1|nominal"]["value"]
    assert 0.5 < alpha < 1  # they did not all agree
    with opened(done) as here:  # and the desk has said so while the study was open
        assert overview(here.desk)["alpha"] == pytest.approx(alpha)
    # Who gets which picture, and so who errs on it, depends on who asks first: a picture is right
    # where most of its five people typed its number, wrong where most typed another, and hangs on
    # the rule for ties where there is no such number.
    typed = defaultdict(Counter)
    for row in answers.holding:
        typed[row.item.id, str(row.question.trial.target)][row.value] += 1
    most = [(asked, *each.most_common(1)[0]) for (_, asked), each in typed.items()]
    right = sum(value == asked for asked, value, many in most if many >= 3)
    wrong = sum(value != asked for asked, value, many in most if many >= 3)
    assert right >= 8, "most people see well"
    accuracy = found["table2"]["task1|painter_shapes_size_128|accuracy"]["value"]
    assert 100 * right / 15 <= accuracy <= 100 * (15 - wrong) / 15


def test_people_who_never_err_give_tables_without_an_error(painted: Path, tmp_path: Path) -> None:
    study = Study("geckonum-task1", "eyes", run=str(painted), annotators=3)
    folder = study_folder(tmp_path, study, "")
    with opened(folder) as here:
        simulate(here, 4, EXACT)
    found = tables_of(make_run(read_answers(folder), tmp_path / "runs"))
    assert found["table2"]["task1|painter_shapes_size_128|accuracy"]["value"] == 100
    assert found["alpha"]["task1|nominal"]["value"] == 1


def test_the_run_has_the_trials_that_people_were_asked(done: Path, tmp_path: Path) -> None:
    answers = read_answers(done)
    asked = {row.question.trial_id for row in answers.holding}
    folder = make_run(answers, tmp_path)
    assert {trial.id for trial in read_trials(folder)} == asked
    table = load_run(folder).counted
    assert table.height == len(answers.holding)
    said = {row.person.name for row in answers.holding}
    assert set(table["respondent"]) == {f"human/geckonum-{name}" for name in said}


def test_the_run_knows_how_long_each_answer_took(done: Path, tmp_path: Path) -> None:
    answers = read_answers(done)
    took = {(row.question.trial_id, f"human/geckonum-{row.person.name}"): row
            for row in answers.holding}  # fmt: skip
    assert len(took) == len(answers.holding)
    folder = make_run(answers, tmp_path)
    responses = list(read_responses(folder))
    assert len(responses) == len(took)
    for one in responses:
        row = took[one.trial, one.respondent]
        facts = orjson.loads(one.facts)
        assert one.seconds == row.seconds > 0
        assert (facts["consent"], facts["saved"]) == (row.person.consent, row.at)
        assert facts["server_seconds"] == row.facts["server_seconds"]
    for _ in range(2):  # from the table that was written, and made anew
        table = load_run(folder).counted
        assert dict(zip(table["trial"] + table["respondent"], table["seconds"], strict=True)) == {
            trial + person: row.seconds for (trial, person), row in took.items()
        }
        (folder / "answers.parquet").unlink()


def test_the_run_knows_the_pictures_that_people_saw(done: Path, tmp_path: Path) -> None:
    """The viewer shows them; a copy for others, or what is no picture, has none."""
    answers = read_answers(done)
    folder = make_run(answers, tmp_path)
    saw = {question.trial_id: one.picture().content for one in answers.material.items
           if one.picture for question in one.questions}  # fmt: skip
    table = RunsTable([folder])
    pictures = Pictures(table)
    for item in range(table.items):
        assert trial_facts(table, item)["picture"]
        assert pictures.shown(item) == saw[table.trial(item).id]
    copy = write_bundle(table, tmp_path / "copy").parent
    assert list((copy / "pictures").iterdir()) == []
    plan = folder / "trials.jsonl"
    where = str(table.trial(0).stimulus.path)
    secret = tmp_path / "secret.txt"
    secret.write_text("not for anybody")
    plan.write_text(plan.read_text("utf-8").replace(where, str(secret)), "utf-8")
    assert Pictures(RunsTable([folder])).shown(0) is None


def test_the_files_have_the_releases_columns(done: Path) -> None:
    files = as_geckonum(done)
    assert set(files) == {"task_1_painter_shapes_size_128.csv", "prompts.csv"}
    table = pl.read_csv(files["task_1_painter_shapes_size_128.csv"], infer_schema=False)
    assert table.columns == ["image_id", "model", "question_id", "question", "prompt", "annot_id",
                             "raw_answer", "answer"]  # fmt: skip
    assert table.height == 75
    typed = set(table["raw_answer"])
    assert any("-" in one for one in typed)
    assert not any("apple." in one for one in table["question"])


def test_tables_jspsych_and_bids_tell_of_every_answer(done: Path) -> None:
    table = as_table(done)
    assert int(table["counts"].sum()) == 75
    assert set(table["role"]) == {"training", "check", "main"}
    assert table["consent"].unique().to_list() == ["1"]
    assert (table["seconds"] >= 0).all()
    people = as_jspsych(done)
    assert len(people) == 7
    trials = orjson.loads(people["p001.json"])
    assert [one["trial_index"] for one in trials] == list(range(len(trials)))
    assert trials[0]["trial_type"] == "survey-text"
    assert sum(len(orjson.loads(one)) for one in people.values()) == table.height
    bids = as_bids(done)
    listed = pl.read_csv(bids["participants.tsv"], separator="\t")
    assert listed["participant_id"].to_list() == [f"sub-p{n:03d}" for n in range(1, 8)]
    assert int(listed["answers"].sum()) == 75
    events = pl.read_csv(bids["sub-p001/beh/sub-p001_task-apples_events.tsv"], separator="\t")
    assert events.columns[:2] == ["onset", "duration"]
    assert events["onset"].is_sorted()
    # What BIDS's own validator asks for (bids-validator 1.15 found no error in such a folder): no
    # stim_file without its file in stimuli/, and every column of ours told in a dictionary.
    assert "stim_file" not in events.columns
    told = orjson.loads(bids["task-apples_events.json"])
    assert set(told) == set(events.columns)
    assert set(orjson.loads(bids["participants.json"])) == set(listed.columns)
    assert b"apples" in bids["README"]


def test_a_naming_study_is_scored_like_a_model(tmp_path: Path) -> None:
    settings = {"per_cell": 1, "max": 4, "size": 128, "categories": ["dots", "apples"]}
    study = Study("naming", "lab", settings=settings, annotators=2)
    folder = study_folder(tmp_path, study, "")
    with opened(folder) as here:
        assert simulate(here, 3, EXACT) == 16 + 2 * 3
    made = make_run(read_answers(folder), tmp_path / "runs")
    scores = score_run(made)
    assert scores["model"] == "human/lab"
    assert scores["accuracy"]["value"] == 1
    assert scores["trials"] == 16
    assert load_run(made).counted["seconds"].min() >= 0  # type: ignore[operator]
    files = as_run(folder)
    assert {Path(name).name for name in files} >= {"run.json", "trials.jsonl", "responses.jsonl"}


def test_a_capture_study_asks_its_sample_of_occluded_pictures(tmp_path: Path) -> None:
    study = Study("capture", "hidden", sample=6, annotators=1, settings={"items": 20})
    folder = study_folder(tmp_path, study, "")
    with opened(folder) as here:
        totals = {(q.words, i.id): q.trial.target for i in here.desk.items.values()
                  for q in i.questions if q.trial}  # fmt: skip
        assert len(totals) == 6
        simulate(here, 1, EXACT, lambda seen: "9")
    made = make_run(read_answers(folder), tmp_path / "runs")
    counted = load_run(made).counted
    assert counted.height == 6
    assert set(counted["variant"]) == {"occluded"}
    assert set(counted["number"]) == {9}
    assert score_run(made)["smape"]["occluded"]["trials"] == 6
    # Beside a model in one report, that model is scored on exactly these six.
    model = run("capture", "sim/perfect", out=str(tmp_path), items=20, prompt="as-if-no-box",
                tasks=("total",), variants=("occluded",))  # fmt: skip
    out = report([load(made), model], tmp_path / "report.html")
    table = pl.read_csv(files_of(out)["capture-synthetic-people.csv"])
    rows = {row["model"]: row for row in table.to_dicts()}
    assert rows["human/hidden"]["pictures"] == rows["sim/perfect"]["pictures"] == 6
    assert rows["sim/perfect"]["smape"] == 0
    wrong = [abs(9 - n) / (9 + n) for n in counted["target"]]
    assert rows["human/hidden"]["smape"] == pytest.approx(100 * sum(wrong) / 6)
    assert table.height > 2  # the paper's rows stand below


def truth_of(here: Opened) -> Any:
    """An eye that sees what the prompt says: of lines its own, of claims yes."""
    known = {
        (item.picture().content, one.words): one for item in here.desk.items.values()
        if item.picture for one in item.questions
    }  # fmt: skip

    def look(seen: Seen) -> str:
        one = known[seen.picture, seen.words]
        if one.right or seen.typed:
            return one.right[0] if one.right else "4"
        assert one.trial is not None
        target = one.trial.target_choice
        return one.stored[one.options.index(target)] if target else "1"

    return look


def test_task_2_asks_how_many_later_and_of_others(files: tuple[str, str], tmp_path: Path) -> None:
    study = Study("geckonum-task2", "lines", pictures=files[0], prompts=files[1], annotators=2,
                  counts=True)  # fmt: skip
    folder = study_folder(tmp_path, study, "")
    with opened(folder) as here:
        simulate(here, 2, EXACT, truth_of(here))
        assert {one.status for one in here.desk.people.values()} == {"done"}
        simulate(here, 2, EXACT, truth_of(here))
    rows = read_answers(folder).holding
    lines = [row for row in rows if row.item.phase == 0]
    counts = [row for row in rows if row.item.phase == 1]
    assert (len(lines), len(counts)) == (12, 6)
    assert max(row.at for row in lines) <= min(row.given for row in counts)
    saw = {(row.person.name, row.item.family) for row in lines}
    assert not saw & {(row.person.name, row.item.family) for row in counts}
    found = tables_of(make_run(read_answers(folder), tmp_path / "runs"))
    assert found["table2"]["task2|me|accuracy"]["value"] == 100


def test_who_found_nothing_left_goes_on_when_a_later_phase_begins(
    files: tuple[str, str], tmp_path: Path
) -> None:
    study = Study("geckonum-task2", "lines", pictures=files[0], prompts=files[1], annotators=1,
                  counts=True, training=False)  # fmt: skip
    with opened(study_folder(tmp_path, study, "")) as here, in_thread(here.app) as base:
        first, second = taker(base, here), taker(base, here)
        for one in (first, second):
            one.send("/consent", agree="yes")
        first.send("/begin")
        given = here.desk.people["p001"].given
        while len(given) < 6:  # until every picture is in their hands or answered
            first.send("/answer", value=first.look().options[0][0])
        second.send("/begin")
        assert "nothing left to do at the moment" in second.get(second.path).text
        assert second.look().form("/on") is None
        while page := first.look().form("/answer"):
            first.post(page[0], {**page[1], "value": first.look().options[0][0]})
        second.send("/on")
        assert second.look().typed  # how many, of another person
        assert here.desk.people["p002"].status == "working"


def test_task_3_is_a_series_of_questions(files: tuple[str, str], tmp_path: Path) -> None:
    study = Study("geckonum-task3", "claims", pictures=files[0], prompts=files[1], annotators=3)
    folder = study_folder(tmp_path, study, "")
    with opened(folder) as here:
        simulate(here, 3, EXACT, truth_of(here))
    rows = read_answers(folder).holding
    series = Counter((row.person.name, row.item.id) for row in rows)
    assert max(series.values()) > 1
    for row in rows:
        assert row.place < len(row.item.questions)
    found = tables_of(make_run(read_answers(folder), tmp_path / "runs"))
    assert found["table2"]["task3|me|accuracy"]["value"] == 100
    # jsPsych's html-button-response declares `response` as which button it was, from 0.
    for one in (one for file in as_jspsych(folder).values() for one in orjson.loads(file)):
        if one["trial_type"] == "html-button-response":
            assert one["response"] == {"1": 0, "0": 1}[one["answer"]]


def test_a_study_without_answers_exports_nothing(painted: Path, tmp_path: Path) -> None:
    folder = study_folder(tmp_path, Study("geckonum-task1", "none", run=str(painted)), "")
    with pytest.raises(BadInput, match="no answers yet"):
        as_geckonum(folder)
    with opened(folder):
        pass
    for made in (as_geckonum, as_jspsych, as_bids, as_table, as_run):
        with pytest.raises(BadInput, match="Nobody has answered"):
            made(folder)
