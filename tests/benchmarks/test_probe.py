"""The counting probe, end to end: what was put in comes out, whatever the task."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
from scipy.stats import norm
from typer.testing import CliRunner

from subitize.benchmarks.catalog import get_benchmark, page_of
from subitize.benchmarks.probe import KINDS, Probe
from subitize.benchmarks.probe.items import counting_items
from subitize.cli import root
from subitize.datasets.probe.released import ProbeItem, write_split
from subitize.errors import BadInput, SubitizeError, UnknownName
from subitize.measures.foils import foil_scores
from subitize.measures.masked import mean_rank, recall_at
from subitize.models.base import Item, Kind, Model, Reply
from subitize.models.catalog import open_model
from subitize.opening import load_stored, run_and_score
from subitize.readers.rankings import ranked_numbers
from subitize.records import Trial
from subitize.reports.build import build_report
from subitize.runs.how_far import how_far
from subitize.runs.plan import read_trials
from subitize.runs.run import RunOptions, choose_kind, run_benchmark
from subitize.runs.stored import score_run, stored_run
from subitize.score_keys import KEYS
from subitize.stimuli.probe import draw, recipe

PROBE = Probe()


def scored(out: Path, model: str | Model, **settings: Any) -> dict[str, Any]:
    """The scores of one small run."""
    chosen = PROBE.settings_from({"items": 60, **settings})
    opened = open_model(model) if isinstance(model, str) else model
    outcome = run_benchmark(PROBE, chosen, opened, out, RunOptions())
    assert outcome.complete, outcome.problem
    return score_run(stored_run(outcome.folder, PROBE))


@pytest.mark.parametrize("task", ["alignment", "counting", "mlm", "vqa"])
@pytest.mark.parametrize("split", ["standard", "hard", "interpolated"])
def test_a_perfect_model_is_perfect_in_every_task(tmp_path: Path, task: str, split: str) -> None:
    found = scored(tmp_path, "sim/perfect", task=task, split=split)
    headline = {"mlm": ("recall_at_1", "mean_rank"), "vqa": ("accuracy",)}
    for name in headline.get(task, ("acc", "recall_correct", "precision_foil", "acc_r")):
        assert found[name]["value"] == 1
    assert found["items"] == 60
    ranks = {n: one["mean_rank"] for n, one in found.get("numbers", {}).items() if task == "mlm"}
    few = [f"numbers.{n}.mean_rank.interval" for n, one in ranks.items() if one["trials"] < 5]
    assert list(found["undefined"]) == few
    assert found.keys() <= KEYS.keys()
    if task != "alignment" and split == "interpolated":
        assert all(int(n) % 2 for n in found["numbers"])


@pytest.mark.parametrize("per_item", ["all", "one"])
@pytest.mark.parametrize("sentence_format", ["qa", "declarative"])
def test_a_matcher_s_known_rates_are_recovered(
    tmp_path: Path, per_item: str, sentence_format: str
) -> None:
    right, wrong, items = 0.8, 0.65, 700
    found = scored(
        tmp_path, f"sim/matcher?recall_correct={right}&recall_foil={wrong}", items=items,
        foils_per_item=per_item, format=sentence_format,
    )  # fmt: skip
    foils = 3 if per_item == "all" else 1
    hits, passed = right, foils * (1 - wrong)
    truth = {
        "recall_correct": right,
        "recall_foil": wrong,
        "acc": (right + foils * wrong) / (1 + foils),
        "precision_correct": hits / (hits + passed),
        "precision_foil": foils * wrong / (foils * wrong + 1 - right),
        "acc_r": right * wrong + (right * (1 - wrong) + (1 - right) * wrong) / 2,
    }
    for name, value in truth.items():
        # 99.9 % instead of 95 %: twelve such comparisons are made here
        width = (found[name]["high"] - found[name]["low"]) * 3.3 / 1.96 / 2
        assert abs(found[name]["value"] - value) <= width, name
        assert found[name]["low"] < found[name]["value"] < found[name]["high"]


def test_a_filler_s_known_ranks_are_recovered(tmp_path: Path) -> None:
    first, second, last = 0.55, 0.75, 12
    model = f"sim/filler?recall1={first}&recall2={second}&last={last}"
    found = scored(tmp_path, model, task="mlm", items=900)
    truth = {
        "recall_at_1": first,
        "recall_at_2": second,
        "mean_rank": first + 2 * (second - first) + (1 - second) * (3 + last) / 2,
    }
    for name, value in truth.items():
        width = (found[name]["high"] - found[name]["low"]) * 3.3 / 1.96 / 2
        assert abs(found[name]["value"] - value) <= width, name


def test_a_mean_rank_of_a_few_alike_has_no_interval_but_a_reason(tmp_path: Path) -> None:
    """One rank in all of three answers does not tell that no other could have come."""
    found = scored(tmp_path, "sim/filler?recall1=1&recall2=1", task="mlm", items=60)
    assert found["mean_rank"]["low"] == 1 < found["mean_rank"]["high"]
    several = [str(n) for n, one in found["numbers"].items() if one["mean_rank"]["trials"] < 5]
    assert several
    for n, one in found["numbers"].items():
        reason = found["undefined"].get(f"numbers.{n}.mean_rank.interval")
        assert (one["mean_rank"]["low"] is None) == (n in several) == (reason is not None)


def test_an_observer_s_known_accuracy_is_recovered(tmp_path: Path) -> None:
    """A normal around n with sd w n, rounded: how often that is n follows from n."""
    w = 0.25
    found = scored(tmp_path, f"sim/observer?limit=0&w={w}", task="vqa", items=900)

    def hit(n: int) -> float:
        low, high = norm.cdf([0.5, max(20, 2 * n) + 0.5], n, w * n)
        around = norm.cdf([n - 0.5, n + 0.5], n, w * n)
        return float((around[1] - around[0]) / (high - low))

    shares = {int(n): one["accuracy"] for n, one in found["numbers"].items()}
    truth = {n: hit(n) if n else 1.0 for n in shares}
    asked = sum(one["trials"] for one in shares.values())
    expected = sum(truth[n] * one["trials"] for n, one in shares.items()) / asked
    width = (found["accuracy"]["high"] - found["accuracy"]["low"]) * 3.3 / 1.96 / 2
    assert abs(found["accuracy"]["value"] - expected) <= width
    assert found["accuracy"]["low"] < expected < found["accuracy"]["high"]
    odd = [n for n in shares if n % 2]
    right = sum(shares[n]["value"] * shares[n]["trials"] for n in odd)
    assert found["parity"]["odd"]["value"] == pytest.approx(
        right / sum(shares[n]["trials"] for n in odd)
    )


def test_scores_agree_with_the_plain_measures(tmp_path: Path) -> None:
    found = scored(tmp_path, "sim/matcher", items=80)
    folder = next(tmp_path.iterdir())
    trials = {one.id: one for one in read_trials(folder)}
    right, foils, items = [], [], []
    for line in (folder / "responses.jsonl").read_text().splitlines():
        response = orjson.loads(line)
        trial = trials[response["trial"]]
        for option, score in zip(
            trial.options, orjson.loads(response["value"])["scores"], strict=True
        ):
            if option == trial.target_choice:
                right.append(score)
            else:
                foils.append(score)
                items.append(trial.id)
    order = list(dict.fromkeys(items))
    plain = foil_scores(right, foils, [order.index(one) for one in items])
    for name in ("acc", "recall_correct", "recall_foil", "precision_correct", "precision_foil"):
        assert found[name]["value"] == pytest.approx(getattr(plain, name))
    assert found["acc_r"]["value"] == pytest.approx(plain.acc_r)


def test_uncalibrated_scores_have_only_acc_r(tmp_path: Path) -> None:
    found = scored(tmp_path, "sim/matcher?calibrated=false")
    assert found["acc"] is None
    assert found["undefined"]["acc"] == "the scores are no match probabilities"
    assert found["acc_r"]["value"] > 0.5
    assert not found["calibrated"]


class Words(Model):
    """Fills and says what it is told to."""

    kinds: tuple[Kind, ...] = ("filler", "namer")  # type: ignore[misc]

    def __init__(self, reply: Reply) -> None:
        super().__init__("test/words")
        self.reply = reply

    def fill(self, items: list[Item]) -> list[Reply]:
        return [self.reply for _ in items]

    def name(self, items: list[Item]) -> list[Reply]:
        return [self.reply for _ in items]


def test_a_vocabulary_without_number_words_is_explained(tmp_path: Path) -> None:
    found = scored(tmp_path, Words(Reply("ranking", [["cat", 0.5], ["dog", 0.1]])), task="mlm")
    assert found["states"] == {"no-number": 60}
    assert found["recall_at_1"] is None
    assert found["undefined"]["recall_at_1"] == "no reply could be read"


def test_a_number_without_a_word_is_missed_and_counted(tmp_path: Path) -> None:
    found = scored(tmp_path, Words(Reply("ranking", [["two", 0.5], ["2", 0.9]])), task="mlm")
    twos = found["numbers"]["2"]["recall_at_1"]
    assert twos["value"] == 1
    assert found["without_word"] == 60 - twos["trials"]
    assert found["predicted_when_wrong"] == {"2": 1.0}
    assert found["numbers"]["1"]["mean_rank"] is None


@pytest.mark.parametrize(
    "reply",
    [Reply("ranking", "nonsense"), Reply("ranking", [["two"]]), Reply("ranking", {"a": 1})],
)
def test_a_broken_ranking_is_failed_and_never_a_crash(tmp_path: Path, reply: Reply) -> None:
    found = scored(tmp_path, Words(reply), task="mlm")
    assert found["states"] == {"failed": 60}


class Bad(Model):
    """A matcher whose replies can't be used."""

    kinds: tuple[Kind, ...] = ("matcher",)  # type: ignore[misc]

    def __init__(self, value: Any) -> None:
        super().__init__("test/bad")
        self.value = value

    def match(self, items: list[Item]) -> list[Reply]:
        return [Reply("scores", self.value) for _ in items]


