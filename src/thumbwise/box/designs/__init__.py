"""Ways in which gold can have been drawn, each with its own valid intervals; there is no fallback from one to another.

``gold_is="separate"`` and ``gold_is="subset"`` are short for :class:`Separate` and :class:`Subset`.
"""

from __future__ import annotations

from thumbwise.box.designs.by_class import ByClass
from thumbwise.box.designs.clusters import Clusters
from thumbwise.box.designs.plain import Separate, Subset
from thumbwise.box.designs.stratified import Stratified
from thumbwise.box.designs.weighted import Poisson, WithReplacement
from thumbwise.box.gold import Design

__all__ = ["ByClass", "Clusters", "Design", "Poisson", "Separate", "Stratified", "Subset", "WithReplacement"]
