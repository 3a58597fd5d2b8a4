"""What the class frequencies alone prove, and that a bound which does not beat it is said to prove nothing.

Kills, tried once: the baseline ln k whatever gold says; known labels not taken off; the class bounds of the box in
place of those with all of the error; ``>`` for ``>=`` in ``proves_nothing``; the mean over all items compared with it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import entr

import thumbwise as tw
from support.problems import make_votes
from thumbwise.assess.tables.bounds import certificate_table
from thumbwise.numerics.class_entropy import largest_entropy
from thumbwise.numerics.intervals import hypergeometric_bounds


@given(st.integers(2, 5), st.integers(0, 10**6))
def test_largest_entropy_against_a_general_solver(k: int, seed: int) -> None:
    """SciPy's SLSQP from the centre of the box; it may stop short of the maximum, and never passes it."""
    rng = np.random.default_rng(seed)
    centre = rng.dirichlet(np.ones(k))
    lower, upper = np.clip(centre - rng.random(k) * 0.3, 0, 1), np.clip(centre + rng.random(k) * 0.3, 0, 1)
    answer: Any = minimize(  # type: ignore[call-overload]
        lambda w: -float(entr(np.maximum(w, 0)).sum()),
        centre,
        bounds=list(zip(lower, upper, strict=True)),
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        options={"ftol": 1e-12, "maxiter": 500},
    )
    value = largest_entropy(lower, upper)
    assert value >= -answer.fun - 1e-9
    assert value == pytest.approx(-answer.fun, abs=2e-4)


@pytest.mark.parametrize("seed", range(10))
def test_it_is_the_value_of_the_game_without_votes(seed: int) -> None:
    """The solver of the game, on items that nobody votes on, finds the same number."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(3))
    bounds = {name: (max(0.0, s - 0.05), min(1.0, s + 0.1)) for name, s in zip("abc", shares, strict=True)}
    votes = tw.Votes(np.full((7, 1), -1), class_names=list("abc"))
    certificate = tw.BalsubramaniFreund().fit(votes, box=tw.Box.from_bounds(votes, bounds)).certificate_
    assert certificate.baseline == pytest.approx(certificate.log_loss_bound, abs=1e-6)
    assert certificate.proves_nothing


def test_it_has_all_of_the_error_and_leaves_known_labels_out() -> None:
    """By hand: exact bounds on the number of each class (two classes are one question), gold items taken off."""
    rng = np.random.default_rng(3)
    labels, array = make_votes(rng, 1000, 4, 2)
    labels[:300] = 0
    votes = tw.Votes(array, n_classes=2, item_ids=np.arange(1000))
    gold = rng.choice(1000, 150, replace=False)
    y = np.full(1000, -1)
    y[gold] = labels[gold]
    seen = int((labels[gold] == 0).sum())
    fewest, most = hypergeometric_bounds(seen, 150, 1000, 0.05)
    shares = np.array([(float(fewest) - seen) / 850, (float(most) - seen) / 850])
    nearest = np.clip(0.5, *shares)
    by_hand = float(entr([nearest, 1 - nearest]).sum())
    assert tw.BalsubramaniFreund().fit(votes, y).certificate_.baseline == pytest.approx(by_hand, abs=1e-12)


def test_coins_prove_nothing_however_many_items_are_gold() -> None:
    """360 of 400 labels known: over all items the mean is small, over the 40 others it is that of guessing."""
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=400)
    votes = tw.Votes(rng.integers(2, size=(400, 5)), n_classes=2, item_ids=np.arange(400))
    y = truth.copy()
    y[rng.choice(400, 40, replace=False)] = -1
    certificate = tw.BalsubramaniFreund().fit(votes, y).certificate_
    assert certificate.log_loss_bound_all < 0.08
    assert certificate.log_loss_bound > 0.6
    assert certificate.proves_nothing
    assert str(certificate).startswith("This proves nothing")


@pytest.mark.parametrize("n_gold", [3, 10])
def test_a_handful_of_labels_proves_nothing_and_says_so(n_gold: int) -> None:
    rng = np.random.default_rng(1)
    labels, array = make_votes(rng, 500, 4, 2)
    votes = tw.Votes(array, n_classes=2)
    gold = rng.choice(500, n_gold, replace=False)
    box = tw.Box.from_gold(votes.take(gold), labels[gold], pool=votes, gold_is="subset")
    certificate = tw.BalsubramaniFreund().fit(votes, box=box).certificate_
    assert certificate.proves_nothing == (certificate.log_loss_bound > certificate.baseline - 1e-3)
    assert ("proves nothing" in str(certificate)) == certificate.proves_nothing


def test_a_rare_class_is_no_merit_of_the_rules() -> None:
    """5 % spam: rules that toss a coin have a bound far below ln 2, and what is said is that this proves nothing."""
    rng = np.random.default_rng(2)
    truth = (rng.random(4000) < 0.05).astype(int)
    votes = tw.Votes(rng.integers(2, size=(4000, 4)), n_classes=2)
    gold = rng.choice(4000, 400, replace=False)
    box = tw.Box.from_gold(votes.take(gold), truth[gold], pool=votes, gold_is="subset")
    certificate = tw.BalsubramaniFreund().fit(votes, box=box).certificate_
    assert certificate.log_loss_bound < 0.6 * math.log(2)
    assert certificate.proves_nothing
    assert "class frequencies alone would give" in str(certificate)
    levels = dict(zip(*certificate_table(certificate).columns.values(), strict=True))
    assert levels["baseline"] == certificate.baseline < levels["guessing"]
    assert "class frequencies alone" in certificate._repr_html_()


def test_good_rules_prove_something() -> None:
    rng = np.random.default_rng(4)
    truth = rng.integers(2, size=3000)
    is_right = rng.random((3000, 3)) < 0.9
    votes = tw.Votes(np.where(is_right, truth[:, None], 1 - truth[:, None]), n_classes=2)
    gold = rng.choice(3000, 200, replace=False)
    box = tw.Box.from_gold(votes.take(gold), truth[gold], pool=votes, gold_is="subset")
    certificate = tw.BalsubramaniFreund().fit(votes, box=box).certificate_
    assert not certificate.proves_nothing
    assert certificate.log_loss_bound < certificate.baseline - 0.1


def test_all_items_gold_leaves_nothing_to_prove() -> None:
    labels, array = make_votes(np.random.default_rng(5), 60, 3, 2)
    votes = tw.Votes(array, n_classes=2, item_ids=np.arange(60))
    certificate = tw.BalsubramaniFreund().fit(votes, labels).certificate_
    assert certificate.log_loss_bound == 0
    assert str(certificate) == "All 60 items have a gold label, so there is nothing left to prove."
