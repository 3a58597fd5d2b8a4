"""Data programming: the label model of Snorkel, fitted to how often rules vote together."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from thumbwise._typing import FloatArray
from thumbwise.exceptions import InPython, Message
from thumbwise.models.additive_terms import AdditiveTerms
from thumbwise.models.base import LabelModel
from thumbwise.models.compared import Compared, Split
from thumbwise.models.inputs import read_for_fit
from thumbwise.models.saved.fields import BY_RULE, ONE, Array, ListOrNone, Number, Whole, fields
from thumbwise.numerics.data_programming import Fit, Overlaps, exact_loss, minimise, start_rates, take_epochs
from thumbwise.votes.counted_votes import CountedVotes
from thumbwise.votes.labels import UNKNOWN, code_labels

# Probability that a vote is right at the start of the descent, and momentum of its steps, as in the original.
_PRECISION = 0.7
_MOMENTUM = 0.9


class DataProgramming(LabelModel):
    """Rules that err independently of each other given the class, each with its own rates for every class.

    The rates mu[j, v, c] = P(rule j votes v | class c) are fitted by least squares to the share of the items on which
    each two rules cast each two votes, sum_c w_c mu[i, u, c] mu[j, v, c], and to the share that each rule gives each
    class, sum_c w_c mu[j, v, c]. The class balance w is given and not estimated. The prediction is a softmax over c of
    log w_c plus log mu[j, v, c] of the votes cast; an abstention says nothing. This is the ``LabelModel`` of Snorkel
    0.10 (Ratner and others, AAAI 2019).

    Assumes conditional independence, which copies of a rule break, and the class balance. Pairs of rules do not always
    determine the rates: one rule says nothing about its own accuracy, and of two rules only a product is known. With
    two classes "all rules turned around" fits as well unless a rate leaves [0, 1]; with more, so does a whole family of
    rates. What is not determined stays close to the start, which trusts the rules: 70 % of the votes are right, and of
    the others one in n_classes. *Guarantee*: none; a unanimous vote can be overruled.

    The cost is that of a matrix of (n_rules * n_classes)^2 numbers, for any number of items.

    Parameters
    ----------
    class_balance : sequence of n_classes floats, optional
        Share of each class, positive, summing to 1. Absent: the shares among the labels that ``fit`` gets, in which
        a class without any label counts as half a label; without labels, the same for all classes.
    solver : {"converged", "epochs"}
        "converged" descends to a local minimum over rates in [0, 1], always from the original's start as it is.
        "epochs" scales that start by a random number, as the original does, takes a fixed number of gradient steps
        without bounds, and does not ask whether they converge.
    n_epochs : int
        For "epochs".
    learning_rate : float
        For "epochs". With hundreds of rules that vote often, the original's 0.01 diverges.
    tol : float
        For "converged". Stop when no loading (rate times square root of the class balance) would move by more than
        this in one gradient step that is clipped to rates in [0, 1].
    max_iter : int
        For "converged".
    random_state : int
        For "epochs": seed of the scaling. The same number as Snorkel's ``seed`` gives the same scaling.

    Attributes
    ----------
    vote_rates_ : ndarray of shape (n_rules, n_classes, n_classes)
        P(rule votes second | class is third). As in the original, kept away from 0 and 1 by 0.01, 0.001, ...: the
        first power of ten that is at most one item; this is all that depends on the number of items. Nothing makes the
        rates of a rule sum to at most 1.
    class_balance_ : ndarray of shape (n_classes,)
    accuracies_ : ndarray of shape (n_rules,)
        Share of each rule's votes that are right if the rates are; 1 / n_classes for a rule that never votes.
    loss_ : float
        Sum of squares at the rates found, before they are kept away from 0 and 1.
    n_iter_ : int

    Examples
    --------
    >>> import thumbwise as tw
    >>> from thumbwise.models.data_programming import DataProgramming
    >>> votes = [[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0], [0, 0, 0], [1, 1, 1], [0, 1, 0], [1, 0, 1]]
    >>> model = DataProgramming(class_balance=[0.5, 0.5]).fit(votes)
    >>> model.predict(votes)
    array([0, 0, 1, 1, 0, 1, 0, 1])
    >>> model.accuracies_.round(2)
    array([0.99, 0.71, 0.71])
    """

    _learned = fields(
        n_iter_=Whole(),
        loss_=Number(special=True),
        class_balance_=Array(("classes",), 1e-300, ONE),
        accuracies_=BY_RULE,
        vote_rates_=Array(("rules", "classes", "classes"), 1e-300, ONE),
    )
    _parameter_fields = fields(class_balance=ListOrNone(Array(("classes",), 0, 1)))
    _compared = (Compared("data programming", uses_gold=True),)

    def __init__(
        self,
        *,
        class_balance: Sequence[float] | None = None,
        solver: Literal["converged", "epochs"] = "converged",
        n_epochs: int = 100,
        learning_rate: float = 0.01,
        tol: float = 1e-10,
        max_iter: int = 1000,
        random_state: int = 0,
    ) -> None:
        self.class_balance = class_balance
        self.solver = solver
        self.n_epochs = n_epochs
        self.learning_rate = learning_rate
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, votes: Any, y: Any = None) -> DataProgramming:
        """Estimate the vote rates; known labels in ``y`` (-1 or missing where unknown) give the class balance only."""
        if self.solver not in ("converged", "epochs"):
            raise ValueError(f'solver must be "converged" or "epochs"; found {self.solver!r}.')
        votes, y = read_for_fit(votes, y)
        overlaps = Overlaps.observe(votes.patterns, self._settle_balance(votes, y))
        descent = self._converge(overlaps) if self.solver == "converged" else self._take_epochs(overlaps)
        rates = _keep_inside(descent.loadings / overlaps.roots, votes.n_items)
        self.class_balance_ = overlaps.balance
        self.vote_rates_ = _trust_most(rates, overlaps.balance)
        self.accuracies_ = _shares_right(self.vote_rates_, overlaps)
        self.loss_ = exact_loss(descent.loadings, overlaps)
        self.n_iter_ = descent.n_iter
        self._remember(votes)
        return self

    def _settle_balance(self, votes: CountedVotes, y: Any) -> FloatArray:
        if self.class_balance is not None:
            return _check_balance(self.class_balance, votes.n_classes)
        labels = np.full(1, UNKNOWN) if y is None else code_labels(y, votes.class_names, votes.n_items)
        counts = np.bincount(labels[labels != UNKNOWN], minlength=votes.n_classes)
        shares = np.maximum(counts, 0.5)
        return np.asarray(shares / shares.sum())

    def _converge(self, overlaps: Overlaps) -> Fit:
        start = start_rates(overlaps, _PRECISION) * overlaps.roots
        descent = minimise(start, overlaps, tol=self.tol, max_iter=self.max_iter)
        if descent.residual > self.tol:
            warnings.warn(
                Message(
                    f"data programming still moves by {descent.residual:.1e}",
                    InPython(f" (tol={self.tol:.1e})"),
                    f" after {descent.n_iter} iterations.",
                ),
                ConvergenceWarning,
                stacklevel=3,
            )
        return descent

    def _take_epochs(self, overlaps: Overlaps) -> Fit:
        scale = check_random_state(self.random_state).random_sample()
        start = scale * start_rates(overlaps, _PRECISION)
        descent = take_epochs(
            start, overlaps, n_epochs=self.n_epochs, learning_rate=self.learning_rate, momentum=_MOMENTUM
        )
        if not np.isfinite(descent.loadings).all():
            raise ValueError(
                f"the gradient steps must stay finite; with learning_rate={self.learning_rate} and "
                f"{len(overlaps.shares)} rules they grew beyond all bounds in epoch {descent.n_iter}. Lower "
                'learning_rate, or use solver="converged".'
            )
        return descent

    def additive_terms(self) -> AdditiveTerms:
        """Logarithms of the vote rates and of the class balance."""
        return AdditiveTerms.of_rates(self.vote_rates_, self.class_balance_)

    def _fit_split(self, split: Split) -> DataProgramming:
        """To the votes of the pool, with the class shares of gold, smoothed, as class balance."""
        return self.set_params(class_balance=split.class_shares).fit(split.pool)  # type: ignore[no-any-return]


def _check_balance(balance: Sequence[float], n_classes: int) -> FloatArray:
    shares = np.asarray(balance, dtype=float)
    if shares.shape != (n_classes,):
        raise ValueError(
            f"class_balance must hold one share for each of the {n_classes} classes; found shape {shares.shape}."
        )
    if not (shares > 0).all():
        raise ValueError(
            f"the shares in class_balance must be positive; found {shares.tolist()}. If a class may be absent, give it "
            "a small share; if it is, declare fewer classes."
        )
    if not abs(shares.sum() - 1) < 1e-6:
        raise ValueError(f"class_balance must sum to 1; found {shares.sum():.6g}. Divide the shares by their sum.")
    return np.asarray(shares / shares.sum())


def _keep_inside(rates: FloatArray, n_items: int) -> FloatArray:
    """Clip rates, so that no vote is impossible; 1 / n_items rounded down to a power of ten, 0.01 at most."""
    least = min(0.01, 10.0 ** -np.ceil(np.log10(n_items)))
    return np.clip(rates, least, 1 - least)


def _trust_most(rates: FloatArray, balance: FloatArray) -> FloatArray:
    """Permute classes of the same share, which fit equally well, so that as many votes as possible are right."""
    agreement = rates.sum(axis=0)
    rounded = np.round(balance, 3)
    chosen = np.arange(len(balance))
    for share in np.unique(rounded):
        group = np.flatnonzero(rounded == share)
        chosen[group] = group[linear_sum_assignment(agreement[np.ix_(group, group)], maximize=True)[1]]
    return np.asarray(rates[:, :, chosen])


def _shares_right(rates: FloatArray, overlaps: Overlaps) -> FloatArray:
    joint = rates * overlaps.balance
    right = np.trace(joint, axis1=1, axis2=2) / joint.sum(axis=(1, 2))
    return np.where(overlaps.shares.any(axis=1), right, 1 / len(overlaps.balance))
