"""One-coin Dawid-Skene by expectation maximisation, in the log domain."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from thumbwise._typing import FloatArray, IntArray
from thumbwise.maxent import log_softmax, scores
from thumbwise.models.base import LabelModel, read_for_fit
from thumbwise.models.majority_vote import vote_shares
from thumbwise.moments import STANDARD, Moments, build_moments
from thumbwise.votes import Votes


class DawidSkene(LabelModel):
    """Rules that err independently of each other given the class, each with one accuracy.

    Given class c, rule j votes c with probability b_j and every other class with probability (1 - b_j) / (k - 1); an
    abstention says nothing. Accuracies and class frequencies w maximise the likelihood of the votes, found by
    expectation maximisation from the majority vote. The prediction is a softmax over c of log w_c plus the weights
    log(b_j (k - 1) / (1 - b_j)) of the rules that vote c: the same family as :class:`BalsubramaniFreund`.

    Assumes conditional independence, which copies of a rule break. *Guarantee*: none.

    Parameters
    ----------
    kind : {"one_coin"}
    tol : float
        Stop when one iteration changes the class frequencies, and the entries of all confusion matrices, by less than
        this in sum.
    max_iter : int

    Attributes
    ----------
    accuracies_ : ndarray of shape (n_rules,)
        1 / n_classes for a rule that never votes.
    class_frequencies_ : ndarray of shape (n_classes,)
    weights_ : ndarray of shape (n_rules + n_classes,)
        Log-odds per vote, rules first, then classes.
    log_likelihood_path_ : ndarray of shape (n_iter_,)
        Log likelihood of the votes at the parameters of each iteration; never decreases.
    n_iter_ : int

    Examples
    --------
    >>> import thumbwise as tw
    >>> votes = [[0, 0, 1], [0, 0, 0], [1, 1, 0], [1, 1, 1], [0, 0, 0]]
    >>> tw.DawidSkene().fit(votes).predict(votes)
    array([0, 0, 1, 1, 0])
    """

    def __init__(self, *, kind: Literal["one_coin"] = "one_coin", tol: float = 1e-5, max_iter: int = 10_000) -> None:
        self.kind = kind
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, votes: Any, y: Any = None) -> DawidSkene:
        """Estimate accuracies and class frequencies; ``y`` is ignored."""
        if self.kind != "one_coin":
            raise ValueError(f'kind must be "one_coin"; found {self.kind!r}.')
        votes = read_for_fit(votes, y)
        moments = build_moments(STANDARD, votes)
        counts = votes.patterns.counts.astype(float)
        right = _shares_right(vote_shares(votes.patterns), counts, moments)
        proba, log_likelihood = _expect(right, counts, moments, votes.n_classes)
        path = [log_likelihood]
        change = np.inf
        while change >= self.tol and len(path) < self.max_iter:
            previous, right = right, _shares_right(proba, counts, moments)
            proba, log_likelihood = _expect(right, counts, moments, votes.n_classes)
            path.append(log_likelihood)
            change = _change(right - previous, votes.n_classes)
        if change >= self.tol:
            warnings.warn(
                f"Dawid-Skene still changes by {change:.1e} (tol={self.tol:.1e}) after {len(path)} iterations.",
                ConvergenceWarning,
                stacklevel=2,
            )
        self.accuracies_, self.class_frequencies_ = np.split(right, [votes.n_rules])
        self.weights_, _ = _log_odds(right, moments.sizes, votes.n_classes)
        self.log_likelihood_path_ = np.array(path)
        self.n_iter_ = len(path)
        self._remember(votes)
        return self

    def _predict_patterns(self, votes: Votes) -> FloatArray:
        features = build_moments(STANDARD, votes).features
        return np.exp(log_softmax(scores(self.weights_, features, votes.n_classes))[0])


def _shares_right(proba: FloatArray, counts: FloatArray, moments: Moments) -> FloatArray:
    """M step: accuracy of each rule, frequency of each class. A rule that never votes is right as often as chance."""
    right = moments.averages(counts[:, None] * proba)
    return np.clip(np.where(moments.sizes == 0, 1 / proba.shape[1], right), 0, 1)


def _log_odds(right: FloatArray, sizes: IntArray, k: int) -> tuple[FloatArray, float]:
    """Weights of the family, and the part of the log likelihood that does not depend on the class.

    A share of exactly 0 becomes the smallest number that is not: certain, and two contradicting certainties cancel.
    """
    n_rules = len(right) - k
    tiny = np.finfo(float).tiny
    weights = np.log(np.maximum(right, tiny))
    log_wrong = np.log(np.maximum((1 - right[:n_rules]) / (k - 1), tiny))
    weights[:n_rules] -= log_wrong
    return weights, float(sizes[:n_rules] @ log_wrong)


def _expect(right: FloatArray, counts: FloatArray, moments: Moments, k: int) -> tuple[FloatArray, float]:
    """E step: probabilities of the classes of each pattern, and the log likelihood of all votes."""
    weights, constant = _log_odds(right, moments.sizes, k)
    log_proba, log_sums = log_softmax(scores(weights, moments.features, k))
    return np.exp(log_proba), float(counts @ log_sums + constant)


def _change(moved: FloatArray, k: int) -> float:
    """Larger of the summed changes of class frequencies and of confusion entries.

    When an accuracy moves by d, each row of its k x k confusion matrix moves by 2d in sum.
    """
    by_rule, by_class = np.split(np.abs(moved), [len(moved) - k])
    return float(max(by_class.sum(), 2 * k * by_rule.sum()))
