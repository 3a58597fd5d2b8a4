"""The box: an interval for every moment, and on what grounds it is believed."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.box.estimates import (
    EXACT,
    Recipe,
    check_level,
    estimate_bounds,
    gold_evidence,
    open_empty,
    usual_moments,
)
from thumbwise.box.evidence import Evidence
from thumbwise.box.gold import Design, GoldIs, GoldSample, Intervals
from thumbwise.box.moments.linear import (
    ACCURACY,
    FREQUENCY,
    NEAR,
    About,
    MomentBuilder,
    Moments,
    build_moments,
    find_accuracies,
    find_frequencies,
    find_near,
    speaks_of,
    speaks_of_all,
)
from thumbwise.box.moments.standard import STANDARD
from thumbwise.box.opened_gold import open_gold
from thumbwise.box.opinions.choosing import Opinions
from thumbwise.box.opinions.levels import FeatureLevels
from thumbwise.box.opinions.score_levels import ScoreLevels
from thumbwise.box.reviewed import as_reviewed, join_known
from thumbwise.box.stopping import Looks
from thumbwise.box.written_bounds import check_bounds, check_same_moments, fill_bounds, split_bounds
from thumbwise.exceptions import InvalidBoxError
from thumbwise.summaries import Shown, ShowsItself, list_box, show_box
from thumbwise.votes.counted_votes import CountedVotes
from thumbwise.votes.inputs import as_votes, read_items
from thumbwise.votes.labels import KnownLabels, label_masses
from thumbwise.votes.scored_votes import ScoredVotes


@dataclass(frozen=True, eq=False)
class Box(ShowsItself):
    """An interval per moment. A labeling is plausible if all of its moments lie inside.

    Make one with :meth:`from_gold`, :meth:`from_bounds` or :meth:`exact`.

    Attributes
    ----------
    about : tuple of About
        What each moment measures: its kind, rule, class and group.
    names : tuple of str
        Moments, such as ``accuracy(rule)``. Rules first, then classes.
    lower, upper : ndarray of shape (n_moments,)
        Bounds, in natural units: 0.8 is 80 % right, or 80 % of the items.
    gold_right, gold_drawn : ndarray of shape (n_moments,) or None
        What was counted on gold.
    known : KnownLabels or None
        Labels of items of the pool that are certain, because the items are gold.
    least, most : ndarray of shape (n_moments,) or float
        Between which values each moment can lie at all.
    class_bounds : ndarray of shape (2, n_classes) or None
        Bounds of the class frequencies with all of the allowed error: what can be said without any vote.
    class_names : tuple or None
        Classes of the votes that it was made for, under which arrays and frames beside it are read.
    gold : GoldSample or None
        What it was made of, if that is at hand: not in a box that was read from a file.
    levels : FeatureLevels or None
        Groups of items, from their features, that a learned opinion speaks of.
    made : tuple of two ndarrays or None
        Lower and upper bounds as gold gave them, whatever was done to the box since.
    reviewed : KnownLabels or None
        Labels of items of the pool that are certain, because somebody looked at them on purpose.

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

    about: tuple[About, ...]
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
    gold: GoldSample | None = None
    levels: FeatureLevels | None = None
    made: Intervals | None = None
    reviewed: KnownLabels | None = None

    def __post_init__(self) -> None:
        check_bounds(self.names, self.lower, self.upper, self.least, self.most)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(moment.name for moment in self.about)

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
        bounds = open_empty(moments, values, values)
        return cls(moments.about, *bounds, evidence, class_names=votes.class_names)

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
        if bounds is not None and (lower is not None or upper is not None):
            raise InvalidBoxError("pass either bounds or lower and upper, not both.")
        if bounds is not None:
            lower, upper = split_bounds(bounds)
        assumption = "the true labeling satisfies the bounds that were written"
        evidence = Evidence("written by the user", assumption, None, True)
        low = fill_bounds(moments, lower, 0.0, "lower")
        high = fill_bounds(moments, upper, 1.0, "upper")
        return cls(moments.about, low, high, evidence, class_names=votes.class_names)

    @classmethod
    def from_gold(
        cls,
        gold_votes: Any,
        gold_labels: Any = None,
        *,
        pool: Any = None,
        confidence_level: float = 0.95,
        gold_is: GoldIs | Design | None = None,
        interval: Literal["exact", "wilson"] = "exact",
        joint: bool = True,
        symmetric: bool = False,
        moments: Sequence[MomentBuilder] | None = None,
        opinions: Opinions = "auto",
        class_frequencies: Mapping[Hashable, tuple[float, float]] | None = None,
        features: Any = None,
        gold_features: Any = None,
        n_permutations: int = 999,
        looks: Looks = None,
    ) -> Box:
        """Intervals from items whose label is known.

        Parameters
        ----------
        gold_votes : Votes, array-like, frame, Gold or Reading
            Votes of the same rules on them. A :class:`Gold` brings labels and design, a :class:`Reading` the pool too.
        gold_labels : array-like of shape (n_gold,)
            Their classes, by name or number; items with -1 or missing are left out. A Series is matched by ids.
        pool : Votes, array-like or frame
            The items to be labeled, of which the intervals speak. Classes of arrays are those in votes or gold labels.
        confidence_level : float
            Probability that all intervals hold at once (each on its own if not ``joint``).
        gold_is : {"separate", "subset"} or Design
            How gold was drawn: further items of the same kind (the default), a random part of the pool, or a design
            (:mod:`thumbwise.box.designs`).
        interval : {"exact", "wilson"}
        joint : bool
            Split the error budget over the distinct moments.
        symmetric : bool
            Larger half-width on both sides; ``interval="wilson", joint=False, symmetric=True`` is the paper's recipe.
        moments : sequence of builders, optional
            What is constrained; see :mod:`thumbwise.box.moments`. Absent: how often each rule is right and how frequent
            each class is; of votes on ordered classes also how often each rule is at most one step off.
        opinions : "auto" or sequence of "majority", "panel", "learned", InTiers or callable
            What the panel says together, as further rules (:mod:`thumbwise.box.opinions`); () for none. A function gets
            the :class:`Votes` and returns a class, or -1, for each item; no label may have a part in it.
        class_frequencies : mapping of class to (lower, upper), optional
            Known from elsewhere; gold then spends nothing on class frequencies.
        features, gold_features : matrices, optional
            Numbers beside the votes, a row for each item of the pool and of gold, such as embeddings, dense or sparse,
            that the learned opinion may use too. ``fit`` and ``predict`` then need them as ``X``.
        n_permutations : int
            For the test, from votes alone, of whether gold could be a random sample; 0 looks at each rule alone.
        looks : sequence of int or "anytime", optional
            When labeling could stop, settled before the first label: at one of these numbers of gold labels, of which
            this must be one; or at any moment, for gold that is part of the pool. By default the number was fixed.

        Notes
        -----
        *Guarantee* of the default: if the gold items are a uniformly random part of gold and pool together
        (``"separate"``) or of the pool (``"subset"``), all moments realised on the pool lie in the box with probability
        at least ``confidence_level``; finite-sample, no approximation. Opinions are chosen and the budget is split
        before gold is looked at (:func:`thumbwise.box.budget.split_error`). Other designs keep the guarantee under
        their own assumption (``evidence.assumption``). ``interval="wilson"`` and ``joint=False`` give none.

        With ``looks``, gold are the first items of a random order, and the box holds with that probability at whichever
        of the planned looks labeling stopped, the error being divided among them; or, ``"anytime"``, after whichever
        label. Then intervals of every moment hold at once (:mod:`thumbwise.numerics.anytime`), and there is no learned
        opinion: it goes through gold in several orders, which mix early and late labels, so that what it bounds for
        one number of labels says nothing about a number that labels decided on.
        """
        sample = open_gold(gold_votes, gold_labels, pool, gold_is, looks=looks)
        return cls.from_sample(
            sample,
            confidence_level=confidence_level,
            recipe=Recipe(interval, joint, symmetric),
            moments=moments,
            opinions=opinions,
            class_frequencies=class_frequencies,
            features=None if features is None and gold_features is None else (features, gold_features),
            n_permutations=n_permutations,
        )

    @classmethod
    def from_sample(
        cls,
        sample: GoldSample,
        *,
        confidence_level: float = 0.95,
        recipe: Recipe = EXACT,
        moments: Sequence[MomentBuilder] | None = None,
        opinions: Opinions = "auto",
        class_frequencies: Mapping[Hashable, tuple[float, float]] | None = None,
        features: tuple[Any, Any] | None = None,
        n_permutations: int = 999,
    ) -> Box:
        """:meth:`from_gold` for gold that was read and checked already."""
        check_level(confidence_level)
        builders = usual_moments(sample) if moments is None else tuple(moments)
        asked = replace(sample, builders=builders, skips_classes=class_frequencies is not None)
        bounds = estimate_bounds(asked, 1 - confidence_level, recipe, class_frequencies, opinions, features)
        sample, levels = bounds.sample, bounds.levels
        pooled = build_moments(bounds.builders, sample.pool)
        return cls(
            pooled.about,
            bounds.lower,
            bounds.upper,
            replace(
                gold_evidence(asked, confidence_level, recipe, n_permutations, holds_anytime=True),
                pool=sample.pool.fingerprint,
            ),
            bounds.builders,
            bounds.right,
            bounds.drawn,
            sample.known_labels(),
            0.0 if pooled.are_shares else pooled.least,
            1.0 if pooled.are_shares else pooled.most,
            bounds.of_classes,
            sample.pool.class_names,
            sample,
            levels,
            (bounds.lower, bounds.upper),
        )

    def with_bounds(self, votes: Any, bounds: Any, *, moments: Sequence[MomentBuilder] = ()) -> Box:
        """The box with intervals for further moments, or narrower ones for those it has.

        Parameters
        ----------
        votes : Votes, array-like or frame
        bounds : mapping or frame
            As in :meth:`from_bounds`.
        moments : sequence of builders
            Kinds of moments to be added (:mod:`thumbwise.box.moments`); what ``bounds`` does not mention stays free.

        Examples
        --------
        >>> import thumbwise as tw
        >>> votes = tw.Votes([[0], [1], [1], [0]], item_groups=["A", "A", "B", "B"])
        >>> box = tw.Box.from_bounds(votes, {"rule_0": (0.7, 0.9)})
        >>> wider = box.with_bounds(votes, {"frequency(1 in A)": (0.6, 1)}, moments=[tw.moments.group_frequencies])
        >>> wider.names[3:5], wider.lower[3:5].tolist()
        (('frequency(0 in A)', 'frequency(1 in A)'), [0.0, 0.6])
        """
        votes = as_votes(votes, self.class_names)
        builders = (*self.builders, *moments)
        wider = build_moments(builders, votes)
        n_new = len(wider) - len(self)
        low, high = split_bounds(bounds)
        before = np.append(self.lower, wider.least[len(self) :]), np.append(self.upper, wider.most[len(self) :])
        lower, upper = fill_bounds(wider, low, before[0], "lower"), fill_bounds(wider, high, before[1], "upper")
        assumption = f"{self.evidence.assumption}, and the bounds that were added hold"
        counts = (
            None if counted is None else np.append(counted, np.zeros(n_new, dtype=np.int64))
            for counted in (self.gold_right, self.gold_drawn)
        )
        return replace(
            self,
            about=wider.about,
            lower=np.maximum(lower, before[0]),
            upper=np.minimum(upper, before[1]),
            builders=builders,
            evidence=replace(self.evidence, assumption=assumption),
            gold_right=next(counts),
            gold_drawn=next(counts),
            least=wider.least if n_new else self.least,
            most=wider.most if n_new else self.most,
        )

    def without_rules(self, rules: str | Sequence[str]) -> Box:
        """The box with nothing said about some rules: their votes then count for nothing.

        This is how a rule is left out after gold was looked at. Its part of the error budget stays spent, so the box
        still holds the truth whenever this one does, whatever decided on the rules; no bound from it is lower. Opinions
        count all rules, so nothing is said about them either.

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
        is_open = speaks_of(self.about, names) | speaks_of_all(self.about) * bool(names)
        method = f"{self.evidence.method}; nothing is said about rule {', '.join(map(repr, names))}"
        return replace(
            self,
            lower=np.where(is_open, self.least, self.lower),
            upper=np.where(is_open, self.most, self.upper),
            evidence=replace(self.evidence, method=method) if names else self.evidence,
        )

    def with_reviewed(self, votes: Any, labels: Any) -> Box:
        """The box with labels of items of the pool that are certain, and no random sample.

        *Guarantee*: that of the box. It holds if the box holds the true labeling of the pool, and that labeling has
        these labels too, whatever made somebody look at these items: labels that a model was unsure of, or got wrong,
        chosen after gold was seen. So no interval changes, nothing is counted as gold, and fewer labelings are left.

        Parameters
        ----------
        votes : Votes, LazyVotes or frame
            The pool, with ids. Items that are held elsewhere stay there: those that are reviewed are fetched.
        labels : mapping of ids to classes, Series, or array-like of shape (n_items,)
            Classes by name or number, -1 or missing where nobody looked. A mapping holds some of the items, and so may
            a Series, by its index, if items are held elsewhere. In memory there may be one label per item instead; a
            Series then has the ids of all.

        Examples
        --------
        >>> import thumbwise as tw
        >>> votes = tw.Votes([[0], [1], [1], [0]], item_ids=list("abcd"))
        >>> box = tw.Box.from_bounds(votes, {"rule_0": (0.7, 0.9)}).with_reviewed(votes, {"a": 1})
        >>> print(tw.BalsubramaniFreund().fit(votes, box=box).certificate_.accuracy)  # doctest: +NORMALIZE_WHITESPACE
        At least 93.3 % of the 3 labels that are not among the 1 reviewed are right (95.0 % of all 4; their
        probabilities expect 93 %), if the true labeling satisfies the bounds that were written.
        """
        return replace(self, reviewed=as_reviewed(as_votes(votes, self.class_names), labels, self.known))

    def certain(self, *, with_gold: bool = True) -> KnownLabels | None:
        """Labels that every labeling in the box has: those of gold, if they are to count, and reviewed ones."""
        return join_known(self.known if with_gold else None, self.reviewed)

    def in_groups(self, votes: Any) -> Any:
        """Votes with the groups that scores put their items into, if the box speaks of these; others as they are."""
        has_scores = isinstance(self.levels, ScoreLevels) and isinstance(votes, ScoredVotes)
        return self.levels.group(votes, None) if self.levels is not None and has_scores else votes

    def moments(self, votes: CountedVotes) -> Moments:
        """The constrained moments, on the patterns of some votes of the same rules and classes."""
        moments = build_moments(self.builders, votes)
        check_same_moments(self.names, moments.names)
        return moments

    def places(
        self, kind: Literal["accuracy", "frequency", "within one step"], names: Iterable[Hashable]
    ) -> list[int | None]:
        """Where it bounds what of each rule, or the frequency of each class; None where it does not."""
        find = {ACCURACY: find_accuracies, FREQUENCY: find_frequencies, NEAR: find_near}[kind]
        return [None if m < 0 else m for m in find(self.about, list(names)).tolist()]

    def holds(self, votes: Any, labels: Any) -> bool:
        """Whether true labels, all of them known, lie in the box, opinions included: for tests and simulations."""
        votes, labels = read_items(votes, labels)
        votes = self.in_groups(votes)
        return self.contains(self.moments(votes).averages(label_masses(votes, labels)))

    def contains(self, values: FloatArray, slack: float = 1e-12) -> bool:
        """Whether every value lies in its interval."""
        return bool(((values >= self.lower - slack) & (values <= self.upper + slack)).all())

    def __len__(self) -> int:
        return len(self.about)

    def _shown(self) -> Shown:
        return show_box(self)

    def __repr__(self) -> str:
        return list_box(self)
