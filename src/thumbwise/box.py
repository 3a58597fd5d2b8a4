"""The box: an interval for every moment, and on what grounds it is believed."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import narwhals as nw
import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.exceptions import InvalidBoxError, InvalidLabelsError
from thumbwise.intervals import hypergeometric_bounds, symmetrise, wilson_bounds
from thumbwise.labels import UNKNOWN, code_labels, label_masses
from thumbwise.moments import STANDARD, MomentBuilder, Moments, build_moments, label_counts
from thumbwise.votes import Votes

GoldIs = Literal["separate", "subset"]


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
            lower, upper = _split_bounds(bounds)
        evidence = Evidence("written by the user", "the true labeling satisfies the bounds that were written", None, True)
        low = _fill(moments, lower, 0.0, "lower")
        high = _fill(moments, upper, 1.0, "upper")
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
        gold_votes, labels = _known_gold(gold_votes, gold_labels, pool)
        _check_roles(gold_votes, pool, gold_is)
        gold, pooled = build_moments(STANDARD, gold_votes), build_moments(STANDARD, pool)
        right = np.rint(gold.totals(label_counts(gold_votes, labels))).astype(np.int64)
        population = pooled.sizes if gold_is == "subset" else pooled.sizes + gold.sizes
        n_population = pool.n_items if gold_is == "subset" else pool.n_items + gold_votes.n_items
        keys = list(zip(pooled.keys, gold.keys, strict=True))
        expected = population * (gold_votes.n_items / n_population)
        errors = split_error(1 - confidence_level, keys, expected) if joint else np.full(len(keys), 1 - confidence_level)
        if interval == "exact":
            if (gold.sizes > population).any():
                raise _more_gold_than_pool(gold, population)
            fewest, most = hypergeometric_bounds(right, gold.sizes, population, errors)
            seen = right if gold_is == "separate" else 0
            size = np.maximum(pooled.sizes, 1)
            lower, upper = np.clip((fewest - seen) / size, 0, 1), np.clip((most - seen) / size, 0, 1)
        else:
            lower, upper = wilson_bounds(right, gold.sizes, errors)
        if symmetric:
            lower, upper = _symmetric(gold, right, lower, upper)
        lower, upper = _open_empty(pooled, lower, upper)
        evidence = _gold_evidence(gold_votes.n_items, pool, confidence_level, gold_is, interval, joint)
        return cls(pooled.names, pooled.subjects, lower, upper, evidence, STANDARD, right, gold.sizes)

    def moments(self, votes: Votes) -> Moments:
        """The constrained moments, on the patterns of some votes of the same rules and classes."""
        moments = build_moments(self.builders, votes)
        if moments.names != self.names:
            strange = sorted(set(moments.names) ^ set(self.names)) or ["the same names in another order"]
            raise InvalidBoxError(
                f"the box must speak of the rules and classes of the votes; {len(strange)} differ: {', '.join(strange[:5])}. "
                "Make the box from votes with the same rule names and class names."
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


def split_error(error: float, keys: Sequence[Hashable], expected_gold: FloatArray) -> FloatArray:
    """Share of the error budget for each moment, decided before any gold label or gold vote is seen.

    Evenly over the distinct moments that expect a gold vote or more; moments with the same key share one part, because
    they hold or fail together. A moment that expects less than one gold vote gets 0, hence the interval [0, 1].
    """
    counted = {key for key, expected in zip(keys, expected_gold, strict=True) if expected >= 1}
    part = error / max(1, len(counted))
    return np.array([part if key in counted else 0.0 for key in keys])


def _gold_evidence(n_gold: int, pool: Votes, level: float, gold_is: str, interval: str, joint: bool) -> Evidence:
    plural = "item is" if n_gold == 1 else "items are"
    if gold_is == "subset":
        assumption = f"the {n_gold:,} gold {plural} a random sample of them"
    else:
        assumption = f"the {n_gold:,} gold {plural} drawn at random like them, from the same source"
    exact = "exact (hypergeometric)" if interval == "exact" else "approximate (Wilson)"
    method = f"{exact} {'joint' if joint else 'one by one'} at {level:.4g} from {n_gold:,} gold items"
    return Evidence(method, assumption, level, interval == "exact" and joint, n_gold, pool.fingerprint)


def _symmetric(gold: Moments, right: IntArray, lower: FloatArray, upper: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The paper's symmetrised interval; there a class that gold never shows is unconstrained."""
    lower, upper = symmetrise(right / np.maximum(gold.sizes, 1), lower, upper)
    is_unseen_class = (right == 0) & np.array([name.startswith("frequency(") for name in gold.names])
    unseen = is_unseen_class | (gold.sizes == 0)
    return np.where(unseen, 0.0, lower), np.where(unseen, 1.0, upper)


