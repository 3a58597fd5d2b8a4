"""Made-up votes whose truth is known: labels, class frequencies, rates of every rule, and the exact posterior."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from thumbwise._typing import FloatArray, IntArray
from thumbwise.datasets.synthetic_rates import class_rates, coin_rates, per_rule, read_frequencies, read_probabilities
from thumbwise.datasets.synthetic_rules import CopyingRules, IndependentRules, Rules, SharedErrorRules
from thumbwise.numerics.patterns import take_rows
from thumbwise.votes.votes import Votes


@dataclass(frozen=True, eq=False)
class Synthetic:
    """Votes with the truth that they were drawn from.

    Attributes
    ----------
    votes : Votes
    labels : ndarray of shape (n_items,)
        The classes that were drawn.
    class_frequencies : ndarray of shape (n_classes,)
        Probabilities that they were drawn with.
    rules : IndependentRules, CopyingRules or SharedErrorRules
        What the votes were drawn with.
    rates : ndarray of shape (n_rules, n_classes, n_classes + 1)
        Probability of each vote of a rule on an item of each class, the last for an abstention.
    accuracies : ndarray of shape (n_rules,)
        Probability that a vote of each rule is right, P(vote = class | it votes).
    proba : ndarray of shape (n_items, n_classes)
        P(class | votes), exactly.

    Examples
    --------
    >>> from thumbwise.datasets import make_one_coin
    >>> made = make_one_coin(3, [0.9, 0.6], random_state=1)
    >>> made.labels.tolist(), made.votes.array.tolist()
    ([1, 1, 1], [[1, 0], [1, 1], [1, 1]])
    >>> made.proba.round(3).tolist()
    [[0.143, 0.857], [0.069, 0.931], [0.069, 0.931]]
    """

    votes: Votes
    labels: IntArray
    class_frequencies: FloatArray
    rules: Rules

    @property
    def rates(self) -> FloatArray:
        """Probability of each vote, the last for an abstention: (n_rules, n_classes, n_classes + 1)."""
        return self.rules.rates

    @property
    def accuracies(self) -> FloatArray:
        """Probability that a vote of each rule is right; NaN for a rule that never votes."""
        right = np.diagonal(self.rates, axis1=1, axis2=2) @ self.class_frequencies
        votes = (1 - self.rates[:, :, -1]) @ self.class_frequencies
        return np.where(votes > 0, right / np.where(votes > 0, votes, 1), np.nan)

    @cached_property
    def proba(self) -> FloatArray:
        """Probability of each class given an item's votes, by Bayes' rule, of shape (n_items, n_classes).

            P(c | votes) = P(c) P(votes | c) / sum_c' P(c') P(votes | c')

        No method that sees the votes alone can do better on average.
        """
        with np.errstate(divide="ignore"):  # a class of frequency 0 has the score -inf
            scores = self.rules.log_likelihood(self.votes.patterns.to_rows()) + np.log(self.class_frequencies)
        proba = np.exp(scores - scores.max(axis=1, keepdims=True))
        return take_rows(proba / proba.sum(axis=1, keepdims=True), self.votes.inverse)

    def take(self, n_items: int) -> Synthetic:
        """The first ``n_items`` items of the draw, with the same truth: those that a smaller draw would have."""
        return Synthetic(self.votes.take(np.arange(n_items)), self.labels[:n_items], self.class_frequencies, self.rules)


def make_one_coin(
    n_items: int,
    accuracies: npt.ArrayLike,
    *,
    class_frequencies: npt.ArrayLike | None = None,
    n_classes: int = 2,
    abstain: npt.ArrayLike = 0.0,
    random_state: int,
) -> Synthetic:
    """Rules that vote independently, each right with its own probability on every class: one-coin Dawid-Skene.

    Every wrong class is equally likely. The first items of a larger draw are the smaller draw.

    Parameters
    ----------
    n_items : int
    accuracies : array-like of shape (n_rules,)
        Probability that a vote is right.
    class_frequencies : array-like of shape (n_classes,), optional
        All equal if absent.
    n_classes : int
        Number of classes, if no frequencies say it.
    abstain : float or array-like of shape (n_rules,)
        Probability that a rule abstains, on any item.
    random_state : int
        Seed of the draw.

    Returns
    -------
    Synthetic
        Votes and their truth, as from all functions that make data.

    Examples
    --------
    >>> from thumbwise.datasets import make_one_coin
    >>> made = make_one_coin(1000, [0.9, 0.7, 0.6], abstain=0.2, random_state=0)
    >>> made.votes
    Votes: 1,000 items x 3 rules, 27 patterns; classes 0, 1; -1 = abstain (19.9 % of votes)
    >>> made.accuracies.round(9).tolist()
    [0.9, 0.7, 0.6]
    """
    frequencies = read_frequencies(class_frequencies, n_classes)
    rates = coin_rates(read_probabilities(accuracies, "accuracies", 1), len(frequencies), abstain)
    return _make(n_items, frequencies, IndependentRules(rates), random_state)


def make_class_conditional(
    n_items: int,
    class_accuracies: npt.ArrayLike,
    *,
    class_frequencies: npt.ArrayLike | None = None,
    abstain: npt.ArrayLike = 0.0,
    random_state: int,
) -> Synthetic:
    """Rules that vote independently, each right with a probability that depends on the class.

    Parameters
    ----------
    n_items : int
    class_accuracies : array-like of shape (n_rules, n_classes)
        Probability that a vote on an item of a class is right; every wrong class is equally likely.
    class_frequencies, abstain, random_state
        As in :func:`make_one_coin`.

    Examples
    --------
    >>> from thumbwise.datasets import make_class_conditional
    >>> made = make_class_conditional(100, [[0.9, 0.5], [0.6, 0.8]], class_frequencies=[0.25, 0.75], random_state=0)
    >>> made.accuracies.round(9).tolist()
    [0.6, 0.75]
    """
    accuracies = read_probabilities(class_accuracies, "class_accuracies", 2)
    frequencies = read_frequencies(class_frequencies, accuracies.shape[1])
    if len(frequencies) != accuracies.shape[1]:
        raise ValueError(
            f"class_accuracies must have a column per class, {len(frequencies)}; found {accuracies.shape[1]} columns."
        )
    return _make(n_items, frequencies, IndependentRules(class_rates(accuracies, abstain)), random_state)


def make_one_sided(
    n_items: int,
    targets: npt.ArrayLike,
    *,
    hits: npt.ArrayLike,
    false_alarms: npt.ArrayLike,
    class_frequencies: npt.ArrayLike | None = None,
    n_classes: int = 2,
    random_state: int,
) -> Synthetic:
    """Rules that give one class or abstain, as rules that look for a keyword do.

    Abstentions say something here: a rule is silent more often on other classes than on its own.

    Parameters
    ----------
    n_items : int
    targets : array-like of shape (n_rules,)
        The one class that each rule gives.
    hits, false_alarms : float or array-like of shape (n_rules,)
        Probability that a rule votes on an item of its class, and of any other class.
    class_frequencies, n_classes, random_state
        As in :func:`make_one_coin`.

    Examples
    --------
    >>> from thumbwise.datasets import make_one_sided
    >>> made = make_one_sided(1000, [1, 1, 0], hits=[0.5, 0.2, 0.3], false_alarms=0.05, random_state=0)
    >>> made.accuracies.round(4).tolist()
    [0.9091, 0.8, 0.8571]
    """
    frequencies = read_frequencies(class_frequencies, n_classes)
    classes = np.asarray(targets)
    if classes.ndim != 1 or classes.dtype.kind not in "iu" or not len(classes):
        raise ValueError(f"targets must be one class number per rule; found {targets!r}.")
    if classes.min() < 0 or classes.max() >= len(frequencies):
        raise ValueError(f"targets must be classes 0 to {len(frequencies) - 1}; found {classes.tolist()}.")
    on, off = (per_rule(rate, name, len(classes)) for rate, name in ((hits, "hits"), (false_alarms, "false_alarms")))
    is_own = classes[:, None] == np.arange(len(frequencies))
    rates = np.zeros((len(classes), len(frequencies), len(frequencies) + 1))
    rates[np.arange(len(classes)), :, classes] = np.where(is_own, on[:, None], off[:, None])
    rates[:, :, -1] = 1 - rates.sum(axis=2)
    return _make(n_items, frequencies, IndependentRules(rates), random_state)


def make_copies(
    n_items: int,
    accuracies: npt.ArrayLike,
    *,
    copied_from: Sequence[int],
    copying: npt.ArrayLike,
    class_frequencies: npt.ArrayLike | None = None,
    n_classes: int = 2,
    abstain: npt.ArrayLike = 0.0,
    random_state: int,
) -> Synthetic:
    """Rules of which some copy others, now and then or always.

    With probability ``copying[j]`` rule j repeats what rule ``copied_from[j]`` says, abstentions too; otherwise it
    votes on its own, as in :func:`make_one_coin`. So its accuracy on the whole is a mixture of both; see the attribute
    ``accuracies`` of what is returned.

    Parameters
    ----------
    n_items : int
    accuracies : array-like of shape (n_rules,)
        Probability that a vote that is no copy is right.
    copied_from : sequence of int, (n_rules,)
        The rule that each one copies, which must stand before it; -1 for none.
    copying : float or array-like of shape (n_rules,)
        Probability that a vote, or an abstention, is a copy.
    class_frequencies, n_classes, abstain, random_state
        As in :func:`make_one_coin`.

    Examples
    --------
    >>> from thumbwise.datasets import make_copies
    >>> made = make_copies(500, [0.8, 0.6, 0.6], copied_from=[-1, -1, 0], copying=0.5, random_state=0)
    >>> made.accuracies.round(9).tolist()
    [0.8, 0.6, 0.7]
    """
    frequencies = read_frequencies(class_frequencies, n_classes)
    coins = read_probabilities(accuracies, "accuracies", 1)
    origin = np.asarray(copied_from)
    is_earlier = origin.shape == coins.shape and origin.dtype.kind in "iu"
    if not is_earlier or (origin < -1).any() or (origin >= np.arange(len(coins))).any():
        raise ValueError(
            f"copied_from must name for each of {len(coins)} rules an earlier one, or -1; found {copied_from!r}."
        )
    rules = CopyingRules(coin_rates(coins, len(frequencies), abstain), origin, per_rule(copying, "copying", len(coins)))
    return _make(n_items, frequencies, rules, random_state)


def make_shared_errors(
    n_items: int,
    accuracies: npt.ArrayLike,
    *,
    groups: Sequence[int],
    shared_errors: npt.ArrayLike,
    class_frequencies: npt.ArrayLike | None = None,
    n_classes: int = 2,
    abstain: npt.ArrayLike = 0.0,
    random_state: int,
) -> Synthetic:
    """Groups of rules that now and then all give the same wrong class; each on its own is a one-coin rule.

    Whatever ``shared_errors`` is, each rule has exactly its accuracy on every class: only how rules depend on each
    other changes.

    Parameters
    ----------
    n_items : int
    accuracies : array-like of shape (n_rules,)
    groups : sequence of int, (n_rules,)
        Group of each rule, numbered from 0; -1 for a rule on its own.
    shared_errors : float or array-like of shape (n_groups,)
        Probability that a group errs as a whole; no member may be wrong less often.
    class_frequencies, n_classes, abstain, random_state
        As in :func:`make_one_coin`.

    Examples
    --------
    >>> from thumbwise.datasets import make_shared_errors
    >>> made = make_shared_errors(500, [0.7, 0.7, 0.8], groups=[0, 0, -1], shared_errors=0.2, random_state=0)
    >>> made.accuracies.round(9).tolist()
    [0.7, 0.7, 0.8]
    """
    frequencies = read_frequencies(class_frequencies, n_classes)
    coins = read_probabilities(accuracies, "accuracies", 1)
    group = np.asarray(groups)
    if group.shape != coins.shape or group.dtype.kind not in "iu" or (group < -1).any() or group.max() >= len(coins):
        raise ValueError(
            f"groups must hold for each of {len(coins)} rules a number from 0, or -1 for none; found {groups!r}."
        )
    events = per_rule(shared_errors, "shared_errors", int(group.max()) + 1)
    for j in np.flatnonzero(group >= 0):
        if coins[j] > 1 - events[group[j]] + 1e-12 or events[group[j]] == 1:
            raise ValueError(
                f"shared_errors must be below 1 and at most 1 - accuracy of every member; group {group[j]} has "
                f"{events[group[j]]:g}, its rule {j} the accuracy {coins[j]:g}."
            )
    rules = SharedErrorRules(coin_rates(coins, len(frequencies), abstain), group, events)
    return _make(n_items, frequencies, rules, random_state)


def make_paper_synthetic(n_items: int, *, random_state: int) -> Synthetic:
    """A draw of the synthetic experiment of An and Dasgupta (2024).

    Two classes with frequencies from Dirichlet(1, 1); three one-coin rules without abstentions, whose accuracies are
    drawn from Beta(2, 4/3), of mean 0.6. The paper takes 100, 1,000, 10,000 and 100,000 items as prefixes of one draw:
    the same ``random_state`` gives these.

    Parameters
    ----------
    n_items : int
    random_state : int
        Seed of the frequencies, the accuracies and the draw.

    Examples
    --------
    >>> from thumbwise.datasets import make_paper_synthetic
    >>> large, small = make_paper_synthetic(1000, random_state=3), make_paper_synthetic(100, random_state=3)
    >>> bool((large.votes.array[:100] == small.votes.array).all())
    True
    """
    rng = np.random.default_rng(random_state)
    frequencies, accuracies = rng.dirichlet([1.0, 1.0]), rng.beta(2, 4 / 3, size=3)
    return _draw(rng, n_items, frequencies, IndependentRules(coin_rates(accuracies, 2, 0.0)))


def _make(n_items: int, frequencies: FloatArray, rules: Rules, random_state: int) -> Synthetic:
    return _draw(np.random.default_rng(random_state), n_items, frequencies, rules)


def _draw(rng: np.random.Generator, n_items: int, frequencies: FloatArray, rules: Rules) -> Synthetic:
    if n_items < 1:
        raise ValueError(f"n_items must be at least 1; found {n_items}.")
    uniforms = rng.random((n_items, 1 + rules.n_uniforms))  # filled row by row, so that prefixes stay the same
    last = np.flatnonzero(frequencies)[-1]  # where frequencies round to a sum below 1
    labels = np.minimum(np.searchsorted(np.cumsum(frequencies), uniforms[:, 0], side="right"), last)
    array = rules.vote(labels, uniforms[:, 1:])
    return Synthetic(Votes(array, n_classes=len(frequencies), copy=False), labels, frequencies, rules)
