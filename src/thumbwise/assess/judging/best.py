"""The best single judge beside the panel."""

from __future__ import annotations

from dataclasses import dataclass

from scipy.stats import binomtest

from thumbwise.assess.judging.heard import Heard
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.outward import round_up


@dataclass(frozen=True)
class BestJudge:
    """The judge that is right on most gold items, and the panel on the same items; who is silent is not right.

    An estimate: which judge is best was seen from the labels, so on other items it is less far ahead, on average.

    Attributes
    ----------
    judge : str
    n_right, n_silent : int
        Gold items on which the judge is right, and on which it does not vote.
    panel_right, panel_silent : int
        The same of the panel, which is silent where votes are tied.
    n_gold : int
    p_value : float
        Two-sided sign test on the gold items where one of both alone is right, times the number of judges among which
        this one was chosen; at most 1.
    is_real : bool
        Whether ``p_value`` is at most one minus the confidence level: such a difference is not by chance.
    """

    judge: str
    n_right: int
    n_silent: int
    panel_right: int
    panel_silent: int
    n_gold: int
    p_value: float
    is_real: bool

    @property
    def is_as_good(self) -> bool:
        """Whether the panel is not better, on these gold items."""
        return self.n_right >= self.panel_right

    def __str__(self) -> str:
        judge = f"right on {self.n_right:,} of {self.n_gold:,} gold items{_silent(self.n_silent)}"
        panel = f"the panel on {self.panel_right:,}{_silent(self.panel_silent)}"
        corrected = f"p = {round_up(self.p_value):.3f}, corrected for the choice of the best"
        if not self.is_as_good:
            verdict = "which is more than chance" if self.is_real else "which may be chance"
            return f"The best single judge, {self.judge}, is {judge}, {panel}, {verdict} ({corrected})."
        verb = "better than" if self.is_real else "as good as"
        chosen = "an estimate, as the judge was chosen by these labels"
        return f"The best single judge, {self.judge}, is {verb} the panel: {judge}, {panel} ({chosen}; {corrected})."


def _silent(n_items: int) -> str:
    return f" (silent on {n_items:,})" if n_items else ""


def find_best(heard: Heard, confidence_level: float) -> BestJudge | None:
    """The judge that is right on most gold items, the first of several; None without a panel.

    The panel is settled before gold labels are seen, the judge after.
    """
    if not heard.has_panel:
        return None
    is_right = heard.is_right
    panel, judges = is_right[:, -1], is_right[:, :-1]
    best = int(judges.sum(axis=0).argmax())
    alone = int((judges[:, best] & ~panel).sum()), int((panel & ~judges[:, best]).sum())
    p_value = float(binomtest(alone[0], sum(alone)).pvalue) if sum(alone) else 1.0
    corrected = min(1.0, p_value * heard.n_judges)
    return BestJudge(
        judge=heard.names[best],
        n_right=int(judges[:, best].sum()),
        n_silent=int((heard.on_gold[:, best] == ABSTAIN).sum()),
        panel_right=int(panel.sum()),
        panel_silent=int((heard.on_gold[:, -1] == ABSTAIN).sum()),
        n_gold=len(panel),
        p_value=corrected,
        is_real=corrected <= 1 - confidence_level,
    )
