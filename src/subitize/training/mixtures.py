"""The training sets of GeckoNum's appendix D: a recipe for each row of Tables A12 and A13.

TallyQA's training questions are drawn by the seed; Imagen's are those that `subitize geckonum vqa
--split train` makes, all of them or those of frequent nouns only, so that rare nouns are held out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any, NamedTuple

from subitize.datasets.vqa_files import VqaEntry
from subitize.errors import BadInput
from subitize.published.geckonum import VQA
from subitize.stimuli import generator

TALLYQA, IMAGEN = 249_318, 53_053
"""questions of TallyQA (train) and of Imagen A to D, as the paper has them"""
ALL = -1


class Mixture(NamedTuple):
    """A row of a table."""

    table: str
    row: str
    """as `published` has it"""
    tallyqa: int = 0
    """questions of TallyQA; -1: all"""
    imagen: str = ""
    """all, frequent or none"""
    longer: bool = False
    """as many steps as with Imagen's pictures, on TallyQA alone"""

    @property
    def printed(self) -> Mapping[str, float]:
        """What the paper's model reached, in per cent by test set."""
        return VQA[f"PaliGemma, fine-tuned on {self.row}"]

    @property
    def held_out(self) -> str:
        """Nouns that are in the test but not in training."""
        return "rare" if self.imagen == "frequent" else ""


MIXTURES: Mapping[str, Mixture] = {
    "tallyqa-106k": Mixture("A12", "TallyQA (106k)", 2 * IMAGEN),
    "tallyqa-53k": Mixture("A12", "TallyQA (53k)", IMAGEN),
    "tallyqa-53k+imagen": Mixture("A12", "TallyQA (53k) + Imagen (53k)", IMAGEN, "all"),
    "tallyqa-53k+imagen-frequent": Mixture(
        "A12", "TallyQA (53k) + Imagen (only frequent, 28k)", IMAGEN, "frequent"
    ),
    "tallyqa-26k": Mixture("A12", "TallyQA (26k)", IMAGEN // 2),
    "tallyqa-26k+imagen": Mixture("A12", "TallyQA (26k) + Imagen (53k)", IMAGEN // 2, "all"),
    "imagen": Mixture("A12", "Imagen (53k)", 0, "all"),
    "imagen-frequent": Mixture("A12", "Imagen (only frequent, 28k)", 0, "frequent"),
    "tallyqa": Mixture("A13", "TallyQA (all, 250k)", ALL),
    "tallyqa-200k+imagen": Mixture(
        "A13", "TallyQA (200k) + Imagen (250k together)", TALLYQA - IMAGEN, "all"
    ),
    "tallyqa+imagen": Mixture("A13", "TallyQA (all) + Imagen (300k together)", ALL, "all"),
    "tallyqa+imagen-frequent": Mixture(
        "A13", "TallyQA (all) + Imagen (only frequent, 275k together)", ALL, "frequent"
    ),
    "tallyqa-longer": Mixture("A13", "TallyQA (all, longer training)", ALL, longer=True),
}
"""by the names that `--recipe` takes"""


class Question(NamedTuple):
    """A question of a set, with the folder that its picture lies in."""

    entry: VqaEntry
    folder: str
    source: str


class Sets(NamedTuple):
    """What a training is made of."""

    train: list[Question]
    judged: dict[str, list[Question]]
    """valid, and the test sets that were given"""


def mixed(
    mixture: Mixture, tallyqa: Sequence[Question], imagen: Sequence[Question], *,
    seed: int, scale: float = 1.0,
) -> list[Question]:  # fmt: skip
    """The questions of a recipe; with `scale` that share of each of its numbers."""
    wanted = round((len(tallyqa) if mixture.tallyqa == ALL else mixture.tallyqa) * scale)
    if mixture.tallyqa and not tallyqa:
        raise BadInput("This recipe learns from TallyQA: give --tallyqa and --tallyqa-pictures.")
    if mixture.imagen and not imagen:
        raise BadInput("This recipe learns from Imagen's pictures: give --imagen and its pictures.")
    if wanted > len(tallyqa):
        raise BadInput(
            f"The recipe wants {wanted} questions of TallyQA, but the file has {len(tallyqa)}: "
            f"give the whole training file ({TALLYQA}), or a smaller --scale."
        )
    own = [one for one in imagen if mixture.imagen in ("all", one.entry.frequency)]
    if mixture.imagen and not own:
        raise BadInput(
            f"None of {len(imagen)} questions of Imagen is about a frequent noun: make the file "
            "with `subitize geckonum vqa --split train`, which says so of each."
        )
    drawn = _sample(tallyqa, wanted, "finetune tallyqa", seed)
    return drawn + _sample(own, ceil(len(own) * scale), "finetune imagen", seed)


def _sample(given: Sequence[Question], many: int, what: str, seed: int) -> list[Question]:
    order = generator(what, seed).permutation(len(given))[:many]
    return [given[place] for place in sorted(order.tolist())]


def held_back(given: Sequence[Question], many: int, seed: int) -> tuple[list[Any], list[Any]]:
    """The questions to learn from, and about `many` for validation, on pictures of their own."""
    if many < 1:
        raise BadInput(f"--valid is {many}: the best evaluation is chosen by at least 1 question.")
    pictures = list(dict.fromkeys((one.source, one.entry.image) for one in given))
    if len(pictures) < 2:
        raise BadInput(
            f"There are questions on {len(pictures)} pictures only, too few to hold any back for "
            "validation: give more of them, or a larger --scale."
        )
    order = generator("finetune valid", seed).permutation(len(pictures)).tolist()
    kept: set[tuple[str, str]] = set()
    count = 0
    each: dict[tuple[str, str], int] = {}
    for one in given:
        each[one.source, one.entry.image] = each.get((one.source, one.entry.image), 0) + 1
    for place in order:
        if count >= many or len(kept) >= len(pictures) // 2:
            break
        kept.add(pictures[place])
        count += each[pictures[place]]
    inside = [(one.source, one.entry.image) in kept for one in given]
    return (
        [one for one, held in zip(given, inside, strict=True) if not held],
        [one for one, held in zip(given, inside, strict=True) if held],
    )


def longer_steps(mixture: Mixture, examples: int, batch: int, epochs: int) -> int:
    """Steps of a training that lasts as long as with Imagen's pictures; 0: as the epochs have.

    >>> longer_steps(MIXTURES["tallyqa-longer"], 249_318, 256, 2)
    2364
    """
    if not mixture.longer:
        return 0
    return epochs * ceil(round(examples * (TALLYQA + IMAGEN) / TALLYQA) / batch)
