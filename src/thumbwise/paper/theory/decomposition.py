"""Parts of the loss of a prediction by where it comes from: the family, an assumption, or estimates. Nats per item.

With d(a, b) = sum_i KL(a_i, b_i), eta the truth and g* the best approximator, every member g of the family has

    d(eta, g) = d(eta, g*) + d(g*, g):    model uncertainty + approximation uncertainty,

because log g is linear in the moments up to a constant for each item, and g* has the moments of eta.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thumbwise._typing import FloatArray
from thumbwise.box.box import Box
from thumbwise.box.moments.standard import STANDARD
from thumbwise.exceptions import InvalidBoxError
from thumbwise.models.balsubramani_freund import BalsubramaniFreund
from thumbwise.numerics.maxent import log_softmax
from thumbwise.numerics.vote_rates import log_rates, spread_accuracies
from thumbwise.paper.theory.family import divergence, predicted_moments, shares
from thumbwise.paper.theory.truth import Truth
from thumbwise.votes.votes import Votes


@dataclass(frozen=True)
class Decomposition:
    """Loss of a member of the family, in nats per item. Each part is computed on its own.

    Attributes
    ----------
    total : float
        d(eta, g) / n.
    model : float
        d(eta, g*) / n: no member of the family is closer to the truth.
    approximation : float
        d(g*, g) / n: what better weights would remove.
    """

    total: float
    model: float
    approximation: float


def decompose(truth: Truth, weights: npt.ArrayLike) -> Decomposition:
    """Loss of the member of the family with some weights: ``total = model + approximation``.

    ``weights_`` of a fitted ``BalsubramaniFreund`` or one-coin ``DawidSkene`` are such weights (if they let gold items
    keep their label, this is about what they predict without that).

    Parameters
    ----------
    truth : Truth
    weights : array-like of shape (n_rules + n_classes,)

    Returns
    -------
    Decomposition

    Examples
    --------
    >>> import thumbwise as tw
    >>> from thumbwise import theory
    >>> example = theory.Inconsistency()
    >>> truth = theory.Truth.of(example.votes, example.labels)
    >>> parts = theory.decompose(truth, tw.DawidSkene().fit(example.votes).weights_)
    >>> round(parts.total, 4), round(parts.model, 4), round(parts.approximation, 4)
    (0.7332, 0.5852, 0.148)
    """
    best = truth.best_weights
    return Decomposition(truth.divergence(weights), truth.divergence(best), divergence(truth.votes, best, weights))


def decompose_box(truth: Truth, box: Box) -> Decomposition:
    """Loss of the game's prediction for a box; the truth need not lie in it.

    Parameters
    ----------
    truth : Truth
    box : Box
        As for :func:`game_weights`.

    Examples
    --------
    >>> from thumbwise import Box, theory
    >>> example = theory.Inconsistency()
    >>> truth = theory.Truth.of(example.votes, example.labels)
    >>> parts = theory.decompose_box(truth, Box.from_bounds(example.votes, {"rule_0": (0.7, 0.75)}))
    >>> abs(parts.total - parts.model - parts.approximation) < 1e-9
    True
    """
    return decompose(truth, game_weights(truth.votes, box))


def game_weights(votes: Votes, box: Box) -> FloatArray:
    """Weights of the game's prediction for a box, g_bf, with no item's label known: shape (n_rules + n_classes,).

    Parameters
    ----------
    votes : Votes
    box : Box
        Of accuracies and class frequencies alone.

    Examples
    --------
    >>> from thumbwise import Box, theory
    >>> votes = theory.Inconsistency().votes
    >>> theory.game_weights(votes, Box.from_bounds(votes, {"rule_0": (0.7, 0.75)})).round(3).tolist()
    [0.847, 0.0, 0.0, 0.0]
    """
    if box.builders != STANDARD:
        raise InvalidBoxError(
            "the theorems are stated for boxes of accuracies and class frequencies; this one has other moments too. "
            "Make one with Box.from_gold, Box.from_bounds or Box.exact and without further moments."
        )
    return BalsubramaniFreund(caution=1, pin_gold=False).fit(votes, box=box).weights_


def pythagorean_sides(
    truth: Truth, weights: npt.ArrayLike, *, middle: npt.ArrayLike | None = None
) -> tuple[float, float]:
    """Both sides of d(eta, g') = d(eta, g) + d(g, g'), per item.

    Holds for members g, g' of the family with moments(g) = moments(eta).

    Parameters
    ----------
    truth : Truth
    weights : array-like of shape (n_rules + n_classes,)
        Those of g'.
    middle : array-like, optional
        Those of g; absent, the best approximator, which is the only prediction of the family that qualifies.

    Returns
    -------
    left, right : float

    Examples
    --------
    >>> from thumbwise import theory
    >>> example = theory.Inconsistency()
    >>> truth = theory.Truth.of(example.votes, example.labels)
    >>> [round(side, 6) for side in theory.pythagorean_sides(truth, [1.0, 0.5, 0.0, 0.0])]
    [0.618746, 0.618746]
    """
    between = truth.best_weights if middle is None else middle
    off = np.abs(predicted_moments(truth.votes, between) - truth.moments).max()
    if off > 1e-6:
        raise ValueError(
            f"the member in the middle must have the true moments; it is off by {off:.2e} in one of them. "
            "Take truth.best_weights."
        )
    right = truth.divergence(between) + divergence(truth.votes, between, weights)
    return truth.divergence(weights), right


@dataclass(frozen=True)
class OneCoinDecomposition:
    """Loss of one-coin Dawid-Skene, in nats per item: ``total = model + assumption + estimation``.

    Attributes
    ----------
    total : float
        d(eta, g_ds) / n.
    model : float
        d(eta, g*) / n, the same as that of the game.
    assumption : float
        [d(eta, g_ds*) - d(eta, g*)] / n >= 0, where g_ds* is one E step with the true accuracies and frequencies: the
        price of taking errors to be independent, which no estimate removes.
    estimation : float
        [d(eta, g_ds) - d(eta, g_ds*)] / n, the price of estimates; negative if they make up for the assumption.
    """

    total: float
    model: float
    assumption: float
    estimation: float

    @property
    def approximation(self) -> float:
        """d(g*, g_ds) / n."""
        return self.assumption + self.estimation


def decompose_one_coin(truth: Truth, accuracies: npt.ArrayLike, frequencies: npt.ArrayLike) -> OneCoinDecomposition:
    """Loss of one E step with given accuracies and class frequencies.

    A rate of 0 counts as the smallest positive number, as in ``DawidSkene``. So nothing here is infinite: an item that
    contradicts a certainty costs about 708 nats.

    Parameters
    ----------
    truth : Truth
    accuracies : array-like of shape (n_rules,)
    frequencies : array-like of shape (n_classes,)

    Returns
    -------
    OneCoinDecomposition

    Examples
    --------
    >>> from thumbwise import theory
    >>> example = theory.Inconsistency()
    >>> truth = theory.Truth.of(example.votes, example.labels)
    >>> parts = theory.decompose_one_coin(truth, [0.8, 0.6], [0.5, 0.5])
    >>> round(parts.total, 4), round(parts.model, 4), round(parts.assumption, 4), round(parts.estimation, 4)
    (0.6288, 0.5852, 0.007, 0.0366)
    """
    votes, model = truth.votes, truth.divergence(truth.best_weights)
    given, _ = _one_coin_predictions(votes, accuracies, frequencies)
    ideal, _ = _one_coin_predictions(votes, *truth.one_coin)
    total, informed = truth.divergence_of(given), truth.divergence_of(ideal)
    return OneCoinDecomposition(total, model, informed - model, total - informed)


@dataclass(frozen=True)
class OneCoinEstimation:
    """The price of estimates in closed form, in nats per item.

    Attributes
    ----------
    frequencies : float
        KL(w*, w) of the class frequencies.
    accuracies : float
        sum_j (n_j / n) KL((b*_j, 1 - b*_j), (b_j, 1 - b_j)).
    patterns_if_true : float
        KL(Z*, Z_ds*) = sum_t Z*_t log(Z*_t / Z_ds*_t), with Z* the shares of the patterns and Z_ds* the probabilities
        of their votes under the true parameters. These need not sum to 1, so that the sum may be negative.
    patterns : float
        KL(Z*, Z_ds), the same under the given parameters.
    """

    frequencies: float
    accuracies: float
    patterns_if_true: float
    patterns: float

    @property
    def total(self) -> float:
        """``estimation`` of the decomposition."""
        return self.frequencies + self.accuracies + self.patterns_if_true - self.patterns


def explain_estimation(truth: Truth, accuracies: npt.ArrayLike, frequencies: npt.ArrayLike) -> OneCoinEstimation:
    """[d(eta, g_ds) - d(eta, g_ds*)] / n = KL(w*, w) + sum_j (n_j/n) KL(b*_j, b_j) + KL(Z*, Z_ds*) - KL(Z*, Z_ds).

    Parameters are those of :func:`decompose_one_coin`.

    Returns
    -------
    OneCoinEstimation
        Its ``total`` is the ``estimation`` of that decomposition.

    Examples
    --------
    >>> from thumbwise import theory
    >>> example = theory.Inconsistency()
    >>> truth = theory.Truth.of(example.votes, example.labels)
    >>> price = theory.explain_estimation(truth, [0.8, 0.6], [0.5, 0.5])
    >>> round(price.accuracies, 4), round(price.patterns_if_true, 4), round(price.patterns, 4), round(price.total, 4)
    (0.0214, 0.0272, 0.012, 0.0366)
    """
    b, w = (np.asarray(given, dtype=float) for given in (accuracies, frequencies))
    votes, (true_b, true_w) = truth.votes, truth.one_coin
    others = votes.n_classes - 1
    by_rule = true_b * (log_rates(true_b) - log_rates(b))
    by_rule += (1 - true_b) * (log_rates((1 - true_b) / others) - log_rates((1 - b) / others))
    observed = votes.patterns.counts / votes.n_items
    implied = [_one_coin_predictions(votes, *parameters)[1] for parameters in (truth.one_coin, (b, w))]
    from_observed = [float(observed @ (np.log(observed) - log_sums)) for log_sums in implied]
    return OneCoinEstimation(
        float(true_w @ (log_rates(true_w) - log_rates(w))),
        float(shares(votes)[: votes.n_rules] @ by_rule),
        *from_observed,
    )


def _one_coin_predictions(
    votes: Votes, accuracies: npt.ArrayLike, frequencies: npt.ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Log probabilities of the classes given each pattern's votes, and of the votes themselves."""
    b, w = (np.asarray(given, dtype=float) for given in (accuracies, frequencies))
    _check_parameters(votes, b, w)
    rates = spread_accuracies(np.repeat(b[:, None], votes.n_classes, axis=1))
    by_vote = log_rates(rates).reshape(-1, votes.n_classes)
    return log_softmax(np.asarray(votes.patterns.indicators @ by_vote + log_rates(w)))


def _check_parameters(votes: Votes, accuracies: FloatArray, frequencies: FloatArray) -> None:
    fit = accuracies.shape == (votes.n_rules,) and frequencies.shape == (votes.n_classes,)
    both = np.concatenate([accuracies.ravel(), frequencies.ravel()])
    if not fit or not ((both >= 0) & (both <= 1)).all() or abs(frequencies.sum() - 1) > 1e-6:
        raise ValueError(
            f"there must be {votes.n_rules} accuracies and {votes.n_classes} class frequencies between 0 and 1, the "
            f"latter summing to 1; found {accuracies.tolist()} and {frequencies.tolist()}."
        )
