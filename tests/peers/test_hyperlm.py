"""The network against the one of the ``hyperlm`` package, run by torch in another interpreter.

``THUMBWISE_PEERS`` names a Python that has torch and hyperlm. With ``THUMBWISE_REQUIRE_PEERS`` a skip is a failure.
"""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from support.hyper import need_published_weights, skip_or_fail
from support.paper import data_folder, load_paper
from support.problems import make_votes
from thumbwise import Votes
from thumbwise.models.hyper_label_model import HyperLabelModel, network_proba
from thumbwise.numerics.hyper_weights import find_checkpoint, read_tensors

WORKER = Path(__file__).with_name("hyperlm_worker.py")
SHAPES = [(50, 2, 2), (200, 5, 2), (1000, 12, 2), (300, 60, 2), (200, 6, 3), (400, 10, 6)]
RANDOM = [f"random_{n_items}_{n_rules}_{k}" for n_items, n_rules, k in SHAPES]
PAPER = ["aa2", "cardio", "domain", "imdb", "sms"]

# The package divides by a count plus 1e-9, which only double precision notices.
AGREEMENT = {"single": 1e-5, "double": 1e-8}


@cache
def matrices() -> dict[str, npt.NDArray[np.int64]]:
    """Random votes, and the paper's stacked on themselves; the last item has votes, or the package would drop it."""
    found = {}
    for name, (n_items, n_rules, k) in zip(RANDOM, SHAPES, strict=True):
        _, array = make_votes(np.random.default_rng(n_items + k), n_items, n_rules, k)
        array[-1, :2] = 0, k - 1
        found[name] = array
    if data_folder() is not None:
        found |= {name: np.tile(load_paper(name).votes.array, (2, 1)).astype(np.int64) for name in PAPER}
    return found


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the package says about all matrices, in both precisions."""
    peers = os.environ.get("THUMBWISE_PEERS")
    if not peers:
        skip_or_fail("THUMBWISE_PEERS must name a Python that has torch and hyperlm")
    need_published_weights()
    folder = tmp_path_factory.mktemp("hyperlm")
    np.savez(folder / "votes.npz", **matrices())  # type: ignore[arg-type]  # a stub of numpy
    command = [str(peers), str(WORKER), str(folder / "votes.npz"), str(folder / "found.npz")]
    subprocess.run(command, check=True, timeout=3600, env={**os.environ, "OMP_NUM_THREADS": "1"})
    with np.load(folder / "found.npz") as found:
        return dict(found)


def test_weights_are_those_that_torch_reads(package: dict[str, Any]) -> None:
    tensors = read_tensors(find_checkpoint())
    theirs = {key.removeprefix("weights_"): value for key, value in package.items() if key.startswith("weights_")}
    assert set(tensors) == set(theirs)
    assert sum(value.size for value in tensors.values()) == 4641
    for name, value in tensors.items():
        np.testing.assert_array_equal(value.astype(np.float32), theirs[name])


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("name", RANDOM + PAPER)
def test_probabilities_are_the_packages(package: dict[str, Any], name: str, precision: str) -> None:
    if name not in matrices():
        pytest.skip("the paper's data is not here; set THUMBWISE_DATA to the folder that holds paper/")
    raw, proba = package[f"{precision}_raw_{name}"], package[f"{precision}_proba_{name}"]
    votes = Votes(matrices()[name][: len(raw)])
    model = HyperLabelModel().fit(votes)
    own = network_proba(model.network_, model.pool_means_, votes.patterns)[votes.inverse]
    np.testing.assert_allclose(own, raw, rtol=0, atol=AGREEMENT[precision])
    # Stretching multiplies what single precision got wrong.
    even = 1 / votes.n_classes
    factor = even / min(model.highest_ - even, even - model.lowest_)
    np.testing.assert_allclose(model.predict_proba(votes), proba, rtol=0, atol=AGREEMENT[precision] * factor)


def test_the_packages_own_example() -> None:
    need_published_weights()
    votes = [[0, 0, 1], [1, 1, 1], [-1, 1, 0], [0, 1, 0]]
    assert HyperLabelModel().fit(votes).predict(votes).tolist() == [0, 1, 0, 0]
