"""Data programming against Snorkel's own LabelModel, run in the interpreter that THUMBWISE_PEERS names.

That interpreter needs snorkel 0.10 and torch, and nothing of thumbwise. Without the variable the tests skip; with
THUMBWISE_REQUIRE_PEERS they fail instead.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import thumbwise as tw
from support.paper import NAMES, load_paper
from thumbwise.models.data_programming import DataProgramming

WORKER = Path(__file__).with_name("snorkel_worker.py")
SEED = 7


@dataclass(frozen=True)
class Job:
    votes: npt.NDArray[np.integer[Any]]
    balance: npt.NDArray[np.float64]
    n_epochs: int = 100
    learning_rate: float = 0.01

    def fit(self, **settings: Any) -> DataProgramming:
        votes = tw.Votes(self.votes, n_classes=len(self.balance))
        return DataProgramming(class_balance=self.balance.tolist(), random_state=SEED, **settings).fit(votes)

    def fit_epochs(self) -> DataProgramming:
        return self.fit(solver="epochs", n_epochs=self.n_epochs, learning_rate=self.learning_rate)


def peer_interpreter() -> str:
    interpreter = os.environ.get("THUMBWISE_PEERS")
    if interpreter is None:
        missing = "no interpreter with snorkel and torch; name one in THUMBWISE_PEERS"
        if os.environ.get("THUMBWISE_REQUIRE_PEERS"):
            pytest.fail(missing)
        pytest.skip(missing)
    return interpreter


def ask_snorkel(jobs: dict[str, Job], folder: Path) -> dict[str, Any]:
    interpreter = peer_interpreter()
    for name, job in jobs.items():
        np.savez(
            folder / f"{name}.job.npz",
            votes=job.votes.astype(np.int64),
            n_classes=len(job.balance),
            balance=job.balance,
            seed=SEED,
            n_epochs=job.n_epochs,
            learning_rate=job.learning_rate,
        )
    subprocess.run([interpreter, str(WORKER), str(folder)], check=True)
    return {name: dict(np.load(folder / f"{name}.answer.npz")) for name in jobs}


def real_jobs() -> dict[str, Job]:
    """The paper's training items, with a class balance that is even, and one that is true."""
    jobs = {}
    for name in NAMES:
        data = load_paper(name)
        k = data.votes.n_classes
        jobs[f"{name}-even"] = Job(data.votes.array, np.full(k, 1 / k))
        jobs[f"{name}-true"] = Job(data.votes.array, np.bincount(data.labels, minlength=k) / len(data.labels))
    return jobs


def drawn_job(balance: list[float], n_rules: int, **settings: Any) -> Job:
    """Votes that follow the model, with rates well inside [0, 1]: the original has no bounds until it ends."""
    rng = np.random.default_rng(len(balance))
    k = len(balance)
    truth = rng.choice(k, size=20_000, p=balance)
    wrong = (truth[:, None] + rng.integers(1, k, (20_000, n_rules))) % k
    array = np.where(rng.random((20_000, n_rules)) < rng.uniform(0.55, 0.75, n_rules), truth[:, None], wrong)
    return Job(np.where(rng.random(array.shape) < 0.2, -1, array), np.array(balance), **settings)


MANY = {"n_epochs": 6000, "learning_rate": 0.02}
DRAWN = {"even": drawn_job([0.5, 0.5], 6, **MANY), "uneven": drawn_job([0.35, 0.65], 6, **MANY)}


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Job], dict[str, Any]]:
    peer_interpreter()
    jobs = real_jobs()
    return jobs, ask_snorkel(jobs, tmp_path_factory.mktemp("real"))


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return ask_snorkel(DRAWN, tmp_path_factory.mktemp("drawn"))


@pytest.mark.parametrize("kind", ["even", "true"])
@pytest.mark.parametrize("name", NAMES)
def test_epochs_are_snorkels(name: str, kind: str, real: tuple[dict[str, Job], dict[str, Any]]) -> None:
    """Same seed, same scaling of the start, same steps; Snorkel calculates in single precision."""
    job, answer = real[0][f"{name}-{kind}"], real[1][f"{name}-{kind}"]
    model = job.fit_epochs()
    np.testing.assert_allclose(model.vote_rates_.reshape(answer["rates"].shape), answer["rates"], rtol=0, atol=1e-5)
    np.testing.assert_allclose(model.predict_proba(job.votes), answer["proba"], rtol=0, atol=1e-4)


@pytest.mark.parametrize("kind", ["even", "true"])
@pytest.mark.parametrize("name", NAMES)
def test_converged_fits_at_least_as_well(name: str, kind: str, real: tuple[dict[str, Job], dict[str, Any]]) -> None:
    """Snorkel's rates, clipped to [0, 1] as it reports them, never have a smaller loss than the converged ones."""
    job, answer = real[0][f"{name}-{kind}"], real[1][f"{name}-{kind}"]
    assert job.fit().loss_ <= float(answer["loss"]) + 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(DRAWN))
def test_converged_is_where_snorkel_arrives(name: str, drawn: dict[str, Any]) -> None:
    job, answer = DRAWN[name], drawn[name]
    model = job.fit()
    assert (model.vote_rates_ > 0.01).all()
    assert (model.vote_rates_ < 0.99).all()
    assert model.loss_ == pytest.approx(float(answer["loss"]), abs=1e-7)
    np.testing.assert_allclose(model.vote_rates_.reshape(answer["rates"].shape), answer["rates"], rtol=0, atol=1e-4)
    np.testing.assert_allclose(model.predict_proba(job.votes), answer["proba"], rtol=0, atol=1e-4)


def test_both_diverge_where_many_rules_agree(tmp_path: Path) -> None:
    truth = np.random.default_rng(0).integers(2, size=100)
    job = Job(np.repeat(truth[:, None], 200, axis=1), np.array([0.5, 0.5]))
    assert "Loss is NaN" in str(ask_snorkel({"copies": job}, tmp_path)["copies"]["error"])
    with pytest.raises(ValueError, match="stay finite"):
        job.fit_epochs()
    assert (job.fit().predict(job.votes) == truth).all()
