"""How many labels are right, at least: over the whole pool and for each class, proved by linear programs."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.box.box import Box
from thumbwise.box.evidence import Evidence, Statement
from thumbwise.box.query import query_box
from thumbwise.exceptions import InvalidBoxError, InvalidLabelsError
from thumbwise.game.pinning import open_frequencies, pose_known_problem, pose_problem
from thumbwise.numerics.feasibility import Widening, widen
from thumbwise.numerics.maxent import Problem
from thumbwise.numerics.right_labels import RightLabels
from thumbwise.numerics.solver import solve_dual
from thumbwise.outward import percent, percent_at_least, round_down
from thumbwise.votes.counted_votes import CountedVotes
from thumbwise.votes.inputs import as_votes, in_memory
from thumbwise.votes.labels import KnownLabels
from thumbwise.votes.votes import Votes


@dataclass(frozen=True, eq=False)
class ClassAccuracy:
    """What is proved of the labels of one class, over the items whose label is not known.

    Attributes
    ----------
    class_name : hashable
    n_labeled : int
        Items with this label.
    precision_at_least : float or None
        Share of the items with this label that are of this class, at least; None where no item has the label.
    recall_at_least : float
        Share of the items of this class that have this label, at least, if there are any.
    precision_multipliers, recall_multipliers : ndarray of shape (n_moments,)
        The proofs, for :meth:`AccuracyProof.verify`.
    """

    class_name: Hashable
    n_labeled: int
    precision_at_least: float | None
    precision_multipliers: FloatArray
    recall_at_least: float
    recall_multipliers: FloatArray


@dataclass(frozen=True, eq=False)
class AccuracyProof(Statement):
    """How many labels are right, at least, with the multipliers that prove it.

    *Guarantee*: whenever ``box`` holds the true moments, all numbers here hold, at once and for whatever labels, such
    as were chosen or fitted after gold labels were seen too. For a box from gold that is so with probability at least
    ``confidence_level``, under ``assumption``, if rules, moments and level were decided before. They are dual bounds,
    valid wherever a program was stopped. Another statement from the same gold, such as a bound on the log loss, holds
    with the same confidence on its own, and not jointly with this one.

    Attributes
    ----------
    accuracy_at_least : float
        Share of right labels among the items whose label is not known.
    accuracy_at_least_all : float
        The same over all items, those whose label is known counted as right.
    expected : float
        What the probabilities themselves expect: the mean probability of the labels. It proves nothing.
    baseline : float
        Share of the most frequent class, at least, or 1 / n_classes: what labels would prove without any vote.
    classes : tuple of ClassAccuracy
        Precision and recall of each class; found when asked for. None in a model that was read from a file.
    n_items, n_known, n_reviewed : int
        Items, how many of them keep a label that is known, and how many of these were reviewed and are no gold.
    multipliers : ndarray of shape (n_moments,) or None
        The proof, for :meth:`verify`.
    box : Box or None
        What the program ran over: :func:`thumbwise.box.query.query_box`, or the box that was given.
    evidence : Evidence
        Where the intervals come from.

    Examples
    --------
    >>> import thumbwise as tw
    >>> votes = tw.Votes([[0, 0], [1, 1], [1, 0], [1, -1]], rule_names=["a", "b"])
    >>> box = tw.Box.from_bounds(votes, {"a": (0.75, 1), "b": (0.3, 0.5)})
    >>> proof = tw.BalsubramaniFreund().fit(votes, box=box).certificate_.accuracy
    >>> print(proof)  # doctest: +NORMALIZE_WHITESPACE
    At least 75.0 % of these labels are right (their probabilities expect 75 %), if the true labeling satisfies the
    bounds that were written.
    >>> [(row.class_name, row.n_labeled, round(row.recall_at_least, 2)) for row in proof.classes]
    [(0, 1, 0.0), (1, 3, 0.75)]
    """

    accuracy_at_least: float
    expected: float
    baseline: float
    n_items: int
    n_known: int
    evidence: Evidence
    multipliers: FloatArray | None = None
    box: Box | None = None
    n_reviewed: int = 0
    _right: RightLabels | None = field(default=None, repr=False)
    _known: KnownLabels | None = field(default=None, repr=False)

    @property
    def accuracy_at_least_all(self) -> float:
        return (self.accuracy_at_least * self.n_open + self.n_known) / max(1, self.n_items)

    @property
    def n_open(self) -> int:
        """Items whose label is not known."""
        return self.n_items - self.n_known

    @cached_property
    def classes(self) -> tuple[ClassAccuracy, ...] | None:
        """Precision and recall of each class, at least."""
        if self._right is None or self.box is None:
            return None
        names = self.box.class_names or range(self._right.n_classes)
        return tuple(self._of_class(c, name, self._right) for c, name in enumerate(names))

    def _of_class(self, c: int, name: Hashable, right: RightLabels) -> ClassAccuracy:
        n_labeled, precision, multipliers = right.precision(c)
        n_wrong = (1 - self.accuracy_at_least) * self.n_open
        return ClassAccuracy(
            name, n_labeled, precision, multipliers, *right.recall(c, (precision or 0.0) * n_labeled, n_wrong)
        )

    @property
    def proves_nothing(self) -> bool:
        """Whether one label for all would prove as much, in per cent with one digit after the point."""
        return self.n_open > 0 and round_down(self.accuracy_at_least) <= round_down(self.baseline)

    def verify(self, votes: Any, labels: Any) -> float:
        """The share computed anew from the multipliers, over all items one by one: no solver, no patterns counted.

        Parameters
        ----------
        votes : Votes, array-like or frame
            Those that the labels are of.
        labels : array-like of shape (n_items,)
            Class numbers; those of items whose label is known are not looked at.
        """
        if self.multipliers is None or self.box is None or self.evidence.widening is not None:
            raise InvalidBoxError(
                "a proof can be verified if it was made here, from a box that was not widened; this one was read from "
                "a file, or its box contradicted itself. Fit the model again."
            )
        read = self.box.in_groups(in_memory(as_votes(votes, self.box.class_names)))
        costs = np.asarray(labels)[:, None] != np.arange(read.n_classes)
        return 1 - _item_by_item(self.multipliers, costs, read, self.box, self._known)

    def __str__(self) -> str:
        if self.n_open == 0:
            return all_known(self.n_items, self.n_reviewed)
        share = f"at least {percent_at_least(self.accuracy_at_least)} of {self._labels()} are right"
        stated = self.evidence.state(f"{share} ({self._beside()})")
        if self.is_guarantee and self.proves_nothing:
            return f"This proves nothing about the rules: one label for all would do as well. {stated}"
        return stated

    def _labels(self) -> str:
        if not self.n_known:
            return "these labels" if self.n_items > 1 else "this one label"
        return f"the {self.n_open:,} labels that are {not_known(self.n_known, self.n_reviewed)}"

    def _beside(self) -> str:
        overall = f"{percent_at_least(self.accuracy_at_least_all)} of all {self.n_items:,}; " if self.n_known else ""
        return f"{overall}their probabilities expect {percent(self.expected)}"


def not_known(n_known: int, n_reviewed: int) -> str:
    """What items are of which nothing but votes is known."""
    if not n_reviewed:
        return "not gold"
    return f"{'not' if n_reviewed == n_known else 'neither gold nor'} among the {n_reviewed:,} reviewed"


def all_known(n_items: int, n_reviewed: int) -> str:
    """The sentence where no item is left."""
    label = "a gold or a reviewed label" if n_reviewed else "a gold label"
    return f"All {n_items:,} items have {label}, so there is nothing left to prove."


def certify_accuracy(
    labels: IntArray,
    proba: FloatArray,
    votes: CountedVotes,
    box: Box,
    *,
    known: KnownLabels | None = None,
    widening: Widening | None = None,
) -> AccuracyProof:
    """Prove how many labels are right, at least, of the items of the pool whose label is not known.

    The program runs over :func:`thumbwise.box.query.query_box`, and over the box itself where there is none. Should no
    labeling lie in the former, which has at most the allowed error as its probability, the box itself is taken too.

    Parameters
    ----------
    labels : ndarray of shape (n_patterns,)
        Class number of each pattern of the votes.
    proba : ndarray of shape (n_patterns, n_classes)
        Probabilities that the labels were read off.
    votes : CountedVotes
        The pool.
    box : Box
        Made for these votes, with labelings in it.
    known : KnownLabels, optional
        Gold items, and reviewed ones, that keep their label.
    widening : Widening, optional
        By how much the box had to be widened; the statement then is no guarantee.
    """
    _check_labels(labels, votes)
    n_known = 0 if known is None else len(known)
    asked = query_box(box) if widening is None else None
    for over in [box] if asked is None else [asked, box]:
        used = np.flatnonzero((over.lower > over.least) | (over.upper < over.most))
        right = RightLabels(labels, _pose(votes, over, known, widening), votes.n_items - n_known, used)
        answer = right.wrong()
        if over is box or np.isfinite(answer.attained) or not solve_dual(right.problem).is_infeasible:
            break
    lower, _ = open_frequencies(votes, box, known)
    return AccuracyProof(
        accuracy_at_least=float(np.clip(1 - answer.bound, 0, 1)),
        expected=float(right.problem.masses @ proba[np.arange(len(labels)), labels]) if right.n_items else 1.0,
        baseline=max(float(lower.max()), 1 / votes.n_classes),
        n_items=votes.n_items,
        n_known=n_known,
        evidence=box.evidence if widening is None else replace(box.evidence, widening=widening),
        multipliers=answer.multipliers,
        box=over,
        n_reviewed=0 if known is None else known.n_reviewed,
        _right=right,
        _known=known,
    )


def _pose(votes: CountedVotes, box: Box, known: KnownLabels | None, widening: Widening | None) -> Problem:
    problem = pose_problem(votes, box) if known is None else pose_known_problem(votes, box, known)
    return problem if widening is None else widen(problem, widening)


def _check_labels(labels: IntArray, votes: CountedVotes) -> None:
    """A class number for each pattern."""
    n_patterns, k = votes.patterns.n_patterns, votes.n_classes
    if labels.shape != (n_patterns,):
        raise InvalidLabelsError(
            f"there must be one label for each of the {n_patterns:,} patterns; found shape {labels.shape}."
        )
    strange = np.flatnonzero((labels < 0) | (labels >= k))
    if len(strange):
        raise InvalidLabelsError(
            f"labels must be class numbers 0..{k - 1}, of the classes {', '.join(map(str, votes.class_names[:8]))}; "
            f"found {labels[strange[0]]} at pattern {strange[0]} ({len(strange)} such labels). Give each item a class."
        )


def _item_by_item(u: FloatArray, costs: Any, votes: Votes, box: Box, known: KnownLabels | None) -> float:
    """B(u) over the items whose label is not known, one by one; what known ones add to moments is certain."""
    moments = box.moments(votes)
    scores = np.asarray(moments.features @ u).reshape(-1, votes.n_classes)[votes.inverse]
    is_open, certain = np.ones(votes.n_items, dtype=bool), 0.0
    if known is not None:
        positions = known.positions(votes)
        is_open[positions] = False
        certain = float(scores[positions, known.labels].sum())
    worst = float((scores + costs)[is_open].max(axis=1).sum())
    pay = float(np.minimum(u * moments.sizes * box.lower, u * moments.sizes * box.upper).sum())
    return (worst + certain - pay) / max(1, int(is_open.sum()))
