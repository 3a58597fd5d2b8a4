"""Plans for shares and right labels: recomputed by hand, monotone, and refused where nothing can be planned.

Kills, tried once: a whole label of either kind added in place of half of one; halving that ends one label late; labels
of today counted anew.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import thumbwise as tw
from thumbwise.assess.planned_accuracy import expected_share, needed_labels, planned_share
from thumbwise.assess.planned_rates import Outlook
from thumbwise.box.opened_gold import open_gold
from thumbwise.exceptions import InvalidBoxError, InvalidChoiceError, InvalidLabelsError
from thumbwise.rates.counts import Counts
from thumbwise.rates.intervals import assisted, exact

N = 1000
RNG = np.random.default_rng(3)
TRUTH = np.where(RNG.random(N) < 0.7, "pass", "fail")
JUDGE = np.where(RNG.random(N) < 0.85, TRUTH, np.where(TRUTH == "pass", "fail", "pass"))[:, None]
GOLD = np.array([*TRUTH[:80], *[None] * (N - 80)], dtype=object)


def counts_by_hand(n_gold: int) -> Counts:
    """One judge is the panel: what it says, items and gold counted by name, then what is expected."""
    population = [int((JUDGE[:, 0] == says).sum()) for says in ("fail", "pass")]
    drawn = [int((JUDGE[:80, 0] == says).sum()) for says in ("fail", "pass")]
    right = [int(((JUDGE[:80, 0] == says) & (TRUTH[:80] == "pass")).sum()) for says in ("fail", "pass")]
    more = n_gold - 80
    yes = round(more * (population[1] - drawn[1]) / (N - 80))
    fresh = [more - yes, yes]
    then = [right[h] + round(fresh[h] * (right[h] + 0.5) / (drawn[h] + 1)) for h in (0, 1)]
    return Counts(np.array(then), np.array([drawn[h] + fresh[h] for h in (0, 1)]), np.array(population))


def test_rows_are_the_interval_at_counts_that_are_recomputed() -> None:
    planned = tw.plan_rate(JUDGE, GOLD, of="pass", within=0.03)
    assert [row.n_gold for row in planned.rows[:4]] == [80, 113, 160, 226]
    for n_gold, within in planned.rows:
        assert within == pytest.approx(assisted(counts_by_hand(n_gold), 0.05).width / 2)
    today = tw.rate(JUDGE, GOLD, of="pass")
    assert planned.rows[0].within == pytest.approx((today.upper - today.lower) / 2)
    alone = tw.plan_rate(JUDGE, GOLD, of="pass", within=0.03, method="exact")
    assert alone.rows[0].within == pytest.approx(exact(counts_by_hand(80), 0.05).width / 2)


def test_the_number_is_enough_and_the_one_before_is_not() -> None:
    planned = tw.plan_rate(JUDGE, GOLD, of="pass", within=0.04)
    assert planned.needed is not None
    halves = [assisted(counts_by_hand(n), 0.05).width / 2 for n in (planned.needed - 1, planned.needed)]
    assert halves[0] > 0.04 >= halves[1]


def test_half_widths_fall_to_nothing_and_less_is_sooner_enough() -> None:
    planned = tw.plan_rate(JUDGE, GOLD, of="pass", within=1e-4)
    widths = [row.within for row in planned.rows]
    assert widths == sorted(widths, reverse=True)
    assert planned.rows[-1] == (N, 0.0)
    wanted = (0.12, 0.06, 0.04, 0.02, 1e-4)
    needed = [tw.plan_rate(JUDGE, GOLD, of="pass", within=one).needed for one in wanted]
    assert needed == sorted(needed, key=lambda number: number or math.inf)
    assert needed[0] == 80
    assert "No more gold labels are needed" in str(tw.plan_rate(JUDGE, GOLD, of="pass", within=0.12))


def test_without_gold_it_is_a_share_of_one_half_and_a_panel_of_85_per_cent() -> None:
    planned = tw.plan_rate(JUDGE, of="pass", within=0.05)
    assert planned.rows[0] == (0, 0.5)
    for n_gold, within in planned.rows[1:]:
        yes = round(n_gold / 2)
        drawn = np.array([n_gold - yes, yes])
        right = np.rint(drawn * [0.15, 0.85]).astype(int)
        assert within == pytest.approx(assisted(Counts(right, drawn, np.array([500, 500])), 0.05).width / 2)
    assert "there is none yet" in str(planned)


def test_gold_that_are_further_items_leave_something_open() -> None:
    votes = tw.Votes(np.where(JUDGE == "pass", 1, 0), class_names=["fail", "pass"])
    gold = tw.Gold(votes.take(range(60)), GOLD[:60].tolist(), "separate")
    planned = tw.plan_rate(votes.take(range(100, 200)), gold, of="pass", within=0.01)
    assert planned.needed is None
    assert "No number of gold labels up to 100 is expected" in str(planned)


def test_expected_counts_are_never_more_than_there_are() -> None:
    now = Counts(np.array([0, 3]), np.array([1, 4]), np.array([3, 40]))
    outlook = Outlook.from_gold(now, is_separate=False)
    for n_gold in range(5, 44):
        then = outlook.grown(n_gold)
        assert then.n_gold == n_gold
        assert (then.right <= then.drawn).all()
        assert (then.drawn <= then.population).all()
        assert (then.right >= now.right).all()


def test_labels_of_today_stay_as_they_were_counted() -> None:
    """All 40 of one part are of the class, so 30 more add 30 * 40.5 / 41, which is 29.6, to 40."""
    now = Counts(np.array([0, 40]), np.array([40, 40]), np.array([40, 400]))
    assert Outlook.from_gold(now, is_separate=False).grown(110).right.tolist() == [0, 70]


@pytest.mark.parametrize("within", [0, 0.5, -0.1, 3, math.nan])
def test_a_half_width_is_between_0_and_one_half(within: float) -> None:
    with pytest.raises(InvalidBoxError, match="within must be half of the width"):
        tw.plan_rate(JUDGE, GOLD, of="pass", within=within)


def test_what_cannot_be_planned_is_refused() -> None:
    with pytest.raises(InvalidChoiceError, match="Is 'pass' meant"):
        tw.plan_rate(JUDGE, GOLD, of="pas", within=0.03)
    with pytest.raises(InvalidChoiceError, match="method must be one of"):
        tw.plan_rate(JUDGE, GOLD, of="pass", within=0.03, method="guess")  # type: ignore[arg-type]
    with pytest.raises(InvalidLabelsError, match="a rate needs gold labels"):
        tw.plan_accuracy(JUDGE, at_least=0.8)
    with pytest.raises(InvalidLabelsError, match="there must be items left to label"):
        tw.plan_accuracy(JUDGE, TRUTH, at_least=0.8)


@pytest.mark.parametrize("share", [0.5, 1, 0, math.nan])
def test_a_share_of_right_labels_is_above_guessing_and_below_1(share: float) -> None:
    with pytest.raises(InvalidBoxError, match="at_least must be a share of right labels above 1/2"):
        tw.plan_accuracy(JUDGE, GOLD, at_least=share)


def test_right_labels_are_planned_from_today_towards_what_gold_expects() -> None:
    votes = tw.Votes(np.where(JUDGE == "pass", 1, 0), class_names=["fail", "pass"], item_ids=range(N))
    sample = open_gold(votes.take(range(80)), GOLD[:80].tolist(), votes, "subset")
    box = tw.Box.from_sample(sample)
    now = tw.BalsubramaniFreund().fit(votes, box=box).certificate_.accuracy_at_least
    planned = tw.plan_accuracy(votes, GOLD, at_least=0.8)
    n_right = int((JUDGE[:80, 0] == TRUTH[:80]).sum())  # whatever fold is left out, one judge is believed
    assert planned.expected == pytest.approx((n_right + 0.5) / 81) == expected_share(sample, 0.0, 0.95)
    assert now is not None
    assert planned.rows[0].at_least == pytest.approx(now)
    assert planned.rows[2].at_least == pytest.approx(planned.expected - (planned.expected - now) / math.sqrt(2))
    shares = [row.at_least for row in planned.rows]
    assert shares == sorted(shares)
    assert planned.rows[-1].n_gold == N - 1


def test_the_number_for_right_labels_is_the_first_that_is_enough() -> None:
    for wanted in (0.81, 0.85, 0.88):
        needed = needed_labels(0.8, 0.9, 100, wanted)
        assert needed is not None
        assert planned_share(0.8, 0.9, 100, needed) >= wanted - 1e-9 > planned_share(0.8, 0.9, 100, needed - 1) - 2e-9
    assert needed_labels(0.8, 0.9, 100, 0.95) is None


def test_more_than_the_rules_can_do_is_said_to_be_so() -> None:
    planned = tw.plan_accuracy(JUDGE, GOLD, at_least=0.99)
    assert planned.needed is None
    assert "with these rules" in str(planned)
    assert "Write better rules, or ask for less" in str(planned)
