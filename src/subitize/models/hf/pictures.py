"""Processors of transformers that need help where there is no torchvision."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any


def cropping(processor: Any) -> Any:
    """BridgeTower's processor names an argument otherwise than the base that it calls."""
    pictures = processor.image_processor
    if type(pictures).__name__ != "BridgeTowerImageProcessorPil":
        return processor
    plain: Any = vars(type(pictures).__mro__[1])["center_crop"]

    def crop(image: Any, size: Any, **_others: Any) -> Any:
        return plain(pictures, image, size)

    pictures.center_crop = crop
    if not getattr(pictures.crop_size, "shortest_edge", None):
        pictures.crop_size = pictures.size
    return processor


def with_sizes(processor: Any, model: Any) -> None:
    """Tell the processor of an older checkpoint how many tokens a picture takes.

    LLaVA's fails without the size of a patch. Without its queries BLIP-2's leaves the picture out
    in silence, and without the number of their token the model writes nothing at all.
    """
    if getattr(processor, "patch_size", 0) is None:
        processor.patch_size = getattr(model.config.vision_config, "patch_size", None)
    if getattr(processor, "num_query_tokens", 1) is not None:
        return
    processor.num_query_tokens = model.config.num_query_tokens
    if model.config.image_token_index is None:
        token = processor.tokenizer.convert_tokens_to_ids(str(processor.image_token))
        model.config.image_token_index = token


def without_videos(family: str, pretrained: Callable[..., Any]) -> Any:
    """A family's processor of all its parts but the one for videos, which wants torchvision.

    What its own file says of it (how many tokens a picture takes, the chat template) holds.
    `pretrained` loads a part by its class; None where the family's processor has none for videos.
    """
    import transformers
    from transformers.models.auto import processing_auto

    usual: Mapping[str, str] = vars(processing_auto)["PROCESSOR_MAPPING_NAMES"]
    whole: Any = getattr(transformers, pretrained(OwnWord) or usual.get(family, ""), None)
    attributes = whole.get_attributes() if hasattr(whole, "get_attributes") else ()
    if "video_processor" not in attributes:
        return None

    class Seeing(whole):  # type: ignore[misc]
        """Made of the parts that do without torchvision."""

        @classmethod
        def _get_arguments_from_pretrained(
            cls, _source: Any, told: Mapping[str, Any] | None = None, **_options: Any
        ) -> list[Any]:
            parts = {name: _part(name, pretrained) for name in attributes}
            parts["video_processor"] = no_videos((told or {}).get("video_processor"))
            return list(parts.values())

        def check_argument_for_proper_class(self, _name: str, given: Any) -> Any:
            """The part for videos is another by intention."""
            return type(given)

    Seeing.__name__ = whole.__name__
    return pretrained(Seeing)


class OwnWord:
    """The class of processor that a checkpoint's files name: many share one with another family."""

    FILES = ("processor_config.json", "preprocessor_config.json", "tokenizer_config.json")

    @classmethod
    def from_pretrained(
        cls, source: str, revision: str | None = None, local_files_only: bool = False, **_other: Any
    ) -> str:
        from transformers.utils.hub import cached_file

        for name in cls.FILES:
            path = cached_file(
                source, name, revision=revision, local_files_only=local_files_only,
                _raise_exceptions_for_missing_entries=False,
                _raise_exceptions_for_connection_errors=False,
            )  # fmt: skip
            said = json.loads(Path(path).read_text("utf-8")) if path else {}
            if said.get("processor_class"):
                return str(said["processor_class"])
        return ""


def no_videos(settings: Mapping[str, Any] | None) -> Any:
    """In the place of what prepares videos: its settings, where the checkpoint has them, or None.

    Processors look some of them up even if no video is there, and write them when they are saved.
    """
    from transformers.utils.hub import PushToHubMixin

    class NoVideos(PushToHubMixin):
        _auto_class = None
        model_input_names = ()

        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            return (settings or {}).get(name)

        def to_dict(self) -> dict[str, Any]:
            return dict(settings or {})

    return NoVideos()


def _part(name: str, pretrained: Callable[..., Any]) -> Any:
    from transformers import AutoFeatureExtractor, AutoImageProcessor, AutoTokenizer

    if name == "image_processor":
        return pretrained(AutoImageProcessor, backend="pil")
    known = {"tokenizer": AutoTokenizer, "feature_extractor": AutoFeatureExtractor}
    return pretrained(known[name]) if name in known else None
