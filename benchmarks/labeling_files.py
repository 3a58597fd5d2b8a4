"""Exports of labeling and tracking tools of any size, with the fields that the tools write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

WHEN = "2026-03-09T21:52:49.513742Z"
CLASSES = ("ham", "spam", "eggs")


def _said(n_rows: int, n_judges: int) -> list[list[str]]:
    codes = np.random.default_rng(1).integers(3, size=(n_rows, n_judges))
    return [[CLASSES[code] for code in row] for row in codes.tolist()]


def write_label_studio(path: Path, n_rows: int) -> None:
    """Tasks with an annotation by one of five people, and a prediction."""

    def result(said: str) -> list[dict[str, Any]]:
        value = {"choices": [said]}
        return [{"id": "Dx_aB91ISN", "type": "choices", "value": value, "to_name": "text", "from_name": "verdict"}]

    def task(i: int, one: str, two: str) -> dict[str, Any]:
        times = {"created_at": WHEN, "updated_at": WHEN}
        who = {"id": i, "completed_by": i % 5, "was_cancelled": False, "ground_truth": i % 500 == 0, "lead_time": 4.2}
        model = {"id": i, "model_version": "m1", "score": 0.8, "created_ago": "3 hours", "cluster": None}
        return {
            "id": i,
            "data": {"id": f"item-{i}", "text": f"the text of item {i}"},
            "annotations": [
                {**who, **times, "result": result(one), "task": i, "project": 3, "parent_prediction": None}
            ],
            "predictions": [{**model, **times, "result": result(two), "task": i, "project": 3}],
            **times,
            "meta": {},
            "drafts": [],
        }

    path.write_text(json.dumps([task(i, *said) for i, said in enumerate(_said(n_rows, 2))]))


def write_mlflow(path: Path, n_rows: int) -> None:
    """Infos of traces with two judges, and a label by a person on one of 500."""

    def assessment(i: int, said: str, kind: str, by: str) -> dict[str, Any]:
        return {
            "assessment_id": f"a-{i}-{by}",
            "assessment_name": "topic",
            "trace_id": f"tr-{i}",
            "source": {"source_type": kind, "source_id": by},
            "create_time": WHEN,
            "last_update_time": WHEN,
            "feedback": {"value": said},
            "rationale": "it says so",
            "valid": True,
        }

    with path.open("w") as file:
        for i, (one, two) in enumerate(_said(n_rows, 2)):
            held = [assessment(i, one, "LLM_JUDGE", "openai:/gpt-5"), assessment(i, two, "CODE", "rules.py")]
            held += [assessment(i, one, "HUMAN", "ann")] if i % 500 == 0 else []
            info = {"trace_id": f"tr-{i}", "state": "OK", "request_time": WHEN, "request_preview": f"question {i}"}
            file.write(json.dumps({"info": {**info, "assessments": held}, "data": {"spans": []}}) + "\n")


def write_prodigy(path: Path, n_rows: int) -> None:
    """Examples of a choice by five annotators."""
    options = [{"id": name, "text": name} for name in CLASSES]
    with path.open("w") as file:
        for i, (said,) in enumerate(_said(n_rows, 1)):
            by = f"ds-{i % 5}"
            hashes = {"_input_hash": i // 5, "_task_hash": i // 5, "_annotator_id": by, "_session_id": by}
            about = {"options": options, "accept": [said], "answer": "accept", "_view_id": "choice", "_timestamp": 17}
            file.write(json.dumps({"text": f"the text of item {i // 5}", **about, **hashes}) + "\n")


def write_dataset(folder: Path, n_rows: int) -> None:
    """A dataset of ten columns of classes, as ``save_to_disk`` writes it."""
    codes = np.random.default_rng(1).integers(3, size=(10, n_rows))
    rows = pa.table({"id": [f"item-{i}" for i in range(n_rows)], **{f"m{j}": column for j, column in enumerate(codes)}})
    with pa.OSFile(str(folder / "data.arrow"), "wb") as sink, pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows, max_chunksize=1000)
    classes = {f"m{j}": {"names": list(CLASSES), "_type": "ClassLabel"} for j in range(10)}
    (folder / "dataset_info.json").write_text(json.dumps({"features": classes}))
    (folder / "state.json").write_text(json.dumps({"_data_files": [{"filename": "data.arrow"}]}))
