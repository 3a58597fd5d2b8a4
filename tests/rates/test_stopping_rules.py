"""Rates and boxes under a stopping rule: the error of each look, every moment, and what is said and refused."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import thumbwise as tw
from thumbwise.box.budget import split_error
from thumbwise.box.moments.linear import LEARNED
from thumbwise.box.opened_gold import open_gold
from thumbwise.box.stopping import FIXED, StoppingRule
from thumbwise.exceptions import InvalidBoxError, InvalidChoiceError, InvalidLabelsError
from thumbwise.numerics.anytime import HORIZON, anytime_sides

LEVEL = 0.9
LOOKS = [20, 40, 60]


@cache
def items(n_items: int = 300) -> tuple[np.ndarray, tw.Votes]:
    rng = np.random.default_rng(4)
    truth = (rng.random(n_items) < 0.7).astype(int)
    votes = np.where(rng.random((n_items, 5)) < 0.85, truth[:, None], 1 - truth[:, None])
    return truth, tw.Votes(votes, n_classes=2)


def with_ids(votes: tw.Votes) -> tw.Votes:
    return tw.Votes(votes.array, n_classes=2, item_ids=[f"q{i}" for i in range(votes.n_items)])


def hidden(truth: np.ndarray, gold: np.ndarray) -> np.ndarray:
    y = np.full(len(truth), -1)
    y[gold] = truth[gold]
    return y


def ends(rates: tw.Rates) -> list[tuple[float, float]]:
    return [(row.lower, row.upper) for row in rates]


@pytest.mark.parametrize("method", ["assisted", "exact"])
def test_at_each_look_an_interval_has_its_part_of_the_error(method: Any) -> None:
    """Kills a division that is forgotten, or done for the rows and not for the looks."""
    truth, votes = items()
    y = hidden(truth, np.arange(40))
    groups = np.where(np.arange(300) % 2, "A", "B")
    some: list[dict[str, Any]] = [{}, {"by": groups}]
    for more in some:
        looked = tw.rate(votes, y, of=1, method=method, looks=LOOKS, confidence_level=LEVEL, **more)
        fixed = tw.rate(votes, y, of=1, method=method, confidence_level=1 - (1 - LEVEL) / 3, **more)
        np.testing.assert_allclose(ends(looked), ends(fixed))
        assert looked.confidence_level == LEVEL
    assert "at each of the 3 planned looks (20, 40, 60 labels)" in looked.assumption


def test_boxes_at_looks_have_their_part_of_the_error() -> None:
    truth, votes = items()
    gold = votes.take(range(40)), truth[:40]
    looked = tw.Box.from_gold(*gold, pool=votes, gold_is="subset", looks=LOOKS, confidence_level=LEVEL)
    fixed = tw.Box.from_gold(*gold, pool=votes, gold_is="subset", confidence_level=1 - (1 - LEVEL) / 3)
    assert any(moment.kind == LEARNED for moment in looked.about)
    np.testing.assert_allclose([looked.lower, looked.upper], [fixed.lower, fixed.upper])
    wider = tw.BalsubramaniFreund(caution=1).fit(votes, box=looked).certificate_
    same = tw.BalsubramaniFreund(caution=1).fit(votes, box=fixed).certificate_
    assert wider.accuracy_at_least == pytest.approx(same.accuracy_at_least)
    assert "planned looks" in str(wider)


def test_the_error_is_divided_for_judges_and_accepted_labels_too() -> None:
    truth, votes = items()
    votes = with_ids(votes)
    gold = tw.Gold(votes.take(range(60)), truth[:60], _Told("subset"))
    plain = tw.Gold(votes.take(range(60)), truth[:60], "subset")
    level = 1 - (1 - LEVEL) / 3
    told_judges, fixed_judges = (
        tw.judges(votes, one, confidence_level=at) for one, at in ((gold, LEVEL), (plain, level))
    )
    for ours, theirs in zip(told_judges.scores, fixed_judges.scores, strict=True):
        assert ours.interval == theirs.interval
        assert ours.rates == theirs.rates
    told, fixed = (
        tw.triage(votes, one, confidence_level=at, budget=100).looks for one, at in ((gold, LEVEL), (plain, level))
    )
    assert told is not None
    assert fixed is not None
    assert told.most_wrong == fixed.most_wrong


class _Told(tw.designs.Subset):
    """Gold that says of itself when it could be looked at."""

    def __init__(self, _: str) -> None:
        super().__init__()

    @property
    def looks(self) -> tuple[int, ...]:
        return tuple(LOOKS)


def test_gold_that_tells_of_its_looks_needs_no_argument_and_allows_no_other() -> None:
    truth, votes = items()
    gold = tw.Gold(votes.take(range(40)), truth[:40], _Told("subset"))
    assert ends(tw.rate(votes, gold, of=1)) == ends(tw.rate(votes, hidden(truth, np.arange(40)), of=1, looks=LOOKS))
    with pytest.raises(InvalidChoiceError, match="must be those that were planned"):
        tw.rate(votes, gold, of=1, looks=[40, 80])


def test_whenever_labeling_stops_a_share_is_bounded_by_counts_alone_or_in_the_order_of_the_draw() -> None:
    truth, votes = items()
    order = np.random.default_rng(0).permutation(300)[:80]
    right = int(truth[order].sum())
    y = hidden(truth, order)
    low, high = anytime_sides(right, 80, 300, (1 - LEVEL) / 2, (1 - LEVEL) / 2, horizon=HORIZON)
    methods: list[Any] = ["exact", "assisted"]
    for method in methods:  # the order of the draw is not known
        found = tw.rate(votes, y, of=1, looks="anytime", confidence_level=LEVEL, method=method)
        assert ends(found) == [(int(low) / 300, int(high) / 300)]
        assert found.assumption.endswith("whenever labeling stopped")
        assert found.is_guarantee
    drawn = tw.Gold(votes.take(order), truth[order], tw.designs.Subset(in_drawn_order=True))
    helped = tw.rate(votes, drawn, of=1, looks="anytime", confidence_level=LEVEL)
    assert helped.upper - helped.lower < 0.8 * (found.upper - found.lower)
    alone = tw.rate(votes, drawn, of=1, looks="anytime", confidence_level=LEVEL, method="exact")
    assert ends(alone) == ends(found)


def test_groups_and_their_difference_whenever_labeling_stops() -> None:
    truth, votes = items()
    groups = np.where(np.arange(300) < 100, "A", "B")
    y = hidden(truth, np.arange(60, 160))
    found = tw.rate(votes, y, of=1, by=groups, versus=["A", "B"], looks="anytime", method="exact", confidence_level=0.8)
    sizes, drawn = {"A": 100, "B": 200}, {"A": 40, "B": 60}
    for name in "AB":
        right = int(truth[(groups == name) & (y >= 0)].sum())
        low, high = anytime_sides(right, drawn[name], sizes[name], 0.025, 0.025, horizon=HORIZON * sizes[name] / 300)
        assert (found[name].lower, found[name].upper) == (int(low) / sizes[name], int(high) / sizes[name])
    half = tw.rate(votes, y, of=1, by=groups, looks="anytime", method="exact", confidence_level=1 - 3 * 0.025)
    assert found["A - B"].lower == pytest.approx(half["A"].lower - half["B"].upper)
    assert found["A - B"].upper == pytest.approx(half["A"].upper - half["B"].lower)


def test_boxes_whenever_labeling_stops_split_the_error_by_no_number_of_labels() -> None:
    """Kills a budget that follows how many labels there are, which labels decided on, and a learned opinion."""
    truth, votes = items()
    errors = []
    for n in (25, 120):
        gold = votes.take(range(n)), truth[:n]
        box = tw.Box.from_gold(*gold, pool=votes, gold_is="subset", looks="anytime", confidence_level=LEVEL)
        assert not any(moment.kind == LEARNED for moment in box.about)
        assert box.gold is not None
        counts = box.gold.counts
        errors.append(split_error(1 - LEVEL, counts))
        low, high = anytime_sides(counts.right, counts.drawn, counts.population, *errors[-1], horizon=counts.expected)
        np.testing.assert_allclose(box.lower, low / counts.pool)
        np.testing.assert_allclose(box.upper, high / counts.pool)
        np.testing.assert_allclose(counts.expected, counts.population * HORIZON / 300)
    np.testing.assert_array_equal(errors[0], errors[1])
    keys = counts.keys
    assert sum(dict(zip(keys, errors[0].sum(axis=0).tolist(), strict=True)).values()) <= 1 - LEVEL + 1e-12


def test_boxes_hold_when_somebody_stops_as_soon_as_one_does_not() -> None:
    """At a level of 0.8; the threshold has a false-alarm rate of one in a million."""
    truth, votes = items(150)
    rng = np.random.default_rng(6)
    n_runs, misses = 40, 0
    for _ in range(n_runs):
        order = rng.permutation(150)
        for n in (15, 40, 90):
            gold = votes.take(order[:n]), truth[order[:n]]
            options: dict[str, Any] = {"looks": "anytime", "confidence_level": 0.8, "n_permutations": 0}
            if not tw.Box.from_gold(*gold, pool=votes, gold_is="subset", **options).holds(votes, truth):
                misses += 1
                break
    assert misses <= binom.ppf(1 - 1e-6, n_runs, 0.2)


def test_what_is_valid_for_one_number_of_labels_says_so_if_labeling_could_stop_at_any_moment() -> None:
    truth, votes = items()

    class Anytime(tw.designs.Subset):
        @property
        def looks(self) -> Any:
            return "anytime"

    class InStrata(tw.designs.Stratified):
        @property
        def looks(self) -> Any:
            return "anytime"

    votes = with_ids(votes)
    gold = tw.Gold(votes.take(range(60)), truth[:60], Anytime())
    for found in (tw.judges(votes, gold), tw.triage(votes, gold, budget=10)):
        assert not found.evidence.is_guarantee
        assert "what labels said could end labeling" in str(found)
    assert tw.rate(votes, gold, of=1).is_guarantee
    groups = tw.Votes(votes.array, n_classes=2, item_groups=np.arange(300) % 2)
    strata = tw.Gold(groups.take(range(60)), truth[:60], InStrata("subset"))
    assert not tw.rate(groups, strata, of=1).is_guarantee


@pytest.mark.parametrize(
    ("asked", "error", "match"),
    [
        ({"of": 1, "looks": [30, 60]}, InvalidLabelsError, "Use the first 30 of them"),
        ({"of": 1, "looks": [50, 60]}, InvalidLabelsError, "Label 10 more"),
        ({"of": 1, "looks": [40, 30]}, InvalidChoiceError, "each larger than the one before"),
        ({"of": 1, "looks": "whenever"}, InvalidChoiceError, "found 'whenever'"),
        ({"of": 1, "looks": []}, InvalidChoiceError, "must be the planned numbers"),
        ({"values": [0, 1], "looks": "anytime"}, InvalidChoiceError, "values needs a number of labels"),
        ({"of": 1, "method": "asymptotic", "looks": "anytime"}, InvalidChoiceError, "method needs a number of labels"),
        ({"of": 1, "gold_is": tw.designs.Stratified("subset"), "looks": "anytime"}, InvalidChoiceError, "plain random"),
    ],
)
def test_what_no_rule_allows_is_refused(asked: dict[str, Any], error: type[Exception], match: str) -> None:
    truth, votes = items()
    votes = tw.Votes(votes.array, n_classes=2, item_groups=np.arange(300) % 2)
    with pytest.raises(error, match=match):
        tw.rate(votes, hidden(truth, np.arange(40)), **asked)


def test_what_no_box_allows_is_refused() -> None:
    truth, votes = items()
    gold = votes.take(range(40)), truth[:40]
    with pytest.raises(InvalidBoxError, match="goes through gold in several orders"):
        tw.Box.from_gold(*gold, pool=votes, gold_is="subset", looks="anytime", opinions=["learned"])
    with pytest.raises(InvalidBoxError, match="exact joint intervals"):
        tw.Box.from_gold(*gold, pool=votes, gold_is="subset", looks=[40, 80], interval="wilson")
    with pytest.raises(InvalidChoiceError, match="plain random part of the pool"):
        tw.Box.from_gold(*gold, pool=votes, looks="anytime")


def test_a_rule_knows_its_looks() -> None:
    rule = StoppingRule.of(list(np.array([10, 20])))
    assert [rule.reached(n) for n in (9, 10, 19, 99)] == [None, 10, 10, 20]
    assert (rule.each(0.1), FIXED.each(0.1), StoppingRule.of("anytime").each(0.1)) == (0.05, 0.1, 0.1)
    assert FIXED.words == ""
    truth, votes = items()
    sample = open_gold(votes.take(range(20)), truth[:20], votes, "subset", looks=[20, 30])
    for looks in ([20, 30], None):  # opened again, it keeps its rule
        assert open_gold(sample, None, None, None, looks=looks).stopping == StoppingRule.of([20, 30])
