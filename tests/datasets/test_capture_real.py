"""CAPTURE's real set, on pictures made here."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from subitize.datasets.capture_real import load_real
from subitize.errors import BadInput, UnknownName
from subitize.records import Stimulus
from subitize.stimuli import render

SIZE = (120, 80)
POINTS = [[10.0, 10.0], [30.0, 20.0], [50.0, 60.0], [90.0, 40.0]]
BOX = {"x": 20, "y": 15, "width": 40, "height": 50}


class Release:
    """A small release in a folder: three test pictures and one for validation."""

    def __init__(self, folder: Path) -> None:
        self.pictures = folder / "images_384_VarV2"
        self.pictures.mkdir()
        self.files = ["2.jpg", "3.jpg", "5.jpg"]
        rng = np.random.default_rng(0)
        for file in [*self.files, "7.jpg"]:
            noise = rng.integers(60, 255, (SIZE[1], SIZE[0], 3)).astype(np.uint8)
            Image.fromarray(noise).save(self.pictures / file, quality=95)
        self.folder = folder
        self.rows: list[dict[str, Any]] = [
            {"image_file": file, "object": "cups", "ground_truth": 4, "bbox": dict(BOX)}
            for file in self.files
        ]
        self.points: dict[str, Any] = {f: {"points": POINTS} for f in [*self.files, "7.jpg"]}

    def put(self, name: str, value: object) -> Path:
        path = self.folder / name
        path.write_text(json.dumps(value))
        return path

    def metadata(self) -> Path:
        return self.put("real_metadata.json", self.rows)

    def validation(self) -> Path:
        boxes = [[x - 5, y - 5, 10, 10] for x, y in POINTS]
        row = {"image_file": "7.jpg", "object": "cups", "ground_truth": 4, "bbox": BOX}
        return self.put(
            "validation.json", [row | {"annotation_bboxes": boxes, "questions": ["how many?"]}]
        )

    def annotations(self) -> Path:
        return self.put("annotation_FSC147_384.json", self.points)


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return Release(tmp_path)


def pixels(data: bytes) -> np.ndarray[Any, Any]:
    with Image.open(io.BytesIO(data)) as picture:
        return np.asarray(picture.convert("RGB"))


def test_both_variants_come_from_one_file(release: Release) -> None:
    found = load_real([release.metadata()], release.pictures)
    assert [picture.file for picture in found] == release.files
    one = found[0]
    assert (one.thing, one.count, one.part) == ("cups", 4, "test")
    original = (release.pictures / one.file).read_bytes()
    assert render(one.stimulus("unoccluded")).png == original
    covered = render(one.stimulus("occluded"))
    assert covered.png == render(one.stimulus("occluded")).png
    before, after = pixels(original), pixels(covered.png)
    x0, y0, x1, y1 = (20, 15, 60, 65)
    assert (after[y0:y1, x0:x1] == 0).all()
    same = np.ones(before.shape[:2], bool)
    same[y0:y1, x0:x1] = False
    assert (after[same] == before[same]).all()


def test_the_folder_above_will_do(release: Release) -> None:
    assert len(load_real([release.metadata()], release.folder)) == 3


def test_points_tell_what_is_hidden(release: Release) -> None:
    found = load_real([release.metadata()], release.pictures, annotations=release.annotations())
    assert found[0].hidden == ((30.0, 20.0), (50.0, 60.0))
    assert load_real([release.metadata()], release.pictures)[0].hidden is None


def test_the_validation_file_is_read_too(release: Release) -> None:
    found = load_real([release.metadata(), release.validation()], release.pictures)
    assert [picture.part for picture in found] == ["test", "test", "test", "validation"]
    assert found[3].hidden == ((30.0, 20.0), (50.0, 60.0))  # its own boxes mark every object


def test_a_part_of_fsc(release: Release) -> None:
    splits = release.put(
        "Train_Test_Val_FSC_147.json", {"train": ["2.jpg"], "test": ["5.jpg", "9"]}
    )
    metadata = [release.metadata()]
    found = load_real(metadata, release.pictures, splits=splits, subset="fsc-test")
    assert [picture.file for picture in found] == ["5.jpg"]
    with pytest.raises(BadInput, match=r"Train_Test_Val_FSC_147.json as `splits`"):
        load_real(metadata, release.pictures, subset="fsc-test")
    with pytest.raises(UnknownName, match="did you mean 'fsc-test'"):
        load_real(metadata, release.pictures, splits=splits, subset="fsc-tst")
    with pytest.raises(BadInput, match="has no part 'val'"):
        load_real(metadata, release.pictures, splits=splits, subset="fsc-val")


def test_missing_pictures_are_counted_and_named(release: Release) -> None:
    for number in range(100, 110):
        release.rows.append(release.rows[0] | {"image_file": f"{number}.jpg"})
    (release.pictures / "3.jpg").unlink()
    with pytest.raises(BadInput, match=r"11 pictures \(3.jpg, 100.jpg, .*, …\) of 13 are not in"):
        load_real([release.metadata()], release.pictures)
    with pytest.raises(BadInput, match="There is no folder"):
        load_real([release.metadata()], release.folder / "nowhere")


@pytest.mark.parametrize(
    "box",
    [
        {"x": 100, "y": 15, "width": 40, "height": 50},
        {"x": -3, "y": 15, "width": 40, "height": 50},
        {"x": 500, "y": 500, "width": 4, "height": 5},
        {"x": 5, "y": 5, "width": 0, "height": 5},
    ],
)
def test_boxes_outside_are_refused(release: Release, box: dict[str, int]) -> None:
    release.rows[1]["bbox"] = box
    with pytest.raises(BadInput, match=r"1 pictures \(3.jpg\) have a box.*120 x 80 pixels"):
        load_real([release.metadata()], release.pictures)


def test_annotations_that_do_not_match(release: Release) -> None:
    release.points["3.jpg"] = {"points": POINTS[:2]}
    with pytest.raises(BadInput, match=r"3.jpg: 2 points, 4 in the metadata"):
        load_real([release.metadata()], release.pictures, annotations=release.annotations())
    release.points["3.jpg"] = {"dots": POINTS}
    with pytest.raises(BadInput, match="have no points"):
        load_real([release.metadata()], release.pictures, annotations=release.annotations())
    del release.points["3.jpg"]
    with pytest.raises(BadInput, match=r"1 pictures \(3.jpg\) are not in"):
        load_real([release.metadata()], release.pictures, annotations=release.annotations())


def test_damaged_files(release: Release) -> None:
    (release.pictures / "2.jpg").write_bytes(b"no picture")
    with pytest.raises(BadInput, match=r"2.jpg can't be read as a picture"):
        load_real([release.metadata()], release.pictures)
    release.rows[0] = {"image_file": "2.jpg"}
    with pytest.raises(BadInput, match="entry 1 lacks object, ground_truth, bbox"):
        load_real([release.metadata()], release.pictures)
    release.rows[0] = release.rows[1] | {"image_file": "../secret.jpg"}
    with pytest.raises(BadInput, match="no plain file name"):
        load_real([release.metadata()], release.pictures)
    release.rows[0] = release.rows[1]
    with pytest.raises(BadInput, match="stand twice"):
        load_real([release.metadata()], release.pictures)
    (release.folder / "torn.json").write_text('[{"image')
    with pytest.raises(BadInput, match=r"torn\.json is not JSON"):
        load_real([release.folder / "torn.json"], release.pictures)
    with pytest.raises(BadInput, match="Can't read the metadata"):
        load_real([release.folder / "none.json"], release.pictures)


def test_a_picture_that_changed_after_planning(release: Release) -> None:
    one = load_real([release.metadata()], release.pictures)[0]
    (release.pictures / one.file).write_bytes((release.pictures / "3.jpg").read_bytes())
    with pytest.raises(BadInput, match="has changed"):
        render(one.stimulus("occluded"))


def test_unknown_fill(release: Release) -> None:
    one = load_real([release.metadata()], release.pictures)[0]
    made = dict(one.stimulus("occluded").recipe) | {"fill": "pink"}
    with pytest.raises(UnknownName, match="no fill 'pink'"):
        render(Stimulus("file", made, one.path))


def test_the_released_file_can_be_read(data_dir: Path, tmp_path: Path) -> None:
    """All 824 rows are understood; without the pictures the message counts them."""
    with pytest.raises(BadInput, match=r"824 pictures .* of 824 are not in"):
        load_real([data_dir / "capture" / "real_metadata.json"], tmp_path)
