"""The best single judge beside the panel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import binomtest

from thumbwise._typing import AnyArray
from thumbwise.assess.judging.heard import Heard
from thumbwise.box.designs.clusters import clusters_of
from thumbwise.box.gold import GoldSample
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.outward import round_up

# A judge can stand in for the panel if it votes on at least this share of the items that the busiest one votes on.
_BUSY = 0.5


@dataclass(frozen=True)
class BestJudge:
    """The judge that is right most often on gold, and the panel on the same items.

    Chosen among the judges that vote on at least half as many items as the one with most votes, which is known before
    gold is; by how often they are right, which is not. So this is an estimate: on other items the judge is less far
    ahead, on average.

    Attributes
    ----------
    judge : str
    n_gold : int
        Gold items on which it votes.
    n_right, panel_right : int
        Of these, on how many the judge is right, and the panel; the panel is silent, and not right, where votes are
        tied.
    p_value : float
        Two-sided sign test on the items where one of both alone is right (or the clusters, where gold was drawn in
        such, in which one of both is right more often), times the number of judges among which this
        one was chosen; at most 1.
    is_real : bool
        Whether ``p_value`` is at most one minus the confidence level: such a difference is not by chance.
    """

    judge: str
    n_gold: int
    n_right: int
    panel_right: int
    p_value: float
    is_real: bool

    @property
    def is_as_good(self) -> bool:
        """Whether the panel is not better, on these gold items."""
        return self.n_right >= self.panel_right

    def __str__(self) -> str:
        judge = f"right on {self.n_right:,} of the {self.n_gold:,} gold items on which it votes"
        panel = f"the panel on {self.panel_right:,} of them"
        corrected = f"p = {round_up(self.p_value):.3f}, corrected for the choice of the best"
        if not self.is_as_good:
            verdict = "which is more than chance" if self.is_real else "which may be chance"
            return f"The best single judge, {self.judge}, is {judge}, {panel}, {verdict} ({corrected})."
        verb = "better than" if self.is_real else "as good as"
        chosen = "an estimate, as the judge was chosen by these labels"
        return f"The best single judge, {self.judge}, is {verb} the panel: {judge}, {panel} ({chosen}; {corrected})."


def find_best(heard: Heard, confidence_level: float) -> BestJudge | None:
    """The busy judge that is right most often where it votes, the first of several; None without a panel or votes.

    The panel, and who is busy, is settled before gold labels are seen, the judge after.
    """
    n_votes, n_gold = heard.n_voted[: heard.n_judges], heard.counts.drawn[: heard.n_judges]
    is_busy = (n_votes >= _BUSY * n_votes.max(initial=0)) & (n_gold > 0)
    if not (heard.has_panel and is_busy.any()):
        return None
    agreement = np.where(is_busy, heard.counts.right[: heard.n_judges] / np.maximum(n_gold, 1), -1.0)
    best = int(agreement.argmax())
    voted = heard.on_gold[:, best] != ABSTAIN
    judge, panel = heard.is_right[voted, best], heard.is_right[voted, -1]
    alone = _alone(judge.astype(int) - panel, heard.sample, voted)
    p_value = float(binomtest(alone[0], sum(alone)).pvalue) if sum(alone) else 1.0
    corrected = min(1.0, p_value * int(is_busy.sum()))
    return BestJudge(
        judge=heard.names[best],
        n_gold=int(voted.sum()),
        n_right=int(judge.sum()),
        panel_right=int(panel.sum()),
        p_value=corrected,
        is_real=corrected <= 1 - confidence_level,
    )


def _alone(ahead: AnyArray, sample: GoldSample, voted: AnyArray) -> tuple[int, int]:
    """On how many items, or in how many clusters if these were drawn, the judge is ahead, and the panel."""
    drawn = clusters_of(sample)
    if drawn is not None:
        ahead = np.bincount(drawn.gold_codes[voted], ahead, minlength=len(drawn.names))
    return int((ahead > 0).sum()), int((ahead < 0).sum())
