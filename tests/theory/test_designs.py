"""Gold that is not a plain random sample: each design's box holds the truth as often as it says.

All thresholds have a false-alarm rate of one in a million. Since bounds are conservative, simulation cannot see the
whole error in each stratum or a stratum without gold left out; intervals recomputed group by group can. Weighted gold
is in test_weighted_gold.
"""

from __future__ import annotations

from math import comb
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import thumbwise as tw
from support.problems import item_moments, make_votes
from thumbwise.box.budget import split_error
from thumbwise.box.designs import ByClass, Poisson, Stratified, WithReplacement
from thumbwise.box.moments.linear import build_moments
from thumbwise.box.moments.of_classes import class_frequencies, group_frequencies
from thumbwise.box.moments.of_rules import ConditionalRate
from thumbwise.numerics.intervals import (
    _cells,
    _least_share,
    hypergeometric_bounds,
    hypergeometric_sides,
    realised_rate_bounds,
    stratified_bounds,
)
from thumbwise.votes.labels import label_counts
from thumbwise.votes.votes import Votes

N_TRIALS, LEVEL = 100, 0.8
ALLOWED = binom.ppf(1 - 1e-6, N_TRIALS, 1 - LEVEL)


def truth_of(box: tw.Box, pool: Votes, labels: np.ndarray) -> np.ndarray:
    return build_moments(box.builders, pool).averages(label_counts(pool, labels))


def test_strata_hold_though_hard_items_are_over_sampled() -> None:
    """Half of the gold comes from a small hard group; pretending that gold is a plain sample fails the same check."""
    misses = {"stratified": 0, "plain": 0}
    for seed in range(N_TRIALS):
        rng = np.random.default_rng(seed)
        labels, array = make_votes(rng, 400, 3, 2)
        hard = np.arange(400) < 80
        array[hard] = np.where(rng.random((80, 3)) < 0.8, 1 - labels[hard, None], array[hard])
        groups = np.where(hard, "hard", "easy")
        gold = np.concatenate([rng.choice(80, 40, replace=False), rng.choice(np.arange(80, 400), 40, replace=False)])
        pool = tw.Votes(array, n_classes=2, item_groups=groups)
        for name in misses:
            box = tw.Box.from_gold(
                pool.take(gold),
                labels[gold],
                pool=pool,
                gold_is=tw.designs.Stratified("subset") if name == "stratified" else "subset",
                confidence_level=LEVEL,
                n_permutations=0,
            )
            misses[name] += not box.contains(truth_of(box, pool, labels))
    assert misses["stratified"] <= ALLOWED < misses["plain"]


@pytest.mark.parametrize("gold_is", ["subset", "separate"])
def test_strata_are_the_bounds_on_sums_over_groups(gold_is: Literal["subset", "separate"]) -> None:
    """Counted item by item, in three groups, one of which has no gold."""
    rng = np.random.default_rng(2)
    labels, array = make_votes(rng, 300, 3, 2)
    groups = np.repeat(["a", "b", "c"], [150, 100, 50])
    gold = np.concatenate([rng.choice(150, 20, replace=False), 150 + rng.choice(100, 40, replace=False)])
    everything = tw.Votes(array, n_classes=2, item_groups=groups)
    kept = np.arange(300) if gold_is == "subset" else np.setdiff1d(np.arange(300), gold)
    box = tw.Box.from_gold(
        everything.take(gold), labels[gold], pool=everything.take(kept), gold_is=tw.designs.Stratified(gold_is)
    )
    assert box.gold is not None
    errors = split_error(0.05, box.gold.counts).sum(axis=0)  # both sides alike
    for m in range(5):
        counts, feature = (array[:, m] >= 0, array[:, m] == labels) if m < 3 else (np.ones(300, bool), labels == m - 3)
        rows = []
        for name in "abc":
            inside = counts & (groups == name)
            drawn = gold[inside[gold]]
            rows.append((feature[drawn].sum(), len(drawn), inside.sum()))
        right, drawn_in, population = np.array(rows).T[:, :, None]
        low, high = stratified_bounds(right, drawn_in, population, errors[[m]])
        outside = 0 if gold_is == "subset" else right.sum()
        expected = (np.array([low[0], high[0]]) - outside) / counts[kept].sum()
        np.testing.assert_allclose((box.lower[m], box.upper[m]), expected, atol=1e-12)