@pytest.mark.parametrize(
    "value",
    [
        {}, {"scores": [0.5], "calibrated": True}, {"scores": "x", "calibrated": True},
        {"scores": [2.0] * 4, "calibrated": True}, {"scores": [None] * 4, "calibrated": False},
        {"scores": [0.5] * 4}, [],
    ],
)  # fmt: skip
def test_scores_that_can_t_be_are_failed(tmp_path: Path, value: Any) -> None:
    found = scored(tmp_path, Bad(value))
    assert found["states"] == {"failed": 60}
    assert found["undefined"]["acc_r"] == "no reply could be read"


def test_a_namer_is_asked_sentence_by_sentence(tmp_path: Path) -> None:
    found = scored(tmp_path, Words(Reply("text", "Yes.")))
    assert found["asked"] == 240
    assert found["recall_correct"]["value"] == 1
    assert found["recall_foil"]["value"] == 0
    assert found["acc"]["value"] == 0.25
    assert found["acc_r"] is None
    assert "tie" in found["undefined"]["acc_r"]
    assert found["precision_foil"] is None


def test_what_is_said_when_wrong_is_counted(tmp_path: Path) -> None:
    found = scored(tmp_path, Words(Reply("text", "There are 2.")), task="vqa")
    assert found["predicted_when_wrong"] == {"2": 1.0}
    assert found["numbers"]["2"]["accuracy"]["value"] == 1
    assert found["numbers"]["1"]["accuracy"]["value"] == 0


