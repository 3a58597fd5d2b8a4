"""The answers and failures of judges in one order that does not depend on that of the records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thumbwise._typing import AnyArray, IntArray
from thumbwise.io.jury_records.fields import Fields
from thumbwise.io.jury_records.outcomes import FAILED, Records, Settled
from thumbwise.votes.reading.long_columns import plain_value
from thumbwise.votes.votes import Votes

MOST_FAILURES = 1_000
LONGEST_MESSAGE = 500


@dataclass(frozen=True)
class Log:
    """Answers and failures by item, judge and record: positions, outcome, class (-1: none), and some error texts."""

    items: IntArray
    judges: IntArray
    outcomes: IntArray
    classes: IntArray
    messages: dict[int, str]


def write_log(
    fields: Fields, records: Records, outcomes: IntArray, settled: Settled, votes: Votes
) -> tuple[Log, AnyArray]:
    """Answers and failures by item, judge and record, and which of them are failures that were retried."""
    rows = np.concatenate([settled.heard, settled.failed, settled.retried])
    is_retry = np.arange(len(rows)) >= len(rows) - len(settled.retried)
    item_at = {plain_value(value): i for i, value in enumerate(votes.item_ids.tolist())}
    judge_at = {name: j for j, name in enumerate(votes.rule_names)}
    item_of = np.array([item_at[value] for value in records.table.items.values.tolist()], dtype=np.int64)
    judge_of = np.array([judge_at[str(value)] for value in records.table.rules.values.tolist()], dtype=np.int64)
    items, judges = item_of[records.table.items.index[rows]], judge_of[records.table.rules.index[rows]]
    order = np.lexsort((rows, judges, items))
    rows, is_retry = rows[order], is_retry[order]
    items, judges, kinds = items[order], judges[order], outcomes[rows]
    texts = _messages(fields, records, rows, judges, (kinds == FAILED) & ~is_retry)
    return Log(items, judges, kinds, records.classes[rows], texts), is_retry


def _messages(fields: Fields, records: Records, rows: IntArray, judges: IntArray, failed: AnyArray) -> dict[int, str]:
    """Error texts of the first failures, and of the first failure of each judge that has one; all shortened."""
    if "error" not in fields.columns:
        return {}
    told = np.flatnonzero(failed & records.has_error[rows])
    listed = np.flatnonzero(failed)[:MOST_FAILURES]
    first = told[np.unique(judges[told], return_index=True)[1]]
    kept = np.union1d(np.intersect1d(listed, told), first)
    errors = fields.columns["error"]
    return {int(at): _shorten(errors[rows[at]]) for at in kept}


def _shorten(text: str) -> str:
    text = text.strip()
    return text if len(text) <= LONGEST_MESSAGE else text[: LONGEST_MESSAGE - 4].rstrip() + " ..."
