"""Kinds of moments, registered when they are defined: files name them, SQL may write them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, TypeVar

from thumbwise.box import moments
from thumbwise.box.moments.linear import MomentBuilder
from thumbwise.exceptions import InvalidBoxError

Builder = TypeVar("Builder", bound=Callable[..., Any])


@dataclass(frozen=True)
class Kind:
    """What else is to be known of a builder, so that boxes of its moments can be saved and written as SQL.

    Attributes
    ----------
    count : callable
        From the numbers of rules, classes and groups to the number of moments: known before any is built.
    is_over_votes : bool
        Whether the features of an item are a sum over its votes, whatever its group.
    """

    count: Callable[[int, int, int], int]
    is_over_votes: bool


_kinds: dict[str, tuple[MomentBuilder, Kind]] = {}


def moment_kind(count: Callable[[int, int, int], int], *, over_votes: bool = False) -> Callable[[Builder], Builder]:
    """Register a builder under its name when it is defined: files may then name it, and SQL may write it.

    Parameters
    ----------
    count : callable
        Number of moments for so many rules, classes and groups.
    over_votes : bool
        Whether the features of an item are a sum over its votes, whatever its group.

    Examples
    --------
    >>> import thumbwise as tw
    >>> @tw.moments.moment_kind(lambda n_rules, n_classes, n_groups: n_classes, over_votes=True)
    ... def shares_again(votes):
    ...     return tw.moments.class_frequencies(votes)
    >>> tw.moments.find_kind("shares_again") is shares_again
    True
    """

    def register(builder: Builder) -> Builder:
        name = builder.__name__
        if name in _kinds and _kinds[name][0].__module__ != builder.__module__:
            raise InvalidBoxError(f"kinds of moments must have different names; {name!r} is defined already.")
        _kinds[name] = (builder, Kind(count, over_votes))
        return builder

    return register


def find_kind(name: str) -> MomentBuilder | None:
    """The builder that is registered under a name; files of this folder are looked through if it is not known yet."""
    if name not in _kinds:
        _look_through_folder()
    return _kinds[name][0] if name in _kinds else None


def kind_names() -> tuple[str, ...]:
    """Names of the builders that are registered, those in files of this folder among them."""
    _look_through_folder()
    return tuple(sorted(_kinds))


def _look_through_folder() -> None:
    for module in iter_modules(moments.__path__):
        import_module(f"{moments.__name__}.{module.name}")


def kind_of(builder: MomentBuilder) -> Kind | None:
    """What is known of a builder, if it is registered."""
    known, kind = _kinds.get(getattr(builder, "__name__", ""), (None, None))
    return kind if known is builder else None


def is_over_votes(builder: MomentBuilder) -> bool:
    """Whether its features of an item are a sum over the item's votes, so that SQL can write them."""
    kind = kind_of(builder)
    return bool(getattr(builder, "is_over_votes", False)) if kind is None else kind.is_over_votes
