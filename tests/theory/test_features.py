"""A learned opinion that sees features of the items: what it proves, what it refuses, what it does not depend on."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import binom

import thumbwise as tw
from thumbwise.box.opinions.features import Scaling
from thumbwise.box.opinions.levels import _by_level, _edges
from thumbwise.numerics.distilling import Distilled
from thumbwise.numerics.progressive import ProgressiveBound


def make(seed: int, n: int = 400, n_rules: int = 6, k: int = 2) -> tuple[tw.Votes, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(k, size=n)
    wrong = (truth[:, None] + rng.integers(1, k, size=(n, n_rules))) % k
    array = np.where(rng.random((n, n_rules)) < 0.65, truth[:, None], wrong)
    array[rng.random((n, n_rules)) < 0.3] = -1
    features = np.eye(k)[truth] + rng.normal(size=(n, k)) * 0.8
    ids = [f"item {i}" for i in range(n)]
    return tw.Votes(array, n_classes=k, item_ids=ids), truth, features


def partly(truth: np.ndarray, gold: Any) -> np.ndarray:
    y = np.full(len(truth), -1)
    y[gold] = truth[gold]
    return y


@pytest.mark.parametrize("seed", range(5))
def test_groups_never_prove_more_than_the_items_did(seed: int) -> None:
    """All labelings of eight items: whoever satisfies the first inequality satisfies that of the groups."""
    rng = np.random.default_rng(seed)
    losses = rng.exponential(size=(8, 2))
    bounded, bound = losses + rng.normal(size=(8, 2)) * 0.1, float(rng.uniform(0.8, 1.6))
    progress = ProgressiveBound(bounded, bound, np.zeros(1), np.zeros(1))
    places = rng.integers(0, 3, size=8)
    table, bound = _by_level(places, losses, 3, progress, Distilled(np.zeros(1), 0.1, 0.0, float(rng.uniform(0.5, 2))))
    n_inside = 0
    for labels in map(np.array, product(range(2), repeat=8)):
        if progress.losses[np.arange(8), labels].mean() <= progress.bound:
            n_inside += 1
            assert table[places, labels].mean() <= bound + 1e-12
    assert n_inside
    np.testing.assert_allclose(table[places].mean(axis=0), losses.mean(axis=0))


def test_bound_and_box_hold_as_often_as_they_say() -> None:
    """At 80 %; false-alarm rate one in a million."""
    misses, n_trials = 0, 25
    for seed in range(n_trials):
        votes, truth, features = make(seed)
        gold = np.random.default_rng([7, seed]).choice(400, 60, replace=False)
        drawn = tw.Gold(votes.take(gold), truth[gold], "subset")
        box = tw.Box.from_gold(
            drawn, pool=votes, confidence_level=0.8, features=features, gold_features=features[gold], n_permutations=0
        )
        assert box.levels is not None
        misses += not box.holds(box.levels.group(votes, features), truth)
    assert misses <= binom.ppf(1 - 1e-6, n_trials, 0.2)


def test_features_that_say_something_tighten_the_bound_and_the_labels() -> None:
    gains, right = [], []
    for seed in range(3):
        votes, truth, features = make(seed, n=1000)
        y = partly(truth, np.random.default_rng(seed).choice(1000, 100, replace=False))
        plain = tw.BalsubramaniFreund(pin_gold=False).fit(votes, y)
        seeing = tw.BalsubramaniFreund(pin_gold=False).fit(votes, y, X=features)
        gains.append(plain.certificate_.log_loss_bound - seeing.certificate_.log_loss_bound)
        right.append(np.mean(seeing.predict(votes, X=features) == truth) - np.mean(plain.predict(votes) == truth))
    assert min(gains) > 0.01
    assert np.mean(right) > 0.01


@pytest.mark.parametrize("k", [2, 4])
def test_new_items_gold_of_its_own_and_few_rules(k: int) -> None:
    votes, truth, features = make(1, n_rules=3, k=k)
    pool, gold = votes.take(range(300)), votes.take(range(300, 380))
    box = tw.Box.from_gold(
        gold, truth[300:380], pool=pool, features=sp.csr_array(features[:300]), gold_features=features[300:380]
    )
    model = tw.BalsubramaniFreund(on_infeasible="widen").fit(pool, box=box, X=features[:300])
    rest = votes.take(range(380, 400))
    proba = model.predict_proba(rest, X=features[380:])
    assert proba.shape == (20, k)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    np.testing.assert_array_equal(model.predict(rest, X=features[380:]), proba.argmax(axis=1))
    explained = tw.explain(model, model.with_features(rest, features[380:]), "item 385")
    np.testing.assert_allclose(explained.proba, proba[5])


def test_scaling_knows_items_and_no_label_and_wide_features_become_few() -> None:
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(120, 3)) @ rng.normal(size=(3, 300)) + rng.normal(size=(120, 300)) * 0.1
    scaling = Scaling.of(wide)
    parts = scaling.apply(wide)
    assert parts.shape == (120, 50)
    assert np.sqrt((parts[:, 0] ** 2).mean()) == pytest.approx(1)
    assert (parts[:, :3] ** 2).sum() > 0.9 * (parts**2).sum()
    standard = (wide - wide.mean(axis=0)) / wide.std(axis=0)
    values = np.linalg.svd(standard, compute_uv=False)
    np.testing.assert_allclose(np.sqrt((parts**2).sum(axis=0))[:3], values[:3] / values[0] * np.sqrt(120), rtol=1e-6)
    many = Scaling.of(rng.normal(size=(60, 1200)))
    assert many.directions.shape == (1200, 50)
    constant = Scaling.of(np.ones((10, 2)))
    assert np.isfinite(constant.apply(np.ones((10, 2)))).all()


def test_edges_split_the_items_of_each_class_evenly() -> None:
    losses = -np.log(np.random.default_rng(0).dirichlet([1, 1], size=1000))
    edges = _edges(losses)
    assert edges.shape == (2, 63)
    assert (np.diff(edges, axis=1) >= 0).all()


BAD: dict[str, tuple[Any, str]] = {
    "other rows": (np.zeros((399, 2)), "a row for each of the 400 items; found shape"),
    "one column": (np.zeros(400), "a matrix with a row for each"),
    "no columns": (np.zeros((400, 0)), "a matrix with a row for each"),
    "missing": (np.full((400, 2), np.nan), "must be finite numbers; found 800"),
    "endless, sparse": (sp.csr_array(np.full((400, 1), np.inf)), "must be finite numbers; found 400"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_features_are_refused(name: str) -> None:
    votes, truth, _ = make(0)
    features, words = BAD[name]
    with pytest.raises(tw.InvalidVotesError, match=words):
        tw.BalsubramaniFreund().fit(votes, partly(truth, range(60)), X=features)


def test_features_that_do_not_fit_the_rest_are_refused(tmp_path: Path) -> None:
    votes, truth, features = make(0)
    y = partly(truth, range(60))
    model = tw.BalsubramaniFreund().fit(votes, y, X=features)
    plain = tw.BalsubramaniFreund().fit(votes, y)
    drawn = tw.Gold(votes.take(range(60)), truth[:60], "subset")
    with pytest.raises(tw.InvalidVotesError, match="2 columns that were fitted; found 3"):
        model.predict(votes, X=np.zeros((400, 3)))
    with pytest.raises(tw.InvalidChoiceError, match="needs them here: pass X"):
        model.predict(votes)
    with pytest.raises(tw.InvalidChoiceError, match="without features"):
        plain.predict(votes, X=features)
    with pytest.raises(tw.InvalidBoxError, match="X is missing"):
        tw.BalsubramaniFreund().fit(votes, box=model.box_)
    with pytest.raises(tw.InvalidBoxError, match="drop X"):
        tw.BalsubramaniFreund().fit(votes, X=features, box=plain.box_)
    with pytest.raises(tw.InvalidVotesError, match="same columns"):
        tw.Box.from_gold(
            votes.take(range(60)), truth[:60], pool=votes.take(range(60, 400)), features=features[60:],
            gold_features=np.zeros((60, 1)),
        )  # fmt: skip
    with pytest.raises(tw.InvalidVotesError, match="need those of the gold items too"):
        tw.Box.from_gold(drawn, pool=votes, features=features)
    with pytest.raises(tw.InvalidBoxError, match="at least 30 gold labels, to learn from and to test; found 29"):
        tw.BalsubramaniFreund().fit(votes, partly(truth, range(29)), X=features)
    with pytest.raises(tw.InvalidVotesError, match="votes without"):
        grouped = tw.Votes(votes.array, item_groups=np.arange(400) % 2)
        tw.BalsubramaniFreund().fit(grouped, y, X=features)
    with pytest.raises(tw.InvalidFileError, match="features of the items"):
        model.save(tmp_path / "model.json")