def _open_empty(moments: Moments, lower: FloatArray, upper: FloatArray) -> tuple[FloatArray, FloatArray]:
    """[0, 1] for a moment that averages over no item."""
    return np.where(moments.sizes == 0, 0.0, lower), np.where(moments.sizes == 0, 1.0, upper)


def _known_gold(gold_votes: Votes, gold_labels: Any, pool: Votes) -> tuple[Votes, IntArray]:
    if gold_votes.rule_names != pool.rule_names or gold_votes.class_names != pool.class_names:
        raise InvalidLabelsError(
            f"gold and pool must have the same rules and classes; gold has {gold_votes.n_rules} rules and classes "
            f"{gold_votes.class_names[:5]}, the pool {pool.n_rules} and {pool.class_names[:5]}. "
            "Give both the same rule_names and class_names."
        )
    labels = code_labels(gold_labels, gold_votes.class_names, gold_votes.n_items)
    known = labels != UNKNOWN
    if not known.any():
        raise InvalidLabelsError("there must be at least one gold label; all of them are -1 or missing.")
    return (gold_votes, labels) if known.all() else (gold_votes.take(known), labels[known])


def _check_roles(gold: Votes, pool: Votes, gold_is: str) -> None:
    """Where ids are known, gold declared a subset lies in the pool and gold declared separate does not."""
    if not (gold.has_ids and pool.has_ids):
        return
    inside = np.isin(gold.item_ids, pool.item_ids)
    if gold_is == "subset" and not inside.all():
        outside = gold.item_ids[~inside]
        raise InvalidLabelsError(
            f'gold_is="subset" needs every gold id in the pool; {len(outside)} of {len(gold)} are not, such as '
            f'{outside[0]!r}. Drop them, or pass gold_is="separate" if gold is a sample of its own.'
        )
    if gold_is == "separate" and inside.any():
        shared = gold.item_ids[inside]
        raise InvalidLabelsError(
            f'gold_is="separate" needs gold ids that are not in the pool; {len(shared)} of {len(gold)} are, such as '
            f'{shared[0]!r}. Pass gold_is="subset" if gold is part of the pool, or drop the ids if they are unrelated.'
        )


def _more_gold_than_pool(gold: Moments, population: IntArray) -> InvalidLabelsError:
    m = int(np.argmax(gold.sizes > population))
    return InvalidLabelsError(
        f'gold_is="subset" needs gold to be part of the pool; {gold.names[m]} counts {gold.sizes[m]} gold items but only '
        f'{population[m]} items of the pool. Pass gold_is="separate" if gold is a sample of its own.'
    )


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise InvalidBoxError(f"confidence_level must lie between 0 and 1, exclusive; found {level}. For 95 %, write 0.95.")


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


def _split_bounds(bounds: Any) -> tuple[dict[str, float], dict[str, float]]:
    if isinstance(bounds, Mapping):
        pairs = dict(bounds)
    else:
        frame = nw.from_native(bounds, eager_only=True, pass_through=True)
        if not isinstance(frame, nw.DataFrame) or not {"name", "lower", "upper"} <= set(frame.columns):
            raise InvalidBoxError("bounds must map names to (lower, upper), or be a frame with columns name, lower and upper.")
        columns = [frame[name].to_list() for name in ("name", "lower", "upper")]
        pairs = {name: (low, high) for name, low, high in zip(*columns, strict=True)}
    for name, pair in pairs.items():
        if np.shape(pair) != (2,):
            raise InvalidBoxError(f"each of the bounds must be a pair (lower, upper); found {pair!r} for {name!r}.")
    return {name: pair[0] for name, pair in pairs.items()}, {name: pair[1] for name, pair in pairs.items()}


def _fill(moments: Moments, given: Any, default: float, what: str) -> FloatArray:
    if given is None:
        return np.full(len(moments), default)
    if not isinstance(given, Mapping):
        values = np.array(given, dtype=float)
        if values.shape != (len(moments),):
            raise InvalidBoxError(
                f"{what} must hold one bound per moment, rules first, then classes: {len(moments)} in all; found shape "
                f"{values.shape}. To bound only some, pass a mapping from names."
            )
        return values
    values = np.full(len(moments), default)
    for name, value in given.items():
        values[_find(moments, name)] = value
    return values


def _find(moments: Moments, name: Hashable) -> int:
    text = str(name)
    if text in moments.names:
        return moments.names.index(text)
    places = [m for m, subject in enumerate(moments.subjects) if subject == text]
    if len(places) == 1:
        return places[0]
    if not places:
        raise InvalidBoxError(f"bounds must name a moment, a rule or a class; found {text!r}. Known: {', '.join(moments.names[:12])}.")
    both = " and ".join(moments.names[m] for m in places)
    raise InvalidBoxError(f"the name {text!r} fits several moments: {both}. Write one of these names.")
