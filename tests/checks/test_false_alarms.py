"""Rules that are as good as guessing are seldom called worse, however many there are.

Every rule is right on exactly half of the pool, so each accusation is false. Gold is drawn at random 300 times; the
accusations of all rules together must not be more frequent than one minus the confidence level allows, with a
false-alarm rate of one in a million. Kills, tried once: intervals that do not share the error budget (``joint=False``).
"""

from __future__ import annotations

import numpy as np
from scipy.stats import binom

import thumbwise as tw
from thumbwise.assess.check_rules.on_rules import below_chance
from thumbwise.assess.check_rules.subject import open_subject

# So few rules have no opinions beside them, and all of the budget; of their part, a twentieth is for upper bounds.
LEVEL, N_TRIALS, N_RULES = 0.5, 300, 4


def half_right(rng: np.random.Generator, truth: np.ndarray) -> np.ndarray:
    is_right = rng.permutation(np.arange(len(truth)) % 2 == 0)
    return np.where(is_right, truth, 1 - truth)


def test_the_error_of_all_rules_together_is_kept() -> None:
    rng = np.random.default_rng(11)
    truth = rng.integers(2, size=600)
    votes = tw.Votes(np.column_stack([half_right(rng, truth) for _ in range(N_RULES)]))
    n_accused = 0
    for _ in range(N_TRIALS):
        gold = rng.permutation(600) < 100
        subject = open_subject(votes, votes.take(gold), truth[gold], "subset", None, None, LEVEL)
        n_accused += below_chance(subject) is not None
    assert n_accused <= binom.ppf(1 - 1e-6, N_TRIALS, 1 - LEVEL)
    assert n_accused > 0  # the test is not empty: some accusations do happen
