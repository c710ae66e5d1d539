"""How-many questions of other data sets: Visual7W, TallyQA and VQA v2, in their own files.

What can't be used is left out and counted by reason; nothing is dropped without a word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from subitize.errors import BadInput, UnknownName
from subitize.files import leads_out, read_json
from subitize.numerals import from_words

SOURCES = ("visual7w", "tallyqa", "vqa")
PARTS = ("train", "valid", "test")
_PARTS = {"train": "train", "val": "valid", "valid": "valid", "validation": "valid", "test": "test"}
NOTHING = frozenset({"no", "none", "nothing", "zero"})
"""answers that mean 0"""
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Question:
    """One how-many question with its right number."""

    id: str
    picture: str
    question: str
    answer: int
    foils: tuple[int, ...] | None = None
    """wrong numbers of the data set itself; None where it has none for any question"""
    part: str = ""
    """train, valid or test, where the data set says"""
    source: str = ""
    recipe: Mapping[str, Any] = field(default_factory=dict)
    """of a drawn scene"""


@dataclass(slots=True)
class Found:
    """Questions that can be used, and how many can't, by reason."""

    questions: list[Question] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)
    """by reason, the first that were dropped"""
    repaired: Counter[str] = field(default_factory=Counter)
    """questions that stay, with foils to be replaced, by reason"""

    def drop(self, reason: str, what: str) -> None:
        self.dropped[reason] += 1
        shown = self.examples.setdefault(reason, [])
        if len(shown) < _NAMED:
            shown.append(what)


def number_of(text: object) -> int | None:
    """A bare number in digits or words; None for anything else.

    >>> number_of("Four."), number_of("None."), number_of("12"), number_of("about 5")
    (4, 0, 12, None)
    """
    if isinstance(text, int) and not isinstance(text, bool):
        return text
    word = str(text).strip().rstrip(".!").strip().lower()
    if word in NOTHING:
        return 0
    if word.isascii() and word.isdigit():
        return int(word) if len(word) < 10 else None
    return from_words(word)


def read_all(source: str, paths: Sequence[Path], annotations: Sequence[Path] = ()) -> Found:
    """The how-many questions of several files of one data set."""
    if annotations and len(annotations) != len(paths):
        raise BadInput(
            f"{len(paths)} files of questions have {len(annotations)} of answers: give one each."
        )
    whole = Found()
    for place, path in enumerate(paths):
        found = read_questions(source, path, annotations[place] if annotations else None)
        whole.questions += found.questions
        whole.dropped += found.dropped
        whole.repaired += found.repaired
        for reason, shown in found.examples.items():
            whole.examples[reason] = [*whole.examples.get(reason, ()), *shown][:_NAMED]
    return whole


def read_questions(source: str, path: Path, annotations: Path | None = None) -> Found:
    """The how-many questions of a data set's file."""
    if source not in SOURCES:
        raise UnknownName("source of questions", source, SOURCES)
    found = Found()
    if source == "vqa":
        if annotations is None:
            raise BadInput("VQA v2 keeps its answers in a file of their own: give --annotations.")
        entries = _vqa(path, annotations)
    else:
        entries = (_visual7w if source == "visual7w" else _tallyqa)(path)
    for entry in entries:
        _take(found, entry, source)
    if not found.questions:
        reasons = ", ".join(f"{many} {why}" for why, many in found.dropped.items()) or "no entries"
        raise BadInput(f"{path} holds no how-many question that can be used: {reasons}.")
    return found


