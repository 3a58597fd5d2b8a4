"""Gold drawn with unequal chances: both designs hold as often as they say, in any row order, and use every weight.

The threshold of coverage has a false-alarm rate of one in a million. Kills, tried once: weights of other items where
labels are missing; a budget that needs more than one expected draw; all weights replaced by their mean; Poisson gold
taken as draws of fixed number (by the interval recomputed, not by coverage).
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import binom
from studies.weighted_designs import ORDERS, WEIGHTED, draw_gold, make_pool

import thumbwise as tw
from support.problems import item_moments, make_votes
from thumbwise.box.budget import split_error
from thumbwise.box.moments.linear import About, Moments
from thumbwise.box.moments.of_rules import class_accuracies
from thumbwise.box.moments.standard import STANDARD
from thumbwise.numerics.weighted_shares import WeightedDraw, weighted_share_bounds

Design = Literal["with_replacement", "poisson"]
DESIGNS: tuple[Design, ...] = ("with_replacement", "poisson")
N_TRIALS = 150


@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.parametrize("design", DESIGNS)
def test_the_box_holds_as_often_as_it_says_in_any_row_order(design: Design, level: float) -> None:
    rng = np.random.default_rng(3)
    misses, differing = 0, 0
    for trial in range(N_TRIALS):
        pool = make_pool(rng, 400)
        items, weights = draw_gold(rng, pool, 80, design)
        boxes = []
        for order in ORDERS.values() if trial < 10 else [ORDERS["as drawn"]]:
            gold = order(items, weights, pool.labels)
            boxes.append(
                tw.Box.from_gold(
                    pool.votes.take(items[gold]),
                    pool.labels[items[gold]],
                    pool=pool.votes,
                    confidence_level=level,
                    gold_is=WEIGHTED[design](weights[gold], pool.largest_weight(80)),
                )
            )
        misses += not boxes[0].contains(item_moments(pool.votes, np.eye(2)[pool.labels]))
        differing += any((b.lower != boxes[0].lower).any() or (b.upper != boxes[0].upper).any() for b in boxes)
    assert misses <= binom.ppf(1 - 1e-6, N_TRIALS, 1 - level)
    assert differing == 0


def weighted_problem(seed: int = 0) -> tuple[tw.Votes, np.ndarray, np.ndarray, np.ndarray]:
    """A pool with ids, its labels, gold drawn from it without repetition, and weights that all differ."""
    rng = np.random.default_rng(seed)
    labels, array = make_votes(rng, 200, 3, 2)
    pool = tw.Votes(array, n_classes=2, item_ids=[f"item {i}" for i in range(200)])
    return pool, labels, rng.choice(200, 60, replace=False), rng.uniform(1.5, 9, 200)


def weighted_box(
    pool: tw.Votes, labels: Any, gold: np.ndarray, weights: np.ndarray, design: Design, **options: Any
) -> tw.Box:
    drawn = WEIGHTED[design](weights, options.pop("max_weight", 9.0))
    return tw.Box.from_gold(pool.take(gold), labels, pool=pool, gold_is=drawn, **options)


@pytest.mark.parametrize("design", DESIGNS)
def test_intervals_are_recomputed_item_by_item(design: Design) -> None:
    pool, labels, gold, weights = weighted_problem()
    box = weighted_box(pool, labels[gold], gold, weights[gold], design)
    typical = 200 / 60 if design == "with_replacement" else 1.0
    draw = WeightedDraw(design == "poisson", 9.0, typical)
    assert box.gold is not None
    errors = split_error(0.05, box.gold.counts).sum(axis=0)
    for m in range(5):
        counts = pool.array[:, m] >= 0 if m < 3 else np.ones(200, bool)
        feature = (pool.array[:, m] == labels if m < 3 else labels == m - 3).astype(int)
        inside = gold[counts[gold]]
        bounds = weighted_share_bounds(feature[inside], weights[inside], counts.sum(), draw, float(errors[m]))
        assert (box.lower[m], box.upper[m]) == pytest.approx(bounds, abs=1e-12)


@pytest.mark.parametrize("design", DESIGNS)
def test_a_missing_label_takes_its_weight_along(design: Design) -> None:
    """Unlabeled items, whose weights may be anything, change nothing."""
    pool, labels, gold, weights = weighted_problem(1)
    box = weighted_box(pool, labels[gold], gold, weights[gold], design)
    known = np.full(200, -1)
    known[gold] = labels[gold]
    wide = np.where(known < 0, np.nan, weights)
    whole = weighted_box(pool, known, np.arange(200), wide, design)
    np.testing.assert_array_equal((whole.lower, whole.upper), (box.lower, box.upper))


def test_moments_with_few_items_that_can_be_right_count_only_those() -> None:
    """A rule's right votes for one class are among its votes for that class."""
    pool, labels, gold, weights = weighted_problem(2)
    box = weighted_box(pool, labels[gold], gold, weights[gold], "poisson", moments=(*STANDARD, class_accuracies))
    said = [(pool.array[:, j] == c).sum() / (pool.array[:, j] >= 0).sum() for j in range(3) for c in range(2)]
    assert (box.upper[5:] <= np.array(said) + 1e-12).all()


