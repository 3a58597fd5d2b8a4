"""A tidy table: named columns of equal length, and the single numbers that belong to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True, eq=False)
class Tidy:
    """Columns that belong together, one entry per row in each.

    Attributes
    ----------
    columns : mapping of str to tuple
        None where something is not known.
    facts : mapping of str to object
        Single numbers that belong to the table, such as the accuracy of guessing.

    Examples
    --------
    >>> table = Tidy.of({"rule": ["a", "b"], "accuracy": [0.9, None]}, chance=0.5)
    >>> table.frame()
    {'rule': ['a', 'b'], 'accuracy': [0.9, None]}
    >>> [row["rule"] for row in table.rows()], table.facts["chance"]
    (['a', 'b'], 0.5)
    >>> table.take([1]).frame()
    {'rule': ['b'], 'accuracy': [None]}
    """

    columns: Mapping[str, tuple[Any, ...]]
    facts: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, columns: Mapping[str, Iterable[Any]], **facts: Any) -> Tidy:
        """Take columns of equal length, arrays or lists, and facts by their names."""
        held = {name: tuple(_plain(column)) for name, column in columns.items()}
        if len({len(column) for column in held.values()}) > 1:
            lengths = {name: len(column) for name, column in held.items()}
            raise ValueError(f"columns must have equal lengths; found {lengths}.")
        return cls(MappingProxyType(held), MappingProxyType(facts))

    def frame(self) -> dict[str, list[Any]]:
        """Lists by name, as pandas and polars take them."""
        return {name: list(column) for name, column in self.columns.items()}

    def rows(self) -> Iterator[dict[str, Any]]:
        """One mapping per row."""
        for entries in zip(*self.columns.values(), strict=True):
            yield dict(zip(self.columns, entries, strict=True))

    def take(self, positions: Sequence[int]) -> Tidy:
        """Some of the rows, in the order given."""
        taken = {name: tuple(column[i] for i in positions) for name, column in self.columns.items()}
        return Tidy(MappingProxyType(taken), self.facts)

    def __repr__(self) -> str:
        return f"Tidy({len(self):,} rows; {', '.join(self.columns)})"

    def __getitem__(self, name: str) -> tuple[Any, ...]:
        return self.columns[name]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))


def _plain(column: Iterable[Any]) -> list[Any]:
    """Python's own numbers and strings."""
    tolist = getattr(column, "tolist", None)
    return list(column) if tolist is None else list(tolist())
