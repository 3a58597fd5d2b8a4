"""The paper's recipe, a hundred seeded draws of a hundred labels on each dataset."""

from __future__ import annotations

import numpy as np
import pytest

import thumbwise as tw
from support.paper import NAMES, load_paper, reference
from thumbwise.metrics import log_loss

N_DRAWS = 100


@pytest.mark.parametrize("name", NAMES)
def test_every_draw_is_solved_and_the_mean_loss_is_the_papers(name: str) -> None:
    data, known = load_paper(name), reference(name, "BF_100")["log_loss"]
    losses = []
    for seed in range(N_DRAWS):
        drawn = np.random.default_rng(seed).choice(len(data.gold_labels), 100, replace=False)
        box = tw.Box.from_gold(
            data.gold_votes.take(drawn),
            data.gold_labels[drawn],
            pool=data.votes,
            interval="wilson",
            joint=False,
            symmetric=True,
        )
        try:
            model = tw.BalsubramaniFreund(caution=1).fit(data.votes, box=box)
        except tw.InfeasibleBoxError as error:
            assert error.dual_value < 0
            continue
        assert model.certificate_.kkt_residual <= 1e-8
        assert not model.certificate_.is_guarantee
        losses.append(log_loss(data.labels, model.predict_proba(data.votes)))
    standard_error = np.hypot(np.std(losses, ddof=1) / np.sqrt(len(losses)), known["std"] / np.sqrt(known["runs"]))
    assert abs(np.mean(losses) - known["mean"]) <= 4 * standard_error
