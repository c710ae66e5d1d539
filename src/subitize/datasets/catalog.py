"""Published data: where it lies, what it must be, under which licence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """One file to download."""

    name: str
    """what it is called here"""
    url: str
    """where it lies; pinned to a version"""
    sha256: str | None
    """checksum of the whole file; None where only its members' checksums are known"""
    members: Mapping[str, str] = field(default_factory=dict)
    """zip archives: name of a member → its checksum"""
    largest: int = 64 * 1024**2
    """bytes it may have at most"""


@dataclass(frozen=True, slots=True)
class Dataset:
    """A published set of files."""

    title: str
    """in a few words"""
    licence: str
    """under which it may be used"""
    source: str
    """its page"""
    files: tuple[RemoteFile, ...]
    """everything that is fetched"""


_GECKONUM = "https://raw.githubusercontent.com/google-deepmind/geckonum_benchmark_t2i"

_ANNOTATIONS = """
141f3e147b5bf459f9f5121c849c9ae99c42203a18b60e27e3e3f69cff5f6e22  task_1_dalle_3.csv
23e1a9896c631edf1f965683887f729b205b0659d152ad8a39cf7d6b29c48a0c  task_1_imagen_a.csv
b28c67a26e35f3830b139a0877df3c40441730207a0d2a490a613892ca7a68c3  task_1_imagen_b.csv
dcad250884df86859ed4b8112d91123b21d953db9aaaa1d2c962932d5c7df36e  task_1_imagen_c.csv
cd74a07371e6ad6c8c4acd7be212df27b7b4c75dd4ef67253a817bb00d68366d  task_1_muse_a.csv
a7cbc9be0091c254d13b243b021cd040777e7a1205b4bee25363cf2a542cbde4  task_2_dalle_3.csv
d34edde5f0778d9df3907d7cf492c850f01f59190d27f3455aafd8ae56507b06  task_2_imagen_a.csv
7467d82387cda147d98e83248e290f36ddd6a0b0843987a7a81c2fc4ca95ee56  task_2_imagen_b.csv
a22b1d32aa620778345f2798a08a8958f70e41423df9dd5c263e612e3cf0b542  task_2_imagen_c.csv
feb20309a47a68d3805c91636006a9c78dcc62337b0b1ef0503df41e3199e505  task_2_muse_a.csv
6432ff81e2553e66992e98272778edbf78468ad9ea84ff8d1f4c10787846ef2d  task_3_dalle_3.csv
48cc1bf07c4e79b288cc95eecf5ee404048f135ecbe78825ad3500a280053eb9  task_3_imagen_a.csv
a902707a265dcdb0909b1b7f66e8b548b2660e64436ac6eb75c6c4096746e1e4  task_3_imagen_b.csv
852fa7221fb8e80aa4127023afb91fb98f29faf2e118fc906520ae94d4b5d282  task_3_imagen_c.csv
c8e4fd47ea347d66c0216e880f4df522f78ccade68ebd3056ef285b91003ed91  task_3_muse_a.csv
""".strip().splitlines()
"""as `sha256sum` writes it"""

DATASETS: dict[str, Dataset] = {
    "geckonum": Dataset(
        "GeckoNum: prompts and people's answers",
        "CC-BY 4.0",
        "https://github.com/google-deepmind/geckonum_benchmark_t2i",
        (
            RemoteFile(
                "prompts.csv",
                f"{_GECKONUM}/f960726fca460b49e3fbe17e10dc9a241a2e5f6f/prompts.csv",
                "6cc35c04becc210c75c91f4a783eb0f7b98292f190e1b95131dd501a19d205f1",
            ),
            RemoteFile(
                "geckonum_annotations.zip",
                f"{_GECKONUM}/0a756682317331c148042d8064a3fbda08dcf2e1/annotations/"
                "geckonum_annotations.zip",
                None,
                {name: digest for digest, name in map(str.split, _ANNOTATIONS)},
            ),
        ),
    ),
}
