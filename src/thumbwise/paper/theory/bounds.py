"""Bounds on the loss of the game's prediction, if the box holds the truth. Nats per item.

With D the dual value, b* the true moments, and weights u of any reference in the family, per item:

    d(eta, g_bf) <= min D + eta.log eta                               (the adversary may play the truth)
                 <= D(u) + eta.log eta                                (a minimum)
                  = d(eta, g_ref) + sum_m share_m [(b*_m - lower_m) u_m^+ + (upper_m - b*_m) u_m^-]
                 <= d(eta, g_ref) + sum_m share_m (upper_m - lower_m) |u_m|

The equality is the definition of D with share * b*.u = eta.scores / n, the last line holds because b* lies between the
bounds. So no symmetry is needed: with lower, upper = b -+ eps the last line is the paper's 2 eps.|theta| / n.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thumbwise._typing import FloatArray
from thumbwise.box.box import Box
from thumbwise.exceptions import InvalidBoxError
from thumbwise.game.pinning import pose_problem
from thumbwise.numerics.maxent import dual_value
from thumbwise.paper.theory.decomposition import game_weights
from thumbwise.paper.theory.family import check_weights, divergence, shares
from thumbwise.paper.theory.truth import Truth


@dataclass(frozen=True)
class Bounds:
    """A loss of the game's prediction and what bounds it, each at most the next, in nats per item.

    Attributes
    ----------
    value : float
        The loss itself.
    basic : float
        By the value of the game: needs the box alone, and for labels (which have no entropy) is the certificate.
    one_sided : float
        By a reference, with the distance of the true moments from the bound that each weight's sign makes matter.
    by_widths : float
        By a reference, with the widths of all intervals: ``2 eps.|theta| / n``.
    by_widest : float
        By a reference, with the widest interval: ``2 max(eps) |theta|_1 / n``. Rules that never vote do not count.
    """

    value: float
    basic: float
    one_sided: float
    by_widths: float
    by_widest: float


def bound_loss(truth: Truth, box: Box, reference: npt.ArrayLike | None = None) -> Bounds:
    """Bounds on d(eta, g_bf) / n, where g_bf is the game's prediction for a box that holds the true moments.

    *Guarantee*: holds for every box, symmetric or not, that holds the true moments, and every reference of the family.

    Parameters
    ----------
    truth : Truth
    box : Box
    reference : array-like of shape (n_rules + n_classes,), optional
        Weights, used as they are. Absent, those of the best approximator.

    Returns
    -------
    Bounds
        The loss and four bounds on it, each at most the next.

    Examples
    --------
    >>> import thumbwise as tw
    >>> made = tw.datasets.make_one_coin(60, [0.8, 0.7], random_state=0)
    >>> truth = tw.theory.Truth.of(made.votes, made.proba)
    >>> box = tw.Box.from_bounds(made.votes, lower=truth.moments - 0.05, upper=truth.moments + 0.05)
    >>> bounds = tw.theory.bound_loss(truth, box)
    >>> round(bounds.value, 3), round(bounds.basic, 3), round(bounds.one_sided, 3), round(bounds.by_widths, 3)
    (0.018, 0.09, 0.112, 0.223)
    """
    return _bounds(truth, box, game_weights(truth.votes, box), truth.best_weights if reference is None else reference)


def _bounds(truth: Truth, box: Box, weights: FloatArray, reference: npt.ArrayLike) -> Bounds:
    _check_holds(truth, box)
    votes, problem = truth.votes, pose_problem(truth.votes, box)
    u = check_weights(votes, reference)
    widths, lengths = box.upper - box.lower, shares(votes) * np.abs(u)
    near = truth.divergence(u)
    return Bounds(
        value=truth.divergence(weights),
        basic=dual_value(weights, problem) - truth.entropy,
        one_sided=dual_value(u, problem) - truth.entropy,
        by_widths=near + float(lengths @ widths),
        by_widest=near + float(widths[shares(votes) > 0].max() * lengths.sum()),
    )


def bound_approximation(truth: Truth, box: Box) -> Bounds:
    """Bounds on d(g*, g_bf) / n, what narrower intervals remove of the loss: ``2 eps.|theta*| / n`` and its kin.

    *Guarantee*: that of :func:`bound_loss`; the loss less d(eta, g*) / n, with the best approximator as reference. If a
    rule is always right or always wrong there is no theta*; the weights used then are those of a member of the family
    that is within 1e-9 of its moments, and the bounds grow with every digit asked of it. Parameters are those of
    :func:`bound_loss`.

    Examples
    --------
    >>> import thumbwise as tw
    >>> votes, labels = tw.Votes([[0], [1], [1]]), [0, 1, 0]
    >>> bounds = tw.theory.bound_approximation(tw.theory.Truth.of(votes, labels), tw.Box.exact(votes, labels))
    >>> abs(round(bounds.value, 6)), abs(round(bounds.by_widest, 6))
    (0.0, 0.0)
    """
    weights, best = game_weights(truth.votes, box), truth.best_weights
    loss, model = _bounds(truth, box, weights, best), truth.divergence(best)
    return Bounds(
        value=divergence(truth.votes, best, weights),
        basic=loss.basic - model,
        one_sided=loss.one_sided - model,
        by_widths=loss.by_widths - model,
        by_widest=loss.by_widest - model,
    )


def bound_both_ways(truth: Truth, box: Box) -> tuple[float, float]:
    """[d(g*, g_bf) + d(g_bf, g*)] / n, and a bound on it that is sharper than that on the first term alone.

    With slack(u) = sum_m share_m [(b*_m - lower_m) u_m^+ + (upper_m - b*_m) u_m^-] it is slack(u*) - slack(u_bf).
    Proof: the sum is share (u* - u_bf).(b* - b_bf); b_bf lies in the box, so share u*.(b* - b_bf) <= slack(u*), and
    optimality puts b_bf on the bound that the sign of u_bf names, so share u_bf.(b* - b_bf) = slack(u_bf). An equality
    if u_bf has the sign of u* wherever u* is not 0.

    *Guarantee*: that of :func:`bound_approximation`, whose parameters these are.

    Returns
    -------
    both, bound : float
        In nats per item.

    Examples
    --------
    >>> from thumbwise import Box, theory
    >>> example = theory.Inconsistency()
    >>> box = Box.from_bounds(example.votes, {"rule_0": (0.7, 0.75), "rule_1": (0.5, 0.6)})
    >>> both, bound = theory.bound_both_ways(theory.Truth.of(example.votes, example.labels), box)
    >>> both <= bound + 1e-9
    True
    """
    votes, best, weights = truth.votes, truth.best_weights, game_weights(truth.votes, box)
    _check_holds(truth, box)
    both = divergence(votes, best, weights) + divergence(votes, weights, best)
    return both, _slack(truth, box, best) - _slack(truth, box, weights)


def _slack(truth: Truth, box: Box, weights: FloatArray) -> float:
    """How much dearer the dual value is than the loss, because of the room between the truth and the bounds."""
    room = np.where(weights > 0, truth.moments - box.lower, truth.moments - box.upper)
    return float(shares(truth.votes) @ (weights * room))


def comparison_threshold(truth: Truth, loss: float) -> float:
    """Half-width of intervals up to which the game beats another prediction, in natural units: 0.01 is one point.

    If the box holds the true moments and no interval is wider than twice the threshold
    ``[d(eta, g) - d(eta, g*)] / (2 |theta*|_1)``, then d(eta, g_bf) <= d(eta, g). Sufficient, not necessary, and mostly
    small.

    Parameters
    ----------
    truth : Truth
    loss : float
        d(eta, g) / n of the other prediction, such as ``truth.divergence(model.weights_)`` of Dawid-Skene.

    Returns
    -------
    float
        Negative if the other prediction is better than the whole family. If the best approximator has no weights, the
        game has it for every box: the threshold then is infinite, with the sign of the difference.

    Examples
    --------
    >>> from thumbwise import theory
    >>> example = theory.Inconsistency()
    >>> truth = theory.Truth.of(example.votes, example.labels)
    >>> round(theory.comparison_threshold(truth, truth.divergence(example.one_coin_weights)), 4)
    0.0032
    """
    length = float(shares(truth.votes) @ np.abs(truth.best_weights))
    gain = loss - truth.divergence(truth.best_weights)
    return gain / (2 * length) if length > 0 else float("inf" if gain >= 0 else "-inf")


def _check_holds(truth: Truth, box: Box) -> None:
    counted = shares(truth.votes) > 0
    outside = np.maximum(box.lower - truth.moments, truth.moments - box.upper) * counted
    if outside.max() > 1e-12:
        m = int(np.argmax(outside))
        raise InvalidBoxError(
            f"the bounds hold if the box holds the true moments; {box.names[m]} is {truth.moments[m]:.6g}, outside "
            f"[{box.lower[m]:.6g}, {box.upper[m]:.6g}] ({int((outside > 1e-12).sum())} such moments). Widen the box."
        )
