"""The `llm` reader: a language model takes the final number out of a reply."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from subitize.benchmarks.capture.answers import read_with_boxes
from subitize.readers.text import ended_early, final, read_strict, take_confidence
from subitize.records import Reading, Response, Row, Trial, make_follower

if TYPE_CHECKING:
    import polars as pl

EXTRACT = """Below is a reply to the question how many objects there are in an image. Which single \
number does the reply end up with as its final answer? Answer with that number in digits and \
nothing else. If the reply does not come to one single final number, answer with the word skipped.

Reply:
{}"""
"""the paper does not print the extractor's prompt"""
EXAMPLES = 20


def follow(whose: tuple[str, str, str], trial: Trial, response: Response) -> Iterator[Trial]:
    """What the language model is asked about a reply: nothing where rules read it surely."""
    if not _needs_no_model(trial, response):
        question = EXTRACT.format(take_confidence(response.value)[0])
        known: dict[str, Any] = {"target": trial.target, "condition": trial.condition}
        yield make_follower(whose, response, question, **known)


def _needs_no_model(trial: Trial, response: Response) -> bool:
    return bool(trial.options) or response.kind != "text" or ended_early(response) is not None


def read_extracted(trial: Trial, response: Response) -> Reading:
    """The language model's answer: a number, or the word for none."""
    if ended_early(response) is None and "skip" in response.value.lower():
        return Reading("no-number", note="the language model found no single number")
    return read_strict(trial, response)


def combine(trial: Trial, response: Response, answers: Sequence[Row]) -> Reading:
    """The language model's reading of a reply; by rules where none is asked."""
    if _needs_no_model(trial, response):
        return read_with_boxes(trial, response)
    if not answers:
        return Reading("pending", note="not read by the language model yet")
    return answers[0].reading


def agreement(answers: pl.DataFrame) -> dict[str, dict[str, Any]]:
    """For each language model, how often it reads a reply as the rules do, and where not."""
    key = ["trial", "sample", "attempt"]
    replies = answers.filter(answers["counts"]).select(*key, "value")
    read = answers.filter(
        (answers["stage"] == "extract") & ~answers["state"].is_in(["failed", "pending"])
    )
    about = ["of_trial", "of_sample", "of_attempt"]
    both = read.join(replies, left_on=about, right_on=key, how="inner", maintain_order="left")
    found: dict[str, dict[str, Any]] = {}
    for (name,), own in both.group_by("respondent", maintain_order=True):
        alike, unlike = 0, list[dict[str, Any]]()
        for reply, said in own.select("value_right", "number").iter_rows():
            by_rules = final(take_confidence(reply)[0]).number
            if by_rules == said:
                alike += 1
            elif len(unlike) < EXAMPLES:
                unlike.append({"reply": reply[-300:], "rules": by_rules, "model": said})
        share = alike / own.height
        found[str(name)] = {"replies": own.height, "alike": alike, "share": share, "unlike": unlike}
    return found
