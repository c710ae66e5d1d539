"""In which class a checkpoint is, told by its config alone.

`tested`: a tiny model of the same class is saved, loaded and asked by our tests. `untested`: it can
be loaded, or could where something is installed or allowed, but no test does. `not loadable`: no
class of transformers knows it, so that a server has to.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from importlib.util import find_spec
from typing import Any

TESTED = "tested"
UNTESTED = "untested"
UNLOADABLE = "not loadable"
SERVED = "serve it (vLLM, SGLang, …) and ask openai/NAME --base-url URL"
BROKEN_CODE = ("molmo", "minicpmo", "kimi_vl")
"""families without a class in transformers, whose own code does not run with recent versions"""
COUNTERS: Mapping[str, str] = {
    "grounding-dino": "counter/grounding-dino", "mm-grounding-dino": "counter/grounding-dino",
    "owlv2": "counter/owl", "owlvit": "counter/owl", "sam": "counter/sam-clip",
}  # fmt: skip
"""families that find things in a picture → the counter that asks them"""

UNBUILT = {
    "diffusion_gemma": "it writes by diffusion, in blocks",
    "evolla": "it is asked about proteins",
    "fast_vlm": "its eyes come from timm, which is not among our packages",
    "fuyu": "its processor fails without torchvision",
    "gemma3n": "its eyes come from timm, which is not among our packages",
    "instructblipvideo": "it is asked about videos",
    "mistral4": "it writes without pictures",
    "pix2struct": "it writes the question into the picture, in a font that it downloads",
    "qwen2_5_omni_thinker": "it is published as a part of Qwen-Omni only: serve that",
    "qwen3_omni_moe_thinker": "it is published as a part of Qwen-Omni only: serve that",
    "shieldgemma2": "it judges pictures by a policy",
    "udop": "it wants the words of a document and their places",
    "vision-encoder-decoder": "it describes a picture and takes no question",
}
"""families of transformers that no tiny model of ours stands for, and why"""


def standing(
    config: Mapping[str, Any], tested: Collection[str], classes: Collection[str]
) -> dict[str, str]:
    """The class of a checkpoint and why; `tested` are architectures and families that our tests
    build, `classes` the architectures that something of ours asks in its own way.

    >>> standing({"model_type": "molmo", "auto_map": {}}, (), ())["class"]
    'not loadable'
    """
    family, named = str(config.get("model_type", "")), architecture(config)
    if named in tested or family in tested:
        return _said(TESTED, "a tiny model of this class is saved, loaded and asked by our tests")
    if family in BROKEN_CODE:
        return _said(UNLOADABLE, f"its own code fails with recent transformers: {SERVED}")
    if family in COUNTERS:
        return _said(
            UNLOADABLE, f"it finds things and says nothing: {COUNTERS[family]}?checkpoint=… asks it"
        )
    if foreign(config):
        return _said(UNTESTED, "it brings program code of its own: read it, --trust-remote-code")
    if named not in classes and not _writes(family):
        return _said(
            UNLOADABLE,
            f"transformers has no class that answers about pictures for {family or named!r}: "
            + SERVED,
        )
    if _wants_torchvision(family):
        there = "it is installed" if find_spec("torchvision") else "it is not installed"
        return _said(UNTESTED, f"its pictures are prepared by torchvision, and {there}")
    return _said(UNTESTED, UNBUILT.get(family, "no tiny model of this family is among our tests"))


def architecture(config: Mapping[str, Any]) -> str:
    """The class that a config names first, or nothing.

    >>> architecture({"architectures": ["CLIPModel"]}), architecture({"architectures": None})
    ('CLIPModel', '')
    """
    named = config.get("architectures")
    return str(named[0]) if isinstance(named, list) and named else str(named or "")


def foreign(config: Mapping[str, Any]) -> bool:
    """Whether program code of its own has to run: transformers prefers its own class to that.

    >>> code = {"AutoConfig": "own.Config"}
    >>> foreign({"model_type": "own", "auto_map": code})
    True
    >>> foreign({"model_type": "paddleocr_vl", "auto_map": code})
    False
    """
    if "auto_map" not in config:
        return False
    from transformers.models.auto import configuration_auto

    known = vars(configuration_auto)["CONFIG_MAPPING_NAMES"]
    return str(config.get("model_type", "")) not in known


def _said(what: str, why: str) -> dict[str, str]:
    return {"class": what, "why": why}


def _writes(family: str) -> bool:
    """Whether transformers has a class of it that writes about pictures."""
    from transformers.models.auto import modeling_auto

    return family in vars(modeling_auto)["MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES"]


def _wants_torchvision(family: str) -> bool:
    """Whether nothing that prepares its pictures does without."""
    import transformers
    from transformers.models.auto import image_processing_auto, processing_auto

    known = vars(image_processing_auto)["IMAGE_PROCESSOR_MAPPING_NAMES"].get(family)
    if isinstance(known, Mapping) and "pil" not in known:
        return True
    whole = vars(processing_auto)["PROCESSOR_MAPPING_NAMES"].get(family)
    # a stand-in for a class whose needs are not installed names them
    return "torchvision" in vars(getattr(transformers, whole or "", object)).get("_backends", ())
