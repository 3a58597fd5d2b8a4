"""Votes of rules that were applied, put together from chunks; failures are kept apart from abstentions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thumbwise._typing import IntArray
from thumbwise.exceptions import FailedRuleError, InvalidVotesError
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.rules.items import Items
from thumbwise.rules.returns import ClassNames
from thumbwise.rules.runs import FAILED, MOST_STORED, ChunkVotes, Trouble
from thumbwise.summaries import visible
from thumbwise.votes.reading.coding import MAX_INFERRED_CLASSES, smallest_dtype
from thumbwise.votes.votes import Votes


@dataclass(frozen=True)
class RuleFailure:
    """One call that failed: on which item, in which rule, with which exception and message, all as plain text."""

    item_id: Any
    position: int
    rule: str
    exception: str
    message: str


@dataclass(frozen=True)
class RuleCounts:
    """How often a rule voted, abstained and failed."""

    rule: str
    n_votes: int
    n_abstentions: int
    n_failures: int


@dataclass(frozen=True, eq=False)
class AppliedRules:
    """What rules said about items, and where they failed.

    Attributes
    ----------
    votes : Votes
        -1 where a rule abstained and also where it failed; ``failed`` tells which.
    failed : read-only ndarray of bool, shape (n_items, n_rules)
        Where a rule raised an error or returned no class.
    failures : tuple of RuleFailure
        By item, then by rule; of each rule the first 1,000. ``failed`` has all of them.

    Notes
    -----
    *Guarantee*: none. No label is seen; gold can speak of these rules if they were written before its labels were seen.

    Examples
    --------
    >>> import thumbwise as tw
    >>> def positive(number):
    ...     return int(number > 0)
    >>> applied = tw.apply_rules([1, -1, 5], [positive])
    >>> applied.failed.tolist(), applied.n_failures, applied.counts
    ([[False], [False], [False]], 0, (RuleCounts(rule='positive', n_votes=3, n_abstentions=0, n_failures=0),))
    """

    votes: Votes
    failed: npt.NDArray[np.bool_]
    failures: tuple[RuleFailure, ...]

    @property
    def n_failures(self) -> int:
        """All failures, also those that are not stored."""
        return int(self.failed.sum())

    @property
    def counts(self) -> tuple[RuleCounts, ...]:
        """Votes, abstentions and failures of each rule; they sum to the number of items."""
        voted, failed = (self.votes.array != ABSTAIN).sum(axis=0).tolist(), self.failed.sum(axis=0).tolist()
        silent = [self.votes.n_items - v - f for v, f in zip(voted, failed, strict=True)]
        return tuple(map(RuleCounts, self.votes.rule_names, voted, silent, failed))

    @property
    def summary(self) -> str:
        """Votes, abstentions and failures of each rule, and the first failure of each rule that has any."""
        numbers = [(c.n_votes, c.n_abstentions, c.n_failures) for c in self.counts]
        rows = [["rule", "votes", "abstentions", "failures"]]
        rows += [[visible(c.rule), *(f"{n:,}" for n in row)] for c, row in zip(self.counts, numbers, strict=True)]
        widths = [max(len(row[j]) for row in rows) for j in range(4)]
        lines = [f"{row[0]:<{widths[0]}}" + "".join(f"  {row[j]:>{widths[j]}}" for j in (1, 2, 3)) for row in rows]
        first = {failure.rule: failure for failure in reversed(self.failures)}
        lines += [visible(_sentence(first[name])) for name in self.votes.rule_names if name in first]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.summary


def _sentence(failure: RuleFailure) -> str:
    return f"rule {failure.rule!r} failed on item {failure.item_id!r}: {failure.exception}: {failure.message}"


class Collected:
    """Chunks in their order, with one numbering of the classes for all of them."""

    def __init__(self, rule_names: Sequence[str], class_names: ClassNames | None, items: Items) -> None:
        self._rule_names, self._declared, self._items = rule_names, class_names, items
        self._parts: list[IntArray] = []
        self._number: dict[Hashable, int] = {}
        self._first: dict[type, str] = {}
        self._failures: list[RuleFailure] = []
        self._n_stored: Counter[int] = Counter()

    def add(self, chunk: ChunkVotes) -> None:
        """Take the next chunk; an exception that it carries is raised."""
        for trouble in chunk.troubles:
            self._n_stored[trouble.rule] += 1
            if self._n_stored[trouble.rule] <= MOST_STORED:
                self._failures.append(self._failure(trouble))
        if chunk.error is not None:
            raise FailedRuleError(
                f"with on_error='raise' no rule may fail; {_sentence(self._failures[-1])}. Mend the rule, or pass "
                "on_error='record'."
            ) from chunk.error
        self._parts.append(chunk.codes if self._declared is not None else self._renumber(chunk))

    def _failure(self, trouble: Trouble) -> RuleFailure:
        item_id, rule = self._items.id_of(trouble.position), self._rule_names[trouble.rule]
        return RuleFailure(item_id, trouble.position, rule, trouble.exception, trouble.message)

    def _renumber(self, chunk: ChunkVotes) -> IntArray:
        for number, value in enumerate(chunk.classes):
            if type(value) not in self._first:
                offset, rule = np.argwhere(chunk.codes == number)[0].tolist()
                item = self._items.id_of(chunk.start + offset)
                self._first[type(value)] = f"rule {self._rule_names[rule]!r} returned {value!r} for item {item!r}"
            self._number.setdefault(value, len(self._number))
        self._refuse_mixture()
        lookup = [*(self._number[value] for value in chunk.classes), FAILED, ABSTAIN]  # -2 and -1 count from the end
        return np.array(lookup, dtype=smallest_dtype(max(2, len(self._number))))[chunk.codes]

    def _refuse_mixture(self) -> None:
        if len(self._first) > 1:
            raise InvalidVotesError(
                f"rules must return all numbers or all names; {', and '.join(self._first.values())}. Use one kind, or "
                "pass class_names=[...]: then numbers are positions among them."
            )
        if len(self._number) > MAX_INFERRED_CLASSES:
            raise InvalidVotesError(
                f"rules must return classes; they returned more than {MAX_INFERRED_CLASSES:,} different values, the "
                f"last {list(self._number)[-1]!r:.80}. If these are classes, pass class_names=[...]."
            )

    def finish(self) -> AppliedRules:
        """Votes of all items."""
        if not self._parts:
            raise InvalidVotesError("there must be at least one item; found none.")
        codes = np.concatenate(self._parts)
        failed = codes == FAILED
        failed.flags.writeable = False
        codes[failed] = ABSTAIN
        names = self._declared
        if names is None:
            codes, names = self._infer_classes(codes)
        ids = self._items.checked_ids(len(codes))
        votes = Votes(codes, class_names=names, rule_names=self._rule_names, item_ids=ids, copy=False)
        return AppliedRules(votes, failed, tuple(self._failures))

    def _infer_classes(self, codes: IntArray) -> tuple[IntArray, ClassNames]:
        returned: list[Any] = sorted(self._number)
        by_number = bool(returned) and isinstance(returned[0], int)
        names = tuple(range(returned[-1] + 1)) if by_number else tuple(returned)
        if len(names) < 2:
            failures = f" {_sentence(self._failures[0])}." if self._failures else ""
            raise InvalidVotesError(
                f"there must be at least two classes; the rules returned {', '.join(map(repr, returned)) or 'none'}. "
                f"Pass class_names=[...].{failures}"
            )
        place = {name: c for c, name in enumerate(names)}
        lookup = np.array([*(place[value] for value in self._number), ABSTAIN], dtype=smallest_dtype(len(names)))
        return lookup[codes], names
