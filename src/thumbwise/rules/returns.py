"""Returns of rules, read as a class or an abstention; everything else is an error that says what must hold."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np

from thumbwise.exceptions import InvalidVotesError
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.votes.reading.coding import LOOKS_LIKE_ABSTAIN, MAX_INFERRED_CLASSES

ClassNames: TypeAlias = "tuple[Hashable, ...]"

LONGEST_MESSAGE = 500


class ReturnReader:
    """Numbers of what rules return. Without declared classes every new class gets the next number.

    None and -1 abstain. True and False are classes only where a class is named so, and so are fractions: a rule that
    returns False may mean a class or an abstention.
    """

    def __init__(self, class_names: ClassNames | None) -> None:
        self._declared = class_names
        self._kinds = {type(name) for name in class_names or ()}
        self._number: dict[Hashable, int] = {ABSTAIN: ABSTAIN}
        if class_names is not None:
            if not self._kinds & {int, float, bool}:
                self._number.update({c: c for c in range(len(class_names))})
            self._number.update({name: c for c, name in enumerate(class_names)})

    @property
    def classes(self) -> list[Hashable]:
        """The classes met so far, in the order of their numbers."""
        return [value for value, number in self._number.items() if number != ABSTAIN]

    def read(self, value: object) -> int:
        """The number of a class, or ABSTAIN; anything else is an error."""
        if value is None:
            return ABSTAIN
        if type(value) is str or type(value) is int:
            number = self._number.get(value)
            if number is not None:
                return number
        return self._read_rare(plain(value))

    def _read_rare(self, value: Any) -> int:
        if any(isinstance(value, kind) and kind not in self._kinds for kind in (bool, float)):
            raise self._wrong(value)
        if self._declared is None:
            if not _may_be_class(value):
                raise self._wrong(value)
            return self._number.setdefault(value, len(self._number) - 1)
        try:
            number = self._number.get(value)
        except TypeError:  # not hashable, so no class
            number = None
        if number is None:
            raise self._wrong(value)
        return number

    def _wrong(self, value: object) -> InvalidVotesError:
        shown = ", ".join(repr(name) for name in (self._declared or ())[:10])
        classes = f"one of the classes ({shown})" if shown else "a class (a name, or a number from 0)"
        return InvalidVotesError(
            f"a rule must return {classes}, or None or -1 to abstain; found {short_text(repr, value)} "
            f"({type(value).__name__}). {_hint(value, is_open=self._declared is None)}"
        )


def plain(value: object) -> object:
    """NumPy scalars, enumerations of numbers and other relatives as the plain value that they equal."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, bool):
        return value
    if isinstance(value, Integral):
        return int(value)
    return str.__str__(value) if isinstance(value, str) else value


def _may_be_class(value: object) -> bool:
    """Whether a value is clearly a class, or -1, although none was declared."""
    if isinstance(value, str):
        return value.strip().lower() not in LOOKS_LIKE_ABSTAIN
    return isinstance(value, int) and ABSTAIN <= value < MAX_INFERRED_CLASSES


def _hint(value: object, *, is_open: bool) -> str:
    if isinstance(value, bool):
        return "False could be a class or an abstention; write `1 if ... else None`."
    if isinstance(value, float):
        return "Turn scores into classes with a threshold, and return None where there is none."
    if isinstance(value, int):
        return "Only -1 abstains; other numbers must be declared in class_names."
    return "List it in class_names if it is a class; return None if it means abstain." if is_open else "Correct it."


def short_text(write: Callable[[Any], str], value: object) -> str:
    """Text of a value, cut to a limit; values can refuse to be written."""
    try:
        text = write(value)
    except Exception:
        text = f"<{type(value).__name__} that cannot be shown>"
    text = text.encode("utf-8", "backslashreplace").decode()  # half a surrogate pair could not be saved
    return text if len(text) <= LONGEST_MESSAGE else text[: LONGEST_MESSAGE - 3] + "..."
