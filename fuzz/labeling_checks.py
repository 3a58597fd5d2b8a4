"""What must hold of any bytes that are read as an export of a labeling or tracking tool."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

import numpy as np

from fuzz.jury_checks import check_sums
from fuzz.labeling_inputs import LINES
from thumbwise.exceptions import ThumbwiseError
from thumbwise.io.exports.label_studio import read_export
from thumbwise.io.readings import Reading
from thumbwise.io.sources import read_votes
from thumbwise.models.majority_vote import MajorityVote

__all__ = ["ThumbwiseError", "check_export"]

# What may be said of each kind; the layout too, so that files are read that would not be recognised.
_CHOICES: dict[str, list[dict[str, Any]]] = {
    "label-studio": [
        {},
        {"layout": "label-studio", "duplicates": "first"},
        {"rule": "model_version", "class_names": ["a", "b"]},
        {"rule": "completed_by", "duplicates": "last", "label": "v"},
        {"item_id": "text", "duplicates": "first", "class_names": [0, 1, 2]},
        {"scores": "b", "duplicates": "first", "gold": {"q1": "a", "q2": "b"}, "ignore": ["gold"]},
    ],
    "mlflow": [
        {},
        {"layout": "mlflow", "duplicates": "last"},
        {"rule": "name", "duplicates": "first", "null_verdict": "abstained"},
        {"label": "c", "gold_label": "c", "duplicates": "last"},
        {"item_id": "span_id", "class_names": ["a", "b"]},
        {"scores": "b", "duplicates": "first", "class_names": ["a", "b"]},
    ],
    "prodigy": [
        {},
        {"layout": "prodigy", "duplicates": "first"},
        {"label": "L", "duplicates": "last"},
        {"item_id": "text", "class_names": ["a", "b"]},
        {"gold_column": "y", "duplicates": "first"},
    ],
    "datasets": [{}, {"layout": "datasets"}, {"ignore": ["tags"]}, {"ignore": ["tags"], "gold_column": "m2"}],
}


def check_export(content: bytes) -> bool:
    """Whether the input was read. Raises ThumbwiseError if it was refused, any other error if something is wrong."""
    name, _, payload = content.partition(b"\n")
    kind = name.decode()
    tool = "mlflow" if kind == "mlflow-lines" else kind
    choices = _CHOICES[tool][crc32(content) % len(_CHOICES[tool])]
    with TemporaryDirectory() as folder:
        path = _write(Path(folder), kind, payload)
        if tool == "label-studio":
            _check_gold(path)
        return _check_reading(read_votes(path, **choices))


def _write(folder: Path, kind: str, payload: bytes) -> Path:
    if kind == "datasets":
        for name, text in json.loads(payload).items():
            (folder / name).write_bytes(text.encode("latin-1"))
        return folder
    path = folder / ("export.jsonl" if kind in LINES else "export.json")
    path.write_bytes(payload)
    return path


def _check_gold(path: Path) -> None:
    """The same file as gold alone."""
    try:
        table = read_export(path)
    except ThumbwiseError:
        return
    if len({len(column) for column in table.columns.values()}) != 1:
        raise AssertionError("columns must have equal lengths")


def _check_reading(reading: Reading) -> bool:
    votes = reading.votes
    if len(set(votes.item_ids.tolist())) != votes.n_items or len(reading.gold) != votes.n_items:
        raise AssertionError("each item must be there once")
    if any(len(column) != votes.n_items for column in reading.passed_on.values()):
        raise AssertionError("a column must have a value for each item")
    if reading.jury is not None:
        check_sums(reading.jury)
    proba = MajorityVote().fit(votes).predict_proba(votes)
    if not np.isfinite(proba).all() or not np.allclose(proba.sum(axis=1), 1):
        raise AssertionError(f"probabilities must sum to 1; found {proba[:3]}")
    return bool(repr(reading) and all(reading.notes))
