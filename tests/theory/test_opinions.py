"""Opinions: verdicts, the panel and tiers against loops over items; which are asked for, refused and left out.

Kills, tried once each: ties that go to the first class; copies that count; a panel that starts from even probabilities,
or lets accuracies fall below a guess; opinions of the pool alone where gold is outside of it; tiers that overlap at
their edges; a function that is asked once.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, product
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pytest

import thumbwise as tw
from support.problems import IntArray, make_votes
from thumbwise.box.designs.plain import Separate, Subset
from thumbwise.box.gold import GoldSample
from thumbwise.box.opinions.choosing import OpinionLike, choose_opinions
from thumbwise.box.opinions.opinion import WeightedVote
from thumbwise.box.opinions.tiers import InTiers
from thumbwise.exceptions import InvalidBoxError
from thumbwise.numerics.even_panel import even_log_odds, first_of_copies
from thumbwise.numerics.shared_features import as_rows
from thumbwise.numerics.stack_columns import StackColumns

SEEDS = range(12)


def make(seed: int, n_items: int = 150, n_rules: int | None = None) -> tuple[tw.Votes, IntArray]:
    rng = np.random.default_rng(seed)
    n_rules = int(rng.integers(5, 9)) if n_rules is None else n_rules
    n_classes = int(rng.integers(2, 5))
    labels, array = make_votes(rng, n_items, n_rules, n_classes)
    return tw.Votes(array, n_classes=n_classes), labels


def naive_copies(rows: Sequence[Sequence[int]]) -> list[int]:
    """1 for the first of each set of rules that vote the same everywhere, 0 for rules that never vote."""
    seen: list[tuple[int, ...]] = []
    counted = []
    for column in zip(*rows, strict=True):
        counted.append(int(any(vote >= 0 for vote in column) and column not in seen))
        seen.append(column)
    return counted


def naive_verdict(row: Sequence[int], weights: Sequence[float], n_classes: int) -> int:
    sums = [math.fsum(w for vote, w in zip(row, weights, strict=True) if vote == c) for c in range(n_classes)]
    top = [c for c in range(n_classes) if sums[c] > max(sums) - 1e-9]
    return top[0] if len(top) == 1 else -1


def naive_panel(rows: list[list[int]], counted: Sequence[int], k: int) -> list[float]:
    """Expectation maximisation, item by item; no patterns, no arrays."""
    n_rules = len(counted)
    votes = [[(j, vote) for j, vote in enumerate(row) if vote >= 0 and counted[j]] for row in rows]
    proba = []
    for own in votes:
        total = len(own) + 1e-9
        proba.append([(sum(vote == c for _, vote in own) + 1e-9 / k) / total for c in range(k)])
    log_odds, before = [0.0] * n_rules, [0.0] * n_rules
    for _ in range(100):
        right, given = [2.0] * n_rules, [3.0] * n_rules
        for own, p in zip(votes, proba, strict=True):
            for j, vote in own:
                right[j] += p[vote]
                given[j] += 1
        accuracies = [min(max(r / g, 1 / k), 0.95) for r, g in zip(right, given, strict=True)]
        log_odds = [math.log(a * (k - 1) / (1 - a)) * c for a, c in zip(accuracies, counted, strict=True)]
        if max(abs(a - b) for a, b in zip(accuracies, before, strict=True)) < 1e-6:
            break
        before = accuracies
        for i, own in enumerate(votes):
            sums = [math.exp(sum(log_odds[j] for j, vote in own if vote == c)) for c in range(k)]
            proba[i] = [s / sum(sums) for s in sums]
    return log_odds


@pytest.mark.parametrize("seed", SEEDS)
def test_first_of_copies_by_a_loop_over_the_rules(seed: int) -> None:
    votes, _ = make(seed)
    array = np.column_stack([votes.array, votes.array[:, 1], np.full(len(votes), -1), votes.array[:, 0]])
    copied = tw.Votes(array, n_classes=votes.n_classes)
    assert first_of_copies(copied.patterns).tolist() == naive_copies(array.tolist())
    assert first_of_copies(copied.patterns).sum() == first_of_copies(votes.patterns).sum()


@pytest.mark.parametrize("seed", SEEDS)
def test_panel_is_that_of_a_loop_over_the_items(seed: int) -> None:
    """One rule contradicts another wherever that one votes: it counts as a guess, not as advice against."""
    plain, _ = make(seed)
    against = np.where(plain.array[:, 2] >= 0, (plain.array[:, 2] + 1) % plain.n_classes, -1)
    votes = tw.Votes(np.column_stack([plain.array, against]), n_classes=plain.n_classes)
    counted = naive_copies(votes.array.tolist())
    expected = naive_panel(votes.array.tolist(), counted, votes.n_classes)
    log_odds = even_log_odds(votes.patterns, np.array(counted, dtype=float))
    np.testing.assert_allclose(log_odds, np.maximum(expected, 0), atol=1e-7)
    assert log_odds.max() > 0.5


@pytest.mark.parametrize("seed", SEEDS)
def test_verdicts_are_those_of_a_loop_over_the_items(seed: int) -> None:
    votes, _ = make(seed)
    counted = first_of_copies(votes.patterns)
    for weights in (counted, even_log_odds(votes.patterns, counted), np.round(np.arange(votes.n_rules) / 3, 2)):
        opinion = WeightedVote("any", votes.rule_names, weights)
        expected = [naive_verdict(row, weights.tolist(), votes.n_classes) for row in votes.array.tolist()]
        assert opinion.verdicts(votes.patterns)[votes.inverse].tolist() == expected
    assert -1 in expected or seed > 0


@pytest.mark.parametrize("seed", SEEDS)
def test_intervals_are_those_of_a_rule_with_the_same_verdicts(seed: int) -> None:
    """What an opinion counts on gold and on the pool, by a loop; ties and silence are left out of its size."""
    votes, labels = make(seed)
    opinion = WeightedVote("majority", votes.rule_names, first_of_copies(votes.patterns))
    verdict = [naive_verdict(row, opinion.weights.tolist(), votes.n_classes) for row in votes.array.tolist()]
    gold = np.random.default_rng(seed).permutation(150)[:29]
    box = tw.Box.from_gold(votes.take(gold), labels[gold], pool=votes, gold_is="subset", opinions=["majority"])
    m = box.names.index("opinion(majority)")
    assert box.gold_right is not None
    assert box.gold_drawn is not None
    assert box.gold_right[m] == sum(verdict[i] == labels[i] for i in gold)
    assert box.gold_drawn[m] == sum(verdict[i] >= 0 for i in gold)
    assert box.moments(votes).sizes[m] == sum(v >= 0 for v in verdict)


@pytest.mark.parametrize("name", ["majority", "panel"])
def test_gold_outside_of_the_pool_has_a_part_in_the_opinion(name: str) -> None:
    """Gold and pool items are exchanged: the population, and so the opinion, stays the same."""
    votes, labels = make(4)
    first, second = np.arange(40), np.arange(40, 80)
    rest = np.arange(80, 150)
    chosen = []
    for gold, others in ((first, second), (second, first)):
        pool = votes.take(np.concatenate([others, rest]))
        sample = GoldSample(votes.take(gold), labels[gold], pool, Separate())
        (opinion,) = choose_opinions(sample, [name]).opinions
        assert isinstance(opinion, WeightedVote)
        chosen.append(opinion)
    np.testing.assert_allclose(chosen[0].weights, chosen[1].weights, rtol=1e-12)
    whole = even_log_odds(votes.patterns, first_of_copies(votes.patterns))
    part = votes.take(np.concatenate([second, rest])).patterns
    if name == "panel":
        np.testing.assert_allclose(chosen[0].weights, whole, rtol=1e-9)
        assert np.abs(even_log_odds(part, first_of_copies(part)) - whole).max() > 1e-3


def test_rules_that_differ_on_gold_alone_are_no_copies() -> None:
    """In the population they differ, whichever of the items are gold."""
    votes, labels = make(4)
    array = np.column_stack([votes.array, votes.array[:, 0]])
    array[:3, -1] = (array[:3, -1] + 1) % votes.n_classes
    twins = tw.Votes(array, n_classes=votes.n_classes)
    sample = GoldSample(twins.take(range(40)), labels[:40], twins.take(range(40, 150)), Separate())
    (majority,) = choose_opinions(sample, ["majority"]).opinions
    assert isinstance(majority, WeightedVote)
    assert majority.weights.tolist() == naive_copies(array.tolist())
    assert majority.weights[-1] == 1


@pytest.mark.parametrize("n_tiers", [1, 2, 3, 7])
@pytest.mark.parametrize("name", ["majority", "panel"])
@pytest.mark.parametrize("seed", range(4))
def test_tiers_share_out_the_verdicts(seed: int, name: str, n_tiers: int) -> None:
    """Each verdict is that of exactly one tier, tiers ascend with the margin, and none is empty."""
    votes, labels = make(seed)
    sample = GoldSample(votes.take(range(29)), labels[:29], votes, Subset())
    (whole,) = choose_opinions(sample, [name]).opinions
    assert isinstance(whole, WeightedVote)
    tiers = choose_opinions(sample, [InTiers(name, n_tiers)]).opinions
    by_tier = np.array([tier.verdicts(votes.patterns) for tier in tiers])
    speaks = by_tier >= 0
    assert speaks.any(axis=1).all()
    np.testing.assert_array_equal(speaks.sum(axis=0), whole.verdicts(votes.patterns) >= 0)
    np.testing.assert_array_equal(by_tier.max(axis=0), whole.verdicts(votes.patterns))
    margins = [_margins(whole, votes)[row] for row in speaks]
    assert all(low.max() < high.min() for low, high in pairwise(margins))
    assert 1 <= len(tiers) <= n_tiers
    assert len(tiers) == n_tiers or name == "majority" or n_tiers == 7


def test_margins_that_differ_by_rounding_are_one_tier() -> None:
    """0.1 + 0.2 and 0.3."""
    votes = tw.Votes([[0, 0, -1]] * 4 + [[-1, -1, 1]], n_classes=2)
    whole = WeightedVote("any", votes.rule_names, np.array([0.1, 0.2, 0.3]))
    (tier,) = InTiers("majority", 2).split(whole, votes.patterns)
    assert tier.verdicts(votes.patterns)[votes.inverse].tolist() == [0, 0, 0, 0, 1]


def _margins(opinion: WeightedVote, votes: tw.Votes) -> npt.NDArray[np.float64]:
    ordered = np.sort(opinion.scores(votes.patterns), axis=1)
    return np.asarray(ordered[:, -1] - ordered[:, -2])


@pytest.mark.parametrize("seed", SEEDS)
def test_rules_with_columns_are_distinct_and_expect_three_gold_votes(seed: int) -> None:
    votes, _ = make(seed)
    array = np.where(np.arange(150)[:, None] < 150 / np.arange(1, votes.n_rules + 1) ** 2, votes.array, -1)
    counted = naive_copies(array.tolist())
    columns = StackColumns.choose(tw.Votes(array, n_classes=votes.n_classes).patterns, 30)
    expected = [j for j, c in enumerate(counted) if c and (array[:, j] >= 0).sum() * 30 / 150 >= 3]
    assert columns.voting.tolist() == expected
    assert len(expected) < sum(counted)


# Which opinions there are


def kinds_of(box: tw.Box) -> dict[str, int]:
    return dict(Counter(about.kind for about in box.about if "opinion" in about.kind))


def box_of(
    votes: tw.Votes, labels: IntArray, n_gold: int, opinions: Any = "auto", gold_is: Any = "subset", **options: Any
) -> tw.Box:
    gold = votes.take(range(n_gold))
    return tw.Box.from_gold(
        gold, labels[:n_gold], pool=votes, gold_is=gold_is, opinions=opinions, n_permutations=0, **options
    )


def test_auto_by_number_of_distinct_rules_and_labels() -> None:
    votes, labels = make(1, n_rules=6)
    assert first_of_copies(votes.patterns).sum() >= 5
    assert kinds_of(box_of(votes, labels, 30)) == {"opinion": 2, "learned opinion": 1}
    assert kinds_of(box_of(votes, labels, 29)) == {"opinion": 2}
    four = votes.with_rules([0, 1, 2, 3, 0, 1, 2])
    assert kinds_of(box_of(four, labels, 60)) == {}


@pytest.mark.parametrize("opinions", [(), []])
def test_none_where_none_are_wanted(opinions: Any) -> None:
    votes, labels = make(1, n_rules=6)
    box = box_of(votes, labels, 60, opinions)
    assert kinds_of(box) == {}
    assert len(box.names) == votes.n_rules + votes.n_classes


@pytest.mark.parametrize("options", [{"interval": "wilson"}, {"joint": False}, {"interval": "wilson", "joint": False}])
def test_intervals_without_a_guarantee_have_none(options: dict[str, Any]) -> None:
    votes, labels = make(1, n_rules=6)
    assert kinds_of(box_of(votes, labels, 60, **options)) == {}
    with pytest.raises(InvalidBoxError, match="exact joint intervals"):
        box_of(votes, labels, 60, ["majority"], **options)


def test_learned_asked_for_by_name_with_too_few_labels_is_refused() -> None:
    votes, labels = make(1, n_rules=6)
    with pytest.raises(InvalidBoxError, match=r"at least 30 gold labels.*found 29"):
        box_of(votes, labels, 29, ["learned"])
    assert kinds_of(box_of(votes, labels, 30, ["learned"])) == {"learned opinion": 1}


def test_learned_with_gold_by_groups_is_refused_by_name_and_left_out_by_default() -> None:
    votes, labels = make(1, n_rules=6)
    grouped = tw.Votes(votes.array, n_classes=votes.n_classes, item_groups=["a", "b"] * 75)
    assert kinds_of(box_of(grouped, labels, 60, gold_is=tw.designs.Stratified("subset"))) == {"opinion": 2}
    with pytest.raises(InvalidBoxError, match="plain random sample"):
        box_of(grouped, labels, 60, ["learned"], gold_is=tw.designs.Stratified("subset"))


def test_a_learned_opinion_gets_nine_tenths_of_the_error() -> None:
    """The others' intervals are those of a tenth of it."""
    votes, labels = make(2, n_rules=7)
    both = box_of(votes, labels, 60, ["majority", "panel", "learned"], confidence_level=0.9)
    plain = box_of(votes, labels, 60, ["majority", "panel"], confidence_level=0.99)
    np.testing.assert_allclose(both.lower[:-1], plain.lower, atol=1e-12)
    np.testing.assert_allclose(both.upper[:-1], plain.upper, atol=1e-12)


