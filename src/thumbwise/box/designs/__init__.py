"""Ways in which gold can have been drawn, each with its own valid intervals; there is no fallback from one to another.

``gold_is="separate"`` and ``gold_is="subset"`` are short for :class:`Separate` and :class:`Subset`.
"""

from __future__ import annotations

from thumbwise.box.designs.by_class import ByClass
from thumbwise.box.designs.plain import Separate, Subset
from thumbwise.box.designs.stratified import Stratified
from thumbwise.box.designs.weighted import Poisson, WithReplacement
from thumbwise.box.gold import Design
from thumbwise.exceptions import Argument, InvalidBoxError

__all__ = ["ByClass", "Design", "Poisson", "Separate", "Stratified", "Subset", "WithReplacement"]

_BY_NAME: dict[object, Design] = {"separate": Separate(), "subset": Subset()}


def as_design(drawn: object) -> Design:
    """A design, or the one that a word stands for."""
    if isinstance(drawn, Design):
        return drawn
    if drawn not in _BY_NAME:
        raise InvalidBoxError(
            Argument("gold_is"),
            f" must be one of 'separate', 'subset', or a design of thumbwise.box.designs; found {drawn!r}.",
        )
    return _BY_NAME[drawn]