def test_the_kind_follows_the_task() -> None:
    model = open_model("sim/perfect")
    for task, kind in (("counting", "matcher"), ("mlm", "filler"), ("vqa", "namer")):
        assert choose_kind(PROBE, model, PROBE.settings_from({"task": task})) == kind
    with pytest.raises(BadInput, match="needs a filler"):
        choose_kind(PROBE, open_model("sim/matcher"), PROBE.settings_from({"task": "mlm"}))


@pytest.mark.parametrize(
    ("name", "value"),
    [("task", "guess"), ("split", "soft"), ("format", "x"), ("foils_per_item", "two"),
     ("answers", "gauss"), ("identical", "yes"), ("mode", "nice"), ("part", "dev")],
)  # fmt: skip
def test_an_unknown_value_is_said_before_anything_is_asked(name: str, value: str) -> None:
    with pytest.raises(UnknownName):
        PROBE.settings_from({name: value})


@pytest.mark.parametrize(
    "settings",
    [{"pictures": "x"}, {"items": -1}, {"highest": 0}, {"overlap": 0.9}, {"foils": "even"}],
)
def test_settings_that_can_t_be_run_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(SubitizeError):
        PROBE.settings_from(settings)


def own_split(folder: Path) -> tuple[Path, Path]:
    """A file about pictures in a folder, with an item of each fault."""
    shown = folder / "pictures"
    shown.mkdir()
    for place in range(6):
        (shown / f"{place}.png").write_bytes(draw(recipe(place, place, conditions="0")).png)
    question = "How many things are there?"
    foils = [(1, 2, 3), (2, 3, 4), (2, 3, 4), (4, 4, 5), (5,), (5,)]
    items = [
        ProbeItem(f"i{place}", f"{place}.png", question, place, foils[place], source="visual7w")
        for place in range(6)
    ]
    items.append(ProbeItem("none", "0.png", "How many legs is he using?", 2, (1, 3, 4)))
    path = folder / "split.json"
    write_split(path, items, "fluent")
    return path, shown


