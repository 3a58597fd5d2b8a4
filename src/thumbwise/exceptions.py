"""One family of errors. Every message says what must hold, what was found, where, how many, and how to mend it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


class ThumbwiseError(Exception):
    """Base class of every error that thumbwise raises on purpose."""


class InvalidVotesError(ThumbwiseError, ValueError):
    """The votes cannot be read as classes and abstentions."""


class InvalidLabelsError(ThumbwiseError, ValueError):
    """The gold labels, or their ids, do not fit the votes."""


class InvalidBoxError(ThumbwiseError, ValueError):
    """The intervals are not intervals, or speak of other rules or items than the votes."""


class InvalidFileError(ThumbwiseError, ValueError):
    """A file cannot be read as what its ending or its columns promise, or cannot be written."""


class InvalidChoiceError(ThumbwiseError, ValueError):
    """A name that stands for nothing here."""


class NoGuaranteeError(ThumbwiseError):
    """A guarantee was asked for, and there is none, or it proves nothing."""


class MissingPackageError(ThumbwiseError, ImportError):
    """Something that thumbwise can use is not installed."""


class FailedFitError(ThumbwiseError, RuntimeError):
    """One fit of an experiment ended in an error; the rows of the others are kept."""


class InvalidRuleError(ThumbwiseError, ValueError):
    """A rule has no name, or the name of another, or cannot be sent to a process."""


class FailedRuleError(ThumbwiseError, RuntimeError):
    """A rule raised an error on an item, or returned something that is no class."""


class FailedRuleWarning(UserWarning):
    """Rules failed on some items; no vote is known there."""


class DegenerateFitWarning(UserWarning):
    """A fit ended where the model says something that the votes do not support."""


class InfeasibleBoxError(ThumbwiseError):
    """No labeling of the items satisfies every interval at once.

    Attributes
    ----------
    conflicting : tuple of str
        Names of the moments whose intervals contradict each other.
    weights : ndarray of shape (n_moments,)
        The proof: the dual value at these weights is negative, and log loss never is.
    dual_value : float
        That value.
    widening_factor : float
        Smallest factor by which all interval widths must grow (about their centres) for a labeling to exist; infinite
        if intervals of width zero contradict each other.
    widening_amount : float
        Smallest amount by which all bounds must move outward for a labeling to exist.
    can_widen : bool
        Whether what was called takes ``on_infeasible="widen"``, which the message then names.
    """

    def __init__(
        self,
        *,
        conflicting: Sequence[str],
        weights: np.ndarray,
        dual_value: float,
        widening_factor: float,
        widening_amount: float,
        can_widen: bool = True,
    ) -> None:
        self.conflicting = tuple(conflicting)
        self.weights = weights
        self.dual_value = dual_value
        self.widening_factor = widening_factor
        self.widening_amount = widening_amount
        self.can_widen = can_widen
        super().__init__(self._message())

    def _message(self) -> str:
        shown = ", ".join(self.conflicting[:8]) + (", ..." if len(self.conflicting) > 8 else "")
        factor = f"{self.widening_factor:.4g} times as wide, or " if np.isfinite(self.widening_factor) else ""
        mend = 'widen the intervals, or pass on_infeasible="widen"' if self.can_widen else "or widen the intervals"
        return (
            "the box must contain at least one labeling of the items; its intervals contradict each other "
            f"(dual value {self.dual_value:.3g} < 0 at the weights in .weights, which proves it). "
            f"In conflict ({len(self.conflicting)}): {shown}. "
            f"The intervals would fit if they were {factor}moved outward by {self.widening_amount:.4g} at each end. "
            f"Check the gold labels of these rules, {mend}."
        )

    def __reduce__(self) -> tuple[object, ...]:
        state = {
            "conflicting": self.conflicting,
            "weights": self.weights,
            "dual_value": self.dual_value,
            "widening_factor": self.widening_factor,
            "widening_amount": self.widening_amount,
            "can_widen": self.can_widen,
        }
        return (_rebuild_infeasible, (state,), {"__notes__": getattr(self, "__notes__", [])})


def _rebuild_infeasible(state: dict[str, object]) -> InfeasibleBoxError:
    return InfeasibleBoxError(**state)  # type: ignore[arg-type]
