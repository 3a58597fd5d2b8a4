"""The comparison: nobody sees the label that judges it, and a difference is called real as seldom by mistake as said.

Kills, tried once: methods fitted on all gold; a one-sided sign-flip test; Holm's factors in reverse order, or no
correction at all.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.stats import beta, binom, permutation_test

import thumbwise as tw
from thumbwise import metrics
from thumbwise.assess.baselines import CLIP, REFERENCE, Method, class_shares, list_methods
from thumbwise.assess.comparison import compare
from thumbwise.exceptions import InvalidChoiceError, InvalidLabelsError, MissingPackageError
from thumbwise.models.compared import Split
from thumbwise.numerics.resampling import bootstrap_means, holm, sign_flip_test


def simulate(seed: int, accuracies: list[float], n: int = 600, k: int = 2) -> tuple[tw.Votes, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(k, size=n)
    right = rng.random((n, len(accuracies))) < accuracies
    wrong = (truth[:, None] + rng.integers(1, k, size=right.shape)) % k
    votes = np.where(right, truth[:, None], wrong)
    votes[rng.random(votes.shape) < 0.1] = -1
    return tw.Votes(votes, n_classes=k, item_ids=[f"i{i}" for i in range(n)]), truth


def test_no_method_sees_the_label_that_judges_it() -> None:
    votes, truth = simulate(0, [0.8, 0.7])
    seen: list[Split] = []

    def spy(split: Split) -> np.ndarray:
        seen.append(split)
        return class_shares(split)

    compare(votes.take(range(90)), truth[:90], pool=votes, gold_is="subset", methods=[REFERENCE, Method("spy", spy)])
    assert len(seen) == 10
    judged = [set(split.votes.item_ids.tolist()) for split in seen]
    assert set().union(*judged) == {f"i{i}" for i in range(90)}
    assert sum(map(len, judged)) == 90
    for split, here in zip(seen, judged, strict=True):
        fitted = split.fit_votes.item_ids.tolist()
        assert not here & set(fitted)
        assert len(fitted) == 81
        np.testing.assert_array_equal(split.fit_labels, [truth[int(i[1:])] for i in fitted])


def test_what_was_held_out_is_what_was_scored() -> None:
    votes, truth = simulate(0, [0.8, 0.7])
    found = compare(votes.take(range(90)), truth[:90], pool=votes, gold_is="subset")
    score = next(s for s in found.scores if s.method == REFERENCE.name)
    assert found.held_out.shape == (90, 2)
    assert metrics.log_loss(truth[:90], found.held_out, clip=CLIP) == pytest.approx(score.log_loss, abs=1e-12)


def test_a_method_without_gold_gets_none() -> None:
    votes, truth = simulate(0, [0.8, 0.7])

    def spy(split: Split) -> np.ndarray:
        assert len(split.fit_labels) == split.fit_votes.n_items == 0
        return np.full((split.votes.n_items, 2), 0.5)

    methods = [REFERENCE, Method("spy", spy, uses_gold=False)]
    found = compare(votes.take(range(90)), truth[:90], pool=votes, gold_is="subset", methods=methods)
    assert next(s for s in found.scores if s.method == "spy").log_loss == pytest.approx(np.log(2))


def test_scores_are_those_of_the_metrics() -> None:
    votes, truth = simulate(1, [0.85, 0.7, 0.6], k=3)
    gold = votes.take(range(120))
    found = compare(gold, truth[:120], pool=votes, gold_is="subset")
    score = {s.method: s for s in found.scores}["Dawid-Skene"]
    proba = tw.DawidSkene().fit(votes).predict_proba(gold)
    assert score.log_loss == pytest.approx(metrics.log_loss(truth[:120], proba, clip=CLIP))
    assert score.brier == pytest.approx(metrics.brier_score(truth[:120], proba))
    assert score.accuracy == pytest.approx(1 - metrics.zero_one_loss(truth[:120], proba))
    right = round(120 * score.accuracy)
    exact = beta.ppf(0.025, right, 121 - right), beta.ppf(0.975, right + 1, 120 - right)
    assert score.accuracy_interval == pytest.approx(exact)
    assert score.log_loss_interval[0] < score.log_loss < score.log_loss_interval[1]


def test_balsubramani_freund_is_the_model_with_the_box_of_the_other_folds() -> None:
    """Two folds of two halves, written out."""
    votes, truth = simulate(2, [0.85, 0.7, 0.6])
    gold, labels = votes.take(range(80)), truth[:80]
    folds: list[Split] = []

    def spy(split: Split) -> np.ndarray:
        folds.append(split)
        return class_shares(split)

    found = compare(gold, labels, pool=votes, gold_is="subset", n_folds=2, methods=[REFERENCE, Method("spy", spy)])
    losses = []
    for split in folds:
        box = tw.Box.from_gold(split.fit_votes, split.fit_labels, pool=votes, gold_is="subset")
        proba = tw.BalsubramaniFreund().fit(votes, box=box).predict_proba(split.votes)
        of_items = [truth[int(i[1:])] for i in split.votes.item_ids.tolist()]
        losses.append(metrics.log_loss(np.array(of_items), proba, clip=CLIP))
    score = next(s for s in found.scores if s.method == REFERENCE.name)
    assert score.log_loss == pytest.approx(np.mean(losses), abs=1e-5)


@pytest.mark.parametrize("n", [5, 9])
def test_sign_flips_are_exact_for_few_items(n: int) -> None:
    values = np.random.default_rng(n).normal(0.4, 1, n)
    theirs = permutation_test((values, np.zeros(n)), lambda x, y: np.mean(x - y), permutation_type="samples")
    assert sign_flip_test(values[:, None], np.random.default_rng(0))[0] == pytest.approx(theirs.pvalue)


def test_random_sign_flips_agree_with_another_implementation() -> None:
    values = np.random.default_rng(3).normal(0.25, 1, 60)
    theirs = permutation_test(
        (values, np.zeros(60)),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        n_resamples=20_000,
        vectorized=True,
        rng=np.random.default_rng(1),
    )
    ours = sign_flip_test(np.column_stack([values, -values]), np.random.default_rng(0))
    assert ours[0] == pytest.approx(theirs.pvalue, abs=0.02)
    assert ours[1] == ours[0]


def test_equal_methods_are_seldom_called_different() -> None:
    """False alarms at 5 % in 400 draws; the threshold is passed by chance once in a million."""
    rng = np.random.default_rng(0)
    false_alarms = sum(holm(sign_flip_test(rng.standard_t(3, size=(10, 3)), rng)).min() <= 0.05 for _ in range(400))
    assert false_alarms <= binom.ppf(1 - 1e-6, 400, 0.05)
    assert false_alarms > 0


def test_holm_by_hand() -> None:
    np.testing.assert_allclose(holm(np.array([0.04, 0.01, 0.03])), [0.06, 0.03, 0.06])
    np.testing.assert_allclose(holm(np.array([0.5, 0.9])), [1, 1])


def test_bootstrap_is_about_two_standard_errors_wide() -> None:
    values = np.random.default_rng(0).normal(size=(400, 1))
    [(low, high)] = bootstrap_means(values, np.random.default_rng(1), 0.95)
    assert high - low == pytest.approx(2 * 1.96 * values.std() / 20, rel=0.05)
    assert (low + high) / 2 == pytest.approx(values.mean(), abs=0.01)


def test_the_verdict_names_real_differences() -> None:
    votes, truth = simulate(4, [0.92, 0.3, 0.3], n=3000)
    found = compare(votes.take(range(300)), truth[:300], pool=votes, gold_is="subset")
    by_name = {d.method: d for d in found.differences}
    assert by_name["majority vote"].is_real
    assert by_name["class frequencies"].is_real
    assert by_name["class frequencies"].mean > 0
    assert by_name["class frequencies"].interval[0] > 0
    # The least p-value of 9,999 random flips, times the number of methods.
    assert min(d.p_value for d in found.differences) == pytest.approx(6 / 10_000)
    assert "majority vote" in found.verdict.split("is better than")[1]
    assert "Holm-corrected, 95 % confidence" in found.verdict
    assert found.below_chance == ("rule_1", "rule_2")
    assert "'rule_1' is worse than chance" in str(found)


def test_a_supervised_model_that_is_better_is_admitted() -> None:
    """A rule that tells the class by abstaining: accuracies cannot show it, a regression on votes does."""
    rng = np.random.default_rng(5)
    truth = rng.integers(2, size=2000)
    votes = np.column_stack([np.where(truth == 1, rng.integers(2, size=2000), -1), rng.integers(2, size=2000)])
    pool = tw.Votes(votes, n_classes=2)
    found = compare(pool.take(range(150)), truth[:150], pool=pool, gold_is="subset")
    assert found.scores[0].method == "logistic regression on votes"
    assert "is worse than logistic regression on votes" in found.verdict


def test_same_seed_same_answer_other_seed_other_folds() -> None:
    votes, truth = simulate(6, [0.8, 0.7])
    gold, labels = votes.take(range(60)), truth[:60]
    once, again, other = (compare(gold, labels, pool=votes, gold_is="subset", random_state=s) for s in (0, 0, 1))
    assert once == again
    assert once.frame() != other.frame()


def test_frame_has_a_value_per_method_in_every_column() -> None:
    votes, truth = simulate(7, [0.8, 0.7])
    frame = compare(votes.take(range(60)), truth[:60], pool=votes, gold_is="subset").frame()
    assert {len(column) for column in frame.values()} == {len(list_methods(by_default=True))} == {7}
    assert frame["log_loss"] == sorted(frame["log_loss"])
    assert frame["difference"][frame["method"].index(REFERENCE.name)] == 0


@pytest.mark.parametrize("n_gold", [2, 3, 12])
def test_little_gold_rare_classes_and_silent_rules(n_gold: int) -> None:
    votes, truth = simulate(8, [0.8, 0.7, 0.6], k=3)
    array = votes.array.copy()
    array[:, 2] = -1
    array[:4] = -1
    pool = tw.Votes(array, n_classes=3)
    labels = np.where(truth[:n_gold] == 2, 1, truth[:n_gold])
    found = compare(pool.take(range(n_gold)), labels, pool=pool, gold_is="subset")
    assert all(np.isfinite([s.log_loss, s.brier, s.accuracy]).all() for s in found.scores)
    assert 0 <= found.effective_rules <= 2.001


def test_bad_arguments() -> None:
    votes, truth = simulate(9, [0.8])
    with pytest.raises(InvalidLabelsError, match=r"at least two gold items and two folds.*found 1 gold items"):
        compare(votes.take([0]), truth[:1], pool=votes, gold_is="subset")
    with pytest.raises(InvalidChoiceError, match="methods must have different names"):
        compare(votes.take(range(9)), truth[:9], pool=votes, gold_is="subset", methods=["EBCC", "EBCC"])
    with pytest.raises(InvalidChoiceError, match=r"methods must be some of .*'AMCL'.*; found 'GLAD'"):
        compare(votes.take(range(9)), truth[:9], pool=votes, gold_is="subset", methods=["GLAD"])


def test_all_methods_are_judged_with_their_times() -> None:
    """Those that see gold are fitted anew per fold; rules this good leave all of them far from guessing."""
    votes, truth = simulate(3, [0.85, 0.8, 0.75, 0.7], n=300)
    found = compare(votes.take(range(100)), truth[:100], pool=votes, gold_is="subset", methods="all")
    left_out = {remark.split(" is left out")[0] for remark in found.remarks if " is left out" in remark}
    assert left_out <= {"hyper label model"}
    assert {s.method for s in found.scores} == {m.name for m in list_methods()} - left_out
    assert all(s.seconds > 0 for s in found.scores)
    assert all(s.log_loss < 0.6 for s in found.scores if s.method != "class frequencies")


def test_the_reference_is_always_there() -> None:
    votes, truth = simulate(4, [0.8, 0.7])
    found = compare(votes.take(range(60)), truth[:60], pool=votes, gold_is="subset", methods=["majority vote"])
    assert {s.method for s in found.scores} == {REFERENCE.name, "majority vote"}


def test_what_methods_say_is_kept_and_who_is_missing_is_named() -> None:
    votes, truth = simulate(5, [0.8, 0.7])

    def absent(split: Split) -> np.ndarray:
        raise MissingPackageError("install it")

    def loud(split: Split) -> np.ndarray:
        warnings.warn("beware", stacklevel=1)
        return class_shares(split)

    methods = [Method("absent", absent), Method("loud", loud)]
    found = compare(votes.take(range(60)), truth[:60], pool=votes, gold_is="subset", methods=methods)
    assert found.remarks == ("absent is left out: install it", "loud: beware")
    assert {s.method for s in found.scores} == {REFERENCE.name, "loud"}


@pytest.mark.parametrize("names", [[1, 2], [1, 0], ["no", "yes"]])
def test_a_class_called_1_is_not_class_number_1(names: list[object]) -> None:
    votes, truth = simulate(4, [0.85, 0.8, 0.7], n=300)
    named = tw.Votes(votes.array, class_names=names, item_ids=votes.item_ids)
    gold, labels = range(80), [names[c] for c in truth[:80]]
    methods = ["AMCL", "data programming", "best single rule"]
    found = compare(named.take(gold), labels, pool=named, gold_is="subset", methods=methods)
    plain = compare(votes.take(gold), truth[:80], pool=votes, gold_is="subset", methods=methods)
    assert {s.method: s.log_loss for s in found.scores} == pytest.approx({s.method: s.log_loss for s in plain.scores})
    assert found.error_pairs == plain.error_pairs
    assert found.below_chance == plain.below_chance
