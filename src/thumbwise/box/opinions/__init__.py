"""Opinions: what the panel says together, as further rules whose accuracy gold can count.

An opinion is a function of an item's votes that no gold label has a part in. A learned opinion is a formula that gold
taught, with a bound on its log loss from the same gold labels.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thumbwise.box.opinions.learned import LearnedOpinion as LearnedOpinion
    from thumbwise.box.opinions.opinion import Opinion as Opinion
    from thumbwise.box.opinions.opinion import WeightedVote as WeightedVote
    from thumbwise.box.opinions.tiers import InTiers as InTiers

_HOMES = {"Opinion": "opinion", "WeightedVote": "opinion", "InTiers": "tiers", "LearnedOpinion": "learned"}
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
