"""Testolin, Hou and Zorzi (2025), and the leaderboard of their NumGen repository.

Table 1 of the paper is a picture in the source we read, so only what its text says is here.
"""

from __future__ import annotations

from subitize.published import PublishedRow

__all__ = ["BIBTEX", "CITATION", "DOI", "ROWS", "rows", "sources"]

DOI = "10.1371/journal.pone.0331566"
CITATION = (
    "Testolin A, Hou K, Zorzi M (2025). Visual enumeration remains challenging for multimodal "
    "generative AI. PLOS ONE."
)

BIBTEX = """@article{testolin2025visual,
  title   = {Visual enumeration remains challenging for multimodal generative {AI}},
  author  = {Testolin, Alberto and Hou, Kuinan and Zorzi, Marco},
  journal = {PLOS ONE},
  year    = {2025},
  doi     = {10.1371/journal.pone.0331566}
}"""

_VQA = "§3.1 (size: §2.2), paragraphs 1 and 2"
_LARGE = "§3.1 (size: §2.2), paragraphs 1 and 3 to 5"
_PAINT = "§3.2 (size: §2.2), paragraph 2"
_BOARD = "NumGen README, section 5"


def _only_dots(direction: str) -> dict[str, str]:
    """§3.1: a trend `only for the Dots category`."""
    none = dict.fromkeys(("apples", "people", "butterflies", "fast cards"), "none")
    return {**none, "dots": direction}


_NAMING = (
    PublishedRow(
        "naming", "Qwen2.5-VL 72B", _LARGE, DOI, parameters=72, accuracy=0.89, nae=0.01,
        counting_level=4, category_consistency=0.85, prompt="things", discarded=0,
        bias=_only_dots("under"),
    ),
    PublishedRow("naming", "Qwen2.5-VL 7B", _LARGE, DOI, parameters=7, accuracy=0.82),
    PublishedRow(
        "naming", "GPT-4V", _LARGE, DOI, accuracy=0.74, counting_level=4,
        category_consistency=0.87, prompt="things", discarded=0, bias=_only_dots("over"),
    ),
    PublishedRow(
        "naming", "Gemini Pro Vision", _LARGE, DOI, accuracy=0.60, counting_level=4,
        category_consistency=0.70, prompt="things", discarded=20,
    ),
    PublishedRow(
        "naming", "LLaVA-1.6 34B", _VQA, DOI, parameters=34, accuracy=0.37, counting_level=2,
        category_consistency=0.52, prompt="category", discarded=0,
    ),
    PublishedRow(
        "naming", "BLIP-2 flan-t5-xl", _VQA, DOI, parameters=4.1, accuracy_bound="< 30 %",
        counting_level=1, category_consistency=0.27, prompt="category", discarded=6,
    ),
    PublishedRow(
        "naming", "ViLT-b32", _VQA, DOI, parameters=0.0874, accuracy_bound="< 30 %",
        counting_level=1, category_consistency=0.04, prompt="things", discarded=0,
    ),
    PublishedRow("naming", "Random (as printed)", "§2.4.1", DOI, nae=2.38, baseline=True),
)  # fmt: skip

_RANGE = "0.28 to 0.44"
_PRODUCTION = (
    PublishedRow(
        "production", "FLUX", f"{_PAINT}; {_BOARD}", DOI, parameters=12, accuracy=0.442,
        nae=0.250, counting_level=2, human_correlation=0.891, category_consistency=0.69,
    ),
    PublishedRow(
        "production", "Stable Diffusion 3.5", f"{_PAINT}; {_BOARD}", DOI, parameters=8,
        accuracy=0.411, nae=0.258, counting_level=3, human_correlation=0.912,
        category_consistency=0.37,
    ),
    PublishedRow(
        "production", "DALL-E 3", f"{_PAINT}; {_BOARD}", DOI, accuracy=0.319, nae=0.470,
        counting_level=1, human_correlation=0.841, category_consistency=0.56,
    ),
    PublishedRow(
        "production", "DALL-E 2", _PAINT, DOI, parameters=3.5, accuracy_bound=_RANGE,
        category_consistency=0.63,
    ),
    PublishedRow(
        "production", "Stable Diffusion 2.1", _PAINT, DOI, parameters=0.5, accuracy_bound=_RANGE,
        category_consistency=0.43,
    ),
    PublishedRow(
        "production", "Random (as printed)", _BOARD, DOI, accuracy=0.04, nae=2.293,
        counting_level=0, human_correlation=-0.019, baseline=True,
    ),
)  # fmt: skip

ROWS: tuple[PublishedRow, ...] = (*_NAMING, *_PRODUCTION)


def rows(benchmark: str) -> tuple[PublishedRow, ...]:
    """The published rows that belong beside a benchmark's leaderboard."""
    return tuple(row for row in ROWS if row.benchmark == benchmark)


def sources(benchmark: str) -> list[str]:
    """Where each published value was printed, a sentence per model."""
    return [f"{row.model}: {row.source}." for row in rows(benchmark)]
