"""The box: an interval for every moment, and on what grounds it is believed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.exceptions import InvalidBoxError
from thumbwise.gold import (
    GoldIs,
    check_roles,
    count_gold,
    exact_intervals,
    known_gold,
    split_error,
    wilson_intervals,
)
from thumbwise.labels import label_masses
from thumbwise.moments import STANDARD, MomentBuilder, Moments, build_moments
from thumbwise.votes import Votes
from thumbwise.written_bounds import fill_bounds, split_bounds


@dataclass(frozen=True)
class Evidence:
    """Why the box should contain the truth.

    Attributes
    ----------
    method : str
        How the intervals were made, in words.
    assumption : str
        What must hold for the statement to be true, as an "if" clause.
    confidence_level : float or None
        Probability that *all* intervals hold at once, if ``is_guarantee``; None if no probability is involved.
    is_guarantee : bool
        Whether the assumption implies that the box holds the truth at that confidence.
    n_gold : int
    pool : str or None
        Fingerprint of the votes that the statement is about; None if it is not tied to some.
    """

    method: str
    assumption: str
    confidence_level: float | None
    is_guarantee: bool
    n_gold: int = 0
    pool: str | None = None


@dataclass(frozen=True, eq=False)
class Box:
    """An interval per moment. A labeling is plausible if all of its moments lie inside.

    Make one with :meth:`from_gold`, :meth:`from_bounds` or :meth:`exact`.

    Attributes
    ----------
    names, subjects : tuple of str
        Moments, such as ``accuracy(rule)``, and the rule or class alone. Rules first, then classes.
    lower, upper : ndarray of shape (n_moments,)
        Bounds, in natural units: 0.8 is 80 % right, or 80 % of the items.
    gold_right, gold_drawn : ndarray of shape (n_moments,) or None
        What was counted on gold.

    Examples
    --------
    >>> import thumbwise as tw
    >>> votes = tw.Votes([[0, 1], [1, 1], [0, -1], [0, 0]], rule_names=["a", "b"])
    >>> tw.Box.exact(votes, [0, 1, 0, 1])
    Box: 4 intervals, from the true labels
      accuracy(a)   0.750 .. 0.750
      accuracy(b)   0.333 .. 0.333
      frequency(0)  0.500 .. 0.500
      frequency(1)  0.500 .. 0.500
    """

    names: tuple[str, ...]
    subjects: tuple[str, ...]
    lower: FloatArray
    upper: FloatArray
    evidence: Evidence
    builders: tuple[MomentBuilder, ...] = STANDARD
    gold_right: IntArray | None = None
    gold_drawn: IntArray | None = None

    def __post_init__(self) -> None:
        _check_bounds(self.names, self.lower, self.upper)

    @classmethod
    def exact(cls, votes: Votes, labels: Any) -> Box:
        """Intervals of width zero at the true moments: the model then is the best approximator of the truth.

        Parameters
        ----------
        votes : Votes
        labels : array-like of shape (n_items,) or (n_items, n_classes)
            True classes, all known, or true class probabilities.
        """
        moments = build_moments(STANDARD, votes)
        values = np.clip(moments.averages(label_masses(votes, labels)), 0, 1)
        evidence = Evidence(
            "from the true labels", "the labels given are the truth", None, True, votes.n_items, votes.fingerprint
        )
        return cls(moments.names, moments.subjects, *_open_empty(moments, values, values), evidence)

    @classmethod
    def from_bounds(cls, votes: Votes, bounds: Any = None, *, lower: Any = None, upper: Any = None) -> Box:
        """Intervals that you write yourself.

        Parameters
        ----------
        votes : Votes
        bounds : mapping or frame, optional
            Name to (lower, upper), or a frame with columns ``name``, ``lower``, ``upper``.
        lower, upper : array-like or mapping, optional
            Rules first, then classes; or name to bound. What is not mentioned is 0 or 1.
            A name is that of a moment, ``accuracy(rule)``, or of a rule or class alone if only one moment has it.

        Examples
        --------
        >>> import thumbwise as tw
        >>> votes = tw.Votes([[0, 1], [1, 1], [0, -1]], rule_names=["a", "b"], class_names=["ham", "spam"])
        >>> tw.Box.from_bounds(votes, {"a": (0.7, 0.9), "spam": (0.1, 0.2)})
        Box: 4 intervals, written by the user
          accuracy(a)      0.700 .. 0.900
          accuracy(b)      0.000 .. 1.000
          frequency(ham)   0.000 .. 1.000
          frequency(spam)  0.100 .. 0.200
        """
        moments = build_moments(STANDARD, votes)
        if bounds is not None:
            if lower is not None or upper is not None:
                raise InvalidBoxError("pass either bounds or lower and upper, not both.")
            lower, upper = split_bounds(bounds)
        evidence = Evidence(
            "written by the user", "the true labeling satisfies the bounds that were written", None, True
        )
        low = fill_bounds(moments, lower, 0.0, "lower")
        high = fill_bounds(moments, upper, 1.0, "upper")
        return cls(moments.names, moments.subjects, low, high, evidence)

    @classmethod
    def from_gold(
        cls,
        gold_votes: Votes,
        gold_labels: Any,
        *,
        pool: Votes,
        confidence_level: float = 0.95,
        gold_is: GoldIs = "separate",
        interval: Literal["exact", "wilson"] = "exact",
        joint: bool = True,
        symmetric: bool = False,
    ) -> Box:
        """Intervals from items whose label is known.

        Parameters
        ----------
        gold_votes : Votes
            Votes of the same rules on the gold items.
        gold_labels : array-like of shape (n_gold,)
            Their classes, by name or number; items with -1 or missing are left out.
        pool : Votes
            The items to be labeled, of which the intervals speak.
        confidence_level : float
            Probability that all intervals hold at once (each on its own if not ``joint``).
        gold_is : {"separate", "subset"}
            Whether the gold items are further items of the same kind, or a random part of the pool.
        interval : {"exact", "wilson"}
        joint : bool
            Split the error budget over the distinct moments.
        symmetric : bool
            Larger half-width on both sides of the raw share. ``interval="wilson", joint=False, symmetric=True`` is the
            recipe of An and Dasgupta (2024).

        Notes
        -----
        *Guarantee* of the default: if the gold items are a uniformly random part of gold and pool together
        (``"separate"``) or of the pool (``"subset"``), all moments realised on the pool lie in the box with probability
        at least ``confidence_level``; hypergeometric, no approximation. The budget is split before gold is looked at:
        evenly over the distinct moments that expect at least one gold vote; the others get [0, 1].
        None of the other settings gives a guarantee.
        """
        _check_level(confidence_level)
        _check_choice("gold_is", gold_is, ("separate", "subset"))
        _check_choice("interval", interval, ("exact", "wilson"))
        if symmetric and interval == "exact":
            raise InvalidBoxError('symmetric=True belongs to interval="wilson"; an exact interval is used as it is.')
        gold_votes, labels = known_gold(gold_votes, gold_labels, pool)
        check_roles(gold_votes, pool, gold_is)
        counts = count_gold(gold_votes, labels, pool, gold_is)
        error = 1 - confidence_level
        errors = split_error(error, counts) if joint else np.full(len(counts.names), error)
        if interval == "exact":
            lower, upper = exact_intervals(counts, errors)
        else:
            lower, upper = wilson_intervals(counts, errors, symmetric)
        moments = build_moments(STANDARD, pool)
        evidence = _gold_evidence(gold_votes.n_items, pool, confidence_level, gold_is, interval, joint)
        return cls(
            moments.names,
            moments.subjects,
            *_open_empty(moments, lower, upper),
            evidence,
            gold_right=counts.right,
            gold_drawn=counts.drawn,
        )

    def moments(self, votes: Votes) -> Moments:
        """The constrained moments, on the patterns of some votes of the same rules and classes."""
        moments = build_moments(self.builders, votes)
        if moments.names != self.names:
            strange = sorted(set(moments.names) ^ set(self.names)) or ["the same names in another order"]
            raise InvalidBoxError(
                f"the box must speak of the rules and classes of the votes; {len(strange)} differ: "
                f"{', '.join(strange[:5])}. Make the box from votes with the same rule names and class names."
            )
        return moments

    def contains(self, values: FloatArray, slack: float = 1e-12) -> bool:
        """Whether every value lies in its interval."""
        return bool(((values >= self.lower - slack) & (values <= self.upper + slack)).all())

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        shown = range(len(self)) if len(self) <= 20 else [*range(12), *range(len(self) - 6, len(self))]
        width = max(len(self.names[m]) for m in shown)
        lines = [f"  {self.names[m]:<{width}}  {self.lower[m]:.3f} .. {self.upper[m]:.3f}" for m in shown]
        if len(self) > 20:
            lines.insert(12, f"  ... {len(self) - 18} more")
        return "\n".join([f"Box: {len(self)} intervals, {self.evidence.method}", *lines])


def _gold_evidence(n_gold: int, pool: Votes, level: float, gold_is: GoldIs, interval: str, joint: bool) -> Evidence:
    plural = "item is" if n_gold == 1 else "items are"
    if gold_is == "subset":
        assumption = f"the {n_gold:,} gold {plural} a random sample of them"
    else:
        assumption = f"the {n_gold:,} gold {plural} drawn at random like them, from the same source"
    exact = "exact (hypergeometric)" if interval == "exact" else "approximate (Wilson)"
    method = f"{exact} {'joint' if joint else 'one by one'} at {level:.4g} from {n_gold:,} gold items"
    return Evidence(method, assumption, level, interval == "exact" and joint, n_gold, pool.fingerprint)


def _open_empty(moments: Moments, lower: FloatArray, upper: FloatArray) -> tuple[FloatArray, FloatArray]:
    """[0, 1] for a moment that averages over no item."""
    return np.where(moments.sizes == 0, 0.0, lower), np.where(moments.sizes == 0, 1.0, upper)


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise InvalidBoxError(
            f"confidence_level must lie between 0 and 1, exclusive; found {level}. For 95 %, write 0.95."
        )


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InvalidBoxError(f"{name} must be one of {', '.join(map(repr, choices))}; found {value!r}.")


def _check_bounds(names: Sequence[str], lower: FloatArray, upper: FloatArray) -> None:
    for what, bad, hint in (
        ("finite numbers", ~(np.isfinite(lower) & np.isfinite(upper)), "Write 0 and 1 where nothing is known."),
        ("shares between 0 and 1", (lower < 0) | (upper > 1), "Shares are not percentages: 80 % is 0.8."),
        ("ordered, lower <= upper,", lower > upper, "Exchange the two bounds."),
    ):
        if bad.any():
            m = int(np.argmax(bad))
            raise InvalidBoxError(
                f"bounds must be {what}; found [{lower[m]:.6g}, {upper[m]:.6g}] for {names[m]} "
                f"({int(bad.sum())} such intervals). {hint}"
            )
