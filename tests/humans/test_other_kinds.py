"""Counting, verifying, captions and replies: what each study gives another command reads."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import orjson
import polars as pl
import pytest

from subitize.api import run
from subitize.captions.images import Pair, check_images, write_study
from subitize.captions.judging import judge_images
from subitize.commands.importing import reader_check as import_check
from subitize.datasets.box_tables import read_counted_boxes
from subitize.errors import BadInput, RunLocked
from subitize.humans.answers import read_answers
from subitize.humans.checking import problem_with
from subitize.humans.exporting import as_counts, as_judgements, as_screening
from subitize.humans.items import FREE, LINES, NUMBER, Question
from subitize.humans.kinds.catalog import material_of
from subitize.humans.kinds.material import dots
from subitize.humans.run_folder import make_run
from subitize.humans.serving import Opened, opened, study_folder
from subitize.humans.simulated import Manner, Seen
from subitize.humans.simulating import simulate
from subitize.humans.study import KINDS, Study
from subitize.humans.watching import in_words
from subitize.humans.web import in_thread
from subitize.models.catalog import open_model
from subitize.readers.annotators import counted
from subitize.readers.text import strict
from subitize.records import Score
from subitize.runs.exclusions import read_exclusions, write_exclusions
from subitize.runs.reader_check import carried
from subitize.stimuli import render
from tests.humans.conftest import Serve
from tests.humans.taking import taker
from tests.runs.test_locks import held
from tests.scored import score_run

EXACT = Manner(0, 0, 0, 0, 0, 0)


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six drawn pictures of 1 to 6 apples, named as naming pictures are."""
    folder = tmp_path_factory.mktemp("counted")
    for n in range(1, 7):
        (folder / f"{n}_apples_0.png").write_bytes(render(dots("apples", n, n, side=160)).png)
    return folder


def write_all(files: dict[str, bytes], folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)


def test_counts_are_what_calibrate_reads_and_a_second_person_verifies(
    pictures: Path, tmp_path: Path
) -> None:
    study = Study("count", "first", pictures=str(pictures), annotators=1)
    folder = study_folder(tmp_path, study, "")
    with opened(folder) as here:
        simulate(here, 1, EXACT)
    write_all(as_counts(folder), tmp_path / "out")
    counts = tmp_path / "out" / "counts.csv"
    assert counts.read_text().splitlines()[:2] == [
        "image,category,count",
        "1_apples_0.png,apples,1",
    ]
    boxes = pl.DataFrame({"image": ["3_apples_0.png"] * 2, "x0": [0.0, 50.0], "y0": [0.0, 50.0],
                          "x1": [9.0, 60.0], "y1": [9.0, 60.0], "score": [0.9, 0.8]})  # fmt: skip
    boxes.write_parquet(tmp_path / "boxes.parquet")
    given = read_counted_boxes(tmp_path / "boxes.parquet", counts)
    assert sorted(given.counts.tolist()) == [1, 2, 3, 4, 5, 6]
    assert not (tmp_path / "out" / "disagreements.csv").read_text().splitlines()[1:]

    changed = counts.read_text().replace("4_apples_0.png,apples,4", "4_apples_0.png,apples,9")
    counts.write_text(changed)
    again = Study("verify", "second", pictures=str(pictures), verify=str(counts), annotators=1,
                  training=False)  # fmt: skip
    folder = study_folder(tmp_path, again, "")

    def look(seen: Seen) -> str:
        shown = re.search(r"Somebody counted (\d+) apples?\.", seen.words)
        assert shown is not None
        assert ("1 apple." in seen.words) == (shown[1] == "1")
        assert seen.options == ((shown[1], f"{shown[1]} is right"),)
        return "4" if shown[1] == "9" else shown[1]

    with opened(folder) as here:
        simulate(here, 1, EXACT, look)
    apart = as_counts(folder)["disagreements.csv"].decode().splitlines()
    assert apart == ["image,category,count,agreeing,all", "4_apples_0.png,apples,4,1,9 4"]


