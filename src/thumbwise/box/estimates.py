"""From gold to intervals: bounds of the moments by the design that gold was drawn by, and what they rest on."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.box.budget import even_errors, split_error
from thumbwise.box.designs.by_class import ByClass, given_frequencies
from thumbwise.box.designs.plain import wilson_intervals
from thumbwise.box.evidence import Evidence
from thumbwise.box.gold import GoldSample, Intervals
from thumbwise.box.gold_checks.sample_check import check_sample
from thumbwise.box.moments.linear import MomentBuilder, Moments, build_moments
from thumbwise.box.moments.of_classes import class_frequencies
from thumbwise.box.moments.standard import STANDARD, standard_moments
from thumbwise.box.opinions.choosing import Opinions, choose_opinions, read_opinions
from thumbwise.box.opinions.learned import learn_opinion
from thumbwise.box.opinions.levels import FeatureLevels, learn_levels
from thumbwise.box.opinions.score_levels import learn_score_levels, scored_pair
from thumbwise.box.stopping import FIXED
from thumbwise.exceptions import Argument, InvalidBoxError
from thumbwise.numerics.one_thread import one_thread

# Why statements for one number of labels are no guarantee.
_NOT_ANYTIME = "what labels said could end labeling, and this holds for a number of labels that was fixed before"
Frequencies = Mapping[Hashable, tuple[float, float]]
# Of the pool, and of the gold items.
Features = tuple[Any, Any]


@dataclass(frozen=True)
class Recipe:
    """Which intervals are made of what was counted; only the exact and joint ones are a guarantee.

    Attributes
    ----------
    interval : {"exact", "wilson"}
    joint : bool
        Whether the error budget is split over the distinct moments.
    symmetric : bool
        Larger half-width on both sides of the raw share.
    """

    interval: Literal["exact", "wilson"] = "exact"
    joint: bool = True
    symmetric: bool = False

    @property
    def is_guarantee(self) -> bool:
        return self.interval == "exact" and self.joint

    def check(self, sample: GoldSample, opinions: Opinions = "auto") -> None:
        """Refuse what has no valid interval here."""
        if not self.is_guarantee and opinions != "auto" and len(opinions) > 0:
            raise InvalidBoxError(
                Argument("opinions"),
                " are for exact joint intervals, not for those of the paper. Drop one.",
            )
        if self.interval not in ("exact", "wilson"):
            raise InvalidBoxError(Argument("interval"), f" must be one of 'exact', 'wilson'; found {self.interval!r}.")
        if self.symmetric and self.interval == "exact":
            raise InvalidBoxError(
                Argument("symmetric", "True"),
                " belongs to ",
                Argument("interval", '"wilson"'),
                "; an exact interval is used as it is.",
            )
        if not self.is_guarantee and sample.stopping != FIXED:
            raise InvalidBoxError(
                Argument("looks"),
                " are for exact joint intervals; those of the paper have no guarantee that could be kept. Drop one.",
            )
        if self.interval == "wilson" and not sample.design.is_plain:
            raise InvalidBoxError(
                Argument("interval", '"wilson"'),
                f" is for plain random gold; {type(sample.design).__name__} has intervals of its own.",
            )

    def intervals(self, sample: GoldSample, error: float) -> Intervals:
        """Intervals of the moments of a sample."""
        errors = split_error(error, sample.counts) if self.joint else even_errors(error, len(sample.pooled))
        if self.interval == "wilson":
            return wilson_intervals(sample.counts, errors, self.symmetric)
        return sample.intervals(errors)


EXACT = Recipe()


@dataclass(frozen=True, eq=False)
class Bounds:
    """Intervals from gold.

    Attributes
    ----------
    sample : GoldSample
        As counted: with opinions, and with items in groups where features say so.
    builders : tuple of builders
        Of the moments that are bounded.
    lower, upper : ndarray of shape (n_moments,)
    right, drawn : ndarray of shape (n_moments,) or None
        What was counted.
    of_classes : ndarray of shape (2, n_classes) or None
        Bounds of the class frequencies with all of the allowed error.
    levels : FeatureLevels or None
        Groups of items, from their features.
    """

    sample: GoldSample
    builders: tuple[MomentBuilder, ...]
    lower: FloatArray
    upper: FloatArray
    right: IntArray | None = None
    drawn: IntArray | None = None
    of_classes: FloatArray | None = None
    levels: FeatureLevels | None = None


@one_thread()
def estimate_bounds(
    sample: GoldSample,
    error: float,
    recipe: Recipe,
    frequencies: Frequencies | None = None,
    opinions: Opinions = "auto",
    features: Features | None = None,
) -> Bounds:
    """Bounds that hold jointly but for the allowed error, if gold was drawn as its design says.

    Opinions are chosen, and the budget is split, before gold is looked at. Class frequencies that are given from
    elsewhere cost nothing. Under planned looks all parts of the error are divided by their number.
    """
    opinions = read_opinions(opinions)
    recipe.check(sample, opinions)
    if isinstance(sample.design, ByClass):
        _check_by_class(sample, frequencies, opinions, features)
        return Bounds(sample, *sample.design.rates(sample, sample.stopping.each(error)))
    asked: Opinions = opinions if recipe.is_guarantee else ()
    scored = scored_pair(sample, features)
    panel = choose_opinions(sample, asked, has_features=features is not None, has_scores=scored is not None)
    levels, for_learned = None, sample.stopping.each(error * panel.error_for_learned)
    if features is not None:
        sample, levels, moment, most = learn_levels(sample, panel.population, *features, for_learned)
    elif scored is not None and panel.learns:
        sample, levels, moment, most = learn_score_levels(sample, scored, for_learned)
    sample = replace(sample, builders=(*sample.builders, *panel.opinions))
    lower, upper = recipe.intervals(sample, error * (1 - panel.error_for_learned))
    if frequencies is not None:
        lower, upper = given_frequencies(sample.pooled, sample.pool, frequencies, lower, upper)
    alone = replace(sample, builders=(class_frequencies,))
    bounds = Bounds(
        sample,
        sample.builders,
        *open_empty(sample.pooled, lower, upper),
        sample.counts.right,
        sample.counts.drawn,
        None if frequencies is not None else np.stack(recipe.intervals(alone, error)),
    )
    if levels is not None:
        return replace(_with_learned(bounds, moment, most), levels=levels)
    if not panel.learns:
        return bounds
    return _with_learned(bounds, *learn_opinion(sample, panel.population, for_learned))


def _with_learned(bounds: Bounds, opinion: MomentBuilder, most: float) -> Bounds:
    """And at most so much log loss of the opinion that gold taught."""
    sample = bounds.sample
    possible = build_moments((opinion,), sample.pool)
    return replace(
        bounds,
        builders=(*bounds.builders, opinion),
        lower=np.append(bounds.lower, possible.least),
        upper=np.append(bounds.upper, np.clip(most, possible.least, possible.most)),
        right=np.append(sample.counts.right, 0),
        drawn=np.append(sample.counts.drawn, len(sample)),
    )


def usual_moments(sample: GoldSample) -> tuple[MomentBuilder, ...]:
    """What is constrained if nobody says; gold that was drawn class by class has its own moments."""
    return STANDARD if isinstance(sample.design, ByClass) else standard_moments(sample.pool)


def _check_by_class(
    sample: GoldSample, frequencies: Frequencies | None, opinions: Opinions, features: Features | None
) -> None:
    has_opinions = opinions != "auto" and len(opinions) > 0
    if frequencies is not None or sample.builders != STANDARD or has_opinions or features:
        raise InvalidBoxError(
            "gold that was drawn class by class has its own moments, and class frequencies in its design; leave out ",
            Argument("class_frequencies"),
            ", ",
            Argument("moments"),
            ", ",
            Argument("opinions"),
            " and ",
            Argument("features"),
            ".",
        )


def open_empty(moments: Moments, lower: FloatArray, upper: FloatArray) -> Intervals:
    """[0, 1] for a moment that averages over no item."""
    return np.where(moments.sizes == 0, 0.0, lower), np.where(moments.sizes == 0, 1.0, upper)


def gold_evidence(
    sample: GoldSample, confidence_level: float, recipe: Recipe, n_permutations: int, *, holds_anytime: bool = False
) -> Evidence:
    """What intervals from gold rest on, and whether the votes or the draw itself speak against it.

    If labeling could stop at any moment, only intervals that ``holds_anytime`` says to allow for it are a guarantee.
    """
    design, pool, n_gold = sample.design, sample.pool, len(sample)
    kind = "approximate (Wilson)" if recipe.interval == "wilson" else bounds_are(sample)
    joint = "joint" if recipe.joint else "one by one"
    assumption = design.assumption(n_gold, pool.n_items)
    if sample.skips_classes:
        assumption += ", and the class frequencies lie where they are said to"
    return Evidence(
        f"{kind} {joint} at {confidence_level:.4g} from {n_gold:,} gold items",
        sample.stopping.assumed(assumption),
        confidence_level,
        recipe.is_guarantee,
        n_gold,
        pool.fingerprint,
        check_sample(sample.votes, pool, gold_is=design.gold_is, n_permutations=n_permutations)
        if design.is_plain
        else None,
        design.objection or _not_heeded(sample, holds_anytime),
    )


def _not_heeded(sample: GoldSample, holds_anytime: bool) -> str | None:
    """Why intervals do not hold under the rule by which labeling stopped, if they do not."""
    if sample.stopping.is_anytime:
        return None if holds_anytime else _NOT_ANYTIME
    return _NOT_ANYTIME if sample.stopping == FIXED and sample.design.looks is not None else None


def bounds_are(sample: GoldSample) -> str:
    """What kind of intervals they are, in words."""
    return "anytime-valid (likelihood ratios)" if sample.stopping.is_anytime else sample.design.bounds_are


def check_level(level: float) -> None:
    """Refuse a confidence level that is none."""
    if not 0 < level < 1:
        raise InvalidBoxError(
            Argument("confidence_level"),
            f" must lie between 0 and 1, exclusive; found {level}. For 95 %, write 0.95.",
        )
