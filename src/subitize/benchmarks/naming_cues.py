"""The section on cues of the naming page: what beside number tells it, and who goes by that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from subitize.reports.cells import Line, cell, columns, model_table
from subitize.reports.page import Block, Column, Prose, Section, Table
from subitize.reports.respondents import Respondent
from subitize.stimuli.cues import ALL, CUES, cue_correlations
from subitize.stimuli.naming import CATEGORIES, DRAWING_VERSION

PICTURES = 250
"""a set with more pictures is looked at in equal steps, one with orthogonal cues as a whole"""
WEIGHTS = columns(
    "number:Number:.3f±; size:Size:.3f±; spacing:Spacing:.3f±; angle:Angle (°):.1f; pictures::n"
)


def cues_section(name: str, respondents: Sequence[Respondent]) -> Section:
    """A table of correlations per set of pictures, and the regression where cues are orthogonal."""
    blocks: list[Block] = []
    sets: dict[bytes, tuple[list[Mapping[str, Any]], list[str]]] = {}
    for one in respondents:
        recipes = _recipes(one)
        key = orjson.dumps(recipes)
        sets.setdefault(key, (recipes, []))[1].append(one.label)
    for number, (recipes, labels) in enumerate(sets.values(), 1):
        if recipes:
            told = f" of {', '.join(labels)}" if len(sets) > 1 else ""
            blocks.append(_correlations(f"{name}-cues-{number}", recipes, told))
        else:
            why = "The pictures are files, of which only the number is known: "
            blocks.append(Prose(f"{why}{', '.join(labels)}.", "note"))
    weighed = [one for one in respondents if "cue_weights" in one.scores]
    if weighed:
        blocks.append(_weights(name, weighed))
    return Section(
        f"{name}-cues",
        "Cues",
        "What beside the number tells the number: a model that judges an area can do well on "
        "pictures in which more things cover more of it.",
        blocks,
    )


def _recipes(one: Respondent) -> list[Mapping[str, Any]]:
    """Recipes of the pictures that were asked about, each once; trials are read as needed."""
    cell = ["category", "n", "index"]
    trials = one.answers.unique(cell, keep="first", maintain_order=True).sort(cell)["trial"]
    step = -(-len(trials) // PICTURES) or 1
    if len(trials) and "cues" in one.trials[trials[0]].stimulus.recipe:
        step = 1  # only in the whole set neither size nor spacing tells the number
    looked_at = (one.trials[name].stimulus for name in trials[::step])
    return [
        shown.recipe
        for shown in looked_at
        if shown.kind == "drawn" and shown.recipe.get("version") == DRAWING_VERSION
    ]


def _correlations(name: str, recipes: Sequence[Mapping[str, Any]], told: str) -> Table:
    found = cue_correlations(recipes)
    shown = next(iter(found.values()))
    categories = [one for one in (ALL, *CATEGORIES) if one in shown]
    lines = [
        Line(
            cue.replace("_", " "),
            {
                "what": what,
                **{
                    category: cell(found[cue][category], "+.2f", "the same in all pictures")
                    for category in categories
                },
            },
        )
        for cue, what in CUES.items()
    ]
    heads = [Column(one, "All" if one == ALL else one, "+.2f") for one in categories]
    return model_table(
        name,
        "Spearman's correlation of the number with each cue, over "
        f"{len(recipes):,} pictures{told}.",
        lines,
        [*heads, Column("what", "What it is")],
        notes=[
            "0: the cue says nothing; 1 or −1: who judges the cue knows the number. A cue that is "
            "held makes others change; orthogonal cues vary size and spacing independently of "
            "number."
        ],
        first=Column("cue", "Cue"),
    )


def _weights(name: str, respondents: Sequence[Respondent]) -> Table:
    lines = [
        Line(
            one.label,
            one.at("cue_weights") or {},
            missing=one.at("undefined", "cue_weights") or "not computed",
        )
        for one in respondents
    ]
    return model_table(
        f"{name}-cue-weights",
        "What guides the answers: slopes of log₂ answer on log₂ number, size and spacing (DeWind "
        "et al. 2015).",
        lines,
        WEIGHTS,
        notes=[
            "Who counts has 1, 0, 0 and an angle of 0°. Size is total area × item area, spacing "
            "field × field per item. Brackets hold 95 % intervals, errors clustered by picture."
        ],
    )
