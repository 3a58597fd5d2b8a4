"""Moments in play that get nowhere by themselves: the solver then sees all of them, and ends at the optimum.

Kills, tried once: no step over all moments where those in play, being few, gave no better point; no new beginning with
all of them where no step helps any more.
"""

from __future__ import annotations

import numpy as np
import pytest

import thumbwise as tw


@pytest.mark.parametrize("seed", [30, 53, 82])
def test_a_fit_to_many_rare_rules_ends_at_the_optimum(seed: int) -> None:
    """Sixty rules of one class each, most of them rare, in a box of the paper's recipe."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(400) < 0.15).astype(int)
    cover = rng.uniform(0.002, 0.15, 60)
    rng.uniform(0.55, 1, 60)  # keeps the draws that were looked for
    side = rng.integers(2, size=60)
    array = np.full((400, 60), -1)
    for rule in range(60):
        array[rng.random(400) < cover[rule] * np.where(truth == side[rule], 3, 0.4), rule] = side[rule]
    gold = rng.choice(400, 80, replace=False)
    votes = tw.Votes(array, n_classes=2)
    box = tw.Box.from_gold(
        votes.take(gold),
        truth[gold],
        pool=votes,
        gold_is="subset",
        interval="wilson",
        joint=False,
        symmetric=True,
        n_permutations=0,
    )
    model = tw.BalsubramaniFreund(on_infeasible="widen", caution=1.0, pin_gold=False).fit(votes, box=box)
    assert model.certificate_.kkt_residual <= 1e-9
    assert model.certificate_.gap <= 1e-6
