"""The box: an interval for every moment, and on what grounds it is believed."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.counted_votes import CountedVotes
from thumbwise.designs import (
    check_combination,
    class_balanced_bounds,
    given_frequencies,
    gold_intervals,
    read_weighting,
)
from thumbwise.evidence import Evidence, gold_evidence
from thumbwise.exceptions import InvalidBoxError
from thumbwise.gold import (
    GoldIs,
    GoldSample,
    WeightedDesign,
    check_agreement,
    check_roles,
    known_gold,
    known_labels,
)
from thumbwise.gold_checks.sample_check import check_sample
from thumbwise.inputs import as_votes, read_gold, read_items
from thumbwise.labels import KnownLabels, label_masses
from thumbwise.moments import STANDARD, MomentBuilder, Moments, build_moments
from thumbwise.moments import class_frequencies as frequencies_of_classes
from thumbwise.outward import at_least, at_most
from thumbwise.shown import Shown, ShowsItself, show_box
from thumbwise.written_bounds import fill_bounds, speaks_of_rules, split_bounds


@dataclass(frozen=True, eq=False)
class Box(ShowsItself):
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
    known : KnownLabels or None
        Labels of items of the pool that are certain, because the items are gold.
    least, most : ndarray of shape (n_moments,) or float
        Between which values each moment can lie at all.
    class_bounds : ndarray of shape (2, n_classes) or None
        Lower and upper bounds of the class frequencies if gold had been asked for nothing else, with all of the allowed
        error: what can be said without any vote.
    class_names : tuple or None
        Classes of the votes that it was made for, under which arrays and frames beside it are read.

    Examples
    --------
    >>> import thumbwise as tw
    >>> votes = tw.Votes([[0, 1], [1, 1], [0, -1], [0, 0]], rule_names=["a", "b"])
    >>> tw.Box.exact(votes, [0, 1, 0, 1])
    Box: 4 intervals, from the true labels
      accuracy(a)   0.750 .. 0.750
      accuracy(b)   0.333 .. 0.334
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
    known: KnownLabels | None = None
    least: FloatArray | float = 0.0
    most: FloatArray | float = 1.0
    class_bounds: FloatArray | None = None
    class_names: tuple[Hashable, ...] | None = None

    def __post_init__(self) -> None:
        _check_bounds(self.names, self.lower, self.upper, self.least, self.most)

    @classmethod
    def exact(cls, votes: Any, labels: Any) -> Box:
        """Intervals of width zero at the true moments: the model then is the best approximator of the truth.

        Parameters
        ----------
        votes : Votes, array-like or frame
        labels : array-like of shape (n_items,) or (n_items, n_classes)
            True classes, all known, or true class probabilities.
        """
        votes, labels = read_items(votes, labels)
        moments = build_moments(STANDARD, votes)
        values = np.clip(moments.averages(label_masses(votes, labels)), 0, 1)
        evidence = Evidence(
            "from the true labels", "the labels given are the truth", None, True, votes.n_items, votes.fingerprint
        )
        bounds = _open_empty(moments, values, values)
        return cls(moments.names, moments.subjects, *bounds, evidence, class_names=votes.class_names)

    @classmethod
    def from_bounds(cls, votes: Any, bounds: Any = None, *, lower: Any = None, upper: Any = None) -> Box:
        """Intervals that you write yourself.

        Parameters
        ----------
        votes : Votes, array-like or frame
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
        votes = as_votes(votes)
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
        return cls(moments.names, moments.subjects, low, high, evidence, class_names=votes.class_names)

    @classmethod
    def from_gold(
        cls,
        gold_votes: Any,
        gold_labels: Any,
        *,
        pool: Any,
        confidence_level: float = 0.95,
        gold_is: GoldIs = "separate",
        interval: Literal["exact", "wilson"] = "exact",
        joint: bool = True,
        symmetric: bool = False,
        moments: Sequence[MomentBuilder] = STANDARD,
        class_frequencies: Mapping[Hashable, tuple[float, float]] | None = None,
        stratified: bool = False,
        weights: Any = None,
        max_weight: float | None = None,
        design: WeightedDesign | None = None,
        n_permutations: int = 999,
    ) -> Box:
        """Intervals from items whose label is known.

        Parameters
        ----------
        gold_votes : Votes, array-like or frame
            Votes of the same rules on the gold items.
        gold_labels : array-like of shape (n_gold,)
            Their classes, by name or number; items with -1 or missing are left out. A pandas Series whose index holds
            the ids of the gold items is matched with them, as ``weights`` are.
        pool : Votes, array-like or frame
            The items to be labeled, of which the intervals speak. If gold and pool are arrays or frames, classes are
            numbered up to the largest in votes or gold labels, or named by what is voted for in either.
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

        moments : sequence of builders
            What is constrained; see :mod:`thumbwise.moments`.
        class_frequencies : mapping of class to (lower, upper), optional
            Known from elsewhere; gold then says nothing about class frequencies.
        stratified : bool
            Gold was drawn at random within each group of items (``item_groups`` of both votes), however many from each.
        weights : array-like of shape (n_gold,), optional
            Inverse inclusion probabilities, if gold was drawn from the pool with unequal chances: an item of weight 50
            stands for 50 items. Such gold is part of the pool; items without a label count as not drawn.
        max_weight : float, optional
            Needed with ``weights``: the largest weight that any item of the pool could have had.
        design : {"with_replacement", "poisson"}, optional
            Needed with ``weights``: n independent draws, each with chance 1 / (n * weight) for an item, which may be
            drawn (and stand in gold) more than once; or each item of the pool drawn or not on its own, with chance
            1 / weight, so that the number of gold items is random.
        n_permutations : int
            For the test, from votes alone, of whether gold could be a random sample; its verdict goes into
            ``evidence.sample_check``, and every sentence about the box carries it. 0 looks at each rule's coverage and
            classes only, which overlooks most samples of easy or hard items.

        Notes
        -----
        *Guarantee* of the default: if the gold items are a uniformly random part of gold and pool together
        (``"separate"``) or of the pool (``"subset"``), all moments realised on the pool lie in the box with probability
        at least ``confidence_level``; hypergeometric, no approximation. The budget is split before gold is looked at:
        evenly over the distinct moments that expect at least one gold vote; the others get [0, 1]. Strata and weights
        keep the guarantee under their own assumption, which ``evidence.assumption`` states. ``interval="wilson"`` and
        ``joint=False`` give none.
        """
        _check_level(confidence_level)
        _check_choice("gold_is", gold_is, ("separate", "subset"))
        _check_choice("interval", interval, ("exact", "wilson"))
        gold_votes, pool, gold_labels, weights = read_gold(gold_votes, pool, gold_labels, weights)
        check_combination(interval, symmetric, stratified, weights)
        gold_votes, labels, weights = known_gold(gold_votes, gold_labels, pool, weights)
        weighting = read_weighting(weights, max_weight, design)
        gold_is = gold_is if weighting is None else "subset"
        check_roles(gold_votes, pool, gold_is, may_repeat=weighting is not None and weighting.may_repeat)
        if weighting is not None:
            check_agreement(gold_votes, labels, weighting.weights)
        sample = GoldSample(gold_votes, labels, pool, gold_is, tuple(moments), class_frequencies is not None, weighting)

        def estimate(asked: GoldSample) -> tuple[str, tuple[FloatArray, FloatArray]]:
            return gold_intervals(
                asked, asked.split_error(1 - confidence_level, joint), interval, symmetric, stratified
            )

        drawn, (lower, upper) = estimate(sample)
        if class_frequencies is not None:
            lower, upper = given_frequencies(sample.pooled, pool, class_frequencies, lower, upper)
        return cls(
            sample.pooled.names,
            sample.pooled.subjects,
            *_open_empty(sample.pooled, lower, upper),
            replace(
                gold_evidence(
                    len(labels),
                    pool,
                    confidence_level,
                    drawn,
                    interval,
                    joint,
                    class_frequencies is not None,
                ),
                sample_check=None
                if drawn not in ("separate", "subset")
                else check_sample(gold_votes, pool, gold_is=gold_is, n_permutations=n_permutations),
            ),
            tuple(moments),
            sample.counts.right,
            sample.counts.drawn,
            known_labels(gold_votes, labels, pool, gold_is),
            class_bounds=None
            if class_frequencies is not None
            else np.stack(estimate(replace(sample, builders=(frequencies_of_classes,)))[1]),
            class_names=pool.class_names,
        )

    @classmethod
    def from_class_balanced_gold(
        cls,
        gold_votes: Any,
        gold_labels: Any,
        *,
        pool: Any,
        class_frequencies: Mapping[Hashable, tuple[float, float]],
        confidence_level: float = 0.95,
    ) -> Box:
        """Intervals from gold that was drawn class by class, so many of each: it says nothing about class frequencies.

        Bounds how often each rule says each class on items of each class, which is what such gold can show.

        Parameters
        ----------
        gold_votes, gold_labels, pool, confidence_level
            As in :meth:`from_gold`; gold is a sample of its own.
        class_frequencies : mapping of class to (lower, upper)
            Known from elsewhere. A class of unknown frequency gets no bounds on its rates.

        Notes
        -----
        *Guarantee*: if, within each class, gold and pool items are drawn independently from the same source, and the
        class frequencies lie where they are said to, the box holds the truth with probability at least
        ``confidence_level``: gold is a random part of gold and pool together, within each class, for every number of
        items of the class that its frequency allows; hypergeometric, no approximation.
        """
        _check_level(confidence_level)
        gold_votes, pool, gold_labels = read_gold(gold_votes, pool, gold_labels)
        gold_votes, labels, _ = known_gold(gold_votes, gold_labels, pool)
        check_roles(gold_votes, pool, "separate")
        builders, lower, upper = class_balanced_bounds(
            gold_votes, labels, pool, class_frequencies, 1 - confidence_level
        )
        moments = build_moments(builders, pool)
        evidence = Evidence(
            f"exact by class, joint at {confidence_level:.4g} from {len(labels):,} gold items",
            f"within each class the {len(labels):,} gold items are drawn at random like them, and the class "
            "frequencies lie where they are said to",
            confidence_level,
            True,
            len(labels),
            pool.fingerprint,
        )
        return cls(
            moments.names,
            moments.subjects,
            lower,
            upper,
            evidence,
            builders,
            least=moments.least,
            most=moments.most,
            class_names=pool.class_names,
        )

    def with_bounds(self, votes: Any, bounds: Any, *, moments: Sequence[MomentBuilder] = ()) -> Box:
        """The box with intervals for further moments, or narrower ones for those it has.

        Parameters
        ----------
        votes : Votes, array-like or frame
        bounds : mapping or frame
            As in :meth:`from_bounds`.
        moments : sequence of builders
            Kinds of moments to be added, such as :func:`thumbwise.moments.group_frequencies` or
            :class:`thumbwise.moments.LinearMoment`; those that ``bounds`` does not mention stay free.

        Examples
        --------
        >>> import thumbwise as tw
        >>> from thumbwise.moments import group_frequencies
        >>> votes = tw.Votes([[0], [1], [1], [0]], item_groups=["A", "A", "B", "B"])
        >>> box = tw.Box.from_bounds(votes, {"rule_0": (0.7, 0.9)})
        >>> box.with_bounds(votes, {"frequency(1 in A)": (0.6, 1)}, moments=[group_frequencies])
        Box: 7 intervals, written by the user
          accuracy(rule_0)   0.700 .. 0.900
          frequency(0)       0.000 .. 1.000
          frequency(1)       0.000 .. 1.000
          frequency(0 in A)  0.000 .. 1.000
          frequency(1 in A)  0.600 .. 1.000
          frequency(0 in B)  0.000 .. 1.000
          frequency(1 in B)  0.000 .. 1.000
        """
        votes = as_votes(votes, self.class_names)
        builders = (*self.builders, *moments)
        wider = build_moments(builders, votes)
        n_new = len(wider) - len(self)
        least, most = (wider.least, wider.most) if n_new else (self.least, self.most)
        low, high = split_bounds(bounds)
        lower = fill_bounds(wider, low, np.concatenate([self.lower, wider.least[len(self) :]]), "lower")
        upper = fill_bounds(wider, high, np.concatenate([self.upper, wider.most[len(self) :]]), "upper")
        assumption = f"{self.evidence.assumption}, and the bounds that were added hold"
        empty = np.zeros(n_new, dtype=np.int64)
        return replace(
            self,
            names=wider.names,
            subjects=wider.subjects,
            lower=np.maximum(lower, np.concatenate([self.lower, wider.least[len(self) :]])),
            upper=np.minimum(upper, np.concatenate([self.upper, wider.most[len(self) :]])),
            builders=builders,
            evidence=replace(self.evidence, assumption=assumption),
            gold_right=None if self.gold_right is None else np.concatenate([self.gold_right, empty]),
            gold_drawn=None if self.gold_drawn is None else np.concatenate([self.gold_drawn, empty]),
            least=least,
            most=most,
        )

    def without_rules(self, rules: str | Sequence[str]) -> Box:
        """The box with nothing said about some rules: their votes then count for nothing.

        This is how a rule is left out after gold was looked at. Its part of the error budget stays spent, so the box
        still holds the truth whenever this one does, whatever decided on the rules; no bound from it is lower.

        Examples
        --------
        >>> import thumbwise as tw
        >>> votes = tw.Votes([[0, 1], [1, 1], [0, -1]], rule_names=["a", "b"])
        >>> tw.Box.from_bounds(votes, {"a": (0.7, 0.9), "b": (0.4, 0.5)}).without_rules("b")
        Box: 4 intervals, written by the user; nothing is said about rule 'b'
          accuracy(a)   0.700 .. 0.900
          accuracy(b)   0.000 .. 1.000
          frequency(0)  0.000 .. 1.000
          frequency(1)  0.000 .. 1.000
        """
        names = (rules,) if isinstance(rules, str) else tuple(dict.fromkeys(rules))
        is_open = speaks_of_rules(self.names, names)
        method = f"{self.evidence.method}; nothing is said about rule {', '.join(map(repr, names))}"
        return replace(
            self,
            lower=np.where(is_open, self.least, self.lower),
            upper=np.where(is_open, self.most, self.upper),
            evidence=replace(self.evidence, method=method) if names else self.evidence,
        )

    def moments(self, votes: CountedVotes) -> Moments:
        """The constrained moments, on the patterns of some votes of the same rules and classes."""
        moments = build_moments(self.builders, votes)
        if moments.names != self.names:
            strange = sorted(set(moments.names) ^ set(self.names)) or ["the same names in another order"]
            raise InvalidBoxError(
                f"the box must speak of the rules and classes of the votes; {len(strange)} differ: "
                f"{', '.join(strange[:5])}. Make the box from votes with the same rule names and class names."
            )
        return moments

    def frequency_bounds(self, votes: CountedVotes) -> tuple[FloatArray, FloatArray]:
        """Bounds of the class frequencies without any vote: of the box's own and ``class_bounds``, the narrower."""
        lower, upper = np.zeros(votes.n_classes), np.ones(votes.n_classes)
        places = {name: m for m, name in enumerate(self.names)}
        for c, name in enumerate(votes.class_names):
            m = places.get(f"frequency({name})")
            if m is not None:
                lower[c], upper[c] = self.lower[m], self.upper[m]
        if self.class_bounds is None:
            return lower, upper
        return np.maximum(lower, self.class_bounds[0]), np.minimum(upper, self.class_bounds[1])

    def contains(self, values: FloatArray, slack: float = 1e-12) -> bool:
        """Whether every value lies in its interval."""
        return bool(((values >= self.lower - slack) & (values <= self.upper + slack)).all())

    def __len__(self) -> int:
        return len(self.names)

    def _shown(self) -> Shown:
        return show_box(self)

    def __repr__(self) -> str:
        shown = range(len(self)) if len(self) <= 20 else [*range(12), *range(len(self) - 6, len(self))]
        width = max(len(self.names[m]) for m in shown)
        lines = [f"  {self.names[m]:<{width}}  {at_least(self.lower[m])} .. {at_most(self.upper[m])}" for m in shown]
        if len(self) > 20:
            lines.insert(12, f"  ... {len(self) - 18} more")
        return "\n".join([f"Box: {len(self)} intervals, {self.evidence.method}", *lines])


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


def _check_bounds(
    names: Sequence[str],
    lower: FloatArray,
    upper: FloatArray,
    least: FloatArray | float,
    most: FloatArray | float,
) -> None:
    are_shares = np.ndim(least) == 0
    inside = "shares between 0 and 1" if are_shares else "within what the moment can be"
    hint = "Shares are not percentages: 80 % is 0.8." if are_shares else "Look at the coefficients."
    for what, bad, advice in (
        ("finite numbers", ~(np.isfinite(lower) & np.isfinite(upper)), "Write 0 and 1 where nothing is known."),
        (inside, (lower < least) | (upper > most), hint),
        ("ordered, lower <= upper,", lower > upper, "Exchange the two bounds."),
    ):
        if bad.any():
            m = int(np.argmax(bad))
            raise InvalidBoxError(
                f"bounds must be {what}; found [{lower[m]:.6g}, {upper[m]:.6g}] for {names[m]} "
                f"({int(bad.sum())} such intervals). {advice}"
            )
