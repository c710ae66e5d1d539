"""Readers of choices and of yes or no."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from subitize.readers.choices import choice, read_choice, read_yes_no, yes_no
from subitize.records import Response, Stimulus, make_trial

PATTERNS = ("rectangle", "triangle", "circle")

CHOSEN = [
    ("circle", "circle"), ("Circle.", "circle"), ("**Circle**", "circle"), ("circles", "circle"),
    ("The dots form a triangle.", "triangle"), ("A", "rectangle"), ("b", "triangle"),
    ("(C)", "circle"), ("B) triangle", "triangle"), ("B.", "triangle"), ("Option B", "triangle"),
    ("The answer is C.", "circle"), ("Answer: (b)", "triangle"), ("2", "triangle"),
    ("Option 3", "circle"), ("<answer>circle</answer>", "circle"), ("\\boxed{C}", "circle"),
    ('{"answer": "circle"}', "circle"), ("It is not a circle but a triangle.", "triangle"),
    ("<think>circle or triangle</think>rectangle", "rectangle"),
    ("It could be a circle or a triangle. Answer: triangle", "triangle"),
    ("a circle or a triangle", None), ("semicircle", None), ("", None), ("hexagon", None),
    ("7", None), ("I see a pattern", None), ("D", None),
]  # fmt: skip


@pytest.mark.parametrize(("reply", "expected"), CHOSEN)
def test_choice(reply: str, expected: str | None) -> None:
    reading = choice(reply, PATTERNS)
    assert reading.choice == expected
    assert reading.state == ("read" if expected else "no-number")
    assert reading.number is None
    assert expected or reading.note


def test_the_longer_option_wins_where_one_holds_the_other() -> None:
    options = ("many", "as many cats as dogs", "more cats than dogs")
    assert choice("There are as many cats as dogs.", options).choice == "as many cats as dogs"
    assert choice("Many.", options).choice == "many"


def test_a_refusal_is_one() -> None:
    assert choice("I'm sorry, I can't help with that.", PATTERNS).state == "refused"
    assert yes_no("I cannot see the image.").state == "refused"


ANSWERS = [
    ("yes", "yes"), ("Yes.", "yes"), ("**No**", "no"), ("NO!", "no"), ("Yes, they do.", "yes"),
    ("No, there is no pattern.", "no"), ("no, but yes if you squint", "no"), ("true", "yes"),
    ("False", "no"), ("The answer is yes.", "yes"), ("Answer: no", "no"),
    ('{"answer": "yes"}', "yes"),
    ("<think>no</think>yes", "yes"), ("Yes and no.", None), ("", None), ("maybe", None),
    ("Is it yes or no?", None), ("It is there, no doubt: yes.", "yes"),
    ("yesterday", None), ("nobody knows", None),
]  # fmt: skip


@pytest.mark.parametrize(("reply", "expected"), ANSWERS)
def test_yes_no(reply: str, expected: str | None) -> None:
    reading = yes_no(reply)
    assert reading.choice == expected
    assert reading.state == ("read" if expected else "no-number")


@given(st.text(max_size=60), st.lists(st.text(max_size=10), max_size=5, unique=True))
@settings(max_examples=300, deadline=None)
def test_never_an_exception(reply: str, options: list[str]) -> None:
    assert choice(reply, options).choice in (None, *options)
    assert yes_no(reply).choice in (None, "yes", "no")


@pytest.mark.parametrize(
    ("stop", "value", "state"),
    [
        ("stop", "yes, a circle", "read"),
        ("length", "yes, a circle", "truncated"),
        ("failed", "", "failed"),
        ("stop", "", "no-number"),
        ("refused", "", "refused"),
    ],
)
def test_how_a_response_ended(stop: str, value: str, state: str) -> None:
    stimulus = Stimulus("prompt", {"text": ""})
    trial = make_trial(("capture", "1", "pattern"), stimulus, "Which?", options=PATTERNS)
    response = Response(trial.id, "sim/perfect", "", 0, 0, "text", value, stop)
    assert read_choice(trial, response).state == state
    assert read_yes_no(trial, response).state == state
