"""Scores of judges: ranks and verdicts counted pair by pair, laws, the bound recomputed item by item, and coverage.

Killed, tried once: ranks that count equal scores in full, a verdict at the middle, a direction that is ignored, copies
that count twice, a consensus with negative weights or of the pool alone where gold is outside of it, a bound on the
groups without what they give away, half of the bound, three times the error.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import thumbwise as tw
from support.progressive_by_item import recording
from thumbwise.box.opinions.score_levels import ScoreLevels
from thumbwise.numerics.score_columns import Consensus
from thumbwise.numerics.teaching import stack_priors

SHAPES = (0.8, 1.5, 1.0, 2.0, 0.5)


def make(seed: int, n: int = 300, k: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Ratings 0 to 9 of five judges who are differently strict and good, some missing; and the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(k, size=n)
    noise = rng.normal(size=(n, 5)) * [0.8, 1.0, 1.2, 1.5, 2.0] + rng.normal(size=(n, 1)) * 0.5
    strict = np.array([2.0, 3.5, 5.0, 4.0, 6.0])
    ratings = np.clip(np.round(strict + 2.0 * (truth[:, None] - 0.5) + noise), 0, 9)
    ratings[rng.random(ratings.shape) < 0.05] = np.nan
    return ratings, truth


def partly(truth: np.ndarray, gold: Any) -> np.ndarray:
    y = np.full(len(truth), -1)
    y[gold] = truth[gold]
    return y


def fit(votes: tw.Votes, truth: np.ndarray, n_gold: int = 60, **options: Any) -> tw.BalsubramaniFreund:
    gold = np.random.default_rng(1).choice(len(truth), n_gold, replace=False)
    return tw.BalsubramaniFreund(tol=1e-7, **options).fit(votes, partly(truth, gold))


def test_ranks_and_verdicts_are_counted_pair_by_pair() -> None:
    ratings, _ = make(0, n=60)
    votes = tw.ScoredVotes(ratings, scores=1)
    for j in range(5):
        said = [value for value in ratings[:, j] if not math.isnan(value)]
        for i in range(60):
            lower, higher = (sum(sign * other < sign * ratings[i, j] for other in said) for sign in (1, -1))
            by_hand = 0.0 if math.isnan(ratings[i, j]) else (lower - higher) / (2 * len(said))
            assert votes.ranked[i, j] == pytest.approx(by_hand, abs=1e-12)
            assert votes.array[i, j] == (-1 if lower == higher else int(lower > higher))
    assert -1 in votes.array and votes.array.max() == 1


def test_a_scale_of_ones_own_changes_nothing() -> None:
    """Each judge's ratings through another monotone function: same votes, same certificate, same labels."""
    ratings, truth = make(1)
    stretched = np.column_stack([np.exp(ratings[:, j] * shape) - 7 * j for j, shape in enumerate(SHAPES)])
    first, second = (tw.ScoredVotes(table, scores=1) for table in (ratings, stretched))
    assert (first.array == second.array).all()
    models = [fit(votes, truth) for votes in (first, second)]
    assert models[0].certificate_.log_loss_bound == models[1].certificate_.log_loss_bound
    assert (models[0].predict_proba(first) == models[1].predict_proba(second)).all()


def test_turned_around_they_say_the_same() -> None:
    ratings, truth = make(2)
    first, second = tw.ScoredVotes(ratings, scores=1), tw.ScoredVotes(-ratings, scores=0)
    assert (first.array == second.array).all()
    np.testing.assert_allclose(first.ranked, second.ranked, atol=1e-15)
    bounds = [fit(votes, truth).certificate_.log_loss_bound for votes in (first, second)]
    assert bounds[0] == pytest.approx(bounds[1], abs=1e-9)


def test_a_judge_who_is_there_twice_changes_nothing_but_its_own_column() -> None:
    """Neither its scores nor their squares: only the order counts."""
    ratings, truth = make(3)
    copied = np.column_stack([ratings, ratings[:, 1] ** 2])
    found = [fit(tw.ScoredVotes(table, scores=1), truth) for table in (ratings, copied)]
    learned = [model.box_.upper[[m.kind == "learned opinion" for m in model.box_.about]] for model in found]
    np.testing.assert_allclose(learned[0], learned[1], atol=1e-7)