def test_a_file_with_pictures_is_asked_and_its_faults_are_told(tmp_path: Path) -> None:
    path, shown = own_split(tmp_path)
    given = {"file": str(path), "pictures": str(shown), "items": 0, "trained_on": "coco,visual7w"}
    found = scored(tmp_path / "runs", "sim/perfect", **given)
    assert found["items"] == 5
    assert found["unusable"] == {"no-template": 1, "no-usable-foil": 1}
    assert found["broken"]["faults"] == {
        "foil-equals-answer": 2, "repeated-foil": 1, "fewer-than-three-foils": 2,
    }  # fmt: skip
    assert found["zero_shot"] is False
    assert found["source"] == "visual7w"
    again = scored(tmp_path / "more", "sim/perfect", **(given | {"trained_on": "coco"}))
    assert again["zero_shot"] is True
    # a model's own name says it too, where the run does not
    silent = {name: value for name, value in given.items() if name != "trained_on"}
    known = scored(tmp_path / "named", "sim/perfect?trained_on=visual7w,vg", **silent)
    assert known["zero_shot"] is False
    assert scored(tmp_path / "unknown", "sim/perfect", **silent)["zero_shot"] is None


def test_missing_pictures_stop_the_run_or_are_left_out(tmp_path: Path) -> None:
    path, shown = own_split(tmp_path)
    (shown / "1.png").unlink()
    given = {"file": str(path), "items": 0}
    with pytest.raises(BadInput, match="give --set pictures"):
        scored(tmp_path / "a", "sim/perfect", **given)
    given["pictures"] = str(shown)
    with pytest.raises(BadInput, match="1 of 6 pictures are not in"):
        scored(tmp_path / "b", "sim/perfect", **given)
    found = scored(tmp_path / "c", "sim/perfect", missing="skip", **given)
    assert found["missing_pictures"] == {"count": 1, "first": ["1.png"]}
    assert found["items"] == 4
    shutil.rmtree(shown)
    with pytest.raises(BadInput, match="6 of 6"):
        scored(tmp_path / "d", "sim/perfect", missing="skip", **given)


def trials_of(**settings: Any) -> list[Trial]:
    chosen = PROBE.settings_from({"items": 40, **settings})
    kind = PROBE.kinds(chosen)[0]
    stage = next(iter(PROBE.stages(chosen, kind)))
    return list(PROBE.trials(stage.name, chosen, {}))


def test_the_released_split_is_asked_in_its_own_words(
    probe_split: Callable[[str], Path], tmp_path: Path
) -> None:
    path = probe_split("hard_split.test")
    stored = orjson.loads(path.read_bytes())
    shown = tmp_path / "pictures"
    shown.mkdir()
    for entry in list(stored.values())[:30]:
        (shown / entry["image_file"]).write_bytes(b"any picture")
    given = {"file": str(path), "pictures": str(shown), "items": 30}
    for one in trials_of(**given):
        entry = stored[one.condition["item"]]
        assert one.target_choice == entry["declarative_statement"]
        assert set(one.options) <= {one.target_choice, *entry["declarative_statement_foils"]}
    for one in trials_of(**given, format="qa"):
        assert f"? [SEP] {one.condition['n']}" in one.target_choice
    assert all(one.question.count("[MASK]") == 1 for one in trials_of(**given, task="mlm"))
    assert trials_of(**given, task="mlm")[0].question == "There are [MASK] cars parked."
    for one in trials_of(**given, task="mlm", mode="published"):
        said = one.question.replace("[MASK]", str(one.target))
        assert said == stored[one.condition["item"]]["declarative_statement"]


