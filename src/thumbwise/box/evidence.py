"""On what grounds a box is believed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from thumbwise.box.gold_checks.sample_check import SampleCheck
from thumbwise.exceptions import NoGuaranteeError
from thumbwise.numerics.feasibility import Widening
from thumbwise.outward import level


@dataclass(frozen=True)
class Evidence:
    """Why the box should contain the truth, and whether that is still believed: the one place for the verdict.

    Attributes
    ----------
    method : str
        How the intervals were made, in words.
    assumption : str
        What must hold for the statement to be true, as an "if" clause.
    confidence_level : float or None
        Probability that *all* intervals hold at once, if ``is_implied``; None if no probability is involved.
    is_implied : bool
        Whether the assumption implies that the box holds the truth at that confidence.
    n_gold : int
    pool : str or None
        Fingerprint of the votes that the statement is about; None if it is not tied to some.
    sample_check : SampleCheck or None
        Whether the votes speak against gold being a random sample, if it was to be one.
    objection : str or None
        What else is known that speaks against the assumption, such as items that were drawn and not labeled.
    widening : Widening or None
        By how much the intervals had to be widened because they contradicted each other, if they did.
    """

    method: str
    assumption: str
    confidence_level: float | None
    is_implied: bool
    n_gold: int = 0
    pool: str | None = None
    sample_check: SampleCheck | None = None
    objection: str | None = None
    widening: Widening | None = None

    @property
    def is_guarantee(self) -> bool:
        """Whether the assumption implies the statement, and neither votes nor intervals speak against it."""
        return self.is_implied and self.doubt is None and self.widening is None

    @property
    def weakness(self) -> str:
        """Why it is no guarantee, as the beginning of a sentence."""
        if self.widening is not None:
            return f"the intervals contradicted each other, so at least one of them is wrong; they were {self.widening}"
        if self.is_implied and self.doubt is not None:
            return self.doubt[0].lower() + self.doubt[1:].rstrip(".")
        return f"the intervals are {self.method}, and nothing bounds the chance that one of them is wrong"

    def state(self, claim: str) -> str:
        """A claim that follows if all intervals hold, as the sentence that may be printed: with the verdict.

        Every statement of a bound or a range is made here, so that none lacks its confidence level, its assumption
        or, where it is no guarantee, the reason why.
        """
        if not self.is_guarantee:
            return f"No guarantee: {self.weakness}. If all intervals held, {claim}."
        sure = "" if self.confidence_level is None else f"with {level(self.confidence_level)} confidence "
        sentence = f"{sure}{claim}, if {self.assumption}."
        return sentence[0].upper() + sentence[1:]

    @property
    def doubt(self) -> str | None:
        """What is known to speak against the assumption, if something is: an objection, or what the votes say."""
        if self.objection is not None:
            return self.objection
        return str(self.sample_check) if self.sample_check is not None and self.sample_check.fires else None


class Statement(ABC):
    """What follows if a box holds the truth, and so is worth what the evidence for the box is worth."""

    evidence: Evidence

    @property
    @abstractmethod
    def proves_nothing(self) -> bool:
        """Whether as much could be said without the votes."""

    @property
    def confidence_level(self) -> float | None:
        return self.evidence.confidence_level

    @property
    def assumption(self) -> str:
        return self.evidence.assumption

    @property
    def is_guarantee(self) -> bool:
        """Whether the assumption implies the statement, at the confidence level, and nothing speaks against it."""
        return self.evidence.is_guarantee

    @property
    def proves_something(self) -> bool:
        """Whether this is a guarantee, and says more than could be said without the votes."""
        return self.is_guarantee and not self.proves_nothing

    def require(self) -> None:
        """Raise :class:`NoGuaranteeError`, with the reason, if this is no guarantee or proves nothing."""
        if not self.proves_something:
            raise NoGuaranteeError(f"a guarantee is required, and there is none. {self}")
