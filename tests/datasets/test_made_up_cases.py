"""Made-up cases with gold: judges who err together, and keyword rules for spam. What their docstrings say holds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import thumbwise as tw
from support.paper import load_paper
from thumbwise.datasets import Demo, make_judges, make_keywords
from thumbwise.datasets.demo import others, score_methods
from thumbwise.datasets.judges import FAMILY
from thumbwise.datasets.keywords import HAM, RULES, SPAM

MAKERS: list[Callable[..., Demo]] = [make_judges, make_keywords]


def fitted(demo: Demo) -> tw.BalsubramaniFreund:
    return tw.BalsubramaniFreund().fit(demo.votes, demo.gold_labels)


def shares(called: np.ndarray, truth: np.ndarray) -> tuple[float, float]:
    """Recall and precision."""
    both = (called & truth).sum()
    return both / truth.sum(), both / max(1, called.sum())


@pytest.mark.parametrize("make", MAKERS)
def test_a_seed_says_all(make: Callable[..., Demo]) -> None:
    first, again, other = (make(300, n_gold=40, random_state=seed) for seed in (1, 1, 2))
    assert first.votes.fingerprint == again.votes.fingerprint != other.votes.fingerprint
    np.testing.assert_array_equal(first.labels, again.labels)
    np.testing.assert_array_equal(first.gold, again.gold)
    assert len(np.unique(first.gold)) == 40
    assert (first.gold_labels >= 0).sum() == 40
    assert max(map(len, first.description.splitlines())) <= 80


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize(("sizes", "what"), [((0, 1), "n_items"), ((10, 0), "n_gold"), ((10, 11), "n_gold")])
def test_sizes_that_cannot_be(make: Callable[..., Demo], sizes: tuple[int, int], what: str) -> None:
    with pytest.raises(ValueError, match=what):
        make(sizes[0], n_gold=sizes[1], random_state=0)


def test_the_family_errs_together_and_the_others_do_not() -> None:
    made = make_judges(20_000, random_state=0)
    array, labels = made.votes.array, made.labels
    accuracies = [(votes == labels)[votes >= 0].mean() for votes in array.T]
    np.testing.assert_allclose(accuracies, [0.65] * len(FAMILY) + [0.82, 0.8, 0.76, 0.5, 0.5], rtol=0, atol=0.02)
    np.testing.assert_allclose((array < 0).mean(axis=0), 0.25, rtol=0, atol=0.015)
    wrong = np.where(array >= 0, array != labels[:, None], np.nan)
    voted = np.isfinite(wrong[:, [0, 1, 7, 8]]).all(axis=1)
    together = np.corrcoef(wrong[voted][:, [0, 1, 7, 8]].T)
    assert together[0, 1] > 0.7
    assert abs(together[0, 2]) < 0.05
    assert abs(together[2, 3]) < 0.05
    # Most of what the family gets wrong it calls right.
    assert (array[:, 0][wrong[:, 0] == 1] == 0).mean() > 0.6


def wins(seed: int) -> bool:
    made = make_judges(random_state=seed)
    ours, *rest = score_methods(made, fitted(made))
    is_lower = ours.log_loss < min(row.log_loss for row in rest)
    return is_lower and ours.accuracy >= max(row.accuracy for row in rest)


@pytest.mark.parametrize("seed", range(1, 5))
def test_the_default_beats_every_row_of_the_demo(seed: int) -> None:
    assert wins(seed)


@pytest.mark.slow
def test_it_does_so_for_nine_seeds_in_ten() -> None:
    assert sum(wins(seed) for seed in range(50)) >= 45


def test_the_panel_is_misled() -> None:
    made = make_judges(random_state=5)
    by_name = {row.method: row.accuracy for row in score_methods(made, fitted(made))}
    assert by_name["majority vote"] < by_name["best single judge on gold"] + 0.02
    assert by_name["thumbwise"] > max(by_name["majority vote"], by_name["Dawid-Skene"]) + 0.1


def test_keyword_rules_are_as_people_write_them() -> None:
    made = make_keywords(20_000, random_state=0)
    array, labels = made.votes.array, made.labels
    coverage = (array >= 0).mean(axis=0)
    assert len(RULES) == array.shape[1] == 8
    assert abs(labels.mean() - 0.25) < 0.02
    assert coverage.min() < 0.1
    assert 0.3 < coverage.max() < 0.4
    for rule, votes in zip(RULES, array.T, strict=True):
        assert set(votes.tolist()) == {-1, rule.gives}
    accuracies = [(votes == labels)[votes >= 0].mean() for votes in array.T]
    assert 0.4 < min(accuracies) < 0.5
    assert 0.9 < max(accuracies) < 0.97
    # Rules with a word in common vote together, even among messages of one class.
    free, click = (array[labels == SPAM][:, j] >= 0 for j in (0, 3))
    assert np.corrcoef(free, click)[0, 1] > 0.3
    assert {rule.gives for rule in RULES} == {HAM, SPAM}


@pytest.mark.parametrize("seed", range(6))
def test_spam_is_predicted(seed: int) -> None:
    made = make_keywords(random_state=seed)
    items = others(made)
    model = fitted(made)
    recall, precision = shares(model.predict(made.votes.take(items)) == "spam", made.labels[items] == SPAM)
    assert recall >= 0.55
    assert precision >= 0.6
    assert model.certificate_.proves_something
    assert tw.metrics.log_loss(made.labels[items], model.predict_proba(made.votes.take(items)), clip=0) <= (
        model.certificate_.log_loss_bound
    )


@pytest.mark.parametrize(("name", "minority", "least"), [("youtube", 0, 0.6), ("sms", 1, 0.2)])
@pytest.mark.parametrize("seed", range(3))
def test_the_minority_of_real_keyword_sets_is_predicted(name: str, minority: int, least: float, seed: int) -> None:
    data = load_paper(name)
    gold = np.random.default_rng(seed).choice(len(data.labels), 100, replace=False)
    y = np.full(len(data.labels), -1)
    y[gold] = data.labels[gold]
    items = y < 0
    called = tw.BalsubramaniFreund().fit(data.votes, y).predict(data.votes) == minority
    recall, precision = shares(called[items], data.labels[items] == minority)
    assert recall >= least
    assert precision >= 0.6
