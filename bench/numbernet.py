"""Trains numbernet, every configuration with three seeds; writes weights and docs/numbernet.json.

`make numbernet`. A seed whose entry is there is left as it is: delete docs/numbernet.json to train
all of them anew. SUBITIZE_SEEDS=0 trains the first seed only.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from subitize.models.numbernet import WEIGHTS
from subitize.training import numbernet as lessons
from subitize.training.numbernet import CONFIGURATIONS, Amount

ROOT = Path(__file__).parents[1]
FILE = ROOT / "docs" / "numbernet.json"
SEEDS = "0,1,2"


def trained(seed: int, amount: Amount) -> tuple[dict[str, Any], dict[str, Any]]:
    """All configurations of a seed: tensors by their names, and what came out."""
    import torch

    torch.set_num_threads(1)
    begun = time.process_time()
    items = {name: lessons.items_of(name, seed, amount.scenes) for name in CONFIGURATIONS}
    scenes = {
        look: lessons.drawn_scenes(
            one
            for name, parts in items.items()
            if CONFIGURATIONS[name].scenes == look
            for part in parts.values()
            for one in part
        )
        for look in lessons.LOOKS
    }
    # the eye learns from pictures of training only
    training = lessons.joined(
        lessons.chosen(scenes[CONFIGURATIONS[name].scenes], items[name]["train"])
        for name in ("base", "hard")
    )
    drawing = time.process_time() - begun
    eye = lessons.train_eye(training, amount.eye_steps, seed)
    print(f"seed {seed}: eye {eye.losses[0]:.3f} → {eye.losses[-1]:.3f}", flush=True)
    begun = time.process_time()
    seen = {look: lessons.seen_in(own, eye.weights) for look, own in scenes.items()}
    looking = time.process_time() - begun
    tensors = dict(eye.weights)
    told: dict[str, Any] = {}
    for name, made in CONFIGURATIONS.items():
        asked = {
            part: lessons.lesson(own, scenes[made.scenes]) for part, own in items[name].items()
        }
        learnt = lessons.train_numbers(made, seen[made.scenes], asked["train"], amount.steps, seed)
        tensors |= {f"{name}/{tensor}": value for tensor, value in learnt.weights.items()}
        told[name] = {
            **made._asdict(),
            "trained_items": len(asked["train"].row),
            "weights": sum(one.numel() for one in (eye.weights | learnt.weights).values()),
            "cpu_seconds": round(learnt.cpu_seconds, 1),
            "losses": [round(loss, 4) for loss in learnt.losses],
            "test": {
                part: lessons.judge(learnt.weights, seen[made.scenes], own)
                for part, own in asked.items()
                if part != "train"
            },
        }
        print(seed, name, {p: round(t["acc_r"]["value"], 3) for p, t in told[name]["test"].items()})
        sys.stdout.flush()
    summary = {
        "cpu_seconds": {
            "drawing": round(drawing, 1), "eye": round(eye.cpu_seconds, 1),
            "looking": round(looking, 1),
        },
        "eye_losses": [round(loss, 4) for loss in eye.losses],
        "configurations": told,
    }  # fmt: skip
    return tensors, summary


def _table() -> dict[str, Any]:
    return json.loads(FILE.read_text()) if FILE.exists() else {}


def main() -> int:
    """Train what is not there yet, a seed at a time."""
    from safetensors.torch import save_file

    commit = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
    for seed in os.environ.get("SUBITIZE_SEEDS", SEEDS).split(","):
        if seed in _table():
            continue
        tensors, summary = trained(int(seed), Amount())
        WEIGHTS.mkdir(exist_ok=True)
        path = WEIGHTS / f"seed-{seed}.safetensors"
        save_file({name: one.contiguous() for name, one in tensors.items()}, path)
        path.chmod(0o644)
        # read again: another seed may have been trained meanwhile
        told = {**_table(), seed: {"seed": int(seed), "commit": commit, **summary}}
        FILE.write_text(json.dumps(dict(sorted(told.items())), indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
