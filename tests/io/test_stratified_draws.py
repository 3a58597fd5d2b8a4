"""Stratified draws: strata and numbers from votes alone, random within strata, even in every prefix, weighed later."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import binom

import thumbwise as tw
from thumbwise.exceptions import InvalidChoiceError
from thumbwise.io.stratified_draws import allocate, interleave
from thumbwise.numerics.two_groups import TwoGroups, two_group_bounds


def made(n_items: int = 400, seed: int = 0) -> tuple[np.ndarray, tw.Votes]:
    rng = np.random.default_rng(seed)
    truth = (rng.random(n_items) < 0.25).astype(int)
    votes = np.where(rng.random((n_items, 4)) < 0.8, truth[:, None], 1 - truth[:, None])
    votes[rng.random((n_items, 4)) < 0.2] = -1
    return truth, tw.Votes(votes, class_names=["no", "yes"])


@pytest.mark.parametrize("n_levels", [1, 2])
def test_every_prefix_has_its_part_of_each_stratum_up_to_one(n_levels: int) -> None:
    """Kills strata one after the other, and a random order over all."""
    _, votes = made()
    drawn = tw.draw_stratified(votes, 120, random_state=2, n_levels=n_levels)
    assert sorted(drawn.order.tolist()) == list(range(400))
    assert len(drawn.strata) == 2 * n_levels
    assert sum(stratum.n for stratum in drawn.strata) == 120
    assert Counter(drawn.places) == {stratum.name: stratum.size for stratum in drawn.strata}
    for m in range(1, 121):
        seen = Counter(drawn.places[:m])
        assert all(abs(seen[s.name] - m * s.n / 120) <= 1 + 1e-9 for s in drawn.strata)
    assert Counter(drawn.places[:120]) == {s.name: s.n for s in drawn.strata}


def test_strata_are_the_panels_verdicts_and_how_sure_it_is() -> None:
    split = [[0, 0, 1], [0, 1, 0]] * 6 + [[1, 1, 0], [1, 0, 1]] * 4
    votes = tw.Votes([[0, 0, 0]] * 30 + [[1, 1, 1]] * 10 + split, class_names=["a", "b"])
    by_row = dict(zip(*_places(tw.draw_stratified(votes, 20, n_levels=2)), strict=True))
    expected = ["a, sure"] * 30 + ["b, sure"] * 10 + ["a, unsure"] * 12 + ["b, unsure"] * 8
    assert [by_row[row] for row in range(60)] == expected
    plain = dict(zip(*_places(tw.draw_stratified(votes, 20)), strict=True))
    assert [plain[row] for row in range(60)] == [name[0] for name in expected]


def test_for_one_class_there_are_two_strata() -> None:
    votes = tw.Votes([[0, 0, 1], [1, 1, 2], [2, 2, 0], [0, 1, 0]] * 10, class_names=["a", "b", "c"])
    drawn = tw.draw_stratified(votes, 20, of="b")
    assert [(stratum.name, stratum.size) for stratum in drawn.strata] == [("b", 10), ("not b", 30)]
    assert {row % 4 for row, name in zip(drawn.order.tolist(), drawn.places, strict=True) if name == "b"} == {1}
    with pytest.raises(InvalidChoiceError, match="must name a class"):
        tw.draw_stratified(votes, 20, of="d")


def _places(drawn: object) -> tuple[list[int], tuple[str, ...]]:
    return drawn.order.tolist(), drawn.places  # type: ignore[attr-defined]


def test_within_a_stratum_every_order_is_as_likely() -> None:
    """2,400 seeds; the threshold of each count has a false-alarm rate of one in a million over all six."""
    codes, wanted = np.array([0, 1, 0, 0, 1]), np.array([2, 1])
    orders = Counter(
        tuple(row for row in interleave(codes, wanted, seed).tolist() if codes[row] == 0) for seed in range(2400)
    )
    assert set(orders) == set(permutations([0, 2, 3]))
    low, high = (binom.ppf(part, 2400, 1 / 6) for part in (1e-6 / 12, 1 - 1e-6 / 12))
    assert all(low <= count <= high for count in orders.values())


def test_labels_have_no_part_in_the_draw_and_the_seed_decides() -> None:
    _, votes = made()
    first, same, other = (tw.draw_stratified(votes, 50, random_state=seed) for seed in (1, 1, 2))
    assert (first.order == same.order).all()
    assert (first.order != other.order).any()
    assert first.strata == other.strata


def test_numbers_are_neymans_with_a_floor() -> None:
    sizes, spread = np.array([800, 150, 50]), np.array([0.3, 0.5, 0.4])
    exact = 200 * sizes * spread / (sizes * spread).sum()
    assert np.abs(allocate(sizes, spread, 200) - exact).max() <= 1
    assert allocate(np.array([980, 20]), np.array([0.3, 0.3]), 100).tolist() == [95, 5]
    assert allocate(np.array([10, 990]), np.array([0.5, 0.3]), 900).tolist() == [10, 890]
    assert allocate(np.array([10, 990]), np.array([0.5, 0.3]), 1000).tolist() == [10, 990]
    assert allocate(np.array([5, 5, 5]), np.ones(3), 2).sum() == 2


def test_shares_from_a_draw_are_weighed_and_exact_for_two_strata() -> None:
    truth, votes = made()
    drawn = tw.draw_stratified(votes, 60, random_state=3)
    for n in (60, 40):
        rows = drawn.order[:n]
        found = tw.rate(votes, tw.Gold(votes.take(rows), truth[rows], drawn.design(n)), of="yes", confidence_level=0.9)
        names = [stratum.name for stratum in drawn.strata]
        inside = [np.array(drawn.places[:n]) == name for name in names]
        right = tuple(int(truth[rows][one].sum()) for one in inside)
        counts = TwoGroups(right, tuple(int(one.sum()) for one in inside), tuple(s.size for s in drawn.strata))  # type: ignore[arg-type]
        low, high = two_group_bounds(counts, 0.1)
        assert (found.lower, found.upper) == pytest.approx((low / 400, high / 400))
        weighed = sum(s.size * truth[rows][one].mean() for s, one in zip(drawn.strata, inside, strict=True)) / 400
        assert found.estimate == pytest.approx(weighed)
        assert found.rows[0].method == "exact (two groups)"


def test_shares_from_draws_hold() -> None:
    """At a level of 0.8; the threshold has a false-alarm rate of one in a million."""
    truth, votes = made(200)
    n_runs, misses = 60, 0
    for seed in range(n_runs):
        drawn = tw.draw_stratified(votes, 40, random_state=seed)
        rows = drawn.order[:40]
        found = tw.rate(votes, tw.Gold(votes.take(rows), truth[rows], drawn.design()), of="yes", confidence_level=0.8)
        misses += not found.lower <= truth.mean() <= found.upper
    assert misses <= binom.ppf(1 - 1e-6, n_runs, 0.2)


@pytest.mark.parametrize(
    ("asked", "match"),
    [
        ({"n_items": 0}, "found 0"),
        ({"n_items": 401}, "at most the 400"),
        ({"n_items": 5, "random_state": -1}, "random_state must be"),
    ],
)
def test_what_cannot_be_drawn_is_refused(asked: dict[str, int], match: str) -> None:
    _, votes = made()
    with pytest.raises(InvalidChoiceError, match=match):
        tw.draw_stratified(votes, **asked)
    with pytest.raises(InvalidChoiceError, match="1 or 2 levels"):
        tw.draw_stratified(votes, 10, n_levels=3)
