"""The moments that are constrained unless somebody says otherwise."""

from __future__ import annotations

from thumbwise.box.moments.linear import MomentBuilder
from thumbwise.box.moments.of_classes import class_frequencies
from thumbwise.box.moments.of_rules import accuracies
from thumbwise.box.moments.of_steps import within_one_step
from thumbwise.votes.counted_votes import CountedVotes

STANDARD: tuple[MomentBuilder, ...] = (accuracies, class_frequencies)


def standard_moments(votes: CountedVotes) -> tuple[MomentBuilder, ...]:
    """Accuracies and class frequencies; of three ordered classes or more also how often a rule is within one step.

    Which they are is known from the votes, before gold is drawn.
    """
    return (*STANDARD, within_one_step) if votes.is_ordered and votes.n_classes > 2 else STANDARD
