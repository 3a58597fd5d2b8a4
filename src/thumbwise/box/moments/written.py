"""Moments that people write: a coefficient for each group and class."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from thumbwise.box.moments.linear import About, Moments, one_column
from thumbwise.exceptions import InvalidBoxError
from thumbwise.votes.counted_votes import CountedVotes


@dataclass(frozen=True)
class LinearMoment:
    """Any average that is linear in the labeling: a coefficient for each group and class, averaged over all items.

    Attributes
    ----------
    name : str
    coefficients : mapping of group to mapping of class to number
        What is not mentioned is 0. Without groups, use the group None.
    kind : str
        What :class:`About` calls it.
    """

    name: str
    coefficients: Mapping[Hashable, Mapping[Hashable, float]]
    kind: str = "linear"

    @property
    def is_over_votes(self) -> bool:
        """The same for all votes, so a sum over them, unless it asks for the group."""
        return set(self.coefficients) <= {None}

    def __call__(self, votes: CountedVotes) -> Moments:
        groups = votes.group_names or (None,)
        table = np.zeros((len(groups), votes.n_classes))
        for group, by_class in self.coefficients.items():
            for name, coefficient in by_class.items():
                table[self._place(groups, group, "group"), self._place(votes.class_names, name, "class")] = coefficient
        about = About(self.name, self.name, self.kind)
        return one_column(about, table[votes.patterns.groups], votes.n_items)

    def _place(self, names: Sequence[Hashable], name: Hashable, what: str) -> int:
        if name not in names:
            known = ", ".join(map(repr, names[:8]))
            raise InvalidBoxError(
                f"the moment {self.name!r} must speak of a {what} of the votes ({known}); found {name!r}."
            )
        return names.index(name)

    def __hash__(self) -> int:
        return hash((self.name, repr(self.coefficients)))
