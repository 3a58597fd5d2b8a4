"""Certificate of a fit: what is proved about it, under which assumption, in numbers and in a sentence."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from thumbwise.box.evidence import Evidence, Statement
from thumbwise.game.accuracy import AccuracyProof, all_known, not_known
from thumbwise.game.caution import CautiousFit
from thumbwise.numerics.feasibility import Widening
from thumbwise.numerics.maxent import Problem, box_violation, mean_entropy
from thumbwise.outward import at_most, round_up
from thumbwise.summaries import Shown, ShowsItself, show_certificate
from thumbwise.votes.labels import KnownLabels


@dataclass(frozen=True)
class Certificate(Statement, ShowsItself):
    """A bound on the mean log loss of a prediction on the items it was fitted to.

    The bound is the dual value of the game, which no labeling in the box can exceed, whether or not the fit converged.
    It speaks of these items only, not of items scored later. Items that keep their gold label have no loss; the bound
    is for the others, and ``log_loss_bound_all`` for all.

    *Guarantee*: if the true labeling satisfies the box, the mean log loss is at most ``log_loss_bound``. For a box from
    gold this holds with probability at least ``confidence_level``, under ``assumption``, if rules, moments and level
    were decided before gold labels were seen; ``is_guarantee`` says whether something speaks against it.

    Attributes
    ----------
    log_loss_bound : float
        Mean log loss in nats, at most, over the items whose label is not known.
    log_loss_bound_all : float
        The same over all items, those that keep their gold label included, at no loss.
    baseline : float
        What the class frequencies alone would prove, without any vote, from the same gold labels with all of the
        allowed error for themselves. A bound that is not below it proves nothing about the rules.
    entropy : float
        Mean entropy of the prediction. If the prediction lies in the box, no bound can be lower.
    gap : float
        How much of what was minimised is left to convergence; with a caution of 1, ``log_loss_bound - entropy``.
    kkt_residual, box_violation : float
        Of what was minimised, and of the prediction. In natural units: 0.01 is one accuracy point.
    accuracy_at_least : float or None
        Share of right labels, at least, over the same items.
    accuracy : AccuracyProof or None
        Its proof, and the same for each class.
    caution : float
        1 if the weights are those of the worst case, less if they aim at gold too. The bound holds for all.
    n_items, n_known, n_reviewed : int
        Items, how many of them keep a label that is known, and how many of these were reviewed and are no gold.
    evidence : Evidence
        Where the intervals come from, and whether they are still believed.
    right_labels : callable or AccuracyProof or None
        What finds ``accuracy``, or itself.

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
    baseline: float
    evidence: Evidence
    caution: float = 1.0
    n_reviewed: int = 0
    right_labels: Callable[[], AccuracyProof] | AccuracyProof | None = field(default=None, repr=False, compare=False)

    @classmethod
    def from_fit(
        cls,
        fit: CautiousFit,
        problem: Problem,
        *,
        n_items: int,
        evidence: Evidence,
        baseline: float,
        known: KnownLabels | None = None,
    ) -> Certificate:
        """The certificate of weights for a game, converged or not."""
        return cls(
            log_loss_bound=max(0.0, fit.bound),  # log loss is never negative, rounding may be
            entropy=mean_entropy(fit.point),
            gap=fit.solution.gap,
            kkt_residual=fit.solution.kkt_residual,
            box_violation=box_violation(fit.point, problem),
            n_items=n_items,
            n_known=0 if known is None else len(known),
            n_classes=problem.n_classes,
            baseline=baseline,
            evidence=evidence,
            caution=fit.caution,
            n_reviewed=0 if known is None else known.n_reviewed,
        )

    @cached_property
    def accuracy(self) -> AccuracyProof | None:
        """How many labels are right, at least, in all and by class; found when first asked for."""
        return self.right_labels() if callable(self.right_labels) else self.right_labels

    @property
    def accuracy_at_least(self) -> float | None:
        """Share of right labels among the items whose label is not known, at least; None if a file does not tell.

        It holds with the same confidence as the bound on the log loss, each of the two on its own.
        """
        return None if self.accuracy is None else self.accuracy.accuracy_at_least

    @property
    def log_loss_bound_all(self) -> float:
        """``log_loss_bound * n_open / n_items``."""
        return self.log_loss_bound * (self.n_open / max(1, self.n_items))

    @property
    def n_open(self) -> int:
        """Items whose label is not known."""
        return self.n_items - self.n_known

    @property
    def widening(self) -> Widening | None:
        """By how much the intervals had to be widened because they contradicted each other, if they did."""
        return self.evidence.widening

    @property
    def guessing(self) -> float:
        """Log loss of giving all classes the same probability."""
        return math.log(self.n_classes)

    @property
    def proves_nothing(self) -> bool:
        """Whether the bound is no better than the baseline, up to the third digit after the point."""
        return self.n_open > 0 and round_up(self.log_loss_bound) >= round_up(self.baseline)

    @property
    def knows_no_frequencies(self) -> bool:
        """Whether the baseline is that of guessing, to three digits: the class frequencies alone prove nothing."""
        return math.isclose(self.baseline, self.guessing, abs_tol=5e-4)

    def _shown(self) -> Shown:
        return show_certificate(self)

    def __str__(self) -> str:
        if self.n_open == 0:
            return all_known(self.n_items, self.n_reviewed)
        bound = f"the mean log loss on {self._items()} is at most {at_most(self.log_loss_bound)}"
        overall = f"{at_most(self.log_loss_bound_all)} over all {self.n_items:,}; " if self.n_known else ""
        stated = self.evidence.state(f"{bound} ({overall}{self._beside()})")
        if self.is_guarantee and self.proves_nothing:
            return (
                f"This proves nothing about the rules: without them the bound would be no higher. {stated} "
                "More gold labels or better rules are needed."
            )
        return stated

    def _items(self) -> str:
        if not self.n_known:
            return "this item" if self.n_items == 1 else f"these {self.n_items:,} items"
        one = "one" if self.n_open == 1 else f"{self.n_open:,}"
        others = not_known(self.n_known, self.n_reviewed) if self.n_reviewed else ""
        return f"the {one} of these {self.n_items:,} items {f'that are {others}' if others else 'without a gold label'}"

    def _beside(self) -> str:
        if self.knows_no_frequencies:
            return f"ln {self.n_classes} = {self.guessing:.3f} would be guessing"
        return f"the class frequencies alone would give {at_most(self.baseline)}"
