"""The hyper label model: the digits of the paper's tables, on all ten datasets.

The paper ran the network on the training votes stacked on themselves. Every mean is then the same, so here they are
given once. (Stacking hides that the authors' package drops items without votes at the end.)
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

from support.hyper import need_published_weights
from support.paper import NAMES, load_paper, reference
from thumbwise import Votes
from thumbwise.metrics import brier_score, log_loss, zero_one_loss
from thumbwise.models.hyper_label_model import HyperLabelModel

# As printed, in the order of NAMES: log loss, 0-1 loss in %, Brier score.
LOG_LOSS = [0.21, 1.31, 6.93, 0.60, 1.29, 0.62, 2.66, 0.68, 0.60, 0.42]
ZERO_ONE = [2.55, 36.36, 52.05, 7.96, 41.98, 27.74, 27.62, 53.73, 32.92, 20.37]
BRIER = [0.10, 0.45, 0.94, 0.31, 0.65, 0.41, 0.45, 0.50, 0.41, 0.26]

# The authors computed in single precision: sums over ten thousands of votes, then differences stretched tenfold.
SINGLE = 3e-5


@cache
def fitted_proba(name: str) -> npt.NDArray[np.float64]:
    need_published_weights()
    votes = load_paper(name).votes
    return np.asarray(HyperLabelModel().fit(votes).predict_proba(votes))


@pytest.mark.parametrize("name", NAMES)
def test_log_loss_is_the_authors(name: str) -> None:
    loss = log_loss(load_paper(name).labels, fitted_proba(name))
    assert loss == pytest.approx(reference(name, "HyperLM")["log_loss"]["mean"], abs=SINGLE)
    if name == "imdb":
        # Printed as 0.62, but the authors' own file has 0.62505, which is 0.625 and then, rounded again to even, 0.62.
        assert loss == pytest.approx(0.625, abs=1e-4)
    else:
        assert f"{loss:.2f}" == f"{LOG_LOSS[NAMES.index(name)]:.2f}"


@pytest.mark.parametrize("name", NAMES)
def test_error_is_the_authors(name: str) -> None:
    error = zero_one_loss(load_paper(name).labels, fitted_proba(name))
    assert error == pytest.approx(reference(name, "HyperLM")["zero_one_loss"]["mean"], abs=1e-12)
    assert 100 * error == pytest.approx(ZERO_ONE[NAMES.index(name)], abs=0.00501)


@pytest.mark.parametrize("name", NAMES)
def test_brier_score_is_the_authors(name: str) -> None:
    score = brier_score(load_paper(name).labels, fitted_proba(name))
    assert score == pytest.approx(reference(name, "HyperLM")["brier_score"]["mean"], abs=SINGLE)
    assert f"{score:.2f}" == f"{BRIER[NAMES.index(name)]:.2f}"


@pytest.mark.parametrize("name", ["aa2", "domain", "sms"])
def test_votes_stacked_on_themselves_say_the_same(name: str) -> None:
    need_published_weights()
    once = load_paper(name).votes
    twice = Votes(np.vstack([once.array, once.array]), n_classes=once.n_classes)
    proba = HyperLabelModel().fit(twice).predict_proba(once)
    np.testing.assert_allclose(proba, fitted_proba(name), rtol=0, atol=1e-11)
