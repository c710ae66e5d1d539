"""Pothiraj, Stengel-Eskin, Cho and Bansal (2025): every number of Tables 2 to 8, and Figure 5's.

Values are sMAPE in percent (lower is better) unless the table says accuracy (higher is better).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

DOI = "10.48550/arXiv.2504.15485"
VENUE = "Proceedings of the IEEE/CVF International Conference on Computer Vision (ICCV)"
CITATION = (
    "Pothiraj A, Stengel-Eskin E, Cho J, Bansal M (2025). CAPTURE: Evaluating Spatial Reasoning in "
    f"Vision Language Models via Occluded Object Counting. {VENUE}. doi:{DOI}."
)
BIBTEX = """@inproceedings{pothiraj2025capture,
  title     = {{CAPTURE}: Evaluating Spatial Reasoning in Vision Language Models via Occluded Object
               Counting},
  author    = {Pothiraj, Atin and Stengel-Eskin, Elias and Cho, Jaemin and Bansal, Mohit},
  booktitle = {Proceedings of the IEEE/CVF International Conference on Computer Vision (ICCV)},
  year      = {2025},
  doi       = {10.48550/arXiv.2504.15485},
  url       = {https://github.com/atinpothiraj/CAPTURE}
}"""


class CaptureRow(NamedTuple):
    """One printed number."""

    table: str
    """where it is printed"""
    model: str
    """as the paper calls it"""
    set: str
    """real or synthetic"""
    variant: str
    """unoccluded or occluded"""
    value: float
    task: str = "total"
    """total, hidden or pattern"""
    help: str = ""
    """as our `help` setting calls it; `backoff` for temperature backoff"""

    @property
    def note(self) -> str:
        """What keeps it from being compared."""
        return _NOTES.get(self.model, "")


TABLES = {
    "Table 2": "page 5, section 4.1: all models, sMAPE",
    "Table 3": "page 5, section 4.1: people and models on 100 occluded pictures of each set, sMAPE",
    "Table 4": "page 7, section 4.2: naming the pattern, accuracy",
    "Table 5": "page 7, section 4.3: help on occluded real pictures, sMAPE",
    "Table 6": "page 12, appendix C.1: few-shot chain of thought on occluded pictures, sMAPE",
    "Table 7": "page 12, appendix C.2: temperature backoff, sMAPE",
    "Table 8": "page 13, appendix C.3: only the hidden objects of real pictures, sMAPE",
    "Figure 5": "page 5, section 4.1: CountGD alone, sMAPE",
}
SETS: Mapping[str, Mapping[str, float | str]] = {
    "real": {"pictures": 924, "total": 61.45, "hidden": 13.97, "kinds": "92 kinds of object"},
    "synthetic": {"pictures": 1250, "total": 10.00, "hidden": 2.73},
}
"""Table 1: configurations, mean total and mean hidden objects, kinds"""
COUNTGD = (
    "only the 149 pictures from FSC-147's test part, since CountGD was trained on the rest: not "
    "comparable with the other rows"
)
_NOTES = {"Human": "three people on 100 pictures of each set", "CountGD": COUNTGD}
_REAL = {"set": "real", "variant": "unoccluded"}
_HIDING = {"set": "real", "variant": "occluded"}
_MADE = {"set": "synthetic", "variant": "unoccluded"}
_MADE_HIDING = {"set": "synthetic", "variant": "occluded"}
_PATTERN = {"task": "pattern"}
_HELPS = ("all-coordinates", "visible-coordinates", "inpainted")

Column = Mapping[str, str]
_PRINTED: tuple[tuple[str, tuple[Column, ...], Mapping[str, tuple[float, ...]]], ...] = (
    ("Table 2", (_REAL, _HIDING, _MADE, _MADE_HIDING), {
        "GPT-4o": (13.34, 14.75, 5.90, 9.71),
        "InternVL2": (26.17, 32.90, 16.44, 17.57),
        "Molmo": (25.90, 32.49, 8.40, 17.73),
        "Qwen2VL": (18.96, 29.33, 6.63, 11.74),
        "MiniCPM-o 2.6": (23.84, 30.08, 17.06, 19.00),
        "Kimi-VL-A3B": (23.48, 25.96, 16.91, 18.07),
        "Avg. of 6 VLMs": (21.95, 27.59, 11.89, 15.64),
    }),
    ("Table 3", (_HIDING, _MADE_HIDING), {
        "Human": (3.79, 0.92),
        "GPT-4o": (14.75, 9.71),
        "InternVL2": (32.90, 17.57),
        "Molmo": (32.49, 17.73),
        "Qwen2VL": (29.33, 11.74),
        "Avg. of 4 VLMs": (27.37, 14.19),
    }),
    ("Table 4", (_MADE | _PATTERN, _MADE_HIDING | _PATTERN), {
        "GPT-4o": (84.00, 78.52),
        "InternVL2": (68.52, 47.48),
        "Molmo": (80.70, 65.22),
        "Qwen2VL": (88.35, 86.43),
        "Avg. of 4 VLMs": (80.39, 69.41),
    }),
    ("Table 5", (_REAL, _HIDING, *(_HIDING | {"help": name} for name in _HELPS)), {
        "GPT-4o": (13.34, 14.75, 2.93, 9.20, 15.89),
        "InternVL2": (26.17, 32.90, 17.48, 25.13, 31.12),
        "Qwen2VL": (18.96, 29.33, 9.62, 17.70, 22.64),
        "Avg. of 3 VLMs": (19.49, 25.66, 10.01, 17.34, 23.22),
    }),
    ("Table 6", (_HIDING, _MADE_HIDING), {
        "GPT-4o": (14.75, 9.71),
        "GPT-4o + chain-of-thought": (14.94, 7.73),
        "Qwen2": (29.33, 11.74),
        "Qwen2 + chain-of-thought": (31.57, 37.81),
    }),
    ("Table 7", (_REAL, _HIDING, _MADE, _MADE_HIDING), {
        "GPT-4o": (13.34, 14.75, 5.90, 9.71),
        "GPT-4o + backoff": (12.57, 14.39, 5.93, 9.23),
        "InternVL2": (26.17, 32.90, 16.44, 17.57),
        "InternVL2 + backoff": (27.09, 32.37, 15.59, 16.24),
        "Molmo": (25.90, 32.49, 8.40, 17.73),
        "Molmo + backoff": (21.23, 28.17, 2.88, 15.85),
        "Qwen2VL": (18.96, 29.33, 6.63, 11.74),
        "Qwen2VL + backoff": (19.40, 28.47, 6.66, 11.51),
        "Avg. of 4 VLMs": (21.09, 27.37, 9.34, 14.19),
        "Avg. of 4 VLMs + backoff": (20.07, 25.85, 7.76, 13.21),
    }),
    ("Table 8", (_HIDING, _HIDING | {"task": "hidden"}), {
        "GPT-4o": (14.75, 26.13),
        "InternVL2": (32.90, 75.82),
        "Molmo": (32.49, 96.79),
        "Qwen2VL": (29.33, 32.89),
        "Avg. of 4 VLMs": (27.37, 57.91),
    }),
    ("Figure 5", (_REAL, _HIDING), {"CountGD": (3.15, 10.34)}),
)  # fmt: skip
"""table, what its columns are, and its lines: a model (+ a help) and its numbers"""


def _all() -> Iterator[CaptureRow]:
    for table, columns, lines in _PRINTED:
        for line, numbers in lines.items():
            model, _, help_ = line.partition(" + ")
            for column, value in zip(columns, numbers, strict=True):
                told = {"help": help_, **column}
                yield CaptureRow(table=table, model=model, value=value, **told)


ROWS: tuple[CaptureRow, ...] = tuple(_all())


def rows(table: str) -> tuple[CaptureRow, ...]:
    """What a table of the paper holds, in its order."""
    return tuple(row for row in ROWS if row.table == table)


def value(
    table: str, model: str, set_: str, variant: str, *, task: str = "total", help_: str = ""
) -> float | None:
    """One printed number; None where the table has none.

    >>> value("Table 2", "GPT-4o", "synthetic", "occluded")
    9.71
    """
    wanted = (model, set_, variant, task, help_)
    found = (r for r in rows(table) if (r.model, r.set, r.variant, r.task, r.help) == wanted)
    return next((row.value for row in found), None)


def sources() -> list[str]:
    """Where the published values are printed, a sentence per table."""
    return [f"{table}: {where}." for table, where in TABLES.items()]
