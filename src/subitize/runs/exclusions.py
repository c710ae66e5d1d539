"""excluded.json: what was left out by hand, with the reason; faces.json: what shows a face."""

from __future__ import annotations

from pathlib import Path

import orjson

from subitize.errors import BadInput, WrongRun
from subitize.files import write_json
from subitize.runs.columns import read_responses
from subitize.runs.plan import read_trials

FACES = "faces.json"
"""trials and picture files that show a face, which are never given away"""


def read_faces(folder: Path) -> set[str]:
    """Trials (or picture files) whose picture shows a face."""
    try:
        found = orjson.loads((folder / FACES).read_bytes())
    except FileNotFoundError:
        return set()
    except (OSError, orjson.JSONDecodeError):
        found = None
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise WrongRun(
            f"{folder / FACES} is damaged: put back a list of trials and picture files, or delete "
            "it when no picture shows a face."
        )
    return set(found)


def read_exclusions(folder: Path) -> dict[str, str]:
    """Trials (or picture files) left out by hand, with the reason."""
    path = folder / "excluded.json"
    try:
        found = orjson.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, orjson.JSONDecodeError):
        found = None
    if not isinstance(found, dict) or not all(isinstance(one, str) for one in found.values()):
        raise WrongRun(
            f"{path} is damaged: delete it and exclude again with `subitize read --exclude`."
        )
    return found


def write_exclusions(folder: Path, file: Path) -> int:
    """Take over a file of lines `TRIAL-OR-PICTURE,REASON`; how many are excluded now."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise BadInput(f"Can't read {file}: {problem}.") from None
    known = {trial.id for trial in read_trials(folder)}
    known |= {one.value for one in read_responses(folder) if one.kind == "picture"}
    excluded = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, comma, reason = (part.strip() for part in line.partition(","))
        if not comma or not reason:
            raise BadInput(f"{file}, line {number}: give TRIAL-OR-PICTURE,REASON on each line.")
        if name not in known:
            raise BadInput(f"{file}, line {number}: this run has no trial or picture {name!r}.")
        excluded[name] = reason
    write_json(folder / "excluded.json", excluded)
    return len(excluded)