def _take(found: Found, entry: Mapping[str, Any], source: str) -> None:
    question = " ".join(str(entry["question"]).split())
    if not question.lower().startswith("how many"):
        found.drop("not-a-how-many-question", question)
        return
    answer = number_of(entry["answer"])
    if answer is None or answer < 0:
        found.drop("answer-not-a-number", f"{question} {entry['answer']}")
        return
    # ./a.jpg is a.jpg: one picture has one name, so that it stays in one part
    picture = Path(str(entry["picture"])).as_posix()
    if leads_out(picture):
        found.drop("picture-outside-the-folder", f"{question} {picture}")
        return
    foils = None
    if "foils" in entry:
        foils = tuple(n for n in map(number_of, entry["foils"]) if n is not None and n >= 0)
        found.repaired["foil-not-a-number"] += len(foils) < len(entry["foils"])
    question = "How many" + question[len("how many") :]
    part = _PARTS.get(str(entry.get("part", "")), "")
    identity = f"counting_{source}_{entry['id']}"
    found.questions.append(Question(identity, picture, question, answer, foils, part, source))


def _listed(path: Path, what: str, key: str = "") -> list[Any]:
    given = read_json(path, what)
    listed = given.get(key) if key and isinstance(given, dict) else given
    if not isinstance(listed, list):
        where = f" under {key!r}" if key else ""
        raise BadInput(f"{path} holds no list of {what}{where}: is it a file of another data set?")
    return listed


def _need(entry: Any, names: tuple[str, ...], where: str) -> Mapping[str, Any]:
    if not isinstance(entry, dict) or any(name not in entry for name in names):
        raise BadInput(f"{where} is no object with {', '.join(names)}.")
    return entry


def _list_in(entry: Mapping[str, Any], name: str, where: str) -> list[Any]:
    if not isinstance(entry[name], list):
        raise BadInput(f"{where}: {name} is {entry[name]!r:.60}, which is no list.")
    return entry[name]  # type: ignore[no-any-return]


def _visual7w(path: Path) -> Iterator[dict[str, Any]]:
    """dataset_v7w_telling.json: pictures with their questions, three wrong answers each."""
    for place, image in enumerate(_listed(path, "pictures", "images"), 1):
        where = f"{path}: picture {place}"
        known = _need(image, ("filename", "split", "qa_pairs"), where)
        for pair in _list_in(known, "qa_pairs", where):
            told = _need(pair, ("question", "answer", "multiple_choices", "qa_id"), where)
            yield {
                "id": told["qa_id"], "picture": known["filename"], "part": known["split"],
                "question": told["question"], "answer": told["answer"],
                "foils": _list_in(told, "multiple_choices", where),
            }  # fmt: skip


def _tallyqa(path: Path) -> Iterator[dict[str, Any]]:
    """train.json or test.json: a list of questions; there are no wrong answers."""
    part = next((part for part in _PARTS if part in path.stem), "")
    for place, entry in enumerate(_listed(path, "questions"), 1):
        told = _need(entry, ("image", "question", "answer"), f"{path}: entry {place}")
        identity = told.get("question_id", place)
        yield {**told, "picture": told["image"], "id": identity, "part": part}


def _vqa(path: Path, annotations: Path) -> Iterator[dict[str, Any]]:
    """v2_OpenEnded_…_questions.json and v2_…_annotations.json, joined by question_id."""
    given = read_json(path, "questions")
    subtype = str(given.get("data_subtype", "")) if isinstance(given, dict) else ""
    answers = {}
    for place, entry in enumerate(_listed(annotations, "annotations", "annotations"), 1):
        names = ("question_id", "multiple_choice_answer")
        told = _need(entry, names, f"{annotations}: annotation {place}")
        answers[str(told["question_id"])] = told["multiple_choice_answer"]
    part = next((part for part in _PARTS if subtype.startswith(part)), "")
    for place, entry in enumerate(_listed(path, "questions", "questions"), 1):
        told = _need(entry, ("image_id", "question", "question_id"), f"{path}: question {place}")
        number = number_of(told["image_id"])
        if number is None:
            raise BadInput(
                f"{path}: question {place}: image_id is {told['image_id']!r}, no number."
            )
        yield {
            "id": told["question_id"], "question": told["question"], "part": part,
            "picture": f"COCO_{subtype or 'train2014'}_{number:012d}.jpg",
            "answer": answers.get(str(told["question_id"]), "unanswered"),
        }  # fmt: skip
