"""What must hold of any records that are read as those of LLM judges."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

import numpy as np

from thumbwise.exceptions import ThumbwiseError
from thumbwise.io.jury import Jury, read_jury
from thumbwise.models.majority_vote import MajorityVote

__all__ = ["ThumbwiseError", "check_jury", "check_records", "check_sums"]

_CHOICES: list[dict[str, Any]] = [
    {},
    {"null_verdict": "failed"},
    {"null_verdict": "abstained", "duplicates": "last"},
    {"null_verdict": "abstained", "duplicates": "first", "abstain": "unsure"},
    {"class_names": ["no", "yes"], "null_verdict": "failed", "duplicates": "first"},
    {"class_names": [0, 1, 2], "null_verdict": "abstained", "duplicates": "last"},
    {"judge_names": ["large", "small"], "null_verdict": "failed", "duplicates": "last"},
    {"item": "id", "judge": "model", "verdict": "answer", "null_verdict": "abstained"},
]
# Reading a file takes fifty times as long as reading records.
_FILES = 20


def check_jury(content: bytes) -> bool:
    """Lines of JSON as Python reads them, and now and then, or if Python does not, as a file.

    Whether records were read. Raises ThumbwiseError if they were refused, any other error if something is wrong.
    """
    mark = crc32(content)
    choices = _CHOICES[mark % len(_CHOICES)]
    records = _parse(content)
    if records is None or (mark // len(_CHOICES)) % _FILES == 0:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "jury.jsonl"
            path.write_bytes(content)
            return check_records(path, choices)
    return check_records(records, choices)


def _parse(content: bytes) -> list[Any] | None:
    try:
        return [json.loads(line) for line in content.split(b"\n") if line.strip()]
    except (ValueError, RecursionError):
        return None


def check_records(records: Any, choices: dict[str, Any]) -> bool:
    """Read or refused; and what is read adds up, predicts, and comes back from what is written."""
    jury = read_jury(records, **choices)
    check_sums(jury)
    proba = MajorityVote().fit(jury.votes).predict_proba(jury.votes)
    if not np.isfinite(proba).all() or not np.allclose(proba.sum(axis=1), 1):
        raise AssertionError(f"probabilities must sum to 1; found {proba[:3]}")
    _check_round_trip(jury)
    return True


def check_sums(jury: Jury) -> None:
    """What became of the items at each judge adds up."""
    for judge in jury.judges:
        if judge.n_voted + judge.n_abstained + judge.n_failed + judge.n_not_asked != jury.votes.n_items:
            raise AssertionError(f"what became of the items at a judge must sum to their number; found {judge}")
    if int((jury.votes.array >= 0).sum()) != sum(judge.n_voted for judge in jury.judges):
        raise AssertionError("votes must be as many as the judges' votes")
    if sum(judge.n_failed for judge in jury.judges) != jury.n_failures:
        raise AssertionError("failures must be as many as the judges' failures")
    if not (str(jury) and all(jury.notes)):
        raise AssertionError("a jury must have a text")


def _check_round_trip(jury: Jury) -> None:
    try:
        again = read_jury(jury.to_records(), class_names=jury.votes.class_names, judge_names=jury.votes.rule_names)
    except ThumbwiseError as error:
        raise AssertionError("records that were written must be read") from error
    if [_outcomes(judge) for judge in again.judges] != [_outcomes(judge) for judge in jury.judges]:
        raise AssertionError(f"records must come back; found\n{again}\nof\n{jury}")
    if not np.array_equal(again.votes.array, jury.votes.array):
        raise AssertionError("votes must come back")


def _outcomes(judge: Any) -> tuple[Any, ...]:
    return judge.name, judge.n_voted, judge.n_abstained, judge.n_failed, judge.n_not_asked
