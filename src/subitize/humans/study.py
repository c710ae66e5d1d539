"""A study: what is asked, of how many people, in which words. A TOML file, or a kind's name."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import MISSING, asdict, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from subitize.benchmark import SWITCH
from subitize.errors import BadInput, UnknownName, in_words
from subitize.files import read_toml

KINDS = (
    "geckonum-task1", "geckonum-task2", "geckonum-task3", "naming", "capture", "count", "verify",
    "caption-fit", "reader-check",
)  # fmt: skip
ENTRIES = ("links", "open", "panel")
RETURNS = ("resume", "restart", "block")
UNNAMED = "We do not ask for your name, and we store nothing that identifies you."
OF_PANEL = (
    "We do not ask for your name. The id by which the panel knows you is kept apart from your "
    "answers, so that you can be paid."
)
STORED = (
    f"We store your answers and how long each took. {UNNAMED} Taking part is voluntary: you can "
    "stop at any time by closing the page."
)
CONSENT = f"You will look at pictures and answer short questions about them. {STORED}"
READING = f"You will read short replies and say which number each of them gives. {STORED}"
OF_KINDS: Mapping[str, Mapping[str, Any]] = {
    "geckonum-task2": {"title": "Which line fits?"},
    "geckonum-task3": {"title": "Yes or no?"},
    "verify": {"title": "Is the count right?"},
    "caption-fit": {"title": "Does the number fit?"},
    "reader-check": {"title": "Which number does it give?", "consent": {"text": READING}},
}
"""defaults of a kind where they are not those of all"""
GECKONUM = dict.fromkeys(KINDS[:3], ("geckonum", "run"))
EXPORTS: Mapping[str, tuple[str, ...]] = {
    **GECKONUM, "naming": ("run",), "capture": ("run",), "count": ("counts",),
    "verify": ("counts",), "caption-fit": ("judgements",), "reader-check": ("reader-check",),
}  # fmt: skip
"""the forms in which only some kinds can be exported, by kind"""


@dataclass(frozen=True)
class Consent:
    """What people agree to before they begin."""

    text: str = CONSENT
    """shown in full; paragraphs are apart by an empty line"""
    version: str = "1"
    """stored with who agreed; another text needs another version"""


@dataclass(frozen=True)
class Return:
    """What happens when somebody comes back."""

    rule: str = "resume"
    """resume where they were, restart from the beginning, or block"""
    max_age_hours: float = 24.0 * 14
    """after that, counted from the first visit, the link is closed"""
    idle_minutes: float = 60.0
    """an absence that is longer counts as coming back, and gives unanswered items to others"""


@dataclass(frozen=True)
class Panel:
    """How people of a panel come in and go out."""

    person: str = "PROLIFIC_PID"
    """name of the parameter that says who comes"""
    study: str = "STUDY_ID"
    """further parameters, kept beside it"""
    session: str = "SESSION_ID"
    complete: str = ""
    """where the completion link leads"""
    screened: str = ""
    """where people go who failed the attention checks"""
    no_consent: str = ""
    """where people go who do not agree"""


@dataclass(frozen=True)
class Study:
    """All that a study is; every field can stand in its file."""

    kind: str = ""
    """what is asked: one of KINDS"""
    name: str = ""
    """short, for the folder and the respondents' names; the kind if nothing is said"""
    title: str = "How many do you see?"
    """what people read first"""
    pictures: str = ""
    """a folder of pictures: PAINTER/PROMPT_SEED.png for GeckoNum"""
    run: str = ""
    """a run folder: painted pictures for GeckoNum, replies for reader-check"""
    prompts: str = ""
    """GeckoNum: prompts.csv of the release or one made here"""
    things: str = ""
    """count: what is counted, or a CSV file with image and category"""
    counts: bool = False
    """GeckoNum Task 2: also ask how many, later and of other people"""
    verify: str = ""
    """verify: the CSV file of counts that a second person looks at"""
    captions: str = ""
    """caption-fit: the folder that `subitize captions --check-images` made"""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """naming and capture: the benchmark's settings"""
    sample: int = 0
    """so many items, drawn at random; 0: 100 of capture and reader-check, else all"""
    annotators: int = 5
    """people per item"""
    per_person: int = 60
    """items that one person gets at most"""
    instructions: tuple[str, ...] = ()
    """paragraphs instead of the kind's own instructions"""
    training: bool = True
    """practice items with feedback first"""
    checks: int = 0
    """attention checks per person"""
    max_failed_checks: int = 1
    """more failed checks than that end the session"""
    pilot: int = 0
    """items of a pilot part, for people who come by pilot links"""
    break_every: int = 25
    """items after which a break is offered; 0 for none"""
    screening: bool = False
    """the researcher looks through the pictures before the study opens"""
    flags: str = ""
    """screening: a CSV file of a filter, with image and flag"""
    entry: str = "links"
    """links: personal links only; open: anybody; panel: by the panel's parameters"""
    seed: int = 0
    """of everything random"""
    consent: Consent = field(default_factory=Consent)
    returning: Return = field(default_factory=Return)
    panel: Panel = field(default_factory=Panel)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


