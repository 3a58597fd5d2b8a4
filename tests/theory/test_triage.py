"""Triage: false claims counted over all draws, the same sets by loops over scipy, coverage, laws, and what is refused.

Kills, tried once: a start that follows the drawn numbers; the whole error in each class; missed items that several
families may have, all of them in each; gold from outside taken for items in question; teaching gold that certifies.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import binom, hypergeom

import thumbwise as tw
from support.all_draws import AllDraws, worst
from thumbwise._typing import AnyArray, IntArray
from thumbwise.assess.accepting.ladders import Ladder, climb
from thumbwise.assess.accepting.ranked import Parts, Ranked, rank
from thumbwise.assess.accepting.targets import Targets, count_tests, families, good_enough
from thumbwise.rates.asked import open_asked
from thumbwise.votes.lazy_votes import LazyVotes

# Four levels of sureness, from which five of ten items are drawn.
FEW = AllDraws((2, 2, 3, 3), 5, (0.95, 0.85, 0.75, 0.65), (0, 0, 0, 0))
TWO_CLASSES = AllDraws((3, 3, 2, 2), 6, (0.95, 0.9, 0.8, 0.7), (0, 1, 0, 1))


def accept(ranked: Ranked, targets: Targets, error: float) -> AnyArray:
    """Patterns that are accepted, families and all."""
    parts = families(ranked, targets)
    each, taken = error / count_tests(parts, targets), np.zeros(len(ranked.size), dtype=bool)
    for part in parts:
        claimed = np.flatnonzero(good_enough(ranked, part, parts, targets, each))
        if len(claimed):
            taken |= part.among & (ranked.sureness >= part.ladder.threshold[claimed[-1]])
    return taken


# --- (a) all draws -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("precision", "error"), [(0.5, 0.3), (0.6, 0.2), (0.7, 0.45)])
def test_precision_by_counting_all_draws(precision: float, error: float) -> None:
    taken = np.array([accept(FEW.ranked(d, is_wrong=True), Targets({None: precision}, {}), error) for d in FEW.counts])
    allowed = (1 - precision) * (taken @ FEW.sizes) + 1e-9
    fails = np.array([taken @ np.array(wrong) > allowed for wrong in FEW.every_kind])
    assert 0 < worst(FEW, fails) <= error
    assert taken.any(axis=1).mean() > 0.05
    assert FEW.chances((0, 0, 0, 0)) @ taken.all(axis=1) > 0.6, (
        "where all are right, all are accepted but for few draws"
    )


def test_precision_with_gold_from_outside_by_counting_all_draws() -> None:
    """Of what is not gold enough must be right; the sets, their sizes and the start are the same in every draw."""
    draws, precision, error = AllDraws((5, 5, 6), 5, (0.95, 0.85, 0.65), (0, 0, 0)), 0.4, 0.3
    taken, ladders = [], set()
    for draw in draws.counts:
        ranked = draws.ranked(draw, is_wrong=True, is_outside=True)
        ladder = climb(ranked)
        ladders.add((*ladder.threshold, *ladder.size, ladder.start(precision, error)))
        taken.append(accept(ranked, Targets({None: precision}, {}), error)[:3])
    assert len(ladders) == 1
    takes, of_pool = np.array(taken), np.array(draws.sizes) - draws.counts[:, :, 0]
    allowed = (1 - precision) * (takes * of_pool).sum(axis=1) + 1e-9
    fails = np.array(
        [(takes * (np.array(wrong) - draws.counts[:, :, 1])).sum(axis=1) > allowed for wrong in draws.every_kind]
    )
    assert worst(draws, fails) <= error
    assert takes.mean() > 0.05


def test_each_class_and_recall_at_once_by_counting_all_draws() -> None:
    """Two precisions share the error, the missed items of a class have the whole of it; all must hold together."""
    error, draws = 0.6, TWO_CLASSES
    targets = Targets({0: 0.5, 1: 0.4}, {1: 0.5})
    taken = np.array([accept(draws.ranked(d, is_wrong=False), targets, error) for d in draws.counts])
    sizes, proposed = np.array(draws.sizes), np.array(draws.proposed)
    fails = []
    for ones in map(np.array, draws.every_kind):
        wrong = np.where(proposed == 0, ones, sizes - ones)
        missed = (taken & (proposed == 0)) @ ones > 0.5 * ones.sum() + 1e-9
        too_many = [
            (taken & (proposed == c)) @ wrong > (1 - targets.precision[c]) * ((taken & (proposed == c)) @ sizes) + 1e-9
            for c in (0, 1)
        ]
        fails.append(missed | too_many[0] | too_many[1])
    assert 0 < worst(draws, np.array(fails)) <= error
    assert 0.1 < taken.mean() < 0.9


@pytest.mark.parametrize(("share", "error"), [(0.5, 0.25), (0.4, 0.2)])
def test_recall_by_counting_all_draws(share: float, error: float) -> None:
    """Nobody knows how many items are of the class: every number of them is tried."""
    draws = AllDraws((3, 3, 4), 5, (0.95, 0.85, 0.75), (0, 0, 1))
    taken = np.array([accept(draws.ranked(d, is_wrong=False), Targets({}, {1: share}), error) for d in draws.counts])
    is_other = np.array([True, True, False])
    fails = [(taken & is_other) @ np.array(k) > (1 - share) * sum(k) + 1e-9 for k in draws.every_kind]
    assert 0.03 < worst(draws, np.array(fails)) <= error
    assert taken.any(axis=1).mean() > 0.05


def test_teaching_and_certifying_by_counting_all_splits() -> None:
    """Nine items, five of them gold, of which any two teach: given each pair, few draws of the others fail."""
    votes = tw.Votes([[0, 0], [0, 0], [0, 1], [0, 1], [1, 0], [1, 1], [1, 1], [0, -1], [-1, 0]], n_classes=2)
    precision, error = 0.4, 0.3
    for labels in ([0, 0, 1, 1, 0, 1, 1, 0, 1], [0, 1, 0, 1, 0, 1, 0, 1, 0], [1, 1, 0, 1, 0, 0, 0, 1, 0]):
        truth, n_accepted = np.array(labels), 0
        for pair in ([0, 4], [2, 6], [5, 7]):
            rest, fails = [i for i in range(9) if i not in pair], []
            for three in _subsets(rest, 3):
                y = np.full(9, -1)
                y[[*pair, *three]] = truth[[*pair, *three]]
                sample = open_asked(votes, y, "subset").sample
                known = np.sort([*pair, *three])
                parts = Parts(np.searchsorted(known, pair), np.searchsorted(known, three))
                ranked = rank(sample, parts)
                taken = accept(ranked, Targets({None: precision}, {}), error)[votes.inverse]
                wrong = ranked.proposed[votes.inverse] != truth
                fails.append((taken[rest] & wrong[rest]).sum() > (1 - precision) * taken[rest].sum() + 1e-9)
                n_accepted += bool(taken.any())
            assert np.mean(fails) <= error
        assert n_accepted > 0


def _subsets(rows: list[int], size: int) -> list[list[int]]:
    if size == 0:
        return [[]]
    return [[row, *more] for i, row in enumerate(rows) for more in _subsets(rows[i + 1 :], size - 1)]


# --- (b) the same by another formula -----------------------------------------------------------------------------


def threshold_by_hand(
    ranked: Ranked, among: AnyArray, share: float, error: float, n: tuple[int, int], *, is_alone: bool = True
) -> float | None:
    """Sets one by one, with tails of scipy; ``n`` are all items that do not teach, and all certifying labels."""
    sure, size, inside = ranked.sureness[among], ranked.size[among], among[ranked.place]
    gold_sure, gold_wrong = (
        ranked.sureness[ranked.place[inside]],
        (ranked.proposed[ranked.place] != ranked.labels)[inside],
    )
    levels: list[float] = []
    last = -1
    for level in sorted(set(sure[size > 0]), reverse=True):
        stretch = int(size[sure >= level].sum() * 2 * n[1] // n[0])
        levels = [*levels[: len(levels) - (stretch == last)], level]
        last = stretch
    promise = []
    for level in levels:
        n_set = int(size[sure >= level].sum())
        expected, allowed = n_set * n[1] // n[0], int((1 - share) * n_set + 1e-9)
        most = int((hypergeom.cdf(np.arange(expected + 1), n_set, allowed + 1, expected) <= error).sum()) - 1
        doubt = 2 * float((size * (1 - sure))[sure >= level].sum()) / n_set
        promise.append((most, n_set * binom.cdf(most, expected, min(1, doubt))))
    able = max(most for most, _ in promise)
    if able < 0:
        return None
    first = next(i for i, (most, _) in enumerate(promise) if most >= min(1, able))
    start = max(range(first, len(levels)), key=lambda i: (promise[i][1], -i)) if is_alone else first
    accepted = None
    for level in levels[start:]:
        n_set, inside = int(size[sure >= level].sum()), gold_sure >= level
        if hypergeom.cdf(gold_wrong[inside].sum(), n_set, int((1 - share) * n_set + 1e-9) + 1, inside.sum()) > error:
            break
        accepted = level
    return accepted


def made(seed: int, n_items: int = 1500, n_classes: int = 3) -> tuple[IntArray, IntArray]:
    rng = np.random.default_rng(seed)
    truth = rng.choice(n_classes, n_items, p=np.array([0.5, 0.3, 0.2]))
    accuracy = rng.uniform(0.6, 0.95, 5)
    guesses = rng.integers(n_classes, size=(n_items, 5))
    array = np.where(rng.random((n_items, 5)) < accuracy, truth[:, None], guesses)
    array[rng.random((n_items, 5)) < 0.3] = -1
    return array, truth


def labels_of_some(truth: IntArray, n_gold: int, seed: int) -> IntArray:
    y = np.full(len(truth), -1)
    gold = np.random.default_rng([3, seed]).choice(len(truth), n_gold, replace=False)
    y[gold] = truth[gold]
    return y


@pytest.mark.parametrize("seed", range(4))
def test_thresholds_by_hand(seed: int) -> None:
    array, truth = made(seed)
    y = labels_of_some(truth, 240, seed)
    for share in (0.7, 0.85, 0.9):
        found = tw.triage(array, y, precision=share)
        everything = np.ones(len(found.ranked.size), dtype=bool)
        by_hand = threshold_by_hand(found.ranked, everything, share, 0.05, (1500 - 48, 192))
        assert found.families[0].threshold == by_hand, "a fifth of the 240 teaches, the rest certifies"
        assert found.n_accepted == found.accepted.sum() == 240 + (found.accepts[found._inverse] & (y < 0)).sum()


def test_classes_share_the_error() -> None:
    """With the whole of it, thresholds would be others."""
    array, truth = made(0)
    found = tw.triage(array, labels_of_some(truth, 400, 0), precision=0.85, per_class=True)
    among = [found.ranked.proposed == c for c in range(3)]
    thirds, wholes = (
        [threshold_by_hand(found.ranked, those, 0.85, error, (1500 - 80, 320)) for those in among]
        for error in (0.05 / 3, 0.05)
    )
    assert [part.threshold for part in found.families] == thirds != wholes


def test_a_recall_beside_a_precision_does_not_take_everything() -> None:
    """The precision alone would start with a set that the recall forbids."""
    array, truth = made(0)
    found = tw.triage(array, labels_of_some(truth, 400, 0), precision=0.8, recall={1: 0.95})
    step, ladder = found.families[0].step, found.families[0].family.ladder
    start = ladder.start(0.8, 0.05)
    assert step is not None and start is not None and step < start


def test_thresholds_of_classes_by_hand() -> None:
    """Three families have a third of the error each; in two of them items of the second class may be missed."""
    array, truth = made(1)
    found = tw.triage(array, labels_of_some(truth, 400, 1), precision={0: 0.7, 1: 0.6, 2: 0.5}, recall={1: 0.83})
    ranked, thresholds, ended_by_missed = found.ranked, [], []
    is_so = ranked.labels == 1
    for number, share in enumerate((0.7, 0.6, 0.5)):
        among = ranked.proposed == number
        lowest = threshold_by_hand(ranked, among, share, 0.05 / 3, (1500 - 80, 320), is_alone=number == 1)
        assert lowest is not None
        seldom = []
        for level in found.families[number].family.ladder.threshold:
            missed = is_so & among[ranked.place] & (ranked.sureness[ranked.place] >= level)
            if number == 1 or binom.cdf(missed.sum(), is_so.sum(), 0.17 / 2) <= 0.05 / 3:
                seldom.append(level)
        ended_by_missed.append(min(seldom) > lowest)
        thresholds.append(max(lowest, min(seldom)))
    assert [part.threshold for part in found.families] == thresholds
    assert ended_by_missed[0], "missed items of the second class end it, as items of the first"


@pytest.mark.parametrize("seed", range(3))
def test_missed_items_by_hand(seed: int) -> None:
    """At an error of 0.05 as binomial: the largest set of which so few gold items of the class would be missed."""
    array, truth = made(seed)
    found = tw.triage(array, labels_of_some(truth, 300, seed), recall={1: 0.8})
    ranked = found.ranked
    is_so = ranked.labels == 1
    missed = is_so & (ranked.proposed[ranked.place] != 1)
    threshold, sure = None, ranked.sureness[ranked.place]
    for level in found.families[0].family.ladder.threshold:
        if binom.cdf((missed & (sure >= level)).sum(), is_so.sum(), 0.2) > 0.05:
            break
        threshold = level
    assert found.families[0].threshold == threshold
    assert threshold is not None
    assert f"at most 20.0 % of the items of {found.asked.sample.pool.class_names[1]}" in str(found)


def test_sets_are_half_a_label_apart() -> None:
    """A hundred items, each surer than the next, ten of them gold: the last set of each stretch of five items."""
    sure = np.linspace(0.99, 0.6, 100)
    gold = np.arange(0, 100, 10)
    ranked = Ranked(np.column_stack([sure, 1 - sure]), np.ones(100, dtype=np.int64), gold, gold % 3, 0, False)
    ladder = climb(ranked)
    assert ladder.size.tolist() == [*range(4, 100, 5), 100]
    assert ladder.drawn.tolist() == [(n + 9) // 10 for n in ladder.size]
    assert ladder.wrong.tolist() == [int((gold[: (n + 9) // 10] % 3 > 0).sum()) for n in ladder.size]
    assert ladder.doubt == pytest.approx([np.round(1 - sure[:n], 9).sum() for n in ladder.size])


def test_where_the_tests_start() -> None:
    """Sets of 300, 460, 800 and 2,000 items expect 30, 46, 80 and 200 labels: at 0.9 none, 1, 3 and 13 may be wrong."""
    size = np.array([300, 460, 800, 2000])
    ladder = Ladder(np.arange(4.0, 0, -1), size, size // 10, np.zeros(4, dtype=np.int64), 2000, 200, False)
    assert ladder.start(0.9, 0.05) == 1, "without a doubt to go by, the first in which one may be wrong"
    for doubt, start in (([0, 0, 0, 0], 3), ([0, 0, 0, 300], 2), ([0, 0, 60, 300], 1), ([0, 60, 90, 300], 1)):
        promising = replace(ladder, doubt=np.array(doubt, dtype=float))
        assert promising.start(0.9, 0.05) == start
        assert promising.start(0.9, 0.05, is_alone=False) == 1
    assert ladder.start(0.99, 0.05) is None, "it would take 299 labels"
    only_first = replace(ladder, size=size[:1], drawn=size[:1] // 10, wrong=np.zeros(1, dtype=np.int64), n_gold=200)
    assert only_first.start(0.9, 0.05) == 0, "none may be wrong anywhere: the first that can pass"


# --- (c) coverage, (d) nothing where nothing can be ----------------------------------------------------------------


def false_alarms(n_draws: int, error: float) -> int:
    """So many failures or more have a chance of one in a million, if the chance of each is at most the error."""
    return int(binom.ppf(1 - 1e-6, n_draws, error))


def drawn(array: IntArray, truth: IntArray, n_gold: int, seed: int) -> Ranked:
    sample = open_asked(tw.Votes(array, n_classes=3), labels_of_some(truth, n_gold, seed), "subset").sample
    return rank(sample, Parts.of(sample, seed))


def test_realised_precision_over_draws() -> None:
    """A false alarm has a chance below one in a million; at an error of a fifth a wrong sequence would be seen."""
    array, truth = made(11)
    votes = tw.Votes(array, n_classes=3)
    n_failed = n_accepted = 0
    for seed in range(150):
        ranked = drawn(array, truth, 200, seed)
        taken = accept(ranked, Targets({None: 0.85}, {}), 0.2)[votes.inverse]
        wrong = ranked.proposed[votes.inverse] != truth
        n_failed += int((taken & wrong).sum() > 0.15 * taken.sum() + 1e-9)
        n_accepted += bool(taken.any())
    assert n_failed < false_alarms(150, 0.2)
    assert n_accepted > 100


def test_coins_are_not_accepted() -> None:
    """No set is as good as asked: something is accepted in one draw of twenty at most."""
    rng = np.random.default_rng(0)
    array, truth = rng.integers(2, size=(800, 4)), rng.integers(2, size=800)
    accepted = [accept(drawn(array, truth, 200, s), Targets({None: 0.8}, {}), 0.05).any() for s in range(60)]
    assert sum(accepted) < false_alarms(60, 0.05)
    found = tw.triage(array, labels_of_some(truth, 200, 0), precision=0.8)
    assert not found.accepts.any() and found.n_accepted == 200 and found.proves_nothing
    assert str(found).startswith("No label can be accepted: 160 certifying gold labels do not show")


def test_the_curve_holds_at_once() -> None:
    """Each row is what is accepted at a seventh of the error."""
    array, truth = made(2)
    found = tw.triage(array, labels_of_some(truth, 300, 2), precision=0.8)
    rows = found.curve().frame()
    for precision, share in zip(rows["precision"], rows["accepted"], strict=True):
        taken = accept(found.ranked, Targets({None: precision}, {}), 0.05 / 7)
        assert share >= np.bincount(found._inverse)[taken].sum() / 1500 - 1e-12
    assert rows["accepted"][0] > rows["accepted"][-1]


# --- (e) laws ------------------------------------------------------------------------------------------------------


def accepted_ids(array: IntArray, y: IntArray, ids: AnyArray, rules: list[str], **asked: Any) -> set[tuple[str, int]]:
    votes = tw.Votes(array, item_ids=ids, rule_names=rules, n_classes=3)
    found = tw.triage(votes, y, **asked)
    return {(str(i), int(label)) for i, label in zip(ids[found.accepted], found.proposed[found.accepted], strict=True)}


@pytest.mark.parametrize("asked", [{"precision": 0.9}, {"precision": 0.85, "per_class": True}, {"recall": {1: 0.92}}])
def test_order_of_items_and_rules_does_not_matter(asked: dict[str, Any]) -> None:
    array, truth = made(0)
    y, ids, rules = labels_of_some(truth, 300, 4), np.array([f"i{i:04d}" for i in range(1500)]), list("abcde")
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(1500), rng.permutation(5)
    before = accepted_ids(array, y, ids, rules, **asked)
    mixed = accepted_ids(array[rows][:, columns], y[rows], ids[rows], [rules[c] for c in columns], **asked)
    assert before == mixed
    assert 300 < len(before) < 1500


def test_a_copy_of_a_rule_changes_nothing() -> None:
    """Rules that vote the same everywhere count once."""
    array, truth = made(5)
    y, ids = labels_of_some(truth, 300, 5), np.arange(1500)
    copied = np.hstack([array, array[:, :1]])
    before = accepted_ids(array, y, ids, list("abcde"), precision=0.85)
    assert before == accepted_ids(copied, y, ids, list("abcdef"), precision=0.85)


def test_gold_of_its_own() -> None:
    """Gold from outside: patterns of the pool are accepted, none of gold, and by smaller numbers that may be wrong."""
    array, truth = made(6, 3000)
    gold = tw.Gold(array[:300], truth[:300], "separate")
    found = tw.triage(array[300:], gold, precision=0.8)
    assert found.ranked.is_outside and found.n_known == 0
    assert found.n_accepted == found.accepts[found._inverse].sum() > 1000
    ladder = found.families[0].family.ladder
    assert (ladder.allowed(0.8) == np.floor(0.2 * np.maximum(ladder.size - 240, 0) + 1e-9)).all()
    assert found.ranked.n_items == 2700 + 240


def test_items_that_stay_elsewhere_are_accepted_by_their_patterns() -> None:
    array, truth = made(0)
    ids, rules = [f"i{i:04d}" for i in range(1500)], list("abcde")
    y = labels_of_some(truth, 300, 0)
    here = tw.Votes(array, item_ids=ids, rule_names=rules, n_classes=3)
    rows = pl.LazyFrame({"id": ids, **{rule: array[:, j] for j, rule in enumerate(rules)}})
    elsewhere = LazyVotes(rows, rules=rules, item_id="id", n_classes=3)
    gold = tw.Gold(here.take(np.flatnonzero(y >= 0)), y[y >= 0], "subset")
    one, other = tw.triage(here, y, precision=0.9), tw.triage(elsewhere, gold, precision=0.9)
    assert (one.n_accepted, one.n_review) == (other.n_accepted, other.n_review)
    assert one.families[0].threshold == other.families[0].threshold is not None


def test_the_seed_chooses_who_teaches() -> None:
    array, truth = made(7)
    y = labels_of_some(truth, 300, 7)
    first, again, other = (tw.triage(array, y, precision=0.8, random_state=s) for s in (0, 0, 1))
    assert (first.ranked.proba == again.ranked.proba).all() and (first.ranked.proba != other.ranked.proba).any()


# --- (f) what is refused -------------------------------------------------------------------------------------------

ARRAY, TRUTH = made(8, 600)
Y = labels_of_some(TRUTH, 120, 8)


@pytest.mark.parametrize("share", [0, 1, 1.5, -0.1, "0.9", True, float("nan")])
def test_shares_lie_between_0_and_1(share: object) -> None:
    for asked in ({"precision": share}, {"precision": {1: share}}, {"recall": {1: share}}):
        with pytest.raises(tw.InvalidChoiceError, match=r"must lie between 0 and 1, such as 0\.95"):
            tw.triage(ARRAY, Y, **asked)


@pytest.mark.parametrize("budget", [-1, 2.5, "10", True])
def test_budgets_are_numbers_of_items(budget: object) -> None:
    with pytest.raises(tw.InvalidChoiceError, match="budget must be a number of items"):
        tw.triage(ARRAY, Y, budget=budget)  # type: ignore[arg-type]


def test_something_must_be_asked_and_not_both() -> None:
    with pytest.raises(tw.InvalidChoiceError, match="found none of them"):
        tw.triage(ARRAY, Y)
    for asked in ({"precision": 0.9}, {"recall": {1: 0.9}}):
        with pytest.raises(tw.InvalidChoiceError, match="found both, budget"):
            tw.triage(ARRAY, Y, budget=10, **asked)


def test_classes_exist_and_levels_are_levels() -> None:
    with pytest.raises(tw.InvalidChoiceError, match="recall must name a class"):
        tw.triage(ARRAY, Y, recall={"spam": 0.9})
    with pytest.raises(tw.InvalidBoxError, match="confidence_level must lie between 0 and 1"):
        tw.triage(ARRAY, Y, precision=0.9, confidence_level=95)


def test_gold_that_is_too_small_is_told_how_many_it_takes() -> None:
    few = labels_of_some(TRUTH, 20, 0)
    with pytest.raises(tw.InvalidLabelsError, match=r"16 certifying gold labels are too few .* 59 .*Label 74 items or"):
        tw.triage(ARRAY, few, precision=0.95)
    with pytest.raises(tw.InvalidLabelsError, match=r"on items labeled .0., are too few .* Label about \d+ items"):
        tw.triage(ARRAY, few, precision={0: 0.9})
    assert tw.triage(ARRAY, labels_of_some(TRUTH, 74, 0), precision=0.95) is not None


def test_gold_must_be_there_and_in_its_place() -> None:
    with pytest.raises(tw.InvalidLabelsError, match="needs gold labels"):
        tw.triage(ARRAY, precision=0.9)
    with pytest.raises(tw.InvalidLabelsError, match="at least one gold label"):
        tw.triage(ARRAY, np.full(600, -1), precision=0.9)
    with pytest.raises(tw.InvalidLabelsError, match=r"it must be known which of the 600 items they are; of these 120"):
        tw.triage(ARRAY, tw.Gold(ARRAY[Y >= 0], Y[Y >= 0], "subset"), precision=0.9)
    with pytest.raises(tw.InvalidLabelsError, match="recall needs gold that is part of the items"):
        tw.triage(ARRAY, tw.Gold(ARRAY[:100], TRUTH[:100], "separate"), recall={1: 0.9})
    with pytest.raises(tw.InvalidBoxError, match="plain random sample"):
        tw.triage(
            tw.Votes(ARRAY, n_classes=3, item_groups=np.arange(600) % 2),
            Y,
            precision=0.9,
            gold_is=tw.designs.Stratified("subset"),
        )
