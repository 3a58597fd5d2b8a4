"""The moments that are constrained unless somebody says otherwise."""

from __future__ import annotations

from thumbwise.box.moments.linear import MomentBuilder
from thumbwise.box.moments.of_classes import class_frequencies
from thumbwise.box.moments.of_rules import accuracies

STANDARD: tuple[MomentBuilder, ...] = (accuracies, class_frequencies)