SECTIONS = {"consent": Consent, "returning": Return, "panel": Panel}
PATHS = ("pictures", "run", "prompts", "verify", "captions", "flags")
"""entries that name a place"""
PATHS_OF_SETTINGS = ("pictures", "metadata", "validation_metadata", "points", "splits", "counts")
"""settings of a benchmark that do"""


def read_study(path: Path) -> Study:
    """A study from its TOML file; paths in it are relative to the file."""
    return study_from(placed(read_toml(path, "the study"), path.parent), str(path))


def placed(entries: Mapping[str, Any], base: Path) -> dict[str, Any]:
    """Entries of a study with whole paths, so that it goes on from any folder."""
    found = dict(entries)
    for name in (*PATHS, "things"):
        value = found.get(name)
        if isinstance(value, str) and value and (name in PATHS or value.endswith(".csv")):
            found[name] = str((base / value).resolve())
    if isinstance(found.get("settings"), Mapping):
        found["settings"] = {
            name: str((base / value).resolve())
            if name in PATHS_OF_SETTINGS and isinstance(value, str) and value else value
            for name, value in found["settings"].items()
        }  # fmt: skip
    return found


def study_from(given: Mapping[str, Any], where: str) -> Study:
    """A study from names and values; what is not a part of one is an error."""
    own = OF_KINDS.get(str(given.get("kind")), {})
    values = {**own, **given}
    if "consent" in own and isinstance(given.get("consent"), Mapping):
        values["consent"] = {**own["consent"], **given["consent"]}
    for name, kind in SECTIONS.items():
        if name in values:
            values[name] = _made(kind, values[name], f"{where}, [{name}]")
    made: Study = _made(Study, values, where)
    if not made.name:
        made = replace(made, name=made.kind)
    if made.entry == "panel" and made.consent.text in (CONSENT, READING):
        text = made.consent.text.replace(UNNAMED, OF_PANEL)
        made = replace(made, consent=replace(made.consent, text=text))
    check_study(made, where)
    return made


def _made(kind: Any, given: Any, where: str) -> Any:
    if is_dataclass(given):
        return given
    if not isinstance(given, Mapping):
        raise BadInput(f"{where} is no table: found {given!r}.")
    known = {one.name: one for one in fields(kind)}
    values = {}
    for name, value in given.items():
        if name not in known:
            raise UnknownName(f"entry of a study ({where})", name, known)
        default = known[name].default
        values[name] = value if default is MISSING else _typed(name, value, default, where)
    return kind(**values)


def _typed(name: str, value: Any, default: Any, where: str) -> Any:
    if isinstance(value, str) and isinstance(default, bool | int | float):
        with suppress(ValueError, KeyError):  # it stays what it is, and is told below
            value = SWITCH[value.lower()] if isinstance(default, bool) else type(default)(value)
    if isinstance(default, tuple) and isinstance(value, list | str):
        return (value,) if isinstance(value, str) else tuple(map(str, value))
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) is not type(default):
        raise BadInput(f"{where}: {name} is {value!r}; give {in_words(type(default))}.")
    return value


def check_study(study: Study, where: str) -> None:
    """Refuse what can't be served, before anybody comes."""
    for what, value, known in (
        ("kind of study", study.kind, KINDS),
        ("entry", study.entry, ENTRIES),
        ("rule for coming back", study.returning.rule, RETURNS),
    ):
        if value not in known:
            raise UnknownName(what, value, known)
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}", study.name):
        raise BadInput(
            f"{where}: the name {study.name!r} can't be used: give letters, digits, dots and "
            "dashes, at most 40."
        )
    for name, least in (("annotators", 1), ("per_person", 1), ("sample", 0), ("checks", 0),
                        ("max_failed_checks", 0), ("pilot", 0), ("break_every", 0)):  # fmt: skip
        if getattr(study, name) < least:
            raise BadInput(f"{where}: {name} is {getattr(study, name)}; give at least {least}.")
    for name in ("max_age_hours", "idle_minutes"):
        if not 0 < (value := getattr(study.returning, name)) < math.inf:
            raise BadInput(f"{where}: [returning] {name} is {value}; give a number above 0.")
    if study.entry == "panel" and not study.panel.complete:
        raise BadInput(f"{where}: a panel needs its completion link: [panel] complete = 'https:…'")
    for name in ("complete", "screened", "no_consent"):
        link = getattr(study.panel, name)
        if link and not link.startswith("https://"):
            raise BadInput(f"{where}: [panel] {name} is {link!r}; give an https:// address.")
