"""Overlaps, how often two rules vote together, and the vote rates that explain them. Arrays in, arrays out.

Rates are mu[j, v, c] = P(rule j votes v | class c), and w is the class balance. If rules err independently given the
class, two rules i, j vote (u, v) together on a share sum_c w_c mu[i, u, c] mu[j, v, c] of the items, and rule j votes v
on a share sum_c w_c mu[j, v, c]. The loss is the sum of squared differences to the shares that were observed, each pair
of rules counted in both orders.

Solvers work on loadings a = mu * sqrt(w): the pair shares are inner products of loadings, and all directions are about
equally steep, however rare a class or a vote is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from thumbwise._typing import AnyArray, FloatArray
from thumbwise.numerics.patterns import Patterns

# The loss is a difference of sums; a relative change below this is rounding.
_ROUNDING = 1e-14
_SUFFICIENT = 1e-4
_MAX_HALVINGS = 40
# Longest step, as a part of the length of all loadings. Short steps do not leave the valley that the start lies in.
_REACH = 0.1


@dataclass(frozen=True, eq=False)
class Overlaps:
    """Shares of the items on which rules vote, and vote together.

    Attributes
    ----------
    pairs : ndarray of shape (n_rules * n_classes, n_rules * n_classes)
        Share of the items with both votes, ``rule * n_classes + class`` by the same; 0 where the rules are the same.
    shares : ndarray of shape (n_rules, n_classes)
        Share of the items that each rule gives each class.
    balance : ndarray of shape (n_classes,)
    """

    pairs: FloatArray
    shares: FloatArray
    balance: FloatArray

    @classmethod
    def observe(cls, patterns: Patterns, balance: FloatArray) -> Overlaps:
        """Overlaps of the votes of some patterns, each as often as its count says."""
        weighted = patterns.indicators.copy()
        weighted.data = np.repeat(patterns.counts.astype(float), patterns.votes_per_pattern)
        # Whole numbers until the division: exact, whatever the order of patterns and rules.
        pairs: FloatArray = (patterns.indicators.T @ weighted).toarray() / patterns.n_items
        shares = pairs.diagonal().reshape(patterns.n_rules, patterns.n_classes).copy()
        for j in range(patterns.n_rules):
            own = slice(j * patterns.n_classes, (j + 1) * patterns.n_classes)
            pairs[own, own] = 0
        return cls(pairs, shares, balance)

    @property
    def roots(self) -> FloatArray:
        return np.sqrt(self.balance)

    @cached_property
    def size(self) -> float:
        """Sum of squares of the pair shares."""
        return _dot(self.pairs, self.pairs)

    def order(self) -> list[int]:
        """Rules sorted by what they do: the same sequence of rules in whatever order they come."""
        rows = self.pairs.reshape(len(self.shares), -1)
        return sorted(range(len(rows)), key=lambda j: (self.shares[j].tobytes(), np.sort(rows[j]).tobytes()))

    def with_rules(self, rules: list[int]) -> Overlaps:
        """The same rules in another order."""
        cells = np.arange(self.shares.size).reshape(self.shares.shape)[rules].ravel()
        return Overlaps(self.pairs[np.ix_(cells, cells)], self.shares[rules], self.balance)

    def times(self, loadings: FloatArray) -> FloatArray:
        """Product of the pair shares with loadings of shape (n_rules, n_classes, n_classes)."""
        return np.asarray(self.pairs @ _flat(loadings)).reshape(loadings.shape)


@dataclass(frozen=True, eq=False)
class Fit:
    """Loadings at which a solver stopped, and how far they are from a stationary point."""

    loadings: FloatArray
    n_iter: int
    residual: float


def start_rates(overlaps: Overlaps, precision: float) -> FloatArray:
    """Rates at which every vote for a class is right with this probability, and no vote is wrong.

    They do not add up, and the first steps mend that. But no class is another's mirror image in them.
    """
    right = precision * overlaps.shares / overlaps.balance
    return np.clip(right, 0, 1)[:, :, None] * np.eye(len(overlaps.balance))


def loss_and_gradient(loadings: FloatArray, overlaps: Overlaps) -> tuple[float, FloatArray]:
    """Sum of squares, and its derivative; no array is larger than the pair shares.

    The pair shares A A' of all loadings A are never formed: |A A'|^2 = |A' A|^2, and pairs of a rule with itself are
    taken off again.
    """
    gram, own = _grams(loadings)
    pulled = overlaps.times(loadings)
    off = loadings @ overlaps.roots - overlaps.shares
    loss = overlaps.size - 2 * _dot(loadings, pulled) + _dot(gram, gram) - _dot(own, own) + _dot(off, off)
    gradient = 4 * (loadings @ gram - loadings @ own - pulled) + 2 * off[:, :, None] * overlaps.roots
    return loss, gradient


def exact_loss(loadings: FloatArray, overlaps: Overlaps) -> float:
    """The same sum of squares, term by term: right to the last digits where the fit is nearly perfect."""
    k = len(overlaps.balance)
    off = loadings @ overlaps.roots - overlaps.shares
    loss = _dot(off, off)
    everything = _flat(loadings)
    for j, mine in enumerate(loadings):
        gaps = mine @ everything.T - overlaps.pairs[j * k : (j + 1) * k]
        gaps[:, j * k : (j + 1) * k] = 0
        loss += _dot(gaps, gaps)
    return loss


def curvature(loadings: FloatArray, overlaps: Overlaps) -> Callable[[FloatArray], FloatArray]:
    """The Hessian of the loss as a function that multiplies a direction."""
    gram, own = _grams(loadings)

    def multiply(step: FloatArray) -> FloatArray:
        cross, own_cross = _flat(step).T @ _flat(loadings), _transposed(step) @ loadings
        bent = step @ gram + loadings @ (cross + cross.T)
        own_bent = step @ own + loadings @ (own_cross + _transposed(own_cross))
        slope = (step @ overlaps.roots)[:, :, None] * overlaps.roots
        return np.asarray(4 * (bent - own_bent - overlaps.times(step)) + 2 * slope)

    return multiply


def minimise(start: FloatArray, overlaps: Overlaps, *, tol: float, max_iter: int) -> Fit:
    """Descend from a start to a stationary point with all rates in [0, 1], by projected Newton steps.

    Loadings that sit at a bound and are pushed against it stay there; the others take a Newton step of limited length,
    solved by conjugate gradients, and are clipped. Where the loss is flat the gradient has no component and nothing
    moves: of many equally good minima the one found is near the start. Rules are taken in an order of their own, as
    rounding would otherwise decide how far one slides along a flat valley.
    """
    order = overlaps.order()
    descent = _descend(start[order], overlaps.with_rules(order), tol, max_iter)
    loadings = np.empty_like(start)
    loadings[order] = descent.loadings
    return Fit(loadings, descent.n_iter, descent.residual)


def _descend(start: FloatArray, overlaps: Overlaps, tol: float, max_iter: int) -> Fit:
    upper = overlaps.roots
    loadings = np.clip(start, 0, upper)
    loss, gradient = loss_and_gradient(loadings, overlaps)
    residual = _projected_gradient(loadings, gradient, upper)
    n_iter = 0
    while residual > tol and n_iter < max_iter:
        near = min(residual, 1e-3)
        held = ((loadings <= near) & (gradient > 0)) | ((loadings >= upper - near) & (gradient < 0))
        step = _newton_step(gradient, held, curvature(loadings, overlaps), _REACH * _length(loadings))
        moved = _search(loadings, loss, gradient, step, overlaps)
        if moved is None:
            break
        loadings, loss, gradient = moved
        residual = _projected_gradient(loadings, gradient, upper)
        n_iter += 1
    return Fit(loadings, n_iter, residual)


def take_epochs(rates: FloatArray, overlaps: Overlaps, *, n_epochs: int, learning_rate: float, momentum: float) -> Fit:
    """A fixed number of gradient steps with momentum, on rates and without bounds, as Snorkel's LabelModel does."""
    velocity = np.zeros_like(rates)
    roots = overlaps.roots
    n_iter = 0
    with np.errstate(over="ignore", invalid="ignore"):  # steps that diverge end in loadings that are not finite
        while n_iter < n_epochs and np.isfinite(rates).all():
            velocity = momentum * velocity + loss_and_gradient(rates * roots, overlaps)[1] * roots
            rates = rates - learning_rate * velocity
            n_iter += 1
        residual = float(np.abs(loss_and_gradient(rates * roots, overlaps)[1]).max())
    return Fit(rates * roots, n_iter, residual)


