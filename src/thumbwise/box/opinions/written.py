"""Opinions of the user's own: any function of the votes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from thumbwise._typing import IntArray
from thumbwise.box.opinions.opinion import Opinion
from thumbwise.exceptions import Argument, InvalidBoxError, ThumbwiseError
from thumbwise.numerics.patterns import Patterns
from thumbwise.votes.counted_votes import locate_patterns
from thumbwise.votes.labels import UNKNOWN, code_labels
from thumbwise.votes.votes import Votes


@dataclass(frozen=True, eq=False)
class WrittenOpinion(Opinion):
    """What a function said of each pattern of the population; nothing of patterns that were not there."""

    patterns: Patterns
    chosen: IntArray

    def verdicts(self, patterns: Patterns) -> IntArray:
        place = locate_patterns(patterns, self.patterns)
        return np.where(place >= 0, self.chosen[place], -1)


def ask(function: Callable[[Votes], Any], population: Votes) -> WrittenOpinion:
    """Ask a function of the votes twice, and refuse what is no opinion."""
    name = getattr(function, "__name__", type(function).__name__)
    answers = [_answer(function, population, name) for _ in range(2)]
    if (answers[0] != answers[1]).any():
        n = int((answers[0] != answers[1]).sum())
        raise _bad(
            name, "must say the same each time", f"{n:,} of {population.n_items:,} answers changed", "Fix a seed"
        )
    chosen = np.full(population.patterns.n_patterns, UNKNOWN)
    chosen[population.inverse] = answers[0]
    if (chosen[population.inverse] != answers[0]).any():
        n = int((chosen[population.inverse] != answers[0]).sum())
        raise _bad(
            name,
            "must depend on the votes alone",
            f"{n:,} items with the same votes got other answers",
            "Use votes only",
        )
    if (chosen == UNKNOWN).all():
        raise _bad(name, "must say something about some item", "it says nothing everywhere", "Leave it out")
    return WrittenOpinion(name, population.patterns, chosen)


def _answer(function: Callable[[Votes], Any], population: Votes, name: str) -> IntArray:
    answer = function(population)
    try:
        return code_labels(answer, population.class_names, population.n_items)
    except ThumbwiseError as error:
        raise InvalidBoxError(
            "each of ",
            Argument("opinions"),
            f" must give a class of the votes, or -1, for each item; {name!r}: ",
            error,
        ) from error


def _bad(name: str, must: str, fact: str, fix: str) -> InvalidBoxError:
    return InvalidBoxError("each of ", Argument("opinions"), f" {must}; {name!r}: {fact}. {fix}.")