def test_the_order_of_judges_and_items_does_not_matter() -> None:
    ratings, truth = make(4)
    ids, names = np.array([f"i{i}" for i in range(300)]), [f"j{j}" for j in range(5)]
    shuffled, turned = np.random.default_rng(0).permutation(300), [3, 0, 4, 2, 1]
    y = partly(truth, np.arange(80))
    first = tw.ScoredVotes(ratings, scores=1, item_ids=ids, rule_names=names)
    second = tw.ScoredVotes(
        ratings[shuffled][:, turned], scores=1, item_ids=ids[shuffled], rule_names=[names[j] for j in turned]
    )
    one = tw.BalsubramaniFreund(tol=1e-8).fit(first, y)
    other = tw.BalsubramaniFreund(tol=1e-8).fit(second, y[shuffled])
    assert one.certificate_.log_loss_bound == pytest.approx(other.certificate_.log_loss_bound, abs=1e-6)
    np.testing.assert_allclose(one.predict_proba(first)[shuffled], other.predict_proba(second), atol=1e-4)


def test_the_consensus_never_falls_with_a_score() -> None:
    """Even if a judge contradicts all others, and with a judge who always says the same."""
    ratings, _ = make(5)
    table = np.column_stack([ratings, -ratings.mean(axis=1), np.full(300, 3.0)])
    votes = tw.ScoredVotes(table, scores=1)
    consensus = Consensus.of(votes.ranked, 1)
    assert (consensus.together >= 0).all() and consensus.together[-1, 0] == 0
    said = consensus.apply(votes.ranked)
    assert (said[:, 0] ** 2).mean() == pytest.approx(1)
    np.testing.assert_allclose(said[:, 0] @ said[:, 1:] / 300, 0, atol=1e-9)  # what is left is new
    assert (votes.array[:, -1] == -1).all()


def test_a_difference_and_the_consensus_give_back_all_ranks() -> None:
    ratings, _ = make(6)
    ranks = tw.ScoredVotes(ratings, scores=1).ranked
    said = Consensus.of(ranks, 1).apply(ranks)
    solved, *_ = np.linalg.lstsq(said, ranks, rcond=None)
    np.testing.assert_allclose(said @ solved, ranks, atol=1e-9)


@pytest.mark.parametrize("is_outside", [False, True])
def test_the_bound_follows_from_lessons_and_stakes_item_by_item(is_outside: bool) -> None:
    """Columns, predictions, entropies, the product and what groups give away, in plain sums."""
    ratings, truth = make(7, n=70)
    votes = tw.ScoredVotes(ratings, scores=1)
    gold = np.arange(35) * 2
    rest = np.setdiff1d(np.arange(70), gold) if is_outside else np.arange(70)
    with recording() as record:
        box = tw.Box.from_gold(
            votes.take(gold),
            truth[gold],
            pool=votes.take(rest),
            gold_is="separate" if is_outside else "subset",
            n_permutations=0,
        )
    levels = box.levels
    assert isinstance(levels, ScoreLevels) and box.gold is not None
    np.testing.assert_allclose(levels.scaling.together, Consensus.of(votes.ranked, 1).together)  # of all seventy
    numbers = votes.ranked @ np.concatenate([levels.scaling.together, levels.scaling.differences], axis=1)

    def losses(weights: np.ndarray, floor: float) -> np.ndarray:
        """Of all items: a slope on the consensus, an intercept, a slope on each difference."""
        odds = numbers[:, 0] * weights[0] + weights[1] + numbers[:, 1:] @ weights[2:]
        high = (1 - floor) / (1 + np.exp(-odds)) + floor / 2
        return np.asarray(-np.log(np.stack([1 - high, high], axis=1)))

    total, right_side, stakes = np.zeros((70, 2)), 0.0, 0.0
    rng = np.random.default_rng([35, len(rest)])
    for lessons, bets in zip(record.lessons, record.bets, strict=True):
        order = gold[box.gold.in_order][rng.permutation(35)]
        right_side += math.log(1 / (0.05 * 0.9))
        for lesson in lessons:
            lost = losses(lesson.weights, 0.1)
            a = lost - (np.exp(-lost) * lost).sum(axis=1, keepdims=True)
            for t in range(lesson.start, lesson.stop):
                stake, guess = bets[t]
                x = a[order[t], truth[order[t]]]
                assert stake * (a.max() - guess) < 1
                left = np.setdiff1d(np.arange(70), order[:t])
                known = [i for i in left if i not in set(rest)]
                seen = [i for i in order[:t] if i in set(rest)]
                right_side += stake * guess - math.log(1 + stake * (guess - x))
                right_side -= stake * sum(a[i, truth[i]] for i in known) / len(left)
                right_side += stake * sum(a[i, truth[i]] for i in seen) / len(left)
                total += stake * a / len(left)
                stakes += stake * len(rest) / len(left)
    f, bound = total[rest] * len(rest) / stakes, right_side / stakes
    groups = levels.group(votes.take(rest)).groups
    g = losses(levels.formula.weights, levels.formula.floor)[rest]
    table = {group: g[groups == group].mean(axis=0) for group in set(groups.tolist())}
    by_group = np.array([table[group] for group in groups.tolist()])
    gap = np.mean((f - levels.formula.scale * by_group).min(axis=1))
    assert box.upper[-1] == pytest.approx((bound - gap) / levels.formula.scale, rel=1e-9)


