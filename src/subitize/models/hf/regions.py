"""LXMERT and VisualBERT, which see a picture through region features that the user brings.

Setting `features` names the file (see `features`); what it holds is a part of what the model is.
VisualBERT's published checkpoints were trained on two captions at once, of which the second is
right or not; here the sentence stands alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import orjson

from subitize.errors import BadInput
from subitize.models.base import Answers, Item, Kind, ModelOptions, Reply, picture_of
from subitize.models.checkpoints import check_numbers
from subitize.models.hf.crossing import Crossing
from subitize.models.hf.features import Features
from subitize.models.hf.local import COMMON, Pair

KEPT = 5
"""answers that are kept with their probabilities"""
DIGITS = 6


class Seeing(Crossing):
    """A checkpoint for which a detector looked at the pictures."""

    DEFAULTS: ClassVar[Mapping[str, Any]] = {**Crossing.DEFAULTS, "features": ""}

    def check_settings(self, settings: dict[str, Any], options: ModelOptions) -> None:
        path = Path(settings["features"])
        if not settings["features"] or not path.is_file():
            raise BadInput(
                f"A model of the family {self.family} sees region features, not pictures: name "
                f"their file with ?features=FILE.npz (found: {settings['features']!r})."
            )
        with path.open("rb") as file:
            settings["features_sha256"] = hashlib.file_digest(file, "sha256").hexdigest()

    def _read(self) -> Features:
        wide = self.config.get("visual_feat_dim", self.config.get("visual_embedding_dim", 2048))
        return Features(Path(self.settings["features"]), int(wide))

    def check_pictures(self, hashes: Sequence[str], writer: str) -> None:
        """Before anything is asked: features of the right size for every picture."""
        known = self._read()
        known.close()
        missing = [one for one in dict.fromkeys(hashes) if one not in known.names]
        if missing:
            raise BadInput(
                f"{len(missing)} of {len(set(hashes))} pictures have no region features in "
                f"{self.settings['features']}; the first has the sha256 {missing[0]}. Make them "
                "from the same files, by the sha256 of each; pictures that are drawn are written "
                f"as files by {writer}."
            )

    def inputs(self) -> Any:
        from transformers import AutoTokenizer

        self._features = self._read()
        return self.pretrained(AutoTokenizer, **self.trust)

    async def close(self) -> None:
        if self._parts is not None:
            self._features.close()
            self._parts = None

    def save_inputs(self, folder: Path) -> None:
        self.parts[1].save_pretrained(folder)

    def opened(self, item: Item) -> Any:
        _ = self.parts
        return self._features.of(picture_of(item))

    def seen(self, text: str, pair: Pair) -> dict[str, Any]:
        import torch

        boxes, features = (torch.from_numpy(part.copy())[None] for part in pair[1])
        made = dict(self.encoded(text))
        if self.family == "lxmert":
            known = torch.ones(features.shape[:2])
            seen = {"visual_feats": features, "visual_pos": boxes, "visual_attention_mask": known}
            return {**made, **seen}
        ones = torch.ones(features.shape[:2], dtype=torch.long)
        return {
            **made, "visual_embeds": features, "visual_attention_mask": ones,
            "visual_token_type_ids": ones,
        }  # fmt: skip


class SeeingAnswers(Seeing):
    """LXMERT's head for questions: the likeliest answer of its list.

    Setting `answers`: a JSON file with the list, where the checkpoint does not name them (LXMERT's
    3,129 are in its authors' trainval_label2ans.json).
    """

    kinds: ClassVar[tuple[Kind, ...]] = ("namer",)
    DEFAULTS: ClassVar[Mapping[str, Any]] = {**COMMON, "features": "", "answers": ""}

    def check_settings(self, settings: dict[str, Any], options: ModelOptions) -> None:
        super().check_settings(settings, options)
        self._labels = self._listed(settings["answers"])
        settings["answers_sha256"] = hashlib.sha256(orjson.dumps(self._labels)).hexdigest()

    def _listed(self, file: str) -> list[str]:
        if not file:
            named = self._named()
            if named and not named[0].startswith("LABEL_"):
                return named
            raise BadInput(
                "The checkpoint does not name its answers: give their list with ?answers=FILE.json."
            )
        try:
            found = orjson.loads(Path(file).read_bytes())
        except (OSError, ValueError) as problem:
            raise BadInput(f"The list of answers {file} can't be read: {problem}") from None
        wanted = self._wanted_answers()
        if not isinstance(found, list) or len(found) != wanted:
            raise BadInput(f"{file} must be a JSON list of the model's {wanted} answers.")
        return [str(answer) for answer in found]

    def _named(self) -> list[str]:
        labels = self.config.get("id2label") or {}
        return [str(labels[key]) for key in sorted(labels, key=int)]

    def _wanted_answers(self) -> int:
        return int(self.config.get("num_qa_labels", 0))

    def load(self) -> tuple[dict[str, Any], Any]:
        from transformers import LxmertForQuestionAnswering

        return {"answer": self.weights(LxmertForQuestionAnswering)}, self.inputs()

    def check_kind(self, kind: Kind) -> None:
        """Its only head is there, or it is not loaded."""

    def name(self, items: Sequence[Item]) -> Answers:
        return self.each(items, self._answer)

    def _answer(self, pair: Pair) -> Reply:
        import torch

        model = self.head("answer")
        made = {
            key: value.to(model.device, model.dtype if value.is_floating_point() else None)
            for key, value in self.seen(pair[0].question, pair).items()
        }
        with torch.inference_mode():
            chances = torch.sigmoid(model(**made).question_answering_score[0].float())
        check_numbers(chances)
        best, places = chances.topk(min(KEPT, len(chances)))
        listed = [
            [self._labels[place], round(chance, DIGITS)]
            for place, chance in zip(places.tolist(), best.tolist(), strict=True)
        ]
        return Reply("text", listed[0][0], facts={"answers": listed, **self.cut(pair[0].question)})
