"""Tasks of Label Studio in the shape of its JSON export, with the fields that it writes as of 2026."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

WHEN = "2026-03-09T21:52:49.513742Z"


def choice(said: Any, *, control: str = "verdict", kind: str = "choices") -> dict[str, Any]:
    """One result, as the editor makes it."""
    value = {kind: [said] if kind == "choices" and isinstance(said, str) else said}
    return {
        "id": "Dx_aB91ISN",
        "type": kind,
        "value": value,
        "origin": "manual",
        "to_name": "text",
        "from_name": control,
    }


def annotation(said: Any, by: Any = 7, **more: Any) -> dict[str, Any]:
    """An annotation; None says nothing."""
    return {
        "id": 1001,
        "completed_by": by,
        "result": [] if said is None else [choice(said)],
        "was_cancelled": False,
        "ground_truth": False,
        "created_at": WHEN,
        "updated_at": WHEN,
        "draft_created_at": None,
        "lead_time": 4.2,
        "prediction": {},
        "result_count": 1,
        "task": 1,
        "project": 3,
        "parent_prediction": None,
        "parent_annotation": None,
        **more,
    }


def prediction(said: Any, version: Any = "model-1", **more: Any) -> dict[str, Any]:
    return {
        "id": 2001,
        "model_version": version,
        "created_ago": "3 hours",
        "result": [] if said is None else [choice(said)],
        "score": 0.83,
        "cluster": None,
        "task": 1,
        **more,
    }


def task(
    number: int, annotations: list[Any], predictions: list[Any] | None = None, data: dict[str, Any] | None = None
) -> dict[str, Any]:
    return {
        "id": number,
        "annotations": annotations,
        "file_upload": "f0a1-items.json",
        "drafts": [],
        "predictions": predictions or [],
        "data": {"text": f"text {number}"} if data is None else data,
        "meta": {},
        "created_at": WHEN,
        "updated_at": WHEN,
        "inner_id": number,
        "total_annotations": len(annotations),
        "cancelled_annotations": 0,
        "total_predictions": len(predictions or []),
        "project": 3,
        "updated_by": 1,
    }


def export(folder: Path, tasks: Any, name: str = "export.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(tasks), encoding="utf-8")
    return path