def test_class_balanced_gold_holds_with_frequencies_from_elsewhere() -> None:
    misses, informative, n_fitted = 0, 0, 0
    for seed in range(N_TRIALS):
        rng = np.random.default_rng(seed)
        labels = (rng.random(2500) < 0.2).astype(np.int64)
        said = np.where(rng.random((2500, 2)) < [[0.9, 0.8]], labels[:, None], 1 - labels[:, None])
        said[rng.random((2500, 2)) < 0.2] = -1
        gold = np.concatenate([np.flatnonzero(labels == c)[:60] for c in (0, 1)])
        rest = np.setdiff1d(np.arange(2500), gold)
        pool, y = tw.Votes(said[rest], n_classes=2), labels[rest]
        share = y.mean()
        box = tw.Box.from_gold(
            tw.Votes(said[gold], n_classes=2),
            labels[gold],
            pool=pool,
            gold_is=tw.designs.ByClass({0: (0.98 - share, 1.02 - share), 1: (share - 0.02, share + 0.02)}),
            confidence_level=LEVEL,
        )
        holds = box.contains(truth_of(box, pool, y))
        misses += not holds
        if holds and seed < 20:
            n_fitted += 1
            certificate = tw.BalsubramaniFreund().fit(pool, box=box).certificate_
            informative += certificate.log_loss_bound < 0.45  # the class frequencies alone give 0.5 and more
    assert misses <= ALLOWED
    assert informative == n_fitted > 10


def test_frequencies_from_elsewhere_replace_those_of_gold() -> None:
    labels, array = make_votes(np.random.default_rng(0), 200, 3, 2)
    pool = tw.Votes(array, n_classes=2)
    gold = np.arange(50)
    plain = tw.Box.from_gold(pool.take(gold), labels[gold], pool=pool, gold_is="subset")
    box = tw.Box.from_gold(
        pool.take(gold), labels[gold], pool=pool, gold_is="subset", class_frequencies={1: (0.4, 0.6)}
    )
    np.testing.assert_array_equal((box.lower[3:], box.upper[3:]), [[0, 0.4], [1, 0.6]])
    assert (box.upper - box.lower)[:3].sum() < (plain.upper - plain.lower)[:3].sum(), "their error goes to the rules"
    assert "class frequencies lie where they are said to" in box.evidence.assumption


@pytest.mark.parametrize(("drawn", "sizes"), [(4, (3, 9)), (6, (5, 5)), (3, (1, 40))])
@pytest.mark.parametrize("error", [0.1, 0.5])
def test_realised_rates_are_covered_for_every_number_of_items(drawn: int, sizes: tuple[int, int], error: float) -> None:
    """Every number of further items, every number of right ones among all, every sample."""
    bounds = list(zip(*realised_rate_bounds(range(drawn + 1), drawn, sizes, error), strict=True))
    for size in range(sizes[0], sizes[1] + 1):
        for total in range(size + drawn + 1):
            covered = 0.0
            for right in range(max(0, total - size), min(drawn, total) + 1):
                ways = comb(total, right) * comb(size + drawn - total, drawn - right)
                low, high = bounds[right]
                covered += ways / comb(size + drawn, drawn) * (low - 1e-12 <= (total - right) / size <= high + 1e-12)
            assert covered >= 1 - error - 1e-12


def test_realised_rates_are_the_worst_over_all_numbers_of_items() -> None:
    """One by one where cells hold one number each; where they are wider, a little is given away and never gained."""
    for right, drawn, sizes, given_away in (
        (54, 60, (480, 500), 0.0),
        (54, 60, (480, 1500), 0.003),
        (3, 60, (90, 900), 0.003),
    ):
        low, high = realised_rate_bounds(right, drawn, sizes, 0.01)
        every = np.arange(sizes[0], sizes[1] + 1)
        fewest, most = hypergeometric_bounds(right, drawn, drawn + every, 0.01)
        worst = ((fewest - right) / every).min(), ((most - right) / every).max()
        assert worst[0] - given_away - 1e-12 <= low <= worst[0] + 1e-12
        assert worst[1] - 1e-12 <= high <= worst[1] + given_away + 1e-12


