"""A run in the form of Every Eval Ever (evalevalai.com), schema 0.3.0.

One JSON file with every score, its range and its interval, and beside it a line per response with
the raw reply and what was read in it. The schema forbids further fields, so what it has no room
for stands as text under the details that it allows.
"""

from __future__ import annotations

import hashlib
import time
import uuid
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import orjson

from subitize import __version__
from subitize.integrations.score_rows import RANGES, Range, ScoreRow, score_rows
from subitize.records import Response, fingerprint, key_from
from subitize.runs.columns import read_responses
from subitize.runs.stored import StoredRun

SCHEMA = "0.3.0"
HERE = ("localhost", "127.0.0.1", "::1")
LOCAL = ("hf", "clip", "diffusers")
"""families of models whose weights lie on this machine"""


def as_every_eval_ever(run: StoredRun, organization: str) -> dict[str, bytes]:
    """The record and its samples, by the names that their data store wants."""
    developer, name = _model_id(run).rsplit("/", 1)
    place = f"data/{run.benchmark.NAME}/{developer.replace('/', '-')}/{name}"
    # Of the run's identity, so that the same run exported twice is one record.
    made = hashlib.sha256(fingerprint([run.folder.name, run.info.get("created")]).encode())
    stem = f"{place}/{uuid.UUID(bytes=made.digest()[:16], version=4)}"
    record = _record(run, organization)
    lines = [orjson.dumps(one) for one in _samples(run, record["evaluation_id"])]
    samples = b"\n".join([*lines, b""])
    record["detailed_evaluation_results"] = {
        "format": "jsonl",
        "file_path": f"{stem}_samples.jsonl",
        "hash_algorithm": "sha256",
        "checksum": hashlib.sha256(samples).hexdigest(),
        "total_rows": len(lines),
    }
    packed = orjson.dumps(record, option=orjson.OPT_INDENT_2) + b"\n"
    return {f"{stem}.json": packed, f"{stem}_samples.jsonl": samples}


def _model_id(run: StoredRun) -> str:
    """'developer/model': of a checkpoint its own name, else ours without its settings."""
    plain = str(run.info["model"]["name"]).partition("?")[0]
    family, _, rest = plain.partition("/")
    if family in LOCAL:
        parts = [part for part in rest.split("/") if part not in ("", ".", "..")]
        plain = "/".join(parts[-2:]) if parts else "checkpoint"
    return plain if "/" in plain else f"{family}/{plain}"


def _record(run: StoredRun, organization: str) -> dict[str, Any]:
    now = str(time.time())
    paper = run.benchmark.PAPER
    return {
        "schema_version": SCHEMA,
        "evaluation_id": f"{run.benchmark.NAME}/{_model_id(run)}/{now}",
        "evaluation_timestamp": run.started,
        "retrieved_timestamp": now,
        "source_metadata": {
            "source_name": "subitize",
            "source_type": "evaluation_run",
            "source_organization_name": organization,
            "evaluator_relationship": "other",
        },
        "eval_library": {
            "name": "subitize",
            "version": __version__,
            "additional_details": {
                "benchmark_version": run.benchmark.VERSION,
                "reader": run.reader,
                "settings": orjson.dumps(run.info["settings"]).decode(),
                "states": orjson.dumps(run.scores.get("states", {})).decode(),
                "paper": f"{paper.citation} doi:{paper.doi}",
            },
        },
        "model_info": _model_info(run),
        "evaluation_results": [
            _result(run, row, RANGES[row.measure])
            for row in score_rows(run.scores)
            if row.value is not None and row.measure
        ],
    }


def _model_info(run: StoredRun) -> dict[str, Any]:
    model, where = run.info["model"], str(run.info.get("endpoint") or "")
    local = model["name"].partition("/")[0] in LOCAL
    own = local or urlsplit(where).hostname in HERE
    details = {
        "deployment_type": "self_deployed" if own else "unknown",
        "model_availability": "open_weights" if local else "unknown",
        "settings": orjson.dumps(model["settings"]).decode(),
        "revision": str(model["revision"] or ""),
        "endpoint": where,
    }
    return {
        "name": model["name"],
        "id": _model_id(run),
        "additional_details": {name: text for name, text in details.items() if text},
    }