# Functions of one's own


def agreement(votes: tw.Votes) -> IntArray:
    """The first rule's vote where the second says the same."""
    return np.where(votes.array[:, 0] == votes.array[:, 1], votes.array[:, 0], -1)


@pytest.mark.parametrize("gold_is", ["subset", "separate"])
def test_a_function_of_the_votes_is_an_opinion(gold_is: Literal["subset", "separate"]) -> None:
    votes, labels = make(3, n_rules=6)
    gold, pool = votes.take(range(29)), votes if gold_is == "subset" else votes.take(range(29, 150))
    box = tw.Box.from_gold(gold, labels[:29], pool=pool, gold_is=gold_is, opinions=[agreement], n_permutations=0)
    m = box.names.index("opinion(agreement)")
    verdicts = agreement(gold)
    assert box.gold_drawn is not None
    assert box.gold_right is not None
    assert box.gold_drawn[m] == (verdicts >= 0).sum()
    assert box.gold_right[m] == ((verdicts == labels[:29]) & (verdicts >= 0)).sum()
    assert box.moments(pool).sizes[m] == (agreement(pool) >= 0).sum()


def test_nothing_is_said_of_patterns_that_were_not_there() -> None:
    votes, labels = make(3, n_rules=6)
    box = box_of(votes, labels, 29, [agreement])
    there = set(map(tuple, votes.array.tolist()))
    row = next(row for row in product(range(votes.n_classes), repeat=6) if row[0] == row[1] and row not in there)
    new = tw.Votes(np.vstack([row, votes.array[:5]]), class_names=votes.class_names, rule_names=votes.rule_names)
    features = as_rows(box.moments(new).features).toarray()[:, box.names.index("opinion(agreement)")]
    speaks = features.reshape(-1, votes.n_classes).sum(axis=1)[new.inverse]
    assert speaks.tolist() == [0, *(agreement(votes)[:5] >= 0)]


