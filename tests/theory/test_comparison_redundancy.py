"""Copies, errors made together, and the effective number of rules, on known cases and against NumPy.

Kills, tried once: correlations over all items of each rule instead of the shared ones; agreement where both vote in
place of agreement where either does.
"""

from __future__ import annotations

import numpy as np
import pytest

import thumbwise as tw
from thumbwise.assess.redundancy import correlate_errors, effective_number, find_duplicates


def made_errors(wrong: np.ndarray) -> tw.Votes:
    """Votes of rules that are wrong where it says so, if the truth is 0."""
    return tw.Votes(wrong.astype(int), n_classes=2)


@pytest.mark.parametrize("seed", range(5))
def test_error_correlation_is_that_of_numpy_on_shared_items(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=80)
    array = np.where(rng.random((80, 4)) < 0.6, labels[:, None], rng.integers(3, size=(80, 4)))
    array[rng.random(array.shape) < 0.3] = -1
    errors = correlate_errors(tw.Votes(array, n_classes=3), labels)
    for i in range(4):
        for j in range(4):
            shared = (array[:, i] >= 0) & (array[:, j] >= 0)
            expected = np.corrcoef(array[shared, i] != labels[shared], array[shared, j] != labels[shared])[0, 1]
            assert errors.values[i, j] == pytest.approx(expected, abs=1e-12)
            assert errors.n_shared[i, j] == shared.sum()
    pairs = errors.pairs()
    assert len(pairs) == 6
    assert [p.correlation for p in pairs] == sorted((p.correlation for p in pairs), reverse=True)


def test_a_rule_that_is_never_wrong_has_no_correlation() -> None:
    errors = correlate_errors(tw.Votes([[0, 0], [0, 1], [0, 0]], n_classes=2), [0, 0, 0])
    assert errors.pairs() == []
    assert effective_number(errors) == 2


@pytest.mark.parametrize("p", [2, 5, 20])
def test_independent_rules_count_each(p: int) -> None:
    counts = [
        effective_number(correlate_errors(made_errors(np.random.default_rng(s).random((200, p)) < 0.3), [0] * 200))
        for s in range(20)
    ]
    assert np.mean(counts) == pytest.approx(p, rel=0.03)


@pytest.mark.parametrize("p", [2, 5, 20])
def test_copies_count_once(p: int) -> None:
    wrong = np.random.default_rng(0).random((100, 1)) < 0.4
    assert effective_number(correlate_errors(made_errors(np.repeat(wrong, p, axis=1)), [0] * 100)) == pytest.approx(1)


def test_five_copies_beside_three_others_count_four() -> None:
    counts = []
    for seed in range(20):
        wrong = np.random.default_rng(seed).random((400, 4)) < [0.4, 0.25, 0.25, 0.25]
        counts.append(effective_number(correlate_errors(made_errors(wrong[:, [0] * 5 + [1, 2, 3]]), [0] * 400)))
    assert np.mean(counts) == pytest.approx(4, abs=0.1)


def test_unlabeled_items_and_rules_without_gold_votes_do_not_count() -> None:
    votes = tw.Votes([[0, 1, -1], [1, 1, -1], [0, 0, -1], [1, 0, 1]], n_classes=2)
    errors = correlate_errors(votes, [0, 0, 0, -1])
    assert errors.n_shared.diagonal().tolist() == [3, 3, 0]
    assert effective_number(errors) <= 2


def test_near_duplicates_are_found_with_their_numbers() -> None:
    rng = np.random.default_rng(0)
    first = rng.integers(3, size=1000)
    near, silent = first.copy(), first.copy()
    near[:15] = (near[:15] + 1) % 3
    silent[:500] = -1
    votes = tw.Votes(np.column_stack([first, near, silent, first, rng.integers(3, size=1000)]), n_classes=3)
    found = {(d.first, d.second): d for d in find_duplicates(votes)}
    assert set(found) == {("rule_0", "rule_1"), ("rule_0", "rule_3"), ("rule_1", "rule_3")}
    assert found["rule_0", "rule_3"].is_identical
    assert not found["rule_0", "rule_1"].is_identical
    assert found["rule_0", "rule_1"].same == pytest.approx(0.985)
    assert found["rule_0", "rule_1"].n_shared == 1000
    assert {d for pair in found for d in pair} == {"rule_0", "rule_1", "rule_3"}
    assert ("rule_0", "rule_2") in {(d.first, d.second) for d in find_duplicates(votes, same=0.5)}


def test_rules_for_one_class_that_agree_wherever_they_meet_are_no_duplicates() -> None:
    rng = np.random.default_rng(1)
    assert find_duplicates(tw.Votes(np.where(rng.random((500, 3)) < 0.5, 1, -1), n_classes=2)) == []


def test_few_shared_votes_prove_nothing() -> None:
    array = np.full((100, 2), -1)
    array[:19] = 1
    assert find_duplicates(tw.Votes(array, n_classes=2)) == []
    array[:20] = 1
    assert len(find_duplicates(tw.Votes(array, n_classes=2))) == 1