def _newton_step(
    gradient: FloatArray, held: AnyArray, multiply: Callable[[FloatArray], FloatArray], reach: float
) -> FloatArray:
    """Conjugate gradients on the free loadings, until converged, or out of reach, or the curvature is not positive.

    Loadings that are held take a plain gradient step, which brings those close to their bound to it.
    """
    rest = np.where(held, 0, -gradient)
    step, direction = np.zeros_like(rest), rest
    size = first = _dot(rest, rest)
    while size > min(0.01, first**0.5) * first:
        bent = np.where(held, 0, multiply(direction))
        curve = _dot(direction, bent)
        further = step + size / curve * direction if curve > _ROUNDING * _dot(direction, direction) else None
        if further is None or _length(further) > reach:
            step = _extend(step, direction, reach)
            break
        rest = rest - size / curve * bent
        step, previous, size = further, size, _dot(rest, rest)
        direction = rest + size / previous * direction
    return np.where(held, -gradient, step)


def _extend(step: FloatArray, direction: FloatArray, reach: float) -> FloatArray:
    """From the end of a step along a direction until the length is as asked."""
    along, size = _dot(step, direction), _dot(direction, direction)
    room = reach**2 - _dot(step, step)
    return np.asarray(step + (np.sqrt(along**2 + size * room) - along) / size * direction)


def _search(
    loadings: FloatArray, loss: float, gradient: FloatArray, step: FloatArray, overlaps: Overlaps
) -> tuple[FloatArray, float, FloatArray] | None:
    """Halve the step until the clipped move lowers the loss by a part of what the gradient promises."""
    slack = _ROUNDING * overlaps.size
    for halvings in range(_MAX_HALVINGS):
        tried = np.clip(loadings + 0.5**halvings * step, 0, overlaps.roots)
        value, slope = loss_and_gradient(tried, overlaps)
        if value <= loss + _SUFFICIENT * _dot(gradient, tried - loadings) + slack:
            return tried, value, slope
    return None


def _projected_gradient(loadings: FloatArray, gradient: FloatArray, upper: FloatArray) -> float:
    """Largest move of a loading in one clipped gradient step; 0 at a stationary point."""
    return float(np.abs(np.clip(loadings - gradient, 0, upper) - loadings).max())


def _grams(loadings: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Inner products of the columns, over all rules and per rule."""
    flat = _flat(loadings)
    return flat.T @ flat, _transposed(loadings) @ loadings


def _flat(loadings: FloatArray) -> FloatArray:
    return loadings.reshape(-1, loadings.shape[-1])


def _transposed(stack: FloatArray) -> FloatArray:
    return stack.transpose(0, 2, 1)


def _length(loadings: FloatArray) -> float:
    return float(np.linalg.norm(loadings))


def _dot(left: FloatArray, right: FloatArray) -> float:
    return float(np.vdot(left, right))
