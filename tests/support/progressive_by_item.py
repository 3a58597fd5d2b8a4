"""The progressive bound written out item by item and label by label, in plain Python, as slowly as it is stated.

Lessons, guesses and stakes are taken from what the library did (a recording); everything that follows from them is
computed anew: columns, predictions with their floor, entropies, means over the items that are left one by one, and the
product that must not grow.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import pytest

from thumbwise._typing import FloatArray, IntArray
from thumbwise.numerics import progressive
from thumbwise.numerics.progressive import Bets, GoldRows, Taught
from thumbwise.numerics.stack_columns import StackColumns
from thumbwise.numerics.teaching import Lesson, teach
from thumbwise.votes.votes import Votes

FLOOR = 0.1
EVEN_PART = 0.3


@dataclass
class Recording:
    """What was decided, for each order of gold."""

    lessons: list[list[Lesson]] = field(default_factory=list)
    bets: list[list[tuple[float, float]]] = field(default_factory=list)
    most: list[list[float]] = field(default_factory=list)


@contextmanager
def recording() -> Iterator[Recording]:
    """Write down lessons, stakes, guesses and largest losses while bounds are made."""
    record = Recording()

    class RecordedBets(Bets):
        def __init__(self, n_labels: int, error: float) -> None:
            super().__init__(n_labels, error)
            for part in (record.bets, record.most):
                part.append([])

        def stake(self, taught: Taught) -> tuple[float, float]:
            bet = super().stake(taught)
            record.bets[-1].append(bet)
            record.most[-1].append(taught.most)
            return bet

    def recorded_teach(*arguments: object) -> tuple[list[Lesson], FloatArray]:
        lessons, losses = teach(*arguments)  # type: ignore[arg-type]
        record.lessons.append(lessons)
        return lessons, losses

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(progressive, "Bets", RecordedBets)
        patch.setattr(progressive, "teach", recorded_teach)
        yield record


@dataclass(frozen=True)
class Case:
    """A population with its classes, of which some items are gold."""

    rows: IntArray
    truth: IntArray
    gold: IntArray
    is_outside: bool
    n_classes: int

    @property
    def in_pool(self) -> IntArray:
        """Positions of the pool's items."""
        everything = np.arange(len(self.truth))
        return np.setdiff1d(everything, self.gold) if self.is_outside else everything

    @property
    def pool(self) -> Votes:
        return Votes(self.rows[self.in_pool], n_classes=self.n_classes)

    @property
    def population(self) -> Votes:
        return Votes(self.rows, n_classes=self.n_classes)

    @property
    def gold_rows(self) -> GoldRows:
        votes = Votes(self.rows[self.gold], n_classes=self.n_classes)
        place = votes.inverse.astype(np.int64)
        return GoldRows(votes.patterns, place, self.truth[self.gold], self.is_outside)


def make_case(
    rng: np.random.Generator, n_items: int, n_gold: int, n_rules: int, n_classes: int, is_outside: bool
) -> Case:
    """Rules of various accuracies that often abstain; one copies another."""
    truth = rng.integers(n_classes, size=n_items)
    is_right = rng.random((n_items, n_rules)) < rng.uniform(0.4, 0.95, n_rules)
    rows = np.where(is_right, truth[:, None], rng.integers(n_classes, size=(n_items, n_rules)))
    rows[rng.random(rows.shape) < rng.uniform(0.1, 0.5, n_rules)] = -1
    rows[:, -1] = rows[:, 0]
    return Case(rows, truth, rng.permutation(n_items)[:n_gold], is_outside, n_classes)


def log_sum_exp(numbers: Sequence[float]) -> float:
    top = max(numbers)
    return top + math.log(sum(math.exp(number - top) for number in numbers))


