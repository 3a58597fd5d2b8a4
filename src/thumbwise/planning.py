"""What to do next: how much bound more gold labels would buy, on which rules, and where labels stop helping."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thumbwise.exceptions import InvalidBoxError, InvalidLabelsError
from thumbwise.gold import GoldIs, check_roles, count_gold, known_gold
from thumbwise.inputs import read_gold
from thumbwise.planner import Planner

# Sizes that are planned for grow by this factor, up to the size of the pool.
_GROWTH = math.sqrt(2)
# Above this share of the loss of guessing, what the rules can reach is called poor.
_POOR = 0.75
# Below this share of the bound, what labels can still take off is called little.
_LITTLE = 0.1


@dataclass(frozen=True)
class PlanRow:
    """The bound that is expected with some number of gold labels."""

    n_gold: int
    bound: float


@dataclass(frozen=True)
class RuleGain:
    """What further gold labels on the items that one rule votes on would buy.

    Attributes
    ----------
    rule : str
    gain : float
        Fall of the bound per label.
    n_unlabeled : int
        Items of the pool that the rule votes on and that have no gold label yet.
    """

    rule: str
    gain: float
    n_unlabeled: int


@dataclass(frozen=True)
class RuleWorth:
    """The bound that the same gold labels prove without one rule, and by how much that is worse."""

    rule: str
    bound_without: float
    worth: float


@dataclass(frozen=True)
class Plan:
    """What more gold labels, or better rules, would do to the bound.

    Attributes
    ----------
    rows : tuple of PlanRow
        Planned bound by number of gold labels. The first row is the bound of today.
    floor : float
        Estimate of the bound, on the items that the game is about, with all accuracies and frequencies known exactly:
        what more labels teach about the rules cannot pass it.
    next_rules : tuple of RuleGain
        Largest gain first.
    random_gain : float
        Fall of the bound per label if the next labels go to items drawn at random.
    worth : tuple of RuleWorth
        Largest worth first. Of two identical rules each alone is worth nothing.
    guessing : float
        Log loss of giving all classes the same probability.
    target : float or None
    open_share : float
        Share of the items that the game is about: 1, or less if gold items keep their label and cost nothing.
    is_consistent : bool
        Whether today's intervals admit a labeling. If not, they were stretched until they do, today's bound is no
        certificate, and gold should be checked first.
    """

    rows: tuple[PlanRow, ...]
    floor: float
    next_rules: tuple[RuleGain, ...]
    random_gain: float
    worth: tuple[RuleWorth, ...]
    guessing: float
    target: float | None = None
    open_share: float = 1.0
    is_consistent: bool = True

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
        """Columns ``n_gold`` and ``planned_bound``."""
        return {
            "n_gold": [row.n_gold for row in self.rows],
            "planned_bound": [row.bound for row in self.rows],
        }

    def __str__(self) -> str:
        return " ".join([*self._outlook(), self._advice()])

    def _outlook(self) -> list[str]:
        bound = math.ceil(1000 * self.bound - 1e-9) / 1000  # upward: a bound that is printed must still be one
        today = f"With {self.n_gold:,} gold labels the bound on the mean log loss is {bound:.3f}"
        sentences = [f"{today} (guessing: {self.guessing:.3f})."]
        if not self.is_consistent:
            sentences = [
                f"The intervals of the {self.n_gold:,} gold labels contradict each other. "
                f"Stretched until they fit, they give {bound:.3f} (guessing: {self.guessing:.3f})."
            ]
        later = [self.rows[i] for i in (2, 4) if i < len(self.rows)] or [*self.rows[1:]][-1:]
        if later:
            steps = ", with ".join(f"{row.n_gold:,} about {row.bound:.3f}" for row in later)
            sentences.append(f"Planned: with {steps}.")
        where = "on the items without a gold label " if self.open_share < 1 else ""
        sentences.append(f"However many labels, {where}these rules end at about {self.floor:.3f}.")
        return [*sentences, *self._about_target()]

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
        left = max(0.0, self.bound / self.open_share - self.floor)
        if self.target is not None and self.needed(self.target) == self.n_gold:
            return "What to do: nothing more for this target."
        if self._is_floor_too_high(left):
            return (
                f"What to do: write better rules; knowing these exactly would take about {left:.3f} off the bound, and "
                f"the other {self.floor:.3f} is what they leave open."
            )
        best = self.next_rules[0] if self.next_rules else None
        if best is not None and best.gain > max(self.random_gain, 0.0):
            return (
                f"What to do: label items that rule {best.rule!r} votes on first; each lowers the bound by about "
                f"{best.gain:.5f} (an item drawn at random: {max(self.random_gain, 0.0):.5f})."
            )
        return (
            "What to do: label more items drawn at random; each lowers the bound by about "
            f"{max(self.random_gain, 0.0):.5f}, more than labels on the items of any one rule."
        )

    def _is_floor_too_high(self, left: float) -> bool:
        if self.target is not None:
            return self.floor > self.target
        return self.floor > _POOR * self.guessing or left < _LITTLE * (left + self.floor)


def plan(
    gold_votes: Any,
    gold_labels: Any,
    *,
    pool: Any,
    confidence_level: float = 0.95,
    gold_is: GoldIs = "separate",
    target: float | None = None,
    pin_gold: bool = True,
) -> Plan:
    """Plan the bound of ``Box.from_gold`` with more gold labels, and say what to do next.

    The labels at hand stay as they were counted; further ones are taken to be right as often as the *consistent rates*
    say: those of the labeling z that maximises

        mean entropy of z  -  sum_m (moment_m(z) - observed_m)^2 / (2 * standard error_m^2),

    each distinct moment counted once. They are close to the observed shares where these fit together, always fit
    together themselves, and do not take 5 right ones of 5 for certainty. Intervals are then made and the game is solved
    as for real gold. A planned interval that does not hold its consistent rate is stretched to it, so that no planned
    box is empty. The floor is the value of the game at the consistent rates.

    *Guarantee*: none. A plan is an estimate; only the bound of today is proved.

    Parameters
    ----------
    gold_votes, gold_labels, pool, confidence_level, gold_is
        As for :meth:`Box.from_gold`.
    target : float, optional
        A bound that is wanted.
    pin_gold : bool
        As for :class:`BalsubramaniFreund`: whether gold items that ids show to be items of the pool keep their label,
        and cost nothing. Further gold then does so too, and the pool's last label brings the bound to 0.

    Examples
    --------
    >>> import numpy as np
    >>> import thumbwise as tw
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(2, size=2000)
    >>> is_right = rng.random((2000, 3)) < [0.9, 0.8, 0.7]
    >>> votes = tw.Votes(np.where(is_right, truth[:, None], 1 - truth[:, None]), rule_names=["a", "b", "c"])
    >>> p = plan(votes.take(range(100)), truth[:100], pool=votes, gold_is="subset")
    >>> [(row.n_gold, round(row.bound, 2)) for row in p.rows[:3]]
    [(100, 0.43), (141, 0.4), (200, 0.37)]
    >>> p.next_rules[0].rule, p.worth[0].rule
    ('a', 'a')
    """
    _check(confidence_level, target)
    gold_votes, pool, gold_labels = read_gold(gold_votes, pool, gold_labels)
    gold_votes, labels = known_gold(gold_votes, gold_labels, pool)[:2]
    check_roles(gold_votes, pool, gold_is)
    if gold_is == "subset" and gold_votes.n_items == pool.n_items:
        raise InvalidLabelsError(f"there must be items left to label; all {pool.n_items:,} of the pool are gold.")
    counts = count_gold(gold_votes, labels, pool, gold_is)
    keep = pin_gold and gold_is == "subset" and gold_votes.has_ids and pool.has_ids
    planner = Planner(pool, gold_votes, counts, gold_is, 1 - confidence_level, keep)
    sizes = _sizes(gold_votes.n_items, pool.n_items)
    return Plan(
        rows=tuple(PlanRow(n, bound) for n, bound in zip(sizes, planner.bounds(sizes), strict=True)),
        floor=planner.floor(),
        next_rules=_sorted_gains(planner, pool.rule_names),
        random_gain=planner.random_gain(),
        worth=_sorted_worth(planner, pool.rule_names),
        guessing=math.log(pool.n_classes),
        target=target,
        open_share=planner.open_share(planner.n_gold),
        is_consistent=planner.is_consistent,
    )


def _check(confidence_level: float, target: float | None) -> None:
    if not 0 < confidence_level < 1:
        raise InvalidBoxError(
            f"confidence_level must lie between 0 and 1, exclusive; found {confidence_level}. For 95 %, write 0.95."
        )
    if target is not None and not (math.isfinite(target) and target > 0):
        raise InvalidBoxError(f"target must be a mean log loss above 0; found {target}. Bounds are in nats.")


def _sizes(n_gold: int, n_items: int) -> list[int]:
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
