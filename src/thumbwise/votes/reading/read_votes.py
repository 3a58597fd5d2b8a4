"""Votes as every way of reading hands them over: class numbers, names, and how the input was understood."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from thumbwise._typing import AnyArray, IntArray
from thumbwise.exceptions import Argument, InvalidVotesError
from thumbwise.numerics.patterns import Patterns
from thumbwise.votes.reading.raw_votes import first_repeated

ClassNames: TypeAlias = "tuple[Hashable, ...]"


@dataclass(frozen=True)
class Coding:
    """What an abstention looked like in the input, and what stood for the classes if they had codes."""

    mark: str
    codes: tuple[str, ...] = ()

    def describe(self, class_names: ClassNames, silent: float) -> str:
        """In words, with the share of abstentions."""
        parts = self.codes or tuple(repr(name) for name in class_names)
        shown = ", ".join(parts[:6]) + (", ..." if len(parts) > 6 else "")
        head = f"codes {shown}," if self.codes else f"classes {shown};"
        return f"{head} {self.mark} = abstain ({100 * silent:.1f} % of votes)"


@dataclass(frozen=True)
class ReadVotes:
    """Checked votes, as a table of class numbers or as one pattern per item, not yet merged."""

    votes: IntArray | Patterns
    item_ids: AnyArray | None
    rule_names: tuple[str, ...]
    class_names: ClassNames
    coding: Coding


def check_class_names(names: Sequence[Hashable] | None) -> ClassNames | None:
    """Each class has a name of its own."""
    if names is None:
        return None
    plain = tuple(name.item() if isinstance(name, np.generic) else name for name in names)
    repeated = first_repeated(plain)
    if repeated is not None:
        raise InvalidVotesError(f"class names must be unique; found {repeated!r} more than once.")
    return plain


def check_groups(groups: npt.ArrayLike | None, n_items: int) -> tuple[ClassNames, IntArray | None]:
    """Names of the groups, and the position of each item's group among them."""
    if groups is None:
        return (), None
    group_of = np.asarray(groups)
    if group_of.shape != (n_items,):
        raise InvalidVotesError(
            Argument("item_groups"), f" must be one group per item; found shape {group_of.shape} for {n_items} items."
        )
    names, index = np.unique(group_of.astype(str) if group_of.dtype.kind == "O" else group_of, return_inverse=True)
    return tuple(names.tolist()), index.astype(np.int64)