def test_where_the_right_sentence_stands_tells_nothing() -> None:
    places = np.bincount([one.condition["place"] for one in trials_of(items=400)], minlength=4)
    assert places.min() > 60
    for one in trials_of():
        numbers = orjson.loads(one.condition["numbers"])
        assert numbers[one.condition["place"]] == one.condition["n"]
        assert one.options[one.condition["place"]] == one.target_choice
        assert len(set(numbers)) == 4


def test_spellings_of_a_number_are_merged_by_their_best_one() -> None:
    ranking = [["2", 0.1], ["one", 0.2], ["a", 0.9], ["no", 0.5], ["zero", 0.6], ["the", 1.0]]
    assert ranked_numbers(ranking) == [1, 0, 2]
    assert recall_at([1, 2, None, 3], 2) == 0.5
    assert mean_rank([1, None, 3]) == 2
    for measure in (recall_at, mean_rank):
        with pytest.raises(BadInput):
            measure([0])


def test_the_page_shows_ours_beside_the_paper_s(tmp_path: Path) -> None:
    runs = []
    for task, models in {
        "counting": ("sim/observer", "sim/refuser"), "alignment": ("sim/matcher",),
        "mlm": ("sim/observer",), "vqa": ("sim/observer",),
    }.items():  # fmt: skip
        for model in models:
            chosen = PROBE.settings_from({"items": 30, "task": task})
            outcome = run_benchmark(PROBE, chosen, open_model(model), tmp_path, RunOptions())
            runs.append(load_stored(outcome.folder))
    page = build_report(runs, tmp_path / "report.html", page_of).read_text()
    for words in ("ViLBERT 12-in-1", "LXMERT", "Recall@1", "acc_r", "published", "Parcalabescu"):
        assert words in page
    for title in ("Masked numbers", "Right numbers against foils", "Image–sentence alignment"):
        assert title in page


def test_a_reply_that_says_neither_yes_nor_no_is_not_told_to_lack_a_number(tmp_path: Path) -> None:
    settings = PROBE.settings_from({"items": 3})
    outcome = run_benchmark(PROBE, settings, Words(Reply("text", "Maybe.")), tmp_path, RunOptions())
    page = build_report([load_stored(outcome.folder)], tmp_path / "report.html", page_of)
    assert "none of the answers asked for, or several" in page.read_text()
    assert "no number in it" not in page.read_text()


def test_the_command_runs_and_resumes(tmp_path: Path) -> None:
    words = ["run", "probe", "--model", "sim/observer", "--out", str(tmp_path), "--set",
             "task=mlm", "--set", "items=20", "--json"]  # fmt: skip
    first = CliRunner().invoke(root, words)
    assert first.exit_code == 0, first.output
    (found,) = orjson.loads(first.stdout)
    assert found["task"] == "mlm"
    again = CliRunner().invoke(root, words)
    assert orjson.loads(again.stdout) == [found]
    assert get_benchmark("probe").NAME == "probe"


def test_the_hard_split_of_scenes_is_flatter_than_the_standard_one() -> None:
    shares = {}
    for split in ("standard", "hard"):
        settings = Probe().settings_from({"split": split})
        answers = [one.answer for one in counting_items(settings)]
        assert len(answers) == 300
        shares[split] = np.bincount(answers, minlength=11) / 300
    assert shares["standard"].max() > 0.2
    assert shares["hard"].max() < 0.16


@pytest.mark.parametrize("task", ["alignment", "counting", "mlm", "vqa"])
@pytest.mark.parametrize("split", ["standard", "hard"])
def test_the_size_is_the_number_of_trials(task: str, split: str) -> None:
    settings = PROBE.settings_from({"items": 30, "task": task, "split": split})
    for kind in KINDS[task]:
        decisions = PROBE.ready(settings, kind)
        [stage] = PROBE.stages(settings, kind)
        planned = list(PROBE.trials(stage.name, settings, decisions))
        assert PROBE.size(stage.name, settings, decisions) == len(planned)


def test_a_run_that_was_cut_off_is_partial(tmp_path: Path) -> None:
    settings, model = PROBE.settings_from({"items": 30}), open_model("sim/matcher")
    outcome, _ = run_and_score(PROBE, settings, model, tmp_path, RunOptions(limit=12), {})
    far = how_far(load_stored(outcome.folder))
    assert (far.wanted, far.answered, far.complete) == (30, 12, False)
