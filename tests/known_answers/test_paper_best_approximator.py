"""The best approximator on the paper's datasets: the authors' MOSEK values, at least as well solved."""

from __future__ import annotations

import pytest

import thumbwise as tw
from support.paper import NAMES, load_paper, reference
from thumbwise.metrics import brier_score, log_loss, zero_one_loss


@pytest.mark.parametrize("name", NAMES)
def test_best_approximator_has_the_authors_losses(name: str) -> None:
    data, known = load_paper(name), reference(name, "best_approximator")
    model = tw.BalsubramaniFreund().fit(data.votes, box=tw.Box.exact(data.votes, data.labels))
    proba = model.predict_proba(data.votes)
    assert log_loss(data.labels, proba) == pytest.approx(known["log_loss"]["mean"], abs=1e-7)
    assert zero_one_loss(data.labels, proba) == pytest.approx(known["zero_one_loss"]["mean"], abs=1e-12)
    assert brier_score(data.labels, proba) == pytest.approx(known["brier_score"]["mean"], abs=1e-6)
    assert model.certificate_.kkt_residual <= 1e-9
    assert model.n_iter_ <= 40


@pytest.mark.parametrize("name", NAMES)
def test_the_bound_of_the_best_approximator_is_its_log_loss(name: str) -> None:
    """With the true moments the game has no slack: worst case, true loss and entropy are one number."""
    data = load_paper(name)
    model = tw.BalsubramaniFreund().fit(data.votes, box=tw.Box.exact(data.votes, data.labels))
    loss = log_loss(data.labels, model.predict_proba(data.votes), clip=0)
    assert model.certificate_.log_loss_bound == pytest.approx(loss, abs=1e-8)
    assert model.certificate_.entropy == pytest.approx(loss, abs=1e-6)
