"""What the rules say together of each pattern, from votes alone: what intervals for rates lean on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.numerics.even_panel import even_log_odds, first_informative, weighted_scores
from thumbwise.numerics.patterns import Patterns


@dataclass(frozen=True, eq=False)
class Panel:
    """Weights of the rules in a common verdict. No label has a part in them.

    Rules that say the same of every item are left out: they tell none from another. Among copies one counts.

    Attributes
    ----------
    counted, log_odds : ndarray of shape (n_rules,)
    """

    counted: FloatArray
    log_odds: FloatArray

    @classmethod
    def of(cls, patterns: Patterns) -> Panel:
        """Of the votes on all items."""
        counted = first_informative(patterns)
        return cls(counted, even_log_odds(patterns, counted))

    def verdicts(self, patterns: Patterns) -> IntArray:
        """Class of each pattern; of classes with as much weight the first, also where nobody votes."""
        scores = weighted_scores(patterns, self.log_odds)
        return np.asarray(np.argmax(np.round(scores, 9), axis=1))

    def guesses(self, patterns: Patterns, values: FloatArray) -> FloatArray:
        """Mean of the values of the votes on each pattern; that of all votes where nobody votes."""
        shares = weighted_scores(patterns, self.counted)
        n_votes = shares.sum(axis=1)
        all_votes = patterns.counts @ shares
        usual = float(values.mean()) if all_votes.sum() == 0 else float(all_votes @ values / all_votes.sum())
        return np.where(n_votes > 0, shares @ values / np.maximum(n_votes, 1), usual)
