"""What triage found: which labels are accepted, what is guaranteed of them, and who should look at what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.assess.accepting.cascades import Cascade, climb_stages
from thumbwise.assess.accepting.ladders import Ladder, climb
from thumbwise.assess.accepting.looks import Looks
from thumbwise.assess.accepting.ranked import Ranked, gold_places
from thumbwise.assess.accepting.targets import Family, Targets, check_shares
from thumbwise.assess.tables.tidy import Tidy
from thumbwise.box.evidence import Evidence, Statement
from thumbwise.exceptions import InvalidChoiceError
from thumbwise.numerics.fixed_sequence import BoolArray
from thumbwise.outward import percent, percent_at_least
from thumbwise.rates.asked import Asked
from thumbwise.summaries import plural
from thumbwise.votes.mixed_ids import mixed_keys
from thumbwise.votes.votes import Votes

# Precisions of which the curve tells how many labels can be accepted.
CURVE = (0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99)


@dataclass(frozen=True, eq=False)
class Accepted:
    """What is accepted of a family of patterns: a set of its ladder, or nothing.

    Attributes
    ----------
    family : Family
    step : int or None
        Which set of the ladder.
    """

    family: Family
    step: int | None

    @classmethod
    def largest(cls, family: Family, claimed: BoolArray) -> Accepted:
        """The largest set that is claimed, or none."""
        return cls(family, int(np.flatnonzero(claimed)[-1]) if claimed.any() else None)

    @property
    def level(self) -> float | None:
        """The threshold as the ladder has it; in a cascade it goes on to fall when the last stage decides all items."""
        return None if self.step is None else float(self.family.ladder.threshold[self.step])

    @property
    def threshold(self) -> float | None:
        """How sure a label must be to be accepted, by the last stage in a cascade; None if none is."""
        return None if self.level is None else max(0.0, self.level)

    @property
    def drawn(self) -> int:
        """Certifying gold items in the set."""
        return 0 if self.step is None else int(self.family.ladder.drawn[self.step])

    @property
    def wrong(self) -> int:
        """Those of them whose proposed label is wrong."""
        return 0 if self.step is None else int(self.family.ladder.wrong[self.step])

    @property
    def estimate(self) -> float | None:
        """Share of right labels on certifying gold; None where there is none."""
        return 1 - self.wrong / self.drawn if self.drawn else None

    def accepts(self, ranked: Ranked) -> AnyArray:
        """Whether each pattern is accepted."""
        none = np.zeros(len(ranked.size), dtype=bool)
        return none if self.threshold is None else self.family.among & (ranked.sureness >= self.threshold)


@dataclass(frozen=True, eq=False)
class Triage(Statement):
    """Labels to accept, and items to look at.

    Attributes
    ----------
    asked : Asked
        Items and gold.
    ranked : Ranked
        Proposed labels and how sure each is.
    families : tuple of Accepted
        What is accepted: of all labels, or of those of each class.
    evidence : Evidence
    targets : Targets or None
    looks : Looks or None
        Where a budget was given: who looks at what, and what that guarantees.
    cascade : Cascade or None
        Where costs were given: at which stage each item stops, and what that costs. ``ranked`` is then what that stage
        proposes.
    """

    asked: Asked
    ranked: Ranked
    families: tuple[Accepted, ...]
    evidence: Evidence
    targets: Targets | None = None
    looks: Looks | None = None
    cascade: Cascade | None = None

    @cached_property
    def accepts(self) -> AnyArray:
        """Whether the label of each pattern of the pool is accepted, shape (n_patterns,)."""
        taken = [part.accepts(self.ranked) for part in self.families]
        every = np.logical_or.reduce(taken) if taken else np.zeros(len(self.ranked.size), dtype=bool)
        return np.asarray(every[: self.asked.sample.pool.patterns.n_patterns])

    @property
    def n_items(self) -> int:
        return self.asked.sample.pool.n_items

    @property
    def is_gold_placed(self) -> bool:
        """Whether it is known which items of the pool are gold: they are accepted with their known label."""
        return not self.ranked.is_outside and (self.asked.is_lazy or self.asked.positions is not None)

    @property
    def n_known(self) -> int:
        """Gold items that are known to be items of the pool."""
        return len(self.asked.sample) if self.is_gold_placed else 0

    @cached_property
    def n_accepted(self) -> int:
        """Labels that are accepted, those of gold items among them."""
        if self.looks is not None:
            return self.n_items - self.looks.n_looks
        by_rule = int(self.asked.sample.pool.patterns.counts[self.accepts].sum())
        return by_rule + self._n_gold_beside(self.accepts)

    def _n_gold_beside(self, accepts: AnyArray) -> int:
        """Gold items that are known to be items of the pool, and whose pattern is not accepted."""
        return int((~accepts[gold_places(self.asked.sample)]).sum()) if self.is_gold_placed else 0

    @property
    def n_review(self) -> int:
        """Items that a person should look at."""
        return self.n_items - self.n_accepted

    @property
    def proves_nothing(self) -> bool:
        """Whether nothing is accepted but what was known."""
        return self.n_accepted <= self.n_known if self.looks is None else self.looks.accuracy_at_least <= 0

    @cached_property
    def proposed(self) -> IntArray:
        """Class number proposed for each item, or the known one of gold; items in memory."""
        numbers = self.ranked.proposed[self._inverse].copy()
        if self.asked.positions is not None:
            numbers[self.asked.positions] = self.asked.sample.labels
        return numbers

    @cached_property
    def sureness(self) -> FloatArray:
        """Probability of each item's proposed label, 1 for gold; items in memory."""
        sure = self.ranked.sureness[self._inverse].copy()
        if self.asked.positions is not None:
            sure[self.asked.positions] = 1.0
        return sure

    @cached_property
    def accepted(self) -> AnyArray:
        """Whether each item's label is accepted; items in memory."""
        chosen = self.accepts[self._inverse].copy() if self.looks is None else ~self._looked_at(self.looks)
        if self.asked.positions is not None:
            chosen[self.asked.positions] = True
        return np.asarray(chosen)

    def _looked_at(self, looks: Looks) -> AnyArray:
        """Items without gold that people look at; of those with the same votes, some by a hash of their ids."""
        inverse, pool = self._inverse, cast("Votes", self.asked.sample.pool)
        free = np.ones(len(inverse), dtype=bool)
        if self.asked.positions is not None:
            free[self.asked.positions] = False
        n_looks = looks.looked_at[: pool.patterns.n_patterns]
        n_free = np.bincount(inverse[free], minlength=len(n_looks))
        chosen = free & (n_looks >= n_free)[inverse]
        some = np.flatnonzero(free & ((n_looks > 0) & (n_looks < n_free))[inverse])
        some = some[np.lexsort([mixed_keys(pool.item_ids[some]), inverse[some]])]
        place = np.arange(len(some)) - np.searchsorted(inverse[some], inverse[some])
        chosen[some[place < n_looks[inverse[some]]]] = True
        return chosen

    @property
    def _inverse(self) -> IntArray:
        if self.asked.is_lazy:
            raise InvalidChoiceError(
                "items that stay in files have no order here; write them with thumbwise triage, or use `accepts`, "
                "which tells of each pattern."
            )
        pool: Any = self.asked.sample.pool
        return np.asarray(pool.inverse)

    def in_review_order(self) -> IntArray:
        """Positions of the items that a person should look at, the least sure label first; ties by row.

        A look at an item sets its label right if it was wrong; the chance of that, as the ranking has it, is one minus
        the sureness. Chances add up, so whenever somebody stops, no other items as many as were looked at had more
        wrong labels to be expected among them. No order makes more of what is guaranteed: that speaks of accepted
        labels, and reviewed ones are no gold. The order is settled by votes and by the part of gold that teaches;
        certifying labels decide only how far it reaches.
        """
        rows = np.flatnonzero(~self.accepted)
        return rows[np.argsort(self.sureness[rows], kind="stable")]

    def rows(self) -> list[dict[str, Any]]:
        """One for each family: its class, what was asked, and what is accepted."""
        names = self.asked.sample.pool.class_names
        counts = self.asked.sample.pool.patterns.counts
        precision = {} if self.targets is None else self.targets.precision
        return [
            {
                "class": None if (number := part.family.number) is None else names[number],
                "precision_at_least": None if part.step is None else precision.get(number),
                "estimate": part.estimate,
                "threshold": part.threshold,
                "n_accepted": int(counts[part.accepts(self.ranked)[: len(counts)]].sum()),
                "n_items": int(counts[part.family.among[: len(counts)]].sum()),
                "n_gold": part.drawn,
                "n_wrong": part.wrong,
            }
            for part in self.families
        ]

    def curve(self, precisions: Sequence[float] = CURVE) -> Tidy:
        """How many labels can be accepted at each of several precisions, all of them at once.

        The error is shared evenly among the rows, so one may look at the curve and then choose a row. A set that is
        shown to be more precise than a row asks is good enough for that row too. *Guarantee*: all rows hold together at
        the confidence level; estimates are none. The precisions must be settled before gold labels are seen.

        Parameters
        ----------
        precisions : sequence of float

        Returns
        -------
        Tidy
            Columns ``precision``, ``accepted`` (share of all labels), ``n_accepted``, ``n_review`` (items that are not
            accepted, nor known to be gold), ``estimate`` (of the precision, on certifying gold), ``threshold``,
            ``n_gold`` and ``n_wrong`` (certifying gold items in the set, and the wrong ones of them); facts
            ``confidence_level``, ``is_guarantee``, ``n_items``, ``n_gold`` and ``n_certifying``.
        """
        shares = check_shares(precisions)
        claimed = self._claimed_at(self._ladder(), shares)
        counts = self.asked.sample.pool.patterns.counts
        chosen = [claimed[share].accepts(self._ranked_at(claimed[share]))[: len(counts)] for share in shares]
        taken = [int(counts[accepts].sum()) for accepts in chosen]
        return Tidy.of(
            {
                "precision": shares,
                "accepted": [n / self.n_items for n in taken],
                "n_accepted": taken,
                "n_review": [self.n_items - n - self._n_gold_beside(a) for n, a in zip(taken, chosen, strict=True)],
                "estimate": [claimed[share].estimate for share in shares],
                "threshold": [claimed[share].threshold for share in shares],
                "n_gold": [claimed[share].drawn for share in shares],
                "n_wrong": [claimed[share].wrong for share in shares],
            },
            confidence_level=self.confidence_level,
            is_guarantee=self.is_guarantee,
            n_items=self.n_items,
            n_gold=len(self.asked.sample),
            n_certifying=len(self.ranked.labels),
        )

    def _claimed_at(self, ladder: Ladder, shares: Sequence[float]) -> dict[float, Accepted]:
        """The largest set that is shown to be so precise, or more so by a test for another of these shares."""
        error = self.asked.sample.stopping.each(1 - (self.confidence_level or 0)) / len(shares)
        family = Family(None, np.ones(len(self.ranked.size), dtype=bool), ladder)
        claimed, found = np.zeros(len(ladder), dtype=bool), {}
        for share in sorted(shares, reverse=True):
            claimed = claimed | ladder.precise(share, error)
            found[share] = Accepted.largest(family, claimed)
        return found

    def _ladder(self) -> Ladder:
        return climb(self.ranked) if self.cascade is None else climb_stages(self.cascade)

    def _ranked_at(self, part: Accepted) -> Ranked:
        """What is proposed if this is accepted: in a cascade, a threshold says which stage proposes."""
        return self.ranked if self.cascade is None else self.cascade.at(part.level).ranked

    @property
    def sentences(self) -> list[str]:
        """What may be quoted, a sentence each."""
        if self.looks is not None:
            return [self.evidence.state(self._claim_of_looks(self.looks))]
        claims = self._claims()
        if not claims:
            return [
                f"No label can be accepted: {len(self.ranked.labels):,} certifying gold labels do not show any set of "
                "them to be as good as asked."
            ]
        return [self.evidence.state(" and ".join(claims))]

    def _claim_of_looks(self, looks: Looks) -> str:
        about = "" if looks.estimate is None else f" (estimate {percent(looks.estimate)})"
        return (
            f"at least {percent_at_least(looks.accuracy_at_least)} of the labels of all {looks.n_items:,} items are "
            f"right{about} once people have looked at {plural(looks.n_looks, 'item')}, whose labels count as right"
        )

    def _claims(self) -> list[str]:
        claims = []
        for row in self.rows():
            if row["n_accepted"] and row["precision_at_least"] is not None:
                which = "" if row["class"] is None else f" as {row['class']}"
                about = "" if row["estimate"] is None else f" (estimate {percent(row['estimate'])})"
                what = f"accepted{which} are right" if self.cascade is None else "that judges decide agree with people"
                claims.append(
                    f"at least {percent_at_least(row['precision_at_least'])} of the {row['n_accepted']:,} labels "
                    f"{what}{about}"
                )
        names = self.asked.sample.pool.class_names
        recall = {} if self.targets is None or not self.accepts.any() else self.targets.recall
        claims += [
            f"at most {percent(1 - share, 1)} of the items of {names[c]} are accepted under another label"
            for c, share in recall.items()
        ]
        return claims

    def __str__(self) -> str:
        left = f"{self.n_review:,} of {self.n_items:,} items are left for a person to look at."
        return "\n".join([*self.sentences, left, *([] if self.cascade is None else [self.cascade.sentence])])

    def __repr__(self) -> str:
        return str(self)

    def as_dict(self) -> dict[str, Any]:
        """What the command writes as JSON."""
        looks = self.looks
        return {
            "n_items": self.n_items,
            "n_accepted": self.n_accepted,
            "n_review": self.n_review,
            "n_gold": len(self.asked.sample),
            "n_taught": self.ranked.n_taught,
            "confidence_level": self.confidence_level,
            "assumption": self.assumption,
            "is_guarantee": self.is_guarantee,
            "sentences": self.sentences,
            "rows": self.rows(),
            "recall": self._recall(),
            "accuracy_at_least": None if looks is None else looks.accuracy_at_least,
            "estimate": None if looks is None else looks.estimate,
            "cascade": None if self.cascade is None else self.cascade.as_dict(),
        }

    def _recall(self) -> dict[str, float]:
        names = self.asked.sample.pool.class_names
        return {} if self.targets is None else {str(names[c]): share for c, share in self.targets.recall.items()}
