"""A jury: votes, and for each judge how often it voted, abstained, failed and was not asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from thumbwise._typing import AnyArray, IntArray
from thumbwise.io.jury_records.log import Log
from thumbwise.io.jury_records.outcomes import ABSTAINED, FAILED, NOT_ASKED, VOTED
from thumbwise.summaries import one_line
from thumbwise.votes.reading.long_columns import plain_value
from thumbwise.votes.votes import Votes

_STATUS_WORDS = ("voted", "abstained", "failed", "not_asked")
_MOST_ROWS = 40
_WIDEST_NAME = 40


@dataclass(frozen=True)
class JudgeRecord:
    """What became of the items at one judge; the first four numbers sum to ``n_items``.

    ``n_retries`` counts failed records of pairs that have another one; ``first_error`` is the text of the first
    failure that has one.
    """

    name: str
    n_voted: int
    n_abstained: int
    n_failed: int
    n_not_asked: int
    n_retries: int
    n_items: int
    first_error: str | None

    @property
    def failed_share(self) -> float:
        """Failures among the items that the judge was asked about; 0 if there are none."""
        return self.n_failed / max(1, self.n_items - self.n_not_asked)


@dataclass(frozen=True)
class JudgeFailure:
    """An item on which a judge failed, with its error text."""

    item_id: Any
    judge: str
    message: str | None


@dataclass(frozen=True, eq=False, repr=False)
class Jury:
    """Votes of judges, with abstentions, failures and questions not asked kept apart.

    Attributes
    ----------
    votes : Votes
        One rule a judge. No vote where a judge abstained, failed or was not asked.
    judges : tuple of JudgeRecord
        In the order of ``votes.rule_names``.
    failures : tuple of JudgeFailure
        The first 1,000 in the order of the records, with texts of at most 500 characters.
    n_failures : int
        All of them.
    notes : tuple of str
        What was inferred, what was left out, and what to look at.

    Examples
    --------
    >>> import thumbwise as tw
    >>> answers = {"item": ["q1", "q2", "q1"], "judge": ["m1", "m1", "m2"], "verdict": ["yes", None, "no"]}
    >>> jury = tw.read_jury(answers, null_verdict="failed")
    >>> columns = jury.to_columns()
    >>> columns["judge"], columns["n_voted"], columns["n_failed"], columns["n_not_asked"]
    (['m1', 'm2'], [1, 1], [1, 0], [0, 1])
    >>> jury.to_records()[-1]
    {'item': 'q2', 'judge': 'm1', 'verdict': None, 'status': 'failed', 'error': None}
    """

    votes: Votes
    judges: tuple[JudgeRecord, ...]
    failures: tuple[JudgeFailure, ...]
    n_failures: int
    notes: tuple[str, ...]
    log: Log = field(repr=False)

    def to_columns(self) -> dict[str, list[Any]]:
        """One row a judge, as columns; ``pandas.DataFrame`` takes them."""
        names = ("n_voted", "n_abstained", "n_failed", "n_not_asked", "n_retries", "n_items", "first_error")
        columns = {name: [getattr(judge, name) for judge in self.judges] for name in names}
        return {"judge": [judge.name for judge in self.judges], **columns}

    def to_records(self) -> list[dict[str, Any]]:
        """Records by item and judge, as :func:`~thumbwise.io.jury.read_jury` takes them.

        Read again with ``class_names=jury.votes.class_names`` and ``judge_names=jury.votes.rule_names`` they give the
        same votes and the same numbers. Of pairs that were not asked only those are written without which an item or
        a judge would have no record.
        """
        columns = self.record_columns()
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def record_columns(self) -> dict[str, list[Any]]:
        """The same records, as columns."""
        log, votes = self.log, self.votes
        items, judges = _unheard(log, votes.n_items, votes.n_rules)
        order = np.argsort(np.concatenate([log.items, items]), kind="stable")
        item_of = np.concatenate([log.items, items])[order]
        judge_of = np.concatenate([log.judges, judges])[order]
        outcomes = np.concatenate([log.outcomes, np.full(len(items), NOT_ASKED)])[order]
        classes = np.concatenate([log.classes, np.full(len(items), -1)])[order]
        messages = [log.messages.get(at) for at in order.tolist()]
        by_name = all(isinstance(name, str) for name in votes.class_names)
        verdicts = [*(votes.class_names if by_name else range(votes.n_classes)), None]  # -1 meets the None at the end
        ids = [plain_value(value) for value in votes.item_ids.tolist()]
        return {
            "item": [ids[i] for i in item_of.tolist()],
            "judge": [votes.rule_names[j] for j in judge_of.tolist()],
            "verdict": [verdicts[c] for c in classes.tolist()],
            "status": [_STATUS_WORDS[o] for o in outcomes.tolist()],
            "error": messages,
        }

    def __str__(self) -> str:
        rows = [["judge", "voted", "abstained", "failed", "not asked"]]
        for judge in self.judges[:_MOST_ROWS]:
            numbers = (judge.n_voted, judge.n_abstained, judge.n_failed, judge.n_not_asked)
            rows.append([one_line(judge.name, _WIDEST_NAME), *(f"{n:,}" for n in numbers)])
        lines = _aligned(rows)
        n_more = len(self.judges) - _MOST_ROWS
        return "\n".join([*lines, f"... and {n_more:,} more judges"] if n_more > 0 else lines)

    __repr__ = __str__


def _unheard(log: Log, n_items: int, n_judges: int) -> tuple[IntArray, IntArray]:
    """Pairs that give a record to items and judges without one: such items with the first judge, and the reverse."""
    items = np.setdiff1d(np.arange(n_items), log.items)
    judges = np.setdiff1d(np.arange(n_judges), log.judges)
    if len(items):
        judges = judges[judges > 0]  # the first has a record by now
    return np.concatenate([items, np.zeros_like(judges)]), np.concatenate([np.zeros_like(items), judges])


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join([r[0].ljust(widths[0]), *map(str.rjust, r[1:], widths[1:])]) for r in rows]


def count_judges(votes: Votes, log: Log, is_retry: AnyArray) -> tuple[JudgeRecord, ...]:
    """What became of the items at each judge."""
    counts: dict[int, IntArray] = {}
    for outcome in (VOTED, ABSTAINED, FAILED):
        counts[outcome] = np.bincount(log.judges[(log.outcomes == outcome) & ~is_retry], minlength=votes.n_rules)
    retries = np.bincount(log.judges[is_retry], minlength=votes.n_rules).tolist()
    asked = np.sum(list(counts.values()), axis=0).tolist()
    first: dict[int, str] = {}
    for at in sorted(log.messages):
        first.setdefault(int(log.judges[at]), log.messages[at])
    voted, abstained, failed = (counts[o].tolist() for o in (VOTED, ABSTAINED, FAILED))
    n = votes.n_items
    return tuple(
        JudgeRecord(name, voted[j], abstained[j], failed[j], n - asked[j], retries[j], n, first.get(j))
        for j, name in enumerate(votes.rule_names)
    )