def first_rule_votes(votes: tw.Votes) -> Moments:
    """The share of items that the first rule votes on: of any class there, of none elsewhere."""
    speaks = np.repeat(votes.patterns.to_rows()[:, [0]] >= 0, votes.n_classes, axis=0)
    features = sp.csr_array(speaks.astype(float))
    return Moments.of_shares([About("speaks", "speaks", "speaking")], features, np.array([votes.n_items]), ["speaks"])


@pytest.mark.parametrize("design", DESIGNS)
def test_a_feature_of_several_classes_is_counted_over_all_items(design: Design) -> None:
    pool, labels, gold, weights = weighted_problem(2)
    box = weighted_box(pool, labels[gold], gold, weights[gold], design, moments=(first_rule_votes,))
    speaks = (pool.array[gold, 0] >= 0).astype(float)
    draw = WeightedDraw(design == "poisson", 9.0, 200 / 60 if design == "with_replacement" else 1.0)
    assert (box.lower[0], box.upper[0]) == pytest.approx(weighted_share_bounds(speaks, weights[gold], 200, draw, 0.05))


def test_an_item_drawn_again_counts_again_and_is_pinned_once() -> None:
    pool, labels, gold, weights = weighted_problem(3)
    again = np.concatenate([gold, gold[:25]])
    box = weighted_box(pool, labels[again], again, weights[again], "with_replacement")
    nameless = tw.Votes(pool.array, n_classes=2)
    same = weighted_box(nameless, labels[again], again, weights[again], "with_replacement")
    np.testing.assert_array_equal((box.lower, box.upper), (same.lower, same.upper))
    assert box.known is not None
    assert sorted(box.known.item_ids) == sorted(pool.item_ids[gold])
    np.testing.assert_array_equal(box.known.labels, labels[pool.find_ids(box.known.item_ids)])
    model = tw.BalsubramaniFreund().fit(pool, box=box)
    assert model.certificate_.n_known == 60


@pytest.mark.parametrize(
    ("what", "said"), [("label", "same label each time; 1 gold ids"), ("weight", "same weight each time; 1 gold ids")]
)
def test_an_item_drawn_again_is_the_same_item(what: str, said: str) -> None:
    pool, labels, gold, weights = weighted_problem(3)
    again = np.append(gold, gold[7])
    y, w = labels[again], weights[again]
    if what == "label":
        y[-1] = 1 - y[-1]
    else:
        w[-1] += 0.1
    with pytest.raises(tw.InvalidLabelsError, match=said):
        weighted_box(pool, y, again, w, "with_replacement")


def test_repeated_ids_are_refused_elsewhere() -> None:
    """Thirty items three times each are not ninety."""
    pool, labels, gold, weights = weighted_problem(4)
    thrice = np.repeat(gold[:30], 3)
    said = "30 of 30 gold ids occur more than once, such as 'item"
    with pytest.raises(tw.InvalidLabelsError, match=said):
        weighted_box(pool, labels[thrice], thrice, weights[thrice], "poisson")
    with pytest.raises(tw.InvalidLabelsError, match=said):
        tw.Box.from_gold(pool.take(thrice), labels[thrice], pool=pool, gold_is="subset")
    with pytest.raises(tw.InvalidLabelsError, match=said):
        tw.Box.from_gold(pool.take(thrice), labels[thrice], pool=tw.Votes(pool.array, n_classes=2))
    with pytest.raises(tw.InvalidLabelsError, match=said):
        tw.plan(pool.take(thrice), labels[thrice], pool=pool, gold_is="subset")


def test_the_budget_is_split_by_what_is_expected_before_the_draw() -> None:
    """A moment that expects exactly three draws gets its part, one that expects less gets [0, 1]."""
    array = np.zeros((90, 3), dtype=np.int64)
    array[27:, 1] = -1  # 27 votes: exactly three expected, at a chance of 1 in 9
    array[24:, 2] = -1
    pool = tw.Votes(array, n_classes=2)
    gold = np.arange(40)
    for design, expected in (("with_replacement", 4), ("poisson", 3)):
        box = weighted_box(pool, np.zeros(40, int), gold, np.full(40, 9.0), design)  # type: ignore[arg-type]
        assert (box.lower > 0).sum() == expected, design
        assert box.lower[2] == 0 or design == "with_replacement"


def test_plain_gold_that_expects_exactly_one_vote_has_its_part() -> None:
    """Kills `> 1` in the split of the budget."""
    array = np.zeros((100, 2), dtype=np.int64)
    array[5:, 1] = -1
    pool = tw.Votes(array, n_classes=2)
    gold = np.concatenate([np.arange(5), np.arange(50, 65)])
    box = tw.Box.from_gold(pool.take(gold), np.zeros(20, int), pool=pool, gold_is="subset")
    assert (box.lower[1], box.upper[1]) == (1.0, 1.0), "five of five votes are gold, and one was expected"
