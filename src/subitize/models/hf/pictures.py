"""Image processors of transformers that need help where there is no torchvision."""

from __future__ import annotations

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
