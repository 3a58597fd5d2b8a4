"""What is proved about a fit, under which assumption, in numbers and in a sentence."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from thumbwise.evidence import Evidence
from thumbwise.feasibility import Widening
from thumbwise.numerics.solver import Solution
from thumbwise.shown import Shown, ShowsItself, show_certificate


@dataclass(frozen=True)
class Certificate(ShowsItself):
    """A bound on the mean log loss of a prediction on the items it was fitted to.

    The bound is the dual value of the game, which no labeling in the box can exceed, whether or not the fit converged.
    It speaks of these items only, not of items scored later.

    Attributes
    ----------
    log_loss_bound : float
        Mean log loss in nats, at most.
    entropy : float
        Mean entropy of the prediction. If the prediction lies in the box, no bound can be lower.
    gap : float
        ``log_loss_bound - entropy``: how much of the bound is left to convergence.
    kkt_residual, box_violation : float
        In natural units: 0.01 is one accuracy point.
    n_items, n_known : int
        Items the bound speaks of, and how many of them keep their gold label, at no loss.
    widening : Widening or None
        By how much the intervals had to be widened because they contradicted each other, if they did.
    evidence : Evidence
        Where the intervals come from.

    Examples
    --------
    >>> import thumbwise as tw
    >>> votes = tw.Votes([[0, 0], [1, 1], [1, 0], [1, -1]])
    >>> box = tw.Box.from_bounds(votes, {"rule_0": (0.9, 1)})
    >>> print(tw.BalsubramaniFreund().fit(votes, box=box).certificate_)  # doctest: +NORMALIZE_WHITESPACE
    The mean log loss on these 4 items is at most 0.326 (ln 2 = 0.693 would be guessing), if the true labeling satisfies
    the bounds that were written.
    """

    log_loss_bound: float
    entropy: float
    gap: float
    kkt_residual: float
    box_violation: float
    n_items: int
    n_known: int
    n_classes: int
    evidence: Evidence
    widening: Widening | None = None

    @classmethod
    def from_solution(
        cls,
        solution: Solution,
        *,
        n_items: int,
        evidence: Evidence,
        n_known: int = 0,
        widening: Widening | None = None,
    ) -> Certificate:
        return cls(
            log_loss_bound=max(0.0, solution.dual_value),  # log loss is never negative, rounding may be
            entropy=solution.entropy,
            gap=solution.gap,
            kkt_residual=solution.kkt_residual,
            box_violation=solution.box_violation,
            n_items=n_items,
            n_known=n_known,
            n_classes=solution.n_classes,
            evidence=evidence,
            widening=widening,
        )

    @property
    def confidence_level(self) -> float | None:
        return self.evidence.confidence_level

    @property
    def assumption(self) -> str:
        return self.evidence.assumption

    @property
    def guessing(self) -> float:
        """Log loss of giving all classes the same probability."""
        return math.log(self.n_classes)

    @property
    def is_guarantee(self) -> bool:
        """Whether the assumption implies the bound, at the confidence level, and the votes do not speak against it."""
        return self.evidence.stands and self.widening is None

    @property
    def proves_nothing(self) -> bool:
        """Whether the bound is no better than guessing, up to the third digit after the point."""
        return _round_up(self.log_loss_bound) >= _round_up(self.guessing)

    def _shown(self) -> Shown:
        return show_certificate(self)

    def __str__(self) -> str:
        items = "this item" if self.n_items == 1 else f"these {self.n_items:,} items"
        if self.n_known:
            items += f", of which {self.n_known:,} keep their gold label,"
        guessing = f"ln {self.n_classes} = {self.guessing:.3f} would be guessing"
        bound = f"the mean log loss on {items} is at most {_round_up(self.log_loss_bound):.3f} ({guessing})"
        if not self.is_guarantee:
            return f"No guarantee: {self._reason()}. If all intervals held, {bound}."
        if self.proves_nothing:
            return (
                f"This proves nothing: the intervals do not exclude that {items} are labeled no better than by "
                f"guessing ({guessing}). More gold labels or better rules are needed."
            )
        level = f"With {100 * self.confidence_level:.4g} % confidence " if self.confidence_level is not None else ""
        sentence = f"{level}{bound}, if {self.assumption}."
        return sentence[0].upper() + sentence[1:]

    def _reason(self) -> str:
        if self.widening is not None:
            return f"the intervals contradicted each other, so at least one of them is wrong; they were {self.widening}"
        return self.evidence.weakness


def _round_up(value: float) -> float:
    """To three digits after the point, upward: a bound that is printed must still be one."""
    return float(np.ceil(max(0.0, value * 1000 - 1e-9)) / 1000)
