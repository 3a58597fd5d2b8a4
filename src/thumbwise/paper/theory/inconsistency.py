"""Problems on which expectation maximisation leaves the best approximator: two rules, two classes, all votes given.

For items of each class let the rules be both right, both wrong, or one right alone, each on a given number of items.
The best approximator then predicts the true share of classes for every pattern, with weights in closed form; the M step
finds the true accuracies; and the E step, which takes errors to be independent, predicts another unless they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thumbwise._typing import FloatArray, IntArray
from thumbwise.numerics.vote_rates import one_coin_weights
from thumbwise.paper.theory.family import log_predictions, one_coin_estimates, predicted_moments
from thumbwise.votes.votes import Votes

# The order of the table of An and Dasgupta (2024): votes (1, 1), (2, 2), (1, 2), (2, 1), true class 1 and 2 of each.
_CELLS = (((0, 0), 0), ((0, 0), 1), ((1, 1), 0), ((1, 1), 1), ((0, 1), 0), ((0, 1), 1), ((1, 0), 0), ((1, 0), 1))


@dataclass(frozen=True, eq=False)
class Inconsistency:
    """A member of the family, with what is known about it in closed form.

    Attributes
    ----------
    both_right, both_wrong, first_right, second_right : int
        Items of each class on which the rules are so; at least 1.

    Examples
    --------
    The example of the paper's appendix, with its misprints mended:

    >>> from thumbwise import theory
    >>> example = theory.Inconsistency()
    >>> example.n_items, example.best_table.tolist()
    (22, [5.0, 2.0, 2.0, 5.0, 3.0, 1.0, 1.0, 3.0])
    >>> example.one_coin_table.round(2).tolist()
    [5.33, 1.67, 1.67, 5.33, 2.76, 1.24, 1.24, 2.76]
    """

    both_right: int = 5
    both_wrong: int = 2
    first_right: int = 3
    second_right: int = 1

    def __post_init__(self) -> None:
        if min(self._counts) < 1:
            raise ValueError(f"every count must be at least 1, or weights are infinite; found {self._counts}.")

    @property
    def _counts(self) -> tuple[int, int, int, int]:
        return self.both_right, self.both_wrong, self.first_right, self.second_right

    @property
    def n_items(self) -> int:
        return 2 * sum(self._counts)

    @property
    def labels(self) -> IntArray:
        """True class of each item."""
        return np.repeat([0, 1], self.n_items // 2)

    @property
    def votes(self) -> Votes:
        right = np.repeat([[1, 1], [0, 0], [1, 0], [0, 1]], self._counts, axis=0)
        return Votes(np.vstack([1 - right, right]), n_classes=2)

    @property
    def accuracies(self) -> FloatArray:
        """True accuracies, which the M step finds in the best approximator; the class frequencies are 1/2."""
        right = np.array([self.both_right + self.first_right, self.both_right + self.second_right])
        return np.asarray(right / sum(self._counts))

    @property
    def best_weights(self) -> FloatArray:
        """Weights of the best approximator per vote: log sqrt(both_right / both_wrong * alone), and divided by alone.

        Here alone = first_right / second_right; class weights are equal, here 0. In the paper's units they are n times
        these, up to a constant for the classes.
        """
        together = np.log(self.both_right / self.both_wrong)
        alone = np.log(self.first_right / self.second_right)
        return np.array([(together + alone) / 2, (together - alone) / 2, 0.0, 0.0])

    @property
    def one_coin_weights(self) -> FloatArray:
        """Weights of Dawid-Skene after one step of expectation maximisation from the best approximator."""
        return one_coin_weights(self.accuracies, np.array([0.5, 0.5]))

    @property
    def best_table(self) -> FloatArray:
        """Items of class 1 and of class 2 that g* expects among those with votes 11, 22, 12, 21: the true numbers."""
        return self._table(self.both_right / self.both_wrong, self.first_right / self.second_right)

    @property
    def one_coin_table(self) -> FloatArray:
        """The same as Dawid-Skene expects after one step from g*."""
        odds = self.accuracies / (1 - self.accuracies)
        return self._table(odds[0] * odds[1], odds[0] / odds[1])

    @property
    def is_fixed_point(self) -> bool:
        """Whether expectation maximisation stays at g*: errors are independent, or both rules are mere chance.

        Let delta be the covariance of being right. Odds of the two predictions agree where the rules do iff delta = 0
        or b_1 + b_2 = 1, and where they do not iff delta = 0 or b_1 = b_2.
        """
        independent = self.both_right * self.both_wrong == self.first_right * self.second_right
        return independent or (self.both_right == self.both_wrong and self.first_right == self.second_right)

    def _table(self, odds_together: float, odds_alone: float) -> FloatArray:
        """Expected numbers, from the odds that both rules are right where they agree, and the first where not."""
        sizes = {True: self.both_right + self.both_wrong, False: self.first_right + self.second_right}
        odds = {True: odds_together, False: odds_alone}
        share = {agree: value / (1 + value) for agree, value in odds.items()}
        cells = [(votes[0] == votes[1], votes[0] == label) for votes, label in _CELLS]
        return np.array([sizes[agree] * (share[agree] if first else 1 - share[agree]) for agree, first in cells])


def em_step(votes: Votes, weights: npt.ArrayLike) -> FloatArray:
    """Weights after one M step and one E step of one-coin Dawid-Skene from a member of the family.

    From the best approximator it leads to one E step with the true accuracies and frequencies, since these are its own.

    Parameters
    ----------
    votes : Votes
    weights : array-like of shape (n_rules + n_classes,)

    Examples
    --------
    >>> from thumbwise import theory
    >>> example = theory.Inconsistency()
    >>> example.best_weights.round(3), theory.em_step(example.votes, example.best_weights).round(3)
    (array([ 1.007, -0.091,  0.   ,  0.   ]), array([ 0.981,  0.182, -0.693, -0.693]))
    """
    return one_coin_weights(*one_coin_estimates(votes, np.clip(predicted_moments(votes, weights), 0, 1)))


def expected_table(votes: Votes, weights: npt.ArrayLike) -> FloatArray:
    """Expected items by votes and class, in the order of the paper's table, for two rules and two classes.

    Parameters
    ----------
    votes : Votes
        In which all four patterns occur.
    weights : array-like of shape (4,)

    Returns
    -------
    ndarray of shape (8,)

    Examples
    --------
    >>> from thumbwise import theory
    >>> example = theory.Inconsistency()
    >>> theory.expected_table(example.votes, example.best_weights).round(6).tolist()
    [5.0, 2.0, 2.0, 5.0, 3.0, 1.0, 1.0, 3.0]
    """
    masses = votes.patterns.counts[:, None] * np.exp(log_predictions(votes, weights))
    place = {tuple(row): pattern for pattern, row in enumerate(votes.patterns.to_rows().tolist())}
    return np.array([masses[place[pair], label] for pair, label in _CELLS])
