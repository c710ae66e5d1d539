"""Parts of speech: TextBlob's bundled tagger, or a spaCy pipeline by its name.

A tagger is asked about the few words after a number, never about a whole caption.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec, module_from_spec
from typing import Any, Protocol

from subitize.errors import BadInput, MissingExtra, UnknownName

DEFAULT = "textblob"


class Tagger(Protocol):
    """Says what part of speech words are, by the tags of the Penn Treebank."""

    name: str
    """how it is called on the command line"""
    revision: str
    """which release decided"""

    def tags(self, words: Sequence[str]) -> list[str]:
        """The tag of each word of a row; the first is a number in letters."""

    def usual(self, word: str) -> str:
        """The tag of a lower-case word by itself; empty where it is in no dictionary."""

    def alike(self, word: str) -> str:
        """The word that stands for all that the tagger takes alike behind another one."""


def open_tagger(name: str = DEFAULT) -> Tagger:
    """`textblob`, or `spacy:PIPELINE`."""
    family, _, pipeline = name.partition(":")
    if name == DEFAULT:
        return TextBlobTagger()
    if family == "spacy" and pipeline:
        return SpacyTagger(pipeline)
    raise UnknownName("tagger", name, (DEFAULT, "spacy:en_core_web_sm"))


_ALIKE = {"NN": "dog", "NNS": "dogs", "JJ": "red", "VBG": "running", "VBN": "broken"}
"""a known word of each of these tags; the tagger's rules see tags, hardly ever words"""


def tagger_identity(name: str) -> list[str]:
    """A tagger's name and release, and whether it is there; without loading what takes seconds."""
    if name == DEFAULT:
        if find_spec("textblob") is None:
            raise _no_textblob()
        return [name, version("textblob")]
    tagger = open_tagger(name)
    return [tagger.name, tagger.revision]


def _no_textblob() -> MissingExtra:
    return MissingExtra("The tagger of captions", "textblob", "light")


class TextBlobTagger:
    """Brill's rules over a lexicon of 94,000 words, inside the package; nothing is downloaded."""

    name = DEFAULT

    def __init__(self) -> None:
        self._find, self._lexicon = bundled_tagger()
        self.revision = version("textblob")

    def tags(self, words: Sequence[str]) -> list[str]:
        return [tag for _, tag in self._find(list(words))]

    def usual(self, word: str) -> str:
        found = self._lexicon.get(word)
        if found is None and word.endswith("s"):
            found = self._lexicon.get(word[:-1]) or self._lexicon.get(word.removesuffix("es"))
        return "" if found is None or found.startswith("NNP") else found

    def alike(self, word: str) -> str:
        # small letters are all that is asked for, and Asian has a capital in the lexicon
        found = self._lexicon.get(word) or self._lexicon.get(word.capitalize(), "")
        return _ALIKE.get(found, word)


@cache
def bundled_tagger() -> tuple[Any, dict[str, str]]:
    """TextBlob's tagging function, and the lexicon as a plain dictionary."""
    with warnings.catch_warnings():
        # it leaves its files for the collector to close
        warnings.simplefilter("ignore", ResourceWarning)
        with _without_front_door("textblob"):
            try:
                from textblob.en import lexicon, parser
            except ImportError:
                raise _no_textblob() from None
            lexicon.load()
            parser.find_tags(["two", "unheard-of", "Snarks"])  # loads what is left
    return parser.find_tags, dict(lexicon.items())


@contextmanager
def _without_front_door(package: str) -> Iterator[None]:
    """Let modules of a package be imported without what its own file imports.

    TextBlob's brings NLTK and SciPy, which the tagger does not use: most of a worker's start, and
    a third of its memory.
    """
    found = find_spec(package)
    if package in sys.modules or found is None:
        yield
        return
    sys.modules[package] = module_from_spec(found)  # never executed
    try:
        yield
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == package]:
            del sys.modules[name]  # whoever wants the whole package imports it anew


class SpacyTagger:
    """A spaCy pipeline that is installed, by its name or path."""

    def __init__(self, pipeline: str) -> None:
        self.name = f"spacy:{pipeline}"
        try:
            import spacy
        except ImportError:
            raise BadInput(
                f"The tagger {self.name} needs spaCy, which is not installed: run  pip install "
                f"spacy  and  python -m spacy download {pipeline}"
            ) from None
        try:
            self._nlp: Any = spacy.load(pipeline, exclude=["ner", "parser", "lemmatizer"])
        except (OSError, ValueError) as problem:
            raise BadInput(
                f"spaCy can't load {pipeline!r}: {str(problem)[:200]} Run  python -m spacy "
                f"download {pipeline}  or give the path of a pipeline."
            ) from None
        if not {"tagger", "morphologizer"} & set(self._nlp.pipe_names):
            raise BadInput(
                f"The spaCy pipeline {pipeline!r} has no tagger (it has "
                f"{', '.join(self._nlp.pipe_names) or 'nothing'}): choose one that has."
            )
        meta = self._nlp.meta
        self.revision = f"{meta.get('name')} {meta.get('version')}, spaCy {version('spacy')}"

    def tags(self, words: Sequence[str]) -> list[str]:
        from spacy.tokens import Doc

        return [
            word.tag_ or word.pos_ for word in self._nlp(Doc(self._nlp.vocab, words=list(words)))
        ]

    def usual(self, word: str) -> str:
        (tag,) = self.tags([word])
        return "" if tag in ("NNP", "NNPS", "PROPN") else tag

    def alike(self, word: str) -> str:
        return word
