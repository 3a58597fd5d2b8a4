"""Plans for triage: today's share is what triage accepts, what is expected is near what comes, and what is refused.

Kills, tried once: the labels that teach counted among those that certify; wrong ones that gold shows not taken into
account.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import thumbwise as tw
from thumbwise.assess.accepting.ranked import Ranked
from thumbwise.assess.planned_triage import imagined_share, wrong_rates

MADE = tw.datasets.make_one_coin(4000, [0.9, 0.85, 0.8, 0.75, 0.7], random_state=5)


def labels_of_some(n_gold: int, seed: int) -> np.ndarray:
    gold = np.random.default_rng(seed).choice(4000, n_gold, replace=False)
    y = np.full(4000, -1)
    y[gold] = MADE.labels[gold]
    return y


def test_the_first_row_is_what_triage_accepts_today() -> None:
    for seed in range(2):
        y = labels_of_some(200, seed)
        planned, today = tw.plan_triage(MADE.votes, y, precision=0.9), tw.triage(MADE.votes, y, precision=0.9)
        part = today.families[0]
        size = 0 if part.step is None else int(part.family.ladder.size[part.step])
        assert planned.rows[0].accepted == pytest.approx(size / today.ranked.n_items)
        assert planned.n_gold == planned.rows[0].n_gold == 200
        assert list(planned.frame()) == ["n_gold", "planned_accepted"]


def test_what_is_expected_is_near_what_comes() -> None:
    """Means over six draws; single draws differ by luck."""
    planned, came = [], []
    for seed in range(6):
        few = labels_of_some(150, seed)
        rows = tw.plan_triage(MADE.votes, few, precision=0.93).frame()
        planned.append(np.interp(600, rows["n_gold"], rows["planned_accepted"]))
        came.append(tw.triage(MADE.votes, labels_of_some(600, 100 + seed), precision=0.93).n_accepted / 4000)
    assert np.mean(planned) == pytest.approx(np.mean(came), abs=0.15)


def test_wrong_ones_agree_with_gold() -> None:
    """Two patterns, one surer than the other: doubts .1 and .3; ten gold items each, of which four are wrong."""
    ranked = Ranked(
        proba=np.array([[0.9, 0.1], [0.3, 0.7]]),
        size=np.array([500, 500]),
        place=np.repeat([0, 1], 10),
        labels=np.array([0] * 9 + [1] + [1] * 7 + [0] * 3),
        n_taught=5,
        is_outside=False,
    )
    assert wrong_rates(ranked) == pytest.approx(np.array([0.1, 0.3]) * 4.5 / 4.5)
    all_right = replace(ranked, labels=np.repeat([0, 1], 10))
    assert wrong_rates(all_right) == pytest.approx(np.array([0.1, 0.3]) * 0.5 / 4.5)


def test_nothing_wrong_is_all_accepted_and_coins_are_not() -> None:
    ranked = Ranked(np.array([[0.9, 0.1]]), np.array([1000]), np.zeros(80, int), np.zeros(80, int), 20, False)
    assert imagined_share(ranked, np.array([0.0]), 75, 0.95, 0.05) == 1  # 60 of them certify, 59 are enough
    assert imagined_share(ranked, np.array([0.0]), 60, 0.95, 0.05) == 0  # 48 certify
    assert imagined_share(ranked, np.array([0.5]), 800, 0.9, 0.05) == 0


def test_sentences() -> None:
    planned = tw.plan_triage(MADE.votes, labels_of_some(60, 0), precision=0.95)
    assert planned.rows[0].accepted == 0, "48 labels certify, and 59 are the least"
    assert "with the 60 gold labels of now 0 % of the labels are accepted" in str(planned)
    assert str(planned).endswith("A plan is no guarantee.")


@pytest.mark.parametrize("share", [0, 1, 1.5, -0.1, "0.9", True, None, float("nan")])
def test_precision_lies_between_0_and_1(share: object) -> None:
    with pytest.raises(tw.InvalidChoiceError, match="precision must lie between 0 and 1"):
        tw.plan_triage(MADE.votes, labels_of_some(100, 0), precision=share)  # type: ignore[arg-type]


def test_all_items_are_gold() -> None:
    with pytest.raises(tw.InvalidLabelsError, match="all 4,000 of the pool are gold"):
        tw.plan_triage(MADE.votes, MADE.labels, precision=0.9)