def test_cells_of_numbers_of_items_give_nothing_away_wrongly() -> None:
    """Whatever the fewest right ones are, as long as they grow by 0 or 1: the share is at least what the ends say."""
    rng = np.random.default_rng(12)
    first, last = _cells(30, 2000)
    assert (first[1:] == last[:-1] + 1).all()
    assert (first[0], last[-1]) == (30, 2000)
    for growth in (np.zeros(1970), np.ones(1970), *(rng.random((20, 1970)) < rng.random((20, 1)))):
        # Shares that fall as items are added, so that the smallest lies in a wide cell.
        fewest = np.cumsum(np.concatenate([[25], growth])).astype(np.int64)
        share = _least_share(np.stack([fewest[first - 30], fewest[last - 30]]), first, last)
        exact = (fewest / np.arange(30, 2001)).min()
        assert exact - 0.04 <= share <= exact + 1e-12
    for _ in range(200):
        # One cell: flat and then steep, or steep and then flat.
        steps = np.repeat(rng.permutation([0, 1]), rng.integers(0, 9, 2))
        fewest = np.cumsum(np.concatenate([[int(rng.integers(0, 31))], steps]))
        sizes = np.arange(30, 30 + len(fewest))
        ends = fewest[[0, -1]][:, None]
        assert _least_share(ends, sizes[:1], sizes[-1:]) <= (fewest / sizes).min() + 1e-12


def test_class_balanced_rates_are_exact_for_the_class_sizes_that_frequencies_allow() -> None:
    """Recomputed class by class; kills the whole error in each rate, and a class of another size."""
    pool = tw.Votes(np.array([[0], [1]] * 50), n_classes=2)
    gold = tw.Votes(np.array([[0]] * 8 + [[1]] * 4 + [[1]] * 9), n_classes=2)
    by_class = tw.designs.ByClass({0: (0.4, 0.45), 1: (0.55, 0.6)})
    box = tw.Box.from_gold(gold, [0] * 12 + [1] * 9, pool=pool, gold_is=by_class, confidence_level=0.9)
    rates = [builder.rate for builder in box.builders if isinstance(builder, ConditionalRate)]
    expected = []
    for right, drawn, sizes in ((8, 12, (40, 45)), (4, 12, (40, 45)), (0, 9, (55, 60)), (9, 9, (55, 60))):
        every = np.arange(sizes[0], sizes[1] + 1)
        fewest, most = hypergeometric_bounds(right, drawn, drawn + every, 0.1 / 4)
        expected += [((fewest - right) / every).min(), ((most - right) / every).max()]
    np.testing.assert_allclose(rates, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("drawn", "message"),
    [
        (WithReplacement([1.0] * 49 + [-2.0], 5.0), r"positive; found -2.0 at position 49 \(1 such"),
        (WithReplacement([1.0] * 3, 5.0), r"one weight per gold label; found shape \(3,\) for 50"),
        (WithReplacement([1.0] * 50, None), "max_weight"),  # type: ignore[arg-type]
        (WithReplacement([1.0] * 50, np.inf), "weights need max_weight"),
        (WithReplacement([9.0] * 50, 5.0), "exceed max_weight=5.0; found 9"),
        (Poisson([1.0] * 49 + [0.5], 5.0), "at least 1, since no chance exceeds 1; found 0.5"),
        (Stratified(), "same groups in gold and pool; gold has 0 groups"),
        ("srs", "'separate', 'subset', or a design of thumbwise.box.designs; found 'srs'"),
    ],
)
def test_gold_that_cannot_have_been_drawn_so_is_refused(drawn: Any, message: str) -> None:
    labels, array = make_votes(np.random.default_rng(0), 200, 3, 2)
    pool = tw.Votes(array, n_classes=2)
    with pytest.raises(tw.ThumbwiseError, match=message):
        tw.Box.from_gold(pool.take(np.arange(50)), labels[:50], pool=pool, gold_is=drawn)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"interval": "wilson", "gold_is": Poisson([1.0] * 50, 5.0)}, "Poisson has intervals of its own"),
        ({"class_frequencies": {7: (0.1, 0.2)}}, "name classes of the votes; found 7"),
        ({"symmetric": True}, 'belongs to interval="wilson"'),
        ({"interval": "bayes"}, "interval must be one of 'exact', 'wilson'; found 'bayes'"),
        ({"gold_is": ByClass({0: (0.4, 0.5)}), "class_frequencies": {0: (0.4, 0.5)}}, "leave out class_frequencies"),
        ({"gold_is": ByClass({0: (0.4, 0.5)}), "moments": (class_frequencies,)}, "has its own moments"),
    ],
)
def test_what_has_no_valid_interval_is_refused(options: dict[str, Any], message: str) -> None:
    labels, array = make_votes(np.random.default_rng(0), 200, 3, 2)
    pool = tw.Votes(array, n_classes=2)
    with pytest.raises(tw.ThumbwiseError, match=message):
        tw.Box.from_gold(pool.take(np.arange(50)), labels[:50], pool=pool, **options)


