"""On what grounds a box is believed."""

from __future__ import annotations

from dataclasses import dataclass

from thumbwise.gold_checks.sample_check import SampleCheck


@dataclass(frozen=True)
class Evidence:
    """Why the box should contain the truth.

    Attributes
    ----------
    method : str
        How the intervals were made, in words.
    assumption : str
        What must hold for the statement to be true, as an "if" clause.
    confidence_level : float or None
        Probability that *all* intervals hold at once, if ``is_guarantee``; None if no probability is involved.
    is_guarantee : bool
        Whether the assumption implies that the box holds the truth at that confidence.
    n_gold : int
    pool : str or None
        Fingerprint of the votes that the statement is about; None if it is not tied to some.
    sample_check : SampleCheck or None
        Whether the votes speak against gold being a random sample, if it was to be one.
    """

    method: str
    assumption: str
    confidence_level: float | None
    is_guarantee: bool
    n_gold: int = 0
    pool: str | None = None
    sample_check: SampleCheck | None = None

    @property
    def stands(self) -> bool:
        """Whether the assumption implies the statement, and the votes do not speak against the assumption."""
        return self.is_guarantee and self.doubt is None

    @property
    def weakness(self) -> str:
        """Why it does not stand, as the beginning of a sentence."""
        if self.is_guarantee and self.doubt is not None:
            return self.doubt[0].lower() + self.doubt[1:].rstrip(".")
        return f"the intervals are {self.method}, and nothing bounds the chance that one of them is wrong"

    @property
    def doubt(self) -> str | None:
        """What the votes say against the assumption, if they do."""
        return str(self.sample_check) if self.sample_check is not None and self.sample_check.fires else None


def gold_evidence(
    n_gold: int, pool: str, level: float, design: str, interval: str, joint: bool, given: bool
) -> Evidence:
    """What intervals from gold rest on. ``design`` is how gold was drawn, ``pool`` the fingerprint of its votes."""
    items = f"the {n_gold:,} gold {'item is' if n_gold == 1 else 'items are'}"
    assumption = {
        "subset": f"{items} a random sample of them",
        "separate": f"{items} drawn at random like them, from the same source",
        "stratified": f"{items} drawn at random within each group",
        "with_replacement": f"{items} drawn from them with replacement, with the chances that their weights say",
        "poisson": f"{items} those of them that were drawn, each on its own with the chance that its weight says",
    }[design]
    if given:
        assumption += ", and the class frequencies lie where they are said to"
    exact = "approximate (Wilson)" if interval == "wilson" else "exact (hypergeometric)"
    kinds = {"stratified": "finite-sample (Chernoff over the groups)"}
    kinds |= dict.fromkeys(("with_replacement", "poisson"), "finite-sample (betting on weighted items)")
    kind = kinds.get(design, exact)
    method = f"{kind} {'joint' if joint else 'one by one'} at {level:.4g} from {n_gold:,} gold items"
    return Evidence(method, assumption, level, interval == "exact" and joint, n_gold, pool)
