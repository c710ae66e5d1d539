"""The `llm` reader: a language model takes the final number out of a reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from subitize.benchmark import Question
from subitize.benchmarks.capture.answers import read_with_boxes
from subitize.readers.text import ended_early, read_strict, take_confidence
from subitize.records import Reading, Response, Row, Trial

__all__ = ["agreement", "combine", "questions", "read_extracted"]

EXTRACT = """Below is a reply to the question how many objects there are in an image. Which single \
number does the reply end up with as its final answer? Answer with that number in digits and \
nothing else. If the reply does not come to one single final number, answer with the word skipped.

Reply:
{}"""
"""the paper does not print the extractor's prompt"""
EXAMPLES = 20


def questions(trial: Trial, response: Response) -> Sequence[Question]:
    """What the language model is asked about a reply: nothing where rules read it surely."""
    if _needs_no_model(trial, response):
        return ()
    words, _ = take_confidence(str(response.value))
    return (Question(EXTRACT.format(words), target=trial.target),)


def _needs_no_model(trial: Trial, response: Response) -> bool:
    return bool(trial.options) or response.kind != "text" or ended_early(response) is not None


def read_extracted(trial: Trial, response: Response) -> Reading:
    """The language model's answer: a number, or the word for none."""
    if ended_early(response) is None and "skip" in str(response.value).lower():
        return Reading("no-number", note="the language model found no single number")
    return read_strict(trial, response)


def combine(trial: Trial, response: Response, answers: Sequence[Row]) -> Reading:
    """The language model's reading of a reply; by rules where none is asked."""
    if _needs_no_model(trial, response):
        return read_with_boxes(trial, response)
    if not answers:
        return Reading("pending", note="not read by the language model yet")
    return answers[0].reading


def agreement(
    rows: Sequence[Row], answers: Mapping[str, Sequence[Row]]
) -> dict[str, dict[str, Any]]:
    """For each language model, how often it reads a reply as the rules do, and where not."""
    by_reply = {(r.trial.id, r.response.sample, r.response.attempt): r for r in rows}
    found: dict[str, dict[str, Any]] = {}
    for name, read in answers.items():
        both = alike = 0
        unlike: list[dict[str, Any]] = []
        for answer in read:
            about = answer.trial.condition
            row = by_reply.get((about["parent"], about["sample"], about["attempt"]))
            if row is None or answer.reading.state in ("failed", "pending"):
                continue
            both += 1
            by_rules = read_with_boxes(row.trial, row.response)
            if by_rules.value == answer.reading.value:
                alike += 1
            elif len(unlike) < EXAMPLES:
                unlike.append(
                    {
                        "reply": str(row.response.value)[-300:],
                        "rules": by_rules.value,
                        "model": answer.reading.value,
                    }
                )
        share = alike / both if both else None
        found[name] = {"replies": both, "alike": alike, "share": share, "unlike": unlike}
    return found
