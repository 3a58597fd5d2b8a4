"""Plans: how much bound more random labels would buy, through which rules, and where they stop helping."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thumbwise.assess.planner import Planner
from thumbwise.box.box import Box
from thumbwise.box.estimates import check_level
from thumbwise.box.evidence import Evidence
from thumbwise.box.gold import Design, GoldIs, GoldSample
from thumbwise.box.opened_gold import open_plain_gold
from thumbwise.exceptions import Argument, InvalidBoxError, InvalidLabelsError
from thumbwise.outward import at_most
from thumbwise.votes.counted_votes import CountedVotes

# Sizes that are planned for grow by this factor, up to the size of the pool.
_GROWTH = math.sqrt(2)
# Above this share of the loss of guessing, what the rules can reach is called poor.
_POOR = 0.75
# Below this share of the bound, what labels can still take off is called little.
_LITTLE = 0.1


@dataclass(frozen=True)
class PlanRow:
    """The bound that is expected with some number of gold labels.

    Attributes
    ----------
    n_gold : int
    bound : float
        For the items without a gold label, or for all if gold does not keep its label. Where few such items are left,
        little is known of them, and the bound rises again.
    bound_all : float
        The mean over all items, of which those that keep their gold label cost nothing.
    """

    n_gold: int
    bound: float
    bound_all: float


@dataclass(frozen=True)
class RuleGain:
    """What further gold labels, drawn at random from all items, would buy through the interval of one rule.

    It tells which rules keep the bound high, not which items to label: items chosen by a rule's votes are no random
    sample, and void the guarantee.

    Attributes
    ----------
    rule : str
    gain : float
        Fall of the bound per label, over the next hundred, if only this rule's interval profited.
    n_unlabeled : int
        Items of the pool that the rule votes on and that have no gold label yet.
    """

    rule: str
    gain: float
    n_unlabeled: int


@dataclass(frozen=True)
class RuleWorth:
    """The bound if one rule had never been there, and by how much that is worse.

    What gold would prove if the rule had been left out before any gold label was seen; an estimate of that where there
    are opinions, which then do not hear the rule and otherwise stay as they are. To leave it out because of this number
    is a choice that has seen the labels, and the bound without the rule is then no guarantee;
    :meth:`thumbwise.Box.without_rules` is the valid way, which never lowers the bound.

    Attributes
    ----------
    rule : str
    bound_without : float
        Today's bound without the rule.
    worth : float
        ``bound_without`` less today's bound; below 0, the rule costs more of the error budget than it gives.
    """

    rule: str
    bound_without: float
    worth: float


@dataclass(frozen=True)
class Plan:
    """What more gold labels, or better rules, would do to the bound.

    All bounds are those of the game itself, the best that gold proves: a fit with caution 1 has them. With caution
    "auto" the bound of a fit may be up to 10 % higher, for labels that are more often right.

    Attributes
    ----------
    rows : tuple of PlanRow
        Planned bound by number of gold labels. The first row is the bound of today.
    floor : float
        Estimate of the bound with all accuracies, frequencies and opinions known exactly, and the learned opinion at
        its loss on gold: what more labels teach about the rules cannot pass it.
    rule_gains : tuple of RuleGain
        Largest gain first.
    opinion_gain : float
        The same through what the rules say together: opinions, and what further labels teach the learned one.
    random_gain : float
        Fall of the bound per label, over the next hundred items drawn at random.
    worth : tuple of RuleWorth
        Largest worth first. Of two identical rules each alone is worth nothing.
    guessing : float
        Log loss of giving all classes the same probability.
    target : float or None
    keeps_gold : bool
        Whether gold items keep their label, so that all bounds speak of the other items.
    evidence : Evidence or None
        What the bound of today rests on; None if it is an estimate too, on a part of the items.
    is_consistent : bool
        Whether today's intervals admit a labeling. If not, they were stretched until they do, today's bound is no
        certificate, and gold should be checked first.
    """

    rows: tuple[PlanRow, ...]
    floor: float
    rule_gains: tuple[RuleGain, ...]
    random_gain: float
    worth: tuple[RuleWorth, ...]
    guessing: float
    target: float | None = None
    keeps_gold: bool = False
    is_consistent: bool = True
    evidence: Evidence | None = None
    opinion_gain: float = 0.0

    @property
    def n_gold(self) -> int:
        """Gold labels of today."""
        return self.rows[0].n_gold

    @property
    def bound(self) -> float:
        """The bound of today."""
        return self.rows[0].bound

    def needed(self, target: float) -> int | None:
        """Number of gold labels with which the planned bound is at most ``target``; None if none is enough.

        Between two rows the bound is taken as linear in ``1 / sqrt(n_gold)``, as the widths of intervals are.
        """
        lowest = np.minimum.accumulate([row.bound for row in self.rows])
        if target < lowest[-1]:
            return None
        after = int(np.argmax(lowest <= target))
        if after == 0:
            return self.n_gold
        high, low = lowest[after - 1], lowest[after]
        many, few = (1 / math.sqrt(self.rows[i].n_gold) for i in (after - 1, after))
        width = few + (many - few) * (target - low) / (high - low)
        return min(self.rows[after].n_gold, math.ceil(float(1 / width**2) - 1e-9))

    def frame(self) -> dict[str, list[float]]:
        """Columns ``n_gold``, ``planned_bound`` and ``planned_bound_all``."""
        return {
            "n_gold": [row.n_gold for row in self.rows],
            "planned_bound": [row.bound for row in self.rows],
            "planned_bound_all": [row.bound_all for row in self.rows],
        }

    def __str__(self) -> str:
        return " ".join([*self._outlook(), self._advice()])

    def _outlook(self) -> list[str]:
        sentences = [self._today()]
        later = [self.rows[i] for i in (2, 4) if i < len(self.rows)] or [*self.rows[1:]][-1:]
        if later:
            steps = ", with ".join(f"{row.n_gold:,} about {at_most(row.bound)}" for row in later)
            sentences.append(f"Planned: with {steps}.")
        sentences.append(f"However many labels, these rules end at about {self.floor:.3f}.")
        return [*sentences, *self._about_target()]

    def _today(self) -> str:
        """The bound of today with its level and its "if"; an estimate is not called a bound."""
        bound = at_most(self.bound)
        guessing = f"(guessing: {self.guessing:.3f})"
        if not self.is_consistent:
            return (
                f"The intervals of the {self.n_gold:,} gold labels contradict each other. "
                f"Stretched until they fit, they give {bound} {guessing}, which is no guarantee."
            )
        if self.evidence is None:
            return f"With the {self.n_gold:,} gold labels of today the bound is about {bound} {guessing}."
        items = "the items without a gold label" if self.keeps_gold else "these items"
        return self.evidence.state(
            f"the mean log loss on {items} is at most {bound} {guessing} with the {self.n_gold:,} gold labels of today "
            "and caution 1"
        )

    def _about_target(self) -> list[str]:
        if self.target is None:
            return []
        needed = self.needed(self.target)
        if needed is None:
            return [f"No number of gold labels up to {self.rows[-1].n_gold:,} is expected to reach {self.target:.4g}."]
        if needed == self.n_gold:
            return [f"The target of {self.target:.4g} is reached."]
        return [f"The target of {self.target:.4g} needs about {needed:,} gold labels."]

    def _advice(self) -> str:
        if not self.is_consistent:
            return "What to do: check the gold labels, and that their items were drawn at random, before all else."
        left = max(0.0, self.bound - self.floor)
        if self.target is not None and self.needed(self.target) == self.n_gold:
            return "What to do: nothing more for this target."
        if self._is_floor_too_high(left):
            return (
                f"What to do: write better rules; knowing these exactly would take about {left:.3f} off the bound, and "
                f"the other {self.floor:.3f} is what they leave open."
            )
        return (
            "What to do: label more items drawn at random from those without a gold label; each lowers the bound by "
            f"about {max(self.random_gain, 0.0):.5f}."
        )

    def _is_floor_too_high(self, left: float) -> bool:
        if self.target is not None:
            return self.floor > self.target
        return self.floor > _POOR * self.guessing or left < _LITTLE * (left + self.floor)


def plan(
    gold_votes: Any,
    gold_labels: Any = None,
    *,
    pool: Any = None,
    confidence_level: float = 0.95,
    gold_is: GoldIs | Design | None = None,
    target: float | None = None,
    pin_gold: bool = True,
    box: Box | None = None,
) -> Plan:
    """Plan the bound of ``Box.from_gold`` with more gold labels, and say what to do next.

    The labels at hand stay as they were counted; further ones are taken to be right as often as the *consistent rates*
    say: those of the labeling z that maximises

        10 * mean entropy of z  -  sum_m (moment_m(z) - observed_m)^2 / (2 * standard error_m^2),

    each distinct moment counted once. They are close to the observed shares where these fit together, always fit
    together themselves, and do not take 5 right ones of 5 for certainty. Intervals are then made and the game is solved
    as for real gold. A planned interval that does not hold its consistent rate is stretched to it, so that no planned
    box is empty. The floor is the value of the game at the consistent rates.

    Opinions are moments like the others. The learned opinion stays the formula of today; the bound on its log loss is
    taken to fall towards its loss on gold like ``n_gold ** -0.7``, as it did on ten data sets, from 30 labels on.

    *Guarantee*: none. A plan is an estimate; only the bound of today is proved, as ``evidence`` says. Further labels
    are taken to be those of items drawn at random, which is all that keeps the guarantee: :func:`draw_gold` draws them.
    Everything here is seen after gold: rules that are left out, or items that are chosen, because of it take the
    guarantee away.

    Parameters
    ----------
    gold_votes, gold_labels, pool, confidence_level, gold_is
        As for :meth:`Box.from_gold`: also a :class:`Gold` or a :class:`Reading` in place of votes and labels.
    target : float, optional
        A bound that is wanted.
    pin_gold : bool
        As for :class:`BalsubramaniFreund`: whether gold items that ids show to be items of the pool keep their label,
        so that bounds speak of the other items. Further gold then does so too.
    box : Box, optional
        That of this gold and this pool, if there is one already: its evidence says what today's bound rests on, and its
        opinions are planned with.

    Returns
    -------
    Plan
        Bounds by number of labels, what each rule is worth, and ``str(plan)``, the advice in words.

    Examples
    --------
    >>> import numpy as np
    >>> import thumbwise as tw
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(2, size=2000)
    >>> is_right = rng.random((2000, 3)) < [0.9, 0.8, 0.7]
    >>> votes = tw.Votes(np.where(is_right, truth[:, None], 1 - truth[:, None]), rule_names=["a", "b", "c"])
    >>> p = tw.plan(votes.take(range(100)), truth[:100], pool=votes, gold_is="subset")
    >>> [(row.n_gold, round(row.bound, 2)) for row in p.rows[:3]]
    [(100, 0.41), (141, 0.39), (200, 0.37)]
    >>> p.rule_gains[0].rule, p.worth[0].rule
    ('a', 'a')
    """
    check_level(confidence_level)
    _check_target(target)
    sample = open_plain_gold(gold_votes, gold_labels, pool, gold_is)
    pool = sample.pool
    check_left(sample)
    if box is None:
        box = Box.from_sample(sample, confidence_level=confidence_level)
    keep = pin_gold and sample.known_labels() is not None
    planner = Planner(sample, 1 - confidence_level, keep, box)
    return plan_with(planner, pool, box.evidence, target=target)


def plan_with(
    planner: Planner,
    pool: CountedVotes,
    evidence: Evidence | None,
    *,
    target: float | None = None,
    sizes: Sequence[int] | None = None,
    with_gains: bool = True,
    with_worth: bool = True,
) -> Plan:
    """All of a plan, or what few games give: sizes that are asked for, nothing or little about each rule."""
    return Plan(
        rows=_plan_rows(planner, planned_sizes(planner.n_gold, pool.n_items) if sizes is None else sizes),
        floor=planner.floor(),
        rule_gains=_sorted_gains(planner, pool.rule_names) if with_gains else (),
        opinion_gain=planner.opinion_gain(),
        random_gain=planner.random_gain(),
        worth=_sorted_worth(planner, pool.rule_names) if with_worth else (),
        guessing=math.log(pool.n_classes),
        target=target,
        keeps_gold=planner.is_kept,
        is_consistent=planner.is_consistent,
        evidence=evidence,
    )


def check_left(sample: GoldSample) -> None:
    """Refuse gold that is all of the items."""
    n_items = sample.pool.n_items
    if sample.gold_is == "subset" and len(sample) == n_items:
        raise InvalidLabelsError(f"there must be items left to label; all {n_items:,} of the pool are gold.")


def _check_target(target: float | None) -> None:
    if target is not None and not (math.isfinite(target) and target > 0):
        raise InvalidBoxError(
            Argument("target"), f" must be a mean log loss above 0; found {target}. Bounds are in nats."
        )


def _plan_rows(planner: Planner, sizes: Sequence[int]) -> tuple[PlanRow, ...]:
    """Planned bounds for numbers of gold labels."""
    bounds = zip(sizes, planner.bounds(sizes), strict=True)
    return tuple(PlanRow(n, bound, bound * planner.open_share(n)) for n, bound in bounds)


def planned_sizes(n_gold: int, n_items: int) -> list[int]:
    """The present size, then larger ones up to that of the pool."""
    last = max(n_items, n_gold)
    n_steps = math.ceil(math.log(last / n_gold) / math.log(_GROWTH) - 1e-9)
    return sorted({*(min(last, round(n_gold * _GROWTH**i)) for i in range(n_steps)), n_gold, last})


def _sorted_gains(planner: Planner, names: Sequence[str]) -> tuple[RuleGain, ...]:
    rows = [RuleGain(name, planner.gain(j), planner.n_unlabeled(j)) for j, name in enumerate(names)]
    return tuple(sorted(rows, key=lambda row: -row.gain))


def _sorted_worth(planner: Planner, names: Sequence[str]) -> tuple[RuleWorth, ...]:
    bounds = [planner.bound_without(j) for j in range(len(names))]
    rows = [RuleWorth(name, bound, bound - planner.bound) for name, bound in zip(names, bounds, strict=True)]
    return tuple(sorted(rows, key=lambda row: -row.worth))
