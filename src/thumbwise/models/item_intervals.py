"""Intervals of single predictions: between which shares items of one kind are of each class, whatever the truth is.

The class of one item is no matter of probability, and a box leaves the label of a single item open. What it does bound
is how many items of a *kind* are of a class, where the kind is large enough: items with the same votes, or with the
same label and about the same probability.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.box.evidence import Evidence
from thumbwise.exceptions import Argument, InvalidChoiceError, InvalidVotesError
from thumbwise.models.base import best_classes
from thumbwise.models.fitted_game import Fitted, bound_mean, pose_fitted
from thumbwise.numerics.maxent import Problem
from thumbwise.outward import at_least, at_most
from thumbwise.summaries import Shown, ShowsItself, fixed, one_line
from thumbwise.votes.votes import Votes

By = Literal["tier", "pattern"]
KINDS: tuple[By, ...] = ("tier", "pattern")
# Where tiers of probability begin, but for the lowest.
EDGES = (0.7, 0.8, 0.9, 0.95)
# Kinds of items that programs are solved for at most, the largest first; after so many in a row of which nothing is
# proved the smaller ones are not looked at. All others keep 0 to 1.
MOST_KINDS = 200
PATIENCE = 10


@dataclass(frozen=True, eq=False)
class ItemIntervals(ShowsItself):
    """Between which shares the items of each kind are of each class. Made by ``model.predict_interval``.

    *Guarantee*: whenever the box holds the true moments, all intervals hold, at once. For a box from gold that is so
    with probability at least its confidence level. Kinds are made from predictions, so they depend on gold labels, and
    may: a box says the same of all sets of items at once. An interval speaks of the items of a kind together, and of
    none of them alone.

    Attributes
    ----------
    lower, upper : ndarray of shape (n_items, n_classes)
        Share of each class among the items of this item's kind whose label is not known. An item whose label is known
        has it: 1 and 1 for its class, 0 and 0 for others.
    kinds : ndarray of shape (n_items,)
        Row of ``frame()`` that the item belongs to; -1 if its label is known.
    by : str
        "tier" or "pattern".
    class_names : tuple
    evidence : Evidence
        Where the intervals come from.
    """

    lower: FloatArray
    upper: FloatArray
    kinds: IntArray
    by: By
    class_names: tuple[Hashable, ...]
    evidence: Evidence
    _labels: IntArray
    _probabilities: FloatArray
    _sizes: IntArray
    _ends: tuple[FloatArray, FloatArray]

    @property
    def n_kinds(self) -> int:
        return len(self._labels)

    @property
    def says_something(self) -> IntArray:
        """The kinds whose share of their label is bounded at all, as rows of ``frame()``."""
        rows = np.arange(self.n_kinds)
        low, high = (end[rows, self._labels] for end in self._ends)
        return np.flatnonzero((low > _NOTHING) | (high < 1 - _NOTHING))

    def frame(self) -> dict[str, list[Any]]:
        """A row per kind, largest first: its label, mean probability of it, items, and the share of it from and to."""
        rows = np.arange(self.n_kinds)
        return {
            "label": [self.class_names[c] for c in self._labels.tolist()],
            "probability": self._probabilities.tolist(),
            "items": self._sizes.tolist(),
            "lower": self._ends[0][rows, self._labels].tolist(),
            "upper": self._ends[1][rows, self._labels].tolist(),
        }

    def _shown(self) -> Shown:
        what = "items with the same label and about the same probability" if self.by == "tier" else "items voted alike"
        return Shown(
            f"Share of the label among {what} ({self.n_kinds:,} kinds; {len(self.says_something):,} bounded)",
            ("label", "probability", "items", "from", "to"),
            tuple(self._rows()),
            (self.evidence.state("every share lies where it says, of the items of a kind together"),),
            max(0, self.n_kinds - _SHOWN),
        )

    def _rows(self) -> Iterator[tuple[str, ...]]:
        columns = (column[:_SHOWN] for column in self.frame().values())
        for label, probability, size, low, high in zip(*columns, strict=True):
            yield one_line(label), fixed(probability), f"{size:,}", at_least(low), at_most(high)

    def __str__(self) -> str:
        shown = self._shown()
        lines = [shown.headers, *shown.rows]
        body = [f"{row[0]:<24}" + "".join(f"{cell:>12}" for cell in row[1:]) for row in lines]
        more = [f"... and {shown.n_left_out:,} smaller kinds"] if shown.n_left_out else []
        return "\n".join([shown.title, *body, *more, *shown.remarks])


# Rows that are printed.
_SHOWN = 20
# A share that is as good as none.
_NOTHING = 0.0005


def predict_interval(model: Any, votes: Votes, by: By, edges: Sequence[float]) -> ItemIntervals:
    """Solve two linear programs for each kind of items and class.

    Parameters
    ----------
    model : BalsubramaniFreund
        Fitted.
    votes : Votes
        Those that it was fitted to.
    by : {"tier", "pattern"}
    edges : sequence of float
        Where tiers of probability begin, but for the lowest.
    """
    _check(model, votes, by, edges)
    problem, n_open = pose_fitted(model, votes), model.certificate_.n_open
    proba = model._predict_patterns(votes)
    labels = best_classes(proba, votes.patterns)
    kind_of = _kinds(by, labels, proba, problem, edges)
    used = np.flatnonzero(kind_of >= 0)
    found, first = np.unique(kind_of[used], return_index=True)
    lower, upper = np.zeros((len(found), votes.n_classes)), np.ones((len(found), votes.n_classes))
    n_open_kinds = 0
    for kind in range(min(len(found), MOST_KINDS)):
        lower[kind], upper[kind] = _ends_of(kind_of == kind, problem, n_open, votes.n_classes)
        n_open_kinds = n_open_kinds + 1 if _is_open(lower[kind], upper[kind]) else 0
        if n_open_kinds == PATIENCE:
            break
    masses, given = np.asarray(problem.masses)[used], proba[used, labels[used]]
    weight = np.bincount(kind_of[used], masses, len(found))
    kinds, low, high = _by_item(model, votes, kind_of, lower, upper)
    return ItemIntervals(
        lower=low,
        upper=high,
        kinds=kinds,
        by=by,
        class_names=tuple(votes.class_names),
        evidence=model.certificate_.evidence,
        _labels=labels[used[first]],
        _probabilities=np.bincount(kind_of[used], masses * given, len(found)) / weight,
        _sizes=np.rint(weight * n_open).astype(np.int64),
        _ends=(lower, upper),
    )


def _check(model: Fitted, votes: Votes, by: str, edges: Sequence[float]) -> None:
    if by not in KINDS:
        raise InvalidChoiceError(Argument("by"), f' must be "tier" or "pattern"; found {by!r}.')
    if not all(0 < edge < 1 for edge in edges) or list(edges) != sorted(set(edges)):
        raise InvalidChoiceError(Argument("edges"), f" must be probabilities that increase; found {tuple(edges)!r}.")
    if model.box_.evidence.pool not in (None, votes.fingerprint):
        raise InvalidVotesError(
            "intervals are of the votes that the model was fitted to; these are others. Pass the votes of the fit: "
            "of other items nothing is proved."
        )


def _kinds(by: By, labels: IntArray, proba: FloatArray, problem: Problem, edges: Sequence[float]) -> IntArray:
    """A number for the kind of each pattern, the largest kind first; -1 for patterns of known items only."""
    masses = np.asarray(problem.masses)
    if by == "pattern":
        raw = np.arange(len(labels))
    else:
        best = proba[np.arange(len(labels)), labels]
        raw = labels * (len(edges) + 1) + np.searchsorted(np.asarray(edges), best, side="right")
    is_open = masses > 0
    kinds = np.full(len(labels), -1)
    found, places = np.unique(raw[is_open], return_inverse=True)
    weight = np.bincount(places, masses[is_open], len(found))
    rank = np.empty(len(found), dtype=np.int64)
    rank[np.lexsort((found, -weight))] = np.arange(len(found))
    kinds[is_open] = rank[places]
    return kinds


def _ends_of(members: Any, problem: Problem, n_open: int, n_classes: int) -> tuple[FloatArray, FloatArray]:
    """Least and largest share of each class among the items of some patterns, over all labelings in the box.

    A share is 1 less that of the other classes together, so both ends are largest means.
    """
    share = float(np.asarray(problem.masses)[members].sum())
    lower, upper = np.zeros(n_classes), np.ones(n_classes)
    for c in range(n_classes):
        is_class = np.zeros((len(members), n_classes))
        is_class[members, c] = 1 / share
        upper[c] = bound_mean(is_class, problem, n_open)
        if n_classes > 2:
            lower[c] = 1 - bound_mean(members[:, None] / share - is_class, problem, n_open)
    lower = lower if n_classes > 2 else 1 - upper[::-1]
    lower, upper = np.clip([lower, upper], 0, 1)
    return np.minimum(lower, upper), np.maximum(lower, upper)


def _is_open(lower: FloatArray, upper: FloatArray) -> bool:
    return bool((lower <= _NOTHING).all() and (upper >= 1 - _NOTHING).all())


def _by_item(
    model: Any, votes: Votes, kind_of_pattern: IntArray, lower: FloatArray, upper: FloatArray
) -> tuple[IntArray, FloatArray, FloatArray]:
    """What kinds say, for each item; known labels are certain."""
    kinds = kind_of_pattern[votes.inverse]
    known, labels = model._known_items(votes)
    kinds[known] = -1
    low, high = np.empty((votes.n_items, votes.n_classes)), np.empty((votes.n_items, votes.n_classes))
    for end, of_kinds in ((low, lower), (high, upper)):
        end[kinds >= 0] = of_kinds[kinds[kinds >= 0]]
        end[known] = 0
        end[known, labels] = 1
    return kinds, low, high
