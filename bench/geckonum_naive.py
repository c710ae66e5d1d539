"""GeckoNum's tables as one writes them at first with pandas; only for comparing times."""

from __future__ import annotations

import io
import re
import zipfile
from collections import Counter
from typing import Any

import pandas as pd
from scipy.stats import chi2_contingency

FIVE = ("apple", "cat", "koala", "mushroom", "bottle")


def clean(answer: str) -> float | None:
    text = re.sub(r"\s", "", str(answer)).replace("o", "0").replace("O", "0").split(",")[0]
    text = re.sub(r"(?<=\d)=(?=\d)", "-", text.replace("10+", "11"))
    parts = [float(part) for part in re.sub(r"[^0-9.\-]", "", text).split("-") if part]
    if not parts:
        return None
    value = sum(parts) / len(parts)
    return 11.0 if value > 10 else value


def mode(answers: pd.Series) -> float:
    return float(Counter(answers).most_common(1)[0][0])


def agreeing(answers: pd.Series) -> int:
    return Counter(answers).most_common(1)[0][1]


def alpha(units: pd.Series, answers: pd.Series) -> float:
    """Nominal Krippendorff's α, unit by unit."""
    frame = pd.DataFrame({"unit": units, "answer": answers})
    together: Counter[tuple[float, float]] = Counter()
    for _, own in frame.groupby("unit")["answer"]:
        values = list(own)
        if len(values) > 1:
            for i, one in enumerate(values):
                for j, other in enumerate(values):
                    if i != j:
                        together[one, other] += 1 / (len(values) - 1)  # type: ignore[assignment]
    times: Counter[float] = Counter()
    for (one, _), weight in together.items():
        times[one] += weight  # type: ignore[assignment]
    total = sum(times.values())
    observed = sum(w for (one, other), w in together.items() if one != other)
    expected = total**2 - sum(n * n for n in times.values())
    return 1 - (total - 1) * observed / expected


def truth(row: Any) -> float | None:
    things = [part.strip().rsplit(":", 1) for part in row.entities.split(",")]
    asked = row.question.removeprefix("How many ").split(" are ")[0]
    if row.prompt_type == "attribute-spatial" and "in the image" not in row.question:
        relation = next(r for r in ("above", "below", "left", "right") if r in row.prompt.split())
        return float(things[0 if relation in row.question.split() else 1][1])
    hits = [
        float(n) for thing, n in things if stem(asked) in (stem(thing), stem(thing.split()[-1]))
    ]
    return sum(hits) if hits else None


def stem(noun: str) -> str:
    return noun.replace("leaves", "leaf").replace("flies", "fly").removesuffix("s")


def compare(one: pd.Series, other: pd.Series) -> tuple[float, ...]:
    table = [[one.sum(), len(one) - one.sum()], [other.sum(), len(other) - other.sum()]]
    found = chi2_contingency(table)
    return found.pvalue, one.mean(), other.mean(), len(one) + len(other), found.statistic


def tables(annotations: str, prompts: str) -> dict[str, Any]:
    known = pd.read_csv(prompts).drop(columns="prompt")
    tasks: dict[str, list[pd.DataFrame]] = {"1": [], "2": [], "3": []}
    with zipfile.ZipFile(annotations) as archive:
        for name in sorted(archive.namelist()):
            tasks[name[5]].append(pd.read_csv(io.BytesIO(archive.read(name))))
    one, two, three = (pd.concat(parts) for parts in tasks.values())
    one["value"] = one["raw_answer"].map(clean)
    one = one.dropna(subset="value")
    copies = one["image_id"].str.contains("01253|01267")
    key = ["model", "image_id", "question", "annot_id"]
    one = one[~(copies & one.duplicated(key))]
    grouped = one.groupby(["model", "image_id", "question", "prompt"], sort=False)["value"]
    labels = grouped.agg([mode, agreeing]).reset_index()
    labels["dataset_id"] = labels["image_id"].str.rsplit("_", n=1).str[0]
    labels["seed"] = labels["image_id"].str.rsplit("_", n=1).str[1].astype(int)
    labels = labels.merge(known, on="dataset_id")
    labels["truth"] = labels.apply(truth, axis=1)
    labels["right"] = labels["mode"].round() == labels["truth"]
    found: dict[str, Any] = {"alpha": {"task1": alpha(
        one["model"] + one["image_id"] + one["question"], one["value"])}}  # fmt: skip
    found["table2"] = labels.groupby("model")["right"].agg(["mean", "sem"])
    first = labels[(labels["seed"] < 5) & labels["truth"].between(1, 4)]
    for model, own in first.groupby("model"):
        simple = own[own["prompt_type"] == "numeric_simple"]
        additive = own[own["prompt_type"] == "2-additive"]
        of_five = own["question"].map(lambda text: any(noun in text for noun in FIVE))
        kinds = own["prompt_type"]
        for name, a, b in (
            ("a3", simple[simple["has_numeral"] == 0], simple[simple["has_numeral"] == 1]),
            ("a4", simple[simple["is_frequent"] == 0], simple[simple["is_frequent"] == 1]),
            ("a6", own[of_five & (kinds == "numeric_simple")], own[kinds == "attribute-color"]),
            ("a7", own[of_five & (kinds == "2-additive")], own[kinds == "2-additive-color"]),
            ("a8", additive, own[kinds == "attribute-spatial"]),
        ):
            found[f"{name}|{model}"] = compare(a["right"], b["right"])
        found[f"a5|{model}"] = own.groupby(["prompt_type", "truth"])["right"].mean()
    found["a10"] = (
        labels[labels["seed"] < 5].groupby("model")["agreeing"].value_counts(normalize=True)
    )
    chosen = two.groupby(["model", "image_id", "prompt", "gt_num"], sort=False)["answer_num"]
    lines = chosen.agg([mode, agreeing]).reset_index()
    lines["right"] = lines["mode"] == lines["gt_num"]
    found["table2|task2"] = lines.groupby("model")["right"].agg(["mean", "sem"])
    found["figure5"] = lines.groupby(["model", "gt_num"])["right"].mean()
    found["alpha"]["task2"] = alpha(two["model"] + two["image_id"], two["answer_num"])
    pictures = three.groupby(["model", "image_id"])["answer"].mean().reset_index()
    found["table2|task3"] = pictures.groupby("model")["answer"].agg(["mean", "sem"])
    found["alpha"]["task3"] = alpha(
        three["model"] + three["image_id"] + three["question"], three["answer"]
    )
    return found