def item_columns(row: Sequence[int], columns: StackColumns) -> list[list[float]]:
    """Columns of one item, for each class: the panel, rules, votes by class, classes, where nobody votes."""
    k, counted, log_odds = columns.n_classes, columns.together.counted.tolist(), columns.together.log_odds.tolist()
    voters = [[j for j, vote in enumerate(row) if vote == c] for c in range(k)]
    shares = [0.5 + sum(counted[j] for j in voters[c]) for c in range(k)]
    accurate = [sum(log_odds[j] for j in voters[c]) for c in range(k)]
    by_vote = columns.together.confusions
    confused = [sum(float(by_vote[j, vote, c]) for j, vote in enumerate(row) if vote >= 0) for c in range(k)]
    logs = [[math.log(share / sum(shares)) for share in shares]]
    for sums in (accurate, confused):
        panel = [(1 - EVEN_PART) * math.exp(s - log_sum_exp(sums)) + EVEN_PART / k for s in sums]
        logs.append([math.log(p) for p in panel])
    free = [1] if k == 2 else list(range(k))
    own = columns.voting.tolist()
    table = []
    for c in range(k):
        line = [part[c] - sum(part) / k for part in logs]
        line += [float(row[j] == c) for j in own]
        if columns.has_votes:
            line += [float(row[j] == v and c == f) for j in own for v in range(k) for f in free]
        line += [float(c == f) for f in free]
        if columns.has_silent:
            line += [float(c == f and max(row) < 0) for f in free]
        table.append(line)
    return table


def centred_losses(
    row: Sequence[int], columns: StackColumns, weights: Sequence[float]
) -> tuple[list[float], list[float]]:
    """Log losses of the predictor on one item, less their expectation under itself; and its probabilities."""
    k = columns.n_classes
    scores = [sum(w * x for w, x in zip(weights, line, strict=True)) for line in item_columns(row, columns)]
    proba = [(1 - FLOOR) * math.exp(score - log_sum_exp(scores)) + FLOOR / k for score in scores]
    entropy = -sum(q * math.log(q) for q in proba)
    return [-math.log(q) - entropy for q in proba], proba


@dataclass(frozen=True)
class Walk:
    """One order: the logarithm of the product, the sum of stakes as shares of the pool, and for each label its loss.

    ``most`` and ``variances`` are the largest loss of any item and class, and the mean over the pool of the variance of
    a loss that the predictor itself expects.
    """

    log_capital: float
    staked: float
    losses: list[float]
    most: list[float]
    variances: list[float]
    on_pool: list[float]


def walk(case: Case, columns: StackColumns, record: Recording, order: int, positions: IntArray) -> Walk:
    """Draw the gold items in one order and bet on each, with the classes of all items known."""
    sequence = case.gold[positions].tolist()
    by_lesson = []
    for lesson in record.lessons[order]:
        items = [centred_losses(row, columns, lesson.weights.tolist()) for row in case.rows.tolist()]
        by_lesson.append((lesson, [losses for losses, _ in items], _own_variance(items, case)))
    capital, staked = 0.0, 0.0
    seen: list[tuple[float, float, float]] = []
    on_pool = [0.0] * len(case.in_pool)
    for t, item in enumerate(sequence):
        table, variance = next(one[1:] for one in by_lesson if one[0].start <= t < one[0].stop)
        stake, guess = record.bets[order][t]
        gone = set(sequence[:t])
        left = [table[i][case.truth[i]] for i in range(len(case.truth)) if i not in gone]
        mean, loss = sum(left) / len(left), table[item][case.truth[item]]
        capital += math.log(1 + stake * (guess - loss)) - stake * (guess - mean)
        share = stake * len(case.in_pool) / len(left)
        staked += share
        on_pool = [total + share * table[i][case.truth[i]] for total, i in zip(on_pool, case.in_pool, strict=True)]
        seen.append((loss, max(max(line) for line in table), variance))
    losses, most, variances = map(list, zip(*seen, strict=True))
    return Walk(capital, staked, losses, most, variances, on_pool)


def _own_variance(items: Sequence[tuple[list[float], list[float]]], case: Case) -> float:
    """Mean over the pool of sum_c q(c) a(c)^2."""
    pool = [items[i] for i in case.in_pool]
    return math.fsum(q * a * a for losses, proba in pool for a, q in zip(losses, proba, strict=True)) / len(pool)
