"""From the answers of a probe run to its scores; intervals draw whole pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from subitize.benchmark import states_of, with_states
from subitize.benchmarks.probe.items import ProbeSettings
from subitize.measures.accuracy import share_interval
from subitize.measures.foils import MATCHES
from subitize.measures.intervals import mean_interval
from subitize.models.names import parse_name
from subitize.published.pretraining import trained_on
from subitize.readers.rankings import ranked_numbers

if TYPE_CHECKING:
    import polars as pl

FOIL_SCORES = ("acc", "recall_correct", "recall_foil", "precision_correct", "precision_foil")
OF_TASK = {
    "alignment": (*FOIL_SCORES, "acc_r"),
    "counting": (*FOIL_SCORES, "acc_r", "best_match"),
    "mlm": ("recall_at_1", "recall_at_2", "mean_rank"),
    "vqa": ("accuracy",),
}
"""scores of each task"""
OF_NUMBERS = ("numbers", "parity", "predicted_when_wrong")
"""scores of tasks whose sentences say numbers"""
UNCALIBRATED = "the scores are no match probabilities"
NO_TIES = "answers of yes and no can't be ranked: every tie would count as right"
NOTHING = "no reply could be read"
NO_WORD = "no right number has a word in the vocabulary"
ONE_RANK = "fewer than five answers, all with one rank: nothing tells how far off another would be"


class Judged(NamedTuple):
    """Sentences with their scores, as columns."""

    score: NDArray[np.float64]
    right: NDArray[np.bool_]
    item: NDArray[np.int64]
    picture: NDArray[Any]
    n: NDArray[np.int64]
    """the item's right number"""
    said: NDArray[np.int64]
    """the number that the sentence says"""
    calibrated: bool


def probe_scores(counted: pl.DataFrame, settings: ProbeSettings) -> dict[str, Any]:
    """Everything a run's counted answers tell."""
    read = counted.filter(counted["state"] == "read").sort("order")
    sources = sorted(set(counted["source"]) - {""})
    scores: dict[str, Any] = {
        "task": settings.task,
        "split": settings.split,
        "form": settings.format,
        "source": ", ".join(sources) or None,
        "zero_shot": _zero_shot(sources, _trained_on(counted, settings)),
        "asked": counted.height,
        "trials": read.height,
        "items": read["item"].n_unique(),
        "states": states_of(counted),
        "undefined": {},
    }
    names = OF_TASK[settings.task]
    scores |= dict.fromkeys(names)
    if not read.height:
        scores["undefined"] = dict.fromkeys(names, NOTHING)
        return scores
    if settings.task == "mlm":
        return _with_states(scores | _masked_scores(read), counted)
    if settings.task == "vqa":
        return _with_states(scores | _answer_scores(read), counted)
    said = set(read["stage"])
    table = _yes_no(read) if said == {"judge"} else _matched(read)
    found = _foil_scores(table)
    undefined = {} if table.calibrated else dict.fromkeys(FOIL_SCORES, UNCALIBRATED)
    if said == {"judge"}:
        found |= dict.fromkeys(("acc_r", "ties", "tied_pairs", "best_match"))
        found["predicted_when_wrong"] = {}
        found.pop("parity", None)
        undefined |= {"acc_r": NO_TIES, "best_match": NO_TIES}
    for name in FOIL_SCORES:
        if found.get(name) is None and name not in undefined:
            undefined[name] = "no sentence was held to be of that kind"
    if settings.task == "alignment":
        found = {k: v for k, v in found.items() if k not in OF_NUMBERS}
        found.pop("best_match", None)
    scores |= found | {"undefined": undefined, "calibrated": table.calibrated}
    return _with_states(scores, counted)


def _with_states(scores: dict[str, Any], counted: pl.DataFrame) -> dict[str, Any]:
    """Each score with how the answers ended that it could have been made of: those about its right
    number, about even or odd ones, or all."""
    n = counted["n"]
    for number, part in scores.get("numbers", {}).items():
        scores["numbers"][number] = with_states(part, counted.filter(n == int(number)))
    for parity, score in scores.get("parity", {}).items():
        own = counted.filter(n % 2 == ("even", "odd").index(parity))
        scores["parity"] |= with_states({parity: score}, own)
    return with_states(scores, counted)