def test_gold_of_a_plain_sample_is_the_same_with_one_stratum() -> None:
    labels, array = make_votes(np.random.default_rng(1), 200, 3, 2)
    pool = tw.Votes(array, n_classes=2, item_groups=["all"] * 200)
    gold = np.arange(0, 200, 4)
    box = tw.Box.from_gold(pool.take(gold), labels[gold], pool=pool, gold_is=tw.designs.Stratified("subset"))
    assert box.gold is not None
    counts = box.gold.counts
    both = split_error(0.05, counts).sum(axis=0)  # strata have equal sides
    fewest, most = hypergeometric_bounds(counts.right, counts.drawn, counts.population, both)
    np.testing.assert_array_equal(box.lower, fewest / counts.pool)
    np.testing.assert_array_equal(box.upper, most / counts.pool)


def test_given_class_frequencies_leave_the_budget_of_groups_alone() -> None:
    """Frequencies within groups are asked of gold, whatever is known of the frequencies over all items."""
    labels, array = make_votes(np.random.default_rng(5), 400, 3, 2)
    pool = tw.Votes(array, n_classes=2, item_groups=np.arange(400) % 2)
    gold = pool.take(np.arange(100))
    moments = (*tw.moments.STANDARD, group_frequencies)
    box = tw.Box.from_gold(
        gold, labels[:100], pool=pool, gold_is="subset", moments=moments, class_frequencies={1: (0.4, 0.6)}
    )
    in_groups = [m for m, moment in enumerate(box.about) if moment.kind == "group frequency"]
    assert box.gold is not None
    below, above = split_error(0.05, box.gold.counts)
    for m in in_groups:
        inside = np.arange(400) % 2 == box.about[m].group
        right = int((labels[:100][inside[:100]] == box.about[m].class_name).sum())
        fewest, most = hypergeometric_sides(right, 50, 200, below[m], above[m])
        np.testing.assert_allclose((box.lower[m], box.upper[m]), (fewest / 200, most / 200), atol=1e-12)
    assert len(in_groups) == 4


def test_every_way_to_pass_gold_gives_the_same_box() -> None:
    """Votes and labels, a Gold value and a Reading, for everything that takes gold."""
    labels, array = make_votes(np.random.default_rng(6), 300, 3, 2)
    names = np.array(["ham", "spam"])
    frame = pd.DataFrame(names[np.clip(array, 0, 1)], columns=["a", "b", "c"]).where(array >= 0)
    frame.insert(0, "id", [f"item {i}" for i in range(300)])
    reading = tw.read_votes(frame, gold={f"item {i}": names[labels[i]] for i in range(0, 300, 3)})
    pool, gold = reading.votes, tw.Gold(reading.gold_votes, names[labels[::3]], "subset")
    boxes = [
        tw.Box.from_gold(reading),
        tw.Box.from_gold(gold, pool=pool),
        tw.Box.from_gold(gold, pool=reading),
        tw.Box.from_gold(gold.votes, gold.labels, pool=pool, gold_is="subset"),
    ]
    for box in boxes:
        np.testing.assert_array_equal((box.lower, box.upper), (boxes[0].lower, boxes[0].upper))
        assert box.evidence.assumption == boxes[0].evidence.assumption
    plans = [tw.plan(reading), tw.plan(gold, pool=pool)]
    assert plans[0].rows == plans[1].rows
    scores = [[s.log_loss for s in tw.compare(*given, pool=pool).scores] for given in ((gold,), (reading,))]
    assert scores[0] == scores[1]


