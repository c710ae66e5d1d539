"""What a case is: (reply, strict, final); a number is a reading, a word the state without one."""

from __future__ import annotations

NO, SEVERAL, VAGUE, NOT, REFUSED = (
    "no-number",
    "several-numbers",
    "vague",
    "not-a-count",
    "refused",
)

Case = tuple[str, "int | str", "int | str"]


class Perhaps(int):
    """This number, or none at all: any other one would be wrong."""


Fresh = tuple[str, str, "int | None", "int | None"]
"""question, reply, strict, final; null: no number may be read"""