def test_bound_and_box_hold_as_often_as_they_say() -> None:
    """At 80 %; false-alarm rate one in a million."""
    misses, n_trials = 0, 20
    for seed in range(n_trials):
        ratings, truth = make(100 + seed, n=160)
        votes = tw.ScoredVotes(ratings, scores=1)
        gold = np.random.default_rng([7, seed]).choice(160, 40, replace=False)
        rest = np.setdiff1d(np.arange(160), gold)
        pool = votes if seed % 2 else votes.take(rest)
        drawn = tw.Gold(votes.take(gold), truth[gold], "subset" if seed % 2 else "separate")
        box = tw.Box.from_gold(drawn, pool=pool, confidence_level=0.8, n_permutations=0)
        misses += not box.holds(pool, truth if seed % 2 else truth[rest])
    assert misses <= binom.ppf(1 - 1e-6, n_trials, 0.2)


def test_the_first_lesson_believes_the_consensus_and_nothing_else() -> None:
    ratings, truth = make(8)
    with recording() as record:
        model = fit(tw.ScoredVotes(ratings, scores=1), truth)
    assert record.lessons[0][0].weights.tolist() == [1.0] + [0.0] * (len(record.lessons[0][0].weights) - 1)
    assert model.box_.levels is not None
    assert all(prior.mean[0] == 1 for prior in stack_priors(model.box_.levels.columns.kinds))


def test_scores_prove_more_than_their_verdicts() -> None:
    """On average over five problems; measured 0.43 against 0.46."""
    bounds = []
    for seed in range(5):
        ratings, truth = make(20 + seed, n=500)
        votes = tw.ScoredVotes(ratings, scores=1)
        models = [fit(some, truth, n_gold=80, caution=1.0) for some in (votes, votes.verdicts())]
        bounds.append([model.certificate_.log_loss_bound for model in models])
    scored, plain = np.mean(bounds, axis=0)
    assert scored < plain - 0.02


def test_three_classes_by_probabilities() -> None:
    """Certificate and labels; the bound holds, and labels are better than the best judge's verdicts."""
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=600)
    logits = 1.5 * np.eye(3)[truth][:, None, :] + rng.normal(size=(600, 4, 3))
    proba = np.exp(logits) / np.exp(logits).sum(axis=2, keepdims=True)
    names = [f"judge {j}:{c}" for j in range(4) for c in "abc"]
    votes = tw.ScoredVotes(
        proba.reshape(600, -1), scores_are="probabilities", class_names=list("abc"), rule_names=names
    )
    assert votes.rule_names == tuple(f"judge {j}" for j in range(4))
    assert (votes.array == proba.argmax(axis=2)).all()
    model = fit(votes, truth, n_gold=90)
    losses = -np.log(model.predict_proba(votes)[np.arange(600), truth])
    assert losses.mean() < model.certificate_.log_loss_bound < np.log(3)
    right = model.predict(votes) == np.array(list("abc"))[truth]
    assert right.mean() > (votes.array == truth[:, None]).mean(axis=0).max()


def test_few_gold_labels_or_another_design_use_the_verdicts() -> None:
    ratings, truth = make(9)
    votes = tw.ScoredVotes(ratings, scores=1)
    few = tw.BalsubramaniFreund().fit(votes, partly(truth, np.arange(20)))
    assert few.box_.levels is None
    plain = tw.BalsubramaniFreund().fit(votes.verdicts(), partly(truth, np.arange(20)))
    assert few.certificate_.log_loss_bound == pytest.approx(plain.certificate_.log_loss_bound, abs=1e-9)
    asked = tw.Box.from_gold(votes.take(range(60)), truth[:60], pool=votes, gold_is="subset", opinions=())
    assert asked.levels is None
