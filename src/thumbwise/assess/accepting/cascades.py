"""Cascades: cheap judges are asked first, and an item stops at the first stage that is sure enough of its label.

Judges whose votes cost the same are one stage; stages are in the order of their costs. A stage proposes a label from
the votes of its judges and of all judges before, as a regression does that the teaching part of gold has taught. For a
threshold t, the last stage decides an item if the probability of its label is at least t; a stage before it if its
doubt, one minus that probability, is at most a third of what the last may have. Items that no stage decides go to
people. As t falls, no item stops later: more items are decided, and none costs more.

Which thresholds are tried follows from numbers of items, and each is tested at the whole error, the highest first,
until a test fails (:mod:`thumbwise.numerics.fixed_sequence`). The last that passed is taken.

*Proof* that enough of what is decided agrees with gold, with probability at least ``1 - error``: take the votes and the
teaching part of gold as given. Then, for each threshold, it is settled which items are decided and with which label.
An item that stops earlier at a lower threshold may have another label there, so that the wrong ones of one set need not
be wrong in the next; each set has some number of wrong ones all the same, and no draw changes it. Certifying gold is a
random sample of all items that do not teach. Given how many of it are in a set, these are a random sample of the set,
and the wrong ones among them are hypergeometric; where too many of the set are wrong, the test is passed with
probability at most ``error``, whatever that number is, and so too without knowing it. Where the tests start follows
from numbers that are expected, not drawn. So the first set from there on that has too many wrong ones does not depend
on the draw either, and a false claim is made only if its test is passed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.assess.accepting.deciding import Decided, decide_later
from thumbwise.assess.accepting.ladders import Ladder, kept_steps, up_to
from thumbwise.assess.accepting.ranked import DIGITS, Parts, Ranked
from thumbwise.assess.accepting.stages import Stage, early_sureness, needed_early, open_stages
from thumbwise.assess.accepting.targets import Targets
from thumbwise.box.gold import GoldSample
from thumbwise.numerics.fixed_sequence import BoolArray, passed_in_order, seldom_missed
from thumbwise.outward import percent
from thumbwise.summaries import plural


@dataclass(frozen=True, eq=False)
class Cascade:
    """Stages, the cheapest first, and the threshold at which items stop.

    Attributes
    ----------
    stages : tuple of Stage
    counts : ndarray of shape (n_pool_patterns,)
        Items of each pattern of the pool; patterns of gold from outside come after them.
    class_names : tuple
    level : float or None
        How sure the last stage must be; None if nothing is decided. Where it is below any probability, the last stage
        decides all that comes to it, and lower levels let more items stop before.
    """

    stages: tuple[Stage, ...]
    counts: IntArray
    class_names: tuple[Any, ...]
    level: float | None = None

    def at(self, level: float | None) -> Cascade:
        """The same stages, and items stop at another level."""
        return replace(self, level=level)

    @cached_property
    def surest(self) -> FloatArray:
        """How sure the surest stage so far is of its label, (n_stages, n_patterns): an item has stopped if enough."""
        counted = [early_sureness(stage.ranked.sureness) for stage in self.stages[:-1]]
        return np.maximum.accumulate(np.stack([*counted, self.stages[-1].ranked.sureness]))

    @cached_property
    def stop(self) -> IntArray:
        """Number of the stage that decides each pattern, from 0; that of people is the number of stages."""
        if self.level is None:
            return np.full(self.n_patterns, len(self.stages))
        return np.asarray((self.surest < self.level).sum(axis=0))

    @cached_property
    def ranked(self) -> Ranked:
        """What the stage proposes that decides, or the last one; surer than the threshold just where one decides."""
        last = self.stages[-1].ranked
        proba = last.proba.copy()
        for number, stage in enumerate(self.stages[:-1]):
            here = self.stop == number
            proba[here] = stage.ranked.proba[here]
        return replace(last, proba=proba, taught=None)

    @property
    def n_patterns(self) -> int:
        """Patterns of the pool, and of gold that lies outside of it."""
        return len(self.stages[-1].ranked.size)

    @property
    def n_items(self) -> int:
        return int(self.counts.sum())

    @cached_property
    def cost_by_stage(self) -> FloatArray:
        """Votes of each stage that are paid for, per item of the pool."""
        n = len(self.counts)
        paid = [self.counts @ (stage.cost[:n] * (self.stop[:n] >= s)) for s, stage in enumerate(self.stages)]
        return np.array(paid) / max(1, self.n_items)

    @property
    def cost_per_item(self) -> float:
        """Mean cost of the votes that are asked for; those of all judges on items that go to people."""
        return float(self.cost_by_stage.sum())

    @property
    def cost_of_all(self) -> float:
        """Mean cost of an item if all judges are asked."""
        return self.at(None).cost_per_item

    @property
    def saved(self) -> float:
        """Share of the cost of all votes that is not spent."""
        return 1 - self.cost_per_item / self.cost_of_all if self.cost_of_all > 0 else 0.0

    def rows(self) -> list[dict[str, Any]]:
        """One for each stage: who is asked, what is decided, how often gold agrees, and what was spent so far."""
        stop, n_gold, n_wrong = self.stop[: len(self.counts)], *self._gold_by_stage()
        decided = [int(self.counts[stop == s].sum()) for s in range(len(self.stages))]
        return [
            {
                "judges": list(stage.judges),
                "cost_per_vote": stage.each,
                "threshold": self._threshold(s),
                "n_asked": int(self.counts[stop >= s].sum()),
                "n_decided": decided[s],
                "decided": decided[s] / max(1, self.n_items),
                "estimate": 1 - n_wrong[s] / n_gold[s] if n_gold[s] else None,
                "n_gold": n_gold[s],
                "n_wrong": n_wrong[s],
                "cost_so_far": float(self.cost_by_stage[: s + 1].sum()),
            }
            for s, stage in enumerate(self.stages)
        ]

    def _threshold(self, number: int) -> float | None:
        """How sure a stage must be of a label to decide the item."""
        if self.level is None:
            return None
        return max(0.0, self.level if number == len(self.stages) - 1 else needed_early(self.level))

    def _gold_by_stage(self) -> tuple[list[int], list[int]]:
        """Certifying gold items that each stage decides, and those of them that it decides wrongly."""
        ranked = self.ranked
        stop, size = self.stop[ranked.place], len(self.stages) + 1
        n_gold, n_wrong = np.bincount(stop, minlength=size), np.bincount(stop[ranked.is_wrong], minlength=size)
        return n_gold.tolist(), n_wrong.tolist()

    @property
    def sentence(self) -> str:
        """What items cost; counted, and no estimate."""
        return (
            f"An item costs {self.cost_per_item:.3g} on average, and {self.cost_of_all:.3g} if all judges are asked: "
            f"{percent(self.saved)} saved."
        )

    def __str__(self) -> str:
        return "\n".join([self.sentence, *(_sentence(number, row) for number, row in enumerate(self.rows(), 1))])

    def __repr__(self) -> str:
        return str(self)

    def as_dict(self) -> dict[str, Any]:
        """What the command writes as JSON."""
        return {
            "cost_per_item": self.cost_per_item,
            "cost_of_all": self.cost_of_all,
            "saved": self.saved,
            "stages": self.rows(),
        }

    def decide(self, votes: Any) -> Decided:
        """Go through later items stage by stage: which are decided by the judges that were asked, and who is next.

        The columns of ``votes`` say who was asked: all judges of the first stage, or of the first two, and so on. Ask
        the first stage about all items, the judges in ``ask`` about those that are not decided, and so on.

        *Guarantee*: none. What was shown holds for the items that the cascade was calibrated on; for later ones it is
        as good as they are like those.

        Parameters
        ----------
        votes : Votes, array-like or frame
            Of later items in memory.

        Returns
        -------
        Decided

        Examples
        --------
        >>> import numpy as np
        >>> import thumbwise as tw
        >>> made = tw.datasets.make_one_coin(5000, [0.85, 0.85, 0.85, 0.97], random_state=0)
        >>> y = np.where(np.arange(5000) < 300, made.labels, -1)
        >>> costs = {"rule_0": 1, "rule_1": 1, "rule_2": 1, "rule_3": 20}
        >>> sorted_out = tw.triage(made.votes, y, precision=0.95, costs=costs)
        >>> sorted_out.cascade
        An item costs 8.12 on average, and 23 if all judges are asked: 65 % saved.
        Stage 1, rule_0, rule_1, rule_2: 3,720 of 5,000 items decided, of which gold agrees with 97 % (estimate).
        Stage 2, rule_3: 1,280 of 1,280 items decided, of which gold agrees with 100 % (estimate).
        >>> later = tw.Votes([[0, 0, 0], [0, 0, 1], [1, 1, 1]])
        >>> decided = sorted_out.cascade.decide(later)
        >>> decided.labels, decided.ask
        ([0, None, 1], ('rule_3',))
        """
        return decide_later(votes, self.stages, self.level, self.class_names)


def _sentence(number: int, row: Mapping[str, Any]) -> str:
    judges = ", ".join(row["judges"][:3]) + (f" and {len(row['judges']) - 3} more" if len(row["judges"]) > 3 else "")
    about = "" if row["estimate"] is None else f", of which gold agrees with {percent(row['estimate'])} (estimate)"
    return f"Stage {number}, {judges}: {row['n_decided']:,} of {plural(row['n_asked'], 'item')} decided{about}."


def open_cascade(sample: GoldSample, parts: Parts, costs: Mapping[str, float]) -> Cascade:
    """Stages that are settled by costs, votes and the teaching part of gold, and no threshold yet."""
    return Cascade(open_stages(sample, parts, costs), sample.pool.patterns.counts, tuple(sample.pool.class_names))


def climb_stages(cascade: Cascade) -> Ladder:
    """The ladder of the decided sets, by thresholds that fall; how large a step is, is the mean over all stages.

    With one stage it is that of :func:`thumbwise.assess.accepting.ladders.climb`.
    """
    surest, last = cascade.surest, cascade.stages[-1].ranked
    levels = np.unique(surest[:, last.size > 0])[::-1]
    passed = np.sum([up_to(levels, row, last.size) for row in surest], axis=0) / len(surest)
    levels = levels[kept_steps(passed, last)]
    everyone = np.ones(len(last.labels), dtype=bool)
    return Ladder(
        levels,
        up_to(levels, surest[-1], last.size),
        up_to(levels, surest[-1, last.place], everyone.astype(np.int64)),
        wrong_up_to(cascade, levels, everyone),
        last.n_items,
        len(last.labels),
        last.is_outside,
        _decided(levels, surest, [stage.ranked.doubt for stage in cascade.stages]) / 10**DIGITS,
    )


def wrong_up_to(cascade: Cascade, levels: FloatArray, among: AnyArray) -> IntArray:
    """Certifying gold items, of some, that are decided wrongly at each threshold."""
    wrong = [(stage.ranked.is_wrong & among).astype(np.int64) for stage in cascade.stages]
    return _decided(levels, cascade.surest[:, cascade.stages[-1].ranked.place], wrong)


def _decided(levels: FloatArray, surest: FloatArray, counts: Sequence[IntArray]) -> IntArray:
    """Counts of what is decided at each threshold, those of the stage that decides; ``surest`` has a row for each.

    An item stops at a stage if it has stopped up to there and has not up to the stage before.
    """
    total = up_to(levels, surest[0], counts[0])
    for before, now, count in zip(surest[:-1], surest[1:], counts[1:], strict=True):
        total = total + up_to(levels, now, count) - up_to(levels, before, count)
    return total


def good_in_stages(cascade: Cascade, ladder: Ladder, targets: Targets, error: float) -> BoolArray:
    """Which sets of the ladder are shown to reach all targets: each is tested at the whole error, and all must pass.

    Items of a class that are decided as another are tested as in
    :func:`thumbwise.assess.accepting.ladders.recalled`; the proof is that of
    :func:`thumbwise.assess.accepting.targets.good_enough`.
    """
    claimed = np.ones(len(ladder), dtype=bool)
    for share in targets.precision.values():
        claimed &= ladder.precise(share, error, is_alone=not targets.recall)
    labels = cascade.stages[-1].ranked.labels
    for number, share in targets.recall.items():
        is_so = labels == number
        missed = wrong_up_to(cascade, ladder.threshold, is_so)
        claimed &= passed_in_order(seldom_missed(missed, int(is_so.sum()), 1 - share, error), 0)
    return claimed
