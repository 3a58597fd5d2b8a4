"""What scores mean: the ranks of each judge's scores among all of its own, and where its verdict changes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.numerics.ranks import Ranks
from thumbwise.votes.reading.score_cells import ScoresAre


@dataclass(frozen=True, eq=False)
class ScoreScale:
    """How scores become ranks and verdicts; settled from the scores of all items, and from no label.

    Attributes
    ----------
    scores_are : {"ratings", "probabilities", "log-probabilities", "confidences"}
    high : int
        Of two classes, the number of the one that high scores speak for.
    n_classes : int
        Of more than two, each judge has a score for each class.
    ranks : tuple of tuples of Ranks
        For each judge, and each of its scores.
    cut : float or None
        Where the verdict changes, the same for all judges; None if each judge's own middle is meant.
    takes_cut : bool
        Whether a score that is exactly there speaks for the class of high scores; if not, it says nothing.
    n_items : int
        Of how many items the scale was made.
    n_levels : int
        Through how many groups of items, at most, the scores enter the labels.
    is_by_class : bool
        Whether judges have a column for each class.
    """

    scores_are: ScoresAre
    high: int
    n_classes: int
    ranks: tuple[tuple[Ranks, ...], ...]
    cut: float | None
    takes_cut: bool
    n_items: int
    n_levels: int
    is_by_class: bool = False

    @property
    def has_own_middles(self) -> bool:
        """Whether verdicts depend on what else a judge says."""
        return self.scores_are == "ratings" and self.cut is None

    def declared(
        self, class_names: Sequence[Hashable]
    ) -> tuple[Hashable, ScoresAre, Sequence[Hashable], float | None, int]:
        """What was said of the scores: the class of high ones, their kind, the classes, the threshold, the levels."""
        has_high = self.n_classes == 2 and self.scores_are != "confidences" and not self.is_by_class
        threshold = self.cut if self.takes_cut else None
        return class_names[self.high] if has_high else None, self.scores_are, class_names, threshold, self.n_levels

    def ranked(self, scores: FloatArray) -> FloatArray:
        """Ranks in (-1/2, 1/2), the larger the more a score speaks for the class, 0 where there is none.

        Shape (n_items, n_rules * n_scored); for two classes, of the second.
        """
        columns = [rank.centred(scores[:, j, c]) for j, own in enumerate(self.ranks) for c, rank in enumerate(own)]
        sign = -1.0 if self.n_classes == 2 and self.high == 0 else 1.0
        return sign * np.stack(columns, axis=1)

    def verdicts(self, scores: FloatArray) -> IntArray:
        """Class number for each item and judge, -1 where there is no score, or it says nothing."""
        if self.n_classes > 2:
            return _most_likely(scores)
        flat = scores[:, :, 0]
        if self.cut is None:
            side = np.stack([own[0].above_middle(flat[:, j]) for j, own in enumerate(self.ranks)], axis=1)
        else:
            side = np.where(np.isnan(flat), 0, np.sign(flat - self.cut))
            side = np.where(self.takes_cut & (flat == self.cut), 1, side)
        return np.where(side == 0, ABSTAIN, np.where(side > 0, self.high, 1 - self.high)).astype(np.int64)

    def with_rules(self, rules: Sequence[int]) -> ScoreScale:
        """For some judges, in this order."""
        return replace(self, ranks=tuple(self.ranks[j] for j in rules))

    def with_classes(self, order: Sequence[int]) -> ScoreScale:
        """With the classes in another order: those that are at these places now."""
        if self.n_classes == 2:
            return replace(self, high=list(order).index(self.high))
        return replace(self, ranks=tuple(tuple(own[c] for c in order) for own in self.ranks))

    def describe(self, rule_names: Sequence[str], class_names: Sequence[Hashable]) -> tuple[str, ...]:
        """What was done, in words."""
        what = f"scores are {self.scores_are}; only the order of a judge's own scores counts"
        levels = f"labels use all scores, through at most {self.n_levels} levels; other methods use the verdicts"
        even = [name for name, own in zip(rule_names, self.ranks, strict=True) if max(len(r.values) for r in own) < 2]
        note = f"judges whose scores are all the same, and tell nothing: {', '.join(map(repr, even[:10]))}"
        return (what, self._verdict_rule(rule_names, class_names), levels, *([note] if even else []))

    def _verdict_rule(self, rule_names: Sequence[str], class_names: Sequence[Hashable]) -> str:
        if self.scores_are == "confidences":
            return "verdicts are those that stand beside the confidences"
        if self.n_classes > 2:
            return "a judge's verdict is the class of its highest score, none if two are as high"
        high, low = class_names[self.high], class_names[1 - self.high]
        if self.cut is not None:
            above = f"at or above {self.cut:g}" if self.takes_cut else f"above {self.cut:.4g}"
            return f"high scores speak for {high!r}: a judge's verdict is {high!r} {above}, otherwise {low!r}"
        words = (
            f"high scores speak for {high!r}: a judge's verdict is {high!r} where more of its own scores are lower "
            f"than higher, {low!r} where fewer are, none where as many are"
        )
        from_up = {name: _from_up(own[0]) for name, own in zip(rule_names, self.ranks, strict=True)}
        speaking = {name: least for name, least in from_up.items() if least is not None}
        if not speaking:
            return words
        least, most = (chosen(speaking, key=lambda name: speaking[name]) for chosen in (min, max))
        return f"{words} ({high!r} from {speaking[least]:g} for {least!r} to {speaking[most]:g} for {most!r})"


def _from_up(ranks: Ranks) -> float | None:
    """The lowest score with more scores below than above."""
    above = ranks.values[ranks.above_middle(ranks.values) > 0]
    return float(above[0]) if len(above) else None


def _most_likely(scores: FloatArray) -> IntArray:
    filled = np.where(np.isnan(scores), -np.inf, scores)
    top = np.sort(filled, axis=2)
    return np.where(top[:, :, -1] > top[:, :, -2], filled.argmax(axis=2), ABSTAIN)
