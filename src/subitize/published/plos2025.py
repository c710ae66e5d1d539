"""Testolin, Hou and Zorzi (2025), and the leaderboard of their NumGen repository.

Table 1 of the paper is a picture in the source we read, so only what its text says is here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

DOI = "10.1371/journal.pone.0331566"
CITATION = (
    "Testolin A, Hou K, Zorzi M (2025). Visual enumeration remains challenging for multimodal "
    f"generative AI. PLOS ONE 20, e0331566. doi:{DOI}."
)

BIBTEX = """@article{testolin2025visual,
  title   = {Visual enumeration remains challenging for multimodal generative {AI}},
  author  = {Testolin, Alberto and Hou, Kuinan and Zorzi, Marco},
  journal = {PLOS ONE},
  volume  = {20},
  pages   = {e0331566},
  year    = {2025},
  doi     = {10.1371/journal.pone.0331566}
}"""


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """What a paper says about one model; a value the paper's text does not give stays None."""

    benchmark: str
    """name of our benchmark that measures the same"""
    model: str
    """the model as the paper calls it"""
    source: str
    """section, table and page or paragraph where the numbers are printed"""
    parameters: float | None = None
    """size in billions of parameters"""
    accuracy: float | None = None
    """share of right responses"""
    accuracy_bound: str = ""
    """the paper's words where it gives only a bound, such as `< 30 %`"""
    nae: float | None = None
    """normalised absolute error, also printed as MWE"""
    counting_level: int | None = None
    """n of the n-knower"""
    human_correlation: float | None = None
    """correlation with the ideal human observer"""
    category_consistency: float | None = None
    """smallest correlation between the confusion matrices of two categories"""
    prompt: str = ""
    """prompt form with the best result"""
    trials: int | None = None
    """pictures that were asked about, or for, in one prompt form"""
    per_cell: int | None = None
    """of these for each category and number"""
    discarded: int | None = None
    """how many replies were thrown away"""
    bias: Mapping[str, str] = field(default_factory=dict)
    """category → over or under, as far as the text says"""
    baseline: bool = False
    """a reference point, not a model"""
    level_bound: str = ""
    """the paper's words where it gives only a bound of the counting level, such as `< 3`"""
    note: str = ""
    """what else the text says of this model"""


_PAINT = "§3.2 (size: §2.2), paragraph 2"
_BOARD = "NumGen README, section 5"
_SOURCES = {
    "large": "§3.1 (size: §2.2), paragraphs 1 and 3 to 5",
    "small": "§3.1 (size: §2.2), paragraphs 1 and 2",
    "paint": _PAINT,
    "board": _BOARD,
    "both": f"{_PAINT}; {_BOARD}",
    "§2.4.1": "§2.4.1",
}
_PRINTED = """
naming    |Qwen2.5-VL 72B      |large |72    |0.89        |0.01 |4|      |0.85|things  |0
naming    |Qwen2.5-VL 7B       |large |7     |0.82        |     | |      |    |        |
naming    |GPT-4V              |large |      |0.74        |     |4|      |0.87|things  |0
naming    |Gemini Pro Vision   |large |      |0.60        |     |4|      |0.70|things  |20
naming    |LLaVA-1.6 34B       |small |34    |0.37        |     |2|      |0.52|category|0
naming    |BLIP-2 flan-t5-xl   |small |4.1   |< 30 %      |     |1|      |0.27|category|6
naming    |ViLT-b32            |small |0.0874|< 30 %      |     |1|      |0.04|things  |0
naming    |Random (as printed) |§2.4.1|      |            |2.38 | |      |    |        |
production|FLUX                |both  |12    |0.442       |0.250|2|0.891 |0.69|        |
production|Stable Diffusion 3.5|both  |8     |0.411       |0.258|3|0.912 |0.37|        |
production|DALL-E 3            |both  |      |0.319       |0.470|1|0.841 |0.56|        |
production|DALL-E 2            |paint |3.5   |            |     |<3|     |0.63|        |
production|Stable Diffusion 2.1|paint |0.5   |            |     |<3|     |0.43|        |
production|Random (as printed) |board |      |0.04        |2.293|0|-0.019|    |        |
"""
"""benchmark, model, source, billions of parameters, accuracy (or a bound), NAE, counting level,
human correlation, category consistency, best prompt, discarded replies"""
_ONLY_DOTS = {"Qwen2.5-VL 72B": "under", "GPT-4V": "over"}
"""§3.1: a trend `only for the Dots category`"""
_NOTES = {
    "Qwen2.5-VL 7B": "more like the ideal human observer than the 72B model (§3.1, paragraph 3)",
    "Stable Diffusion 3.5": "not one picture right above 8 (caption of Fig 4)",
}
STATEMENTS: Mapping[str, tuple[str, ...]] = {
    "naming": (
        "No model exceeds a counting level of 4 (§3).",
        "In general image-to-text models underestimate, in all categories; Qwen2.5-VL 72B and "
        "GPT-4V show a trend for dots only (§3.1, Table 2).",
    ),
    "production": (
        "Accuracies of all five models lie between 0.28 and 0.44, their NAE between 0.25 (FLUX) "
        "and 0.47 (DALL-E 3) (§3.2): a range is not one model's value.",
        "The highest counting level is 3 (Stable Diffusion 3.5), so all others lie below it.",
        "In general text-to-image models overestimate (§3.2, Table 3).",
    ),
}
"""benchmark: what the text says of all models together"""
SAMPLED = (
    "Published correlations are with an observer whose answers were sampled once (accuracy .611), "
    "ours with its exact probabilities (.6156): they differ a little for that reason alone."
)
CELLS: Mapping[str, tuple[int, int]] = {"naming": (50, 50), "production": (100, 40)}
"""§2.1: pictures for each object class and number, and how many such cells: five classes are
shown, four painted, the numbers are 1 to 10"""
_UNBIASED = dict.fromkeys(("apples", "people", "butterflies", "fast cards"), "none")


def _row(line: str) -> PublishedRow:
    cells = [cell.strip() for cell in line.split("|")]
    benchmark, model, source, size, accuracy, nae, level, human, likeness, prompt, lost = cells
    exact = accuracy.replace(".", "").isdecimal()
    each, many = CELLS[benchmark]
    baseline = model.startswith("Random")
    return PublishedRow(
        benchmark, model, _SOURCES[source], prompt=prompt,
        parameters=float(size) if size else None,
        accuracy=float(accuracy) if exact else None, accuracy_bound="" if exact else accuracy,
        nae=float(nae) if nae else None,
        counting_level=int(level) if level.isdecimal() else None,
        level_bound="" if level.isdecimal() else level.replace("<", "< "),
        note=_NOTES.get(model, ""),
        human_correlation=float(human) if human else None,
        category_consistency=float(likeness) if likeness else None,
        trials=None if baseline else each * many, per_cell=None if baseline else each,
        discarded=int(lost) if lost else None,
        bias={**_UNBIASED, "dots": _ONLY_DOTS[model]} if model in _ONLY_DOTS else {},
        baseline=baseline,
    )  # fmt: skip


ROWS: tuple[PublishedRow, ...] = tuple(map(_row, _PRINTED.strip().splitlines()))


def rows(benchmark: str) -> tuple[PublishedRow, ...]:
    """The published rows that belong beside a benchmark's leaderboard."""
    return tuple(row for row in ROWS if row.benchmark == benchmark)


def sources(benchmark: str) -> list[str]:
    """Where each published value was printed, a sentence per model."""
    return [f"{row.model}: {row.source}." for row in rows(benchmark)]