def unknown_class(votes: tw.Votes) -> list[int]:
    return [votes.n_classes] * len(votes)


def silent(votes: tw.Votes) -> IntArray:
    return np.full(len(votes), -1)


def too_short(votes: tw.Votes) -> IntArray:
    return np.zeros(len(votes) - 1, dtype=np.int64)


def by_row(votes: tw.Votes) -> IntArray:
    return np.arange(len(votes)) % 2


class Moody:
    """Other answers in each call."""

    def __init__(self) -> None:
        self.n_calls = 0

    def __call__(self, votes: tw.Votes) -> IntArray:
        self.n_calls += 1
        return np.full(len(votes), self.n_calls % 2)


@pytest.mark.parametrize(
    ("function", "problem"),
    [
        (unknown_class, "must give a class of the votes, or -1, for each item; 'unknown_class'"),
        (too_short, "must give a class of the votes, or -1, for each item; 'too_short'"),
        (silent, "must say something about some item; 'silent'"),
        (by_row, "must depend on the votes alone; 'by_row': [0-9,]+ items"),
        (Moody(), "must say the same each time; 'Moody': 150 of 150 answers changed"),
    ],
)
def test_functions_that_are_no_opinion_are_refused(function: Any, problem: str) -> None:
    votes, labels = make(3, n_rules=6)
    with pytest.raises(InvalidBoxError, match=problem):
        box_of(votes, labels, 40, [function])


