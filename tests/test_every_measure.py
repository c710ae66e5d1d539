"""What every measure must hold to, whatever it measures."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import subitize.measures
from subitize.benchmarks.numerosity_page import WITHIN_CELLS
from subitize.benchmarks.probe.page import INTERVALS
from subitize.errors import BadInput
from subitize.measures import MEASURES, Measure
from subitize.measures.baselines import (
    legacy_random_sample,
    observer_matrix,
    random_matrix,
)
from subitize.measures.confusion import confusion_matrix
from subitize.measures.trials import trials_of
from subitize.published.references import REFERENCES
from subitize.records import Score
from tests.conftest import ROOT
from tests.measures.sampling import sample_matrix

NAMES = sorted(MEASURES)


def trials(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    mixed = 0.1 * random_matrix() + 0.9 * observer_matrix()
    return trials_of(sample_matrix(mixed, 20, np.random.default_rng(seed)))


def arguments(measure: Measure, order: np.random.Generator | None = None) -> tuple[Any, ...]:
    """An ordinary run in the form the measure takes, its trials shuffled by `order`."""

    def shuffled(*columns: Any) -> tuple[np.ndarray, ...]:
        arrays = tuple(np.asarray(column) for column in columns)
        if order is None:
            return arrays
        places = order.permutation(arrays[0].size)
        return tuple(array[places] for array in arrays)

    rng = np.random.default_rng(5)
    if measure.takes == "trials":
        return shuffled(*trials())
    if measure.takes == "matrix":
        return (confusion_matrix(*shuffled(*trials())).counts,)
    if measure.takes == "categories":
        kinds = {kind: shuffled(*trials(seed)) for seed, kind in enumerate("abc")}
        return ({kind: confusion_matrix(*found).counts for kind, found in kinds.items()},)
    if measure.takes == "ratings":
        return shuffled(np.repeat(np.arange(40), 5), rng.integers(0, 3, 200))
    if measure.takes == "foils":
        right = rng.random(20)
        return (right, *shuffled(rng.random(60), np.repeat(np.arange(20), 3)))
    if measure.takes == "groups":
        return (*shuffled(rng.normal(1, 1, 30)), *shuffled(rng.normal(0, 1, 30)))
    if measure.takes == "ranks":
        return shuffled(rng.integers(1, 9, 60))
    if measure.takes == "confidences":
        return shuffled(rng.random(60), 100 * rng.random(60))
    return ((30, 20), (50, 50))


def perfect(measure: Measure) -> tuple[Any, ...]:
    """A run in which every answer is right, or everybody agrees."""
    targets = np.repeat(np.arange(1, 11), 20)
    matrix = confusion_matrix(targets, targets).counts
    return {
        "trials": (targets, targets),
        "matrix": (matrix,),
        "categories": ({"a": matrix, "b": matrix},),
        "ratings": (np.repeat([0, 1], 5), np.repeat([3, 4], 5)),
        "foils": ([0.9, 0.8], [0.1, 0.2], [0, 1]),
        "groups": ([3, 4], [1, 2]),
        "table": ((25, 25), (50, 50)),
        "confidences": ([1.0, 1.0], [0.0, 0.0]),
        "ranks": ([1, 1],),
    }[measure.takes]


def nothing(measure: Measure) -> tuple[Any, ...]:
    return {
        "trials": ([], []),
        "matrix": (np.zeros((21, 10)),),
        "categories": ({},),
        "ratings": ([], []),
        "foils": ([], [], []),
        "groups": ([], []),
        "table": ((0, 0), (0, 0)),
        "confidences": ([], []),
        "ranks": ([],),
    }[measure.takes]


def value(measure: Measure, *given: Any) -> Any:
    found = measure.load()(*given)
    found = getattr(found, measure.part) if measure.part else found
    return found.value if isinstance(found, Score) else found


@pytest.mark.parametrize("name", NAMES)
def test_it_says_what_it_is_and_where_it_comes_from(name: str) -> None:
    measure = MEASURES[name]
    assert re.fullmatch(r"[^.]+(\.\d[^.]*)?\.", measure.says), "one sentence"
    assert re.search(r"\b(19|20)\d\d$", measure.source)


@pytest.mark.parametrize("name", [name for name in NAMES if MEASURES[name].takes != "table"])
def test_order_of_trials_does_not_matter(name: str) -> None:
    measure = MEASURES[name]
    plain = value(measure, *arguments(measure))
    assert plain is not None
    for seed in range(3):
        shuffled = value(measure, *arguments(measure, np.random.default_rng(seed)))
        assert np.allclose(shuffled, plain, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_perfect_answers_give_the_best_value(name: str) -> None:
    measure = MEASURES[name]
    found = measure.load()(*perfect(measure))
    if measure.perfect == "undefined":
        assert getattr(found, str(measure.part)) is None
        assert found.reason
    elif measure.perfect == "not testable":
        assert found.verdict == "not testable"
        assert found.reason
    elif name == "largest_agreement":
        assert found.tolist() == [5, 5]
    else:
        expected = measure.best if measure.perfect is None else measure.perfect
        assert round(value(measure, *perfect(measure)), 4) == expected


@pytest.mark.parametrize("name", NAMES)
def test_nothing_in_is_an_error_never_zero(name: str) -> None:
    measure = MEASURES[name]
    with pytest.raises(BadInput, match=r".{20,}"):
        measure.load()(*nothing(measure))


@pytest.mark.parametrize("name", NAMES)
def test_inputs_are_not_changed(name: str) -> None:
    measure = MEASURES[name]
    given = arguments(measure)
    before = repr(given)
    measure.load()(*given)
    assert repr(given) == before


@pytest.mark.parametrize("name", NAMES)
def test_formula_unit_and_best_value_are_documented(name: str) -> None:
    measure = MEASURES[name]
    assert measure.title
    assert len(measure.formula) > 10
    assert 0 < len(measure.unit) < 25
    text = inspect.getdoc(measure.load())
    assert text is not None
    assert ">>>" in text
    best = f"{measure.best:g}" if isinstance(measure.best, float) else measure.best
    assert f"Best: {'the highest target' if name.endswith('_level') else best}" in text


def test_what_a_table_shows_of_a_measure_comes_from_its_docstring() -> None:
    assert MEASURES["mean_error"].formula == "mean over trials of |G − T|"
    assert {name for name, one in MEASURES.items() if one.unit == "share"} == {
        "accuracy", "anchoring", "calibration_error", "foil_scores", "pairwise_accuracy",
        "recall_at",
    }  # fmt: skip


def test_every_function_with_a_best_value_is_in_the_table() -> None:
    folder = Path(subitize.measures.__file__).parent
    documented = set()
    for path in folder.glob("*.py"):
        for function in re.findall(
            r"^def ([a-z]\w+)\((?:.*?)\"\"\"(?=(.*?)\"\"\")", path.read_text(), re.M | re.S
        ):
            if "Best:" in function[1]:
                documented.add(f"{path.stem}:{function[0]}")
    listed = {measure.where for measure in MEASURES.values()}
    # parts and variants of listed measures, not measures of a run of their own
    beside = {
        "accuracy:share_difference",
        "accuracy:share_interval",
        "accuracy:proportion_interval",
        "baselines:expected_accuracy",
        "baselines:expected_nae",
        "bias:signed_rank",
        "biased_observer:fit_biased_observer",  # takes a generator
        "effort:effort_by_number",  # takes costs
        "error_size:smape_terms",
        "likeness:matrix_correlation",
        "paired:mcnemar",
        "paired:paired_difference",
        "paired:sign_flips",
        "paired:trials_needed",
        "ranks:benjamini_hochberg",
        "ranks:holm",
        "ranks:permutation_control",
    }
    assert documented - listed == beside


def test_likeness_to_random_is_one_for_the_random_sample() -> None:
    assert round(value(MEASURES["random_correlation"], legacy_random_sample()), 6) == 1


def test_every_work_that_is_named_stands_in_full_in_the_documents() -> None:
    """Author and year beside a measure, the whole reference in docs/measures.md."""
    cited = {
        work.removeprefix("ours, after ")
        for one in MEASURES.values()
        for work in one.source.split("; ")
    }
    cited |= set(re.findall(r"[A-Z]\w+ and [A-Z]\w+ \d{4}", f"{WITHIN_CELLS} {INTERVALS}"))
    assert "Fay and Kim 2017" in cited  # which methods of reports name
    assert cited <= REFERENCES.keys()
    page = (ROOT / "docs" / "measures.md").read_text(encoding="utf-8")
    for short, whole in REFERENCES.items():
        assert whole.rstrip(".") in page
        assert short[-4:] in whole  # the year
