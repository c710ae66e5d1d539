"""Rows of annotations that count, as whole numbers, and why the others do not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from subitize.datasets.geckonum.annotations import Annotations, Dropped
from subitize.datasets.geckonum.prompts import Prompt

__all__ = ["COPY", "Rows", "usable_rows"]

COPY = "copy of a prompt with the same words"
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one task that count, a number per row and column, in file order."""

    file: Ints
    """which file"""
    image: Ints
    """which name of a picture (the same name may come from several painters)"""
    prompt: Ints
    """which prompt"""
    seed: Ints
    """which of the pictures of a prompt"""
    question: Ints
    """which question"""
    annotator: Ints
    """who answered"""
    value: NDArray[np.float64]
    """the answer"""
    doubled: NDArray[np.bool_]
    """a copy of this row was left out"""
    questions: tuple[str, ...]
    """words of the questions"""


def usable_rows(
    task: int,
    annotations: Annotations,
    prompts: Sequence[Prompt],
    question_of: Mapping[tuple[int, str], int] | None,
    read: Callable[[str], float | None],
) -> tuple[Rows, list[Dropped]]:
    """The rows of a task that count, and the others with their reasons.

    `question_of` maps (prompt, words) to known questions; None takes any words of a prompt of
    this task. `read` makes a number of an answer.
    """
    frame, words = _coded(annotations.tasks[task], prompts, question_of, read)
    good = frame["reason"].is_null().to_numpy()
    dropped = _dropped(
        annotations, frame.filter(pl.col("reason").is_not_null()).select("reason", "file", "record")
    )
    kept = frame.filter(pl.Series(good)) if not good.all() else frame
    columns = {
        name: kept[name].to_numpy().astype(np.int64, copy=False)
        for name in ("file", "image", "p", "seed", "q", "annotator", "record")
    }
    value = kept["value"].to_numpy().astype(np.float64)
    first, copied, again = _repeats(columns, value, _shared_words(prompts))
    for reason, which in again.items():
        late = pl.DataFrame({"file": columns["file"][which], "record": columns["record"][which]})
        dropped += _dropped(annotations, late.with_columns(pl.lit(reason).alias("reason")))
    taken = {name: column[first] for name, column in columns.items()}
    rows = Rows(
        taken["file"], taken["image"], taken["p"], taken["seed"], taken["q"],
        taken["annotator"], value[first], copied, words,
    )  # fmt: skip
    return rows, dropped


