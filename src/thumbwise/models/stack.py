"""Stack: a regression on votes and on what the panel says without labels, taught by gold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.models.base import LabelModel
from thumbwise.models.compared import Compared, Split
from thumbwise.models.inputs import read_with_gold
from thumbwise.models.saved.columns import read_columns, write_columns
from thumbwise.models.saved.fields import ONE, Array, Setting, fields
from thumbwise.numerics.class_tables import ClassTable, pack
from thumbwise.numerics.maxent import softmax
from thumbwise.numerics.patterns import Patterns
from thumbwise.numerics.progressive import lesson_starts, seeded_orders
from thumbwise.numerics.stack_columns import StackColumns
from thumbwise.numerics.teaching import settle, stack_priors, teach
from thumbwise.tables.json_values import Node
from thumbwise.votes.counted_votes import CountedVotes
from thumbwise.votes.labels import UNKNOWN, KnownLabels
from thumbwise.votes.votes import Votes

# Digits to which keys that order gold are compared: sums over rules in another order differ in the last ones.
_DIGITS = 6
_FITS = ("n_fits_", "n_columns_")


@dataclass(frozen=True)
class _Columns:
    """What the regression sees, as a file has it."""

    def write(self, value: StackColumns, model: Stack) -> Any:
        return write_columns(value, model.rule_names_)

    def read(self, node: Node, model: Stack, setting: Setting) -> StackColumns:
        return read_columns(node, setting.votes)[0]


class Stack(LabelModel):
    """A regression on votes and on the log-odds of what rules say together without any label.

    The score of a class is a sum of weights times columns: log shares of the votes; log probabilities of two panels,
    each mixed with an even guess, which know from how often rules agree how accurate each is (one-coin Dawid-Skene with
    even class frequencies) and which classes it takes for which (Dawid-Skene with even class frequencies; for at most a
    million rates); a column for each rule that expects at least three gold votes and, where these are few, for each of
    its votes and each class; one for each class; and, where gold is expected to have at least three items without a
    vote and three with one, one more for each class of those without. The prediction is the softmax over the classes of

        s_c = sum_m w_m x_m(votes, c),   w minimises  -sum over gold of log p(label) + sum_m r_m (w_m - w0_m)^2 / 2,

    where w0 is a quarter for majority and the first panel, one half for the second, and 0 for the rest: before any
    label, the answer is between majority vote and what the panels say. Two priors r are tried, one that lets rules have
    weights of their own and one that hardly does, and their weights are averaged in proportion to exp(-loss / 2), where
    the loss of each is that on gold labels which it had not seen, gold being gone through in four orders.

    The columns are settled by all votes and the number of gold labels, the weights by the labels. *Guarantee*: none of
    its own. Its labels, as any, can be certified: :func:`thumbwise.certify`, ``thumbwise label --method stack``.

    Assumes that gold is like the pool. The cost is that of a table of n_gold * n_classes * n_columns numbers, and of
    the patterns of the pool, for any number of items.

    Parameters
    ----------
    tol : float
        Largest component of the gradient at the end of the two fits.

    Attributes
    ----------
    weights_ : ndarray of shape (n_columns_,)
        Average of ``fits_`` by ``shares_``.
    fits_ : ndarray of shape (n_fits_, n_columns_)
        Weights of the fits to all gold labels, one for each prior.
    shares_ : ndarray of shape (n_fits_,)
        What each counts.
    columns_ : StackColumns
        What the regression sees.
    n_fits_, n_columns_ : int

    Examples
    --------
    >>> import thumbwise as tw
    >>> votes = [[0, 0, 1], [0, 0, 0], [1, 1, 0], [1, 1, 1], [0, 1, 0], [1, 0, 1]]
    >>> model = tw.Stack().fit(votes, [0, 0, 1, 1, -1, -1])
    >>> model.predict(votes)
    array([0, 0, 1, 1, 0, 1])
    """

    n_fits_ = 2
    _learned = fields(columns_=_Columns(), fits_=Array(_FITS), shares_=Array(("n_fits_",), 0, ONE))
    _compared = (Compared("Stack", by_default=True),)
    _needs_labels = True

    def __init__(self, *, tol: float = 1e-6) -> None:
        self.tol = tol

    def fit(self, votes: Any, y: Any = None, *, gold_votes: Any = None, gold_labels: Any = None) -> Stack:
        """Learn weights from gold.

        Parameters
        ----------
        votes : Votes, LazyVotes, array-like or frame
            The pool: the items to be labeled.
        y : array-like of shape (n_items,), optional
            Classes of the pool's items, -1 or missing where unknown.
        gold_votes : Votes, array-like or frame, optional
            Instead of ``y``: votes of the same rules on the gold items, in the pool or not.
        gold_labels : array-like of shape (n_gold,), optional
            Their classes. Gold items whose ids are those of items of the pool keep their label in every prediction.
        """
        pool, gold, labels = read_with_gold(votes, y, gold_votes, gold_labels)
        is_known = labels != UNKNOWN
        gold, labels = gold.take(is_known), labels[is_known]
        self.columns_ = StackColumns.choose(pool.patterns, len(labels))
        order = _order(gold, labels, self.columns_, pool.patterns)
        table = pack(self.columns_.table(gold.patterns))
        self._learn(table[gold.inverse[order].astype(np.int64)], labels[order], pool.patterns)
        self._remember(pool, _known(pool, gold, labels))
        return self

    def _learn(self, table: ClassTable, labels: IntArray, pool: Patterns) -> None:
        priors, starts = stack_priors(self.columns_.kinds), lesson_starts(len(labels), pool, table)
        orders = seeded_orders(len(labels), pool.n_items)
        losses = np.mean([teach(table[order], labels[order], priors, starts)[1] for order in orders], axis=0)
        self.fits_, self.shares_ = settle(table, labels, priors, losses, tol=self.tol)

    @property
    def n_columns_(self) -> int:
        return len(self.columns_.kinds)

    @property
    def weights_(self) -> FloatArray:
        return np.asarray(self.shares_ @ self.fits_)

    def _fit_split(self, split: Split) -> Stack:
        return self.fit(split.pool, gold_votes=split.fit_votes, gold_labels=split.fit_names)

    def _predict_patterns(self, votes: CountedVotes) -> FloatArray:
        return softmax(self.columns_.scores(votes.patterns, self.weights_))[0]


def _known(pool: CountedVotes, gold: Votes, labels: IntArray) -> KnownLabels | None:
    """Gold items of the pool, if ids can tell them apart from others."""
    if not (pool.has_ids and gold.has_ids):
        return None
    inside = pool.contains_ids(gold.item_ids)
    return KnownLabels(gold.item_ids[inside], labels[inside]) if inside.any() else None


def _order(gold: Votes, labels: IntArray, columns: StackColumns, pool: Patterns) -> IntArray:
    """An order of gold that does not depend on that of items, nor, unless rules or classes tie, of rules or classes.

    By how often the pool shows each vote, weighted by what the panel makes of its rule, and each class.
    """
    place, per_class = gold.inverse.astype(np.int64), pool.vote_table.sum(axis=0)
    by_vote = np.sqrt(1 + pool.vote_table) * (columns.together.counted * (1 + columns.together.log_odds))[:, None]
    sums = gold.patterns.indicators @ np.column_stack([by_vote.ravel(), (by_vote * np.sqrt(1 + per_class)).ravel()])
    keys = [*np.round(sums[place], _DIGITS).T, per_class[labels], np.bincount(labels)[labels]]
    return np.lexsort([labels, place, *keys])