@pytest.mark.parametrize(
    "opinions", [["majority", "majority"], [agreement, agreement], [agreement, "panel", agreement]]
)
def test_the_same_name_twice_is_refused(opinions: list[Any]) -> None:
    votes, labels = make(3, n_rules=6)
    with pytest.raises(InvalidBoxError, match=r"must have its own name; found '(majority|agreement)' twice"):
        box_of(votes, labels, 40, opinions)


@pytest.mark.parametrize("opinions", ["dawid", ["majority", "dawid"], [3]])
def test_unknown_names_are_refused(opinions: Any) -> None:
    votes, labels = make(3, n_rules=6)
    with pytest.raises(InvalidBoxError, match=r"opinions.* must be .*found"):
        box_of(votes, labels, 40, opinions)


def test_opinions_are_chosen_without_labels() -> None:
    """Other labels, same opinions, to the last bit."""
    votes, labels = make(5, n_rules=7)
    sample = GoldSample(votes.take(range(40)), labels[:40], votes, Subset())
    wanted: list[OpinionLike] = ["majority", "panel", InTiers("majority", 2)]
    once, again = (choose_opinions(one, wanted) for one in (sample, replace(sample, labels=labels[:40][::-1].copy())))
    assert [a.name for a in once.opinions] == [b.name for b in again.opinions]
    for a, b in zip(once.opinions, again.opinions, strict=True):
        np.testing.assert_array_equal(a.verdicts(votes.patterns), b.verdicts(votes.patterns))
