"""Labels that do not belong to their votes are seen; kills: ties counted for the labels, expectation without shares."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import thumbwise as tw
from support.paper import NAMES, load_paper
from support.problems import make_votes
from thumbwise.box.gold_checks.label_fit import check_labels


@pytest.mark.parametrize("name", ["sms", "basketball"])
def test_published_validation_labels_that_fit_no_better_than_shuffled_ones(name: str) -> None:
    """Rules that are right on most training items are right on validation items as often as by chance."""
    data = load_paper(name)
    assert check_labels(data.votes, data.labels).fits
    fit = check_labels(data.gold_votes, data.gold_labels)
    assert not fit.fits
    assert fit.n_right == pytest.approx(fit.expected, rel=0.02)
    assert "no better than shuffled" in str(fit)


def test_all_other_validation_labels_with_rules_that_know_something_fit() -> None:
    others = [name for name in NAMES if name not in ("sms", "basketball")]
    verdicts = {name: check_labels(load_paper(name).gold_votes, load_paper(name).gold_labels).fits for name in others}
    assert {name for name, fits in verdicts.items() if not fits} <= {"breast_cancer"}, "its rules know nothing"


def test_labels_that_have_nothing_to_do_with_the_votes_rarely_fit() -> None:
    """False-alarm rate one in a million."""
    rng = np.random.default_rng(0)
    n_fits = 0
    for _ in range(300):
        labels, array = make_votes(rng, 50, 4, 3)
        n_fits += check_labels(tw.Votes(array, n_classes=3), rng.permutation(labels), n_permutations=99).fits
    assert n_fits <= binom.ppf(1 - 1e-6, 300, 0.05)


def test_expected_is_the_mean_over_all_orders() -> None:
    from itertools import permutations

    labels, array = make_votes(np.random.default_rng(1), 6, 3, 3)
    votes = tw.Votes(array, n_classes=3)
    every = [(array == np.array(order)[:, None]).sum() for order in permutations(labels)]
    fit = check_labels(votes, labels)
    assert fit.expected == pytest.approx(np.mean(every))
    assert fit.n_right == (array == labels[:, None]).sum()
    assert fit.n_votes == (array >= 0).sum()
