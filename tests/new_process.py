"""The command line as a user starts it: in a new process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def subitize(
    *words: object, code: int | None = 0, cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """The command after it ended with that code (None: with any), never with a traceback."""
    done = subprocess.run(
        [sys.executable, "-m", "subitize", *map(str, words)],
        capture_output=True, text=True, check=False, cwd=cwd, env={**os.environ, **environment},
    )  # fmt: skip
    assert code is None or done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return done