def comparable_items(answers: pl.DataFrame, settings: ProbeSettings) -> pl.DataFrame:
    """What models are compared on: every picture of the task, all that was asked about it as one.

    Right is a foil that scores no higher than the right sentence, a sentence judged rightly, a
    masked number ranked first or an answer; models that give scores are compared with such alone.
    """
    import polars as pl

    read = answers.filter(answers["state"] == "read")
    unread = answers.filter(answers["state"] != "read")
    said = answers["stage"][0] if answers.height else ""
    if settings.task == "mlm":
        right = [
            float(ranked_numbers(orjson.loads(value))[0] == target)
            for value, target in read.select("value", "target").iter_rows()
        ]
        pictures: Sequence[Any] = read["picture"].to_list()
    elif settings.task == "vqa":
        right = (read["number"] == read["target"]).cast(pl.Float64).to_list()
        pictures = read["picture"].to_list()
    elif not read.height:
        right, pictures = [], []
    elif said == "judge":
        table = _yes_no(read)
        right = ((table.score >= MATCHES) == table.right).astype(float).tolist()
        pictures = table.picture.tolist()
    else:
        pairs = _pairs(_matched(read))
        right = (pairs.right >= pairs.foil).astype(float).tolist()
        pictures = pairs.picture.tolist()
    lost = unread["picture"].to_list()
    where = f"{settings.task}/{settings.split}/{said}"
    return pl.DataFrame(
        {
            "picture": [f"{where}/{name}" for name in (*pictures, *lost)],
            "answer": [*right, *[float("nan")] * len(lost)],
        },
        schema={"picture": pl.String, "answer": pl.Float64},
    ).with_columns(stratum=pl.lit(""), target=pl.lit(1.0), kind=pl.lit("choice"))


def _trained_on(counted: pl.DataFrame, settings: ProbeSettings) -> Sequence[str]:
    """What the run says of the model, else its name (`?trained_on=`), else its publication."""
    if settings.trained_on or counted.is_empty():
        return settings.trained_on
    name = parse_name(counted["respondent"][0])
    return name.trained_on or trained_on(name.rest) or trained_on(f"{name.prefix}/{name.rest}")


def _zero_shot(sources: Sequence[str], told: Iterable[str]) -> bool | None:
    known = {one.strip().lower() for one in told}
    return None if not known else not known & set(sources)


def _matched(read: pl.DataFrame) -> Judged:
    """The scores of matchers: a reply holds those of all sentences of an item."""
    rows: list[tuple[float, bool, int, str, int, int]] = []
    calibrated = True
    columns = ("value", "place", "picture", "n", "numbers")
    for at, (value, place, picture, n, numbers) in enumerate(read.select(columns).iter_rows()):
        given, told = orjson.loads(value), orjson.loads(numbers)
        calibrated = calibrated and bool(given["calibrated"])
        rows += [
            (float(score), where == place, at, picture, n, told[where])
            for where, score in enumerate(given["scores"])
        ]
    return _judged(rows, calibrated)


def _yes_no(read: pl.DataFrame) -> Judged:
    """Yes and no of models that answer in words: 1 and 0, a reply a sentence."""
    items = {name: at for at, name in enumerate(dict.fromkeys(read["item"]))}
    columns = ("choice", "place", "item", "picture", "n", "claimed")
    rows = [
        (float(choice == "yes"), place == 0, items[item], picture, n, claimed)
        for choice, place, item, picture, n, claimed in read.select(columns).iter_rows()
    ]
    return _judged(rows, True)


def _judged(rows: Sequence[tuple[float, bool, int, str, int, int]], calibrated: bool) -> Judged:
    score, right, item, picture, n, said = zip(*rows, strict=True)
    return Judged(
        np.array(score), np.array(right), np.array(item), np.array(picture), np.array(n),
        np.array(said), calibrated,
    )  # fmt: skip


def _foil_scores(table: Judged) -> dict[str, Any]:
    """Tables 1 to 3: acc, recalls, precisions and acc_r, overall and by right number."""
    whole = np.ones(table.score.size, bool)
    found = part_scores(table, whole)
    pairs = _pairs(table)
    if pairs.right.size:
        tied = pairs.right == pairs.foil
        found |= {"ties": float(np.mean(tied)), "tied_pairs": int(tied.sum())}
    best = _best(table)
    wrong = Counter(int(n) for n in best.said[~best.hit])
    found["best_match"] = share_interval(best.hit, best.picture)
    found["predicted_when_wrong"] = _shares(wrong)
    found["numbers"] = {
        str(n): part_scores(table, table.n == n) for n in sorted(set(table.n.tolist()))
    }
    found["parity"] = _by_parity(table.n, lambda part: part_scores(table, part)["acc_r"])
    return found


def part_scores(table: Judged, chosen: NDArray[np.bool_]) -> dict[str, Any]:
    """The scores of some sentences, with intervals over pictures."""
    held = table.score >= MATCHES
    right, hit = table.right, held == table.right
    parts = {
        "acc": chosen,
        "recall_correct": chosen & right,
        "recall_foil": chosen & ~right,
        "precision_correct": chosen & held,
        "precision_foil": chosen & ~held,
    }
    found: dict[str, Any] = {}
    for name, part in parts.items():
        known = table.calibrated and part.any()
        found[name] = share_interval(hit[part], table.picture[part]) if known else None
    pairs = _pairs(table, chosen)
    found["acc_r"] = (
        share_interval(pairs.right >= pairs.foil, pairs.picture) if pairs.right.size else None
    )
    return found