def _result(run: StoredRun, row: ScoreRow, span: Range) -> dict[str, Any]:
    low, high = (one if abs(one) != float("inf") else "Infinity" for one in (span.low, span.high))
    config: dict[str, Any] = {
        "metric_id": row.score,
        "metric_unit": span.unit,
        "lower_is_better": span.lower_is_better,
        "score_type": "continuous",
        "min_score": low,
        "max_score": high,
    }
    if span.note:
        config["additional_details"] = {"bounds": span.note}
    details: dict[str, Any] = {"score": row.value}
    if row.low is not None and row.high is not None:
        details["uncertainty"] = {
            "confidence_interval": {
                "lower": row.low,
                "upper": row.high,
                "confidence_level": 0.95,
                "method": "see docs/measures.md of subitize",
            },
            **({"num_samples": row.trials} if row.trials else {}),
        }
    elif row.reason:
        details["details"] = {"no_interval": row.reason}
    return {
        "evaluation_name": f"{run.benchmark.NAME}.{row.score}",
        "source_data": {
            "dataset_name": f"subitize {run.benchmark.NAME}",
            "source_type": "url",
            "url": [f"https://doi.org/{run.benchmark.PAPER.doi}"],
        },
        "metric_config": config,
        "score_details": details,
    }


def _samples(run: StoredRun, evaluation: str) -> Iterator[dict[str, Any]]:
    """A line per response that enters the scores and answers with a number or a choice."""
    stages = run.benchmark.stages(run.settings, run.info["kind"])
    other = [stage.name for stage in stages if not stage.counts]
    counted = run.counted.filter(~run.counted["stage"].is_in(other))
    read = {key_from(row): row for row in counted.iter_rows(named=True)}
    for response in read_responses(run.folder):
        row = read.pop(response.key, None)
        if row is not None:
            yield _sample(run, evaluation, response, row)


def _sample(
    run: StoredRun, evaluation: str, response: Response, row: Mapping[str, Any]
) -> dict[str, Any]:
    trial = run.trials[response.trial]
    target, choice = row["target"], row["target_choice"]
    reference = [choice] if choice else [f"{target:g}"] if target is not None else []
    found = row["choice"] if row["number"] is None else f"{row['number']:g}"
    right = row["state"] == "read" and [found] == reference
    condition = {name: row[name] for name in run.benchmark.CONDITION if name in row}
    metadata = {"state": row["state"], "stage": row["stage"], **condition}
    failed = response.note or row["state"] if row["state"] in ("failed", "refused") else None
    usage, raw = response.usage, trial.question
    return {
        "schema_version": SCHEMA,
        "evaluation_id": evaluation,
        "model_id": _model_id(run),
        "evaluation_name": run.benchmark.NAME,
        "sample_id": f"{response.trial}/{response.sample}/{response.attempt}",
        "sample_hash": hashlib.sha256("".join([raw, *reference]).encode()).hexdigest(),
        "interaction_type": "single_turn",
        "input": {"raw": raw, "reference": reference, "choices": list(trial.options) or None},
        "output": {"raw": [response.value]},
        "messages": None,
        "answer_attribution": [
            {
                "turn_idx": 0,
                "source": "output.raw",
                "extracted_value": str(found or ""),
                "extraction_method": run.reader,
                "is_terminal": True,
            }
        ],
        "evaluation": {"score": float(right), "is_correct": right},
        "token_usage": {
            "input_tokens": usage.get("prompt_tokens", 0),
            "output_tokens": usage.get("completion_tokens", 0),
            "total_tokens": usage.get("total_tokens", 0),
            "reasoning_tokens": usage.get("reasoning_tokens", 0),
        },
        "performance": {"latency_ms": round(response.seconds * 1000, 1)},
        "error": failed,
        "metadata": {name: str(value) for name, value in metadata.items() if value is not None},
    }