def test_what_is_counted_is_told_by_a_file_and_paths_stay_inside(
    pictures: Path, tmp_path: Path
) -> None:
    file = tmp_path / "things.csv"
    file.write_text("image,category\n1_apples_0.png,red apples\n")
    with pytest.raises(BadInput, match="does not tell what is counted"):
        material_of(Study("count", pictures=str(pictures), things=str(file)))
    for count in ("3.5", "many", "-1"):
        file.write_text(f"image,count\n1_apples_0.png,{count}\n")
        with pytest.raises(BadInput, match="give a whole number"):
            material_of(Study("verify", pictures=str(pictures), verify=str(file)))
    file.write_text("image,count\n1_apples_0.png,3.0\n")
    (item,) = (
        one
        for one in material_of(Study("verify", pictures=str(pictures), verify=str(file))).items
        if one.role == "main"
    )
    assert item.questions[0].stored == ("3",)
    file.write_text("image,count\n../secret.png,3\n")
    with pytest.raises(BadInput, match="leads out of"):
        material_of(Study("verify", pictures=str(pictures), verify=str(file)))


def test_captions_are_judged_and_set_beside_the_counter(
    pictures: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # as they come of a corpus that was named by a path from here
    monkeypatch.chdir(pictures.parent)
    pairs = [Pair(n, f"a photo of {said} apples", 11, 12, said, "apples",
                  f"{pictures.name}/{n}_apples_0.png")
             for n, said in ((2, 2), (3, 3), (4, 7))]  # fmt: skip
    write_study(pairs, tmp_path)
    monkeypatch.chdir(tmp_path)
    pairs = [replace(one, image=str(pictures.parent / one.image)) for one in pairs]
    check_images(pairs, open_model("counter/blobs"), tmp_path)
    study = Study("caption-fit", "captions", captions=str(tmp_path), annotators=2, training=False)
    folder = study_folder(tmp_path / "studies", study, "")

    def look(seen: Seen) -> str:
        assert [value for value, _ in seen.options] == ["fits", "does not fit", "can't tell"]
        return (
            "does not fit" if seen.picture == (pictures / "4_apples_0.png").read_bytes() else "fits"
        )

    with opened(folder) as here:
        simulate(here, 2, EXACT, look)
    write_all(as_judgements(folder), tmp_path / "out")
    found = judge_images(tmp_path, tmp_path / "out" / "judgements.jsonl")["people"]
    assert (found["judges"], found["judgements"]) == (2, 6)
    assert found["misaligned"]["value"] == pytest.approx(1 / 3)
    assert found["alpha"] == 1


def test_the_reader_s_error_is_carried_into_the_scores(tmp_path: Path) -> None:
    made = run("naming", "sim/chatty", out=str(tmp_path), per_cell=1, max=6, control=False,
               prompt="things", size=64, categories=("dots", "apples"))  # fmt: skip
    target = Path(made.folder)
    study = Study("reader-check", "check", run=str(target), sample=8, annotators=1, training=False)
    folder = study_folder(tmp_path / "studies", study, "")
    with opened(folder) as here:
        replies = {item.questions[0].quote: strict(item.questions[0].quote)
                   for item in here.desk.items.values()}  # fmt: skip
        with in_thread(here.app) as base:
            one = taker(base, here)
            one.begin()
            wrong = 0
            while found := one.look().form("/answer"):
                given = here.desk.people["p001"].current
                assert given is not None
                read = replies[given.item.questions[0].quote]
                value = str(read.number) if read.state == "read" else "no-number"
                if read.state == "read" and not wrong:
                    value, wrong = str(int(read.number or 0) + 1), 1
                assert one.post(found[0], {**found[1], "value": value}).status == 200
    with held(target), pytest.raises(RunLocked):
        import_check(folder, json=True)
    assert "reader_check" not in score_run(target)
    import_check(folder, json=True)
    check = score_run(target)["reader_check"]
    assert check["checked"] == 8
    assert check["error"]["value"] == pytest.approx(1 / 8)
    assert check["error"]["low"] < 1 / 8 < check["error"]["high"]
    right = check["right_as_people_read"]
    assert right["low"] <= right["value"] <= right["high"]


def test_simulated_people_read_the_replies(tmp_path: Path) -> None:
    made = run("naming", "sim/chatty", out=str(tmp_path), per_cell=3, max=6, control=False,
               prompt="things", size=64, categories=("dots", "apples"))  # fmt: skip
    for name, manner in (("exact", EXACT), ("erring", Manner(slip=0.5, lapse=0.5))):
        study = Study("reader-check", name, run=str(made.folder), sample=30, annotators=1)
        folder = study_folder(tmp_path / "studies", study, "")
        with opened(folder) as here:
            simulate(here, 1, manner)
        import_check(folder, json=True)
        check = score_run(Path(made.folder))["reader_check"]
        assert check["checked"] == 30
        assert (check["error"]["value"] == 0) is (name == "exact")


def test_a_carried_share_covers_what_people_would_have_read() -> None:
    """1,000 replies, a reader who errs in 6 %, people who read 100: 95 % of intervals hold it."""
    rng, covered, many = np.random.default_rng(7), 0, 200
    for _ in range(many):
        true = rng.random(1000) < 0.7
        read = np.where(rng.random(1000) < 0.06, ~true, true)
        chosen = rng.choice(1000, 100, replace=False)
        sample = [(bool(read[one]), bool(true[one])) for one in chosen]
        found: Score = carried(int(read.sum()), 1000, sample)
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= 0.7 <= found.high
    assert covered / many > 0.95 - 3 * np.sqrt(0.95 * 0.05 / many)


def test_screened_pictures_are_excluded_and_faces_named(painted: Path, tmp_path: Path) -> None:
    study = Study("geckonum-task1", "screened", run=str(painted), annotators=1, training=False)
    folder = study_folder(tmp_path, study, "")
    with opened(folder) as here:
        items = [one for one in here.desk.items.values() if one.role == "main"]
        for item, verdict, face in ((items[0], "drop", False), (items[1], "keep", True)):
            here.desk.store.write(here.desk.screen(item.id, verdict, "too dark", face)).result()
        simulate(here, 1, EXACT)
    files = as_screening(folder)
    (tmp_path / "excluded.csv").write_bytes(files["excluded.csv"])
    assert orjson.loads(files["faces.json"]) == [items[1].about["file"]]
    assert (painted / "images" / items[1].about["file"]).exists()
    copy = shutil.copytree(painted, tmp_path / "copy")
    assert write_exclusions(copy, tmp_path / "excluded.csv") == 1
    assert read_exclusions(copy) == {items[0].about["file"]: "too dark"}
    assert len(read_answers(folder).holding) == 14
    naming = Study("naming", "lab", annotators=1, training=False,
                   settings={"per_cell": 1, "max": 2, "size": 64,
                             "categories": ["dots"]})  # fmt: skip
    folder = study_folder(tmp_path, naming, "")
    with opened(folder) as here:
        items = [one for one in here.desk.items.values() if one.role == "main"]
        here.desk.store.write(here.desk.screen(items[0].id, "drop", "odd", True)).result()
        simulate(here, 1, EXACT)
    made = make_run(read_answers(folder), tmp_path / "runs")
    assert read_exclusions(made) == {items[0].questions[0].trial_id: "odd"}
    assert orjson.loads((made / "faces.json").read_bytes()) == [items[0].questions[0].trial_id]


@pytest.mark.parametrize(("typed", "meant"), [
    ("3", 3), ("2.5", 2.5), ("2 - 5", 3.5), ("10+", 11), ("1, 10+", 1), ("o", 0), ("6=7", 6.5),
    ("3q", 3), ("4 or 5", None), ("2 to 5", None), ("1/2", None), ("2½", None), ("1 000", None),
    (">10", None), ("2-3-4", None), ("2-", None), ("3\0", None), ("٣", None),
])  # fmt: skip
def test_what_would_be_read_otherwise_than_it_is_meant_is_asked_again(
    typed: str, meant: float | None
) -> None:
    """By the paper's rule all but digits is dropped: `4 or 5` is 45, which is 10+."""
    good = not problem_with(Question("How many?", FREE), typed)
    assert good == (meant is not None)
    assert not good or counted(typed) == meant


@pytest.mark.parametrize("kind", ["geckonum-task2", "geckonum-task3"])
def test_practice_tells_the_line_that_was_to_be_chosen(
    kind: str, files: tuple[str, str], serve: Serve
) -> None:
    base, here = serve(Study(kind, kind, pictures=files[0], prompts=files[1]))
    one = taker(base, here)
    one.send("/consent", agree="yes")
    one.send("/begin")
    (asked,) = here.desk.training[0].questions
    place = asked.stored.index(asked.right[0])
    wrong = asked.stored[place - 1]
    one.send("/answer", value=wrong)
    told = one.get(one.path).text
    assert "Not quite" in told
    assert f"The right answer: <b>{asked.options[place]}</b>" in told


def test_the_desk_tells_each_question_with_its_answers_and_the_reply_that_was_read(
    files: tuple[str, str], serve: Serve, tmp_path: Path
) -> None:
    def items_of(study: Study) -> tuple[str, Opened]:
        base, here = serve(replace(study, training=False))
        one = taker(base, here)
        one.begin()
        while page := one.look().form("/answer"):
            options = one.look().options
            one.send("/answer", value=options[0][0] if options else "7", given=page[1]["given"])
        one.get(f"/desk?token={here.site.token}")
        return one.get("/desk/items").text, here

    claims = Study("geckonum-task3", "claims", pictures=files[0], prompts=files[1])
    text, here = items_of(claims)
    rows = [re.findall(r"<td>(.*?)</td>", row) for row in re.findall(r"(?s)<tr>.*?</tr>", text)]
    yes = '<span class="said">Yes</span> '
    asked = [[question.words, yes] for item in here.desk.items.values() if item.role == "main"
             for question in item.questions]  # fmt: skip
    assert [row for row in rows if row] == asked
    model = run("naming", "sim/chatty", out=str(tmp_path), per_cell=1, max=2, size=64,
                control=False, prompt="things", categories=("dots",))  # fmt: skip
    text, here = items_of(Study("reader-check", "replies", run=str(model.folder)))
    quotes = [one.questions[0].quote for one in here.desk.items.values() if one.role == "main"]
    assert quotes
    assert all(quote in text for quote in quotes)
    assert "Picture" not in text


@pytest.mark.parametrize("kind", ["count", "verify", "geckonum-task2", "caption-fit"])
def test_a_file_that_is_no_picture_is_told_before_anybody_comes(
    kind: str, files: tuple[str, str], tmp_path: Path
) -> None:
    """Who is given it could neither answer nor go on."""
    folder = tmp_path / "pictures"
    folder.mkdir()
    (folder / "one.png").write_bytes(render(dots("apples", 1, 1, side=64)).png)
    (folder / "counts.csv").write_text("image,count\none.png,1\n")
    given = {"pictures": str(folder)}
    if kind == "verify":
        given["verify"] = str(folder / "counts.csv")
    elif kind == "caption-fit":
        write_study([Pair(1, "2 apples", 0, 1, 2, "apples", str(folder / "one.png"))], folder)
        given = {"captions": str(folder)}
    elif kind == "geckonum-task2":
        shutil.copytree(Path(files[0]) / "me", folder / "me")
        given["prompts"] = files[1]
    study = Study(kind, kind, **given)
    assert material_of(study).items
    for one in folder.rglob("*.png"):
        one.write_text("<html>404</html>")
    with pytest.raises(BadInput, match=r"can't be shown: the picture is neither PNG"):
        material_of(study)


def test_answers_are_told_as_people_chose_them() -> None:
    lines = Question("Which line?", LINES, options=("No apples.", "Some."), values=("0", "1"))
    assert in_words(lines, ["1", "0", "1"]) == ["Some. × 2", "No apples."]
    assert in_words(Question("How many?", FREE), ["2-3", "3", "3"]) == ["3 × 2", "2-3"]
    read = Question("Which?", NUMBER, options=("It gives no number",), values=("no-number",))
    assert in_words(read, ["no-number", "7"]) == ["It gives no number", "7"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_attention_checks_that_can_be_failed(
    kind: str, pictures: Path, painted: Path, files: tuple[str, str], tmp_path: Path
) -> None:
    """A study that asks for checks has some, whatever is asked, and they tell right from wrong."""
    given: dict[str, str] = {"pictures": str(pictures)}
    if kind.startswith("geckonum"):
        given = {"pictures": files[0], "prompts": files[1]}
        given = {"run": str(painted)} if kind.endswith("1") else given
    elif kind == "verify":
        (tmp_path / "counts.csv").write_text("image,count\n1_apples_0.png,1\n")
        given["verify"] = str(tmp_path / "counts.csv")
    elif kind == "caption-fit":
        write_study([Pair(1, "a photo of 2 apples", 11, 12, 2, "apples",
                          str(pictures / "2_apples_0.png"))], tmp_path)  # fmt: skip
        given = {"captions": str(tmp_path)}
    elif kind == "reader-check":
        model = run("naming", "sim/chatty", out=str(tmp_path), per_cell=1, max=1, size=64,
                    control=False, prompt="things", categories=("dots",))  # fmt: skip
        given = {"run": str(model.folder)}
    every = material_of(Study(kind, **given)).items
    items = [one for one in every if one.role == "check"]
    forms = {one.form for item in every if item.role == "main" for one in item.questions}
    assert {one.form for item in items for one in item.questions} <= forms  # no check stands out
    assert len(items) >= 4
    assert len({one.id for one in items}) == len(items)
    for item in items:
        (question,) = item.questions
        assert all(not problem_with(question, one) for one in question.right)
        assert item.picture is None or item.picture().content
    assert len({question.right for one in items for question in one.questions}) > 1
