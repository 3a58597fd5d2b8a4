"""Kinds of what models learn: shape and range. Used to write a field, and to check what is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

from thumbwise._typing import FloatArray
from thumbwise.models.pool_summary import PoolSummary
from thumbwise.tables.json_values import LARGE, Node, plain
from thumbwise.votes.labels import KnownLabels
from thumbwise.votes.votes import Votes

# Rounding may put a share just above 1.
ONE = 1 + 1e-9


@dataclass(frozen=True, eq=False)
class Setting:
    """What a file says before it comes to what was learned.

    Attributes
    ----------
    votes : Votes
        With the rules and classes of the model, on one item that nobody votes on.
    pool : PoolSummary
    known : KnownLabels or None
        Gold of the fit.
    """

    votes: Votes
    pool: PoolSummary
    known: KnownLabels | None


class Field(Protocol):
    """How one attribute of a fitted model is written as plain values, and read from a file after checks."""

    def write(self, value: Any, model: Any) -> Any: ...

    def read(self, node: Node, model: Any, setting: Setting) -> Any: ...


AnyField = TypeVar("AnyField", bound=Field | None)


@dataclass(frozen=True)
class Array:
    """Numbers in a range.

    Attributes
    ----------
    shape : tuple of str
        Names of axes: "rules", "classes", "rules and classes", or an attribute of the model that is a number, such as
        a parameter, or a field that is read earlier. A first axis "rules" is written as a mapping by rule name.
    least, most : float
    special : bool
        Whether numbers may also be infinite or not a number.
    """

    shape: tuple[str, ...]
    least: float = -LARGE
    most: float = LARGE
    special: bool = False

    def write(self, value: FloatArray, model: Any) -> Any:
        if self.shape[0] == "rules":
            return {name: plain(part) for name, part in zip(model.rule_names_, value, strict=True)}
        return plain(value)

    def read(self, node: Node, model: Any, setting: Setting) -> FloatArray:
        votes = setting.votes
        lengths = {"rules": votes.n_rules, "classes": votes.n_classes}
        lengths |= {"rules and classes": votes.n_rules + votes.n_classes}
        shape = tuple(lengths[axis] if axis in lengths else int(getattr(model, axis)) for axis in self.shape)
        if self.shape[0] == "rules":
            return node.by_name(votes.rule_names, shape[1:], self.least, self.most, special=self.special)
        return node.array(shape, self.least, self.most, special=self.special)


@dataclass(frozen=True)
class Number:
    """One number in a range, or not finite if ``special``."""

    least: float = -LARGE
    most: float = LARGE
    special: bool = False

    def write(self, value: float, model: Any) -> Any:
        return plain(float(value))

    def read(self, node: Node, model: Any, setting: Setting) -> float:
        return node.number(self.least, self.most, special=self.special)


@dataclass(frozen=True)
class Whole:
    """A whole number that is not negative, such as a number of iterations."""

    def write(self, value: int, model: Any) -> Any:
        return int(value)

    def read(self, node: Node, model: Any, setting: Setting) -> int:
        return node.whole()


@dataclass(frozen=True)
class WholeOrNone:
    """A parameter that is a whole number, or None where the model settles it."""

    def write(self, value: int | None, model: Any) -> Any:
        return None if value is None else int(value)

    def read(self, node: Node, model: Any, setting: Setting) -> int | None:
        return None if node.value is None else node.whole(-(2**63))


@dataclass(frozen=True)
class Truth:
    """True or false."""

    def write(self, value: bool, model: Any) -> Any:
        return bool(value)

    def read(self, node: Node, model: Any, setting: Setting) -> bool:
        return node.truth()


@dataclass(frozen=True)
class ListOrNone:
    """A parameter that is a list of numbers, as an :class:`Array` of this kind, or None."""

    array: Array

    def write(self, value: Any, model: Any) -> Any:
        return None if value is None else plain(value)

    def read(self, node: Node, model: Any, setting: Setting) -> list[Any] | None:
        return None if node.value is None else self.array.read(node, model, setting).tolist()


@dataclass(frozen=True)
class AutoOrShare:
    """A parameter that is "auto", or a number above 0 and at most 1."""

    def write(self, value: Any, model: Any) -> Any:
        return value

    def read(self, node: Node, model: Any, setting: Setting) -> Any:
        if node.value != "auto":
            read_share(node)
        return node.value


def read_share(node: Node) -> float:
    """A number above 0 and at most 1."""
    if node.number(0, 1) == 0:
        node.refuse("above 0")
    return node.number(0, 1)


def fields(**kinds: AnyField) -> Mapping[str, AnyField]:
    """Kinds by the names of attributes, in the order in which they are written and read."""
    return MappingProxyType(kinds)


# Kinds that several models learn.
RATES = Array(("rules", "classes", "classes"), 0, ONE)
BY_RULE = Array(("rules",), 0, ONE)
BY_CLASS = Array(("classes",), 0, ONE)


def write_fields(model: Any, fields: Mapping[str, Field]) -> dict[str, Any]:
    """What the model has learned, by name."""
    return {name: field.write(getattr(model, name), model) for name, field in fields.items()}


def read_fields(model: Any, fields: Mapping[str, Field], node: Node, setting: Setting) -> None:
    """Give the model what a file says that it has learned, in the order of the fields."""
    for part, (name, field) in zip(node.fields(*fields), fields.items(), strict=True):
        setattr(model, name, field.read(part, model, setting))
