"""Votes and gold with which nothing is wrong, and ways to spoil them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

import thumbwise as tw
from thumbwise.assess.check_rules.findings import Checks, Finding
from thumbwise.assess.checks import check

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Problem:
    """A table of votes, the truth, and which items are gold."""

    table: Array
    truth: Array
    is_gold: Array
    n_classes: int = 2

    @property
    def votes(self) -> tw.Votes:
        ids = [f"i{i}" for i in range(len(self.table))]
        names = [f"r{j}" for j in range(self.table.shape[1])]
        return tw.Votes(self.table, n_classes=self.n_classes, rule_names=names, item_ids=ids)

    def with_rule(self, column: Array) -> Problem:
        return replace(self, table=np.column_stack([self.table, column]))

    def check(self, *, skip: Sequence[str] = ("TW302",), **options: Any) -> Checks:
        """All checks but the one that takes long."""
        votes, labels = self.votes, self.truth[self.is_gold]
        return check(votes, votes.take(self.is_gold), labels, gold_is="subset", skip=skip, **options)


def make_problem(n_items: int = 1500, n_gold: int = 300, accuracies: tuple[float, ...] = (0.92, 0.7, 0.65)) -> Problem:
    """Rules that are right independently with some probability, and vote on nine items of ten."""
    rng = np.random.default_rng(5)
    truth = rng.integers(2, size=n_items)
    right = rng.random((n_items, len(accuracies))) < accuracies
    table = np.where(right, truth[:, None], 1 - truth[:, None])
    table[rng.random(table.shape) < 0.1] = -1
    return Problem(table, truth, rng.permutation(n_items) < n_gold)


def found(checks: Checks, code: str) -> Finding:
    """The finding with a code, which must be there once."""
    [finding] = [finding for finding in checks if finding.code == code]
    return finding