@pytest.mark.parametrize("ask", [tw.plan, tw.compare])
def test_what_speaks_of_plain_gold_refuses_other_designs(ask: Any) -> None:
    labels, array = make_votes(np.random.default_rng(0), 200, 3, 2)
    pool = tw.Votes(array, n_classes=2)
    gold = tw.Gold(pool.take(range(50)), labels[:50], Poisson([2.0] * 50, 5.0))
    with pytest.raises(tw.InvalidBoxError, match="plain random sample; found Poisson"):
        ask(gold, pool=pool)


def test_classes_that_are_called_by_numbers_are_not_taken_for_other_classes() -> None:
    """Classes 1 and 2: inside, the first of them is number 0, and a label 1 must not become the second class."""
    labels, array = make_votes(np.random.default_rng(8), 300, 3, 2)
    gold = np.arange(0, 300, 3)
    planned, compared = [], []
    for class_names in ([0, 1], [1, 2]):
        pool = tw.Votes(array, n_classes=2, class_names=class_names)
        given = tw.Gold(pool.take(gold), np.array(class_names)[labels[gold]], "subset")
        planned.append(tw.plan(given, pool=pool).bound)
        compared.append([s.log_loss for s in tw.compare(given, pool=pool, methods="all").scores])
    assert planned[0] == planned[1]
    assert compared[0] == compared[1]


@pytest.mark.parametrize("class_names", [[1, 2], [1, 0], [2.0, 1.0]])
def test_a_fit_to_labels_takes_numbers_that_are_names_for_names(class_names: list[Any]) -> None:
    """Classes called 1 and 0 must not be exchanged."""
    labels, array = make_votes(np.random.default_rng(8), 300, 3, 2)
    y = np.where(np.arange(300) % 3 == 0, labels, -1)
    named = [None if c < 0 else class_names[c] for c in y]
    plain = tw.BalsubramaniFreund().fit(tw.Votes(array, n_classes=2), y)
    other = tw.Votes(array, n_classes=2, class_names=class_names)
    model = tw.BalsubramaniFreund().fit(other, named)
    np.testing.assert_array_equal(model.weights_, plain.weights_)
    gold = tw.Gold(other.take(y >= 0), [class_names[c] for c in y[y >= 0]], "subset")
    box = tw.Box.from_gold(gold, pool=other)
    np.testing.assert_array_equal((model.box_.lower, model.box_.upper), (box.lower, box.upper))
    assert model.box_.evidence.assumption == box.evidence.assumption
    assert model.predict(other).tolist() == [class_names[c] for c in plain.predict(tw.Votes(array, n_classes=2))]


@pytest.mark.parametrize("class_names", [[1, 0], [1, 2]])
def test_a_reading_holds_class_numbers_whatever_classes_are_called(class_names: list[int]) -> None:
    labels, array = make_votes(np.random.default_rng(9), 300, 3, 2)
    gold = np.where(np.arange(300) % 3 == 0, labels, -1)
    boxes = [
        tw.Box.from_gold(tw.Reading(tw.Votes(array, n_classes=2, class_names=names), gold))
        for names in ([0, 1], class_names)
    ]
    np.testing.assert_array_equal((boxes[0].lower, boxes[0].upper), (boxes[1].lower, boxes[1].upper))


def test_draws_with_replacement_may_be_more_than_there_are_items() -> None:
    labels, array = make_votes(np.random.default_rng(10), 40, 3, 2)
    pool = tw.Votes(array, n_classes=2)
    drawn = np.random.default_rng(11).integers(40, size=120)
    box = tw.Box.from_gold(
        pool.take(drawn), labels[drawn], pool=pool, gold_is=WithReplacement(np.full(120, 40 / 120), 40 / 120)
    )
    assert box.gold_drawn is not None
    assert (box.gold_drawn > (array >= 0).sum(axis=0).max()).any()
    assert box.contains(item_moments(pool, np.eye(2)[labels]))