class Pairs(NamedTuple):
    """Every foil with the right sentence of its item."""

    right: NDArray[np.float64]
    foil: NDArray[np.float64]
    picture: NDArray[Any]


def _pairs(table: Judged, chosen: NDArray[np.bool_] | None = None) -> Pairs:
    """Items whose right sentence was not read have no pairs."""
    inside = np.ones(table.score.size, bool) if chosen is None else chosen
    own = np.full(int(table.item.max()) + 1, np.nan)
    own[table.item[table.right]] = table.score[table.right]
    foils = inside & ~table.right & ~np.isnan(own[table.item])
    return Pairs(own[table.item[foils]], table.score[foils], table.picture[foils])


class Best(NamedTuple):
    """For each item, whether its right sentence scores highest, and the number of the best."""

    hit: NDArray[np.bool_]
    said: NDArray[np.int64]
    picture: NDArray[Any]


def _best(table: Judged) -> Best:
    """A tie at the top is no hit: another number fits as well."""
    order = np.lexsort((table.right, -table.score, table.item))
    first = order[np.unique(table.item[order], return_index=True)[1]]
    return Best(table.right[first], table.said[first], table.picture[first])


def _masked_scores(read: pl.DataFrame) -> dict[str, Any]:
    """Table 4: Recall@1, Recall@2 and mean rank, overall and by right number."""
    ranks, wrong = [], Counter[int]()
    for value, target in read.select("value", "target").iter_rows():
        numbers = ranked_numbers(orjson.loads(value))
        at = numbers.index(int(target)) + 1 if target in numbers else np.nan
        ranks.append(at)
        if at != 1:
            wrong[numbers[0]] += 1
    rank, pictures = np.array(ranks, np.float64), read["picture"].to_numpy()
    target = read["target"].to_numpy().astype(np.int64)

    def part(chosen: NDArray[np.bool_]) -> dict[str, Any]:
        own, whose = rank[chosen], pictures[chosen]
        known = ~np.isnan(own)
        reached = np.nan_to_num(own, nan=np.inf)
        mean = None
        if known.any():
            mean = mean_interval(own[known], clusters=whose[known], bounds=(1.0, np.inf))
        return {
            **{f"recall_at_{k}": share_interval(reached <= k, whose) for k in (1, 2)},
            "mean_rank": mean,
        }

    found = part(np.ones(rank.size, bool))
    found["without_word"] = int(np.isnan(rank).sum())
    found["numbers"] = _by_number(target, part)
    found["undefined"] = {}
    for where, one in (
        ("", found),
        *((f"numbers.{n}.", own) for n, own in found["numbers"].items()),
    ):
        if one["mean_rank"] is None:
            found["undefined"][f"{where}mean_rank"] = NO_WORD
        elif one["mean_rank"].low is None:
            found["undefined"][f"{where}mean_rank.interval"] = ONE_RANK
    found["parity"] = _by_parity(target, lambda chosen: part(chosen)["recall_at_1"])
    found["predicted_when_wrong"] = _shares(wrong)
    return found


def _answer_scores(read: pl.DataFrame) -> dict[str, Any]:
    """Table 5: accuracy overall and by right number."""
    number, pictures = read["number"].to_numpy(), read["picture"].to_numpy()
    target = read["target"].to_numpy().astype(np.int64)
    hit = number == target

    def part(chosen: NDArray[np.bool_]) -> dict[str, Any]:
        return {"accuracy": share_interval(hit[chosen], pictures[chosen])}

    wrong = Counter(int(n) for n in number[~hit])
    return {
        **part(np.ones(hit.size, bool)),
        "numbers": _by_number(target, part),
        "parity": _by_parity(target, lambda chosen: part(chosen)["accuracy"]),
        "predicted_when_wrong": _shares(wrong),
    }


def _by_number(
    target: NDArray[np.int64], part: Callable[[NDArray[np.bool_]], dict[str, Any]]
) -> dict[str, Any]:
    """The scores of each right number."""
    return {str(n): part(target == n) for n in sorted(set(target.tolist()))}


def _by_parity(
    target: NDArray[np.int64], part: Callable[[NDArray[np.bool_]], Any]
) -> dict[str, Any]:
    """A task's headline on even right numbers and on odd ones; only what there is."""
    chosen = {"even": target % 2 == 0, "odd": target % 2 == 1}
    return {name: part(own) for name, own in chosen.items() if own.any()}


def _shares(wrong: Counter[int]) -> dict[str, float]:
    """The numbers predicted instead, most frequent first."""
    total = wrong.total()
    return {str(n): many / total for n, many in wrong.most_common()}
