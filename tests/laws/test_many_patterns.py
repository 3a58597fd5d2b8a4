"""More patterns than the learned opinion's formula is fitted to: which of them it sees depends on no order."""

from __future__ import annotations

import numpy as np
import pytest

import thumbwise as tw
from thumbwise.datasets import make_judges
from thumbwise.numerics import distilling

MADE = make_judges(1500, n_gold=60, random_state=2)


def fitted(votes: tw.Votes, labels: np.ndarray) -> tuple[float, np.ndarray]:
    model = tw.BalsubramaniFreund().fit(votes, labels)
    return model.certificate_.log_loss_bound, model.predict_proba(votes)


@pytest.fixture(autouse=True)
def with_room_for_a_third(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distilling, "_MOST_CELLS", 2 * 10**5)


@pytest.mark.parametrize("what", ["rules", "classes"])
def test_order_of_rules_and_numbers_of_classes(what: str) -> None:
    array, labels = MADE.votes.array, MADE.gold_labels
    rules = np.random.default_rng(0).permutation(array.shape[1]) if what == "rules" else np.arange(array.shape[1])
    number = np.array([1, 2, 0]) if what == "classes" else np.arange(3)
    array = np.where(array < 0, -1, number[array])[:, rules]
    other = tw.Votes(array, n_classes=3, item_ids=MADE.item_ids)
    (bound, proba), (bound_of_other, proba_of_other) = (
        fitted(MADE.votes, labels),
        fitted(other, np.where(labels < 0, -1, number[labels])),
    )
    assert abs(bound - bound_of_other) < 1e-4
    np.testing.assert_allclose(proba_of_other[:, number], proba, rtol=0, atol=1e-3)


def test_few_of_them_say_nearly_as_much(monkeypatch: pytest.MonkeyPatch) -> None:
    few = fitted(MADE.votes, MADE.gold_labels)[0]
    monkeypatch.setattr(distilling, "_MOST_CELLS", 10**8)
    assert few < 1.02 * fitted(MADE.votes, MADE.gold_labels)[0]
