"""What is found about judges: tables, single numbers, and the sentences that say them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from thumbwise.assess.judging.best import BestJudge
from thumbwise.assess.judging.scores import GoldRate, JudgeScore
from thumbwise.assess.redundancy import ErrorCorrelation, ErrorPair
from thumbwise.assess.tables.tidy import Tidy
from thumbwise.box.evidence import Evidence
from thumbwise.outward import at_least, at_most
from thumbwise.summaries import NOTHING, Shown, ShowsItself, one_line, plural


@dataclass(frozen=True, eq=False)
class Judges(ShowsItself):
    """Judges against gold. Made by :func:`judges`.

    *Guarantee*: all intervals, of agreements and of rates, hold together at the confidence level, under the assumption
    in ``evidence``. Kappa, alpha, correlations, the effective number, costs per right label and who is best are
    estimates.

    Attributes
    ----------
    scores : tuple of JudgeScore
        The judges, most often right on gold first; those that never vote on gold last.
    panel : JudgeScore or None
        What they say together, from votes alone; None if fewer than two judges differ.
    best_judge : BestJudge or None
        The best single judge beside the panel.
    krippendorff_alpha : float
        Krippendorff's alpha of the judges among each other, for classes without an order. NaN if no item has two votes,
        or all votes are for one class.
    n_paired : int
        Items with two votes or more, over which alpha is taken.
    errors : ErrorCorrelation
        Phi coefficients of the errors of all pairs of judges, on gold items where both vote.
    mean_error_correlation : float
        Of these, the mean over pairs, each weighed by the gold items that it shares; NaN if there is none.
    effective_judges : float
        J / (1 + (J - 1) * mean correlation) for the J judges that vote on gold: the mean of J errors that correlate so
        varies as much as that of so many independent ones. A mean below 0 counts as 0.
    disagreements : Tidy
        Gold items on which judges are wrong, most wrong judges first: the id, ``gold``, ``n_wrong``, ``n_votes``,
        ``panel``, a column for each judge, and the columns that were passed on.
    class_names : tuple
        Classes whose rates were asked for.
    evidence : Evidence
        What the intervals rest on.
    n_intervals : int
        Over how many intervals the allowed error is split evenly.
    n_items, n_gold, n_shown : int
    remarks : tuple of str
        What has no interval, and why.
    """

    scores: tuple[JudgeScore, ...]
    panel: JudgeScore | None
    best_judge: BestJudge | None
    krippendorff_alpha: float
    n_paired: int
    errors: ErrorCorrelation = field(repr=False)
    mean_error_correlation: float
    effective_judges: float
    disagreements: Tidy
    class_names: tuple[Hashable, ...]
    evidence: Evidence
    n_intervals: int
    n_items: int
    n_gold: int
    n_shown: int = 20
    remarks: tuple[str, ...] = ()

    @property
    def has_steps(self) -> bool:
        """Whether classes are ordered, so that it is known how far judges are off."""
        return any(score.steps is not None for score in self.scores)

    @property
    def has_costs(self) -> bool:
        """Whether the cost of a vote is known of at least one judge."""
        return any(score.cost == score.cost for score in self.scores)

    @property
    def rows(self) -> tuple[JudgeScore, ...]:
        """The judges, and the panel after them."""
        return self.scores if self.panel is None else (*self.scores, self.panel)

    def frame(self) -> dict[str, list[Any]]:
        """Every judge, and the panel last, as columns that pandas and polars take."""
        rows = self.rows
        return {
            "judge": [row.judge for row in rows],
            "is_panel": [row is self.panel for row in rows],
            "n_votes": [row.n_votes for row in rows],
            "n_gold": [row.n_gold for row in rows],
            "n_right": [row.n_right for row in rows],
            "agreement": [row.agreement for row in rows],
            "lower": [row.interval[0] for row in rows],
            "upper": [row.interval[1] for row in rows],
            "kappa": [row.kappa for row in rows],
            "cost_per_label": [row.cost for row in rows],
            "cost_per_right_label": [row.cost_per_right for row in rows],
            **self._steps_columns(),
        }

    def _steps_columns(self) -> dict[str, list[Any]]:
        """How far judges are off, if classes are ordered."""
        steps = [row.steps for row in self.rows if row.steps is not None]
        if not steps:
            return {}
        return {
            "within_one_step": [one.within_one for one in steps],
            "within_lower": [one.interval[0] for one in steps],
            "within_upper": [one.interval[1] for one in steps],
            "mean_absolute_error": [one.mean_absolute_error for one in steps],
            "bias": [one.bias for one in steps],
            "quadratic_kappa": [one.quadratic_kappa for one in steps],
        }

    def rates_frame(self) -> dict[str, list[Any]]:
        """True and false positive rates, a row for each judge and class that was asked for."""
        pairs = [(row, rates) for row in self.rows for rates in row.rates]
        columns: dict[str, list[Any]] = {
            "judge": [row.judge for row, _ in pairs],
            "is_panel": [row is self.panel for row, _ in pairs],
            "class": [rates.class_name for _, rates in pairs],
        }
        for side in ("true_positive", "false_positive"):
            of_side: list[GoldRate] = [getattr(rates, side) for _, rates in pairs]
            columns[f"{side}_rate"] = [rate.estimate for rate in of_side]
            columns[f"{side}_lower"] = [rate.interval[0] for rate in of_side]
            columns[f"{side}_upper"] = [rate.interval[1] for rate in of_side]
            columns[f"{side}_n_gold"] = [rate.n_gold for rate in of_side]
        return columns

    @property
    def error_pairs(self) -> list[ErrorPair]:
        """Pairs of judges with the correlation of their errors, largest first."""
        return self.errors.pairs()

    @property
    def guarantee(self) -> str:
        """What holds together, if what; or why nothing does."""
        what = "interval holds" if self.n_intervals == 1 else "intervals hold together"
        return self.evidence.state(f"the {self.n_intervals:,} {what}" if self.n_intervals else "no interval is stated")

    @property
    def sentences(self) -> list[str]:
        """What is found, one sentence each."""
        parts = [self.guarantee, self._budget(), *self.remarks, self._among_each_other(), self._together()]
        return [sentence for sentence in (*parts, "" if self.best_judge is None else str(self.best_judge)) if sentence]

    def _budget(self) -> str:
        if self.n_intervals < 2:
            return ""
        return "Their shares of the allowed error are equal, settled before any gold label was seen."

    def _among_each_other(self) -> str:
        if np.isnan(self.krippendorff_alpha):
            return ""
        items = plural(self.n_paired, "item")
        return (
            f"Among each other the judges agree with Krippendorff's alpha {self.krippendorff_alpha:.3f}, on {items} "
            "with two votes or more (1: always; 0: as by chance)."
        )

    def _together(self) -> str:
        if np.isnan(self.mean_error_correlation):
            return ""
        n_judges = sum(score.n_gold > 0 for score in self.scores)
        return (
            f"Their errors on gold correlate by {self.mean_error_correlation:.2f} on average: {n_judges:,} judges "
            f"are worth {self.effective_judges:.1f} that err independently (an estimate)."
        )

    def _shown(self) -> Shown:
        rows = [self._cells(row) for row in (*self.scores[: self.n_shown], *([self.panel] if self.panel else []))]
        headers = ("judge", "votes", "gold votes", "agreement", "at least", "at most", "kappa")
        more = len(self.scores) - self.n_shown
        left_out = (f"... and {plural(more, 'judge')} more: see frame().",) if more > 0 else ()
        return Shown(repr(self), headers, tuple(rows), (*left_out, *self.sentences))

    def _cells(self, row: JudgeScore) -> tuple[str, ...]:
        numbers = (known(row.agreement), *ends(row.interval), known(row.kappa))
        return (one_line(row.judge), f"{row.n_votes:,}", f"{row.n_gold:,}", *numbers)

    def __repr__(self) -> str:
        sizes = f"{plural(len(self.scores), 'judge')}, {plural(self.n_items, 'item')}"
        in_dispute = f"{plural(len(self.disagreements), 'item')} in dispute"
        return f"Judges: {sizes}, {plural(self.n_gold, 'gold label')}, {in_dispute}"

    def __str__(self) -> str:
        return " ".join(self.sentences)


def known(value: float, digits: int = 3) -> str:
    """A number, a dash where it is not known."""
    return f"{value:.{digits}f}" if np.isfinite(value) else NOTHING


def ends(interval: tuple[float, float]) -> tuple[str, str]:
    """Both ends of an interval, rounded outward; dashes where it says nothing."""
    return (NOTHING, NOTHING) if interval == (0.0, 1.0) else (at_least(interval[0]), at_most(interval[1]))
