"""Guaranteed ranges of what is linear in the truth: any model's score, a difference of two, a share of a class."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from thumbwise._typing import FloatArray, IntArray
from thumbwise.box.box import Box
from thumbwise.box.evidence import Evidence, Statement
from thumbwise.box.moments.linear import find_accuracies
from thumbwise.exceptions import Argument, InvalidBoxError, InvalidLabelsError
from thumbwise.game.models_as_rules import box_with_models
from thumbwise.game.pinning import pose_pinned_problem, pose_problem
from thumbwise.game.prediction_costs import (
    Metric,
    Predictions,
    add_rule,
    added_models,
    prediction_costs,
    share_costs,
)
from thumbwise.numerics.feasibility import find_widening, infeasible_error
from thumbwise.numerics.linear_bounds import PENALTIES, Answer, Units, bound_at, group_items, solve_largest
from thumbwise.numerics.shared_features import as_rows
from thumbwise.numerics.solver import solve_dual
from thumbwise.outward import at_least, at_most, round_down, round_up
from thumbwise.votes.inputs import as_votes, in_memory, read_items
from thumbwise.votes.votes import Votes

__all__ = ["Range", "add_rule", "certify", "prediction_costs", "share_costs", "share_range"]

_NAMES = {"accuracy": "accuracy", "log_loss": "mean log loss", "brier": "mean Brier score", "share": "share"}
_TOL = 1e-9


@dataclass(frozen=True, eq=False)
class Range(Statement):
    """Lowest and highest value over every labeling in a box, with the multipliers that prove both.

    *Guarantee*: whenever the box holds the true moments, the value lies between ``lower`` and ``upper``. Both are dual
    bounds, valid whether or not the linear program was solved to the end. The range speaks of these items only.

    Attributes
    ----------
    lower, upper : float
    worst, best : float
        The same two: for losses the worst is the highest, otherwise the lowest.
    metric : str
        ``accuracy``, ``log_loss``, ``brier`` or ``share``.
    what : str
        What lies in the range, in words.
    lower_gap, upper_gap : float
        A labeling was found that comes this close to each end: how much wider than necessary the range may be.
    lower_multipliers, upper_multipliers : ndarray of shape (n_moments,)
        The proof, for :meth:`verify`.
    n_items, n_units : int
        Items, and distinct (pattern, cost) groups that they form.
    evidence : Evidence
        Where the intervals come from.
    """

    lower: float
    upper: float
    metric: str
    what: str
    lower_gap: float
    upper_gap: float
    lower_multipliers: FloatArray
    upper_multipliers: FloatArray
    n_items: int
    n_units: int
    evidence: Evidence
    limits: tuple[float, float]

    @property
    def worst(self) -> float:
        return self.upper if self._is_loss else self.lower

    @property
    def best(self) -> float:
        return self.lower if self._is_loss else self.upper

    @property
    def _is_loss(self) -> bool:
        return self.metric in ("log_loss", "brier")

    @property
    def proves_nothing(self) -> bool:
        """Whether the range holds, to three digits, all values that are possible without any box."""
        lowest, highest = self.limits
        return round_down(self.lower) <= round_down(lowest) and round_up(self.upper) >= round_up(highest)

    def verify(self, costs: FloatArray, votes: Any, box: Box) -> tuple[float, float]:
        """Both ends computed anew from the multipliers, item by item: no solver, no groups.

        Parameters
        ----------
        costs : ndarray of shape (n_items, n_classes)
            From :func:`prediction_costs` or :func:`share_costs`; for a difference, the difference of two.
        """
        units = _pose(costs, box.in_groups(in_memory(as_votes(votes, box.class_names))), box, is_grouped=False)
        return -bound_at(self.lower_multipliers, units.negated()), bound_at(self.upper_multipliers, units)

    def __str__(self) -> str:
        between = f"{self.what} lies between {at_least(self.lower)} and {at_most(self.upper)}"
        if self.is_guarantee and self.proves_nothing:
            return (
                f"This proves nothing: the intervals exclude no value at all ({between}). More gold labels are needed."
            )
        return self.evidence.state(between)


def certify(
    predictions: Any,
    votes: Any,
    box: Box | None = None,
    *,
    metric: Metric = "accuracy",
    versus: Any = None,
    clip: float = 1e-15,
    gold_unseen: bool = False,
    confidence_level: float = 0.95,
) -> Range:
    """Guaranteed range of a score of any model's predictions on items without labels.

    Parameters
    ----------
    predictions : Predictions, or array-like of shape (n_items,) or (n_items, n_classes)
        From :func:`read_predictions`; or class of each item, by name or number, or class probabilities, from whatever
        source. What has a pandas index of ids is matched with those of the items.
    votes : Reading, Votes, array-like or frame
        The items; a :class:`Reading` brings its gold labels along.
    box : Box, optional
        Made for these votes; left out, it is made from the gold labels of the reading.
    metric : {"accuracy", "log_loss", "brier"}
        As in :mod:`thumbwise.metrics`; for the accuracy of probabilities, of equally probable classes the first counts.
    versus : array-like, optional
        Predictions of another model: the range is then that of the difference, ``metric(predictions) -
        metric(versus)``, and tighter than the difference of two ranges.
    clip : float
        For log loss, probabilities are clipped to ``[clip, 1 - clip]``; unclipped, a probability of 0 would make the
        worst case infinite.
    gold_unseen : bool
        The models were run on gold too, and **have not seen its labels**: how right they are there is used. Each is one
        more rule of the pool and of gold, and the box is made from these, so that the range is at least as tight as the
        exact interval for the model's accuracy on gold, at its share of the error. Needs a reading whose gold items are
        among its items; otherwise do the same with :func:`add_rule`. Either way a model that agrees with every gold
        label is refused, since predictions that were made with gold do so.
    confidence_level : float
        Of the box that is made from gold.

    Notes
    -----
    With cost[i, c] of item i if its class is c, the ends are the smallest and the largest mean of cost[i, y_i] over all
    labelings y, and mixtures of them, whose moments lie in the box.

    *Guarantee*: if the box holds the true moments, the score lies in the range: with probability at least the level of
    the box, for all predictions and metrics at once, also for such as were chosen or fitted after gold labels were
    seen. Rules, moments and level must be decided before. With ``gold_unseen`` or :func:`add_rule` the models are rules
    too, and what they predict on gold must be decided before its labels are seen; each such box has an error of its
    own, so that of several ranges the best is not to be picked.

    Examples
    --------
    >>> import thumbwise as tw
    >>> from thumbwise.game.ranges import certify
    >>> votes = tw.Votes([[0, 0], [1, 1], [1, 0], [1, -1]], rule_names=["a", "b"])
    >>> box = tw.Box.from_bounds(votes, {"a": (0.75, 1), "b": (0.3, 0.5)})
    >>> certified = certify([0, 1, 1, 0], votes, box)
    >>> round(certified.worst, 6), round(certified.best, 6)
    (0.5, 0.75)
    >>> print(certified)  # doctest: +NORMALIZE_WHITESPACE
    The accuracy of these predictions on these 4 items lies between 0.500 and 0.750, if the true labeling satisfies the
    bounds that were written.
    """
    models = [predictions] if versus is None else [predictions, versus]
    votes, box = _settle_box(votes, box, models if gold_unseen else None, confidence_level)
    predictions, versus = (_for_metric(given, metric) for given in (predictions, versus))
    votes, predictions, versus = read_items(votes, predictions, versus, class_names=box.class_names)
    costs = prediction_costs(predictions, votes, metric, clip=clip)
    name = f"the {_NAMES[metric]} of these predictions"
    if versus is not None:
        costs = costs - prediction_costs(versus, votes, metric, clip=clip)
        name += " minus that of the others"
    items = "this item" if votes.n_items == 1 else f"these {votes.n_items:,} items"
    return _find_range(costs, votes, box, metric, f"{name} on {items}")


def _for_metric(given: Any, metric: Metric) -> Any:
    return given.for_metric(metric) if isinstance(given, Predictions) else given


def _settle_box(votes: Any, box: Box | None, models: Sequence[Any] | None, confidence_level: float) -> tuple[Any, Box]:
    """Votes and box, of a reading or as they were given; with models as rules, if there are any that gold can judge."""
    is_reading = hasattr(votes, "gold_votes")  # readings know ranges, and not the other way round
    if models is not None and is_reading and box is None:
        return box_with_models(votes, models, confidence_level=confidence_level)
    if models is not None:
        raise InvalidBoxError(
            Argument("gold_unseen", True),
            " needs gold labels, to make a box that speaks of the models too; found ",
            "a box that was made without them" if box is not None else "votes alone",
            ". Pass a Reading and no box, or add the models as rules with add_rule.",
        )
    if box is None and not is_reading:
        raise InvalidBoxError(
            "a range needs a box, or gold labels to make one from; found neither. Pass a box that was made for these "
            "votes, or a Reading with gold labels in place of the votes."
        )
    made = votes.box(confidence_level=confidence_level) if box is None else box
    return (votes.votes if is_reading else votes), made


def share_range(votes: Any, box: Box, *, group: Any, of: Hashable) -> Range:
    """Guaranteed range of a class's share in a group of items.

    Parameters
    ----------
    votes : Votes, array-like or frame
        All items.
    box : Box
        Made for these votes.
    group : array-like
        A truth value per item, or the ids of the group's items (positions, if the votes have no ids).
    of : hashable
        Name of a class; its number, if no class is named by a number.

    Notes
    -----
    *Guarantee*: if the box holds the true moments, the share lies in the range: with probability at least the level of
    the box, for all groups and classes at once, also for groups that were chosen after gold labels were seen. For one
    question that is settled before, :func:`thumbwise.rate` gives a narrower interval.

    Examples
    --------
    >>> import thumbwise as tw
    >>> from thumbwise.game.ranges import share_range
    >>> votes = tw.Votes([[0, 0], [1, 1], [1, 0], [1, -1]], class_names=["ham", "spam"])
    >>> box = tw.Box.from_bounds(votes, {"rule_0": (0.75, 1)})
    >>> round(share_range(votes, box, group=[1, 2, 3], of="spam").lower, 6)  # at most one of four is wrong
    0.666667
    """
    votes = in_memory(as_votes(votes, box.class_names))
    costs, size = share_costs(votes, group, of)
    items = "the item of the group" if size == 1 else f"the {size:,} items of the group"
    return _find_range(costs, votes, box, "share", f"the share of class {of} among {items}")


def _find_range(costs: FloatArray, votes: Votes, box: Box, metric: str, what: str) -> Range:
    votes = box.in_groups(votes)
    _check_belongs(box, votes)
    _check_unseen(box, votes)
    units = _pose(costs, votes, box)
    high = _solve(units, votes, box)
    low = _solve(units.negated(), votes, box)
    _warn_if_loose(max(low.gap, high.gap), units.spread)
    limits = (float(costs.min(axis=1).mean()), float(costs.max(axis=1).mean()))
    ends = sorted([-low.bound, high.bound])  # an interval of width zero may be turned around by rounding
    return Range(
        lower=ends[0],
        upper=ends[1],
        metric=metric,
        what=what,
        lower_gap=low.gap,
        upper_gap=high.gap,
        lower_multipliers=low.multipliers,
        upper_multipliers=high.multipliers,
        n_items=votes.n_items,
        n_units=len(units.counts),
        evidence=box.evidence,
        limits=limits,
    )


def _pose(costs: FloatArray, votes: Votes, box: Box, *, is_grouped: bool = True) -> Units:
    """Items whose label is known cost what they cost, and what they add to a moment is taken off its bounds."""
    moments, k = box.moments(votes), votes.n_classes
    positions, labels = _known(votes, box)
    cells = votes.inverse[positions].astype(np.int64) * k + labels
    pinned = moments.totals(np.bincount(cells, minlength=votes.patterns.n_patterns * k))
    others = np.setdiff1d(np.arange(votes.n_items), positions) if len(positions) else slice(None)
    inverse, costs_there = votes.inverse[others], costs[others]
    ones = np.ones(len(inverse), dtype=np.int64)
    patterns, counts, rows = group_items(inverse, costs_there) if is_grouped else (inverse, ones, costs_there)
    return Units(
        patterns=patterns,
        counts=counts,
        costs=rows,
        features=as_rows(moments.features),
        least=moments.sizes * box.lower - pinned,
        most=moments.sizes * box.upper - pinned,
        known_cost=float(costs[positions, labels].sum()),
        n_items=votes.n_items,
    )


def _known(votes: Votes, box: Box) -> tuple[IntArray, IntArray]:
    """Positions and class numbers of the items whose label is certain."""
    known = box.certain()
    if known is None or not votes.has_ids:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    positions = known.positions(votes)
    return positions[positions >= 0], known.labels[positions >= 0]


def _solve(units: Units, votes: Votes, box: Box) -> Answer:
    """Largest mean cost; a box that no labeling satisfies is refused, a price that was too low is raised."""
    for penalty in PENALTIES:
        answer = solve_largest(units, penalty=penalty, tol=_TOL)
        if np.isfinite(answer.attained):
            break
        _refuse_infeasible(votes, box)
    return answer


def _refuse_infeasible(votes: Votes, box: Box) -> None:
    """Raise the error of BalsubramaniFreund.fit, with its proof, if the game has one; a range cannot be widened."""
    positions, labels = _known(votes, box)
    problem = pose_pinned_problem(votes, box, positions, labels) if len(positions) else pose_problem(votes, box)
    solution = solve_dual(problem)
    if not solution.is_infeasible:
        return
    raise infeasible_error(solution, box.names, find_widening(problem), can_widen=False)


def _check_belongs(box: Box, votes: Votes) -> None:
    if box.evidence.pool not in (None, votes.fingerprint):
        raise InvalidBoxError(
            f"the box must have been made for these items; it was made for other votes ({box.evidence.method}). "
            "Make it anew from these votes, with the same rules: a model that was added to one must be added to both."
        )


def _check_unseen(box: Box, votes: Votes) -> None:
    """Refuse a model that was added as a rule and agrees with every gold label: its interval would be false.

    Models are added before gold labels are seen; that one knows them all is seen afterwards, and ends the matter.
    """
    if box.gold_right is None or box.gold_drawn is None or not box.evidence.n_gold:
        return
    n_gold, models = box.evidence.n_gold, added_models(votes)
    for name, m in zip(models, find_accuracies(box.about, models).tolist(), strict=True):
        if m >= 0 and box.gold_right[m] == box.gold_drawn[m] == n_gold:
            raise InvalidLabelsError(
                f"a model that is added as a rule must not have seen the gold labels; {name!r} agrees with all "
                f"{n_gold:,} of them, as predictions do that were made with gold. Its interval would be false. Certify "
                "with the votes and the box without it: that range holds whatever the model has seen."
            )


def _warn_if_loose(gap: float, spread: float) -> None:
    if gap > 1e-6 * max(1.0, spread):
        how_far = f"only to {gap:.1e}" if np.isfinite(gap) else "without finding a labeling in the box"
        warnings.warn(
            f"the linear program was solved {how_far}; the range is still valid but may not be tight.",
            ConvergenceWarning,
            stacklevel=4,
        )
