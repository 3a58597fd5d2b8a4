"""Errors of one family. Every message says what must hold, what was found, where, how many, and how to mend it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np


@dataclass(frozen=True)
class Argument:
    """An argument that a message speaks of: data, so that an interface that calls it otherwise can say so.

    Attributes
    ----------
    name : str
        As Python calls it.
    value : object
        What to pass: a text stands as it is (``NAME``, ``"long"``), a list or mapping as Python writes it but for
        ``NAME``, ``...`` for whatever is meant. None leaves the name alone.

    Examples
    --------
    >>> print(Argument("gold", "FILE"), Argument("ignore", ["a b"]), Argument("abstain", ...), Argument("n_classes"))
    gold=FILE ignore=['a b'] abstain=... n_classes
    """

    name: str
    value: object = None

    def __str__(self) -> str:
        return self.name if self.value is None else f"{self.name}={_as_python(self.value)}"


@dataclass(frozen=True)
class InPython:
    """Words of a message that are of use to whoever writes Python, and to nobody else."""

    words: str

    def __str__(self) -> str:
        return self.words


def _as_python(value: object) -> str:
    if value is ...:
        return "..."
    if isinstance(value, Mapping):
        return (
            "{" + ", ".join(f"{key!r}: {'NAME' if name == 'NAME' else repr(name)}" for key, name in value.items()) + "}"
        )
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join("..." if entry is ... else repr(entry) for entry in value) + "]"
    return str(value)


class Message(str):
    """Text that still knows which of its parts are arguments. As a string it speaks to whoever writes Python.

    Examples
    --------
    >>> message = Message("List them with ", Argument("class_names", ["ham", "spam"]), ".")
    >>> print(message)
    List them with class_names=['ham', 'spam'].
    >>> message.worded(lambda argument: f"--classes {','.join(argument.value)}")
    'List them with --classes ham,spam.'
    """

    parts: tuple[object, ...]
    __slots__ = ("parts",)

    def __new__(cls, *parts: object) -> Self:
        message = super().__new__(cls, "".join(map(str, parts)))
        message.parts = parts
        return message

    def __getnewargs__(self) -> tuple[object, ...]:  # type: ignore[override]  # what __new__ takes
        return self.parts

    def worded(self, name: Callable[[Argument], str]) -> str:
        """The message in the words of another interface, which ``name`` gives for each argument."""
        return "".join(_worded(part, name) for part in self.parts)


def _worded(part: object, name: Callable[[Argument], str]) -> str:
    if isinstance(part, Argument):
        return name(part)
    if isinstance(part, InPython):
        return ""
    if isinstance(part, ThumbwiseError):
        part = part.message
    elif isinstance(part, Warning) and part.args:
        part = part.args[0]
    return part.worded(name) if isinstance(part, Message) else str(part)


class ThumbwiseError(Exception):
    """Base class of every error that thumbwise raises on purpose.

    Its message is given in parts: text, arguments (:class:`Argument`), other errors.
    """

    @property
    def message(self) -> Message:
        """What is wrong, and how to mend it."""
        return Message(*self.args)

    def __str__(self) -> str:
        return self.message


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


class TooLargeError(ThumbwiseError, ValueError):
    """A method was asked to do more than ends in some minutes; said before it begins."""


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
        super().__init__(*self._parts())

    def _parts(self) -> tuple[object, ...]:
        shown = ", ".join(self.conflicting[:8]) + (", ..." if len(self.conflicting) > 8 else "")
        factor = f"{self.widening_factor:.4g} times as wide, or " if np.isfinite(self.widening_factor) else ""
        mend = ("widen the intervals, or pass ", Argument("on_infeasible", '"widen"'))
        return (
            "the box must contain at least one labeling of the items; its intervals contradict each other "
            f"(dual value {self.dual_value:.3g} < 0",
            InPython(" at the weights in .weights"),
            f", which proves it). In conflict ({len(self.conflicting)}): {shown}. "
            f"The intervals would fit if they were {factor}moved outward by {self.widening_amount:.4g} at each end. "
            "Check the gold labels of these rules, ",
            *(mend if self.can_widen else ("or widen the intervals",)),
            ".",
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
