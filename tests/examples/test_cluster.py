"""The recipes for clusters, as far as they can be checked without one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from subitize.captions.made import made_captions
from subitize.cli import root

RECIPES = Path(__file__).parents[2] / "examples" / "cluster"
BASH = "/bin/bash"


@pytest.mark.parametrize("script", sorted(RECIPES.glob("*.sbatch")), ids=lambda one: one.name)
def test_scripts_are_bash(script: Path) -> None:
    subprocess.run([BASH, "-n", str(script)], check=True)
    lines = script.read_text().splitlines()
    first = next(place for place, line in enumerate(lines) if line and not line.startswith("#"))
    options = [place for place, line in enumerate(lines) if line.startswith("#SBATCH ")]
    assert options, "it asks SLURM for nothing"
    assert max(options) < first, "SLURM reads no options behind the first command"


def test_the_array_job_counts_all_parts(tmp_path: Path) -> None:
    """The script itself, with the variables that SLURM sets for each of two tasks."""
    texts, _ = made_captions(500, np.random.default_rng(0))
    corpus = tmp_path / "a.jsonl"
    corpus.write_text("".join(json.dumps({"caption": one}) + "\n" for one in texts))
    command = tmp_path / "bin" / "subitize"
    command.parent.mkdir()
    command.write_text(f'#!{BASH}\nexec {sys.executable} -m subitize "$@"\n')
    command.chmod(0o755)
    path = f"{command.parent}:{os.environ['PATH']}"
    for task in ("1", "2"):
        slurm = {"SLURM_ARRAY_TASK_ID": task, "SLURM_ARRAY_TASK_COUNT": "2", "PATH": path}
        script = [BASH, str(RECIPES / "shards.sbatch"), str(corpus), str(tmp_path / "shards")]
        subprocess.run(script, env={**os.environ, **slurm}, check=True, capture_output=True)
    shards = [str(one) for one in sorted((tmp_path / "shards").glob("*-*of2"))]
    done = CliRunner().invoke(root, ["merge", *shards, "--out", str(tmp_path / "runs"), "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["rows"] == len(texts)


def test_ray_takes_the_cloud_configuration() -> None:
    """By Ray's own check of what `ray up` is given; a wrong key would be named."""
    util = pytest.importorskip("ray.autoscaler._private.util", reason="needs the extra ray")
    import yaml

    def checked(config: dict[str, Any]) -> dict[str, Any]:
        filled: dict[str, Any] = util.prepare_config(config)
        util.validate_config(filled)
        return filled

    text = (RECIPES / "ray.yaml").read_text()
    found = checked(yaml.safe_load(text))
    workers = found["available_node_types"]["worker"]
    assert found["max_workers"] == workers["min_workers"] == workers["max_workers"]
    with pytest.raises(Exception, match="max_worker_nodes"):
        checked({**yaml.safe_load(text), "max_worker_nodes": 9})
