"""Fits of folds that begin where another fold's ended are the fits that users get, within the tolerance."""

from __future__ import annotations

import warnings
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import thumbwise as tw
from thumbwise.assess.baselines import REFERENCE, Method
from thumbwise.assess.cross_fitting import cross_fit
from thumbwise.box.opened_gold import open_plain_gold


def cross(n_classes: int, seed: int, method: Method) -> Any:
    made = tw.datasets.make_one_coin(600, [0.9, 0.8, 0.7, 0.6, 0.6], n_classes=n_classes, random_state=seed)
    gold = np.arange(90)
    sample = open_plain_gold(made.votes.take(gold), made.labels[gold], made.votes, "subset")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cross_fit(sample, [method], 5, np.random.default_rng(seed), 0.95)[0][0]


@pytest.mark.parametrize(("n_classes", "seed"), [(2, 0), (3, 1), (12, 2)])
def test_each_fold_says_what_a_fit_by_itself_to_a_tight_tolerance_says(n_classes: int, seed: int) -> None:
    fits: list[Any] = []

    def noted(split: Any) -> Any:
        assert REFERENCE.make is not None
        fits.append((split, REFERENCE.make(split)))
        return fits[-1][1]

    run = cross(n_classes, seed, replace(REFERENCE, make=noted))
    for (_, before), (split, _) in pairwise(fits):
        assert split.start is before
    assert fits[0][0].start is None
    said = [model.predict_proba(split.votes) for split, model in fits]
    np.testing.assert_array_equal(np.sort(run.proba.ravel()), np.sort(np.concatenate(said).ravel()))
    for (split, _), of_fold in zip(fits, said, strict=True):
        box = tw.Box.from_gold(split.fit_votes, split.fit_names, pool=split.pool, gold_is="subset")
        alone = tw.BalsubramaniFreund(on_infeasible="widen").fit(split.pool, box=box).predict_proba(split.votes)
        np.testing.assert_allclose(of_fold, alone, atol=1e-6)


def test_a_method_that_is_no_model_is_asked_for_each_fold() -> None:
    shares = Method("shares", lambda split: np.tile(split.class_shares, (split.votes.n_items, 1)))
    proba = cross(3, 0, shares).proba
    assert proba.shape == (90, 3)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert 1 < len(np.unique(proba, axis=0)) <= 5
