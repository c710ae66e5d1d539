"""Which class answers for a checkpoint: told by its config, before anything is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from subitize.models.base import ModelOptions
from subitize.models.checkpoints import check_code, needs_torch
from subitize.models.hf.classifying import Classifying
from subitize.models.hf.crossing import Crossing, Masking, Matching
from subitize.models.hf.facts import Facts, look
from subitize.models.hf.generating import Generating
from subitize.models.hf.local import Local
from subitize.models.hf.regions import Seeing, SeeingAnswers
from subitize.models.hf.room import told
from subitize.models.hf.standing import architecture, foreign, standing
from subitize.models.hf.twins import Twins
from subitize.models.names import ModelName

CLASSES: Mapping[str, type[Local]] = {
    "ViltForQuestionAnswering": Classifying,
    "ViltForMaskedLM": Masking,
    "ViltForImageAndTextRetrieval": Matching,
    "BlipForImageTextRetrieval": Matching,
    "Blip2ForImageTextRetrieval": Matching,
    "BridgeTowerForImageAndTextRetrieval": Crossing,
    "BridgeTowerForMaskedLM": Crossing,
    "BridgeTowerModel": Crossing,
    "FlavaForPreTraining": Crossing,
    "LxmertForPreTraining": Seeing,
    "LxmertForQuestionAnswering": SeeingAnswers,
    "VisualBertForPreTraining": Seeing,
    "CLIPModel": Twins,
    "SiglipModel": Twins,
    "Siglip2Model": Twins,
    "AltCLIPModel": Twins,
    "ChineseCLIPModel": Twins,
}
"""the first of a config's `architectures` → who asks it; all others write their answers"""
TESTED = frozenset({
    *(set(CLASSES) - {"BridgeTowerModel", "Siglip2Model", "AltCLIPModel", "ChineseCLIPModel"}),
    "BlipForQuestionAnswering", "BlipForConditionalGeneration", *Generating.SHOWN,
    "emu3", "florence2", "git", "hunyuan_vl", "instructblip", "kosmos-2", "kosmos-2.5", "t5gemma2",
})  # fmt: skip
"""architectures and families of which our tests build a tiny one"""


def open_hf(name: ModelName, options: ModelOptions) -> Local:
    needs_torch(f"The model {name.full}")
    facts = look(name.rest, str(name.settings.get("revision", "")))
    made = class_of(name, options, facts)(name, options, facts)
    made.standing = standing(facts.config, () if made.own_code else TESTED, CLASSES)
    return made


def described(name: ModelName) -> dict[str, Any]:
    """What is known of a checkpoint that can't be opened, for `subitize doctor`."""
    needs_torch(f"The model {name.full}")
    facts = look(name.rest, str(name.settings.get("revision", "")))
    dtype, device = (str(name.settings.get(key, "auto")) for key in ("dtype", "device"))
    return {
        **standing(facts.config, TESTED, CLASSES),
        "family": str(facts.config.get("model_type", "")),
        "architecture": architecture(facts.config), "remote_code": foreign(facts.config),
        **told(facts, facts.commit or None, dtype, device),
    }  # fmt: skip


def class_of(name: ModelName, options: ModelOptions, facts: Facts) -> type[Local]:
    """Who asks this checkpoint; one with code of its own only where that may run."""
    check_code(name.full, foreign(facts.config), options)
    return CLASSES.get(architecture(facts.config), Generating)