def _coded(
    frame: pl.DataFrame,
    prompts: Sequence[Prompt],
    question_of: Mapping[tuple[int, str], int] | None,
    read: Callable[[str], float | None],
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Texts as numbers; `reason` where a row can't be used.

    Answers about one picture mostly stand below each other: what picture and question mean is
    looked up once per run of equal ones, and each distinct answer and person once.
    """
    frame = frame.with_columns(pl.col("question").fill_null(""))
    new = pl.any_horizontal(
        pl.col(name).ne_missing(pl.col(name).shift()) for name in ("question", "image_id", "prompt")
    )
    starts = frame.select(new.alias("new"))["new"]
    runs, words = _meant(frame.filter(starts), prompts, question_of)
    frame = frame.hstack(runs[starts.cum_sum() - 1] if frame.height else runs)
    answers = frame.select(pl.col("answer").unique())
    answers = answers.with_columns(
        pl.Series("value", [_read(read, one) for one in answers["answer"]], dtype=pl.Float64),
        pl.when(_blank("answer")).then(pl.lit("blank answer")).alias("no_answer"),
    )
    people = frame.select(pl.col("annot_id").unique()).with_row_index("annotator")
    people = people.with_columns(
        pl.when(_blank("annot_id")).then(pl.lit("missing annotator")).alias("nobody")
    )
    frame = _look_up(_look_up(frame, answers, "answer"), people, "annot_id")
    unreadable = pl.when(pl.col("value").is_null()).then(pl.lit("unreadable answer"))
    reason = pl.coalesce("unclear", "nobody", "no_answer", unreadable)
    return frame.with_columns(reason.alias("reason")), words


def _look_up(frame: pl.DataFrame, meanings: pl.DataFrame, *names: str) -> pl.DataFrame:
    """Add what the texts of some columns mean, the rows in their order."""
    return frame.join(meanings, on=list(names), how="left", nulls_equal=True, maintain_order="left")


def _meant(
    frame: pl.DataFrame,
    prompts: Sequence[Prompt],
    question_of: Mapping[tuple[int, str], int] | None,
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Picture, prompt, seed and question as numbers, and what is `unclear` about them."""
    frame = _look_up(frame, _images(frame, prompts), "image_id")
    asked, words = _questions(frame, question_of)
    frame = _look_up(frame, asked, "p", "question")
    tests = {
        "missing image id": _blank("image_id"),
        "image id without seed": pl.col("seed").is_null(),
        "unknown prompt": pl.col("p").is_null(),
        "other words than the prompts file": _other_words(frame, prompts),
        "prompt of another task": pl.col("q") == -1,
        "unknown question": pl.col("q").is_null(),
    }
    unclear: pl.Expr = pl.lit(None, dtype=pl.String)
    for name, test in reversed(tests.items()):
        unclear = pl.when(test).then(pl.lit(name)).otherwise(unclear)
    return frame.select("image", "p", "seed", "q", unclear.alias("unclear")), words


def _read(read: Callable[[str], float | None], answer: str | None) -> float | None:
    return None if answer is None else read(answer)


def _blank(column: str) -> pl.Expr:
    return pl.col(column).is_null() | (pl.col(column).str.strip_chars() == "")


def _images(frame: pl.DataFrame, prompts: Sequence[Prompt]) -> pl.DataFrame:
    """Every picture's name with its prompt and seed: PROMPT_SEED."""
    known = pl.DataFrame(
        {"prompt_id": [one.dataset_id for one in prompts]}, schema={"prompt_id": pl.String}
    ).with_row_index("p")
    names = frame.select(pl.col("image_id").unique(maintain_order=True)).with_row_index("image")
    parts = pl.col("image_id").str.strip_chars()
    return names.with_columns(
        parts.str.extract(r"^(.*)_\d+$").alias("prompt_id"),
        parts.str.extract(r"_(\d{1,9})$").cast(pl.Int64).alias("seed"),
    ).join(known, on="prompt_id", how="left").select("image_id", "image", "seed", "p")  # fmt: skip


def _questions(
    frame: pl.DataFrame, question_of: Mapping[tuple[int, str], int] | None
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Every (prompt, words) with the number of the question; −1 for a prompt of another task."""
    asked = frame.select("p", "question").unique(maintain_order=True)
    pairs = list(zip(asked["p"].to_list(), asked["question"].to_list(), strict=True))
    numbers: list[int | None]
    if question_of is None:
        numbers = [None if words == "" else place for place, (_, words) in enumerate(pairs)]
        texts = tuple(words for _, words in pairs)
    else:
        of_task = {prompt for prompt, _ in question_of}
        numbers = [
            question_of.get((prompt, words.strip())) if prompt in of_task else -1
            for prompt, words in pairs
        ]
        texts = tuple(words for _, words in question_of)
    return asked.with_columns(pl.Series("q", numbers, dtype=pl.Int64)), texts


def _other_words(frame: pl.DataFrame, prompts: Sequence[Prompt]) -> pl.Expr:
    """Rows whose prompt column says something else than the prompts file."""
    said = frame.select("p", "prompt").unique().drop_nulls()
    wrong = [
        (place, words)
        for place, words in said.iter_rows()
        if words.strip() != prompts[place].prompt
    ]
    if not wrong:
        return pl.lit(False)
    places, texts = zip(*wrong, strict=True)
    pair = pl.struct(pl.col("p"), pl.col("prompt"))
    listed = pl.DataFrame({"p": pl.Series(places, dtype=frame["p"].dtype), "prompt": texts})
    return pair.is_in(listed.to_struct("pair").implode())


def _shared_words(prompts: Sequence[Prompt]) -> NDArray[np.bool_]:
    """Prompts whose words another prompt has too."""
    seen: dict[str, int] = {}
    for one in prompts:
        seen[one.prompt] = seen.get(one.prompt, 0) + 1
    return np.array([seen[one.prompt] > 1 for one in prompts], dtype=np.bool_)


def _repeats(
    columns: Mapping[str, Ints], value: NDArray[np.float64], shared: NDArray[np.bool_]
) -> tuple[Ints, NDArray[np.bool_], dict[str, Ints]]:
    """First rows of everybody's answer, whether a copy of it follows, and the later rows.

    The release holds every annotation of the two prompts with the same words twice; in other
    prompts a person's answer to the same question about the same picture counts once too.
    """
    key = columns["file"]
    for name in ("image", "q", "annotator"):
        key = key * (int(columns[name].max(initial=0)) + 1) + columns[name]
    distinct, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    if distinct.size == key.size:
        return np.arange(key.size), np.zeros(key.size, np.bool_), {}
    later = np.ones(key.size, np.bool_)
    later[first] = False
    rows = np.nonzero(later)[0]
    before = first[inverse.ravel()[rows]]
    is_copy = shared[columns["p"][rows]]
    same = value[rows] == value[before]
    copied = np.zeros(key.size, np.bool_)
    copied[before[is_copy]] = True
    kept = np.nonzero(~later)[0]
    again = {
        COPY: rows[is_copy],
        "duplicate row": rows[~is_copy & same],
        "annotator answered again": rows[~is_copy & ~same],
    }
    return kept, copied[kept], {reason: which for reason, which in again.items() if which.size}


def _dropped(annotations: Annotations, rows: pl.DataFrame) -> list[Dropped]:
    return [
        Dropped(str(reason), annotations.files[int(str(file))], part["record"].to_numpy())
        for (reason, file), part in rows.sort("file", "record").group_by(
            "reason", "file", maintain_order=True
        )
    ]
